"""Which calls are effects that must not be repeated."""

from __future__ import annotations

from dataclasses import dataclass

from ..contract import Certainty
from .appends import is_written_later, written
from .calls import Targets, receiver_and_verb
from .flow import Guard
from .guards import is_safe, skips_on_resume
from .knowledge.arguments import Effect
from .literals import arguments, given_under, is_fresh, names_in
from .lower import MODULE
from .summary import Call, Expr
from .values import FunctionId, Resolver


@dataclass(frozen=True, slots=True)
class EffectSite:
    """A call that fires an effect. ``path`` to ``column`` tell it apart; columns are byte offsets.

    ``name`` is the qualified name of what is called, or the text of the call where only its words
    are known; ``inner`` are the functions a dispatch leads to, with the effects found there.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    name: str
    kind: str
    certainty: Certainty
    reason: str
    dispatch: bool = False


def effect_at(
    resolver: Resolver, call: Call, function: FunctionId, found: Targets, guards: tuple[Guard, ...]
) -> EffectSite | None:
    """The effect of the call itself, if repeating it would do harm."""
    receiver, verb = receiver_and_verb(call.func)
    if verb.startswith("__"):
        return None
    effect = written(resolver, call, function)
    if effect is None and _worth_a_look(resolver, found, receiver, verb):
        effect = _judged(resolver, call, function, found)
    if effect is None or effect.action != "effect":
        return None
    reason = effect.reason
    if effect.idempotent:
        reason = _repeats(resolver, effect, call, function)
        if not reason:
            return None
    if guards and (is_safe(resolver, guards, function) or skips_on_resume(resolver, guards, function)):
        return None
    return EffectSite(
        function[0],
        call.line,
        call.column,
        call.end_line,
        call.end_column,
        effect.name,
        effect.kind,
        effect.certainty,
        reason,
    )


def _judged(resolver: Resolver, call: Call, function: FunctionId, found: Targets) -> Effect | None:
    """What the tables say of the call; the gravest where it may go to several."""
    receiver, verb = receiver_and_verb(call.func)
    args, kwargs = arguments(resolver, call, function)
    effect: Effect | None = None
    for target in found.functions:
        symbol = resolver.project.symbol((target[0], target[1]))
        if resolver.effects.lookup(symbol) is not None:
            effect = resolver.effects.classify(symbol, args, kwargs)
    unlisted = False
    for name in found.outside:
        known = resolver.effects.classify(name, args, kwargs)
        if known is not None and (effect is None or not known.idempotent):
            effect = known
        unlisted |= known is None and resolver.effects.lookup(name) is None and _may_be_guessed(resolver, name)
    if effect is None and not found.functions and not found.graphs and (unlisted or not found.known):
        effect = resolver.effects.guess(receiver, verb, args, kwargs)
    if effect is None and found.functions and all(_is_empty(resolver, t) for t in found.functions):
        effect = resolver.effects.guess(receiver, verb, args, kwargs)
    return None if effect is not None and _is_opening(resolver, effect, call, function) else effect


def _is_opening(resolver: Resolver, effect: Effect, call: Call, function: FunctionId) -> bool:
    """Whether the call only opens a file through which this function writes later."""
    return effect.kind == "files" and effect.action == "effect" and is_written_later(resolver, call, function)


def _worth_a_look(resolver: Resolver, found: Targets, receiver: str, verb: str) -> bool:
    """Whether any table could speak of the call, before its arguments are resolved."""
    effects = resolver.effects
    if any(effects.lookup(name) is not None for name in found.outside):
        return True
    if any(effects.lookup(resolver.project.symbol((t[0], t[1]))) is not None for t in found.functions):
        return True
    return effects.might(receiver, verb)


def _is_empty(resolver: Resolver, target: FunctionId) -> bool:
    head = resolver.project.function((target[0], target[1]))
    return head is not None and head.empty


def _may_be_guessed(resolver: Resolver, name: str) -> bool:
    """Whether nothing is known of the library: a known one's other functions are no effects."""
    root = name.partition(".")[0]
    return root != "builtins" and root not in resolver.effects.libraries and not resolver.is_outside(name)


_ONE_MORE = "makes one more entry, under a key that is new each time"
_GROWN = "changes what it read and writes it back"


def _repeats(resolver: Resolver, effect: Effect, call: Call, function: FunctionId) -> str:
    """Why an idempotent write is none here: a key made anew, or a value that grows from what it replaces."""
    for name in effect.given:
        if _is_made_anew(resolver, call, name, function):
            return f"is given a new {name.rpartition('.')[2]} each time"
    if not effect.given and effect.fresh is not None:
        position, keyword = effect.fresh
        key: Expr = next((value for name, value in call.kwargs if name == keyword), None)
        if key is None and position is not None and position < len(call.args):
            key = call.args[position]
        if key is None and keyword is not None and keyword.startswith("@"):
            return _ONE_MORE if _is_made_anew(resolver, call, keyword, function) else ""
        if is_fresh(resolver, key, function):
            return _ONE_MORE
        return _GROWN if _grows(resolver, call, function) else ""
    return ""


def _is_made_anew(resolver: Resolver, call: Call, name: str, function: FunctionId) -> bool:
    """Whether the key that the call is given is new on every run, so that no repetition is known by it."""
    found = list(given_under(resolver, call, name, function))
    if found:
        return any(where[1] != MODULE and is_fresh(resolver, value, where) for value, where in found)
    return any(is_fresh(resolver, value, function) for key, value in call.kwargs if name.startswith(f"{key}."))


def _grows(resolver: Resolver, call: Call, function: FunctionId) -> bool:
    """Whether what is written derives from what a read of the same receiver gave: read, modify, write."""
    if not isinstance(call.func, str) or "." not in call.func or not call.args:
        return False
    receiver = call.func.rsplit(".", 1)[0]
    facts = resolver.project.facts((function[0], function[1]))
    tainted: set[str] = set()
    changed = True
    while changed:
        changed = False
        for name, lets in facts.lets.items():
            if name in tainted:
                continue
            for _, value in lets:
                read = isinstance(value, Call) and value.func in (
                    f"{receiver}.get", f"{receiver}.aget", f"{receiver}.search", f"{receiver}.asearch"
                )  # fmt: skip
                if read or tainted.intersection(names_in(value)):
                    tainted.add(name)
                    changed = True
                    break
    written = [call.args[-1], *(value for _, value in call.kwargs)]
    return any(tainted.intersection(names_in(value)) for value in written)
