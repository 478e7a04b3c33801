"""RA402: a static breakpoint at a node that waits itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.breakpoints import doubled
from ...contract import Finding, Place, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, call_steps, place_of, place_of_call
from ..names import at, text_of

if TYPE_CHECKING:
    from ...analyzer.breakpoints import Doubled
    from ...analyzer.program import Program

_UNSEEN = (
    "The answer that ends the breakpoint also answers this wait of node `{node}`, whose question nobody sees: "
    "{keyword} at {where} parks the run {side}, without a payload, and the value of the next resume goes to `{wait}`. "
    "Take the breakpoint out: the wait parks the run by itself."
)
_TWICE = (
    "After this wait of node `{node}` is answered the run parks again and shows nothing: {keyword} at {where} stops it "
    "behind the node. It stays there until a second resume comes, whose value is dropped or answers the next node's "
    "wait unseen. Take the breakpoint out: the wait parks the run by itself."
)


class DoubleBreakpoint(StaticRule):
    """A static breakpoint at a node with a wait of its own."""

    id = "RA402"
    name = "double-breakpoint"
    properties = ("CO",)
    level = "error"
    precision = "high"
    summary = "A static breakpoint at a node that waits itself: one answer serves both"
    what = (
        "Reports a durable wait in a node that `interrupt_before` or `interrupt_after` names too, by its name or by "
        "`*`: where the graph or agent is compiled, or in a call that runs it. The wait may stand in a helper, a "
        "subgraph, a tool of the node or the router behind it. `interrupt_after` on the node in front of a waiting one "
        "counts."
    )
    why = (
        "A static breakpoint parks the run without a payload. The resume that ends it starts the node with its value "
        "at hand, and the node's `interrupt()` returns that value at once: one answer serves both, and the question is "
        "never shown. Behind the node it is a second pause after the answer (measured on langgraph 1.2.24)."
    )
    limits = (
        "Quiet where the graph is run with None somewhere: that goes on from a breakpoint and leaves the wait pending.",
        "Breakpoints set over HTTP or the SDK, and waits of ready-made middleware, are not looked at.",
    )
    bad = """\
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


def approve(state):
    return {"approved": interrupt({"pay": state["amount"]})}


def build(saver):
    builder = StateGraph(dict)
    builder.add_node("approve", approve)
    builder.add_edge(START, "approve")
    return builder.compile(checkpointer=saver, interrupt_before=["approve"])
"""
    good = """\
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


def approve(state):
    return {"approved": interrupt({"pay": state["amount"]})}


def build(saver):
    builder = StateGraph(dict)
    builder.add_node("approve", approve)
    builder.add_edge(START, "approve")
    return builder.compile(checkpointer=saver)
"""
    fix = "Take the breakpoint out: the node's own wait parks the run and shows what is to be decided."

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a wait."""
        seen: set[Place] = set()
        for found in doubled(program.order, program.persistence, program.topologies):
            place = place_of(program, found.wait)
            if place not in seen:
                seen.add(place)
                yield self._finding(program, found, place)

    def _finding(self, program: Program, found: Doubled, place: Place) -> Finding:
        path = found.wait.path
        holder = found.chain[-1][0] if found.chain else (path, "<module>", "")
        set_at = place_of_call(program, found.function[0], found.call)
        parks = f"behind `{found.named}` and in front of it" if found.side == "ahead" else "in front of it"
        words = _TWICE if found.side == "after" else _UNSEEN
        return self.finding(
            place,
            program.symbol(holder),
            words.format(
                node=found.node,
                keyword=f"`{found.keyword}`",
                where=at(set_at, path),
                side=parks,
                wait=text_of(program, found.wait, path),
            ),
            certainty="certain" if found.sure else "likely",
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=(
                Step(set_at, "source", f"{found.keyword} names `{found.named}` here"),
                *call_steps(program, found.chain[:-1], "{call} in {function} leads to the wait"),
                Step(place, "wait", f"node `{found.node}` waits here by itself"),
            ),
        )
