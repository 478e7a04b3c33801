"""Which run belongs to which compiled graph, where one builder is compiled several times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .calls import targets
from .facts import children
from .project import Project
from .summary import LEAF, Attr, Call, Expr
from .values import FunctionId, Resolver

Run = tuple[FunctionId, Call]


@dataclass(frozen=True, slots=True)
class Made:
    """The call that gives a compiled graph: ``compile`` itself, or the call of a function that compiles."""

    function: FunctionId
    line: int
    column: int


def runs_of(resolver: Resolver, made: Made, runs: Iterable[Run]) -> list[Run]:
    """The runs whose receiver is what the call gave: by the name or attribute it is put under, or directly."""
    project = resolver.project
    names, attributes = _put_under(project, made)
    found: list[Run] = []
    for function, call in runs:
        func = call.func
        if isinstance(func, Attr) and _holds(func.base, made):
            found.append((function, call))
        elif isinstance(func, str):
            parts = func.split(".")[:-1]
            local = (
                len(parts) == 1 and parts[0] in names and (function[0] == made.function[0] or _global(project, made))
            )
            bound = (value for _, value in project.facts(function[:2]).lets.get(parts[0], ())) if parts else ()
            if local or any(_mentions(value, attributes | names) for value in (".".join(["", *parts[1:]]), *bound)):
                found.append((function, call))
        if (function, call) not in found and _returned(resolver, made, func, function):
            found.append((function, call))
    return found


def _put_under(project: Project, made: Made) -> tuple[set[str], set[str]]:
    facts = project.facts(made.function[:2])
    names = {name for name, lets in facts.lets.items() for _, value in lets if _holds(value, made)}
    writes = project.files[made.function[0]].summary.writes
    return names, {write.name for write in writes if _holds(write.value, made)}


def _global(project: Project, made: Made) -> bool:
    return made.function[1] == "<module>"


def _holds(expr: Expr, made: Made) -> bool:
    if isinstance(expr, Call) and (expr.line, expr.column) == (made.line, made.column):
        return True
    if expr is None or isinstance(expr, LEAF):
        return False
    return any(_holds(child, made) for child in children(expr))


def _mentions(expr: Expr, names: set[str]) -> bool:
    """Whether an expression holds an attribute, or a name, of one of these."""
    if isinstance(expr, str):
        return expr.rpartition(".")[2] in names
    if expr is None or isinstance(expr, LEAF):
        return False
    return any(_mentions(child, names) for child in children(expr))


def _returned(resolver: Resolver, made: Made, func: Expr, function: FunctionId) -> bool:
    """Whether the receiver comes from a call of the function that returns what was made."""
    facts = resolver.project.facts(made.function[:2])
    names, _ = _put_under(resolver.project, made)
    if not any(
        _holds(value, made) or (isinstance(value, str) and value in names)
        for value in facts.returns
        if value is not None
    ):
        return False
    return any(
        target[:2] == made.function[:2]
        for call in _receivers(resolver.project, func, function)
        for target in targets(resolver, call, function).functions
    )


def _receivers(project: Project, func: Expr, function: FunctionId) -> Sequence[Call]:
    """The calls that a receiver may come from, in the function or its module."""
    if isinstance(func, Attr):
        return [func.base] if isinstance(func.base, Call) else []
    root = func.partition(".")[0] if isinstance(func, str) else ""
    bound = [
        value for key in (function[:2], (function[0], "<module>")) for _, value in project.facts(key).lets.get(root, ())
    ]
    return [value for value in bound if isinstance(value, Call)]
