"""RA501: a value made up before a wait, made again when it is answered, and used behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...analyzer.modules import is_test
from ...analyzer.regenerated import Regenerated, regenerated
from ...analyzer.summary import Call
from ...contract import Certainty, Finding, Level, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of_call
from ..keys import place_of_key, place_of_line
from ..names import at, function_said, text_of

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.taints import Kind, Origin

_MADE: dict[Kind, str] = {
    "model": "asks the model again",
    "random": "gives another value",
    "clock": "tells another time",
    "environment": "may read another setting",
}


class NondeterminismBeforeWait(StaticRule):
    """A value from a model, chance or a clock that crosses a wait without being recorded."""

    id = "RA501"
    name = "nondeterminism-before-wait"
    properties = ("RD", "PC")
    level = "warning"
    precision = "medium"
    summary = "A value made up before a wait, made again when the wait is answered, and used behind it"
    what = (
        "Reports a value from a model, a random generator, a uuid or a clock that a replayed unit takes before a wait "
        "and uses behind it: as an argument of an effect, in a test that decides about an effect, or, where the wait "
        "showed it, in the result. Followed through assignments, texts, containers and functions of the project."
    )
    why = (
        "The answer to a wait runs the unit again from its top: the value is made a second time. The human approved "
        "one plan, id or time; what is stored and done is another (measured on langgraph 1.0.5 to 1.2.24)."
    )
    limits = (
        "Quiet: values that only the payload shows, logging, elapsed times, ids of requests, threads and messages.",
        "Quiet: what a `@task` gives, since it is recorded, and what is looked up before it is made.",
        "Models are told by their classes, or by the names of receiver and method; the latter is likely only.",
        "Reads of the environment are a note.",
    )
    bad = """\
from uuid import uuid4

from langgraph.graph import StateGraph
from langgraph.types import interrupt


def book(state):
    reference = f"R-{uuid4()}"
    answer = interrupt({"book": state["seat"], "reference": reference})
    return {"reference": reference, "booked": answer["ok"]}


builder = StateGraph(dict).add_node("book", book)
"""
    good = """\
from uuid import uuid4

from langgraph.graph import StateGraph
from langgraph.types import interrupt


def prepare(state):
    return {"reference": f"R-{uuid4()}"}


def book(state):
    answer = interrupt({"book": state["seat"], "reference": state["reference"]})
    return {"booked": answer["ok"]}


builder = StateGraph(dict).add_node("prepare", prepare).add_node("book", book)
"""
    fix = (
        "Make the value in a node of its own, in front of the one that waits, or in a `@task`; or take it back from "
        "the answer."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a place where a value comes from."""
        seen: set[Place] = set()
        for item in regenerated(program.order, program.units):
            if is_test(item.function[0]):
                continue
            finding = self._finding(program, item)
            if finding.place not in seen:
                seen.add(finding.place)
                yield finding

    def _finding(self, program: Program, item: Regenerated) -> Finding:
        sink, origin = item.sink, item.origin
        place = _use(program, item)
        source = place_of_call(program, origin.function[0], _call(origin))
        made = text_of(program, _call(origin), origin.function[0])
        call = f"`{made}`" if made != "this call" else "the call"
        before = "What was there before the wait"
        if item.shown is not None:
            wait = place_of_call(program, item.shown[0][0], item.shown[1])
            before = f"What the wait at {at(wait, place.path)} showed"
        used = {
            "effect": "this call acts with another",
            "branch": "another decides whether the effect fires",
            "result": "the state gets another",
        }[sink.use]
        message = (
            f"{before} is not what is used: {used}, since the answer runs the code again from its top and {call} at "
            f"{at(source, place.path)} {_MADE[origin.kind]}. Make it in a node in front, or in a `@task`."
        )
        level: Level | None = "note" if origin.kind == "environment" else None
        certainty: Certainty = "certain" if origin.certain else "likely"
        return self.finding(
            place,
            program.symbol(item.function),
            message,
            level=level,
            certainty=certainty,
            framework=FRAMEWORK,
            framework_version=program.version(item.function[0], FRAMEWORK),
            flow=tuple(_flow(program, item, source, place)),
        )


def _call(origin: Origin) -> Call:
    """The call of an origin by its place alone."""
    return Call(None, [], [], origin.line, origin.column, origin.end_line, origin.end_column)


def _use(program: Program, item: Regenerated) -> Place:
    """The use in the function that waits: what hands the value on, where the use itself is further away."""
    sink = item.sink
    if sink.way:
        function, call = sink.way[0]
        return place_of_call(program, function[0], call)
    path = sink.function[0]
    if sink.use == "effect" and sink.call is not None:
        return place_of_call(program, path, sink.call)
    found = place_of_key(program, path, sink.line, sink.key, "entry") if sink.key else None
    return found or place_of_line(program, path, sink.line)


def _flow(program: Program, item: Regenerated, source: Place, place: Place) -> Iterator[Step]:
    sink = item.sink
    made = function_said(program, item.origin.function)
    yield Step(source, "source", f"made here in {made}, each time the code runs")
    if item.shown is not None:
        yield Step(place_of_call(program, item.shown[0][0], item.shown[1]), "wait", "shown by this wait")
    if sink.way:
        yield from call_steps(program, sink.way, "{call} in {function} hands it on")
        path = sink.function[0]
        if sink.use == "effect" and sink.call is not None:
            yield Step(place_of_call(program, path, sink.call), "effect", "an effect takes it")
        else:
            yield Step(place_of_line(program, path, sink.line), "sink", "it decides here")
    else:
        words = {"effect": "an effect takes it", "branch": "it decides here", "result": "it goes into the result"}
        yield Step(place, "effect" if sink.use == "effect" else "sink", words[sink.use])
