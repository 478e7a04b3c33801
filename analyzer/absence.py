"""Code that runs because something was looked for and not found: the ``else`` of a loop, what follows a loop that
returns what it finds, and handlers of exceptions that say so. Each is told as a test that holds there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .facts import gather, last_name
from .summary import Attr, Break, Call, Expr, Handler, If, Loop, Op, Raise, Return, Seq, Stmt

NOTHING_IN = "nothing in"
"""Kind of a test: nothing in its operand, which a loop went through, was what was looked for."""

NOT_THERE = "not there"
"""Kind of a test: one of its operands, which are calls, said that there is no such thing."""

_SAYS_SO = re.compile(
    r"not_?found|no_?such|does_?not_?exist|doesnt_?exist|missing|noresult|no_?result|unknown_?(key|id)|absent",
    re.IGNORECASE,
)


def after_loop(loop: Loop) -> Expr:
    """What holds behind a loop that returns, or raises, where it finds what it looks for."""
    return Op(NOTHING_IN, [loop.source]) if loop.is_for and _finds(loop.body, (Return, Raise)) else None


def in_else(loop: Loop) -> Expr:
    """What holds in the ``else`` of a loop that breaks where it finds what it looks for."""
    return Op(NOTHING_IN, [loop.source]) if loop.is_for and _finds(loop.body, (Break,)) else None


def in_handler(handler: Handler, tried: Sequence[Stmt]) -> Expr:
    """What holds in a handler of an exception that says that something does not exist."""
    names = [last_name(item) for item in handler.types or ()]
    if not names or not all(map(_SAYS_SO.search, names)):
        return None
    calls: list[Expr] = [*gather(list(tried)).calls]
    return Op(NOT_THERE, calls) if calls else None


def _finds(body: Sequence[Stmt], leaving: tuple[type[Stmt], ...]) -> bool:
    return any(
        isinstance(item, If) and bool(item.body) and isinstance(item.body[-1], leaving) and _compares(item.test)
        for item in body
    )


def _compares(test: Expr) -> bool:
    """Whether a test looks for one of many: an equation, a membership."""
    if isinstance(test, Op) and test.kind in ("and", "or"):
        return any(map(_compares, test.items))
    return isinstance(test, Op) and test.kind in ("==", "is", "in")


_THROUGH = {
    "len", "bool", "any", "all", "list", "tuple", "set", "dict", "sorted", "next", "iter", "filter", "sum", "max",
}  # fmt: skip
_PARTS = {
    "json", "get", "items", "values", "keys", "read", "decode", "strip", "lower", "upper", "to_dict", "model_dump",
    "dict", "copy", "splitlines", "split", "mappings", "scalars", "unique",
}  # fmt: skip


def looked_through(call: Call) -> list[Expr]:
    """What a call only hands on: the argument of ``len``, the response of ``response.json()``."""
    last = last_name(call.func)
    if isinstance(call.func, str) and "." not in call.func:
        return [*call.args] if last in _THROUGH else []
    if last not in _PARTS:
        return []
    if isinstance(call.func, Attr):
        return [call.func.base]
    return [call.func.rpartition(".")[0]] if isinstance(call.func, str) else []


def parts_of(expr: Expr) -> list[Expr]:
    """What the value of a choice or a display may be made of."""
    if isinstance(expr, Op) and expr.kind in ("if", "or", "and"):
        return expr.items[1:] if expr.kind == "if" else expr.items
    return [*expr.items] if isinstance(expr, Seq) else []
