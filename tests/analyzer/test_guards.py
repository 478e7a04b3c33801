"""Conditions that make the repetition of an effect harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.guards import is_safe, skips_on_resume

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import requests, redis
from langgraph.types import interrupt
db = redis.Redis()
def stored(key): return db.get(key)
def deep(key): return stored(key)
def fresh(key): return len(key)
from sqlalchemy import select
class Row: ...
"""


@pytest.mark.parametrize(
    "before, test, safe",
    [
        # a look-up that found nothing
        ("", "not db.exists(k)", True),
        ("", "db.exists(k)", False),
        ("", "db.get(k) is None", True),
        ("", "db.get(k) is not None", False),
        ("", "db.exists(k) == 0", True),
        ("seen = db.get(k)", "not seen", True),
        ("seen = db.get(k)", "seen", False),
        ("seen = again = db.get(k)", "again is None", True),
        ("", "not stored(k)", True),
        ("", "not deep(k)", True),
        ("", "not fresh(k)", False),
        ("", "not ledger.already_sent(k)", True),
        ("", "not state.already_sent(k)", False),
        ("", "not self.has(k)", False),
        ("", "not cache[k]", False),
        ("", "not state['sent']", False),
        ("sent = set()", "k not in sent", False),
        # a claim
        ("", "db.setnx(k, 1)", True),
        ("", "db.set(k, 1, nx=True)", True),
        ("", "not db.set(k, 1, nx=True)", False),
        ("got = store.claim(k)", "got", True),
        ("", "store.claim(k) is True", True),
        ("", "store.claim(k) is not None", True),
        # a row's status
        ("row = db.get(k)", "row.status != 'sent'", True),
        ("row = db.get(k)", "row['sent_at'] is None", True),
        ("row = db.get(k)", "row.colour != 'red'", False),
        ("r = s.execute(select(Row))\n    row = r.scalars().first()", "not row", True),
        ("r = s.execute(select(Row))\n    row = r.scalar_one_or_none()", "row is None", True),
        ("r = s.execute(select(Row))\n    row = r.scalar_one_or_none()", "row", False),
        ("r = plan(k)\n    row = r.first()", "not row", False),
        ("row = load(k)", "not row.paid", False),
        # of several
        ("", "not db.exists(k) and x", True),
        ("", "x and y", False),
        ("", "not (db.exists(k) or x)", True),
        ("", "not db.exists(k) or x", False),
        ("", "not db.exists(k) or db.setnx(k, 1)", True),
    ],
)
def test_durable_conditions(link: Link, before: str, test: str, safe: bool) -> None:
    body = f"    {before or 'pass'}\n    if {test}: requests.post('a')\n    interrupt(1)\n"
    made = link(f"{HEAD}def f(state, ledger, store, k, x, y, s):\n{body}")
    assert made.hazards() == (set() if safe else {"a"})


def test_an_early_return_counts(link: Link) -> None:
    text = "def f(k):\n    if {}db.exists(k): return\n    requests.post('a')\n    interrupt(1)\n"
    assert link(HEAD + text.format("")).hazards() == set()
    assert link(HEAD + text.format("not ")).hazards() == {"a"}


def test_a_guarded_call_of_what_acts(link: Link) -> None:
    text = """
def note(k): keep(k)
def keep(k): requests.post('a')
def asks(k):
    requests.post('b')
    interrupt(2)
def f(k):
    if {}: note(k)
    if {}: asks(k)
    interrupt(1)
"""
    assert link(HEAD + text.format("not stored(k)", "k")).hazards() == {"b"}
    assert link(HEAD + text.format("stored(k)", "not stored(k)")).hazards() == {"a", "b"}


def test_names_bound_to_a_part_of_themselves(link: Link) -> None:
    text = """
def f(state, k, q):
    row = db.get(k)
    while k:
        row = row["next"]
    q = q.narrow(k).more(k)
    if not {}: requests.post('a')
    interrupt(1)
"""
    assert link(HEAD + text.format("row")).hazards() == set()
    assert link(HEAD + text.format("q")).hazards() == {"a"}


def test_code_that_asks_whether_it_was_resumed(link: Link) -> None:
    text = """
def first(config): return config["configurable"].resume is None
def is_resuming(config): return config.resume
def is_resumed(config): return config.other
def f(config):
    if {}: requests.post('a')
    interrupt(1)
"""
    assert link(HEAD + text.format("not is_resuming(config)")).hazards() == set()
    assert link(HEAD + text.format("not is_resumed(config)")).hazards() == {"a"}
    assert link(HEAD + text.format("not config.resuming")).hazards() == set()
    assert link(HEAD + text.format("not config.retrying")).hazards() == {"a"}


def test_nothing_guards_nothing(link: Link) -> None:
    made = link(HEAD + "def f(): ...\n")
    assert not is_safe(made.resolver, (), made.function("f"))
    assert not skips_on_resume(made.resolver, (), made.function("f"))
