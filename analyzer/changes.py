"""Which calls may change what a condition of a function asks, and which names are asked of at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import fields
from .calls import Targets, targets
from .exclusion import Names, Term
from .facts import Facts, last_name
from .lower import MODULE
from .order import Order
from .summary import Call, Const, Expr, Function, Star
from .values import FunctionId

_LOOKS = {
    "get", "items", "keys", "values", "copy", "count", "index", "format", "lower", "upper", "strip", "casefold",
    "startswith", "endswith", "split", "join", "encode", "model_dump", "model_dump_json", "model_copy", "dict", "json",
}  # fmt: skip
_EMPTIES = {"pop", "popleft", "popitem", "clear", "remove", "discard"}
_RENEWS = re.compile(r"^a?(refresh|reload|expire|populate|fill|apply|update|mark|set|reset|toggle|setattr)(_|$)")
_MOST = 300
"""Functions below a call after which it is taken to change anything."""
_ALL = frozenset({"*", "[]"})


class Writes:
    """The words of what functions set, with all that they call; each is looked at once."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._own: dict[FunctionId, frozenset[str]] = {}
        self._rebound: dict[str, dict[str, set[str]]] = {}
        self._children: dict[str, dict[str, list[str]]] = {}
        self._below: dict[FunctionId, frozenset[str]] = {}

    def below(self, target: FunctionId) -> frozenset[str]:
        """Attributes and entries that the function sets; ``*`` for any, ``[]`` where lists are filled or emptied."""
        if target not in self._below:
            found, todo = {target}, [target]
            while todo and len(found) <= _MOST:
                outlined = self.order.outlines.get(todo.pop())
                for group in (outlined.called, outlined.recording) if outlined is not None else ():
                    todo.extend(each for each in group if each not in found)
                    found.update(group)
            words = frozenset[str]().union(*(self._written(each) for each in found)) if len(found) <= _MOST else _ALL
            self._below[target] = words
        return self._below[target]

    def rebound(self, path: str) -> dict[str, set[str]]:
        """The functions of a file that bind names from outside them, with those names."""
        if path not in self._rebound:
            found = {}
            for qualname, head in self._functions(path):
                lets = self.order.resolver.project.facts((path, qualname)).lets
                names = {name for name in lets.keys() - set(head.local) if "." not in name}
                if names:
                    found[qualname] = names
            self._rebound[path] = found
        return self._rebound[path]

    def nested(self, path: str, qualname: str) -> list[str]:
        """The functions that are defined inside another, at any depth."""
        if path not in self._children:
            self._children[path] = {}
            for each, head in self._functions(path):
                self._children[path].setdefault(head.parent, []).append(each)
        found = list(self._children[path].get(qualname, ()))
        for each in found:
            found.extend(self._children[path].get(each, ()))
        return found

    def _functions(self, path: str) -> list[tuple[str, Function]]:
        file = self.order.resolver.project.file(path)
        return [item for item in file.functions.items() if item[0] != MODULE] if file is not None else []

    def _written(self, function: FunctionId) -> frozenset[str]:
        if function not in self._own:
            project = self.order.resolver.project
            head = project.function((function[0], function[1]))
            facts = project.facts((function[0], function[1]))
            self._own[function] = frozenset(_words(head, facts)) if head is not None else frozenset()
        return self._own[function]


def _words(head: Function, facts: Facts) -> Iterator[str]:
    """What a body sets: any attribute, and entries of what it is handed or finds outside."""
    yield from (name.rpartition(".")[2] for name in (*facts.lets, *facts.fills) if "." in name)
    handed = {param.name for param in head.params} | (facts.fills.keys() - set(head.local))
    keys: list[Expr] = [item.key for item, _ in facts.deep]
    for name in handed:
        for key, _, merged in facts.fills.get(name, ()):
            if key is None and not merged:
                yield "[]"
            else:
                keys.append(key)
    for verb in (*sorted(_EMPTIES), "setattr"):
        for call in facts.by_name.get(verb, ()):
            if verb == "setattr" or _holder(call) in handed:
                yield "[]"
                keys.append(call.args[0] if call.args and verb != "setattr" else None)
    yield from (str(key.value) if isinstance(key, Const) else "*" for key in keys)


class Changes:
    """Answers for one function; what is asked of a call is worked out once."""

    def __init__(self, writes: Writes, function: FunctionId) -> None:
        self.writes = writes
        self.resolver = writes.order.resolver
        self.function = function
        self.names, self.inner = _names(writes, function)
        self._targets: dict[tuple[int, int, int, int], Targets] = {}

    def touch(self, call: Call, of: Term) -> bool:
        """Whether the call may change what the term comes to."""
        verb, holder = last_name(call.func), _holder(call)
        own = holder in of.paths and holder != of.text and verb not in _LOOKS
        through = own or holder.partition(".")[0] in of.paths
        given = any(_bare(item) in of.paths for item in (*call.args, *(value for _, value in call.kwargs)))
        inner = isinstance(call.func, str) and call.func in self.inner
        if not through and not given and not inner:
            return False
        found = self._reached(call)
        if found.functions:
            return any(_concerns(self.writes.below(target), of) for target in found.functions)
        return (own and not found.known) or bool((given or own) and _RENEWS.match(verb))

    def _reached(self, call: Call) -> Targets:
        at = (call.line, call.column, call.end_line, call.end_column)
        if at not in self._targets:
            self._targets[at] = targets(self.resolver, call, self.function)
        return self._targets[at]


def _concerns(words: frozenset[str], of: Term) -> bool:
    if of.words:
        return "*" in words or not words.isdisjoint(of.words)
    return "[]" in words


def _names(writes: Writes, function: FunctionId) -> tuple[Names, frozenset[str]]:
    """The names of a function, and the functions that are defined in it."""
    project = writes.order.resolver.project
    head = project.function((function[0], function[1]))
    if head is None or head.qualname == MODULE:
        return Names(frozenset(), frozenset()), frozenset()
    facts = project.facts((function[0], function[1]))
    bound = frozenset(facts.lets) | {param.name for param in head.params}
    unsteady = set(head.local) - bound - head.imports.keys()
    inside, outer = writes.nested(function[0], head.qualname), writes.rebound(function[0])
    for qualname, names in outer.items():
        unsteady |= names if qualname in inside or qualname == head.qualname else names - bound
    inner = frozenset(qualname.rpartition(".")[2] for qualname in inside)
    return Names(bound, frozenset(unsteady | _methods(writes.order, head, function[0]))), inner


def _methods(order: Order, head: Function, path: str) -> set[str]:
    """The methods of the function's class: a property may be worked out anew each time."""
    if not head.owner or not head.params:
        return set()
    resolver = order.resolver
    found = (resolver.project.class_(key) for key in fields.classes(resolver, (path, head.owner)))
    return {f"{head.params[0].name}.{name}" for item in found if item is not None for name in item.methods}


def _holder(call: Call) -> str:
    return call.func.rpartition(".")[0] if isinstance(call.func, str) else ""


def _bare(expr: Expr) -> str:
    expr = expr.value if isinstance(expr, Star) else expr
    return expr if isinstance(expr, str) else ""
