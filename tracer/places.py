"""Where code belongs: to the user, to a library, or to what causes no effect whatever it calls."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import PurePath
from typing import Literal

from ..analyzer.knowledge import callers

Owner = Literal["user", "library", "quiet", "carrier", "tracer"]
"""``carrier``: quiet, and what user code does below it is no effect either."""

_STANDARD = (PurePath(os.__file__).parent.as_posix() + "/",)
_OWN = PurePath(__file__).parent.as_posix() + "/"
_TYPED = ("<string>", "<stdin>", "<ipython-input", "<input>")
"""Code that a person gave without a file; other such names are those of generated code."""

_INSTALLED = ("/site-packages/", "/dist-packages/")


@lru_cache(maxsize=20_000)
def owner(path: str) -> Owner:
    """Whose code a file holds."""
    path = path.replace("\\", "/")
    if path.startswith(_OWN):
        return "tracer"
    inner = installed(path)
    if inner:
        return _of_package(inner)
    return "library" if path.startswith("<") and not path.startswith(_TYPED) else "user"


@lru_cache(maxsize=20_000)
def installed(path: str) -> str:
    """The file's path below site-packages or the standard library; empty elsewhere."""
    path = path.replace("\\", "/")
    for part in _INSTALLED:
        _, found, rest = path.rpartition(part)
        if found:
            return rest
    return next((path[len(folder) :] for folder in _STANDARD if path.startswith(folder)), "")


def module(inner: str) -> str:
    """The dotted name of the module that an installed file is."""
    return inner.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _of_package(path: str) -> Owner:
    known = callers.load()
    package = path.split("/", 1)[0].removesuffix(".py")
    if path.startswith(known.wrappers):
        return "library"
    if path.startswith(known.carriers):
        return "carrier"
    return "quiet" if package in known.packages or path.startswith(known.internals) else "library"
