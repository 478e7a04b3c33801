"""Functions of the program that its people declared as effects.

A name is dotted: ``shop.payments.charge``; a method is named by the class that defines it
(``shop.payments.Client.charge``), and a class stands for calls of its objects. A function that a decorator wraps is
met where its own body runs. What the script itself defines goes by the script's name or by ``__main__``. A name may
hold ``{a,b}``; one with ``*`` is never met, and told as such.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from ..analyzer.knowledge.patterns import expand
from .effect_calls import Judged, argument, arguments


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared effect. ``key`` names the argument that carries the idempotency key."""

    name: str
    once: bool = False
    key: str | None = None

    def judge(self, frame: FrameType) -> Judged:
        """A call of it."""
        value = argument(frame, self.key) if self.key else None
        key = () if value is None else (value,)
        return Judged(self.name, "declared", False, arguments(frame), key, self.once)


_KEYS = ("name", "once", "key")

Given = str | Mapping[str, Any] | object
"""A name, a table as the configuration has it, or an object with the table's keys."""


def declared(given: Iterable[Given]) -> tuple[Declared, ...]:
    """What was given, checked. Raises ValueError for what is no effect."""
    found = []
    for each in given:
        if isinstance(each, Declared):
            found.append(each)
            continue
        if isinstance(each, str):
            table: Mapping[str, Any] = {"name": each}
        else:
            table = each if isinstance(each, Mapping) else {key: getattr(each, key, None) for key in _KEYS}
        name, once, key = table.get("name"), table.get("once", False), table.get("key")
        if not isinstance(name, str) or not isinstance(once, bool) or not isinstance(key, str | None):
            raise ValueError(f"an effect is a name, or a table with name, once and key: {each!r}")
        found.append(Declared(name, once, key))
    return tuple(found)


class Declarations:
    """What was declared, by code; ``met`` are the names whose code was seen."""

    def __init__(self, given: Iterable[Declared]) -> None:
        self._all = tuple(given)
        self.met: set[str] = set()
        self._by_name: dict[str, list[tuple[str, str, Declared]]] = {}
        for each in self._all:
            for file, qualname in (split for name in expand(each.name) for split in _splits(name)):
                for full in (qualname, f"{qualname}.__call__"):
                    self._by_name.setdefault(full.rpartition(".")[2], []).append((file, full, each))
        self.names = frozenset(self._by_name)

    def of(self, code: CodeType, frame: FrameType) -> Declared | None:
        """The declaration of a function, if there is one."""
        for file, qualname, each in self._by_name.get(code.co_name, ()):
            if _fits(code.co_qualname, qualname) and _lies_in(code.co_filename, file, frame):
                self.met.add(each.name)
                return each
        return None

    def not_met(self) -> list[str]:
        """The names that no function which was called has."""
        return sorted({each.name for each in self._all} - self.met)


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """The files and qualified names that a dotted name may stand for: ``a.b.C.f`` is ``C.f`` of ``a/b.py``."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        yield "/".join(parts[:end]), ".".join(parts[end:])
    if len(parts) == 1:
        yield "", name


def _fits(found: str, wanted: str) -> bool:
    """A function made inside another (by a decorator, a factory) is met by the name of its own part, too."""
    return found == wanted or found.replace(".<locals>", "") == wanted


def _lies_in(path: str, file: str, frame: FrameType) -> bool:
    path = path.replace("\\", "/")
    if not file:
        return frame.f_globals.get("__name__") == "__main__"
    for end in (f"{file}.py", f"{file}/__init__.py", f"{file}/__main__.py"):
        if path == end or path.endswith("/" + end):
            return True
    if frame.f_globals.get("__name__") != "__main__":
        return False
    spec = frame.f_globals.get("__spec__")
    return file == "__main__" or getattr(spec, "name", None) == file.replace("/", ".") or _script() == file


def _script() -> str:
    """The name by which other modules would import the script."""
    name = sys.argv[0].replace("\\", "/").rpartition("/")[2] if sys.argv and isinstance(sys.argv[0], str) else ""
    return name.removesuffix(".py")
