"""The shortest chains of calls that lead to an effect or a wait."""

from __future__ import annotations

from .order import Order
from .outline import WaitSite
from .paths import Link
from .values import FunctionId


def effect_chain(order: Order, effect: int, function: FunctionId) -> tuple[Link, ...]:
    """From a function to an effect by its number, the effect's own call last; empty if there is none."""
    holders = order.holders[effect]
    paths = order.paths(function, recorded=False)
    for reached in paths:
        if reached in holders:
            return (*paths.to(reached), *_own_call(order, reached, holders[reached]))
    return ()


def wait_chain(order: Order, function: FunctionId, node: int) -> tuple[tuple[Link, ...], WaitSite | None]:
    """From a node of a function to a wait: the calls, and the wait where the last of them parks."""
    own = order.wait_of(function, node)
    first = _own_call(order, function, node)
    if own is not None:
        return first, own
    best: tuple[tuple[Link, ...], WaitSite] | None = None
    for target in order.callees(function, node, recorded=True):
        if target in order.reach and order.reach[target].waits:
            found = _to_wait(order, target)
            if found is not None and (best is None or len(found[0]) < len(best[0])):
                best = found
    return (first, None) if best is None else ((*first, *best[0]), best[1])


def _to_wait(order: Order, start: FunctionId) -> tuple[tuple[Link, ...], WaitSite] | None:
    paths = order.paths(start, recorded=True)
    for function in paths:
        number = order.first_waits.get(function)
        wait = order.wait_of(function, number) if number is not None else None
        if number is not None and wait is not None:
            return (*paths.to(function), *_own_call(order, function, number)), wait
    return None


def _own_call(order: Order, function: FunctionId, node: int) -> tuple[Link, ...]:
    call = order.outlines[function].flow.calls[node]
    return () if call is None else ((function, call),)
