"""What stands above an effect: the user's line that caused it, the effect it runs inside, the task it belongs to.

Work that is handed to a thread or a task of asyncio has nothing above it there: where it was handed over is
remembered, and taken for what stands above.
"""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from ..analyzer.knowledge import callers
from .places import owner

_FARTHEST = 400
"""Frames that are looked at, up from an effect."""

_RUNNERS = ("run_with_retry", "arun_with_retry")
_MOST_HANDED = 10_000

Open = Mapping[int, tuple[CodeType, str | None]]
"""Effects that run, by the id of their frame; None: what it calls is no effect."""


@dataclass(frozen=True, slots=True)
class Cause:
    """``configuration`` is that of the task, None outside of one. ``quiet``: what happens here is no effect."""

    within: str | None = None
    path: str | None = None
    line: int | None = None
    configuration: Any = None
    quiet: bool = False


_QUIET = Cause(quiet=True)


class Handed:
    """Work handed to other threads and tasks, and by whom."""

    def __init__(self) -> None:
        self._threads: dict[int, tuple[Any, Cause]] = {}
        self._coroutines: dict[int, tuple[Any, Cause]] = {}
        self._items: OrderedDict[int, tuple[Any, Cause]] = OrderedDict()

    def thread(self, thread: Any, cause: Cause) -> None:
        """A thread that is about to start."""
        self._threads[id(thread)] = (weakref.ref(thread, _forget(self._threads, id(thread))), cause)

    def coroutine(self, coroutine: Any, cause: Cause) -> None:
        """A coroutine that becomes a task."""
        here = id(coroutine.cr_frame)
        self._coroutines[here] = (weakref.ref(coroutine, _forget(self._coroutines, here)), cause)

    def item(self, keywords: Any, cause: Cause) -> None:
        """A call handed to an executor, known by the dict of its keyword arguments."""
        self._items[id(keywords)] = (keywords, cause)
        if len(self._items) > _MOST_HANDED:
            self._items.popitem(last=False)

    def item_done(self, keywords: Any) -> None:
        """The executor ran it."""
        self._items.pop(id(keywords), None)

    def to(self, frame: FrameType, below: FrameType) -> Cause | None:
        """Who handed over what runs here; None where the frame is no place that things are handed to."""
        code = frame.f_code
        name = code.co_qualname
        if name == "_WorkItem.run":
            own = frame.f_locals.get("self")
            known = self._items.get(id(getattr(own, "kwargs", None)))
            return known[1] if known is not None else Cause()
        if name == "Thread._bootstrap_inner":
            own = frame.f_locals.get("self")
            known = self._threads.get(id(own))
            return known[1] if known is not None and known[0]() is own else Cause()
        if name == "Handle._run":
            known = self._coroutines.get(id(below))
            alive = known[0]() if known is not None else None
            return known[1] if known is not None and getattr(alive, "cr_frame", None) is below else Cause()
        return None


def _forget(known: dict[int, Any], here: int) -> Any:
    return lambda _: known.pop(here, None)


def cause_of(frame: FrameType, open_: Open, handed: Handed, *, itself: bool = False) -> Cause:
    """What stands above a frame. ``itself``: the frame may be the cause, as of a call into C."""
    known = callers.load()
    above, below, far = frame if itself else frame.f_back, frame, 0
    within: str | None = None
    path: str | None = None
    line: int | None = None
    configuration = _current()
    handed_by = Cause()
    greenlets = _outer_greenlets()
    while far < _FARTHEST:
        above = above or next(greenlets, None)
        if above is None:
            break
        code = above.f_code
        running = open_.get(id(above))
        if running is not None and running[0] is code:
            if running[1] is None and path is None:
                return _QUIET
            within = within or running[1]
        whose = owner(code.co_filename)
        if whose == "tracer":
            return _QUIET
        if whose == "carrier" or (whose == "quiet" and path is None):
            return _QUIET
        if code.co_name in known.keepers and _derives(above, known.keepers[code.co_name]):
            return _QUIET
        if whose == "user" and path is None:
            path, line = code.co_filename, above.f_lineno
        elif whose == "library":
            if code.co_name in _RUNNERS and "langgraph" in code.co_filename:
                configuration = configuration or _of_runner(above)
                break
            found = handed.to(above, below)
            if found is not None:
                handed_by = found
                break
        below, above, far = above, above.f_back, far + 1
    if handed_by.quiet:
        return _QUIET
    if path is None:
        path, line = handed_by.path, handed_by.line
    return Cause(within or handed_by.within, path, line, configuration or handed_by.configuration)


def _derives(frame: FrameType, bases: frozenset[str]) -> bool:
    code = frame.f_code
    if not code.co_argcount:
        return False
    own = type(frame.f_locals.get(code.co_varnames[0]))
    return any(base.__name__ in bases for base in own.__mro__)


def _outer_greenlets() -> Iterator[FrameType]:
    """Where the greenlets stand that this one was switched to from: SQLAlchemy runs its synchronous half in one."""
    current = getattr(sys.modules.get("greenlet"), "getcurrent", None)
    outer = current().parent if current is not None else None
    while outer is not None:
        if isinstance(outer.gr_frame, FrameType):
            yield outer.gr_frame
        outer = outer.parent


def _current() -> Any:
    """The configuration of the task that runs here, from langchain's context variable."""
    config = sys.modules.get("langchain_core.runnables.config")
    variable = getattr(config, "var_child_runnable_config", None)
    current = variable.get() if variable is not None else None
    if isinstance(current, dict) and isinstance(current.get("configurable"), dict):
        return current["configurable"]
    return None


def _of_runner(frame: FrameType) -> Any:
    config = getattr(frame.f_locals.get("task"), "config", None)
    return config.get("configurable") if isinstance(config, dict) else None
