"""Source texts again, for the places and lines that reports show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..contract import Place
from .discover import FoundFile
from .notebooks import notebook_source
from .source import SourceError, decode, read_bytes


@dataclass
class Texts:
    """Reads files once more when a place in them is to be shown."""

    files: Mapping[str, FoundFile]
    _lines: dict[tuple[str, bool], list[str]] = field(default_factory=dict)
    _cells: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def line(self, path: str, number: int) -> str:
        """A line of a file as it stands there, empty where there is none."""
        return _at(self._text(path, False), number)

    def code_line(self, path: str, number: int) -> str:
        """A line of the code that summaries speak of: of a notebook, of its joined cells."""
        return _at(self._text(path, True), number)

    def place(self, path: str, line: int, column: int, end_line: int = 0, end_column: int = 0) -> Place:
        """A place from 1-based lines and byte columns, as ``ast`` has them."""
        lines = self._text(path, True)
        start = _characters(lines, line, column)
        end = _characters(lines, end_line, end_column) if end_line else start
        cells = self._cells.get(path)
        if cells is None:
            return Place(path, line, start + 1, end_line or line, end + 1)
        at, cell = cells[line - 1] if line <= len(cells) else (line, 1)
        until = cells[end_line - 1][0] if 0 < end_line <= len(cells) else at
        return Place(path, at, start + 1, until, end + 1, cell)

    def close(self) -> None:
        """Let go of what was read."""
        self._lines.clear()

    def _text(self, path: str, code: bool) -> list[str]:
        notebook = path.endswith(".ipynb")
        key = (path, code and notebook)
        if key not in self._lines:
            text = ""
            try:
                data = read_bytes(self.files[path]) if path in self.files else b""
                if notebook and code:
                    found = notebook_source(data)
                    self._cells[path] = found.lines
                    text = found.text
                else:
                    text = data.decode("utf-8", "replace") if notebook else decode(data)
            except SourceError:  # changed since it was summarised: nothing to show
                text = ""
            self._lines[key] = text.split("\n")
        return self._lines[key]


def _at(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _characters(lines: Sequence[str], line: int, column: int) -> int:
    """Code points before a byte column."""
    text = _at(lines, line)
    return column if text.isascii() else len(text.encode()[:column].decode("utf-8", "ignore"))
