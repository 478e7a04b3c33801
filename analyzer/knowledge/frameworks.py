"""What is known of the frameworks: qualified names and the roles they play, read from TOML.

A framework is one file of this folder that has ``name`` and ``markers``; ``python.toml`` holds the
standard library's share. Standard library only: the tracer reads the same files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
_BRACES = re.compile(r"\{([^{}]*)\}")
_LISTS = (
    "wait", "builder", "register", "run", "tools", "waiting", "decorator", "base", "wrapper", "holds",
    "saver", "invokes", "passes", "collects", "retries", "resume", "entry", "edge",
)  # fmt: skip
_TABLES = (
    "suspension",
    "invoked_by",
    "persistence",
    "invoking_methods",
    "suppressors",
    "serving",
    "replayed",
    "rerun",
    "leaves",
    "entry_shapes",
    "addresses",
    "gate",
    "unstable",
    "state",
    "saver_use",
    "unstorable",
    "altered",
    "storable",
    "passing",
    "subgraph",
    "aliases",
)
_HEAD = ("name", "packages", "measured", "markers", "served_by")
_ELSEWHERE = ("hook",)
"""Read by ``hooks.py``, for the tracer."""


@dataclass(frozen=True, slots=True)
class Role:
    """The part a qualified name plays: the kind of its TOML table, and that table."""

    kind: str
    framework: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework: its name, its packages (the first one's version counts), measured versions."""

    name: str
    packages: tuple[str, ...]
    measured: tuple[str, ...]
    markers: tuple[str, ...]
    served_by: tuple[str, ...]


@dataclass(frozen=True)
class Knowledge:
    """All frameworks together."""

    frameworks: tuple[Framework, ...]
    aliases: Mapping[str, str]
    roles: Mapping[str, tuple[Role, ...]]
    patterns: tuple[tuple[str, Role], ...]
    tables: Mapping[str, Mapping[str, Any]]
    entries: Mapping[str, tuple[Role, ...]]
    _found: dict[tuple[str, str], Role | None] = field(default_factory=dict, compare=False, repr=False)

    def canonical(self, name: str) -> str:
        """The name it is known by; the longest aliased prefix decides."""
        if name in self.aliases:
            return self.aliases[name]
        head = name
        while "." in head:
            head, _, _ = head.rpartition(".")
            if head in self.aliases:
                return self.aliases[head] + name[len(head) :]
        return name

    def role(self, name: str, kind: str) -> Role | None:
        """The role of that kind of a canonical name, or None."""
        asked = (name, kind)
        if asked not in self._found:
            self._found[asked] = self._role(name, kind)
        return self._found[asked]

    def _role(self, name: str, kind: str) -> Role | None:
        for role in self.roles.get(name, ()):
            if role.kind == kind:
                return role
        for pattern, role in self.patterns:
            if role.kind == kind and fnmatchcase(name, pattern):
                return role
        return None

    def framework(self, name: str) -> Framework | None:
        """The framework of that name."""
        return next((item for item in self.frameworks if item.name == name), None)

    def table(self, name: str, key: str) -> Any:
        """A value of one of the single tables, e.g. ``("suspension", "broad")``."""
        return self.tables.get(name, {}).get(key, ())


def expand(name: str) -> Iterator[str]:
    """``a.{b,c}`` as ``a.b`` and ``a.c``."""
    parts = _BRACES.split(name)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    for combination in product(*choices):
        yield "".join(combination)


@cache
def load() -> Knowledge:
    """All files of this folder. Raises ValueError for a key that no reader knows."""
    frameworks: list[Framework] = []
    aliases: dict[str, str] = {}
    tables: dict[str, dict[str, Any]] = {}
    entries: dict[str, list[Role]] = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        unknown = set(data) - set(_LISTS) - set(_TABLES) - set(_HEAD) - set(_ELSEWHERE)
        if unknown:
            raise ValueError(f"{path.name}: unknown key {sorted(unknown)[0]!r}")
        name = data.get("name", "python")
        if "name" in data:
            head = (tuple(data.get(key, ())) for key in _HEAD[1:])
            frameworks.append(Framework(name, *head))
        aliases.update(data.get("aliases", {}))
        for table in _TABLES[:-1]:
            tables.setdefault(table, {}).update(data.get(table, {}))
        for kind in _LISTS:
            entries.setdefault(kind, []).extend(Role(kind, name, item) for item in data.get(kind, ()))
    roles: dict[str, list[Role]] = {}
    patterns: list[tuple[str, Role]] = []
    for role in (role for kind in _LISTS for role in entries[kind]):
        for name in _names(role):
            if "*" in name:
                patterns.append((name, role))
            else:
                roles.setdefault(name, []).append(role)
    return Knowledge(
        tuple(frameworks),
        aliases,
        {name: tuple(found) for name, found in roles.items()},
        tuple(patterns),
        tables,
        {kind: tuple(found) for kind, found in entries.items()},
    )


def _names(role: Role) -> Iterator[str]:
    options = role.options
    if "class" in options:
        yield options["class"]
        for method in options.get("methods", ()):
            yield f"{options['class']}.{method}"
        return
    for name in (*options.get("names", ()), *options.get("classes", ())):
        yield from expand(name.split("=", 1)[0])
