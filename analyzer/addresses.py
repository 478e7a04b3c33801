"""Where the checkpoint that a run is addressed to comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from .backward import Backward, Point, link_key
from .calling import argument
from .calls import receiver_and_verb, targets
from .facts import last_name
from .paths import Link
from .registry import Registry
from .summary import Attr, Call, Comp, Const, Expr, Item, Op, Seq, Star, Table, Walrus
from .values import FunctionId

_DEPTH = 9
"""Names and calls over which an address is followed."""

Kind = Literal["current", "history", "given", "fork"]
"""current, history: from a state that was read. given: from a caller outside. fork: made by update_state."""


@dataclass(frozen=True, slots=True)
class Source:
    """A checkpoint address and where it comes from; ``call`` reads the state, None for a value given."""

    kind: Kind
    function: FunctionId
    call: Call | None
    name: str = ""


def addresses(
    registry: Registry, config: Expr, function: FunctionId, call: Call | None = None, way: Iterable[Link] = ()
) -> list[Source]:
    """The addresses that a configuration may carry; none where it names a thread alone.

    ``call`` is the one that it is given to. ``way``: the calls that led there, where that is known.
    """
    search = _Addresses(registry)
    at = search.point(function, call, _DEPTH, frozenset(link_key(caller, each) for caller, each in way))
    found = list(search.of(config, at))
    if call is not None:
        found += search.bound(call.func, at)
    return _distinct(found)


def reads(registry: Registry, expr: Expr, function: FunctionId) -> list[Source]:
    """The reads of a state that an expression comes from."""
    search = _Addresses(registry)
    return _distinct(search.read(expr, search.point(function, None, _DEPTH, frozenset())))


def _distinct(sources: Iterable[Source]) -> list[Source]:
    found = {_place(source): source for source in sources}
    return [found[place] for place in sorted(found)]


def _place(source: Source) -> tuple[str, FunctionId, int, int, str]:
    call = source.call
    return (source.kind, source.function, call.line if call else 0, call.column if call else 0, source.name)


class _Addresses(Backward):
    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self.table = registry.resolver.knowledge.tables["addresses"]
        self.keys = set(self.table["keys"])

    def of(self, expr: Expr, at: Point) -> Iterator[Source]:
        """The addresses in a configuration."""
        if self.over(at):
            return
        if isinstance(expr, Table):
            yield from self._of_table(expr, at)
        elif isinstance(expr, Call):
            yield from self._of_call(expr, at)
        elif isinstance(expr, Walrus | Star):
            yield from self.of(expr.value, at)
        elif isinstance(expr, Op) and expr.kind in ("if", "or", "and", "BitOr"):
            for item in expr.items[1:] if expr.kind == "if" else expr.items:
                yield from self.of(item, at)
        elif isinstance(expr, str):
            yield from self._of_name(expr, at)
        elif isinstance(expr, Item) and isinstance(expr.base, Call) and isinstance(expr.key, Const):
            yield from self._of_part(expr.base, expr.key.value, at)
        elif (isinstance(expr, Attr) and expr.name in self.table["attributes"]) or (
            isinstance(expr, Item) and isinstance(expr.key, Const) and expr.key.value in self.table["attributes"]
        ):
            yield from self.read(expr.base, at)

    def bound(self, func: Expr, at: Point) -> Iterator[Source]:
        """The addresses that the receiver of a call was given before: ``graph.with_config(config).invoke``."""
        if self.over(at):
            return
        if isinstance(func, str) and "." in func:
            root = func.partition(".")[0]
            for _, value, where in self.lets(root, at):
                if isinstance(value, Call):
                    yield from self._bound_by(value, where)
        elif isinstance(func, Attr) and isinstance(func.base, Call):
            yield from self._bound_by(func.base, at)

    def _bound_by(self, call: Call, at: Point) -> Iterator[Source]:
        if last_name(call.func) in self.table["binders"]:
            yield from self.of(argument(call, 0, "config"), at)
            yield from self.bound(call.func, at)

    def _of_part(self, call: Call, key: object, at: Point) -> Iterator[Source]:
        """One of several results: ``config, values = locate()``."""
        if key in self.table["attributes"]:
            yield from self.read(call, at)
        for target in targets(self.registry.resolver, call, at.function).functions if isinstance(key, int) else ():
            for value, where in self.returns((target[0], target[1]), at, call):
                if isinstance(value, Seq) and isinstance(key, int) and key < len(value.items):
                    yield from self.of(value.items[key], where)

    def _of_table(self, table: Table, at: Point) -> Iterator[Source]:
        own = any(isinstance(key, Const) and key.value == self.table["group"] for key in table.keys)
        for key, value in zip(table.keys, table.values, strict=True):
            name = key.value if isinstance(key, Const) else None
            if name == self.table["group"]:
                yield from self._of_group(value, at)
            elif key is None and not own:
                yield from self.of(value, at)

    def _of_group(self, group: Expr, at: Point) -> Iterator[Source]:
        if self.over(at):
            return
        if isinstance(group, Star | Walrus):
            group = group.value
        if isinstance(group, str) and "." not in group:
            yield from self._of_group_name(group, at)
        elif isinstance(group, Item):
            if isinstance(group.key, Const) and group.key.value == self.table["group"]:
                yield from self.of(group.base, at)
        elif isinstance(group, Call):
            yield from self._of_group_call(group, at)
        elif isinstance(group, Op) and group.kind in ("if", "or", "and", "BitOr"):
            for item in group.items[1:] if group.kind == "if" else group.items:
                yield from self._of_group(item, at)
        elif isinstance(group, Table):
            for key, value in zip(group.keys, group.values, strict=True):
                if isinstance(key, Const) and key.value in self.keys:
                    yield from self._id(value, at)
                elif key is None:
                    yield from self._of_group(value, at)

    def _of_group_name(self, name: str, at: Point) -> Iterator[Source]:
        if self._removed(name, at):
            return
        for mode, value, where in self.lets(name, at):
            if mode == "is":
                yield from self._of_group(value, where)
        for given, where in self.given(name, at):
            yield from self._of_group(given, where)
        for key, value, merged in self.project.facts(at.function[:2]).fills.get(name, ()):
            if merged:
                yield from self._of_group(value, at.deeper())
            elif isinstance(key, Const) and key.value in self.keys:
                yield from self._id(value, at.deeper())

    def _of_group_call(self, call: Call, at: Point) -> Iterator[Source]:
        """``dict(config["configurable"], checkpoint_id=x)``, ``config.get("configurable", {})``, a helper."""
        last = last_name(call.func)
        base = call.func.base if isinstance(call.func, Attr) else None
        base = call.func.rpartition(".")[0] if isinstance(call.func, str) else base
        for name, value in call.kwargs:
            if name in self.keys:
                yield from self._id(value, at)
        first = call.args[0] if call.args else None
        if last == "get" and base and isinstance(first, Const) and first.value == self.table["group"]:
            yield from self.of(base, at)
        elif last in ("copy", "deepcopy", "dict", "model_dump"):
            yield from self._of_group(first if call.args else base, at)
        for target in targets(self.registry.resolver, call, at.function).functions:
            for value, where in self.returns((target[0], target[1]), at, call):
                yield from self._of_group(value, where)

    def _id(self, value: Expr, at: Point) -> Iterator[Source]:
        if value is None or isinstance(value, Const):
            return
        known = list(self.read(value, at))
        if known:
            yield from known
            return
        if isinstance(value, str) and "." not in value:
            lets = self.lets(value, at)
            given = [*((each, where) for _, each, where in lets), *self.given(value, at)]
            for inner, where in given:
                yield from self._id(inner, where)
            if given or self.left_out(value, at):
                return
        name = value if isinstance(value, str) else getattr(value, "name", "") or "checkpoint_id"
        yield Source("given", at.function, None, name)

    def _of_call(self, call: Call, at: Point) -> Iterator[Source]:
        last = last_name(call.func)
        if last in self.table["forks"]:
            yield Source("fork", at.function, call)
            return
        for name, value in call.kwargs:
            if name == self.table["group"]:
                yield from self._of_group(value, at)
        reached = targets(self.registry.resolver, call, at.function).functions
        for target in reached:
            for value, where in self.returns((target[0], target[1]), at, call):
                yield from self.of(value, where)
        if not reached:
            for item in call.args:
                yield from self.of(item, at.deeper())
            if last in ("copy", "model_copy", "merge") and isinstance(call.func, str):
                yield from self.of(call.func.rpartition(".")[0], at.deeper())

    def _of_name(self, name: str, at: Point) -> Iterator[Source]:
        root, _, rest = name.rpartition(".")
        if root:
            for value, where in self.written(root, rest, at):
                yield from self.of(value, where)
            if rest in self.table["attributes"]:
                yield from self.read(root, at)
            return
        if self._removed(name, at) or self.known(name, at):
            return
        for mode, value, where in self.lets(name, at):
            if mode == "is":
                yield from self.of(value, where)
            elif mode == "part":
                yield from self._parts(value, where)
        for given, where in self.given(name, at):
            yield from self.of(given, where)
        facts = self.project.facts(at.function[:2])
        for key, value, merged in facts.fills.get(name, ()):
            if merged:
                yield from self.of(value, at.deeper())
            elif isinstance(key, Const) and key.value == self.table["group"]:
                yield from self._of_group(value, at.deeper())
        for target, value in facts.deep:
            keyed = isinstance(target.key, Const) and target.key.value in self.keys
            if keyed and isinstance(target.base, Item) and target.base.base == name:
                yield from self._id(value, at.deeper())
        for call in facts.by_name.get("update", ()):
            inner = call.func.base if isinstance(call.func, Attr) else None
            if isinstance(inner, Item) and inner.base == name and call.args:
                yield from self._of_group(call.args[0], at.deeper())

    def _removed(self, name: str, at: Point) -> bool:
        """Whether the address is taken out again: by ``pop``, ``del`` or another group in place of the first."""
        facts = self.project.facts(at.function[:2])
        for item in facts.deleted:
            base = item.base.base if isinstance(item.base, Item) else item.base
            if base == name and isinstance(item.key, Const) and item.key.value in self.keys:
                return True
        for key, value, merged in facts.fills.get(name, ()):
            if not merged and isinstance(key, Const) and key.value == self.table["group"] and self._leaves_out(value):
                return True
        for call in facts.by_name.get("pop", ()):
            first = call.args[0] if call.args else None
            base = call.func.base if isinstance(call.func, Attr) else None
            owner = base.base if isinstance(base, Item) else base
            owner = call.func.rpartition(".")[0] if isinstance(call.func, str) else owner
            if isinstance(first, Const) and first.value in self.keys and owner == name:
                return True
        return False

    def _leaves_out(self, group: Expr) -> bool:
        """Whether a group is built without the address: only of a thread, or of all entries but that one."""
        if isinstance(group, Table):
            return all(isinstance(key, Const) and key.value not in self.keys for key in group.keys)
        tests = [test for _, _, tests in group.loops for test in tests] if isinstance(group, Comp) else []
        return any(
            isinstance(item, Const) and item.value in self.keys
            for test in tests
            if isinstance(test, Op) and test.kind in ("!=", "not in")
            for item in (*test.items, *(i for part in test.items if isinstance(part, Seq) for i in part.items))
        )

    def _parts(self, value: Expr, at: Point) -> Iterator[Source]:
        if isinstance(value, Seq):
            for item in value.items:
                yield from self.of(item, at)
        elif isinstance(value, Comp):
            yield from self.of(value.items[0], at)

    def read(self, expr: Expr, at: Point) -> Iterator[Source]:
        """The reads of a state that an expression takes something out of."""
        if expr is None or isinstance(expr, Const) or self.over(at):
            return
        if isinstance(expr, Call):
            yield from self._read_call(expr, at)
        elif isinstance(expr, str):
            root = expr.partition(".")[0]
            for _, value, where in self.lets(root, at):
                yield from self.read(value, where)
            for given, where in self.given(root, at):
                yield from self.read(given, where)
            base, _, rest = expr.partition(".")
            for value, where in self.written(base, rest.partition(".")[0], at):
                yield from self.read(value, where)
        elif isinstance(expr, Attr | Item):
            yield from self.read(expr.base, at)
        elif isinstance(expr, Walrus | Star):
            yield from self.read(expr.value, at)
        elif isinstance(expr, Comp):
            for _, source, _ in expr.loops:
                yield from self.read(source, at.deeper())
        elif isinstance(expr, Op | Seq):
            for item in expr.items:
                yield from self.read(item, at)

    def _read_call(self, call: Call, at: Point) -> Iterator[Source]:
        last = last_name(call.func)
        if last in self.table["forks"] or (last in self.table["current"] and self._forked_before(call, at)):
            yield Source("fork", at.function, call)
            return
        saver = last in self.table["listers"] and receiver_and_verb(call.func)[0] in self.table["savers"]
        if saver or last in self.table["current"] or last in self.table["history"]:
            yield Source("current" if last in self.table["current"] else "history", at.function, call)
            return
        reached = targets(self.registry.resolver, call, at.function).functions
        for target in reached:
            for value, where in self.returns((target[0], target[1]), at, call):
                yield from self.read(value, where)
        if not reached:
            for item in call.args:
                yield from self.read(item, at.deeper())
            yield from self.read(call.func.base if isinstance(call.func, Attr) else None, at.deeper())
            if isinstance(call.func, str) and "." in call.func:
                yield from self.read(call.func.rpartition(".")[0], at.deeper())

    def _forked_before(self, call: Call, at: Point) -> bool:
        """Whether the function has just made a fork: the head that it then reads is that one."""
        by_name = self.project.facts(at.function[:2]).by_name
        return any(fork.line < call.line for name in self.table["forks"] for fork in by_name.get(name, ()))
