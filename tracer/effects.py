"""Effects as they happen: calls of library functions that the effect tables know, and functions the user declared.

An effect is written before the call goes on, its outcome after it. Calls that a model client, a telemetry exporter,
a saver or a framework's own store makes are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any

from ..analyzer.knowledge import effect_index
from .hooks import Hook
from .places import owner
from .recorder import Recorder

_FARTHEST = 200
"""Frames that are looked at, up from an effect."""

_RUNNERS = ("run_with_retry", "arun_with_retry")
_SAVING = ("put", "aput", "put_writes", "aput_writes", "get_tuple", "aget_tuple")

TaskOf = Callable[[Any], Any]
"""A configuration to what is known of its task: (id, the keys that its events have), or None."""


class Effects:
    """Finds the code of effects and is told of its calls."""

    def __init__(self, recorder: Recorder, declared: Sequence[str], task_of: TaskOf) -> None:
        self._recorder = recorder
        self._task_of = task_of
        self._open: dict[int, tuple[CodeType, str]] = {}
        self._packages = effect_index.load()[1]
        self._declared = {f"{file}:{qualname}": name for name in declared for file, qualname in _splits(name)}
        self.names = effect_index.load()[0] | {name.rpartition(".")[2] for name in declared}

    # hooks.Finder

    def find(self, code: CodeType, frame: FrameType) -> Hook | None:
        """The hook of a function that the tables know as an effect, or that the user declared."""
        path = code.co_filename.replace("\\", "/")
        for key, name in self._declared.items():
            file, _, qualname = key.partition(":")
            if code.co_qualname == qualname and (path == file or path.endswith("/" + file)):
                return Hook(self, "declared", name)
        module = frame.f_globals.get("__name__")
        if not isinstance(module, str) or module.split(".", 1)[0] not in self._packages:
            return None
        from ..analyzer.knowledge import effects

        table = effects.load()
        for name in _public(module, code.co_qualname):
            rule = table.lookup(name)
            if rule is not None:
                return Hook(self, "effect", name) if rule.action == "effect" and rule.tool is None else None
        return None

    # hooks.Observer

    def started(self, event: str, frame: FrameType) -> Any:
        """See ``hooks.Observer``."""
        code = frame.f_code
        given = _given(frame)
        found = _above(frame, self._open)
        if found is None:
            return None
        name, kind, idempotent, keys = self._judge(event, code, frame, given)
        if not name:
            return None
        task, common = self._task(frame)
        made = self._recorder.new_id("e")
        self._open[id(frame)] = (code, made)
        self._recorder.emit(
            "effect",
            **common,
            effect=made,
            name=name,
            effect_kind=kind,
            task=task,
            within=found[0],
            digest=self._recorder.digest(given),
            key=self._recorder.digest(keys) if keys else None,
            idempotent=idempotent,
            path=found[1],
            line=found[2],
        )
        return (made, common, task, name)

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """See ``hooks.Observer``."""
        self._over(frame, state, "ok")

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """See ``hooks.Observer``."""
        self._over(frame, state, "failed", error)

    def _over(self, frame: FrameType, state: Any, outcome: str, error: BaseException | None = None) -> None:
        if state is None:
            return
        self._open.pop(id(frame), None)
        made, common, task, name = state
        failed = type(error).__name__ if error is not None else None
        self._recorder.emit("effect.end", **common, effect=made, task=task, name=name, outcome=outcome, error=failed)

    def _judge(
        self, event: str, code: CodeType, frame: FrameType, given: Mapping[str, Any]
    ) -> tuple[str, str, bool, list[Any]]:
        """Name, kind, whether a repetition is harmless, and the values of its idempotency keys; no name: no effect."""
        module = str(frame.f_globals.get("__name__"))
        if event == "declared":
            path = code.co_filename.replace("\\", "/")
            for key, name in self._declared.items():
                file, _, qualname = key.partition(":")
                if code.co_qualname == qualname and path.endswith(file):
                    return name, "declared", False, []
        from ..analyzer.knowledge import effects

        table = effects.load()
        args, kwargs = _arguments(code, given)
        for name in _public(module, code.co_qualname):
            if table.lookup(name) is not None:
                effect = table.classify(name, args, kwargs)
                if effect is None or effect.action != "effect":
                    break
                flat = {key.lower(): value for key, value in _flat(_named(code, given), 2)}
                keys = [flat.get(key.lower()) for key in effect.given]
                return effect.name, effect.kind, effect.idempotent and not effect.given, keys
        return "", "", False, []

    def _task(self, frame: FrameType) -> tuple[str | None, dict[str, Any]]:
        conf = _configuration(frame)
        found = self._task_of(conf) if conf is not None else None
        return found if found is not None else (None, {"framework": None, "run": None})


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """The files and qualified names that a dotted name may stand for: ``a.b.C.f`` is ``C.f`` of ``a/b.py``."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        folder, rest = "/".join(parts[:end]), ".".join(parts[end:])
        yield f"{folder}.py", rest
        yield f"{folder}/__init__.py", rest


def _public(module: str, qualname: str) -> Iterator[str]:
    """The names a function may be known by, shortest first: packages re-export what their modules define."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        yield f"{'.'.join(parts[:end])}.{qualname}"


def _given(frame: FrameType) -> dict[str, Any]:
    """The arguments of a call by parameter, ``self`` left out; ``*args`` and ``**kwargs`` under their own names."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    found = frame.f_locals
    names = code.co_varnames[:count]
    return {name: found.get(name) for name in names if name not in ("self", "cls")}


def _arguments(code: CodeType, given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as the effect tables want them."""
    from ..analyzer.knowledge.arguments import Argument

    def literal(value: Any) -> Argument:
        plain = value is None or type(value) in (str, int, float, bool)
        return Argument(value if plain else None, plain)

    positional = [name for name in code.co_varnames[: code.co_argcount] if name in given]
    args = [literal(given[name]) for name in positional]
    kwargs = {name: literal(value) for name, value in _flat(_named(code, given), 2)}
    return args, {name: item for name, item in kwargs.items() if not item.is_none}


def _named(code: CodeType, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name, those of ``**kwargs`` among them."""
    spread = _keywords(code) if code.co_flags & 8 else ""
    more = given.get(spread)
    named = {name: value for name, value in given.items() if name != spread}
    return {**named, **more} if type(more) is dict else named


def _flat(values: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    """Entries, and those of dicts inside under dotted keys: ``headers.Idempotency-Key``."""
    for name, value in values.items():
        yield name, value
        if depth and type(value) is dict:
            inner = {key: item for key, item in value.items() if type(key) is str}
            yield from ((f"{name}.{key}", item) for key, item in _flat(inner, depth - 1))


def _keywords(code: CodeType) -> str:
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)]


def _above(
    frame: FrameType, open_: Mapping[int, tuple[CodeType, str]]
) -> tuple[str | None, str | None, int | None] | None:
    """(effect it runs inside, path and line of the user's code that caused it); None where it is no effect."""
    above, far = frame.f_back, 0
    within: str | None = None
    while above is not None and far < _FARTHEST:
        code = above.f_code
        known = open_.get(id(above))
        if within is None and known is not None and known[0] is code:
            within = known[1]
        whose = owner(code.co_filename)
        if whose == "user" and code.co_name not in _SAVING:
            return within, code.co_filename, above.f_lineno
        if whose == "quiet" or (whose == "user" and _is_saver(above)):
            return None
        if code.co_name in _RUNNERS:
            break
        above, far = above.f_back, far + 1
    return within, None, None


def _is_saver(frame: FrameType) -> bool:
    own = type(frame.f_locals.get("self"))
    return any(base.__name__ == "BaseCheckpointSaver" for base in own.__mro__)


def _configuration(frame: FrameType) -> Any:
    """The configuration of the task that runs here: langchain's own context variable, or the runner's frame."""
    import sys

    config = sys.modules.get("langchain_core.runnables.config")
    variable = getattr(config, "var_child_runnable_config", None)
    current = variable.get() if variable is not None else None
    if isinstance(current, dict) and isinstance(current.get("configurable"), dict):
        return current["configurable"]
    above, far = frame.f_back, 0
    while above is not None and far < _FARTHEST:
        if above.f_code.co_name in _RUNNERS:
            return getattr(above.f_locals.get("task"), "config", {}).get("configurable")
        above, far = above.f_back, far + 1
    return None
