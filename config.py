"""What a project says about its audit: ``[tool.resume-audit]`` in pyproject.toml, or resume-audit.toml.

Rule ids and patterns are kept as written; who uses them judges them.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from .contract import LEVELS

_TABLE = re.compile(rb"^\s*\[tool\.resume-audit[\].]", re.M)

FailOn = Literal["error", "warning", "note", "never"]

FAIL_ON: tuple[str, ...] = (*reversed(LEVELS), "never")
"""The values of ``fail-on``, from the worst level."""

BOUNDARY_KEYS = (
    "engine",
    "cognitive",
    "mediator",
    "ledger",
    "transport",
    "commands",
    "proposals",
    "contexts",
    "causal-fields",
    "forbidden-fields",
    "public",
)
"""The keys of the ``boundary`` table; each holds names or patterns."""

_TEXTS = ("select", "ignore", "exclude", "waits", "resumes", "recorded", "claims", "frameworks")
_KEYS = (*_TEXTS, "per-path-ignores", "effects", "boundary", "fail-on")
_OWN_FILE = "resume-audit.toml"
_PYPROJECT = "pyproject.toml"


class ConfigError(Exception):
    """The configuration cannot be used; the text is one line for people (exit status 2)."""


@dataclass(frozen=True, slots=True)
class DeclaredEffect:
    """An effect the project declares.

    ``name`` is the qualified name of the callable; ``once``: it must not happen twice even with other
    arguments; ``key`` names the argument that carries an idempotency key, if any.
    """

    name: str
    once: bool = False
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one project; each default is what an empty table means.

    ``per_path_ignores`` pairs a pattern with rule ids, in the order written. ``source`` is the file the
    settings come from, None where there is none.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_path_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    effects: tuple[DeclaredEffect, ...] = ()
    waits: tuple[str, ...] = ()
    resumes: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    boundary: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    frameworks: tuple[str, ...] = ()
    fail_on: FailOn = "warning"
    source: Path | None = None


def load(root: Path, explicit: Path | None = None) -> Config:
    """The settings for the project at ``root``, or those in the file ``explicit``.

    resume-audit.toml wins over pyproject.toml, which then is not read. Raises ConfigError.
    """
    if explicit is not None:
        return _load_file(explicit, str(explicit), nested=explicit.name == _PYPROJECT)
    own = root / _OWN_FILE
    if own.is_file():
        return _load_file(own, _OWN_FILE, nested=False)
    project = root / _PYPROJECT
    if project.is_file():
        return _load_file(project, _PYPROJECT, nested=True)
    return Config()


def passed_over(root: Path, paths: Iterable[Path]) -> list[str]:
    """Files with settings between the paths and the root, relative to it: only those at the root are read."""
    found: set[str] = set()
    top = root.resolve()
    for path in paths:
        folder = path.resolve() if path.is_dir() else path.resolve().parent
        while folder != top and top in folder.parents:
            own, project = folder / _OWN_FILE, folder / _PYPROJECT
            found.update(each.relative_to(top).as_posix() for each in (own,) if each.is_file())
            if project.is_file() and _TABLE.search(_bytes(project)):
                found.add(project.relative_to(top).as_posix())
            folder = folder.parent
    return sorted(found)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _load_file(path: Path, shown: str, *, nested: bool) -> Config:
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f"{shown}: not a regular file")
        table: object = tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        raise ConfigError(f"{shown}: no such file") from None
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{shown}: not valid TOML: not UTF-8 text") from None
    except RecursionError:
        raise ConfigError(f"{shown}: not valid TOML: nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{shown}: not valid TOML: {' '.join(str(error).split())}") from None
    if not nested:
        return _Reader(f"{shown}:", "").config(table, path)
    for key in ("tool", "resume-audit"):
        if not isinstance(table, dict):
            raise ConfigError(f"{shown}: `tool` must be a table, not {_kind(table)}")
        if key not in table:
            return Config()
        table = table[key]
    return _Reader(f"{shown}:", "tool.resume-audit").config(table, path)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Checks tables and words the complaints. ``where`` is the file, ``table`` the dotted table."""

    where: str
    table: str

    def inside(self, key: str) -> _Reader:
        return _Reader(self.where, f"{self.table}.{key}" if self.table else key)

    def fail(self, text: str) -> ConfigError:
        return ConfigError(f"{self.where} [{self.table}] {text}" if self.table else f"{self.where} {text}")

    def config(self, value: object, path: Path) -> Config:
        if not isinstance(value, dict):
            raise ConfigError(f"{self.where} [{self.table}] must be a table, not {_kind(value)}")
        self.known(value, _KEYS)
        texts = {key: self.texts(value, key) for key in _TEXTS}
        return Config(
            **texts,
            per_path_ignores=self.ignores(value),
            effects=self.effects(value),
            boundary=self.boundary(value),
            fail_on=self.fail_on(value),
            source=path,
        )

    def known(self, table: Mapping[str, object], keys: Sequence[str]) -> None:
        for key in table:
            if key not in keys:
                close = difflib.get_close_matches(key, keys, 1)
                hint = f"; did you mean `{close[0]}`?" if close else ""
                raise self.fail(f"unknown key `{key}`{hint}")

    def texts(self, table: Mapping[str, object], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list):
            raise self.fail(f"`{key}` must be a list of strings, not {_kind(value)}")
        for item in value:
            if not isinstance(item, str):
                raise self.fail(f"`{key}` must be a list of strings, but holds {_kind(item)}")
        return tuple(value)

    def ignores(self, table: Mapping[str, object]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        value = table.get("per-path-ignores", {})
        if not isinstance(value, dict):
            raise self.fail(f"`per-path-ignores` must be a table of patterns, not {_kind(value)}")
        inner = self.inside("per-path-ignores")
        return tuple((pattern, inner.texts(value, pattern)) for pattern in value)

    def boundary(self, table: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
        value = table.get("boundary", {})
        if not isinstance(value, dict):
            raise self.fail(f"`boundary` must be a table, not {_kind(value)}")
        inner = self.inside("boundary")
        inner.known(value, BOUNDARY_KEYS)
        return MappingProxyType({key: inner.texts(value, key) for key in value})

    def effects(self, table: Mapping[str, object]) -> tuple[DeclaredEffect, ...]:
        value = table.get("effects", [])
        if not isinstance(value, list):
            raise self.fail(f"`effects` must be a list of tables, not {_kind(value)}")
        return tuple(self.effect(item) for item in value)

    def effect(self, item: object) -> DeclaredEffect:
        if not isinstance(item, dict):
            raise self.fail(f"`effects` must be a list of tables, but holds {_kind(item)}")
        inner = self.inside("effects")
        inner.known(item, ("name", "once", "key"))
        name, once, key = item.get("name"), item.get("once", False), item.get("key")
        if name is None:
            raise inner.fail("`name` is missing")
        if not isinstance(name, str):
            raise inner.fail(f"`name` must be a string, not {_kind(name)}")
        if not isinstance(once, bool):
            raise inner.fail(f"`once` must be true or false, not {_kind(once)}")
        if key is not None and not isinstance(key, str):
            raise inner.fail(f"`key` must be a string, not {_kind(key)}")
        return DeclaredEffect(name, once, key)

    def fail_on(self, table: Mapping[str, object]) -> FailOn:
        value = table.get("fail-on", "warning")
        if not isinstance(value, str):
            raise self.fail(f"`fail-on` must be a string, not {_kind(value)}")
        if value not in FAIL_ON:
            raise self.fail(f"`fail-on` must be one of {', '.join(FAIL_ON)}, not `{value}`")
        return cast(FailOn, value)


def _kind(value: object) -> str:
    kinds = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "a list"}
    return "a table" if isinstance(value, dict) else kinds.get(type(value), "a date or time")
