"""A tree of files that break readers, parsers and recursive code, around one good file with a hazard."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GOOD = """\
import requests
from langgraph.graph import StateGraph
from langgraph.types import interrupt


def refund(state):
    requests.post("https://psp.example/refunds", json=state)
    return {"approved": interrupt("keep the refund?")}


StateGraph(dict).add_node("refund", refund)
"""
"""Holds RA101 at line 7."""

MARK = "from langgraph.types import interrupt\n"
"""Without a framework's name nobody parses a file."""

TOO_DEEP = r"nested too deeply|too many nested parentheses|too complex|parser died|brackets inside"


@dataclass(frozen=True, slots=True)
class Bad:
    """A file that cannot be read or parsed: its bytes, and what is to be said of it, at which line.

    ``certain`` is false where it depends on the Python whether it can be read after all.
    """

    data: bytes
    message: str
    line: int = 1
    certain: bool = True


def _code(text: str) -> bytes:
    return (MARK + text).encode()


def _notebook(*cells: str) -> bytes:
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": code}, indent=1).encode()


def bad_files() -> dict[str, Bad]:
    """By path: files that are wrong in themselves, each in one way."""
    return {
        "undecodable.py": Bad(MARK.encode() + b"x = '\xff'\n", "not utf-8", 2),
        "nul.py": Bad(_code("x = 1\n\0\n"), "NUL", 3),
        "python2.py": Bad(_code("print 'hello'\n"), "not valid Python", 2),
        "indented.py": Bad(_code("def f():\nreturn 1\n"), "not valid Python", 3),
        "unknown_encoding.py": Bad(b"# coding: klingon\n" + MARK.encode(), "unknown encoding: klingon"),
        "no_text_encoding.py": Bad(b"# coding: rot13\n" + MARK.encode(), "encoding rot"),
        "long_number.py": Bad(_code(f"x = {'9' * 100_000}\n"), "digits", 2, certain=False),
        "parentheses.py": Bad(_code(f"x = {'(' * 20_000}{')' * 20_000}\n"), TOO_DEEP, 2),
        "never_closed.py": Bad(_code(f"x = {'[' * 20_000}\n"), TOO_DEEP, 2),
        "nested_calls.py": Bad(_code(f"x = {'f(' * 5_000}{')' * 5_000}\n"), TOO_DEEP, 2),
        "nested_dicts.py": Bad(_code(f"x = {'{1: ' * 3_000}1{'}' * 3_000}\n"), TOO_DEEP, 2),
        "indentation.py": Bad(_code("".join(f"{' ' * n}if x:\n" for n in range(150))), "not valid Python", 102),
        "signs.py": Bad(_code(f"x = {'-' * 10_000}a\n"), TOO_DEEP, certain=False),
        "negations.py": Bad(_code(f"x = {'not ' * 10_000}a\n"), TOO_DEEP, certain=False),
        "lambdas.py": Bad(_code(f"x = {'lambda: ' * 3_000}1\n"), TOO_DEEP, certain=False),
        "powers.py": Bad(_code(f"x = {'**'.join(['a'] * 10_000)}\n"), TOO_DEEP, certain=False),
        "sums.py": Bad(_code(f"x = {' + '.join(['a'] * 20_000)}\n"), TOO_DEEP, certain=False),
        "attributes.py": Bad(_code(f"x = a{'.b' * 6_000}\n"), TOO_DEEP, certain=False),
        "attributes_spread.py": Bad(_code("x = (a\n" + ".b\n\n" * 40_000 + ")\n"), TOO_DEEP, certain=False),
        "calls.py": Bad(_code(f"x = a{'.b()' * 6_000}\n"), TOO_DEEP, certain=False),
        "subscripts.py": Bad(_code(f"x = a{'[0]' * 6_000}\n"), TOO_DEEP, certain=False),
        "conditions.py": Bad(_code(f"x = {'a if b else ' * 3_000}c\n"), TOO_DEEP, certain=False),
        "branches.py": Bad(_code(_elif(3_000)), TOO_DEEP, certain=False),
        "loops_in_comprehension.py": Bad(_code(f"x = [a {'for a in b ' * 3_000}]\n"), TOO_DEEP, certain=False),
        "large_line.py": Bad(b"x = '" + MARK.strip().encode() + b"a" * 30_000_000 + b"'\n", "too large: 30.0 MB"),
        "broken.ipynb": Bad(b'{"cells": [{"cell_type": "code",\n "source": ["from langgraph', "not a notebook", 2),
        "no_cells.ipynb": Bad(b'["langgraph"]', "not a notebook"),
        "deep.ipynb": Bad(b'{"langgraph": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "not a notebook"),
        "deep_cell.ipynb": Bad(_notebook(MARK, f"x = {'(' * 5_000}{')' * 5_000}"), f"cell 2: .*({TOO_DEEP})", 16),
        "bad_cell.ipynb": Bad(_notebook("def (:\n", GOOD), "cell 1: ", 10),
    }


def heavy_files() -> dict[str, bytes]:
    """By path: files that are right, and much."""
    return {
        "empty.py": b"",
        "empty.ipynb": b"",
        "blank.py": b"\n" * 100_000,
        "mark_alone.py": b"\xef\xbb\xbf",
        "carriage_returns.py": MARK.encode().replace(b"\n", b"\r"),
        "not_a_framework.py": b"\xff\xfe\0",
        "bools.py": _code(f"x = {' or '.join(f'a{n}' for n in range(20_000))}\n"),
        "comparisons.py": _code(f"x = {' < '.join(['a'] * 20_000)}\n"),
        "comprehensions.py": _code(f"x = {'[' * 60}a{' for a in b]' * 60}\n"),
        "lambdas_in_brackets.py": _code(f"x = {'lambda: (' * 60}1{')' * 60}\n"),
        "dicts_in_dicts.py": _code(f"x = {'{1: ' * 90}1{'}' * 90}\n"),
        "types.py": _code(f"x: {'List[' * 90}int{']' * 90}\n"),
        "large_dict.py": _code("X = {\n" + "".join(f"    'k{n}': f{n},\n" for n in range(20_000)) + "}\n"),
        "large_list.py": _code(f"X = [{','.join(map(str, range(30_000)))}]\n"),
        "cases.py": _code(_cases(3_000)),
        "alternatives.py": _code(f"match x:\n    case {'|'.join(map(str, range(3_000)))}:\n        pass\n"),
        "decorators.py": _code("@d\n" * 2_000 + "def f(): pass\n"),
        "functions_in_functions.py": _code("".join(f"{' ' * n}def f{n}():\n" for n in range(90)) + " " * 90 + "pass\n"),
        "parameters.py": _code(f"def f({', '.join(f'a{n}=interrupt' for n in range(3_000))}): pass\n"),
        "arguments.py": _code(f"f({', '.join(f'a{n}' for n in range(10_000))})\n"),
        "interpolations.py": _code("x = f'" + "{a}" * 10_000 + "'\n"),
        "long_name.py": _code(f"{'a' * 1_000_000} = 1\n"),
        "long_string.py": _code(f"x = '{'a, ' * 1_000_000}'\n"),
        "names_again.py": _code("class A:\n    pass\n" * 1_000),
        "lines.py": _code("".join(f"def f{n}(x):\n    return g{n}(x)\n" for n in range(30_000))),
        **{f"plain/p{n}.py": _code(f"def f(state):\n    return {n}\n") for n in range(40)},
    }


def _elif(branches: int) -> str:
    rest = "".join(f"    elif x == {n}:\n        g({n})\n" for n in range(branches))
    return f"def f(x):\n    if x:\n        g()\n{rest}"


def _cases(branches: int) -> str:
    cases = "".join(f"        case {n}:\n            g({n})\n" for n in range(branches))
    return f"def f(x):\n    match x:\n{cases}"


@dataclass(frozen=True, slots=True)
class Expected:
    """What is to be said: by path as reported, of every file that cannot be read."""

    errors: dict[str, Bad]
    hazards: tuple[str, ...]


def plant(root: Path) -> Expected:
    """Write the tree."""
    root.mkdir(parents=True)
    (root / "pyproject.toml").touch()
    (root / "good.py").write_text(GOOD, encoding="utf-8")
    bad = bad_files()
    for path, data in {**{path: each.data for path, each in bad.items()}, **heavy_files()}.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    (root / "folder.py").mkdir()
    (root / "folder.py" / "inside.py").write_text(GOOD, encoding="utf-8")
    errors = {**bad, **dict(_links(root)), **dict(_special(root)), **dict(_names(root))}
    return Expected(errors, ("good.py", "folder.py/inside.py", "bad_cell.ipynb"))


def _links(root: Path) -> Iterator[tuple[str, Bad]]:
    (root / "loop_a.py").symlink_to("loop_b.py")
    (root / "loop_b.py").symlink_to("loop_a.py")
    (root / "nowhere.py").symlink_to("nothing.py")
    (root / "itself").symlink_to(".", target_is_directory=True)
    (root / "plain" / "up").symlink_to("..", target_is_directory=True)
    (root / "good_again.py").symlink_to("good.py")
    for name in ("loop_a.py", "loop_b.py", "nowhere.py"):
        yield name, Bad(b"", "symbolic link cannot be followed")


def _special(root: Path) -> Iterator[tuple[str, Bad]]:
    """Things that are no files, and a file and a folder that may not be read."""
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / "pipe.ipynb")
    yield "pipe.py", Bad(b"", "not a regular file")
    yield "pipe.ipynb", Bad(b"", "not a regular file")
    # The path of a socket is short: it is bound from inside the folder.
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(root):
        listener.bind("socket.py")
    yield "socket.py", Bad(b"", "not a regular file")
    (root / "secret.py").write_bytes(_code("x = 1\n"))
    (root / "secret.py").chmod(0)
    (root / "vault").mkdir()
    (root / "vault").chmod(0)
    if not os.access(root / "secret.py", os.R_OK):  # nothing is hidden from root
        yield "secret.py", Bad(b"", "cannot be read: Permission denied")
        yield "vault", Bad(b"", "folder cannot be read: Permission denied")


def _names(root: Path) -> Iterator[tuple[str, Bad]]:
    """Files whose names are no text, or no line of it; the report escapes them."""
    names = {
        b"new\nline.py": "new\\x0aline.py",
        b"bell\x07\x1b[31m.py": "bell\\x07\\x1b[31m.py",
        b"\xff.py": "\\xff.py",
    }
    for name, shown in names.items():
        try:
            (root / os.fsdecode(name)).write_bytes(_code("def (:\n"))
        except OSError:  # a file system that wants text
            continue
        yield shown, Bad(b"", "not valid Python", 2)


def lift(root: Path) -> None:
    """Give back what ``plant`` took, so that the tree can be removed."""
    (root / "vault").chmod(0o700)
    (root / "secret.py").chmod(0o600)


def small(root: Path) -> Path:
    root.mkdir(exist_ok=True)
    (root / "pyproject.toml").touch()
    (root / "good.py").write_text(GOOD, encoding="utf-8")
    return root
