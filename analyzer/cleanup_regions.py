"""Code around a wait that runs when the run parks: ``finally``, wide handlers, exits of ``with`` blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .exits import decorating_exits, exits, is_generator
from .facts import children, last_name, walk_calls
from .literals import names_in
from .lower import MODULE
from .paths import Link
from .summary import LEAF, Call, Const, Expr, Handler, If, Let, Loop, Match, Op, Raise, Stmt, Try, With
from .suspension import Suspension
from .values import FunctionId

How = Literal["finally", "handler", "exit", "callback"]
Skip = Callable[[Expr, bool], bool | None]
"""Whether code under a condition is left out when the run parks; False where only then it runs."""

_CALLBACKS = {"callback", "push_async_callback"}
_STACKS = {"ExitStack", "AsyncExitStack"}
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Region:
    """Calls of ``function`` that run when the exception of a wait leaves a block; None: all of them.

    ``failing``: they run as though the block had failed, and not where it ends well. ``entered`` is
    the way from the function that holds the block, which begins at ``line``.
    """

    how: How
    failing: bool
    line: int
    brings: Call | Raise
    function: FunctionId
    calls: frozenset[int] | None
    entered: tuple[Link, ...]
    skip: Skip


def regions(suspension: Suspension, function: FunctionId) -> Iterator[Region]:
    """What cleans up around the waits of a function."""
    project = suspension.order.resolver.project
    body, head = project.body((function[0], function[1])), project.function((function[0], function[1]))
    brings = suspension.leaving(function, body)
    if head is None or not brings:
        return
    alive = {id(item) for item in brings}
    for item in _statements(body):
        if isinstance(item, Try):
            found = _of_try(suspension, function, item)
        else:
            found = _of_with(suspension, function, item) if isinstance(item, With) else iter(())
        yield from (region for region in found if id(region.brings) in alive)
    owner = (function[0], head.parent or MODULE, "")
    for decorator in head.decorators:
        for leave in decorating_exits(suspension.order.resolver, decorator, owner):
            call = decorator if isinstance(decorator, Call) else None
            entered = ((owner, call),) if call is not None else ()
            yield from _left(suspension, leave, brings[0], call.line if call is not None else head.line, entered)


def _of_try(suspension: Suspension, function: FunctionId, item: Try) -> Iterator[Region]:
    inside = suspension.leaving(function, item.body)
    handler = _passing_handler(suspension, function, item) if inside else None
    if handler is not None:
        skip = _unless_told_apart(suspension, handler, function)
        yield Region("handler", True, handler.line, inside[0], function, _ids(handler.body), (), skip)
    brings = suspension.leaving(function, [Try(item.body, item.handlers, item.orelse, [], item.line)])
    if item.final and brings:
        skip = _when(_bound(item.body, brings[0].line), False)
        yield Region("finally", False, item.line, brings[0], function, _ids(item.final), (), skip)


def _of_with(suspension: Suspension, function: FunctionId, item: With) -> Iterator[Region]:
    brings = suspension.leaving(function, item.body)
    if not brings:
        return
    for manager, target in item.items:
        call = manager if isinstance(manager, Call) else None
        call = call or Call(manager, [], [], item.line, item.column, item.line, item.column + 4)
        for leave in exits(suspension.order.resolver, manager, function):
            yield from _left(suspension, leave, brings[0], item.line, ((function, call),))
        if isinstance(target, str) and isinstance(manager, Call) and last_name(manager.func) in _STACKS:
            told = {f"{target}.{name}" for name in _CALLBACKS}
            calls = (c for inner in item.body for c in _calls(inner))
            ids = frozenset(id(c) for c in calls if c.func in told and c.line <= brings[0].line)
            yield Region("callback", False, item.line, brings[0], function, ids, (), _never)


def _left(
    suspension: Suspension,
    leave: FunctionId,
    brings: Call | Raise,
    line: int,
    entered: tuple[Link, ...],
    depth: int = _DEPTH,
) -> Iterator[Region]:
    """What an exit method runs, or a generator behind its ``yield``, when the block is left."""
    resolver = suspension.order.resolver
    if not is_generator(resolver, leave):
        head = resolver.project.function((leave[0], leave[1]))
        names = {param.name for param in head.params[1:]} if head is not None else set()
        yield Region("exit", False, line, brings, leave, None, entered, _when(names, True))
        return
    for item in _statements(resolver.project.body((leave[0], leave[1]))):
        if isinstance(item, Try) and any(map(_yields, item.body)):
            handler = _passing_handler(suspension, leave, item)
            if handler is not None:
                skip = _unless_told_apart(suspension, handler, leave)
                yield Region("exit", True, line, brings, leave, _ids(handler.body), entered, skip)
            skip = _when(_bound(item.body, 0), False)
            yield Region("exit", False, line, brings, leave, _ids(item.final), entered, skip)
        elif isinstance(item, With) and depth and any(map(_yields, item.body)):
            for manager, _ in item.items:
                link = ((leave, manager),) if isinstance(manager, Call) else ()
                for inner in exits(resolver, manager, leave):
                    yield from _left(suspension, inner, brings, line, (*entered, *link), depth - 1)


def _passing_handler(suspension: Suspension, function: FunctionId, item: Try) -> Handler | None:
    """The wide handler that takes the exception of a wait and raises it again; one that names it means the wait."""
    names = suspension.order.resolver.knowledge.table("suspension", "exceptions")
    known = {name.rpartition(".")[2] for name in names}
    for handler in item.handlers:
        if suspension.catches(handler, function):
            again = suspension.raises_again(handler.body, handler.name, function)
            return handler if again and not any(last_name(kind) in known for kind in handler.types or ()) else None
    return None


# conditions


def _never(_test: Expr, _truth: bool) -> bool | None:
    return None


def _unless_told_apart(suspension: Suspension, handler: Handler, function: FunctionId) -> Skip:
    """Skips what an ``isinstance`` test keeps from the exception of a wait."""

    def skip(test: Expr, truth: bool) -> bool | None:
        told = suspension.passing.asks_for_suspension(test, handler.name, function)
        return None if told is None or told is truth else True

    return skip


def _when(names: set[str], parking: bool) -> Skip:
    """Conditions on names, or on ``sys.exc_info()``, that are true or not (``parking``) when the run parks."""

    def skip(test: Expr, truth: bool) -> bool | None:
        while isinstance(test, Op) and test.kind == "not":
            test, truth = test.items[0], not truth
        by_name = not names.isdisjoint(names_in(test))
        if not by_name and not _asks_exc_info(test):
            return None
        now = parking if by_name else True
        if isinstance(test, Op) and (test.kind, truth) in (("and", True), ("or", False)):
            told = {skip(item, truth) for item in test.items}
            return True if True in told else False if False in told else None
        if isinstance(test, Op) and test.kind in ("is", "==", "is not", "!=") and test.items[1:] == [Const(None)]:
            truth = truth if test.kind in ("is not", "!=") else not truth
        elif isinstance(test, Op | Call) and not _asks_exc_info(test):
            return True
        return truth is not now

    return skip


def _asks_exc_info(test: Expr) -> bool:
    return test is not None and any(last_name(call.func) in ("exc_info", "exception") for call in walk_calls(test))


def _bound(body: Iterable[Stmt], line: int) -> set[str]:
    """The names that statements bind from a line on, and not before it."""
    before, later = set[str](), set[str]()
    for item in _statements(body):
        if isinstance(item, Let):
            targets = [t for target in item.targets for t in (getattr(target, "items", None) or [target])]
            (later if item.line >= line else before).update(name for name in targets if isinstance(name, str))
    return later - before


# statements


def _ids(body: Iterable[Stmt]) -> frozenset[int]:
    return frozenset(id(call) for item in body for call in _calls(item))


def _calls(item: Stmt) -> Iterator[Call]:
    for expr in _expressions(item):
        if expr is not None and not isinstance(expr, LEAF):
            yield from walk_calls(expr)
    for block in blocks(item):
        for inner in block:
            yield from _calls(inner)


def _expressions(item: Stmt) -> Iterator[Expr]:
    for name in ("value", "test", "source", "subject"):
        yield getattr(item, name, None)
    if isinstance(item, Let):
        yield from item.targets
    elif isinstance(item, With):
        yield from (manager for manager, _ in item.items)
    elif isinstance(item, Match):
        yield from (case.guard for case in item.cases)


def blocks(item: Stmt) -> Iterator[Sequence[Stmt]]:
    """The blocks of statements inside a statement."""
    if isinstance(item, If | Loop):
        yield from (item.body, item.orelse)
    elif isinstance(item, With):
        yield item.body
    elif isinstance(item, Match):
        yield from (case.body for case in item.cases)
    elif isinstance(item, Try):
        yield from (item.body, *(handler.body for handler in item.handlers), item.orelse, item.final)


def _statements(body: Iterable[Stmt]) -> Iterator[Stmt]:
    for item in body:
        yield item
        for block in blocks(item):
            yield from _statements(block)


def _yields(item: Stmt) -> bool:
    inner = any(_yields(other) for block in blocks(item) for other in block)
    return inner or any(_has_yield(expr) for expr in _expressions(item))


def _has_yield(expr: Expr) -> bool:
    if isinstance(expr, Op) and expr.kind == "yield":
        return True
    return expr is not None and any(_has_yield(child) for child in children(expr))
