"""Whether a value may be None where a call takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.nullness import Null, null_test, states
from resume_audit.analyzer.summary import Const, Op

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import lib
def maybe(x):
    if x: return lib.make()
    return None
def always(): return lib.make()
def implicit(x):
    if x: raise E
class Saver:
    def __init__(self): ...
"""


def kinds(link: Link, text: str, function: str = "f") -> set[str]:
    return {null.kind for null in nulls(link, text, function)}


def nulls(link: Link, text: str, function: str = "f") -> frozenset[Null]:
    made = link(HEAD + text)
    (call,) = made.calls(function, "use")
    return states(made.resolver, call.args[0], call, made.function(function))


@pytest.mark.parametrize(
    "body, found",
    [
        ("use(None)", "none"),
        ("use(False)", "none"),
        ("use('x')", "some"),
        ("use(lib.make())", "some"),
        ("use(Saver())", "some"),
        ("use(anything)", "unknown"),
        ("x = None; use(x)", "none"),
        ("x = lib.make(); use(x)", "some"),
        ("x = None; x = lib.make(); use(x)", "some"),
        ("use(maybe(1))", "none some"),
        ("use(always())", "some"),
        ("x: S = None; use(x)", "none"),
        ("use(y := None)", "none"),
        ("use(None if p else lib.make())", "none some"),
        ("use(None or lib.make())", "some"),
        ("use(lib.make() or None)", "some none"),
        # branches
        ("x = None\n    if p: x = lib.make()\n    use(x)", "none some"),
        ("if p: x = None\n    else: x = lib.make()\n    use(x)", "none some"),
        ("x = None\n    if p:\n        x = lib.make()\n        use(x)", "some"),
        ("x = maybe(1)\n    if x is None: return\n    use(x)", "some"),
        ("x = maybe(1)\n    if not x: raise E\n    use(x)", "some"),
        ("x = maybe(1)\n    if x is not None: use(x)", "some"),
        ("x = maybe(1)\n    if x: pass\n    else: use(x)", "none"),
        ("x = maybe(1)\n    if not x: x = lib.make()\n    use(x)", "some"),
        ("x = None\n    for i in p: x = lib.make()\n    use(x)", "none some"),
        ("with lib.make() as x: use(x)", "some"),
        ("try: x = lib.make()\n    except E: x = None\n    use(x)", "none some"),
        ("x = None\n    try: x = lib.make()\n    except E: pass\n    use(x)", "none some"),
        ("x = None\n    try: x = lib.make()\n    except E: raise\n    use(x)", "some"),
        ("match p:\n        case 1: x = None\n        case _: x = lib.make()\n    use(x)", "none some"),
        ("x = None\n    match p:\n        case 1: x = lib.make()\n    use(x)", "none some"),
    ],
)
def test_within_a_function(link: Link, body: str, found: str) -> None:
    assert kinds(link, f"def f(p, anything):\n    {body}\n") == set(found.split())


@pytest.mark.parametrize(
    "callers, found",
    [
        ("f(None)", "none"),
        ("f(lib.make())", "some"),
        ("f(None)\nf(lib.make())", "none some"),
        ("f()", "none"),
        ("f(x=lib.make())", "some"),
        ("def g(y=None): f(y)\ng()", "none"),
        ("", "unknown"),
    ],
)
def test_through_callers(link: Link, callers: str, found: str) -> None:
    assert kinds(link, f"def f(x=None):\n    use(x)\n{callers}\n") == set(found.split())


def test_methods_skip_their_receiver(link: Link) -> None:
    text = "class C:\n    def m(self, x): use(x)\nC().m(None)\n"
    assert kinds(link, text, "C.m") == {"none"}


def test_recursion_ends(link: Link) -> None:
    assert "none" in kinds(link, "def f(x):\n    use(x)\n    f(x)\nf(None)\n")
    assert kinds(link, "def g(): return g()\ndef f():\n    use(g())\n") == {"unknown"}


def test_where_a_none_is_written(link: Link) -> None:
    (null,) = nulls(link, "def f(x): use(x)\nf(None)\n")
    assert (null.path, null.line) == ("app.py", 12)
    assert null.passed is not None
    assert (null.passed[0][1], null.passed[1]) == ("<module>", 12)
    (left_out,) = nulls(link, "def f(x=None): use(x)\nf()\n")
    assert left_out.line == 0
    assert left_out.passed is not None


def test_a_none_that_a_handler_goes_on_with_is_where_it_is_written(link: Link) -> None:
    found = nulls(link, "def f():\n    x = None\n    try: x = lib.make()\n    except E: pass\n    use(x)\n")
    assert {(null.line, null.kept) for null in found if null.kind == "none"} == {(12, 14)}


def test_tests_for_none() -> None:
    none = Const(None)
    assert null_test("x") == ("x", False)
    assert null_test(Op("not", ["x"])) == ("x", True)
    assert null_test(Op("is", ["x", none])) == ("x", True)
    assert null_test(Op("is not", ["x", none])) == ("x", False)
    assert null_test(Op("not", [Op("==", ["x", none])])) == ("x", False)
    assert null_test(Op("not", [Op("!=", ["x", none])])) == ("x", True)
    assert null_test(Op("is", ["x", Const(1)])) is None
    assert null_test(Op("<", ["x", none])) is None
    assert null_test(none) is None
