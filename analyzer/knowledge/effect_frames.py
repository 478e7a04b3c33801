"""Effects whose code has another name or place than the tables of effects give, and the ends of transactions:
``tracing/frames.toml``. Standard library only, and light: this is read inside the traced program.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "tracing"
_FILE = _FOLDER / "frames.toml"
_C_CALLS = _FOLDER / "c_calls.toml"
"""Apart, and short: it is read when the tracer is attached, the other only where a library is met."""
_DOES = ("", "commit", "rollback", "text")


@dataclass(frozen=True, slots=True)
class EffectFrame:
    """Functions of one file, and what their calls are. The words are explained in the TOML file."""

    under: str
    functions: tuple[str, ...]
    effect: str = ""
    given: tuple[str, ...] = ()
    digest: tuple[str, ...] = ()
    counts: str = ""
    method: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    connection: str = ""
    idle: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    does: str = ""

    @property
    def plain_names(self) -> frozenset[str]:
        """The functions' names without their classes."""
        return frozenset(name.rpartition(".")[2] for name in self.functions)

    def covers(self, file: str, qualname: str) -> bool:
        """Is it this function? ``file`` is its path below site-packages or the standard library."""
        return file.startswith(self.under) and (
            qualname in self.functions or ("." in qualname and f"*.{qualname.rpartition('.')[2]}" in self.functions)
        )


@dataclass(frozen=True, slots=True)
class CCalls:
    """Methods made in C of some types that execute SQL or end transactions."""

    types: frozenset[str]
    statements: frozenset[str]
    commits: frozenset[str]
    rollbacks: frozenset[str]
    connection: str
    in_transaction: str

    @property
    def names(self) -> frozenset[str]:
        """All methods."""
        return self.statements | self.commits | self.rollbacks


@lru_cache(maxsize=1)
def load() -> tuple[EffectFrame, ...]:
    """The list that comes with the tool. Raises ValueError where it is not well-formed."""
    return tuple(_frame(item) for item in _data(_FILE)["frame"])


@lru_cache(maxsize=1)
def c_calls() -> tuple[CCalls, ...]:
    """What is known of calls into C."""
    made = []
    for item in _data(_C_CALLS)["c_call"]:
        names = {key: frozenset(item[key]) for key in ("types", "statements", "commits", "rollbacks")}
        made.append(CCalls(**names, connection=item["connection"], in_transaction=item["in_transaction"]))
    return tuple(made)


def _data(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _frame(item: dict[str, Any]) -> EffectFrame:
    unknown = set(item) - {each.name for each in fields(EffectFrame)}
    if unknown or not item.get("under") or not item.get("functions") or item.get("does", "") not in _DOES:
        raise ValueError(f"{_FILE.name}: a frame needs `under` and `functions`, and nothing unknown: {item}")
    made: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in item.items()}
    return EffectFrame(**made)
