"""Which bindings of a name a call or a return may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.reaching import CAME_IN, Reaching
from resume_audit.analyzer.summary import Const, Item

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link


def seen(link: Link, body: str) -> set[object]:
    """What ``x`` may be where ``use(x)`` is called."""
    lines = "\n".join("    " + line for line in body.splitlines())
    made = link(f"def f(x, y):\n{lines}\n")
    reaching = Reaching(made.program.project.body(("app.py", "f")))
    env = reaching.at(made.calls("f", "use")[-1])
    assert env is not None
    values = [reaching.bindings[n][1] if n != CAME_IN else "in" for n in env.get("x", frozenset({CAME_IN}))]
    return {value.value if isinstance(value, Const) else value for value in values}


@pytest.mark.parametrize(
    "body, found",
    [
        ("use(x)", {"in"}),
        ("x = 1\nx = 2\nuse(x)", {2}),
        ("use(x)\nx = 1", {"in"}),
        ("if y:\n    x = 1\nuse(x)", {1, "in"}),
        ("if y:\n    x = 1\nelse:\n    x = 2\nuse(x)", {1, 2}),
        ("if y:\n    x = 1\n    return\nuse(x)", {"in"}),
        ("if y:\n    x = 1\n    raise E\nuse(x)", {"in"}),
        ("for y in z:\n    use(x)\n    x = 1", {"in", 1}),
        ("for y in z:\n    x = 1\n    break\nuse(x)", {"in", 1}),
        ("while y:\n    x = 1\n    continue\nuse(x)", {"in", 1}),
        ("try:\n    x = 1\nexcept E:\n    x = 2\nuse(x)", {1, 2}),
        ("try:\n    x = 1\nexcept E:\n    use(x)", {1, "in"}),
        ("with y as x:\n    use(x)", {"y"}),
        ("match y:\n    case 1:\n        x = 1\n    case _:\n        x = 2\nuse(x)", {1, 2}),
        ("if (x := 1):\n    use(x)", {1}),
        ("x, y = 1, 2\nuse(x)", {1}),
    ],
)
def test_what_reaches_a_call(link: Link, body: str, found: set[object]) -> None:
    assert seen(link, body) == found


def test_a_part_of_a_result_is_told_from_the_others(link: Link) -> None:
    (value,) = seen(link, "y, x = both\nuse(x)")
    assert value == Item("both", Const(1))


def test_a_value_is_seen_as_it_was_when_it_was_bound(link: Link) -> None:
    made = link("def f(x):\n    x = old(x)\n    x = new(x)\n    use(x)\n")
    reaching = Reaching(made.program.project.body(("app.py", "f")))
    env = reaching.at(made.calls("f", "use")[0])
    assert env is not None
    ((_, value, before),) = [reaching.bindings[number] for number in env["x"]]
    assert value.func == "new"  # type: ignore[union-attr]  # told by the next line
    assert [reaching.bindings[n][1].func for n in before["x"]] == ["old"]  # type: ignore[union-attr]  # a call


def test_nothing_is_known_of_a_call_that_never_runs(link: Link) -> None:
    made = link("def f(x):\n    return x\n    use(x)\n")
    assert Reaching(made.program.project.body(("app.py", "f"))).at(made.calls("f", "use")[0]) is None


def test_returns_and_yields(link: Link) -> None:
    made = link("def f(x):\n    yield x\n    x = 1\n    return x\n")
    returns = Reaching(made.program.project.body(("app.py", "f"))).returns
    assert [(value, "x" in env) for value, env in returns] == [("x", False), ("x", True)]
