"""Arguments as the effect tables want them, and values that are new on every run."""

from __future__ import annotations

from collections.abc import Iterator

from .facts import children
from .knowledge.arguments import Argument
from .summary import Call, Const, Expr, Op, Seq, Table
from .values import FunctionId, Resolver

_FRESH = {
    "uuid1", "uuid4", "uuid6", "uuid7", "time", "time_ns", "monotonic", "perf_counter", "now", "utcnow", "today",
    "token_hex", "token_urlsafe", "token_bytes", "random", "randint", "choice", "getrandbits", "nanoid", "ulid", "ULID",
    "ObjectId", "ksuid",
}  # fmt: skip
_UNKNOWN = Argument()


def arguments(resolver: Resolver, call: Call, function: FunctionId) -> tuple[list[Argument], dict[str, Argument]]:
    """The call's arguments: literals through names and constants, dict arguments by dotted key."""
    args = [literal(resolver, item, function) for item in call.args]
    kwargs: dict[str, Argument] = {}
    for name, value in call.kwargs:
        kwargs[name] = literal(resolver, value, function)
        for key in _keys(resolver, value, function):
            kwargs[f"{name}.{key}" if name else key] = _UNKNOWN
    return args, kwargs


def _keys(resolver: Resolver, expr: Expr, function: FunctionId) -> Iterator[str]:
    tables = [expr] if isinstance(expr, Table) else []
    if isinstance(expr, str):
        for value in sorted(resolver.of(expr, function), key=repr):
            known = resolver.boxes.get(value)
            if known is not None and isinstance(known[0], Table):
                tables.append(known[0])
    for table in tables:
        for key in table.keys:
            if isinstance(key, Const) and isinstance(key.value, str):
                yield key.value


def literal(resolver: Resolver, expr: Expr, function: FunctionId, depth: int = 3) -> Argument:
    """The literal an expression stands for; holes of a string are ``{}``."""
    if isinstance(expr, Const):
        return Argument(expr.value, True)
    if isinstance(expr, Op) and expr.kind in ("f", "Add", "Mod"):
        parts = [literal(resolver, item, function, depth) for item in expr.items]
        text = "".join(part.literal if isinstance(part.literal, str) else "{}" for part in parts)
        return Argument(text, True) if text.replace("{}", "") else _UNKNOWN
    if isinstance(expr, Call) and depth:
        for value in resolver.of(expr.func, function):
            if value[0] == "ext":
                if resolver.effects.is_transparent(value[1]) and expr.args:
                    return literal(resolver, expr.args[0], function, depth - 1)
                if (statement := resolver.effects.statement(value[1])) is not None:
                    return Argument(statement, True)
        return _statement(resolver, expr, function)
    if isinstance(expr, str) and depth:
        return _named(resolver, expr, function, depth)
    return _UNKNOWN


def _statement(resolver: Resolver, expr: Expr, function: FunctionId) -> Argument:
    """A statement object, e.g. ``insert(orders).values(...).on_conflict_do_nothing()``."""
    for value in resolver.of(expr, function):
        if value[0] == "inst" and (statement := resolver.effects.statement(value[1])) is not None:
            return Argument(statement, True)
    return _UNKNOWN


def _named(resolver: Resolver, expr: str, function: FunctionId, depth: int) -> Argument:
    lets = resolver.project.facts((function[0], function[1])).lets.get(expr, ())
    if len(lets) == 1 and lets[0][0] == "is":
        return literal(resolver, lets[0][1], function, depth - 1)
    values = resolver.of(expr, function)
    if len(values) == 1:
        (value,) = values
        if value[0] == "const":
            return Argument(value[1], True)
    return _statement(resolver, expr, function)


def is_fresh(resolver: Resolver, expr: Expr, function: FunctionId, depth: int = 4) -> bool:
    """Whether the value is made anew on every run: from a uuid, a clock or chance, in this function."""
    if isinstance(expr, Call):
        last = expr.func.rsplit(".", 1)[-1] if isinstance(expr.func, str) else getattr(expr.func, "name", "")
        if last in _FRESH and not _resolves_inside(resolver, expr, function):
            return True
    if isinstance(expr, str) and depth:
        root = expr.split(".", 1)[0]
        lets = resolver.project.facts((function[0], function[1])).lets.get(root, ())
        return any(is_fresh(resolver, value, function, depth - 1) for _, value in lets)
    if isinstance(expr, Call | Op | Seq):
        return any(is_fresh(resolver, child, function, depth) for child in children(expr) if child is not None)
    item = getattr(expr, "base", None)
    return item is not None and is_fresh(resolver, item, function, depth)


def _resolves_inside(resolver: Resolver, call: Call, function: FunctionId) -> bool:
    return any(value[0] in ("fn", "bound", "cls") for value in resolver.of(call.func, function))


def names_in(expr: Expr) -> Iterator[str]:
    """The plain names an expression mentions."""
    if isinstance(expr, str):
        yield expr.split(".", 1)[0]
    elif expr is not None and not isinstance(expr, Const):
        for child in children(expr):
            yield from names_in(child)
