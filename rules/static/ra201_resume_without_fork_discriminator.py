"""RA201: an answer to an old checkpoint, which serves the answer recorded there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.addresses import Source, addresses
from ...analyzer.modules import is_test
from ...analyzer.versions import older
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of_call
from ..names import function_said

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.resumes import Resume, Send


class ResumeWithoutForkDiscriminator(StaticRule):
    """A resume at a checkpoint that may have been answered before."""

    id = "RA201"
    name = "resume-without-fork-discriminator"
    properties = ("FI", "FD")
    level = "error"
    precision = "high"
    summary = "An answer addressed to a checkpoint that may have been answered before"
    what = (
        "Reports `Command(resume=...)` sent with a configuration that carries a `checkpoint_id` from `get_state`, "
        "`get_state_history` or a caller, and not from `update_state`."
    )
    why = (
        "LangGraph serves the answer that is recorded at that checkpoint and drops the new one, without an error, and "
        "the gated code runs again (measured on langgraph 1.0.5 to 1.2.24, all savers). The same request delivered "
        "twice does the same."
    )
    limits = (
        "A configuration returned by `update_state` is a fork and good for one answer; a second one to it is not seen.",
        "A checkpoint that a caller outside gives is a warning: it may be the head.",
        "So is the head's own address from langgraph 1.2.16 on: only a second delivery does harm there.",
        "Quiet where the project uses a saver that repairs this (remit).",
    )
    bad = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt


def ask(state):
    return {"ok": interrupt("ok?")}


builder = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def try_again(config, answer):
    snapshot = next(s for s in graph.get_state_history(config) if s.next == ("ask",))
    return graph.invoke(Command(resume=answer), snapshot.config)
"""
    good = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt


def ask(state):
    return {"ok": interrupt("ok?")}


builder = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def try_again(config, answer):
    snapshot = next(s for s in graph.get_state_history(config) if s.next == ("ask",))
    fork = graph.update_state(snapshot.config, None)
    return graph.invoke(Command(resume=answer), fork)
"""
    fix = (
        "Fork first: `fork = graph.update_state(snapshot.config, None)`, then send the answer to `fork`. To answer the "
        "wait that is pending now, give the `thread_id` alone."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a resume."""
        repaired = _repaired(program)
        for resume in program.resumes:
            path = resume.function[0]
            if is_test(path) or program.persistence.scope(path) in repaired:
                continue
            for send in resume.sends:
                found = addresses(program.registry, send.config, send.function, send.call, send.way)
                found = [source for source in found if source.kind != "fork"]
                if found:
                    order = ("history", "current", "given")
                    yield self._finding(program, resume, send, min(found, key=lambda s: order.index(s.kind)))
                    break

    def _finding(self, program: Program, resume: Resume, send: Send, source: Source) -> Finding:
        path = resume.function[0]
        version = program.version(path, FRAMEWORK)
        what = {
            "history": "an old checkpoint from the history",
            "current": "the checkpoint that get_state names",
            "given": f"the checkpoint that `{source.name}` names",
        }[source.kind]
        kept = str(program.knowledge("addresses", "siblings_kept_from"))
        repeats = older(version, kept)
        if source.kind == "history":
            harm = "The answer is dropped: the run is served the one recorded there, and the gated code runs again"
        else:
            harm = "Sent a second time, the answer is dropped for the first one, and the gated code runs again"
        more = ", as do finished siblings of the waiting node at once" if repeats else ""
        milder = source.kind == "given" or (source.kind == "current" and not repeats)
        return self.finding(
            place_of_call(program, path, resume.call),
            program.symbol(resume.function),
            f"{harm}{more}. It is addressed to {what}, not to a fork or to the thread.",
            level="warning" if milder else None,
            certainty="likely" if source.kind == "given" else "certain",
            framework=FRAMEWORK,
            framework_version=version,
            flow=tuple(_flow(program, resume, send, source)),
        )


def _repaired(program: Program) -> set[str]:
    """The projects that use a saver which serves the new answer."""
    names = set(program.knowledge("addresses", "repaired_by"))
    return {
        program.persistence.scope(path)
        for path, file in program.project.files.items()
        if any(target.partition(":")[0].partition(".")[0] in names for target in file.summary.imports.values())
    }


def _flow(program: Program, resume: Resume, send: Send, source: Source) -> Iterable[Step]:
    if source.call is not None:
        place = place_of_call(program, source.function[0], source.call)
        yield Step(place, "source", "the checkpoint is taken from here")
    elif source.function[:2] != resume.function[:2]:
        head = program.project.function(source.function[:2])
        if head is not None:
            said = f"{function_said(program, source.function)} takes the checkpoint from its caller"
            yield Step(program.place(source.function[0], head.line, head.column), "source", said)
    yield Step(place_of_call(program, resume.function[0], resume.call), "resume", "the answer is made here")
    yield from call_steps(program, send.way, "{call} in {function} hands it on")
    yield Step(place_of_call(program, send.function[0], send.call), "resume", "and sent to that checkpoint here")
