"""Syntax tree to the statements of a summary."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .lower_expressions import Expressions, Scope, bound
from .summary import (
    Break,
    Call,
    Case,
    Const,
    Continue,
    Do,
    Expr,
    Handler,
    If,
    Item,
    Lambda,
    Let,
    Loop,
    Match,
    Op,
    Raise,
    Return,
    Seq,
    Star,
    Stmt,
    Try,
    With,
    Write,
)

MODULE = "<module>"
"""The qualname of a module's own code."""

_SAYS_NOTHING = (type(None), str, Const, Lambda)
_FILLERS = {"append", "add", "appendleft", "insert", "setdefault", "register"}
_MERGERS = {"extend", "update", "extendleft"}


class Statements(Expressions):
    """Lowers statements; what they say of attributes and imports is collected on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[Write] = []
        self.stars: list[str] = []
        self.exports: list[str] | None = None
        self.module_scope = Scope(MODULE, "", None)
        self.scope = self.module_scope
        self.statements: dict[type[ast.stmt], Callable[..., Stmt | None]] = {
            ast.Expr: self._expression,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Match: self._match,
            ast.Return: self._return,
            ast.Raise: self._raise,
            ast.Break: lambda node: Break(),
            ast.Continue: lambda node: Continue(),
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.FunctionDef: self.function_def,
            ast.AsyncFunctionDef: self.function_def,
            ast.ClassDef: self.class_def,
            ast.Assert: self._assert,
            ast.Global: self._global,
            ast.Nonlocal: self._global,
            ast.Delete: self._delete,
        }

    def function_def(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Lower a function."""
        raise NotImplementedError

    def class_def(self, node: ast.ClassDef) -> None:
        """Lower a class."""
        raise NotImplementedError

    def block(self, statements: Sequence[ast.stmt]) -> list[Stmt]:
        """The statements that say something, in order."""
        found = []
        for node in statements:
            handler = self.statements.get(type(node))
            lowered = handler(node) if handler is not None else None
            if lowered is not None:
                found.append(lowered)
        return found

    def _expression(self, node: ast.Expr) -> Stmt | None:
        if type(node.value) is ast.Constant:
            return None
        value = self.expr(node.value)
        if isinstance(value, Call):
            self._fills(value)
        return None if isinstance(value, _SAYS_NOTHING) else Do(value)

    def _fills(self, call: Call) -> None:
        """``self.tools.append(x)`` and the like put ``x`` into an attribute."""
        if not isinstance(call.func, str) or call.func.count(".") < 2 or not call.args:
            return
        receiver, verb = call.func.rsplit(".", 1)
        if verb in _FILLERS or verb in _MERGERS:
            base, name = receiver.rsplit(".", 1)
            value = call.args[-1]
            self._write(base, name, Star(value) if verb in _MERGERS else value, True)

    def _write(self, base: str, name: str, value: Expr, content: bool) -> None:
        if value is not None and not (isinstance(value, Const) and isinstance(value.value, int | float)):
            self.writes.append(Write(base, name, self.scope.qualname, value, content))

    def _target(self, node: ast.expr, value: Expr) -> Expr:
        if type(node) is ast.Attribute:
            target = self.expr(node)
            if isinstance(target, str):
                base, name = target.rsplit(".", 1)
                self._write(base, name, value, False)
            return target
        if type(node) is ast.Subscript:
            target = self.expr(node)
            if isinstance(target, Item) and isinstance(target.base, str) and "." in target.base:
                base, name = target.base.rsplit(".", 1)
                self._write(base, name, value, True)
            return target
        if type(node) is ast.Tuple or type(node) is ast.List:
            items = [self._target(item, None) for item in node.elts]
            return Seq(items, node.lineno, node.col_offset)
        return bound(self.scope, node)

    def _assign(self, node: ast.Assign) -> Stmt | None:
        value = self.expr(node.value)
        if self.scope is self.module_scope and isinstance(value, Seq):
            self._export(node, value)
        targets = [self._target(target, value) for target in node.targets]
        if value is None and all(isinstance(target, str) for target in targets):
            return None
        return Let(targets, value, node.lineno)

    def _export(self, node: ast.Assign, value: Seq) -> None:
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            found = [i.value for i in value.items if isinstance(i, Const) and isinstance(i.value, str)]
            self.exports = [*(self.exports or []), *found]

    def _annotated(self, node: ast.AnnAssign) -> Stmt | None:
        value = Op(":", [self.expr(node.annotation), self.expr(node.value) if node.value else None])
        return Let([self._target(node.target, value)], value, node.lineno)

    def _augmented(self, node: ast.AugAssign) -> Stmt | None:
        value = self.expr(node.value)
        if value is None:
            return None
        target = self.expr(node.target)
        joined = Op(type(node.op).__name__, [target, value])
        return Let([self._target(node.target, joined)], joined, node.lineno)

    def _if(self, node: ast.If) -> Stmt | None:
        test = self.expr(node.test)
        body, orelse = self.block(node.body), self.block(node.orelse)
        if not body and not orelse and isinstance(test, _SAYS_NOTHING):
            return None
        return If(test, body, orelse, node.lineno)

    def _for(self, node: ast.For | ast.AsyncFor) -> Stmt:
        source = self.expr(node.iter)
        target = bound(self.scope, node.target)
        body, orelse = self.block(node.body), self.block(node.orelse)
        return Loop(target, source, body, orelse, node.lineno, False, True)

    def _while(self, node: ast.While) -> Stmt:
        forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        test = self.expr(node.test)
        body, orelse = self.block(node.body), self.block(node.orelse)
        return Loop(None, test, body, orelse, node.lineno, forever, False)

    def _try(self, node: ast.Try | ast.TryStar) -> Stmt:
        body = self.block(node.body)
        handlers = [self._handler(item, isinstance(node, ast.TryStar)) for item in node.handlers]
        orelse, final = self.block(node.orelse), self.block(node.finalbody)
        return Try(body, handlers, orelse, final, node.lineno)

    def _handler(self, node: ast.ExceptHandler, star: bool) -> Handler:
        types: list[Expr] | None = None
        if isinstance(node.type, ast.Tuple):
            types = [self.expr(item) for item in node.type.elts]
        elif node.type is not None:
            types = [self.expr(node.type)]
        if node.name:
            self.scope.local.add(node.name)
        body = self.block(node.body)
        return Handler(types, node.name or "", body, node.lineno, node.col_offset, star)

    def _with(self, node: ast.With | ast.AsyncWith) -> Stmt:
        items: list[tuple[Expr, Expr]] = []
        for item in node.items:
            manager = self.expr(item.context_expr)
            target = self._target(item.optional_vars, None) if item.optional_vars is not None else None
            items.append((manager, target))
        return With(items, self.block(node.body), node.lineno, node.col_offset)

    def _match(self, node: ast.Match) -> Stmt:
        subject = self.expr(node.subject)
        cases = []
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.scope.local.add(name)
            guard = self.expr(case.guard) if case.guard else None
            wide = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
            types = [self.expr(item) for item in _classes(case.pattern)]
            cases.append(Case(guard, wide and case.guard is None, self.block(case.body), types))
        return Match(subject, cases, node.lineno)

    def _return(self, node: ast.Return) -> Stmt:
        return Return(self.expr(node.value) if node.value else None, node.lineno)

    def _raise(self, node: ast.Raise) -> Stmt:
        value = self.expr(node.exc) if node.exc else None
        end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        return Raise(value, node.lineno, node.col_offset, *end)

    def _assert(self, node: ast.Assert) -> Stmt | None:
        if isinstance(node.test, ast.Constant) and not node.test.value:
            return Raise("AssertionError", node.lineno, node.col_offset, node.lineno, node.col_offset)
        test = self.expr(node.test)
        return None if isinstance(test, _SAYS_NOTHING) else Do(test)

    def _delete(self, node: ast.Delete) -> Stmt | None:
        items = [self.expr(target) for target in node.targets]
        return None if all(isinstance(item, _SAYS_NOTHING) for item in items) else Do(Op("del", items))

    def _global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.scope.names.update(node.names)
        self.scope.shared.update(node.names)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self._bind(alias.asname, alias.name)
            else:
                self._bind(alias.name.split(".", 1)[0], alias.name.split(".", 1)[0])

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(module)
            else:
                self._bind(alias.asname or alias.name, f"{module}:{alias.name}")

    def _bind(self, name: str, target: str) -> None:
        self.scope.imports.setdefault(name, target)
        self.scope.local.add(name)
        self.scope.names.add(name)


def _classes(pattern: ast.pattern) -> list[ast.expr]:
    """The classes of a pattern that looks at the class alone."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return _classes(pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        found = [_classes(item) for item in pattern.patterns]
        return [each for item in found for each in item] if all(found) else []
    plain = isinstance(pattern, ast.MatchClass) and not pattern.patterns and not pattern.kwd_patterns
    return [pattern.cls] if plain and isinstance(pattern, ast.MatchClass) else []
