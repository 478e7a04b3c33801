"""The core over ``sys.settrace``: for Python 3.11, and on request.

A coroutine or generator is told of once: the local trace function stays with its frame over every suspension.
Whether a frame was left by returning, by suspending or by an exception is read from the instruction it stands at.
"""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import Any

from ..hooks import Hook, Watched
from .protocol import CannotAttach, Told

_RETURNS = frozenset(dis.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in dis.opmap)
_YIELD = dis.opmap["YIELD_VALUE"]
_RESUME = dis.opmap["RESUME"]
_GENERATOR = 0x20 | 0x80 | 0x200
"""CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR."""

Trace = Callable[[FrameType, str, Any], Any]


class Settrace:
    """Traces the calling thread and the threads that start afterwards."""

    name = "settrace"

    def __init__(self) -> None:
        self._trace: Trace | None = None
        self._off = False

    def install(self, watched: Watched, told: Told) -> None:
        """Begin. Raises CannotAttach where a debugger, coverage or another tracer traces already."""
        if sys.gettrace() is not None or threading.gettrace() is not None:
            raise CannotAttach(
                "another trace function is installed (a debugger, coverage); on Python 3.12 or later use the "
                "monitoring core, which lives beside it"
            )
        self._trace = self._make(watched, told)
        threading.settrace(self._trace)
        sys.settrace(self._trace)

    def remove(self) -> None:
        """End. Threads that run on stop at their next call."""
        self._off = True
        if self._trace is not None:
            if sys.gettrace() is self._trace:
                sys.settrace(None)
            if threading.gettrace() is self._trace:
                threading.settrace(None)

    def is_installed(self) -> bool:
        """Whether this thread's trace function is still ours."""
        return self._trace is not None and sys.gettrace() is self._trace

    def _make(self, watched: Watched, told: Told) -> Trace:
        names = watched.names
        find = watched.find
        misses = watched.misses

        def trace(frame: FrameType, event: str, arg: Any) -> Any:
            code = frame.f_code
            if code.co_name not in names or id(code) in misses:
                return None
            local = frame.f_trace
            if type(local) is _Call:  # resumed
                return local
            hook = None if self._off else find(frame)
            if hook is None or not _is_start(frame):
                return None
            frame.f_trace_lines = False
            return _Call(hook, told, told.started(hook, frame))

        return trace


class _Call:
    """The local trace function of one call."""

    __slots__ = ("error", "hook", "leaving", "state", "told", "traceback")

    def __init__(self, hook: Hook, told: Told, state: Any) -> None:
        self.hook = hook
        self.told = told
        self.state = state
        self.error: BaseException | None = None
        self.traceback: TracebackType | None = None
        self.leaving = False

    def __call__(self, frame: FrameType, event: str, arg: Any) -> _Call | None:
        if event == "exception":
            self.error = arg[1] if isinstance(arg[1], BaseException) else None
            self.traceback = arg[2]
            self.leaving = True
            frame.f_trace_lines = True  # a line that follows tells that something caught it
        elif event == "line":
            self.leaving = False
            frame.f_trace_lines = False
        elif event == "return":
            if _instruction(frame)[0] in _RETURNS:
                self.told.ended(self.hook, frame, self.state, arg)
                return None
            if not _suspends(frame) or (self.leaving and _ends_here(frame, self.traceback)):
                self.told.raised(self.hook, frame, self.state, self.error)
                return None
        return self


def _ends_here(frame: FrameType, entry: TracebackType | None) -> bool:
    """Whether the exception was seen at the instruction the frame stands at: thrown in at a suspension."""
    while entry is not None:
        if entry.tb_frame is frame:
            return entry.tb_lasti == frame.f_lasti
        entry = entry.tb_next
    return False


def _instruction(frame: FrameType) -> bytes:
    """The instruction and its argument that the frame stands at."""
    at = frame.f_lasti
    return _code(frame.f_code)[at : at + 2] if at >= 0 else b"\0\0"


def _suspends(frame: FrameType) -> bool:
    """Whether the frame stands at a ``yield`` or ``await``; from 3.13 on at the RESUME behind it."""
    at, argument = _instruction(frame)
    return at == _YIELD or (at == _RESUME and argument & 3 != 0)


_codes: dict[int, tuple[CodeType, bytes]] = {}


def _code(code: CodeType) -> bytes:
    """The instructions; ``co_code`` copies them at every look."""
    known = _codes.get(id(code))
    if known is None or known[0] is not code:
        known = _codes[id(code)] = (code, code.co_code)
    return known[1]


def _is_start(frame: FrameType) -> bool:
    """Whether the body is entered first, not resumed: the RESUME instruction says which."""
    code = frame.f_code
    if not code.co_flags & _GENERATOR or frame.f_lasti < 0:
        return True
    at, argument = _instruction(frame)
    return at == _RESUME and argument & 3 == 0
