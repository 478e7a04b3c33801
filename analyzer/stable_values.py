"""Expressions of a function that is walked for unstable values: what they give, and the waits and steps in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from .bindings import skips_self
from .calling import bind_arguments
from .calls import handed
from .facts import FILLERS, MERGERS, children, last_name, walk_calls
from .order import Order
from .outline import WaitSite
from .paths import Link
from .summary import Attr, Call, Comp, Const, Expr, Item, Op, Seq, Star, Walrus
from .unstable_sources import Key, Source, Sources
from .values import FunctionId

Path = tuple[str, ...]
"""A name and what is taken from it: attributes, and literal keys in brackets."""


@dataclass(frozen=True, slots=True)
class Control:
    """A condition, or a loop's source, that may come out differently, and where its value comes from."""

    source: Source
    function: FunctionId
    line: int
    loop: bool


@dataclass(frozen=True, slots=True)
class Event:
    """A wait, or a call of a recorded step, and what decides whether it is reached. ``chain``: the way to it.

    ``changed``: memory of the process that may have been changed before.
    """

    kind: Literal["wait", "step"]
    chain: tuple[Link, ...]
    control: Control | None
    looped: bool
    changed: frozenset[Key]
    wait: WaitSite | None = None

    @property
    def site(self) -> tuple[object, ...]:
        """Where it stands."""
        if self.wait is not None:
            return (self.wait.path, self.wait.line, self.wait.column)
        function, call = self.chain[-1]
        return (function[0], call.line, call.column, call.end_line, call.end_column)


@dataclass(slots=True)
class Walked:
    """What a walk of a function found. ``result``: where its result is unstable from."""

    events: list[Event] = field(default_factory=list)
    result: Source | None = None
    changed: frozenset[Key] = frozenset()


def nearer(outer: Control | None, inner: Control | None) -> Control | None:
    """Of two conditions around the same code the inner one, unless it is less sure."""
    if outer is None or inner is None:
        return outer or inner
    return inner if inner.source.certain or not outer.source.certain else outer


class Walks(Protocol):
    """What walks the functions that an expression calls."""

    order: Order
    sources: Sources

    def walk(self, function: FunctionId, params: Mapping[str, Source]) -> Walked:
        """The events of a function, in order, and its result."""


class Values:
    """One function: ``names`` holds the source of each path that was bound, or None for a stable value."""

    def __init__(self, stability: Walks, function: FunctionId, params: Mapping[str, Source]) -> None:
        self.stability = stability
        self.function = function
        self.names: dict[Path, Source | None] = {(name,): source for name, source in params.items()}
        self.unordered: dict[Path, Source] = {}
        self.control: Control | None = None
        """What decides whether the code at hand is reached."""
        self.branch: Control | None = None
        """The nearest branch or loop around it that may come out differently."""
        self.changed: set[Key] = set()
        self.loops = 0
        self.exits: list[Control | None] = []
        self.events: list[Event] = []
        self.result: Source | None = None
        self.line = 0
        flow = stability.order.outlines[function].flow if function in stability.order.outlines else None
        calls = flow.calls if flow is not None else []
        self.numbers = {id(call): n for n, call in reversed(list(enumerate(calls))) if call is not None}

    # bindings

    def bind_all(self, targets: Sequence[Expr], value: Expr, source: Source | None) -> None:
        for target in targets:
            same = isinstance(target, Seq) and isinstance(value, Seq) and len(target.items) == len(value.items)
            if same and isinstance(target, Seq) and isinstance(value, Seq):
                for part, given in zip(target.items, value.items, strict=True):
                    self.bind(part, self.peek(given))
            else:
                self.bind(target, source)
                path = path_of(target)
                unordered = self.unordered_source(value)
                if path is not None and unordered is not None:
                    self.unordered[path] = unordered

    def bind(self, target: Expr, source: Source | None) -> None:
        source = source or (self.branch.source if self.branch else None)
        if isinstance(target, Star):
            target = target.value
        if isinstance(target, Seq):
            for part in target.items:
                self.bind(part, source)
            return
        path = path_of(target)
        if path is None:
            base = path_of(target.base) if isinstance(target, Item) else None
            if base is not None:
                self.note_change(base)
            if base is not None and source is not None:
                self.names[base] = source
            return
        self.note_change(path)
        for known in [other for other in self.names if other[: len(path)] == path]:
            del self.names[known]
        self.unordered.pop(path, None)
        self.names[path] = source

    def unordered_source(self, expr: Expr) -> Source | None:
        path = path_of(expr)
        if path is not None and path in self.unordered:
            return self.unordered[path]
        return self.stability.sources.unordered(expr, self.function)

    # values

    def peek(self, expr: Expr) -> Source | None:
        """The source of an expression that was looked at before."""
        count = len(self.events)
        found = self.value(expr)
        del self.events[count:]
        return found

    def lookup(self, path: Path) -> Source | None:
        for length in range(len(path), 0, -1):
            if path[:length] in self.names:
                return self.names[path[:length]]
        return self.stability.sources.memory(path, self.function)

    def value(self, expr: Expr) -> Source | None:
        """Where a value is unstable from, or None; the events inside are noted on the way."""
        if expr is None or isinstance(expr, Const):
            return None
        path = path_of(expr)
        if path is not None:
            return self.lookup(path)
        if isinstance(expr, Call):
            return self.call(expr)
        if isinstance(expr, Op) and expr.kind in ("and", "or", "if"):
            return self.choice(expr)
        if isinstance(expr, Comp):
            return self.comprehension(expr)
        if isinstance(expr, Walrus):
            found = self.value(expr.value)
            self.bind(expr.target, found)
            return found
        if isinstance(expr, Op) and expr.kind in ("is", "is not") and expr.items[1:] == [Const(None)]:
            return self.value(expr.items[0])
        first: Source | None = None
        for child in children(expr):
            first = self.value(child) or first
        if isinstance(expr, Op) and expr.kind == "yield":
            self.result = self.result or first
        return first

    def choice(self, expr: Op) -> Source | None:
        outer = self.control
        first: Source | None = None
        for place, item in enumerate(expr.items):
            found = self.value(item)
            if found is not None and (expr.kind != "if" or place == 0):
                self.control = nearer(self.control, Control(found, self.function, _line(item) or self.line, False))
            first = first or found
        self.control = outer
        return first

    def comprehension(self, expr: Comp) -> Source | None:
        outer, before = self.control, dict(self.names)
        first: Source | None = None
        self.loops += 1
        for target, given, tests in expr.loops:
            found = self.value(given)
            self.bind(target, found)
            decides = found or self.unordered_source(given)
            for test in tests:
                decides = self.value(test) or decides
            if decides is not None:
                self.control = nearer(self.control, Control(decides, self.function, expr.line, True))
            first = first or found
        for item in expr.items:
            first = self.value(item) or first
        self.loops -= 1
        self.control, self.names = outer, before
        return first

    # calls

    def call(self, call: Call) -> Source | None:
        receiver = self.receiver(call)
        given = {id(item): self.value(item) for item in (*call.args, *(value for _, value in call.kwargs))}
        first = next((source for source in (receiver, *given.values()) if source is not None), None)
        self.fills(call, first)
        number = self.numbers.get(id(call))
        if number is None:
            return self.stability.sources.of_call(call, self.function, False) or first
        order = self.stability.order
        outlined = order.outlines[self.function]
        wait = order.wait_of(self.function, number)
        if wait is not None:
            self.event("wait", call, wait)
            return None
        if outlined.recorded[number]:
            self.event("step", call)
            return None
        if outlined.graphs[number]:
            return None
        if outlined.callees[number] and outlined.effects[number] is None:
            return self.into(call, number, receiver, first, given)
        acts = outlined.effects[number] is not None
        return self.stability.sources.of_call(call, self.function, acts) or first

    def receiver(self, call: Call) -> Source | None:
        """The source of what a method is called on."""
        if isinstance(call.func, str):
            *base, _ = call.func.split(".")
            return self.lookup(tuple(base)) if base and tuple(base) not in (("self",), ("cls",)) else None
        return self.value(call.func.base) if isinstance(call.func, Attr) else self.value(call.func)

    def fills(self, call: Call, source: Source | None) -> None:
        """``items.append(x)`` makes the container as unstable as what is put in; a shuffle does so by itself."""
        shuffled = self.stability.sources.shuffles(call, self.function)
        if shuffled is not None and call.args and (path := path_of(call.args[0])) is not None:
            self.names[path] = shuffled
        elif isinstance(call.func, str) and last_name(call.func) in FILLERS.keys() | MERGERS:
            source = source or (self.branch.source if self.branch else None)
            base = tuple(call.func.split(".")[:-1])
            if base:
                self.note_change(base)
            if source is not None and base:
                self.names[base] = source

    def into(
        self,
        call: Call,
        number: int,
        receiver: Source | None,
        first: Source | None,
        given: Mapping[int, Source | None],
    ) -> Source | None:
        """Follow a call into the functions of the project that it may reach."""
        order, outer = self.stability.order, self.control
        outlined = order.outlines[self.function]
        result: Source | None = None
        if receiver is not None and outlined.dispatches[number] is not None:
            self.control = nearer(outer, Control(receiver, self.function, call.line, False))
            result = receiver
        made = handed(order.resolver, call, self.function) or call
        for target in outlined.callees[number]:
            head = order.resolver.project.function((target[0], target[1]))
            if head is None:
                continue
            params: dict[str, Source] = {}
            bound = skips_self(head)
            for place, param in enumerate(head.params):
                exprs = list(bind_arguments(head, made, param.name, bound))
                found = next((source for expr in exprs if (source := given.get(id(expr))) is not None), None)
                if bound and place == 0:
                    found = receiver
                elif outlined.dispatches[number] is not None and not exprs:
                    found = first
                if found is not None:
                    params[param.name] = found
            walked = self.stability.walk(target, params)
            for event in walked.events:
                self.events.append(
                    replace(
                        event,
                        chain=((self.function, call), *event.chain),
                        control=nearer(self.control, event.control),
                        looped=event.looped or self.loops > 0,
                        changed=event.changed | self.changed,
                    )
                )
            self.changed |= walked.changed
            result = result or (first if head.name in ("__init__", "__post_init__") else walked.result)
        self.control = outer
        return result

    def event(self, kind: Literal["wait", "step"], call: Call, wait: WaitSite | None = None) -> None:
        chain = ((self.function, call),)
        self.events.append(Event(kind, chain, self.control, self.loops > 0, frozenset(self.changed), wait))

    def note_change(self, path: Path) -> None:
        """Note that memory of the process is changed here."""
        key = self.stability.sources.key(path, self.function)
        if key is not None:
            self.changed.add(key)


def path_of(expr: Expr) -> Path | None:
    if isinstance(expr, str):
        return tuple(expr.split("."))
    if isinstance(expr, Attr):
        base = path_of(expr.base)
        return None if base is None else (*base, expr.name)
    if isinstance(expr, Item) and isinstance(expr.key, Const):
        base = path_of(expr.base)
        return None if base is None else (*base, f"[{expr.key.value!r}]")
    return None


def _line(expr: Expr) -> int:
    return next((call.line for call in walk_calls(expr)), 0) if expr is not None and not isinstance(expr, str) else 0
