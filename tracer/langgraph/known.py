"""What is known of the runs, graphs and tasks of this process.

Tasks and waits are told apart by the objects that LangGraph itself hands on (the list of answers in a task's
scratchpad), so that runs of one thread at the same time are not mixed.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
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
    forgotten: bool = False
    tasks: list[int] = field(default_factory=list)
    """The keys of its prepared tasks."""


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


_KEPT = 64
"""Runs that ended whose tasks are still known: some go on, in threads, when their run has failed."""

Where = tuple[str | None, str, str | None]
"""Thread, namespace, store."""


class Known:
    """Shared by the observers of LangGraph's parts."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.stores = Identities(recorder)
        self.loops: dict[int, tuple[Any, Loop]] = {}
        self.prepared: dict[int, Prepared] = {}
        self._running: set[int] = set()
        self._places: dict[Where, dict[int, Loop]] = {}
        self._last: dict[Where, Loop] = {}
        """The last execution in a place, of the places that were used last: what it saves may end after it."""
        self._ended: deque[Run] = deque()
        self._lock = threading.RLock()  # a loop may be let go of at any moment, in this thread, too
        recorder.at_fork.append(self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()

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
        common: dict[str, Any] = {
            "framework": "langgraph",
            "store": self.stores.of(getattr(loop, "checkpointer", None)),
            "graph": outer.common["graph"] if outer is not None else graph_name(frame),
            "thread": text_id(conf.get("thread_id")),
            "namespace": conf.get("checkpoint_ns") or "",
            "run": run.id,
        }
        made = Loop(run, common, nested)
        here = id(loop)
        where: Where = (text_id(common["thread"]), str(common["namespace"]), common["store"])

        def gone(_: object) -> None:
            self.loops.pop(here, None)
            with self._lock:
                there = self._places.get(where, {})
                there.pop(here, None)
                if not there:
                    self._places.pop(where, None)

        with self._lock:
            self._places.setdefault(where, {})[here] = made
            self._last.pop(where, None)
            self._last[where] = made
            while len(self._last) > _KEPT:
                del self._last[next(iter(self._last))]
        self.loops[here] = (weakref.ref(loop, gone), made)
        return made

    def at(self, where: Where) -> list[Loop]:
        """The executions, live or not yet let go of, in a place; in the order of their beginnings."""
        found = list(self._places.get(where, {}).values())
        last = self._last.get(where)
        return found or ([last] if last is not None else [])

    def belongs(self, prepared: Prepared) -> None:
        """A task was prepared for a run."""
        key = id(prepared.answers)
        self.prepared[key] = prepared
        if prepared.loop is not None:
            prepared.loop.run.tasks.append(key)

    def runs(self, prepared: Prepared) -> None:
        """A task begins."""
        self._running.add(id(prepared.answers))
        self.prepared[id(prepared.answers)] = prepared

    def stops(self, prepared: Prepared) -> None:
        """A task is over."""
        key = id(prepared.answers)
        self._running.discard(key)
        if prepared.loop is not None and prepared.loop.run.forgotten:
            self.prepared.pop(key, None)

    def forget(self, run: Run) -> None:
        """Let go, by and by, of the tasks of a run that ended."""
        self._ended.append(run)
        while len(self._ended) > _KEPT:
            gone = self._ended.popleft()
            gone.forgotten = True
            gone.parked.clear()
            for key in gone.tasks:
                if key not in self._running:
                    self.prepared.pop(key, None)
            gone.tasks.clear()

    def park(self, loop: Loop, task: str | None, wait: Any, number: int | None, **more: Any) -> None:
        """Record that a wait parks; once, however many graphs it passes on its way up."""
        if wait is not None:
            if any(each is wait for each in loop.run.parked):
                return
            loop.run.parked.append(wait)
        name = loop.waits[task, number] = wait_id(wait)
        self.recorder.emit("wait.park", **loop.common, wait=name, task=task, ordinal=number, **more)
