"""Shortest paths of calls from one function, found only as far as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .summary import Call
from .values import FunctionId

Link = tuple[FunctionId, Call]
"""A call and the function it stands in."""


@dataclass(slots=True)
class Paths:
    """A breadth-first search that goes on where the last question ended.

    ``edges`` gives the functions that a function calls, and the calls, in order of place.
    """

    start: FunctionId
    edges: Callable[[FunctionId], Sequence[tuple[FunctionId, Call]]]
    _reached: list[FunctionId] = field(default_factory=list)
    _before: dict[FunctionId, Link | None] = field(default_factory=dict)
    _expanded: int = 0

    def __post_init__(self) -> None:
        self._reached.append(self.start)
        self._before[self.start] = None

    def __iter__(self) -> Iterator[FunctionId]:
        """All functions that calls lead to, nearest first."""
        number = 0
        while number < len(self._reached) or self._expand():
            if number < len(self._reached):
                yield self._reached[number]
                number += 1

    def _expand(self) -> bool:
        if self._expanded == len(self._reached):
            return False
        function = self._reached[self._expanded]
        self._expanded += 1
        for target, call in self.edges(function):
            if target not in self._before:
                self._before[target] = (function, call)
                self._reached.append(target)
        return True

    def to(self, function: FunctionId) -> tuple[Link, ...]:
        """The calls on the way to a function that was reached."""
        links: list[Link] = []
        link = self._before[function]
        while link is not None:
            links.append(link)
            link = self._before[link[0]]
        return tuple(reversed(links))
