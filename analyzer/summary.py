"""What one file boils down to: names, definitions and the skeleton of each body.

A summary holds no syntax tree. Bodies stay encoded until somebody asks for them, so that linking
a large project touches little more than names. Everything here is plain data that survives
serialisation; positions are those of ``ast`` (1-based lines, 0-based UTF-8 byte columns).
"""

from __future__ import annotations

import msgspec

SCHEMA = 1
"""Counts changes of this file; part of the cache key."""


class Node(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    """Base of everything a body is made of."""


class Const(Node, frozen=True, tag=1):
    """A literal. Long strings are cut."""

    value: str | int | float | bool | None


class Call(Node, frozen=True, tag=2):
    """A call. ``kwargs`` holds ``("", value)`` for ``**value``; a starred argument is a ``Star``."""

    func: Expr
    args: list[Expr]
    kwargs: list[tuple[str, Expr]]
    line: int
    column: int
    end_line: int
    end_column: int


class Attr(Node, frozen=True, tag=3):
    """An attribute of something that is not a plain name or chain of names."""

    base: Expr
    name: str


class Item(Node, frozen=True, tag=4):
    """A subscript."""

    base: Expr
    key: Expr


class Table(Node, frozen=True, tag=5):
    """A dict display or a dict comprehension; a key of None stands for ``**value``."""

    keys: list[Expr]
    values: list[Expr]
    line: int
    column: int


class Seq(Node, frozen=True, tag=6):
    """A list, tuple or set display."""

    items: list[Expr]
    line: int
    column: int
    is_tuple: bool = False


class Op(Node, frozen=True, tag=7):
    """Any other operator, with its operands in order of evaluation.

    ``kind``: ``if`` (test, then, else), ``and``, ``or``, ``not``, ``f`` (f-string), ``yield``,
    a comparison (``==``, ``is``, ``in`` and so on) or the name of a binary operator in ``ast``.
    """

    kind: str
    items: list[Expr]


class Lambda(Node, frozen=True, tag=8):
    """A lambda; its body is a function of its own."""

    qualname: str


class Comp(Node, frozen=True, tag=9):
    """A comprehension: for each (target, iterable, conditions), ``items`` are evaluated.

    ``items`` is one element, or key and value.
    """

    items: list[Expr]
    loops: list[tuple[Expr, Expr, list[Expr]]]
    line: int
    column: int
    is_generator: bool = False


class Star(Node, frozen=True, tag=10):
    """A starred expression."""

    value: Expr


class Walrus(Node, frozen=True, tag=11):
    """An assignment expression."""

    target: str
    value: Expr


Expr = str | None | Const | Call | Attr | Item | Table | Seq | Op | Lambda | Comp | Star | Walrus
"""A string is a name or a dotted chain of names; None is an expression that says nothing."""

LEAF = (str, Const)
"""Expressions with none inside. A tuple, since a union is built anew at each test."""


class Do(Node, frozen=True, tag=20):
    """An expression evaluated for its effect."""

    value: Expr


class Let(Node, frozen=True, tag=21):
    """An assignment; targets are expressions (a ``Seq`` unpacks)."""

    targets: list[Expr]
    value: Expr
    line: int


class If(Node, frozen=True, tag=22):
    """A branch."""

    test: Expr
    body: list[Stmt]
    orelse: list[Stmt]
    line: int


class Loop(Node, frozen=True, tag=23):
    """A ``for`` (with a target) or ``while`` loop. ``forever``: the test is a true literal."""

    target: Expr
    source: Expr
    body: list[Stmt]
    orelse: list[Stmt]
    line: int
    forever: bool
    is_for: bool


class Handler(Node, frozen=True, tag=24):
    """An ``except`` clause. ``types`` is None for a bare one. ``star`` is for ``except*``."""

    types: list[Expr] | None
    name: str
    body: list[Stmt]
    line: int
    column: int
    star: bool


class Try(Node, frozen=True, tag=25):
    """A try statement."""

    body: list[Stmt]
    handlers: list[Handler]
    orelse: list[Stmt]
    final: list[Stmt]
    line: int


class With(Node, frozen=True, tag=26):
    """A with statement: (manager, target) pairs."""

    items: list[tuple[Expr, Expr]]
    body: list[Stmt]
    line: int
    column: int


class Case(Node, frozen=True, tag=27):
    """A case; ``always`` when its pattern is irrefutable and has no guard.

    ``types`` are the classes of a pattern that looks at the class alone: ``case GraphInterrupt():``.
    """

    guard: Expr
    always: bool
    body: list[Stmt]
    types: list[Expr] = []


class Match(Node, frozen=True, tag=28):
    """A match statement."""

    subject: Expr
    cases: list[Case]
    line: int


class Return(Node, frozen=True, tag=29):
    """A return."""

    value: Expr
    line: int


class Raise(Node, frozen=True, tag=30):
    """A raise; ``value`` is None for a bare one."""

    value: Expr
    line: int
    column: int
    end_line: int
    end_column: int


class Break(Node, frozen=True, tag=31):
    """Leave the loop."""


class Continue(Node, frozen=True, tag=32):
    """Next round of the loop."""


Stmt = Do | Let | If | Loop | Try | With | Match | Return | Raise | Break | Continue


class Param(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A parameter. ``kind``: ``""`` ordinary, ``*``, ``**``, or ``k`` keyword only."""

    name: str
    annotation: Expr
    default: Expr
    kind: str


class Function(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function, method, lambda or (qualname ``<module>``) the module's own statements.

    ``parent`` is the qualname of the enclosing function or class, empty at module level;
    ``owner`` is the qualname of the class if this is a method. ``local`` are the names it binds,
    ``names`` every identifier it mentions, attributes included. ``called`` are its parameters
    that it, or a function inside it, calls or passes on as a callee. ``empty``: the body is only
    a docstring, ``pass``, ``...`` or ``raise NotImplementedError``.
    """

    qualname: str
    parent: str
    owner: str
    line: int
    column: int
    end_line: int
    params: list[Param]
    decorators: list[Expr]
    returns: Expr
    doc: str
    is_async: bool
    empty: bool
    imports: dict[str, str]
    local: list[str]
    names: list[str]
    called: list[str]
    body: msgspec.Raw

    @property
    def name(self) -> str:
        """The last part of the qualname."""
        return self.qualname.rsplit(".", 1)[-1]


class Class(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class; ``attributes`` are (name, annotation, value) of its body in order."""

    qualname: str
    parent: str
    line: int
    bases: list[Expr]
    decorators: list[Expr]
    attributes: list[tuple[str, Expr, Expr]]
    methods: dict[str, str]
    doc: str

    @property
    def name(self) -> str:
        """The last part of the qualname."""
        return self.qualname.rsplit(".", 1)[-1]


class Write(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An attribute assigned on ``base`` in ``function``; ``content``: a value put into it instead."""

    base: str
    name: str
    function: str
    value: Expr
    content: bool


class Suppression(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A suppressing comment, and the lines first to last that it covers.

    ``rules`` are the selectors as written, empty for all rules.
    """

    line: int
    column: int
    rules: list[str]
    reason: str
    first: int
    last: int


class Summary(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file. ``imports`` binds names to dotted targets (``.`` prefixes as written)."""

    imports: dict[str, str]
    stars: list[str]
    functions: list[Function]
    classes: list[Class]
    writes: list[Write]
    suppressions: list[Suppression]
    exports: list[str] | None
    lines: int


_BODY = msgspec.msgpack.Decoder(list[Stmt])
_SUMMARY = msgspec.msgpack.Decoder(Summary)
_ENCODER = msgspec.msgpack.Encoder()


def encode_body(body: list[Stmt]) -> msgspec.Raw:
    """The body as bytes."""
    return msgspec.Raw(_ENCODER.encode(body))


def decode_body(raw: msgspec.Raw) -> list[Stmt]:
    """The body again. Raises ``msgspec.ValidationError`` for bytes that are none."""
    return _BODY.decode(raw)


def encode(summary: Summary) -> bytes:
    """The summary as bytes."""
    return _ENCODER.encode(summary)


def decode(data: bytes) -> Summary:
    """The summary again. Raises ``msgspec.DecodeError`` for anything else."""
    return _SUMMARY.decode(data)
