"""Versions compared."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version


def older(version: str, other: str) -> bool:
    """Whether a version comes before another; no where either is none."""
    try:
        return Version(version) < Version(other)
    except InvalidVersion:
        return False
