"""RA401: a wait that a replay may reach in another order, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...contract import Finding, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of, place_of_call, units_said
from ..names import at, function_said, text_of

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.stable_values import Control
    from ...analyzer.unstable_sources import Kind, Source
    from ...analyzer.wait_order import Unstable

_SAID: dict[Kind, str] = {
    "model": "a model's reply",
    "clock": "the clock",
    "random": "chance",
    "read": "what another system says",
    "memory": "memory of the process that the replayed code changes",
    "order": "the order of a set",
}
_WAIT = (
    "An answer may be given to another question, or to none: {decides} at {where} rests on {source}, which may differ "
    "when the answer runs {unit} again, and waits are matched by order. {advice}"
)
_STEP = (
    "A recorded result may be given to another call, and a step be carried out twice: {decides} at {where} rests on "
    "{source}, which may differ when {unit} runs again, and steps are matched by order. {advice}"
)
_ADVICE = "Take it in a node in front, or in a `@task`: what is recorded stays."
_IN_BODY = "Take it in a `@task`: what is recorded stays."
_MEMORY = "Keep it in the state."
_ORDER = "Sort it."


class UnstableWaitOrder(StaticRule):
    """A wait, or a recorded step, under a condition or loop whose value may differ on replay."""

    id = "RA401"
    name = "unstable-wait-order"
    properties = ("RD", "FD")
    level = "warning"
    precision = "medium"
    summary = "A wait under a condition or loop that may come out differently when its unit runs again"
    what = (
        "Reports a durable wait, and a call of a `@task`, whose being reached depends on a value that the same "
        "replayed unit takes anew on every attempt: a model's reply, the clock, chance, a read of another system, the "
        "result of a tool, a global or attribute that the unit changes, the order of a set. Conditions, early returns "
        "and loops count, in the unit and in the functions it calls."
    )
    why = (
        "An answer runs its unit again from its top, and is served to the wait that stands at the same place in the "
        "order. When a condition flips, the answer to one question is served to the next, or to none (measured on "
        "langgraph 1.2.9 and 1.2.24). Results of `@task` are matched in the same way: an extra call made a charge "
        "twice."
    )
    limits = (
        "Calls that cannot be resolved are judged by their names (certainty likely); the others are taken as stable.",
        "Settings, environment variables and the unit's own input are taken as stable.",
        "Which exceptions are raised is not followed.",
    )
    bad = """\
from langchain_openai import ChatOpenAI
from langgraph.types import interrupt

model = ChatOpenAI(model="gpt-4o")


def answer(state):
    reply = model.invoke(state["messages"])
    if reply.content.startswith("ASK:"):
        return {"answer": interrupt(reply.content)}
    return {"answer": reply.content}
"""
    good = """\
from langchain_openai import ChatOpenAI
from langgraph.types import interrupt

model = ChatOpenAI(model="gpt-4o")


def ask_model(state):
    return {"reply": model.invoke(state["messages"]).content}


def answer(state):
    if state["reply"].startswith("ASK:"):
        return {"answer": interrupt(state["reply"])}
    return {"answer": state["reply"]}
"""
    fix = (
        "Take the value in a node of its own in front of the wait, or in a `@task`: what is recorded is the same on "
        "every attempt."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a wait or step."""
        for found in program.unstable_waits:
            yield self._finding(program, found)

    def _finding(self, program: Program, found: Unstable) -> Finding:
        event, control = found.event, found.control
        holder, call = event.chain[-1]
        place = place_of(program, event.wait) if event.wait is not None else place_of_call(program, holder[0], call)
        decides = _line(program, control)
        kind = control.source.kind
        anew = _IN_BODY if found.unit.kind == "entrypoint" else _ADVICE
        message = (_WAIT if event.kind == "wait" else _STEP).format(
            decides="the loop" if control.loop else "the condition",
            where=at(decides, place.path),
            source=_source(program, control.source, place.path),
            unit=units_said(program, [found.unit]),
            advice={"memory": _MEMORY, "order": _ORDER}.get(kind, anew),
        )
        flow = [Step(place, "wait" if event.kind == "wait" else "call", "matched by its place in the order")]
        flow += call_steps(program, tuple(reversed(event.chain[:-1])), "reached by {call} in {function}")
        words = "how often is decided here" if control.loop else "whether it is reached is decided here"
        flow.append(Step(decides, "call", words))
        if control.source.call is not None:
            path, source = control.source.function[0], control.source.call
            taken = f"{text_of(program, source, path)} in {function_said(program, control.source.function)}"
            flow.append(Step(place_of_call(program, path, source), "source", f"taken anew each time: {taken}"))
        return self.finding(
            place,
            program.symbol(holder),
            message,
            certainty="certain" if control.source.certain else "likely",
            framework=FRAMEWORK,
            framework_version=program.version(place.path, FRAMEWORK),
            flow=tuple(flow),
        )


def _line(program: Program, control: Control) -> Place:
    return program.place(control.function[0], control.line, 0)


def _source(program: Program, source: Source, seen_from: str) -> str:
    """What a value comes from, in words."""
    said = _SAID[source.kind]
    if source.call is None:
        return f"`{source.name}`, {said}"
    path = source.function[0]
    where = at(place_of_call(program, path, source.call), seen_from)
    return f"{said} (`{text_of(program, source.call, path)}`, {where})"
