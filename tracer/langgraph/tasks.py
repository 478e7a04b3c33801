"""Tasks and their waits: what runs, what is handed back from the record, what parks and what is answered."""

from __future__ import annotations

from types import FrameType
from typing import Any

from .data import INTERRUPTS, configurable, path_of, text_id, waits_in
from .frames import of_loop
from .known import Known, Prepared


class Tasks:
    """Observes how tasks are prepared and run, and ``interrupt``."""

    def __init__(self, known: Known) -> None:
        self._known = known

    def scratchpad_started(self, frame: FrameType) -> Any:
        found = frame.f_locals
        task = found.get("task_id")
        for owner, channel, value in found.get("pending_writes") or ():
            if owner == task and channel == "__resume__":
                return len(value) if isinstance(value, list) else 1
        return 0

    def scratchpad_ended(self, frame: FrameType, recorded: Any, result: Any) -> None:
        answers = getattr(result, "resume", None)
        if answers is not None:
            self._known.prepared[id(answers)] = Prepared(answers, recorded)

    def prepared_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        conf = configurable(getattr(result, "config", None))
        answers = getattr(conf.get("__pregel_scratchpad"), "resume", None)
        known = self._known.prepared.get(id(answers))
        if known is None:
            return
        loop = of_loop(frame.f_back)
        if loop is None:  # get_state and the like prepare tasks that nobody runs
            self._known.prepared.pop(id(answers), None)
            return
        checkpoint = text_id(loop.checkpoint.get("id"))
        self._known.belongs(Prepared(answers, known.recorded, result.id, self._known.loop(loop), checkpoint))

    def memoised_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        found = frame.f_locals
        tasks = found.get("tasks")
        known = self._known.loop(found["self"])
        for task in tasks.values() if isinstance(tasks, dict) else ():
            if task.writes and task.id not in known.memoised:
                known.memoised.add(task.id)
                self._known.recorder.emit(
                    "task.end", **known.common, task=task.id, name=task.name, path=path_of(task), outcome="memoised"
                )

    def task_started(self, frame: FrameType) -> Any:
        task = frame.f_locals["task"]
        conf = configurable(task.config)
        known = self._known.prepared.get(id(getattr(conf.get("__pregel_scratchpad"), "resume", None)))
        loop = known.loop if known is not None else None
        if loop is None or known is None:
            return None
        self._known.runs(known)
        whole = task.path[:1] == ("__pregel_pull",)
        self._known.recorder.emit(
            "task.start",
            **loop.common,
            task=task.id,
            name=task.name,
            path=path_of(task),
            checkpoint=known.checkpoint,
            state=self._known.recorder.digest(task.input) if whole else None,
        )
        return (loop, task, known)

    def task_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        self._task_over(state, "ok")

    def task_raised(self, frame: FrameType, state: Any, error: BaseException | None) -> None:
        if state is None:
            return
        parked = any(base.__name__ in INTERRUPTS for base in type(error).__mro__)
        if parked:  # raised by hand, or told of before
            answers = state[2].answers
            for wait in waits_in(error):
                self._known.park(state[0], state[1].id, wait, len(answers) if isinstance(answers, list) else None)
        self._task_over(state, "parked" if parked else "failed", error)

    def _task_over(self, state: Any, outcome: str, error: BaseException | None = None) -> None:
        if state is not None:
            loop, task, prepared = state
            self._known.stops(prepared)
            failed = type(error).__name__ if error is not None and outcome == "failed" else None
            self._known.recorder.emit(
                "task.end", **loop.common, task=task.id, name=task.name, outcome=outcome, error=failed
            )

    atask_started = task_started
    atask_ended = task_ended
    atask_raised = task_raised

    # waits

    def wait_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        found = self._waiting(frame)
        if found is not None:
            known, number = found
            fresh = None if number is None else number >= known.recorded
            self._known.recorder.emit(
                "wait.answer",
                **known.loop.common,  # type: ignore[union-attr]
                wait=known.loop.waits.get((known.task, number)),  # type: ignore[union-attr]
                task=known.task,
                ordinal=number,
                digest=self._known.recorder.digest(result),
                fresh=fresh,
            )

    def wait_raised(self, frame: FrameType, state: Any, error: BaseException | None) -> None:
        found = self._waiting(frame)
        if found is not None and type(error).__name__ in INTERRUPTS:
            waits = waits_in(error)
            self._known.park(found[0].loop, found[0].task, waits[0] if waits else None, found[1])  # type: ignore[arg-type]

    def _waiting(self, frame: FrameType) -> tuple[Prepared, int | None] | None:
        conf = frame.f_locals.get("conf")
        scratchpad = conf.get("__pregel_scratchpad") if isinstance(conf, dict) else None
        known = self._known.prepared.get(id(getattr(scratchpad, "resume", None)))
        number = frame.f_locals.get("idx")
        if known is None or known.loop is None:
            return None
        return known, number if isinstance(number, int) else None
