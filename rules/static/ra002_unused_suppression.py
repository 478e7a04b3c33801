"""RA002: a suppression that suppresses nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...contract import Finding, Place
from ..base import StaticRule

if TYPE_CHECKING:
    from ...analyzer.program import Program


class UnusedSuppression(StaticRule):
    """A suppressing comment that no finding meets."""

    id = "RA002"
    name = "unused-suppression"
    level = "note"
    precision = "high"
    summary = "A suppression that no finding meets"
    what = (
        "Reports a comment `# resume-audit: ignore[...]`, or one selector in its brackets, that met no "
        "finding on its line (or, standing on a def line, in that function), and a comment with a slip in "
        "it, such as `ignore [RA101]` or `ignore[RA101`, which suppresses nothing."
    )
    why = (
        "A comment that silences nothing today silences the next hazard written on that line, and says "
        "that something is wrong where nothing is."
    )
    limits = ("Silent for a selector whose rules did not all run in this audit (`--select`, `--ignore`, a fault).",)
    bad = """\
from langgraph.types import interrupt


def approve(state):
    return {"answer": interrupt("ok?")}  # resume-audit: ignore[RA101] the pager drops repeats
"""
    good = """\
from langgraph.types import interrupt


def approve(state):
    return {"answer": interrupt("ok?")}
"""
    fix = "Remove the comment, or the selector that meets nothing. It may have been meant for another line."

    def check(self, program: Program) -> Iterable[Finding]:
        """Nothing: these are found where suppressions are matched with findings."""
        return ()

    def report(self, place: Place, unused: tuple[str, ...], unknown: tuple[str, ...], whole: bool) -> Finding:
        """The finding for a comment at ``place``.

        ``unused`` are its selectors that met no finding, ``unknown`` those that name no rule;
        ``whole``: nothing of the comment is of use.
        """
        said = []
        if unused:
            said.append(f"no finding of {_listed(unused)} here")
        if unknown:
            said.append(f"no rule called {_listed(unknown)}")
        if not said:
            said.append("no finding here")
        drop = "the comment" if whole else _listed((*unused, *unknown))
        return self.finding(
            place,
            "",
            "The next hazard on this line will go unseen: the suppression meets nothing today "
            f"({', '.join(said)}). Remove {drop}.",
        )

    def report_unreadable(self, place: Place) -> Finding:
        """The finding for a comment at ``place`` that has a slip in it."""
        return self.finding(
            place,
            "",
            "This comment suppresses nothing, because it cannot be read: the rules stand in brackets right behind "
            "`ignore`, the reason behind them. Write `# resume-audit: ignore[RA101] reason`.",
        )


def _listed(selectors: tuple[str, ...]) -> str:
    return ", ".join(selectors)
