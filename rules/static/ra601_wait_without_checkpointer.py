"""RA601: a graph that waits, compiled without a saver."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.bindings import known_callers
from ...analyzer.compiled_runs import Made, runs_of
from ...analyzer.modules import is_test
from ...contract import Finding, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, place_of_call
from ..names import at

if TYPE_CHECKING:
    from ...analyzer.nullness import Null
    from ...analyzer.persistence import Compiled
    from ...analyzer.program import Program
    from ...analyzer.summary import Call
    from ...analyzer.values import FunctionId


_HANDED_ON = 4
"""Functions through which a saver is followed."""


class WaitWithoutCheckpointer(StaticRule):
    """A graph that waits and is run in this process without a checkpointer."""

    id = "RA601"
    name = "wait-without-checkpointer"
    properties = ("LV",)
    level = "error"
    precision = "high"
    summary = "A graph that waits, compiled without a checkpointer"
    what = (
        "Reports where a graph, an agent or an `@entrypoint` that waits is compiled without a checkpointer, or with "
        "one that may be None, and run in this project."
    )
    why = (
        "Without a checkpointer the first call returns `__interrupt__` as if all were well; the answer then raises "
        "RuntimeError and the parked run is gone (measured on langgraph 1.2.9 and 1.2.24)."
    )
    limits = (
        "Graphs that the project never runs itself outside its tests are quiet: others may compile them again.",
        "Quiet below a `langgraph.json` (the platform brings the saver) and for graphs that are part of another.",
        "Quiet where a saver is assigned to the graph's `checkpointer` attribute.",
        "Values from attributes, globals and settings are taken to be savers.",
    )
    bad = """\
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


def ask(state):
    return {"ok": interrupt("ok?")}


graph = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask").compile()
graph.invoke({}, {"configurable": {"thread_id": "1"}})
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
graph.invoke({}, {"configurable": {"thread_id": "1"}})
"""
    fix = (
        "Give it a durable checkpointer: `compile(checkpointer=PostgresSaver(...))`, for a workflow "
        "`@entrypoint(checkpointer=...)`. Where none can be made at start-up, fail instead of going on without."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a place where the None comes in."""
        persistence = program.persistence
        seen: set[Place] = set()
        for compiled in persistence.compiled():
            nulls = persistence.saver_states(compiled)
            none = sorted((null for null in nulls if null.kind == "none"), key=_last_in_tests)
            path = compiled.function[0]
            if not none or is_test(path) or persistence.served(path) or persistence.set_later(compiled):
                continue
            run = min(persistence.runs(compiled.site), key=lambda run: _last_in_tests(run[0][0]), default=None)
            if run is None:
                continue
            always = len(none) == len(nulls)
            for null in none:
                own = _own_run(program, compiled, null)
                if persistence.replaced(null) or (own is None and _several(program, compiled, null)):
                    continue
                finding = self._finding(program, compiled, null, always, own or run)
                if finding.place not in seen:
                    seen.add(finding.place)
                    yield finding

    def _finding(
        self,
        program: Program,
        compiled: Compiled,
        null: Null,
        always: bool,
        run: tuple[FunctionId, Call],
    ) -> Finding:
        function = compiled.function
        if compiled.call is not None:
            place = place_of_call(program, function[0], compiled.call)
        else:
            place = program.place(*compiled.site)
        functional = compiled.agent == "entrypoint"
        made = "the entrypoint is made here" if functional else "the graph is compiled here"
        flow = [Step(place, "sink", made)]
        if null.passed is not None and null.line:
            function = null.passed[0]
            place = program.place(function[0], *null.passed[1:])
            flow.insert(0, Step(place, "call", "and handed on here"))
        if null.line:
            if null.kept > null.line:
                kept = program.place(null.path, null.kept, 0)
                flow.insert(0, Step(kept, "event", "this handler goes on with it"))
            source = program.place(null.path, null.line, 0)
            flow.insert(0, Step(source, "source", f"the checkpointer is {null.said} here"))
        elif null.passed is not None:
            leaves_out = program.place(null.passed[0][0], *null.passed[1:])
            flow.insert(0, Step(leaves_out, "call", "this call leaves the checkpointer out"))
        caller, call = run
        flow.append(Step(place_of_call(program, caller[0], call), "resume", "and run here"))
        words = "without a checkpointer" if always else f"with a checkpointer that may be {null.said}"
        if null.passed is not None and not null.line:
            words = f"without a checkpointer, which the call at {at(flow[0].place, place.path)} leaves out"
        elif null.line and flow[0].place.line != place.line:
            words = words.replace("without a checkpointer", f"with a checkpointer that is {null.said}")
            words += f", as {at(flow[0].place, place.path)} says"
        what = "An agent" if compiled.agent else "A graph"
        what = "An entrypoint that waits is made" if functional else f"{what} that waits is compiled"
        advice = "it a durable one: `@entrypoint(checkpointer=…)`" if functional else "it a durable checkpointer"
        return self.finding(
            place,
            program.symbol(function),
            f"{what} {words}: the first call parks without an error, the answer then raises RuntimeError and the run "
            f"can never complete. Give {advice}.",
            framework=FRAMEWORK,
            framework_version=program.version(place.path, FRAMEWORK),
            flow=tuple(flow),
        )


def _own_run(program: Program, compiled: Compiled, null: Null) -> tuple[FunctionId, Call] | None:
    """A run of the very graph that got no saver, where that is seen."""
    if null.passed is not None:
        made = Made(null.passed[0], null.passed[1], null.passed[2])
    elif compiled.call is not None:
        made = Made(compiled.function, compiled.call.line, compiled.call.column)
    else:
        return None
    found = runs_of(program.resolver, made, program.persistence.runs(compiled.site))
    return min(found, key=lambda run: _last_in_tests(run[0][0]), default=None)


def _several(program: Program, compiled: Compiled, null: Null) -> bool:
    """Whether the run may be of another graph of the same builder."""
    if null.passed is None:
        return len(program.registry.graphs[compiled.site].compiles) > 1
    function = compiled.function
    for _ in range(_HANDED_ON):
        callers = known_callers(program.resolver, function)
        if len(callers) != 1:
            return len(callers) > 1
        function = callers[0][0]
    return False


def _last_in_tests(where: Null | str) -> tuple[bool, bool, str]:
    """Sorts what product code does before what notebooks and tests do."""
    path = where if isinstance(where, str) else where.passed[0][0] if where.passed is not None else where.path
    return is_test(path), path.endswith(".ipynb"), repr(where)
