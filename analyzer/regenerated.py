"""Values that were made before a wait, are made again when it is answered, and used behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .order import Order
from .recursion import RECURSION, deep_recursion
from .registry import Unit
from .summary import Call
from .taint_calls import Tainting
from .taints import TIMES, Origin, Sink, Walked
from .unstable_sources import Sources
from .values import FunctionId

_WORST = ("effect", "branch", "result")
_KINDS = ("model", "random", "clock", "environment")
"""What a reader is told of first, where several meet at one place."""


@dataclass(frozen=True, slots=True)
class Regenerated:
    """A value that is used behind a wait as another than it was before. ``shown``: the wait that showed it."""

    function: FunctionId
    origin: Origin
    sink: Sink
    shown: tuple[FunctionId, Call] | None


def regenerated(order: Order, units: Sequence[Unit]) -> list[Regenerated]:
    """The worst use of each origin in each function that waits, by place."""
    inside = order.closure(unit.function for unit in units)
    roots = {unit.function for unit in units}
    tainting = Tainting(order, Sources(order, frozenset(inside)))
    found: dict[Origin, Regenerated] = {}
    with deep_recursion(RECURSION):
        waiting = [function for function in sorted(inside) if order.reach[function].waits]
        tainting.prepare(waiting)
    walked = [(function, tainting.walked(function)) for function in waiting]
    shown = {
        taint.origin: what.places[taint]
        for _, what in reversed(walked)
        for taint in sorted(what.shown, key=repr)
        if taint.origin is not None
    }
    for function, what in walked:
        for sink in _uses(what, function in roots):
            origin = sink.taint.origin
            if origin is None or not _counts(sink, origin, origin in shown):
                continue
            new = Regenerated(function, origin, sink, shown.get(origin))
            if origin not in found or _rank(new) < _rank(found[origin]):
                found[origin] = new
    return sorted(found.values(), key=lambda item: (_KINDS.index(item.origin.kind), item.origin))


def _uses(walked: Walked, is_root: bool) -> Iterator[Sink]:
    for sink in walked.sinks:
        if sink.taint.crossed and (sink.use != "result" or is_root):
            yield sink


def _rank(item: Regenerated) -> tuple[object, ...]:
    return (_WORST.index(item.sink.use), len(item.sink.way), item.sink.function, item.sink.line)


def _counts(sink: Sink, origin: Origin, shown: bool) -> bool:
    """Whether anybody can tell the value from the one that was there before the wait."""
    if origin.kind == "environment":
        return True
    if origin.kind == "clock":
        return sink.use == "branch" or (shown and not (sink.use == "result" and TIMES.search(sink.key.lower())))
    return shown or sink.use != "result"
