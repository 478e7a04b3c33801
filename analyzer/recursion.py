"""Room for deep recursion, and no pauses for cyclic garbage, while a project is audited."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

RECURSION = 6_000
"""Frames allowed while a project is linked and judged. More could exhaust the stack of the process,
which ends it without a word; that much nesting is refused when files are read."""


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
