"""RA202: an answer that arrives twice answers twice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.answered import started_before
from ...analyzer.claims import claimed
from ...analyzer.entries import Entry, entries, retried
from ...analyzer.exposure import exposure
from ...analyzer.fresh_threads import fresh_thread
from ...analyzer.modules import is_test
from ...contract import Certainty, Finding, Level, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of, place_of_call
from ..names import function_said

if TYPE_CHECKING:
    from ...analyzer.exposure import Exposure
    from ...analyzer.paths import Link
    from ...analyzer.program import Program
    from ...analyzer.resumes import Resume

_SENDERS = {
    "route": "a client, proxy or impatient user sends the request again",
    "task": "the queue delivers the task again",
    "consumer": "the broker delivers the message again",
    "button": "the button is pressed twice",
    "function": "the platform calls the function again",
    "retry": "the decorator calls the function again",
}


class RedeliverableResume(StaticRule):
    """A resume that a sender may deliver twice."""

    id = "RA202"
    name = "redeliverable-resume"
    properties = ("CO",)
    level = "warning"
    precision = "medium"
    summary = "An answer from a redeliverable entry, without a claim"
    what = (
        "Reports a resume reached from a route, a queue task, a consumer, a button callback or a retry decorator, "
        "where nothing on the way lets only one of two copies of the same message go on."
    )
    why = (
        "LangGraph takes any answer for the wait that is pending: a copy of the first answer is served to the next "
        "wait of the run, and two copies at once both run the gated code (measured on langgraph 1.2.9 and 1.2.24 with "
        "SqliteSaver and PostgresSaver). Only after the last wait is a copy ignored."
    )
    limits = (
        "Where a state is looked at first (`get_state(config).next`, a status) only two at once get through: a note.",
        "So is a resume whose graph waits once and does nothing else.",
        "A claim is known by its name or its SQL; others are declared as `claims` in the configuration.",
        "Websockets, command lines and chat loops are no entries.",
        "An answer from the function that has started the run on every way there is quiet: a copy starts anew, too.",
    )
    bad = """\
from fastapi import FastAPI
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

app = FastAPI()


def choose(state):
    return {"room": interrupt("which room?")}


def confirm(state):
    return {"go": interrupt("book it?")}


builder = StateGraph(dict).add_node(choose).add_node(confirm).add_edge(START, "choose").add_edge("choose", "confirm")


@app.post("/answer/{thread}")
def answer(thread: str, text: str):
    with SqliteSaver.from_conn_string("runs.db") as saver:
        graph = builder.compile(checkpointer=saver)
        return graph.invoke(Command(resume=text), {"configurable": {"thread_id": thread}})
"""
    good = """\
from fastapi import FastAPI, HTTPException
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

app = FastAPI()


def choose(state):
    return {"room": interrupt("which room?")}


def confirm(state):
    return {"go": interrupt("book it?")}


builder = StateGraph(dict).add_node(choose).add_node(confirm).add_edge(START, "choose").add_edge("choose", "confirm")


@app.post("/answer/{thread}/{question}")
def answer(thread: str, question: str, text: str, db):
    sql = "INSERT INTO answers (question) VALUES (?) ON CONFLICT DO NOTHING"
    if db.execute(sql, (question,)).rowcount == 0:
        raise HTTPException(409)
    with SqliteSaver.from_conn_string("runs.db") as saver:
        graph = builder.compile(checkpointer=saver)
        return graph.invoke(Command(resume={question: text}), {"configurable": {"thread_id": thread}})
"""
    fix = (
        "Claim the question before answering it: one `INSERT … ON CONFLICT DO NOTHING` or `UPDATE … WHERE status = "
        "'pending'` under the id of the interrupt, and go on only if it changed a row. A lock around a check will do "
        "in one process. Answer by interrupt id (`Command(resume={interrupt.id: value})`), so that a late copy cannot "
        "answer the next question."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a resume."""
        for resume in program.resumes:
            if is_test(resume.function[0]) or _on_fresh_threads(program, resume) or _starts_too(program, resume):
                continue
            ways = [(entry, _way(resume, entry)) for entry in entries(program.registry, resume.function)]
            ways += _sent_again(program, resume)
            found = [(entry, claimed(program.registry, way, program.options.claims)) for entry, way in ways]
            open_ways = [(entry, claim) for entry, claim in found if claim != "claim"]
            if not open_ways:
                continue
            entry, claim = min(open_ways, key=lambda pair: (pair[1] == "check", len(pair[0].way)))
            exposed = exposure(
                program.order, program.topologies, (site for send in resume.sends for site in send.graphs)
            )
            grave = (exposed.again or exposed.effect is not None) and claim == ""
            yield self._finding(program, resume, entry, exposed, "warning" if grave else "note", claim == "check")

    def _finding(
        self, program: Program, resume: Resume, entry: Entry, exposed: Exposure, level: Level, checked: bool
    ) -> Finding:
        path = resume.function[0]
        name = function_said(program, entry.function)
        sender = _SENDERS[entry.kind]
        if exposed.again:
            harm = "its copy answers the next wait of the run"
        elif entry.kind == "retry":
            harm = "a node that failed behind its wait starts again, with what it had already done"
        elif exposed.effect is not None:
            harm = "two copies at once both run what the answer lets through"
        else:
            harm = "two copies at once both run the rest of the graph"
        told = "; the state looked at before does not stop two copies at once" if checked else ""
        message = (
            f"When {sender}, this answer is given twice: {harm}. "
            f"Nothing between {entry.kind} {name} and the resume claims the question{told}."
        )
        certainty: Certainty = "certain" if exposed.known and resume.sends else "likely"
        return self.finding(
            place_of_call(program, path, resume.call),
            program.symbol(resume.function),
            message,
            level=level,
            certainty=certainty,
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(_flow(program, resume, entry, exposed)),
        )


def _on_fresh_threads(program: Program, resume: Resume) -> bool:
    """Whether each thread that is answered was made by the same run: a second message makes another one."""
    return bool(resume.sends) and all(
        fresh_thread(program.registry, send.config, send.function, send.call, send.way) for send in resume.sends
    )


def _starts_too(program: Program, resume: Resume) -> bool:
    """Whether a second message starts the run anew before it is answered: no answer comes from outside."""
    return bool(resume.sends) and all(started_before(program.registry, send) for send in resume.sends)


def _sent_again(program: Program, resume: Resume) -> Iterable[tuple[Entry, list[Link]]]:
    """Decorators between the making of the answer and its send that call again."""
    for send in resume.sends:
        way = [*send.way, (send.function, send.call)]
        for number, (function, _) in enumerate(way):
            if function[:2] != resume.function[:2] and (said := retried(program.registry, function)):
                yield Entry(function, "retry", said, ()), way[number:]


def _way(resume: Resume, entry: Entry) -> list[Link]:
    """The calls from the entry to the making of the answer, and on to its first send."""
    way = [*entry.way, (resume.function, resume.call)]
    if resume.sends:
        send = resume.sends[0]
        way += [*send.way, (send.function, send.call)]
    return way


def _flow(program: Program, resume: Resume, entry: Entry, exposed: Exposure) -> Iterable[Step]:
    head = program.project.function((entry.function[0], entry.function[1]))
    if head is not None:
        place = program.place(entry.function[0], head.line, head.column)
        yield Step(place, "source", f"`@{entry.said}` may call this again" if entry.said != head.name else "entry")
    yield from call_steps(program, entry.way, "{call} in {function}")
    yield Step(place_of_call(program, resume.function[0], resume.call), "resume", "the answer is made here")
    for send in resume.sends[:1]:
        yield from call_steps(program, send.way, "{call} in {function} hands it on")
        yield Step(place_of_call(program, send.function[0], send.call), "resume", "and sent here")
    for wait in exposed.waits[:5]:
        yield Step(place_of(program, wait), "wait", "a wait that it may answer")
