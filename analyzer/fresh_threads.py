"""Threads that the run's own function made: nobody else can send to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .backward import Backward, Point, link_key
from .facts import last_name
from .paths import Link
from .registry import Registry
from .summary import Attr, Call, Const, Expr, Item, Op, Star, Table, Walrus
from .values import FunctionId

_DEPTH = 8


def fresh_thread(registry: Registry, config: Expr, function: FunctionId, call: Call, way: Iterable[Link]) -> bool:
    """Whether the thread of a configuration is always one whose id was made on the way to the call."""
    search = _Threads(registry)
    at = search.point(function, call, _DEPTH, frozenset(link_key(caller, each) for caller, each in way))
    found = set(search.of(config, at))
    return found == {True}


class _Threads(Backward):
    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        tables = registry.resolver.knowledge.tables
        self.group, self.key = tables["addresses"]["group"], tables["addresses"]["thread"]
        self.fresh = set(tables["entry_shapes"]["fresh"])

    def of(self, expr: Expr, at: Point, wanted: tuple[str, ...] = ()) -> Iterator[bool]:
        """For each thing an expression may be, whether the thread in it is fresh. ``wanted``: keys to open."""
        wanted = wanted or (self.group, self.key)
        if self.over(at):
            yield False
        elif isinstance(expr, Table):
            yield from self._opened(zip(expr.keys, expr.values, strict=True), at, wanted)
        elif isinstance(expr, Call) and any(name == wanted[0] for name, _ in expr.kwargs):
            yield from self._opened(((Const(name), value) for name, value in expr.kwargs), at, wanted)
        elif isinstance(expr, str) and "." not in expr:
            yield from self._named(expr, at, wanted)
        else:
            yield False

    def _opened(self, pairs: Iterable[tuple[Expr, Expr]], at: Point, wanted: tuple[str, ...]) -> Iterator[bool]:
        found = [value for key, value in pairs if isinstance(key, Const) and key.value == wanted[0]]
        for value in found:
            yield from self.of(value, at, wanted[1:]) if len(wanted) > 1 else self._id(value, at)
        if not found:
            yield False

    def _named(self, name: str, at: Point, wanted: tuple[str, ...]) -> Iterator[bool]:
        lets, given = self.lets(name, at), list(self.given(name, at))
        for mode, value, where in lets:
            yield from self.of(value, where, wanted) if mode == "is" else (False,)
        for value, where in given:
            yield from self.of(value, where, wanted)
        if not lets and not given:
            yield False

    def _id(self, value: Expr, at: Point) -> Iterator[bool]:
        if self.over(at):
            yield False
        elif isinstance(value, Call):
            made = last_name(value.func) in self.fresh
            parts = [*value.args, value.func.base if isinstance(value.func, Attr) else None]
            yield made or any(True in set(self._id(part, at.deeper())) for part in parts)
        elif isinstance(value, Op) and value.kind in ("f", "Add", "Mod"):
            yield any(True in set(self._id(item, at.deeper())) for item in value.items)
        elif isinstance(value, Op):
            for item in value.items[1:] if value.kind == "if" else value.items:
                yield from self._id(item, at.deeper())
        elif isinstance(value, Attr | Item):
            yield from self._id(value.base, at.deeper())
        elif isinstance(value, Star | Walrus):
            yield from self._id(value.value, at)
        elif isinstance(value, str):
            root = value.partition(".")[0]
            lets, given = self.lets(root, at), list(self.given(root, at))
            for _, inner, where in lets:
                yield from self._id(inner, where)
            for inner, where in given:
                yield from self._id(inner, where)
            if not lets and not given:
                yield False
        else:
            yield False
