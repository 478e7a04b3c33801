"""Classes whose objects may outlive the attempt that uses them."""

from __future__ import annotations

from collections.abc import Iterable

from . import fields
from .facts import Facts, walk_calls
from .lower import MODULE
from .modules import is_test
from .project import FunctionKey
from .registry import Registry
from .solver import EMPTY, Values
from .summary import Call, Expr
from .values import FunctionId


def outlives(registry: Registry, key: FunctionKey, unit_code: Iterable[FunctionId]) -> bool:
    """Whether an object of the class is registered, or put where it stays, anywhere but in tests.

    An object that a unit makes for itself is made again with each attempt. Where no place is seen that makes one,
    it comes from elsewhere and stays.
    """
    project = registry.resolver.project
    lineage = {key}
    registry.resolver.solver.solve(lambda: _grow(registry, key, lineage))
    if any((unit.function[0], _owner(registry, unit.function)) in lineage for unit in registry.units):
        return True
    inside = {function[:2] for function in unit_code}
    names = {qualname.rpartition(".")[2] for _, qualname in lineage}
    made = False
    for alias in sorted(names.union(*(project.aliases.get(name, set()) for name in names))):
        for where in project.mentioning(alias):
            facts = project.facts(where)
            for call in facts.by_name.get(alias, ()) if not is_test(where[0]) else ():
                made = True
                if _kept(registry, where, facts, call, where in inside):
                    return True
    return not made


def _grow(registry: Registry, key: FunctionKey, lineage: set[FunctionKey]) -> Values:
    lineage.update(fields.descendants(registry.resolver, key))
    return EMPTY


def _owner(registry: Registry, function: FunctionId) -> str:
    head = registry.resolver.project.function(function[:2])
    return head.owner if head is not None else ""


def _kept(registry: Registry, where: FunctionKey, facts: Facts, call: Call, inside: bool) -> bool:
    """Whether what a call makes is put into a global, an attribute or a container, or, outside units, handed on."""
    head = registry.resolver.project.function(where)
    if head is None or where[1] == MODULE:
        return True
    names = {name for name, lets in facts.lets.items() for _, value in lets if _holds(value, call)}
    if any(name not in head.local for name in names):
        return True
    stored = [value for fills in facts.fills.values() for _, value, _ in fills] + [value for _, value in facts.deep]
    if any(_is(value, call, names) for value in stored):
        return True
    others = (each for each in facts.calls if each is not call)
    given = [item for each in others for item in (*each.args, *(value for _, value in each.kwargs))]
    return not inside and any(_is(item, call, names) for item in given)


def _is(value: Expr, call: Call, names: set[str]) -> bool:
    return value in names if isinstance(value, str) else _holds(value, call)


def _holds(value: Expr, call: Call) -> bool:
    return any(inner is call for inner in walk_calls(value))
