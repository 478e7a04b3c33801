"""What receivers are that the linker cannot tell: asked of astroid, in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from .calls import Targets, receiver_and_verb, targets_of
from .discover import FoundFile
from .inference import Found, Inference, serve, stubs
from .reading import process_context
from .solver import Value
from .summary import Call
from .values import FunctionId, Resolver

MOST = 400
"""Questions of one audit."""
SECONDS = 30.0
"""The longest wait for an answer; then no more is asked."""

CallPlace = tuple[str, int, int, int, int]
"""Path, first line and byte column, last line and byte column."""


@dataclass
class Receivers:
    """Starts the process at the first question. ``gave_up`` says why it ended early, if it did."""

    root: Path
    files: Mapping[str, FoundFile]
    resolver: Resolver
    gave_up: str = ""
    _answers: dict[CallPlace, tuple[Value, ...]] = field(default_factory=dict)
    _process: BaseProcess | None = None
    _connection: Connection | None = None

    def targets(self, call: Call, function: FunctionId) -> Targets | None:
        """Where a call goes, by what was answered of its receiver; None where nothing is known."""
        values = self._answers.get(_at(call, function[0]))
        if not values:
            return None
        verb = receiver_and_verb(call.func)[1]
        methods = self.resolver.solver.solve(lambda: self.resolver.attributes(values, verb))
        found = targets_of(self.resolver, methods, call, function)
        return found if found.known else None

    def ask(self, call: Call, path: str) -> bool:
        """Ask what the receiver of a call is; True where that became known now."""
        place = _at(call, path)
        if place in self._answers or not path.endswith(".py"):
            return False
        found = self._ask(place, receiver_and_verb(call.func)[1])
        self._answers[place] = tuple(self._value(each) for each in found if each[0])
        return bool(self._answers[place])

    def close(self) -> None:
        """End the process."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._connection = self._process = None

    def _ask(self, place: CallPlace, verb: str) -> list[Found]:
        if self.gave_up:
            return []
        if len(self._answers) >= MOST:
            self.gave_up = f"more than {MOST} receivers cannot be told by names and imports; the rest was not inferred"
            return []
        path = place[0]
        try:
            connection = self._connection or self._start()
            connection.send((path, place[1:], verb))
            if connection.poll(SECONDS):
                found: list[Found] = connection.recv()
                return found
            self.gave_up = f"{path}: inferring a receiver took longer than {SECONDS:.0f} s; no more was inferred"
        except (EOFError, OSError):
            self.gave_up = f"{path}: inferring a receiver ended its process; no more was inferred"
        self.close()
        return []

    def _start(self) -> Connection:
        context = process_context()
        ours, theirs = context.Pipe()
        effects = self.resolver.effects
        names = [*effects.rules.exact(), *effects.types.exact(), *self.resolver.knowledge.roles]
        inference = Inference(self.root, self.files, self.resolver.project.modules, stubs(names))
        self._process = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs, ours, inference), daemon=True
        )
        self._process.start()
        theirs.close()
        self._connection = ours
        return ours

    def _value(self, found: Found) -> Value:
        kind, name, line = found
        if kind == "mod":
            return ("mod", name)
        if kind == "inst":
            return ("inst", self.resolver.canonical(name), ())
        if kind == "own":
            return ("inst", f"builtins.{name}", ())
        file = self.resolver.project.file(name)
        found_class = next((each for each in file.summary.classes if each.line == line), None) if file else None
        return (kind, name, found_class.qualname) if found_class else ("res", name)


def _at(call: Call, path: str) -> CallPlace:
    return (path, call.line, call.column, call.end_line, call.end_column)
