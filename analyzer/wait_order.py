"""Waits, and recorded steps, that a replay may reach in another order or number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .modules import is_test
from .order import Order
from .registry import Unit
from .stability import Stability
from .stable_values import Control, Event
from .unstable_sources import Sources
from .values import FunctionId


@dataclass(frozen=True, slots=True)
class Unstable:
    """A wait or step of a unit, and what decides whether it is reached."""

    unit: Unit
    event: Event
    control: Control


def unstable(order: Order, units: Sequence[Unit]) -> Iterator[Unstable]:
    """The waits and steps that are reached under values which may differ when their unit runs again, one a site."""
    code = {unit: order.closure([unit.function]) for unit in units}
    walked = Stability(order, Sources(order, frozenset().union(*code.values())))
    found: dict[tuple[object, ...], Unstable] = {}
    for unit in units:
        waits = unit.function in order.reach and order.reach[unit.function].waits
        if is_test(unit.function[0]) or (not waits and not (unit.kind == "entrypoint" and _records(order, code[unit]))):
            continue
        events = walked.walk(unit.function, {}).events
        steps = [event for event in events if event.kind == "step"]
        for event in events:
            control = event.control
            if control is None or (control.source.key is not None and control.source.key not in event.changed):
                continue
            shifts = event.kind == "wait" or event.looped or event is not steps[-1]
            if shifts:
                at = Unstable(unit, event, control)
                key = event.site
                if key not in found or _rank(at) < _rank(found[key]):
                    found[key] = at
    yield from (found[key] for key in sorted(found, key=repr))


def _records(order: Order, functions: set[FunctionId]) -> bool:
    return any(any(order.outlines[function].recorded) for function in functions)


def _rank(found: Unstable) -> tuple[object, ...]:
    return (not found.control.source.certain, len(found.event.chain), found.unit)
