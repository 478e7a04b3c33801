"""RA302: a handler for the exception of a wait, where no wait raises it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...analyzer.dead_handlers import DeadHandler, DeadHandlers
from ...analyzer.modules import is_test
from ...contract import Finding, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of_call
from ..names import at

if TYPE_CHECKING:
    from ...analyzer.program import Program


class DeadInterruptHandler(StaticRule):
    """A handler for GraphInterrupt around the run of a whole graph."""

    id = "RA302"
    name = "dead-interrupt-handler"
    level = "note"
    precision = "high"
    summary = "A handler for the exception of a wait around the run of a whole graph: it never fires"
    what = (
        "Reports `except GraphInterrupt` (or `NodeInterrupt`, `GraphBubbleUp`) around `invoke`, `stream` and the like "
        "of a graph, agent or `@entrypoint` outside the code that a graph runs, directly or through functions of the "
        "project."
    )
    why = (
        "The run of a whole graph takes the exception itself and returns: a park is told by `__interrupt__` in the "
        "result, or in a chunk of the stream. What the handler was to do (tell the user, store the question) is never "
        "done, and the code behind the run takes a parked run for a finished one (measured on langgraph 1.0.5 to "
        "1.2.24)."
    )
    limits = (
        "Quiet in nodes, tools, middleware and what they call: around a graph run there, the exception does pass.",
        "Quiet where the handler only raises again, or is for other exceptions, too, and in tests.",
        "Graphs that cannot be told are taken for such by their names.",
    )
    bad = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import GraphInterrupt
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


def ask(state):
    return {"ok": interrupt("ok?")}


saver = SqliteSaver(sqlite3.connect("runs.db", check_same_thread=False))
graph = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=saver)


def start(text, thread):
    try:
        return graph.invoke({"text": text}, {"configurable": {"thread_id": thread}})
    except GraphInterrupt as parked:
        return {"question": parked.args}
"""
    good = """\
import sqlite3

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


def ask(state):
    return {"ok": interrupt("ok?")}


saver = SqliteSaver(sqlite3.connect("runs.db", check_same_thread=False))
graph = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=saver)


def start(text, thread):
    result = graph.invoke({"text": text}, {"configurable": {"thread_id": thread}})
    if "__interrupt__" in result:
        return {"question": result["__interrupt__"][0].value}
    return result
"""
    fix = "Look for `__interrupt__` in the result or in the chunks of the stream, and take the handler out."

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a handler."""
        seen: set[Place] = set()
        for dead in DeadHandlers(program.order, program.registry, program.units).find():
            if is_test(dead.function[0]):
                continue
            finding = self._finding(program, dead)
            if finding.place not in seen:
                seen.add(finding.place)
                yield finding

    def _finding(self, program: Program, dead: DeadHandler) -> Finding:
        path = dead.function[0]
        line = program.text_line(path, dead.handler.line)
        place = program.place(path, dead.handler.line, dead.handler.column, dead.handler.line, len(line.encode()))
        run = place_of_call(program, dead.run[0][0], dead.run[1])
        return self.finding(
            place,
            program.symbol(dead.function),
            f"This handler never runs: the run of the graph at {at(run, path)} takes `{dead.name}` itself, and a "
            "parked run comes back as if it were done. Look for `__interrupt__` in the result or the stream's chunks.",
            certainty="certain" if dead.graph is not None else "likely",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(_flow(program, dead, place, run)),
        )


def _flow(program: Program, dead: DeadHandler, place: Place, run: Place) -> Iterator[Step]:
    yield Step(place, "event", "the handler")
    yield from call_steps(program, dead.way, "{call} in {function} leads to the run")
    yield Step(run, "sink", "the run of the graph returns when it parks")
    if dead.graph is not None:
        yield Step(program.place(*dead.graph), "event", "the graph that is run")
