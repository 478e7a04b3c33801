"""LangGraph's own values, read without calling anything of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_MAP_KEY = re.compile(r"[0-9a-f]{32}")
"""An answer is a map when all its keys are digests of this form (langgraph 1.0.5 to 1.2.24)."""

INTERRUPTS = ("GraphInterrupt", "NodeInterrupt")
"""Exceptions that park."""

_NOT_RESULTS = ("__interrupt__", "__resume__", "__error__", "__scheduled__")


def configurable(config: Any) -> dict[str, Any]:
    """The ``configurable`` part of a configuration; empty where there is none."""
    found = config.get("configurable") if isinstance(config, dict) else None
    return found if isinstance(found, dict) else {}


def text_id(value: Any) -> str | None:
    """A name or an id as text; None for anything that is no plain text or number."""
    if type(value) is str:
        return value
    return str(value) if type(value) is int else None


def input_kind(value: Any, has_state: bool) -> str:
    """``none``, ``answer`` (a command that resumes) or ``new``. A command without an answer goes on where there is a
    state to go on from."""
    if value is None:
        return "none"
    if _resume(value) is not None:
        return "answer"
    return "none" if type(value).__name__ == "Command" and has_state else "new"


def answers_of(value: Any) -> Iterator[tuple[str | None, Any]]:
    """The answers that an input carries, each with the id of the wait it names, if it names one."""
    resume = _resume(value)
    if resume is None:
        return
    if type(resume) is dict and all(type(key) is str and _MAP_KEY.fullmatch(key) for key in resume):
        yield from resume.items()
    else:
        yield None, resume


def _resume(value: Any) -> Any:
    return getattr(value, "resume", None) if type(value).__name__ == "Command" else None


def pending(writes: Any) -> list[dict[str, Any]]:
    """What was recorded beside a checkpoint: open waits, and results of tasks (``wait`` and ``ordinal`` are None)."""
    rows = list(writes or ())
    answered = {task: len(v) if isinstance(v, list) else 1 for task, channel, v in rows if channel == "__resume__"}
    found: list[dict[str, Any]] = []
    results: set[str] = set()
    failed = {task for task, channel, _ in rows if channel == "__error__" and task in answered}
    for task, channel, _ in rows:
        if channel not in _NOT_RESULTS and not str(task).startswith("00000000-"):
            results.add(str(task))
    for task, channel, value in rows:
        # The record of a wait stays when it is answered: what its task did since tells.
        if channel == "__interrupt__" and str(task) not in results and task not in failed:
            waits = value if isinstance(value, tuple | list) else (value,)
            found += (
                {"task": text_id(task), "wait": wait_id(each), "ordinal": answered.get(task, 0)} for each in waits
            )
    return found + [{"task": task, "wait": None, "ordinal": None} for task in sorted(results)]


def static_waits(loop: Any) -> list[tuple[str | None, str]]:
    """The tasks, id and name, that a static breakpoint holds up; without an id those it stands behind, where what
    comes next is not prepared (langgraph 1.0.5 to 1.2.16)."""
    tasks = getattr(loop, "tasks", None)
    return [(None if t.writes else t.id, t.name) for t in tasks.values()] if isinstance(tasks, dict) else []


def waits_in(error: BaseException | None) -> list[Any]:
    """The waits that an interrupt carries: LangGraph's own objects, which it hands on from subgraph to graph."""
    args = getattr(error, "args", ())
    return list(args[0]) if args and isinstance(args[0], tuple | list) else []


def wait_id(wait: Any) -> str | None:
    """The id of a wait."""
    return text_id(getattr(wait, "id", None) or getattr(wait, "interrupt_id", None))


def path_of(task: Any) -> list[Any]:
    """Where a task stands in its step: how it was asked for, and its number among those asked for so."""
    return [each if isinstance(each, str | int | bool) else str(type(each).__name__) for each in task.path[:4]]
