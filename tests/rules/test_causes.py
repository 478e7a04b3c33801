"""Findings name the cause that they have, and the run, the unit and the remedy that belong to it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from resume_audit import check
from resume_audit.contract import Finding

HEAD = """\
import uuid

import requests
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

CONFIG = {"configurable": {"thread_id": "1"}}


"""


def findings(folder: Path, source: str, *rules: str) -> tuple[Finding, ...]:
    """What is found in a module that begins with the lines above."""
    (folder / "app.py").write_text(HEAD + dedent(source))
    report = check(folder, select=rules, pedantic=True, cache=False, jobs=1)
    assert (report.faults, report.errors) == ((), ())
    return report.findings


def lines(finding: Finding, role: str) -> list[int]:
    """The lines of the flow's steps of a role, counted from the source given."""
    return [step.place.line - HEAD.count("\n") for step in finding.flow if step.role == role]


def test_the_run_shown_is_of_the_graph_without_saver(tmp_path: Path) -> None:
    source = """\
        def build(saver=None):
            graph = StateGraph(dict).add_node("ask", lambda state: interrupt("ok?")).add_edge(START, "ask")
            return graph.compile(checkpointer=saver)


        app = build(PostgresSaver())
        app.invoke({}, CONFIG)
        bare = build()
        bare.invoke({}, CONFIG)
    """
    (finding,) = findings(tmp_path, source, "RA601")
    assert lines(finding, "resume") == [9]
