"""Values as bytes that are equal where the values mean the same before and after a store kept them.

Nothing of the traced program runs here: no ``repr``, no ``hash``, no property, no pickle. What is equal:
sequences (a tuple comes back as a list), mappings by sorted key, models and dataclasses by their fields.
Floats count by ``repr``, moments with their zone. Ids that the framework makes are left out of messages.
What is not known here makes the whole value unknown.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, cast

from . import kinds

DEEPEST = 60
"""Levels of nesting that are followed."""

LARGEST = 200_000
"""Parts of one value that are looked at: what is larger is unknown, and not worth the time."""

_MADE_BY_FRAMEWORKS = frozenset({"id", "response_metadata", "usage_metadata"})
"""Fields of messages that differ from run to run."""

_MESSAGES = "langchain_core.messages."

Feed = Callable[[bytes], object]


class Unknown(Exception):
    """The value holds something the canon does not know."""


def feed(value: object, into: Feed) -> bool:
    """Give the bytes of a value to ``into``; False, after some of them, where the value is unknown."""
    try:
        _Walk(into).value(value, 0)
    except (Unknown, RuntimeError):  # also what another thread changed meanwhile, and what is too deep
        return False
    return True


class _Walk:
    def __init__(self, into: Feed) -> None:
        self._into = into
        self._left = LARGEST
        self._open: set[int] = set()

    def value(self, value: Any, depth: int) -> None:
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            raise Unknown
        kind = type(value)
        if kind is str:
            self._text(b"s", value)
        elif value is None or value is True or value is False:
            self._into(b"n" if value is None else b"t" if value else b"f")
        elif kind is int:
            self._text(b"i", int.__repr__(value))
        elif kind is float:
            self._text(b"d", float.__repr__(value))
        elif kind is bytes or kind is bytearray:
            self._bytes(b"b", bytes(value))
        else:
            self._nested(value, kind, depth + 1)

    def _nested(self, value: Any, kind: type, depth: int) -> None:
        plain = _PLAIN.get(kind)
        if plain is not None:
            self._text(plain[0], plain[1](value))
            return
        here = id(value)
        if here in self._open:
            raise Unknown  # it holds itself
        self._open.add(here)
        if issubclass(kind, dict):
            self._mapping(dict.items(value), depth)
        elif issubclass(kind, (list, tuple, deque)):
            self._sequence(value, depth)
        elif issubclass(kind, (set, frozenset)):
            self._unordered(value, depth)
        elif issubclass(kind, enum.Enum):
            self.value(object.__getattribute__(value, "_value_"), depth)
        elif issubclass(kind, pathlib.PurePath):
            self._text(b"s", pathlib.PurePath.__str__(value))
        elif issubclass(kind, str):
            self._text(b"s", str.__str__(value))
        elif issubclass(kind, int):
            self._text(b"i", int.__repr__(value))
        else:
            self._mapping(_fields(value, kind), depth)
        self._open.discard(here)

    def _sequence(self, value: Any, depth: int) -> None:
        base = list if isinstance(value, list) else tuple if isinstance(value, tuple) else deque
        self._into(b"[%d:" % base.__len__(value))
        for item in base.__iter__(value):
            self.value(item, depth)
        self._into(b"]")

    def _unordered(self, value: Any, depth: int) -> None:
        base = set if isinstance(value, set) else frozenset
        self._into(b"{%d:" % base.__len__(value))
        for item in sorted(self._apart(each, depth) for each in base.__iter__(value)):
            self._into(item)
        self._into(b"}")

    def _mapping(self, items: Any, depth: int) -> None:
        pairs = sorted((self._apart(key, depth), number, inner) for number, (key, inner) in enumerate(items))
        self._into(b"(%d:" % len(pairs))
        for key, _, inner in pairs:
            self._into(key)
            self.value(inner, depth)
        self._into(b")")

    def _apart(self, value: Any, depth: int) -> bytes:
        """The bytes of a key or an element, to be sorted."""
        parts: list[bytes] = []
        outer, self._into = self._into, parts.append
        try:
            self.value(value, depth)
        finally:
            self._into = outer
        return b"".join(parts)

    def _text(self, tag: bytes, text: str) -> None:
        self._bytes(tag, text.encode("utf-8", "surrogatepass"))

    def _bytes(self, tag: bytes, data: bytes) -> None:
        self._into(b"%s%d:" % (tag, len(data)))
        self._into(data)


def _moment(value: datetime.datetime) -> str:
    if value.tzinfo is None or type(value.tzinfo) is datetime.timezone:
        return datetime.datetime.isoformat(value)
    if type(value.tzinfo).__module__ == "zoneinfo":
        return datetime.datetime.isoformat(datetime.datetime.astimezone(value, datetime.UTC))
    raise Unknown


_PLAIN: dict[type, tuple[bytes, Callable[[Any], str]]] = {
    datetime.datetime: (b"m", _moment),
    datetime.date: (b"D", datetime.date.isoformat),
    datetime.timedelta: (b"T", lambda value: f"{value.days} {value.seconds} {value.microseconds}"),
    decimal.Decimal: (b"c", str),
    uuid.UUID: (b"s", str),
}


def _fields(value: Any, kind: type) -> list[tuple[str, Any]]:
    """The fields of a dataclass, a model or another object of a Python class, by their own storage."""
    known = _known_by(kind)
    if "__dataclass_fields__" in known:
        held = dict(_held(value, kind))
        fields = known["__dataclass_fields__"]
        if not all(name in held for name in fields):
            raise Unknown
        found = [(name, held[name]) for name in fields]
    elif known:
        found = list(_dict_of(value, kind).items())
    elif kinds.module(kind).startswith("langgraph.") and "__slots__" in kinds.members(kind):
        found = [each for each in _held(value, kind) if not each[0].startswith("__")]
    elif _is_python(kind):
        found = [("class", kinds.name(kind)), *_held(value, kind)]
    else:
        raise Unknown
    if any(kinds.module(base).startswith(_MESSAGES) for base in kinds.mro(kind)):
        found = [(name, inner) for name, inner in found if name not in _MADE_BY_FRAMEWORKS]
    return found


def _held(value: Any, kind: type) -> Iterator[tuple[str, Any]]:
    """What an object of a Python class holds, without what it only remembers."""
    bases = [kinds.members(base) for base in kinds.mro(kind)]
    for members in bases:
        for name, member in members.items():
            if type(member) is MemberDescriptorType and name not in _REMEMBERED:
                try:
                    yield name, MemberDescriptorType.__get__(member, value)
                except AttributeError:
                    continue
    if kinds.has_dict(kind):
        remembered = {name for members in bases for name, each in members.items() if type(each) is cached_property}
        for name, inner in list(_dict_of(value, kind).items()):
            if name not in remembered:
                yield name, inner


def _dict_of(value: Any, kind: type) -> dict[str, Any]:
    """The dict of an object, as it is stored: a class may give something else, by code of its own."""
    for base in kinds.mro(kind):
        member = kinds.members(base).get("__dict__")
        if type(member) is GetSetDescriptorType:
            return cast(dict[str, Any], GetSetDescriptorType.__get__(member, value))
        if member is not None:
            break
    raise Unknown


def _is_python(kind: type) -> bool:
    """Whether objects of the class have nothing but what Python code gave them: no part made in C that is not seen."""
    bases = kinds.mro(kind)[:-1]
    if not all(kinds.flags(base) & _HEAP and not kinds.flags(base) & _IMMUTABLE for base in bases):
        return False
    slots = sum(type(member) is MemberDescriptorType for base in bases for member in kinds.members(base).values())
    return kinds.words(kind) <= slots


_REMEMBERED = frozenset({"_cache", "__weakref__"})
_HEAP = 1 << 9
_IMMUTABLE = 1 << 8


def _known_by(kind: type) -> dict[str, Any]:
    """What makes it a dataclass or a model."""
    return {
        name: kinds.members(base)[name]
        for base in reversed(kinds.mro(kind))
        for name in _WANTED
        if name in kinds.members(base)
    }


_WANTED = ("__dataclass_fields__", "__pydantic_fields__", "model_fields")


def parts(value: object) -> Iterator[bytes]:
    """The bytes of a value, for tests and documentation; raises Unknown."""
    found: list[bytes] = []
    _Walk(found.append).value(value, 0)
    yield from found
