"""Room for deep recursion, and no pauses for cyclic garbage, while a project is audited."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

RECURSION = 30_000
"""Frames allowed while a project is linked and judged: call chains of audited code are followed."""


@contextmanager
def deep_recursion(limit: int) -> Iterator[None]:
    """Allow deep recursion, and leave unreachable trees to reference counting."""
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, before))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()
