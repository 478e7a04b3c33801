"""What calling a value gives, and which expression a parameter receives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .solver import EMPTY, Value
from .summary import Call, Const, Expr, Function, Star, Table

if TYPE_CHECKING:
    from .values import FunctionId, Resolver

_WHOLE = {"values", "items", "copy", "union", "__iter__", "__or__"}
_PARTS = {"get", "pop", "popleft", "popitem", "setdefault", "__getitem__", "get_nowait"}
_MAKERS = ("from_", "create", "connect", "open", "build", "new", "init", "instance")


def call_result(resolver: Resolver, value: Value, call: Call, function: FunctionId) -> Iterable[Value]:
    """What calling ``value`` with the call's arguments may give."""
    kind = value[0]
    site = (function[0], call.line, call.column)
    if kind in ("fn", "bound"):
        entered = resolver.enter((value[1], value[2]), value[3], call, function)
        return resolver.solver.read(("ret", *entered))
    if kind == "cls":
        return (("obj", value[1], value[2]),)
    if kind == "ext":
        return _outside(resolver, value[1], call, function)
    if kind == "meth":
        return _method(resolver, value, call, function)
    if kind == "bmeth":
        return _container(resolver, value, call)
    if kind == "obj":
        found: set[Value] = set()
        for method in resolver.attributes([value], "__call__"):
            if method[0] == "bound":
                found.update(call_result(resolver, method, call, function))
        return found
    if kind == "inst":
        returned = resolver.effects.returns(f"{value[1]}.__call__")
        return (("inst", returned, site),) if returned else ()
    if kind == "many":
        return (value,)
    if kind == "give":
        return (value[1],)
    if kind == "same":
        return _decorating(resolver, value[1] if len(value) > 1 else "", call, function)
    return ()


def _outside(resolver: Resolver, name: str, call: Call, function: FunctionId) -> Iterable[Value]:
    knowledge = resolver.knowledge
    site = (function[0], call.line, call.column)
    if name == "builtins.super":
        head = resolver.project.function((function[0], function[1]))
        return (("super", function[0], head.owner),) if head and head.owner else ()
    if name == "builtins.getattr" and len(call.args) > 1 and isinstance(call.args[1], Const):
        return resolver.attributes(resolver.eval(call.args[0], function), str(call.args[1].value))
    if name in ("functools.wraps", "functools.wraps()"):
        return (("same",),)
    returned = resolver.effects.returns(name)
    if returned is not None:
        return (("inst", returned, site),)
    if knowledge.role(name, "collects"):
        return _collected(resolver, call, function)
    passes = knowledge.role(name, "passes")
    if passes is not None:
        return resolver.eval(call.args[_position(passes.options["names"], name)], function) if call.args else ()
    holds = knowledge.role(name, "holds")
    if holds is not None:
        return resolver.eval(argument(call, holds.options["position"], holds.options["keyword"]), function)
    decorator = knowledge.role(name, "decorator")
    if decorator is not None:
        return _decorating(resolver, decorator.options["kind"], call, function) or (
            ("same", decorator.options["kind"]),
        )
    tools = knowledge.role(name, "tools")
    if tools is not None and tools.options.get("agent"):
        return (("inst", "langgraph.graph.CompiledStateGraph", site),)
    last = name.rsplit(".", 1)[-1]
    if last[:1].isupper() or resolver.effects.returns(f"{name}.__call__") is not None:
        return (("inst", name, site),)
    owner = name.rpartition(".")[0]
    if owner.rsplit(".", 1)[-1][:1].isupper() and last.startswith(_MAKERS):
        return (("inst", owner, site),)
    return (("res", name),)


def _decorating(resolver: Resolver, kind: str, call: Call, function: FunctionId) -> Iterable[Value]:
    """A decorator called on a function: the function, of that kind from now on."""
    found = resolver.eval(call.args[0], function) if call.args else EMPTY
    functions = [value for value in found if value[0] in ("fn", "bound")]
    for value in functions if kind else ():
        resolver.marked.setdefault((value[1], value[2]), kind)
    return functions


def _position(names: list[str], name: str) -> int:
    for item in names:
        if item.startswith(name + "="):
            return int(item.rsplit("=", 1)[1])
    return 0


def _collected(resolver: Resolver, call: Call, function: FunctionId) -> Iterable[Value]:
    found: set[Value] = set()
    for item in call.args:
        found.update(resolver.eval(item, function))
    if call.kwargs:
        table = Table([Const(k) for k, _ in call.kwargs], [v for _, v in call.kwargs], call.line, call.column)
        found.update(resolver.eval(table, function))
    return found


def _method(resolver: Resolver, value: Value, call: Call, function: FunctionId) -> Iterable[Value]:
    _, owner, name, origin = value
    knowledge = resolver.knowledge
    builder = knowledge.role(owner, "builder")
    if builder is not None:
        if name in builder.options["chain"]:
            return (("inst", owner, origin),)
        if name == "compile":
            return (("inst", builder.options["compiled"], origin or (function[0], call.line, call.column)),)
    if name in knowledge.table("invoked_by", "same"):
        return (("inst", owner, origin),)
    returned = resolver.effects.returns(f"{owner}.{name}")
    return (("inst", returned, (function[0], call.line, call.column)),) if returned else ()


def _container(resolver: Resolver, value: Value, call: Call) -> Iterable[Value]:
    _, box, name = value
    if name in _WHOLE:
        return (box,)
    if name not in _PARTS:
        return ()
    key = call.args[0].value if call.args and isinstance(call.args[0], Const) else None
    exact = resolver.entry(box, key) if isinstance(key, str) else None
    return resolver.inside([box]) if exact is None else exact


def argument(call: Call, position: int | None, keyword: str | None) -> Expr:
    """The argument at a position or under a keyword, or None."""
    for name, value in call.kwargs:
        if keyword is not None and name == keyword:
            return value
    if position is not None and position < len(call.args):
        plain = call.args[: position + 1]
        return None if any(isinstance(item, Star) for item in plain) else call.args[position]
    return None


def bind_arguments(head: Function, call: Call, name: str, skip: bool) -> Iterator[Expr]:
    """The expressions that a parameter may receive from a call. ``skip``: the receiver is implied."""
    for keyword, value in call.kwargs:
        if keyword == name:
            yield value
            return
    positional = [param for param in head.params if param.kind == ""][1 if skip else 0 :]
    for index, param in enumerate(positional):
        if param.name == name:
            if index < len(call.args) and not any(isinstance(a, Star) for a in call.args[: index + 1]):
                yield call.args[index]
            return
    if any(param.name == name and param.kind == "*" for param in head.params):
        yield from call.args[len(positional) :]
