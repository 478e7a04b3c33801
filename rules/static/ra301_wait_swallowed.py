"""RA301: the exception that parks the run is caught on its way out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.chains import wait_chain
from ...contract import Certainty, Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, place_of, place_of_call, text_of

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.suspension import Swallow

_CATCHERS = {
    "handler": "this handler",
    "suppress": "`contextlib.suppress`",
    "manager": "this context manager",
    "retry": "the retry decorator",
}


class WaitSwallowed(StaticRule):
    """A durable wait inside something broad enough to catch its control-flow exception."""

    id = "RA301"
    name = "wait-swallowed"
    properties = ("LV", "CO")
    level = "error"
    precision = "high"
    summary = "A durable wait inside a handler that catches its control-flow exception"
    what = (
        "Reports a handler (bare `except`, `except Exception`, `BaseException`, `GraphBubbleUp`, `GraphInterrupt`), a "
        "`contextlib.suppress`, a retry decorator or a tool wrapper around a durable wait, directly or through calls, "
        "that does not raise the exception again as it came."
    )
    why = (
        "`interrupt()` parks the run by raising `GraphInterrupt`, which is an `Exception`. A handler that takes it "
        "keeps the run going: nobody is asked, and what the answer was to permit happens without it (measured on "
        "langgraph 1.0.5 to 1.2.24)."
    )
    limits = (
        "A handler that raises again only under a condition counts as catching.",
        "An `isinstance` test for the exception of the wait is understood; other tests are not.",
        "Handlers around the call that runs a whole graph are quiet: there a wait is returned, not raised.",
    )
    bad = """\
from langgraph.types import interrupt


def review(state):
    try:
        answer = interrupt({"draft": state["draft"]})
    except Exception:
        answer = "approved"
    return {"answer": answer}
"""
    good = """\
from langgraph.errors import GraphBubbleUp
from langgraph.types import interrupt


def review(state):
    try:
        answer = interrupt({"draft": state["draft"]})
    except GraphBubbleUp:
        raise
    except Exception:
        answer = "failed"
    return {"answer": answer}
"""
    fix = (
        "Catch the exceptions you expect by their types, or put `except GraphBubbleUp: raise` (from langgraph.errors) "
        "in front of the broad handler, or move the wait out of the block."
    )

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a handler."""
        seen: set[tuple[str, int]] = set()
        for swallow in program.swallowed:
            path = swallow.function[0]
            if (path, swallow.line) in seen:
                continue
            seen.add((path, swallow.line))
            yield self._finding(program, swallow)

    def _finding(self, program: Program, swallow: Swallow) -> Finding:
        path = swallow.function[0]
        line = program.text_line(path, swallow.line)
        end = len(line.encode())
        place = program.place(path, swallow.line, swallow.column, swallow.line, end)
        steps = [Step(place, "event", f"{_CATCHERS[swallow.catcher]} takes what the wait raises")]
        if swallow.hook:
            call = swallow.brings
            steps.append(
                Step(
                    program.place(path, call.line, call.column, call.end_line, call.end_column),
                    "wait",
                    "the tool runs here and may wait",
                )
            )
            said = "A wait of the wrapped tool never parks the run"
            certainty: Certainty = "likely"
        else:
            said = "The wait never parks the run"
            certainty = "certain"
            links, wait = wait_chain(program.order, swallow.function, swallow.node) if swallow.node >= 0 else ((), None)
            for function, called in links[:-1] if wait is not None else links:
                name = text_of(program, called, function[0])
                steps.append(Step(place_of_call(program, function[0], called), "call", f"{name} leads to the wait"))
            if wait is not None:
                at = place_of(program, wait)
                steps.append(Step(at, "wait", "the wait"))
                said = f"The wait at {wait.path}:{at.line} never parks the run"
        return self.finding(
            place,
            program.symbol(swallow.function),
            f"{said}: {_CATCHERS[swallow.catcher]} catches the exception that carries it, and the code goes on as if "
            "it had been answered. Raise `GraphBubbleUp` again before it, or catch narrower types.",
            certainty=certainty,
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(steps),
        )
