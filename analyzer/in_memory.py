"""Savers that a table calls volatile, and those that are told to keep a database in memory."""

from __future__ import annotations

import re

from .calling import argument
from .registry import literal_names
from .solver import Value
from .summary import Call
from .values import FunctionId, Resolver

_DEPTH = 3
"""A saver, a pool or connection that it is given, and what that is given."""


def is_volatile(resolver: Resolver, saver: Value) -> bool:
    """Whether what the saver keeps goes with the process."""
    role = resolver.knowledge.role(saver[1], "saver")
    if role is None:
        return False
    words = role.options.get("in_memory")
    return bool(role.options["volatile"] or (words and _is_given(resolver, saver, re.compile(words), _DEPTH)))


def call_at(resolver: Resolver, site: tuple[str, int, int]) -> tuple[FunctionId, Call] | None:
    """The call at a place, with the function around it."""
    path, line, column = site
    file = resolver.project.files.get(path)
    for head in file.summary.functions if file is not None else ():
        if head.line <= line <= head.end_line or head.qualname == "<module>":
            for call in resolver.project.facts((path, head.qualname)).calls:
                if (call.line, call.column) == (line, column):
                    return (path, head.qualname, ""), call
    return None


def _is_given(resolver: Resolver, made: Value, words: re.Pattern[str], depth: int) -> bool:
    """Whether what made the value, or a connection handed to that, was given such an address."""
    found = call_at(resolver, made[2]) if made[2] and depth else None
    if found is None:
        return False
    function, call = found
    given = [argument(call, 0, None), *(argument(call, None, name) for name in ("conn_string", "conn", "database"))]
    for expr in (expr for expr in given if expr is not None):
        told = literal_names(resolver, expr, function)
        if told and all(map(words.search, told)):
            return True
        values = [value for value in resolver.of(expr, function) if value[0] == "inst"]
        if values and all(_is_given(resolver, value, words, depth - 1) for value in values):
            return True
    return False
