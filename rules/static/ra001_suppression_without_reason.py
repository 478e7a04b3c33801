"""RA001: a suppression that does not say why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...contract import Finding, Place
from ..base import StaticRule

if TYPE_CHECKING:
    from ...analyzer.program import Program


class SuppressionWithoutReason(StaticRule):
    """A suppressing comment without a reason."""

    id = "RA001"
    name = "suppression-without-reason"
    level = "note"
    precision = "high"
    summary = "A suppression that does not say why"
    what = "Reports a comment `# resume-audit: ignore[...]` with nothing after the bracket."
    why = (
        "A suppressed hazard is still there: somebody decided that it cannot do harm. Without the reason "
        "nobody can tell later whether that still holds, and the next change of the code keeps it silent."
    )
    limits = ("Whether the reason is a good one is for people to judge.",)
    bad = """\
import requests
from langgraph.types import interrupt


def approve(state):
    requests.post("https://pager.example/alerts", json=state)  # resume-audit: ignore[RA101]
    return {"answer": interrupt("ok?")}
"""
    good = """\
import requests
from langgraph.types import interrupt


def approve(state):
    requests.post("https://pager.example/alerts", json=state)  # resume-audit: ignore[RA101] drops repeats
    return {"answer": interrupt("ok?")}
"""
    fix = "Write after the bracket why the hazard cannot do harm here, or remove the comment and the hazard."

    def check(self, program: Program) -> Iterable[Finding]:
        """Nothing: these are found where suppressions are matched with findings."""
        return ()

    def report(self, place: Place, selectors: tuple[str, ...]) -> Finding:
        """The finding for a comment at ``place`` that suppresses ``selectors`` (none: everything)."""
        written = f"ignore[{', '.join(selectors)}]" if selectors else "ignore"
        return self.finding(
            place,
            "",
            "Nobody can tell later whether this suppression still holds, because it gives no reason. "
            f"Say why the hazard cannot do harm here: `# resume-audit: {written} reason`.",
        )
