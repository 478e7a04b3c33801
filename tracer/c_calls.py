"""Calls into C from the program's own code: sqlite3, by the CALL events of ``sys.monitoring``.

Such a call has no frame. Its receiver is told; its arguments are read from the instructions before it, as far as
they are names, constants and displays of them. A statement that cannot be read is judged by whether it changed rows.
A ``with connection:`` block left by an exception makes no CALL event: its statements end ``unknown``.
"""

from __future__ import annotations

import dis
import sys
from types import BuiltinMethodType, CodeType, FrameType, MethodDescriptorType
from typing import Any

from ..analyzer.knowledge import effect_frames
from ..analyzer.knowledge.effect_frames import CCalls as Known
from . import kinds
from .effect_calls import QUIET, by_name
from .effect_record import Effects
from .places import owner

UNSEEN = ...
"""An argument that could not be read; no digest is made of it."""

_SIMPLE = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_FAST_BORROW"}
_PASSED = {"CACHE", "NOP", "EXTENDED_ARG", "PRECALL", "KW_NAMES", "RESUME"}
_BUILT = {"BUILD_TUPLE", "BUILD_LIST", "BUILD_STRING", "BUILD_MAP"}


class CCalls:
    """Watches the program's own code objects that name a method of interest."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects
        self._known = effect_frames.c_calls()
        self._names = frozenset().union(*(each.names for each in self._known))
        self._armed: dict[int, CodeType] = {}
        self._running: dict[int, tuple[Known, str, Any, Any, Any]] = {}
        self._monitoring: Any = None
        self._tool = -1

    def install(self, monitoring: Any, tool: int) -> None:
        """Begin, under a tool's id."""
        self._monitoring, self._tool = monitoring, tool
        events = monitoring.events
        monitoring.register_callback(tool, events.CALL, self._called)
        monitoring.register_callback(tool, events.C_RETURN, self._returned)
        monitoring.register_callback(tool, events.C_RAISE, self._raised)

    def remove(self) -> None:
        """End."""
        events = self._monitoring.events
        for code in self._armed.values():
            self._monitoring.set_local_events(self._tool, code, 0)
        for event in (events.CALL, events.C_RETURN, events.C_RAISE):
            self._monitoring.register_callback(self._tool, event, None)

    def look(self, code: CodeType) -> None:
        """A function is seen the first time."""
        if self._names.isdisjoint(code.co_names) or id(code) in self._armed or owner(code.co_filename) != "user":
            return
        self._armed[id(code)] = code
        local = self._monitoring.get_local_events(self._tool, code)
        self._monitoring.set_local_events(self._tool, code, local | self._monitoring.events.CALL)

    def _called(self, code: CodeType, offset: int, called: Any, first: Any) -> Any:
        kind = type(called)
        if kind is MethodDescriptorType:
            own = first
        elif kind is BuiltinMethodType:
            own = called.__self__
        else:
            return self._monitoring.DISABLE if kind is type else None
        name = called.__name__
        if name not in self._names:
            return self._monitoring.DISABLE
        known = next((each for each in self._known if _is_one(own, each.types)), None)
        if known is not None:
            try:
                self._begin(known, name, own, sys._getframe(1), code, offset)
            except Exception as error:  # noqa: BLE001 - whatever goes wrong here is no business of the program
                self._effects.recorder.fault("call into C", error)
        return None

    def _begin(self, known: Known, name: str, own: Any, frame: FrameType, code: CodeType, offset: int) -> None:
        connection = _held(own, known.connection, known.types)
        connection = own if connection is None else connection
        transactions = self._effects.transactions
        if transactions.has(connection) and not _held(connection, known.in_transaction, known.types):
            transactions.end(connection, "unknown")  # somebody else ended it
        effect, text = None, None
        if name in known.statements:
            given = _arguments(code, offset, frame)
            text = given[0] if given and type(given[0]) is str else None
            before = _held(connection, "total_changes", known.types)
            if text is not None:
                label = f"{type(own).__module__.partition('.')[0]}.{_plain(own, known.types)}.{name}"
                judged = by_name(label, [text], {"sql": text, "parameters": given[1:]})
                cause = self._effects.cause(frame, itself=True)
                if judged is not None and judged is not QUIET and not cause.quiet:
                    effect = self._effects.write(judged, cause)
            text = text if effect is None else None
            self._running[id(frame)] = (known, name, connection, effect, text if text is not None else before)
        elif own is connection:
            self._running[id(frame)] = (known, name, connection, None, None)

    def _returned(self, code: CodeType, offset: int, called: Any, first: Any) -> None:
        self._over(called, None)

    def _raised(self, code: CodeType, offset: int, called: Any, first: Any) -> None:
        self._over(called, "failed")

    def _over(self, called: Any, failed: str | None) -> None:
        frame = sys._getframe(2)
        running = self._running.get(id(frame))
        if running is None or running[1] != getattr(called, "__name__", None):
            return
        del self._running[id(frame)]
        try:
            self._end(running, failed, frame)
        except Exception as error:  # noqa: BLE001 - as above
            self._effects.recorder.fault("call into C", error)

    def _end(self, running: tuple[Known, str, Any, Any, Any], failed: str | None, frame: FrameType) -> None:
        known, name, connection, effect, seen = running
        transactions = self._effects.transactions
        if name in known.commits:
            transactions.end(connection, "unknown" if failed else "commit")
        elif name in known.rollbacks:
            transactions.end(connection, "rollback")
        elif failed:
            self._effects.end(effect, failed)
        else:
            if name == "executescript":  # commits first
                transactions.end(connection, "commit")
            if effect is None and type(seen) is int and _held(connection, "total_changes", known.types) > seen:
                effect = self._unread(name, frame)
            if effect is not None and _held(connection, known.in_transaction, known.types):
                transactions.add(connection, effect)
            elif effect is not None:
                self._effects.end(effect, "ok")
            elif type(seen) is str:
                transactions.text(connection, seen)

    def _unread(self, name: str, frame: FrameType) -> Any:
        """A statement that could not be read changed rows; it is written after the call."""
        judged = by_name(f"sqlite3.Connection.{name}", ["INSERT"], UNSEEN)
        cause = self._effects.cause(frame, itself=True)
        return self._effects.write(judged, cause) if judged is not None and not cause.quiet else None


def _is_one(own: Any, types: frozenset[str]) -> bool:
    return any(kinds.name(base) in types for base in kinds.mro(type(own)))


def _plain(own: Any, types: frozenset[str]) -> str:
    return next(kinds.plain_name(base) for base in kinds.mro(type(own)) if kinds.name(base) in types)


def _held(own: Any, name: str, types: frozenset[str]) -> Any:
    """An attribute made in C, whatever a subclass made of it."""
    for base in kinds.mro(type(own)):
        if kinds.name(base) in types:
            member = kinds.members(base).get(name)
            return member.__get__(own) if member is not None else None
    return None


_read: dict[tuple[int, int], tuple[CodeType, list[tuple[str, Any]]]] = {}


def _arguments(code: CodeType, offset: int, frame: FrameType) -> list[Any]:
    """The positional arguments of a call as far as they can be read; empty where its form is not understood."""
    known = _read.get((id(code), offset))
    if known is None or known[0] is not code:
        steps = [
            (each.opname, each.argval if each.opname in _SIMPLE or "CONST" in each.opname else each.arg)
            for each in dis.get_instructions(code)
            if each.offset <= offset and each.opname not in _PASSED
        ]
        known = _read[(id(code), offset)] = (code, _split(steps))
    steps = known[1]
    if not steps or steps[-1][0] != "CALL":
        return []
    at = len(steps) - 2
    found: list[Any] = []
    try:
        for _ in range(steps[-1][1]):
            value, at = _value(steps, at, frame)
            found.append(value)
    except (LookupError, TypeError, ValueError):
        return []
    return found[::-1]


def _split(steps: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Instructions that load two names, as two (Python 3.13)."""
    found: list[tuple[str, Any]] = []
    for name, argument in steps:
        if name in ("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW"):
            found.append(("UNSEEN", None))
            found.append(("UNSEEN", None))
        else:
            found.append((name, argument))
    return found


def _value(steps: list[tuple[str, Any]], at: int, frame: FrameType) -> tuple[Any, int]:
    """The value that the instruction at ``at`` leaves, and where the instructions before its own end."""
    name, argument = steps[at]
    if at < 0:
        raise LookupError
    if name in ("LOAD_CONST", "LOAD_SMALL_INT", "RETURN_CONST"):
        return argument, at - 1
    if name == "UNSEEN":
        return UNSEEN, at - 1
    if name in _SIMPLE:
        for scope in (frame.f_locals, frame.f_globals):
            if argument in scope:
                return scope[argument], at - 1
        return UNSEEN, at - 1
    if name in _BUILT:
        parts = []
        at -= 1
        for _ in range(argument * 2 if name == "BUILD_MAP" else argument):
            part, at = _value(steps, at, frame)
            parts.append(part)
        return _made(name, parts[::-1]), at
    if name in ("FORMAT_VALUE", "FORMAT_SIMPLE"):
        return UNSEEN, _value(steps, at - 1, frame)[1]
    if name in ("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"):
        return UNSEEN, _value(steps, _value(steps, at - 1, frame)[1], frame)[1]
    if name == "LOAD_ATTR" and not argument & 1:
        return UNSEEN, _value(steps, at - 1, frame)[1]
    raise LookupError


def _made(name: str, parts: list[Any]) -> Any:
    if name == "BUILD_STRING":
        return "".join(part if type(part) is str else "{}" for part in parts)
    if name == "BUILD_MAP":
        keys = parts[::2]
        return dict(zip(keys, parts[1::2], strict=True)) if all(type(key) is str for key in keys) else UNSEEN
    return parts
