"""Runs: one call into the framework each, from its input to how it ended."""

from __future__ import annotations

from types import FrameType
from typing import Any

from ...analyzer.knowledge.hooks import TracedFramework
from ..installed import installed_version, is_there
from ..recorder import declared
from .data import INTERRUPTS, answers_of, configurable, input_kind, static_waits, text_id
from .known import Known, Loop

_RAISED_LATER = {"out_of_steps": "GraphRecursionError", "draining": "GraphDrained"}
"""What is raised for a loop that ends so, once it has ended."""


class Runs:
    """Observes where LangGraph's loops begin and end."""

    def __init__(self, known: Known, framework: TracedFramework) -> None:
        self._known = known
        self._framework = framework
        self._told = False

    def run_started(self, frame: FrameType) -> Any:
        loop = frame.f_locals["self"]
        known = self._known.loop(loop, frame)
        self._tell_hooks()
        if known.nested:
            return known
        conf = configurable(loop.config)
        address = text_id(conf.get("checkpoint_id") or None)
        told = declared.get() or {}
        kind = input_kind(loop.input, bool(loop.checkpoint.get("channel_versions")))
        self._known.recorder.emit(
            "run.start",
            **known.common,
            input=kind,
            checkpoint=address,
            explicit=address is not None,
            fork=False,
            intent=told.get("intent"),
            answers=[{"wait": w, "digest": self._known.recorder.digest(v)} for w, v in answers_of(loop.input)],
            digest=self._known.recorder.digest(loop.input) if kind == "new" else None,
            job=told.get("job"),
            durability=text_id(getattr(loop, "durability", None)),
        )
        return known

    def _tell_hooks(self) -> None:
        """Say once which hooks this version of the framework has."""
        if self._told:
            return
        self._told = True
        seen = {hook.event: is_there(hook) for hook in self._framework.hooks}
        self._known.recorder.emit(
            "hooks",
            framework=self._framework.name,
            version=installed_version(self._framework.package),
            observed=sorted(event for event, there in seen.items() if there),
            not_observed=sorted(event for event, there in seen.items() if not there),
        )

    def run_raised(self, frame: FrameType, known: Any, error: BaseException | None) -> None:
        if known is not None and not known.nested:
            self._end(known, "refused", error)

    def leave_started(self, frame: FrameType) -> Any:
        return frame.f_locals.get("exc_value")

    def leave_ended(self, frame: FrameType, error: Any, result: Any) -> None:
        loop = frame.f_locals["self"]
        known = self._known.loop(loop)
        if known.nested or known.run.ended:
            return
        status = str(getattr(loop, "status", ""))
        if type(error).__name__ in INTERRUPTS or (error is None and status.startswith("interrupt_")):
            if status.startswith("interrupt_"):
                for task, name in static_waits(loop):
                    self._known.park(known, task, None, None, static=status.removeprefix("interrupt_"), name=name)
            self._end(known, "parked", None)
        elif error is None:
            self._end(known, "completed" if status == "done" else "failed", None, _RAISED_LATER.get(status, status))
        elif isinstance(error, GeneratorExit):
            self._end(known, "abandoned", None)
        elif isinstance(error, KeyboardInterrupt) or type(error).__name__ == "CancelledError":  # asyncio's, unimported
            self._end(known, "cancelled", error)
        else:
            self._end(known, "failed", error)

    def leave_raised(self, frame: FrameType, error: Any, other: BaseException | None) -> None:
        known = self._known.loop(frame.f_locals["self"])
        if not known.nested and not known.run.ended:
            self._end(known, "failed", other)

    def _end(self, known: Loop, outcome: str, error: BaseException | None, status: str = "") -> None:
        known.run.ended = True
        self._known.recorder.emit(
            "run.end",
            **known.common,
            outcome=outcome,
            error=type(error).__name__ if error is not None else status if outcome == "failed" else None,
        )
        self._known.forget(known.run)
