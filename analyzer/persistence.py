"""Where graphs that wait get their saver, and whether it outlives the process."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .calling import argument
from .calls import targets
from .flow import Guard, TooLarge, build
from .in_memory import call_at, is_volatile
from .modules import is_test
from .nullness import Null, null_test, states
from .order import Order
from .project import imported_files
from .registry import Graph, GraphSite, Registry, given_breakpoints
from .solver import Value
from .summary import Call, Const, Expr, Star
from .values import FunctionId, Resolver

MANIFESTS = ("pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "langgraph.json", "Pipfile")
"""Files that make a folder a project of its own."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A graph that waits, where it is compiled. ``call`` is None for a decorator without arguments."""

    site: GraphSite
    function: FunctionId
    call: Call | None
    saver: Expr
    agent: str


@dataclass
class Persistence:
    """Answers about the graphs of a project."""

    root: Path
    order: Order
    registry: Registry

    @property
    def resolver(self) -> Resolver:
        """The resolver of the project."""
        return self.registry.resolver

    def compiled(self) -> Iterator[Compiled]:
        """Every place where a graph that waits, and is no part of another, is compiled."""
        inner = self._inner
        for site in sorted(self.registry.graphs, key=repr):
            graph = self.registry.graphs[site]
            if not site or site in inner:
                continue
            for function, call in graph.compiles:
                if self.waits(site, graph, function, call):
                    saver = argument(call, self._position(graph), "checkpointer")
                    yield Compiled(site, function, call, saver, graph.agent)
            if graph.agent == "entrypoint" and not graph.compiles and self._node_waits(site):
                path = site[0]
                yield Compiled(site, (path, "<module>", ""), None, Const(None), graph.agent)

    def records_nothing(self, entrypoint: FunctionId) -> bool:
        """Whether an entrypoint surely has no saver: no later run goes on where one ended."""
        head = self.resolver.project.function(entrypoint[:2])
        site: GraphSite = (entrypoint[0], head.line, head.column) if head is not None else ()
        graph = self.registry.graphs.get(site)
        if graph is None or self.is_part(site) or self.served(entrypoint[0]):
            return False
        plain = Compiled(site, (entrypoint[0], "<module>", ""), None, Const(None), graph.agent)
        made = [Compiled(site, f, c, argument(c, 0, "checkpointer"), graph.agent) for f, c in graph.compiles] or [plain]
        savers = {null.kind for compiled in made for null in self.saver_states(compiled)}
        return savers == {"none"} and not any(map(self.set_later, made))

    def is_part(self, site: GraphSite) -> bool:
        """Whether a graph runs inside another."""
        return site in self._inner

    def _position(self, graph: Graph) -> int | None:
        return None if graph.agent and graph.agent != "entrypoint" else 0

    def _node_waits(self, site: GraphSite) -> bool:
        return self.order.waits_itself(site) or any(
            f in self.order.reach and self.order.reach[f].waits for f in self.order.graph_functions(site)
        )

    def waits(self, site: GraphSite, graph: Graph, function: FunctionId, call: Call) -> bool:
        """Whether a run of the graph may park."""
        return self._node_waits(site) or given_breakpoints(self.resolver, call, function)

    @cached_property
    def _inner(self) -> set[GraphSite]:
        """Graphs that run inside another: as a node, or called by a unit."""
        found: set[GraphSite] = set()
        for graph in self.registry.graphs.values():
            found |= graph.subgraphs
        for function in self.order.in_unit:
            if function in self.order.outlines:
                for sites in self.order.outlines[function].graphs:
                    found.update(sites)
        return found

    def served(self, path: str) -> bool:
        """Whether a file above the path says that a server brings the saver."""
        names = [n for item in self.resolver.knowledge.frameworks for n in item.served_by]
        return any((self.root / folder / name).is_file() for folder in _upward(path) for name in names)

    def set_later(self, compiled: Compiled) -> bool:
        """Whether a saver is assigned to the compiled graph's attribute somewhere."""
        name = self.resolver.knowledge.table("persistence", "attribute")
        for path, write in self.resolver.project.attribute_writes.get(name, ()):
            where = (path, write.function, "")
            values = self.resolver.of(write.base, where)
            if any(value[0] == "inst" and value[2] == compiled.site for value in values):
                return True
            if not values and self.scope(path) == self.scope(compiled.function[0]):
                return True
        return False

    def replaced(self, null: Null) -> bool:
        """Whether the graph made with this None is put where another one is put, too, by the same file."""
        if null.passed is None:
            return False
        function, line, column = null.passed[:3]
        file = self.resolver.project.files[function[0]]
        here = [
            w
            for w in file.summary.writes
            if isinstance(w.value, Call) and (w.value.line, w.value.column) == (line, column)
        ]
        return any(
            (other.base, other.name) == (write.base, write.name)
            and isinstance(other.value, Call)
            and other is not write
            for write in here
            for other in file.summary.writes
        )

    def runs(self, site: GraphSite) -> Sequence[tuple[FunctionId, Call]]:
        """The calls that run a graph in this process, tests and replayed units left out."""
        return self._runs.get(site, ())

    @cached_property
    def _runs(self) -> dict[GraphSite, list[tuple[FunctionId, Call]]]:
        found: dict[GraphSite, list[tuple[FunctionId, Call]]] = {}
        for function, call in self._run_calls():
            for site in self._reached(call, function):
                found.setdefault(site, []).append((function, call))
        return found

    def runs_with(self, keywords: Collection[str]) -> Iterator[tuple[FunctionId, Call, GraphSite]]:
        """The runs that are given one of the keywords, each with the graph it runs."""
        for function, call in self._run_calls():
            if any(name in keywords for name, _ in call.kwargs):
                for site in sorted(self._reached(call, function), key=repr):
                    yield function, call, site

    def _run_calls(self) -> Iterator[tuple[FunctionId, Call]]:
        """Calls of methods that may run a graph, outside tests and replayed units."""
        methods = {m for role in self.resolver.knowledge.entries["run"] for m in role.options["methods"]}
        mentions = self.resolver.project.mentions
        for path, qualname in sorted({key for method in methods for key in mentions.get(method, ())}):
            function = (path, qualname, "")
            if is_test(path) or function in self.order.in_unit:
                continue
            by_name = self.resolver.project.facts((path, qualname)).by_name
            for method in sorted(methods):
                for call in by_name.get(method, ()):
                    yield function, call

    def _reached(self, call: Call, function: FunctionId) -> set[GraphSite]:
        found = targets(self.resolver, call, function)
        sites: set[GraphSite] = set(found.graphs)
        for target in found.functions:
            if self.registry.kind((target[0], target[1])) == "entrypoint":
                head = self.resolver.project.function((target[0], target[1]))
                if head is not None:
                    sites.add((target[0], head.line, head.column))
        return sites

    def saver_states(self, compiled: Compiled) -> frozenset[Null]:
        """Whether the saver given may be None."""
        if compiled.call is None:
            return frozenset({Null("none", compiled.function[0], 0)})
        if compiled.saver is None and _is_spread(compiled.call):
            return frozenset({Null("unknown")})
        if compiled.saver is None:
            name = self._told_by_guard(compiled.function, compiled.call)
            if not name:
                return frozenset({Null("none", compiled.function[0], 0)})
            return self._at_entry(name, compiled.function)
        return states(self.resolver, compiled.saver, compiled.call, compiled.function)

    def volatile_savers(self, compiled: Compiled) -> list[Value]:
        """The in-memory savers that the graph may get, by the place of their construction."""
        if compiled.saver is None:
            return []
        made = (v for v in self.resolver.of(compiled.saver, compiled.function) if v[0] == "inst" and v[2])
        return sorted((v for v in made if is_volatile(self.resolver, v) and not self._never(v[2])), key=repr)

    def _never(self, site: tuple[str, int, int]) -> bool:
        """Whether the saver is made only where a parameter is None that every caller gives."""
        found = call_at(self.resolver, site)
        return found is not None and found[0][1] != "<module>" and self._excluded(*found)

    def _excluded(self, function: FunctionId, call: Call) -> bool:
        for test, truth in self._guards(function, call):
            name = _null_test(test, truth)
            if name and all(null.kind == "some" for null in self._at_entry(name, function)):
                return True
        return False

    def _told_by_guard(self, function: FunctionId, call: Call) -> str:
        """The name that is None where the call is made: ``if saver: compile(saver) else: compile()``."""
        for test, truth in self._guards(function, call):
            if name := _null_test(test, truth):
                return name
        return ""

    def _guards(self, function: FunctionId, call: Call) -> tuple[Guard, ...]:
        try:
            flow = build(self.resolver.project.body((function[0], function[1])))
        except TooLarge:
            return ()
        return next((flow.guards[n] for n, found in enumerate(flow.calls) if found is call), ())

    def _at_entry(self, name: str, function: FunctionId) -> frozenset[Null]:
        """What a parameter may be when the function begins."""
        start = Call(name, [], [], 0, 0, 0, 0)
        return states(self.resolver, name, start, function)

    def has_durable_saver(self, path: str) -> bool:
        """Whether the same project makes a durable saver outside its tests."""
        scope = self.scope(path)
        return any(self.scope(other) == scope and not is_test(other) for other in self._durable)

    @cached_property
    def _durable(self) -> set[str]:
        """Files that import a durable saver."""
        found = set()
        knowledge = self.resolver.knowledge
        for path, file in self.resolver.project.files.items():
            imports = [*file.summary.imports.values()]
            for function in file.summary.functions:
                imports.extend(function.imports.values())
            for target in imports:
                role = knowledge.role(knowledge.canonical(target.replace(":", ".")), "saver")
                if role is not None and not role.options["volatile"]:
                    found.add(path)
        return found

    def serves(self, path: str) -> bool:
        """Whether a file is part of a program that serves requests or jobs, in the project around it."""
        scope = self.scope(path)
        return path in self._reached_by_servers and any(
            self.scope(other) == scope for other in self._importing("serving")
        )

    @cached_property
    def _reached_by_servers(self) -> set[str]:
        """The files that serve, and all they import."""
        found: set[str] = set()
        todo = list(self._importing("serving"))
        while todo:
            path = todo.pop()
            if path in found:
                continue
            found.add(path)
            file = self.resolver.project.files.get(path)
            if file is not None:
                todo.extend(imported_files(self.resolver.project, file))
        return found

    def replayed(self, path: str) -> bool:
        """Whether the file is part of a program whose memory an engine rebuilds."""
        return path in self._importing("replayed")

    def rerun(self, path: str) -> bool:
        """Whether the file is part of a program that runs again from its top at each event."""
        return path in self._importing("rerun")

    def _importing(self, table: str) -> set[str]:
        known = self.__dict__.setdefault("_known_imports", {})
        if table not in known:
            modules = tuple(self.resolver.knowledge.table(table, "modules"))
            known[table] = {
                path
                for path, file in self.resolver.project.files.items()
                if not is_test(path) and any(_names(t, modules) for t in file.summary.imports.values())
            }
        return known[table]  # type: ignore[no-any-return]

    def scope(self, path: str) -> str:
        """The folder of the nearest manifest above a file: the project it belongs to."""
        known: dict[str, str] = self.__dict__.setdefault("_scopes", {})
        folder = posixpath.dirname(path)
        if folder not in known:
            known[folder] = next(
                (f for f in _upward(path) if any((self.root / f / name).is_file() for name in MANIFESTS)), ""
            )
        return known[folder]


def _is_spread(call: Call) -> bool:
    """Whether a call is given arguments that it does not write: ``compile(**options)``."""
    return any(not name for name, _ in call.kwargs) or any(isinstance(item, Star) for item in call.args)


def _upward(path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _names(target: str, modules: Iterable[str]) -> bool:
    name = target.replace(":", ".")
    return any(name == module or name.startswith(module + ".") for module in modules)


def _null_test(test: Expr, truth: bool) -> str:
    """The name that must be None, or empty, for the guard to hold."""
    found = null_test(test)
    return found[0] if found is not None and found[1] is truth else ""
