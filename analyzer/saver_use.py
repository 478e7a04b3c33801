"""How savers and stores are handed to graphs: entered or not, made or only named, fit for how the graph is run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .bindings import known_callers, skips_self
from .calling import argument, bind_arguments
from .calls import targets
from .compiled_runs import Made, runs_of
from .exits import is_generator as is_manager
from .facts import last_name
from .lower import MODULE
from .paths import Link
from .persistence import Persistence
from .registry import Registry
from .state_writes import statements
from .summary import Call, Expr, Let, Op, Return, Walrus
from .values import FunctionId

Misuse = Literal["unentered", "class", "sync"]
_DEPTH = 5
_ENTERING = {"__enter__", "__aenter__", "enter_context", "enter_async_context"}


@dataclass(frozen=True, slots=True)
class SaverUse:
    """A saver, or store, that cannot work where it is used.

    unentered: what ``from_conn_string`` gives is a context manager that nobody enters. class: the class stands for
    an instance. sync: the graph is run by async methods, which the saver lacks; ``run`` is that run.
    """

    how: Misuse
    keyword: str
    made: tuple[FunctionId, Call | None]
    name: str
    taken: tuple[FunctionId, Call | None, int]
    """Where a graph takes it: the call, or the line of an assignment."""
    way: tuple[Link, ...] = ()
    run: tuple[FunctionId, Call] | None = None


@dataclass
class SaverUses:
    """Looks at every place where a graph takes a saver or a store."""

    registry: Registry
    persistence: Persistence

    def find(self) -> Iterator[SaverUse]:
        """Every misuse, by place."""
        for function, call in self._compiles():
            for keyword in ("checkpointer", "store"):
                first = keyword == "checkpointer" and last_name(call.func) == "compile"
                given = argument(call, 0 if first else None, keyword)
                if given is not None:
                    yield from self._judged(given, function, keyword, (function, call, call.line))
        for path, write in self.registry.resolver.project.attribute_writes.get("checkpointer", ()):
            function = (path, write.function, "")
            values = self.registry.resolver.of(write.base, function)
            if any(self._is_graph(value) for value in values):
                line = self._line(function, f"{write.base}.{write.name}")
                yield from self._judged(write.value, function, "checkpointer", (function, None, line))
        yield from self._sync()

    def _is_graph(self, value: tuple[object, ...]) -> bool:
        knowledge = self.registry.resolver.knowledge
        return value[0] == "inst" and knowledge.role(f"{value[1]}.invoke", "run") is not None

    def _line(self, function: FunctionId, target: str) -> int:
        for item in statements(self.registry.resolver.project.body(function[:2])):
            if isinstance(item, Let) and target in item.targets:
                return item.line
        return 0

    def _compiles(self) -> list[tuple[FunctionId, Call]]:
        """The calls that compile a graph, or make an agent or workflow, in order of place."""
        found = {
            (function[:2], call.line, call.column): (function, call)
            for graph in self.registry.graphs.values()
            for function, call in graph.compiles
        }
        return [found[key] for key in sorted(found)]

    def _judged(
        self, given: Expr, function: FunctionId, keyword: str, taken: tuple[FunctionId, Call | None, int]
    ) -> Iterator[SaverUse]:
        seen: set[object] = set()
        for how, where, call, name, way in self._trace(given, function, (), _DEPTH, seen):
            if how == "unentered" or keyword == "checkpointer":
                yield SaverUse(how, keyword, (where, call), name, taken, way)

    def _trace(
        self, expr: Expr, function: FunctionId, way: tuple[Link, ...], depth: int, seen: set[object]
    ) -> Iterator[tuple[Misuse, FunctionId, Call | None, str, tuple[Link, ...]]]:
        """Where a misused saver among what the expression gives comes from."""
        key = (repr(expr), function)
        if expr is None or not depth or key in seen:
            return
        seen.add(key)
        if isinstance(expr, Op) and expr.kind in ("if", "or", "and", ":"):
            for item in expr.items[1:] if expr.kind in ("if", ":") else expr.items:
                yield from self._trace(item, function, way, depth, seen)
        elif isinstance(expr, Walrus):
            yield from self._trace(expr.value, function, way, depth, seen)
        elif isinstance(expr, Call):
            yield from self._traced_call(expr, function, way, depth, seen)
        elif isinstance(expr, str) and "." not in expr:
            yield from self._name(expr, function, way, depth, seen)
        elif isinstance(expr, str):
            yield from self._attribute(expr, function, way, depth, seen)

    def _traced_call(
        self, call: Call, function: FunctionId, way: tuple[Link, ...], depth: int, seen: set[object]
    ) -> Iterator[tuple[Misuse, FunctionId, Call | None, str, tuple[Link, ...]]]:
        resolver = self.registry.resolver
        reached = targets(resolver, call, function)
        managers = set(resolver.knowledge.table("saver_use", "managers"))
        for name in reached.outside:
            if name in managers:
                yield "unentered", function, call, name, way
        for target in reached.functions:
            head = resolver.project.function(target[:2])
            if head is None or head.decorators or is_manager(resolver, target):
                continue
            for item in statements(resolver.project.body(target[:2])):
                if isinstance(item, Return):
                    yield from self._trace(item.value, target, ((function, call), *way), depth - 1, seen)

    def _name(
        self, name: str, function: FunctionId, way: tuple[Link, ...], depth: int, seen: set[object]
    ) -> Iterator[tuple[Misuse, FunctionId, Call | None, str, tuple[Link, ...]]]:
        resolver = self.registry.resolver
        project = resolver.project
        head = project.function(function[:2])
        if head is None:
            return
        lets = project.facts(function[:2]).lets.get(name, ())
        for mode, value in lets if not any(mode == "enter" or _enters(value) for mode, value in lets) else ():
            if mode == "is":
                yield from self._trace(value, function, way, depth - 1, seen)
        if any(param.name == name for param in head.params):
            for caller, call in known_callers(resolver, function):
                for given in bind_arguments(head, call, name, skips_self(head)):
                    yield from self._trace(given, caller, ((caller, call), *way), depth - 1, seen)
        elif not lets and (imported := self._imported(name, function)) is not None:
            yield from self._trace(imported[1], (imported[0], MODULE, ""), way, depth - 1, seen)
        elif not lets and head.qualname != MODULE:
            yield from self._name(name, (function[0], self._outer(function), ""), way, depth, seen)
        for named in sorted(resolver.of(name, function), key=repr) if not lets else ():
            if named[0] == "ext" and resolver.knowledge.role(resolver.canonical(named[1]), "saver") is not None:
                yield "class", function, None, named[1], way

    def _imported(self, name: str, function: FunctionId) -> tuple[str, str] | None:
        """The module of the project, and the name there, that a name is imported from."""
        project = self.registry.resolver.project
        file, head = project.file(function[0]), project.function(function[:2])
        if file is None or head is None:
            return None
        target = head.imports.get(name) or (file.summary.imports.get(name) if head.qualname == MODULE else None)
        module, _, last = (target or "").partition(":")
        found = project.modules.find(module, function[0]) if last else None
        return (found, last) if found is not None and not self.registry.resolver.is_outside(module) else None

    def _outer(self, function: FunctionId) -> str:
        """The function around one; classes are passed over."""
        head = self.registry.resolver.project.function(function[:2])
        parent = head.parent if head is not None else ""
        while parent and self.registry.resolver.project.function((function[0], parent)) is None:
            item = self.registry.resolver.project.class_((function[0], parent))
            parent = item.parent if item is not None else ""
        return parent or MODULE

    def _attribute(
        self, expr: str, function: FunctionId, way: tuple[Link, ...], depth: int, seen: set[object]
    ) -> Iterator[tuple[Misuse, FunctionId, Call | None, str, tuple[Link, ...]]]:
        """``self.saver``: what the class puts there."""
        project = self.registry.resolver.project
        base, _, name = expr.rpartition(".")
        head = project.function(function[:2])
        owner = head.owner if head is not None else ""
        writes = []
        for path, write in project.attribute_writes.get(name, ()):
            other = project.function((path, write.function))
            same = other is not None and other.owner == owner and path == function[0]
            if same and write.base == base and not write.content:
                writes.append(write)
        for write in writes if not any(_enters(write.value) for write in writes) else ():
            yield from self._trace(write.value, (function[0], write.function, ""), way, depth - 1, seen)

    # sync savers

    def _sync(self) -> Iterator[SaverUse]:
        resolver = self.registry.resolver
        lacking = set(resolver.knowledge.table("saver_use", "sync_only"))
        methods = set(resolver.knowledge.table("saver_use", "async_runs"))
        for site in sorted(self.registry.graphs, key=repr):
            graph = self.registry.graphs[site]
            runs = [run for run in self.persistence.runs(site) if last_name(run[1].func) in methods] if site else []
            for function, call in graph.compiles if runs else ():
                position = None if graph.agent and graph.agent != "entrypoint" else 0
                saver = argument(call, position, "checkpointer")
                values = sorted(resolver.of(saver, function), key=repr) if saver is not None else []
                if not values or any(value[0] != "inst" or value[1] not in lacking for value in values):
                    continue
                own = runs
                if len(graph.compiles) > 1:
                    own = runs_of(resolver, Made(function, call.line, call.column), runs)
                    own = [run for run in own if run[0] == function or not self._is_local(run)]
                if own:
                    made = self._call_at(values[0][2])
                    where = made or (function, None)
                    yield SaverUse("sync", "checkpointer", where, values[0][1], (function, call, call.line), (), own[0])

    def _is_local(self, run: tuple[FunctionId, Call]) -> bool:
        """Whether the graph that is run is bound in the function that runs it."""
        root = run[1].func.partition(".")[0] if isinstance(run[1].func, str) else ""
        return root in self.registry.resolver.project.facts(run[0][:2]).lets

    def _call_at(self, site: tuple[str, int, int] | tuple[()]) -> tuple[FunctionId, Call] | None:
        for path in site[:1]:
            file = self.registry.resolver.project.files.get(str(path))
            for head in file.summary.functions if file is not None else ():
                for call in self.registry.resolver.project.facts((str(path), head.qualname)).calls:
                    if (call.line, call.column) == site[1:]:
                        return (str(path), head.qualname, ""), call
        return None


def _enters(value: Expr) -> bool:
    return isinstance(value, Call) and last_name(value.func) in _ENTERING
