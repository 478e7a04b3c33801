"""What a rule is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Literal

from ..contract import Certainty, Finding, Fix, Level, Place, Property, Step
from .names import plain_symbol

if TYPE_CHECKING:
    from ..analyzer.program import Program

Precision = Literal["high", "medium", "low"]
"""How often a finding is true: ``high`` about always, ``low`` less than every second time."""


class StaticRule:
    """One rule over the program model, with the words of its page.

    ``id`` is public and never used again for something else. ``level`` is the level a certain
    finding has where the rule does not choose another. ``bad`` and ``good`` are whole modules:
    the rule reports the first and is quiet on the second.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    properties: ClassVar[tuple[Property, ...]] = ()
    level: ClassVar[Level] = "warning"
    precision: ClassVar[Precision] = "high"
    summary: ClassVar[str]
    """One line without a full stop: the catalogue's row."""
    what: ClassVar[str]
    why: ClassVar[str]
    limits: ClassVar[tuple[str, ...]] = ()
    bad: ClassVar[str]
    good: ClassVar[str]
    fix: ClassVar[str]
    """What to do. Its first sentence is the help line under a finding."""

    def check(self, program: Program) -> Iterable[Finding]:
        """Every place where the hazard stands, in any order."""
        raise NotImplementedError

    def finding(
        self,
        place: Place,
        symbol: str,
        message: str,
        *,
        level: Level | None = None,
        certainty: Certainty = "certain",
        framework: str | None = None,
        framework_version: str | None = None,
        flow: tuple[Step, ...] = (),
        fixes: tuple[Fix, ...] = (),
        also: tuple[str, ...] = (),
        codes: tuple[str, ...] = (),
    ) -> Finding:
        """A finding of this rule.

        ``level`` is what it would be if certain (default: the rule's); what is left to say about a
        finding (fingerprint, suppression, a level lowered by its certainty) is said later, in one place.
        """
        return Finding(
            rule=self.id,
            name=self.name,
            properties=self.properties,
            level=level or self.level,
            place=place,
            symbol=plain_symbol(symbol),
            message=message,
            certainty=certainty,
            framework=framework,
            framework_version=framework_version,
            flow=flow,
            fixes=fixes,
            also=also,
            codes=codes,
        )
