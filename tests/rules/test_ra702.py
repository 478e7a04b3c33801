"""What is said of values that come back as another type, and of keys that are not saved."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from resume_audit import check
from resume_audit.contract import Finding

HEAD = """\
from typing import Annotated, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph


"""
TAIL = """

graph = StateGraph(%s).add_node("work", work).add_edge(START, "work").compile(checkpointer=InMemorySaver())
"""


def found(folder: Path, source: str, schema: str = "dict") -> list[Finding]:
    (folder / "pyproject.toml").touch()
    (folder / "app.py").write_text(HEAD + dedent(source) + TAIL % schema)
    report = check(folder, select=["RA702"], pedantic=True, cache=False, jobs=1)
    assert (report.faults, report.errors) == ((), ())
    return list(report.findings)


def test_a_tuple_is_a_note(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, 'def work(state):\n    return {"at": (state["x"], state["y"])}\n')
    assert finding.level == "note"
    assert "`at` is a tuple and comes back as a list" in finding.message


@pytest.mark.parametrize("value", ['("user", "hi")', '[("user", "hi")]', "[1, 2]", '("a" + state["b"])'])
def test_messages_and_lists_are_quiet(tmp_path: Path, value: str) -> None:
    assert found(tmp_path, f'def work(state):\n    return {{"messages": {value}}}\n', "MessagesState") == []


def test_another_type_is_a_warning(tmp_path: Path) -> None:
    source = "import collections\n\n\ndef work(state):\n    return dict(tally=collections.Counter(state['words']))\n"
    (finding,) = found(tmp_path, source)
    assert finding.level == "warning"
    assert "`tally` is a `Counter` and comes back as a plain dict" in finding.message


@pytest.mark.parametrize("inherited, findings", [("TypedDict", 0), ("MessagesState", 1)])
def test_keys_that_no_schema_has(tmp_path: Path, inherited: str, findings: int) -> None:
    """They are dropped; where a base outside the project may bring them, they count."""
    source = f"""\
    class Shop({inherited}):
        page: str


    def work(state: Shop):
        return {{"score": lambda page: 1}}
    """
    assert len(found(tmp_path, source, "Shop")) == findings


def test_private_state_of_a_node_is_saved(tmp_path: Path) -> None:
    source = """\
    class Shop(TypedDict):
        page: str


    class Private(TypedDict):
        score: object


    def work(state: Private):
        return {"score": lambda page: 1}
    """
    assert len(found(tmp_path, source, "Shop")) == 1
