"""Files opened for appending: the effect is what is written through the handle, not the opening."""

from __future__ import annotations

from .calls import targets
from .facts import Facts, last_name
from .knowledge.arguments import Effect
from .literals import arguments
from .summary import Call, Expr
from .values import FunctionId, Resolver

_OPENERS = ("open", "open_file")
_WRITES = {"write", "writelines", "writerow", "writerows", "writeheader"}
_WRITERS = {"writer", "DictWriter"}
_INTO = {"dump", "safe_dump", "dump_all", "print", "pprint", "copyfileobj", "to_csv", "to_json", "savetxt"} | _WRITERS


def written(resolver: Resolver, call: Call, function: FunctionId) -> Effect | None:
    """The effect of a call that writes through a handle that this function opened for appending."""
    facts = resolver.project.facts((function[0], function[1]))
    if not any(name in facts.by_name for name in _OPENERS):
        return None
    for name in _through(facts, call):
        opened = _opened(facts, name, call)
        effect = None if opened is None else _append(resolver, opened, function)
        if effect is not None:
            return effect
    return None


def is_written_later(resolver: Resolver, call: Call, function: FunctionId) -> bool:
    """Whether the handle that ``call`` opens is written through in this function."""
    facts = resolver.project.facts((function[0], function[1]))
    for name, lets in facts.lets.items():
        if any(_opens(value, call) for _, value in lets):
            return any(name in _through(facts, other) and _opened(facts, name, other) == call for other in facts.calls)
    return False


def _through(facts: Facts, call: Call) -> list[str]:
    """The names of the handles that a call writes through, if it writes: itself, or what it is handed."""
    last = last_name(call.func)
    if last in _WRITES:
        if isinstance(call.func, str):
            name = call.func.rpartition(".")[0]
            return [name, *(inner for _, value in facts.lets.get(name, ()) for inner in _wrapped(value))]
        return _wrapped(getattr(call.func, "base", None))
    if last in _INTO and last not in _WRITERS:
        return [item for item in (*call.args, *(value for _, value in call.kwargs)) if isinstance(item, str)]
    return []


def _wrapped(expr: Expr) -> list[str]:
    """The handle inside ``csv.writer(handle)``."""
    if isinstance(expr, Call) and last_name(expr.func) in _WRITERS:
        return [item for item in expr.args[:1] if isinstance(item, str)]
    return []


def _opened(facts: Facts, name: str, call: Call) -> Call | None:
    """The last call before ``call`` that opens the handle of that name."""
    found: Call | None = None
    for _, value in facts.lets.get(name, ()):
        for opener in _OPENERS:
            for opened in facts.by_name.get(opener, ()):
                if _opens(value, opened) and (opened.line, opened.column) < (call.line, call.column):
                    later = found is None or (found.line, found.column) < (opened.line, opened.column)
                    found = opened if later else found
    return found


def _opens(value: Expr, call: Call) -> bool:
    """Whether a bound value is what ``call`` opens, entered on a stack or not."""
    if isinstance(value, Call) and last_name(value.func) in ("enter_context", "enter_async_context") and value.args:
        value = value.args[0]
    return value is call or value == call


def _append(resolver: Resolver, call: Call, function: FunctionId) -> Effect | None:
    args, kwargs = arguments(resolver, call, function)
    for name in targets(resolver, call, function).outside:
        effect = resolver.effects.classify(name, args, kwargs)
        if effect is not None and effect.action == "effect" and not effect.idempotent:
            return effect
    return None
