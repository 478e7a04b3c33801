"""What runs when a ``with`` block is left."""

from __future__ import annotations

from .facts import last_name
from .summary import Call, Expr
from .values import FunctionId, Resolver

SPLIT_AT_YIELD = {"contextmanager", "asynccontextmanager"}
_EXITS = ("__exit__", "__aexit__")
_DECORATING = {"ContextDecorator", "AsyncContextDecorator"}


def exits(resolver: Resolver, manager: Expr, function: FunctionId) -> list[FunctionId]:
    """The exit methods of a manager's class, or the generators that what follows its ``yield`` stands in."""
    found: set[FunctionId] = set()
    if isinstance(manager, Call):
        for value in resolver.of(manager.func, function):
            if value[0] in ("fn", "bound") and is_generator(resolver, (value[1], value[2], value[3])):
                found.add(resolver.enter((value[1], value[2]), value[3], manager, function))
    for value in resolver.of(manager, function):
        if value[0] == "obj":
            found.update(_methods(resolver, value))
    return sorted(found)


def decorating_exits(resolver: Resolver, decorator: Expr, owner: FunctionId) -> list[FunctionId]:
    """The same for a manager that stands as a decorator."""
    values = resolver.of(decorator, owner)
    objects = [value for value in values if value[0] == "obj"]
    if objects and not any(_decorates(resolver, value) for value in objects):
        return []
    return exits(resolver, decorator, owner)


def is_generator(resolver: Resolver, function: FunctionId) -> bool:
    """Whether a function is a manager by ``contextlib``'s decorators."""
    head = resolver.project.function((function[0], function[1]))
    decorators = head.decorators if head is not None else []
    return any(last_name(d.func if isinstance(d, Call) else d) in SPLIT_AT_YIELD for d in decorators)


def _methods(resolver: Resolver, value: tuple[object, ...]) -> list[FunctionId]:
    methods = resolver.solver.solve(lambda: frozenset().union(*(resolver.attributes([value], name) for name in _EXITS)))
    return [(m[1], m[2], m[3]) for m in methods if m[0] == "bound"]


def _decorates(resolver: Resolver, value: tuple[object, ...]) -> bool:
    file = resolver.project.files.get(str(value[1]))
    head = file.classes.get(str(value[2])) if file is not None else None
    return head is not None and any(last_name(base) in _DECORATING for base in head.bases)
