from __future__ import annotations

import ast
import os
import sysconfig
import time
import tokenize
from pathlib import Path

import pytest

from resume_audit.analyzer import source
from resume_audit.analyzer.discover import FoundFile
from resume_audit.analyzer.source import SourceError


def complaint(data: bytes) -> tuple[int, str]:
    with pytest.raises(SourceError) as caught:
        source.decode(data)
    return caught.value.line, caught.value.message


def refusal(path: Path) -> str:
    with pytest.raises(SourceError) as caught:
        source.read_bytes(FoundFile(path, path.name, named=True))
    return caught.value.message


def test_reads_bytes_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x" * source.SIZE_LIMIT)
    assert len(source.read_bytes(FoundFile(path, "a.py", named=True))) == source.SIZE_LIMIT
    path.write_bytes(b"x" * 30_000_000)
    assert refusal(path) == "too large: 30.0 MB, limit 5 MB"


def test_never_waits_for_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert refusal(tmp_path / "pipe.py") == "not a regular file"
    assert refusal(Path("/dev/zero")) == "not a regular file"
    assert refusal(tmp_path) == "cannot be read: Is a directory"
    assert refusal(tmp_path / "gone.py") == "cannot be read: No such file or directory"


def test_decodes_as_python_does() -> None:
    assert source.decode("é = 'ü'\n".encode()) == "é = 'ü'\n"
    assert source.decode(b"\xef\xbb\xbfx = 1") == "x = 1"
    assert source.decode(b"\xef\xbb\xbf# coding: utf-8\nx") == "# coding: utf-8\nx"
    assert source.decode(b"#!/bin/sh\n# -*- coding: latin-1 -*-\nx = '\xe9'").endswith("'é'")
    assert source.decode(b"x = 1\n# coding: latin-1\n") == "x = 1\n# coding: latin-1\n"
    assert (
        source.decode(b"# vim: fileencoding=cp1252\r\nx = '\x80'\ry\r\n") == "# vim: fileencoding=cp1252\nx = '€'\ny\n"
    )
    assert source.decode(b"") == ""


def test_says_which_line_cannot_be_read() -> None:
    assert complaint(b"x = 1\ny = '\xff'\n") == (2, "not utf-8: invalid start byte")
    assert complaint(b"x = 1\r\ry = '\xff'\n")[0] == 3
    assert complaint(b"x = 1\n\ny\0z") == (3, "source contains NUL bytes")
    assert complaint("x = 1".encode("utf-16")) == (1, "UTF-16 text, which Python does not read as source")
    assert complaint(b"#\n# coding: nonsense\n") == (2, "unknown encoding: nonsense")
    assert complaint(b"# coding: hex\n00") == (1, "cannot be read in the declared encoding hex")
    assert complaint(b"# coding: punycode\n") == (1, "encoding not supported: punycode")
    assert complaint(b"\xef\xbb\xbf# coding: latin-1\n")[0] == 1
    assert complaint(b"# coding: utf-7\n# +2AA-\n")[0] == 1
    assert complaint(b"# coding: utf-7\nx\n# +AAA-\n") == (3, "source contains NUL characters")
    assert complaint(b"# coding: ascii\nx = '\xe9'\n")[0] == 2
    assert complaint(b"x = 1\n# coding: latin-1\ny = '\xe9'") == (3, "not utf-8: invalid continuation byte")


def test_agrees_with_the_interpreter_on_a_sample_of_the_library() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    for path in sorted(folder.glob("*.py"))[:60]:
        with tokenize.open(path) as file:
            assert source.decode(path.read_bytes()) == file.read()


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "(" * 150 + ")" * 150,
        "[" + "(\n" * 120 + ")" * 120 + "]",
        "a" + ".b" * 6_000,
        "a" + ".b()" * 500,
        "a" + ".b(x, [1, 2], k=f(3))" * 500,
        "a" + "[0][i]" * 300,
        "x = " + "-" * 5_000 + "1",
        "not " * 500 + "x",
        "a if b else " * 500 + "c",
        "lambda: " * 500 + "1",
        "x = (" + "\n    + 1" * 500 + ")",
        "x = (" + "1 +\n    " * 500 + "1)",
        "x = 1" + " + \\\n 1" * 500,
        "(a" + "\n  .b(1, 2)\n  .c(3)" * 500 + ")",
        "if a: pass\n" + "elif b: pass\n" * 500,
    ],
)
def test_names_what_breaks_parsers(text: str) -> None:
    assert source.risky(text) is not None
    assert source.risky(text.encode()) is not None


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "-1, " * 5_000 + "]",
        "x = {" + "'a.b': f(a.b, -1), " * 5_000 + "}",
        "x = [\n" + "    -1,\n" * 5_000 + "]",
        "'''\n" + "-" * 600 + "\n'''",
        "x = '" + "Some prose, with a stop. " * 100 + "'",
        "value_1 = make(1).then(2) + 3\n" * 60_000,
        "@decorated\ndef f(): pass\n" * 500,
    ],
)
def test_is_quiet_on_large_flat_text(text: str) -> None:
    assert source.risky(text) is None


@pytest.mark.parametrize(
    "unit", ["(", "()", "(\n", "a.b ", "\n .", "\n   )  .", "+\n", "-", "(,.", "not ", "lambda ", "elif"]
)
def test_look_is_linear(unit: str) -> None:
    start = time.process_time()
    source.risky(unit * (2_000_000 // len(unit)))
    assert time.process_time() - start < 3


def test_look_costs_little_beside_parsing() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    texts = [path.read_bytes() for path in sorted(folder.glob("*.py"))[:60]]
    start = time.process_time()
    for text in texts:
        source.risky(text)
    looked = time.process_time()
    for text in texts:
        ast.parse(text)
    assert looked - start < 0.1 * (time.process_time() - looked)
