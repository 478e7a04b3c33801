"""Who is told of LangGraph's hooks. Names and meanings are those measured on 1.0.5 to 1.2.24; locals are read by name
with a fallback, never by position: signatures drift."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from ...analyzer.knowledge.hooks import TracedFramework
from ..recorder import Recorder
from .checkpoints import Checkpoints
from .known import Known
from .runs import Runs
from .tasks import Tasks

_MOMENTS = ("started", "ended", "raised")


class LangGraph:
    """Observes one process."""

    def __init__(self, recorder: Recorder, framework: TracedFramework) -> None:
        self.framework = framework
        self._known = Known(recorder)
        parts = (Runs(self._known, framework), Checkpoints(self._known), Tasks(self._known))
        events = [hook.event for hook in framework.hooks]
        self._started, self._ended, self._raised = (_handlers(parts, events, moment) for moment in _MOMENTS)

    def started(self, event: str, frame: FrameType) -> Any:
        """See ``hooks.Observer``."""
        handler = self._started.get(event)
        return handler(frame) if handler is not None else None

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """See ``hooks.Observer``."""
        handler = self._ended.get(event)
        if handler is not None:
            handler(frame, state, result)

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """See ``hooks.Observer``."""
        handler = self._raised.get(event)
        if handler is not None:
            handler(frame, state, error)

    def keys_of(self, conf: Any) -> tuple[str, dict[str, Any]] | None:
        """The task that a configuration belongs to, and the keys that its events have."""
        found = self._known.prepared_with(conf)
        return (found.task, found.loop.common) if found is not None and found.loop is not None else None


def _handlers(parts: tuple[object, ...], events: list[str], moment: str) -> dict[str, Callable[..., Any]]:
    found = ((event, getattr(part, f"{event}_{moment}", None)) for event in events for part in parts)
    return {event: handler for event, handler in found if handler is not None}
