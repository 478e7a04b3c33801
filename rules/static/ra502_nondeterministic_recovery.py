"""RA502: a branch of a replayed body that may come out differently when the body is recovered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...analyzer.changed_globals import changed_at
from ...analyzer.modules import is_test
from ...analyzer.recovered_branches import RecoveredBranch, recovered_branches
from ...analyzer.summary import Call
from ...contract import Finding, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of_call, units_said
from ..keys import place_of_line
from ..names import at, function_said, text_of

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.taints import Kind, Origin

_SAID: dict[Kind, str] = {
    "clock": "the clock",
    "random": "chance",
    "environment": "the environment",
    "memory": "the memory of this process",
    "model": "a model",
}
_ADVICE: dict[Kind, str] = {
    "environment": "Hand the setting in with the input.",
    "memory": "Keep it in the input, or look it up in a `@task`.",
}


class NondeterministicRecovery(StaticRule):
    """A branch on the clock, chance, the environment or a changing global, in a body that replays."""

    id = "RA502"
    name = "nondeterministic-recovery"
    properties = ("RD",)
    level = "warning"
    precision = "medium"
    summary = "A branch on the clock, chance, the environment or a changing global in a body that recovery replays"
    what = (
        "Reports tests in the body of an `@entrypoint`, outside its tasks, and in routers that wait themselves, that "
        "rest on the clock, chance, the environment or a global that functions change, and decide about a task, a wait "
        "or an effect; directly or through functions of the project."
    )
    why = (
        "After an answer or a crash the body runs again from its top, and only results of tasks are kept, by the order "
        "of their calls. A test that comes out differently leaves out a step that was done, or does another: two "
        "recoveries of one run do different work (measured on langgraph 1.2.9 and 1.2.24)."
    )
    limits = (
        "Nodes and routers that do not wait are quiet: what is finished is not run again.",
        "Tests that decide about logging or plain values only are quiet.",
        "A global counts as changing if a function of its module binds or fills it.",
    )
    bad = """\
import random

from langgraph.func import entrypoint, task


@task
def audit(order):
    return f"audited {order}"


@entrypoint()
def settle(order):
    if random.random() < 0.1:
        audit(order).result()
    return order
"""
    good = """\
import random

from langgraph.func import entrypoint, task


@task
def is_sampled():
    return random.random() < 0.1


@task
def audit(order):
    return f"audited {order}"


@entrypoint()
def settle(order):
    if is_sampled().result():
        audit(order).result()
    return order
"""
    fix = "Take the value in a `@task`, whose result is kept, or hand it in with the input."

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a test."""
        for branch in recovered_branches(program.order, program.units):
            if not is_test(branch.sink.function[0]):
                yield self._finding(program, branch)

    def _finding(self, program: Program, branch: RecoveredBranch) -> Finding:
        origin, sink = branch.origin, branch.sink
        path = sink.function[0]
        place = place_of_line(program, path, sink.line)
        source = _source(program, origin)
        rests = _SAID[origin.kind]
        if source is None:
            rests += f" (`{origin.name}`)"
        else:
            rests += f" (`{text_of(program, _call(origin), origin.function[0])}`, {at(source, path)})"
        advice = _ADVICE.get(origin.kind, "Take it in a `@task`: what is recorded stays.")
        return self.finding(
            place,
            program.symbol(sink.function),
            f"After a crash or an answer this test may come out differently, and the run goes on with other steps than "
            f"it did: it rests on {rests}, which is not recorded, and {units_said(program, [branch.unit])} runs again "
            f"from its top. {advice}",
            certainty="certain" if origin.certain else "likely",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(_flow(program, branch, place, source)),
        )


def _call(origin: Origin) -> Call:
    """The call of an origin by its place alone."""
    return Call(None, [], [], origin.line, origin.column, origin.end_line, origin.end_column)


def _source(program: Program, origin: Origin) -> Place | None:
    return place_of_call(program, origin.function[0], _call(origin)) if origin.line else None


def _flow(program: Program, branch: RecoveredBranch, place: Place, source: Place | None) -> Iterator[Step]:
    remembered = changed_at(program.project, branch.origin.name.partition(".")[0], branch.origin.function)
    if source is None and branch.origin.kind == "memory" and remembered is not None and remembered[1]:
        path = branch.origin.function[0]
        changing = function_said(program, (path, remembered[0], ""))
        yield Step(
            program.place(path, remembered[1], 0), "source", f"changed in {changing}, and forgotten by a restart"
        )
    if source is not None:
        made = function_said(program, branch.origin.function)
        yield Step(source, "source", f"taken anew in {made}, each time the code runs")
    yield from call_steps(program, branch.sink.way, "{call} in {function} hands it on")
    yield Step(place, "sink", "it decides here")
    head = program.project.function(branch.unit.function[:2])
    if head is not None and branch.unit.function[:2] != branch.sink.function[:2]:
        start = program.place(branch.unit.function[0], head.line, head.column)
        yield Step(start, "event", f"{units_said(program, [branch.unit])} runs it")
    if branch.sink.call is not None:
        decided = place_of_call(program, branch.sink.function[0], branch.sink.call)
        yield Step(decided, "call", "whether this runs")
