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
from . import kinds
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

    def to(self, place: str, frame: FrameType, below: FrameType) -> Cause:
        """Who handed over what runs below a frame of such a place."""
        if place == "task":
            known = self._coroutines.get(id(below))
            alive = known[0]() if known is not None else None
            return known[1] if known is not None and getattr(alive, "cr_frame", None) is below else Cause()
        own = frame.f_locals.get("self")
        if place == "item":
            known = self._items.get(id(getattr(own, "kwargs", None)))
            return known[1] if known is not None else Cause()
        known = self._threads.get(id(own))
        return known[1] if known is not None and known[0]() is own else Cause()


_PLACES = {"_WorkItem.run": "item", "Thread._bootstrap_inner": "thread", "Handle._run": "task"}


@dataclass(frozen=True, slots=True)
class _Stands:
    """What is known of a function that stands above an effect: whose it is, the bases that would make it a keeper's
    method, and ``runner`` or the place that things are handed to."""

    code: CodeType
    whose: str
    bases: frozenset[str]
    place: str


_stands: dict[int, _Stands] = {}
_MOST_CODE = 50_000


def _look(code: CodeType) -> _Stands:
    whose = owner(code.co_filename)
    place = ""
    if whose == "library":
        runs = code.co_name in _RUNNERS and "langgraph" in code.co_filename
        place = "runner" if runs else _PLACES.get(code.co_qualname, "")
    found = _Stands(code, whose, callers.load().keepers.get(code.co_name, frozenset()), place)
    if len(_stands) < _MOST_CODE:
        _stands[id(code)] = found
    return found


def _forget(known: dict[int, Any], here: int) -> Any:
    return lambda _: known.pop(here, None)


def cause_of(frame: FrameType, open_: Open, handed: Handed, *, itself: bool = False) -> Cause:
    """What stands above a frame. ``itself``: the frame may be the cause, as of a call into C."""
    above, below, far = frame if itself else frame.f_back, frame, 0
    within: str | None = None
    path: str | None = None
    line: int | None = None
    configuration = _current()
    handed_by = Cause()
    greenlets: Iterator[FrameType] | None = None
    while far < _FARTHEST:
        if above is None:
            greenlets = _outer_greenlets() if greenlets is None else greenlets
            above = next(greenlets, None)
            if above is None:
                break
        code = above.f_code
        stands = _stands.get(id(code))
        if stands is None or stands.code is not code:
            stands = _look(code)
        running = open_.get(id(above)) if open_ else None
        if running is not None and running[0] is code:
            if running[1] is None and path is None:
                return _QUIET
            within = within or running[1]
        whose = stands.whose
        if whose == "user":
            if path is None:
                path, line = code.co_filename, above.f_lineno
        elif whose != "library" and (whose != "quiet" or path is None):
            return _QUIET
        if stands.bases and _derives(above, stands.bases):
            return _QUIET
        if stands.place == "runner":
            configuration = configuration or _of_runner(above)
            break
        if stands.place:
            handed_by = handed.to(stands.place, above, below)
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
    return any(kinds.plain_name(base) in bases for base in kinds.mro(own))


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
