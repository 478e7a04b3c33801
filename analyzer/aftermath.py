"""What may still run once a call has run: a walk over a body that keeps what is known of its names.

The walk knows two courses at every place, one on which the call has not run and one on which it has,
each with what is known there. A course that a condition rules out ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .assigned import bound
from .exclusion import Fact, Known, Names, Term, assume, learn, shared, term
from .facts import FILLERS, MERGERS, children, last_name
from .flow import CONCURRENT, catches_all
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
    Stmt,
    Try,
    Walrus,
    With,
)

MOST_STEPS = 20_000
"""Expressions and statements that are looked at for one call, rounds of loops included."""

Place = tuple[int, int, int, int]
Touches = Callable[[Call, Term], bool]
"""Whether a call may change what a term comes to."""

_EMPTIES = {"pop", "popleft", "popitem", "clear", "remove", "discard", "sort", "reverse", "__setitem__", "__delitem__"}
_GROWS = {"append", "add", "appendleft", "insert"}


class TooLong(Exception):
    """The body takes more steps than are spent on it."""


class Course(NamedTuple):
    """What is known where the call has not run, and where it has; None where control cannot be."""

    before: Known | None = None
    after: Known | None = None


NOWHERE = Course()


@dataclass(slots=True)
class _Left:
    """The courses that leave a block, by how."""

    ways: dict[str, Course] = field(default_factory=dict)

    def add(self, way: str, course: Course) -> None:
        self.ways[way] = _join(self.ways.get(way, NOWHERE), course)

    def take(self, way: str) -> Course:
        return self.ways.pop(way, NOWHERE)

    def merge(self, other: _Left) -> None:
        for way, course in other.ways.items():
            self.add(way, course)


def place(call: Call | Raise) -> Place:
    """Where a call or raise stands."""
    return (call.line, call.column, call.end_line, call.end_column)


def reached(
    body: Sequence[Stmt], call: Call, rounds: bool, names: Names, touches: Touches, gives: bool = False
) -> tuple[set[Place], int]:
    """The calls and raises that may run after the call, in the same rounds of all loops or in any (``rounds``).

    And the steps that it took. ``gives``: what the call returns is never None. Raises TooLong.
    """
    walk = _Walk(call, rounds, names, touches, gives)
    walk.block(body, Course({}, None))
    return walk.found, walk.steps


class _Walk:
    def __init__(self, call: Call, rounds: bool, names: Names, touches: Touches, gives: bool) -> None:
        self.call = place(call)
        self.gives = gives
        self.rounds = rounds
        self.names = names
        self.touches = touches
        self.found: set[Place] = set()
        self.left = _Left()
        self.notes = True
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLong

    # statements

    def block(self, body: Sequence[Stmt], course: Course) -> Course:
        for item in body:
            if course == NOWHERE:
                break
            self.step()
            if not (isinstance(item, Let) and isinstance(item.value, Const)):
                self.left.add("raise", course)
            course = self.statement(item, course)
        return course

    def statement(self, item: Stmt, course: Course) -> Course:
        if isinstance(item, Do):
            course = self.expr(item.value, course)
            if isinstance(item.value, Op) and item.value.kind == "del":
                for gone in item.value.items:
                    course = self.bind(gone, None, course)
            return course
        if isinstance(item, Let):
            course = self.expr(item.value, course)
            for target in item.targets:
                course = self.bind(target, item.value, course if isinstance(target, str) else self.expr(target, course))
            return course
        if isinstance(item, If):
            course = self.expr(item.test, course)
            then = self.block(item.body, self.assume(item.test, True, course))
            return _join(then, self.block(item.orelse, self.assume(item.test, False, course)))
        if isinstance(item, Loop):
            return self.loop(item, course)
        if isinstance(item, Try):
            return self.try_(item, course)
        if isinstance(item, With):
            return self.with_(item, course)
        if isinstance(item, Match):
            course, last, whole = self.expr(item.subject, course), NOWHERE, False
            for case in item.cases:
                guarded = self.assume(case.guard, True, self.expr(case.guard, self.captured(course)))
                last = _join(last, self.block(case.body, guarded))
                whole |= case.always
            return last if whole else _join(last, course)
        if isinstance(item, Break | Continue):
            self.left.add("break" if isinstance(item, Break) else "continue", course)
            return NOWHERE
        course = self.expr(item.value, course)
        if isinstance(item, Raise):
            self.note(place(item), course)
            self.left.add("raise", course)
        else:
            self.left.add("return", course)
        return NOWHERE

    def captured(self, course: Course) -> Course:
        """A pattern may bind any name."""
        before, after = (
            None if known is None else {of: facts for of, facts in known.items() if of.words} for known in course
        )
        return Course(before, after)

    def loop(self, item: Loop, course: Course) -> Course:
        if item.is_for:
            course = self.expr(item.source, course)
        outer, noting = self.left, self.notes
        head = course
        self.notes = noting and self.rounds
        while True:
            left, after, end = self.round(item, head)
            wider = _join(head, end)
            if wider == head:
                break
            head = wider
        self.notes = noting
        if noting and not self.rounds:
            self.round(item, Course(head.before, None if course.after is None else head.after))
        self.left = outer
        broken = left.take("break")
        outer.merge(left)
        return _join(self.block(item.orelse, after), broken)

    def round(self, item: Loop, head: Course) -> tuple[_Left, Course, Course]:
        """What leaves a round, where the loop ends, and where the next round begins."""
        self.step()
        self.left = left = _Left()
        if item.is_for:
            after, inside = head, self.bind(item.target, None, head)
        else:
            tested = self.expr(item.source, head)
            after, inside = self.assume(item.source, False, tested), self.assume(item.source, True, tested)
        end = self.block(item.body, inside)
        return left, after, _join(end, left.take("continue"))

    def try_(self, item: Try, course: Course) -> Course:
        outer = self.left
        self.left = body = _Left()
        last = self.block(item.body, course)
        if item.handlers:
            caught = body.take("raise")
            self.left = rest = _Left()
            last = self.block(item.orelse, last)
            for handler in item.handlers:
                last = _join(last, self.block(handler.body, self.bind(handler.name or None, None, caught)))
            if not any(catches_all(handler) for handler in item.handlers):
                rest.add("raise", caught)
            body.merge(rest)
        else:
            last = self.block(item.orelse, last)
        self.left = outer
        if not item.final:
            outer.merge(body)
            return last
        for way in sorted(body.ways):
            outer.add(way, self.block(item.final, body.ways[way]))
        return self.block(item.final, last)

    def with_(self, item: With, course: Course) -> Course:
        outer = self.left
        self.left = body = _Left()
        quiet = False
        for manager, target in item.items:
            course = self.expr(manager, course)
            line, column = item.line, item.column
            entered = Call(Attr(manager, "__enter__"), [], [], line, column, line, column + 4)
            course = self.bind(target, None, self.visit(entered, course))
            quiet |= isinstance(manager, Call) and "suppress" in last_name(manager.func)
        course = self.block(item.body, course)
        self.left = outer
        if quiet:
            course = _join(course, body.take("raise"))
        outer.merge(body)
        return course

    # expressions

    def expr(self, expr: Expr, course: Course) -> Course:
        if expr is None or isinstance(expr, LEAF) or course == NOWHERE:
            return course
        self.step()
        if isinstance(expr, Op) and expr.kind in ("and", "or"):
            last = NOWHERE
            for item in expr.items:
                course = self.expr(item, course)
                last = _join(last, self.assume(item, expr.kind == "or", course))
                course = self.assume(item, expr.kind == "and", course)
            return _join(last, course)
        if isinstance(expr, Op) and expr.kind == "if":
            test, then, other = expr.items
            course = self.expr(test, course)
            left = self.expr(then, self.assume(test, True, course))
            return _join(left, self.expr(other, self.assume(test, False, course)))
        if isinstance(expr, Comp):
            return self.comprehension(expr, course)
        if isinstance(expr, Walrus):
            return self.bind(expr.target, expr.value, self.expr(expr.value, course))
        together = isinstance(expr, Call) and last_name(expr.func) in CONCURRENT
        for child in (*children(expr), *children(expr)) if together else children(expr):
            course = self.expr(child, course)
        return self.visit(expr, course) if isinstance(expr, Call) else course

    def comprehension(self, expr: Comp, course: Course) -> Course:
        skipped = course
        for number in range(2 if self.rounds else 1):
            for target, source, tests in expr.loops:
                course = self.bind(target, None, self.expr(source, course))
                skipped = course if not number else _join(skipped, course)
                for test in tests:
                    course = self.assume(test, True, self.expr(test, course))
            for item in expr.items:
                course = self.expr(item, course)
            course = _join(skipped, course)
        return course

    def visit(self, call: Call, course: Course) -> Course:
        at = place(call)
        self.note(at, course)
        course = self.disturbed(call, course)
        self.left.add("raise", course)
        if at == self.call:
            course = Course(None, _either(course.before, course.after))
            self.left.add("raise", course)
        return course

    def note(self, at: Place, course: Course) -> None:
        if course.after is not None and self.notes:
            self.found.add(at)

    # what is known

    def assume(self, test: Expr, truth: bool, course: Course) -> Course:
        if test is None:
            return course
        before, after = (None if known is None else assume(known, test, truth, self.names) for known in course)
        return Course(before, after)

    def bind(self, target: Expr, value: Expr, course: Course) -> Course:
        before, after = (
            None if known is None else bound(known, target, value, self.names, self.result) for known in course
        )
        return Course(before, after)

    def result(self, expr: Expr) -> bool:
        """Whether the value is what the call gave, or a part of it: once it has run, there is one."""
        part = False
        while isinstance(expr, Attr | Item) or (isinstance(expr, Call) and place(expr) != self.call):
            expr, part = (expr.func if isinstance(expr, Call) else expr.base), True
        return isinstance(expr, Call) and (part or self.gives)

    def disturbed(self, call: Call, course: Course) -> Course:
        before, after = (None if known is None else self.changed(call, known) for known in course)
        return Course(before, after)

    def changed(self, call: Call, known: Known) -> Known:
        if not known:
            return known
        verb = last_name(call.func)
        holder = call.func.rpartition(".")[0] if isinstance(call.func, str) else ""
        kept = known
        if verb in FILLERS or verb in MERGERS or verb in _EMPTIES:
            kept = {of: facts for of, facts in known.items() if holder not in of.paths}
            of = term(holder, self.names) if verb in _GROWS and holder else None
            if of is not None:
                kept = learn(kept, of, Fact("truth", None, True))
        gone = {of for of in kept if self.touches(call, of)}
        return {of: facts for of, facts in kept.items() if of not in gone} if gone else kept


def _either(left: Known | None, right: Known | None) -> Known | None:
    return right if left is None else left if right is None else shared(left, right)


def _join(left: Course, right: Course) -> Course:
    return Course(_either(left.before, right.before), _either(left.after, right.after))
