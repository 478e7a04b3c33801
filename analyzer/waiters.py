"""Functions that wait, or run a graph that waits, found by name first and resolved after."""

from __future__ import annotations

from . import bindings
from .bindings import near_mentions
from .calls import targets
from .facts import Facts
from .lower import MODULE
from .own_threads import has_own_thread
from .project import FunctionKey
from .registry import Registry
from .solver import Value
from .summary import Call
from .values import FunctionId


def direct_waiters(registry: Registry) -> set[FunctionId]:
    """Functions with a wait of their own."""
    resolver = registry.resolver
    project = resolver.project
    names: set[str] = set()
    raised: set[str] = set()
    for role in resolver.knowledge.entries["wait"]:
        group = names if role.options["form"] == "call" else raised
        for name in role.options["names"]:
            last = name.rsplit(".", 1)[-1]
            group.update(last.strip("{}").split(",") if "{" in last else [last])
    names |= {name.rsplit(".", 1)[-1] for name in registry.waits}
    found: set[FunctionId] = set()
    for name in sorted(names):
        for key in project.mentioning(name):
            function = (*key, "")
            if key[1] == MODULE or function in found:
                continue
            last = {name} | project.aliases.get(name, set())
            for call in (c for n in sorted(last) for c in project.facts(key).by_name.get(n, ())):
                if any(_is_wait(registry, value) for value in resolver.of(call.func, function)):
                    found.add(function)
                    break
    for name in sorted(raised):
        for key in project.mentioning(name):
            if key[1] != MODULE and project.facts(key).raises:
                found.add((*key, ""))
    return found


def _is_wait(registry: Registry, value: Value) -> bool:
    if value[0] == "ext":
        return registry.is_wait(value[1])
    if value[0] == "meth":
        return registry.is_wait(f"{value[1]}.{value[2]}")
    return value[0] in ("fn", "bound") and registry.waits_by_name((value[1], value[2]))


def callers(registry: Registry) -> set[FunctionId]:
    """Functions that call one that waits, over any number of calls."""
    resolver = registry.resolver
    project = resolver.project
    found: set[FunctionId] = set()
    todo = sorted(direct_waiters(registry))
    seen: set[FunctionKey] = {(f[0], f[1]) for f in todo}
    while todo:
        target = todo.pop()
        for wrapper in _wrappers(registry, target):
            if wrapper not in found:
                found.add(wrapper)
        name = target[1].rsplit(".", 1)[-1].split("#")[0]
        head = project.function((target[0], target[1]))
        if name.startswith("<lambda") and head is not None and head.parent in project.files[target[0]].functions:
            outer = (target[0], head.parent)
            if outer not in seen:
                seen.add(outer)
                found.add((*outer, ""))
                todo.append((*outer, ""))
        mentioning = project.mentioning(name)
        if registry.kind((target[0], target[1])) == "tool":
            mentioning = _beside(registry, mentioning)
        names = {name} | project.aliases.get(name, set())
        for key in near_mentions(project, names, mentioning) if not name.startswith(("<", "__")) else ():
            if key in seen or key[1] == MODULE:
                continue
            function = (*key, "")
            facts = project.facts(key)
            calls = [c for n in sorted(names) for c in (*facts.by_name.get(n, ()), *facts.handing.get(n, ()))]
            if registry.kind((target[0], target[1])) == "tool":
                calls += _invoking(registry, facts)
            if any(_reaches(registry, call, function, target) for call in calls):
                seen.add(key)
                found.add(function)
                todo.append(function)
    return found


def _wrappers(registry: Registry, function: FunctionId) -> list[FunctionId]:
    """What project decorators make of a function: the wrapper is what runs."""
    head = registry.resolver.project.function((function[0], function[1]))
    if head is None or not head.decorators or head.owner:
        return []
    owner = (function[0], head.parent or MODULE, "")
    resolver = registry.resolver
    values = resolver.solver.solve(
        lambda: frozenset(bindings.defined(resolver, (function[0], function[1]), function[2], owner))
    )
    return sorted((v[1], v[2], v[3]) for v in values if v[0] == "fn" and v[1:3] != function[:2])


def _beside(registry: Registry, mentioning: list[FunctionKey]) -> list[FunctionKey]:
    """Functions of the files that mention a tool: they may take it out of a table and invoke it."""
    project = registry.resolver.project
    methods = set(registry.resolver.knowledge.table("invoked_by", "methods"))
    found = list(mentioning)
    for path in sorted({path for path, _ in mentioning}):
        for head in project.files[path].summary.functions:
            key = (path, head.qualname)
            if key not in found and not methods.isdisjoint(head.names):
                found.append(key)
    return found


def _invoking(registry: Registry, facts: Facts) -> list[Call]:
    methods = registry.resolver.knowledge.table("invoked_by", "methods")
    return [call for name in methods for call in facts.by_name.get(name, ())]


def _reaches(registry: Registry, call: Call, function: FunctionId, target: FunctionId) -> bool:
    reached = targets(registry.resolver, call, function)
    return any(t[:2] == target[:2] for t in reached.functions)


def graph_runners(registry: Registry) -> set[FunctionId]:
    """Functions with the shape of a node that run a graph: nobody registered them where it was seen.

    A node takes the state and hands the graph no thread of its own. A route or a command that runs
    the graph is no replayed unit.
    """
    resolver = registry.resolver
    project = resolver.project
    methods = {m for role in resolver.knowledge.entries["run"] for m in role.options["methods"]}
    found: set[FunctionId] = set()
    for path in sorted(project.files):
        for head in project.files[path].summary.functions:
            params = [p.name for p in head.params if p.kind == "" and p.name not in ("self", "cls")]
            if not params or params[0] != "state" or not methods.intersection(head.names):
                continue
            function = (path, head.qualname, "")
            by_name = project.facts((path, head.qualname)).by_name
            for call in (c for n in sorted(methods) for c in by_name.get(n, ())):
                known = any(site in registry.graphs for site in targets(resolver, call, function).graphs)
                if known and not has_own_thread(resolver, call, function):
                    found.add(function)
    return found
