"""What an expression may stand for: functions, classes, instances, containers, outside names.

Values are tuples whose first part is their kind:

``("ext", name)`` something outside the project · ``("inst", class, site)`` an instance of an outside
class · ``("meth", class, name, site)`` its bound method · ``("fn", path, qualname, context)`` a function ·
``("bound", ...)`` a method whose receiver is given · ``("cls", path, qualname)`` · ``("obj", path, qualname)``
an instance of a project class · ``("mod", path)`` · ``("box", ...)`` a container, content under the same key ·
``("fill", ...)`` what is put into a variable's container · ``("bmeth", box, name)`` · ``("const", value)`` ·
``("res", name)`` the result of an outside function.

A context is the call that made a closure, or that handed a function to one that calls it: without
it every function decorated by the same decorator would seem to run inside every other.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterable
from typing import Any

from . import bindings, containers, fields
from .attributes import attribute
from .bindings import CallAt
from .calling import call_result
from .knowledge.effects import EffectTable
from .knowledge.frameworks import Knowledge
from .lower import MODULE
from .project import File, FunctionKey, Project
from .solver import EMPTY, MANY, Key, Solver, Value, Values
from .summary import (
    Attr,
    Call,
    Comp,
    Const,
    Expr,
    Item,
    Lambda,
    Op,
    Seq,
    Table,
)

FunctionId = tuple[str, str, str]
"""Path, qualname and context ("" for none)."""

Site = tuple[str, int, int]
"""Path, line and byte column."""


_DISPLAYS = (Seq, Table, Comp)
_PLAIN = (str, bool)
_CHOICES = {"if", "and", "or"}
_JOINS = {"Add", "BitOr"}
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*\Z")
_OPTIONAL = re.compile(r"(?:typing\.)?Optional\[(.*)\]\Z")
_BUILTINS = frozenset(dir(builtins))
_WRAPPING_ANNOTATIONS = {"Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable", "Required"}
_BOX_ANNOTATIONS = {
    "list",
    "List",
    "dict",
    "Dict",
    "Sequence",
    "Iterable",
    "Mapping",
    "tuple",
    "Tuple",
    "set",
}


class Resolver:
    """Answers what expressions stand for, to a fixpoint."""

    def __init__(self, project: Project, knowledge: Knowledge, effects: EffectTable) -> None:
        self.project = project
        self.knowledge = knowledge
        self.effects = effects
        self.solver = Solver(self._equation)
        self.sites: dict[str, Call | None] = {}
        """The call of a context; None for a decorator."""
        self.boxes: dict[Value, tuple[Expr, FunctionId]] = {}
        self.calls: dict[CallAt, Call] = {}
        self.candidates: dict[str, tuple[int, list[tuple[FunctionKey, Call]]]] = {}
        self.marked: dict[FunctionKey, str] = {}
        """Functions that a framework's decorator was called on, with its kind: ``task(pay)``."""
        self.leaving = frozenset(knowledge.table("leaves", "names"))
        self.nulls: dict[object, frozenset[Any]] = {}
        self._outside = {item.partition(".")[0] for item in knowledge.roles} - {"builtins"}
        project.on_load = self._loaded

    # questions from outside

    def of(self, expr: Expr, function: FunctionId) -> Values:
        """What the expression may stand for inside the function."""
        return self.solver.solve(lambda: self.eval(expr, function))

    def content(self, values: Values) -> Values:
        """What is in the containers among the values."""
        return self.solver.solve(lambda: self.inside(values))

    # names

    def _loaded(self, file: File) -> None:
        if self.solver.is_unused():
            return
        for function in file.summary.functions:
            for name in function.names:
                self.solver.touch(("mentions", name))
        for item in file.summary.classes:
            for base in item.bases:
                if isinstance(base, str):
                    self.solver.touch(("subclasses", base.rsplit(".", 1)[-1]))
        for write in file.summary.writes:
            self.solver.touch(("writes", write.name))

    def lookup(self, name: str, function: FunctionId) -> Values:
        """What a name means in a function: its own, its outer functions', the module's, a builtin."""
        path, qualname, context = function
        file = self.project.file(path)
        if file is None:
            return EMPTY
        while qualname and qualname != MODULE:
            head = file.functions.get(qualname)
            if head is None:
                head_class = file.classes.get(qualname)
                qualname = head_class.parent if head_class else ""
                continue
            if name in head.local or name in head.imports:
                return self.solver.read(("var", path, qualname, context, name))
            qualname = head.parent
        return self.global_(name, path)

    def global_(self, name: str, path: str, seen: frozenset[str] = frozenset()) -> Values:
        """A name of a module, through star imports where it has none of its own."""
        file = self.project.file(path)
        if file is None:
            return EMPTY
        if name in file.globals or (("", name) in file.nested):
            return self.solver.read(("var", path, MODULE, "", name))
        for star in file.summary.stars:
            target = self.project.modules.find(star, path)
            if target is not None and target not in seen:
                found = self.exported(name, target, seen | {path})
                if found:
                    return found
            elif target is None and not star.startswith("."):
                outside = self.knowledge.canonical(f"{star}.{name}")
                if outside in self.knowledge.roles or self.effects.lookup(outside) is not None:
                    return frozenset({("ext", outside)})
        return frozenset({("ext", f"builtins.{name}")}) if not seen and name in _BUILTINS else EMPTY

    def exported(self, name: str, path: str, seen: frozenset[str] = frozenset()) -> Values:
        """What ``from module import name`` binds."""
        if path in seen:
            return EMPTY
        found = self.global_(name, path, seen | {""})
        if found:
            return found
        inner = self.project.modules.submodule(path, name)
        return frozenset({("mod", inner)}) if inner else EMPTY

    def imported(self, target: str, path: str) -> Values:
        """What an import target, as written, binds."""
        module, _, name = target.partition(":")
        if not module.startswith(".") and self.is_outside(module):
            full = f"{module}.{name}" if name else module
            return frozenset({("ext", self.canonical(full))})
        found = self.project.modules.find(module, path)
        if not name:
            return frozenset({("mod", found)}) if found else frozenset({("ext", module)})
        if found is not None:
            return self.exported(name, found)
        inner = self.project.modules.find(f"{module}.{name}" if module.strip(".") else module + name, path)
        if inner is not None:
            return frozenset({("mod", inner)})
        return frozenset({("ext", self.canonical(f"{module}.{name}"))}) if module[0] != "." else EMPTY

    def is_outside(self, module: str) -> bool:
        """Whether a module belongs to a framework that is known here, whatever the project holds."""
        return module.partition(".")[0] in self._outside

    def canonical(self, name: str) -> str:
        """The name that tables know an outside name by."""
        return self.effects.canonical(self.knowledge.canonical(name))

    # expressions

    def eval(self, expr: Expr, function: FunctionId) -> Values:
        """What the expression may stand for, as far as known now."""
        if expr is None:
            return EMPTY
        if isinstance(expr, str):
            name, *rest = expr.split(".")
            found = self.lookup(name, function)
            for part in rest:
                found = self.attributes(found, part)
            return found
        if isinstance(expr, Call):
            return self.call(expr, function)
        if isinstance(expr, Attr):
            return self.attributes(self.eval(expr.base, function), expr.name)
        if isinstance(expr, Const):
            plain = expr.value is None or isinstance(expr.value, _PLAIN)
            return frozenset({("const", expr.value)}) if plain else EMPTY
        if isinstance(expr, _DISPLAYS):
            return frozenset({self._box(expr, function)})
        if isinstance(expr, Item):
            return self.item(expr, function)
        if isinstance(expr, Op):
            return self._operator(expr, function)
        if isinstance(expr, Lambda):
            return frozenset({("fn", function[0], expr.qualname, function[2])})
        return self.eval(expr.value, function)

    def _operator(self, expr: Op, function: FunctionId) -> Values:
        if expr.kind == ":":
            return self.annotated(expr.items[0], function) | self.eval(expr.items[1], function)
        if expr.kind in _CHOICES or expr.kind in _JOINS:
            items = expr.items[1:] if expr.kind == "if" else expr.items
            return frozenset().union(*(self.eval(item, function) for item in items))
        return EMPTY

    def _box(self, expr: Seq | Table | Comp, function: FunctionId) -> Value:
        box = ("box", function[0], expr.line, expr.column, function[2])
        self.boxes.setdefault(box, (expr, function))
        return box

    def attributes(self, values: Iterable[Value], name: str) -> Values:
        """The attribute of each of the values."""
        found: set[Value] = set()
        for value in values:
            found.update(attribute(self, value, name))
        return frozenset(found)

    def item(self, expr: Item, function: FunctionId) -> Values:
        """A subscript: the entry under a literal key where it can be told, else all of them."""
        values = self.eval(expr.base, function)
        key = expr.key.value if isinstance(expr.key, Const) else None
        if isinstance(key, str):
            exact = [value for value in values if self.entry_of(value, key) is not None]
            if exact:
                return frozenset().union(*(self.solver.read(("entry", value, key)) for value in exact))
        return self.inside(values)

    def entry(self, value: Value, key: str) -> Values | None:
        """The entry of a dict display under a key, if the display alone decides it."""
        return None if self.entry_of(value, key) is None else self.solver.read(("entry", value, key))

    def entry_of(self, value: Value, key: str) -> tuple[Expr, FunctionId] | None:
        """The expression under a key of a dict display, and the function it stands in."""
        table, function = self.boxes.get(value, (None, ("", "", "")))
        if isinstance(table, Table):
            for item, content in zip(table.keys, table.values, strict=True):
                if isinstance(item, Const) and item.value == key:
                    return content, function
        return None

    def inside(self, values: Iterable[Value]) -> Values:
        """What is in the containers among the values."""
        found: set[Value] = set()
        for value in values:
            if value[0] in ("box", "fill", "ffill"):
                found.update(self.solver.read(value))
            elif value[0] == "inst" and value[1].endswith("[]"):
                found.add(("inst", value[1][:-2], value[2]))
            elif value is MANY or value == MANY:
                found.add(MANY)
        return frozenset(found)

    def annotated(self, expr: Expr, function: FunctionId) -> Values:
        """Instances of an annotation's class."""
        if isinstance(expr, Const) and isinstance(expr.value, str):
            names = (_OPTIONAL.sub(r"\1", part.strip()) for part in expr.value.split("|"))
            return frozenset().union(*(self.annotated(n, function) for n in names if _IDENTIFIER.match(n)))
        if isinstance(expr, Op) and expr.kind == "BitOr":
            return frozenset().union(*(self.annotated(item, function) for item in expr.items))
        if isinstance(expr, Item) and isinstance(expr.base, str):
            last = expr.base.rsplit(".", 1)[-1]
            keys = expr.key.items if isinstance(expr.key, Seq) else [expr.key]
            if last == "Annotated":
                keys = keys[:1]
            if last in _WRAPPING_ANNOTATIONS:
                return frozenset().union(*(self.annotated(key, function) for key in keys))
            return EMPTY if last in _BOX_ANNOTATIONS else self.annotated(expr.base, function)
        if not isinstance(expr, str):
            return EMPTY
        found: set[Value] = set()
        for value in self.eval(expr, function):
            if value[0] == "cls":
                found.add(("obj", value[1], value[2]))
            elif value[0] == "ext" and not value[1].startswith(("builtins.", "typing.")):
                found.add(("inst", self.canonical(value[1]), ()))
        return frozenset(found)

    def call(self, call: Call, function: FunctionId) -> Values:
        """What the call may give."""
        found: set[Value] = set()
        for value in self.eval(call.func, function):
            found.update(call_result(self, value, call, function))
        return frozenset(found)

    # contexts

    def enter(self, key: FunctionKey, context: str, call: Call | None, caller: FunctionId) -> FunctionId:
        """The function as called here: told apart by the call if it calls its own parameters."""
        head = self.project.function(key)
        if not context and head is not None and head.called and call is not None:
            context = f"{caller[0]}:{call.line}:{call.column}"
            self.sites.setdefault(context, call)
            self.solver.add(("contexts", caller[0], caller[1]), (caller[2],))
            self.solver.add(("callers", context), caller)
        return (*key, context)

    def decorate(self, key: FunctionKey, number: int, decorated: Values, owner: FunctionId) -> str:
        """The context of a function's n-th decorator applied to what is below it."""
        context = f"{key[0]}:{number}@{key[1]}"
        self.sites.setdefault(context, None)
        self.solver.add(("callers", context), owner)
        for value in decorated:
            self.solver.add(("handed", context), value)
        return context

    # equations

    def _equation(self, key: Key) -> Iterable[Value]:
        equation = _EQUATIONS.get(key[0])
        return EMPTY if equation is None else equation(self, *key[1:])


def _entry(resolver: Resolver, box: Value, key: str) -> Values:
    found = resolver.entry_of(box, key)
    return EMPTY if found is None else resolver.eval(*found)


_EQUATIONS: dict[str, Callable[..., Iterable[Value]]] = {
    "var": bindings.variable,
    "param": bindings.parameter,
    "ret": bindings.returned,
    "named": bindings.named,
    "callee": bindings.callee,
    "field": fields.field,
    "ffill": fields.field_fills,
    "bases": fields.bases,
    "subs": fields.subclasses,
    "box": containers.content,
    "fill": containers.filled,
    "entry": _entry,
}
