"""The functions of a framework that the tracer watches: the ``[[hook]]`` tables of its TOML file.

Standard library only, and light: this is read inside the traced program.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
_KEYS = {"event", "names", "file", "base"}


@dataclass(frozen=True, slots=True)
class HookNames:
    """One event and the functions that tell it; one of ``names`` is enough.

    ``file`` is the end of the path of the file that defines them, with slashes. Where it is empty, ``base`` is the
    qualified name of a class, and the functions are methods of classes derived from it.
    """

    event: str
    names: tuple[str, ...]
    file: str = ""
    base: str = ""

    @property
    def module(self) -> str:
        """The dotted name of the module that the file is."""
        return self.file.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True, slots=True)
class TracedFramework:
    """A framework with hooks: its name and its distribution, whose version is recorded."""

    name: str
    package: str
    hooks: tuple[HookNames, ...]


def load(name: str) -> TracedFramework:
    """The hooks of a framework. Raises ValueError, naming the file, where a table is not well-formed."""
    path = _FOLDER / f"{name}.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return TracedFramework(name, data["packages"][0], tuple(_hook(path.name, item) for item in data.get("hook", ())))


def _hook(file: str, item: dict[str, Any]) -> HookNames:
    unknown = set(item) - _KEYS
    if unknown or not item.get("event") or not item.get("names") or bool(item.get("file")) == bool(item.get("base")):
        raise ValueError(f"{file}: a hook needs an event, names, and a file or a base: {sorted(unknown) or item}")
    return HookNames(item["event"], tuple(item["names"]), item.get("file", ""), item.get("base", ""))
