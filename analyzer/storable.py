"""Values that a checkpoint cannot hold, or gives back as something else.

Measured with the serialiser of langgraph-checkpoint 4.3.2, which all savers use.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from . import fields
from .calling import argument
from .calls import targets
from .exits import is_generator as is_manager
from .facts import children, last_name
from .knowledge.patterns import expand
from .solver import Value, Values
from .summary import Call, Class, Comp, Const, Expr, Function, Item, Lambda, Op, Seq, Star, Stmt, Table, Walrus
from .values import FunctionId, Resolver

_DEPTH = 4
_ARMS = {"if", "or", "and", ":"}
_PLAIN_DECORATORS = {"staticmethod", "classmethod"}


@dataclass(frozen=True, slots=True)
class Unfit:
    """What is wrong with a value. ``fails``: it cannot be stored at all; else it comes back as ``becomes``.

    ``made`` is where it is made or defined, as path, line and byte column, if that is known.
    """

    fails: bool
    said: str
    becomes: str = ""
    made: tuple[str, int, int] | None = None


class Judge:
    """Says which expressions give values that are unfit, and only where every value they may give is."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self._refused = [
            (pattern, said)
            for said, names in resolver.knowledge.tables.get("unstorable", {}).items()
            for name in names
            for pattern in expand(name)
        ]
        self._altered = [
            (pattern, becomes)
            for becomes, names in resolver.knowledge.tables.get("altered", {}).items()
            for name in names
            for pattern in expand(name)
        ]
        self._stored = set(resolver.knowledge.table("storable", "names"))

    def judge(self, expr: Expr, function: FunctionId, depth: int = _DEPTH) -> Unfit | None:
        """What is wrong with what the expression gives."""
        if expr is None or isinstance(expr, Const) or not depth:
            return None
        if isinstance(expr, Lambda):
            return Unfit(True, "a lambda")
        if isinstance(expr, Comp):
            return self._comprehension(expr, function, depth)
        if isinstance(expr, Seq):
            inner = self._first([part for item in expr.items for part in _parts(item)], function, depth)
            if inner is None and expr.is_tuple:
                return Unfit(False, "a tuple", "a list", (function[0], expr.line, expr.column))
            return inner
        if isinstance(expr, Table):
            return self._first([*expr.values], function, depth)
        if isinstance(expr, Star | Walrus):
            return self.judge(expr.value, function, depth)
        if isinstance(expr, Op):
            arms = (expr.items[1:] if expr.kind in ("if", ":") else expr.items) if expr.kind in _ARMS else []
            return next(filter(None, (self.judge(arm, function, depth) for arm in arms)), None)
        if isinstance(expr, Call):
            return self._call(expr, function, depth)
        if isinstance(expr, str) and "." not in expr:
            return self._name(expr, function, depth)
        return self._values(expr, function)

    def _first(self, items: list[Expr], function: FunctionId, depth: int) -> Unfit | None:
        """What is wrong with something in a container: only what cannot be stored counts there."""
        found = (self.judge(item, function, depth - 1) for item in items)
        return next((unfit for unfit in found if unfit is not None and unfit.fails), None)

    def _comprehension(self, expr: Comp, function: FunctionId, depth: int) -> Unfit | None:
        if expr.is_generator:
            return Unfit(True, "a generator", made=(function[0], expr.line, expr.column))
        return self._first(expr.items, function, depth)

    # names

    def _name(self, name: str, function: FunctionId, depth: int) -> Unfit | None:
        facts = self.resolver.project.facts(function[:2])
        head = self.resolver.project.function(function[:2])
        given = head is not None and any(param.name == name for param in head.params)
        lets = facts.lets.get(name, ())
        caught = next((handler for _, handler in facts.handlers if handler.name == name), None)
        if caught is not None and not lets and not given:
            return Unfit(False, f"the exception `{name}`", "a string", (function[0], caught.line, caught.column))
        if not lets or given or any(mode != "is" for mode, _ in lets):
            return self._values(name, function) if len(lets) + given < 2 else None
        values = [value for _, value in lets if not (isinstance(value, Const) and value.value is None)]
        judged = [self.judge(value, function, depth - 1) for value in values]
        return judged[0] if judged and all(judged) else None

    # calls

    def _call(self, call: Call, function: FunctionId, depth: int) -> Unfit | None:
        here = (function[0], call.line, call.column)
        reached = targets(self.resolver, call, function)
        if not reached.functions:
            for name in reached.outside:
                if unfit := self._named(name, here):
                    return unfit
            if any(self.resolver.knowledge.role(name, "collects") for name in reached.outside):
                return None
        verb = last_name(call.func)
        if not call.args and not call.kwargs and verb in self.resolver.knowledge.table("storable", "views"):
            values = self.resolver.of(call.func, function)
            if all(value[0] == "bmeth" for value in values):
                return Unfit(True, f"the view that `.{verb}()` gives", made=here)
        made = [value for value in self.resolver.of(call.func, function) if value[0] == "cls"]
        if made and not any((unfit := self._of_class(value)) is not None and unfit.fails for value in made):
            inner = self._first([*call.args, *(value for _, value in call.kwargs)], function, depth)
            return inner or self._values(call, function)
        generators = [target for target in reached.functions if self._yields(target)]
        if generators and len(generators) == len(reached.functions) and not reached.outside:
            head = self.resolver.project.function(generators[0][:2])
            where = (generators[0][0], head.line, head.column) if head is not None else None
            return Unfit(True, "a generator", made=where)
        return self._values(call, function)

    def _named(self, name: str, here: tuple[str, int, int]) -> Unfit | None:
        """What is wrong with the result of an outside function or class."""
        short = name.rsplit(".", 1)[-1]
        for pattern, said in self._refused:
            if name == pattern or ("*" in pattern and fnmatchcase(name, pattern)):
                return Unfit(True, _with_name(said, name), made=here)
        for pattern, becomes in self._altered:
            if name == pattern:
                return Unfit(False, f"a `{short}`" if short != "tuple" else "a tuple", becomes, here)
        if name.startswith("builtins."):
            kind = getattr(builtins, short, None)
            if isinstance(kind, type) and issubclass(kind, BaseException):
                return Unfit(False, f"a `{short}`", "a string", here)
        return None

    def _yields(self, target: FunctionId) -> bool:
        """Whether a call of the function gives a generator."""
        head = self.resolver.project.function(target[:2])
        if head is None or is_manager(self.resolver, target):
            return False
        if not _is_plain_function(head):
            return False
        return any(_has_yield(item) for item in self.resolver.project.body(target[:2]))

    # values

    def _values(self, expr: Expr, function: FunctionId) -> Unfit | None:
        found = [value for value in sorted(self.resolver.of(expr, function), key=repr) if value != ("const", None)]
        judged = [self._value(value) for value in found]
        return judged[0] if judged and all(judged) else None

    def _value(self, value: Value) -> Unfit | None:
        kind = value[0]
        if kind in ("inst", "res"):
            site = value[2] if kind == "inst" and value[2] else None
            unfit = self._named(value[1], site or ("", 0, 0))
            if unfit is None and kind == "inst" and value[1] not in self._stored and self._is_client(value[1]):
                unfit = Unfit(True, f"a live `{value[1].rsplit('.', 1)[-1]}`", made=site)
            if unfit is not None and site is None:
                return Unfit(unfit.fails, unfit.said, unfit.becomes)
            return unfit
        if kind == "obj":
            return self._of_class(value)
        if kind in ("fn", "bound"):
            head = self.resolver.project.function(value[1:3])
            if head is None or not _is_plain_function(head):
                return None
            said = "a lambda" if head.name.startswith("<lambda") else f"the function `{head.name}`"
            return Unfit(True, said, made=(value[1], head.line, head.column))
        if kind == "cls":
            item = self.resolver.project.class_(value[1:3])
            return Unfit(True, f"the class `{item.name}` itself", made=(value[1], item.line, 0)) if item else None
        return None

    def _is_client(self, name: str) -> bool:
        effects = self.resolver.effects
        if self.resolver.is_outside(name) or name.partition(".")[0] not in effects.libraries:
            return False
        return effects.rules.leads(name) or effects.types.leads(name)

    def _of_class(self, value: Value) -> Unfit | None:
        """What is wrong with an instance of a class of the project: it is neither data nor known to the serialiser."""
        key = (value[1], value[2])
        item = self.resolver.project.class_(key)
        if item is None:
            return None
        made = (key[0], item.line, 0)
        outside: list[str] = []

        def read() -> frozenset[Value]:
            outside[:] = fields.outside_bases(self.resolver, key)
            return frozenset()

        self.resolver.solver.solve(read)
        plain = set(self.resolver.knowledge.table("storable", "plain_bases"))
        others = [name for name in outside if name not in plain]
        if others:
            kind = getattr(builtins, others[0].removeprefix("builtins."), None)
            if isinstance(kind, type) and issubclass(kind, BaseException):
                return Unfit(False, f"the exception `{item.name}`", "a string", made)
            return self._of_data(key, item)
        if not self._is_plain(key):
            return self._of_data(key, item)
        return Unfit(True, f"an instance of `{item.name}`", made=made)

    def _of_data(self, key: tuple[str, str], item: Class) -> Unfit | None:
        """What is wrong with a dataclass or model: a field made unfit, or a private attribute that is not stored."""
        owner = (key[0], key[1], "")
        for name, annotation, value in item.attributes:
            if isinstance(value, Call) and (factory := argument(value, None, "default_factory")) is not None:
                for made in sorted(self.resolver.of(factory, owner)):
                    unfit = self._named(made[1], (key[0], value.line, value.column)) if made[0] == "ext" else None
                    if unfit is not None and unfit.fails and not name.startswith("_"):
                        return Unfit(True, f"a `{item.name}` whose `{name}` is {unfit.said}", made=unfit.made)
            if name.startswith("_") and not name.startswith("__"):
                said = self._annotated(annotation, owner)
                lost = next((u for v in sorted(said, key=repr) if (u := self._value(v)) is not None and u.fails), None)
                if lost is not None:
                    becomes = f"a copy without its `{name}`"
                    return Unfit(False, f"a `{item.name}` that holds {lost.said}", becomes, (key[0], item.line, 0))
        return None

    def _annotated(self, annotation: Expr, owner: FunctionId) -> Values:
        return self.resolver.solver.solve(lambda: self.resolver.annotated(annotation, owner))

    def _is_plain(self, key: tuple[str, str]) -> bool:
        """Whether all that the class is made of stands in the project, and none of it makes it data."""
        quacks = set(self.resolver.knowledge.table("storable", "methods"))
        ancestors: list[tuple[str, str]] = []

        def read() -> frozenset[Value]:
            ancestors[:] = fields.ancestors(self.resolver, key)
            return frozenset()

        self.resolver.solver.solve(read)
        for current in ancestors:
            item = self.resolver.project.class_(current)
            if item is None or item.decorators or quacks.intersection(item.methods):
                return False
            owner = (current[0], item.parent or "<module>", "")
            for base in item.bases:
                if not self.resolver.of(base.base if isinstance(base, Item) else base, owner):
                    return False
        return bool(self.resolver.project.class_(key))


def _is_plain_function(head: Function) -> bool:
    """Whether no decorator may have made something else of the function."""
    return all(isinstance(item, str) and item in _PLAIN_DECORATORS for item in head.decorators)


def _with_name(said: str, name: str) -> str:
    parts = name.split(".")
    if name.startswith("builtins."):
        return f"what `{parts[-1]}()` gives" if said == "an iterator" else said
    if said == "an object":
        return f"a `{'.'.join(parts[-2:])}`"
    short = ".".join(parts[-2:]) if len(parts) > 1 else name
    return f"{said} (`{short}`)"


def _has_yield(item: Stmt) -> bool:
    return any(_yield_in(expr) for expr in _expressions(item)) or any(
        _has_yield(inner) for block in _blocks(item) for inner in block
    )


def _yield_in(expr: Expr) -> bool:
    if isinstance(expr, Op) and expr.kind == "yield":
        return True
    if expr is None or isinstance(expr, str | Const):
        return False
    return any(_yield_in(child) for child in children(expr))


def _expressions(item: Stmt) -> Iterator[Expr]:
    for name in ("value", "test", "source", "subject"):
        yield getattr(item, name, None)


def _blocks(item: Stmt) -> Iterator[list[Stmt]]:
    for name in ("body", "orelse", "final"):
        block = getattr(item, name, None)
        if block:
            yield block
    for name in ("handlers", "cases"):
        for inner in getattr(item, name, None) or ():
            yield inner.body


def _parts(item: Expr) -> list[Expr]:
    """What an item puts into a list: of a starred one its elements, as far as they are seen."""
    if not isinstance(item, Star):
        return [item]
    return list(item.value.items) if isinstance(item.value, Seq | Comp) else []
