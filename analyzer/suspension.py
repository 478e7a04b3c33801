"""Where the exception that carries a wait is caught on its way out.

LangGraph parks a run by raising GraphInterrupt, an Exception, out of the node (documentation of
interrupts, measured on 1.0.5 to 1.2.24). A handler that takes it answers in the human's place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from .calling import argument
from .facts import last_name, walk_calls
from .order import Order
from .passing import Passing
from .registry import Registry
from .summary import (
    LEAF,
    Call,
    Const,
    Do,
    Expr,
    Handler,
    If,
    Let,
    Loop,
    Match,
    Raise,
    Return,
    Seq,
    Stmt,
    Try,
    With,
)
from .values import FunctionId

Catcher = Literal["handler", "suppress", "manager", "retry", "gather"]


@dataclass(frozen=True, slots=True)
class Swallow:
    """A wait that does not leave: what catches it and the call, or raise, that brings it.

    Lines are 1-based and columns byte offsets, as in ``ast``. ``hook`` is the name of the callable
    that a tool wrapper is handed: what it wraps may wait.
    """

    function: FunctionId
    catcher: Catcher
    line: int
    column: int
    brings: Call | Raise
    node: int
    hook: str = ""


@dataclass
class Suspension:
    """Finds swallowed waits among the functions of an order analysis."""

    order: Order
    registry: Registry
    escaping: set[FunctionId] = field(default_factory=set)
    _nodes: dict[FunctionId, dict[int, int]] = field(default_factory=dict)
    _swallowed: list[Swallow] = field(default_factory=list)

    @cached_property
    def passing(self) -> Passing:
        """What handlers let through."""
        return Passing(self.order.resolver)

    def find(self) -> list[Swallow]:
        """Every swallowed wait, by place."""
        waiting = sorted(f for f, reach in self.order.reach.items() if reach.waits)
        changed = True
        while changed:
            changed = False
            for function in waiting:
                if function not in self.escaping and self._escapes(function):
                    self.escaping.add(function)
                    changed = True
        self._swallowed = []
        for function in waiting:
            self._escapes(function)
            self._retries(function)
        for function, hook in self._hooks():
            self._walk(function, hook, self.order.resolver.project.body((function[0], function[1])))
        unique = {(s.function, s.line, s.column, s.brings.line, s.brings.column): s for s in self._swallowed}
        return [unique[key] for key in sorted(unique)]

    def _escapes(self, function: FunctionId) -> bool:
        body = self.order.resolver.project.body((function[0], function[1]))
        return bool(self._walk(function, "", body))

    def _hooks(self) -> Iterator[tuple[FunctionId, str]]:
        """Methods that wrap the running of a tool, with the name of the parameter that runs it."""
        wrappers = {
            name: role.options["handler"]
            for role in self.registry.resolver.knowledge.entries["wrapper"]
            for name in role.options["methods"]
        }
        for (path, qualname), head in self.registry.resolver.project.functions():
            marks = [head.name] if head.owner else [_name(item) for item in head.decorators]
            handler = next((wrappers[mark] for mark in marks if mark in wrappers), None)
            if handler is not None:
                names = [param.name for param in head.params]
                if names:
                    yield (path, qualname, ""), handler if handler in names else names[-1]

    # one body

    def leaving(self, function: FunctionId, body: Sequence[Stmt]) -> list[Call | Raise]:
        """The calls and raises whose suspension leaves these statements."""
        return self._walk(function, "", body)

    def _walk(self, function: FunctionId, hook: str, body: Sequence[Stmt]) -> list[Call | Raise]:
        """The calls and raises whose suspension leaves these statements."""
        found: list[Call | Raise] = []
        for number, item in enumerate(body):
            if isinstance(item, Try):
                found += self._try(function, hook, item, body[number + 1 :])
            elif isinstance(item, With):
                found += self._with(function, hook, item)
            elif isinstance(item, If):
                found += self._expr(function, hook, item.test)
                found += self._walk(function, hook, item.body) + self._walk(function, hook, item.orelse)
            elif isinstance(item, Loop):
                found += self._expr(function, hook, item.source)
                found += self._walk(function, hook, item.body) + self._walk(function, hook, item.orelse)
            elif isinstance(item, Match):
                found += self._expr(function, hook, item.subject)
                for case in item.cases:
                    found += self._expr(function, hook, case.guard) + self._walk(function, hook, case.body)
            elif isinstance(item, Raise):
                found += self._expr(function, hook, item.value)
                if not hook and self._raises(function, item):
                    found.append(item)
            elif isinstance(item, Do | Let | Return):
                found += self._expr(function, hook, item.value)
        return found

    def _expr(self, function: FunctionId, hook: str, expr: Expr) -> list[Call | Raise]:
        if expr is None or isinstance(expr, LEAF):
            return []
        brings: list[Call | Raise] = [call for call in walk_calls(expr) if self._brings(function, hook, call)]
        for call in walk_calls(expr) if brings else ():
            if last_name(call.func) == "gather" and ("return_exceptions", Const(True)) in call.kwargs:
                inside = [b for b in brings if any(b is inner for inner in walk_calls(call))]
                for item in inside:
                    self._note(function, "gather", call.line, call.column, item, hook)
                brings = [b for b in brings if b not in inside]
        return brings

    def _brings(self, function: FunctionId, hook: str, call: Call) -> bool:
        if hook:
            return call.func == hook
        number = self.number(function, call)
        if number is None:
            return False
        outlined = self.order.outlines[function]
        if self.order.wait_of(function, number) is not None:
            return True
        if any(target in self.escaping for target in (*outlined.callees[number], *outlined.recorded[number])):
            return True
        if function in self.order.in_unit:
            return any(
                target in self.escaping
                for site in outlined.graphs[number]
                for target in self.order.graph_functions(site)
            )
        return False

    def _raises(self, function: FunctionId, item: Raise) -> bool:
        number = self.number(function, item)
        return number is not None and self.order.outlines[function].waits[number] is not None

    def number(self, function: FunctionId, item: Call | Raise) -> int | None:
        """The first node of the call or raise in the function's graph."""
        if function not in self.order.outlines:
            return None
        if function not in self._nodes:
            flow = self.order.outlines[function].flow
            self._nodes[function] = {
                id(found): number
                for number in range(len(flow.calls) - 1, -1, -1)
                if (found := flow.calls[number] or flow.raises[number]) is not None
            }
        return self._nodes[function].get(id(item))

    def _try(self, function: FunctionId, hook: str, item: Try, rest: Sequence[Stmt]) -> list[Call | Raise]:
        inside = self._walk(function, hook, item.body)
        leaves = list(inside)
        for handler in item.handlers:
            if inside and self.catches(handler, function):
                again = self.raises_again(handler.body, handler.name, function)
                if not again and not self.passing.raises_later(handler, rest):
                    for brings in inside:
                        self._note(function, "handler", handler.line, handler.column, brings, hook)
                    leaves = []
                break
        for handler in item.handlers:
            leaves += self._walk(function, hook, handler.body)
        leaves += self._walk(function, hook, item.orelse)
        if _always_leaves(item.final):
            for brings in leaves:
                self._note(function, "handler", item.line, 0, brings, hook)
            leaves = []
        return leaves + self._walk(function, hook, item.final)

    def _with(self, function: FunctionId, hook: str, item: With) -> list[Call | Raise]:
        leaves: list[Call | Raise] = []
        for manager, _ in item.items:
            leaves += self._expr(function, hook, manager)
        inside = self._walk(function, hook, item.body)
        catcher = self._suppresses(item, function) if inside else None
        if catcher is None:
            return leaves + inside
        for brings in inside:
            self._note(function, catcher, item.line, item.column, brings, hook)
        return leaves

    def _note(
        self, function: FunctionId, catcher: Catcher, line: int, column: int, brings: Call | Raise, hook: str
    ) -> None:
        number = self.number(function, brings)
        self._swallowed.append(Swallow(function, catcher, line, column, brings, -1 if number is None else number, hook))

    def catches(self, handler: Handler, function: FunctionId) -> bool:
        """Whether a handler takes the exception that carries a wait."""
        return self.passing.catches(handler, function)

    def raises_again(self, body: Sequence[Stmt], name: str, function: FunctionId) -> bool:
        """Whether the suspension always leaves a handler's body as it came."""
        return self.passing.raises_again(body, name, function)

    def _suppresses(self, item: With, function: FunctionId) -> Catcher | None:
        resolver = self.order.resolver
        for manager, _ in item.items:
            if isinstance(manager, Call) and any(self.passing.is_broad(given, function) for given in manager.args):
                names = {v[1] for v in resolver.of(manager.func, function) if v[0] == "ext"}
                if names.intersection(resolver.knowledge.table("suppressors", "names")):
                    return "suppress"
            for value in resolver.of(manager, function):
                if value[0] == "obj" and self.passing.exit_swallows(value):
                    return "manager"
        return None

    def _retries(self, function: FunctionId) -> None:
        """A retry decorator that calls again on any exception, around a function that waits."""
        resolver = self.order.resolver
        head = resolver.project.function((function[0], function[1]))
        if head is None or function not in self.escaping:
            return
        owner = (function[0], head.parent or "<module>", "")
        for decorator in head.decorators:
            func = decorator.func if isinstance(decorator, Call) else decorator
            for value in resolver.of(func, owner):
                role = resolver.knowledge.role(value[1], "retries") if value[0] == "ext" else None
                if role is not None and not self._is_narrow(role.options, decorator, owner):
                    at = (decorator.line, decorator.column) if isinstance(decorator, Call) else (head.line, head.column)
                    brings = self._walk(function, "", resolver.project.body((function[0], function[1])))
                    for item in brings[:1]:
                        self._note(function, "retry", *at, item, "")

    def _is_narrow(self, options: object, decorator: Expr, owner: FunctionId) -> bool:
        get = options.get  # type: ignore[attr-defined]
        if not isinstance(decorator, Call):
            return False
        unless = set(get("unless", ()))
        for keyword in get("narrow", ()):
            told = argument(decorator, None, keyword)
            names = {value[1] for call in walk_calls(told) for value in self.order.resolver.of(call.func, owner)
                     if value[0] == "ext"} if told is not None else set()  # fmt: skip
            if names & unless:
                return not any(
                    self.passing.is_broad(arg, owner) for call in walk_calls(told) for arg in call.args
                ) or any("not" in name for name in names)
            if told is not None:
                return True
        given = argument(decorator, get("position"), get("keyword"))
        if given is None:
            return False
        types = given.items if isinstance(given, Seq) else [given]
        return not any(self.passing.is_broad(item, owner) for item in types)


def _name(decorator: Expr) -> str:
    return last_name(decorator.func if isinstance(decorator, Call) else decorator)


def _always_leaves(body: Sequence[Stmt]) -> bool:
    return any(isinstance(item, Return) for item in body)
