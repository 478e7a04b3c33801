"""Calls that run again with the same arguments after they failed, and runs that are started anew on a parked thread."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .addresses import reads
from .bindings import known_callers, skips_self
from .calling import argument, bind_arguments
from .calls import targets
from .facts import gather, last_name, walk_calls
from .literals import entries, names_in
from .modules import is_test
from .registry import GraphSite, Registry
from .summary import Attr, Call, Const, Do, Expr, If, Let, Loop, Match, Raise, Return, Seq, Stmt, Table, Try, With
from .values import FunctionId

How = Literal["handler", "loop", "decorator", "parked"]
"""handler: again in except or finally. loop: in the next round after a caught failure. decorator: by a decorator
that calls again. parked: because the thread's state says that something is pending."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A call of a graph that repeats an earlier one. ``first`` is that one, or what tells of it."""

    how: How
    function: FunctionId
    first: Call
    again: Call
    graphs: tuple[GraphSite, ...]


def repeats(registry: Registry) -> Iterator[Repeat]:
    """Every repetition outside tests, by place."""
    methods = {m for role in registry.resolver.knowledge.entries["run"] for m in role.options["methods"]}
    for (path, qualname), head in sorted(registry.resolver.project.functions()):
        if not is_test(path) and not methods.isdisjoint(head.names):
            yield from _Repeats(registry, (path, qualname, ""), methods).find()


class _Repeats:
    def __init__(self, registry: Registry, function: FunctionId, methods: set[str]) -> None:
        self.registry = registry
        self.project = registry.resolver.project
        self.function = function
        self.methods = methods

    def find(self) -> Iterator[Repeat]:
        body = self.project.body(self.function[:2])
        runs = self.runs(body) if self._may_repeat(body) else []
        if not runs:
            return
        yield from self._blocks(body, None)
        retry = self._retried()
        if retry is not None:
            for call in runs:
                if self._from_outside(call):
                    yield self._repeat("decorator", retry, call)

    def _may_repeat(self, body: list[Stmt]) -> bool:
        """A look that resolves nothing: most functions that run something have none of what tells of a repetition."""
        head = self.project.function(self.function[:2])
        names = set(head.names) if head is not None else set()
        retries = {
            n.rpartition(".")[2]
            for r in self.registry.resolver.knowledge.entries["retries"]
            for n in r.options["names"]
        }
        told = {"next", "interrupts", "tasks"} | {part for name in retries for part in re.findall(r"\w+", name)}
        return bool(head and head.decorators) or not names.isdisjoint(told) or _tries(body)

    def runs(self, body: list[Stmt]) -> list[Call]:
        """The calls in a block that run a graph on a thread."""
        return [call for call in _calls(body) if last_name(call.func) in self.methods and self._on_thread(call)]

    def _on_thread(self, call: Call) -> bool:
        """Whether a call runs a graph on a named thread: the receiver, or the configuration, tells."""
        reached = targets(self.registry.resolver, call, self.function)
        config = argument(call, 1, "config")
        if reached.graphs:
            return config is not None
        if reached.functions or reached.outside:
            return False
        group = self.registry.resolver.knowledge.table("addresses", "group")
        thread = self.registry.resolver.knowledge.table("addresses", "thread")
        for key, value, where in entries(self.registry.resolver, config, self.function):
            if key == group and any(inner == thread for inner, _, _ in entries(self.registry.resolver, value, where)):
                return True
        return False

    def _repeat(self, how: How, first: Call, again: Call) -> Repeat:
        graphs = targets(self.registry.resolver, again, self.function).graphs
        return Repeat(how, self.function, first, again, tuple(site for site in graphs if site))

    def _blocks(self, body: list[Stmt], loop: Loop | None) -> Iterator[Repeat]:
        for item in body:
            if isinstance(item, Try):
                yield from self._tried(item, loop)
            if isinstance(item, If):
                yield from self._parked(item)
            inner = item if isinstance(item, Loop) else loop
            if isinstance(item, Loop) and self._retrying(item.source):
                for call in self.runs(item.body):
                    if self._same_each_round(item, call):
                        yield self._repeat("loop", call, call)
                continue
            for block in _inner(item):
                yield from self._blocks(block, inner)

    def _tried(self, item: Try, loop: Loop | None) -> Iterator[Repeat]:
        tried = self.runs(item.body)
        for block in (*(handler.body for handler in item.handlers), item.final):
            bound = set(gather(block).lets)
            for again in self.runs(block):
                for first in tried:
                    if _same(first, again) and bound.isdisjoint(_names(again)) and not self._forks(block):
                        yield self._repeat("handler", first, again)
        goes_on = [h for h in item.handlers if not _leaves(h.body) and not self._forks(h.body)]
        if loop is None or not goes_on:
            return
        for call in tried:
            if self._same_each_round(loop, call):
                yield self._repeat("loop", call, call)

    def _same_each_round(self, loop: Loop, call: Call) -> bool:
        """Whether a loop calls with the same input and thread in each round, and ends when it succeeds."""
        facts = gather(loop.body)
        bound = set(facts.lets)
        if loop.is_for:
            bound |= set(names_in(loop.target))
        given = argument(call, 0, "input"), argument(call, 1, "config")
        used = {name.partition(".")[0] for expr in given for name in names_in(expr)}
        return bound.isdisjoint(used) and _ends_after(loop.body, call)

    def _forks(self, block: list[Stmt]) -> bool:
        forks = self.registry.resolver.knowledge.table("addresses", "forks")
        return any(last_name(call.func) in forks for call in _calls(block))

    def _retrying(self, source: Expr) -> bool:
        return any(
            value[0] == "ext" and self.registry.resolver.knowledge.role(value[1], "retries") is not None
            for call in walk_calls(source)
            for value in self.registry.resolver.of(call.func, self.function)
        )

    def _retried(self) -> Call | None:
        """The decorator that calls the function again."""
        head = self.project.function(self.function[:2])
        owner = (self.function[0], (head.parent if head is not None else "") or "<module>", "")
        for decorator in head.decorators if head is not None else ():
            func = decorator.func if isinstance(decorator, Call) else decorator
            for value in self.registry.resolver.of(func, owner):
                if value[0] == "ext" and self.registry.resolver.knowledge.role(value[1], "retries") is not None:
                    line = head.line if head is not None else 1
                    return decorator if isinstance(decorator, Call) else Call(func, [], [], line, 0, line, 0)
        return None

    def _from_outside(self, call: Call) -> bool:
        """Whether input and thread come from the caller: another call of the function gets the same."""
        facts = self.project.facts(self.function[:2])
        for expr in (argument(call, 0, "input"), argument(call, 1, "config")):
            todo, seen = list(names_in(expr)), set[str]()
            while todo:
                name = todo.pop().partition(".")[0]
                if name in seen:
                    continue
                seen.add(name)
                for _, value in facts.lets.get(name, ()):
                    if any(True for _ in walk_calls(value)):
                        return False
                    todo.extend(names_in(value))
            if any(True for _ in walk_calls(expr) if expr is not None) and not _is_command(expr):
                return False
        return True

    def _parked(self, item: If) -> Iterator[Repeat]:
        """New input sent because a state says that the thread is parked."""
        test, truth = item.test, True
        while getattr(test, "kind", "") == "not":
            test, truth = test.items[0], not truth  # type: ignore[union-attr]  # told by its kind
        name = test.rpartition(".")[2] if isinstance(test, str) else test.name if isinstance(test, Attr) else ""
        base = test.rpartition(".")[0] if isinstance(test, str) else test.base if isinstance(test, Attr) else None
        if name not in ("next", "interrupts", "tasks") or base is None:
            return
        read = [s for s in reads(self.registry, base, self.function) if s.kind == "current" and s.call is not None]
        for again in self.runs(item.body if truth else item.orelse) if read else ():
            if read[0].call is not None:
                yield self._repeat("parked", read[0].call, again)


def _is_command(expr: Expr) -> bool:
    return isinstance(expr, Call) and last_name(expr.func) == "Command"


def _names(call: Call) -> set[str]:
    given = argument(call, 0, "input"), argument(call, 1, "config")
    return {name.partition(".")[0] for expr in given for name in names_in(expr)}


def _same(first: Call, again: Call) -> bool:
    """Whether two calls run the same graph on the same thread with the same input."""
    return (
        first.func == again.func
        and _plain(argument(first, 0, "input")) == _plain(argument(again, 0, "input"))
        and _plain(argument(first, 1, "config")) == _plain(argument(again, 1, "config"))
    )


def _plain(expr: Expr) -> object:
    """An expression without its place."""
    if isinstance(expr, Call):
        return (_plain(expr.func), [_plain(item) for item in expr.args], [(k, _plain(v)) for k, v in expr.kwargs])
    if isinstance(expr, Table):
        return [(_plain(k), _plain(v)) for k, v in zip(expr.keys, expr.values, strict=True)]
    return [_plain(item) for item in expr.items] if isinstance(expr, Seq) else expr


def _calls(body: list[Stmt]) -> Iterator[Call]:
    yield from gather(body).calls


def _inner(item: Stmt) -> list[list[Stmt]]:
    if isinstance(item, If | Loop):
        return [item.body, item.orelse]
    if isinstance(item, With):
        return [item.body]
    if isinstance(item, Try):
        return [item.body, *(handler.body for handler in item.handlers), item.orelse, item.final]
    return [case.body for case in item.cases] if isinstance(item, Match) else []


def _tries(body: list[Stmt]) -> bool:
    return any(isinstance(item, Try) or any(_tries(block) for block in _inner(item)) for item in body)


def _leaves(body: list[Stmt]) -> bool:
    """Whether a block does not come to the next round."""
    return any(isinstance(item, Return | Raise) or type(item).__name__ == "Break" for item in body)


def _ends_after(body: list[Stmt], call: Call) -> bool:
    """Whether the loop is left once the call has succeeded: it repeats failures, not messages."""
    for number, item in enumerate(body):
        if not any(each is call or (each.line, each.column) == (call.line, call.column) for each in _calls([item])):
            continue
        if isinstance(item, Return):
            return True
        if isinstance(item, Do | Let):
            return any(isinstance(later, Return) or type(later).__name__ == "Break" for later in body[number + 1 :])
        if any(_ends_after(block, call) for block in _inner(item)):
            return True
        return any(isinstance(later, Return) or type(later).__name__ == "Break" for later in body[number + 1 :])
    return False


def is_input(registry: Registry, call: Call, function: FunctionId) -> bool:
    """Whether a run is given new input: neither nothing nor a command."""
    given = argument(call, 0, "input")
    if given is None or (isinstance(given, Const) and given.value is None) or _is_command(given):
        return False
    if not isinstance(given, str):
        return True
    values = [value for _, value in registry.resolver.project.facts(function[:2]).lets.get(given, ())]
    head = registry.resolver.project.function(function[:2])
    if head is not None and any(param.name == given for param in head.params):
        for _, caller in known_callers(registry.resolver, function):
            values += bind_arguments(head, caller, given, skips_self(head))
    return not any(_is_command(value) or (isinstance(value, Const) and value.value is None) for value in values)
