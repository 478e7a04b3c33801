"""Answers to waits: where one is made, and the calls that send it to a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .bindings import known_callers, skips_self
from .calling import argument, bind_arguments
from .calls import handed, targets
from .facts import children, last_name
from .lower import MODULE
from .paths import Link
from .project import FunctionKey
from .registry import GraphSite, Registry
from .summary import LEAF, Call, Const, Expr, Table
from .values import FunctionId

_DEPTH = 4
"""Calls over which an answer is followed."""


@dataclass(frozen=True, slots=True)
class Send:
    """A call that runs a graph with an answer. ``way``: the calls that handed the answer on to it.

    ``graphs`` are the sites of the graphs it may run; none where the receiver is not known.
    """

    function: FunctionId
    call: Call
    config: Expr
    way: tuple[Link, ...]
    graphs: tuple[GraphSite, ...]


@dataclass(frozen=True, slots=True)
class Resume:
    """An answer: the call that makes it, its value, the state update beside it, and where it is sent."""

    function: FunctionId
    call: Call
    value: Expr
    update: Expr
    sends: tuple[Send, ...]


def resuming(registry: Registry) -> list[tuple[FunctionId, Call]]:
    """The calls that make an answer, by place."""
    return [(function, call) for function, call, options in _made(registry) if _gives_word(call, options["keyword"])]


def telling(registry: Registry) -> list[FunctionId]:
    """The functions that make what answers a wait by the state alone: what asks looks there first.

    What a function only returns may as well be the update of a node, unless it is seen to be sent to a graph.
    """
    found: set[FunctionId] = set()
    for function, call, options in _made(registry):
        if not _gives_word(call, options["state"]) or any(_gives_word(call, word) for word in options["beside"]):
            continue
        facts = registry.resolver.project.facts(function[:2])
        names = {name for name, lets in facts.lets.items() for _, value in lets if _gives(value, call)}
        returned = any(_carries(value, call, names) for value in facts.returns)
        if not returned or any(_sent(registry, call, function, (), _DEPTH)):
            found.add(function)
    return sorted(found)


def _gives_word(call: Call, keyword: str) -> bool:
    return any(word == keyword for word, _ in call.kwargs)


def _made(registry: Registry) -> list[tuple[FunctionId, Call, Mapping[str, Any]]]:
    """The calls that make what a graph is run with to go on, by place."""
    found: list[tuple[FunctionId, Call, Mapping[str, Any]]] = []
    resolver = registry.resolver
    project = resolver.project
    for role in resolver.knowledge.entries["resume"]:
        words = {role.options["keyword"], role.options["state"]}
        for name in role.options["names"]:
            last = name.rpartition(".")[2]
            for alias in sorted({last} | project.aliases.get(last, set())):
                for key in project.mentioning(alias):
                    for call in project.facts(key).by_name.get(alias, ()):
                        given = any(word in words for word, _ in call.kwargs)
                        if given and ("ext", name) in resolver.of(call.func, (*key, "")):
                            found.append(((*key, ""), call, role.options))
    unique = {(each[0], each[1].line, each[1].column): each for each in found}
    return [unique[place] for place in sorted(unique)]


def resumes(registry: Registry) -> list[Resume]:
    """Every answer of the project, by place."""
    made: list[Resume] = []
    for function, call in resuming(registry):
        value, update = argument(call, None, "resume"), argument(call, None, "update")
        sends = {(s.function, s.call.line, s.call.column): s for s in _sent(registry, call, function, (), _DEPTH)}
        made.append(Resume(function, call, value, update, tuple(sends[place] for place in sorted(sends))))
    return made


def _sent(registry: Registry, expr: Expr, function: FunctionId, way: tuple[Link, ...], depth: int) -> Iterator[Send]:
    """The sends of what an expression of the function gives."""
    if depth == 0:
        return
    project = registry.resolver.project
    facts = project.facts((function[0], function[1]))
    names = {expr} if isinstance(expr, str) else set[str]()
    names |= {name for name, lets in facts.lets.items() for mode, value in lets if mode == "is" and _gives(value, expr)}
    for call in facts.calls:
        yield from _spread(call, expr, function, names, registry, way)
        carried = [item for item in (*call.args, *(v for _, v in call.kwargs)) if _carries(item, expr, names)]
        if carried:
            yield from _handed(registry, call, carried[0], function, way, depth)
    for inner in _closures(registry, function):
        used = project.facts(inner)
        for name in sorted(names):
            if any(mentions(item, name) for call in used.calls for item in (*call.args, *(v for _, v in call.kwargs))):
                yield from _sent(registry, name, (*inner, function[2]), way, depth - 1)
    if any(_carries(value, expr, names) for value in facts.returns):
        for caller, call in sorted(known_callers(registry.resolver, function), key=_place):
            yield from _sent(registry, call, caller, (*way, (caller, call)), depth - 1)


def _spread(
    call: Call, expr: Expr, function: FunctionId, names: set[str], registry: Registry, way: tuple[Link, ...]
) -> Iterator[Send]:
    """The answer is in a dict of arguments: ``graph.invoke(**{"input": answer, "config": config})``."""
    lets = registry.resolver.project.facts((function[0], function[1])).lets
    for word, given in call.kwargs if _runs(registry, call) else ():
        values = [value for _, value in lets.get(given, ())] if isinstance(given, str) else [given]
        for table in values if not word else ():
            if isinstance(table, Table) and any(_carries(value, expr, names) for value in table.values):
                pairs = zip(table.keys, table.values, strict=True)
                config = next((v for key, v in pairs if isinstance(key, Const) and key.value == "config"), None)
                graphs = targets(registry.resolver, call, function).graphs
                yield Send(function, call, config, way, tuple(g for g in graphs if g))


def _runs(registry: Registry, call: Call) -> bool:
    methods = {m for role in registry.resolver.knowledge.entries["run"] for m in role.options["methods"]}
    return last_name(call.func) in methods


def _closures(registry: Registry, function: FunctionId) -> list[FunctionKey]:
    """The functions inside a function; they see its names."""
    file = registry.resolver.project.file(function[0])
    heads = file.summary.functions if file is not None and function[1] != MODULE else ()
    return [(function[0], head.qualname) for head in heads if head.parent == function[1]]


def _place(link: Link) -> tuple[FunctionId, int, int]:
    return link[0], link[1].line, link[1].column


def _gives(value: Expr, wanted: Expr) -> bool:
    """Whether evaluating ``value`` may give what ``wanted`` gives: either arm of a choice."""
    if value is wanted or (isinstance(value, str) and value == wanted):
        return True
    choice = getattr(value, "kind", "") in ("if", "or", "and")
    return choice and any(_gives(item, wanted) for item in children(value))


def _carries(item: Expr, expr: Expr, names: set[str]) -> bool:
    return _gives(item, expr) or any(_gives(item, name) for name in names)


def _handed(
    registry: Registry, call: Call, item: Expr, function: FunctionId, way: tuple[Link, ...], depth: int
) -> Iterator[Send]:
    """The answer is an argument of a call: one that runs a graph, or one of the project that goes on."""
    resolver = registry.resolver
    made = handed(resolver, call, function) or call
    reached = targets(resolver, made, function)
    for target in reached.functions:
        head = resolver.project.function((target[0], target[1]))
        if head is None or registry.kind((target[0], target[1])) == "entrypoint":
            continue
        for param in head.params:
            if item in list(bind_arguments(head, made, param.name, skips_self(head))):
                inner = (target[0], target[1], "")
                yield from _sent(registry, param.name, inner, (*way, (function, call)), depth - 1)
    if _runs(registry, made) and (reached.graphs or not reached.functions):
        yield Send(function, call, argument(made, 1, "config"), way, tuple(g for g in reached.graphs if g))


def is_empty(value: Expr) -> bool:
    """Whether an answer is one that never arrives: ``None`` or ``{}``."""
    if isinstance(value, Const):
        return value.value is None
    return isinstance(value, Table) and not value.keys


def enclosing(registry: Registry, function: FunctionId) -> FunctionId:
    """The outermost function around one, or itself."""
    key: FunctionKey = (function[0], function[1])
    while True:
        head = registry.resolver.project.function(key)
        parent = head.parent if head is not None else ""
        if not parent or parent == MODULE or registry.resolver.project.function((key[0], parent)) is None:
            return (*key, "")
        key = (key[0], parent)


def mentions(expr: Expr, name: str) -> bool:
    """Whether an expression uses a name."""
    if isinstance(expr, str):
        return expr.partition(".")[0] == name
    if expr is None or isinstance(expr, LEAF):
        return False
    return any(mentions(child, name) for child in children(expr))
