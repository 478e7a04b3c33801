"""What is watched: functions by name and file, or by name and base class, and who is told of their calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Protocol


class Observer(Protocol):
    """Is told of the calls of watched functions. What ``started`` returns comes back at the end of the same call."""

    def started(self, event: str, frame: FrameType) -> Any:
        """A call begins: a coroutine or generator once, when its body is entered first."""

    def ended(self, event: str, frame: FrameType, state: Any, result: Any) -> None:
        """The call returned."""

    def raised(self, event: str, frame: FrameType, state: Any, error: BaseException | None) -> None:
        """The call was left by an exception, None where it cannot be told which."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A watched function.

    ``file`` is the end of its path, empty where a ``base`` (qualified name) of the class of its first argument
    decides; ``qualname`` is then the plain name.
    """

    observer: Observer
    event: str
    qualname: str
    file: str = ""
    base: str = ""

    @property
    def name(self) -> str:
        """The plain name of the function."""
        return self.qualname.rpartition(".")[2]


_MOST = 20_000


class Finder(Protocol):
    """Finds hooks for code that no list of hooks names."""

    names: frozenset[str]
    """Plain names of the functions it may know; all others are not asked for."""

    def find(self, code: CodeType, frame: FrameType) -> Hook | None:
        """The hook of the function."""


class CCalls(Protocol):
    """Watches calls into C, where the core can."""

    def install(self, monitoring: Any, tool: int) -> None:
        """Begin, under a tool's id of ``sys.monitoring``."""

    def look(self, code: CodeType) -> None:
        """A function is seen the first time."""

    def remove(self) -> None:
        """End."""


class Watched:
    """Finds the hook of a code object. Names are looked at first: nearly all calls end there."""

    def __init__(self, hooks: Iterable[Hook], finders: Iterable[Finder] = (), c_calls: CCalls | None = None) -> None:
        self.c_calls = c_calls
        self._hooks: dict[str, list[Hook]] = {}
        self._finders = tuple(finders)
        self._known: dict[int, tuple[CodeType, Hook | None]] = {}
        self.misses: set[int] = set()
        """Ids of code that is not watched: for cores, where a call costs too much."""
        for hook in hooks:
            self._hooks.setdefault(hook.name, []).append(hook)
        self.names = frozenset(self._hooks).union(*(finder.names for finder in self._finders))
        """Plain names of all that may be watched."""

    def find(self, frame: FrameType) -> Hook | None:
        """The hook of the function that runs in the frame."""
        code = frame.f_code
        known = self._known.get(id(code))
        if known is not None and known[0] is code:
            return known[1]
        found = self._find(code, frame)
        if len(self._known) < _MOST:  # the code is kept, so that no other takes its id
            self._known[id(code)] = (code, found)
            if found is None:
                self.misses.add(id(code))
        return found

    def is_final(self, code: CodeType) -> bool:
        """Whether a function that is not watched now never will be: no class decides about it."""
        return not any(hook.base for hook in self._hooks.get(code.co_name, ()))

    def _find(self, code: CodeType, frame: FrameType) -> Hook | None:
        for hook in self._hooks.get(code.co_name, ()):
            if hook.base:
                if code.co_argcount and _has_base(frame, code.co_varnames[0], hook.base):
                    return hook
            elif code.co_qualname == hook.qualname and _lies_in(code.co_filename, hook.file):
                return hook
        for finder in self._finders:
            if code.co_name in finder.names:
                found = finder.find(code, frame)
                if found is not None:
                    return found
        return None


def _lies_in(path: str, end: str) -> bool:
    path = path.replace("\\", "/")
    return path.endswith(end) and (len(path) == len(end) or path[-len(end) - 1] == "/")


def _has_base(frame: FrameType, first: str, base: str) -> bool:
    kind = type(frame.f_locals.get(first))
    return any(f"{each.__module__}.{each.__qualname__}" == base for each in kind.__mro__)
