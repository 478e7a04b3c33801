"""Conditions that cannot both hold in one run of a function."""

from __future__ import annotations

from collections.abc import Iterable

from .facts import Facts
from .flow import Guard
from .literals import names_in
from .summary import Attr, Const, Expr, Item, Op


def exclude(
    left: Iterable[Guard], right: Iterable[Guard], facts: Facts, between: tuple[int, int] | None = None
) -> bool:
    """Whether a guard of the one says the opposite of a guard of the other.

    Only values that do not change are compared: names that the function binds at most once, or, where
    control goes straight from one line to another (``between``), that are not bound on the way.
    """
    known = [fact for guard in right for fact in _facts(*guard)]
    return any(
        _opposed(fact, other) and _fixed(fact[0], facts, between)
        for guard in left
        for fact in _facts(*guard)
        for other in known
    )


_Fact = tuple[Expr, object, bool]
"""An expression, the literal it is compared with (_TRUTH for its own truth), whether they are equal."""

_TRUTH = object()


def _facts(test: Expr, truth: bool) -> Iterable[_Fact]:
    while isinstance(test, Op) and test.kind == "not":
        test, truth = test.items[0], not truth
    if isinstance(test, Op) and (test.kind, truth) in (("and", True), ("or", False)):
        for item in test.items:
            yield from _facts(item, truth)
    elif isinstance(test, Op) and test.kind in ("==", "!=", "is", "is not") and len(test.items) == 2:
        value, literal = test.items
        if isinstance(literal, Const):
            yield value, literal.value, truth if test.kind in ("==", "is") else not truth
    elif isinstance(test, str | Item | Attr):
        yield test, _TRUTH, truth


def _opposed(left: _Fact, right: _Fact) -> bool:
    if left[0] != right[0]:
        return False
    if left[1] == right[1]:
        return left[2] is not right[2]
    return left[2] and right[2] and _TRUTH not in (left[1], right[1])


def _fixed(expr: Expr, facts: Facts, between: tuple[int, int] | None) -> bool:
    """Whether the value is the same wherever the function looks at it."""
    if isinstance(expr, str) and "." in expr:
        return False
    for name in names_in(expr):
        lines = facts.lines.get(name, ())
        if name in facts.fills or 0 in lines:
            return False
        if between is None and (len(lines) > 1 or name in facts.looped):
            return False
        if between is not None and any(between[0] <= line < between[1] for line in lines):
            return False
    return True
