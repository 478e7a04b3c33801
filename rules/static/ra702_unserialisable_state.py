"""RA702: values in the state that a checkpoint cannot hold, or gives back as another type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...analyzer.kept_state import Kept, KeptState
from ...analyzer.modules import is_test
from ...analyzer.state_writes import StateWrite, state_writes, unregistered
from ...analyzer.storable import Judge, Unfit
from ...analyzer.summary import Call
from ...contract import Finding, Level, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of_call, units_said
from ..keys import place_of_key, place_of_line

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.registry import Unit
    from ...analyzer.values import FunctionId


class UnserialisableState(StaticRule):
    """A write to checkpointed state that cannot be stored, or comes back as something else."""

    id = "RA702"
    name = "unserialisable-state"
    properties = ("CV",)
    level = "error"
    precision = "high"
    summary = "A value in the state that a checkpoint cannot hold, or gives back as another type"
    what = (
        "Reports clients, connections, locks, open files, generators and other iterators, dict views, functions, "
        "classes and instances of plain classes that a node, task, workflow or `Command(update=...)` puts into "
        "checkpointed state. Reports as a warning what comes back as another type: `defaultdict`, `Counter`, "
        "exceptions; as a note, tuples."
    )
    why = (
        "Every step is saved by a serialiser that knows JSON-like data, dataclasses, pydantic models, messages, enums, "
        "dates, sets and paths. Anything else ends the run with `TypeError: Type is not msgpack serializable`, with "
        "the in-memory saver too, and for tasks and `Send` arguments alike. A `Counter` comes back as a dict, an "
        "exception as a string, a tuple as a list, and only after a pause or restart (measured on langgraph 1.2.24 "
        "with langgraph-checkpoint 4.3.2)."
    )
    limits = (
        "A value is reported only where all that it may be is unfit; what a library unknown here gives is not.",
        "Quiet for graphs compiled without a checkpointer, unless a langgraph.json or a parent graph brings one.",
        "Quiet for keys that no schema of the graph names (they are dropped) and for `UntrackedValue`.",
        "Quiet for savers with a `serde` of their own.",
        "A function that takes `state`, neither registered nor called, is a node for the keys that its file declares.",
        "Fields of dataclasses and models are not looked into, arguments of their constructors are.",
    )
    bad = """\
import httpx
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph


def connect(state):
    return {"http": httpx.Client(base_url=state["base"])}


builder = StateGraph(dict).add_node("connect", connect).add_edge(START, "connect")
graph = builder.compile(checkpointer=InMemorySaver())
"""
    good = """\
import httpx
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph


def fetch(state):
    with httpx.Client(base_url=state["base"]) as http:
        return {"page": http.get("/").text}


builder = StateGraph(dict).add_node("fetch", fetch).add_edge(START, "fetch")
graph = builder.compile(checkpointer=InMemorySaver())
"""
    fix = (
        "Keep plain data in the state, and make the object where it is used: in the node, at module level, or from the "
        "runtime context (`context_schema`)."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a write."""
        judge = Judge(program.resolver)
        state = KeptState(program.order, program.registry, program.persistence)
        seen: set[Place] = set()
        keys: dict[Unit, set[str]] = dict(unregistered(program.registry, program.units))
        for unit in [*program.units, *keys]:
            if is_test(unit.function[0]):
                continue
            for write in state_writes(program.registry, unit):
                if unit in keys and write.key not in keys[unit]:
                    continue
                unfit = judge.judge(write.value, write.function)
                if unfit is None or _is_minor(program, state, write, unfit):
                    continue
                kept, compiled = state.kept(unit)
                if kept == "no" or not state.takes(unit, write.key):
                    continue
                place = _place(program, write)
                if place not in seen:
                    seen.add(place)
                    yield self._finding(program, write, unfit, place, kept, compiled)

    def _finding(
        self,
        program: Program,
        write: StateWrite,
        unfit: Unfit,
        place: Place,
        kept: Kept,
        compiled: tuple[FunctionId, Call] | None,
    ) -> Finding:
        path = write.function[0]
        said = f"`{write.key}` is" if write.key else "the result is"
        where = units_said(program, [write.unit])
        level: Level | None = None
        if unfit.fails:
            message = (
                f"The run fails with a TypeError when the step of {where} is saved: {said} {unfit.said}, which a "
                "checkpoint cannot hold. Keep plain data in the state, and make the object where it is used."
            )
        else:
            level = "note" if unfit.becomes == "a list" else "warning"
            message = (
                f"After a pause or restart, what {where} wrote is another thing: {said} {unfit.said} and comes back as "
                f"{unfit.becomes}. Store plain data, and make it again where it is used."
            )
        return self.finding(
            place,
            program.symbol(write.function),
            message,
            level=level,
            certainty="certain" if kept == "yes" else "likely",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(_flow(program, write, unfit, place, compiled)),
        )


def _is_minor(program: Program, state: KeptState, write: StateWrite, unfit: Unfit) -> bool:
    """Tuples among messages, or joined by a reducer, are turned into something else in any case."""
    if unfit.fails or unfit.becomes != "a list":
        return False
    return write.key in program.knowledge("state", "messages") or state.reduces(write.unit, write.key)


def _place(program: Program, write: StateWrite) -> Place:
    """The key where it stands in the text, else the beginning of the value or its line."""
    path = write.function[0]
    if write.form != "whole":
        found = place_of_key(program, path, write.line, write.key, write.form)
        if found is not None:
            return found
    if isinstance(write.value, Call):
        return place_of_call(program, path, write.value)
    return place_of_line(program, path, write.line)


def _flow(
    program: Program, write: StateWrite, unfit: Unfit, place: Place, compiled: tuple[FunctionId, Call] | None
) -> Iterator[Step]:
    if unfit.made is not None:
        at, line, column = unfit.made
        yield Step(program.place(at, line, column), "source", f"{unfit.said} comes from here")
    yield Step(place, "sink", "written to the state here" if write.key else "kept as the result")
    yield from call_steps(program, tuple(reversed(write.way)), "{call} in {function} hands it on")
    if compiled is not None:
        yield Step(place_of_call(program, compiled[0][0], compiled[1]), "event", "the graph is compiled here")
