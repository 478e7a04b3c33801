"""RA206: a resume that changes what was approved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.modules import is_test
from ...analyzer.state_reads import read_before_wait, updated_keys
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of_call
from ..names import function_said

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.resumes import Resume
    from ...analyzer.values import FunctionId


class ResumeReplacesContext(StaticRule):
    """A resume with an update of what the waiting unit showed."""

    id = "RA206"
    name = "resume-replaces-context"
    properties = ("CV", "FD")
    level = "warning"
    precision = "medium"
    summary = "An answer with an update of what the waiting unit had read"
    what = (
        "Reports `Command(resume=..., update=...)` where the update writes a key that the waiting unit reads before "
        "it waits."
    )
    why = (
        "The update is applied before the waiting node runs again: the node then goes on with other values than those "
        "it showed the human, whose answer was about the old ones."
    )
    limits = (
        "Only literal keys of an update are seen, and reads in the waiting function and those it hands its state to.",
    )
    bad = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt


def pay(state):
    amount = state["amount"]
    if interrupt({"amount": amount}):
        return {"paid": amount}
    return {"paid": 0}


builder = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def approve(thread, amount):
    config = {"configurable": {"thread_id": thread}}
    return graph.invoke(Command(resume=True, update={"amount": amount}), config)
"""
    good = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt


def pay(state):
    amount = state["amount"]
    if interrupt({"amount": amount}):
        return {"paid": amount}
    return {"paid": 0}


builder = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def approve(thread, who):
    config = {"configurable": {"thread_id": thread}}
    return graph.invoke(Command(resume=True, update={"approved_by": who}), config)
"""
    fix = (
        "Send what changes as part of the answer and let the node compare it with what it showed, or ask again after "
        "the change."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a resume."""
        for resume in program.resumes:
            keys = updated_keys(program.project, resume)
            if not keys or is_test(resume.function[0]):
                continue
            sites = {site for send in resume.sends for site in send.graphs}
            functions = {f for site in sites for f in program.order.graph_functions(site)}
            for function in sorted(f for f in functions if f in program.order.reach):
                read = read_before_wait(program.order, function) if program.order.reach[function].waits else {}
                shared = sorted(keys.keys() & read.keys())
                if shared:
                    yield self._finding(program, resume, function, shared[0], read[shared[0]])
                    break

    def _finding(self, program: Program, resume: Resume, unit: FunctionId, key: str, line: int) -> Finding:
        path = resume.function[0]
        message = (
            f"The run goes on with another `{key}` than the one that was approved: the update beside the answer writes "
            f"it, and {function_said(program, unit)} had read it before it waited."
        )
        flow = [
            Step(program.place(unit[0], line, 0), "source", f"`{key}` is read here before the wait"),
            Step(place_of_call(program, path, resume.call), "resume", "the answer writes it anew"),
        ]
        for send in resume.sends[:1]:
            flow += call_steps(program, send.way, "{call} in {function} hands it on")
            flow.append(Step(place_of_call(program, send.function[0], send.call), "resume", "and is sent here"))
        return self.finding(
            place_of_call(program, path, resume.call),
            program.symbol(resume.function),
            message,
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(flow),
        )
