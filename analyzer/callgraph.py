"""The call graph of the outlined functions, as a networkx graph."""

from __future__ import annotations

from collections.abc import Iterable

import networkx

from .order import Order
from .values import FunctionId


def build(order: Order) -> networkx.DiGraph[FunctionId]:
    """Functions and their calls.

    A node's ``unresolved`` counts calls of which nothing is known. An edge's ``recorded`` tells that
    the engine keeps the result: effects behind it belong to another unit.
    """
    graph: networkx.DiGraph[FunctionId] = networkx.DiGraph()
    for function in sorted(order.outlines):
        outlined = order.outlines[function]
        graph.add_node(function, unresolved=outlined.unresolved)
        for callees, recorded in zip(outlined.callees, outlined.recorded, strict=True):
            graph.add_edges_from(((function, target) for target in recorded), recorded=True)
            graph.add_edges_from(((function, target) for target in callees), recorded=False)
    return graph


def roots(graph: networkx.DiGraph[FunctionId], functions: Iterable[FunctionId]) -> list[FunctionId]:
    """Those of the functions that none of the others calls; of a call cycle, its first by name."""
    cycles = networkx.condensation(graph.subgraph(functions))
    return sorted(min(cycles.nodes[number]["members"]) for number, degree in cycles.in_degree() if degree == 0)
