"""What becomes of a wait whose exception is caught: read off the handler's body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ..analyzer.facts import last_name
from ..analyzer.summary import Break, Continue, Expr, Handler, If, Loop, Match, Raise, Return, Stmt, Try, With

if TYPE_CHECKING:
    from ..analyzer.program import Program
    from ..analyzer.project import Project
    from ..analyzer.suspension import Swallow

Outcome = Literal["goes on", "fails", "next round", "finally", "suppressed", "manager", "retried", "gathered"]
"""How the code goes on: as if answered, with another error, with the next round of a loop, and so on."""

_End = Literal["again", "other", "round", "on"]
_BY_CATCHER: dict[str, Outcome] = {
    "suppress": "suppressed",
    "manager": "manager",
    "retry": "retried",
    "gather": "gathered",
}


def outcome(program: Program, swallow: Swallow) -> Outcome:
    """What happens instead of the wait."""
    if swallow.catcher in _BY_CATCHER:
        return _BY_CATCHER[swallow.catcher]
    handler = handler_of(program, swallow)
    if handler is None:
        return "finally"
    ends = _ends(handler.body, handler.name) - {"again"}
    if ends == {"other"}:
        return "fails"
    return "next round" if ends == {"round"} else "goes on"


def handler_of(program: Program, swallow: Swallow) -> Handler | None:
    """The handler that takes the exception; None where a ``finally`` drops it."""
    handlers = _by_place(program.project, swallow.function[0], swallow.function[1])
    return handlers.get((swallow.line, swallow.column))


@lru_cache(maxsize=1)
def _by_place(project: Project, path: str, qualname: str) -> dict[tuple[int, int], Handler]:
    return {(handler.line, handler.column): handler for handler in _handlers(project.body((path, qualname)))}


def is_for_the_wait(program: Program, handler: Handler | None) -> bool:
    """Whether the handler names the exception that carries a wait, not one so wide that it takes it too."""
    names = program.resolver.knowledge.table("suspension", "exceptions")
    known = {name.rpartition(".")[2] for name in names}
    types: Iterable[Expr] = (handler.types if handler is not None else None) or ()
    return any(last_name(item) in known for item in types)


def _handlers(body: Sequence[Stmt]) -> Iterator[Handler]:
    for item in body:
        if isinstance(item, Try):
            yield from item.handlers
        for block in _blocks(item):
            yield from _handlers(block)


def _blocks(item: Stmt) -> Iterator[Sequence[Stmt]]:
    if isinstance(item, If | Loop):
        yield from (item.body, item.orelse)
    elif isinstance(item, With):
        yield item.body
    elif isinstance(item, Match):
        yield from (case.body for case in item.cases)
    elif isinstance(item, Try):
        yield from (item.body, item.orelse, item.final, *(handler.body for handler in item.handlers))


def _ends(body: Sequence[Stmt], name: str) -> set[_End]:
    """The ways in which a block may end; "on": by running out, or by a return."""
    found: set[_End] = set()
    for item in body:
        if isinstance(item, Raise):
            return found | {"again" if item.value is None or item.value == name else "other"}
        if isinstance(item, Return):
            return found | {"on"}
        if isinstance(item, Break | Continue):
            return found | {"round" if isinstance(item, Continue) else "on"}
        blocks = list(_blocks(item))
        if isinstance(item, With):
            inner = _ends(item.body, name)
        elif isinstance(item, If):
            inner = _ends(item.body, name) | _ends(item.orelse, name)
        elif blocks:
            inner = {"on"}
            for block in blocks:
                inner |= _ends(block, name)
            if isinstance(item, Loop):
                inner.discard("round")
        else:
            continue
        found |= inner - {"on"}
        if "on" not in inner:
            return found
    return found | {"on"}
