"""Values that are made again when their code runs again, and where they are used after a wait."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from .paths import Link
from .summary import Call
from .values import FunctionId

Kind = Literal["model", "random", "clock", "environment", "memory"]
Use = Literal["effect", "branch", "result"]

PASSING_ID = re.compile(
    r"(^|_)(request|req|correlation|trace|span|run|session|thread|message|msg|tool_call|call|log|event|task|turn)_?id$"
)
"""Names of ids that nobody looks anything up by later."""
TIMES = re.compile(r"(_at|_on|time|timestamp|date|ts|elapsed|duration|latency|_ms)$")
"""Keys under which a time is only noted."""


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """The call that a value comes from, or a name of the process's environment or memory (then without a line)."""

    function: FunctionId
    line: int
    column: int
    end_line: int
    end_column: int
    kind: Kind
    certain: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """What a value may come from: an origin, or a parameter. ``crossed``: a wait was passed since."""

    origin: Origin | None
    param: str = ""
    crossed: bool = False


Taints = frozenset[Taint]
NONE: Taints = frozenset()
_MOST = 40
"""Origins and parameters of one value that are followed."""
MOST_GIVEN = 30
"""Uses of its parameters that are followed to the callers of a function."""
LONGEST_WAY = 12
"""Calls over which a value is handed on to its use."""
Env = dict[str, Taints]


@dataclass(frozen=True, slots=True)
class Sink:
    """A use of a value behind a wait: ``way`` are the calls that hand it on, the first in the function walked."""

    use: Use
    taint: Taint
    function: FunctionId
    line: int
    call: Call | None
    key: str = ""
    way: tuple[Link, ...] = ()


@dataclass(slots=True)
class Walked:
    """What one function does with what it makes and is given."""

    returned: Taints = NONE
    sinks: list[Sink] = field(default_factory=list)
    shown: set[Taint] = field(default_factory=set)
    """What a wait shows; taints are not crossed there."""
    places: dict[Taint, tuple[FunctionId, Call]] = field(default_factory=dict)
    """The wait that shows it."""
    acted: set[Taint] = field(default_factory=set)
    """What an effect was given before any wait: the world has seen it."""


def few(taints: Taints) -> Taints:
    """The first of more than anybody could follow."""
    return taints if len(taints) <= _MOST else frozenset(sorted(taints, key=repr)[:_MOST])


def crossed(taints: Taints) -> Taints:
    """The same behind a wait."""
    return frozenset(taint if taint.crossed else replace(taint, crossed=True) for taint in taints)


def cross(env: Env) -> None:
    """Note that all there is was made before a wait."""
    for name, taints in env.items():
        env[name] = crossed(taints)


def put_in(taints: Taints, given: Mapping[str, Taints]) -> Taints:
    """What a callee's taints are for its caller."""
    found: set[Taint] = set()
    for taint in taints:
        if taint.origin is not None:
            found.add(taint)
        else:
            inner = given.get(taint.param, NONE)
            found.update(crossed(inner) if taint.crossed else inner)
    return frozenset(found)


def without(taints: Taints, *kinds: Kind) -> Taints:
    """Those of other kinds."""
    return frozenset(taint for taint in taints if taint.origin is None or taint.origin.kind not in kinds)


def named(taints: Taints, name: str) -> Taints:
    """What is left of them under a name: ids that only tell runs or messages apart say nothing."""
    return without(taints, "random") if PASSING_ID.search(name.rpartition(".")[2].lower()) else taints


def join(left: Env | None, right: Env | None) -> Env | None:
    """What may hold after either of two ways; None for a way that does not go on."""
    if left is None or right is None:
        return right if left is None else left
    return {name: left.get(name, NONE) | right.get(name, NONE) for name in {*left, *right}}


def union(found: Iterable[Taints]) -> Taints:
    """All of them."""
    return NONE.union(*found)
