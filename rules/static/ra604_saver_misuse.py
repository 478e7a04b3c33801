"""RA604: savers that cannot work where they are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...analyzer.modules import is_test
from ...analyzer.saver_use import SaverUse, SaverUses
from ...analyzer.versions import older
from ...contract import Finding, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of_call
from ..keys import place_of_line
from ..names import at, text_of

if TYPE_CHECKING:
    from ...analyzer.program import Program


class SaverMisuse(StaticRule):
    """A context manager, a class or a saver without async methods, where a graph needs a saver."""

    id = "RA604"
    name = "saver-misuse"
    properties = ("LV",)
    level = "error"
    precision = "high"
    summary = "A saver that cannot work: a context manager never entered, a class, a sync saver under async runs"
    what = (
        "Reports what `from_conn_string` gives where a graph, agent, `@entrypoint` or `graph.checkpointer` takes it "
        "without anybody entering it, directly or through names, attributes, parameters and helpers; the same for "
        "stores. Reports a saver's class in place of an instance, and a saver without async methods in a graph that "
        "`ainvoke` or `astream` runs."
    )
    why = (
        "`from_conn_string` is a context manager: what it gives is no saver. Compiling ends in `TypeError: Invalid "
        "checkpointer provided`; assigned later, or as a store, the first use ends in an AttributeError. `SqliteSaver` "
        "under `ainvoke` ends in NotImplementedError before the first node (measured on langgraph 1.2.24 with "
        "checkpoint-sqlite 3.1.2)."
    )
    limits = (
        "Quiet where the name or attribute is also bound to what entering gives (`with`, `enter_context`).",
        "Quiet below langgraph 0.2, where `from_conn_string` gave a saver.",
        "Runs by async methods are seen where the graph that is run can be told; tests are left out.",
    )
    bad = """\
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

saver = SqliteSaver.from_conn_string("runs.db")
graph = StateGraph(dict).add_node("work", dict).add_edge(START, "work").compile(checkpointer=saver)
"""
    good = """\
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

builder = StateGraph(dict).add_node("work", dict).add_edge(START, "work")
with SqliteSaver.from_conn_string("runs.db") as saver:
    graph = builder.compile(checkpointer=saver)
    graph.invoke({}, {"configurable": {"thread_id": "1"}})
"""
    fix = (
        "Enter what `from_conn_string` gives (`with ... as saver`, or an ExitStack for the life of the program), or "
        "make the saver from a connection. Use the async saver where the graph is run by async methods."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a saver."""
        seen: set[Place] = set()
        for use in SaverUses(program.registry, program.persistence).find():
            path = use.taken[0][0]
            version = program.version(path, FRAMEWORK)
            before = use.how == "unentered" and older(version, str(program.knowledge("saver_use", "managers_from")))
            if is_test(path) or before:
                continue
            finding = self._finding(program, use, version)
            if finding.place not in seen:
                seen.add(finding.place)
                yield finding

    def _finding(self, program: Program, use: SaverUse, version: str) -> Finding:
        function, call = use.made
        taken = _taken(program, use)
        place = place_of_call(program, function[0], call) if call is not None else taken
        return self.finding(
            place,
            program.symbol(function),
            _message(program, use, place, taken),
            framework=FRAMEWORK,
            framework_version=version,
            flow=tuple(_flow(program, use, place, taken)),
        )


def _message(program: Program, use: SaverUse, place: Place, taken: Place) -> str:
    short = ".".join(use.name.rsplit(".", 2)[-2:]) if use.how == "unentered" else use.name.rpartition(".")[2]
    if use.how == "class":
        return (
            f"The graph cannot be compiled (TypeError): `{short}` is the class, not a saver. Make an instance of it: "
            f"`{short}(...)`."
        )
    if use.how == "sync" and use.run is not None:
        run = place_of_call(program, use.run[0][0], use.run[1])
        return (
            f"The run at {at(run, place.path)} fails with NotImplementedError before its first node: `{short}` has no "
            "async methods, and the graph is run by one. Use the async saver, or run the graph by `invoke`."
        )
    call = text_of(program, use.made[1], use.made[0][0]) if use.made[1] is not None else f"{short}()"
    where = "" if taken == place else f" at {at(taken, place.path)}"
    fails = "the first use of the store fails" if use.keyword == "store" else "the graph cannot be compiled, or not run"
    kind = "store" if use.keyword == "store" else "saver"
    return (
        f"There is no {kind}, and {fails}: `{call}` gives a context manager, which the graph{where} is handed as it "
        f"is. Enter it (`with ... as {kind}`) and hand on what that gives."
    )


def _taken(program: Program, use: SaverUse) -> Place:
    function, call, line = use.taken
    if call is not None:
        return place_of_call(program, function[0], call)
    return place_of_line(program, function[0], line)


def _flow(program: Program, use: SaverUse, place: Place, taken: Place) -> Iterator[Step]:
    words = {"unentered": "a context manager, entered by nobody", "class": "the class", "sync": "a saver for sync runs"}
    yield Step(place, "source", words[use.how])
    yield from call_steps(program, tuple(reversed(use.way)), "{call} in {function} hands it on")
    if taken != place:
        yield Step(taken, "sink", "the graph takes it here")
    if use.run is not None:
        yield Step(place_of_call(program, use.run[0][0], use.run[1]), "event", "and is run by an async method here")
