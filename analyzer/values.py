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

import re
from collections.abc import Iterable, Iterator
from typing import Any

from .attributes import attribute
from .calling import bind_arguments, call_result
from .facts import last_name
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
    Function,
    Item,
    Lambda,
    Op,
    Seq,
    Star,
    Table,
    Walrus,
    Write,
)

FunctionId = tuple[str, str, str]
"""Path, qualname and context ("" for none)."""

Site = tuple[str, int, int]
"""Path, line and byte column."""

CallAt = tuple[str, str, int, int, int, int, str]
"""Caller's path and qualname, range and last name of what is called."""

MOST_CALLERS = 400
"""A function whose name more functions than this mention gets no values for its parameters."""

_CHOICES = {"if", "and", "or"}
_JOINS = {"Add", "BitOr"}
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*\Z")
_WRAPPING_ANNOTATIONS = {"Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable", "Required"}
_BOX_ANNOTATIONS = {"list", "List", "dict", "Dict", "Sequence", "Iterable", "Mapping", "tuple", "Tuple", "set"}


class Resolver:
    """Answers what expressions stand for, to a fixpoint."""

    def __init__(self, project: Project, knowledge: Knowledge, effects: EffectTable) -> None:
        self.project = project
        self.knowledge = knowledge
        self.effects = effects
        self.solver = Solver(self._equation)
        self.sites: dict[str, tuple[FunctionKey, Call | None, Expr]] = {}
        self.boxes: dict[Value, tuple[Expr, FunctionId]] = {}
        self._calls: dict[CallAt, Call] = {}
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

    def result(self, call: Call, function: FunctionId) -> Values:
        """What the call may give."""
        return self.of(call, function)

    # names

    def _loaded(self, file: File) -> None:
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
        return frozenset({("ext", f"builtins.{name}")}) if not seen else EMPTY

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
            plain = expr.value is None or isinstance(expr.value, str | bool)
            return frozenset({("const", expr.value)}) if plain else EMPTY
        if isinstance(expr, Seq | Table | Comp):
            return frozenset({self._box(expr, function)})
        if isinstance(expr, Item):
            return self.item(expr, function)
        if isinstance(expr, Op):
            return self._operator(expr, function)
        if isinstance(expr, Lambda):
            return frozenset({("fn", function[0], expr.qualname, function[2])})
        if isinstance(expr, Star | Walrus):
            return self.eval(expr.value, function)
        return EMPTY

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
            exact = [value for value in values if self._entry_of(value, key) is not None]
            if exact:
                return frozenset().union(*(self.solver.read(("entry", value, key)) for value in exact))
        return self.inside(values)

    def entry(self, value: Value, key: str) -> Values | None:
        """The entry of a dict display under a key, if the display alone decides it."""
        return None if self._entry_of(value, key) is None else self.solver.read(("entry", value, key))

    def _entry_of(self, value: Value, key: str) -> tuple[Expr, FunctionId] | None:
        known = self.boxes.get(value)
        if known is None or not isinstance(known[0], Table):
            return None
        table, function = known
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
            elif value is MANY or value == MANY:
                found.add(MANY)
        return frozenset(found)

    def annotated(self, expr: Expr, function: FunctionId) -> Values:
        """Instances of an annotation's class."""
        if isinstance(expr, Const) and isinstance(expr.value, str):
            return self.annotated(expr.value, function) if _IDENTIFIER.match(expr.value) else EMPTY
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
            self.sites.setdefault(context, ((caller[0], caller[1]), call, None))
            self.solver.add(("contexts", caller[0], caller[1]), (caller[2],))
            self.solver.add(("callers", context), caller)
        return (*key, context)

    def decorate(self, key: FunctionKey, decorator: Expr, line: int, owner: FunctionId) -> str:
        """The context of a decorator applied to a function."""
        context = f"{key[0]}:{line}:@{key[1]}"
        self.sites.setdefault(context, ((owner[0], owner[1]), None, decorator))
        self.solver.add(("callers", context), owner)
        return context

    # equations

    def _equation(self, key: Key) -> Iterable[Value]:
        kind = key[0]
        if kind == "var":
            return self._variable(*key[1:])
        if kind == "param":
            return self._parameter(*key[1:])
        if kind == "ret":
            return self._returned(key[1:])
        if kind == "field":
            return self._field(*key[1:])
        if kind == "box":
            return self._content(key)
        if kind == "named":
            return self._named(key[1])
        if kind == "callee":
            return self._callee(key[1], key[2])
        if kind == "entry":
            found = self._entry_of(key[1], key[2])
            return EMPTY if found is None else self.eval(*found)
        if kind == "fill":
            return self._filled(*key[1:])
        if kind == "ffill":
            return self._field_fills(*key[1:])
        return EMPTY

    def _variable(self, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
        file = self.project.file(path)
        if file is None:
            return
        function = (path, qualname, context)
        head = file.functions[qualname]
        parent = "" if qualname == MODULE else qualname
        target = file.summary.imports.get(name) if qualname == MODULE else head.imports.get(name)
        if target is not None:
            yield from self.imported(target, path)
        if any(param.name == name for param in head.params):
            yield from self.solver.read(("param", path, qualname, context, name))
        for kind, inner in file.nested.get((parent, name), ()):
            if kind == "cls":
                yield ("cls", path, inner)
            else:
                yield from self.defined((path, inner), context, function)
        yield from self._bound(path, qualname, context, name)
        if qualname == MODULE:
            for other in file.summary.functions:
                if other.qualname != MODULE and name in other.names and name not in other.local:
                    yield from self._bound(path, other.qualname, "", name)

    def _bound(self, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
        facts = self.project.facts((path, qualname))
        function = (path, qualname, context)
        for mode, value in facts.lets.get(name, ()):
            found = self.eval(value, function)
            if mode == "part":
                inner = self.inside(found)
                yield from inner
                yield from self.inside(inner)
            elif mode == "enter":
                yield from self._entered(found)
            else:
                yield from found
        if name in facts.fills:
            yield ("fill", path, qualname, context, name)

    def _entered(self, values: Values) -> Iterator[Value]:
        for value in values:
            if value[0] == "obj":
                for method in self.attributes([value], "__enter__") | self.attributes([value], "__aenter__"):
                    if method[0] == "bound":
                        yield from self.solver.read(("ret", *method[1:]))
            else:
                yield value

    def defined(self, key: FunctionKey, context: str, owner: FunctionId) -> Iterator[Value]:
        """What a def statement binds: the function, or what project decorators make of it."""
        head = self.project.function(key)
        if head is None:
            return
        values: Values = frozenset({("fn", *key, context)})
        for decorator in reversed(head.decorators):
            made: set[Value] = set()
            for value in self.eval(decorator, owner):
                if value[0] in ("fn", "bound"):
                    site = self.decorate(key, decorator, head.line, owner)
                    made.update(v for v in self.solver.read(("ret", *value[1:3], site)) if v[0] == "fn")
            values = frozenset(made) or values
        yield from values

    def _parameter(self, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
        head = self.project.function((path, qualname))
        if head is None:
            return
        function = (path, qualname, context)
        first = head.params[0].name if head.params else ""
        if head.owner and name == first and not any(d == "staticmethod" for d in head.decorators):
            bound = "cls" if any(d == "classmethod" for d in head.decorators) else "obj"
            yield (bound, path, head.owner)
            return
        for param in head.params:
            if param.name == name:
                outer = (path, head.parent or MODULE, context)
                yield from self.annotated(param.annotation, outer)
                yield from self._given(head, function, name, param.default, outer)

    def _given(
        self, head: Function, function: FunctionId, name: str, default: Expr, outer: FunctionId
    ) -> Iterator[Value]:
        """What callers pass; the default where a caller passes nothing, or no caller is known."""
        omitted = True
        if function[2] in self.sites:
            found = list(self._from_site(head, function, name))
            omitted = not found
            yield from found
        else:
            omitted = False
            calls = 0
            for where, call in self.callers(head, (function[0], function[1])):
                calls += 1
                given = list(bind_arguments(head, call, name, self._skips_self(head)))
                omitted |= not given
                for expr in given:
                    yield from self.eval(expr, where)
            omitted |= not calls
        if omitted:
            yield from self.eval(default, outer)

    def _from_site(self, head: Function, function: FunctionId, name: str) -> Iterator[Value]:
        owner, call, decorator = self.sites[function[2]]
        for caller in self.solver.read(("callers", function[2])):
            if call is not None:
                for expr in bind_arguments(head, call, name, self._skips_self(head)):
                    yield from self.eval(expr, (caller[0], caller[1], caller[2]))
            elif head.params and name == head.params[0].name and decorator is not None:
                decorated = function[2].rsplit(":@", 1)[-1]
                yield ("fn", owner[0], decorated, "")
        return

    def _skips_self(self, head: Function) -> bool:
        return bool(head.owner) and not any(d == "staticmethod" for d in head.decorators)

    def callers(self, head: Function, key: FunctionKey) -> Iterator[tuple[FunctionId, Call]]:
        """The calls that may reach a function, in the files summarised so far."""
        plain = head.qualname.rsplit(".", 1)[-1].split("#")[0]
        constructs = plain in ("__init__", "__call__")
        self.solver.read(("named", head.owner.rsplit(".", 1)[-1] if constructs else plain))
        target = (key[0], head.owner) if constructs else key
        for where, at in self.solver.read(("called", *target)):
            yield where, self._calls[at]

    def _named(self, name: str) -> Values:
        """Ask of every call of anything of that name where it goes."""
        self.solver.read(("mentions", name))
        for alias in sorted({name} | self.project.aliases.get(name, set())):
            callers = self.project.mentions.get(alias, ())
            if len(callers) > MOST_CALLERS:
                continue
            for caller in callers:
                by_name = self.project.facts(caller).by_name
                partials = (found for call in by_name.get("partial", ()) if (found := _unwrapped(call)))
                for call in (*by_name.get(alias, ()), *partials):
                    at = (*caller, call.line, call.column, call.end_line, call.end_column, last_name(call.func))
                    self._calls.setdefault(at, call)
                    for context in self.solver.read(("contexts", *caller)) | {("",)}:
                        self.solver.read(("callee", (*caller, context[0]), at))
        return EMPTY

    def _callee(self, where: FunctionId, at: CallAt) -> Values:
        """Note with each function, or class, that a call reaches it."""
        for value in self.eval(self._calls[at].func, where):
            if value[0] in ("fn", "bound", "cls"):
                self.solver.add(("called", value[1], value[2]), (where, at))
        return EMPTY

    def _returned(self, function: tuple[str, ...]) -> Iterator[Value]:
        path, qualname, context = function
        for expr in self.project.facts((path, qualname)).returns:
            yield from self.eval(expr, (path, qualname, context))
        head = self.project.function((path, qualname))
        if head is not None and head.returns is not None:
            yield from self.annotated(head.returns, (path, head.parent or MODULE, context))

    def _content(self, box: Value) -> Iterator[Value]:
        expr, function = self.boxes[box]
        items: list[Expr] = []
        if isinstance(expr, Seq):
            items = expr.items
        elif isinstance(expr, Table):
            items = expr.values
        elif isinstance(expr, Comp):
            items = expr.items[-1:]
        for item in items:
            if isinstance(item, Const) and not isinstance(expr, Seq):
                continue
            found = self.eval(item, function)
            yield from self.inside(found) if isinstance(item, Star) else found

    def _filled(self, path: str, qualname: str, context: str, name: str) -> Iterator[Value]:
        function = (path, qualname, context)
        for _, value, merged in self.project.facts((path, qualname)).fills.get(name, ()):
            found = self.eval(value, function)
            yield from self.inside(found) if merged else found

    # fields of project classes

    def classes(self, key: FunctionKey) -> list[FunctionKey]:
        """A class, its bases in the project, and its subclasses."""
        return [*self.ancestors(key), *self.descendants(key)]

    def ancestors(self, key: FunctionKey) -> list[FunctionKey]:
        """The class and its bases in the project, nearest first."""
        found = [key]
        for current in found:
            item = self.project.class_(current)
            for base in item.bases if item else ():
                owner = (current[0], item.parent if item and item.parent else MODULE, "")
                for value in self.eval(base.base if isinstance(base, Item) else base, owner):
                    if value[0] == "cls" and value[1:3] not in found:
                        found.append((value[1], value[2]))
        return found

    def outside_bases(self, key: FunctionKey) -> list[str]:
        """The canonical names of the bases outside the project."""
        found = []
        for current in self.ancestors(key):
            item = self.project.class_(current)
            for base in item.bases if item else ():
                owner = (current[0], item.parent if item and item.parent else MODULE, "")
                for value in self.eval(base.base if isinstance(base, Item) else base, owner):
                    if value[0] == "ext" and value[1] not in found:
                        found.append(value[1])
        return found

    def descendants(self, key: FunctionKey) -> list[FunctionKey]:
        """Subclasses in the files summarised so far."""
        found: list[FunctionKey] = []
        todo = [key]
        while todo:
            current = todo.pop()
            item = self.project.class_(current)
            name = item.name if item else ""
            self.solver.read(("subclasses", name))
            for other in self.project.subclasses.get(name, ()):
                if other != key and other not in found and current in self.ancestors(other):
                    found.append(other)
                    todo.append(other)
        return sorted(found)

    def _field(self, path: str, qualname: str, name: str) -> Iterator[Value]:
        family = self.classes((path, qualname))
        for key in family:
            item = self.project.class_(key)
            for attribute_name, annotation, value in item.attributes if item else ():
                if attribute_name == name:
                    owner = (key[0], key[1], "")
                    yield from self.annotated(annotation, owner)
                    yield from self.eval(value, owner)
        yield from self._written(family, name, False)
        if any(self._is_own(family, file, write) for file, write in self._writes(name) if write.content):
            yield ("ffill", path, qualname, name)

    def _writes(self, name: str) -> list[tuple[str, Write]]:
        self.solver.read(("writes", name))
        return self.project.attribute_writes.get(name, [])

    def _is_own(self, family: list[FunctionKey], path: str, write: Write) -> bool:
        function = self.project.function((path, write.function))
        base = write.base
        while function is not None and not function.owner and function.parent:
            function = self.project.function((path, function.parent))
        if function is not None and function.owner and function.params and base == function.params[0].name:
            return (path, function.owner) in family
        return False

    def _written(self, family: list[FunctionKey], name: str, content: bool) -> Iterator[Value]:
        for path, write in self._writes(name):
            if write.content is not content:
                continue
            where = (path, write.function, "")
            own = self._is_own(family, path, write)
            if not own:
                receivers = self.eval(write.base, where)
                own = any(value[0] in ("obj", "cls") and value[1:3] in family for value in receivers)
            if own:
                value = write.value
                found = self.eval(value, where)
                yield from self.inside(found) if isinstance(value, Star) else found

    def _field_fills(self, path: str, qualname: str, name: str) -> Iterator[Value]:
        yield from self._written(self.classes((path, qualname)), name, True)


def _unwrapped(call: Call) -> Call | None:
    """``partial(f, x)`` as the call ``f(x)``."""
    if not call.args:
        return None
    ends = (call.line, call.column, call.end_line, call.end_column)
    return Call(call.args[0], call.args[1:], call.kwargs, *ends)
