"""One function as the order analysis sees it: its graph with effects, waits and callees at the nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from .calls import Targets, handed, targets
from .dispatch import Dispatch, dispatched
from .effect_sites import EffectSite, effect_at
from .exits import decorating_exits, exits, is_generator
from .flow import Flow, build
from .guards import is_safe, skips_on_resume
from .inert_calls import is_inert
from .lower import MODULE
from .middleware import wrapped_by
from .own_threads import has_own_thread
from .registry import GraphSite, Registry
from .summary import Attr, Call, Expr, Raise
from .values import FunctionId, Resolver


@dataclass(frozen=True, slots=True)
class WaitSite:
    """A call, or a raise, that parks the run. ``kind``: wait, raise, graph, or unresolved handler."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    name: str
    kind: str


@dataclass(slots=True)
class Outline:
    """Per node of the flow: effects and waits of its own, callees, callees whose effects are recorded."""

    function: FunctionId
    flow: Flow
    effects: list[EffectSite | None] = field(default_factory=list)
    waits: list[WaitSite | None] = field(default_factory=list)
    callees: list[tuple[FunctionId, ...]] = field(default_factory=list)
    recorded: list[tuple[FunctionId, ...]] = field(default_factory=list)
    graphs: list[tuple[GraphSite, ...]] = field(default_factory=list)
    dispatches: list[Dispatch | None] = field(default_factory=list)
    leaves: set[int] = field(default_factory=set)
    """Nodes that end the program or the test: what follows them does not run."""
    once: set[int] = field(default_factory=set)
    """Nodes that call only where a durable record, or a claim, says that it was not done yet."""
    exits: set[FunctionId] = field(default_factory=set)
    """What runs when its ``with`` blocks are left: no part of the flow."""
    unresolved: int = 0
    open: list[Call] = field(default_factory=list)
    """The unresolved calls of methods."""
    called: tuple[FunctionId, ...] = ()
    """All ``callees``, each one time."""
    called_again: tuple[FunctionId, ...] = ()
    """Those of them that are not called ``once`` only."""
    recording: tuple[FunctionId, ...] = ()
    """All ``recorded``, each one time."""


def outline(resolver: Resolver, registry: Registry, function: FunctionId) -> Outline:
    """The outline of a function. Raises TooLarge."""
    key = (function[0], function[1])
    head = resolver.project.function(key)
    flow = build(resolver.project.body(key), is_generator(resolver, function))
    found = Outline(function, flow)
    if head is not None:
        owner = (function[0], head.parent or MODULE, "")
        found.exits.update(leave for item in head.decorators for leave in decorating_exits(resolver, item, owner))
    known: dict[tuple[int, int, int, int, Expr], Targets] = {}
    for number, call in enumerate(flow.calls):
        raised = flow.raises[number]
        if call is not None:
            call = handed(resolver, call, function) or call
            at = (call.line, call.column, call.end_line, call.end_column, _key(call))
            if at not in known:
                known[at] = _targets(resolver, registry, call, function)
                if isinstance(call.func, Attr) and call.func.name == "__enter__":
                    found.exits.update(exits(resolver, call.func.base, function))
            _add_call(resolver, registry, found, number, call, known[at])
        else:
            wait = _raised(resolver, raised, function) if raised is not None else None
            _add(found, wait=wait)
    again = (group for number, group in enumerate(found.callees) if number not in found.once)
    found.called, found.called_again, found.recording = map(_flat, (found.callees, again, found.recorded))
    return found


def _flat(groups: Iterable[tuple[FunctionId, ...]]) -> tuple[FunctionId, ...]:
    return tuple(dict.fromkeys(target for group in groups for target in group))


def _targets(resolver: Resolver, registry: Registry, call: Call, function: FunctionId) -> Targets:
    found = targets(resolver, call, function)
    inner = wrapped_by(registry, function, call.func)
    if inner:
        return replace(found, functions=inner, known=True)
    if not found.functions and (tools := registry.run_by(call, function)):
        return replace(found, functions=tools)
    if found.known or registry.receivers is None:
        return found
    return registry.receivers.targets(call, function) or found


def _key(call: Call) -> Expr:
    return call.func.name if isinstance(call.func, Attr) else call.func if isinstance(call.func, str) else None


def _add(
    found: Outline,
    effect: EffectSite | None = None,
    wait: WaitSite | None = None,
    callees: tuple[FunctionId, ...] = (),
    recorded: tuple[FunctionId, ...] = (),
    graphs: tuple[GraphSite, ...] = (),
    dispatch: Dispatch | None = None,
) -> None:
    found.effects.append(effect)
    found.waits.append(wait)
    found.callees.append(callees)
    found.recorded.append(recorded)
    found.graphs.append(graphs)
    found.dispatches.append(dispatch)


def _add_call(
    resolver: Resolver, registry: Registry, found: Outline, number: int, call: Call, reached: Targets
) -> None:
    function = found.function
    guards = found.flow.guards[number]
    if not reached.known:
        found.unresolved += 1
        if isinstance(call.func, Attr) or "." in str(call.func):
            found.open.append(call)
    if not resolver.leaving.isdisjoint(reached.outside):
        found.leaves.add(number)
    for name in reached.outside:
        if registry.is_wait(name):
            _add(found, wait=wait_site(function[0], call, name, "wait"))
            return
    graphs = list(reached.graphs)
    if graphs and has_own_thread(resolver, call, function):
        graphs.clear()
    if registry.recorded and _made_recorded(resolver, registry, call, function):
        _add(found, recorded=reached.functions, graphs=tuple(graphs))
        return
    skipped = bool(guards and reached.functions) and skips_on_resume(resolver, guards, function)
    if guards and reached.functions and is_safe(resolver, guards, function):
        found.once.add(number)
    callees: list[FunctionId] = []
    recorded: list[FunctionId] = []
    for target in reached.functions:
        if registry.waits_by_name((target[0], target[1])):
            _add(found, wait=wait_site(function[0], call, target[1], "wait"))
            return
        kind = registry.kind((target[0], target[1]))
        if kind == "entrypoint":
            head = resolver.project.function((target[0], target[1]))
            graphs.append((target[0], head.line, head.column) if head else ())
        elif kind == "recorded" and function in registry.unrecorded:
            callees.append(target)
        elif kind == "recorded" or registry.is_recorded((target[0], target[1])) or skipped:
            recorded.append(target)
        elif (target[0], target[1]) != (function[0], MODULE) and not is_inert(resolver, call, target):
            callees.append(target)
    effect = effect_at(resolver, call, function, reached, guards)
    if effect is not None:
        _add(found, effect=effect, recorded=tuple(recorded), graphs=tuple(graphs))
        return
    dispatch = dispatched(resolver, registry, call, function, callees, guards)
    if dispatch is not None:
        callees = list(dispatch.functions)
    _add(found, None, None, tuple(callees), tuple(recorded), tuple(graphs), dispatch)


def _made_recorded(resolver: Resolver, registry: Registry, call: Call, function: FunctionId) -> bool:
    """Whether what is called was made by a function that the user declared to record: ``once(post)(x)``."""
    made = [call.func]
    if isinstance(call.func, str):
        keys = (function[:2], (function[0], MODULE))
        made = [value for key in keys for _, value in resolver.project.facts(key).lets.get(call.func, ())]
    makers = {value for item in made if isinstance(item, Call) for value in resolver.of(item.func, function)}
    return any(
        (value[0] == "ext" and value[1] in registry.recorded)
        or (value[0] in ("fn", "bound") and registry.is_recorded((value[1], value[2])))
        for value in makers
    )


def wait_site(path: str, call: Call | Raise, name: str, kind: str) -> WaitSite:
    """The wait at a call or raise."""
    return WaitSite(path, call.line, call.column, call.end_line, call.end_column, name, kind)


def _raised(resolver: Resolver, raised: Raise, function: FunctionId) -> WaitSite | None:
    expr = raised.value.func if isinstance(raised.value, Call) else raised.value
    for value in resolver.of(expr, function):
        if value[0] == "ext":
            role = resolver.knowledge.role(resolver.canonical(value[1]), "wait")
            if role is not None and role.options["form"] == "raise":
                return wait_site(function[0], raised, value[1], "raise")
    return None
