"""Effects that Python's audit events tell, where no function that is watched saw one: off unless asked for.

An audit hook cannot be removed; after ``stop`` it returns at once. An event is raised before the operation, and
nothing tells how that ended: the outcome is ``unknown``.
"""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType
from typing import Any

from ..analyzer.knowledge import audit_events
from ..analyzer.knowledge.audit_events import AuditEvent
from .effect_calls import QUIET, Judged, by_name
from .effect_record import Effects

_IMPORTING = ("<frozen importlib", "<frozen zipimport")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_effects: list[Effects] = []
_installed: list[bool] = []
_inside = threading.local()


def start(effects: Effects) -> None:
    """Take audit events from now on."""
    known = audit_events.load()
    _effects[:] = [effects]
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_hook(known))


def stop() -> None:
    """Take none any more."""
    _effects.clear()


def is_on() -> bool:
    """Whether events are taken."""
    return bool(_effects)


def _hook(known: dict[str, AuditEvent]) -> Any:
    def heard(event: str, arguments: tuple[Any, ...]) -> None:
        if not _effects or event not in known or getattr(_inside, "busy", False):
            return
        try:
            frame = sys._getframe(1)
        except ValueError:  # the interpreter itself, as it starts and ends
            return
        _inside.busy = True
        effects = _effects[0]
        try:
            _heard(effects, known[event], arguments, frame)
        except Exception as error:  # noqa: BLE001 - an error here would forbid the operation
            effects.recorder.fault(f"audit event {event}", error)
        finally:
            _inside.busy = False

    return heard


def _heard(effects: Effects, event: AuditEvent, arguments: tuple[Any, ...], frame: FrameType) -> None:
    given = [arguments[each] for each in event.given if each < len(arguments)]
    if event.name == "builtins.open" and given[1] is None and len(arguments) > 2:
        given[1] = _mode(arguments[2])
    if event.kind:
        judged: Judged | None = Judged(event.name, event.kind, False, given)
    else:
        judged = by_name(event.name, given, given)
    if judged is None or judged is QUIET or _imports(frame):
        return
    cause = effects.cause(frame, itself=True)
    if cause.quiet or cause.within is not None:
        return
    effects.end(effects.write(judged, cause), "unknown")


def _mode(flags: Any) -> str:
    """The mode of ``open`` that flags of ``os.open`` come to."""
    if not isinstance(flags, int) or not flags & _WRITES:
        return "r"
    return "a" if flags & os.O_APPEND else "x" if flags & os.O_EXCL else "w"


def _imports(frame: FrameType | None) -> bool:
    """Whether the import of a module does it: it writes what it compiled."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False
