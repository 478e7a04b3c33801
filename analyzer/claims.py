"""What stands between an entry and an answer so that the same message does not answer twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from .calls import receiver_and_verb, targets
from .facts import children, walk_calls
from .flow import Flow, Guard, TooLarge, build
from .guards import CLAIMS, is_claim
from .registry import Registry
from .summary import LEAF, Call, Const, Expr
from .values import FunctionId

Claim = Literal["claim", "check", ""]
"""claim: only one caller goes on. check: a state is looked at first, which two callers at once both pass."""

_KEYED = re.compile(
    r"idempot|dedup|(^|_)(consume|claim|compare_and_(set|swap)|cas|mark_(once|consumed|used)|already)(_|$)", re.I
)
_LOCKS = re.compile(r"(^|_)(lock|locks|mutex|semaphore|advisory_lock|acquire)(_|$)|lock$", re.I)
_SETS = re.compile(
    r"\bupdate\b.*\bwhere\b.*\b(status|state|version|claimed\w*|resolved\w*|consumed\w*|answered\w*|pending|used\w*)\b"
    r"|\bon\s+conflict\b.*\bdo\s+nothing\b|\binsert\s+or\s+ignore\b|\bfor\s+update\b|\bdelete\b.*\breturning\b",
    re.I | re.S,
)
_ATOMIC = {
    "setnx",
    "with_for_update",
    "select_for_update",
    "find_one_and_update",
    "find_one_and_delete",
    "getdel",
    "hsetnx",
}
_CHECKS = re.compile(
    r"(^|[._])(next|interrupts?|tasks|pending|status|waiting|paused|parked|resumable|done|finished|completed|answered|resolved|awaiting)([._]|$)"
)
_DEPTH = 2


def claimed(registry: Registry, way: Sequence[tuple[FunctionId, Call]], declared: Iterable[str] = ()) -> Claim:
    """The strongest of what stands before the calls of a way from an entry to a send."""
    found: set[str] = set()
    for function, call in way:
        flow = _flow(registry, function)
        number = next((n for n, each in enumerate(flow.calls) if each is call), None) if flow is not None else None
        guards = flow.guards[number] if flow is not None and number is not None else ()
        found |= _by_guards(registry, guards, function)
        facts = registry.resolver.project.facts((function[0], function[1]))
        for earlier in facts.calls:
            if earlier.line < call.line or (earlier.line == call.line and earlier.column < call.column):
                found |= _by_call(registry, earlier, function, frozenset(declared), _DEPTH)
        found |= {"claim" for name, value in call.kwargs if _rejects(registry, name, value)}
    if "claim" in found or {"lock", "check"} <= found:
        return "claim"
    return "check" if "check" in found else ""


def _flow(registry: Registry, function: FunctionId) -> Flow | None:
    try:
        return build(registry.resolver.project.body((function[0], function[1])))
    except TooLarge:
        return None


def _by_guards(registry: Registry, guards: Iterable[Guard], function: FunctionId) -> set[str]:
    found: set[str] = set()
    for test, _ in guards:
        if is_claim(registry.resolver, test, function):
            found.add("claim")
        elif any(_CHECKS.search(name) for name in _names(registry, test, function, _DEPTH)):
            found.add("check")
    return found


def _names(registry: Registry, expr: Expr, function: FunctionId, depth: int) -> list[str]:
    """The names, attributes and literal keys that a test looks at, through local names."""
    if isinstance(expr, str):
        lets = registry.resolver.project.facts((function[0], function[1])).lets.get(expr.partition(".")[0], ())
        inner = (name for _, value in lets for name in _names(registry, value, function, depth - 1)) if depth else ()
        return [expr, *inner]
    if isinstance(expr, Const):
        return [expr.value] if isinstance(expr.value, str) and len(expr.value) < 20 else []
    if expr is None or isinstance(expr, LEAF):
        return []
    own = [expr.name] if hasattr(expr, "name") else []
    return own + [name for item in children(expr) for name in _names(registry, item, function, depth)]


def _by_call(registry: Registry, call: Call, function: FunctionId, declared: frozenset[str], depth: int) -> set[str]:
    receiver, verb = receiver_and_verb(call.func)
    if CLAIMS.search(verb) or _KEYED.search(verb) or verb in _ATOMIC or _keyed_set(call):
        return {"claim"}
    if any(_SETS.search(text) for text in _literals(registry, call, function)):
        return {"claim"}
    found = {"lock"} if _LOCKS.search(verb) or (_LOCKS.search(receiver) and verb in ("acquire", "__enter__")) else set()
    reached = targets(registry.resolver, call, function)
    symbols = {registry.resolver.project.symbol((t[0], t[1])) for t in reached.functions} | set(reached.outside)
    if not declared.isdisjoint(symbols):
        return {"claim"}
    for target in reached.functions if depth else ():
        inner = registry.resolver.project.facts((target[0], target[1]))
        for each in inner.calls[:60]:
            found |= _by_call(registry, each, (target[0], target[1], ""), declared, depth - 1) & {"claim", "lock"}
    return found


def _keyed_set(call: Call) -> bool:
    """``redis.set(key, value, nx=True)``."""
    return any(name == "nx" and isinstance(value, Const) and value.value is True for name, value in call.kwargs)


def _literals(registry: Registry, call: Call, function: FunctionId) -> Iterator[str]:
    """The texts that a call, or one inside its arguments, is given: literals, and names of literals."""
    items = [*call.args, *(value for _, value in call.kwargs)]
    items += [arg for item in items for inner in walk_calls(item) for arg in inner.args]
    for item in items:
        if isinstance(item, Const):
            found = {("const", item.value)}
        else:
            found = set(registry.resolver.of(item, function)) if isinstance(item, str) else set()
        yield from (value[1] for value in found if value[0] == "const" and isinstance(value[1], str))


def _rejects(registry: Registry, name: str, value: Expr) -> bool:
    told = registry.resolver.knowledge.table("entry_shapes", "rejects") or {}
    return isinstance(value, Const) and name in told and told[name] == value.value
