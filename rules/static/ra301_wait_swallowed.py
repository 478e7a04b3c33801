"""RA301: the exception that parks the run is caught on its way out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.chains import wait_chain
from ...analyzer.modules import is_test
from ...contract import Certainty, Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, place_of, place_of_call
from ..handlers import Outcome, handler_of, is_for_the_wait, outcome
from ..names import at, text_of

if TYPE_CHECKING:
    from ...analyzer.program import Program
    from ...analyzer.suspension import Swallow

_CATCHERS: dict[Outcome, str] = {
    "goes on": "this handler",
    "fails": "this handler",
    "next round": "this handler",
    "finally": "the `return` in `finally`",
    "suppressed": "`contextlib.suppress`",
    "manager": "this context manager",
    "retried": "the retry decorator",
    "gathered": "`gather(..., return_exceptions=True)`",
}
_INSTEAD: dict[Outcome, str] = {
    "goes on": "this handler takes the exception that carries it, and the code goes on as if {done}",
    "fails": "this handler takes the exception that carries it and raises another: the run fails instead of asking",
    "next round": "this handler takes the exception that carries it, and the loop goes on with its next round",
    "finally": "the `return` in `finally` drops the exception that carries it, and the code goes on as if {done}",
    "suppressed": "`contextlib.suppress` drops the exception that carries it, and the code goes on as if {done}",
    "manager": "the context manager's exit drops the exception that carries it, and the code goes on as if {done}",
    "retried": "the retry decorator takes it for a failure and calls the function again instead of asking",
    "gathered": "`gather(..., return_exceptions=True)` hands back the exception that carries it, and the code goes on "
    "as if {done}",
}
_ADVICE: dict[Outcome, str] = {
    "finally": "Take the `return` out of `finally`.",
    "suppressed": "Suppress narrower types, or move the wait out of the block.",
    "manager": "Let its exit return false for `GraphBubbleUp`.",
    "retried": "Retry on the exceptions you expect only, not on `GraphBubbleUp`.",
    "gathered": "Leave `return_exceptions` out, or raise a `GraphBubbleUp` among the results again.",
}
_IN_FRONT = "Put `except GraphBubbleUp: raise` in front of it, or catch narrower types."
_AGAIN = "Raise it again."


class WaitSwallowed(StaticRule):
    """A durable wait inside something broad enough to catch its control-flow exception."""

    id = "RA301"
    name = "wait-swallowed"
    properties = ("LV", "CO")
    level = "error"
    precision = "high"
    summary = "A wait inside a handler that catches the exception by which it parks the run"
    what = (
        "Reports what takes the exception of a durable wait, directly or through calls, and does not raise it again as "
        "it came: a handler (bare `except`, `except Exception`, `BaseException`, `GraphBubbleUp`, `GraphInterrupt`), "
        "`contextlib.suppress`, a context manager whose exit says true, a `return` in `finally`, a retry decorator, a "
        "wrapper around the running of tools."
    )
    why = (
        "`interrupt()` parks the run by raising `GraphInterrupt`, which is an `Exception`. A handler that takes it "
        "keeps the run going: nobody is asked, and what the answer was to permit happens without it. Where it raises "
        "another error, or a decorator tries again, the run ends in that error instead (measured on langgraph 1.0.5 "
        "to 1.2.24)."
    )
    limits = (
        "A handler that raises again only under a condition counts as catching.",
        "An `isinstance` test for the exception of the wait is understood; other tests are not.",
        "Handlers around a run of a whole graph outside a node are quiet: there a wait is returned, not raised.",
        "Around tool calls it is a note where the project has tools, and none of them waits.",
        "In tests only what a graph of theirs runs is looked at: a test may catch the exception to look at it.",
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
            if (path, swallow.line) in seen or (is_test(path) and swallow.function not in program.order.in_unit):
                continue
            seen.add((path, swallow.line))
            yield self._finding(program, swallow)

    def _finding(self, program: Program, swallow: Swallow) -> Finding:
        path = swallow.function[0]
        line = program.text_line(path, swallow.line)
        end = len(line.encode())
        place = program.place(path, swallow.line, swallow.column, swallow.line, end)
        what = outcome(program, swallow)
        steps = [Step(place, "event", f"{_CATCHERS[what]} takes what the wait raises")]
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
                where = place_of(program, wait)
                steps.append(Step(where, "wait", "the wait"))
                said = f"The wait at {at(where, path)} never parks the run"
        done = "the tool had failed or answered" if swallow.hook else "it had been answered"
        named = is_for_the_wait(program, handler_of(program, swallow))
        advice = _ADVICE.get(what, _AGAIN if named else _IN_FRONT)
        return self.finding(
            place,
            program.symbol(swallow.function),
            f"{said}: {_INSTEAD[what].format(done=done)}. {advice}",
            level="note" if swallow.hook and _tools_never_wait(program) else None,
            certainty=certainty,
            framework=FRAMEWORK,
            framework_version=program.version(path, FRAMEWORK),
            flow=tuple(steps),
        )


def _tools_never_wait(program: Program) -> bool:
    """Whether the tools of the project are known, and none of them waits."""
    tools = [unit.function for unit in program.registry.units if unit.kind == "tool" and not is_test(unit.function[0])]
    reach = program.order.reach
    return bool(tools) and not any(function in reach and reach[function].waits for function in tools)
