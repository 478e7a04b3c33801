"""The keys of the state that a waiting unit looks at before its wait."""

from __future__ import annotations

from .bindings import skips_self
from .calling import bind_arguments
from .calls import targets
from .facts import children
from .order import Order
from .project import Project
from .resumes import Resume
from .summary import LEAF, Call, Const, Expr, Item, Table
from .values import FunctionId


def updated_keys(project: Project, resume: Resume) -> dict[str, Expr]:
    """The literal keys of the update that is sent beside an answer, directly or by a name with one binding."""
    update = resume.update
    if isinstance(update, str):
        bound = project.facts(resume.function[:2]).lets.get(update, [])
        update = bound[0][1] if len(bound) == 1 and bound[0][0] == "is" else None
    if not isinstance(update, Table):
        return {}
    pairs = zip(update.keys, update.values, strict=True)
    return {key.value: value for key, value in pairs if isinstance(key, Const) and isinstance(key.value, str)}


def read_before_wait(order: Order, function: FunctionId) -> dict[str, int]:
    """Keys read from the function's first parameter up to its last wait, each with its first line."""
    head = order.resolver.project.function(function[:2])
    outlined = order.outlines.get(function)
    if head is None or outlined is None:
        return {}
    params = [param.name for param in head.params if param.name not in ("self", "cls")]
    calls = outlined.flow.calls
    lines = [call.line for n, call in enumerate(calls) if call is not None and order.waits_at(function, n)]
    if not params or not lines:
        return {}
    found: dict[str, int] = {}
    facts = order.resolver.project.facts(function[:2])
    for call in facts.calls:
        if call.line <= max(lines):
            for key in (*_keys(call, params[0]), *_keys_of_helper(order, call, function, params[0])):
                found[key] = min(call.line, found.get(key, call.line))
    for name, bound in facts.lets.items():
        for (_, value), line in zip(bound, facts.lines.get(name, []), strict=False):
            if 0 < line <= max(lines):
                for key in _keys(value, params[0]):
                    found[key] = min(line, found.get(key, line))
    return found


def _keys_of_helper(order: Order, call: Call, function: FunctionId, state: str) -> list[str]:
    """The keys that a function reads of the state that it is handed whole."""
    if state not in call.args and not any(value == state for _, value in call.kwargs):
        return []
    found: list[str] = []
    project = order.resolver.project
    for target in targets(order.resolver, call, function).functions:
        head = project.function((target[0], target[1]))
        if head is None:
            continue
        given = [
            param.name for param in head.params if state in bind_arguments(head, call, param.name, skips_self(head))
        ]
        facts = project.facts((target[0], target[1]))
        values = [*facts.calls, *facts.returns, *(value for bound in facts.lets.values() for _, value in bound)]
        found += [key for name in given for value in values for key in _keys(value, name)]
    return sorted(set(found))


def _keys(expr: Expr, state: str) -> list[str]:
    """The keys of the state that an expression reads: ``state["k"]``, ``state.get("k")``, ``state.k``."""
    if isinstance(expr, str):
        root, _, rest = expr.partition(".")
        return [rest.partition(".")[0]] if root == state and rest else []
    if expr is None or isinstance(expr, LEAF):
        return []
    if isinstance(expr, Item) and expr.base == state and isinstance(expr.key, Const):
        return [expr.key.value] if isinstance(expr.key.value, str) else []
    if isinstance(expr, Call) and expr.func == f"{state}.get" and expr.args and isinstance(expr.args[0], Const):
        return [str(expr.args[0].value)]
    return [key for child in children(expr) for key in _keys(child, state)]
