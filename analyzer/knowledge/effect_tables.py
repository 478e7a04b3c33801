"""Reading the tables of effects, strictly: a word that is not known is refused with the file's name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from ...contract import Certainty
from .arguments import Fresh
from .effect_rules import SAME, Case, Outcome, Rule
from .patterns import expand

_TABLE = frozenset({"kind", "reason", "patterns", "call", "constructor", "alias", "statement", "transparent"})
_CALL = frozenset({"names", "action", "idempotent", "certainty", "key", "when", "sql", "tool", "fresh", "note"})
_WHEN = frozenset({"position", "keyword", "matches", "then", "else", "unknown", "absent", "joined"})


@dataclass(frozen=True, slots=True)
class Table:
    """One TOML file, read."""

    calls: tuple[tuple[str, Rule], ...] = ()
    returns: tuple[tuple[str, str], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    statements: tuple[tuple[str, str], ...] = ()
    transparent: tuple[str, ...] = ()
    patterns: dict[str, str] = field(default_factory=dict)


class Refused(ValueError):
    """A table that is not well-formed."""


def check_keys(data: dict[str, Any], known: frozenset[str], where: str) -> None:
    """Refuse unknown words."""
    unknown = sorted(data.keys() - known)
    if unknown:
        raise Refused(f"{where}: unknown {', '.join(unknown)}")


def strings(data: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """A list of texts; empty where it is not given."""
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Refused(f"{where}: {key} must be a list of strings")
    return tuple(value)


def choice(data: dict[str, Any], key: str, allowed: tuple[str, ...], default: str, where: str) -> str:
    """One of some words."""
    value = data.get(key, default)
    if value not in allowed:
        raise Refused(f"{where}: {key} must be one of {', '.join(allowed)}, not {value!r}")
    return cast("str", value)


def flag(data: dict[str, Any], key: str, where: str, default: bool = False) -> bool:
    """A truth value."""
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise Refused(f"{where}: {key} must be true or false")
    return value


def place(value: Any, where: str) -> Fresh:
    """A position, or a table with ``position`` and ``keyword``."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (value, None)
    if not isinstance(value, dict) or not value:
        raise Refused(f"{where}: needs a position or a keyword")
    check_keys(value, frozenset({"position", "keyword"}), where)
    position, keyword = value.get("position"), value.get("keyword")
    if not isinstance(position, int | None) or not isinstance(keyword, str | None):
        raise Refused(f"{where}: position must be a number and keyword a string")
    return (position, keyword)


def parse(file: str, text: str) -> Table:
    """Read one table. Raises ValueError, naming ``file``, where it is not well-formed."""
    try:
        data = tomllib.loads(text)
        return _table(file, data)
    except (tomllib.TOMLDecodeError, re.error, ValueError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(f"{file}: {error}") from error


def _table(file: str, data: dict[str, Any]) -> Table:
    check_keys(data, _TABLE, file)
    if not isinstance(data.get("kind"), str) or not isinstance(data.get("reason"), str):
        raise Refused(f"{file}: kind and reason must be strings")
    patterns = _texts(data, "patterns", file)
    calls: list[tuple[str, Rule]] = []
    for index, entry in enumerate(data.get("call", ())):
        where = f"{file}: call {index + 1}"
        rule = _rule(entry, data, patterns, where)
        calls.extend((name, rule) for name in _names(entry, where))
    returns: list[tuple[str, str]] = []
    for index, entry in enumerate(data.get("constructor", ())):
        where = f"{file}: constructor {index + 1}"
        check_keys(entry, frozenset({"names", "returns"}), where)
        if not isinstance(entry.get("returns"), str):
            raise Refused(f"{where}: returns must be a string")
        returns.extend((name, entry["returns"]) for name in _names(entry, where))
    transparent = data.get("transparent", {})
    check_keys(transparent, frozenset({"names"}), f"{file}: transparent")
    return Table(
        calls=tuple(calls),
        returns=tuple(returns),
        aliases=tuple(_aliases(_texts(data, "alias", file), file)),
        statements=tuple(_texts(data, "statement", file).items()),
        transparent=strings(transparent, "names", file),
        patterns=patterns,
    )


def _texts(data: dict[str, Any], key: str, file: str) -> dict[str, str]:
    value = data.get(key, {})
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise Refused(f"{file}: {key} must be a table of strings")
    return value


def _names(entry: dict[str, Any], where: str) -> Iterator[str]:
    names = strings(entry, "names", where)
    if not names:
        raise Refused(f"{where}: names are missing")
    for name in names:
        for plain in expand(name):
            if "*" in plain.split(".", 1)[0] or not plain.strip("."):
                raise Refused(f"{where}: {plain!r} must begin with the name of a library")
            yield plain


def _aliases(texts: dict[str, str], file: str) -> Iterator[tuple[str, str]]:
    for alias, target in texts.items():
        left, right = list(expand(alias)), list(expand(target))
        if len(right) == 1:
            right *= len(left)
        if len(left) != len(right):
            raise Refused(f"{file}: alias {alias!r} and its target differ in length")
        yield from zip(left, right, strict=True)


def _rule(entry: dict[str, Any], table: dict[str, Any], patterns: dict[str, str], where: str) -> Rule:
    check_keys(entry, _CALL, where)
    idempotent = flag(entry, "idempotent", where)
    note = entry.get("note", SAME if idempotent else table["reason"])
    if not isinstance(note, str):
        raise Refused(f"{where}: note must be a string")
    when = entry.get("when", [])
    cases = [case for entry in (when if isinstance(when, list) else [when]) for case in _cases(entry, patterns, where)]
    keys = strings(entry, "key", where)
    for key in keys:
        if not re.fullmatch(r"@\d+\.[\w.-]+|[\w.-]+(@\d+)?", key):
            raise Refused(f"{where}: key {key!r} must be an argument's name")
    return Rule(
        kind=table["kind"],
        reason=note,
        action=cast("Any", choice(entry, "action", ("effect", "read", "none"), "effect", where)),
        idempotent=idempotent,
        certainty=cast("Certainty", choice(entry, "certainty", get_args(Certainty), "certain", where)),
        keys=keys,
        cases=tuple(cases),
        sql=place(entry["sql"], f"{where}: sql") if "sql" in entry else None,
        fresh=place(entry["fresh"], f"{where}: fresh") if "fresh" in entry else None,
        tool=place(entry["tool"], f"{where}: tool") if "tool" in entry else None,
    )


def _cases(case: Any, patterns: dict[str, str], where: str) -> Iterator[Case]:
    """The cases of one decision: ``keyword`` may hold ``{a,b}``."""
    where = f"{where}: when"
    if not isinstance(case, dict) or not isinstance(case.get("matches"), str):
        raise Refused(f"{where}: needs matches")
    check_keys(case, _WHEN, where)
    position, keyword = place({key: case[key] for key in ("position", "keyword") if key in case}, where)
    text = case["matches"]
    if text.startswith("@"):
        if text[1:] not in patterns:
            raise Refused(f"{where}: no pattern {text[1:]!r}")
        text = patterns[text[1:]]
    then, otherwise, unknown, absent = (
        cast("Outcome", choice(case, key, get_args(Outcome), default, where))
        for key, default in (("then", "effect"), ("else", "next"), ("unknown", "next"), ("absent", "next"))
    )
    joined = flag(case, "joined", where)
    words: list[str | None] = [None] if keyword is None else [*expand(keyword)]
    for word in words:
        yield Case(position, word, re.compile(text), then, otherwise, unknown, absent, joined)
