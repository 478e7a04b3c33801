"""Calls whose receiver decides a finding: the few that are worth an inference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .calls import receiver_and_verb
from .modules import is_test
from .order import Order
from .project import FunctionKey, imported_files
from .registry import Unit
from .summary import Call
from .values import FunctionId

_DEPTH = 3
_DEFINED = re.compile(rb"^[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_OWN = frozenset(name for kind in (dict, list, set, str, bytes, tuple) for name in dir(kind))
_WHOLE = {"entrypoint", "router", "tool"}
"""Units whose effects matter though they do not wait themselves."""


@dataclass
class Undecided:
    """Finds such calls. ``read`` gives the bytes of a file."""

    order: Order
    read: Callable[[str], bytes | None]
    _looked_at: int = -1
    _imports: set[str] = field(default_factory=set)
    _defined: dict[str, set[bytes]] = field(default_factory=dict)
    """The methods defined in files that are imported but were not summarised, by their bytes."""
    _acting: dict[str, bool] = field(default_factory=dict)
    _waiting: dict[str, bool] = field(default_factory=dict)

    def ask(self, units: Iterable[Unit]) -> set[FunctionId]:
        """Ask for what the receivers are; gives the functions of which more is known now."""
        receivers = self.order.registry.receivers
        if receivers is None:
            return set()
        return {f for f, call in self._calls(units) if receivers.ask(call, f[0])}

    def _calls(self, units: Iterable[Unit]) -> Iterator[tuple[FunctionId, Call]]:
        whole: set[FunctionId] = set()
        rest: set[FunctionId] = set()
        for unit in units:
            closure = self.order.closure([unit.function])
            waits = any(any(self.order.outlines[f].waits) for f in closure)
            (whole if waits or unit.kind in _WHOLE else rest).update(closure)
        for function in sorted(whole | rest):
            if not is_test(function[0]):
                for call in self.order.outlines[function].open:
                    if self._decides(call, function in whole):
                        yield function, call

    def _decides(self, call: Call, acts: bool) -> bool:
        """Whether the call may wait; or act, where that matters."""
        receiver, verb = receiver_and_verb(call.func)
        if acts and self.order.resolver.effects.might(receiver, verb):
            return True
        if verb in _OWN or verb in self._running or verb.startswith("__"):
            return False
        self._bring_in(verb)
        if acts and self._leads(verb, self._effects, self._acting, _DEPTH):
            return True
        return self._leads(verb, self._waits, self._waiting, _DEPTH)

    def _bring_in(self, verb: str) -> None:
        """Summarise the imported files that define a method of that name, so that its class can be told."""
        project = self.order.resolver.project
        while len(project.files) != self._looked_at:
            self._looked_at = len(project.files)
            self._acting.clear()
            self._waiting.clear()
            for file in list(project.files.values()):
                if file.path not in self._imports:
                    self._imports.add(file.path)
                    for path in imported_files(project, file):
                        if path not in project.files and path not in self._defined:
                            self._defined[path] = set(_DEFINED.findall(self.read(path) or b""))
        for path in sorted(path for path, names in self._defined.items() if verb.encode() in names):
            if path not in project.files and path not in project.failed:
                project.file(path)

    def _leads(self, name: str, ends: frozenset[str], known: dict[str, bool], depth: int) -> bool:
        """Whether a method of that name in some class of the project calls one of ``ends``, judged by names."""
        if name not in known:
            known[name] = False
            known[name] = any(self._calls_out(key, ends, known, depth) for key in self._methods(name))
        return known[name]

    def _methods(self, name: str) -> list[FunctionKey]:
        files = self.order.resolver.project.files
        return [
            (path, each.methods[name])
            for path in sorted(files)
            if not is_test(path)
            for each in files[path].classes.values()
            if name in each.methods
        ]

    def _calls_out(self, key: FunctionKey, ends: frozenset[str], known: dict[str, bool], depth: int) -> bool:
        might = self.order.resolver.effects.might
        for call in self.order.resolver.project.facts(key).calls:
            receiver, verb = receiver_and_verb(call.func)
            if verb in ends or (ends is self._effects and might(receiver, verb)):
                return True
            if depth and verb and verb not in _OWN and self._leads(verb, ends, known, depth - 1):
                return True
        return False

    @cached_property
    def _waits(self) -> frozenset[str]:
        roles = self.order.resolver.knowledge.roles
        return _last(name for name, found in roles.items() if any(role.kind == "wait" for role in found))

    @cached_property
    def _effects(self) -> frozenset[str]:
        rules = self.order.resolver.effects.rules.exact()
        return _last(name for name, rule in rules.items() if rule.action == "effect")

    @cached_property
    def _running(self) -> frozenset[str]:
        """The methods that run a graph, which models and chains have, too."""
        runs = self.order.resolver.knowledge.entries["run"]
        return frozenset(method for role in runs for method in role.options["methods"])


def _last(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in names)
