"""RA602's notes: a run kept in memory is no matter where one function asks and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import resume_audit

HEAD = """
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

def ask(state): return {"ok": interrupt("ok?")}

def made():
    return StateGraph(dict).add_node(ask).add_edge(START, "ask").compile(checkpointer=MemorySaver())

graph, config = made(), {"configurable": {"thread_id": "1"}}
def begin(given): return graph.invoke({"given": given}, config)
def finish(said): return graph.invoke(Command(resume=said), config)
"""
BOTH = "def main():\n    begin(1)\n    finish(input())\n"
LOOP = """
def drive(given):
    while True:
        if "__interrupt__" not in graph.invoke(given, config): return
        given = Command(resume=input())
"""
DRIVEN = "begin(1)\nwhile graph.get_state(config).next:\n    graph.invoke(None, config)\n"


@pytest.mark.parametrize(
    "text, notes",
    [
        (HEAD, 1),
        (HEAD + BOTH, 0),
        (HEAD + "def one(): begin(1)\ndef two(): finish(1)\n", 1),
        (HEAD + BOTH + "def two(): graph.invoke(Command(resume=1), config)\n", 1),
        ("import streamlit\n" + HEAD + BOTH, 1),
        (HEAD.partition("def begin")[0] + LOOP, 0),
        (HEAD.partition("def begin")[0] + "def main(): graph.invoke(Command(resume=1), config)\n", 1),
        (HEAD.partition("def finish")[0] + DRIVEN, 0),
        ("import fastapi\n" + HEAD + BOTH, 1),
        ("from langgraph.checkpoint.sqlite import SqliteSaver\n" + HEAD + BOTH, 0),
        ("from langgraph.checkpoint.sqlite import SqliteSaver\n" + HEAD, 1),
    ],
)
def test_who_answers(tmp_path: Path, text: str, notes: int) -> None:
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    (tmp_path / "pyproject.toml").touch()
    found = resume_audit.check(tmp_path, select=["RA602"], pedantic=True, cache=False, jobs=1).findings
    assert len(found) == notes
