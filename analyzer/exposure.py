"""What an answer sets off: how often the graphs it may reach wait, and whether they act."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .modules import is_test
from .order import Order, bits
from .outline import WaitSite
from .registry import GraphSite
from .topology import Topology
from .values import FunctionId


@dataclass(frozen=True, slots=True)
class Exposure:
    """The waits of the graphs, and an effect that one of their nodes may fire. ``again``: they may wait twice."""

    waits: tuple[WaitSite, ...]
    again: bool
    effect: int | None
    known: bool


def exposure(order: Order, topologies: Mapping[GraphSite, Topology], graphs: Iterable[GraphSite]) -> Exposure:
    """The exposure of the graphs; of all graphs and waiting functions of the project where none that waits is known."""
    sites = sorted((site for site in graphs if site and not is_test(site[0])), key=repr)
    functions = {f for site in sites for f in order.graph_functions(site)}
    known = any(order.waits_itself(site) for site in sites)
    known = known or any(f in order.reach and order.reach[f].waits for f in functions)
    if not known:
        functions = {f for f, reach in order.reach.items() if reach.waits and not is_test(f[0])}
        functions |= {unit.function for unit in order.registry.units if not is_test(unit.function[0])}
        sites = sorted((site for site in order.registry.graphs if site and not is_test(site[0])), key=repr)
    reached = [order.reach[f] for f in sorted(functions) if f in order.reach]
    mask = effects = 0
    for reach in reached:
        mask |= reach.waits
        effects |= reach.exit | reach.failure
    waits = tuple(order.waits[number] for number in bits(mask))
    again = len(waits) > 1 or any(order.waits_itself(site) or _agent(order, site) for site in sites)
    again = again or any(_repeats(order, topologies, site) for site in sites)
    again = again or any(_loops(order, f) for f in functions if f in order.outlines)
    first = next(bits(effects), None)
    return Exposure(waits, again, first, known)


def _agent(order: Order, site: GraphSite) -> bool:
    """An agent calls its tools as often as the model asks."""
    graph = order.registry.graphs.get(site)
    waits = any(f in order.reach and order.reach[f].waits for f in order.graph_functions(site))
    return graph is not None and graph.agent not in ("", "entrypoint") and waits


def _repeats(order: Order, topologies: Mapping[GraphSite, Topology], site: GraphSite) -> bool:
    """Whether several nodes of a graph wait, or one that waits may run again."""
    graph, topology = order.registry.graphs.get(site), topologies.get(site)
    if graph is None or topology is None:
        return False
    waiting = {name for name, f in graph.nodes if f in order.reach and order.reach[f].waits}
    return len(waiting) > 1 or any(topology.repeats(name) or name in topology.spread for name in waiting)


def _loops(order: Order, function: FunctionId) -> bool:
    """Whether a function may wait in more than one round of a loop."""
    flow = order.outlines[function].flow
    for number in range(len(flow.calls)):
        if order.waits_at(function, number):
            todo, seen = [*flow.after[number], *flow.back[number]], set[int]()
            while todo:
                node = todo.pop()
                if node == number:
                    return True
                if node not in seen:
                    seen.add(node)
                    todo.extend((*flow.after[node], *flow.back[node]))
    return False
