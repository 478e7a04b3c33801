"""Waits of one graph that may be pending at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .order import Order, bits
from .outline import WaitSite
from .registry import Graph, GraphSite
from .topology import Topology
from .values import FunctionId

How = Literal["spread", "parallel", "tools"]
"""spread: one node for several items. parallel: nodes of two branches. tools: several calls of one message."""


@dataclass(frozen=True, slots=True)
class Pending:
    """Waits that may be pending at once, and the nodes or tools they are in."""

    graph: GraphSite
    how: How
    names: tuple[str, ...]
    waits: tuple[WaitSite, ...]


def pending(order: Order, topologies: Mapping[GraphSite, Topology], site: GraphSite) -> Iterator[Pending]:
    """The ways in which two waits of a graph may be pending at once."""
    graph, topology = order.registry.graphs.get(site), topologies.get(site, Topology())
    if graph is None:
        return
    waiting: dict[str, set[WaitSite]] = {}
    for name, function in graph.nodes:
        if function in order.reach and order.reach[function].waits:
            waiting.setdefault(name, set()).update(order.waits[n] for n in bits(order.reach[function].waits))
    if graph.agent and graph.agent != "entrypoint":
        yield from _tools(order, site, graph)
        return
    for name in sorted(waiting):
        if name in topology.spread:
            yield Pending(site, "spread", (name,), _sorted(waiting[name]))
    together: set[str] = set()
    for source in sorted(topology.always):
        branches = sorted(topology.always[source])
        for number, left in enumerate(branches):
            for right in branches[number + 1 :]:
                before, after = topology.reached([left]), topology.reached([right])
                one, other = waiting.keys() & (before - after), waiting.keys() & (after - before)
                if one and other:
                    together |= one | other
    if together:
        waits = {wait for name in together for wait in waiting[name]}
        yield Pending(site, "parallel", tuple(sorted(together)), _sorted(waits))


def _tools(order: Order, site: GraphSite, graph: Graph) -> Iterator[Pending]:
    """Tools that wait, each of whose calls is a task of its own: the model may ask for several at once."""
    group = order.registry.groups.get(site) if len(site) == 3 else None
    if group is None or group.shared:
        return
    waiting = sorted(f for f in group.functions if f in order.reach and order.reach[f].waits)
    if waiting:
        found = {order.waits[n] for f in waiting for n in bits(order.reach[f].waits)}
        yield Pending(site, "tools", tuple(_plain(f) for f in waiting), _sorted(found))


def _plain(function: FunctionId) -> str:
    return function[1].rpartition(".")[2]


def _sorted(waits: set[WaitSite]) -> tuple[WaitSite, ...]:
    return tuple(sorted(waits, key=lambda wait: (wait.path, wait.line, wait.column)))
