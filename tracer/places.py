"""Where code belongs: to the user, to a library, or to what causes no effect whatever it calls."""

from __future__ import annotations

import sysconfig
from functools import lru_cache
from pathlib import PurePath
from typing import Literal

from ..analyzer.knowledge import callers

Owner = Literal["user", "library", "quiet", "tracer"]

_STANDARD = tuple({sysconfig.get_paths()[key].replace("\\", "/") + "/" for key in ("stdlib", "platstdlib")})
_OWN = PurePath(__file__).parent.as_posix() + "/"
_INSTALLED = ("/site-packages/", "/dist-packages/")


@lru_cache(maxsize=20_000)
def owner(path: str) -> Owner:
    """Whose code a file holds."""
    path = path.replace("\\", "/")
    if path.startswith(_OWN):
        return "tracer"
    for part in _INSTALLED:
        _, found, rest = path.rpartition(part)
        if found:
            return _of_package(rest)
    for folder in _STANDARD:
        if path.startswith(folder):
            return _of_package(path[len(folder) :])
    return "library" if path.startswith("<") else "user"


def _of_package(path: str) -> Owner:
    known = callers.load()
    package = path.split("/", 1)[0].removesuffix(".py")
    return "quiet" if package in known.packages or path.startswith(known.internals) else "library"
