"""What both cores offer, and what they tell."""

from __future__ import annotations

from types import FrameType
from typing import Any, Protocol

from ..hooks import Hook, Watched


class CannotAttach(Exception):
    """Somebody else holds what the core needs; says who and what to do."""


class Told(Protocol):
    """Takes what a core sees. None of these raises."""

    def started(self, hook: Hook, frame: FrameType) -> Any:
        """The state kept for the call."""

    def ended(self, hook: Hook, frame: FrameType, state: Any, result: Any) -> None:
        """The call returned."""

    def raised(self, hook: Hook, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """The call was left by an exception."""


class Core(Protocol):
    """Sees the calls of watched functions in every thread."""

    name: str

    def install(self, watched: Watched, told: Told) -> None:
        """Begin. Raises CannotAttach."""

    def remove(self) -> None:
        """End, and leave alone what others installed since."""

    def is_installed(self) -> bool:
        """Whether this thread's calls are still seen."""
