"""What the calls of LangGraph's own functions say: runs, checkpoints, tasks, waits and answers.

Names and meanings are those measured on 1.0.5 to 1.2.24. Locals are read by name with a fallback, never by position:
signatures drift. Tasks and waits are told apart by the objects that LangGraph itself hands on (the list of answers in
a task's scratchpad), so that runs of the same thread at the same time are not mixed.
"""

from __future__ import annotations

import asyncio
import weakref
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from ..analyzer.knowledge.hooks import TracedFramework
from .langgraph_data import answers_of, configurable, input_kind, pending, static_waits, text_id
from .langgraph_savers import Identities
from .recorder import Recorder, declared

_FARTHEST = 24
"""Frames that are looked at, up from a hook, for who called."""

_INTERRUPTS = ("GraphInterrupt", "NodeInterrupt")


@dataclass(eq=False)
class Run:
    """One call into the framework."""

    id: str
    parks: int = 0
    ended: bool = False


@dataclass(eq=False)
class Loop:
    """The execution of a graph, or of a subgraph inside another run."""

    run: Run
    common: dict[str, Any]
    nested: bool
    memoised: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A task as it was prepared: the list of its answers (kept, so that nothing else takes its id), and how many of
    them had been recorded before this run."""

    answers: Any
    recorded: int
    task: str = ""
    loop: Loop | None = None
    checkpoint: str | None = None


class LangGraph:
    """Observes one process."""

    def __init__(self, recorder: Recorder, framework: TracedFramework) -> None:
        self.framework = framework
        self._recorder = recorder
        self._stores = Identities(recorder)
        self._loops: dict[int, tuple[Any, Loop]] = {}
        self._prepared: dict[int, Prepared] = {}

    # what a core tells

    def started(self, event: str, frame: FrameType) -> Any:
        """See ``hooks.Observer``."""
        handler = getattr(self, f"_{event}_started", None)
        return handler(frame) if handler is not None else None

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """See ``hooks.Observer``."""
        handler = getattr(self, f"_{event}_ended", None)
        if handler is not None:
            handler(frame, state, result)

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """See ``hooks.Observer``."""
        handler = getattr(self, f"_{event}_raised", None)
        if handler is not None:
            handler(frame, state, error)

    def keys_of(self, conf: Any) -> tuple[str, dict[str, Any]] | None:
        """The task that a configuration belongs to, and the keys that its events have."""
        found = self.task_of(conf)
        return (found[0], found[1].common) if found is not None else None

    def task_of(self, conf: Any) -> tuple[str, Loop] | None:
        """The task and loop that a configuration belongs to, if they are known."""
        scratchpad = conf.get("__pregel_scratchpad") if isinstance(conf, dict) else None
        found = self._prepared.get(id(getattr(scratchpad, "resume", None)))
        return (found.task, found.loop) if found is not None and found.loop is not None else None

    # runs

    def _loop(self, loop: Any, frame: FrameType | None = None) -> Loop:
        known = self._loops.get(id(loop))
        if known is not None and known[0]() is loop:
            return known[1]
        conf = configurable(loop.config)
        nested = bool(getattr(loop, "is_nested", False))
        outer = self.task_of(conf) if nested else None
        run = outer[1].run if outer is not None else Run(self._recorder.new_id("r"))
        common = {
            "framework": "langgraph",
            "store": self._stores.of(getattr(loop, "checkpointer", None)),
            "graph": outer[1].common["graph"] if outer is not None else _graph_name(frame),
            "thread": text_id(conf.get("thread_id")),
            "namespace": conf.get("checkpoint_ns") or "",
            "run": run.id,
        }
        made = Loop(run, common, nested)
        here = id(loop)
        self._loops[here] = (weakref.ref(loop, lambda _: self._loops.pop(here, None)), made)
        return made

    def _run_started(self, frame: FrameType) -> Any:
        loop = frame.f_locals["self"]
        known = self._loop(loop, frame)
        if known.nested:
            return known
        conf = configurable(loop.config)
        address = text_id(conf.get("checkpoint_id") or None)
        told = declared.get()
        kind = input_kind(loop.input)
        self._recorder.emit(
            "run.start",
            **known.common,
            input=kind,
            checkpoint=address,
            explicit=address is not None,
            fork=False,
            intent=told.get("intent"),
            answers=[{"wait": w, "digest": self._recorder.digest(v)} for w, v in answers_of(loop.input)],
            digest=self._recorder.digest(loop.input) if kind == "new" else None,
            job=told.get("job"),
            durability=text_id(getattr(loop, "durability", None)),
        )
        return known

    def _run_raised(self, frame: FrameType, known: Any, error: BaseException | None) -> None:
        if known is not None and not known.nested:
            self._end(known, "refused", error)

    def _leave_started(self, frame: FrameType) -> Any:
        return frame.f_locals.get("exc_value")

    def _leave_ended(self, frame: FrameType, error: Any, result: Any) -> None:
        loop = frame.f_locals["self"]
        known = self._loop(loop)
        if known.nested or known.run.ended:
            return
        status = str(getattr(loop, "status", ""))
        if type(error).__name__ in _INTERRUPTS or (error is None and status.startswith("interrupt_")):
            if status.startswith("interrupt_"):
                for task, name in static_waits(loop):
                    self._park(known, task, None, None, static=status.removeprefix("interrupt_"), name=name)
            self._end(known, "parked", None)
        elif error is None:
            self._end(known, "completed" if status == "done" else "failed", None, status)
        elif isinstance(error, GeneratorExit):
            self._end(known, "abandoned", None)
        elif isinstance(error, KeyboardInterrupt | asyncio.CancelledError):
            self._end(known, "cancelled", error)
        else:
            self._end(known, "failed", error)

    def _leave_raised(self, frame: FrameType, error: Any, other: BaseException | None) -> None:
        known = self._loop(frame.f_locals["self"])
        if not known.nested and not known.run.ended:
            self._end(known, "failed", other)

    def _end(self, known: Loop, outcome: str, error: BaseException | None, status: str = "") -> None:
        known.run.ended = True
        self._recorder.emit(
            "run.end",
            **known.common,
            outcome=outcome,
            error=type(error).__name__ if error is not None else status if outcome == "failed" else None,
        )
        gone = [key for key, each in self._prepared.items() if each.loop is not None and each.loop.run is known.run]
        for key in gone:
            self._prepared.pop(key, None)

    # checkpoints

    def _load_started(self, frame: FrameType) -> Any:
        loop = _loading(frame)
        return self._loop(loop, frame) if loop is not None and not _is_inner(frame) else None

    def _load_ended(self, frame: FrameType, known: Any, result: Any) -> None:
        if known is None:
            return
        checkpoint = getattr(result, "checkpoint", None)
        self._recorder.emit(
            "checkpoint.load",
            **known.common,
            checkpoint=checkpoint["id"] if checkpoint is not None else None,
            digest=self._recorder.digest(checkpoint["channel_values"]) if checkpoint is not None else None,
            pending=pending(getattr(result, "pending_writes", None)),
        )

    def _save_started(self, frame: FrameType) -> Any:
        return None if _is_inner(frame) else True

    def _save_ended(self, frame: FrameType, outermost: Any, result: Any) -> None:
        if outermost is None:
            return
        found = frame.f_locals
        checkpoint, metadata = found["checkpoint"], found.get("metadata") or {}
        conf = configurable(found["config"])
        self._recorder.emit(
            "checkpoint.save",
            **self._common_of(frame, conf, "_checkpointer_put_after_previous"),
            checkpoint=checkpoint["id"],
            parent=text_id(conf.get("checkpoint_id") or None),
            step=metadata.get("step"),
            source=metadata.get("source"),
            digest=self._recorder.digest(checkpoint.get("channel_values")),
            valid=None,
            detail=None,
        )

    def _writes_started(self, frame: FrameType) -> Any:
        return None if _is_inner(frame) else True

    def _writes_ended(self, frame: FrameType, outermost: Any, result: Any) -> None:
        if outermost is None:
            return
        found = frame.f_locals
        conf = configurable(found["config"])
        task = text_id(found.get("task_id"))
        self._recorder.emit(
            "writes.save",
            **self._common_of(frame, conf, "", task),
            checkpoint=text_id(conf.get("checkpoint_id") or None),
            task=task,
            channels=[channel for channel, _ in found.get("writes") or ()],
        )

    def _common_of(self, frame: FrameType, conf: dict[str, Any], caller: str, task: str | None = None) -> dict[str, Any]:
        """The common keys of what a saver does; the run where it can be told."""
        above = frame.f_back
        if caller and above is not None and above.f_code.co_name == caller:
            return self._loop(above.f_locals["self"]).common
        thread, namespace = text_id(conf.get("thread_id")), conf.get("checkpoint_ns") or ""
        store = self._stores.of(frame.f_locals.get("self"))
        loops = [known for _, known in list(self._loops.values()) if not known.run.ended]
        fits = [
            each
            for each in loops
            if (each.common["thread"], each.common["namespace"], each.common["store"]) == (thread, namespace, store)
        ]
        if len({each.run.id for each in fits}) == 1:
            return fits[0].common
        graph = fits[0].common["graph"] if fits else None
        return {
            "framework": "langgraph",
            "store": store,
            "graph": graph,
            "thread": thread,
            "namespace": namespace,
            "run": None,
        }

    def _update_started(self, frame: FrameType) -> Any:
        above = frame.f_back
        return None if above is not None and above.f_code is frame.f_code else frame.f_locals.get("config")

    def _update_ended(self, frame: FrameType, config: Any, result: Any) -> None:
        if config is None:
            return
        found = frame.f_locals
        conf, made = configurable(config), configurable(result)
        address = text_id(conf.get("checkpoint_id") or None)
        nodes = [text_id(getattr(each, "as_node", None)) for step in found.get("supersteps") or () for each in step]
        self._recorder.emit(
            "state.update",
            framework="langgraph",
            store=self._stores.of(getattr(found.get("self"), "checkpointer", None)),
            graph=text_id(getattr(found.get("self"), "name", None)),
            thread=text_id(conf.get("thread_id")),
            namespace=conf.get("checkpoint_ns") or "",
            run=None,
            address=address,
            result=text_id(made.get("checkpoint_id")),
            as_node=nodes[0] if nodes else None,
            explicit=address is not None,
        )

    _aupdate_started = _update_started
    _aupdate_ended = _update_ended

    # tasks

    def _scratchpad_started(self, frame: FrameType) -> Any:
        found = frame.f_locals
        task = found.get("task_id")
        for owner, channel, value in found.get("pending_writes") or ():
            if owner == task and channel == "__resume__":
                return len(value) if isinstance(value, list) else 1
        return 0

    def _scratchpad_ended(self, frame: FrameType, recorded: Any, result: Any) -> None:
        answers = getattr(result, "resume", None)
        if answers is not None:
            self._prepared[id(answers)] = Prepared(answers, recorded)

    def _prepared_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        conf = configurable(getattr(result, "config", None))
        answers = getattr(conf.get("__pregel_scratchpad"), "resume", None)
        known = self._prepared.get(id(answers))
        if known is None:
            return
        loop = _of_loop(frame.f_back)
        if loop is None:  # get_state and the like prepare tasks that nobody runs
            self._prepared.pop(id(answers), None)
            return
        checkpoint = text_id(loop.checkpoint.get("id"))
        self._prepared[id(answers)] = Prepared(answers, known.recorded, result.id, self._loop(loop), checkpoint)

    def _memoised_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        found = frame.f_locals
        tasks = found.get("tasks")
        known = self._loop(found["self"])
        for task in tasks.values() if isinstance(tasks, dict) else ():
            if task.writes and task.id not in known.memoised:
                known.memoised.add(task.id)
                self._recorder.emit(
                    "task.end", **known.common, task=task.id, name=task.name, path=_path(task), outcome="memoised"
                )

    def _task_started(self, frame: FrameType) -> Any:
        task = frame.f_locals["task"]
        conf = configurable(task.config)
        known = self._prepared.get(id(getattr(conf.get("__pregel_scratchpad"), "resume", None)))
        loop = known.loop if known is not None else None
        if loop is None or known is None:
            return None
        whole = task.path[:1] == ("__pregel_pull",)
        self._recorder.emit(
            "task.start",
            **loop.common,
            task=task.id,
            name=task.name,
            path=_path(task),
            checkpoint=known.checkpoint,
            state=self._recorder.digest(task.input) if whole else None,
        )
        return (loop, task, loop.run.parks)

    def _task_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        self._task_over(state, "ok")

    def _task_raised(self, frame: FrameType, state: Any, error: BaseException | None) -> None:
        if state is None:
            return
        parked = any(base.__name__ in _INTERRUPTS for base in type(error).__mro__)
        if parked and state[0].run.parks == state[2]:  # raised by hand: nothing told of it before
            for wait in _waits_in(error) or [None]:
                self._park(state[0], state[1].id, wait, None)
        self._task_over(state, "parked" if parked else "failed", error)

    def _task_over(self, state: Any, outcome: str, error: BaseException | None = None) -> None:
        if state is not None:
            loop, task, _ = state
            failed = type(error).__name__ if error is not None and outcome == "failed" else None
            self._recorder.emit("task.end", **loop.common, task=task.id, name=task.name, outcome=outcome, error=failed)

    _atask_started = _task_started
    _atask_ended = _task_ended
    _atask_raised = _task_raised

    # waits

    def _wait_ended(self, frame: FrameType, state: Any, result: Any) -> None:
        found = self._waiting(frame)
        if found is not None:
            known, number = found
            fresh = None if number is None else number >= known.recorded
            self._recorder.emit(
                "wait.answer",
                **known.loop.common,  # type: ignore[union-attr]
                wait=None,
                task=known.task,
                ordinal=number,
                digest=self._recorder.digest(result),
                fresh=fresh,
            )

    def _wait_raised(self, frame: FrameType, state: Any, error: BaseException | None) -> None:
        found = self._waiting(frame)
        if found is not None and type(error).__name__ in _INTERRUPTS:
            waits = _waits_in(error)
            self._park(found[0].loop, found[0].task, waits[0] if waits else None, found[1])  # type: ignore[arg-type]

    def _waiting(self, frame: FrameType) -> tuple[Prepared, int | None] | None:
        conf = frame.f_locals.get("conf")
        scratchpad = conf.get("__pregel_scratchpad") if isinstance(conf, dict) else None
        known = self._prepared.get(id(getattr(scratchpad, "resume", None)))
        number = frame.f_locals.get("idx")
        if known is None or known.loop is None:
            return None
        return known, number if isinstance(number, int) else None

    def _park(self, known: Loop, task: str | None, wait: str | None, number: int | None, **more: Any) -> None:
        known.run.parks += 1
        self._recorder.emit("wait.park", **known.common, wait=wait, task=task, ordinal=number, **more)


def _waits_in(error: BaseException | None) -> list[str | None]:
    args = getattr(error, "args", ())
    found = args[0] if args and isinstance(args[0], tuple | list) else ()
    return [text_id(getattr(each, "id", None) or getattr(each, "interrupt_id", None)) for each in found]


def _path(task: Any) -> list[Any]:
    return [each if isinstance(each, str | int | bool) else str(type(each).__name__) for each in task.path[:4]]


def _loading(frame: FrameType) -> Any:
    """The loop that loads its checkpoint, if it is one that does: not a look at the state, nor a second look."""
    above, far = frame.f_back, 0
    while above is not None and far < 8:
        name = above.f_code.co_name
        if name in ("checkpoint_superseded", "acheckpoint_superseded"):
            return None
        if name in ("__enter__", "__aenter__") and "PregelLoop" in above.f_code.co_qualname:
            return above.f_locals.get("self")
        above, far = above.f_back, far + 1
    return None


def _of_loop(frame: FrameType | None) -> Any:
    """The loop whose method runs above."""
    far = 0
    while frame is not None and far < 8:
        if "PregelLoop." in frame.f_code.co_qualname:
            return frame.f_locals.get("self")
        frame, far = frame.f_back, far + 1
    return None


def _is_inner(frame: FrameType) -> bool:
    """Whether a saver's method was called by the same saver's, for the same thing: through ``super()`` or by its
    other form."""
    own = frame.f_locals.get("self")
    name = frame.f_code.co_name.removeprefix("a")
    above, far = frame.f_back, 0
    while above is not None and far < 6:
        if above.f_code.co_name.removeprefix("a") == name and above.f_locals.get("self") is own:
            return True
        above, far = above.f_back, far + 1
    return False


def _graph_name(frame: FrameType | None) -> str | None:
    far = 0
    while frame is not None and far < _FARTHEST:
        if frame.f_code.co_qualname in ("Pregel.stream", "Pregel.astream"):
            return text_id(getattr(frame.f_locals.get("self"), "name", None))
        frame, far = frame.f_back, far + 1
    return None
