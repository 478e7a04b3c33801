"""RA205: an answer that never reaches the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.lost_answers import LostAnswer, outside, undelivered, unused
from ...analyzer.modules import is_test
from ...analyzer.resumes import telling
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of, place_of_call

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.suspension import Swallow

_SAID = {
    "unused": "Whatever the human answers, the run goes on alike: nothing takes what the wait returns.",
    "empty": "The answer is lost and the run stays parked: `None` and `{}` count as no answer.",
    "static": "The answer is dropped and the run goes on as if approved: the graph waits at static breakpoints, which "
    "take no value.",
    "raised": "The answer is ignored and the run stays parked: the node raises its wait, which takes no value.",
    "outside": "A rejection never reaches the run, which stays parked: a later approval of it still fires what was "
    "rejected. The function returns before it resumes.",
}


class AnswerDiscarded(StaticRule):
    """An answer that the run never sees."""

    id = "RA205"
    name = "answer-discarded"
    properties = ("FD",)
    level = "error"
    precision = "high"
    summary = "An answer that never reaches the run"
    what = (
        "Reports a wait whose result nothing uses, `Command(resume=None)` and `Command(resume={})`, a value sent to a "
        "graph with static breakpoints or a raised NodeInterrupt, and a rejection that returns without telling the run."
    )
    why = (
        "LangGraph takes `None` and `{}` for no answer, drops a value at a static breakpoint and ignores one for "
        "NodeInterrupt (measured on langgraph 1.0.5 to 1.2.24). A run whose rejection is handled outside stays parked, "
        "and its next approval fires the rejected work."
    )
    limits = (
        "A rejection outside is seen in the function that resumes, where it resumes with a constant only.",
        "A wait whose result is unused is a warning where nothing after it in the function acts.",
        "It is quiet in a project that answers by the state (`Command(update=...)` alone, made outside nodes).",
        "Defaults taken after a timeout or for malformed input are not seen.",
    )
    bad = """\
from langgraph.types import Command


def decide(graph, thread, approved):
    config = {"configurable": {"thread_id": thread}}
    if not approved:
        return {"status": "cancelled"}
    return graph.invoke(Command(resume=True), config)
"""
    good = """\
from langgraph.types import Command


def decide(graph, thread, approved):
    config = {"configurable": {"thread_id": thread}}
    return graph.invoke(Command(resume={"approved": approved}), config)
"""
    fix = (
        'Send every answer to the run, rejections too (`Command(resume={"approved": False})`), and let the node after '
        "the wait decide by what `interrupt()` returned."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding an answer, or a wait whose result is unused."""
        swallowed = {(s.function[:2], *_position(program, s)) for s in program.swallowed}
        scope = program.persistence.scope
        told = {scope(f[0]) for f in telling(program.registry) if f not in program.order.in_unit and not is_test(f[0])}
        for lost in unused(program.order):
            at = (lost.function[:2], lost.call.line, lost.call.column) if lost.call is not None else None
            if not is_test(lost.function[0]) and at not in swallowed and scope(lost.function[0]) not in told:
                yield self._finding(program, lost)
        for resume in program.resumes:
            if is_test(resume.function[0]):
                continue
            found = undelivered(program.order, resume)
            found = found or next(iter(outside(program.registry, resume)), None)
            if found is not None:
                yield self._finding(program, found)

    def _finding(self, program: Program, lost: LostAnswer) -> Finding:
        path = lost.function[0]
        call = lost.call if lost.resume is None else lost.resume.call
        if call is None:
            raise ValueError("an answer is lost at a call")
        return self.finding(
            place_of_call(program, path, call),
            program.symbol(lost.function),
            _SAID[lost.how],
            level=None if lost.acts else "warning",
            certainty="likely" if lost.how == "outside" else "certain",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(_flow(program, lost)),
        )


def _position(program: Program, swallow: Swallow) -> tuple[int, int]:
    call = program.order.outlines[swallow.function].flow.calls[swallow.node] if swallow.node >= 0 else None
    return (0, 0) if call is None else (call.line, call.column)


def _flow(program: Program, lost: LostAnswer) -> Iterable[Step]:
    path = lost.function[0]
    if lost.resume is None:
        if lost.call is not None:
            yield Step(place_of_call(program, path, lost.call), "wait", "the answer comes back here")
        return
    if lost.wait is not None:
        yield Step(place_of(program, lost.wait), "wait", "the wait is raised, and takes no value")
    if lost.breakpoint is not None:
        place = place_of_call(program, lost.breakpoint[0][0], lost.breakpoint[1])
        yield Step(place, "wait", "the breakpoints are set here")
    if lost.how == "outside":
        yield Step(program.place(path, lost.line, 0), "source", "a rejection returns here")
    yield Step(place_of_call(program, path, lost.resume.call), "resume", "the answer is made here")
    for send in lost.resume.sends[:1]:
        yield from call_steps(program, send.way, "{call} in {function} hands it on")
        yield Step(place_of_call(program, send.function[0], send.call), "resume", "and sent here")
