"""Audit events that are effects: ``tracing/audit.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).parent / "tracing" / "audit.toml"


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """The name in the tables of effects and the positions of the arguments; ``kind`` where the tables have no name."""

    name: str
    given: tuple[int, ...]
    kind: str = ""


@lru_cache(maxsize=1)
def load() -> dict[str, AuditEvent]:
    """The list that comes with the tool."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))["events"]
    return {name: AuditEvent(item["name"], tuple(item["given"]), item.get("kind", "")) for name, item in data.items()}
