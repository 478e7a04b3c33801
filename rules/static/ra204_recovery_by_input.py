"""RA204: a recovery that starts the run anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.exposure import exposure
from ...analyzer.repeats import is_input
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, place_of, place_of_call

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.repeats import Repeat

_WHY = {
    "handler": "after the first call failed",
    "loop": "in each round after a failure",
    "decorator": "each time the decorator calls again",
    "parked": "although the state says that the thread is parked",
}


class RecoveryByInput(StaticRule):
    """The same input again on the same thread."""

    id = "RA204"
    name = "recovery-by-input"
    properties = ("EO",)
    level = "warning"
    precision = "high"
    summary = "A failed or parked run given its input again"
    what = (
        "Reports a run that is given input again on the same thread after it failed (in a handler, a retry loop or "
        "under a retry decorator), or although `get_state(config)` says that it is parked."
    )
    why = (
        "New input starts the graph at START: nodes that had finished run again and fire their effects again, and a "
        "pending wait is abandoned without a word (measured on langgraph 1.0.5 to 1.2.24). `invoke(None, config)` goes "
        "on where the run failed and repeats nothing that was kept."
    )
    limits = (
        "Needs evidence of recovery: an ordinary turn on an existing thread is quiet.",
        "A loop or decorator counts where the input and the thread are the same each time.",
        "A graph that neither acts nor waits is a note: only the input is repeated in its state.",
    )
    bad = """\
import sqlite3

import requests
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph


def pay(state):
    requests.post("https://bank.example/pay", json=state)
    return {}


builder = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def run(order, config):
    try:
        return graph.invoke(order, config)
    except TimeoutError:
        return graph.invoke(order, config)
"""
    good = """\
import sqlite3

import requests
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph


def pay(state):
    requests.post("https://bank.example/pay", json=state)
    return {}


builder = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def run(order, config):
    try:
        return graph.invoke(order, config)
    except TimeoutError:
        return graph.invoke(None, config)
"""
    fix = (
        'Go on with `invoke(None, {"configurable": {"thread_id": ...}})`, without a checkpoint_id; answer a parked '
        "run with `Command(resume=...)`. For a run that shall begin anew, take a new thread_id."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a repeated call."""
        for repeat in program.repeats:
            if is_input(program.registry, repeat.again, repeat.function):
                yield self._finding(program, repeat)

    def _finding(self, program: Program, repeat: Repeat) -> Finding:
        path = repeat.function[0]
        exposed = exposure(program.order, program.topologies, repeat.graphs) if repeat.graphs else None
        quiet = exposed is not None and exposed.effect is None and not exposed.waits
        harm = "finished nodes run again"
        more: tuple[Step, ...] = ()
        if exposed is not None and exposed.effect is not None:
            harm = "effects of finished nodes fire again"
            more = (Step(place_of(program, program.order.effects[exposed.effect]), "effect", "fires again"),)
        if repeat.how == "parked" or (exposed is not None and exposed.waits):
            harm += ", and a pending wait is abandoned"
        return self.finding(
            place_of_call(program, path, repeat.again),
            program.symbol(repeat.function),
            f"The run starts anew and {harm}: it gets its input again on the same thread {_WHY[repeat.how]}.",
            level="note" if quiet else None,
            certainty="certain" if repeat.graphs else "likely",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=(
                Step(place_of_call(program, path, repeat.first), "source", _FIRST[repeat.how]),
                Step(place_of_call(program, path, repeat.again), "resume", "the input is given again here"),
                *more,
            ),
        )


_FIRST = {
    "handler": "the call that failed",
    "loop": "the call that failed is caught, and the loop goes on",
    "decorator": "calls the function again",
    "parked": "the state that is looked at",
}
