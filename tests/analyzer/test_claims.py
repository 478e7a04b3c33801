"""What lets only one of two copies of a message go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.claims import claimed

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
from lib import Row, graph, idempotent, insert, update
SHARED = {}
def won(db): return db.execute("UPDATE t SET status = 1 WHERE status = 0").rowcount == 1
"""
SQL = "db.execute('INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING')"


def judged(link: Link, text: str, **options: tuple[str, ...]) -> str:
    made = link(HEAD + text)
    (send,) = made.calls("f", "send")
    return claimed(made.registry, [(made.function("f"), send)], options.get("claims", ()))


@pytest.mark.parametrize(
    "body, found",
    [
        ("send()", ""),
        ("if not db.claim(k): return\nsend()", "claim"),
        ("send()\ndb.claim(k)", ""),
        ("if not r.set(k, 1, nx=True): return\nsend()", "claim"),
        ("r.set(k, 1, nx=True)\nsend()", ""),
        ("r.set(k, 1)\nsend()", ""),
        (f"if {SQL}.rowcount == 0: return\nsend()", "claim"),
        (f"{SQL}\nsend()", ""),
        (f"{SQL}\nif db.rowcount == 0: return\nsend()", "claim"),
        ("sql = 'update t set x = 1 where status = 0'\nif not db.execute(sql): return\nsend()", "claim"),
        ("db.execute('UPDATE t SET status = 1 WHERE id = 2')\nsend()", ""),
        ("if not won(db): return\nsend()", "claim"),
        ("row = db.execute('SELECT * FROM t FOR UPDATE').fetchone()\nsend()", "claim"),
        ("row = Row.objects.select_for_update().get(pk=k)\nsend()", "claim"),
        ("n = db.execute(update(Row).where(Row.status == 'open').values(status=1))\nif not n: return\nsend()", "claim"),
        ("n = db.execute(update(Row).where(Row.id == k).values(x=1))\nif not n: return\nsend()", ""),
        ("db.execute(update(Row).where(Row.status == 'open').values(status=1))\nsend()", ""),
        (
            "n = db.execute(insert(Row).on_conflict_do_nothing().returning(Row.id)).scalar()\nif not n: return\nsend()",
            "claim",
        ),
        ("s = insert(Row).on_conflict_do_nothing()\nif not db.scalar(s): return\nsend()", "claim"),
        ("s = insert(Row).on_conflict_do_nothing()\ndb.execute(s)\nsend()", ""),
        ("db.execute(insert(Row).on_conflict_do_nothing())\nsend()", ""),
        ("db.execute(insert(Row).on_conflict_do_nothing())\nif not db.rowcount: return\nsend()", "claim"),
        ("try:\n    db.add(k)\nexcept IntegrityError:\n    return\nsend()", "claim"),
        ("try:\n    db.add(k)\nexcept ValueError:\n    return\nsend()", ""),
        ("t = SHARED.pop(k, None)\nif t is None: return\nsend()", "claim"),
        ("t = k.pop('x', None)\nif t is None: return\nsend()", ""),
        ("with db.lock(k):\n    send()", ""),
        ("if graph.get_state(k).next:\n    send()", "check"),
        ("state = graph.get_state(k)\nif not state.next: return\nsend()", "check"),
        ("with db.lock(k):\n    if graph.get_state(k).next:\n        send()", "claim"),
        ("send(multitask_strategy='reject')", "claim"),
        ("send(multitask_strategy='enqueue')", ""),
        ("if idempotency.seen(k): return\nsend()", "claim"),
    ],
)
def test_what_stands_before(link: Link, body: str, found: str) -> None:
    lines = "\n".join("    " + line for line in body.splitlines())
    assert judged(link, f"def f(db, r, k, idempotency):\n{lines}\n") == found


@pytest.mark.parametrize("decorator, found", [("idempotent", "claim"), ("logged", "")])
def test_decorators(link: Link, decorator: str, found: str) -> None:
    assert judged(link, f"@{decorator}\ndef f():\n    send()\n") == found


def test_declared_claims(link: Link) -> None:
    text = "def first(k): ...\ndef f(k):\n    if not first(k): return\n    send()\n"
    assert judged(link, text) == ""
    assert judged(link, text, claims=("app.first",)) == "claim"
