"""Waits whose answers nothing takes, and the forms of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.answers import form_of
from resume_audit.analyzer.gates import consuming_reads, gates
from resume_audit.analyzer.lost_answers import unused
from resume_audit.analyzer.state_reads import read_before_wait, updated_keys

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import requests
from langgraph.graph import StateGraph
from langgraph.types import Command, interrupt
def ask(text): return interrupt(text)
def checked(text):
    if not interrupt(text): raise ValueError
    return True
def shown(state): return state["iban"]
"""
TAIL = "\nStateGraph(dict).add_node('f', f)\n"


@pytest.mark.parametrize(
    "body, lines",
    [
        ("x = interrupt(1)\n    requests.post('u')", 1),
        ("x = interrupt(1)\n    requests.post('u', json=x)", 0),
        ("x = interrupt(1)\n    assert x", 0),
        ("x = interrupt(1)\n    g = lambda: x", 0),
        ("x = interrupt(1)\n    return locals()", 0),
        ("_x = interrupt(1)\n    requests.post('u')", 0),
        ("global x\n    x = interrupt(1)", 0),
        ("s['x'] = interrupt(1)", 0),
        ("ask(1)\n    requests.post('u')", 1),
        ("x = ask(1)\n    requests.post('u')", 1),
        ("x = ask(1)\n    requests.post('u', json=x)", 0),
        ("ask(1)", 0),
        ("checked(1)\n    requests.post('u')", 0),
    ],
)
def test_answers_that_nothing_takes(link: Link, body: str, lines: int) -> None:
    made = link(HEAD + f"def f(s):\n    {body}\n" + TAIL)
    assert len([each for each in unused(made.program.order) if each.function[1] == "f"]) == lines


@pytest.mark.parametrize(
    "value, form",
    [
        ("{key: 1}", "map"),
        ("{'ok': 1}", "value"),
        ("{'ok': 1, key: 1}", "value"),
        ("{k: v for k, v in found}", "map"),
        ("{i.id: 1 for i in found}", "all"),
        ("{i.id: v for i, v in zip(found, key)}", "position"),
    ],
)
def test_the_form_of_an_answer(link: Link, value: str, form: str) -> None:
    made = link(HEAD + f"def g(graph, key, found): graph.invoke(Command(resume={value}))\n")
    (resume,) = made.program.resumes
    assert form_of(made.program.project, resume.value, resume.function).form == form


@pytest.mark.parametrize(
    "binding, keys",
    [
        ("up = {'a': 1}", ["a"]),
        ("up = {'a': 1}\n    up = made()", []),
        ("up = made()", []),
    ],
)
def test_an_update_by_its_name(link: Link, binding: str, keys: list[str]) -> None:
    made = link(HEAD + f"def g(graph):\n    {binding}\n    graph.invoke(Command(resume=1, update=up))\n")
    (resume,) = made.program.resumes
    assert sorted(updated_keys(made.program.project, resume)) == keys


def test_what_a_helper_reads_of_the_state(link: Link) -> None:
    made = link(HEAD + "def f(s):\n    x = interrupt(shown(s))\n    return {'x': x, 'y': s['late']}\n" + TAIL)
    assert sorted(read_before_wait(made.program.order, made.function("f"))) == ["iban"]


@pytest.mark.parametrize("key, count", [("remit_inspect", 0), ("user", 1)])
def test_a_look_that_says_so_in_an_entry_of_its_own(link: Link, key: str, count: int) -> None:
    text = (
        "import remit\nfrom langgraph.graph import StateGraph\nsaver = remit.wrap(object, cross_process_gate=True)\n"
        f"def look(graph, c):\n    c['configurable']['{key}'] = True\n    return graph.get_state(c)\n"
    )
    made = link(HEAD + text)
    (gate,) = gates(made.registry)
    assert len(list(consuming_reads(made.registry, gate))) == count
