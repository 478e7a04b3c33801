"""What is known of one call, and how its arguments decide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...contract import Certainty
from .arguments import Argument, Effect, Fresh, given_keys, joined, key_names, pick
from .sql import SqlAction, sql_action

Outcome = Literal["effect", "likely", "idempotent", "read", "none", "next"]
"""``likely``: an effect, not certain. ``next``: undecided, the next case or the rule itself says."""

_SQL: dict[SqlAction, Outcome] = {
    "insert": "effect", "increment": "effect", "upsert": "idempotent", "update": "idempotent",
    "delete": "idempotent", "ddl": "idempotent", "read": "read", "other": "none",
}  # fmt: skip
SQL_REASONS: dict[SqlAction, str] = {
    "insert": "inserts a row; repeated, it is inserted again",
    "increment": "changes a column by its own value; repeated, it is changed again",
    "upsert": "an insert that leaves an existing row alone or overwrites it",
    "update": "an update that leaves the same row when repeated",
    "delete": "a delete leaves the same rows when repeated",
    "ddl": "leaves the same tables when repeated",
}

SAME = "leaves the same when repeated"


@dataclass(frozen=True, slots=True)
class Case:
    """A decision by one argument: does its literal text match?"""

    position: int | None
    keyword: str | None
    matches: re.Pattern[str]
    then: Outcome
    otherwise: Outcome
    unknown: Outcome
    absent: Outcome
    joined: bool = False
    """All positional arguments from ``position`` on are one text: a command given word by word."""

    def decide(self, args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> Outcome:
        """The outcome for this call."""
        argument = pick(self.position, self.keyword, args, kwargs)
        if self.joined and argument is not None:
            argument = joined(args[self.position or 0 :])
        if argument is None:
            return self.absent
        text = argument.text
        if text is None:
            return self.unknown
        return self.then if self.matches.search(text) else self.otherwise


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of a call before its arguments are seen."""

    kind: str
    reason: str
    action: Literal["effect", "read", "none"] = "effect"
    idempotent: bool = False
    certainty: Certainty = "certain"
    keys: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    sql: tuple[int | None, str | None] | None = None
    fresh: Fresh | None = None
    tool: Fresh | None = None

    def apply(self, name: str, args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> Effect | None:
        """What this call does; None if it does nothing, or nothing that can be told."""
        if self.action == "none":
            return None
        reason = self.reason
        outcome: Outcome = "next"
        if self.sql is not None:
            argument = pick(*self.sql, args, kwargs)
            action = sql_action(argument.text or "") if argument else "other"
            reason, outcome = SQL_REASONS.get(action, reason), _SQL[action]
        for case in self.cases:
            if outcome != "next":
                break
            outcome = case.decide(args, kwargs)
        if outcome == "none":
            return None
        read = outcome == "read" or (outcome == "next" and self.action == "read")
        given = () if read else given_keys(self.keys, args, kwargs)
        if read:
            reason = "reads only"
        elif given:
            reason = f"is given {given[0]}, by which a repetition is known"
        elif outcome == "idempotent" and self.sql is None:
            reason = SAME
        return Effect(
            name=name,
            kind=self.kind,
            action="read" if read else "effect",
            idempotent=bool(read or given or outcome == "idempotent" or (outcome == "next" and self.idempotent)),
            certainty="likely" if outcome == "likely" else self.certainty,
            keys=key_names(self.keys),
            reason=reason,
            given=given,
            fresh=None if read else self.fresh,
        )
