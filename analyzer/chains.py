"""The shortest chains of calls that lead to an effect or a wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .order import Order
from .outline import WaitSite
from .summary import Call
from .values import FunctionId

Link = tuple[FunctionId, Call]
"""A call and the function it stands in."""


def effect_chain(order: Order, effect: int, function: FunctionId) -> tuple[Link, ...]:
    """From a function to an effect by its number, the effect's own call last; empty if there is none."""
    return _chain(order, function, lambda f, n: bool(order.own_effects(f, n) >> effect & 1), recorded=False)


def wait_chain(order: Order, function: FunctionId, node: int) -> tuple[tuple[Link, ...], WaitSite | None]:
    """From a node of a function to a wait: the calls, and the wait where the last of them parks."""
    own = order.wait_of(function, node)
    call = order.outlines[function].flow.calls[node]
    first: tuple[Link, ...] = () if call is None else ((function, call),)
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
    for function, path in _levels(order, start, recorded=True):
        flow = order.outlines[function].flow
        for number in range(len(flow.calls)):
            wait = order.wait_of(function, number)
            if wait is not None:
                call = flow.calls[number]
                return (path if call is None else (*path, (function, call))), wait
    return None


def _chain(
    order: Order, start: FunctionId, is_goal: Callable[[FunctionId, int], bool], *, recorded: bool
) -> tuple[Link, ...]:
    for function, path in _levels(order, start, recorded):
        flow = order.outlines[function].flow
        for number, call in enumerate(flow.calls):
            if call is not None and is_goal(function, number):
                return (*path, (function, call))
    return ()


def _levels(order: Order, start: FunctionId, recorded: bool) -> Iterator[tuple[FunctionId, tuple[Link, ...]]]:
    """Every function that calls lead to, nearest first, each with the calls on the way."""
    level: list[tuple[FunctionId, tuple[Link, ...]]] = [(start, ())]
    seen = {start}
    while level:
        yield from level
        following: list[tuple[FunctionId, tuple[Link, ...]]] = []
        for function, path in level:
            for number, call in enumerate(order.outlines[function].flow.calls):
                if call is None:
                    continue
                for target in order.callees(function, number, recorded):
                    if target not in seen and target in order.outlines:
                        seen.add(target)
                        following.append((target, (*path, (function, call))))
        level = following
