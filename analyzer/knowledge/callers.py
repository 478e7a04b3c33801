"""Packages whose calls are no effects of the program: model clients, telemetry, what keeps a framework's state."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).parent / "tracing" / "callers.toml"


@dataclass(frozen=True, slots=True)
class Callers:
    """First folders below site-packages (or standard modules), and longer paths there."""

    packages: frozenset[str]
    internals: tuple[str, ...]


@lru_cache(maxsize=1)
def load() -> Callers:
    """The list that comes with the tool."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return Callers(frozenset([*data["model_clients"], *data["telemetry"]]), tuple(data["internals"]))
