"""What may have run before a wait, across calls: summaries of functions to a fixpoint.

Sets of effects and waits are bit masks over numbered sites. Every function has: the effects that
may have fired when it returns, those when it raises, the waits it may reach, and whether it returns
at all. They only grow, so the fixpoint is the same in whatever order functions are visited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from .calling import argument
from .effect_sites import EffectSite
from .flow import TooLarge
from .outline import Outline, WaitSite, outline, wait_site
from .paths import Paths
from .postorder import postorder
from .registry import GraphSite, Registry, given_breakpoints
from .summary import Call
from .values import FunctionId, Resolver


@dataclass(slots=True)
class Reach:
    """The fixpoint of one function."""

    exit: int = 0
    failure: int = 0
    waits: int = 0
    returns: bool = False


@dataclass
class Order:
    """Outlines and fixpoints of every function reachable from the roots."""

    resolver: Resolver
    registry: Registry
    outlines: dict[FunctionId, Outline] = field(default_factory=dict)
    reach: dict[FunctionId, Reach] = field(default_factory=dict)
    effects: list[EffectSite] = field(default_factory=list)
    waits: list[WaitSite] = field(default_factory=list)
    too_large: set[FunctionId] = field(default_factory=set)
    in_unit: set[FunctionId] = field(default_factory=set)
    _effect_numbers: dict[EffectSite, int] = field(default_factory=dict)
    _wait_numbers: dict[WaitSite, int] = field(default_factory=dict)
    _own: dict[FunctionId, tuple[list[int], list[int]]] = field(default_factory=dict)
    holders: list[dict[FunctionId, int]] = field(default_factory=list)
    """For each effect, the functions it is in, each with its first node there."""
    first_waits: dict[FunctionId, int] = field(default_factory=dict)
    """The first node of a function that waits itself."""
    _paths: dict[tuple[FunctionId, bool], Paths] = field(default_factory=dict)
    _breaking: dict[GraphSite, bool] = field(default_factory=dict)

    def explore(self, roots: Iterable[FunctionId]) -> None:
        """Outline the roots and all they may call."""
        todo = sorted(set(roots) - self.outlines.keys())
        while todo:
            function = todo.pop()
            if function in self.outlines or function in self.too_large:
                continue
            try:
                found = outline(self.resolver, self.registry, function)
            except TooLarge:
                self.too_large.add(function)
                continue
            self.outlines[function] = found
            todo.extend(target for target in (*found.called, *found.recording) if target not in self.outlines)
            todo.extend(target for target in sorted(found.exits) if target not in self.outlines)
            for sites in found.graphs:
                todo.extend(t for site in sites for t in self.graph_functions(site) if t not in self.outlines)

    def forget(self, functions: Iterable[FunctionId]) -> None:
        """Outline the functions anew, as more is known of their calls."""
        again = sorted(functions)
        for function in again:
            del self.outlines[function]
        self.explore(again)

    def graph_functions(self, site: GraphSite, seen: frozenset[GraphSite] = frozenset()) -> Iterator[FunctionId]:
        """The functions that a graph runs, subgraphs and the tools of its nodes included."""
        graph = self.registry.graphs.get(site)
        if graph is None or not site or site in seen:
            return
        for _, function in sorted(graph.nodes | graph.routers):
            yield function
        for group in sorted(graph.groups):
            yield from sorted(self.registry.groups[group].functions)
        for inner in sorted(graph.subgraphs, key=repr):
            yield from self.graph_functions(inner, seen | {site})

    def closure(self, roots: Iterable[FunctionId], recorded: bool = False, once: bool = True) -> set[FunctionId]:
        """The roots and all they call; through recorded steps only if asked. ``once``: what is done only once too."""
        found: set[FunctionId] = set()
        todo = [root for root in roots if root in self.outlines]
        while todo:
            function = todo.pop()
            if function in found:
                continue
            found.add(function)
            outlined = self.outlines[function]
            called = outlined.called if once else outlined.called_again
            todo.extend(target for target in called if target in self.outlines)
            if recorded:
                todo.extend(target for target in outlined.recording if target in self.outlines)
        return found

    # numbers

    def _number(self) -> None:
        """Number all sites, in order of place, so that masks mean the same in every run."""
        effects: set[EffectSite] = set()
        waits: set[WaitSite] = set()
        for function, found in self.outlines.items():
            for number in range(len(found.effects)):
                if (effect := self.effect_of(function, number)) is not None:
                    effects.add(effect)
                if (wait := self.wait_of(function, number)) is not None:
                    waits.add(wait)
        self.effects = sorted(effects, key=lambda e: (e.path, e.line, e.column, e.name, repr(e)))
        self.waits = sorted(waits, key=lambda w: (w.path, w.line, w.column, w.kind, w.name))
        self._effect_numbers = {effect: index for index, effect in enumerate(self.effects)}
        self._wait_numbers = {wait: index for index, wait in enumerate(self.waits)}
        self.holders = [{} for _ in self.effects]
        for function, found in self.outlines.items():
            own_effects, own_waits = [], []
            for number in range(len(found.effects)):
                effect, wait = self.effect_of(function, number), self.wait_of(function, number)
                own_effects.append(0 if effect is None else 1 << self._effect_numbers[effect])
                own_waits.append(0 if wait is None else 1 << self._wait_numbers[wait])
                if effect is not None:
                    self.holders[self._effect_numbers[effect]].setdefault(function, number)
                if wait is not None:
                    self.first_waits.setdefault(function, number)
            self._own[function] = (own_effects, own_waits)

    def callees(self, function: FunctionId, number: int, recorded: bool) -> list[FunctionId]:
        """The functions a node calls, in order of place; recorded steps and graphs' nodes if asked."""
        more = self._recorded(function, number) if recorded else ()
        return sorted({*self.outlines[function].callees[number], *more})

    def paths(self, start: FunctionId, recorded: bool) -> Paths:
        """The shortest ways to all that a function calls; see ``callees``."""
        asked = (start, recorded)
        if asked not in self._paths:
            self._paths[asked] = Paths(start, lambda function: self._edges(function, recorded))
        return self._paths[asked]

    def _edges(self, function: FunctionId, recorded: bool) -> list[tuple[FunctionId, Call]]:
        once = () if recorded else self.outlines[function].once
        calls = ((n, call) for n, call in enumerate(self.outlines[function].flow.calls) if n not in once)
        reached = ((t, call) for n, call in calls if call is not None for t in self.callees(function, n, recorded))
        return [(target, call) for target, call in reached if target in self.outlines]

    def effect_of(self, function: FunctionId, number: int) -> EffectSite | None:
        """The effect at a node; a dispatch counts as one, whatever it reaches."""
        found = self.outlines[function]
        effect = found.effects[number]
        dispatch, call = found.dispatches[number], found.flow.calls[number]
        if effect is None and dispatch is not None and call is not None:
            ends = (call.line, call.column, call.end_line, call.end_column)
            return EffectSite(function[0], *ends, "", "dispatch", "likely", "", True)
        return effect

    def wait_of(self, function: FunctionId, number: int) -> WaitSite | None:
        """The wait at a node: its own, or a graph that waits by itself and is run here."""
        found = self.outlines[function]
        call = found.flow.calls[number]
        if found.waits[number] is None and call is not None and function in self.in_unit:
            for site in found.graphs[number]:
                if self.waits_itself(site) or self._breaks(site, call, function):
                    return wait_site(function[0], call, "graph", "graph")
        return found.waits[number]

    def waits_itself(self, site: GraphSite, seen: frozenset[GraphSite] = frozenset()) -> bool:
        """Whether a graph parks without a node of the project asking: static breakpoints, middleware."""
        graph = self.registry.graphs.get(site)
        if graph is None or not site or site in seen:
            return False
        return graph.waits_itself or any(self.waits_itself(s, seen | {site}) for s in graph.subgraphs)

    def _breaks(self, site: GraphSite, call: Call, function: FunctionId) -> bool:
        """Whether a graph that is run on the thread of the unit around it has static breakpoints."""
        config = argument(call, 1, "config")
        head = self.resolver.project.function(function[:2])
        if config is not None and (head is None or all(param.name != config for param in head.params)):
            return False
        return given_breakpoints(self.resolver, call, function) or self._compiled_to_break(site)

    def _compiled_to_break(self, site: GraphSite, seen: frozenset[GraphSite] = frozenset()) -> bool:
        graph = self.registry.graphs.get(site)
        if graph is None or site in seen:
            return False
        if site not in self._breaking:
            places = graph.compiles
            self._breaking[site] = bool(places) and all(given_breakpoints(self.resolver, c, f) for f, c in places)
        return self._breaking[site] or any(self._compiled_to_break(s, seen | {site}) for s in graph.subgraphs)

    # fixpoint

    def solve(self) -> None:
        """Compute the fixpoint of every outlined function."""
        self._number()
        callers: dict[FunctionId, set[FunctionId]] = {}
        for function in self.outlines:
            for target in self._targets(function):
                callers.setdefault(target, set()).add(function)
        self.reach = {function: Reach() for function in self.outlines}
        ranks = postorder(sorted(self.outlines), lambda function: sorted(set(self._targets(function))))
        by_rank = sorted(self.outlines, key=ranks.__getitem__)
        work, again = list(range(len(by_rank))), set[int]()
        queued = set(work)
        while work:
            rank = heappop(work)
            queued.discard(rank)
            function = by_rank[rank]
            new = self._compute(function)
            if new != self.reach[function]:
                self.reach[function] = new
                for other in (ranks[caller] for caller in callers.get(function, ())):
                    if other <= rank:
                        again.add(other)
                    elif other not in queued:
                        queued.add(other)
                        heappush(work, other)
            if not work:
                work, again = sorted(again), set()
                queued = set(work)

    def _targets(self, function: FunctionId) -> Iterator[FunctionId]:
        found = self.outlines[function]
        for number in range(len(found.callees)):
            yield from (target for target in found.callees[number] if target in self.outlines)
            yield from (target for target in self._recorded(function, number) if target in self.outlines)

    def _recorded(self, function: FunctionId, number: int) -> Iterator[FunctionId]:
        """What a node runs whose effects are kept: recorded steps, and nodes of a graph it runs."""
        found = self.outlines[function]
        yield from found.recorded[number]
        if function in self.in_unit:
            for site in found.graphs[number]:
                yield from (t for t in self.graph_functions(site) if t in self.outlines)

    def _compute(self, function: FunctionId) -> Reach:
        before = self.sweep(function, True)
        found = self.outlines[function]
        waits = 0
        for number, mask in enumerate(before):
            if mask is not None:
                waits |= self.waits_at(function, number)
        flow = found.flow
        return Reach(before[flow.exit] or 0, before[flow.failure] or 0, waits, before[flow.exit] is not None)

    def waits_at(self, function: FunctionId, number: int) -> int:
        """The waits a node may reach."""
        mask = self._own[function][1][number]
        for target in self.outlines[function].callees[number]:
            if target in self.reach:
                mask |= self.reach[target].waits
        for target in self._recorded(function, number):
            if target in self.reach:
                mask |= self.reach[target].waits
        return mask

    def own_effects(self, function: FunctionId, number: int) -> int:
        """The effect of a node itself, as a mask."""
        return self._own[function][0][number]

    def fired_at(self, function: FunctionId, number: int) -> tuple[int, int, bool]:
        """Effects fired when the node ends normally, when it raises, and whether it ends normally."""
        found = self.outlines[function]
        own = self._own[function][0][number]
        dispatch = found.dispatches[number]
        callees = [t for t in found.callees[number] if t in self.reach]
        done = failed = 0
        for target in callees if number not in found.once else ():
            done |= self.reach[target].exit
            failed |= self.reach[target].failure
        if number in found.leaves:
            return own, own, False
        returns = len(callees) < len(found.callees[number]) or not callees
        returns = returns or any(self.reach[target].returns for target in callees)
        if dispatch is not None and found.effects[number] is None:
            fires = done or failed or dispatch.guessed
            return (own, own, returns) if fires else (0, 0, returns)
        return own | done, own | failed | done, returns

    def sweep(self, function: FunctionId, with_back: bool) -> list[int | None]:
        """Effects that may have fired before each node; None where it cannot be reached."""
        found = self.outlines[function]
        flow = found.flow
        ranks = flow.ranks()
        before: list[int | None] = [None] * len(flow.calls)
        before[flow.entry] = 0
        work = [(ranks[flow.entry], flow.entry)]
        queued = {flow.entry}
        while work:
            _, number = heappop(work)
            queued.discard(number)
            mask = before[number] or 0
            done, failed, returns = self.fired_at(function, number)
            following = flow.after[number] + (flow.back[number] if with_back else [])
            steps = [(target, mask | done) for target in following] if returns else []
            if flow.calls[number] is not None and found.waits[number] is None:
                steps.append((flow.failing[number], mask | failed))
            for target, value in steps:
                old = before[target]
                if old is None or value & ~old:
                    before[target] = value | (old or 0)
                    if target not in queued:
                        queued.add(target)
                        heappush(work, (ranks[target], target))
        return before


def bits(mask: int) -> Iterator[int]:
    """The numbers in a mask, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
