"""Watches a running agent and writes down its checkpoints, waits, answers, tasks and effects.

``attach("traces/")`` from now on, ``recording("traces/")`` for a block. Standard library only.
"""

from __future__ import annotations

from .session import Session, attach, call, recording

__all__ = ["Session", "attach", "call", "recording"]
