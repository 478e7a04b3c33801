"""What the traced program has: versions, and functions by name. Nothing is imported that it did not import."""

from __future__ import annotations

import sys

from ..analyzer.knowledge.hooks import HookNames


def installed_version(package: str) -> str | None:
    """The version of a distribution, None where it is not to be found."""
    from importlib.metadata import PackageNotFoundError, version  # takes long: only where a framework is seen

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def is_there(hook: HookNames) -> bool:
    """Whether the program's framework has one of the hook's functions."""
    if hook.base:
        module, _, name = hook.base.rpartition(".")
        found = getattr(sys.modules.get(module), name, None)
        return any(hasattr(found, each) for each in hook.names)
    return any(_reach(sys.modules.get(hook.module), name) is not None for name in hook.names)


def _reach(found: object, path: str) -> object:
    for part in path.split("."):
        found = getattr(found, part, None)
    return found
