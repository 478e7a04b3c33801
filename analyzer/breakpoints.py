"""Static breakpoints at nodes that wait themselves: two pauses for one decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .chains import wait_chain
from .literals import given_under
from .modules import is_test
from .order import Order
from .outline import WaitSite
from .paths import Link
from .persistence import Persistence
from .registry import GraphSite, literal_names
from .summary import Call, Const, Expr, Op
from .topology import Topology
from .values import FunctionId

Side = Literal["before", "after", "ahead"]
"""Where the breakpoint parks: before the waiting node, after it, or after the node that leads to it."""

_ALL = "*"


@dataclass(frozen=True, slots=True)
class Doubled:
    """A breakpoint, the waiting node next to it, and the way to the node's wait.

    ``named`` is the node that the breakpoint names; ``sure``: no condition decides whether it is set.
    """

    function: FunctionId
    call: Call
    keyword: str
    named: str
    side: Side
    node: str
    chain: tuple[Link, ...]
    wait: WaitSite
    sure: bool


@dataclass(frozen=True, slots=True)
class _Set:
    """Breakpoints as one call sets them."""

    function: FunctionId
    call: Call
    keyword: str
    names: tuple[str, ...]
    sure: bool


def doubled(order: Order, persistence: Persistence, topologies: Mapping[GraphSite, Topology]) -> Iterator[Doubled]:
    """Breakpoints at waiting nodes, of graphs that nobody is seen to take on from a breakpoint without an answer."""
    for site, breakpoints in sorted(_breakpoints(order, persistence).items(), key=lambda item: repr(item[0])):
        if _taken_on(persistence, site):
            continue
        waiting = dict(_waiting(order, site))
        follows = topologies.get(site, Topology()).always
        for found in breakpoints:
            for name in _all(waiting) if _ALL in found.names else found.names:
                side: Side = "before" if found.keyword.endswith("before") else "after"
                if name in waiting:
                    yield _doubled(found, name, side, name, waiting[name])
                elif side == "after":
                    for node in sorted(follows.get(name, set()) & waiting.keys()):
                        yield _doubled(found, name, "ahead", node, waiting[node])


def _all(names: Iterable[str]) -> list[str]:
    """The names, a middleware hook's longer one last."""
    return sorted(names, key=lambda name: ("." in name, name))


def _doubled(found: _Set, named: str, side: Side, node: str, way: tuple[tuple[Link, ...], WaitSite]) -> Doubled:
    return Doubled(found.function, found.call, found.keyword, named, side, node, *way, found.sure)


def _breakpoints(order: Order, persistence: Persistence) -> dict[GraphSite, list[_Set]]:
    """The breakpoints of each graph, where it is compiled and where it is run; tests left out."""
    keywords = order.resolver.knowledge.table("persistence", "static_waits")
    found: dict[GraphSite, list[_Set]] = {}
    for site, graph in order.registry.graphs.items():
        for function, call in graph.compiles:
            if not is_test(function[0]):
                found.setdefault(site, []).extend(_given(order, keywords, function, call))
    for function, call, site in persistence.runs_with({*keywords, ""}):
        found.setdefault(site, []).extend(_given(order, keywords, function, call))
    return found


def _given(order: Order, keywords: list[str], function: FunctionId, call: Call) -> Iterator[_Set]:
    for keyword in keywords:
        for expr, where in given_under(order.resolver, call, keyword, function):
            names = literal_names(order.resolver, expr, where)
            if names:
                yield _Set(function, call, keyword, tuple(names), not _chosen(order, expr, where))


def _chosen(order: Order, expr: Expr, function: FunctionId) -> bool:
    """Whether a condition decides between breakpoints and none."""
    if isinstance(expr, str) and "." not in expr:
        lets = order.resolver.project.facts((function[0], function[1])).lets.get(expr, ())
        return len(lets) > 1 or any(isinstance(value, Op) and value.kind == "if" for _, value in lets)
    return isinstance(expr, Op) and expr.kind in ("if", "and", "or")


def _taken_on(persistence: Persistence, site: GraphSite) -> bool:
    """Whether the graph is somewhere run with no input: the way on from a breakpoint that answers no wait."""
    for function, call in persistence.runs(site):
        for expr in (*call.args[:1], *(value for name, value in call.kwargs if name == "input")):
            if expr == Const(None) or ("const", None) in persistence.resolver.of(expr, function):
                return True
    return False


def _waiting(order: Order, site: GraphSite) -> Iterator[tuple[str, tuple[tuple[Link, ...], WaitSite]]]:
    """The nodes of a graph that wait, by name, each with the calls that lead to its first wait."""
    graph = order.registry.graphs.get(site)
    if graph is None:
        return
    inside: list[tuple[str, FunctionId]] = [*graph.nodes]
    inside += [(f"{owner}.{name}", function) for name, function in graph.nodes if (owner := _owner(function))]
    inside += graph.routers
    for name, part in graph.parts:
        inside += [(name, function) for function in order.graph_functions(part)]
    for around, name, group in order.registry.group_nodes:
        if around == site and group in order.registry.groups:
            inside += [(name, tool) for tool in order.registry.groups[group].functions]
    seen: set[str] = set()
    for name, function in sorted(inside):
        way = _to_wait(order, function) if name not in seen else None
        if name and way is not None:
            seen.add(name)
            yield name, way


def _owner(function: FunctionId) -> str:
    return function[1].rpartition(".")[0].rpartition(".")[2]


def _to_wait(order: Order, function: FunctionId) -> tuple[tuple[Link, ...], WaitSite] | None:
    """The way to the first wait that takes an answer."""
    if function not in order.reach or not order.reach[function].waits:
        return None
    for number, call in enumerate(order.outlines[function].flow.calls):
        if call is not None and order.waits_at(function, number):
            chain, wait = wait_chain(order, function, number)
            if wait is not None and wait.kind != "raise":
                return chain, wait
    return None
