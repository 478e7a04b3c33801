"""Names followed backwards from a place in a body: to bindings, callers, results and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .bindings import known_callers, skips_self
from .calling import bind_arguments
from .paths import Link
from .project import FunctionKey
from .reaching import CAME_IN, Env
from .registry import Registry
from .summary import Call, Const, Expr
from .values import FunctionId

LinkKey = tuple[FunctionKey, int, int]

_MOST = 600
"""Steps of one search."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place in a body, how far the search may go on from there, and the calls it came by.

    ``env`` is what reaches the place; None for all that the body binds.
    """

    function: FunctionId
    env: Env | None
    depth: int
    way: frozenset[LinkKey]

    def deeper(self) -> Point:
        """The same place, one step further."""
        return replace(self, depth=self.depth - 1)


class Backward:
    """One search, which ends after a number of steps."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.project = registry.resolver.project
        self.left = _MOST
        self.seen: dict[tuple[object, ...], int] = {}

    def point(self, function: FunctionId, call: Call | None, depth: int, way: frozenset[LinkKey]) -> Point:
        """The point of a call."""
        return Point((function[0], function[1], ""), self.project.reaching(function[:2]).at(call), depth, way)

    def over(self, at: Point) -> bool:
        self.left -= 1
        return at.depth <= 0 or self.left < 0

    def known(self, name: str, at: Point) -> bool:
        """Whether a name was followed from here before, at least as far as it would be now."""
        key = (name, at.function, id(at.env), at.way)
        if self.seen.get(key, 0) >= at.depth:
            return True
        self.seen[key] = at.depth
        return False

    def left_out(self, name: str, at: Point) -> bool:
        """Whether a parameter has a default, and callers, none of which gives it."""
        at = self.home(name, at)
        head = self.project.function(at.function[:2])
        param = next((p for p in head.params if p.name == name), None) if head is not None else None
        return param is not None and isinstance(param.default, Const) and bool(self.callers(at))

    def written(self, base: str, name: str, at: Point) -> Iterator[tuple[Expr, Point]]:
        """What the methods of the class write to an attribute of its own."""
        head = self.project.function(at.function[:2])
        if base != "self" or not name or head is None or not head.owner:
            return
        for path, write in self.project.attribute_writes.get(name, ()):
            writer = self.project.function((path, write.function))
            same = path == at.function[0] and writer is not None and writer.owner == head.owner
            if same and write.base == "self" and not write.content:
                yield write.value, Point((path, write.function, ""), None, at.depth - 1, at.way)

    def returns(self, key: FunctionKey, at: Point, call: Call) -> Iterator[tuple[Expr, Point]]:
        """What a function gives to a call, where it does."""
        way = at.way | {link_key(at.function, call)}
        for value, env in self.project.reaching(key).returns:
            yield value, Point((key[0], key[1], ""), env, at.depth - 1, way)

    def home(self, name: str, at: Point) -> Point:
        """The point itself, or the nearest function around it that binds a name."""
        while True:
            key = at.function[:2]
            head = self.project.function(key)
            if head is None or not head.parent or name in self.project.facts(key).lets:
                return at
            outer = (key[0], head.parent)
            if any(param.name == name for param in head.params) or self.project.function(outer) is None:
                return at
            at = replace(at, function=(*outer, ""), env=None)

    def lets(self, name: str, at: Point) -> list[tuple[str, Expr, Point]]:
        """The bindings of a name that reach a point."""
        at = self.home(name, at).deeper()
        body = self.project.reaching(at.function[:2])
        if at.env is not None and name in body.names:
            numbers = sorted(at.env.get(name, frozenset()) - {CAME_IN})
            found = [body.bindings[number] for number in numbers]
            return [(mode, value, replace(at, env=before)) for mode, value, before in found]
        return [(mode, value, at) for mode, value in self.project.facts(at.function[:2]).lets.get(name, ())]

    def given(self, name: str, at: Point) -> Iterator[tuple[Expr, Point]]:
        """What callers give for a parameter."""
        at = self.home(name, at)
        head = self.project.function(at.function[:2])
        if head is None or not any(param.name == name for param in head.params):
            return
        if at.env is not None and CAME_IN not in at.env.get(name, (CAME_IN,)):
            return
        for caller, call in self.callers(at):
            for value in bind_arguments(head, call, name, skips_self(head)):
                yield value, self.point(caller, call, at.depth - 1, at.way)

    def callers(self, at: Point) -> list[Link]:
        """The callers of a function; on a known way, those of that way."""
        found = known_callers(self.registry.resolver, at.function)
        return [pair for pair in found if link_key(*pair) in at.way] or found


def link_key(caller: FunctionId, call: Call) -> LinkKey:
    return (caller[0], caller[1]), call.line, call.column
