"""RA209: an answer given again after the node failed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, place_of, place_of_call
from ..names import function_said

if TYPE_CHECKING:
    from ...analyzer.effect_sites import EffectSite
    from ...analyzer.order import Order
    from ...analyzer.program import Program
    from ...analyzer.registry import GraphSite
    from ...analyzer.repeats import Repeat
    from ...analyzer.summary import Call
    from ...analyzer.values import FunctionId


class StaleAnswerAfterFailure(StaticRule):
    """A second answer to a node that failed after the first."""

    id = "RA209"
    name = "stale-answer-after-failure"
    properties = ("FD", "EO")
    level = "warning"
    precision = "medium"
    summary = "An answer given again after the answered node failed"
    what = (
        "Reports a resume that is repeated after it failed (in a handler, a retry loop or under a retry decorator), of "
        "a graph with a unit that waits, acts, and then calls something that may raise."
    )
    why = (
        "The failed node keeps the answer it was given: the second answer is dropped for the first, and what the node "
        "did after the wait fires again (measured on langgraph 1.1.10 to 1.2.24, also with SqliteSaver)."
    )
    limits = (
        "Quiet where `update_state` is called before the answer is repeated.",
        "An answer repeated by hand, by a user who sees the error, is not seen.",
    )
    bad = """\
import sqlite3

import requests
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt


def pay(state):
    if interrupt("pay?"):
        requests.post("https://bank.example/pay", json=state)
        requests.get("https://bank.example/receipt")
    return {}


builder = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def answer(value, config):
    for _ in range(3):
        try:
            return graph.invoke(Command(resume=value), config)
        except ConnectionError:
            continue
"""
    good = """\
import sqlite3

import requests
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt


def ask(state):
    return {"paying": interrupt("pay?")}


def pay(state):
    if state["paying"]:
        requests.post("https://bank.example/pay", json=state, headers={"Idempotency-Key": state["order"]})
    return {}


def receipt(state):
    return {"receipt": requests.get("https://bank.example/receipt").text}


builder = StateGraph(dict).add_node("ask", ask).add_node("pay", pay).add_node("receipt", receipt)
builder.add_edge(START, "ask").add_edge("ask", "pay").add_edge("pay", "receipt")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("runs.db")))


def answer(value, config):
    try:
        return graph.invoke(Command(resume=value), config)
    except ConnectionError:
        return graph.invoke(None, config)
"""
    fix = (
        "Give the effect a node of its own behind the one that waits, and what may fail another, and go on after a "
        "failure with `graph.invoke(None, config)`. `update_state(config, None)` before another answer makes it count, "
        "but an effect in the answered node fires again all the same."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a repeated resume."""
        sends = {_at(send.function, send.call) for resume in program.resumes for send in resume.sends}
        for repeat in program.repeats:
            if repeat.how == "parked" or _at(repeat.function, repeat.again) not in sends:
                continue
            units = (unit for site in sorted(repeat.graphs, key=repr) for unit in _units(program.order, site))
            hit = next(filter(None, (_acts_then_calls(program.order, unit) for unit in units)), None)
            if hit is not None:
                yield self._finding(program, repeat, *hit)

    def _finding(self, program: Program, repeat: Repeat, unit: FunctionId, effect: EffectSite) -> Finding:
        path = repeat.function[0]
        message = (
            "The second answer is dropped for the first, and the effect fires again: after a failure the answer is "
            f"given again, and {function_said(program, unit)} acts after its wait and then may fail."
        )
        return self.finding(
            place_of_call(program, path, repeat.again),
            program.symbol(repeat.function),
            message,
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=(
                Step(place_of(program, effect), "effect", "fires again"),
                Step(place_of_call(program, path, repeat.first), "source", "the failure is caught, or retried, here"),
                Step(place_of_call(program, path, repeat.again), "resume", "the answer is given again here"),
            ),
        )


def _at(function: FunctionId, call: Call) -> tuple[str, str, int, int]:
    return (function[0], function[1], call.line, call.column)


def _units(order: Order, site: GraphSite) -> list[FunctionId]:
    return sorted({f for f in order.graph_functions(site) if f in order.reach and order.reach[f].waits})


def _acts_then_calls(order: Order, function: FunctionId) -> tuple[FunctionId, EffectSite] | None:
    """An effect after a wait of the function with another call after it."""
    flow = order.outlines[function].flow
    waits = [number for number in range(len(flow.calls)) if order.waits_at(function, number)]
    for node in sorted(_after(order, function, waits)):
        effect = order.effect_of(function, node)
        if effect is not None and any(flow.calls[each] is not None for each in _after(order, function, [node])):
            return function, effect
    return None


def _after(order: Order, function: FunctionId, nodes: list[int]) -> set[int]:
    flow = order.outlines[function].flow
    found: set[int] = set()
    todo = list(nodes)
    while todo:
        for node in flow.after[todo.pop()]:
            if node not in found:
                found.add(node)
                todo.append(node)
    return found
