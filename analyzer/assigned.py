"""What an assignment tells of a value, and what is no longer known after it."""

from __future__ import annotations

from collections.abc import Callable

from .exclusion import Fact, Known, Names, Term, judge, learn, term
from .summary import Attr, Const, Expr, Item, Op, Seq, Star, Table, Walrus

_TRUTHS = {"not", "==", "!=", "is", "is not", "in", "not in", "<", "<=", ">", ">="}
Gives = Callable[[Expr], bool]
"""Whether an expression is what a call gave that never gives None."""


def bound(known: Known, target: Expr, value: Expr, names: Names, gives: Gives) -> Known:
    """What is known once the target is bound to the value; None is a value of which nothing is known."""
    if isinstance(target, Seq | Star):
        for part in target.items if isinstance(target, Seq) else [target.value]:
            known = bound(known, part, None, names, gives)
        return known
    if isinstance(target, Attr):
        return {of: facts for of, facts in known.items() if target.name not in of.words}
    if not isinstance(target, str | Item):
        return known
    told = _told(known, value, names, gives)
    if isinstance(target, str):
        word = target.rpartition(".")[2] if "." in target else ""
        known = {of: facts for of, facts in known.items() if target not in of.paths and word not in of.words}
    else:
        key = str(target.key.value) if isinstance(target.key, Const) else ""
        base = target.base if isinstance(target.base, str) else ""
        known = {of: facts for of, facts in known.items() if not _entry_changes(of, base, key)}
    found = term(target, names)
    for fact in told:
        known = learn(known, found, fact) if found is not None else known
    return known


def _entry_changes(of: Term, base: str, key: str) -> bool:
    """Whether setting an entry changes what the term asks."""
    if not key:
        return not base or base in of.paths
    return key in of.words or "*" in of.words or (base in of.paths and (not of.plain or of.text == base))


def _told(known: Known, value: Expr, names: Names, gives: Gives) -> tuple[Fact, ...]:
    """What is known of a value."""
    while isinstance(value, Walrus) or (isinstance(value, Op) and value.kind == ":"):
        value = value.value if isinstance(value, Walrus) else value.items[-1]
    if isinstance(value, Const):
        return (Fact("==", value.value, True),)
    if isinstance(value, Seq | Table):
        items = value.items if isinstance(value, Seq) else value.keys
        if any(item is None or isinstance(item, Star) for item in items):
            return ()
        return (Fact("truth", None, bool(items)),)
    if gives(value):
        return (Fact("==", None, False),)
    if isinstance(value, Op) and value.kind in _TRUTHS:
        found = judge(known, value, names)
        return () if found is None else (Fact("==", found, True),)
    of = term(value, names)
    # a list that is empty now may be filled through its other name
    return tuple(fact for fact in known.get(of, ()) if fact.relation != "truth") if of is not None else ()
