"""Where values come from that may be others when the same code runs again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property
from typing import Literal

from .calls import receiver_and_verb, targets
from .facts import last_name
from .knowledge.frameworks import expand
from .literals import arguments
from .memos import remembered
from .order import Order
from .outliving import outlives
from .summary import Call, Comp, Const, Expr, Op, Seq, Table
from .values import FunctionId

Key = tuple[str, str, str]
"""Path, class ("" for a global) and name of what outlives a run in the process's memory."""

Kind = Literal["model", "clock", "random", "read", "memory", "order"]
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SETTING_UP = {"__init__", "__post_init__", "__new__", "__enter__", "__aenter__"}


@dataclass(frozen=True, slots=True)
class Source:
    """Where an unstable value comes from: a call, or a name of the process's memory (``memory``)."""

    kind: Kind
    function: FunctionId
    call: Call | None
    name: str = ""
    certain: bool = True
    key: Key | None = None


@dataclass
class Sources:
    """Tells unstable sources among calls that leave the project, and among names that outlive a run."""

    order: Order
    unit_code: frozenset[FunctionId]
    """The functions that run inside replayed units."""
    _seen: dict[tuple[FunctionId, int], Source | None] = field(default_factory=dict)

    def of_call(self, call: Call, function: FunctionId, acts: bool) -> Source | None:
        """The source that a call outside the project is. ``acts``: it is an effect, whose reply may be another."""
        asked = (function, id(call))
        if asked not in self._seen:
            self._seen[asked] = self._of_call(call, function, acts)
        return self._seen[asked]

    def shuffles(self, call: Call, function: FunctionId) -> Source | None:
        """The source that a call makes of its first argument by putting it in another order."""
        if last_name(call.func) not in self._lasts("shuffles"):
            return None
        outside = targets(self.order.resolver, call, function).outside
        return Source("random", function, call) if self._named("shuffles", outside) else None

    def unordered(self, expr: Expr, function: FunctionId) -> Source | None:
        """The source that a set is for a loop over it: another process has another order."""
        while isinstance(expr, Call) and last_name(expr.func) in ("list", "tuple", "enumerate", "reversed", "iter"):
            expr = expr.args[0] if expr.args else None
        if not isinstance(expr, Call) or last_name(expr.func) not in self._lasts("orders"):
            return None
        outside = targets(self.order.resolver, expr, function).outside
        return Source("order", function, expr, certain=False) if self._named("orders", outside) else None

    def _of_call(self, call: Call, function: FunctionId, acts: bool) -> Source | None:
        resolver = self.order.resolver
        found = targets(resolver, call, function)
        receiver, verb = receiver_and_verb(call.func)
        if self._named("clock", found.outside):
            return Source("clock", function, call)
        if self._named("random", found.outside):
            return Source("random", function, call)
        if verb in self._words("model_verbs") and any(map(self._is_model, found.outside)):
            return Source("model", function, call)
        if acts:
            return Source("read", function, call)
        listed = [name for name in found.outside if resolver.effects.lookup(name) is not None]
        args, kwargs = arguments(resolver, call, function) if listed else ([], {})
        for name in listed:
            effect = resolver.effects.classify(name, args, kwargs)
            if effect is not None and effect.action == "read" and not (effect.kind == "files" and self._is_setup(call)):
                return Source("read", function, call)
        if found.known and found.outside:
            return None
        return self._guessed(call, function, receiver, verb)

    def _guessed(self, call: Call, function: FunctionId, receiver: str, verb: str) -> Source | None:
        """What the names of receiver and verb say, where nothing else is known."""
        words = set(_split(receiver))
        still = not words.isdisjoint(self._words("still"))
        asks = verb in self._words("unknown") or (
            verb in self._words("model_verbs") and not words.isdisjoint(self._words("model_words"))
        )
        if asks and receiver and not still:
            return Source("model", function, call, certain=False)
        head = self.order.resolver.project.function((function[0], function[1]))
        root = call.func.split(".")[0] if isinstance(call.func, str) else ""
        local = head is not None and root in head.local and root not in ("self", "cls")
        if words.isdisjoint(self._words("readers")) or local:
            return None
        guessed = self.order.resolver.effects.guess(receiver, verb)
        return Source("read", function, call, certain=False) if guessed and guessed.action == "read" else None

    def _is_setup(self, call: Call) -> bool:
        """Whether a file is read that says how the program is set up."""
        words = set(_split(repr(call.func) + repr(call.args)))
        return not words.isdisjoint(self._words("settings"))

    def _is_model(self, name: str) -> bool:
        return any(name.startswith(f"{root}.") for root in self._words("models"))

    def _named(self, key: str, names: Sequence[str]) -> bool:
        return any(map(self._patterns[key].match, names))

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {key: re.compile("|".join(map(translate, names))) for key, names in self._names.items()}

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        keys = ("clock", "random", "shuffles", "orders")
        return {key: [name for item in self._words(key) for name in expand(item)] for key in keys}

    def _words(self, key: str) -> Sequence[str]:
        return self.order.resolver.knowledge.table("unstable", key)  # type: ignore[no-any-return]

    def _lasts(self, key: str) -> set[str]:
        last = {name.rpartition(".")[2] for name in self._names[key]}
        aliases = self.order.resolver.project.aliases
        return last.union(*(aliases.get(name, set()) for name in last))

    # memory of the process

    def memory(self, path: tuple[str, ...], function: FunctionId) -> Source | None:
        """The source that a global or an attribute of ``self`` is, where replayed code itself changes it."""
        key = self.key(path, function)
        if key is None:
            return None
        return Source("memory", function, None, f"{path[0]}.{path[1]}" if key[1] else path[0], False, key)

    def key(self, path: tuple[str, ...], function: FunctionId) -> Key | None:
        """What a path stands for that replayed code changes by what it was, or by a flag."""
        head = self.order.resolver.project.function((function[0], function[1]))
        if head is None:
            return None
        if path[0] in ("self", "cls") and len(path) > 1 and head.owner:
            key = (function[0], head.owner, path[1])
        elif path[0] in head.local or any(param.name == path[0] for param in head.params):
            return None
        else:
            key = (function[0], "", path[0])
        return key if key in self._changed else None

    @cached_property
    def _changed(self) -> set[Key]:
        changed: set[Key] = set()
        begun: set[Key] = set()
        for function in sorted(self.unit_code):
            head = self.order.resolver.project.function((function[0], function[1]))
            if head is None or head.name in _SETTING_UP:
                continue
            facts = self.order.resolver.project.facts((function[0], function[1]))
            for name, key in self._written(function, head.owner, set(head.local)):
                changed.add(key)
                if not all(_grows(name, value) for _, value in facts.lets.get(name, ())):
                    begun.add(key)
        kept = {key[:2] for key in changed if key[1] and outlives(self.order.registry, key[:2], self.unit_code)}
        return {key for key in changed - begun if not key[1] or key[:2] in kept}

    def _written(self, function: FunctionId, owner: str, local: set[str]) -> Iterator[tuple[str, Key]]:
        facts = self.order.resolver.project.facts((function[0], function[1]))
        fillers = set(self._words("fills"))
        names = {*facts.lets, *facts.fills}
        names |= {
            c.func.rpartition(".")[0] for c in facts.calls if isinstance(c.func, str) and last_name(c.func) in fillers
        }
        for name in sorted(names - remembered(self.order.resolver.project.body((function[0], function[1])))):
            parts = name.split(".")
            if parts[0] in ("self", "cls") and len(parts) == 2 and owner:
                yield name, (function[0], owner, parts[1])
            elif len(parts) == 1 and name and name not in local:
                yield name, (function[0], "", name)


def _grows(name: str, value: Expr) -> bool:
    """Whether an assignment builds on what was there, or sets a flag; a fresh start is neither."""
    if isinstance(value, Const):
        return value.value is True
    if isinstance(value, Seq | Table | Comp):
        return False
    return isinstance(value, Op) and name in value.items


def _split(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
