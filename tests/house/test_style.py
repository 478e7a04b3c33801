"""Small files, and comments about the code rather than its history."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {"fixtures", "build", "dist", "__pycache__"}
MOST_LINES = 400
HISTORY = re.compile(
    r"(?<![\w&])#\d+\b|\b(?:issue|ticket|pull request|PR)\s*#?\d+\b"
    r"|\b20\d\d-\d\d-\d\d\b|\b(?:TODO|FIXME|XXX)\b",
    re.IGNORECASE,
)


def code_files() -> list[Path]:
    return sorted(
        path
        for path in ROOT.rglob("*.py")
        if not any(part in SKIPPED or part.startswith(".") for part in path.relative_to(ROOT).parts)
    )


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Comments and docstrings, with their lines."""
    before = tokenize.NEWLINE
    blank = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string[1:]
        elif token.type == tokenize.STRING and before == tokenize.NEWLINE:
            yield token.start[0], token.string
        if token.type not in blank:
            before = token.type


def test_files_are_small() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in code_files()
        if (lines := len(path.read_text().splitlines())) > MOST_LINES
    }
    assert long == {}


def test_comments_tell_no_history() -> None:
    told = [
        f"{path.relative_to(ROOT)}:{line}: {found[0]}"
        for path in code_files()
        for line, text in comments(path.read_text())
        if (found := HISTORY.search(text))
    ]
    assert told == []


@pytest.mark.parametrize(
    "text, history",
    [
        ("# see issue 12", True),
        ("# fixed in #12", True),
        ("# as of 2024-01-02", True),
        ('"""TODO: more."""', True),
        ('name = "issue 12"', False),
        ("# columns count code points", False),
        ("# the second issue of a lock", False),
    ],
)
def test_what_counts_as_history(text: str, history: bool) -> None:
    assert any(HISTORY.search(comment) for _, comment in comments(text + "\n")) == history


def test_modules_say_what_they_are() -> None:
    """Every module of the package that holds code begins with a docstring."""
    silent = []
    for path in code_files():
        module = ast.parse(path.read_bytes())
        if module.body and "tests" not in path.relative_to(ROOT).parts and not ast.get_docstring(module):
            silent.append(path.relative_to(ROOT).as_posix())
    assert silent == []
