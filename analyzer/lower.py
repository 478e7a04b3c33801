"""Source text to a summary: one walk over the syntax tree of ``ast``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .lower_expressions import Expressions, Scope, bound
from .summary import (
    Break,
    Call,
    Case,
    Class,
    Const,
    Continue,
    Do,
    Expr,
    Function,
    Handler,
    If,
    Item,
    Lambda,
    Let,
    Loop,
    Match,
    Op,
    Param,
    Raise,
    Return,
    Seq,
    Star,
    Stmt,
    Summary,
    Try,
    With,
    Write,
    encode_body,
)
from .suppression_comments import suppressions

MODULE = "<module>"
_SAYS_NOTHING = (type(None), str, Const, Lambda)
_FILLERS = {"append", "add", "appendleft", "insert", "setdefault", "register"}
_MERGERS = {"extend", "update", "extendleft"}


def summarise(text: str) -> Summary:
    """The summary of a module's source. Raises SyntaxError, ValueError or RecursionError."""
    tree = ast.parse(text)
    lowering = _Lowering()
    lowering.module(tree)
    return Summary(
        lowering.module_scope.imports,
        lowering.stars,
        lowering.functions,
        lowering.classes,
        lowering.writes,
        suppressions(text, [(f.line, f.end_line) for f in lowering.functions if f.qualname != MODULE]),
        lowering.exports,
        text.count("\n") + (not text.endswith("\n") and bool(text)),
    )


class _Lowering(Expressions):
    """Collects functions, classes and writes while it walks."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.writes: list[Write] = []
        self.stars: list[str] = []
        self.exports: list[str] | None = None
        self.module_scope = Scope(MODULE, "", None)
        self.scope = self.module_scope
        self.prefix = ""
        self.owner = ""
        self._taken: set[str] = set()
        self._outer: list[tuple[str, str]] = []
        self._statements: dict[type[ast.stmt], Callable[..., Stmt | None]] = {
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
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Assert: self._assert,
            ast.Global: self._global,
            ast.Nonlocal: self._global,
            ast.Delete: self._delete,
        }

    def module(self, tree: ast.Module) -> None:
        body = self.block(tree.body)
        scope = self.module_scope
        last = max((getattr(node, "end_lineno", 1) or 1 for node in tree.body[-1:]), default=1)
        self.functions.append(self._pack(scope, "", 1, 0, last, [], [], None, "", False, False, body))

    def block(self, statements: Sequence[ast.stmt]) -> list[Stmt]:
        """The statements that say something, in order."""
        found = []
        for node in statements:
            handler = self._statements.get(type(node))
            lowered = handler(node) if handler is not None else None
            if lowered is not None:
                found.append(lowered)
        return found

    def lambda_function(self, node: ast.Lambda) -> str:
        qualname = self._unique(f"{self.prefix}<lambda:{node.lineno}:{node.col_offset}>")
        outer = self.scope
        params = self._params(node.args)
        self._enter(qualname, "", params, "")
        value = self.expr(node.body)
        body: list[Stmt] = [Return(value, node.body.lineno)]
        scope = self._leave(outer)
        line, end = node.lineno, node.end_lineno or node.lineno
        parent = outer.qualname if outer.qualname != MODULE else ""
        self.functions.append(
            self._pack(scope, parent, line, node.col_offset, end, params, [], None, "", False, False, body)
        )
        return qualname

    # definitions

    def _unique(self, qualname: str) -> str:
        """The name, told apart from an earlier definition of the same name (overloads, branches)."""
        candidate, count = qualname, 1
        while candidate in self._taken:
            count += 1
            candidate = f"{qualname}#{count}"
        self._taken.add(candidate)
        return candidate

    def _enter(self, qualname: str, owner: str, params: list[Param], self_name: str) -> None:
        outer = self.scope
        names = frozenset(param.name for param in params)
        self.scope = Scope(qualname, owner, outer, self_name, names)
        self.scope.local.update(names)
        self._outer.append((self.prefix, self.owner))
        self.prefix = qualname + "."
        self.owner = ""

    def _leave(self, outer: Scope) -> Scope:
        scope = self.scope
        self.scope = outer
        self.prefix, self.owner = self._outer.pop()
        return scope

    def _params(self, args: ast.arguments) -> list[Param]:
        plain = [*args.posonlyargs, *args.args]
        defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
        found = [
            Param(arg.arg, self.expr(arg.annotation), self._default(default), "")
            for arg, default in zip(plain, defaults, strict=True)
        ]
        if args.vararg:
            found.append(Param(args.vararg.arg, self.expr(args.vararg.annotation), None, "*"))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            found.append(Param(arg.arg, self.expr(arg.annotation), self._default(default), "k"))
        if args.kwarg:
            found.append(Param(args.kwarg.arg, self.expr(args.kwarg.annotation), None, "**"))
        return found

    def _default(self, node: ast.expr | None) -> Expr:
        return None if node is None else self.expr(node)

    def _pack(
        self,
        scope: Scope,
        parent: str,
        line: int,
        column: int,
        end: int,
        params: list[Param],
        decorators: list[Expr],
        returns: Expr,
        doc: str,
        is_async: bool,
        empty: bool,
        body: list[Stmt],
    ) -> Function:
        return Function(
            scope.qualname,
            parent,
            scope.owner,
            line,
            column,
            end,
            params,
            decorators,
            returns,
            doc,
            is_async,
            empty,
            scope.imports if scope.outer is not None else {},
            sorted(scope.local - scope.shared),
            sorted(scope.names),
            sorted(scope.called),
            encode_body(body),
        )

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = [self.expr(item) for item in node.decorator_list]
        params = self._params(node.args)
        returns = self.expr(node.returns)
        outer, owner = self.scope, self.owner
        qualname = self._unique(self.prefix + node.name)
        if not owner:
            outer.local.add(node.name)
        parent = self.prefix[:-1]
        static = any(item == "staticmethod" for item in decorators)
        self_name = params[0].name if owner and params and not static else ""
        self._enter(qualname, owner, params, self_name)
        body = self.block(node.body)
        scope = self._leave(outer)
        doc = ast.get_docstring(node, clean=False) or ""
        self.functions.append(
            self._pack(
                scope,
                parent,
                node.lineno,
                node.col_offset,
                node.end_lineno or node.lineno,
                params,
                decorators,
                returns,
                doc[:200].encode("utf-8", "replace").decode(),
                isinstance(node, ast.AsyncFunctionDef),
                _is_empty(node.body),
                body,
            )
        )

    def _class(self, node: ast.ClassDef) -> None:
        bases = [self.expr(base) for base in node.bases]
        decorators = [self.expr(item) for item in node.decorator_list]
        outer_prefix, outer_owner = self.prefix, self.owner
        qualname = self._unique(self.prefix + node.name)
        parent = self.prefix[:-1]
        if not self.owner:
            self.scope.local.add(node.name)
        first = len(self.functions)
        self.prefix, self.owner = qualname + ".", qualname
        attributes: list[tuple[str, Expr, Expr]] = []
        methods: dict[str, str] = {}
        self._class_body(node.body, attributes)
        self.prefix, self.owner = outer_prefix, outer_owner
        for function in self.functions[first:]:
            if function.owner == qualname:
                methods[function.name.split("#")[0]] = function.qualname
        doc = (ast.get_docstring(node, clean=False) or "")[:200].encode("utf-8", "replace").decode()
        self.classes.append(Class(qualname, parent, node.lineno, bases, decorators, attributes, methods, doc))

    def _class_body(self, body: list[ast.stmt], attributes: list[tuple[str, Expr, Expr]]) -> None:
        for item in body:
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._statements[type(item)](item)
            elif isinstance(item, ast.Assign):
                value = self.expr(item.value)
                attributes.extend((t.id, None, value) for t in item.targets if isinstance(t, ast.Name))
            elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                value = self.expr(item.value) if item.value else None
                attributes.append((item.target.id, self.expr(item.annotation), value))
            elif isinstance(item, ast.If | ast.Try):
                self._class_body(item.body, attributes)
                self._class_body(item.orelse, attributes)

    # statements

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
            cases.append(Case(guard, wide and case.guard is None, self.block(case.body)))
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

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.expr(target)

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


def _is_empty(body: list[ast.stmt]) -> bool:
    for item in body:
        if isinstance(item, ast.Pass) or (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)):
            continue
        if isinstance(item, ast.Raise) and isinstance(item.exc, ast.Name | ast.Call):
            exc = item.exc.func if isinstance(item.exc, ast.Call) else item.exc
            if isinstance(exc, ast.Name) and exc.id == "NotImplementedError":
                continue
        return False
    return True
