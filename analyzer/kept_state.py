"""Whether what a unit writes reaches a checkpoint, and by what the graph is known to have one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .calling import argument
from .facts import children
from .order import Order
from .persistence import Compiled, Persistence
from .registry import Graph, GraphSite, Registry, Unit
from .solver import Value
from .summary import Call, Class, Const, Expr, Item
from .values import FunctionId

Kept = Literal["yes", "unknown", "no"]


@dataclass
class KeptState:
    """Answers about the state of the graphs of a project."""

    order: Order
    registry: Registry
    persistence: Persistence

    def kept(self, unit: Unit) -> tuple[Kept, tuple[FunctionId, Call] | None]:
        """Whether the unit's graph has a checkpointer, and the call that gives it one."""
        sites = self._sites(unit)
        if not sites:
            return "unknown", None
        told = [self._of_graph(site) for site in sites]
        for wanted in ("yes", "unknown"):
            for kept, call in told:
                if kept == wanted:
                    return kept, call
        return "no", None

    def _sites(self, unit: Unit) -> list[GraphSite]:
        return self._graphs_of.get(unit.function, []) if unit.kind != "recorded" else self._workflows(unit)

    @cached_property
    def _graphs_of(self) -> dict[FunctionId, list[GraphSite]]:
        found: dict[FunctionId, list[GraphSite]] = {}
        for site in sorted(self.registry.graphs, key=repr):
            graph = self.registry.graphs[site]
            for _, function in sorted(graph.nodes | graph.routers | graph.possible):
                found.setdefault(function, []).append(site)
        return found

    def _workflows(self, unit: Unit) -> list[GraphSite]:
        """The workflows and graphs that may run a recorded step."""
        return [
            site
            for function, sites in sorted(self._graphs_of.items())
            if unit.function in self.order.closure([function], recorded=True)
            for site in sites
        ]

    def _of_graph(self, site: GraphSite) -> tuple[Kept, tuple[FunctionId, Call] | None]:
        graph = self.registry.graphs[site]
        none: list[tuple[FunctionId, Call]] = []
        for function, call in graph.compiles:
            saver = argument(call, None if graph.agent and graph.agent != "entrypoint" else 0, "checkpointer")
            if any(not name for name, _ in call.kwargs):
                return "unknown", (function, call)
            if saver is None or (isinstance(saver, Const) and not saver.value):
                none.append((function, call))
            elif not self._serializes_itself(saver, function):
                return "yes", (function, call)
            else:
                return "no", None
        if not none and graph.agent != "entrypoint":
            return "unknown", None
        if self.persistence.is_part(site) or self._comes_later(site, graph, none):
            return "unknown", none[0] if none else None
        return "no", None

    def _comes_later(self, site: GraphSite, graph: Graph, compiles: list[tuple[FunctionId, Call]]) -> bool:
        """Whether a server brings the saver, or somebody assigns it."""
        for function, call in compiles:
            compiled = Compiled(site, function, call, None, graph.agent)
            if self.persistence.served(function[0]) or self.persistence.set_later(compiled):
                return True
        return any(self.persistence.served(str(path)) for path in site[:1])

    def _serializes_itself(self, saver: Expr, function: FunctionId) -> bool:
        """Whether the saver was given a serialiser of the user's own."""
        resolver = self.registry.resolver
        keyword = resolver.knowledge.table("state", "serializer")
        sites = [value[2] for value in resolver.of(saver, function) if value[0] == "inst" and value[2]]
        calls = [call for site in sites if (call := self._call_at(site)) is not None]
        return any(argument(call, None, keyword) is not None for call in calls)

    def _call_at(self, site: GraphSite) -> Call | None:
        if not site:
            return None
        file = self.registry.resolver.project.files.get(site[0])
        for function in file.summary.functions if file is not None else ():
            for call in self.registry.resolver.project.facts((site[0], function.qualname)).calls:
                if (call.line, call.column) == site[1:]:
                    return call
        return None

    # the schema

    def takes(self, unit: Unit, key: str) -> bool:
        """Whether a graph of the unit keeps a key: one that no schema names is dropped, an untracked one not saved."""
        sites = self._sites(unit)
        return not sites or any(self._has_channel(site, key) for site in sites)

    def reduces(self, unit: Unit, key: str) -> bool:
        """Whether a schema says how values of the key are joined, and may change them on the way."""
        return any(
            "Annotated" in repr(annotation)
            for site in self._sites(unit)
            for item in self._schemas.get(site, ((), False))[0]
            for name, annotation, _ in item.attributes
            if name == key
        )

    def _has_channel(self, site: GraphSite, key: str) -> bool:
        classes, known = self._schemas.get(site, ((), False))
        unsaved = set(self.registry.resolver.knowledge.table("state", "unsaved"))
        named = [annotation for item in classes for name, annotation, _ in item.attributes if name == key]
        if any(not unsaved.isdisjoint(_names(annotation)) for annotation in named):
            return False
        return bool(named) or not known

    @cached_property
    def _schemas(self) -> dict[GraphSite, tuple[tuple[Class, ...], bool]]:
        """For each graph the classes of its schemas, and whether these are all."""
        found: dict[GraphSite, tuple[tuple[Class, ...], bool]] = {}
        schemas = self.registry.resolver.knowledge.table("state", "schemas")
        for site, graph in self.registry.graphs.items():
            call = self._call_at(site)
            if call is None or graph.agent:
                continue
            where = self._function_at(site, call)
            given = [*call.args[:1], *(value for name, value in call.kwargs if name in schemas)]
            told = [(expr, where, True) for expr in given]
            for _, function in sorted(graph.nodes | graph.possible):
                head = self.registry.resolver.project.function(function[:2])
                outer = (function[0], head.parent or "<module>", "") if head is not None else where
                told += [(p.annotation, outer, False) for p in (head.params if head is not None else ())]
            classes: set[tuple[str, str]] = set()
            known = bool(given)
            for expr, function, required in told:
                mine = [v for v in self.registry.resolver.of(expr, function) if v[0] in ("cls", "ext")]
                mine = [v for v in mine if v[0] == "cls" or required]
                known &= not required or bool(mine)
                for value in mine:
                    known &= value[0] == "cls"
                    if value[0] == "cls":
                        known &= self._add((value[1], value[2]), classes)
            items = (self.registry.resolver.project.class_(key) for key in sorted(classes))
            found[site] = (tuple(item for item in items if item is not None), known)
        return found

    def _add(self, key: tuple[str, str], into: set[tuple[str, str]]) -> bool:
        """Add a class and its bases; says whether all bases are known to bring no keys of their own."""
        item = self.registry.resolver.project.class_(key)
        if item is None or key in into:
            return item is not None
        into.add(key)
        complete = True
        owner = (key[0], item.parent or "<module>", "")
        for base in item.bases:
            plain = base.base if isinstance(base, Item) else base
            values: list[Value] = sorted(self.registry.resolver.of(plain, owner))
            complete &= bool(values)
            for value in values:
                if value[0] == "cls":
                    complete &= self._add((value[1], value[2]), into)
                else:
                    name = str(value[1]).rpartition(".")[2]
                    complete &= name in self.registry.resolver.knowledge.table("state", "empty_bases")
        return complete

    def _function_at(self, site: GraphSite, call: Call) -> FunctionId:
        project = self.registry.resolver.project
        path = str(site[0]) if site else ""
        file = project.files.get(path)
        for head in file.summary.functions if file is not None else ():
            if any(found is call for found in project.facts((path, head.qualname)).calls):
                return (path, head.qualname, "")
        return (path, "<module>", "")


def _names(expr: Expr) -> Iterator[str]:
    if isinstance(expr, str):
        yield expr.rpartition(".")[2]
    elif expr is not None and not isinstance(expr, Const):
        for child in children(expr):
            yield from _names(child)
