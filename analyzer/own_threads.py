"""Runs of a graph, inside another, on a thread of their own: what parks there does not park the run around them."""

from __future__ import annotations

from .calling import argument
from .literals import entries
from .summary import Call, Star, Table
from .values import FunctionId, Resolver


def has_own_thread(resolver: Resolver, call: Call, function: FunctionId) -> bool:
    """Whether a run is given an address that names a thread and takes nothing over from the run around it.

    Such a run is none of the other's parts: it comes back with its wait in the result (measured on langgraph 1.0.5,
    1.2.9 and 1.2.24, sync and async).
    """
    group, thread = (resolver.knowledge.table("addresses", key) for key in ("group", "thread"))
    config = argument(call, 1, "config")
    for key, value, where in entries(resolver, config, function) if config is not None else ():
        if key == group:
            spread = isinstance(value, Table) and any(isinstance(item, Star) for item in value.values)
            return not spread and any(inner == thread for inner, _, _ in entries(resolver, value, where))
    return False
