"""What tables of callables hold, and what parameters receive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer import bindings
from resume_audit.analyzer.calls import handed, targets
from resume_audit.analyzer.summary import Call

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link, Linked


TOOLS = "def pay(): ...\ndef send(): ...\ndef read(): ...\n"


@pytest.mark.parametrize(
    "table, use, found",
    [
        ("t = {'a': pay, 'b': send}", "t[name]()", "pay send"),
        ("t = {'a': pay, 'b': send}", "t['a']()", "pay"),
        ("t = {'a': pay, 'b': send}", "t.get('b')()", "send"),
        ("t = {'a': pay, 'b': send}", "t.get(name)()", "pay send"),
        ("t = dict(a=pay, b=send)", "t[name]()", "pay send"),
        ("t = [pay, send]", "t[0]()", "pay send"),
        ("t = [pay] + [send]", "t[0]()", "pay send"),
        ("t = [*[pay], send]", "t[0]()", "pay send"),
        ("s = {'a': pay}\nt = {**s, 'b': send}", "t[name]()", "pay send"),
        ("t = {i.__name__: i for i in [pay, send]}", "t[name]()", "pay send"),
        ("t = [i for i in (pay, send)]", "t[0]()", "pay send"),
        ("t = list((pay, send))", "t[0]()", "pay send"),
        ("t = []\nt.append(pay)", "t[0]()", "pay"),
        ("t = []\nt.extend([pay, send])", "t[0]()", "pay send"),
        ("t = {}\nt['a'] = pay", "t[name]()", "pay"),
        ("t = {}\nt.update({'a': pay})", "t[name]()", "pay"),
        ("t = {}\nt.setdefault('a', pay)", "t[name]()", "pay"),
        ("t = {'a': pay}", "for x in t.values(): x()", "pay"),
        ("t = {'a': pay}", "for k, x in t.items(): x()", "pay"),
        ("t = [('a', pay)]", "for k, x in t: x()", "pay"),
        ("t = [pay, send]", "[x() for x in t]", "pay send"),
        ("t, u = pay, send", "t()", "pay"),
        ("t = (u := pay)", "u()", "pay"),
        ("class C:\n    t = {'a': pay}", "C.t[name]()", "pay"),
        ("class C:\n    def __init__(self): self.t = {}\n    def add(self): self.t['a'] = pay", "C().t[name]()", "pay"),
    ],
)
def test_tables(link: Link, table: str, use: str, found: str) -> None:
    made = link(f"{TOOLS}{table}\ndef f(name):\n    {use}\n")
    calls = made.calls("f", "x") or made.calls("f", "u") or made.calls("f", "t") or made.calls("f", "")
    assert _reached(made, calls) == set(found.split())


def _reached(made: Linked, calls: list[Call]) -> set[str]:
    return {target[1] for call in calls for target in targets(made.resolver, call, ("app.py", "f", "")).functions}


@pytest.mark.parametrize(
    "call, found",
    [
        ("f(pay)", "pay"),
        ("f(action=pay)", "pay"),
        ("f(pay)\nf(send)", "pay send"),
        ("f()", "read"),
        ("f(pay)\nf()", "pay read"),
        ("f(*args)", "read"),
    ],
)
def test_parameters_get_what_callers_pass(link: Link, call: str, found: str) -> None:
    made = link(f"{TOOLS}def f(action=read):\n    keep = [action]\n{call}\n")
    bindings.known_callers(made.resolver, made.function("f"))
    assert made.inside("keep", "f") == {f"fn {name}" for name in found.split()}


def test_the_order_of_questions_is_no_matter(link: Link) -> None:
    assert link(f"{TOOLS}def f(action=read):\n    keep = action\nf(pay)\n").of("keep", "f") == {"fn pay"}


def test_keyword_only_and_starred_parameters(link: Link) -> None:
    made = link(f"{TOOLS}def f(x, *rest, by=None):\n    keep = rest\n    last = by\nf(1, pay, send, by=read)\n")
    assert "fn read" in made.of("last", "f")
    assert {"fn pay", "fn send"} <= made.of("keep", "f") | made.inside("keep", "f")


def test_receivers_are_no_arguments(link: Link) -> None:
    made = link(f"{TOOLS}class C:\n    def m(self, action):\n        keep = action\nC().m(pay)\n")
    assert made.of("keep", "C.m") == {"fn pay"}
    made = link(f"{TOOLS}class C:\n    def __init__(self, action):\n        self.action = action\nc = C(send)\n")
    assert made.of("c.action") == {"fn send"}


def test_callers_in_other_files(link: Link) -> None:
    files = {
        "lib.py": "def f(action):\n    keep = action\n",
        "two.py": "from lib import f as g\nfrom app import send\ng(send)\n",
    }
    made = link(f"import lib\n{TOOLS}lib.f(pay)\n", files=files)
    assert made.of("keep", "lib.py:f") == {"fn pay", "fn send"}


def test_calls_of_tests_say_nothing(link: Link) -> None:
    files = {"tests/test_app.py": "from app import f\ndef fake(): ...\ndef test_f(): f(fake)\n"}
    made = link(f"{TOOLS}def f(action):\n    keep = action\nf(pay)\n", files=files)
    assert made.of("keep", "f") == {"fn pay"}


def test_partials_pass_arguments(link: Link) -> None:
    made = link(f"from functools import partial\n{TOOLS}def f(action, x):\n    keep = action\ng = partial(f, pay)\n")
    assert made.of("keep", "f") == {"fn pay"}


def test_annotations(link: Link) -> None:
    made = link(
        """
        from typing import Annotated, Optional
        import stripe
        class C:
            def m(self): ...
        def make() -> C: return load()
        def f(a: C, b: Optional[C], c: "C", d: Annotated[C, 1], e: C | None, g: list[C], h: stripe.StripeClient):
            x = make()
        """
    )
    for name in "abcdex":
        assert made.of(name, "f") - {"const None", "res builtins.load"} >= {"obj C"}, name
    assert made.of("g", "f") == set()
    assert made.of("h", "f") == {"inst stripe.StripeClient"}


@pytest.mark.parametrize(
    "call",
    [
        "asyncio.to_thread(pay, 1)",
        "loop.run_in_executor(None, pay, 1)",
        "pool.submit(pay, 1)",
        "threading.Thread(target=pay)",
        "list(map(pay, x))",
        "tool.invoke(1)",
        "held.invoke(1)",
    ],
)
def test_calls_of_what_is_handed_over(link: Link, call: str) -> None:
    made = link(
        f"""
        import asyncio, threading
        from langchain_core.tools import tool as as_tool
        from langchain_core.runnables import RunnableLambda
        def pay(x): ...
        tool = as_tool(pay)
        held = RunnableLambda(pay)
        def f(x, loop, pool):
            {call}
        """
    )
    assert _reached(made, made.program.project.facts(("app.py", "f")).calls) == {"pay"}


def test_the_call_that_is_made_of_what_is_handed_over(link: Link) -> None:
    made = link("import asyncio\ndef pay(x): ...\ndef f(y, z): asyncio.to_thread(pay, y, k=z)\n")
    found = handed(made.resolver, made.calls("f", "to_thread")[0], made.function("f"))
    assert found is not None
    assert (found.func, found.args, found.kwargs) == ("pay", ["y"], [("k", "z")])


def test_a_function_marked_by_a_call(link: Link) -> None:
    made = link(
        "from langgraph.func import task\ndef pay(): ...\n"
        "paid = task(pay)\nagain = task(name='x')(pay)\ndef f(): paid()\n"
    )
    assert made.goes_to("f", "paid") == {"pay"}
    assert made.of("again") == {"fn pay"}
    assert made.registry.kind(("app.py", "pay")) == "recorded"


def test_what_outside_calls_give(link: Link) -> None:
    made = link(
        """
        import copy, thing
        from functools import partial, lru_cache
        def pay(): ...
        a = copy.copy(pay)
        b = thing.Client(1)
        c = thing.Client.from_env()
        d = thing.load()
        e = getattr(thing, "pay")
        @lru_cache
        def g(): return b
        h = g()
        """
    )
    assert made.of("a") == {"fn pay"}
    assert made.of("b") == {"inst thing.Client"}
    assert made.of("c") == {"inst thing.Client"}
    assert made.of("d") == {"res thing.load"}
    assert made.of("e") == {"ext thing.pay"}
    assert made.of("h") == {"inst thing.Client"}


def test_what_is_known_of_a_call(link: Link) -> None:
    made = link("def f(a):\n    a.go()\n    print(1)\n    b = {}\n    b.add(2)\n")
    assert not made.reached("f", "go").known
    assert made.reached("f", "print").known
