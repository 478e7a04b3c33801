"""RA203: an answer that does not say which of several waits it is for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.answers import form_of
from ...analyzer.modules import is_test
from ...analyzer.pending import Pending, pending
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of, place_of_call

if TYPE_CHECKING:
    from ...analyzer.answers import Answer
    from ...analyzer.program import Program
    from ...analyzer.resumes import Resume

_HOW = {
    "spread": "node {names} is sent several items at once and waits for each",
    "parallel": "nodes {names} run side by side and both wait",
    "tools": "{names} waits in each call, and the model may ask for several in one message",
}
_FORMS = {
    "position": "The ids are paired with the answers by position, and the order of pending waits is not that of the "
    "questions shown",
    "all": "Every pending wait gets the same answer: one approval approves what was never shown",
}


class UnkeyedAnswer(StaticRule):
    """An answer without the id of its wait, where several may be pending."""

    id = "RA203"
    name = "unkeyed-answer"
    properties = ("CO", "FD")
    level = "warning"
    precision = "medium"
    summary = "An answer that does not name its wait, where several can be pending"
    what = (
        "Reports a resume with a plain value where two waits of the graph can be pending at once (branches that run "
        "side by side, `Send` to a node that waits, tool calls), and answers matched by position or given to all."
    )
    why = (
        "With more than one wait pending, LangGraph refuses a plain value with RuntimeError and asks for interrupt ids "
        "(measured on langgraph 1.0.5 to 1.2.24): the run cannot be answered. Ids matched by position, or one answer "
        "for all, give a human's answer to a question that was not shown."
    )
    limits = (
        "Which branches really run is not known: both may wait is enough.",
        "An answer whose form is not seen (a parameter) counts as a plain value, as likely.",
        "Where the project holds no resume, the wait is reported for `Send` and side-by-side branches only.",
    )
    bad = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt


def review(item):
    return {"done": [interrupt(item)]}


def fan_out(state):
    return [Send("review", item) for item in state["items"]]


builder = StateGraph(dict).add_node("review", review).add_conditional_edges(START, fan_out, ["review"])
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def answer(thread, text):
    return graph.invoke(Command(resume=text), {"configurable": {"thread_id": thread}})
"""
    good = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt


def review(item):
    return {"done": [interrupt(item)]}


def fan_out(state):
    return [Send("review", item) for item in state["items"]]


builder = StateGraph(dict).add_node("review", review).add_conditional_edges(START, fan_out, ["review"])
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def answer(thread, interrupt_id, text):
    return graph.invoke(Command(resume={interrupt_id: text}), {"configurable": {"thread_id": thread}})
"""
    fix = (
        "Answer by id: `Command(resume={interrupt.id: value})`, with the id that was shown with the question "
        '(`result["__interrupt__"]` or `get_state(config).interrupts`).'
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a resume; one a wait where nothing resumes its graph."""
        answered = {site for resume in program.resumes for send in resume.sends for site in send.graphs}
        unknown = any(not send.graphs for resume in program.resumes for send in resume.sends)
        for resume in program.resumes:
            if is_test(resume.function[0]):
                continue
            answer = form_of(program.project, resume.value, resume.function)
            sites = sorted({site for send in resume.sends for site in send.graphs}, key=repr)
            found = [each for site in sites for each in pending(program.order, program.topologies, site)]
            if answer.form in ("position", "all"):
                yield self._misplaced(program, resume, answer, found[0] if found else None)
            elif answer.form in ("value", "unknown") and found:
                yield self._unkeyed(program, resume, found[0], answer)
        for site in sorted(program.registry.graphs, key=repr):
            if site and site not in answered and not unknown and not is_test(site[0]):
                for each in pending(program.order, program.topologies, site):
                    if each.how != "tools":
                        yield self._unanswered(program, each)

    def _unkeyed(self, program: Program, resume: Resume, found: Pending, answer: Answer) -> Finding:
        path = resume.function[0]
        names = " and ".join(f"`{name}`" for name in found.names[:3])
        message = (
            "When two waits are pending, this answer is refused and the run cannot go on: "
            f"{_HOW[found.how].format(names=names)}. The answer names no wait."
        )
        return self.finding(
            place_of_call(program, path, resume.call),
            program.symbol(resume.function),
            message,
            certainty="likely" if answer.form == "unknown" or found.how == "tools" else "certain",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(_flow(program, resume, found)),
        )

    def _misplaced(self, program: Program, resume: Resume, answer: Answer, found: Pending | None) -> Finding:
        path = resume.function[0]
        return self.finding(
            place_of_call(program, path, resume.call),
            program.symbol(resume.function),
            f"{_FORMS[answer.form]}.",
            certainty="likely",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(_flow(program, resume, found)),
        )

    def _unanswered(self, program: Program, found: Pending) -> Finding:
        wait = found.waits[0]
        names = " and ".join(f"`{name}`" for name in found.names[:3])
        message = (
            f"Several of these waits can be pending at once: {_HOW[found.how].format(names=names)}. A plain answer is "
            "then refused, and the run cannot go on."
        )
        return self.finding(
            place_of(program, wait),
            names.replace("`", ""),
            message,
            certainty="likely",
            framework=FRAMEWORK,
            framework_version=program.version(wait.path, FRAMEWORK),
            flow=tuple(Step(place_of(program, each), "wait", "may be pending with others") for each in found.waits[:5]),
        )


def _flow(program: Program, resume: Resume, found: Pending | None) -> Iterable[Step]:
    for wait in found.waits[:5] if found is not None else ():
        yield Step(place_of(program, wait), "wait", "may be pending together with others")
    yield Step(place_of_call(program, resume.function[0], resume.call), "resume", "the answer is made here")
    for send in resume.sends[:1]:
        yield from call_steps(program, send.way, "{call} in {function} hands it on")
        yield Step(place_of_call(program, send.function[0], send.call), "resume", "and sent here")
