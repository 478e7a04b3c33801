"""Where values that are made again are used behind a wait."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from resume_audit import check

HEAD = """\
import random
import time
import uuid

import requests
from langgraph.graph import StateGraph
from langgraph.types import interrupt


"""
TAIL = '\n\nStateGraph(dict).add_node("work", work)\n'
POST = 'requests.post("https://desk.example/tickets", json={"id": number})'


def lines(folder: Path, source: str) -> list[int]:
    """The lines of the findings, counted from the first line of the source."""
    (folder / "pyproject.toml").touch()
    (folder / "app.py").write_text(HEAD + dedent(source) + TAIL)
    report = check(folder, select=["RA501"], pedantic=True, cache=False, jobs=1)
    assert (report.faults, report.errors) == ((), ())
    return [each.place.line - HEAD.count("\n") for each in report.findings]


@pytest.mark.parametrize(
    "made",
    [
        "number = uuid.uuid4()",
        "number = str(uuid.uuid4())",
        "number = f'T-{random.random()}'",
        "number, other = uuid.uuid4(), 1",
        "box = {}; box['n'] = uuid.uuid4(); number = box['n']",
        "box = []; box.append(uuid.uuid4()); number = box[0]",
        "number = [n for n in (uuid.uuid4(), 2)][0]",
        "number = state.get('n') or uuid.uuid4()",
        "number = uuid.uuid4() if state else 1",
        "number = max(uuid.uuid4().int, 3)",
        "(number := uuid.uuid4())",
        "state = {**state, 'n': uuid.uuid4()}; number = state['n']",
    ],
)
def test_ways_to_an_effect(tmp_path: Path, made: str) -> None:
    assert lines(tmp_path, f"def work(state):\n    {made}\n    interrupt('ok?')\n    {POST}\n") == [4]


@pytest.mark.parametrize(
    "made",
    [
        "number = uuid.uuid5(uuid.NAMESPACE_URL, state['url'])",
        "number = uuid.uuid4(); number = 3",
        "request_id = uuid.uuid4(); number = request_id",
        "number = random.Random(state['seed']).random()",
        "number = isinstance(uuid.uuid4(), str)",
        "number = time.time()",
        "number = time.time() - state['start']",
    ],
)
def test_values_that_are_the_same_or_say_nothing(tmp_path: Path, made: str) -> None:
    assert lines(tmp_path, f"def work(state):\n    {made}\n    interrupt('ok?')\n    {POST}\n") == []


def test_a_wait_on_one_way_only(tmp_path: Path) -> None:
    source = f"""\
    def work(state):
        number = uuid.uuid4()
        if state["large"]:
            interrupt("ok?")
        {POST}
    """
    assert lines(tmp_path, source) == [5]


def test_the_next_round_of_a_loop(tmp_path: Path) -> None:
    source = f"""\
    def work(state):
        number = None
        for item in state["items"]:
            if number:
                {POST}
            number = uuid.uuid4()
            interrupt(item)
    """
    assert lines(tmp_path, source) == [5]


def test_mutual_recursion_ends(tmp_path: Path) -> None:
    source = f"""\
    def ping(number, depth):
        return pong(number, depth - 1) if depth else number


    def pong(number, depth):
        return ping(number, depth - 1) if depth else number


    def work(state):
        number = ping(uuid.uuid4(), 3)
        interrupt("ok?")
        {POST}
    """
    assert lines(tmp_path, source) == [12]
