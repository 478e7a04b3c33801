"""Notebooks as one Python text, each line of which knows its line in the .ipynb file and its cell.

Columns are those of the cell's own code. Magics and shell lines are replaced, never moved: a text
has as many lines as its cells. A file written by ``%%writefile`` is not audited.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .source import SourceError, risky, universal_newlines

_PYTHON_CELLS = frozenset(
    [
        "time",
        "timeit",
        "capture",
        "prun",
        "debug",
        "memit",
        "mprun",
        "lprun",
        "snakeviz",
        "scalene",
        "heat",
        "ipytest",
        "run_pytest",
        "memray_flamegraph",
        "wandb",
        "chime",
        "tb",
        "skip_if",
        "mypy",
    ]
)
"""Cell magics whose body runs as Python of the notebook."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: ``number`` counts all cells from 1; ``text`` is Python and ends in a line end.

    ``first_text_line`` is the 1-based line of the whole text that the cell begins on.
    """

    number: int
    text: str
    first_text_line: int


@dataclass(frozen=True, slots=True)
class NotebookSource:
    """The code of a notebook. ``lines[n - 1]`` is (line in the file, cell) of line n of ``text``.

    ``skipped`` says why nothing was read from a notebook that is none of Python.
    """

    text: str
    lines: tuple[tuple[int, int], ...]
    cells: tuple[Cell, ...]
    skipped: str | None = None


def notebook_source(data: bytes) -> NotebookSource:
    """Read a notebook (format 4). SourceError with the line where it is no JSON or no notebook."""
    try:
        document = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(data.count(b"\n", 0, error.start) + 1, f"not utf-8: {error.reason}") from None
    document = universal_newlines(document)
    try:
        notebook = json.loads(document)
    except json.JSONDecodeError as error:
        raise SourceError(error.lineno, f"not a notebook: {error.msg}") from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number too long
        raise SourceError(1, f"not a notebook: {str(error).partition(';')[0]}") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        if isinstance(notebook, dict) and "worksheets" in notebook:
            raise SourceError(1, "not a notebook of format 4; nbconvert --to notebook brings it up to date")
        raise SourceError(1, "not a notebook: no list of cells")
    language = _language(notebook)
    if language is not None:
        return NotebookSource("", (), (), f"notebook in {language}")
    return _assemble(cells, _positions(document))


def drop_bad_cells(notebook: NotebookSource) -> tuple[str, tuple[SourceError, ...]]:
    """The text with the cells that do not parse blanked, and an error for each, at its .ipynb line.

    Worth a call only where the whole text does not parse.
    """
    texts: list[str] = []
    errors: list[SourceError] = []
    for cell in notebook.cells:
        problem = _problem(cell.text)
        if problem is None:
            texts.append(cell.text)
            continue
        line, message = problem
        height = cell.text.count("\n")
        at = notebook.lines[cell.first_text_line - 1 + min(max(line, 1), height) - 1][0]
        errors.append(SourceError(at, f"cell {cell.number}: {message}"))
        texts.append("\n" * height)
    return "".join(texts), tuple(errors)


def _problem(text: str) -> tuple[int, str] | None:
    reason = risky(text)
    if reason is not None:
        return 1, reason
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return 1, str(error) or "too deeply nested"
    return None


def _language(notebook: Mapping[str, object]) -> str | None:
    """The language of a notebook that is not Python, else None."""
    metadata = _table(notebook.get("metadata"))
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        language = _table(metadata.get(key)).get(name)
        if isinstance(language, str) and language:
            return None if language.lower() in ("python", "ipython", "python3", "sage") else language
    return None


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"(\s*:)?|[\[\]{}]')


def _positions(document: str) -> dict[int, list[int]]:
    """For each cell, from 0, the 1-based line of each string of its ``source``. The text is valid JSON."""
    found: dict[int, list[int]] = {}
    open_ones: list[str] = []  # the key or "" under which each open bracket stands
    key = ""
    cell = -1
    line, counted = 1, 0
    for token in _TOKEN.finditer(document):
        first = document[token.start()]
        if first in "{[":
            open_ones.append(key)
            key = ""
            if len(open_ones) == 3 and open_ones[1] == "cells":
                cell += 1
        elif first in "}]":
            open_ones.pop()
            key = ""
        elif token[1] is not None:
            text = token[0][: -len(token[1])]
            key = json.loads(text) if "\\" in text else text[1:-1]
            if key == "cells" and len(open_ones) == 1:
                found.clear()  # of two equal keys the last one counts
                cell = -1
            elif key == "source" and len(open_ones) == 3:
                found[cell] = []
        else:
            in_source = (len(open_ones) == 3 and key == "source") or (len(open_ones) == 4 and open_ones[3] == "source")
            if in_source and open_ones[1] == "cells":
                line += document.count("\n", counted, token.start())
                counted = token.start()
                found.setdefault(cell, []).append(line)
            key = ""
    return found


def _assemble(cells: Iterable[object], positions: Mapping[int, list[int]]) -> NotebookSource:
    texts: list[str] = []
    lines: list[tuple[int, int]] = []
    out: list[Cell] = []
    position = -1
    for number, value in enumerate(cells, 1):
        if not isinstance(value, dict | list):
            continue
        position += 1
        if isinstance(value, list) or value.get("cell_type") != "code" or not _is_python(value):
            continue
        source = value.get("source", [])
        pieces = [source] if isinstance(source, str) else source
        if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
            raise SourceError(1, f"cell {number}: its source is no text")
        starts = positions.get(position, [])
        if not pieces or len(starts) != len(pieces):
            if pieces:
                raise SourceError(1, f"cell {number}: its source stands twice")
            continue
        if not any("\n" in piece or "\r" in piece for piece in pieces):
            pieces = [piece + "\n" for piece in pieces]  # some tools forget the line ends
        code, places = _joined(pieces, starts)
        text = "".join(line + "\n" for line in _python(code))
        out.append(Cell(number, text, len(lines) + 1))
        texts.append(text)
        lines.extend((place, number) for place in places)
    return NotebookSource("".join(texts), tuple(lines), tuple(out))


def _is_python(cell: Mapping[str, object]) -> bool:
    """Editors mark a cell of another language in its metadata."""
    language = _table(_table(cell.get("metadata")).get("vscode")).get("languageId")
    return not isinstance(language, str) or language == "python"


def _joined(pieces: Iterable[str], starts: Iterable[int]) -> tuple[list[str], list[int]]:
    """The lines of a cell, and for each the line of the file on which it begins."""
    code: list[str] = [""]
    places: list[int] = []
    for piece, start in zip(pieces, starts, strict=True):
        first, *rest = universal_newlines(piece).split("\n")
        if len(places) < len(code):
            places.append(start)
        elif not code[-1]:
            places[-1] = start
        code[-1] += first
        code.extend(rest)
        places.extend([start] * len(rest))
    if len(code) > 1 and not code[-1]:
        code.pop()
        places.pop()
    return code, places


_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_MAGIC = re.compile(r"(\s*)(?:[!%?]|(?:[\w.*]+)\?{1,2}\s*(?:#.*)?$)")
_TIMED = re.compile(r"(\s*)%time (?=[^\s-])")
_CAPTURED = re.compile(r"(\s*[\w.\[\]'\", ]+?=)\s*[!%](?![=])")
_TOKENS = re.compile(r"#.*|[rRbBuUfF]{0,2}(\"\"\"|'''|\"|')|[(\[{]|[)\]}]")


def _python(code: list[str]) -> list[str]:
    """The lines of a cell with what only IPython understands replaced, line by line."""
    first = next((index for index, line in enumerate(code) if line.strip()), None)
    if first is None:
        return code
    magic = _CELL_MAGIC.match(code[first])
    if magic:
        if magic[1] not in _PYTHON_CELLS:
            return [""] * len(code)
        return [""] * (first + 1) + _python(code[first + 1 :])
    indent = code[first][: len(code[first]) - len(code[first].lstrip())]
    if indent:
        code = [line.removeprefix(indent) for line in code]
    return list(_without_magics(code))


def _without_magics(code: list[str]) -> Iterator[str]:
    state = _State()
    inside_magic = False
    for line in code:
        if inside_magic:
            inside_magic = line.endswith("\\")
            yield ""
            continue
        if state.at_statement:
            replaced = _replaced(line)
            if replaced is not None:
                inside_magic = line.endswith("\\")
                yield replaced
                continue
        state.feed(line)
        yield line


def _replaced(line: str) -> str | None:
    """A Python line in place of a magic, None where the line is none."""
    timed = _TIMED.match(line)
    if timed:
        return timed[1] + "if 1: " + line[timed.end() :]  # as long as "%time "
    magic = _MAGIC.match(line)
    if magic:
        return magic[1] + "pass"
    captured = _CAPTURED.match(line)
    if captured:
        return captured[1] + " ..."
    return None


class _State:
    """Whether a line begins a statement, or goes on with a string, a bracket or a continued line."""

    def __init__(self) -> None:
        self.quote = ""
        self.depth = 0
        self.continued = False

    @property
    def at_statement(self) -> bool:
        return not self.quote and self.depth == 0 and not self.continued

    def feed(self, line: str) -> None:
        position = 0
        while True:
            if self.quote:
                end = _string_end(line, position, self.quote)
                if end < 0:
                    break
                position, self.quote = end, ""
            token = _TOKENS.search(line, position)
            if token is None:
                break
            if token[0].startswith("#"):
                self.continued = False
                return
            position = token.end()
            if token[1]:
                self.quote = token[1]
            elif token[0] in "([{":
                self.depth += 1
            else:
                self.depth = max(0, self.depth - 1)
        self.continued = line.endswith("\\") and len(self.quote) != 3


def _string_end(line: str, position: int, quote: str) -> int:
    """The place behind the closing quote, -1 where the string goes on."""
    while position < len(line):
        if line[position] == "\\":
            position += 2
        elif line.startswith(quote, position):
            return position + len(quote)
        else:
            position += 1
    return -1
