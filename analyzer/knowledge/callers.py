"""Whose calls are no effects of the program: model clients, telemetry, what keeps a framework's state."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).parent / "tracing" / "callers.toml"


@dataclass(frozen=True, slots=True)
class Callers:
    """Packages (first folders below site-packages, or standard modules) and longer paths there.

    ``keepers``: names of methods to the names of the base classes that make them a keeper's.
    """

    packages: frozenset[str]
    wrappers: tuple[str, ...]
    internals: tuple[str, ...]
    carriers: tuple[str, ...]
    keepers: dict[str, frozenset[str]]


@lru_cache(maxsize=1)
def load() -> Callers:
    """The list that comes with the tool."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    keepers: dict[str, frozenset[str]] = {}
    for item in data["keeper"]:
        for method in item["methods"]:
            keepers[method] = keepers.get(method, frozenset()) | {item["base"]}
    return Callers(
        frozenset([*data["model_clients"], *data["telemetry"]]),
        tuple(data["wrappers"]),
        tuple(data["internals"]),
        tuple(data["carriers"]),
        keepers,
    )
