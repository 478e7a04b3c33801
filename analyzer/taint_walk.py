"""Follows made-up values through the statements of a body, up to and past its waits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .facts import walk_calls
from .summary import (
    LEAF,
    Attr,
    Break,
    Call,
    Comp,
    Const,
    Continue,
    Do,
    Expr,
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
from .taints import MOST_GIVEN, NONE, Env, Sink, Taints, Walked, few, join, named, union, without
from .values import FunctionId

if TYPE_CHECKING:
    from .taint_calls import Tainting

_NESTED = 3
"""Loops inside loops whose body is walked twice."""
_COMPARES = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in", "not", "?"}


class Walk:
    """One body. ``walked`` holds what was found."""

    def __init__(self, tainting: Tainting, function: FunctionId) -> None:
        self.tainting = tainting
        self.function = function
        self.walked = Walked()
        self.loops = 0
        self.given = 0
        self._noted: set[object] = set()
        self._acts = {id(call) for call in tainting.acting(function)}
        self._acting: dict[int, Call | None] = {}

    def note(self, sink: Sink) -> None:
        """Keep a use, each once, by the way that was found first."""
        key = (sink.use, sink.taint, sink.function, sink.line, sink.key)
        given = sink.taint.origin is None
        if key in self._noted or (given and self.is_full):
            return
        self._noted.add(key)
        self.given += given
        self.walked.sinks.append(sink)

    @property
    def is_full(self) -> bool:
        """Whether enough uses of parameters are known."""
        return self.given >= MOST_GIVEN

    def block(self, body: Sequence[Stmt], env: Env | None) -> Env | None:
        """What holds behind the statements; None if they always leave."""
        for item in body:
            if env is None:
                return None
            env = self.statement(item, env)
        return env

    def statement(self, item: Stmt, env: Env) -> Env | None:
        if isinstance(item, Let):
            value = self.expr(item.value, env)
            for target in item.targets:
                self.bind(target, item.value, value, env)
        elif isinstance(item, Do):
            self.expr(item.value, env)
        elif isinstance(item, If):
            test = self.expr(item.test, env)
            self._branch(test, item.line, [item.body, item.orelse], _leaves(item.body) or _leaves(item.orelse))
            return join(self.block(item.body, dict(env)), self.block(item.orelse, dict(env)))
        elif isinstance(item, Loop):
            return self._loop(item, env)
        elif isinstance(item, With):
            for manager, target in item.items:
                self.bind(target, None, self.expr(manager, env), env)
            return self.block(item.body, env)
        elif isinstance(item, Try):
            after = self.block(item.body, dict(env))
            thrown = join(dict(env), after) or dict(env)
            result = self.block(item.orelse, after)
            for handler in item.handlers:
                result = join(result, self.block(handler.body, dict(thrown)))
            if result is None and item.final:
                self.block(item.final, dict(thrown))
                return None
            return self.block(item.final, result)
        elif isinstance(item, Match):
            test = self.expr(item.subject, env)
            self._branch(test, item.line, [case.body for case in item.cases], False)
            result = None if any(case.always for case in item.cases) else env
            for case in item.cases:
                result = join(result, self.block(case.body, dict(env)))
            return result
        elif isinstance(item, Return):
            self._return(item, env)
            return None
        elif isinstance(item, Raise):
            self.expr(item.value, env)
            return None
        return env

    def _loop(self, item: Loop, env: Env) -> Env | None:
        source = self.expr(item.source, env)
        if not item.is_for:
            self._branch(source, item.line, [item.body], False)
        self.loops += 1
        result: Env | None = dict(env)
        for _ in range(2 if self.loops <= _NESTED else 1):
            inner = dict(result or env)
            if item.is_for:
                self.bind(item.target, None, source, inner)
            result = join(result, self.block(item.body, inner))
            if not item.is_for:
                source = self.expr(item.source, result or env)
        self.loops -= 1
        return join(result, self.block(item.orelse, dict(result or env)))

    def _return(self, item: Return, env: Env) -> None:
        taints = self.expr(item.value, env)
        self.walked.returned |= taints
        for key, value in _entries(item.value, ""):
            left = named(self.expr(value, dict(env)), key)
            for taint in sorted(left, key=repr):
                if taint.crossed:
                    self.note(Sink("result", taint, self.function, item.line, None, key))

    def _branch(self, test: Taints, line: int, blocks: Sequence[Sequence[Stmt]], leaves: bool) -> None:
        """A test decides whether an effect fires: inside it, or behind it where it may leave."""
        if not test:
            return
        first = next((call for block in blocks if (call := self._first(block)) is not None), None)
        if first is None and leaves:
            acting = self.tainting.acting(self.function)
            place = bisect_right(acting, line, key=lambda call: call.line)
            first = acting[place] if place < len(acting) else None
        for taint in sorted(test, key=repr) if first is not None else ():
            self.note(Sink("branch", taint, self.function, line, first))

    def _first(self, block: Sequence[Stmt]) -> Call | None:
        """The first call that acts among the statements."""
        if id(block) not in self._acting:
            found = None
            for item in block:
                calls = (call for expr in _own(item) for call in walk_calls(expr))
                found = next((call for call in calls if id(call) in self._acts), None)
                found = found or next((call for inner in _blocks(item) if (call := self._first(inner))), None)
                if found is not None:
                    break
            self._acting[id(block)] = found
        return self._acting[id(block)]

    def bind(self, target: Expr, value: Expr, taints: Taints, env: Env) -> None:
        """Put what a value comes from under its name."""
        if isinstance(target, str):
            env[target] = named(few(taints), target)
        elif isinstance(target, Seq):
            same = isinstance(value, Seq) and len(value.items) == len(target.items)
            for number, part in enumerate(target.items):
                inner = value.items[number] if same and isinstance(value, Seq) else None
                self.bind(part, inner, self.expr(inner, dict(env)) if same else taints, env)
        elif isinstance(target, Star):
            self.bind(target.value, None, taints, env)
        elif isinstance(target, Item):
            key = target.key.value if isinstance(target.key, Const) else ""
            self.put(target.base, named(taints, str(key)), env)

    def put(self, target: Expr, taints: Taints, env: Env) -> None:
        """Something is put into what a name holds."""
        while isinstance(target, Item | Attr):
            target = target.base
        if isinstance(target, str) and taints:
            env[target] = few(self.name(target, env) | taints)

    def name(self, name: str, env: Env) -> Taints:
        """What a name, or an attribute of it, comes from."""
        while name:
            if name in env:
                return env[name]
            name = name.rpartition(".")[0]
        return NONE

    # expressions

    def expr(self, expr: Expr, env: Env) -> Taints:
        """What the value of an expression comes from; calls in it are followed."""
        if expr is None or isinstance(expr, Const):
            return NONE
        if isinstance(expr, str):
            return self.name(expr, env) or self.tainting.kept(expr, self.function)
        if isinstance(expr, Call):
            return self.tainting.call(self, expr, env)
        if isinstance(expr, Op):
            return self._operator(expr, env)
        if isinstance(expr, Attr):
            return self.expr(expr.base, env)
        if isinstance(expr, Item):
            self.expr(expr.key, env)
            return self.expr(expr.base, env)
        if isinstance(expr, Table):
            keys = [key.value if isinstance(key, Const) else "" for key in expr.keys]
            return union([named(self.expr(v, env), str(k or "")) for k, v in zip(keys, expr.values, strict=True)])
        if isinstance(expr, Seq):
            return union([self.expr(item, env) for item in expr.items])
        if isinstance(expr, Comp):
            inner = dict(env)
            for target, source, tests in expr.loops:
                self.bind(target, None, self.expr(source, inner), inner)
                for test in tests:
                    self.expr(test, inner)
            return union([self.expr(item, inner) for item in expr.items])
        if isinstance(expr, Star):
            return self.expr(expr.value, env)
        if isinstance(expr, Walrus):
            env[expr.target] = named(self.expr(expr.value, env), expr.target)
            return env[expr.target]
        return NONE

    def _operator(self, expr: Op, env: Env) -> Taints:
        found = [self.expr(item, env) for item in expr.items]
        if expr.kind == "if":
            inside = {id(call) for item in expr.items[1:] for call in walk_calls(item)}
            first = next((call for call in self.tainting.acting(self.function) if id(call) in inside), None)
            for taint in sorted(found[0], key=repr) if first is not None else ():
                self.note(Sink("branch", taint, self.function, first.line if first else 0, first))
            return union(found[1:])
        if expr.kind == ":":
            return found[1]
        if expr.kind == "Sub" and not self.tainting.deciding:
            return without(union(found), "clock")
        if expr.kind == "yield":
            self.walked.returned |= found[0]
            return NONE
        return union(found)


def _entries(expr: Expr, key: str) -> Iterator[tuple[str, Expr]]:
    """The values of a result by the innermost key they stand under."""
    if isinstance(expr, Table):
        for name, value in zip(expr.keys, expr.values, strict=True):
            known = str(name.value) if isinstance(name, Const) else key
            yield from _entries(value, known)
    elif isinstance(expr, Call) and expr.kwargs:
        for name, value in expr.kwargs:
            yield from _entries(value, name or key)
        for value in expr.args:
            yield key, value
        if not isinstance(expr.func, str) or "." in expr.func:
            yield key, expr
    elif expr is not None and not (isinstance(expr, LEAF) and not isinstance(expr, str)):
        yield key, expr


def _own(item: Stmt) -> Iterator[Expr]:
    for name in ("value", "test", "source", "subject"):
        yield getattr(item, name, None)
    if isinstance(item, With):
        yield from (manager for manager, _ in item.items)


def _blocks(item: Stmt) -> Iterator[Sequence[Stmt]]:
    """The blocks directly inside a statement."""
    if isinstance(item, If | Loop):
        yield from (item.body, item.orelse)
    elif isinstance(item, With):
        yield item.body
    elif isinstance(item, Try):
        yield from (item.body, *(handler.body for handler in item.handlers), item.orelse, item.final)
    elif isinstance(item, Match):
        yield from (case.body for case in item.cases)


def _leaves(body: Sequence[Stmt]) -> bool:
    return bool(body) and isinstance(body[-1], Return | Raise | Break | Continue)
