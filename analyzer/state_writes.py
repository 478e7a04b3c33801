"""What units write to the state of their graph, or hand to the checkpoint as a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .bindings import known_callers
from .calling import argument
from .calls import targets
from .facts import last_name
from .lower import MODULE
from .paths import Link
from .registry import Registry, Unit
from .summary import (
    Call,
    Comp,
    Const,
    Expr,
    If,
    Item,
    Let,
    Loop,
    Match,
    Op,
    Return,
    Seq,
    Star,
    Stmt,
    Table,
    Try,
    Walrus,
    With,
)
from .values import FunctionId

Form = Literal["entry", "keyword", "item", "attribute", "whole"]
"""How the value is put there: an entry of a dict, an argument, an assignment to either, or the result itself."""

_DEPTH = 3
_CHOICES = {"if", "or", "and", "BitOr", ":"}
_RESULTS = {"recorded", "entrypoint"}
"""Kinds of units whose result is kept whole."""


@dataclass(frozen=True, slots=True)
class StateWrite:
    """A value under a key of the state; the key is empty for a result that is kept whole.

    The key stands at ``line`` or below it. ``way``: the calls by which the unit gets what it returns.
    """

    unit: Unit
    function: FunctionId
    key: str
    value: Expr
    line: int
    form: Form
    way: tuple[Link, ...]


def state_writes(registry: Registry, unit: Unit) -> list[StateWrite]:
    """What a unit writes, in order of place."""
    if unit.kind == "function":
        return []
    finder = _Finder(registry, unit)
    finder.results(unit.function, (), _DEPTH, unit.kind in _RESULTS)
    unique = {(w.function, w.line, w.key, w.form, repr(w.value)): w for w in reversed(finder.found)}
    return [unique[key] for key in sorted(unique)]


def unregistered(registry: Registry, units: Sequence[Unit]) -> Iterator[tuple[Unit, set[str]]]:
    """Functions with the shape of a node that nobody was seen to register or call, with the keys of their state.

    They take ``state`` first, in a file that imports a framework and declares the state's keys.
    """
    project = registry.resolver.project
    known = {unit.function[:2] for unit in units}
    taken = {
        target.rpartition(":")[2]
        for file in project.files.values()
        for imports in (file.summary.imports, *(function.imports for function in file.summary.functions))
        for target in imports.values()
    }
    for key, head in list(project.functions()):
        params = [param for param in head.params if param.name not in ("self", "cls")]
        if key in known or not params or params[0].name != "state" or head.decorators:
            continue
        imports = project.files[key[0]].summary.imports.values()
        if not any(registry.resolver.is_outside(target.partition(":")[0]) for target in imports):
            continue
        said = registry.resolver.of(params[0].annotation, (key[0], MODULE, ""))
        told = [project.class_((value[1], value[2])) for value in said if value[0] == "cls"]
        classes = told or list(project.files[key[0]].classes.values())
        names = {name for item in classes if item is not None for name, _, _ in item.attributes}
        function = (*key, "")
        used = head.name in taken or set(project.files[key[0]].mentioned.get(head.name, ())) - {key[1]}
        if names and not used and not known_callers(registry.resolver, function):
            yield Unit("node", function, head.name), names


@dataclass
class _Finder:
    registry: Registry
    unit: Unit
    found: list[StateWrite] = field(default_factory=list)
    seen: set[object] = field(default_factory=set)

    def results(self, function: FunctionId, way: tuple[Link, ...], depth: int, whole: bool) -> None:
        if (function, whole) in self.seen:
            return
        self.seen.add((function, whole))
        for item in statements(self.registry.resolver.project.body(function[:2])):
            if not isinstance(item, Return) or item.value is None:
                continue
            if whole and not self._is_final(item.value, function):
                self.note(function, "", item.value, item.line, "whole", way)
            else:
                self.given(item.value, function, way, depth)

    def given(self, expr: Expr, function: FunctionId, way: tuple[Link, ...], depth: int) -> None:
        """What an expression of the function puts under keys."""
        if isinstance(expr, Table):
            for key, value in zip(expr.keys, expr.values, strict=True):
                if isinstance(value, Star):
                    self.given(value.value, function, way, depth)
                elif isinstance(key, Const) and isinstance(key.value, str) and self.unit.kind != "tool":
                    self.note(function, key.value, value, expr.line, "entry", way)
        elif isinstance(expr, Op) and expr.kind in _CHOICES:
            for item in expr.items[1:] if expr.kind in ("if", ":") else expr.items:
                self.given(item, function, way, depth)
        elif isinstance(expr, Seq | Comp):
            for item in expr.items:
                self.given(item, function, way, depth)
        elif isinstance(expr, Star | Walrus):
            self.given(expr.value, function, way, depth)
        elif isinstance(expr, Call):
            self._call(expr, function, way, depth)
        elif isinstance(expr, str) and "." not in expr:
            self._name(expr, function, way, depth)

    def note(self, function: FunctionId, key: str, value: Expr, line: int, form: Form, way: tuple[Link, ...]) -> None:
        self.found.append(StateWrite(self.unit, function, key, value, line, form, way))

    def _name(self, name: str, function: FunctionId, way: tuple[Link, ...], depth: int) -> None:
        if (function, name, depth) in self.seen:
            return
        self.seen.add((function, name, depth))
        project = self.registry.resolver.project
        for mode, value in project.facts(function[:2]).lets.get(name, ()):
            if mode == "is":
                self.given(value, function, way, depth)
        for item in statements(project.body(function[:2])) if self.unit.kind != "tool" else ():
            for target in item.targets if isinstance(item, Let) else ():
                if isinstance(target, Item) and target.base == name and isinstance(target.key, Const):
                    if isinstance(item, Let) and isinstance(target.key.value, str):
                        self.note(function, target.key.value, item.value, item.line, "item", way)
                elif isinstance(item, Let) and isinstance(target, str) and target.rpartition(".")[0] == name:
                    self.note(function, target.rpartition(".")[2], item.value, item.line, "attribute", way)
        for merged in project.facts(function[:2]).by_name.get("update", ()):
            if merged.func == f"{name}.update":
                for given in merged.args[:1]:
                    self.given(given, function, way, depth)

    def _is_final(self, value: Expr, function: FunctionId) -> bool:
        names = self.registry.resolver.knowledge.table("state", "finals")
        return isinstance(value, Call) and not set(names).isdisjoint(self._outside(value, function))

    def _outside(self, call: Call, function: FunctionId) -> Sequence[str]:
        return targets(self.registry.resolver, call, function).outside

    def _call(self, call: Call, function: FunctionId, way: tuple[Link, ...], depth: int) -> None:
        resolver = self.registry.resolver
        reached = targets(resolver, call, function)
        for name in reached.outside:
            if name in resolver.knowledge.table("state", "commands"):
                self.of_command(argument(call, 1, "update"), function, way, depth)
                self.given(argument(call, 3, "goto"), function, way, depth)
            elif name in resolver.knowledge.table("state", "sends"):
                self.of_command(argument(call, 1, "arg"), function, way, depth)
            elif name in resolver.knowledge.table("state", "finals"):
                for keyword, value in call.kwargs:
                    self.note(function, keyword, value, call.line, "keyword", way)
        classes = [value for value in resolver.of(call.func, function) if value[0] == "cls"]
        if (classes or call.func == "dict") and self.unit.kind != "tool":
            for keyword, value in call.kwargs:
                if keyword:
                    self.note(function, keyword, value, call.line, "keyword", way)
                else:
                    self.given(value, function, way, depth)
        if last_name(call.func) == "model_copy":
            self.given(argument(call, None, "update"), function, way, depth)
        for target in reached.functions if depth and not classes else ():
            if self.registry.kind(target[:2]) != "recorded":
                self.results(target, (*way, (function, call)), depth - 1, False)

    def of_command(self, expr: Expr, function: FunctionId, way: tuple[Link, ...], depth: int) -> None:
        """The update of a command is written whatever the kind of the unit."""
        if expr is not None:
            inner = _Finder(self.registry, Unit("node", self.unit.function, self.unit.name))
            inner.given(expr, function, way, depth)
            self.found.extend(
                StateWrite(self.unit, w.function, w.key, w.value, w.line, w.form, w.way) for w in inner.found
            )


def statements(body: Sequence[Stmt]) -> Iterator[Stmt]:
    """All statements of a body, inner ones behind the one they stand in."""
    for item in body:
        yield item
        if isinstance(item, If | Loop):
            yield from statements(item.body)
            yield from statements(item.orelse)
        elif isinstance(item, With):
            yield from statements(item.body)
        elif isinstance(item, Try):
            for block in (item.body, *(handler.body for handler in item.handlers), item.orelse, item.final):
                yield from statements(block)
        elif isinstance(item, Match):
            for case in item.cases:
                yield from statements(case.body)
