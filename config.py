"""What a project says about its audit: ``[tool.resume-audit]`` in pyproject.toml, or resume-audit.toml.

Rule ids and patterns are kept as written; who uses them judges them.
"""

# Links in paths are kept, as the walk over the project does.
# ruff: noqa: PTH100
from __future__ import annotations

import contextlib
import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from .contract import LEVELS

_TABLE = re.compile(rb"^\s*\[\s*tool\s*\.\s*resume[-_]audit\s*[\].]", re.MULTILINE | re.IGNORECASE)
_NAME = re.compile(r"[\w*?{}\[\],!]+(?:\.[\w*?{}\[\],!]+)*")

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
_NAMES = ("waits", "resumes", "recorded", "claims")
_TOOL = "resume-audit"
_OWN_FILE = "resume-audit.toml"
_PYPROJECT = "pyproject.toml"


class ConfigError(ValueError):
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
    settings come from, None where there is none; ``shown`` is how to name it, and ``table`` where they stand in it.
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
    shown: str = field(default="", compare=False)
    table: str = field(default="", compare=False)

    def complaint(self, text: str, *keys: str) -> ConfigError:
        """What is wrong with the value of a key, where only who uses it can tell."""
        reader = _Reader(f"{self.shown}:", self.table)
        for key in keys[:-1]:
            reader = reader.inside(key)
        return reader.fail(f"`{keys[-1]}`: {text}")


def load(root: Path, explicit: Path | None = None, paths: Iterable[Path] = ()) -> Config:
    """The settings for the ``paths`` of the project at ``root``, or those in the file ``explicit``.

    Nearest wins: from the folder that the paths share upward to the root; where none has settings, from each path
    upward. Of one folder resume-audit.toml wins over pyproject.toml, which then is not read. Patterns are relative
    to the folder of the file, those of ``explicit`` to the root. Raises ConfigError.
    """
    if explicit is not None:
        return _load_file(explicit, str(explicit), nested=explicit.name == _PYPROJECT)
    top = Path(os.path.abspath(root))
    folder = next((each for each in _upward(top, paths) if next(_settings(each), None)), top)
    inner = "" if folder == top else folder.relative_to(top).as_posix() + "/"
    for name in (_OWN_FILE, _PYPROJECT):
        if (folder / name).is_file():
            found = _load_file(folder / name, inner + name, nested=name == _PYPROJECT)
            return _below(found, inner) if inner else found
    return Config()


def passed_over(root: Path, folders: Iterable[Path], used: Path | None) -> list[str]:
    """Files with settings from the folders upward to the root, relative to it, other than the one ``used``."""
    top = Path(os.path.abspath(root))
    met = {each for folder in folders for each in _between(top, folder)}
    found = {file for folder in met for file in _settings(folder)}
    return sorted(file.relative_to(top).as_posix() for file in found if file != used)


def _upward(top: Path, paths: Iterable[Path]) -> Iterator[Path]:
    """The folders to ask for settings, the nearest first."""
    folders = [Path(os.path.abspath(path if path.is_dir() else path.parent)) for path in paths]
    if folders:
        with contextlib.suppress(ValueError):  # different drives
            yield from _between(top, Path(os.path.commonpath(folders)))
    for folder in folders:
        yield from _between(top, folder)


def _between(top: Path, folder: Path) -> list[Path]:
    """The folder and those above it up to ``top``; none where it lies elsewhere."""
    if folder != top and top not in folder.parents:
        return []
    return [each for each in (folder, *folder.parents) if each == top or top in each.parents]


def _settings(folder: Path) -> Iterator[Path]:
    """The files of a folder that hold settings."""
    own, project = folder / _OWN_FILE, folder / _PYPROJECT
    if own.is_file():
        yield own
    if project.is_file() and _has_table(_bytes(project)):
        yield project


def _has_table(data: bytes) -> bool:
    if re.search(rb"resume[-_]audit", data, re.IGNORECASE) is None:
        return False
    try:
        tool = tomllib.loads(data.decode()).get("tool")
    except (ValueError, RecursionError):
        return _TABLE.search(data) is not None
    return isinstance(tool, dict) and any(map(_means_us, tool))


def _means_us(key: str) -> bool:
    return key.lower().replace("_", "-") == _TOOL


def _below(config: Config, folder: str) -> Config:
    """The settings with patterns relative to the root, written for ``folder`` below it."""
    ignored = tuple(
        (re.sub(r"([*?[])", r"[\1]", folder) + ("" if "/" in pattern.rstrip("/") else "**/") + pattern, rules)
        for pattern, rules in ((pattern.removeprefix("./"), rules) for pattern, rules in config.per_path_ignores)
    )
    place = re.sub(r"([*?[\\])", r"\\\1", folder)
    return replace(config, exclude=tuple(_moved(line, place) for line in config.exclude), per_path_ignores=ignored)


def _moved(line: str, folder: str) -> str:
    """A line of a .gitignore file as one of the folder above ``folder``."""
    if not line.strip() or line.startswith("#"):
        return line
    sign, line = ("!", line[1:]) if line.startswith("!") else ("", line)
    anchored = "/" in line.rstrip().removesuffix("/")
    return f"{sign}/{folder}{'' if anchored else '**/'}{line.removeprefix('/')}"


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
    for key in ("tool", _TOOL):
        if not isinstance(table, dict):
            raise ConfigError(f"{shown}: `tool` must be a table, not {_kind(table)}")
        if key not in table:
            slip = next(filter(_means_us, table), None) if key == _TOOL else None
            if slip is not None:
                raise ConfigError(f"{shown}: [tool.{slip}] is not read; did you mean [tool.{_TOOL}]?")
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
            source=Path(os.path.abspath(path)),
            shown=self.where.removesuffix(":"),
            table=self.table,
        )

    def known(self, table: Mapping[str, object], keys: Sequence[str]) -> None:
        for key in table:
            if key not in keys:
                close = difflib.get_close_matches(key, keys, 1)
                hint = f"; did you mean `{close[0]}`?" if close else ""
                if "tool" in table and not self.table:
                    hint = "; in this file the keys stand at the top, without [tool.resume-audit]"
                raise self.fail(f"unknown key `{key}`{hint}")

    def texts(self, table: Mapping[str, object], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list):
            raise self.fail(f"`{key}` must be a list of strings, not {_kind(value)}")
        for item in value:
            if not isinstance(item, str):
                raise self.fail(f"`{key}` must be a list of strings, but holds {_kind(item)}")
            if key in _NAMES:
                self.name(item, key)
        return tuple(value)

    def name(self, text: str, key: str) -> None:
        """Names that could never be met are slips."""
        if _NAME.fullmatch(text) is None:
            raise self.fail(f"`{key}`: {text!r} is no qualified name, such as shop.payments.charge")

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
        inner.name(name, "name")
        if not isinstance(once, bool):
            raise inner.fail(f"`once` must be true or false, not {_kind(once)}")
        if key is not None and not isinstance(key, str):
            raise inner.fail(f"`key` must be a string, not {_kind(key)}")
        if key is not None and not key.isidentifier():
            raise inner.fail(f"`key`: {key!r} is no name of an argument")
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
