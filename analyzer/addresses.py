"""Where the checkpoint that a run is addressed to comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from .bindings import known_callers, skips_self
from .calling import bind_arguments
from .calls import targets
from .facts import last_name
from .registry import Registry
from .summary import Attr, Call, Comp, Const, Expr, Item, Op, Seq, Star, Table
from .values import FunctionId

_DEPTH = 5

Kind = Literal["current", "history", "given", "fork"]
"""current, history: from a state that was read. given: from a caller outside. fork: made by update_state."""


@dataclass(frozen=True, slots=True)
class Source:
    """A checkpoint address and where it comes from; ``call`` reads the state, None for a value given."""

    kind: Kind
    function: FunctionId
    call: Call | None
    name: str = ""


def addresses(registry: Registry, config: Expr, function: FunctionId) -> list[Source]:
    """The addresses that a configuration may carry; none where it names a thread alone."""
    return _distinct(_Addresses(registry).of(config, function, _DEPTH))


def reads(registry: Registry, expr: Expr, function: FunctionId) -> list[Source]:
    """The reads of a state that an expression comes from."""
    return _distinct(_Addresses(registry).read(expr, function, _DEPTH))


def _distinct(sources: Iterable[Source]) -> list[Source]:
    found = {_place(source): source for source in sources}
    return [found[place] for place in sorted(found)]


def _place(source: Source) -> tuple[str, FunctionId, int, int, str]:
    call = source.call
    return (source.kind, source.function, call.line if call else 0, call.column if call else 0, source.name)


class _Addresses:
    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.project = registry.resolver.project
        table = registry.resolver.knowledge.tables["addresses"]
        self.table = table
        self.keys = set(table["keys"])

    def of(self, expr: Expr, function: FunctionId, depth: int) -> Iterator[Source]:
        """The addresses in a configuration."""
        if depth == 0:
            return
        if isinstance(expr, Table):
            yield from self._of_table(expr, function, depth)
        elif isinstance(expr, Call):
            yield from self._of_call(expr, function, depth)
        elif isinstance(expr, Op) and expr.kind in ("if", "or", "and", "BitOr"):
            for item in expr.items[1:] if expr.kind == "if" else expr.items:
                yield from self.of(item, function, depth)
        elif isinstance(expr, str):
            yield from self._of_name(expr, function, depth)
        elif (isinstance(expr, Attr) and expr.name in self.table["attributes"]) or (
            isinstance(expr, Item) and isinstance(expr.key, Const) and expr.key.value in self.table["attributes"]
        ):
            yield from self.read(expr.base, function, depth)

    def _of_table(self, table: Table, function: FunctionId, depth: int) -> Iterator[Source]:
        for key, value in zip(table.keys, table.values, strict=True):
            name = key.value if isinstance(key, Const) else None
            if name == self.table["group"]:
                yield from self._of_group(value, function, depth)
            elif isinstance(value, Star):
                yield from self.of(value.value, function, depth)

    def _of_group(self, group: Expr, function: FunctionId, depth: int) -> Iterator[Source]:
        if isinstance(group, str) and "." not in group:
            for mode, value in self._lets(group, function):
                if mode == "is":
                    yield from self._of_group(value, function, depth)
            for key, value, _ in self.project.facts(function[:2]).fills.get(group, ()):
                if isinstance(key, Const) and key.value in self.keys:
                    yield from self._id(value, function, depth)
        if isinstance(group, Item) and isinstance(group.key, Const) and group.key.value == self.table["group"]:
            yield from self.of(group.base, function, depth)
        if not isinstance(group, Table):
            return
        for key, value in zip(group.keys, group.values, strict=True):
            if isinstance(key, Const) and key.value in self.keys:
                yield from self._id(value, function, depth)
            elif isinstance(value, Star):
                yield from self._of_group(value.value, function, depth)

    def _id(self, value: Expr, function: FunctionId, depth: int) -> Iterator[Source]:
        if isinstance(value, Const):
            return
        known = list(self.read(value, function, depth))
        if known:
            yield from known
            return
        name = value if isinstance(value, str) else getattr(value, "name", "") or "checkpoint_id"
        yield Source("given", function, None, name)

    def _of_call(self, call: Call, function: FunctionId, depth: int) -> Iterator[Source]:
        last = last_name(call.func)
        if last in self.table["forks"]:
            yield Source("fork", function, call)
            return
        for name, value in call.kwargs:
            if name == self.table["group"]:
                yield from self._of_group(value, function, depth)
        reached = targets(self.registry.resolver, call, function).functions
        for target in reached:
            for value in self.project.facts(target[:2]).returns:
                yield from self.of(value, (target[0], target[1], ""), depth - 1)
        if not reached:
            for item in call.args:
                yield from self.of(item, function, depth - 1)
            if isinstance(call.func, str) and last in ("copy", "model_copy", "merge"):
                yield from self.of(call.func.rpartition(".")[0], function, depth - 1)

    def _of_name(self, name: str, function: FunctionId, depth: int) -> Iterator[Source]:
        root, _, rest = name.rpartition(".")
        if root:
            if rest in self.table["attributes"]:
                yield from self.read(root, function, depth)
            return
        for mode, value in self._lets(name, function):
            if mode == "is":
                yield from self.of(value, function, depth - 1)
            elif mode == "part":
                yield from self._parts(value, function, depth - 1)
        for target, value in self.project.facts(function[:2]).deep:
            keyed = isinstance(target.key, Const) and target.key.value in self.keys
            if keyed and isinstance(target.base, Item) and target.base.base == name:
                yield from self._id(value, function, depth - 1)
        for given, where in self._given(name, function):
            yield from self.of(given, where, depth - 1)

    def _parts(self, value: Expr, function: FunctionId, depth: int) -> Iterator[Source]:
        if isinstance(value, Seq):
            for item in value.items:
                yield from self.of(item, function, depth)
        elif isinstance(value, Comp):
            yield from self.of(value.items[0], function, depth)

    def read(self, expr: Expr, function: FunctionId, depth: int) -> Iterator[Source]:
        """The reads of a state that an expression takes something out of."""
        if depth == 0 or expr is None or isinstance(expr, Const):
            return
        if isinstance(expr, Call):
            yield from self._read_call(expr, function, depth)
        elif isinstance(expr, str):
            root = expr.partition(".")[0]
            for _, value in self._lets(root, function):
                yield from self.read(value, function, depth - 1)
            for given, where in self._given(root, function):
                yield from self.read(given, where, depth - 1)
        elif isinstance(expr, Attr | Item):
            yield from self.read(expr.base, function, depth)
        elif isinstance(expr, Comp):
            for _, source, _ in expr.loops:
                yield from self.read(source, function, depth - 1)
        elif isinstance(expr, Op):
            for item in expr.items:
                yield from self.read(item, function, depth)

    def _read_call(self, call: Call, function: FunctionId, depth: int) -> Iterator[Source]:
        last = last_name(call.func)
        for kind in ("current", "history"):
            if last in self.table[kind]:
                yield Source("current" if kind == "current" else "history", function, call)
                return
        if last in self.table["forks"]:
            yield Source("fork", function, call)
            return
        reached = targets(self.registry.resolver, call, function).functions
        for target in reached:
            for value in self.project.facts(target[:2]).returns:
                yield from self.read(value, (target[0], target[1], ""), depth - 1)
        if not reached:
            for item in call.args:
                yield from self.read(item, function, depth - 1)
            yield from self.read(call.func if isinstance(call.func, Attr) else None, function, depth - 1)
            if isinstance(call.func, str) and "." in call.func:
                yield from self.read(call.func.rpartition(".")[0], function, depth - 1)

    def _lets(self, name: str, function: FunctionId) -> list[tuple[str, Expr]]:
        """The bindings of a name in the function, or the nearest one around it that has any."""
        key = function[:2]
        while True:
            found = self.project.facts(key).lets.get(name)
            head = self.project.function(key)
            if found or head is None or any(p.name == name for p in head.params) or not head.parent:
                return [(mode, value) for mode, value in found or ()]
            if self.project.function((key[0], head.parent)) is None:
                return []
            key = (key[0], head.parent)

    def _given(self, name: str, function: FunctionId) -> Iterator[tuple[Expr, FunctionId]]:
        head = self.project.function(function[:2])
        if head is None or not any(param.name == name for param in head.params):
            return
        for caller, call in known_callers(self.registry.resolver, function):
            for value in bind_arguments(head, call, name, skips_self(head)):
                yield value, (caller[0], caller[1], "")
