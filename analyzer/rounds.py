"""Whether a loop goes on after a call: flags that the same round sets may end it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .facts import gather
from .summary import Call, Const, Expr, If, Let, Loop, Match, Op, Return, Stmt, Try, With

_Path = list[tuple[Sequence[Stmt], int]]
"""Blocks from a loop's body inwards, each with the place of the statement that leads on."""


def last_round(body: Sequence[Stmt], call: Call, wait: Call) -> bool:
    """Whether every loop around both calls ends in the round in which the first one runs."""
    loops = [loop for loop in _loops(body) if _holds(loop.body, call) and _holds(loop.body, wait)]
    return bool(loops) and all(_ends(loop, call) for loop in loops)


def _ends(loop: Loop, call: Call) -> bool:
    path = _path(loop.body, call)
    later = _bound_later(path)
    told = {name: value for name, value in _told(path).items() if name not in later}
    if not loop.is_for and not loop.forever and _truth(loop.source, told) is False:
        return True
    block, number = path[0] if path else ([], 0)
    return any(_leaves(item, told) for item in block[number + 1 :])


def _bound_later(path: _Path) -> set[str]:
    """Names that compound statements after the call may bind again."""
    found: set[str] = set()
    for block, number in path:
        for item in block[number + 1 :]:
            if not isinstance(item, Let):
                found.update(gather([item]).lets)
    return found


def _leaves(item: Stmt, told: dict[str, object]) -> bool:
    if isinstance(item, Return) or type(item).__name__ == "Break":
        return True
    if not isinstance(item, If):
        return False
    truth = _truth(item.test, told)
    chosen = item.body if truth else item.orelse if truth is False else []
    return any(_leaves(inner, told) for inner in chosen)


def _told(path: _Path) -> dict[str, object]:
    """The literals that names hold once the round has run past the call."""
    found: dict[str, object] = {}
    for block, number in path:
        for place, item in enumerate(block):
            if place == number or not isinstance(item, Let):
                continue
            for target in item.targets:
                if isinstance(target, str) and isinstance(item.value, Const):
                    found[target] = item.value.value
                elif isinstance(target, str):
                    found.pop(target, None)
    return found


def _truth(test: Expr, told: dict[str, object]) -> bool | None:
    """What a test comes to with these literals; None where that is not known."""
    if isinstance(test, str):
        return bool(told[test]) if test in told else None
    if not isinstance(test, Op):
        return None
    if test.kind == "not":
        inner = _truth(test.items[0], told)
        return None if inner is None else not inner
    if test.kind in ("and", "or"):
        parts = [_truth(item, told) for item in test.items]
        decisive = test.kind == "or"
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if test.kind in ("==", "!=", "is", "is not") and len(test.items) == 2:
        left, right = test.items
        if isinstance(left, str) and left in told and isinstance(right, Const):
            return (told[left] == right.value) is (test.kind in ("==", "is"))
    return None


def _loops(body: Sequence[Stmt]) -> Iterator[Loop]:
    for item in body:
        if isinstance(item, Loop):
            yield item
        for block in _blocks(item):
            yield from _loops(block)


def _path(body: Sequence[Stmt], call: Call) -> _Path:
    for number, item in enumerate(body):
        if _holds([item], call):
            for block in _blocks(item):
                if _holds(block, call):
                    return [(body, number), *_path(block, call)]
            return [(body, number)]
    return []


def _holds(body: Sequence[Stmt], call: Call) -> bool:
    return any((each.line, each.column) == (call.line, call.column) for each in gather(list(body)).calls)


def _blocks(item: Stmt) -> list[list[Stmt]]:
    if isinstance(item, If | Loop):
        return [item.body, item.orelse]
    if isinstance(item, With):
        return [item.body]
    if isinstance(item, Try):
        return [item.body, *(handler.body for handler in item.handlers), item.orelse, item.final]
    return [case.body for case in item.cases] if isinstance(item, Match) else []
