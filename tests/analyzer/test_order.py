"""What may have run before a wait: across calls, loops, recursion, guards, dispatch and routers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.hazards import in_recovered_bodies, siblings
from resume_audit.analyzer.meetings import meetings
from resume_audit.analyzer.order import bits

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link, Linked

HEAD = """
import asyncio, os, sys, requests
from langgraph.graph import StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt, Send
from langgraph.func import entrypoint, task
from langgraph.errors import NodeInterrupt
def post(what): requests.post("post")
def ask(): return interrupt("q")
"""


def found(link: Link, text: str) -> set[str]:
    return link(HEAD + text).hazards()


@pytest.mark.parametrize(
    "body, hazards",
    [
        ("requests.post('a'); interrupt(1)", "a"),
        ("interrupt(1); requests.post('a')", ""),
        ("requests.get('a'); interrupt(1)", ""),
        ("requests.post('a'); ask()", "a"),
        ("post(1); ask()", "post"),
        ("ask(); post(1)", ""),
        ("requests.post('a'); raise NodeInterrupt(1)", "a"),
        ("raise ValueError(requests.post('a'))", ""),
        ("interrupt(requests.post('a'))", "a"),
        ("x = interrupt(1) and requests.post('a')", ""),
        ("x = requests.post('a') or interrupt(1)", "a"),
        # branches
        ("if s: requests.post('a')\n    else: interrupt(1)", ""),
        ("if s: requests.post('a')\n    interrupt(1)", "a"),
        ("if s:\n        requests.post('a')\n        return\n    interrupt(1)", ""),
        # loops
        ("for i in s:\n        interrupt(1)\n        requests.post('a')", "a+"),
        ("for i in s:\n        requests.post('a')\n        interrupt(1)", "a"),
        ("while True:\n        x = ask()\n        post(x)", "post+"),
        ("for i in s: interrupt(1)\n    requests.post('a')", ""),
        ("[requests.post('a') for i in s]\n    interrupt(1)", "a"),
        ("[(interrupt(1), requests.post('a')) for i in s]", "a+"),
        # exceptions
        ("try: requests.post('a')\n    except OSError: interrupt(1)", "a"),
        ("try: post(1)\n    except OSError: ask()", "post"),
        ("try: interrupt(1)\n    finally: requests.post('a')", ""),
        ("try:\n        requests.post('a')\n        return\n    finally: interrupt(1)", "a"),
        # what runs at once
        ("asyncio.gather(ask(), post(1))", "post"),
        # what does not come back
        ("requests.post('a')\n    sys.exit(1)\n    interrupt(1)", ""),
        ("if s:\n        requests.post('a')\n        os._exit(1)\n    interrupt(1)", ""),
        # handed over
        ("asyncio.to_thread(post, 1); interrupt(1)", "post"),
        ("asyncio.to_thread(requests.post, 'a'); interrupt(1)", "a"),
    ],
)
def test_one_function(link: Link, body: str, hazards: str) -> None:
    assert found(link, f"async def f(s):\n    {body}\n") == set(hazards.split())


def test_a_function_that_never_returns(link: Link) -> None:
    text = "def stop():\n    requests.post('a')\n    raise SystemExit\ndef f():\n    {}stop()\n    interrupt(1)\n"
    assert found(link, text.format("")) == set()
    assert found(link, text.format("if x: ")) == set()
    caught = "def g():\n    try: stop()\n    except SystemExit: interrupt(1)\n"
    assert found(link, text.format("") + caught) == {"a"}


def test_across_files_and_classes(link: Link) -> None:
    made = link(
        HEAD + "from lib import Bank\ndef f(b: Bank):\n    b.pay()\n    ask()\n",
        files={
            "lib.py": "import requests\nclass Bank:\n    def pay(self): self._send()\n"
            "    def _send(self): requests.post('a')\n"
        },
    )
    (hazard,) = made.program.hazards
    assert [f[1] for f, _ in hazard.effect_chain] == ["f", "Bank.pay", "Bank._send"]
    assert [f[1] for f, _ in hazard.wait_chain] == ["f", "ask"]
    assert (hazard.effect.path, hazard.effect.name, hazard.wait.name) == (
        "lib.py",
        "requests.post",
        "langgraph.types.interrupt",
    )
    assert hazard.effect.certainty == "certain"


def test_chains_are_the_shortest(link: Link) -> None:
    made = link(
        HEAD + "def long(): longer()\ndef longer(): pay()\ndef pay(): requests.post('a')\n"
        "def f():\n    long()\n    pay()\n    ask()\n    interrupt(2)\n"
    )
    (hazard,) = made.program.hazards
    assert [f[1] for f, _ in hazard.effect_chain] == ["f", "pay"]
    assert [f[1] for f, _ in hazard.wait_chain] == ["f"]


def test_recursion(link: Link) -> None:
    assert found(link, "def f(n):\n    requests.post('a')\n    if n: f(n - 1)\n    else: interrupt(1)\n") == {"a"}
    assert found(link, "def f(n):\n    if n: f(n - 1)\n    interrupt(1)\n    requests.post('a')\n") == {"a"}
    assert found(link, "def f(n):\n    interrupt(1)\n    requests.post('a')\n    if n: f(n - 1)\n") == {"a"}
    assert found(link, "def f(n):\n    interrupt(1)\n    if n: f(n - 1)\n    requests.post('a')\n") == set()


def test_three_hundred_functions_that_call_each_other(link: Link) -> None:
    count = 300
    lines = [
        f"def f{i}(n):\n    f{(i + 1) % count}(n)\n    f{(i * 7) % count}(n)\n    return 1\n" for i in range(count)
    ]
    lines[123] = "def f123(n):\n    requests.post('a')\n    f124(n)\n    return 1\n"
    lines[250] = "def f250(n):\n    if n: return 1\n    ask()\n    f251(n)\n"
    made = link(HEAD + "".join(lines))
    assert made.hazards() == {"a"}
    assert all(made.order.reach[made.function(f"f{i}")].waits for i in range(count))


def many() -> dict[str, str]:
    files = {
        f"m{i}.py": f"import requests\nfrom m{(i + 1) % 6} import f{(i + 1) % 6}\n"
        "from langgraph.types import interrupt\n"
        f"def f{i}(n, action=None):\n    requests.post('p{i}')\n    if n: f{(i + 1) % 6}(n - 1, action)\n"
        + ("    interrupt(1)\n" if i % 2 else "    if action: action()\n")
        for i in range(6)
    }
    files["run.py"] = (
        "from m0 import f0\nfrom langgraph.graph import StateGraph\nimport requests\n"
        "def late(): requests.post('late')\n"
        "def node(state): f0(3, late)\ng = StateGraph(dict)\ng.add_node('n', node)\ng.compile()\n"
    )
    return files


def test_the_order_of_files_is_no_matter(link: Link) -> None:
    straight, reverse = link(files=many()), link(files=dict(reversed(many().items())), _reverse=True)
    assert straight.hazards() == {"p0", "p1", "p2", "p3", "p4", "p5", "late"}
    assert straight.program.hazards == reverse.program.hazards
    assert straight.program.units == reverse.program.units
    assert meetings(straight.order) == meetings(reverse.order)


def test_sites_are_numbered_by_place(link: Link) -> None:
    made = link(HEAD + "def f():\n    requests.post('a')\n    requests.post('b')\n    interrupt(1)\n")
    lines = [effect.line for effect in made.order.effects]
    assert lines == sorted(lines)
    assert list(bits(0b101001)) == [0, 3, 5]


def test_conditions_on_a_name_bound_again(link: Link) -> None:
    text = (
        "def f(s):\n    mode = s.a\n    if mode: requests.post('a')\n"
        "    {}\n    if not mode: interrupt(1)\n    mode = s.b\n"
    )
    assert found(link, text.format("mode = s.c")) == {"a"}
    assert found(link, text.format("pass")) == set()


@pytest.mark.parametrize("first, last", [("m = s.b", "pass"), ("pass", "m = s.b")])
def test_conditions_on_a_name_bound_in_every_round(link: Link, first: str, last: str) -> None:
    text = (
        "def f(s, m):\n    while s.x:\n        {}\n        if m: requests.post('a')\n"
        "        if not m: interrupt(1)\n        {}\n"
    )
    assert found(link, text.format(first, last)) == {"a+"}


def test_excluded_guards_in_a_function(link: Link) -> None:
    text = "def f(mode):\n    if mode == 'go': requests.post('a')\n    log()\n    if mode == '{}': interrupt(1)\n"
    assert found(link, text.format("ask")) == set()
    assert found(link, text.format("go")) == {"a"}
    early = "def f(mode):\n    if not mode: requests.post('a')\n    x = 1\n    if not mode: return\n    interrupt(1)\n"
    assert found(link, early) == set()
    twice = "def f(mode):\n    if mode: requests.post('a')\n    post(1)\n    if not mode: interrupt(1)\n"
    assert found(link, twice) == {"post"}


def test_recorded_steps_are_kept(link: Link) -> None:
    text = (
        "@task\ndef pay(): requests.post('a')\n"
        "@entrypoint()\ndef flow(x):\n    pay()\n    requests.post('b')\n    interrupt(1)\n"
    )
    assert found(link, text) == {"b"}
    assert found(link, "def pay(): requests.post('a')\ndef f(x):\n    task(pay)(x)\n    interrupt(1)\n") == set()
    declared = "def pay(): requests.post('a')\ndef f(x):\n    pay()\n    interrupt(1)\n"
    assert link(HEAD + declared, recorded=("app.pay",)).hazards() == set()
    assert link(HEAD + declared).hazards() == {"a"}


@pytest.mark.parametrize("call", ["once(requests.post)('u')", "kept('u')", "step('u')", "once(pay)('u')"])
def test_what_a_declared_step_made_is_kept(link: Link, call: str) -> None:
    text = HEAD + (
        "def once(fn): return fn\ndef pay(x): requests.post(x)\nstep = once(requests.post)\n"
        f"def f():\n    kept = once(requests.post)\n    {call}\n    interrupt(1)\n"
    )
    assert link(text, recorded=("app.once",)).hazards() == set()
    assert link(text).hazards() != set()


def test_a_recorded_step_that_waits_replays_its_own_body(link: Link) -> None:
    text = (
        "@task\ndef pay():\n    requests.post('a')\n    interrupt(1)\n"
        "@entrypoint()\ndef flow(x):\n    requests.post('b')\n    pay()\n"
    )
    assert found(link, text) == {"a", "b"}


def test_declared_waits(link: Link) -> None:
    text = "def pause(): ...\ndef f():\n    requests.post('a')\n    pause()\n"
    assert link(HEAD + text).hazards() == set()
    assert link(HEAD + text, waits=("app.pause",)).hazards() == {"a"}
    outside = "import lib\ndef f():\n    requests.post('a')\n    lib.pause()\n"
    assert link(HEAD + outside, waits=("lib.pause",)).hazards() == {"a"}


GRAPH = """
def first(state): requests.post('a')
def route(state): return interrupt(1)
def other(state): requests.post('b')
g = StateGraph(dict)
g.add_node("first", first)
g.add_node("other", other)
g.add_conditional_edges("{}", route)
g.compile()
"""


def test_a_router_that_waits_runs_its_source_again(link: Link) -> None:
    made = link(HEAD + GRAPH.format("first"))
    assert made.hazards() == {"a"}
    assert made.program.hazards[0].router == "route"
    assert found(link, GRAPH.format("other")) == {"b"}


def test_a_graph_run_inside_a_node(link: Link) -> None:
    text = """
def inner(state): interrupt(1)
sub = StateGraph(dict)
sub.add_node("inner", inner)
ready = sub.compile({})
def outer(state):
    requests.post('a')
    ready.invoke(state)
g = StateGraph(dict)
g.add_node("outer", outer)
g.compile()
"""
    assert found(link, text.format("")) == {"a"}
    still = text.replace("interrupt(1)", "requests.post('b')")
    assert found(link, still.format("")) == set()
    assert found(link, still.format("interrupt_before=['inner']")) == {"a"}


DISPATCH = """
def pay(x): requests.post('a')
def read(x): requests.get('b')
TABLE = {{"pay": pay, "read": read}}
def f(name, x):
    {}TABLE[name](x)
    interrupt(1)
"""


def test_dispatch_by_name(link: Link) -> None:
    made = link(HEAD + DISPATCH.format(""))
    (hazard,) = made.program.hazards
    assert hazard.effect.dispatch
    assert [b.function[1] for b in hazard.behind] == ["pay"]
    assert found(link, DISPATCH.format("if name != 'pay': ")) == set()
    assert found(link, DISPATCH.format("if name not in ('pay', 'mail'): ")) == set()
    assert len(found(link, DISPATCH.format("if name != 'read': "))) == 1
    assert found(link, DISPATCH.replace("requests.post", "requests.get").format("")) == set()


TOOLS = """
from langchain_core.tools import tool
@tool
def approve(x): return interrupt(x)
@tool
def pay(x): requests.post('a')
@tool
def read(x): requests.get('b')
node = {}
"""


def beside(made: Linked) -> set[str]:
    return {sibling.tool[1] for sibling in siblings(made.order, made.registry)}


def test_tools_of_one_node(link: Link) -> None:
    assert beside(link(HEAD + TOOLS.format("ToolNode([approve, pay, read])"))) == {"pay"}
    assert beside(link(HEAD + TOOLS.format("ToolNode([pay, read])"))) == set()
    apart = "import langgraph.prebuilt as p\nx = p.create_react_agent(m, [approve, pay]{})"
    assert beside(link(HEAD + TOOLS.format("1") + apart.format(""))) == set()
    assert beside(link(HEAD + TOOLS.format("1") + apart.format(", version='v1'"))) == {"pay"}


def test_bodies_that_run_again_after_a_crash(link: Link) -> None:
    text = "@task\ndef kept(): requests.post('k')\n@entrypoint()\ndef flow(x):\n    kept()\n    post(1)\n    {}\n"
    made = link(HEAD + text.format("return 1"))
    found = list(in_recovered_bodies(made.order, made.program.units, set()))
    bodies = [([u.name for u in units], [f[1] for f, _ in chain]) for units, _, chain, _ in found]
    assert bodies == [(["flow"], ["flow", "post"])]
    assert list(in_recovered_bodies(made.order, made.program.units, {found[0][1]})) == []


def test_code_that_is_no_unit_and_does_not_wait_is_not_looked_at(link: Link) -> None:
    made = link(HEAD + "def alone(): requests.post('x')\n")
    assert made.function("alone") not in made.order.outlines


def test_managers_stop_at_their_yield(link: Link) -> None:
    text = (
        "from contextlib import contextmanager\n@contextmanager\ndef held():\n    {}\n"
        "def f():\n    with held():\n        interrupt(1)\n"
    )
    assert found(link, text.format("yield\n    requests.post('a')")) == set()
    assert found(link, text.format("requests.post('a')\n    yield")) == {"a"}


def test_a_function_too_large_is_told(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resume_audit.analyzer.flow.MOST_NODES", 30)
    made = link(HEAD + "def f():\n    interrupt(1)\n" + "    print(1)\n" * 40)
    assert any("f is too large" in told for told in made.program.not_checked)
