"""Values of a frame by path: a parameter, then attributes or keys. Only for frames of known libraries."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import FrameType
from typing import Any

from . import kinds

_MOST_TEXT = 20_000


def read(found: Mapping[str, Any], path: str) -> Any:
    """The value of the first of the paths, separated by ``|``, that leads to one; None where none does."""
    for each in path.split("|"):
        value = _one(found, each)
        if value is not None:
            return value
    return None


def holds(found: Mapping[str, Any], path: str) -> bool:
    """Whether a path leads to something true, or has the value after ``=``, or bits of the number after ``&``."""
    if "=" in path:
        path, _, wanted = path.partition("=")
        return bool(read(found, path) == wanted)
    path, masked, mask = path.partition("&")
    value = read(found, path)
    if masked:
        return isinstance(value, int) and bool(value & int(mask))
    return bool(value) if isinstance(value, int) else value is not None


def _one(found: Mapping[str, Any], path: str) -> Any:
    first, *rest = path.split(".")
    value = found.get(first)
    for part in rest:
        if value is None:
            return None
        value = dict.get(value, part) if isinstance(value, dict) else getattr(value, part, None)
    return value


def text_of(value: Any) -> str | None:
    """A value as the text that rules look at: statements, commands word by word, addresses; None if it is none."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bytes:
        return bytes.decode(value[:_MOST_TEXT], "utf-8", "replace")
    if kind in (list, tuple) and value and all(type(each) is str for each in value):
        return shlex.join(value)
    if issubclass(kind, str):
        return str.__str__(value)
    home = kinds.module(kind)
    if home in ("psycopg.sql", "psycopg2.sql"):
        return _composed(value)
    if kinds.plain_name(kind) == "URL" and home.partition(".")[0] in ("httpx", "yarl"):
        return _address(value)
    return None


def _composed(value: Any) -> str:
    inner = value.__dict__.get("_obj", value.__dict__.get("_wrapped"))
    if isinstance(inner, list | tuple):
        parts = (each if isinstance(each, str) else _composed(each) for each in inner)
        return ("." if type(value).__name__ == "Identifier" else "").join(parts)
    return inner if isinstance(inner, str) else "{}"


def _address(value: Any) -> str | None:
    known = getattr(value, "_uri_reference", None)
    if known is not None:
        return f"{known.scheme}://{known.host}{known.path}"
    scheme, host, path = (getattr(value, name, None) for name in ("_scheme", "_netloc", "_path"))
    if scheme is None:
        scheme, host, path = (
            getattr(getattr(value, "_val", None), name, None) for name in ("scheme", "netloc", "path")
        )
    return f"{scheme}://{host}{path}" if isinstance(host, str) else None


def first_of_varargs(frame: FrameType, name: str) -> Any:
    """A parameter; of ``*args`` the first."""
    value = frame.f_locals.get(name)
    return value[0] if type(value) is tuple and value else value
