"""Looks up the frames above a hook."""

from __future__ import annotations

from types import FrameType
from typing import Any

from .data import text_id

_FARTHEST = 24
_NEAR = 8


def loading(frame: FrameType) -> Any:
    """The loop that loads its checkpoint, if it is one that does: not a look at the state, nor a second look."""
    above, far = frame.f_back, 0
    while above is not None and far < _NEAR:
        name = above.f_code.co_name
        if name in ("checkpoint_superseded", "acheckpoint_superseded"):
            return None
        if name in ("__enter__", "__aenter__") and "PregelLoop" in above.f_code.co_qualname:
            return above.f_locals.get("self")
        above, far = above.f_back, far + 1
    return None


def of_loop(frame: FrameType | None) -> Any:
    """The loop whose method runs above."""
    far = 0
    while frame is not None and far < _NEAR:
        if "PregelLoop." in frame.f_code.co_qualname:
            return frame.f_locals.get("self")
        frame, far = frame.f_back, far + 1
    return None


def is_inner(frame: FrameType) -> bool:
    """Whether a saver's method was called by the same saver's, for the same thing: through ``super()`` or by its
    other form."""
    own = frame.f_locals.get("self")
    name = frame.f_code.co_name.removeprefix("a")
    above, far = frame.f_back, 0
    while above is not None and far < _NEAR:
        if above.f_code.co_name.removeprefix("a") == name and above.f_locals.get("self") is own:
            return True
        above, far = above.f_back, far + 1
    return False


def updated(frame: FrameType) -> Any:
    """The graph whose state is being changed from outside by what runs above."""
    above, far = frame.f_back, 0
    while above is not None and far < _NEAR:
        if above.f_code.co_qualname in ("Pregel.bulk_update_state", "Pregel.abulk_update_state"):
            return above.f_locals.get("self")
        above, far = above.f_back, far + 1
    return None


def graph_name(frame: FrameType | None) -> str | None:
    far = 0
    while frame is not None and far < _FARTHEST:
        if frame.f_code.co_qualname in ("Pregel.stream", "Pregel.astream"):
            return text_id(getattr(frame.f_locals.get("self"), "name", None))
        frame, far = frame.f_back, far + 1
    return None


def given(frame: FrameType, name: str, number: int) -> Any:
    """An argument of a method that a program may have overridden: by its name, else by its place after ``self``."""
    code, found = frame.f_code, frame.f_locals
    if name in found:
        return found[name]
    at = code.co_argcount + code.co_kwonlyargcount
    rest: tuple[Any, ...] = ()
    if code.co_flags & 0x04:  # *args
        rest = found.get(code.co_varnames[at], ())
        at += 1
    if code.co_flags & 0x08:  # **kwargs
        named = found.get(code.co_varnames[at])
        if isinstance(named, dict) and name in named:
            return named[name]
    by_place = [*(found.get(each) for each in code.co_varnames[1 : code.co_argcount]), *rest]
    return by_place[number] if number < len(by_place) else None
