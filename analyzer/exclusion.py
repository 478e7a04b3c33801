"""Conditions that cannot both hold in one run of a function."""

from __future__ import annotations

from collections.abc import Iterable

from .facts import Facts
from .flow import Guard
from .literals import names_in
from .summary import Attr, Const, Expr, Item, Op


def exclude(left: Iterable[Guard], right: Iterable[Guard], facts: Facts) -> bool:
    """Whether a guard of the one says the opposite of a guard of the other.

    Only values that the function binds at most once and never changes are compared: two tests of
    ``mode`` agree, whatever lies between them.
    """
    known = [fact for guard in right for fact in _facts(*guard)]
    return any(
        _opposed(fact, other) and _fixed(fact[0], facts) for guard in left for fact in _facts(*guard) for other in known
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
    if left[1] is right[1] or (type(left[1]) is type(right[1]) and left[1] == right[1]):
        return left[2] is not right[2]
    return left[2] and right[2] and _TRUTH not in (left[1], right[1])


def _fixed(expr: Expr, facts: Facts) -> bool:
    """Whether the value is the same wherever the function looks at it."""
    if isinstance(expr, str) and "." in expr:
        return False
    for name in names_in(expr):
        lets = facts.lets.get(name, ())
        if len(lets) > 1 or any(mode != "is" for mode, _ in lets) or name in facts.fills:
            return False
    return True
