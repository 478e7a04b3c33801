"""Where an effect that may have fired and a wait come together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .dispatch import named
from .exclusion import exclude
from .flow import Flow
from .order import Order, bits
from .rounds import last_round
from .values import FunctionId

_ENOUGH = 4
"""Meetings of one effect outside its own function that are looked at."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """An effect that may have fired when a wait is reached: where in ``function`` both come together."""

    effect: int
    function: FunctionId
    node: int
    looped: bool
    source: FunctionId | None = None
    """The function the effect comes from, where it is not the one that waits (a router's node)."""


def meetings(order: Order) -> list[Meeting]:
    """Effects that may have fired when a wait is reached, by place.

    An effect that meets a wait in its own function needs no other meeting, nor one that has
    several: functions that all call each other would else meet each other's effects.
    """
    found: list[Meeting] = []
    waiting = [function for function in sorted(order.outlines) if order.reach[function].waits]
    settled = 0
    times: dict[int, int] = {}
    for own in (True, False):
        for function in waiting:
            mine = 0
            for number in range(len(order.outlines[function].effects)):
                mine |= order.own_effects(function, number)
            for meeting in _in_function(order, function, mine if own else ~settled & ~mine):
                found.append(meeting)
                times[meeting.effect] = times.get(meeting.effect, 0) + 1
                if not meeting.looped and (own or times[meeting.effect] >= _ENOUGH):
                    settled |= 1 << meeting.effect
    found.extend(_at_routers(order))
    return found


def _in_function(order: Order, function: FunctionId, wanted: int) -> Iterator[Meeting]:
    """The meetings in one function of the wanted effects; none after a straight one with a wait of its own."""
    if not wanted:
        return
    full, straight = order.sweep(function, True), order.sweep(function, False)
    waits = [n for n, mask in enumerate(full) if mask and mask & wanted and order.waits_at(function, n)]
    relevant = 0
    for number in waits:
        relevant |= (full[number] or 0) & wanted
    carriers = _carriers(order, function, relevant)
    loops = any(order.outlines[function].flow.back)
    for number in waits:
        direct = order.wait_of(function, number) is not None
        for effect in bits((full[number] or 0) & relevant):
            looped = not (straight[number] or 0) >> effect & 1
            if not looped and _excluded(order, function, carriers[effect], number, False):
                looped = True
                if not loops:
                    continue
            if looped and _excluded(order, function, carriers[effect], number, True):
                continue
            yield Meeting(effect, function, number, looped)
            if direct and not looped:
                relevant &= ~(1 << effect)


def _carriers(order: Order, function: FunctionId, relevant: int) -> dict[int, list[int]]:
    """The nodes of a function that may fire each of the effects."""
    found: dict[int, list[int]] = {effect: [] for effect in bits(relevant)}
    for node, call in enumerate(order.outlines[function].flow.calls):
        if call is not None:
            for effect in bits(order.fired_at(function, node)[0] & relevant):
                found[effect].append(node)
    return found


def _excluded(order: Order, function: FunctionId, carriers: list[int], number: int, looped: bool) -> bool:
    """Whether every place the effect may come from in the function runs only when the wait does not."""
    flow = order.outlines[function].flow
    facts = order.resolver.project.facts((function[0], function[1]))
    return bool(carriers) and all(
        exclude(flow.guards[n], flow.guards[number], facts, None if looped else _between(flow, n, number))
        or _other_tool(order, function, n, number)
        or (looped and _ends_loops(order, function, n, number))
        for n in carriers
    )


def _other_tool(order: Order, function: FunctionId, node: int, number: int) -> bool:
    """Whether, in what wraps the running of one tool, the effect belongs to a tool that does not wait."""
    if function[:2] not in order.registry.wrapped:
        return False
    outlined = order.outlines[function]
    flow, waits = outlined.flow, outlined.dispatches[number]
    if waits is None:
        return False
    if outlined.dispatches[node] is not None:
        return True  # the same tool, whose own effects and waits meet in itself
    kept = named(order.resolver, waits.functions, function, flow.guards[node])
    return not any(order.reach[target].waits for target in kept if target in order.reach)


def _ends_loops(order: Order, function: FunctionId, node: int, number: int) -> bool:
    """Whether the loops around effect and wait end in the round in which the effect fires."""
    flow = order.outlines[function].flow
    effect, wait = flow.calls[node], flow.calls[number]
    if effect is None or wait is None or not any(flow.back):
        return False
    return last_round(order.resolver.project.body(function[:2]), effect, wait)


def _between(flow: Flow, node: int, number: int) -> tuple[int, int] | None:
    first, last = flow.calls[node], flow.calls[number]
    return None if first is None or last is None or first.line >= last.line else (first.line, last.line)


def _at_routers(order: Order) -> Iterator[Meeting]:
    """A router that waits parks at its source node, which then runs again as a whole (measured)."""
    for site in sorted(order.registry.graphs, key=repr):
        graph = order.registry.graphs[site]
        for source, router in sorted(graph.routers):
            if router not in order.reach or not order.reach[router].waits:
                continue
            first = next(n for n in range(len(order.outlines[router].waits)) if order.waits_at(router, n))
            for name, node in sorted(graph.nodes):
                if name == source and node in order.reach:
                    for effect in bits(order.reach[node].exit):
                        yield Meeting(effect, router, first, False, node)
