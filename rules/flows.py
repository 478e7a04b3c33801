"""Flows and words that several static rules share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..contract import Certainty, Place, Step

if TYPE_CHECKING:
    from ..analyzer.chains import Link
    from ..analyzer.effect_sites import EffectSite
    from ..analyzer.hazards import Behind, Hazard
    from ..analyzer.outline import WaitSite
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


def place_of(program: Program, site: EffectSite | WaitSite) -> Place:
    """Where the effect or wait stands."""
    return program.place(site.path, site.line, site.column, site.end_line, site.end_column)


def place_of_call(program: Program, path: str, call: Call) -> Place:
    """Where the call stands."""
    return program.place(path, call.line, call.column, call.end_line, call.end_column)


def text_of(program: Program, site: EffectSite | WaitSite | Call, path: str) -> str:
    """The start of the call's source: its callee, as written."""
    lines = [program.text_line(path, site.line)]
    text = lines[0].encode()[site.column :].decode("utf-8", "ignore")
    head = text.split("(", 1)[0].strip()
    return f"{head}()" if head and len(head) <= 60 else "this call"


def said(program: Program, effect: EffectSite, behind: Sequence[Behind]) -> str:
    """What fires, in words: the call, and for a dispatch the functions it may reach."""
    call = text_of(program, effect, effect.path)
    if not behind:
        return f"`{call}` ({effect.reason})" if effect.reason else f"`{call}`"
    names = [item.function[1].rsplit(".", 1)[-1] for item in behind]
    listed = ", ".join(f"`{name}`" for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"`{call}`, which may run {listed},"


def units_said(units: Sequence[Unit]) -> str:
    """``node `review``` or ``node `review` and 2 more``."""
    first = units[0]
    more = f" (and {len(units) - 1} more)" if len(units) > 1 else ""
    return f"{_KINDS.get(first.kind, first.kind)} `{first.name}`{more}"


def effect_steps(
    program: Program, effect: EffectSite, chain: Sequence[Link], behind: Sequence[Behind]
) -> Iterable[Step]:
    """The effect first, then the calls that lead to it, and what a dispatch reaches."""
    yield Step(place_of(program, effect), "effect", f"the effect: {text_of(program, effect, effect.path)}")
    for function, call in reversed(chain[:-1]):
        name = text_of(program, call, function[0])
        yield Step(place_of_call(program, function[0], call), "call", f"reached by {name} in {function[1]}")
    for item in behind:
        head = program.project.function((item.function[0], item.function[1]))
        for function, call in item.chain[:-1]:
            name = text_of(program, call, function[0])
            yield Step(place_of_call(program, function[0], call), "call", f"{name} in {function[1]}")
        if item.effect is not None:
            name = text_of(program, item.effect, item.effect.path)
            yield Step(place_of(program, item.effect), "effect", f"`{item.function[1]}` fires {name}")
        elif head is not None:
            at = program.place(item.function[0], head.line, head.column)
            yield Step(at, "effect", f"tool `{head.name}`: {item.reason}")


def wait_steps(program: Program, hazard: Hazard) -> Iterable[Step]:
    """The calls that lead to the wait, and the wait."""
    for function, call in hazard.wait_chain[:-1]:
        name = text_of(program, call, function[0])
        yield Step(
            place_of_call(program, function[0], call),
            "call",
            f"then {name} in {function[1]} leads to the wait",
        )
    wait = hazard.wait
    words = "runs a graph that waits" if wait.kind == "graph" else "the run parks here until it is answered"
    yield Step(place_of(program, wait), "wait", words)


def certainty_of(effect: EffectSite, behind: Sequence[Behind]) -> Certainty:
    """How sure the effect is: a dispatch is as sure as the surest function it reaches."""
    if not effect.dispatch:
        return effect.certainty
    sure = any(item.effect is not None and item.effect.certainty == "certain" for item in behind)
    return "certain" if sure and len(behind) == 1 else "likely"
