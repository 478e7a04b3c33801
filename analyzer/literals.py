"""Arguments as the effect tables want them, and values that are new on every run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .facts import children, last_name
from .knowledge.arguments import Argument
from .project import FunctionKey
from .summary import Attr, Call, Const, Expr, Op, Seq, Star, Table
from .values import FunctionId, Resolver

_FRESH = {
    "uuid1", "uuid4", "uuid6", "uuid7", "time", "time_ns", "monotonic", "perf_counter", "now", "utcnow", "today",
    "token_hex", "token_urlsafe", "token_bytes", "random", "randint", "choice", "getrandbits", "nanoid", "ulid", "ULID",
    "ObjectId", "ksuid",
}  # fmt: skip
_UNKNOWN = Argument()
_PLAIN_WORD = re.compile(r"[\w@%+=:,./{}-]+")
_SAME_TEXT = {"split", "strip", "lstrip", "rstrip", "format", "encode"}
_DEPTH = 3

Entry = tuple[str, Expr, FunctionId]
"""A key, the expression under it and the function in which that stands."""


def arguments(resolver: Resolver, call: Call, function: FunctionId) -> tuple[list[Argument], dict[str, Argument]]:
    """The call's arguments: literals through names and constants, dict arguments by dotted key.

    Entries of positional dicts come under ``@1.key``.
    """
    args = [literal(resolver, item, function) for item in call.args]
    kwargs: dict[str, Argument] = {}
    for number, value in enumerate(call.args):
        if isinstance(value, Table | str) or (isinstance(value, Call) and last_name(value.func)[:1].isupper()):
            _flatten(resolver, f"@{number}", value, function, kwargs)
    for name, value in call.kwargs:
        if name:
            kwargs[name] = literal(resolver, value, function)
        _flatten(resolver, name, value, function, kwargs)
    return args, kwargs


def _flatten(
    resolver: Resolver, name: str, expr: Expr, function: FunctionId, into: dict[str, Argument], depth: int = _DEPTH
) -> None:
    for key, value, where in entries(resolver, expr, function):
        full = f"{name}.{key}" if name else key
        into[full] = literal(resolver, value, where)
        if depth and isinstance(value, Table | Call):
            _flatten(resolver, full, value, where, into, depth - 1)


def entries(resolver: Resolver, expr: Expr, function: FunctionId, depth: int = _DEPTH) -> Iterator[Entry]:
    """What is under the keys of a dict: a display, what is set in it later, keyword arguments of a constructor."""
    if isinstance(expr, Table):
        for key, value in zip(expr.keys, expr.values, strict=True):
            if isinstance(key, Const) and isinstance(key.value, str):
                yield key.value, value, function
            elif isinstance(value, Star) and depth:
                yield from entries(resolver, value.value, function, depth - 1)
    elif isinstance(expr, Op) and expr.kind in ("BitOr", "or", "if") and depth:
        for item in expr.items[1:] if expr.kind == "if" else expr.items:
            yield from entries(resolver, item, function, depth - 1)
    elif isinstance(expr, Call):
        yield from _of_call(resolver, expr, function, depth)
    elif isinstance(expr, str):
        facts = resolver.project.facts((function[0], function[1]))
        displays = [value for mode, value in facts.lets.get(expr, ()) if mode == "is" and _is_dict(value)]
        for value in displays if depth else ():
            yield from entries(resolver, value, function, depth - 1)
        if not displays and depth:
            yield from _of_values(resolver, expr, function, depth - 1)
        for key, value, _ in facts.fills.get(expr, ()):
            if isinstance(key, Const) and isinstance(key.value, str):
                yield key.value, value, function


def _of_call(resolver: Resolver, call: Call, function: FunctionId, depth: int) -> Iterator[Entry]:
    """``dict(a=1)``, ``Metadata(name=x)``, or what a helper of the project returns."""
    last = last_name(call.func)
    makes = last == "dict"
    if not makes and not last[:1].isupper():
        if depth:
            yield from _of_values(resolver, call, function, depth - 1)
        return
    for name, value in call.kwargs:
        if name:
            yield name, value, function
        elif depth:
            yield from entries(resolver, value, function, depth - 1)
    if makes and call.args and depth:
        yield from entries(resolver, call.args[0], function, depth - 1)


def _is_dict(expr: Expr) -> bool:
    return isinstance(expr, Table) or (isinstance(expr, Call) and last_name(expr.func) == "dict")


def _of_values(resolver: Resolver, expr: Expr, function: FunctionId, depth: int) -> Iterator[Entry]:
    """The entries of the displays that an expression may stand for, wherever they were written."""
    for value in sorted(resolver.of(expr, function), key=repr):
        table, where = resolver.boxes.get(value, (None, function))
        if isinstance(table, Table):
            yield from entries(resolver, table, where, depth)


def given_under(resolver: Resolver, call: Call, name: str, function: FunctionId) -> Iterator[tuple[Expr, FunctionId]]:
    """The expressions that a call is given under an argument's name, or a key inside it (``headers.Some-Key``)."""
    first, *rest = name.split(".")
    if first.startswith("@"):
        position = int(first[1:])
        found = [(item, function) for item in call.args[position : position + 1]]
    else:
        found = [(value, function) for key, value in call.kwargs if key == first]
        spread = [value for key, value in call.kwargs if not key]
        found += [(v, w) for s in spread for key, v, w in entries(resolver, s, function) if key == first]
    for key in rest:
        inner = [entry for value, where in found for entry in entries(resolver, value, where)]
        found = [(value, where) for word, value, where in inner if word.lower() == key.lower()]
    yield from found


def literal(resolver: Resolver, expr: Expr, function: FunctionId, depth: int = 3) -> Argument:
    """The literal an expression stands for; holes of a string are ``{}``. A list of words is one text, quoted."""
    if isinstance(expr, Const):
        return Argument(expr.value, True)
    if isinstance(expr, Seq):
        return _text(" ".join(_word(resolver, item, function, depth) for item in expr.items))
    if isinstance(expr, Star):
        return literal(resolver, expr.value, function, depth)
    if isinstance(expr, Op) and expr.kind in ("f", "Add", "Mod"):
        parts = [literal(resolver, item, function, depth) for item in expr.items]
        if expr.kind == "Mod" and isinstance(expr.items[-1], Seq):
            parts = parts[:1]
        words = expr.kind == "Add" and any(_is_list(resolver, item, function) for item in expr.items)
        return _text((" " if words else "").join(_or_hole(part) for part in parts))
    if isinstance(expr, Call) and depth:
        for value in resolver.of(expr.func, function):
            if value[0] == "ext":
                if resolver.effects.is_transparent(value[1]) and expr.args:
                    return literal(resolver, expr.args[0], function, depth - 1)
                if (statement := resolver.effects.statement(value[1])) is not None:
                    return Argument(statement, True)
        if last_name(expr.func) in _SAME_TEXT:
            base = expr.func.base if isinstance(expr.func, Attr) else expr.func
            text = base.rpartition(".")[0] if isinstance(base, str) and base is expr.func else base
            found = literal(resolver, text, function, depth - 1) if text else _UNKNOWN
            if isinstance(found.literal, str):
                return found
        return _statement(resolver, expr, function)
    if isinstance(expr, str) and depth:
        return _named(resolver, expr, function, depth)
    return _UNKNOWN


def _text(text: str) -> Argument:
    return Argument(text, True) if text.replace("{}", "").strip() else _UNKNOWN


def _or_hole(part: Argument) -> str:
    return part.literal if isinstance(part.literal, str) else "{}"


def _word(resolver: Resolver, expr: Expr, function: FunctionId, depth: int) -> str:
    """A word of a command, in quotes where a shell would want them."""
    part = literal(resolver, expr, function, depth)
    word = _or_hole(part) if not part.known or isinstance(part.literal, str) else str(part.literal)
    if isinstance(expr, Star) or _PLAIN_WORD.fullmatch(word):
        return word
    return "'" + word.replace("'", "") + "'"


def _is_list(resolver: Resolver, expr: Expr, function: FunctionId) -> bool:
    if isinstance(expr, str):
        lets = resolver.project.facts((function[0], function[1])).lets.get(expr, ())
        return any(isinstance(value, Seq) for _, value in lets)
    return isinstance(expr, Seq) or (
        isinstance(expr, Op) and any(_is_list(resolver, item, function) for item in expr.items)
    )


def _statement(resolver: Resolver, expr: Expr, function: FunctionId) -> Argument:
    """A statement object, e.g. ``insert(orders).values(...).on_conflict_do_nothing()``."""
    for value in resolver.of(expr, function):
        if value[0] == "inst" and (statement := resolver.effects.statement(value[1])) is not None:
            return Argument(statement, True)
    return _UNKNOWN


def _named(resolver: Resolver, expr: str, function: FunctionId, depth: int) -> Argument:
    facts = resolver.project.facts((function[0], function[1]))
    lets = facts.lets.get(expr, ())
    if len(lets) == 1 and lets[0][0] == "is":
        found = literal(resolver, lets[0][1], function, depth - 1)
        filled = isinstance(lets[0][1], Seq) and expr in facts.fills
        return _text(f"{found.literal} {{}}") if filled and found.known else found
    values = resolver.of(expr, function)
    if len(values) == 1:
        (value,) = values
        if value[0] == "const":
            return Argument(value[1], True)
        display, where = resolver.boxes.get(value, (None, function))
        if isinstance(display, Seq):
            return literal(resolver, display, where, depth - 1)
    return _statement(resolver, expr, function)


def is_fresh(resolver: Resolver, expr: Expr, function: FunctionId, depth: int = 4) -> bool:
    """Whether the value is made anew on every run: from a uuid, a clock or chance, in this function or its helpers."""
    if isinstance(expr, Call):
        inside = [value for value in resolver.of(expr.func, function) if value[0] in ("fn", "bound", "cls")]
        if last_name(expr.func) in _FRESH and not inside:
            return True
        if depth and any(v[0] != "cls" and _makes_anew(resolver, (v[1], v[2], v[3]), depth - 1) for v in inside):
            return True
    if isinstance(expr, str) and depth:
        root = expr.split(".", 1)[0]
        lets = resolver.project.facts((function[0], function[1])).lets.get(root, ())
        return any(is_fresh(resolver, value, function, depth - 1) for _, value in lets)
    if isinstance(expr, Call | Op | Seq):
        return any(is_fresh(resolver, child, function, depth) for child in children(expr) if child is not None)
    item = getattr(expr, "base", None)
    return item is not None and is_fresh(resolver, item, function, depth)


def _makes_anew(resolver: Resolver, target: FunctionId, depth: int) -> bool:
    """Whether all that a project function may return is made anew: none of it is looked up or remembered."""
    key: FunctionKey = (target[0], target[1])
    head = resolver.project.function(key)
    if head is None or any(item not in ("staticmethod", "classmethod") for item in head.decorators):
        return False
    facts = resolver.project.facts(key)
    found = [
        value
        for item in facts.returns
        for value in ([let for _, let in facts.lets.get(item, ())] if isinstance(item, str) else [item])
    ]
    return bool(found) and all(is_fresh(resolver, value, target, depth) for value in found)


def names_in(expr: Expr) -> Iterator[str]:
    """The plain names an expression mentions."""
    if isinstance(expr, str):
        yield expr.split(".", 1)[0]
    elif expr is not None and not isinstance(expr, Const):
        for child in children(expr):
            yield from names_in(child)
