"""Where a key stands in the text: summaries know the display it is in, not its line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..contract import Place

if TYPE_CHECKING:
    from ..analyzer.program import Program

_FAR = 120
"""Lines below the beginning of a display in which its key is looked for."""
_SEPARATOR = {"entry": r"\s*:", "keyword": r"\s*=(?!=)", "item": r"\s*\]\s*(:[^=]+)?=", "attribute": r"\s*(:[^=]+)?="}


def place_of_key(program: Program, path: str, line: int, key: str, form: str) -> Place | None:
    """The first place, at the line or below, where the key is given a value. ``form``: how, as in ``StateWrite``."""
    escaped = re.escape(key)
    word = escaped if form in ("keyword", "attribute") else rf"[\"']{escaped}[\"']"
    pattern = re.compile(rf"(?<![\w\"']){word}(?={_SEPARATOR[form]})")
    for number in range(line, line + _FAR):
        text = program.text_line(path, number)
        match = pattern.search(text)
        if match is not None:
            start = len(text[: match.start()].encode())
            return program.place(path, number, start, number, start + len(match[0].encode()))
    return None


def place_of_line(program: Program, path: str, line: int) -> Place:
    """All that stands on a line."""
    text = program.text_line(path, line)
    start = len(text) - len(text.lstrip())
    return program.place(path, line, start, line, len(text.encode()))
