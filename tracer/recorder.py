"""Turns what observers see into events of the store, and keeps the tracer's own faults from the program."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from itertools import count
from types import FrameType
from typing import Any

from .digests import Digests
from .hooks import Hook
from .store import CLOSED, Store

Declared = Mapping[str, str | None]

declared: ContextVar[Declared | None] = ContextVar("resume_audit_call", default=None)
"""What the caller said of its next call into a framework: ``intent`` and ``job``."""


class Recorder:
    """Writes events; told of calls by a core. Nothing it does raises into the program."""

    def __init__(self, store: Store, digests: Digests) -> None:
        self.store = store
        self.digests = digests
        self.faults = 0
        self._numbers = count(1)
        self._warned = False
        self._lock = threading.Lock()
        self.at_fork: list[Callable[[], None]] = [self._renew]
        """What a forked child does first: a lock may have been held by a thread that it does not have."""

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def emit(self, kind: str, **keys: Any) -> None:
        """Append an event."""
        self.store.write({"kind": kind, **keys})
        if self.store.lost and self.store.lost != CLOSED:  # calls may end after the tracer was detached
            self.warn(f"recording stopped: {self.store.lost}")

    def new_id(self, letter: str) -> str:
        """An id that this process gives once."""
        return f"{letter}{next(self._numbers)}"

    def digest(self, value: object) -> str | None:
        """The digest of a value; None where it is unknown."""
        return self.digests.of(value)

    def warn(self, text: str) -> None:
        """Say once, on standard error, that the trace is not complete."""
        with self._lock:
            if self._warned:
                return
            self._warned = True
        say(text)

    # what a core tells

    def started(self, hook: Hook, frame: FrameType) -> Any:
        """A watched call begins."""
        try:
            return hook.observer.started(hook.event, frame)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong here is no business of the program
            self.fault(hook.event, error)
            return None

    def ended(self, hook: Hook, frame: FrameType, state: Any, result: Any) -> None:
        """A watched call returned."""
        try:
            hook.observer.ended(hook.event, frame, state, result)
        except Exception as error:  # noqa: BLE001 - as above
            self.fault(hook.event, error)

    def raised(self, hook: Hook, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """A watched call was left by an exception."""
        try:
            hook.observer.raised(hook.event, frame, state, error)
        except Exception as fault:  # noqa: BLE001 - as above
            self.fault(hook.event, fault)

    def fault(self, where: str, error: Exception) -> None:
        """Note a fault of the tracer itself: the trace says that it is incomplete, the program goes on."""
        self.faults += 1
        if self.faults == 1:
            detail = f"{where}: {type(error).__name__}"
            self.store.write({"kind": "trace.gap", "reason": "tracer fault", "since": time.time_ns(), "detail": detail})
            self.warn(
                f"the tracer failed at {detail}; what it missed is marked in the trace, the program is not touched"
            )


def say(text: str) -> None:
    """One line on standard error, if there is one."""
    with suppress(Exception):  # closed, None under pythonw, or the program's own object
        print(f"resume-audit: {text}", file=sys.stderr, flush=True)
