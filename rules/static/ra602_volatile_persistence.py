"""RA602: a parked run that does not outlive its process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.answered import answered_here
from ...analyzer.calling import argument
from ...analyzer.modules import is_demonstration, is_test
from ...analyzer.order import bits
from ...analyzer.summary import Const
from ...contract import Finding, Level, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, place_of, place_of_call

if TYPE_CHECKING:
    from ...analyzer.persistence import Compiled
    from ...analyzer.program import Program


class VolatilePersistence(StaticRule):
    """A graph that waits, in code that serves, whose runs are kept in memory or written at exit only."""

    id = "RA602"
    name = "volatile-persistence"
    properties = ("LV",)
    level = "warning"
    precision = "medium"
    summary = "A run that waits, kept in memory only, or a run with effects, written at its exit only"
    what = (
        "Reports an in-memory saver, or a SQLite saver at `:memory:`, that reaches a graph that waits. Reports also a "
        'run with `durability="exit"` (or `checkpoint_during=False`) of a graph whose nodes fire an effect, whether it '
        "waits or not."
    )
    why = (
        "A human may answer hours later. A deployment, a crash or a second worker in between, and the parked run is "
        'gone: the answer finds no checkpoint. With `durability="exit"` the nodes that are done leave nothing behind '
        "before the run ends or parks: after a crash it starts at its input and repeats every effect (measured on "
        "langgraph 1.2.9 and 1.2.24)."
    )
    limits = (
        "A warning in a program that serves requests or jobs and, outside examples, in a project with a durable saver.",
        "Else a note (shown with `--pedantic`).",
        "Nothing where one function starts the run and answers it, outside what serves.",
        "Quiet in tests, notebooks, Temporal workflows and where a `langgraph.json` stands above the file.",
        "Graphs that one factory makes from different nodes count as one graph.",
        "A project is the folder of the nearest manifest (pyproject.toml, requirements.txt, setup.py).",
    )
    bad = """\
from fastapi import FastAPI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

app = FastAPI()


def ask(state):
    return {"ok": interrupt("ok?")}


graph = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=InMemorySaver())
"""
    good = """\
import sqlite3

from fastapi import FastAPI
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

app = FastAPI()
saver = SqliteSaver(sqlite3.connect("runs.db", check_same_thread=False))


def ask(state):
    return {"ok": interrupt("ok?")}


graph = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=saver)
"""
    fix = "Use a saver that outlives the process (SQLite on a volume, PostgreSQL, Redis) and the default durability."

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a saver, and one a run that writes only at its exit."""
        seen: set[Place] = set()
        for compiled in program.persistence.compiled():
            for finding in self._savers(program, compiled):
                if finding.place not in seen:
                    seen.add(finding.place)
                    yield finding
        yield from self._exits(program)

    def _level(self, program: Program, path: str) -> Level:
        persistence = program.persistence
        serving = persistence.serves(path) or (persistence.has_durable_saver(path) and not is_demonstration(path))
        return "warning" if serving else "note"

    def _quiet(self, program: Program, path: str) -> bool:
        persistence = program.persistence
        return is_test(path) or path.endswith(".ipynb") or persistence.served(path) or persistence.replayed(path)

    def _savers(self, program: Program, compiled: Compiled) -> Iterable[Finding]:
        path = compiled.function[0]
        if self._quiet(program, path) or compiled.call is None:
            return
        graph = Step(place_of_call(program, path, compiled.call), "sink", "the saver of a graph that waits")
        savers = program.persistence.volatile_savers(compiled)
        for value in savers:
            where, line, column = value[2]
            if self._quiet(program, where):
                continue
            text = program.text_line(where, line).encode()[column:].decode("utf-8", "ignore")
            end = column + len(text.split("(", 1)[0].encode())
            place = program.place(where, line, column, line, end)
            role = program.resolver.knowledge.role(value[1], "saver")
            level: Level = "note"
            serving = any(map(program.persistence.serves, (path, where)))
            if role is not None and role.options["volatile"]:
                level = max(self._level(program, path), self._level(program, where), key=["note", "warning"].index)
            elif serving:  # its import says that it is durable
                level = "warning"
            if not serving and answered_here(program.persistence, program.resumes, compiled.site):
                continue
            yield self.finding(
                place,
                program.project.symbol((where, "<module>")),
                "A run that waits for an answer is kept in this process's memory only: after a restart, a deployment "
                "or on a second worker the answer finds nothing to resume. Use a saver that outlives the process.",
                level=level,
                framework=FRAMEWORK,
                framework_version=program.version(where, FRAMEWORK),
                flow=(Step(place, "source", "an in-memory saver"), graph),
            )

    def _exits(self, program: Program) -> Iterable[Finding]:
        persistence, reach = program.persistence, program.order.reach
        told = program.resolver.knowledge.table("persistence", "volatile_runs")
        for function, call, site in persistence.runs_with(told):
            path = function[0]
            inside = sorted(f for f in program.order.graph_functions(site) if f in reach and reach[f].exit)
            if not inside or persistence.is_part(site) or self._quiet(program, path):
                continue
            for keyword, value in sorted(told.items()):
                given = argument(call, None, keyword)
                if isinstance(given, Const) and given.value == value:
                    place = place_of_call(program, path, call)
                    effect = place_of(program, program.order.effects[next(iter(bits(reach[inside[0]].exit)))])
                    yield self.finding(
                        place,
                        program.symbol(function),
                        f"After a crash this run starts again from its input and repeats every effect: with "
                        f"`{keyword}={value!r}` nothing is written before it ends or parks. Leave `{keyword}` out.",
                        level=self._level(program, path),
                        framework=FRAMEWORK,
                        framework_version=program.version(path, FRAMEWORK),
                        flow=(
                            Step(place, "source", "this run is written at its exit only"),
                            Step(effect, "effect", "and what it did here is not kept before that"),
                        ),
                    )
