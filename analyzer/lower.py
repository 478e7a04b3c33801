"""Source text to a summary: one walk over the syntax tree of ``ast``."""

from __future__ import annotations

import ast

from .lower_expressions import Scope
from .lower_statements import MODULE, Statements
from .summary import Class, Expr, Function, Param, Return, Stmt, Summary, encode_body
from .suppression_comments import suppressions

__all__ = ["MODULE", "summarise"]


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
        suppressions(text, lowering.spans),
        lowering.exports,
        text.count("\n") + (not text.endswith("\n") and bool(text)),
    )


class _Lowering(Statements):
    """Collects functions, classes and writes while it walks."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.prefix = ""
        self.owner = ""
        self.spans: list[tuple[int, int, int]] = []
        self._taken: set[str] = set()
        self._outer: list[tuple[str, str]] = []

    def module(self, tree: ast.Module) -> None:
        body = self.block(tree.body)
        scope = self.module_scope
        last = max((getattr(node, "end_lineno", 1) or 1 for node in tree.body[-1:]), default=1)
        self.functions.append(self._pack(scope, "", 1, 0, last, [], [], None, "", False, False, body))

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

    def function_def(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = [self.expr(item) for item in node.decorator_list]
        params = self._params(node.args)
        returns = self.expr(node.returns)
        outer, owner = self.scope, self.owner
        qualname = self._unique(self.prefix + node.name)
        if not owner:
            outer.local.add(node.name)
        parent = self.prefix[:-1]
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        self.spans.append((first, node.lineno, node.end_lineno or node.lineno))
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

    def class_def(self, node: ast.ClassDef) -> None:
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
                self.statements[type(item)](item)
            elif isinstance(item, ast.Assign):
                value = self.expr(item.value)
                attributes.extend((t.id, None, value) for t in item.targets if isinstance(t, ast.Name))
            elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                value = self.expr(item.value) if item.value else None
                attributes.append((item.target.id, self.expr(item.annotation), value))
            else:
                for name in ("body", "orelse", "finalbody"):
                    self._class_body(getattr(item, name, []), attributes)
                for handler in getattr(item, "handlers", []):
                    self._class_body(handler.body, attributes)


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
