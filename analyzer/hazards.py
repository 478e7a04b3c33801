"""Effects that run again, each with the path that shows why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .chains import effect_chain, wait_chain
from .dispatch import says_nothing
from .effect_sites import EffectSite
from .meetings import ENOUGH, Meeting, meetings
from .order import Order, bits
from .outline import WaitSite
from .paths import Link
from .registry import GraphSite, Registry, Unit
from .summary import Call
from .values import FunctionId


@dataclass(frozen=True, slots=True)
class Behind:
    """What a dispatch reaches: the chain of calls to an effect, or a tool judged by its words."""

    function: FunctionId
    chain: tuple[Link, ...]
    effect: EffectSite | None
    reason: str


@dataclass(frozen=True, slots=True)
class Hazard:
    """An effect that may have fired when a wait in the same replayed unit is reached.

    ``looped``: only by another round of a loop. The chains lead from the function where both meet:
    ``effect_chain`` to the effect, its own call last; ``wait_chain`` to the wait.
    """

    effect: EffectSite
    looped: bool
    function: FunctionId
    units: tuple[Unit, ...]
    effect_chain: tuple[Link, ...]
    wait_chain: tuple[Link, ...]
    wait: WaitSite
    behind: tuple[Behind, ...]
    router: str = ""
    capped: bool = False
    """Ways to more waits were not looked at: there may be more ``units``."""


def hazards(order: Order, units: Sequence[Unit]) -> tuple[Hazard, ...]:
    """One hazard a site of an effect: the most direct of the ways it meets a wait, with the units of the others."""
    met = meetings(order)
    if not met:
        return ()
    closures = {unit: order.closure([unit.function]) for unit in units}
    by_effect: dict[int, list[Meeting]] = {}
    for meeting in met:
        by_effect.setdefault(meeting.effect, []).append(meeting)
    found: list[Hazard] = []
    for _, found_here in sorted(by_effect.items()):
        made = [h for m in found_here if (h := _hazard(order, m, closures)) is not None]
        if made:
            best = min(made, key=lambda h: (h.looped, len(h.effect_chain) + len(h.wait_chain), _where(h)))
            alike = (h for h in made if (h.looped, bool(h.router)) == (best.looped, bool(best.router)))
            also = {unit for hazard in alike for unit in hazard.units} - set(best.units)
            capped = len(found_here) >= ENOUGH
            found.append(replace(best, units=(*best.units, *sorted(also)), capped=capped))
    return tuple(found)


def _where(hazard: Hazard) -> tuple[object, ...]:
    return (hazard.function, hazard.wait.path, hazard.wait.line, hazard.wait.column)


def _hazard(order: Order, meeting: Meeting, closures: dict[Unit, set[FunctionId]]) -> Hazard | None:
    source = meeting.source or meeting.function
    around = tuple(unit for unit, closure in closures.items() if source in closure)
    if not around:
        return None
    inner = (unit for unit in around if unit.function == source or unit.function[:2] not in order.registry.wrapped)
    around = tuple(inner) or around  # what is wrapped around all that runs too, but says less
    effect = order.effects[meeting.effect]
    to_effect = effect_chain(order, meeting.effect, source)
    to_wait, wait = wait_chain(order, meeting.function, meeting.node)
    if not to_effect or wait is None:
        return None
    if (effect.path, effect.line, effect.column) == (wait.path, wait.line, wait.column):
        return None
    last, call = to_effect[-1]
    behind = tuple(dispatched_to(order, last, call)) if effect.dispatch else ()
    if effect.dispatch and not behind:
        return None
    router = meeting.function[1] if meeting.source is not None else ""
    return Hazard(effect, meeting.looped, source, around, to_effect, to_wait, wait, behind, router)


def dispatched_to(
    order: Order, function: FunctionId, call: Call, above: frozenset[tuple[FunctionId, int, int]] = frozenset()
) -> Iterator[Behind]:
    """What the dispatch at a call may fire. ``above``: the dispatches that lead here."""
    here = (function, call.line, call.column)
    if here in above:
        return
    found = order.outlines[function]
    for number, dispatch in enumerate(found.dispatches):
        if dispatch is None or found.flow.calls[number] is not call:
            continue
        guessed = dict(dispatch.guessed)
        for target in dispatch.functions:
            if target in guessed:
                yield Behind(target, (), None, guessed[target].reason)
            elif target in order.reach:
                mask = order.reach[target].exit | order.reach[target].failure
                for effect in bits(mask):
                    chain = effect_chain(order, effect, target)
                    site = order.effects[effect]
                    if site.dispatch:
                        inner = list(dispatched_to(order, *chain[-1], above | {here})) if chain else []
                        if inner:
                            yield Behind(target, (*chain, *inner[0].chain), inner[0].effect, inner[0].reason)
                            break
                    elif chain:
                        yield Behind(target, chain, site, site.reason)
                        break
        return


def reached_effects(
    order: Order, function: FunctionId
) -> Iterator[tuple[EffectSite, tuple[Link, ...], tuple[Behind, ...]]]:
    """Every effect that calling a function may fire, recorded steps left out, by place."""
    mask = 0
    for inner in order.closure([function], once=False):
        before = order.sweep(inner, True)
        for number, reached in enumerate(before):
            if reached is not None and order.effect_of(inner, number) is not None:
                mask |= order.fired_at(inner, number)[0] & order.own_effects(inner, number)
    for effect in bits(mask):
        site = order.effects[effect]
        chain = effect_chain(order, effect, function)
        if not chain:
            continue
        behind = tuple(dispatched_to(order, *chain[-1])) if site.dispatch else ()
        if behind or not site.dispatch:
            yield site, chain, behind


@dataclass(frozen=True, slots=True)
class Sibling:
    """An effect in a tool that shares a node with a tool that waits.

    ``also``: other tools of the group that fire it. ``waiting``: the tools whose waits repeat it.
    """

    effect: EffectSite | None
    tool: FunctionId
    chain: tuple[Link, ...]
    behind: tuple[Behind, ...]
    waiting: tuple[FunctionId, ...]
    group: tuple[str, int, int]
    reason: str
    also: tuple[FunctionId, ...] = ()


def siblings(order: Order, registry: Registry) -> Iterator[Sibling]:
    """Tools of a shared group that fire effects, where another tool of it waits."""
    per_call = {group for graph, name, group in registry.group_nodes if _sent_single(order, registry, graph, name)}
    seen: set[object] = set()
    for site, group in sorted(registry.groups.items()):
        if not group.shared or site in per_call:
            continue
        waiting = sorted(t for t in group.functions if t in order.reach and order.reach[t].waits)
        acting = [t for t in sorted(group.functions) if t in order.reach and any(w != t for w in waiting)]
        reached = {tool: list(reached_effects(order, tool)) for tool in acting}
        firing: dict[EffectSite, list[FunctionId]] = {}
        for tool, hits in reached.items():
            for effect, *_ in hits:
                firing.setdefault(effect, []).append(tool)
        for tool, hits in reached.items():
            others = tuple(w for w in waiting if w != tool)
            for effect, chain, behind in hits:
                if effect not in seen:
                    seen.add(effect)
                    also = tuple(t for t in firing[effect] if t != tool)
                    yield Sibling(effect, tool, chain, behind, others, site, effect.reason, also)
            guessed = None if hits else _guessed(order, tool)
            if guessed is not None and tool not in seen:
                seen.add(tool)
                yield Sibling(None, tool, (), (), others, site, guessed)


def _sent_single(order: Order, registry: Registry, graph: GraphSite, name: str) -> bool:
    """Whether a router or node of the graph sends single calls to the node of that name."""
    senders = registry.sent.get(name, set())
    around = order.closure(order.graph_functions(graph)) if senders else set()
    return any((function[0], function[1]) in senders for function in around)


def _guessed(order: Order, tool: FunctionId) -> str | None:
    head = order.resolver.project.function((tool[0], tool[1]))
    if head is None or not says_nothing(order.resolver, tool):
        return None
    effect = order.resolver.effects.guess_tool(head.name, head.doc)
    return effect.reason if effect is not None else None


def in_recovered_bodies(
    order: Order, units: Iterable[Unit], waited: set[EffectSite]
) -> Iterator[tuple[tuple[Unit, ...], EffectSite, tuple[Link, ...], tuple[Behind, ...]]]:
    """Effects of entrypoint bodies, outside recorded steps, that meet no wait; each with all such bodies."""
    found: dict[EffectSite, list[tuple[Unit, tuple[Link, ...], tuple[Behind, ...]]]] = {}
    for unit in units:
        if unit.kind == "entrypoint" and unit.function in order.outlines:
            for effect, chain, behind in reached_effects(order, unit.function):
                if effect not in waited:
                    found.setdefault(effect, []).append((unit, chain, behind))
    for effect, ways in found.items():
        yield tuple(unit for unit, *_ in ways), effect, *ways[0][1:]
