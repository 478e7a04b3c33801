"""What a body says, collected from its skeleton without regard to order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from .summary import (
    LEAF,
    Attr,
    Call,
    Comp,
    Do,
    Expr,
    Handler,
    If,
    Item,
    Let,
    Loop,
    Match,
    Op,
    Raise,
    Return,
    Seq,
    Star,
    Stmt,
    Table,
    Try,
    Walrus,
    With,
)

Mode = Literal["is", "part", "enter"]
"""How a name gets its value: it is the value, a part of it, or what entering it gives."""

_LISTS = (Op, Seq)
_WRAPPERS = (Star, Walrus)

FILLERS = {"append": -1, "add": -1, "appendleft": -1, "insert": -1, "setdefault": -1, "put": -1}
MERGERS = {"extend", "update", "extendleft"}


@dataclass(slots=True)
class Facts:
    """Bindings by name, what is put into containers by name, calls, results and raises.

    In ``fills`` a value is (key or None, value, whether the value is itself a container to merge).
    """

    lets: dict[str, list[tuple[Mode, Expr]]] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    """Lines on which a name is assigned; 0 where it is bound otherwise."""
    looped: set[str] = field(default_factory=set)
    """Names bound inside a loop."""
    fills: dict[str, list[tuple[Expr, Expr, bool]]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    many: list[Call] = field(default_factory=list)
    """Calls inside a loop or a comprehension."""
    returns: list[Expr] = field(default_factory=list)
    raises: list[Raise] = field(default_factory=list)
    handlers: list[tuple[Try, Handler]] = field(default_factory=list)
    deep: list[tuple[Item, Expr]] = field(default_factory=list)
    """What is put under a key of a part of something: ``config["a"]["b"] = value``."""
    deleted: list[Item] = field(default_factory=list)
    """Entries that ``del`` takes out."""
    by_name: dict[str, list[Call]] = field(default_factory=dict)
    """Calls by the last part of what is called."""
    handing: dict[str, list[Call]] = field(default_factory=dict)
    """Calls by the last part of each argument that is a name."""


def children(expr: Expr) -> Iterator[Expr]:
    """The expressions directly inside one, in order of evaluation."""
    if isinstance(expr, Call):
        yield expr.func
        yield from expr.args
        for _, value in expr.kwargs:
            yield value
    elif isinstance(expr, _LISTS):
        yield from expr.items
    elif isinstance(expr, Attr):
        yield expr.base
    elif isinstance(expr, Item):
        yield expr.base
        yield expr.key
    elif isinstance(expr, Table):
        for key, value in zip(expr.keys, expr.values, strict=True):
            yield key
            yield value
    elif isinstance(expr, Comp):
        for _, source, tests in expr.loops:
            yield source
            yield from tests
        yield from expr.items
    elif isinstance(expr, _WRAPPERS):
        yield expr.value


def last_name(func: Expr) -> str:
    """The last part of what is called: ``c`` of ``a.b.c``; empty where it has no name."""
    if isinstance(func, str):
        return func.rpartition(".")[2]
    return func.name if isinstance(func, Attr) else ""


def gather(body: list[Stmt]) -> Facts:
    """The facts of a body."""
    facts = Facts()
    _block(facts, body)
    return facts


def walk_calls(expr: Expr) -> Iterator[Call]:
    """All calls inside an expression, itself included, inner ones first."""
    for child in children(expr):
        if child is not None and not isinstance(child, LEAF):
            yield from walk_calls(child)
    if isinstance(expr, Call):
        yield expr


def _block(facts: Facts, body: list[Stmt]) -> None:
    for item in body:
        if isinstance(item, Do):
            _expr(facts, item.value)
        elif isinstance(item, Let):
            _expr(facts, item.value)
            for target in item.targets:
                if not isinstance(target, str):
                    _expr(facts, target)
                _bind(facts, target, item.value, "is", item.line)
        elif isinstance(item, If):
            _expr(facts, item.test)
            _block(facts, item.body)
            _block(facts, item.orelse)
        elif isinstance(item, Loop):
            _expr(facts, item.source)
            if item.is_for:
                _bind(facts, item.target, item.source, "part")
            before = {name: len(lines) for name, lines in facts.lines.items()}
            count = len(facts.calls)
            _block(facts, item.body)
            facts.many.extend(facts.calls[count:])
            facts.looped.update(name for name, lines in facts.lines.items() if len(lines) != before.get(name, 0))
            _block(facts, item.orelse)
        elif isinstance(item, Return):
            _expr(facts, item.value)
            facts.returns.append(item.value)
        elif isinstance(item, With):
            for manager, target in item.items:
                _expr(facts, manager)
                if target is not None:
                    _bind(facts, target, manager, "enter")
            _block(facts, item.body)
        elif isinstance(item, Try):
            _block(facts, item.body)
            for handler in item.handlers:
                facts.handlers.append((item, handler))
                _block(facts, handler.body)
            _block(facts, item.orelse)
            _block(facts, item.final)
        elif isinstance(item, Match):
            _expr(facts, item.subject)
            for case in item.cases:
                _expr(facts, case.guard)
                _block(facts, case.body)
        elif isinstance(item, Raise):
            _expr(facts, item.value)
            facts.raises.append(item)


def _bind(facts: Facts, target: Expr, value: Expr, mode: Mode, line: int = 0) -> None:
    if isinstance(target, str):
        facts.lets.setdefault(target, []).append((mode, value))
        facts.lines.setdefault(target, []).append(line)
    elif isinstance(target, Seq):
        same = isinstance(value, Seq) and mode == "is" and len(value.items) == len(target.items)
        if same and isinstance(value, Seq) and not any(isinstance(i, Star) for i in value.items):
            for part, item in zip(target.items, value.items, strict=True):
                _bind(facts, part, item, "is", line)
            return
        keys = _keys(value) if mode == "part" and len(target.items) == 2 else None
        for number, part in enumerate(target.items):
            _bind(facts, part, keys if keys is not None and number == 0 else value, "part", line)
    elif isinstance(target, Star):
        _bind(facts, target.value, value, mode, line)
    elif isinstance(target, Item) and isinstance(target.base, str):
        facts.fills.setdefault(target.base, []).append((target.key, value, False))
    elif isinstance(target, Item):
        facts.deep.append((target, value))


def _keys(value: Expr) -> Call | None:
    """``table.keys()`` for ``table.items()``: what the first of each pair is a part of."""
    if not isinstance(value, Call) or value.args or value.kwargs:
        return None
    if isinstance(value.func, Attr) and value.func.name == "items":
        return replace(value, func=replace(value.func, name="keys"))
    if isinstance(value.func, str) and value.func.endswith(".items"):
        return replace(value, func=value.func.removesuffix("items") + "keys")
    return None


def _expr(facts: Facts, expr: Expr) -> None:
    if expr is None or isinstance(expr, LEAF):
        return
    if isinstance(expr, Call):
        _call(facts, expr)
        return
    count = len(facts.calls)
    for child in children(expr):
        if child is not None and not isinstance(child, LEAF):
            _expr(facts, child)
    if isinstance(expr, Walrus):
        facts.lets.setdefault(expr.target, []).append(("is", expr.value))
        facts.lines.setdefault(expr.target, []).append(0)
    elif isinstance(expr, Comp):
        facts.many.extend(facts.calls[count:])
        for target, source, _ in expr.loops:
            _bind(facts, target, source, "part")
    elif isinstance(expr, Op) and expr.kind == "yield":
        facts.returns.append(expr.items[0])
    elif isinstance(expr, Op) and expr.kind == "del":
        facts.deleted.extend(item for item in expr.items if isinstance(item, Item))


def _call(facts: Facts, call: Call) -> None:
    _expr(facts, call.func)
    for item in call.args:
        if isinstance(item, str):
            facts.handing.setdefault(item.rpartition(".")[2], []).append(call)
        else:
            _expr(facts, item)
    for _, value in call.kwargs:
        _expr(facts, value)
    facts.calls.append(call)
    if not isinstance(call.func, str):
        facts.by_name.setdefault(last_name(call.func), []).append(call)
        return
    receiver, dot, verb = call.func.rpartition(".")
    facts.by_name.setdefault(verb, []).append(call)
    if dot and call.args and verb in FILLERS:
        key = call.args[0] if verb == "setdefault" else None
        facts.fills.setdefault(receiver, []).append((key, call.args[-1], False))
    elif dot and call.args and verb in MERGERS:
        facts.fills.setdefault(receiver, []).append((None, call.args[0], True))
