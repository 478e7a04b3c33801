"""Facts of classes, read past anything that a metaclass of the program may do about them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, cast

_WORD = struct.calcsize("P")

_MRO, _DICT, _MODULE, _QUALNAME, _FLAGS, _SIZE, _DICT_AT, _WEAK_AT = (
    type.__dict__[name].__get__
    for name in (
        *("__mro__", "__dict__", "__module__", "__qualname__"),
        *("__flags__", "__basicsize__", "__dictoffset__", "__weakrefoffset__"),
    )
)


def mro(kind: type) -> tuple[type, ...]:
    """The class and its bases."""
    return cast("tuple[type, ...]", _MRO(kind))


def members(kind: type) -> Mapping[str, Any]:
    """What the class itself defines."""
    return cast("Mapping[str, Any]", _DICT(kind))


def module(kind: type) -> str:
    """The name of its module; empty where it has none."""
    try:
        found = _MODULE(kind)
    except AttributeError:
        return ""
    return found if type(found) is str else ""


def name(kind: type) -> str:
    """Its qualified name, with the module."""
    return f"{module(kind)}.{_QUALNAME(kind)}"


def plain_name(kind: type) -> str:
    """Its name without module and outer classes."""
    return str(_QUALNAME(kind)).rpartition(".")[2]


def flags(kind: type) -> int:
    """Its flags in C."""
    return int(_FLAGS(kind))


def has_dict(kind: type) -> bool:
    """Whether its objects have a dict."""
    return bool(_DICT_AT(kind) != 0)


def words(kind: type) -> int:
    """The size of its objects in pointers, without their head and the places for a dict and weak references."""
    own = (int(_SIZE(kind)) - object.__basicsize__) // _WORD
    return own - bool(_DICT_AT(kind) > 0) - bool(_WEAK_AT(kind) > 0)
