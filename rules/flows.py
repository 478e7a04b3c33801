"""Flows and words that several static rules share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..contract import Certainty, Place, Step
from .names import at, function_said, name_said, text_of

if TYPE_CHECKING:
    from ..analyzer.effect_sites import EffectSite
    from ..analyzer.hazards import Behind, Hazard
    from ..analyzer.outline import WaitSite
    from ..analyzer.paths import Link
    from ..analyzer.program import Program
    from ..analyzer.registry import Unit
    from ..analyzer.summary import Call

FRAMEWORK = "langgraph"

_KINDS = {
    "node": "node",
    "router": "router",
    "tool": "tool",
    "middleware": "middleware hook",
    "entrypoint": "entrypoint",
    "recorded": "task",
    "function": "function",
}
_NAMED = 3
_MOST_CALLS = 30
"""Calls of one chain that a flow shows."""
_REPEATED = re.compile(r"; repeated,.*|,? (that may be carried out|counts) again.*")
"""The part of a reason that says what the message around it says."""


def place_of(program: Program, site: EffectSite | WaitSite) -> Place:
    """Where the effect or wait stands."""
    return program.place(site.path, site.line, site.column, site.end_line, site.end_column)


def place_of_call(program: Program, path: str, call: Call) -> Place:
    """Where the call stands."""
    return program.place(path, call.line, call.column, call.end_line, call.end_column)


def said(program: Program, effect: EffectSite, behind: Sequence[Behind]) -> str:
    """What fires, in words: the call, and for a dispatch the functions it may reach."""
    call = text_of(program, effect, effect.path)
    call = call if call == "this call" else f"`{call}`"
    if not behind:
        reason = _REPEATED.sub("", effect.reason)
        return f"{call} ({reason})" if reason else call
    names = dict[str, bool]()
    for item in behind:
        name = function_said(program, item.function)
        names[name] = names.get(name, True) and item.effect is None
    listed = list(names)[:_NAMED]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    if all(names.values()):
        many = len(names) > 1
        guessed = " (stand-ins, judged by their names)" if many else " (a stand-in, judged by its name)"
    else:
        guessed, listed = "", [f"{name} (a stand-in)" if names[name] else name for name in listed]
    return f"{call}, which may run {', '.join(listed)}{more}{guessed},"


def units_said(program: Program, units: Sequence[Unit], capped: bool = False) -> str:
    """``node `review``` or ``node `review` (and 2 more)``; ``capped``: and at least 2 more."""
    names = {(unit.kind, unit.name): unit for unit in reversed(units)}
    plain = {unit.function for unit in units if not unit.name.startswith("_")}
    listed = [unit for unit in names.values() if not unit.name.startswith("_") or unit.function not in plain]
    first = listed[-1]
    more = f" (and {'at least ' if capped else ''}{len(listed) - 1} more)" if len(listed) > 1 else ""
    name = name_said(program, first.function[0], first.name, first.function)
    kind = "" if name.startswith("the ") else f"{_KINDS.get(first.kind, first.kind)} "
    return f"{kind}{name}{more}"


def replay_said(program: Program, hazard: Hazard) -> str:
    """What an answer to the wait does to the code around the effect."""
    if not hazard.router:
        return f", which runs {units_said(program, hazard.units, hazard.capped)} again from its top"
    waits = hazard.wait_chain[0][0] if hazard.wait_chain else (hazard.wait.path, hazard.router, "")
    router = function_said(program, waits)
    return f": a wait in router {router} runs {units_said(program, hazard.units, hazard.capped)} again from its top"


def wait_said(program: Program, hazard: Hazard) -> str:
    """Where the wait stands, for a reader who looks at the effect."""
    return at(place_of(program, hazard.wait), hazard.effect.path)


def effect_steps(
    program: Program, effect: EffectSite, chain: Sequence[Link], behind: Sequence[Behind]
) -> Iterable[Step]:
    """The effect first, then the calls that lead to it, and what a dispatch reaches."""
    name = text_of(program, effect, effect.path)
    what = f"whatever {name} runs" if behind else name
    yield Step(place_of(program, effect), "effect", f"the effect: {what}")
    yield from call_steps(program, tuple(reversed(chain[:-1])), "reached by {call} in {function}")
    for item in behind:
        head = program.project.function((item.function[0], item.function[1]))
        tool = function_said(program, item.function)
        yield from call_steps(program, item.chain[:-1], f"{tool} may run: {{call}} in {{function}}")
        if item.effect is not None:
            name = text_of(program, item.effect, item.effect.path)
            yield Step(place_of(program, item.effect), "call", f"{tool} acts here: {name}")
        elif head is not None:
            place = program.place(item.function[0], head.line, head.column)
            yield Step(place, "call", f"{tool} may run: its body is a stand-in, and {item.reason}")


def call_steps(program: Program, links: Sequence[Link], words: str) -> Iterable[Step]:
    """A step a call; of a chain longer than anybody reads, its two ends."""
    cut = len(links) - _MOST_CALLS
    for number, (function, call) in enumerate(links):
        if cut > 0 and _MOST_CALLS // 2 < number <= _MOST_CALLS // 2 + cut:
            continue
        name, where = text_of(program, call, function[0]), function_said(program, function)
        said = words.format(call=name, function=where)
        if cut > 0 and number == _MOST_CALLS // 2:
            said += f", and {cut} more calls like it"
        yield Step(place_of_call(program, function[0], call), "call", said)


def wait_steps(program: Program, hazard: Hazard) -> Iterable[Step]:
    """The calls that lead to the wait, and the wait."""
    yield from call_steps(program, hazard.wait_chain[:-1], "then {call} in {function} leads to the wait")
    wait = hazard.wait
    words = "runs a graph that waits" if wait.kind == "graph" else "the run parks here until it is answered"
    yield Step(place_of(program, wait), "wait", words)


def certainty_of(effect: EffectSite, behind: Sequence[Behind]) -> Certainty:
    """How sure the effect is: a dispatch is as sure as the surest function it reaches."""
    if not effect.dispatch:
        return effect.certainty
    sure = any(item.effect is not None and item.effect.certainty == "certain" for item in behind)
    return "certain" if sure and len(behind) == 1 else "likely"
