"""What the framework is told to run: graphs and their nodes, routers, tools, entrypoints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from . import bindings, fields
from .calling import argument
from .literals import names_in
from .lower import MODULE
from .middleware import attach
from .project import FunctionKey
from .receivers import Receivers
from .solver import Value, Values
from .summary import Call, Const, Expr, Function, Seq
from .values import FunctionId, Resolver, Site

GraphSite = Site | tuple[()]


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """A piece of code that runs again from its top: node, router, tool, middleware, entrypoint, task."""

    kind: str
    function: FunctionId
    name: str


@dataclass(slots=True)
class Graph:
    """A graph by the site of its builder. Node names that are no literals are empty."""

    nodes: set[tuple[str, FunctionId]] = field(default_factory=set)
    subgraphs: set[GraphSite] = field(default_factory=set)
    parts: set[tuple[str, GraphSite]] = field(default_factory=set)
    """Nodes that are graphs, by name."""
    groups: set[Site] = field(default_factory=set)
    """The groups of tools that are nodes."""
    possible: set[tuple[str, FunctionId]] = field(default_factory=set)
    """Nodes of one or other of the graphs that a builder function makes for several callers."""
    routers: set[tuple[str, FunctionId]] = field(default_factory=set)
    compiles: list[tuple[FunctionId, Call]] = field(default_factory=list)
    waits_itself: bool = False
    agent: str = ""


@dataclass(slots=True)
class ToolGroup:
    """Tools handed over together. ``shared``: the calls of one message run in one node."""

    site: Site
    shared: bool
    functions: set[FunctionId] = field(default_factory=set)


@dataclass
class Registry:
    """All registrations found so far."""

    resolver: Resolver
    receivers: Receivers | None = None
    units: set[Unit] = field(default_factory=set)
    graphs: dict[GraphSite, Graph] = field(default_factory=dict)
    groups: dict[Site, ToolGroup] = field(default_factory=dict)
    kinds: dict[FunctionKey, str] = field(default_factory=dict)
    sent: dict[str, set[FunctionKey]] = field(default_factory=dict)
    """Names that single calls are sent to, and the functions that send."""
    group_nodes: set[tuple[GraphSite, str, Site]] = field(default_factory=set)
    """(graph, node name, site of the tool group that is the node)."""
    wrapped: dict[FunctionKey, set[FunctionId]] = field(default_factory=dict)
    """For each function that wraps the running of tools, what it may run: tools, and wrappers further in."""
    unrecorded: frozenset[FunctionId] = frozenset()
    """Functions whose recorded steps run again all the same, by the version of their framework."""
    waits: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()
    _seen: set[tuple[str, FunctionKey]] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)
    _hooks: set[FunctionKey] = field(default_factory=set)
    """Methods that the framework calls because of the base of their class."""

    def collect(self) -> None:
        """Read the registrations of every file summarised so far, until no new file comes in."""
        names = self._names()
        while True:
            before = len(self.resolver.project.files)
            for path in sorted(self.resolver.project.files):
                if path not in self._files:
                    self._files.add(path)
                    self._definitions(path)
            for name in sorted(names):
                for alias in sorted({name} | self.resolver.project.aliases.get(name, set())):
                    for key in list(self.resolver.project.mentions.get(alias, ())):
                        if (alias, key) not in self._seen:
                            self._seen.add((alias, key))
                            self._calls(key, alias)
            if len(self.resolver.project.files) == before:
                return

    def is_wait(self, name: str) -> bool:
        """Whether calling this outside name parks the run."""
        role = self.resolver.knowledge.role(self.resolver.canonical(name), "wait")
        return (role is not None and role.options["form"] == "call") or name in self.waits

    def waits_by_name(self, key: FunctionKey) -> bool:
        """Whether a function of the project is itself a known wait, or declared to be one."""
        return self.is_wait(self.resolver.project.symbol(key))

    def kind(self, key: FunctionKey) -> str:
        """What the framework takes a function for: tool, recorded, entrypoint and so on, or nothing."""
        return self.kinds.get(key) or self.resolver.marked.get(key, "")

    def add_units(self, kind: str, functions: Iterable[FunctionId]) -> None:
        """Register functions under their own names."""
        self.units.update(Unit(kind, function, function[1].rsplit(".", 1)[-1]) for function in functions)

    def is_hook(self, key: FunctionKey) -> bool:
        """Whether the framework calls the method by its name, which says less than that of its class."""
        return key in self._hooks

    def is_recorded(self, key: FunctionKey) -> bool:
        """Whether the user declared that the engine records what the function does."""
        return self.resolver.project.symbol(key) in self.recorded

    def graph(self, site: GraphSite) -> Graph:
        """The graph built at the site."""
        return self.graphs.setdefault(site, Graph())

    def _names(self) -> set[str]:
        roles = self.resolver.knowledge.entries
        found = {"compile", "Send"}
        for kind in ("register", "tools", "holds"):
            for role in roles[kind]:
                found.update(name.rsplit(".", 1)[-1] for name in role.options["names"])
        return found

    # definitions

    def _definitions(self, path: str) -> None:
        project = self.resolver.project
        file = project.files[path]
        known = self._decorator_names()
        for function in file.summary.functions:
            for decorator in function.decorators:
                func = decorator.func if isinstance(decorator, Call) else decorator
                last = func.rsplit(".", 1)[-1] if isinstance(func, str) else getattr(func, "name", "")
                if last in known:
                    self._decorated((path, function.qualname), function, decorator)
        methods = {m for role in self.resolver.knowledge.entries["base"] for m in role.options["methods"]}
        for item in file.summary.classes:
            if methods.intersection(item.methods):
                self._derived((path, item.qualname), item.methods)

    def _decorator_names(self) -> set[str]:
        found: set[str] = set()
        for role in self.resolver.knowledge.entries["decorator"]:
            for name in role.options["names"]:
                last = name.rsplit(".", 1)[-1]
                found |= {last} | self.resolver.project.aliases.get(last, set())
        return found | {name.rsplit(".", 1)[-1] for name in self.recorded}

    def _decorated(self, key: FunctionKey, function: Function, decorator: Expr) -> None:
        owner = (key[0], function.parent or MODULE, "")
        func = decorator.func if isinstance(decorator, Call) else decorator
        for value in self.resolver.of(func, owner):
            symbol = self.resolver.project.symbol(value[1:3]) if value[0] in ("fn", "bound") else value[1]
            if symbol in self.recorded:
                self.kinds[key] = "recorded"
            role = self.resolver.knowledge.role(value[1], "decorator") if value[0] == "ext" else None
            if role is not None:
                kind = role.options["kind"]
                self.kinds[key] = kind
                self.units.add(Unit(kind, (*key, ""), function.name))
                if kind == "entrypoint" and isinstance(decorator, Call):
                    graph = self.graph((key[0], function.line, function.column))
                    graph.agent = "entrypoint"
                    graph.nodes.add((function.name, (*key, "")))
                    graph.compiles.append((owner, decorator))
                elif kind == "entrypoint":
                    graph = self.graph((key[0], function.line, function.column))
                    graph.agent = "entrypoint"
                    graph.nodes.add((function.name, (*key, "")))

    def _derived(self, key: FunctionKey, methods: dict[str, str]) -> None:
        bases = self.resolver.solver.solve(lambda: frozenset((n,) for n in fields.outside_bases(self.resolver, key)))
        for (base,) in bases:
            role = self.resolver.knowledge.role(base, "base")
            for name in role.options["methods"] if role is not None else ():
                if name in methods and role is not None:
                    method = (key[0], methods[name])
                    self.kinds[method] = role.options["kind"]
                    self._hooks.add(method)
                    label = key[1] if name.startswith("_") else f"{key[1]}.{name}"
                    self.units.add(Unit(role.options["kind"], (*method, ""), label))

    # calls

    def _calls(self, key: FunctionKey, last: str) -> None:
        function = (*key, "")
        for call in self.resolver.project.facts(key).by_name.get(last, ()):
            values = self.resolver.of(call.func, function)
            for value in values:
                if value[0] == "meth":
                    self._method(value, call, function)
                elif value[0] == "ext":
                    self._outside(value[1], call, function)
            if not values and last in ("add_node", "add_conditional_edges") and self._marked(key[0]):
                self._method(("meth", "langgraph.graph.StateGraph", last, ()), call, function)

    def _marked(self, path: str) -> bool:
        """Whether the file imports a framework, so that an unknown receiver of add_node is a builder."""
        imports = self.resolver.project.files[path].summary.imports.values()
        return any(self.resolver.is_outside(target.partition(":")[0]) for target in imports)

    def _method(self, value: Value, call: Call, function: FunctionId) -> None:
        name = f"{value[1]}.{value[2]}"
        role = self.resolver.knowledge.role(name, "register")
        if role is not None:
            self._register(role.options["kind"], call, function, value[3], dict(role.options))
        if value[2] == "compile" and self.resolver.knowledge.role(value[1], "builder") is not None:
            self.graph(value[3]).compiles.append((function, call))

    def _register(
        self, kind: str, call: Call, function: FunctionId, site: GraphSite, options: dict[str, object]
    ) -> None:
        position, keyword = int(str(options["position"])), str(options["keyword"])
        action = argument(call, position, keyword)
        first = argument(call, 0, "node")
        name = first.value if isinstance(first, Const) and isinstance(first.value, str) else ""
        if action is None and "single" in options and len(call.args) == 1:
            action, name = first, ""
        values = self.resolver.of(action, function)
        graph = self.graph(site)
        if kind == "sequence":
            inner = self.resolver.content(values)
            values = inner | self.resolver.content(inner)
            kind = "node"
        found = list(self.callables(values))
        shared = len(found) > 1 and self._is_given(action, function)
        for reached in found:
            label = name or reached[1].rsplit(".", 1)[-1]
            if shared:
                graph.possible.add((label, reached))
            elif kind == "router":
                graph.routers.add((name, reached))
            else:
                graph.nodes.add((label, reached))
            self.units.add(Unit(kind, reached, label))
        for value in values:
            if value[0] == "inst" and self.resolver.knowledge.role(f"{value[1]}.invoke", "run"):
                graph.subgraphs.add(value[2])
                graph.parts.add((name, value[2]))
            elif value[0] == "inst" and value[2] in self.groups:
                self.group_nodes.add((site, name or "tools", value[2]))
                graph.groups.add(value[2])

    def _is_given(self, action: Expr, function: FunctionId) -> bool:
        """Whether the action comes from what several callers hand to the function."""
        head = self.resolver.project.function((function[0], function[1]))
        lets = self.resolver.project.facts((function[0], function[1])).lets
        mentioned: set[str] = set()
        todo = list(names_in(action))
        while todo:
            name = todo.pop()
            if name not in mentioned:
                mentioned.add(name)
                todo.extend(inner for _, value in lets.get(name, ()) for inner in names_in(value))
        given = head is not None and any(param.name in mentioned for param in head.params if param.name != "self")
        return given and len(bindings.known_callers(self.resolver, function)) > 1

    def attribute(self, value: Value, name: str) -> Values:
        """The attribute of a value."""
        return self.resolver.solver.solve(lambda: self.resolver.attributes([value], name))

    def callables(self, values: Values) -> Iterator[FunctionId]:
        """The project functions that run when one of the values is called by the framework."""
        for value in sorted(values, key=repr):
            if value[0] in ("fn", "bound"):
                yield (value[1], value[2], value[3])
            elif value[0] == "obj":
                yield from self.callables(self.attribute(value, "__call__"))

    def _outside(self, name: str, call: Call, function: FunctionId) -> None:
        if name.endswith(".Send") and isinstance(target := argument(call, 0, "node"), Const):
            self.sent.setdefault(str(target.value), set()).add((function[0], function[1]))
        self._held(name, call, function)
        role = self.resolver.knowledge.role(name, "tools")
        if role is None:
            return
        options = role.options
        site = (function[0], call.line, call.column)
        shared = bool(options.get("shared"))
        if "shared_when" in options:
            told = argument(call, None, options["shared_when"]["keyword"])
            shared = isinstance(told, Const) and told.value == options["shared_when"]["equals"]
        group = self.groups.setdefault(site, ToolGroup(site, shared))
        given = self.resolver.of(argument(call, options["position"], options["keyword"]), function)
        for value in given | self.resolver.content(given):
            if value[0] == "inst" and value[2] in self.groups:
                group.functions |= self.groups[value[2]].functions
        for tool in self._tools(self.resolver.content(given)):
            group.functions.add(tool)
            self.units.add(Unit("tool", tool, tool[1].rsplit(".", 1)[-1]))
            self.kinds.setdefault((tool[0], tool[1]), "tool")
        if options.get("agent"):
            graph = self.graph(site)
            graph.agent = name.rsplit(".", 1)[-1]
            graph.nodes |= {("tools", target) for target in group.functions}
            graph.compiles.append((function, call))
            attach(self, options, call, function, group.functions, graph)
        else:
            attach(self, options, call, function, group.functions, None)

    def run_by(self, call: Call, function: FunctionId) -> tuple[FunctionId, ...]:
        """The tools that a call of a group's own method runs: ``ToolNode([ask]).invoke(state)``."""
        found: set[FunctionId] = set()
        for value in self.resolver.of(call.func, function) if self.groups else ():
            if value[0] == "meth" and value[3] in self.groups:
                role = self.resolver.knowledge.role(value[1], "tools")
                if role is not None and value[2] in role.options.get("runs", ()):
                    found |= self.groups[value[3]].functions
        return tuple(sorted(found))

    def _held(self, name: str, call: Call, function: FunctionId) -> None:
        """``StructuredTool.from_function(f)`` and the like make a tool of a function."""
        role = self.resolver.knowledge.role(name, "holds")
        if role is None or "kind" not in role.options:
            return
        given = [argument(call, role.options["position"], role.options["keyword"])]
        given += [argument(call, None, keyword) for keyword in role.options.get("also", ())]
        for expr in given:
            for target in self.callables(self.resolver.of(expr, function)):
                self.units.add(Unit(role.options["kind"], target, target[1].rsplit(".", 1)[-1]))
                self.kinds.setdefault((target[0], target[1]), role.options["kind"])

    def _tools(self, values: Values) -> Iterator[FunctionId]:
        """Tools: functions, and instances of classes whose methods the framework calls."""
        yield from self.callables(values)
        for value in sorted(values, key=repr):
            if value[0] in ("obj", "cls"):
                for role in self.resolver.knowledge.entries["base"]:
                    if role.options["kind"] == "tool":
                        for name in role.options["methods"]:
                            inner = self.attribute(value, name)
                            yield from self.callables(inner)


def literal_names(resolver: Resolver, expr: Expr, function: FunctionId) -> list[str]:
    """String literals a value holds, e.g. the nodes of ``interrupt_before``."""
    values = resolver.of(expr, function)
    found = {v[1] for v in values | resolver.content(values) if v[0] == "const" and isinstance(v[1], str)}
    if isinstance(expr, Seq):
        found |= {i.value for i in expr.items if isinstance(i, Const) and isinstance(i.value, str)}
    return sorted(found)


def given_breakpoints(resolver: Resolver, call: Call, function: FunctionId) -> bool:
    """Whether the call that compiles or runs a graph names nodes to stop at."""
    for keyword in resolver.knowledge.table("persistence", "static_waits"):
        given = argument(call, None, keyword)
        if given is not None and literal_names(resolver, given, function):
            return True
    return False
