"""What is put into lists, dicts and the like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .solver import Value, Values
from .summary import Comp, Const, Expr, Seq, Star, Table

if TYPE_CHECKING:
    from .values import Resolver


def content(resolver: Resolver, *box: object) -> Iterator[Value]:
    """What a display holds."""
    expr, function = resolver.boxes[("box", *box)]
    items: list[Expr] = []
    if isinstance(expr, Seq):
        items = expr.items
    elif isinstance(expr, Table):
        items = expr.values
    elif isinstance(expr, Comp):
        items = expr.items[-1:]
    for item in items:
        if isinstance(item, Const) and not isinstance(expr, Seq):
            continue
        found = resolver.eval(item, function)
        yield from resolver.inside(found) if isinstance(item, Star) else found


def without_tables(resolver: Resolver, values: Values) -> Values:
    """The values, dict displays left out: a loop over a dict gives its keys, which are hardly ever what is followed."""
    return frozenset(value for value in values if not _is_table(resolver.boxes.get(value, (None,))[0]))


def _is_table(expr: Expr) -> bool:
    return isinstance(expr, Table) or (isinstance(expr, Comp) and len(expr.items) == 2)


def filled(resolver: Resolver, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
    function = (path, qualname, context)
    for _, value, merged in resolver.project.facts((path, qualname)).fills.get(name, ()):
        found = resolver.eval(value, function)
        yield from resolver.inside(found) if merged else found
