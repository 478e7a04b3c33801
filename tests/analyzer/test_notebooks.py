from __future__ import annotations

import ast
import json

import pytest

from resume_audit.analyzer import notebooks
from resume_audit.analyzer.notebooks import NotebookSource, drop_bad_cells, notebook_source
from resume_audit.analyzer.source import SourceError


def code(*lines: str, **more: object) -> dict[str, object]:
    text = "\n".join(lines)
    return {"cell_type": "code", "metadata": {}, "source": text.splitlines(keepends=True), **more}


MARKDOWN = {"cell_type": "markdown", "source": ["# title\n", "x = 1"]}


def read(*cells: dict[str, object], indent: int | None = 1, **metadata: object) -> NotebookSource:
    return notebook_source(json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}, indent=indent).encode())


def body(*lines: str) -> list[str]:
    return read(code(*lines)).text.split("\n")[:-1]


def test_each_line_knows_its_line_in_the_file_and_its_cell() -> None:
    cells = [MARKDOWN, code("a = 1", "", 'b = "\\"{[" '), code(), code("c = 1")]
    data = json.dumps({"cells": cells, "metadata": {"source": ["no"]}}, indent=1)
    source = notebook_source(data.encode())
    raw = data.split("\n")
    assert source.text == 'a = 1\n\nb = "\\"{[" \nc = 1\n'
    assert [cell for _, cell in source.lines] == [2, 2, 2, 4]
    for text, (line, _) in zip(source.text.splitlines(), source.lines, strict=True):
        assert json.dumps(text)[1:-1] in raw[line - 1]
    assert [line for line, _ in source.lines] == sorted({line for line, _ in source.lines})
    assert [(cell.number, cell.first_text_line, cell.text) for cell in source.cells] == [
        (2, 1, 'a = 1\n\nb = "\\"{[" \n'),
        (4, 4, "c = 1\n"),
    ]


def test_a_source_in_one_string_lies_on_one_line() -> None:
    cells = [MARKDOWN, {"cell_type": "code", "source": "a = 1\r\nb = 2\n\nc"}]
    data = json.dumps({"cells": cells}, indent=1)
    source = notebook_source(data.encode())
    at = 1 + data[: data.index('"a = 1')].count("\n")
    assert source.text == "a = 1\nb = 2\n\nc\n"
    assert source.lines == ((at, 2),) * 4


def test_compact_and_marked_files_are_read() -> None:
    source = notebook_source(b"\xef\xbb\xbf" + json.dumps({"cells": [code("a", "b")]}).encode())
    assert (source.text, source.lines) == ("a\nb\n", ((1, 1), (1, 1)))


def test_a_line_in_several_strings_is_where_it_begins() -> None:
    data = '{"cells": [{"cell_type": "code", "source": [\n"a = ",\n"1\\nb",\n" = 2\\n",\n"c"]}]}'
    source = notebook_source(data.encode())
    assert source.text == "a = 1\nb = 2\nc\n"
    assert [line for line, _ in source.lines] == [2, 3, 5]


def test_strings_without_line_ends_are_lines() -> None:
    source = notebook_source(b'{"cells": [{"cell_type": "code", "source": [\n"a = 1",\n"",\n"b"]}]}')
    assert (source.text, [line for line, _ in source.lines]) == ("a = 1\n\nb\n", [2, 3, 4])


def test_nested_sources_elsewhere_are_not_taken() -> None:
    cell = {
        "outputs": [{"source": ["no"], "cells": [{"source": "no"}]}],
        **code("a"),
        "z": {"source": ["no"]},
    }
    assert read(cell, code("b")).lines[0][0] < read(cell, code("b")).lines[1][0]
    assert read(cell, code("b")).text == "a\nb\n"


@pytest.mark.parametrize(
    "line, expected",
    [
        ("%matplotlib inline", "pass"),
        ("!pip install x", "pass"),
        ("?thing", "pass"),
        ("graph.invoke??", "pass"),
        ("files = !ls", "files = ..."),
        ("out = %timeit -o f()", "out = ..."),
        ("%time x = f(1)", "if 1: x = f(1)"),
        ("%time", "pass"),
        ("x = a % b", "x = a % b"),
        ("x != y", "x != y"),
        ("x = '%s' % y", "x = '%s' % y"),
    ],
)
def test_magics_are_replaced_in_place(line: str, expected: str) -> None:
    assert body(line, "y = 1") == [expected, "y = 1"]
    assert body("if z:", "    " + line) == ["if z:", "    " + expected]
    ast.parse("\n".join(body("if z:", "    " + line)))


def test_lines_inside_strings_brackets_and_continued_lines_are_no_magics() -> None:
    lines = [
        "x = '''",
        "%no",
        "!no'''",
        "y = (a",
        "% b)",
        "z = a \\",
        "% b",
        "w = 'it\\'s ('  # ((",
        "%yes",
        "# \\",
        "!yes",
    ]
    assert body(*lines) == [*lines[:8], "pass", "# \\", "pass"]


def test_continued_shell_lines_go_with_their_first() -> None:
    assert body("!pip install a \\", "  b", "c = 1") == ["pass", "", "c = 1"]


def test_cell_magics_keep_python_and_blank_the_rest() -> None:
    source = read(code("%%time", "a = 1"), code("", "%%bash", "rm -r /"), code("b = 1"))
    assert source.text == "\na = 1\n\n\n\nb = 1\n"
    assert len(source.lines) == source.text.count("\n")


def test_indented_cells_are_moved_to_the_left() -> None:
    assert body("  a = 1", "  if a:", "    b") == ["a = 1", "if a:", "  b"]


def test_other_languages_are_skipped_with_the_reason() -> None:
    skipped = read(code("x <- 1"), kernelspec={"language": "R", "name": "ir"})
    assert (skipped.text, skipped.skipped) == ("", "notebook in R")
    assert read(code("x"), language_info={"name": "julia"}).skipped == "notebook in julia"
    assert read(code("x"), kernelspec={"language": "python"}).skipped is None
    sql = code("select 1")
    sql["metadata"] = {"vscode": {"languageId": "sql"}}
    assert read(sql, code("x")).text == "x\n"


def test_a_bad_cell_does_not_take_the_others_with_it() -> None:
    data = json.dumps(
        {"cells": [code("a = 1"), code("b = 1", "c = (", "d"), code("(" * 5000), code("e = 1")]}, indent=1
    )
    source = notebook_source(data.encode())
    text, errors = drop_bad_cells(source)
    assert text == "a = 1\n\n\n\n\ne = 1\n"
    assert [error.message for error in errors] == [
        "cell 2: '(' was never closed",
        "cell 3: 100 or more brackets inside each other",
    ]
    assert '"c = (' in data.split("\n")[errors[0].line - 1]
    assert drop_bad_cells(read(code("a"), code("await b"))) == ("a\nawait b\n", ())


@pytest.mark.parametrize(
    "data, line",
    [
        (b"", 1),
        (b'{"cells": [\n]\n,}', 3),
        (b"[]", 1),
        (b'{"cells": {}}', 1),
        (b'{"worksheets": []}', 1),
        (b'{\n"a": "\xff"}', 2),
        (b'{"cells": ' + b"[" * 100_000, 1),
        (b'{"cells": [{"cell_type": "code", "source": [1]}]}', 1),
        (b'{"cells": [{"cell_type": "code", "source": ["a"], "source": []}], "x": ' + b"1" * 5000 + b"}", 1),
    ],
)
def test_what_is_no_notebook_is_refused_with_its_line(data: bytes, line: int) -> None:
    with pytest.raises(SourceError) as caught:
        notebook_source(data)
    assert caught.value.line == line
    assert "\n" not in caught.value.message


def test_odd_cells_are_passed_over() -> None:
    cell = b'{"cell_type": "code", "source": "a"}'
    odd = b'1, null, {}, {"cell_type": "code"}, {"cell_type": "code", "source": []}, [{"source": "no"}]'
    found = notebook_source(b'{"cells": [' + odd + b", " + cell + b"]}")
    assert [(cell.number, cell.text) for cell in found.cells] == [(7, "a\n")]
    twice = b'{"cells": [{"cell_type": "code", "source": "no"}], "cells":\n [' + cell + b"]}"
    assert notebook_source(twice).lines == ((2, 1),)
    assert notebooks.drop_bad_cells(notebook_source(twice))[0] == "a\n"
