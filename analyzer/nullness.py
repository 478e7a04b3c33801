"""Whether a value may be None where a call takes it, and where that None comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from . import bindings
from .calling import bind_arguments
from .calls import targets
from .facts import walk_calls
from .summary import (
    LEAF,
    Call,
    Const,
    Do,
    Expr,
    If,
    Let,
    Loop,
    Match,
    Op,
    Raise,
    Return,
    Stmt,
    Try,
    Walrus,
    With,
)
from .values import FunctionId, Resolver

_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Null:
    """One thing a value may be. ``kind``: none, some or unknown.

    ``line`` is where a None is written, 0 where an argument is left out; ``passed`` holds the call
    that hands it on, with the function around it. ``said``: what is written, None or the False that stands for it.
    ``kept`` is the line of a handler that goes on with it.
    """

    kind: str
    path: str = ""
    line: int = 0
    passed: tuple[FunctionId, int, int, int, int] | None = None
    said: str = "None"
    kept: int = 0


_SOME, _UNKNOWN = Null("some"), Null("unknown")
_Env = dict[str, frozenset[Null]]


def states(resolver: Resolver, expr: Expr, call: Call, function: FunctionId, depth: int = _DEPTH) -> frozenset[Null]:
    """What the expression may be when the call is made."""
    key = (repr(expr), call.line, call.column, call.end_column, function, depth)
    if key not in resolver.nulls:
        resolver.nulls[key] = frozenset({_UNKNOWN})
        resolver.nulls[key] = _states(resolver, expr, call, function, depth)
    return resolver.nulls[key]


def _states(resolver: Resolver, expr: Expr, call: Call, function: FunctionId, depth: int) -> frozenset[Null]:
    walk = _Walk(resolver, function, call, depth)
    walk.block(resolver.project.body((function[0], function[1])), {})
    env = walk.found if walk.found is not None else {}
    return walk.value(expr, env, call.line)


def null_test(test: Expr) -> tuple[str, bool] | None:
    """The name that a condition asks to be None or not, and the outcome for which it is None."""
    truth = True
    while isinstance(test, Op) and test.kind == "not":
        test, truth = test.items[0], not truth
    if isinstance(test, str):
        return test, not truth
    if not isinstance(test, Op) or test.kind not in ("is", "==", "is not", "!=") or len(test.items) != 2:
        return None
    name, other = test.items
    if isinstance(name, str) and isinstance(other, Const) and other.value is None:
        return name, (test.kind in ("is", "==")) is truth
    return None


class _Walk:
    """Follows names through the branches of a body up to a call, or to every return."""

    def __init__(self, resolver: Resolver, function: FunctionId, call: Call | None, depth: int) -> None:
        self.resolver = resolver
        self.function = function
        self.call = call
        self.depth = depth
        self.found: _Env | None = None
        self.returned: set[Null] = set()

    def block(self, body: Sequence[Stmt], env: _Env | None) -> _Env | None:
        for item in body:
            if env is None:
                return None
            env = self.statement(item, dict(env))
        return env

    def statement(self, item: Stmt, env: _Env) -> _Env | None:
        for expr in _own(item):
            self._look(expr, env)
        if isinstance(item, Let):
            for target in item.targets:
                if isinstance(target, str):
                    env[target] = self.value(item.value, env, item.line)
        elif isinstance(item, If):
            then, other = self._assume(item.test, env)
            return _join(self.block(item.body, then), self.block(item.orelse, other))
        elif isinstance(item, Loop):
            return _join(env, self.block(item.orelse, _join(env, self.block(item.body, dict(env)))))
        elif isinstance(item, With):
            for manager, target in item.items:
                if isinstance(target, str):
                    env[target] = frozenset({_SOME}) if isinstance(manager, Call) else frozenset({_UNKNOWN})
            return self.block(item.body, env)
        elif isinstance(item, Try):
            after = self.block(item.body, dict(env))
            thrown = _join(env, after) or env
            result = self.block(item.orelse, after)
            for handler in item.handlers:
                caught = {name: _kept(nulls, handler.line) for name, nulls in thrown.items()}
                result = _join(result, self.block(handler.body, caught))
            return self.block(item.final, result)
        elif isinstance(item, Match):
            result = None if any(case.always for case in item.cases) else env
            for case in item.cases:
                result = _join(result, self.block(case.body, dict(env)))
            return result
        elif isinstance(item, Return):
            self.returned |= self.value(item.value, env, item.line)
            return None
        elif isinstance(item, Raise):
            return None
        elif type(item).__name__ in ("Break", "Continue"):
            return env
        return env

    def _look(self, expr: Expr, env: _Env) -> None:
        if self.call is None or self.found is not None or expr is None or isinstance(expr, LEAF):
            return
        if any(found is self.call for found in walk_calls(expr)):
            self.found = dict(env)

    def _assume(self, test: Expr, env: _Env) -> tuple[_Env, _Env]:
        told = null_test(test)
        if told is None:
            return dict(env), dict(env)
        name, null_if_true = told
        known = env[name] if name in env else self._named(name)
        null, some = dict(env), dict(env)
        null[name] = frozenset(n for n in known if n.kind != "some") or known
        some[name] = frozenset(n for n in known if n.kind != "none") or frozenset({_SOME})
        return (null, some) if null_if_true else (some, null)

    def value(self, expr: Expr, env: _Env, line: int) -> frozenset[Null]:
        if expr is None:
            return frozenset({_UNKNOWN})
        if isinstance(expr, Const):
            none = expr.value is None or expr.value is False
            return frozenset({Null("none", self.function[0], line, None, str(expr.value))} if none else {_SOME})
        if isinstance(expr, str):
            return env[expr] if expr in env else self._named(expr)
        if isinstance(expr, Op):
            if expr.kind == "if":
                return self.value(expr.items[1], env, line) | self.value(expr.items[2], env, line)
            if expr.kind == "or":
                first = [n for item in expr.items[:-1] for n in self.value(item, env, line) if n.kind != "none"]
                return frozenset(first) | self.value(expr.items[-1], env, line)
            if expr.kind == ":":
                return self.value(expr.items[1], env, line)
            return frozenset({_UNKNOWN})
        if isinstance(expr, Walrus):
            return self.value(expr.value, env, line)
        if isinstance(expr, Call):
            return self._called(expr)
        return frozenset({_UNKNOWN})

    def _called(self, call: Call) -> frozenset[Null]:
        found = targets(self.resolver, call, self.function)
        if not found.functions or not self.depth:
            return frozenset({_SOME if found.outside and not found.functions else _UNKNOWN})
        result: set[Null] = set()
        for target in found.functions:
            head = self.resolver.project.function((target[0], target[1]))
            if head is None or head.name == "__init__":
                result.add(_SOME)
                continue
            result |= _returned(self.resolver, target, self.depth - 1)
        return frozenset(result)

    def _named(self, name: str) -> frozenset[Null]:
        head = self.resolver.project.function((self.function[0], self.function[1]))
        if head is None or not self.depth or not any(param.name == name for param in head.params):
            return frozenset({_UNKNOWN})
        default = next(param.default for param in head.params if param.name == name)
        found: set[Null] = set()
        for where, call in bindings.known_callers(self.resolver, self.function):
            given = list(bind_arguments(head, call, name, bool(head.owner)))
            at = (where, call.line, call.column, call.end_line, call.end_column)
            for expr in given:
                for null in states(self.resolver, expr, call, where, self.depth - 1):
                    found.add(null if null.kind != "none" or null.passed else replace(null, passed=at))
            if not given:
                none = isinstance(default, Const) and (default.value is None or default.value is False)
                found.add(Null("none", self.function[0], 0, at) if none else _UNKNOWN)
        return frozenset(found) or frozenset({_UNKNOWN})


def _returned(resolver: Resolver, function: FunctionId, depth: int) -> frozenset[Null]:
    """What a function may return."""
    key = ("returned", function, depth)
    if key not in resolver.nulls:
        resolver.nulls[key] = frozenset({_UNKNOWN})
        walk = _Walk(resolver, function, None, depth)
        walk.block(resolver.project.body((function[0], function[1])), {})
        resolver.nulls[key] = frozenset(walk.returned or {_UNKNOWN})
    return resolver.nulls[key]


def _kept(nulls: frozenset[Null], line: int) -> frozenset[Null]:
    """What a handler goes on with."""
    return frozenset(replace(n, kept=line) if n.kind == "none" and n.passed is None else n for n in nulls)


def _own(item: Stmt) -> Iterator[Expr]:
    """The expressions a statement evaluates itself, not those of its blocks."""
    if isinstance(item, Do | Let | Return | Raise):
        yield item.value
    elif isinstance(item, If):
        yield item.test
    elif isinstance(item, Loop):
        yield item.source
    elif isinstance(item, With):
        for manager, _ in item.items:
            yield manager
    elif isinstance(item, Match):
        yield item.subject


def _join(left: _Env | None, right: _Env | None) -> _Env | None:
    if left is None or right is None:
        return right if left is None else left
    return {
        name: left.get(name, frozenset({_UNKNOWN})) | right.get(name, frozenset({_UNKNOWN})) for name in {*left, *right}
    }
