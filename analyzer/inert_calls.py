"""Calls that do nothing, by the constants they are given: ``send(mail, dry_run=True)`` where the function begins with
``if dry_run: return``."""

from __future__ import annotations

from collections.abc import Sequence

from .bindings import skips_self
from .calling import bind_arguments
from .facts import walk_calls
from .summary import Call, Const, Do, Expr, Function, If, Let, Op, Raise, Return, Stmt
from .values import FunctionId, Resolver

_QUIET = {"debug", "info", "warning", "log", "print"}


def is_inert(resolver: Resolver, call: Call, target: FunctionId) -> bool:
    """Whether a function leaves at its top for the constants that the call gives it."""
    head = resolver.project.function(target[:2])
    if head is None or not head.params or any(not name for name, _ in call.kwargs):
        return False
    for item in resolver.project.body(target[:2]):
        if isinstance(item, If):
            told = _told(item.test, head, call)
            if told is None:
                return False
            branch = item.body if told else item.orelse
            if _leaves(branch):
                return _does_nothing(branch)
            if branch:
                return False
        elif not _does_nothing([item]):
            return False
    return False


def _told(test: Expr, head: Function, call: Call) -> bool | None:
    """What a test of a parameter says, where the call gives it a constant; None where that is not known."""
    if isinstance(test, Op) and test.kind == "not":
        told = _told(test.items[0], head, call)
        return None if told is None else not told
    if isinstance(test, Op) and test.kind in ("is", "is not", "==", "!=") and isinstance(test.items[1], Const):
        given = _constant(test.items[0], head, call)
        same = given is not None and given.value == test.items[1].value
        return None if given is None else same is (test.kind in ("is", "=="))
    given = _constant(test, head, call)
    return None if given is None else bool(given.value)


def _constant(expr: Expr, head: Function, call: Call) -> Const | None:
    if not isinstance(expr, str) or all(param.name != expr for param in head.params):
        return None
    given = list(bind_arguments(head, call, expr, skips_self(head)))
    if not given:
        given = [param.default for param in head.params if param.name == expr]
    return given[0] if len(given) == 1 and isinstance(given[0], Const) else None


def _leaves(body: Sequence[Stmt]) -> bool:
    return bool(body) and isinstance(body[-1], Return | Raise)


def _does_nothing(body: Sequence[Stmt]) -> bool:
    """Whether statements call nothing but logs."""
    for item in body:
        if not isinstance(item, Do | Let | Return):
            return False
        for made in walk_calls(item.value):
            last = made.func.rpartition(".")[2] if isinstance(made.func, str) else ""
            if last not in _QUIET:
                return False
    return True
