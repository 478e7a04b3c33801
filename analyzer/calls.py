"""Where a call goes: project functions, outside names, graphs that it runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from .attributes import method_of
from .calling import argument
from .facts import last_name
from .solver import MANY, Value, Values
from .summary import Attr, Call, Const, Expr, Seq, Table
from .values import FunctionId, Resolver, Site


@dataclass(frozen=True, slots=True)
class Targets:
    """What a call may reach.

    ``functions`` of the project, ``outside`` names in canonical form, ``graphs`` it runs (the site
    of their builder; an empty site is a graph nobody saw being built), ``known``: whether anything
    at all is known of what is called.
    """

    functions: tuple[FunctionId, ...]
    outside: tuple[str, ...]
    graphs: tuple[Site | tuple[()], ...]
    known: bool


def targets(resolver: Resolver, call: Call, function: FunctionId) -> Targets:
    """Where the call goes."""
    found = targets_of(resolver, resolver.of(call.func, function), call, function)
    method = call.func.rsplit(".", 1)[-1] if isinstance(call.func, str) else getattr(call.func, "name", "")
    position = resolver.knowledge.table("invoking_methods", "names")
    if found.functions or method not in position:
        return found
    functions: set[FunctionId] = set()
    _add(resolver, resolver.of(argument(call, position[method], None), function), call, function, functions)
    return replace(found, functions=tuple(sorted(functions)))


def targets_of(resolver: Resolver, values: Collection[Value], call: Call, function: FunctionId) -> Targets:
    """Where a call of these values goes."""
    functions: set[FunctionId] = set()
    outside: set[str] = set()
    graphs: set[Site | tuple[()]] = set()
    for value in values:
        _follow(resolver, value, call, function, functions, outside, graphs)
    return Targets(tuple(sorted(functions)), tuple(sorted(outside)), tuple(sorted(graphs)), any(map(_tells, values)))


def _tells(value: Value) -> bool:
    """Whether a value says what is called: ``x.add(...)`` alone does not make ``x`` a container."""
    return value != MANY and not (value[0] == "bmeth" and value[1][0] in ("fill", "ffill"))


def _follow(
    resolver: Resolver,
    value: Value,
    call: Call,
    function: FunctionId,
    functions: set[FunctionId],
    outside: set[str],
    graphs: set[Site | tuple[()]],
) -> None:
    kind = value[0]
    if kind in ("fn", "bound"):
        functions.add(resolver.enter((value[1], value[2]), value[3], call, function))
    elif kind == "cls":
        for name in ("__init__", "__post_init__"):
            method = method_of(resolver, (value[1], value[2]), name)
            if method is not None:
                functions.add(resolver.enter(method, "", call, function))
    elif kind == "obj":
        inner = resolver.solver.solve(lambda: resolver.attributes([value], "__call__"))
        _add(resolver, inner, call, function, functions)
    elif kind == "ext":
        outside.add(value[1])
        role = resolver.knowledge.role(value[1], "invokes")
        if role is not None:
            handed = argument(call, role.options.get("position"), role.options.get("keyword"))
            _add(resolver, resolver.of(handed, function), call, function, functions)
    elif kind == "meth":
        outside.add(resolver.canonical(f"{value[1]}.{value[2]}"))
        if resolver.knowledge.role(f"{value[1]}.{value[2]}", "run") is not None:
            graphs.add(value[3])
        role = resolver.knowledge.role(f"{value[1]}.{value[2]}", "invokes")
        if role is not None:
            handed = argument(call, role.options.get("position"), role.options.get("keyword"))
            _add(resolver, resolver.of(handed, function), call, function, functions)
    elif kind == "inst":
        outside.add(resolver.canonical(f"{value[1]}.__call__"))


def _add(resolver: Resolver, values: Values, call: Call, function: FunctionId, functions: set[FunctionId]) -> None:
    for value in values:
        if value[0] in ("fn", "bound"):
            functions.add((value[1], value[2], value[3]))


def handed(resolver: Resolver, call: Call, function: FunctionId) -> Call | None:
    """The call that another one makes of what it is handed: ``to_thread(f, x)`` as ``f(x)``."""
    position: int | None = None
    for value in resolver.of(call.func, function):
        name = value[1] if value[0] == "ext" else f"{value[1]}.{value[2]}" if value[0] == "meth" else ""
        role = resolver.knowledge.role(name, "invokes") if name else None
        if role is not None and "arguments" in role.options:
            return _started(call, role.options["position"], role.options["keyword"], role.options["arguments"])
        if role is not None and "keyword" not in role.options:
            position = role.options["position"]
    if position is None:
        known = resolver.knowledge.table("invoking_methods", "names")
        position = known.get(last_name(call.func)) if known else None
    if position is None or position >= len(call.args) or not isinstance(call.args[position], str | Attr):
        return None
    ends = (call.line, call.column, call.end_line, call.end_column)
    return Call(call.args[position], call.args[position + 1 :], call.kwargs, *ends)


def _started(call: Call, position: int, keyword: str, arguments: int) -> Call | None:
    """``Thread(target=f, args=(x,))`` as ``f(x)``."""
    func, given = argument(call, position, keyword), argument(call, arguments, "args")
    named = argument(call, arguments + 1, "kwargs")
    if not isinstance(func, str | Attr):
        return None
    args = list(given.items) if isinstance(given, Seq) else []
    pairs = zip(named.keys, named.values, strict=True) if isinstance(named, Table) else ()
    kwargs = [(key.value, value) for key, value in pairs if isinstance(key, Const) and isinstance(key.value, str)]
    return Call(func, args, kwargs, call.line, call.column, call.end_line, call.end_column)


def receiver_and_verb(func: Expr) -> tuple[str, str]:
    """The last name of the receiver and the method's name, for calls whose target is unknown."""
    if isinstance(func, str):
        parts = func.split(".")
        return (parts[-2] if len(parts) > 1 else "", parts[-1])
    name = getattr(func, "name", "")
    base = getattr(func, "base", None)
    key = getattr(getattr(base, "key", None), "value", None)
    if isinstance(key, str):
        return key, name
    if isinstance(base, str):
        return base.rsplit(".", 1)[-1], name
    if isinstance(base, Call) and (made := last_name(base.func)):
        return f"{made}()", name
    return getattr(base, "name", "") or "", name
