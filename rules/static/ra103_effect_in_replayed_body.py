"""RA103: an effect in a body that every recovery replays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.hazards import in_recovered_bodies
from ...contract import Finding
from ..base import StaticRule
from ..flows import FRAMEWORK, certainty_of, effect_steps, place_of, said, units_said

if TYPE_CHECKING:
    from ...analyzer.program import Program


class EffectInReplayedBody(StaticRule):
    """An effect of an entrypoint's body that no recorded step holds."""

    id = "RA103"
    name = "effect-in-replayed-body"
    properties = ("EO",)
    level = "error"
    precision = "high"
    summary = "An effect outside a recorded step in a body that recovery replays"
    what = (
        "Reports an effect that the body of an `@entrypoint` function fires itself, or through helpers, outside a "
        "`@task`, and that leads to no wait (with a wait it is RA101 or RA102)."
    )
    why = (
        "After a crash or a failure the body runs again from its top; only `@task` results are kept. An effect in the "
        "body is fired again by every recovery (measured on langgraph 1.2.9 and 1.2.24)."
    )
    limits = (
        "An `@entrypoint` without a checkpointer is quiet: nothing is recorded, so there is no recovery.",
        "LangGraph only. A node of a `StateGraph` is recorded as a whole when it ends and is not reported.",
        "An effect as the very last act of the body is reported too: the crash may come before the body is recorded.",
    )
    bad = """\
import sqlite3

import requests
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint

saver = SqliteSaver(sqlite3.connect("runs.db", check_same_thread=False))


@entrypoint(checkpointer=saver)
def checkout(order):
    requests.post("https://psp.example/charges", json=order)
    return {"status": "paid"}
"""
    good = """\
import sqlite3

import requests
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task

saver = SqliteSaver(sqlite3.connect("runs.db", check_same_thread=False))


@task
def charge(order):
    requests.post("https://psp.example/charges", json=order)


@entrypoint(checkpointer=saver)
def checkout(order):
    charge(order).result()
    return {"status": "paid"}
"""
    fix = "Move the effect into a function decorated with `@task` and call that from the body."

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a site of an effect."""
        waited = {hazard.effect for hazard in program.hazards} | {found.effect for found in program.cleanups}
        recovered = [unit for unit in program.units if not program.persistence.records_nothing(unit.function)]
        for units, effect, chain, behind in in_recovered_bodies(program.order, recovered, waited):
            yield self.finding(
                place_of(program, effect),
                program.symbol(units[0].function),
                f"{said(program, effect, behind)} fires again on every recovery of {units_said(program, units)}: "
                "after a crash the body runs again from its top and only `@task` results are kept. Move it into a "
                "`@task`.",
                certainty=certainty_of(effect, behind),
                framework=FRAMEWORK,
                framework_version=program.version(effect.path, FRAMEWORK),
                flow=tuple(effect_steps(program, effect, chain, behind)),
            )
