"""What handlers and exits let through: whether the exception that carries a wait leaves them as it came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .facts import last_name
from .solver import Value
from .summary import Attr, Call, Const, Do, Expr, Handler, If, Let, Match, Op, Raise, Return, Seq, Stmt, Try, With
from .values import FunctionId, Resolver

_DEPTH = 3


@dataclass(frozen=True)
class Passing:
    """Reads tests of exceptions, and the bodies of handlers, against the exceptions that carry waits."""

    resolver: Resolver

    def catches(self, handler: Handler, function: FunctionId) -> bool:
        """Whether a handler takes the exception that carries a wait."""
        return handler.types is None or any(self.is_broad(item, function) for item in handler.types)

    def is_broad(self, expr: Expr, function: FunctionId) -> bool:
        """Whether an expression stands for a class that the exception of a wait is one of."""
        values = self.resolver.of(expr, function)
        return any(
            value[0] == "ext" and self.resolver.canonical(value[1]) in self._caught
            for value in values | self.resolver.content(values)
        )

    @property
    def _caught(self) -> set[str]:
        table = self.resolver.knowledge.table
        return {*table("suspension", "exceptions"), *table("suspension", "broad")}

    # handlers

    def raises_again(self, body: Sequence[Stmt], name: str, function: FunctionId) -> bool:
        """Whether the suspension always leaves a handler's body as it came."""
        return self._told(body, name, function, _DEPTH) is True

    def raises_later(self, handler: Handler, rest: Sequence[Stmt]) -> bool:
        """Whether a handler keeps the exception, and what follows its statement raises it."""
        kept = {
            target
            for item in handler.body
            if isinstance(item, Let) and item.value == handler.name
            for target in item.targets
            if isinstance(target, str)
        }
        for item in rest if kept and not _may_leave(handler.body) else ():
            if isinstance(item, Raise):
                return item.value in kept
            if isinstance(item, If) and item.body and isinstance(item.body[-1], Raise) and item.body[-1].value in kept:
                return _is_there(item.test, str(item.body[-1].value))
            if _may_leave([item]):
                return False
        return False

    def _told(self, body: Sequence[Stmt], name: str, function: FunctionId, depth: int) -> bool | None:
        """As above; None where what follows the body decides."""
        for item in body:
            told = self._leaves_as_it_came(item, name, function, depth)
            if told is not None:
                return told
        return None

    def _leaves_as_it_came(self, item: Stmt, name: str, function: FunctionId, depth: int) -> bool | None:
        """As above for one statement; None where the next one decides."""
        if isinstance(item, Raise):
            return item.value is None or item.value == name
        if isinstance(item, If):
            told = self.asks_for_suspension(item.test, name, function)
            branches = [item.body, item.orelse] if told is None else [item.body if told else item.orelse]
            return self._joined(branches, name, function, depth)
        if isinstance(item, Match) and item.subject == name:
            return self._joined(self._matched(item, function), name, function, depth)
        if isinstance(item, With):
            return self.raises_again(item.body, name, function) or None
        if isinstance(item, Try):
            inner = item.final if item.handlers else [*item.body, *item.final]
            return self.raises_again(inner, name, function) or None
        if isinstance(item, Do) and isinstance(item.value, Call) and depth:
            return True if self._helper_raises(item.value, name, function, depth - 1) else None
        return False if _may_leave([item]) else None

    def _joined(self, branches: Sequence[Sequence[Stmt]], name: str, function: FunctionId, depth: int) -> bool | None:
        ends = {self._told(branch, name, function, depth) for branch in branches}
        return False if False in ends else True if ends == {True} else None

    def _matched(self, item: Match, function: FunctionId) -> list[Sequence[Stmt]]:
        """The bodies of the cases that the exception of a wait may come to."""
        found: list[Sequence[Stmt]] = []
        for case in item.cases:
            if case.types and case.guard is None:
                if any(self.is_broad(kind, function) for kind in case.types):
                    return [*found, case.body]
                if all(self.resolver.of(kind, function) for kind in case.types):
                    continue
            found.append(case.body)
            if case.always:
                return found
        return [*found, []]

    def _helper_raises(self, call: Call, name: str, function: FunctionId, depth: int) -> bool:
        """Whether a helper of the project that is handed the exception always raises it."""
        target, param = self._handed(call, name, function)
        return target is not None and self._told(self._body(target), param, target, depth) is True

    def _handed(self, call: Call, name: str, function: FunctionId) -> tuple[FunctionId | None, str]:
        """The function that is handed the exception, and as which parameter."""
        if not isinstance(call.func, str) or name not in call.args:
            return None, ""
        for value in self.resolver.of(call.func, function):
            if value[0] in ("fn", "bound"):
                head = self.resolver.project.function((value[1], value[2]))
                position = call.args.index(name) + (value[0] == "bound")
                if head is not None and position < len(head.params):
                    return (value[1], value[2], value[3]), head.params[position].name
        return None, ""

    def _body(self, function: FunctionId) -> list[Stmt]:
        return self.resolver.project.body((function[0], function[1]))

    # tests

    def asks_for_suspension(self, test: Expr, name: str, function: FunctionId, depth: int = _DEPTH) -> bool | None:
        """Whether the exception of a wait, or its class, passes a test; None for a test that says nothing of it."""
        truth = True
        while isinstance(test, Op) and test.kind == "not":
            test, truth = test.items[0], not truth
        told = self._asks(test, name, function, depth)
        return None if told is None else told is truth

    def _asks(self, test: Expr, name: str, function: FunctionId, depth: int) -> bool | None:
        if isinstance(test, Op) and test.kind in ("or", "and"):
            found = [self.asks_for_suspension(item, name, function, depth) for item in test.items]
            return test.kind == "or" if (test.kind == "or") in found else None
        if isinstance(test, Op) and len(test.items) == 2:
            return self._compares(test, name, function)
        if isinstance(test, Call) and test.func in ("isinstance", "issubclass") and len(test.args) == 2:
            if test.args[0] == name:
                types = test.args[1].items if isinstance(test.args[1], Seq) else [test.args[1]]
                return self._one_of(types, function)
        elif isinstance(test, Call) and depth:
            target, param = self._handed(test, name, function)
            returned = self.resolver.project.facts(target[:2]).returns if target is not None else []
            if target is not None and len(returned) == 1:
                return self.asks_for_suspension(returned[0], param, target, depth - 1)
        elif isinstance(test, str) and depth and test != name:
            lets = self.resolver.project.facts(function[:2]).lets.get(test, ())
            if len(lets) == 1 and lets[0][0] == "is":
                return self.asks_for_suspension(lets[0][1], name, function, depth - 1)
        return None

    def _one_of(self, types: Sequence[Expr], function: FunctionId) -> bool | None:
        if any(self.is_broad(item, function) for item in types):
            return True
        return False if all(self.resolver.of(item, function) for item in types) else None

    def _compares(self, test: Op, name: str, function: FunctionId) -> bool | None:
        """Comparisons of the class, or of its name."""
        left, right = test.items
        known = {item.rsplit(".", 1)[-1] for item in self._caught}
        if test.kind in ("==", "in") and _is_class_name(left, name):
            told = right.items if isinstance(right, Seq) else [right]
            texts = [item.value for item in told if isinstance(item, Const)]
            return any(text in known for text in texts) if len(texts) == len(told) else None
        if test.kind == "in" and _is_class_name(right, name) and isinstance(left, Const):
            return any(str(left.value) in each for each in known if each.endswith("Interrupt"))
        if test.kind in ("is", "==") and left in (name, f"{name}.__class__") and not isinstance(right, Const):
            return self._one_of([right], function)
        return None

    # exits of contexts

    def exit_swallows(self, manager: Value) -> bool:
        """Whether the exit method of a context manager drops the exception of a wait."""
        methods = self.resolver.solver.solve(
            lambda: self.resolver.attributes([manager], "__exit__") | self.resolver.attributes([manager], "__aexit__")
        )
        return any(self._drops(method) for method in methods if method[0] == "bound")

    def _drops(self, method: Value) -> bool:
        function = (method[1], method[2], method[3])
        head = self.resolver.project.function(function[:2])
        names = [param.name for param in head.params[1:3]] if head is not None else []
        return self._returns_true(self._body(function), names, function) is True

    def _returns_true(self, body: Sequence[Stmt], names: Sequence[str], function: FunctionId) -> bool | None:
        """Whether a path that the exception of a wait may take returns True; None where none of it leaves."""
        for item in body:
            if isinstance(item, Return):
                return self._is_true(item.value, names, function)
            if isinstance(item, Raise):
                return False
            inner: list[Sequence[Stmt]] = []
            if isinstance(item, If):
                told = self._told_of(item.test, names, function)
                inner = [item.body, item.orelse] if told is None else [item.body if told else item.orelse]
            elif isinstance(item, With):
                inner = [item.body]
            elif isinstance(item, Try):
                inner = [item.body, *(handler.body for handler in item.handlers), item.final]
            ends = [self._returns_true(block, names, function) for block in inner]
            if True in ends:
                return True
            if inner and None not in ends:
                return False
        return None

    def _is_true(self, value: Expr, names: Sequence[str], function: FunctionId) -> bool:
        if isinstance(value, Const):
            return value.value is True
        return isinstance(value, Op | Call) and self._told_of(value, names, function) is True

    def _told_of(self, test: Expr, names: Sequence[str], function: FunctionId) -> bool | None:
        """What a test says whose subject is the class or the value of the exception: both are there."""
        if isinstance(test, Op) and test.kind == "and":
            found = [True if item in names else self._told_of(item, names, function) for item in test.items]
            return False if False in found else True if set(found) == {True} else None
        if test in names:
            return True
        compared = isinstance(test, Op) and test.kind in ("is", "is not") and test.items[0] in names
        if compared and isinstance(test, Op) and test.items[1] == Const(None):
            return test.kind == "is not"
        told = (self.asks_for_suspension(test, name, function) for name in names)
        return next((each for each in told if each is not None), None)


def _is_class_name(expr: Expr, name: str) -> bool:
    """``type(err).__name__`` or ``err.__class__.__name__``."""
    if expr in (f"{name}.__class__.__name__", f"{name}.__name__"):
        return True
    return (
        isinstance(expr, Attr)
        and expr.name == "__name__"
        and (isinstance(expr.base, Call) and expr.base.func == "type" and expr.base.args == [name])
    )


def _is_there(test: Expr, name: str) -> bool:
    """``err``, ``err is not None``, ``isinstance(err, ...)``."""
    if isinstance(test, Op) and test.kind == "is not":
        return test.items[0] == name
    return test == name or (isinstance(test, Call) and last_name(test.func) == "isinstance" and name in test.args)


def _may_leave(body: Sequence[Stmt]) -> bool:
    """Whether a block holds a return, break or continue, or a raise, on some path."""
    for item in body:
        if isinstance(item, Return | Raise) or type(item).__name__ in ("Break", "Continue"):
            return True
        inner = [
            *getattr(item, "body", ()), *getattr(item, "orelse", ()), *getattr(item, "final", ()),
            *(s for h in getattr(item, "handlers", ()) for s in h.body),
            *(s for case in getattr(item, "cases", ()) for s in case.body),
        ]  # fmt: skip
        if inner and _may_leave(inner):
            return True
    return False
