"""Names with ``{a,b}``, ``*`` (within a segment) and ``**`` (across dots), as the tables write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


def expand(pattern: str) -> Iterator[str]:
    """Write out the first ``{a,b}`` and those after it; raises ValueError where braces do not match."""
    start = pattern.find("{")
    if start < 0:
        if "}" in pattern:
            raise ValueError(f"unmatched brace in {pattern!r}")
        yield pattern
        return
    end = pattern.find("}", start)
    if end < 0 or "{" in pattern[start + 1 : end]:
        raise ValueError(f"unmatched or nested brace in {pattern!r}")
    for choice in pattern[start + 1 : end].split(","):
        for rest in expand(pattern[end + 1 :]):
            yield pattern[:start] + choice + rest


def compile_name(pattern: str) -> re.Pattern[str]:
    """A pattern that is matched on a whole qualified name."""
    parts = re.split(r"(\*\*|\*)", pattern)
    return re.compile("".join({"*": "[^.]*", "**": ".*"}.get(part, re.escape(part)) for part in parts))


def compile_prefix(pattern: str) -> re.Pattern[str]:
    """A pattern that is matched on a whole qualified name with which a longer, matching name may begin."""
    text = ""
    closing = ""
    segments = pattern.split(".")
    for number, segment in enumerate(segments[:-1]):
        text += r"(?:\." if number else ""
        closing += ")?" if number else ""
        if "**" in segment:
            return re.compile(text + ".*" + closing)
        text += compile_name(segment).pattern
    return re.compile(text + (r"(?:\..*)?" if "**" in segments[-1] else "") + closing)


class NameMap(Generic[T]):
    """Names and patterns to values: exact names first, then the pattern with the most literal letters.

    An exact name that was added twice keeps the later value, so what users declare wins.
    """

    __slots__ = ("_begins", "_compiled", "_exact", "_groups", "_prefixes")

    def __init__(self, entries: Iterable[tuple[str, T]], base: NameMap[T] | None = None) -> None:
        """Add ``entries`` to those of ``base``; patterns of ``entries`` come first."""
        self._exact: dict[str, T] = dict(base._exact) if base else {}
        groups: dict[str, list[tuple[int, str, T]]] = {}
        for name, value in entries:
            if "*" in name:
                head = name.split(".", 1)[0]
                weight = len(name.replace("*", ""))
                groups.setdefault("" if "*" in head else head, []).append((-weight, name, value))
            else:
                self._exact[name] = value
        self._prefixes = {name[:end] for name in self._exact for end in _dots(name)}
        self._begins: dict[str, list[re.Pattern[str]]] = {}
        self._groups: dict[str, list[tuple[str, T]]] = {}
        self._compiled: dict[str, list[tuple[re.Pattern[str], T]]] = {}
        for head, found in groups.items():
            found.sort(key=lambda entry: entry[:2])
            self._groups[head] = [(name, value) for _, name, value in found]
        if base:
            for head, old in base._groups.items():
                self._groups[head] = [*self._groups.get(head, ()), *old]

    def exact(self) -> dict[str, T]:
        """The names without ``*``, with their values."""
        return dict(self._exact)

    def entries(self) -> Iterator[tuple[str, T]]:
        """All names and patterns, with their values."""
        yield from self._exact.items()
        for found in self._groups.values():
            yield from found

    def get(self, name: str) -> T | None:
        """The value of ``name``, or None."""
        found = self._exact.get(name)
        if found is not None:
            return found
        for head in (name.split(".", 1)[0], ""):
            for pattern, value in self._patterns(head):
                if pattern.fullmatch(name):
                    return value
        return None

    def leads(self, name: str) -> bool:
        """Does a longer name begin with ``name`` and a dot?"""
        if name in self._prefixes:
            return True
        head = name.split(".", 1)[0]
        found = self._begins.get(head)
        if found is None:
            found = self._begins[head] = [compile_prefix(pattern) for pattern, _ in self._groups.get(head, ())]
        return any(pattern.fullmatch(name) for pattern in found)

    def _patterns(self, head: str) -> list[tuple[re.Pattern[str], T]]:
        """The patterns of one library, compiled when they are first asked for: most never are."""
        found = self._compiled.get(head)
        if found is None:
            found = [(compile_name(name), value) for name, value in self._groups.get(head, ())]
            self._compiled[head] = found
        return found


def _dots(name: str) -> Iterator[int]:
    end = name.find(".")
    while end > 0:
        yield end
        end = name.find(".", end + 1)
