"""Attaching to the running process, and letting go of it."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..analyzer.knowledge import hooks as knowledge
from .cores.choice import choose
from .cores.protocol import CannotAttach, Core
from .declared import Given
from .declared import declared as declarations
from .digests import BadKey, Digests, load_key
from .effects import EffectFinder
from .hooks import Hook, Watched
from .langgraph.observer import LangGraph
from .recorder import Recorder, declared, say
from .store import Limits, Store

DEFAULT = Path(".resume-audit") / "traces"


@dataclass(frozen=True, slots=True)
class Settings:
    """How to trace: the store's folder, the core asked for (None: the best there is), sizes in bytes."""

    store: Path = DEFAULT
    core: str | None = None
    limits: Limits = field(default_factory=Limits)


class Session:
    """A process being traced. ``is_on`` is False where it could not be attached; then nothing was changed."""

    def __init__(
        self,
        recorder: Recorder | None,
        core: Core | None,
        watched: Watched | None,
        settings: Settings,
        finder: EffectFinder | None = None,
    ) -> None:
        self._recorder = recorder
        self._core = core
        self._watched = watched
        self._finder = finder
        self.at_end: list[Callable[[], None]] = []
        """Called when the session ends, before its store is closed."""
        self.settings = settings

    @property
    def is_on(self) -> bool:
        """Whether calls are being watched."""
        return self._core is not None

    @property
    def events(self) -> int:
        """How many events this process has written."""
        return self._recorder.store.events if self._recorder is not None else 0

    def detach(self) -> None:
        """Stop watching and close the store. Calling it twice is no fault."""
        core, recorder = self._core, self._recorder
        if core is None or recorder is None:
            return
        still = core.is_installed()
        core.remove()
        for stop in self.at_end:
            stop()
        self._core = None
        atexit.unregister(self.detach)
        if not still:
            recorder.emit("trace.gap", reason="tracer fault", since=time.time_ns(), detail="the core was taken away")
            recorder.warn("another tool took the place of the trace function: the trace is incomplete")
        if not recorder.store.lost and not recorder.store.is_there():
            recorder.store.lost = "its files were removed while they were written"
            recorder.warn(f"recording stopped: {recorder.store.lost}")
        if self._finder is not None:
            self._finder.tell_declared()
        recorder.emit("process.end", pid=os.getpid(), outcome="exited")
        recorder.store.close()
        _sessions.discard(self)

    def _forked(self) -> None:
        """In a child made by fork: the same watching, another file."""
        if self._recorder is None or self._core is None:
            return
        for renew in self._recorder.at_fork:
            renew()
        self._recorder.store.leave()
        try:
            self._recorder.store.begin()
        except OSError as error:
            self._recorder.store.lost = f"{type(error).__name__}: {error}"
            self._recorder.warn(f"the trace of a forked child is lost: {error}")
            return
        if self._finder is not None:
            self._finder.effects.transactions.forget()
        _begin(self._recorder)


_sessions: set[Session] = set()
_registered: list[bool] = []


def attach(
    store: str | os.PathLike[str] | None = None,
    *,
    effects: Sequence[Given] = (),
    core: str | None = None,
    fsync: bool = False,
    max_size: int | None = None,
    audit: bool = False,
) -> Session:
    """Watch this process from now on and write what it does to ``store`` (a folder, made if need be).

    ``effects``: qualified names of functions of the program that act (``shop.payments.charge``), or tables with
    ``name``, ``once`` and ``key`` as the configuration has them.
    ``core``: ``"settrace"``, ``"monitoring"``, or None for the best this Python has. ``fsync`` forces every event to
    the disk. ``max_size``: bytes after which recording stops. ``audit``: hear Python's audit events, too, for effects
    that nothing else sees (files opened for writing, ``os``, sockets); such a hook stays, silent, after the end.
    Where it cannot attach it says so once on standard error and gives a session that is off. Raises ValueError for a
    core that does not exist and for what is no effect.
    """
    settings = Settings(Path(store) if store is not None else DEFAULT, core)
    settings = replace(settings, limits=replace(settings.limits, fsync=fsync))
    if max_size is not None:
        settings = replace(settings, limits=replace(settings.limits, largest=max_size))
    declared_effects = declarations(effects)
    off = Session(None, None, None, settings)
    if _sessions:
        say("not attached: this process is being traced already")
        return off
    try:
        chosen, why = choose(core)
    except CannotAttach as error:
        say(f"not attached: {error}")
        return off
    try:
        settings.store.parent.mkdir(parents=True, exist_ok=True)
        settings.store.mkdir(mode=0o700, exist_ok=True)
        digests = Digests(load_key(settings.store))
        opened = Store(settings.store, {"tool": _tool(), "core": chosen.name, "why": why}, settings.limits)
    except (OSError, BadKey) as error:
        say(f"not attached: the store {settings.store} cannot be used: {error}")
        return off
    recorder = Recorder(opened, digests)
    langgraph = LangGraph(recorder, knowledge.load("langgraph"))
    finder = EffectFinder(recorder, declared_effects, langgraph.keys_of)
    watched = Watched(_hooks(langgraph), [finder], finder.c_calls if chosen.name == "monitoring" else None)
    try:
        chosen.install(watched, recorder)
    except CannotAttach as error:
        say(f"not attached: {error}")
        opened.close()
        return off
    session = Session(recorder, chosen, watched, settings, finder)
    _sessions.add(session)
    _begin(recorder)
    if audit:
        from . import audit as audit_hook

        audit_hook.start(finder.effects)
        session.at_end.append(audit_hook.stop)
    finder.tell_c_calls(chosen.name == "monitoring")
    atexit.register(session.detach)
    if not _registered and hasattr(os, "register_at_fork"):
        _registered.append(True)
        os.register_at_fork(after_in_child=_after_fork)
    return session


@contextmanager
def recording(
    store: str | os.PathLike[str] | None = None, *, effects: Sequence[Given] = (), core: str | None = None
) -> Iterator[Session]:
    """``attach`` for as long as the block runs."""
    session = attach(store, effects=effects, core=core)
    try:
        yield session
    finally:
        session.detach()


@contextmanager
def call(*, intent: str | None = None, job: str | None = None) -> Iterator[None]:
    """Say what the next call into a framework is meant as.

    ``intent``: ``"retry"`` (the same delivery again) or ``"fork"`` (another answer on purpose). ``job``: the caller's
    own name for the logical run. Raises ValueError for another intent.
    """
    if intent not in (None, "retry", "fork"):
        raise ValueError(f"intent is 'retry' or 'fork', not {intent!r}")
    token = declared.set({"intent": intent, "job": job})
    try:
        yield
    finally:
        declared.reset(token)


def _after_fork() -> None:
    for session in list(_sessions):
        session._forked()


def _begin(recorder: Recorder) -> None:
    command = sys.argv[0] if sys.argv else ""
    recorder.emit("process.start", pid=os.getpid(), host=recorder.store.process.split("-")[0], command=command)


def _hooks(observer: LangGraph) -> Iterator[Hook]:
    for hook in observer.framework.hooks:
        for function in hook.names:
            yield Hook(observer, hook.event, function, hook.file, hook.base)


def _tool() -> str:
    from .. import __version__

    return __version__


__all__: Sequence[str] = ("DEFAULT", "Session", "attach", "call", "recording")
