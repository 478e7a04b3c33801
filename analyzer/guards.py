"""Conditions under which an effect runs that make its repetition harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .absence import NOT_THERE, NOTHING_IN, looked_through, parts_of
from .calls import receiver_and_verb, targets
from .facts import last_name, walk_calls
from .flow import Guard
from .literals import arguments
from .summary import Attr, Call, Comp, Const, Expr, Item, Op, Seq
from .values import FunctionId, Resolver

_ASKS = re.compile(
    r"(^|_)(exists?|already|was|seen|processed|is_sent|is_done|has|contains|sismember|is_duplicate|lookup|find|done)(_|$)"
)
CLAIMS = re.compile(
    r"(^|_)(claim|claims|setnx|acquire_once|mark_once|try_acquire|reserve_key|first_time|insert_if_absent|put_if_absent|get_or_create|once|only_once)(_|$)"
)
SETS = re.compile(
    r"\bupdate\b.*\bwhere\b.*\b(status|state|version|claimed\w*|resolved\w*|consumed\w*|answered\w*|pending|used\w*)\b"
    r"|\bon\s+conflict\b.*\bdo\s+nothing\b|\binsert\s+or\s+ignore\b|\bfor\s+update\b|\bdelete\b.*\breturning\b",
    re.I | re.S,
)
"""Statements that change a row once: the count of rows, or the row, tells who was first."""

_STATUS = re.compile(r"(^|_)(status|state|sent|done|paid|at|\w+ed)$")
_TERMINAL = {
    "first", "one", "one_or_none", "scalar", "scalar_one", "scalar_one_or_none", "scalars", "fetchone", "fetchall",
    "fetchval", "fetchrow", "all", "count", "exists", "find_one", "get", "get_or_none", "execute",
}  # fmt: skip
_QUERY = {"query", "execute", "select", "filter", "filter_by", "where", "objects", "table", "collection", "find"}
_KEPT = {"repo", "repository", "store", "db", "dao", "table", "collection", "session", "ledger", "outbox", "redis"}
"""Receivers whose ``get`` looks something up that outlives the process."""

_REPLAY = re.compile(r"resum|scratchpad|replay")
_DEPTH = 3
_SOME = {(">", 0), (">=", 1)}
_NONE = {("<", 1), ("<=", 0)}
"""Comparisons of a count that say that there is something, or nothing."""


def is_safe(resolver: Resolver, guards: Iterable[Guard], function: FunctionId) -> bool:
    """Whether a durable "already done" record, or a claim, decides that the effect runs.

    A look-up counts when the effect runs because nothing was found; a row's status when it is
    compared. What the same node's state or a cache in memory says does not count: neither outlives
    the attempt.
    """
    return any(_durable(resolver, test, truth, function) for test, truth in guards)


def is_claim(resolver: Resolver, test: Expr, function: FunctionId) -> bool:
    """Whether a test asks something that only one caller is told: a claim, a compare-and-set."""
    return any(
        CLAIMS.search(receiver_and_verb(call.func)[1]) for call in _origins(resolver, test, function)
    ) or _claimed(resolver, test, function)


def skips_on_resume(resolver: Resolver, guards: Iterable[Guard], function: FunctionId) -> bool:
    """Whether the code runs only on the first attempt: it asks the framework whether it was resumed."""
    for test, _ in guards:
        for call in walk_calls(test):
            if _REPLAY.search(receiver_and_verb(call.func)[1]):
                for target in targets(resolver, call, function).functions:
                    head = resolver.project.function((target[0], target[1]))
                    if head is not None and "resume" in head.names:
                        return True
        if any(_REPLAY.search(name) for name in _attributes(test)):
            return True
    return False


def _attributes(expr: Expr) -> list[str]:
    if isinstance(expr, str):
        return expr.split(".")[1:]
    if isinstance(expr, Attr):
        return [expr.name, *_attributes(expr.base)]
    if isinstance(expr, Op):
        return [name for item in expr.items for name in _attributes(item)]
    return []


def _durable(resolver: Resolver, test: Expr, truth: bool, function: FunctionId) -> bool:
    while isinstance(test, Op) and test.kind == "not":
        test, truth = test.items[0], not truth
    if isinstance(test, Op):
        if test.kind in ("and", "or"):
            if (test.kind == "and") is truth:
                return any(_durable(resolver, item, truth, function) for item in test.items)
            return all(_durable(resolver, item, truth, function) for item in test.items)
        if test.kind in ("is", "==", "is not", "!=") and len(test.items) == 2:
            left, right = test.items
            same = truth if test.kind in ("is", "==") else not truth
            if isinstance(right, Const) and right.value in (None, False, 0):
                if not same:
                    return _claimed(resolver, left, function)
                return _looked_up(resolver, left, function) or _row_status(resolver, left, function)
            if isinstance(right, Const) and right.value == 404 and same:
                return _looked_up(resolver, left, function) or _part_of_read(resolver, left, function)
            if isinstance(right, Const) and right.value is True:
                return _durable(resolver, left, same, function)
            if isinstance(right, Const) and right.value == 1 and same and _counted(resolver, left, function):
                return True
            return any(_row_status(resolver, s, function) or _asks_status(resolver, s, function) for s in (left, right))
        if test.kind in ("in", "not in") and len(test.items) == 2:
            return (test.kind == "not in") is truth and _looked_up(resolver, test.items[1], function)
        if test.kind in (NOTHING_IN, NOT_THERE):
            return any(_looked_up(resolver, item, function) for item in test.items)
        if test.kind in (">", "<", "<=", ">="):
            left, right = test.items[0], test.items[-1]
            some = (test.kind, right.value) in _SOME if isinstance(right, Const) else None
            none = (test.kind, right.value) in _NONE if isinstance(right, Const) else None
            if (some and truth) or (none and not truth):  # something was found
                return _counted(resolver, left, function)
            return any(_looked_up(resolver, item, function) for item in test.items)
        return False
    if truth:
        return _claimed(resolver, test, function) or _row_status(resolver, test, function)
    return _looked_up(resolver, test, function) or _row_status(resolver, test, function)


def _origins(resolver: Resolver, expr: Expr, function: FunctionId, entered: bool = False) -> list[Call]:
    """The calls that a tested value comes from, through local names, also those bound to a part of themselves.

    ``entered``: also what entering a context gives.
    """
    lets = resolver.project.facts((function[0], function[1])).lets
    found: list[Call] = []
    seen: set[str] = set()
    todo = [expr]
    while todo:
        each = todo.pop()
        if isinstance(each, Call):
            found.append(each)
            todo.extend(looked_through(each))
        elif isinstance(each, Attr | Item):
            todo.append(each.base)
        elif isinstance(each, Comp):
            todo.extend(source for _, source, _ in each.loops)
        elif isinstance(each, Op | Seq):
            todo.extend(parts_of(each))
        elif isinstance(each, str) and "." not in each and each not in seen:
            seen.add(each)
            todo.extend(value for mode, value in reversed(lets.get(each, ())) if entered or mode != "enter")
    return found


def _looked_up(resolver: Resolver, expr: Expr, function: FunctionId, depth: int = _DEPTH) -> bool:
    return any(_is_read(resolver, call, function, depth) for call in _origins(resolver, expr, function))


def _is_read(resolver: Resolver, call: Call, function: FunctionId, depth: int) -> bool:
    """Whether a call looks something up that outlives the attempt."""
    found = targets(resolver, call, function)
    args, kwargs = arguments(resolver, call, function)
    for name in found.outside:
        effect = resolver.effects.classify(name, args, kwargs)
        if effect is not None and effect.action == "read":
            return True
    receiver, verb = receiver_and_verb(call.func)
    if _is_query(call) or (verb == "get" and receiver.rsplit("_", 1)[-1] in _KEPT):
        return True
    if verb in _TERMINAL and depth:
        holder = call.func.base if isinstance(call.func, Attr) else str(call.func).rpartition(".")[0]
        if holder and _looked_up(resolver, holder, function, depth - (not isinstance(holder, Call))):
            return True
    if not found.known or (not receiver and not found.functions):
        guessed = resolver.effects.guess(receiver, verb, args, kwargs)
        if guessed is not None:
            return guessed.action == "read"
        return bool(_ASKS.search(verb)) and receiver not in ("state", "self")
    for target in found.functions if depth else ():
        facts = resolver.project.facts((target[0], target[1]))
        if any(_is_read(resolver, inner, target, depth - 1) for inner in facts.calls):
            return True
    if not isinstance(call.func, Attr) or not depth:
        return False
    base = call.func.base
    return _looked_up(resolver, base, function, depth if isinstance(base, Call) else depth - 1)


def _is_query(call: Call) -> bool:
    """``session.query(X).filter(...).first()``, ``session.scalar(select(X))`` and the like."""
    if last_name(call.func) not in _TERMINAL:
        return False
    links: list[Expr] = [*call.args]
    if isinstance(call.func, Attr):
        links.append(call.func.base)
    while links:
        link = links.pop()
        if isinstance(link, Call):
            if last_name(link.func) in _QUERY:
                return True
            links.append(link.func.base if isinstance(link.func, Attr) else None)
    return False


def _claimed(resolver: Resolver, expr: Expr, function: FunctionId) -> bool:
    if _counted(resolver, expr, function):
        return True
    for call in _origins(resolver, expr, function, entered=True):
        verb = receiver_and_verb(call.func)[1]
        if CLAIMS.search(verb) or any(name == "nx" for name, _ in call.kwargs):
            return True
    return False


def _asks_status(resolver: Resolver, expr: Expr, function: FunctionId) -> bool:
    """``db.get_status(key)``."""
    if not isinstance(expr, Call):
        return False
    receiver, verb = receiver_and_verb(expr.func)
    kept = receiver.rstrip("0123456789").rsplit("_", 1)[-1] in _KEPT
    return bool(_STATUS.search(verb)) and (kept or _is_read(resolver, expr, function, _DEPTH))


def _counted(resolver: Resolver, expr: Expr, function: FunctionId) -> bool:
    """Whether a value is the number of rows that a statement changed which changes a row once."""
    lets = resolver.project.facts((function[0], function[1])).lets
    given = [value for _, value in lets.get(expr, ())] if isinstance(expr, str) and "." not in expr else [expr]
    for value in given:
        if last_name(value) == "rowcount":
            base = value.base if isinstance(value, Attr) else str(value).rpartition(".")[0]
            for call in _origins(resolver, base, function):
                args, kwargs = arguments(resolver, call, function)
                if any(SETS.search(each.text or "") for each in (*args, *kwargs.values())):
                    return True
    return False


def _part_of_read(resolver: Resolver, expr: Expr, function: FunctionId) -> bool:
    """Whether an expression is an attribute of something that was looked up: ``response.status_code``."""
    return isinstance(expr, str) and "." in expr and _looked_up(resolver, expr.rpartition(".")[0], function)


def _row_status(resolver: Resolver, expr: Expr, function: FunctionId) -> bool:
    """``row.status`` or ``row["sent_at"]`` of something that was read."""
    if isinstance(expr, str) and "." in expr:
        base, name = expr.rsplit(".", 1)
        return bool(_STATUS.search(name)) and _looked_up(resolver, base, function)
    if isinstance(expr, Attr):
        return bool(_STATUS.search(expr.name)) and _looked_up(resolver, expr.base, function)
    if isinstance(expr, Item) and isinstance(expr.key, Const) and isinstance(expr.key.value, str):
        return bool(_STATUS.search(expr.key.value)) and _looked_up(resolver, expr.base, function)
    return False
