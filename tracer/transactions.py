"""SQL counts at commit: statements wait here until their transaction ends.

A statement inside a transaction has no ``effect.end`` while the transaction is open. At commit it ends ``ok``; at
rollback, or when the connection is closed, it ends ``failed`` with ``rolled_back`` true: it did not happen. A commit
that fails leaves it ``unknown``. Outside of transactions, and under autocommit, it ends when the call returns.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_MOST = 20_000
"""Statements of one transaction that are remembered; the first beyond it stay undecided."""

_ENDS = re.compile(
    r"\s*(?:(?P<commit>COMMIT|END)\b(?!\s+PREPARED)|(?P<back>ROLLBACK|ABORT)\b(?!\s+PREPARED)(?:\s+(?:WORK|TRANSACTION))?"
    r"(?:\s+TO\s+(?:SAVEPOINT\s+)?(?P<to>[\w\"`\[\]{}.-]+))?|SAVEPOINT\s+(?P<mark>[\w\"`\[\]{}.-]+))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A savepoint."""

    name: str


@dataclass(slots=True)
class _Open:
    """What was executed on one connection since its transaction began."""

    is_same: Callable[[Any], bool]
    done: list[Any] = field(default_factory=list)


class Transactions:
    """The open transactions. ``decide`` is told of a statement how it ended: its state, the outcome, rolled back."""

    def __init__(self, decide: Callable[[Any, str, bool], None]) -> None:
        self._decide = decide
        self._open: dict[int, _Open] = {}

    def add(self, connection: Any, state: Any) -> None:
        """A statement was executed."""
        done = self._of(connection).done
        if len(done) < _MOST:
            done.append(state)

    def text(self, connection: Any, statement: str) -> None:
        """A statement that may end a transaction, or a part of one, was executed."""
        for each in statement.split(";"):
            found = _ENDS.match(each)
            if found is None:
                continue
            if found["commit"]:
                self.end(connection, "commit")
            elif found["mark"]:
                self._of(connection).done.append(_Mark(found["mark"]))
            elif found["to"]:
                self._back_to(connection, found["to"])
            else:
                self.end(connection, "rollback")

    def end(self, connection: Any, how: str) -> None:
        """A transaction ended: ``commit``, ``rollback``, or ``unknown``."""
        known = self._open.pop(id(connection), None)
        if known is None or not known.is_same(connection):
            return
        outcome = {"commit": "ok", "rollback": "failed"}.get(how, "unknown")
        for state in known.done:
            if not isinstance(state, _Mark):
                self._decide(state, outcome, how == "rollback")

    def has(self, connection: Any) -> bool:
        """Whether statements wait for the end of a transaction."""
        known = self._open.get(id(connection))
        return known is not None and known.is_same(connection) and bool(known.done)

    def forget(self) -> None:
        """In a child made by fork: the parent's transactions are the parent's."""
        self._open.clear()

    def _back_to(self, connection: Any, name: str) -> None:
        done = self._of(connection).done
        at = next((n for n in range(len(done) - 1, -1, -1) if done[n] == _Mark(name)), None)
        if at is None:
            return
        undone = done[at + 1 :]
        del done[at + 1 :]
        for state in undone:
            if not isinstance(state, _Mark):
                self._decide(state, "failed", True)

    def _of(self, connection: Any) -> _Open:
        here = id(connection)
        known = self._open.get(here)
        if known is None or not known.is_same(connection):
            known = self._open[here] = _Open(_same(connection))
        return known


def _same(connection: Any) -> Callable[[Any], bool]:
    """Tells whether it is the same connection still: an id is given again."""
    try:
        kept = weakref.ref(connection)
    except TypeError:
        return lambda other: True
    return lambda other: kept() is other
