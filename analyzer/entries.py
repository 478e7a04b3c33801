"""Functions that a sender may call again with the same message, and the calls from them to a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .bindings import known_callers
from .facts import last_name, walk_calls
from .lower import MODULE
from .modules import is_test
from .paths import Link
from .registry import Registry
from .summary import Attr, Call, Const, Expr
from .values import FunctionId

_DEPTH = 6
"""Calls between an entry and what it reaches."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that senders may call again. ``kind``: route, task, consumer, button, function or retry.

    ``said`` is the decorator, or the name, that tells. ``way``: the calls from it to the place asked for.
    """

    function: FunctionId
    kind: str
    said: str
    way: tuple[Link, ...]


def entries(registry: Registry, function: FunctionId) -> list[Entry]:
    """The entries that lead to a function, nearest first."""
    found: list[Entry] = []
    level: list[tuple[FunctionId, tuple[Link, ...]]] = [(function, ())]
    seen = {function[:2]}
    for _ in range(_DEPTH):
        following: list[tuple[FunctionId, tuple[Link, ...]]] = []
        for reached, way in sorted(level):
            entry = entry_of(registry, reached)
            if entry is not None and not is_test(reached[0]):
                found.append(Entry(reached, *entry, way))
                continue
            for caller, call in _above(registry, reached):
                if caller[:2] not in seen:
                    seen.add(caller[:2])
                    link = () if call is None else ((caller, call),)
                    following.append((caller, (*link, *way)))
        level = following
    return found


def _above(registry: Registry, function: FunctionId) -> Iterator[tuple[FunctionId, Call | None]]:
    """What calls a function, hands it to what runs it, or holds it: a nested one runs when the one around it does."""
    for caller, call in known_callers(registry.resolver, function):
        yield (caller[0], caller[1], ""), call
    hands = set(_shapes(registry)["hands"])
    for where, call in _handing(registry, function):
        if last_name(call.func) in hands:
            yield where, call
    head = registry.resolver.project.function((function[0], function[1]))
    if head is not None and head.parent and head.parent != MODULE:
        outer = registry.resolver.project.function((function[0], head.parent))
        if outer is not None and outer.name != MODULE:
            yield (function[0], head.parent, ""), None


def _shapes(registry: Registry) -> Mapping[str, Any]:
    return registry.resolver.knowledge.tables["entry_shapes"]


def _handing(registry: Registry, function: FunctionId) -> Iterator[tuple[FunctionId, Call]]:
    """The calls, outside tests, that are given the function itself."""
    project = registry.resolver.project
    name = function[1].rpartition(".")[2]
    for key in project.mentioning(name):
        for call in project.facts(key).calls if not is_test(key[0]) else ():
            for item in (*call.args, *(value for _, value in call.kwargs)):
                named = item.rpartition(".")[2] if isinstance(item, str) else getattr(item, "name", "")
                if named == name and isinstance(item, str | Attr):
                    values = registry.resolver.of(item, (*key, ""))
                    if any(value[0] in ("fn", "bound") and value[1:3] == function[:2] for value in values):
                        yield (*key, ""), call


def entry_of(registry: Registry, function: FunctionId) -> tuple[str, str] | None:
    """The kind of an entry, and what tells it; None for any other function."""
    resolver = registry.resolver
    head = resolver.project.function((function[0], function[1]))
    if head is None or function[1] == MODULE:
        return None
    shapes = _shapes(registry)
    if head.name in shapes["functions"] and not head.owner:
        return "function", head.name
    if head.owner and head.name in shapes["verbs"] and _is_view(registry, function[0], head.owner):
        return "route", head.name
    owner = (function[0], head.parent or MODULE, "")
    for decorator in head.decorators:
        func = decorator.func if isinstance(decorator, Call) else decorator
        for value in sorted(resolver.of(func, owner), key=repr):
            name = value[1] if value[0] == "ext" else f"{value[1]}.{value[2]}" if value[0] == "meth" else ""
            role = resolver.knowledge.role(resolver.canonical(name), "entry") if name else None
            role = role or (resolver.knowledge.role(name, "entry") if name else None)
            if role is not None:
                return role.options["kind"], last_name(func)
            if name and resolver.knowledge.role(name, "retries") is not None:
                return "retry", last_name(func)
        shaped = _shaped(registry, decorator, func, function)
        if shaped:
            return shaped, last_name(func)
    for _, call in _handing(registry, function):
        if (kind := shapes["registering"].get(last_name(call.func))) is not None:
            return kind, last_name(call.func)
    return ("consumer", head.name) if _consumes(registry, function) else None


def retried(registry: Registry, function: FunctionId) -> str:
    """The decorator that calls a function again when it fails, if any."""
    found = entry_of(registry, function)
    return found[1] if found is not None and found[0] == "retry" else ""


def _is_view(registry: Registry, path: str, owner: str) -> bool:
    """Whether a class of the project derives from an outside one that answers requests."""
    ends = tuple(_shapes(registry)["views"])
    found = registry.resolver.project.files[path].classes.get(owner)
    return found is not None and any(last_name(base).endswith(ends) for base in found.bases)


def _consumes(registry: Registry, function: FunctionId) -> bool:
    """Whether a function takes messages that come again unless they are acknowledged."""
    shapes = _shapes(registry)
    facts = registry.resolver.project.facts((function[0], function[1]))
    if any(facts.by_name.get(name) for name in shapes["receives"]):
        return True
    sources = [value for lets in facts.lets.values() for mode, value in lets if mode == "part"]
    names = [source for source in sources if isinstance(source, str)]
    names += [call.func for source in sources for call in walk_calls(source) if isinstance(call.func, str)]
    return any(part.strip("_") in shapes["consumers"] for name in names for part in name.split("."))


def _shaped(registry: Registry, decorator: Expr, func: Expr, function: FunctionId) -> str:
    """The kind of a decorator whose receiver is not known, by its name and its first argument."""
    table = _shapes(registry)
    last = last_name(func)
    dotted = last_name(func) != func
    if isinstance(decorator, Call) and dotted and last in table["routes"]:
        first = decorator.args[0] if decorator.args else None
        if isinstance(first, Const) and isinstance(first.value, str) and first.value[:1] in ("/", ""):
            return "route"
    if last in table["tasks"] and (dotted or last != "task") and not registry.kind((function[0], function[1])):
        return "task"
    return "button" if dotted and last in table["buttons"] and isinstance(decorator, Call) else ""
