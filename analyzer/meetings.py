"""Where an effect that may have fired and a wait come together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .aftermath import MOST_STEPS, Place, TooLong, place, reached
from .changes import Changes, Writes
from .dispatch import named
from .literals import names_in
from .order import Order, bits
from .values import FunctionId

ENOUGH = 4
"""Meetings of one effect outside its own function that are looked at."""
_MOST_STEPS = 10 * MOST_STEPS
"""Steps spent on one function, after which nothing more is excluded."""


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
    writes = Writes(order)
    for own in (True, False):
        for function in waiting:
            mine = 0
            for number in range(len(order.outlines[function].effects)):
                mine |= order.own_effects(function, number)
            for meeting in _in_function(order, function, mine if own else ~settled & ~mine, writes):
                found.append(meeting)
                times[meeting.effect] = times.get(meeting.effect, 0) + 1
                if not meeting.looped and (own or times[meeting.effect] >= ENOUGH):
                    settled |= 1 << meeting.effect
    found.extend(_at_routers(order))
    return found


def _in_function(order: Order, function: FunctionId, wanted: int, writes: Writes) -> Iterator[Meeting]:
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
    sequels = _Sequels(order, function, writes)
    for number in waits:
        direct = order.wait_of(function, number) is not None
        for effect in bits((full[number] or 0) & relevant):
            looped = not (straight[number] or 0) >> effect & 1
            if not looped and sequels.exclude(carriers[effect], number, False):
                looped = True
                if not loops:
                    continue
            if looped and sequels.exclude(carriers[effect], number, True):
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


class _Sequels:
    """What may run after the nodes of one function; asked of a node once."""

    def __init__(self, order: Order, function: FunctionId, writes: Writes) -> None:
        self.order = order
        self.function = function
        self.writes = writes
        self.left = _MOST_STEPS
        self._found: dict[tuple[int, bool], set[Place] | None] = {}

    def exclude(self, carriers: list[int], number: int, looped: bool) -> bool:
        """Whether the wait does not run after any of the nodes that an effect may come from."""
        return bool(carriers) and all(
            _other_tool(self.order, self.function, node, number) or self._ends_before(node, number, looped)
            for node in carriers
        )

    def _ends_before(self, node: int, number: int, looped: bool) -> bool:
        flow = self.order.outlines[self.function].flow
        wait = flow.calls[number] or flow.raises[number]
        found = self._after(node, looped) if wait is not None else None
        return wait is not None and found is not None and place(wait) not in found

    @cached_property
    def changes(self) -> Changes:
        """What calls change here."""
        return Changes(self.writes, self.function)

    @cached_property
    def _worth(self) -> tuple[bool, bool]:
        """Whether conditions may rule each other out at all: in one round, and in several."""
        flow = self.order.outlines[self.function].flow
        tests = {id(guard): guard[0] for guards in flow.guards for guard in guards}
        asked = Counter(name for test in tests.values() for name in set(names_in(test)))
        facts = self.order.resolver.project.facts(self.function[:2])
        bound = {name.partition(".")[0] for name in (*facts.lets, *facts.fills)}
        return any(count > 1 or name in bound for name, count in asked.items()), bool(asked)

    def _after(self, node: int, looped: bool) -> set[Place] | None:
        key = (node, looped)
        if key not in self._found:
            self._found[key] = self._walk(node, looped)
        return self._found[key]

    def _walk(self, node: int, looped: bool) -> set[Place] | None:
        outlined = self.order.outlines[self.function]
        call, effect = outlined.flow.calls[node], outlined.effects[node]
        if call is None or self.left <= 0 or not self._worth[looped]:
            return None
        gives = effect is not None and effect.certainty == "certain" and effect.kind == "http"
        body = self.order.resolver.project.body(self.function[:2])
        try:
            found, steps = reached(body, call, looped, self.changes.names, self.changes.touch, gives)
        except TooLong:
            self.left -= MOST_STEPS
            return None
        self.left -= steps
        return found


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
