"""Places and lines as people see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from resume_audit.analyzer import discover
from resume_audit.analyzer.texts import Texts
from resume_audit.contract import Place


def texts(tmp_path: Path, **files: str | bytes) -> Texts:
    for name, text in files.items():
        (tmp_path / name.replace("__", ".")).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Texts({file.relative: file for file in discover.find((tmp_path,), (), tmp_path).files})


def test_columns_count_code_points(tmp_path: Path) -> None:
    made = texts(tmp_path, a__py='x = "aé😀"; pay()\nplain()\n')
    # ast counts bytes from 0: é is two of them, 😀 four
    assert made.place("a.py", 1, 14, 1, 19) == Place("a.py", 1, 11, 1, 16)
    assert made.place("a.py", 2, 0, 2, 7) == Place("a.py", 2, 1, 2, 8)
    assert made.place("a.py", 1, 14) == Place("a.py", 1, 11, 1, 11)


def test_a_range_over_lines(tmp_path: Path) -> None:
    made = texts(tmp_path, a__py="pay(\n  'é', x)\n")
    assert made.place("a.py", 1, 0, 2, 9) == Place("a.py", 1, 1, 2, 9)


def test_lines(tmp_path: Path) -> None:
    made = texts(tmp_path, a__py=b"\xef\xbb\xbfone = 1\r\ntwo = 2\x0c\n\nfour = 4")
    assert [made.line("a.py", number) for number in range(6)] == ["", "one = 1", "two = 2\x0c", "", "four = 4", ""]
    assert made.code_line("a.py", 1) == "one = 1"


def test_declared_encodings(tmp_path: Path) -> None:
    made = texts(tmp_path, a__py='# coding: latin-1\nx = "é"; pay()\n'.encode("latin-1"))
    assert made.line("a.py", 2) == 'x = "é"; pay()'
    assert made.place("a.py", 2, 10, 2, 15) == Place("a.py", 2, 10, 2, 15)


@pytest.mark.parametrize("indent", [1, None])
def test_notebooks(tmp_path: Path, indent: int | None) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# title\n"]},
        {"cell_type": "code", "source": ["a = 'é'\n", "b = 2"]},
        {"cell_type": "code", "source": ["x = 'é'; pay()"]},
    ]
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=indent, ensure_ascii=False)
    made = texts(tmp_path, n__ipynb=data)
    lines = data.split("\n")
    line = next(number for number, text in enumerate(lines, 1) if "pay()" in text)
    assert made.code_line("n.ipynb", 3) == "x = 'é'; pay()"
    assert made.line("n.ipynb", line) == lines[line - 1]
    assert made.place("n.ipynb", 3, 10, 3, 15) == Place("n.ipynb", line, 10, line, 15, 3)
    assert made.place("n.ipynb", 1, 0).cell == 2


def test_what_is_gone_shows_nothing(tmp_path: Path) -> None:
    made = texts(tmp_path, a__py="x = 1\n")
    (tmp_path / "a.py").unlink()
    assert made.line("a.py", 1) == ""
    assert made.line("nowhere.py", 1) == ""
    assert made.place("a.py", 7, 3, 7, 9) == Place("a.py", 7, 4, 7, 10)


def test_texts_are_read_once_until_closed(tmp_path: Path) -> None:
    made = texts(tmp_path, a__py="x = 1\n")
    assert made.line("a.py", 1) == "x = 1"
    (tmp_path / "a.py").write_text("y = 2\n")
    assert made.line("a.py", 1) == "x = 1"
    made.close()
    assert made.line("a.py", 1) == "y = 2"
