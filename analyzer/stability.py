"""Waits and recorded steps whose order may differ when their unit runs again: a walk that follows unstable values.

Answers are matched to waits by the order of the waits, recorded results to steps by the order of the calls. What
a unit is given, answers, recorded results and graphs that the unit runs (measured) are the same on every attempt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .order import Order
from .stable_values import Control, Event, Path, Values, Walked, nearer
from .summary import Break, Continue, Do, If, Let, Loop, Match, Raise, Return, Stmt, Try, With
from .unstable_sources import Source, Sources
from .values import FunctionId

_DEEPEST = 12
"""Calls of project functions inside one another that are followed."""
_MOST_WAYS = 6
"""Combinations of unstable parameters with which one function is walked."""
_ROUNDS = 3
"""Times the body of a loop is walked."""
_NESTED = 4
"""Loops inside one another whose bodies are walked more than once."""


@dataclass
class Stability:
    """Walks functions, each once for every combination of unstable parameters."""

    order: Order
    sources: Sources
    _known: dict[tuple[FunctionId, frozenset[str]], Walked] = field(default_factory=dict)
    _ways: dict[FunctionId, int] = field(default_factory=dict)
    depth: int = 0

    def walk(self, function: FunctionId, params: Mapping[str, Source]) -> Walked:
        """The events of a function, in order, and its result; nothing where calls are too deep or in a cycle."""
        asked = (function, frozenset(params))
        if asked in self._known:
            return self._known[asked]
        if self._ways.get(function, 0) >= _MOST_WAYS or self.depth >= _DEEPEST:
            return Walked()
        self._ways[function] = self._ways.get(function, 0) + 1
        self._known[asked] = Walked()
        self.depth += 1
        walker = _Walker(self, function, params)
        walker.block(self.order.resolver.project.body((function[0], function[1])))
        self.depth -= 1
        self._known[asked] = Walked(_settled(walker.events), walker.result, frozenset(walker.changed))
        return self._known[asked]


def _settled(events: Sequence[Event]) -> list[Event]:
    """One event a wait or step, ``looped`` if it has several: one that may differ before one that may not."""
    found: dict[tuple[object, ...], Event] = {}
    for event in events:
        key = event.site
        known = found.get(key)
        if known is None:
            found[key] = event
        else:
            again = known.chain[0][1] is not event.chain[0][1]
            better = (event.control is None, len(event.chain)) < (known.control is None, len(known.chain))
            kept = event if better else known
            found[key] = replace(kept, looped=kept.looped or again)
    return list(found.values())


class _Walker(Values):
    """The statements of one function."""

    # statements; each gives the control under which it may leave the function

    def block(self, body: Sequence[Stmt]) -> Control | None:
        outer, left = self.control, None
        for item in body:
            gone = self.statement(item)
            left = left or gone
            self.control = nearer(self.control, gone)
        self.control = outer
        return left

    def statement(self, item: Stmt) -> Control | None:
        if isinstance(item, Let):
            self.line = item.line
            self.bind_all(item.targets, item.value, self.value(item.value))
        elif isinstance(item, Do):
            self.value(item.value)
        elif isinstance(item, Return):
            self.line = item.line
            found = self.value(item.value)
            self.result = self.result or found or (self.control.source if self.control else None)
            return self.control
        elif isinstance(item, Break | Continue):
            if self.exits:
                self.exits[-1] = self.exits[-1] or self.control
            return self.control
        elif isinstance(item, If):
            self.line = item.line
            return self.branches(self.value(item.test), item.line, [item.body, item.orelse])
        elif isinstance(item, Match):
            self.line = item.line
            source = self.value(item.subject)
            for case in item.cases:
                source = source or self.value(case.guard)
            return self.branches(source, item.line, [*(case.body for case in item.cases), []])
        elif isinstance(item, Loop):
            return self.loop(item)
        elif isinstance(item, With):
            for manager, target in item.items:
                source = self.value(manager)
                if target is not None:
                    self.bind(target, source)
            return self.block(item.body)
        elif isinstance(item, Try):
            left = self.block([*item.body, *item.orelse])
            for handler in item.handlers:
                before = dict(self.names)
                left = self.block(handler.body) or left
                self.join(before)
            return self.block(item.final) or left
        elif isinstance(item, Raise):
            self.value(item.value)
        return None

    def branches(self, source: Source | None, line: int, bodies: Sequence[Sequence[Stmt]]) -> Control | None:
        outer, around, before = self.control, self.branch, self.names
        unstable = Control(source, self.function, line, False) if source else None
        self.control, self.branch = nearer(outer, unstable), nearer(around, unstable)
        left: Control | None = None
        after: list[dict[Path, Source | None]] = []
        for body in bodies:
            self.names = dict(before)
            left = self.block(body) or left
            if not _ends(body):
                after.append(self.names)
        self.control, self.branch = outer, around
        self.names = after[0] if after else dict(before)
        for other in after[1:]:
            self.join(other)
        return left

    def join(self, other: Mapping[Path, Source | None]) -> None:
        """What holds on either of two ways."""
        for path, source in other.items():
            self.names[path] = self.names.get(path) or source

    def loop(self, item: Loop) -> Control | None:
        outer, around = self.control, self.branch
        left: Control | None = None
        again: Control | None = None
        if item.is_for:
            self.line = item.line
            source = self.value(item.source) or self.unordered_source(item.source)
        self.loops += 1
        for _ in range(_ROUNDS if self.loops < _NESTED else 1):
            before = dict(self.names)
            if item.is_for:
                self.bind(item.target, source)
            else:
                self.line = item.line
                source = self.value(item.source)
            unstable = Control(source, self.function, item.line, True) if source else None
            self.control, self.branch = nearer(outer, unstable or again), nearer(around, unstable or again)
            self.exits.append(None)
            left = self.block(item.body) or left
            ended = self.exits.pop()
            again = again or left or (replace(ended, loop=True) if ended else None)
            self.join(before)
            if self.names == before:
                break
        self.loops -= 1
        self.control, self.branch = outer, around
        inside = left
        if item.orelse:
            left = self.block(item.orelse) or left
        return None if left is not None and left is inside and not _returns(item.body) else left


def _ends(body: Sequence[Stmt]) -> bool:
    """Whether control never comes out at the end of a block."""
    last = body[-1] if body else None
    if isinstance(last, Return | Raise | Break | Continue):
        return True
    return isinstance(last, If) and _ends(last.body) and _ends(last.orelse)


def _returns(body: Sequence[Stmt]) -> bool:
    return any(isinstance(item, Return) for item in _all(body))


def _all(body: Sequence[Stmt]) -> Iterator[Stmt]:
    for item in body:
        yield item
        blocks = [getattr(item, "body", ()), getattr(item, "orelse", ()), getattr(item, "final", ())]
        blocks += [handler.body for handler in getattr(item, "handlers", ())]
        blocks += [case.body for case in getattr(item, "cases", ())]
        for block in blocks:
            yield from _all(block)
