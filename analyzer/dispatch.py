"""Calls that choose a function at run time: tools by name, tables of callables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .calls import targets
from .facts import last_name
from .flow import Guard
from .knowledge.arguments import Effect
from .registry import Registry, literal_names
from .summary import Attr, Call, Const, Expr, Item, Op
from .values import FunctionId, Resolver

_TEXT_METHODS = {
    "format", "join", "strip", "lower", "upper", "isoformat", "strftime", "get", "append", "items", "keys", "values",
    "split", "replace", "info", "debug", "warning", "error", "model_dump",
}  # fmt: skip
_HARMLESS = (
    "builtins.",
    "json.",
    "logging.",
    "time.",
    "datetime.",
    "uuid.",
    "random.",
    "math.",
    "re.",
    "typing.",
)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A call that reaches one of several functions, or a tool.

    ``guessed`` are tools whose body says nothing but whose name and docstring do.
    """

    functions: tuple[FunctionId, ...]
    guessed: tuple[tuple[FunctionId, Effect], ...]


def dispatched(
    resolver: Resolver,
    registry: Registry,
    call: Call,
    function: FunctionId,
    callees: Sequence[FunctionId],
    guards: Sequence[Guard],
) -> Dispatch | None:
    """The dispatch at a call, or None for an ordinary call."""
    tools = [target for target in callees if registry.kind((target[0], target[1])) == "tool"]
    if not tools and (len(callees) < 2 or not _through_table(resolver, call.func, function)):
        return None
    kept = _allowed(resolver, callees, call, function, guards)
    guessed = []
    for target in kept:
        if target in tools and says_nothing(resolver, target):
            head = resolver.project.function((target[0], target[1]))
            effect = resolver.effects.guess_tool(head.name, head.doc) if head is not None else None
            if effect is not None:
                guessed.append((target, effect))
    return Dispatch(tuple(kept), tuple(guessed))


def _through_table(resolver: Resolver, func: Expr, function: FunctionId) -> bool:
    """Whether the callee was taken out of a container."""
    return _table_key(resolver, func, function) is not None


def _table_key(resolver: Resolver, func: Expr, function: FunctionId, depth: int = 3) -> Expr:
    """The key by which the callee is looked up, through local names; None if it is not."""
    if isinstance(func, Attr):
        return _table_key(resolver, func.base, function, depth)
    if isinstance(func, Item):
        return func.key
    if isinstance(func, Call):
        last = func.func.rsplit(".", 1)[-1] if isinstance(func.func, str) else getattr(func.func, "name", "")
        return func.args[0] if last in ("get", "pop") and func.args else None
    if isinstance(func, str) and depth:
        root = func.split(".", 1)[0]
        for mode, value in resolver.project.facts((function[0], function[1])).lets.get(root, ()):
            if mode == "is" and (key := _table_key(resolver, value, function, depth - 1)) is not None:
                return key
            if mode == "part":
                return func
    return None


def _allowed(
    resolver: Resolver,
    callees: Sequence[FunctionId],
    call: Call,
    function: FunctionId,
    guards: Sequence[Guard],
) -> list[FunctionId]:
    """The callees that conditions on the key leave: ``if name not in ("pay", "mail")`` rules out two."""
    key = _table_key(resolver, call.func, function)
    kept = list(callees)
    for test, truth in guards:
        while isinstance(test, Op) and test.kind == "not":
            test, truth = test.items[0], not truth
        if not isinstance(test, Op) or len(test.items) != 2 or key is None or test.items[0] != key:
            continue
        if test.kind in ("in", "not in"):
            names = set(literal_names(resolver, test.items[1], function))
            wanted = truth if test.kind == "in" else not truth
        elif test.kind in ("==", "!=") and isinstance(test.items[1], Const):
            names, wanted = {str(test.items[1].value)}, truth if test.kind == "==" else not truth
        else:
            continue
        if names:
            kept = [target for target in kept if (target[1].rsplit(".", 1)[-1] in names) is wanted]
    return kept


def named(
    resolver: Resolver, tools: Sequence[FunctionId], function: FunctionId, guards: Sequence[Guard]
) -> list[FunctionId]:
    """The tools that conditions on a tool's name leave: ``if request.tool_call["name"] == "pay"``."""
    kept = list(tools)
    words = {target[1].rsplit(".", 1)[-1] for target in tools}
    for test, truth in guards:
        while isinstance(test, Op) and test.kind == "not":
            test, truth = test.items[0], not truth
        if isinstance(test, Op) and len(test.items) == 2 and test.kind in ("in", "not in", "==", "!="):
            names = set(literal_names(resolver, test.items[1], function))
            if names & words:
                kept = [t for t in kept if (t[1].rsplit(".", 1)[-1] in names) is (truth == (test.kind in ("in", "==")))]
    return kept


def says_nothing(resolver: Resolver, target: FunctionId) -> bool:
    """Whether the body is a placeholder: it calls nothing that could do what the name says."""
    for call in resolver.project.facts((target[0], target[1])).calls:
        found = targets(resolver, call, target)
        if found.functions or (not found.known and not _is_text_method(call)):
            return False
        if any(not name.startswith(_HARMLESS) for name in found.outside):
            return False
    return True


def _is_text_method(call: Call) -> bool:
    return last_name(call.func) in _TEXT_METHODS
