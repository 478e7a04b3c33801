"""Where the checkpoint that a run is addressed to comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from .bindings import known_callers, skips_self
from .calling import bind_arguments
from .calls import targets
from .facts import last_name
from .paths import Link
from .project import FunctionKey
from .reaching import CAME_IN, Env, Reaching
from .registry import Registry
from .summary import Attr, Call, Comp, Const, Expr, Item, Op, Seq, Star, Table, Walrus
from .values import FunctionId

_LinkKey = tuple[FunctionKey, int, int]

_DEPTH = 9
"""Names and calls over which an address is followed."""

_MOST = 3000
"""Steps of one search."""

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
    taken = frozenset(_link(caller, each) for caller, each in way)
    return _distinct(search.of(config, search.point(function, call, _DEPTH, taken)))


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


@dataclass(frozen=True, slots=True)
class _Point:
    """A place in a body, how far the search may go on from there, and the calls it came by.

    ``env`` is what reaches the place; None for all that the body binds.
    """

    function: FunctionId
    env: Env | None
    depth: int
    way: frozenset[_LinkKey]

    def deeper(self) -> _Point:
        """The same place, one step further."""
        return replace(self, depth=self.depth - 1)


class _Addresses:
    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.project = registry.resolver.project
        self.table = registry.resolver.knowledge.tables["addresses"]
        self.keys = set(self.table["keys"])
        self.left = _MOST
        self.bodies: dict[FunctionKey, Reaching] = {}

    def point(self, function: FunctionId, call: Call | None, depth: int, way: frozenset[_LinkKey]) -> _Point:
        """The point of a call."""
        return _Point((function[0], function[1], ""), self._body(function[:2]).at(call), depth, way)

    def _over(self, at: _Point) -> bool:
        self.left -= 1
        return at.depth <= 0 or self.left < 0

    def _body(self, key: FunctionKey) -> Reaching:
        if key not in self.bodies:
            self.bodies[key] = Reaching(self.project.body(key))
        return self.bodies[key]

    def of(self, expr: Expr, at: _Point) -> Iterator[Source]:
        """The addresses in a configuration."""
        if self._over(at):
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
        elif (isinstance(expr, Attr) and expr.name in self.table["attributes"]) or (
            isinstance(expr, Item) and isinstance(expr.key, Const) and expr.key.value in self.table["attributes"]
        ):
            yield from self.read(expr.base, at)

    def _of_table(self, table: Table, at: _Point) -> Iterator[Source]:
        own = any(isinstance(key, Const) and key.value == self.table["group"] for key in table.keys)
        for key, value in zip(table.keys, table.values, strict=True):
            name = key.value if isinstance(key, Const) else None
            if name == self.table["group"]:
                yield from self._of_group(value, at)
            elif key is None and not own:
                yield from self.of(value, at)

    def _of_group(self, group: Expr, at: _Point) -> Iterator[Source]:
        if self._over(at):
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

    def _of_group_name(self, name: str, at: _Point) -> Iterator[Source]:
        if self._removed(name, at):
            return
        for mode, value, where in self._lets(name, at):
            if mode == "is":
                yield from self._of_group(value, where)
        for given, where in self._given(name, at):
            yield from self._of_group(given, where)
        for key, value, merged in self.project.facts(at.function[:2]).fills.get(name, ()):
            if merged:
                yield from self._of_group(value, at.deeper())
            elif isinstance(key, Const) and key.value in self.keys:
                yield from self._id(value, at.deeper())

    def _of_group_call(self, call: Call, at: _Point) -> Iterator[Source]:
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
            for value, where in self._returns((target[0], target[1]), at, call):
                yield from self._of_group(value, where)

    def _id(self, value: Expr, at: _Point) -> Iterator[Source]:
        if value is None or isinstance(value, Const):
            return
        known = list(self.read(value, at))
        if known:
            yield from known
            return
        if isinstance(value, str) and "." not in value:
            lets = self._lets(value, at)
            given = [*((each, where) for _, each, where in lets), *self._given(value, at)]
            for inner, where in given:
                yield from self._id(inner, where)
            if given or self._left_out(value, at):
                return
        name = value if isinstance(value, str) else getattr(value, "name", "") or "checkpoint_id"
        yield Source("given", at.function, None, name)

    def _left_out(self, name: str, at: _Point) -> bool:
        """Whether a parameter has a default, and callers, none of which gives it."""
        at = self._home(name, at)
        head = self.project.function(at.function[:2])
        param = next((p for p in head.params if p.name == name), None) if head is not None else None
        return param is not None and isinstance(param.default, Const) and bool(self._callers(at))

    def _of_call(self, call: Call, at: _Point) -> Iterator[Source]:
        last = last_name(call.func)
        if last in self.table["forks"]:
            yield Source("fork", at.function, call)
            return
        for name, value in call.kwargs:
            if name == self.table["group"]:
                yield from self._of_group(value, at)
        reached = targets(self.registry.resolver, call, at.function).functions
        for target in reached:
            for value, where in self._returns((target[0], target[1]), at, call):
                yield from self.of(value, where)
        if not reached:
            for item in call.args:
                yield from self.of(item, at.deeper())
            if last in ("copy", "model_copy", "merge") and isinstance(call.func, str):
                yield from self.of(call.func.rpartition(".")[0], at.deeper())

    def _of_name(self, name: str, at: _Point) -> Iterator[Source]:
        root, _, rest = name.rpartition(".")
        if root:
            if rest in self.table["attributes"]:
                yield from self.read(root, at)
            return
        if self._removed(name, at):
            return
        for mode, value, where in self._lets(name, at):
            if mode == "is":
                yield from self.of(value, where)
            elif mode == "part":
                yield from self._parts(value, where)
        for given, where in self._given(name, at):
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

    def _removed(self, name: str, at: _Point) -> bool:
        """Whether the address is taken out again: ``config["configurable"].pop("checkpoint_id")``."""
        for call in self.project.facts(at.function[:2]).by_name.get("pop", ()):
            first = call.args[0] if call.args else None
            base = call.func.base if isinstance(call.func, Attr) else None
            owner = base.base if isinstance(base, Item) else base
            owner = call.func.rpartition(".")[0] if isinstance(call.func, str) else owner
            if isinstance(first, Const) and first.value in self.keys and owner == name:
                return True
        return False

    def _parts(self, value: Expr, at: _Point) -> Iterator[Source]:
        if isinstance(value, Seq):
            for item in value.items:
                yield from self.of(item, at)
        elif isinstance(value, Comp):
            yield from self.of(value.items[0], at)

    def read(self, expr: Expr, at: _Point) -> Iterator[Source]:
        """The reads of a state that an expression takes something out of."""
        if expr is None or isinstance(expr, Const) or self._over(at):
            return
        if isinstance(expr, Call):
            yield from self._read_call(expr, at)
        elif isinstance(expr, str):
            root = expr.partition(".")[0]
            for _, value, where in self._lets(root, at):
                yield from self.read(value, where)
            for given, where in self._given(root, at):
                yield from self.read(given, where)
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

    def _read_call(self, call: Call, at: _Point) -> Iterator[Source]:
        last = last_name(call.func)
        if last in self.table["forks"] or (last in self.table["current"] and self._forked_before(call, at)):
            yield Source("fork", at.function, call)
            return
        if last in self.table["current"] or last in self.table["history"]:
            yield Source("current" if last in self.table["current"] else "history", at.function, call)
            return
        reached = targets(self.registry.resolver, call, at.function).functions
        for target in reached:
            for value, where in self._returns((target[0], target[1]), at, call):
                yield from self.read(value, where)
        if not reached:
            for item in call.args:
                yield from self.read(item, at.deeper())
            yield from self.read(call.func.base if isinstance(call.func, Attr) else None, at.deeper())
            if isinstance(call.func, str) and "." in call.func:
                yield from self.read(call.func.rpartition(".")[0], at.deeper())

    def _forked_before(self, call: Call, at: _Point) -> bool:
        """Whether the function has just made a fork: the head that it then reads is that one."""
        by_name = self.project.facts(at.function[:2]).by_name
        return any(fork.line < call.line for name in self.table["forks"] for fork in by_name.get(name, ()))

    def _returns(self, key: FunctionKey, at: _Point, call: Call) -> Iterator[tuple[Expr, _Point]]:
        """What a function gives to a call, where it does."""
        way = at.way | {_link(at.function, call)}
        for value, env in self._body(key).returns:
            yield value, _Point((key[0], key[1], ""), env, at.depth - 1, way)

    def _home(self, name: str, at: _Point) -> _Point:
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

    def _lets(self, name: str, at: _Point) -> list[tuple[str, Expr, _Point]]:
        """The bindings of a name that reach a point."""
        at = self._home(name, at).deeper()
        body = self._body(at.function[:2])
        if at.env is not None and name in body.names:
            numbers = sorted(at.env.get(name, frozenset()) - {CAME_IN})
            found = [body.bindings[number] for number in numbers]
            return [(mode, value, replace(at, env=before)) for mode, value, before in found]
        return [(mode, value, at) for mode, value in self.project.facts(at.function[:2]).lets.get(name, ())]

    def _given(self, name: str, at: _Point) -> Iterator[tuple[Expr, _Point]]:
        """What callers give for a parameter."""
        at = self._home(name, at)
        head = self.project.function(at.function[:2])
        if head is None or not any(param.name == name for param in head.params):
            return
        if at.env is not None and CAME_IN not in at.env.get(name, (CAME_IN,)):
            return
        for caller, call in self._callers(at):
            for value in bind_arguments(head, call, name, skips_self(head)):
                yield value, self.point(caller, call, at.depth - 1, at.way)

    def _callers(self, at: _Point) -> list[Link]:
        """The callers of a function; on a known way, those of that way."""
        found = known_callers(self.registry.resolver, at.function)
        return [pair for pair in found if _link(*pair) in at.way] or found


def _link(caller: FunctionId, call: Call) -> _LinkKey:
    return (caller[0], caller[1]), call.line, call.column
