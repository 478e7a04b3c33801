"""RA101: an effect that runs again because its unit is replayed when the wait is answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...contract import Finding
from ..base import StaticRule
from ..flows import FRAMEWORK, certainty_of, effect_steps, place_of, replay_said, said, wait_said, wait_steps

if TYPE_CHECKING:
    from ...analyzer.hazards import Hazard
    from ...analyzer.program import Program

_ADVICE = {
    "node": "Move it behind the wait or into a node of its own.",
    "entrypoint": "Move it behind the wait or wrap it in `@task`.",
}
_BEHIND = "Move it behind the wait, or give it an idempotency key."


class EffectBeforeWait(StaticRule):
    """A non-idempotent effect that may run before a durable wait in the same replayed unit."""

    id = "RA101"
    name = "effect-before-wait"
    properties = ("EO",)
    level = "error"
    precision = "high"
    summary = "An effect before a wait, in code that runs again from its top when the wait is answered"
    what = (
        "Reports a call that must not be repeated (a POST, a mail, a payment, an insert, a message) where a path of "
        "the same replayed unit leads from it to a durable wait: directly, through any chain of calls, methods, "
        "closures and tables of tools, or through a graph that the unit runs. An effect between two waits counts."
    )
    why = (
        "When the wait is answered the framework runs the unit again from its top: a LangGraph node, an `@entrypoint` "
        "body, a tool, a middleware hook, or a node that runs a subgraph. What was done before the wait is done a "
        "second time; before the k-th wait, k+1 times (measured on langgraph 1.0.5 to 1.2.24)."
    )
    limits = (
        "Calls that cannot be resolved are judged by the names of receiver and method (certainty likely).",
        "A tool whose body does nothing is taken for a stand-in and judged by its name (certainty likely).",
        (
            "Conditions of effect and wait exclude each other where they ask the same name, attribute or entry for its "
            "truth, for a literal, for one of several or for a bound, and nothing in between may change it; flags are "
            "followed from where they are set. Conditions in two functions, or on two calls, are not compared."
        ),
        "A `@task` that a node of a subgraph calls counts as recorded from langgraph 1.2.16 on only (measured).",
        "A guard is taken as safe when it looks up a durable record; whether the record is written is not checked.",
    )
    bad = """\
import requests
from langgraph.types import interrupt


def refund(state):
    requests.post("https://psp.example/refunds", json={"order": state["order"]})
    return {"approved": interrupt("keep the refund?")}
"""
    good = """\
import requests
from langgraph.types import interrupt


def ask(state):
    return {"approved": interrupt("refund?")}


def refund(state):
    requests.post("https://psp.example/refunds", json={"order": state["order"]})
    return {}
"""
    fix = (
        "Move the effect behind the wait, into a node of its own or into a `@task` of its own, or give it an "
        "idempotency key that is the same on every attempt."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a site of an effect."""
        cleanups = {found.effect for found in program.cleanups}
        for hazard in program.hazards:
            if hazard.looped or hazard.effect in cleanups:
                continue
            effect = hazard.effect
            flow = (
                *effect_steps(program, effect, hazard.effect_chain, hazard.behind),
                *wait_steps(program, hazard),
            )
            yield self.finding(
                place_of(program, effect),
                program.symbol(hazard.function),
                f"{said(program, effect, hazard.behind)} fires again each time the wait at "
                f"{wait_said(program, hazard)} is answered{replay_said(program, hazard)}. {_advice(program, hazard)}",
                certainty=certainty_of(effect, hazard.behind),
                framework=FRAMEWORK,
                framework_version=program.version(effect.path, FRAMEWORK),
                flow=flow,
            )


def _advice(program: Program, hazard: Hazard) -> str:
    if any(function in program.registry.unrecorded for function, _ in hazard.effect_chain[:-1]):
        kept = program.knowledge("subgraph", "steps_kept_from")
        return f"The steps of a subgraph's nodes are kept from {FRAMEWORK} {kept} on: update it. {_BEHIND}"
    if hazard.router:
        return "Let a node of its own ask, not the router."
    return _ADVICE.get(hazard.units[0].kind, _BEHIND)
