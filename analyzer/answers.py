"""The form of an answer: a value, or a map from the ids of waits to values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .facts import children, last_name
from .project import Project
from .summary import LEAF, Call, Comp, Const, Expr, Op, Table
from .values import FunctionId

Form = Literal["value", "map", "position", "all", "unknown"]
"""value: one for whatever is pending. map: by the id of each wait. position: by the order in which waits are
listed. all: the same answer for every pending wait. unknown: given from outside."""

_DIGEST = re.compile(r"[0-9a-f]{32}\Z")
_ID = re.compile(r"(^|[._])(id|interrupt_id|ns)$|interrupt_?id", re.I)
_KEYED = re.compile(r"by_?id|map(ping|ped)?$|resume_?map|per_interrupt", re.I)
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """The form of an answer and the expression that has it."""

    form: Form
    expr: Expr


def form_of(project: Project, expr: Expr, function: FunctionId, depth: int = _DEPTH) -> Answer:
    """The form of an answer, as far as the function that makes it tells."""
    if isinstance(expr, Table):
        return Answer("map" if expr.keys and all(_may_be_id(key) for key in expr.keys) else "value", expr)
    if isinstance(expr, Comp) and len(expr.items) == 2:
        return _of_comprehension(expr)
    if isinstance(expr, Const):
        return Answer("value", expr)
    if isinstance(expr, Op) and expr.kind in ("if", "or", "and") and depth:
        items = expr.items[1:] if expr.kind == "if" else expr.items
        forms = [form_of(project, item, function, depth - 1) for item in items]
        return next((each for each in forms if each.form != "value"), forms[0])
    if isinstance(expr, str) and "." not in expr:
        if _KEYED.search(expr):
            return Answer("map", expr)
        facts = project.facts(function[:2])
        forms = [form_of(project, value, function, depth - 1) for _, value in facts.lets.get(expr, ()) if depth]
        filled = [_may_be_id(key) for key, _, merged in facts.fills.get(expr, ()) if not merged]
        if filled and all(filled):
            return Answer("map", expr)
        if forms:
            return next((each for each in forms if each.form not in ("value", "unknown")), forms[0])
    return Answer("unknown", expr)


def _of_comprehension(expr: Comp) -> Answer:
    names = {name for target, _, _ in expr.loops for name in _names(target)}
    if not _may_be_id(expr.items[0]):
        return Answer("value", expr)
    if not _is_id(expr.items[0]):
        return Answer("map", expr)
    first = expr.loops[0][1]
    if isinstance(first, Call) and last_name(first.func) in ("zip", "enumerate"):
        return Answer("position", expr)
    uses = {name.partition(".")[0] for name in _names(expr.items[1])}
    return Answer("map" if names & uses else "all", expr)


def _is_id(expr: Expr) -> bool:
    """Whether a key is the id of a wait: an attribute, name or entry called so, or its digest."""
    if isinstance(expr, Const):
        return isinstance(expr.value, str) and _DIGEST.match(expr.value) is not None
    if isinstance(expr, str):
        return _ID.search(expr) is not None
    return _ID.search(getattr(expr, "name", "") or str(getattr(getattr(expr, "key", None), "value", ""))) is not None


def _may_be_id(expr: Expr) -> bool:
    """Whether a key may be the id of a wait: the fields of a plain value are literals."""
    return _is_id(expr) if isinstance(expr, Const) else expr is not None


def _names(expr: Expr) -> list[str]:
    if isinstance(expr, str):
        return [expr]
    if expr is None or isinstance(expr, LEAF):
        return []
    return [name for child in children(expr) for name in _names(child)]
