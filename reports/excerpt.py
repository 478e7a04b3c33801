"""Source text as a terminal may show it: nothing that moves the cursor, columns that line up."""

from __future__ import annotations

import unicodedata

WIDTH = 100
"""Columns of a terminal that one line of source may take."""

_TAB = 4
_LEAD = 20
_CUT = "..."


def printable(text: str) -> str:
    """The text with control, format, surrogate and separator characters written as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_cell, text))


def excerpt(text: str, column: int, end_column: int, width: int = WIDTH) -> tuple[str, int, int]:
    """A line of source as shown, and where on the terminal a range of it stands (offset, length).

    Columns are 1-based and count code points, ``end_column`` is exclusive; a range that does not
    fit the text is brought inside, and is never empty. A long line is cut around the range.
    """
    text = text.rstrip()
    start = min(max(column - 1, 0), len(text))
    stop = min(max(end_column - 1, start + 1), max(len(text), start + 1))
    low = 0 if len(text) <= width or stop <= width - len(_CUT) else max(0, start - _LEAD)
    shown = [_CUT] if low else []
    position = first = len(_CUT) if low else 0
    starts = []
    for character in text[low : low + width]:
        cell = " " * (_TAB - (position - first) % _TAB) if character == "\t" else _cell(character)
        size = _size(cell)
        if position + size > width:
            break
        starts.append(position)
        shown.append(cell)
        position += size
    starts.append(position)
    if low + len(starts) - 1 < len(text):
        shown.append(_CUT)
    last = len(starts) - 1
    offset = starts[min(start - low, last)]
    return "".join(shown), offset, max(1, starts[min(stop - low, last)] - offset)


def _cell(character: str) -> str:
    """One character as it may be printed."""
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn"):
        number = ord(character)
        if number < 0x100:
            return f"\\x{number:02x}"
        return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    return character


def _size(cell: str) -> int:
    """The columns that a cell takes."""
    if len(cell) != 1:
        return len(cell)
    if unicodedata.category(cell) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(cell) in ("W", "F") else 1
