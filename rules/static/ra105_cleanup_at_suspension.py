"""RA105: a cleanup that fires when the run parks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.hazards import in_recovered_bodies
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, certainty_of, effect_steps, place_of, said, units_said
from ..names import at

if TYPE_CHECKING:
    from ...analyzer.cleanup_regions import How
    from ...analyzer.cleanups import Cleanup
    from ...analyzer.program import Program

_STANDS: dict[How, str] = {
    "finally": "the `finally` of the `try` at {where}",
    "handler": "the handler at {where}",
    "exit": "the exit of the manager at {where}",
    "callback": "a callback of the exit stack at {where}",
}
_TWICE = (
    "{effect} fires before anybody has answered the wait at {wait}, and again on each answer, which runs {unit} again: "
    "the pause is an exception, and it passes {stands}. {advice}"
)
_FAILING = (
    "{effect} fires each time the run parks at the wait at {wait}, as though {unit} had failed: the pause is an "
    "exception, and it passes {stands}. {advice}"
)
_MOVE = "Move it behind the block, where only an answered run comes by."
_IN_FRONT = "Put `except GraphBubbleUp: raise` in front of the handler."
_TELL_APART = "Leave it out where the exception is a `GraphBubbleUp`."


class CleanupAtSuspension(StaticRule):
    """An effect in a cleanup around a durable wait."""

    id = "RA105"
    name = "cleanup-at-suspension"
    properties = ("EO",)
    level = "error"
    precision = "high"
    summary = "An effect in a cleanup around a wait: it fires when the run parks, and again on resume"
    what = (
        "Reports an effect that must not be repeated in what runs when a block is left, where the block holds a "
        "durable wait, directly or through calls: `finally`, `__exit__` of a `with`, the code around the `yield` of a "
        "`@contextmanager`, callbacks of an `ExitStack`, decorators that wrap the unit in one of these, and handlers "
        "as wide as `except Exception` that raise again."
    )
    why = (
        "`interrupt()` parks the run by raising an exception. Every `finally` and exit on its way runs before anybody "
        "has answered, and once more when the answer runs the unit again from its top. A handler for failures runs on "
        "each pause, though nothing has failed (measured on langgraph 1.2.24)."
    )
    limits = (
        "Managers of libraries are not looked into: what a transaction does when it is left is not known.",
        "Hooks around the running of tools are not looked at: whether the tool waits is not known there.",
        "`except GraphInterrupt: …; raise` is taken as meant: it runs once a pause.",
        "A flag that is set behind the wait is understood as telling the end from the pause; other tests are not.",
    )
    bad = """\
import requests
from langgraph.types import interrupt


def review(state):
    try:
        return {"approved": interrupt({"draft": state["draft"]})}
    finally:
        requests.post("https://chat.example/messages", json={"text": "review done"})
"""
    good = """\
import requests
from langgraph.types import interrupt


def review(state):
    answer = interrupt({"draft": state["draft"]})
    requests.post("https://chat.example/messages", json={"text": "review done"})
    return {"approved": answer}
"""
    fix = (
        "Move the effect behind the block, or into the next node; in a handler for failures, put "
        "`except GraphBubbleUp: raise` (from langgraph.errors) in front of it."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a site of an effect."""
        met = {hazard.effect: "RA102" if hazard.looped else "RA101" for hazard in program.hazards}
        bodies = {effect for _, effect, *_ in in_recovered_bodies(program.order, program.units, set(met))}
        for found in program.cleanups:
            also = met.get(found.effect) or ("RA103" if found.effect in bodies else "")
            yield self._finding(program, found, (also,) if also else ())

    def _finding(self, program: Program, found: Cleanup, also: tuple[str, ...]) -> Finding:
        path = found.effect.path
        block = program.place(found.function[0], found.line, 0)
        words = _FAILING if found.failing else _TWICE
        stands = _STANDS[found.how].format(where=at(block, path))
        advice = (_IN_FRONT if found.how == "handler" else _TELL_APART) if found.failing else _MOVE
        message = words.format(
            effect=said(program, found.effect, found.behind),
            wait=at(place_of(program, found.wait), path),
            unit=units_said(program, found.units),
            stands=stands,
            advice=advice,
        )
        wait = found.wait
        return self.finding(
            place_of(program, found.effect),
            program.symbol(found.function),
            message,
            certainty=certainty_of(found.effect, found.behind),
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=(
                *effect_steps(program, found.effect, found.effect_chain, found.behind),
                Step(block, "call", f"the pause passes {stands}"),
                *call_steps(program, found.wait_chain[:-1], "inside, {call} in {function} leads to the wait"),
                Step(place_of(program, wait), "wait", "the run parks here, by an exception"),
            ),
            also=also,
        )
