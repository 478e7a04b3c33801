"""Which node may follow which in a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .calling import argument
from .modules import is_test
from .registry import GraphSite, Registry
from .summary import Call, Const, Expr, Seq, Table
from .values import FunctionId

START = "__start__"


@dataclass(slots=True)
class Topology:
    """Edges of one graph by node name: those always taken, and those a router or a command may take."""

    always: dict[str, set[str]] = field(default_factory=dict)
    sometimes: dict[str, set[str]] = field(default_factory=dict)
    joins: list[tuple[frozenset[str], str]] = field(default_factory=list)
    """(sources, target) of edges that wait for several sources."""
    spread: set[str] = field(default_factory=set)
    """Nodes that several tasks may run at once: targets of ``Send``."""

    def after(self, name: str) -> set[str]:
        """The nodes that may follow a node directly."""
        return self.always.get(name, set()) | self.sometimes.get(name, set())

    def reached(self, names: Iterable[str]) -> set[str]:
        """The nodes that may run once these do, themselves included."""
        found: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo.extend(self.after(name))
        return found

    def repeats(self, name: str) -> bool:
        """Whether a node may run again later in the same run."""
        return name in self.reached(self.after(name))


def topologies(registry: Registry) -> dict[GraphSite, Topology]:
    """The topology of every graph, by the site of its builder."""
    found: dict[GraphSite, Topology] = {}
    resolver = registry.resolver
    for role in resolver.knowledge.entries["edge"]:
        for name in role.options["names"]:
            last = name.rpartition(".")[2]
            for key in resolver.project.mentioning(last):
                function = (*key, "")
                for call in resolver.project.facts(key).by_name.get(last, ()):
                    for value in resolver.of(call.func, function):
                        if value[0] == "meth" and f"{value[1]}.{value[2]}" == name:
                            into = found.setdefault(value[3], Topology())
                            _add(registry, into, role.options["kind"], call, function)
    for site, graph in registry.graphs.items():
        into = found.setdefault(site, Topology())
        names = {name for name, _ in graph.nodes}
        for name, function in graph.nodes:
            into.sometimes.setdefault(name, set()).update(_commands(registry, function))
        for source, router in graph.routers:
            targets = _returned(registry, router)
            if targets or not into.sometimes.get(source):
                into.sometimes.setdefault(source, set()).update(targets or names)
        into.spread |= {name for name in names if name in registry.sent and _sent_here(registry, site, name)}
    return found


def _add(registry: Registry, into: Topology, kind: str, call: Call, function: FunctionId) -> None:
    if kind == "edge":
        sources = list(_names(registry, argument(call, 0, "start_key"), function))
        targets = list(_names(registry, argument(call, 1, "end_key"), function))
        joined = isinstance(argument(call, 0, "start_key"), Seq)
        for target in targets:
            if joined and len(sources) > 1:
                into.joins.append((frozenset(sources), target))
            for source in sources:
                into.always.setdefault(source, set()).add(target)
    elif kind == "entry":
        for target in _names(registry, argument(call, 0, "key"), function):
            into.always.setdefault(START, set()).add(target)
    elif kind == "routed":
        mapped = argument(call, 2, "path_map")
        for source in _names(registry, argument(call, 0, "source"), function):
            values = mapped.values if isinstance(mapped, Table) else mapped.items if isinstance(mapped, Seq) else []
            for value in values:
                into.sometimes.setdefault(source, set()).update(_names(registry, value, function))


def _names(registry: Registry, expr: Expr, function: FunctionId) -> Iterator[str]:
    """The node names that an expression may stand for."""
    if isinstance(expr, Seq):
        for item in expr.items:
            yield from _names(registry, item, function)
        return
    for value in sorted(registry.resolver.of(expr, function), key=repr):
        if value[0] == "const" and isinstance(value[1], str):
            yield value[1]
        elif value[0] == "ext" and value[1].endswith(".START"):
            yield START
        elif value[0] == "fn":
            yield value[2].rpartition(".")[2]


def _returned(registry: Registry, router: FunctionId) -> set[str]:
    facts = registry.resolver.project.facts((router[0], router[1]))
    found: set[str] = set()
    for value in facts.returns:
        items = value.items if isinstance(value, Seq) else [value]
        for item in items:
            found.update(_names(registry, item, router))
    for call in facts.by_name.get("Send", ()):
        found.update(_names(registry, argument(call, 0, "node"), router))
    return found


def _commands(registry: Registry, function: FunctionId) -> set[str]:
    """The nodes that a node's commands go to."""
    found: set[str] = set()
    facts = registry.resolver.project.facts((function[0], function[1]))
    for call in facts.by_name.get("Command", ()):
        goto = argument(call, None, "goto")
        for item in goto.items if isinstance(goto, Seq) else [goto]:
            sent = argument(item, 0, "node") if isinstance(item, Call) else item
            found.update(_names(registry, sent, function))
    return found


def _sent_here(registry: Registry, site: GraphSite, name: str) -> bool:
    """Whether several tasks may be sent to a node: ``Send`` in a comprehension, a loop, or twice."""
    graph = registry.graphs[site]
    project = registry.resolver.project
    senders = registry.sent.get(name, set())
    around = {(f[0], f[1]) for _, f in graph.nodes | graph.routers}
    nested = {
        (path, head.qualname)
        for path, parent in around
        if path in project.files and not is_test(path)
        for head in project.files[path].summary.functions
        if head.parent == parent
    }
    for key in senders & (around | nested):
        facts = project.facts(key)
        calls = facts.by_name.get("Send", ())
        inside = [call for call in calls if isinstance(told := argument(call, 0, "node"), Const) and told.value == name]
        if len(inside) > 1 or any(call in facts.many for call in inside):
            return True
    return False
