"""The core over ``sys.monitoring`` (Python 3.12 and later): sees threads that already run, beside other tools.

The start of every function is told once; for functions that nobody watches that is the last they cost. Returns are
told of watched code alone; unwinding cannot be asked for locally before 3.14, and costs nothing where nothing raises.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any

from ..hooks import CCalls, Hook, Watched
from .protocol import CannotAttach, Told

_TOOL = "resume-audit"
_IDS = (4, 3)
"""Of the six ids, those with no well-known holder (0 debuggers, 1 coverage, 2 profilers, 5 optimizers)."""


class Monitoring:
    """Watches the whole process."""

    name = "monitoring"

    def __init__(self) -> None:
        self._id = -1
        self._calls: CCalls | None = None
        self._armed: dict[int, CodeType] = {}
        self._open: dict[int, tuple[CodeType, Hook, Any]] = {}

    def install(self, watched: Watched, told: Told) -> None:
        """Begin. Raises CannotAttach where no tool id is free."""
        monitoring = _monitoring()
        free = next((each for each in _IDS if monitoring.get_tool(each) is None), None)
        if free is None:
            held = ", ".join(str(monitoring.get_tool(each)) for each in _IDS)
            raise CannotAttach(f"no sys.monitoring tool id is free (held by {held})")
        monitoring.use_tool_id(free, _TOOL)
        self._id = free
        events = monitoring.events
        names = watched.names
        calls = watched.c_calls
        if calls is not None:
            calls.install(monitoring, free)
        self._calls = calls
        disable = monitoring.DISABLE
        started = self._open

        def on_start(code: CodeType, offset: int) -> Any:
            if calls is not None:
                calls.look(code)
            if code.co_name not in names:
                return disable
            frame = sys._getframe(1)
            hook = watched.find(frame)
            if hook is None:
                return disable if watched.is_final(code) else None
            if id(code) not in self._armed:
                self._armed[id(code)] = code
                local = monitoring.get_local_events(free, code)
                monitoring.set_local_events(free, code, local | events.PY_RETURN)
            started[id(frame)] = (code, hook, told.started(hook, frame))
            return None

        def on_return(code: CodeType, offset: int, result: object) -> Any:
            frame = sys._getframe(1)
            found = self._close(frame, code)
            if found is not None:
                told.ended(found[0], frame, found[1], result)
            return None

        def on_unwind(code: CodeType, offset: int, error: BaseException) -> Any:
            if id(code) in self._armed:
                frame = sys._getframe(1)
                found = self._close(frame, code)
                if found is not None:
                    told.raised(found[0], frame, found[1], error)
            return None

        monitoring.register_callback(free, events.PY_START, on_start)
        monitoring.register_callback(free, events.PY_RETURN, on_return)
        monitoring.register_callback(free, events.PY_UNWIND, on_unwind)
        monitoring.set_events(free, events.PY_START | events.PY_UNWIND)

    def _close(self, frame: FrameType, code: CodeType) -> tuple[Hook, Any] | None:
        found = self._open.pop(id(frame), None)
        return (found[1], found[2]) if found is not None and found[0] is code else None

    def remove(self) -> None:
        """End."""
        if self._id < 0:
            return
        monitoring = _monitoring()
        monitoring.set_events(self._id, 0)
        if self._calls is not None:
            self._calls.remove()
        for code in self._armed.values():
            monitoring.set_local_events(self._id, code, 0)
        for event in ("PY_START", "PY_RETURN", "PY_UNWIND"):
            monitoring.register_callback(self._id, getattr(monitoring.events, event), None)
        monitoring.free_tool_id(self._id)
        self._id = -1
        self._open.clear()

    def is_installed(self) -> bool:
        """Whether the tool id is still ours."""
        return self._id >= 0 and _monitoring().get_tool(self._id) == _TOOL


def _monitoring() -> Any:
    """``sys.monitoring``, which type checkers for Python 3.11 do not know."""
    return vars(sys)["monitoring"]
