"""Branches of replayed bodies that may come out differently when the body is recovered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .order import Order
from .recursion import RECURSION, deep_recursion
from .registry import Unit
from .taint_calls import Tainting
from .taints import Origin, Sink
from .unstable_sources import Sources
from .values import FunctionId


@dataclass(frozen=True, slots=True)
class RecoveredBranch:
    """A test in ``sink`` that rests on ``origin``, in code that ``unit`` runs again from its top."""

    unit: Unit
    function: FunctionId
    origin: Origin
    sink: Sink


def recovered_branches(order: Order, units: Sequence[Unit]) -> list[RecoveredBranch]:
    """The branches in bodies of workflows, and in routers that wait, by place."""
    replayed = [unit for unit in units if _is_replayed(order, unit)]
    inside = order.closure(unit.function for unit in units)
    tainting = Tainting(order, Sources(order, frozenset(inside)), deciding=True)
    found: dict[tuple[FunctionId, int], RecoveredBranch] = {}
    with deep_recursion(RECURSION):
        tainting.prepare(unit.function for unit in replayed)
    for unit in replayed:
        for function in sorted(order.closure([unit.function])):
            for sink in tainting.walked(function).sinks:
                origin = sink.taint.origin
                if sink.use != "branch" or origin is None or origin.kind == "model":
                    continue
                new = RecoveredBranch(unit, function, origin, sink)
                key = (sink.function, sink.line)
                if key not in found or len(sink.way) < len(found[key].sink.way):
                    found[key] = new
    return [found[key] for key in sorted(found)]


def _is_replayed(order: Order, unit: Unit) -> bool:
    """Whether recovery runs the unit's code again: a workflow's body, or a router that waits itself."""
    if unit.function not in order.outlines:
        return False
    return unit.kind == "entrypoint" or (unit.kind == "router" and bool(order.reach[unit.function].waits))
