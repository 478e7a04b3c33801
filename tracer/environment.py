"""The settings of a traced program's children, in the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STORE = "RESUME_AUDIT_STORE"
"""The store's folder. Where it is set, children attach to it."""

SETTINGS = "RESUME_AUDIT_SETTINGS"
"""The other settings, as a JSON object with the names of ``attach``'s arguments."""

STARTUP = Path(__file__).parent / "startup"

_ALLOWED = {"effects", "core", "fsync", "max_size", "audit"}


def child_environment(base: Mapping[str, str], store: Path, settings: Mapping[str, Any]) -> dict[str, str]:
    """The environment in which a Python program, and those it starts, attach when they start."""
    before = base.get("PYTHONPATH", "")
    return {
        **base,
        STORE: str(store.absolute()),
        SETTINGS: json.dumps(dict(settings), sort_keys=True),
        "PYTHONPATH": os.pathsep.join([str(STARTUP), *([before] if before else [])]),
    }


def attach_from_environment() -> None:
    """Attach as the environment says; nothing where it names no store."""
    store = os.environ.get(STORE)
    if not store:
        return
    from .session import attach

    told = json.loads(os.environ.get(SETTINGS) or "{}")
    known = {key: value for key, value in told.items() if key in _ALLOWED} if isinstance(told, dict) else {}
    attach(store, **known)
