"""RA102: an effect that a loop carries in front of its next wait."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...contract import Finding
from ..base import StaticRule
from ..flows import FRAMEWORK, certainty_of, effect_steps, place_of, replay_said, said, wait_said, wait_steps

if TYPE_CHECKING:
    from ...analyzer.program import Program

_ADVICE = {
    "node": "Ask for everything in one wait and act in the next node, or send each item to a node of its own.",
    "entrypoint": "Wrap it in `@task`.",
}
_BEHIND = "Ask for everything in one wait before the loop, or give it an idempotency key."


class EffectInWaitLoop(StaticRule):
    """An effect whose every path to the wait goes through another round of a loop that holds both."""

    id = "RA102"
    name = "effect-in-wait-loop"
    properties = ("EO",)
    level = "error"
    precision = "high"
    summary = "An effect in a loop that waits again: each answer repeats the earlier rounds"
    what = (
        "Reports an effect in a loop that also waits, where every path from the effect to the wait is another round of "
        "the loop. The effect may stand behind the wait: the next round's wait still comes after it."
    )
    why = (
        "Each answer replays the unit from its top, so that all earlier rounds run again. Three approved mails in one "
        "loop are sent three times, twice and once: six mails for three approvals (measured on langgraph 1.2.24)."
    )
    limits = (
        "A loop that runs once in practice is still a loop.",
        "Calls that cannot be resolved are judged by the names of receiver and method (certainty likely).",
        "A tool whose body does nothing is taken for a stand-in and judged by its name (certainty likely).",
    )
    bad = """\
from langgraph.types import interrupt


def send_all(state, mailer):
    for draft in state["drafts"]:
        if interrupt({"send": draft}):
            mailer.send(draft)
    return {}
"""
    good = """\
from langgraph.types import interrupt


def ask_all(state):
    return {"approved": interrupt({"send": state["drafts"]})}


def send_all(state, mailer):
    for draft in state["approved"]:
        mailer.send(draft)
    return {}
"""
    fix = (
        "Ask for all decisions in one wait and act on them in the next node, send each item to a node of its own with "
        "`Send`, or wrap the effect in `@task` so that its result is recorded."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a site of an effect."""
        cleanups = {found.effect for found in program.cleanups}
        for hazard in program.hazards:
            if not hazard.looped or hazard.effect in cleanups:
                continue
            effect = hazard.effect
            flow = (
                *effect_steps(program, effect, hazard.effect_chain, hazard.behind),
                *wait_steps(program, hazard),
            )
            yield self.finding(
                place_of(program, effect),
                program.symbol(hazard.function),
                f"{said(program, effect, hazard.behind)} fires again for every earlier round each time the loop's "
                f"wait at {wait_said(program, hazard)} is answered{replay_said(program, hazard)}. "
                f"{_ADVICE.get(hazard.units[0].kind, _BEHIND)}",
                certainty=certainty_of(effect, hazard.behind),
                framework=FRAMEWORK,
                framework_version=program.version(effect.path, FRAMEWORK),
                flow=flow,
            )
