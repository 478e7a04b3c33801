"""What stands between an entry and an answer so that the same message does not answer twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from .calls import receiver_and_verb, targets
from .facts import children, last_name, walk_calls
from .flow import Flow, Guard, TooLarge, build
from .guards import CLAIMS, SETS, is_claim
from .registry import Registry
from .summary import LEAF, Call, Const, Do, Expr, Stmt
from .values import FunctionId

Claim = Literal["claim", "check", ""]
"""claim: only one caller goes on. check: a state is looked at first, which two callers at once both pass."""

_KEYED = re.compile(
    r"idempot|dedup|(^|_)(consume|claim|compare_and_(set|swap)|cas|mark_(once|consumed|used)|already)(_|$)", re.I
)
_LOCKS = re.compile(r"(^|_)(lock|locks|mutex|semaphore|advisory_lock|acquire)(_|$)|lock$", re.I)
_STATE = re.compile(r"status|state|version|claimed|resolved|consumed|answered|pending|used")
_STORE = re.compile(r"idempot|dedup", re.I)
_ATOMIC = {
    "setnx",
    "with_for_update",
    "select_for_update",
    "find_one_and_update",
    "find_one_and_delete",
    "getdel",
    "hsetnx",
}
_BUILDS = {"on_conflict_do_nothing"}
"""Parts of a statement that adds a row or tells that it was there."""
_CHECKS = re.compile(
    r"(^|[._])(next|interrupts?|tasks|pending|status|waiting|paused|parked|resumable|done|finished|completed|answered|resolved|awaiting)([._]|$)"
)
_TAKES = {"pop", "getdel", "take", "hdel"}
_CHANGED = {"rowcount", "changes", "total_changes", "fetchone", "fetchval", "fetchall"}
_DEPTH = 2


def claimed(registry: Registry, way: Sequence[tuple[FunctionId, Call]], declared: Iterable[str] = ()) -> Claim:
    """The strongest of what stands before the calls of a way from an entry to a send."""
    found: set[str] = set()
    for function, call in way:
        found |= _before(registry, call, function, frozenset(declared))
        found |= {"claim" for name, value in call.kwargs if _rejects(registry, name, value)}
    if "claim" in found or {"lock", "check"} <= found:
        return "claim"
    return "check" if "check" in found else ""


def _before(registry: Registry, call: Call, function: FunctionId, declared: frozenset[str]) -> set[str]:
    """What stands before a call in its function, and around the function."""
    flow = _flow(registry, function)
    number = next((n for n, each in enumerate(flow.calls) if each is call), None) if flow is not None else None
    guards = flow.guards[number] if flow is not None and number is not None else ()
    found = _by_guards(registry, guards, function)
    project = registry.resolver.project
    head = project.function((function[0], function[1]))
    for decorator in head.decorators if head is not None else ():
        name = last_name(decorator.func if isinstance(decorator, Call) else decorator)
        found |= {"claim"} if _KEYED.search(name) else {"lock"} if _LOCKS.search(name) else set()
    facts = project.facts((function[0], function[1]))
    for earlier in facts.calls:
        if earlier.line < call.line or (earlier.line == call.line and earlier.column < call.column):
            found |= _by_call(registry, earlier, function, declared, _DEPTH)
    duplicates = set(registry.resolver.knowledge.tables["entry_shapes"]["duplicates"])
    for item, handler in facts.handlers:
        types = {last_name(each) for each in handler.types or ()}
        if types & duplicates and handler.line < call.line and any(_calls_in(item.body)):
            found.add("claim")
    return found


def _calls_in(body: Iterable[Stmt]) -> Iterator[Call]:
    return (call for item in body for call in walk_calls(getattr(item, "value", None)))


def _flow(registry: Registry, function: FunctionId) -> Flow | None:
    try:
        return build(registry.resolver.project.body((function[0], function[1])))
    except TooLarge:
        return None


def _by_guards(registry: Registry, guards: Iterable[Guard], function: FunctionId) -> set[str]:
    found: set[str] = set()
    for test, _ in guards:
        if is_claim(registry.resolver, test, function) or _taken(registry, test, function):
            found.add("claim")
        elif any(_CHECKS.search(name) for name in _names(registry, test, function, _DEPTH)):
            found.add("check")
    return found


def _taken(registry: Registry, test: Expr, function: FunctionId) -> bool:
    """Whether a test asks for what was taken out of something shared: ``pending.pop(token, None)``."""
    facts = registry.resolver.project.facts((function[0], function[1]))
    head = registry.resolver.project.function((function[0], function[1]))
    names = set(_names(registry, test, function, 0)) if not isinstance(test, Call) else set()
    origins = [*walk_calls(test), *(value for name in names for _, value in facts.lets.get(name, ()))]
    for call in origins:
        if isinstance(call, Call) and last_name(call.func) in _TAKES and isinstance(call.func, str) and call.args:
            root = call.func.partition(".")[0]
            own = root in facts.lets or (head is not None and any(param.name == root for param in head.params))
            if not own or root == "self":
                return True
    return False


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
    resolver = registry.resolver
    if CLAIMS.search(verb) or _KEYED.search(verb) or _STORE.search(receiver):
        return {"claim"}
    if not _dropped(registry, call, function):
        if verb in _ATOMIC or _keyed_set(call):
            return {"claim"}
        if (verb in _BUILDS or _compared(call)) and not _unread(registry, call, function):
            return {"claim"}
        if any(SETS.search(text) for text in _literals(registry, call, function)):
            return {"claim"}
    found = {"lock"} if _LOCKS.search(verb) or (_LOCKS.search(receiver) and verb in ("acquire", "__enter__")) else set()
    reached = targets(resolver, call, function)
    symbols = {resolver.project.symbol((t[0], t[1])) for t in reached.functions} | set(reached.outside)
    if not declared.isdisjoint(symbols):
        return {"claim"}
    for target in reached.functions if depth else ():
        inner = resolver.project.facts((target[0], target[1]))
        for each in inner.calls[:60]:
            found |= _by_call(registry, each, (target[0], target[1], ""), declared, depth - 1) & {"claim", "lock"}
    return found


def _dropped(registry: Registry, call: Call, function: FunctionId) -> bool:
    """Whether nobody looks at what a call gives: whoever comes second goes on as well."""
    return any(value is call for value in _ignored(registry, function))


def _unread(registry: Registry, call: Call, function: FunctionId) -> bool:
    """Whether the statement that a call builds is run, and nobody looks at what that gives."""
    lets = registry.resolver.project.facts((function[0], function[1])).lets
    names = {name for name, values in lets.items() if any(_holds(value, call) for _, value in values)}
    return any(
        _holds(value, call) or any(isinstance(arg, str) and arg in names for arg in value.args)
        for value in _ignored(registry, function)
    )


def _holds(value: Expr, call: Call) -> bool:
    return any(inner is call for inner in walk_calls(value))


def _ignored(registry: Registry, function: FunctionId) -> Iterator[Call]:
    """The calls whose result is dropped, in a function that never asks how many rows were changed."""
    project = registry.resolver.project
    head = project.function((function[0], function[1]))
    if head is not None and not _CHANGED.isdisjoint(head.names):
        return
    todo: list[Stmt] = list(project.body((function[0], function[1])))
    while todo:
        item = todo.pop()
        if not isinstance(item, Do):
            todo.extend(_inside(item))
        elif isinstance(item.value, Call):
            yield item.value


def _inside(item: Stmt) -> Iterator[Stmt]:
    for name in ("body", "orelse", "final"):
        yield from getattr(item, name, ())
    for inner in (*getattr(item, "handlers", ()), *getattr(item, "cases", ())):
        yield from inner.body


def _compared(call: Call) -> bool:
    """A statement built with an ORM: ``update(Row).where(Row.status == "pending")``."""
    links = [inner for inner in walk_calls(call) if last_name(inner.func) in ("where", "filter", "filter_by")]
    tests = [item for link in links for item in (*link.args, *(value for _, value in link.kwargs))]
    words = [word for item in tests for word in _words(item)] + [name for link in links for name, _ in link.kwargs]
    changes = any(last_name(inner.func) in ("update", "delete") for inner in walk_calls(call))
    return changes and any(_STATE.search(word) for word in words)


def _words(expr: Expr) -> list[str]:
    if isinstance(expr, str):
        return [expr.rpartition(".")[2]]
    if expr is None or isinstance(expr, LEAF):
        return []
    return [word for item in children(expr) for word in _words(item)]


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
