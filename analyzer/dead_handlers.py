"""Handlers for the exception of a wait around the run of a whole graph: there a park is returned, not raised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from .calls import receiver_and_verb, targets
from .facts import walk_calls
from .order import Order
from .paths import Link
from .registry import Registry, Unit
from .state_writes import statements
from .summary import Call, Handler, Raise, Stmt
from .values import FunctionId, Site

_DEPTH = 3


@dataclass(frozen=True, slots=True)
class DeadHandler:
    """A handler that never runs, and the run it stands around: over ``way``, the calls that lead to it."""

    function: FunctionId
    handler: Handler
    name: str
    run: Link
    way: tuple[Link, ...]
    graph: Site | None
    """Where the graph is built; None for one that is told by its name."""


@dataclass
class DeadHandlers:
    """Finds them outside the code that graphs run."""

    order: Order
    registry: Registry
    units: Sequence[Unit]

    def find(self) -> Iterator[DeadHandler]:
        """Every dead handler, by place."""
        resolver = self.registry.resolver
        names = set(resolver.knowledge.table("suspension", "exceptions"))
        lasts = {name.rpartition(".")[2] for name in names}
        keys = {key for last in lasts for key in resolver.project.mentioning(last)}
        inside = self.order.closure((unit.function for unit in self.units), recorded=True) | self.order.in_unit
        within = {function[:2] for function in inside}
        for key in sorted(keys):
            if key in within or self._is_given_state(key):
                continue
            function = (*key, "")
            for item, handler in resolver.project.facts(key).handlers:
                caught = self._caught(handler, function, names)
                if not caught or _only_raises(handler.body):
                    continue
                found = self._run(item.body, function, (), _DEPTH)
                if found is not None and not self._waits(item.body, function):
                    yield DeadHandler(function, handler, caught, *found)

    def _is_given_state(self, key: tuple[str, str]) -> bool:
        """Whether a function has the shape of a node, or stands in one that has."""
        head = self.registry.resolver.project.function(key)
        while head is not None:
            params = [param.name for param in head.params if param.name not in ("self", "cls")]
            if params[:1] == ["state"] or {"runtime", "tool_call_id", "handler"}.intersection(params):
                return True
            head = self.registry.resolver.project.function((key[0], head.parent)) if head.parent else None
        return False

    def _caught(self, handler: Handler, function: FunctionId, names: set[str]) -> str:
        """The exception of a wait that a handler names; empty if it is for others, too."""
        resolver = self.registry.resolver
        found: list[str] = []
        for item in handler.types or ():
            mine = [v[1] for v in resolver.of(item, function) if v[0] == "ext" and resolver.canonical(v[1]) in names]
            if not mine:
                return ""
            found += mine
        return found[0].rpartition(".")[2] if found else ""

    def _run(
        self, body: Sequence[Stmt], function: FunctionId, way: tuple[Link, ...], depth: int
    ) -> tuple[Link, tuple[Link, ...], Site | None] | None:
        """The first run of a graph among the statements, or in what they call."""
        resolver = self.registry.resolver
        roles = resolver.knowledge.entries["run"]
        methods = {method for role in roles for method in role.options["methods"]}
        inner: list[tuple[FunctionId, Call]] = []
        for call in _calls(body):
            receiver, verb = receiver_and_verb(call.func)
            reached = targets(resolver, call, function)
            flows = [target for target in reached.functions if self.registry.kind(target[:2]) == "entrypoint"]
            built = [site for site in reached.graphs if site] + [self._defined(target) for target in flows]
            if reached.graphs or flows:
                return (function, call), way, next(iter(built), None)
            words = resolver.knowledge.table("suspension", "graph_words")
            if verb in methods and not reached.known and any(word in receiver.lower() for word in words):
                return (function, call), way, None
            inner += [(target, call) for target in reached.functions]
        for target, call in inner if depth else ():
            if target[:2] != function[:2]:
                body = resolver.project.body(target[:2])
                found = self._run(body, target, (*way, (function, call)), depth - 1)
                if found is not None:
                    return found
        return None

    def _defined(self, function: FunctionId) -> Site:
        head = self.registry.resolver.project.function(function[:2])
        return (function[0], head.line, head.column) if head is not None else (function[0], 1, 0)

    def _waits(self, body: Sequence[Stmt], function: FunctionId) -> bool:
        """Whether something in the statements may wait itself, outside a graph that it runs."""
        resolver = self.registry.resolver
        for call in _calls(body):
            reached = targets(resolver, call, function)
            if any(self.registry.is_wait(name) for name in reached.outside):
                return True
            for target in reached.functions:
                if self.registry.kind(target[:2]) != "entrypoint" and self._parks(target):
                    return True
        return any(isinstance(item, Raise) for item in statements(body))

    def _parks(self, target: FunctionId) -> bool:
        """Whether a function waits by itself; a graph that it runs comes back."""
        if target not in self.order.reach or not self.order.reach[target].waits:
            return False
        return target in self._replayed

    @cached_property
    def _replayed(self) -> set[FunctionId]:
        return self.order.closure(unit.function for unit in self.units)


def _calls(body: Sequence[Stmt]) -> Iterator[Call]:
    for item in statements(body):
        for name in ("value", "test", "source", "subject"):
            yield from walk_calls(getattr(item, name, None))
        for manager, _ in getattr(item, "items", None) or ():
            yield from walk_calls(manager)


def _only_raises(body: Sequence[Stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], Raise)
