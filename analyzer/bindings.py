"""What names are bound to: variables, parameters, results and decorated functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .calling import bind_arguments
from .facts import last_name
from .lower import MODULE
from .modules import is_test
from .project import FunctionKey
from .solver import EMPTY, Value, Values
from .summary import Call, Expr, Function

if TYPE_CHECKING:
    from .values import FunctionId, Resolver

CallAt = tuple[str, str, int, int, int, int, str]
"""Caller's path and qualname, range and last name of what is called."""

MOST_CALLERS = 60
"""A function whose name more functions than this mention gets no values for its parameters."""


def variable(resolver: Resolver, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
    """What a name of a function, or of a module, is bound to."""
    file = resolver.project.file(path)
    if file is None:
        return
    function = (path, qualname, context)
    head = file.functions[qualname]
    parent = "" if qualname == MODULE else qualname
    target = file.summary.imports.get(name) if qualname == MODULE else head.imports.get(name)
    if target is not None:
        yield from resolver.imported(target, path)
    if any(param.name == name for param in head.params):
        yield from resolver.solver.read(("param", path, qualname, context, name))
    for kind, inner in file.nested.get((parent, name), ()):
        if kind == "cls":
            yield ("cls", path, inner)
        else:
            yield from defined(resolver, (path, inner), context, function)
    yield from _bound(resolver, path, qualname, context, name)
    if qualname == MODULE:
        for other in file.mentioned.get(name, ()):
            if other != MODULE and name not in file.functions[other].local:
                yield from _bound(resolver, path, other, "", name)


def _bound(resolver: Resolver, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
    facts = resolver.project.facts((path, qualname))
    function = (path, qualname, context)
    for mode, value in facts.lets.get(name, ()):
        found = resolver.eval(value, function)
        if mode == "part":
            inner = resolver.inside(found)
            yield from inner
            yield from resolver.inside(inner)
        elif mode == "enter":
            yield from _entered(resolver, found)
        else:
            yield from found
    if name in facts.fills:
        yield ("fill", path, qualname, context, name)


def _entered(resolver: Resolver, values: Values) -> Iterator[Value]:
    for value in values:
        if value[0] == "obj":
            for method in resolver.attributes([value], "__enter__") | resolver.attributes([value], "__aenter__"):
                if method[0] == "bound":
                    yield from resolver.solver.read(("ret", *method[1:]))
        else:
            yield value


def defined(resolver: Resolver, key: FunctionKey, context: str, owner: FunctionId) -> Iterator[Value]:
    """What a def statement binds: the function, or what project decorators make of it."""
    head = resolver.project.function(key)
    if head is None:
        return
    values: Values = frozenset({("fn", *key, context)})
    for number, decorator in reversed(list(enumerate(head.decorators))):
        made: set[Value] = set()
        for value in resolver.eval(decorator, owner):
            if value[0] in ("fn", "bound"):
                site = resolver.decorate(key, number, values, owner)
                for inner in values:
                    resolver.solver.add(("decorated", value[1], value[2]), inner)
                made.update(v for v in resolver.solver.read(("ret", *value[1:3], site)) if v[0] == "fn")
        values = frozenset(made) or values
    yield from values


def parameter(resolver: Resolver, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
    head = resolver.project.function((path, qualname))
    if head is None:
        return
    function = (path, qualname, context)
    first = head.params[0].name if head.params else ""
    if head.owner and name == first and not any(d == "staticmethod" for d in head.decorators):
        bound = "cls" if any(d == "classmethod" for d in head.decorators) else "obj"
        yield (bound, path, head.owner)
        return
    for param in head.params:
        if param.name == name:
            outer = (path, head.parent or MODULE, context)
            yield from resolver.annotated(param.annotation, outer)
            yield from _given(resolver, head, function, name, param.default, outer)


def _given(
    resolver: Resolver, head: Function, function: FunctionId, name: str, default: Expr, outer: FunctionId
) -> Iterator[Value]:
    """What callers pass; the default where a caller passes nothing, or no caller is known."""
    omitted = True
    if function[2] in resolver.sites:
        found = list(_from_site(resolver, head, function, name))
        omitted = not found
        yield from found
    else:
        omitted = False
        calls = 0
        for where, call in callers(resolver, head, (function[0], function[1])):
            calls += 1
            given = list(bind_arguments(head, call, name, _skips_self(head)))
            omitted |= not given
            for expr in given:
                yield from resolver.eval(expr, where)
        if head.params and name == head.params[0].name:
            yield from _decorated(resolver, head, (function[0], function[1]))
        omitted |= not calls
    if omitted:
        yield from resolver.eval(default, outer)


def _from_site(resolver: Resolver, head: Function, function: FunctionId, name: str) -> Iterator[Value]:
    call = resolver.sites[function[2]]
    if call is None:
        if head.params and name == head.params[0].name:
            yield from resolver.solver.read(("handed", function[2]))
        return
    for caller in resolver.solver.read(("callers", function[2])):
        for expr in bind_arguments(head, call, name, _skips_self(head)):
            yield from resolver.eval(expr, (caller[0], caller[1], caller[2]))


def _decorated(resolver: Resolver, head: Function, key: FunctionKey) -> Iterator[Value]:
    """The functions that a decorator is applied to, e.g. one that keeps them in a registry."""
    names = {head.name, head.parent.rsplit(".", 1)[-1]}
    for name in sorted(names):
        resolver.solver.read(("mentions", name))
        for path, qualname in resolver.project.decorated.get(name, ()):
            other = resolver.project.function((path, qualname))
            if other is not None and not other.owner:
                resolver.solver.read(("var", path, other.parent or MODULE, "", other.name))
    yield from resolver.solver.read(("decorated", *key))


def _skips_self(head: Function) -> bool:
    return bool(head.owner) and not any(d == "staticmethod" for d in head.decorators)


def callers(resolver: Resolver, head: Function, key: FunctionKey) -> Iterator[tuple[FunctionId, Call]]:
    """The calls that may reach a function, in the files summarised so far."""
    plain = head.qualname.rsplit(".", 1)[-1].split("#")[0]
    constructs = plain in ("__init__", "__call__")
    resolver.solver.read(("named", head.owner.rsplit(".", 1)[-1] if constructs else plain))
    target = (key[0], head.owner) if constructs else key
    for where, at in resolver.solver.read(("called", *target)):
        yield where, resolver.calls[at]


def known_callers(resolver: Resolver, function: FunctionId) -> list[tuple[FunctionId, Call]]:
    """The calls that reach a function, by place."""
    head = resolver.project.function((function[0], function[1]))
    if head is None:
        return []
    found: dict[tuple[object, ...], tuple[FunctionId, Call]] = {}

    def compute() -> frozenset[tuple[object, ...]]:
        found.clear()
        for where, call in callers(resolver, head, (function[0], function[1])):
            found[(where, call.line, call.column, call.end_column)] = (where, call)
        return frozenset(found)

    resolver.solver.solve(compute)
    return [found[key] for key in sorted(found)]


def named(resolver: Resolver, name: str) -> Values:
    """Ask of every call of anything of that name where it goes."""
    resolver.solver.read(("mentions", name))
    for alias in sorted({name} | resolver.project.aliases.get(name, set())):
        callers = resolver.project.mentions.get(alias, ())
        if len(callers) > MOST_CALLERS:
            continue
        for caller in callers:
            by_name = resolver.project.facts(caller).by_name
            partials = (found for call in by_name.get("partial", ()) if (found := _unwrapped(call)))
            for call in (*by_name.get(alias, ()), *partials):
                at = (
                    *caller,
                    call.line,
                    call.column,
                    call.end_line,
                    call.end_column,
                    last_name(call.func),
                )
                resolver.calls.setdefault(at, call)
                for context in resolver.solver.read(("contexts", *caller)) | {("",)}:
                    resolver.solver.read(("callee", (*caller, context[0]), at))
    return EMPTY


def callee(resolver: Resolver, where: FunctionId, at: CallAt) -> Values:
    """Note with each function, or class, that a call reaches it.

    What tests hand to the code they test says nothing of how it runs.
    """
    for value in resolver.eval(resolver.calls[at].func, where):
        if value[0] in ("fn", "bound", "cls") and (is_test(value[1]) or not is_test(where[0])):
            resolver.solver.add(("called", value[1], value[2]), (where, at))
    return EMPTY


def returned(resolver: Resolver, path: str, qualname: str, context: str) -> Iterator[Value]:
    """What a function gives: its returned and yielded values, and its annotation."""
    for expr in resolver.project.facts((path, qualname)).returns:
        yield from resolver.eval(expr, (path, qualname, context))
    head = resolver.project.function((path, qualname))
    if head is not None and head.returns is not None:
        yield from resolver.annotated(head.returns, (path, head.parent or MODULE, context))


def _unwrapped(call: Call) -> Call | None:
    """``partial(f, x)`` as the call ``f(x)``."""
    if not call.args:
        return None
    ends = (call.line, call.column, call.end_line, call.end_column)
    return Call(call.args[0], call.args[1:], call.kwargs, *ends)
