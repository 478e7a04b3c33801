"""Tables that remember what was worked out: an entry is made where it is missing, and given back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .summary import Const, Expr, If, Item, Let, Op, Return, Stmt, With


def remembered(body: Sequence[Stmt]) -> set[str]:
    """The names that a body fills only where the entry is missing, and whose entry it gives back.

    A table that is asked whether something is in it, and no more, is a flag and no memory of this kind.
    """
    items = list(_walk(body, frozenset()))
    given = {_table(item.value) for item, _ in items if isinstance(item, Return)} - {""}
    filled: dict[str, bool] = {}
    for item, missing in items:
        for target in item.targets if isinstance(item, Let) else ():
            name = _table(target)
            if name and isinstance(item, Let) and isinstance(target, Item):
                fits = (name, repr(target.key)) in missing and not isinstance(item.value, Const)
                filled[name] = filled.get(name, True) and fits
    return {name for name, fits in filled.items() if fits and name in given}


def _walk(
    body: Sequence[Stmt], missing: frozenset[tuple[str, str]]
) -> Iterator[tuple[Stmt, frozenset[tuple[str, str]]]]:
    """The statements, each with the tables and keys that are known to have no such entry when it runs."""
    for item in body:
        yield item, missing
        if isinstance(item, If):
            yield from _walk(item.body, missing | _absent(item.test, True))
            yield from _walk(item.orelse, missing | _absent(item.test, False))
            if item.body and isinstance(item.body[-1], Return):
                missing |= _absent(item.test, False)
        elif isinstance(item, With):
            yield from _walk(item.body, missing)


def _absent(test: Expr, truth: bool) -> frozenset[tuple[str, str]]:
    if isinstance(test, Op) and test.kind == ("not in" if truth else "in") and isinstance(test.items[1], str):
        return frozenset({(test.items[1], repr(test.items[0]))})
    return frozenset()


def _table(expr: Expr) -> str:
    return expr.base if isinstance(expr, Item) and isinstance(expr.base, str) else ""
