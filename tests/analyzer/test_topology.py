"""Which node may follow which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.topology import Topology, topologies

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send
def a(state): ...
def b(state): ...
def c(state): ...
"""


def topology(link: Link, text: str) -> Topology:
    made = link(HEAD + text + "\ngraph = g.compile()\n")
    (found,) = topologies(made.registry).values()
    return found


NODES = "g = StateGraph(dict)\ng.add_node(a)\ng.add_node(b)\ng.add_node('c', c)\n"


@pytest.mark.parametrize(
    "text, after, found",
    [
        (NODES + "g.add_edge(START, 'a')\ng.add_edge('a', 'b')", "a", {"b"}),
        (NODES + "g.add_edge('a', 'b').add_edge('b', 'c')", "b", {"c"}),
        (NODES + "g.set_entry_point('a')", "__start__", {"a"}),
        (NODES + "g.add_edge(['a', 'b'], 'c')", "b", {"c"}),
        (NODES + "def r(state): return 'b' if state else 'c'\ng.add_conditional_edges('a', r)", "a", {"b", "c"}),
        (NODES + "g.add_conditional_edges('a', lambda s: s['x'], {'yes': 'b', 'no': 'c'})", "a", {"b", "c"}),
        ("def d(state): return Command(goto='c')\n" + NODES + "g.add_node(d)", "d", {"c"}),
        (NODES + "g.add_edge('a', 'b')", "b", set()),
    ],
)
def test_what_follows_a_node(link: Link, text: str, after: str, found: set[str]) -> None:
    assert found <= topology(link, text).after(after)
    if not found:
        assert topology(link, text).after(after) == set()


def test_joined_edges(link: Link) -> None:
    assert topology(link, NODES + "g.add_edge(['a', 'b'], 'c')").joins == [(frozenset({"a", "b"}), "c")]


@pytest.mark.parametrize(
    "items, found",
    [("[Send('b', x) for x in state]", {"b"}), ("[Send('b', 1), Send('b', 2)]", {"b"}), ("[Send('b', 1)]", set())],
)
def test_nodes_that_several_tasks_run(link: Link, items: str, found: set[str]) -> None:
    assert topology(link, NODES + f"def r(state): return {items}\ng.add_conditional_edges('a', r)").spread == found


def test_repeats() -> None:
    loop = Topology(always={"a": {"b"}}, sometimes={"b": {"a", "c"}})
    assert [name for name in "abc" if loop.repeats(name)] == ["a", "b"]
    assert [loop.reached([name]) for name in "ca"] == [{"c"}, {"a", "b", "c"}]
