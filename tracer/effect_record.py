"""Writes effects down: before the call goes on, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from .causes import Cause, Handed, cause_of
from .effect_calls import QUIET, Judged
from .recorder import Recorder
from .transactions import Transactions

TaskOf = Callable[[Any], tuple[str, dict[str, Any]] | None]
"""A configuration to what is known of its task: its id, and the keys that its events have."""

_SQL = ("sql", "orm")
_OUTSIDE = {"framework": None, "run": None}


class Effect:
    """An effect that was written and has not ended."""

    __slots__ = ("common", "connection", "id", "is_sql", "name", "task", "within")

    def __init__(self, made: str, judged: Judged, task: str | None, common: dict[str, Any], within: str | None) -> None:
        self.id = made
        self.name = judged.name
        self.is_sql = judged.kind in _SQL
        self.task = task
        self.common = common
        self.within = within
        self.connection: Any = None
        """Where something that ran inside it waits for a commit."""


class Effects:
    """The effects of this process: those that run, those that wait for a commit."""

    def __init__(self, recorder: Recorder, task_of: TaskOf) -> None:
        self.recorder = recorder
        self.handed = Handed()
        self.transactions = Transactions(self._decided)
        self._task_of = task_of
        self._open: dict[int, tuple[CodeType, str | None]] = {}
        self._by_id: dict[str, Effect] = {}

    def cause(self, frame: FrameType, *, itself: bool = False) -> Cause:
        """What stands above a frame, or what it is the cause of itself."""
        return cause_of(frame, self._open, self.handed, itself=itself)

    def has_open(self) -> bool:
        """Whether any effect runs."""
        return bool(self._open)

    def begin(self, frame: FrameType, judged: Judged) -> Effect | None:
        """An effect is about to happen: the frame is the call's. None where it turns out to be none."""
        if judged is QUIET:
            self._open[id(frame)] = (frame.f_code, None)
            return None
        cause = self.cause(frame)
        if cause.quiet:
            return None
        effect = self.write(judged, cause)
        self._open[id(frame)] = (frame.f_code, effect.id)
        self._by_id[effect.id] = effect
        return effect

    def write(self, judged: Judged, cause: Cause, kind: str = "effect") -> Effect:
        """Write the event."""
        found = self._task_of(cause.configuration) if cause.configuration is not None else None
        task, common = found if found is not None else (None, _OUTSIDE)
        made = self.recorder.new_id("e")
        digest = self.recorder.digest
        once = {} if judged.once is None else {"once": judged.once}
        self.recorder.emit(
            kind,
            **common,
            effect=made,
            name=judged.name,
            effect_kind=judged.kind,
            task=task,
            within=cause.within,
            digest=digest(judged.arguments),
            key=digest(judged.key[0] if len(judged.key) == 1 else list(judged.key)) if judged.key else None,
            idempotent=judged.idempotent,
            path=cause.path,
            line=cause.line,
            **once,
        )
        return Effect(made, judged, task, common, cause.within)

    def leave(self, frame: FrameType) -> None:
        """The call is over."""
        known = self._open.pop(id(frame), None)
        if known is not None and known[1] is not None:
            self._by_id.pop(known[1], None)

    def wait(self, effect: Effect, connection: Any) -> None:
        """It counts when the connection's transaction ends; so does what it ran inside, if that is SQL, too."""
        self.transactions.add(connection, effect)
        outer = self._by_id.get(effect.within or "")
        if outer is not None and outer.is_sql:
            outer.connection = connection

    def done(self, effect: Effect | None) -> None:
        """The call returned."""
        if effect is not None and effect.connection is not None and self.transactions.has(effect.connection):
            self.wait(effect, effect.connection)
        else:
            self.end(effect, "ok")

    def end(self, effect: Effect | None, outcome: str, error: BaseException | None = None, **more: Any) -> None:
        """Write how it ended."""
        if effect is not None:
            self.recorder.emit(
                "effect.end",
                **effect.common,
                effect=effect.id,
                task=effect.task,
                name=effect.name,
                outcome=outcome,
                error=type(error).__name__ if error is not None else None,
                **more,
            )

    def _decided(self, effect: Effect, outcome: str, rolled_back: bool) -> None:
        self.end(effect, outcome, None, **({"rolled_back": True} if rolled_back else {}))
