"""Syntax tree to the expressions of a summary."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from .summary import (
    Attr,
    Call,
    Comp,
    Const,
    Expr,
    Item,
    Lambda,
    Op,
    Seq,
    Star,
    Table,
    Walrus,
)

LONGEST_STRING = 400
LARGEST_DISPLAY = 400
"""Displays of more elements than this, all plain literals, are data tables that say nothing."""


@dataclass(slots=True)
class Scope:
    """What is collected while one function, or the module's own code, is lowered."""

    qualname: str
    owner: str
    outer: Scope | None
    self_name: str = ""
    params: frozenset[str] = frozenset()
    names: set[str] = field(default_factory=set)
    local: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)

    def mark_called(self, name: str) -> None:
        """Note that ``name`` is called, where it is a parameter of this or an outer function."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.params:
                scope.called.add(name)
                return
            if name in scope.local:
                return
            scope = scope.outer


def bound(scope: Scope, node: ast.expr) -> Expr:
    """A target: the expression that names it, its names noted as local to the scope."""
    kind = type(node)
    if kind is ast.Name:
        scope.local.add(node.id)  # type: ignore[attr-defined]  # told by its exact type
        return node.id  # type: ignore[attr-defined,no-any-return]
    if kind is ast.Tuple or kind is ast.List:
        items = [bound(scope, item) for item in node.elts]  # type: ignore[attr-defined]
        return Seq(items, node.lineno, node.col_offset)
    if kind is ast.Starred:
        return Star(bound(scope, node.value))  # type: ignore[attr-defined]
    return None


class Expressions:
    """Lowers expressions; ``scope`` is the function at hand."""

    scope: Scope

    def __init__(self) -> None:
        self._by_type: dict[type[ast.AST], Callable[..., Expr]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.Dict: self._dict,
            ast.List: self._sequence,
            ast.Tuple: self._sequence,
            ast.Set: self._sequence,
            ast.Subscript: self._subscript,
            ast.BinOp: self._binary,
            ast.BoolOp: self._boolean,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.IfExp: self._conditional,
            ast.JoinedStr: self._format,
            ast.FormattedValue: self._formatted,
            ast.Await: self._value,
            ast.Yield: self._yield,
            ast.YieldFrom: self._yield,
            ast.Starred: self._starred,
            ast.Lambda: self._lambda,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.NamedExpr: self._walrus,
            ast.Slice: self._slice,
        }

    def expr(self, node: ast.AST | None) -> Expr:
        """The expression, or None where it says nothing."""
        handler = self._by_type.get(type(node))  # type: ignore[arg-type]
        return None if handler is None else handler(node)

    def lambda_function(self, node: ast.Lambda) -> str:
        """Lower the lambda as a function; gives its qualname."""
        raise NotImplementedError

    def _name(self, node: ast.Name) -> Expr:
        name = node.id
        self.scope.names.add(name)
        return name

    def _attribute(self, node: ast.Attribute) -> Expr:
        names = self.scope.names
        parts = [node.attr]
        names.add(node.attr)
        base = node.value
        while type(base) is ast.Attribute:
            parts.append(base.attr)
            names.add(base.attr)
            base = base.value
        if type(base) is ast.Name:
            names.add(base.id)
            parts.append(base.id)
            parts.reverse()
            return ".".join(parts)
        result = self.expr(base)
        for part in reversed(parts):
            result = Attr(result, part)
        return result

    def _call(self, node: ast.Call) -> Expr:
        func = node.func
        if type(func) is ast.Name:
            self.scope.mark_called(func.id)
        elif type(func) is ast.Attribute and type(func.value) is ast.Name:
            self.scope.mark_called(func.value.id)
        expr = self.expr
        return Call(
            expr(func),
            [expr(argument) for argument in node.args],
            [(keyword.arg or "", expr(keyword.value)) for keyword in node.keywords],
            node.lineno,
            node.col_offset,
            node.end_lineno or node.lineno,
            node.end_col_offset or 0,
        )

    def _constant(self, node: ast.Constant) -> Expr:
        value = node.value
        if isinstance(value, str):
            text = value[:LONGEST_STRING]
            return Const(text if text.isascii() else text.encode("utf-8", "replace").decode())
        if value is None or isinstance(value, bool):
            return Const(value)
        if isinstance(value, int):
            return Const(value) if abs(value) < 2**63 else None
        return Const(value) if isinstance(value, float) else None

    def _dict(self, node: ast.Dict) -> Expr:
        if len(node.keys) > LARGEST_DISPLAY and _plain(node.values):
            return None
        keys = [None if key is None else self.expr(key) for key in node.keys]
        values = [
            Star(self.expr(value)) if key is None else self.expr(value)
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return Table(keys, values, node.lineno, node.col_offset)

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Expr:
        if len(node.elts) > LARGEST_DISPLAY and _plain(node.elts):
            return None
        expr = self.expr
        return Seq([expr(item) for item in node.elts], node.lineno, node.col_offset, type(node) is ast.Tuple)

    def _subscript(self, node: ast.Subscript) -> Expr:
        return Item(self.expr(node.value), self.expr(node.slice))

    def _binary(self, node: ast.BinOp) -> Expr:
        return Op(type(node.op).__name__, [self.expr(node.left), self.expr(node.right)])

    def _boolean(self, node: ast.BoolOp) -> Expr:
        kind = "and" if type(node.op) is ast.And else "or"
        return Op(kind, [self.expr(value) for value in node.values])

    def _unary(self, node: ast.UnaryOp) -> Expr:
        if type(node.op) is ast.Not:
            return Op("not", [self.expr(node.operand)])
        if type(node.op) is ast.USub and isinstance(node.operand, ast.Constant):
            value = node.operand.value
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63:
                return Const(-value)
        inner = self.expr(node.operand)
        return None if inner is None else Op("neg", [inner])

    def _compare(self, node: ast.Compare) -> Expr:
        kind = _COMPARISONS.get(type(node.ops[0]), "?") if len(node.ops) == 1 else "?"
        return Op(kind, [self.expr(node.left), *(self.expr(item) for item in node.comparators)])

    def _conditional(self, node: ast.IfExp) -> Expr:
        return Op("if", [self.expr(node.test), self.expr(node.body), self.expr(node.orelse)])

    def _format(self, node: ast.JoinedStr) -> Expr:
        parts = [self.expr(part) for part in node.values]
        return Op("f", parts)

    def _formatted(self, node: ast.FormattedValue) -> Expr:
        value = self.expr(node.value)
        return value if node.format_spec is None else Op("f", [value, self.expr(node.format_spec)])

    def _slice(self, node: ast.Slice) -> Expr:
        parts = [self.expr(part) for part in (node.lower, node.upper, node.step) if part is not None]
        return Op("slice", parts) if any(part is not None for part in parts) else None

    def _value(self, node: ast.Await) -> Expr:
        return self.expr(node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Expr:
        return Op("yield", [self.expr(node.value)])

    def _starred(self, node: ast.Starred) -> Expr:
        return Star(self.expr(node.value))

    def _lambda(self, node: ast.Lambda) -> Expr:
        return Lambda(self.lambda_function(node))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Expr:
        loops: list[tuple[Expr, Expr, list[Expr]]] = []
        for part in node.generators:
            source = self.expr(part.iter)
            loops.append((bound(self.scope, part.target), source, [self.expr(test) for test in part.ifs]))
        if isinstance(node, ast.DictComp):
            items = [self.expr(node.key), self.expr(node.value)]
        else:
            items = [self.expr(node.elt)]
        return Comp(items, loops, node.lineno, node.col_offset, isinstance(node, ast.GeneratorExp))

    def _walrus(self, node: ast.NamedExpr) -> Expr:
        self.scope.local.add(node.target.id)
        return Walrus(node.target.id, self.expr(node.value))


_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def _plain(items: list[ast.expr]) -> bool:
    return all(type(item) is ast.Constant for item in items)
