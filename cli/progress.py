"""How far the audit is, on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from .streams import is_terminal

_BAR = 24
_PAUSE = 0.1


class Progress:
    """A bar on standard error, drawn over itself; nothing unless a person looks.

    ``Progress(...)(phase, done, total)`` draws at most ten times a second.
    """

    def __init__(self, wanted: bool, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._on = wanted and is_terminal(self._stream)
        self._last = 0.0
        self._width = 0

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Say that ``done`` of ``total`` steps of a phase are done."""
        now = time.monotonic()
        if not self._on or now - self._last < _PAUSE:
            return
        self._last = now
        filled = _BAR * done // total if total else _BAR
        self._draw(f"{phase:<10} [{'#' * filled}{'.' * (_BAR - filled)}] {done}/{total}")

    def clear(self) -> None:
        """Take the bar away."""
        if self._on and self._width:
            self._draw("")

    def _draw(self, line: str) -> None:
        try:
            self._stream.write(f"\r{line:<{self._width}}" + ("" if line else "\r"))
            self._stream.flush()
        except (OSError, ValueError):
            self._on = False
        self._width = len(line)
