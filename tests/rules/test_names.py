"""How calls, functions and places are called in messages."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any, cast

import pytest

from resume_audit.contract import Place
from resume_audit.rules.names import at, plain_symbol, text_of


def called(source: str) -> str:
    """What the widest call of a line of code is said to call."""
    lines = source.split("\n")
    node = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    site = SimpleNamespace(
        line=node.lineno, column=node.col_offset, end_line=node.end_lineno, end_column=node.end_col_offset
    )
    program = SimpleNamespace(text_line=lambda path, number: lines[number - 1])
    return text_of(cast(Any, program), cast(Any, site), "app.py")


@pytest.mark.parametrize(
    "source, expected",
    [
        ("requests.post(url, json={'a': f(1)})", "requests.post()"),
        ("x = await client.messages.create(text='(')", "client.messages.create()"),
        ("service.users().messages().send(userId='me').execute()", "service.users()…execute()"),
        ("repo.remote('origin').push()", "repo.remote().push()"),
        ("(await client.get(url)).json()", "client.get().json()"),
        ("tools[call['name']].invoke(call)", "tools[call['name']].invoke()"),
        ("Path('a').open('a')", "Path().open()"),
        ("', '.join(names)", "', '.join()"),
        ("(lambda: 1)()", "(…)()"),
        ("TOOLS[registry[settings['the name of the registry']['entry']]].run()", "TOOLS[…].run()"),
        ("handlers[0]()", "handlers[0]()"),
        ("größe.senden(1)", "größe.senden()"),
        ("client.\\\n  post(\n  1,\n)", "client.post()"),
        ("(\n    service.users()\n    .messages()\n    .send(body=1)\n    .execute()\n)", "service.users()…execute()"),
        ("a" * 50 + "." + "b" * 40 + ".send()", "…send()"),
    ],
)
def test_a_call_is_shown_by_its_first_and_last_link(source: str, expected: str) -> None:
    assert called(source) == expected


def test_a_file_that_changed_meanwhile_is_no_fault() -> None:
    site = SimpleNamespace(line=1, column=40, end_line=3, end_column=2)
    for text in ("", "def f(:", "x = '"):
        program = SimpleNamespace(text_line=lambda path, number, text=text: text)
        assert text_of(cast(Any, program), cast(Any, site), "app.py") == "this call"


def test_symbols_hold_no_positions() -> None:
    assert plain_symbol("app.build.<lambda:3:14>") == "app.build.<lambda>"
    assert plain_symbol("app.build.<lambda:3:14>#2.inner#3") == "app.build.<lambda>.inner"
    assert plain_symbol("app.Desk.run") == "app.Desk.run"


def test_places_are_said_from_where_the_reader_is() -> None:
    assert at(Place("app.py", 7), "app.py") == "line 7"
    assert at(Place("app.py", 7), "lib.py") == "app.py:7"
    assert at(Place("n.ipynb", 7, cell=2), "n.ipynb") == "line 7 (cell 2)"
