"""RA104: tools that share a node with a tool that waits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.hazards import siblings
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, certainty_of, effect_steps, place_of, said
from ..names import function_said

if TYPE_CHECKING:
    from ...analyzer.program import Program


class EffectBesideWaitingTool(StaticRule):
    """An effect in a tool whose calls run in one node with those of a tool that waits."""

    id = "RA104"
    name = "effect-beside-waiting-tool"
    properties = ("EO",)
    level = "error"
    precision = "medium"
    summary = "An effect in a tool that shares a node with a tool that waits"
    what = (
        "Reports an effect in a tool that is given to the same `ToolNode`, or the same `create_react_agent` with "
        '`version="v1"`, as a tool that waits.'
    )
    why = (
        "Such a node runs all tool calls of one model message together. When one of them waits, the whole node runs "
        "again with the answer, and the calls that had finished run a second time (measured on langgraph 1.1.10 to "
        "1.2.24)."
    )
    limits = (
        "It takes a message that calls both tools at once: a model told to call one tool at a time never shows it.",
        "Agents whose calls are tasks of their own (`create_agent`, version v2 of `create_react_agent`) are quiet.",
        "So is a `ToolNode` that a router or node of the graph sends single calls to.",
        "A tool whose body does nothing is taken for a stand-in and judged by its name (certainty likely).",
    )
    bad = """\
import requests
from langchain_core.tools import tool
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt


@tool
def charge(order: str):
    "Charge the card."
    requests.post("https://psp.example/charges", json={"order": order})


@tool
def ask(question: str):
    "Ask the customer."
    return interrupt(question)


tools = ToolNode([charge, ask])
"""
    good = """\
import requests
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.types import interrupt


@tool
def charge(order: str):
    "Charge the card."
    requests.post("https://psp.example/charges", json={"order": order})


@tool
def ask(question: str):
    "Ask the customer."
    return interrupt(question)


agent = create_agent("openai:gpt-4.1", tools=[charge, ask])
"""
    fix = (
        "Give the waiting tool a node of its own, let each call be a task of its own (`create_agent`, or `Send` per "
        "call), or give the effect an idempotency key such as the tool call's id."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a site of an effect."""
        for found in siblings(program.order, program.registry):
            tool, waiting = found.tool, found.waiting[0]
            name, other = function_said(program, tool), function_said(program, waiting)
            more = len(found.waiting) - 1
            answered = f"{other} (or {more} more)" if more else other
            advice = "each tool that waits" if more else other
            path, line, column = found.group
            group = Step(program.place(path, line, column), "call", "the tools share this node")
            head = program.project.function((waiting[0], waiting[1]))
            wait = Step(program.place(waiting[0], head.line if head else 1, 0), "wait", f"tool {other} waits")
            effect = found.effect
            if effect is not None:
                place = place_of(program, effect)
                flow = (*effect_steps(program, effect, found.chain, found.behind), group, wait)
                what = said(program, effect, found.behind)
                if found.also:
                    what += f" in tool {name} (and {len(found.also)} more)"
                certainty = certainty_of(effect, found.behind)
            else:
                own = program.project.function((tool[0], tool[1]))
                place = program.place(tool[0], own.line if own else 1, own.column if own else 0)
                flow = (Step(place, "effect", f"tool {name}: its body is a stand-in, and {found.reason}"), group, wait)
                what, certainty = f"What tool {name} (a stand-in, judged by its name) does", "likely"
            yield self.finding(
                place,
                program.symbol(tool),
                f"{what} is done again when tool {answered} is answered: the calls of one message share a node, and "
                f"the answer runs them all again. Give {advice} a node of its own, or use an agent that runs each call "
                "as its own task (`create_agent`).",
                certainty=certainty,
                framework=FRAMEWORK,
                framework_version=program.version(place.path, FRAMEWORK),
                flow=flow,
            )
