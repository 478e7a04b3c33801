"""Recorded steps that run again all the same, in some versions of their framework."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .order import Order
from .registry import Unit
from .values import FunctionId
from .versions import older


def unrecorded(order: Order, units: Iterable[Unit], version: Callable[[str], str]) -> frozenset[FunctionId]:
    """The functions that nodes of subgraphs run, where the version of their file keeps no steps there.

    ``version`` gives the framework's version for a path.
    """
    kept = str(order.resolver.knowledge.table("subgraph", "steps_kept_from"))
    graphs = order.registry.graphs
    inner = {site for graph in graphs.values() for site in graph.subgraphs}
    nodes = {function for site in inner if site in graphs for _, function in graphs[site].nodes}
    roots = {unit.function for unit in units if unit.kind == "node" and unit.function in nodes}
    return frozenset(order.closure(function for function in roots if older(version(function[0]), kept)))
