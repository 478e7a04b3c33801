"""How calls, functions and places are called in messages."""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

from ..contract import Place

if TYPE_CHECKING:
    from ..analyzer.effect_sites import EffectSite
    from ..analyzer.outline import WaitSite
    from ..analyzer.program import Program
    from ..analyzer.summary import Call
    from ..analyzer.values import FunctionId

_LONGEST = 60
_MOST_LINES = 200
_LAMBDA = re.compile(r"<lambda:(\d+):(\d+)>")
_AGAIN = re.compile(r"#\d+(?=\.|$)")
_FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)


def plain_symbol(symbol: str) -> str:
    """A qualified name without what only tells namesakes of one file apart."""
    return _AGAIN.sub("", _LAMBDA.sub("<lambda>", symbol))


def at(place: Place, seen_from: str = "") -> str:
    """Where something stands: the line alone for a reader who is at the path ``seen_from``."""
    cell = f" (cell {place.cell})" if place.cell is not None else ""
    where = f"line {place.line}" if place.path == seen_from else f"{place.path}:{place.line}"
    return where + cell


def function_said(program: Program, function: FunctionId) -> str:
    """A function's name in backquotes, or where the lambda stands."""
    if function[1] == "<module>":
        return "the module's own code"
    return name_said(program, function[0], function[1].rpartition(".")[2], function)


def name_said(program: Program, path: str, name: str, function: FunctionId | None = None) -> str:
    """A name in backquotes; a lambda's by its place, that of a method that the framework calls by its class."""
    found = _LAMBDA.match(name)
    if found is not None:
        place = program.place(path, int(found[1]), int(found[2]))
        return f"the lambda at {path.rpartition('/')[2]}:{at(place, path).removeprefix('line ')}"
    name = plain_symbol(name)
    if function is not None and name.startswith("_") and program.registry.is_hook((function[0], function[1])):
        head = program.project.function((function[0], function[1]))
        if head is not None and head.owner:
            name = plain_symbol(head.owner).rpartition(".")[2]
    return f"`{name}`"


def text_of(program: Program, site: EffectSite | WaitSite | Call, path: str) -> str:
    """What a call calls, as written and shortened: of a chain of calls the first and the last."""
    if not 0 <= site.end_line - site.line < _MOST_LINES:
        return "this call"
    lines = [program.text_line(path, number).encode() for number in range(site.line, site.end_line + 1)]
    lines[-1] = lines[-1][: site.end_column]
    lines[0] = lines[0][site.column :]
    source = "(" + b"\n".join(lines).decode("utf-8", "ignore") + "\n)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval").body
        return _shortened(_links(tree, source)) or "this call"
    except _FAILURES:  # changed since it was summarised, or in an f-string of an older Python
        return "this call"


def _shortened(links: list[str]) -> str:
    calls = [link for link in links if link]
    if not calls or not calls[-1].endswith("()"):
        return ""
    whole = ".".join(calls)
    if len(calls) > 2 or len(whole) > _LONGEST:
        first = f"{calls[0]}…" if len(calls) > 1 else "…"
        whole = first + calls[-1]
        if len(whole) > _LONGEST:
            whole = "…" + calls[-1][-_LONGEST:].rpartition(".")[2]
    return whole


def _links(tree: ast.expr, source: str) -> list[str]:
    """The parts of a chain, each ending in a call but perhaps the last: ``a.b().c.d()``."""
    if isinstance(tree, ast.Await):
        return _links(tree.value, source)
    if isinstance(tree, ast.Name):
        return [tree.id]
    if isinstance(tree, ast.Attribute):
        before = _links(tree.value, source)
        if before[-1].endswith("()"):
            return [*before, tree.attr]
        return [*before[:-1], f"{before[-1]}.{tree.attr}"]
    if isinstance(tree, ast.Call):
        before = _links(tree.func, source)
        return [*before[:-1], f"{before[-1]}()"]
    segment = " ".join((ast.get_source_segment(source, tree) or "").split())
    if segment and len(segment) <= _LONGEST - 20 and isinstance(tree, ast.Subscript | ast.Constant):
        return [segment]
    if isinstance(tree, ast.Subscript):
        before = _links(tree.value, source)
        return [*before[:-1], f"{before[-1]}[…]"]
    return ["(…)"]
