"""What is known of the runs, graphs and tasks of this process.

Tasks and waits are told apart by the objects that LangGraph itself hands on (the list of answers in a task's
scratchpad), so that runs of one thread at the same time are not mixed.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from ..recorder import Recorder
from .data import configurable, text_id, wait_id
from .frames import graph_name
from .savers import Identities


@dataclass(eq=False)
class Run:
    """One call into the framework."""

    id: str
    parked: list[Any] = field(default_factory=list)
    """The waits (LangGraph's objects) that have been told of."""
    ended: bool = False


@dataclass(eq=False)
class Loop:
    """The execution of a graph, or of a subgraph inside another run."""

    run: Run
    common: dict[str, Any]
    nested: bool
    memoised: set[str] = field(default_factory=set)
    waits: dict[tuple[str | None, int | None], str | None] = field(default_factory=dict)
    """Task and ordinal to the framework's id, of the waits seen."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A task as it was prepared: the list of its answers (kept, so that nothing else takes its id), and how many of
    them had been recorded before this run."""

    answers: Any
    recorded: int
    task: str = ""
    loop: Loop | None = None
    checkpoint: str | None = None


class Known:
    """Shared by the observers of LangGraph's parts."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.stores = Identities(recorder)
        self.loops: dict[int, tuple[Any, Loop]] = {}
        self.prepared: dict[int, Prepared] = {}

    def prepared_with(self, conf: Any) -> Prepared | None:
        """The task that a configuration was made for."""
        scratchpad = conf.get("__pregel_scratchpad") if isinstance(conf, dict) else None
        return self.prepared.get(id(getattr(scratchpad, "resume", None)))

    def loop(self, loop: Any, frame: FrameType | None = None) -> Loop:
        """The execution that LangGraph's own loop object stands for; ``frame`` is below the call that began it."""
        known = self.loops.get(id(loop))
        if known is not None and known[0]() is loop:
            return known[1]
        conf = configurable(loop.config)
        nested = bool(getattr(loop, "is_nested", False))
        task = self.prepared_with(conf) if nested else None
        outer = task.loop if task is not None else None
        run = outer.run if outer is not None else Run(self.recorder.new_id("r"))
        common = {
            "framework": "langgraph",
            "store": self.stores.of(getattr(loop, "checkpointer", None)),
            "graph": outer.common["graph"] if outer is not None else graph_name(frame),
            "thread": text_id(conf.get("thread_id")),
            "namespace": conf.get("checkpoint_ns") or "",
            "run": run.id,
        }
        made = Loop(run, common, nested)
        here = id(loop)
        self.loops[here] = (weakref.ref(loop, lambda _: self.loops.pop(here, None)), made)
        return made

    def forget(self, run: Run) -> None:
        """Let go of the tasks of a run that ended."""
        gone = [key for key, each in list(self.prepared.items()) if each.loop is not None and each.loop.run is run]
        for key in gone:
            self.prepared.pop(key, None)

    def park(self, loop: Loop, task: str | None, wait: Any, number: int | None, **more: Any) -> None:
        """Record that a wait parks; once, however many graphs it passes on its way up."""
        if wait is not None:
            if any(each is wait for each in loop.run.parked):
                return
            loop.run.parked.append(wait)
        name = loop.waits[task, number] = wait_id(wait)
        self.recorder.emit("wait.park", **loop.common, wait=name, task=task, ordinal=number, **more)
