"""The control-flow graph of one body, built from its skeleton when somebody needs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .absence import after_loop, in_else, in_handler
from .facts import children
from .postorder import postorder
from .summary import (
    LEAF,
    Attr,
    Break,
    Call,
    Comp,
    Continue,
    Do,
    Expr,
    Handler,
    If,
    Let,
    Loop,
    Match,
    Op,
    Raise,
    Return,
    Stmt,
    Try,
    With,
)

MOST_NODES = 60_000
"""Copies of finally blocks can multiply; a body that grows past this is given up."""

Guard = tuple[Expr, bool]
"""A condition that decides whether a node runs, and the truth it must have."""

CONCURRENT = {"gather", "wait", "as_completed"}
_CATCH_ALL = {"Exception", "BaseException"}


_MOST_ENDS = 8
"""Open ends of a block after which they are joined: edges would else grow with their square."""
_MOST_GUARDS = 100
"""Tests that left before, which are remembered at a node."""


class TooLarge(Exception):
    """The body has more nodes than a graph is built for."""


@dataclass(slots=True)
class Flow:
    """Nodes by number. A node holds a call, a raise, or nothing.

    ``after`` are the nodes that follow normally, ``back`` those that follow by another round of a
    loop, ``failing`` the node that an exception raised here goes to.
    """

    calls: list[Call | None] = field(default_factory=list)
    raises: list[Raise | None] = field(default_factory=list)
    guards: list[tuple[Guard, ...]] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    back: list[list[int]] = field(default_factory=list)
    failing: list[int] = field(default_factory=list)
    entry: int = 0
    exit: int = 1
    failure: int = 2
    _ranks: list[int] = field(default_factory=list)

    def ranks(self) -> list[int]:
        """For each node its place in an order in which a node stands before those that follow it."""
        if len(self._ranks) != len(self.calls):
            numbers = postorder([self.entry], lambda node: (self.failing[node], *self.after[node]))
            self._ranks = [len(numbers) - numbers.get(node, -1) for node in range(len(self.calls))]
        return self._ranks


def build(body: Sequence[Stmt], stops_at_yield: bool = False) -> Flow:
    """The graph of a body. ``stops_at_yield``: what follows a yield belongs to somebody else's exit.

    Raises TooLarge.
    """
    builder = _Builder(stops_at_yield)
    last = builder.block(body, [builder.flow.entry])
    builder.link(last, builder.flow.exit)
    return builder.flow


@dataclass(slots=True)
class _Around:
    """A loop or a finally block around the statement at hand."""

    final: Sequence[Stmt] | None
    head: int
    leaving: list[int]
    failing: int


class _Builder:
    def __init__(self, stops_at_yield: bool) -> None:
        self.flow = Flow()
        self.failing = 2
        self.guards: tuple[Guard, ...] = ()
        self.around: list[_Around] = []
        self.stops_at_yield = stops_at_yield
        for _ in range(3):
            self.node([])

    def node(self, before: Sequence[int], call: Call | None = None, raised: Raise | None = None) -> int:
        flow = self.flow
        number = len(flow.calls)
        if number > MOST_NODES:
            raise TooLarge
        flow.calls.append(call)
        flow.raises.append(raised)
        flow.guards.append(self.guards)
        flow.after.append([])
        flow.back.append([])
        flow.failing.append(self.failing)
        self.link(before, number)
        return number

    def link(self, before: Sequence[int], number: int) -> None:
        for earlier in before:
            if number not in self.flow.after[earlier]:
                self.flow.after[earlier].append(number)

    def block(self, body: Sequence[Stmt], before: list[int]) -> list[int]:
        outer = self.guards
        for item in body:
            if not before:
                break
            before = self.statement(item, before)
            if len(before) > _MOST_ENDS:
                before = [self.node(before)]
            if isinstance(item, If) and before:
                if _leaves(item.body):
                    self.guards = (*self.guards[-_MOST_GUARDS:], (item.test, False))
                elif item.orelse and _leaves(item.orelse):
                    self.guards = (*self.guards[-_MOST_GUARDS:], (item.test, True))
            elif isinstance(item, Loop) and before and (nothing := after_loop(item)) is not None:
                self.guards = (*self.guards[-_MOST_GUARDS:], (nothing, True))
        self.guards = outer
        return before

    def statement(self, item: Stmt, before: list[int]) -> list[int]:
        if isinstance(item, Do):
            return self.expr(item.value, before)
        if isinstance(item, Let):
            before = self.expr(item.value, before)
            for target in item.targets:
                before = self.expr(target, before)
            return before
        if isinstance(item, If):
            before = self.expr(item.test, before)
            then = self.guarded(item.test, True, item.body, before)
            return _merge(then, self.guarded(item.test, False, item.orelse, before))
        if isinstance(item, Loop):
            return self.loop(item, before)
        if isinstance(item, Return):
            self.leave(self.expr(item.value, before), 0, self.flow.exit)
            return []
        if isinstance(item, Raise):
            number = self.node(self.expr(item.value, before), None, item)
            self.link([number], self.failing)
            return []
        if isinstance(item, Try):
            return self.try_(item, before)
        if isinstance(item, With):
            return self.with_(item, before)
        if isinstance(item, Match):
            return self.match(item, before)
        self.jump(isinstance(item, Break), before)
        return []

    def guarded(self, test: Expr, truth: bool, body: Sequence[Stmt], before: list[int]) -> list[int]:
        outer = self.guards
        if test is not None:
            self.guards = (*outer, (test, truth))
        after = self.block(body, list(before))
        self.guards = outer
        return after

    def leave(self, before: list[int], depth: int, target: int) -> None:
        """Go to the target through the finally blocks above the depth."""
        outer, failing = self.around, self.failing
        for index in range(len(outer) - 1, depth - 1, -1):
            around = outer[index]
            if around.final is not None and before:
                self.around, self.failing = outer[:index], around.failing
                before = self.block(around.final, before)
        self.around, self.failing = outer, failing
        self.link(before, target)

    def jump(self, out: bool, before: list[int]) -> None:
        for index in range(len(self.around) - 1, -1, -1):
            around = self.around[index]
            if around.final is None:
                join = self.node([])
                self.leave(before, index + 1, join)
                around.leaving.append(join)
                if not out:
                    self.flow.back[join].append(around.head)
                return

    def loop(self, item: Loop, before: list[int]) -> list[int]:
        if item.is_for:
            before = self.expr(item.source, before)
        head = self.node(before)
        around = _Around(None, head, [], self.failing)
        self.around.append(around)
        inside = [head] if item.is_for else self.expr(item.source, [head])
        last = self.guarded(None if item.is_for else item.source, True, item.body, inside)
        self.around.pop()
        for number in last:
            self.flow.back[number].append(head)
        if item.forever:
            skipped: list[int] = []
            broken = [n for n in around.leaving if head not in self.flow.back[n]]
        else:
            skipped = _merge(inside if not item.is_for else [head], last)
            broken = around.leaving
        if item.orelse:
            skipped = self.guarded(in_else(item), True, item.orelse, skipped)
        return _merge(skipped, broken)

    def try_(self, item: Try, before: list[int]) -> list[int]:
        outer = self.failing
        final = item.final
        if final:
            self.failing = self.node([])
            unwinding = self.failing
            self.around.append(_Around(final, -1, [], outer))
        caught = self.failing
        if item.handlers:
            self.failing = self.node([])
            dispatch = self.failing
            entry = self.node(before)
            self.link([entry], dispatch)
            last = self.block(item.body, [entry])
            self.failing = caught
            last = self.block(item.orelse, last) if item.orelse else last
            for handler in item.handlers:
                caught_here = self.guarded(in_handler(handler, item.body), True, handler.body, [self.node([dispatch])])
                last = _merge(last, caught_here)
            if not any(catches_all(handler) for handler in item.handlers):
                self.link([dispatch], caught)
        else:
            last = self.block(item.orelse, self.block(item.body, before))
        if final:
            self.around.pop()
            self.failing = outer
            self.link(self.block(final, [unwinding]), outer)
            last = self.block(final, last)
        self.failing = outer
        return last

    def with_(self, item: With, before: list[int]) -> list[int]:
        for manager, _ in item.items:
            before = self.expr(manager, before)
            line, column = item.line, item.column
            call = Call(Attr(manager, "__enter__"), [], [], line, column, line, column + 4)
            before = [self.node(before, call)]
        return self.block(item.body, before)

    def match(self, item: Match, before: list[int]) -> list[int]:
        before = self.expr(item.subject, before)
        last: list[int] = []
        for case in item.cases:
            last = _merge(last, self.block(case.body, self.expr(case.guard, list(before))))
        if not any(case.always for case in item.cases):
            last = _merge(last, before)
        return last

    def expr(self, expr: Expr, before: list[int]) -> list[int]:
        if expr is None or isinstance(expr, LEAF):
            return before
        if isinstance(expr, Op):
            return self.operator(expr, before)
        if isinstance(expr, Comp):
            return self.comprehension(expr, before)
        if isinstance(expr, Call) and _last(expr.func) in CONCURRENT:
            start = self.node(before)
            before = [start]
            for child in children(expr):
                before = self.expr(child, before)
            if before != [start]:
                self.link(before, start)
            return [self.node(before, expr)]
        for child in children(expr):
            if child is not None and not isinstance(child, str):
                before = self.expr(child, before)
        return [self.node(before, expr)] if isinstance(expr, Call) else before

    def operator(self, expr: Op, before: list[int]) -> list[int]:
        if expr.kind in ("and", "or"):
            outer = self.guards
            last: list[int] = []
            for item in expr.items:
                before = self.expr(item, before)
                last = _merge(last, before)
                self.guards = (*self.guards, (item, expr.kind == "and"))
            self.guards = outer
            return last
        if expr.kind == "if":
            test, then, other = expr.items
            before = self.expr(test, before)
            outer = self.guards
            self.guards = (*outer, (test, True))
            left = self.expr(then, list(before))
            self.guards = (*outer, (test, False))
            right = self.expr(other, list(before))
            self.guards = outer
            return _merge(left, right)
        for item in expr.items:
            before = self.expr(item, before)
        if expr.kind == "yield" and self.stops_at_yield:
            self.link(before, self.flow.exit)
            return []
        return before

    def comprehension(self, expr: Comp, before: list[int]) -> list[int]:
        heads: list[int] = []
        outer = self.guards
        for _, source, tests in expr.loops:
            before = self.expr(source, before)
            head = self.node(before)
            heads.append(head)
            before = [head]
            for test in tests:
                before = self.expr(test, before)
                self.guards = (*self.guards, (test, True))
        for item in expr.items:
            before = self.expr(item, before)
        self.guards = outer
        for number in before:
            if number not in heads:
                self.flow.back[number].extend(heads)
        return _merge(before, heads[:1])


def _merge(left: list[int], right: list[int]) -> list[int]:
    return left + [number for number in right if number not in left]


def _last(func: Expr) -> str:
    return func.rsplit(".", 1)[-1] if isinstance(func, str) else getattr(func, "name", "")


def _leaves(body: Sequence[Stmt]) -> bool:
    """Whether the block always ends by leaving: return, raise, break or continue."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, Return | Raise | Break | Continue):
        return True
    if isinstance(last, If):
        return _leaves(last.body) and _leaves(last.orelse)
    return False


def catches_all(handler: Handler) -> bool:
    """Whether nothing passes the handler that is an exception of a program."""
    return handler.types is None or any(
        isinstance(item, str) and item.rsplit(".", 1)[-1] in _CATCH_ALL for item in handler.types
    )
