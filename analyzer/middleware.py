"""Middleware of agents: hooks beside the model, and what is wrapped around the running of tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .calling import argument
from .facts import last_name
from .solver import Value, Values
from .summary import Call, Const, Expr, Seq, Table
from .values import FunctionId

if TYPE_CHECKING:
    from .registry import Graph, GraphSite, Registry


def attach(
    registry: Registry,
    options: Mapping[str, Any],
    call: Call,
    function: FunctionId,
    tools: set[FunctionId],
    graph: Graph | None,
) -> None:
    """Give an agent's graph, or a node of tools, the middleware that the call names."""
    waits_with = options.get("waits_with")
    if graph is not None and waits_with is not None and _given(argument(call, None, waits_with)):
        graph.waits_itself = True
    around: list[list[FunctionId]] = []
    for values in _in_order(registry, argument(call, None, options.get("middleware")), function):
        for value in sorted(values, key=repr):
            if value[0] == "inst" and registry.resolver.knowledge.role(value[1], "waiting") and graph is not None:
                graph.waits_itself |= not _gates_nothing(registry, value[2])
            if graph is not None:
                graph.nodes.update(_hooks(registry, value))
        around.append([target for value in sorted(values, key=repr) for target in _wrapping(registry, value)])
    for name in wrapper_methods(registry):
        given = argument(call, None, name)
        if given is not None:
            around.append(list(registry.callables(registry.resolver.of(given, function))))
            registry.add_units("middleware", around[-1])
    inner = set(tools)
    for wrapping in reversed(around):
        for target in wrapping:
            registry.wrapped.setdefault(target[:2], set()).update(inner)
        inner.update(wrapping)


def wrapper_methods(registry: Registry) -> dict[str, str]:
    """What wraps the running of a tool, each with the name of the parameter that runs it."""
    roles = registry.resolver.knowledge.entries["wrapper"]
    return {name: role.options["handler"] for role in roles for name in role.options["methods"]}


def wrapped_by(registry: Registry, function: FunctionId, func: Expr) -> tuple[FunctionId, ...]:
    """What calling ``func`` runs inside a function that wraps the running of tools."""
    inner = registry.wrapped.get(function[:2])
    head = registry.resolver.project.function(function[:2]) if inner and isinstance(func, str) else None
    names = [param.name for param in head.params] if head is not None else []
    handlers = {*wrapper_methods(registry).values()}.intersection(names) or set(names[-1:])
    return tuple(sorted(inner)) if inner and func in handlers else ()


def _in_order(registry: Registry, expr: Expr, function: FunctionId) -> Iterator[Values]:
    """What each item of a list may be, the outermost first; one group where the order is not seen."""
    resolver = registry.resolver
    if isinstance(expr, Seq):
        for item in expr.items:
            values = resolver.of(item, function)
            yield values | resolver.content(values)
    elif expr is not None:
        yield resolver.content(resolver.of(expr, function))


def _hooks(registry: Registry, value: Value) -> Iterator[tuple[str, FunctionId]]:
    if value[0] == "fn" and registry.kind((value[1], value[2])) == "middleware":
        yield value[2].rpartition(".")[2], (value[1], value[2], value[3])
    for role in registry.resolver.knowledge.entries["base"] if value[0] == "obj" else ():
        if role.options["kind"] == "middleware":
            yield from _methods(registry, value, role.options["methods"])


def _wrapping(registry: Registry, value: Value) -> Iterator[FunctionId]:
    """The functions of a middleware that wrap the running of tools."""
    methods = wrapper_methods(registry)
    if value[0] == "fn":
        head = registry.resolver.project.function((value[1], value[2]))
        marks = (item.func if isinstance(item, Call) else item for item in (head.decorators if head else ()))
        if any(last_name(mark) in methods for mark in marks):
            yield value[1], value[2], value[3]
    elif value[0] == "obj":
        yield from (target for _, target in _methods(registry, value, methods))


def _methods(registry: Registry, value: Value, names: Iterable[str]) -> Iterator[tuple[str, FunctionId]]:
    for name in names:
        for target in registry.callables(registry.attribute(value, name)):
            yield name, target


def _gates_nothing(registry: Registry, site: GraphSite) -> bool:
    """Whether the middleware made here gates no tool: ``interrupt_on={}``, ``interrupt_on={"look": False}``."""
    if not site:
        return False
    project = registry.resolver.project
    file = project.files.get(site[0])
    for function in file.summary.functions if file is not None else ():
        for call in project.facts((site[0], function.qualname)).calls:
            if (call.line, call.column) == site[1:]:
                told = argument(call, 0, "interrupt_on")
                return isinstance(told, Table) and all(value == Const(False) for value in told.values)
    return False


def _given(expr: Expr) -> bool:
    return expr is not None and not (isinstance(expr, Const) and expr.value in (None, False))
