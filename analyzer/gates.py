"""Savers that give the claim on a parked thread to whoever reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .calling import argument
from .literals import entries
from .modules import is_test
from .registry import Registry
from .summary import Call, Const, Expr, Item
from .values import FunctionId

_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Gate:
    """The call that switches the gate on, and the key under which a read says that it only looks."""

    function: FunctionId
    call: Call
    key: str


def gates(registry: Registry) -> Iterator[Gate]:
    """The gates of the project, tests left out."""
    resolver = registry.resolver
    table = resolver.knowledge.tables.get("gate", {})
    for maker in table.get("makers", ()):
        last = maker.rpartition(".")[2]
        for alias in sorted({last} | resolver.project.aliases.get(last, set())):
            for key in resolver.project.mentioning(alias):
                for call in resolver.project.facts(key).by_name.get(alias, ()):
                    if is_test(key[0]) or ("ext", maker) not in resolver.of(call.func, (*key, "")):
                        continue
                    given = {name: value for name, value in call.kwargs if isinstance(value, Const)}
                    if any(name in given and given[name].value is True for name in table["keywords"]):
                        told = [given[name].value for name in table["key_keywords"] if name in given]
                        yield Gate((*key, ""), call, str(told[0]) if told else table["key"])


def consuming_reads(registry: Registry, found: Gate) -> Iterator[tuple[FunctionId, Call]]:
    """Reads of a thread's state that do not say that they only look."""
    resolver = registry.resolver
    for name in resolver.knowledge.table("gate", "reads"):
        for key in resolver.project.mentioning(name):
            function = (*key, "")
            for call in resolver.project.facts(key).by_name.get(name, ()):
                config = argument(call, 0, "config")
                if not is_test(key[0]) and config is not None and not _has(registry, config, function, found.key):
                    yield function, call


def _has(registry: Registry, config: Expr, function: FunctionId, key: str, depth: int = _DEPTH) -> bool:
    """Whether a configuration may hold a key, at any depth."""
    for name, value, where in entries(registry.resolver, config, function):
        if name == key or (depth and _has(registry, value, where, key, depth - 1)):
            return True
    return isinstance(config, str) and any(
        isinstance(target.key, Const) and target.key.value == key and _root(target) == config
        for target, _ in registry.resolver.project.facts(function[:2]).deep
    )


def _root(expr: Expr) -> Expr:
    while isinstance(expr, Item):
        expr = expr.base
    return expr
