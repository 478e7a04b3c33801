"""Which bindings of a name a call or a return may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .facts import Mode, children, walk_calls
from .summary import (
    LEAF,
    Call,
    Const,
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
    Try,
    Walrus,
    With,
)  # fmt: skip

Env = Mapping[str, frozenset[int]]
"""For each name the numbers of its bindings; a name that is not here keeps what it came in with."""

_Env = dict[str, frozenset[int]]

CAME_IN = -1
"""The binding that a parameter, or a name of the scope around, came in with."""

_ROUNDS = 3
"""Times a loop's body is walked, until its end adds nothing to its start."""

_NESTED = 4
"""Loops inside loops that are walked more than once."""


class Reaching:
    """The bindings of one body, and those that reach each call and each return."""

    def __init__(self, body: Sequence[Stmt]) -> None:
        self.bindings: list[tuple[Mode, Expr, Env]] = []
        """How a name is bound, to what, and what reaches that value."""
        self.returns: list[tuple[Expr, Env]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self.names: set[str] = set()
        self._calls: dict[int, Env] = {}
        self._exits: list[list[_Env]] = []
        self._block(body, {})

    def at(self, call: Call | None) -> Env | None:
        """What reaches a call of the body; None for one that is not there or never runs."""
        return self._calls.get(id(call))

    def _block(self, body: Sequence[Stmt], env: _Env | None) -> _Env | None:
        for item in body:
            if env is None:
                return None
            env = self._statement(item, dict(env))
        return env

    def _statement(self, item: Stmt, env: _Env) -> _Env | None:
        if isinstance(item, Let):
            self._look(item.value, env)
            before = dict(env)
            for place, target in enumerate(item.targets):
                self._bind((id(item), place), target, "is", item.value, before, env)
        elif isinstance(item, If):
            self._look(item.test, env)
            return _join(self._block(item.body, dict(env)), self._block(item.orelse, dict(env)))
        elif isinstance(item, Loop):
            return self._loop(item, env)
        elif isinstance(item, With):
            for place, (manager, target) in enumerate(item.items):
                self._look(manager, env)
                self._bind((id(item), place), target, "enter", manager, dict(env), env)
            return self._block(item.body, env)
        elif isinstance(item, Try):
            return self._try(item, env)
        elif isinstance(item, Match):
            self._look(item.subject, env)
            result = None if any(case.always for case in item.cases) else env
            for case in item.cases:
                result = _join(result, self._block(case.body, dict(env)))
            return result
        elif isinstance(item, Return):
            self._look(item.value, env)
            self.returns.append((item.value, env))
            return None
        elif isinstance(item, Raise):
            self._look(item.value, env)
            return None
        elif isinstance(item, Do):
            self._look(item.value, env)
            if isinstance(item.value, Op) and item.value.kind == "yield":
                self.returns.append((item.value.items[0], env))
        else:
            if self._exits:
                self._exits[-1].append(env)
            return None
        return env

    def _loop(self, item: Loop, env: _Env) -> _Env | None:
        self._look(item.source, env)
        start: _Env | None = env
        for _ in range(_ROUNDS if len(self._exits) < _NESTED else 1):
            inner = dict(start or env)
            if item.is_for:
                self._bind((id(item), 0), item.target, "part", item.source, dict(env), inner)
            self._exits.append([])
            after = self._block(item.body, inner)
            for left in self._exits.pop():
                after = _join(after, left)
            joined = _join(start, after)
            if joined == start:
                break
            start = joined
        return _join(self._block(item.orelse, dict(start or env)), start)

    def _try(self, item: Try, env: _Env) -> _Env | None:
        after = self._block(item.body, dict(env))
        thrown = _join(env, after) or env
        result = self._block(item.orelse, after)
        for handler in item.handlers:
            result = _join(result, self._block(handler.body, dict(thrown)))
        return self._block(item.final, result if result is not None or not item.final else dict(thrown))

    def _bind(self, key: tuple[int, ...], target: Expr, mode: Mode, value: Expr, before: Env, env: _Env) -> None:
        if isinstance(target, Star):
            target = target.value
        if isinstance(target, Seq):
            same = isinstance(value, Seq) and mode == "is" and len(value.items) == len(target.items)
            for place, part in enumerate(target.items):
                given = value.items[place] if same and isinstance(value, Seq) else value
                inner = mode if same else "part"
                if mode == "is" and not same and not any(isinstance(each, Star) for each in target.items):
                    given, inner = Item(value, Const(place)), "is"
                self._bind((*key, place), part, inner, given, before, env)
        elif isinstance(target, str):
            self.names.add(target)
            number = self._numbers.setdefault(key, len(self.bindings))
            if number == len(self.bindings):
                self.bindings.append((mode, value, dict(before)))
            else:
                self.bindings[number] = (mode, value, _join(dict(self.bindings[number][2]), dict(before)) or {})
            env[target] = frozenset({number})

    def _look(self, expr: Expr, env: _Env) -> None:
        for call in walk_calls(expr) if expr is not None else ():
            seen = self._calls.get(id(call))
            self._calls[id(call)] = dict(env) if seen is None else _join(dict(seen), env) or {}
        for place, walrus in enumerate(_walruses(expr)):
            self._bind((id(walrus), place), walrus.target, "is", walrus.value, dict(env), env)


def _walruses(expr: Expr) -> Iterator[Walrus]:
    if expr is None or isinstance(expr, LEAF):
        return
    for child in children(expr):
        yield from _walruses(child)
    if isinstance(expr, Walrus):
        yield expr


def _join(left: _Env | None, right: _Env | None) -> _Env | None:
    if left is None or right is None:
        return left if right is None else right
    came = frozenset({CAME_IN})
    return {name: left.get(name, came) | right.get(name, came) for name in left.keys() | right.keys()}
