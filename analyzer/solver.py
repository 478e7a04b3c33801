"""Least fixpoints of set equations, on demand.

Equations are monotone, so the result does not depend on the order in which keys are asked for;
cycles end because sets only grow and everything they can hold is finite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Key = tuple[Any, ...]
Value = tuple[Any, ...]
Values = frozenset[Value]
EMPTY: Values = frozenset()

MANY: Value = ("many",)
"""Stands for more values than anybody could act on."""

_ANYTHING: Values = frozenset({MANY})
_WIDE = 80
"""A key of more values than this holds MANY alone: data that flows everywhere says nothing."""

_NARROW = {"called", "callers", "contexts", "bases", "subs", "decorated", "handed"}
"""Keys that are never widened: their size is that of the program."""


class Solver:
    """Holds a set of values for each key and the keys that depend on it."""

    def __init__(self, equation: Callable[[Key], Iterable[Value]]) -> None:
        self._equation = equation
        self._values: dict[Key, Values] = {}
        self._dependents: dict[Key, set[Key]] = {}
        self._work: list[Key] = []
        self._queued: set[Key] = set()
        self._current: Key | None = None

    def is_unused(self) -> bool:
        """Whether nothing was asked yet, so that nothing can depend on anything."""
        return not self._values

    def read(self, key: Key) -> Values:
        """The values so far; the equation being computed is computed again when they grow."""
        if self._current is not None and self._values.get(key) is not _ANYTHING:
            self._dependents.setdefault(key, set()).add(self._current)
        found = self._values.get(key)
        if found is None:
            self._values[key] = found = EMPTY
            self._push(key)
        return found

    def add(self, key: Key, value: Value) -> None:
        """Put a value into a key from outside its equation."""
        found = self._values.get(key, EMPTY)
        if value not in found:
            self._values[key] = found | {value}
            self.touch(key)

    def touch(self, key: Key) -> None:
        """Compute again what depends on the key."""
        for dependent in self._dependents.get(key, ()):
            self._push(dependent)

    def solve(self, compute: Callable[[], Values]) -> Values:
        """What ``compute`` gives once every key it reads has its final values."""
        while True:
            result = compute()
            if not self._work:
                return result
            self._run()

    def _push(self, key: Key) -> None:
        if key not in self._queued and self._values.get(key) != _ANYTHING:
            self._queued.add(key)
            self._work.append(key)

    def _run(self) -> None:
        while self._work:
            key = self._work.pop()
            self._queued.discard(key)
            outer, self._current = self._current, key
            new = frozenset(self._equation(key))
            self._current = outer
            old = self._values[key]
            if old != _ANYTHING and not new <= old:
                joined = old | new
                wide = MANY in joined or len(joined) > _WIDE
                self._values[key] = _ANYTHING if wide and key[0] not in _NARROW else joined
                self.touch(key)
