"""Effects as they happen: calls of library functions that the effect tables know, and functions the user declared.

An effect is written before the call goes on, its outcome after it. Calls that a model client, a telemetry exporter,
a saver or a framework's own store makes are none. SQL counts at commit: see ``transactions``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

from ..analyzer.knowledge import effect_frames, effect_index
from ..analyzer.knowledge.effect_frames import EffectFrame
from . import effect_calls
from .c_calls import CCalls
from .declared import Declarations, Declared
from .effect_calls import QUIET, Judged
from .effect_record import Effects, TaskOf
from .hooks import Hook
from .paths import holds, read, text_of
from .places import installed, module
from .recorder import Recorder

_OPTIMIZED = 1

C_CALLS = "calls into C"
DECLARED = "declared effects"
"""They stand for the framework in the events that say what was met, and what can be seen."""

_HANDING = {
    ("threading.py", "Thread.start"): "thread",
    ("concurrent/futures/thread.py", "ThreadPoolExecutor.submit"): "submit",
    ("concurrent/futures/thread.py", "_WorkItem.run"): "item",
    ("asyncio/base_events.py", "BaseEventLoop.create_task"): "task",
}


class EffectFinder:
    """Finds the code of effects. ``effects`` keeps what is known of them, ``declarations`` what the user declared."""

    def __init__(self, recorder: Recorder, declared: Sequence[Declared], task_of: TaskOf) -> None:
        self.effects = Effects(recorder, task_of)
        self.c_calls = CCalls(self.effects)
        self.declarations = Declarations(declared)
        self._index = effect_index.load()
        self._frames = effect_frames.load()
        self._by_name: dict[str, list[EffectFrame]] = {}
        for spec in self._frames:
            for name in spec.plain_names:
                self._by_name.setdefault(name, []).append(spec)
        handing = {qualname.rpartition(".")[2] for _, qualname in _HANDING}
        self.names = self._index.names | self.declarations.names | frozenset(self._by_name) | handing

    # hooks.Finder

    def find(self, code: CodeType, frame: FrameType) -> Hook | None:
        """The hook of a function that the tables know as an effect, or that the user declared."""
        if not code.co_flags & _OPTIMIZED:  # the body of a class or module has the name of what it makes
            return None
        declared = self.declarations.of(code, frame)
        if declared is not None:
            return Hook(_DeclaredCall(self.effects, declared), "effect", declared.name)
        file = installed(code.co_filename)
        handing = _HANDING.get((file, code.co_qualname))
        if handing is not None:
            return Hook(_Handing(self.effects), handing, code.co_qualname)
        for spec in self._by_name.get(code.co_name, ()):
            if spec.covers(file, code.co_qualname):
                if spec.does:
                    return Hook(_Ending(self.effects, spec), "effect", code.co_qualname)
                return Hook(_FrameCall(self.effects, spec), "effect", spec.effect) if spec.effect else None
        name = module(file) if file else frame.f_globals.get("__name__")
        if not isinstance(name, str) or not self._index.may_hold(name, code.co_qualname):
            return None
        return self._in_tables(name, code)

    def tell_declared(self) -> None:
        """Write which declared effects were met, and which never."""
        if self.declarations.names:
            self.effects.recorder.emit(
                "hooks",
                framework=DECLARED,
                version=None,
                observed=sorted(self.declarations.met),
                not_observed=self.declarations.not_met(),
            )

    def tell_c_calls(self, seen: bool) -> None:
        """Write whether calls into C are seen."""
        modules = sorted({name.partition(".")[0] for each in effect_frames.c_calls() for name in each.types})
        observed, not_observed = (modules, []) if seen else ([], modules)
        self.effects.recorder.emit(
            "hooks", framework=C_CALLS, version=None, observed=observed, not_observed=not_observed
        )

    def _in_tables(self, module_name: str, code: CodeType) -> Hook | None:
        from ..analyzer.knowledge import effects

        table = effects.load()
        for name in _public(module_name, code.co_qualname):
            rule = table.lookup(name)
            if rule is not None:
                if rule.action == "read":
                    return Hook(_Read(self.effects), "read", name)
                known = rule.tool is None and rule.action != "none"  # what is none may call what is one
                return Hook(_TableCall(self.effects, name), "effect", name) if known else None
        return None


class _Call:
    """Observes calls that are effects."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects

    def started(self, event: str, frame: FrameType) -> Any:
        """See ``hooks.Observer``."""
        judged = self._judge(frame)
        return self._effects.begin(frame, judged) if judged is not None else None

    def _judge(self, frame: FrameType) -> Judged | None:
        """None: no effect, but what it calls may be one."""
        raise NotImplementedError

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """See ``hooks.Observer``."""
        self._effects.leave(frame)
        self._effects.done(state)

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """See ``hooks.Observer``."""
        self._effects.leave(frame)
        self._effects.end(state, "failed", error)


class _TableCall(_Call):
    """Of a function that the tables know by its own name."""

    def __init__(self, effects: Effects, name: str) -> None:
        super().__init__(effects)
        self._name = name

    def _judge(self, frame: FrameType) -> Judged | None:
        return effect_calls.by_table(self._name, frame)


class _Read(_Call):
    """Of a function that reads, whatever requests it sends for it."""

    def _judge(self, frame: FrameType) -> Judged | None:
        return QUIET


class _DeclaredCall(_Call):
    """Of a function that the user declared."""

    def __init__(self, effects: Effects, declared: Declared) -> None:
        super().__init__(effects)
        self._declared = declared

    def _judge(self, frame: FrameType) -> Judged | None:
        return self._declared.judge(frame)


class _FrameCall(_Call):
    """Of a function that the tables know otherwise; it may be part of a transaction."""

    def __init__(self, effects: Effects, spec: EffectFrame) -> None:
        super().__init__(effects)
        self._spec = spec

    def started(self, event: str, frame: FrameType) -> Any:
        """See ``hooks.Observer``."""
        judged = effect_calls.by_frame(self._spec, frame)
        effect = self._effects.begin(frame, judged) if judged is not None else None
        if not self._spec.connection:
            return effect
        found = frame.f_locals
        text = text_of(read(found, self._spec.given[0])) if judged is QUIET or judged is None else None
        return (effect, read(found, self._spec.connection), text)

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """See ``hooks.Observer``."""
        self._effects.leave(frame)
        if not isinstance(state, tuple):
            self._effects.done(state)
            return
        effect, connection, text = state
        if effect is None:
            if text and connection is not None:
                self._effects.transactions.text(connection, text)
        elif self._spec.unsure and any(holds(frame.f_locals, path) for path in self._spec.unsure):
            self._effects.end(effect, "unknown")
        elif connection is None or not self._is_in_transaction(frame):
            self._effects.done(effect)
        else:
            self._effects.wait(effect, connection)

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """See ``hooks.Observer``."""
        super().raised(event, frame, state[0] if isinstance(state, tuple) else state, error)

    def _is_in_transaction(self, frame: FrameType) -> bool:
        found = frame.f_locals
        if any(holds(found, path) for path in self._spec.idle):
            return False
        return not self._spec.busy or any(holds(found, path) for path in self._spec.busy)


class _Ending:
    """Observes what ends transactions."""

    def __init__(self, effects: Effects, spec: EffectFrame) -> None:
        self._effects = effects
        self._spec = spec

    def started(self, event: str, frame: FrameType) -> Any:
        """See ``hooks.Observer``."""
        found = frame.f_locals
        text = text_of(read(found, self._spec.given[0])) if self._spec.does == "text" else ""
        return (read(found, self._spec.connection), text)

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """See ``hooks.Observer``."""
        if state is None or state[0] is None:
            return
        connection, text = state
        if self._spec.does != "text":
            self._effects.transactions.end(connection, self._spec.does)
        elif text:
            self._effects.transactions.text(connection, text)

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """See ``hooks.Observer``."""
        if state is not None and state[0] is not None and self._spec.does == "commit":
            self._effects.transactions.end(state[0], "unknown")


class _Handing:
    """Observes work that is handed to other threads and tasks."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects

    def started(self, event: str, frame: FrameType) -> Any:
        """See ``hooks.Observer``."""
        found = frame.f_locals
        handed = self._effects.handed
        if event == "item":
            return getattr(found.get("self"), "kwargs", None)
        if _is_step(frame):
            return None
        if event == "task":
            coroutine = found.get("coro")
            if getattr(coroutine, "cr_frame", None) is not None:
                handed.coroutine(coroutine, self._effects.cause(frame))
        elif event == "thread":
            handed.thread(found.get("self"), self._effects.cause(frame))
        else:
            handed.item(found.get("kwargs"), self._effects.cause(frame))
        return None

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """See ``hooks.Observer``."""
        if event == "item":
            self._effects.handed.item_done(state)

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """See ``hooks.Observer``."""
        self.ended(event, frame, state, None)


def _is_step(frame: FrameType) -> bool:
    """Whether LangGraph hands over a step of a graph, or what it saves: what runs there has its task by itself."""
    above = frame.f_back
    for _ in range(_NEAR):
        if above is None:
            return False
        if above.f_code.co_filename.endswith("langgraph/pregel/_executor.py"):
            return True
        above = above.f_back
    return False


_NEAR = 5


def _public(module_name: str, qualname: str) -> Iterator[str]:
    """The names a function may be known by, shortest first: packages re-export what their modules define."""
    parts = module_name.split(".")
    for end in range(1, len(parts) + 1):
        yield f"{'.'.join(parts[:end])}.{qualname}"
