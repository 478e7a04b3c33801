"""The bar, and when there is colour."""

from __future__ import annotations

import io

import pytest

from resume_audit.cli import progress as module
from resume_audit.cli.progress import Progress
from resume_audit.cli.streams import wants_colour


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    stream = Terminal()
    bar = Progress(True, stream)
    bar("reading", 1, 4)
    assert stream.getvalue() == "\rreading    [######..................] 1/4"
    bar("rules", 0, 0)
    bar.clear()
    assert stream.getvalue().endswith(" \r")


def test_a_bar_is_drawn_seldom() -> None:
    stream = Terminal()
    bar = Progress(True, stream)
    for step in range(1000):
        bar("reading", step, 1000)
    assert stream.getvalue().count("\r") < 5


def test_no_bar_where_nobody_looks_or_wants_it() -> None:
    for wanted, stream in ((True, io.StringIO()), (False, Terminal())):
        bar = Progress(wanted, stream)
        bar("reading", 1, 4)
        bar.clear()
        assert stream.getvalue() == ""


@pytest.mark.parametrize(
    "terminal, environment, expected",
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (True, {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
)
def test_colour(terminal: bool, environment: dict[str, str], expected: bool) -> None:
    assert wants_colour(Terminal() if terminal else io.StringIO(), environment) is expected


def test_a_stream_that_is_closed_or_missing_has_no_colour() -> None:
    stream = io.StringIO()
    stream.close()
    assert not wants_colour(stream, {})
    assert not wants_colour(None, {})
