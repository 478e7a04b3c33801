"""What names are bound to: variables, parameters, results and decorated functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .calling import bind_arguments
from .containers import without_tables
from .facts import last_name
from .lower import MODULE
from .modules import is_test
from .project import FunctionKey, Project
from .solver import EMPTY, Value, Values
from .summary import Call, Expr, Function

if TYPE_CHECKING:
    from .values import FunctionId, Resolver

CallAt = tuple[str, str, int, int, int, int, str]
"""Caller's path and qualname, range and last name of what is called."""

MOST_CALLERS = 60
"""Where more functions than this mention a name, only those count that import it or stand beside its definition."""


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
            found = found if isinstance(value, Call) else without_tables(resolver, found)
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
        kept = not _in_project(resolver, decorator, owner)
        for value in resolver.eval(decorator, owner):
            if value[0] in ("fn", "bound"):
                site = resolver.decorate(key, number, values, owner)
                for inner in values:
                    resolver.solver.add(("decorated", value[1], value[2]), inner)
                made.update(v for v in resolver.solver.read(("ret", *value[1:3], site)) if v[0] in ("fn", "obj"))
            else:
                kept = True
        values = frozenset(made) | (values if kept else EMPTY)
    yield from values


def _in_project(resolver: Resolver, decorator: Expr, owner: FunctionId) -> bool:
    """Whether a decorator's name leads to a function of the project, told without resolving it.

    What is not known yet must not decide: it would stay when more becomes known.
    """
    func = decorator.func if isinstance(decorator, Call) else decorator
    if not isinstance(func, str):
        return False
    root, _, rest = func.partition(".")
    file = resolver.project.files[owner[0]]
    heads = [head for head in (file.functions.get(owner[1]),) if head is not None]
    target = next((head.imports[root] for head in heads if root in head.imports), file.summary.imports.get(root))
    if target is not None:
        module, _, name = target.partition(":")
        found = resolver.project.modules.find(module, owner[0])
        if found is None or resolver.is_outside(module):
            return False
        other = resolver.project.file(found)
        last = name or rest.rpartition(".")[2]
        return other is not None and any(kind == "fn" for kind, _ in other.nested.get(("", last), ()))
    scopes = ("", owner[1])
    return not rest and any(kind == "fn" for scope in scopes for kind, _ in file.nested.get((scope, root), ()))


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
    """What callers pass; the default where a caller passes nothing, or nothing is called like the function."""
    key = (function[0], function[1])
    if function[2] in resolver.sites:
        call = resolver.sites[function[2]]
        if call is None:
            if head.params and name == head.params[0].name:
                yield from resolver.solver.read(("handed", function[2]))
            return
        given = list(bind_arguments(head, call, name, skips_self(head)))
        for caller in resolver.solver.read(("callers", function[2])):
            for expr in given:
                yield from resolver.eval(expr, (caller[0], caller[1], caller[2]))
        if not given:
            yield from resolver.eval(default, outer)
        return
    tested = is_test(function[0])
    omitted = not any(tested or not is_test(caller[0]) for caller, _ in candidates(resolver, _called_as(head)))
    for where, call in callers(resolver, head, key):
        given = list(bind_arguments(head, call, name, skips_self(head)))
        omitted |= not given
        for expr in given:
            yield from resolver.eval(expr, where)
    if head.params and name == head.params[0].name:
        yield from _decorated(resolver, head, key)
    if omitted:
        yield from resolver.eval(default, outer)


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


def skips_self(head: Function) -> bool:
    """Whether the first parameter is the receiver."""
    return bool(head.owner) and not any(d == "staticmethod" for d in head.decorators)


def _called_as(head: Function) -> str:
    """The name that calls of a function have: the class's for a constructor or a callable object."""
    plain = head.qualname.rsplit(".", 1)[-1].split("#")[0]
    return head.owner.rsplit(".", 1)[-1] if plain in ("__init__", "__call__") else plain


def callers(resolver: Resolver, head: Function, key: FunctionKey) -> Iterator[tuple[FunctionId, Call]]:
    """The calls that may reach a function, in the files summarised so far."""
    constructs = head.name in ("__init__", "__call__")
    resolver.solver.read(("named", _called_as(head)))
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


def candidates(resolver: Resolver, name: str) -> list[tuple[FunctionKey, Call]]:
    """The calls of anything of that name, in the files summarised so far."""
    count = len(resolver.project.files)
    known = resolver.candidates.get(name)
    if known is not None and known[0] == count:
        return known[1]
    found: list[tuple[FunctionKey, Call]] = []
    for alias in sorted({name} | resolver.project.aliases.get(name, set())):
        for caller in near_mentions(resolver.project, {alias}, resolver.project.mentions.get(alias, ())):
            by_name = resolver.project.facts(caller).by_name
            partials = (made for call in by_name.get("partial", ()) if (made := _unwrapped(call)))
            named_so = (call for call in partials if last_name(call.func) == alias)
            found.extend((caller, call) for call in (*by_name.get(alias, ()), *named_so))
    resolver.candidates[name] = (count, found)
    return found


def near_mentions(project: Project, names: set[str], mentioning: Sequence[FunctionKey]) -> Sequence[FunctionKey]:
    """The functions that may call something of a name: of many, those that can see it by name; of too many, none.

    What is called by its bare name was imported or is defined in the same file. Methods of a common name are not
    followed: a name like ``invoke`` says too little.
    """
    if len(mentioning) <= MOST_CALLERS:
        return mentioning
    near = []
    for path, qualname in mentioning:
        file = project.files[path]
        if not names.isdisjoint(file.globals) or not names.isdisjoint(file.functions[qualname].imports):
            near.append((path, qualname))
    return near if len(near) <= MOST_CALLERS else ()


def named(resolver: Resolver, name: str) -> Values:
    """Ask of every call of anything of that name where it goes."""
    resolver.solver.read(("mentions", name))
    for caller, call in candidates(resolver, name):
        at = (*caller, call.line, call.column, call.end_line, call.end_column, last_name(call.func))
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
