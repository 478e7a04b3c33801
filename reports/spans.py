"""Which part of one line of a file a place means."""

from __future__ import annotations

import json
import re

from ..contract import Place

_SURROGATE = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_UNITS = re.compile(rf"{_SURROGATE}|\\u[0-9a-fA-F]{{4}}|\\.|[^\\]")
"""The ways to write one character in a JSON string."""


def span(place: Place, text: str) -> tuple[int, int]:
    """First column and the column behind the last, of the line ``text`` that the place begins on.

    A place over several lines ends with its first: a pull request shows an alert only if it changes all
    lines of its region. Columns of a notebook's cell become those of its line in the file. The range
    lies in the text and, if that is not blank, holds something.
    """
    start, end = place.column, place.end_column
    if place.end_line not in (0, place.line) or end <= start:
        end = 0
    if place.cell is not None:
        start, end = _in_notebook(start, end, text)
    last = len(text.rstrip()) + 1
    if not text:
        return start, max(start, end)
    end = min(end, last) if end else last
    if not text[start - 1 : end - 1].strip():
        return last - len(text.strip()), last
    return start, end


def code_line(place: Place, text: str) -> str:
    """The code on a line of the file, by which the place's columns count: of a notebook what its JSON says.

    "" where the line holds several lines of a cell, of which the place does not tell one.
    """
    if place.cell is None:
        return text
    value = _cell_line(text)
    return "" if value is None else value.rstrip("\n")


def _cell_line(text: str) -> str | None:
    """The line of a cell that a line of a notebook holds, None where it holds anything else."""
    try:
        value = json.loads(text.strip().removesuffix(","))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) and "\n" not in value[:-1] else None


def _in_notebook(start: int, end: int, text: str) -> tuple[int, int]:
    """The columns in the JSON text; the whole line where it holds more than one line of a cell."""
    body = text.strip().removesuffix(",")
    value = _cell_line(text)
    if value is None:
        return len(text) - len(text.lstrip()) + 1, 0
    inner, offset = body[1:-1], text.index('"') + 2
    marks = [found.start() + offset for found in _UNITS.finditer(inner)] + [len(inner) + offset]
    if value.endswith("\n"):
        marks.pop()
    last = len(marks)
    return marks[min(start, last) - 1], marks[min(end or last, last) - 1]
