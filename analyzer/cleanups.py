"""Effects of cleanups around a wait: they fire when the run parks, since it parks by an exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .chains import effect_chain, wait_chain
from .cleanup_regions import How, Region, regions
from .effect_sites import EffectSite
from .hazards import Behind, dispatched_to
from .order import Order, bits
from .outline import WaitSite
from .paths import Link
from .registry import Unit
from .suspension import Suspension
from .values import FunctionId


@dataclass(frozen=True, slots=True)
class Cleanup:
    """An effect in a cleanup around a wait.

    ``function`` holds the block, at ``line``. ``failing``: it fires when the run parks as though the
    block had failed, and not when the block ends well.
    """

    effect: EffectSite
    how: How
    failing: bool
    function: FunctionId
    line: int
    units: tuple[Unit, ...]
    effect_chain: tuple[Link, ...]
    wait_chain: tuple[Link, ...]
    wait: WaitSite
    behind: tuple[Behind, ...]


def cleanups(suspension: Suspension, units: Sequence[Unit]) -> Iterator[Cleanup]:
    """The effects of cleanups around waits, one a site: the most direct of the ways to it."""
    order = suspension.order
    closures = {unit: order.closure([unit.function]) for unit in units}
    found: dict[EffectSite, Cleanup] = {}
    for function in sorted(f for f, reach in order.reach.items() if reach.waits):
        around = tuple(unit for unit, closure in closures.items() if function in closure)
        for region in regions(suspension, function) if around else ():
            node = suspension.number(function, region.brings)
            chain, wait = wait_chain(order, function, node) if node is not None else ((), None)
            if wait is None:
                continue
            for effect, links, failing, behind in _effects(order, region):
                at = Cleanup(effect, region.how, failing, function, region.line, around, links, chain, wait, behind)
                if effect not in found or _rank(at) < _rank(found[effect]):
                    found[effect] = at
    yield from (found[effect] for effect in sorted(found, key=lambda e: (e.path, e.line, e.column)))


def _rank(found: Cleanup) -> tuple[object, ...]:
    return (found.failing, len(found.effect_chain) + len(found.wait_chain), found.function, found.line)


def _effects(order: Order, region: Region) -> Iterator[tuple[EffectSite, tuple[Link, ...], bool, tuple[Behind, ...]]]:
    """The effects that a region fires, each with the way to it, and whether only parking or a failure fires it."""
    outlined = order.outlines.get(region.function)
    seen: set[int] = set()
    for number, call in enumerate(outlined.flow.calls) if outlined is not None else ():
        inside = call is not None and (region.calls is None or id(call) in region.calls)
        if call is None or outlined is None or not inside or id(call) in seen:
            continue
        seen.add(id(call))
        told = {region.skip(test, truth) for test, truth in outlined.flow.guards[number]}
        if True in told:
            continue
        for site, chain in _fired(order, region.function, number):
            links = (*region.entered, (region.function, call), *chain)
            behind = tuple(dispatched_to(order, *links[-1])) if site.dispatch else ()
            if behind or not site.dispatch:
                yield site, links, region.failing or False in told, behind


def _fired(order: Order, function: FunctionId, number: int) -> Iterator[tuple[EffectSite, tuple[Link, ...]]]:
    """The effects of a node, each with the calls below the node's own."""
    own = order.effect_of(function, number)
    if own is not None:
        yield own, ()
        return
    for target in order.callees(function, number, recorded=False):
        reach = order.reach.get(target)
        for effect in bits(reach.exit | reach.failure) if reach is not None else ():
            chain = effect_chain(order, effect, target)
            if chain:
                yield order.effects[effect], chain
