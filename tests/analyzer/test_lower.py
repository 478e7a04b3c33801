"""Source text to a summary: names, definitions, bodies, writes and suppressing comments."""

from __future__ import annotations

import textwrap

import pytest

from resume_audit.analyzer.lower import MODULE, summarise
from resume_audit.analyzer.lower_expressions import LARGEST_DISPLAY, LONGEST_STRING
from resume_audit.analyzer.summary import (
    Attr,
    Call,
    Class,
    Comp,
    Const,
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
    Raise,
    Seq,
    Star,
    Stmt,
    Summary,
    Table,
    Try,
    Walrus,
    With,
    decode,
    decode_body,
    encode,
)


def lowered(text: str) -> Summary:
    return summarise(textwrap.dedent(text))


def function(text: str, qualname: str = "f") -> Function:
    return next(f for f in lowered(text).functions if f.qualname == qualname)


def body(text: str, qualname: str = MODULE) -> list[Stmt]:
    return decode_body(function(text, qualname).body)


def expr(text: str) -> Expr:
    (item,) = body(f"x = {text}\n")
    assert isinstance(item, Let)
    return item.value


def name_of(item: Stmt) -> Expr:
    assert isinstance(item, Do)
    assert isinstance(item.value, Call)
    return item.value.func


def test_qualified_names() -> None:
    found = lowered(
        """
        def f():
            def g(): ...
            class C:
                def m(self): ...
        class D:
            class E:
                def m(self):
                    def inner(): ...
            @overload
            def n(self): ...
            def n(self, x): ...
        def f(): ...
        """
    )
    assert {(f.qualname, f.parent, f.owner) for f in found.functions} == {
        (MODULE, "", ""),
        ("f", "", ""),
        ("f.g", "f", ""),
        ("f.C.m", "f.C", "f.C"),
        ("D.E.m", "D.E", "D.E"),
        ("D.E.m.inner", "D.E.m", ""),
        ("D.n", "D", "D"),
        ("D.n#2", "D", "D"),
        ("f#2", "", ""),
    }
    assert {(c.qualname, c.parent) for c in found.classes} == {("f.C", "f"), ("D", ""), ("D.E", "D")}
    methods = {c.qualname: c.methods for c in found.classes}
    assert methods["D"] == {"n": "D.n#2"}
    assert methods["D.E"] == {"m": "D.E.m"}


def test_a_lambda_is_a_function() -> None:
    made = expr("lambda a: pay(a)")
    assert made == Lambda("<lambda:1:4>")
    inner = function("x = lambda a: pay(a)\n", "<lambda:1:4>")
    assert [param.name for param in inner.params] == ["a"]


def test_parameters() -> None:
    params = function("def f(a, /, b: int, c=1, *d, e=2, g, **h): ...\n").params
    assert [(p.name, p.annotation, p.default, p.kind) for p in params] == [
        ("a", None, None, ""),
        ("b", "int", None, ""),
        ("c", None, Const(1), ""),
        ("d", None, None, "*"),
        ("e", None, Const(2), "k"),
        ("g", None, None, "k"),
        ("h", None, None, "**"),
    ]


def test_what_a_function_binds() -> None:
    found = function(
        """
        def f(p):
            global shared
            import os.path
            from a import b as c
            d, (e, *g) = p
            shared = 1
            for h in p: ...
            with p as i, p as (j, k): ...
            try: ...
            except Exception as l: ...
            if (m := p): ...
            [n for n in p]
            match p:
                case {"x": o, **q}: ...
                case [r, *s]: ...
                case t: ...
            u += 1
            def v(): inner = 1
            class w: ...
        """
    )
    assert set(found.local) == set("pcdeghijklmnoqrstuvw") | {"os"}
    assert found.imports == {"os": "os", "c": "a:b"}
    assert "shared" in found.names


@pytest.mark.parametrize(
    "text, names",
    [
        ("def f(a, b): a(b)", ["a"]),
        ("def f(a): a.invoke(1)", ["a"]),
        ("def f(a):\n  def g(): a()\n  return g", ["a"]),
        ("def f(a):\n  def g(a): a()\n  return g", []),
        ("def f(a):\n  def g():\n    a = 1\n    a()\n  return g", []),
        ("def f(a): b(a)", []),
    ],
)
def test_parameters_that_are_called(text: str, names: list[str]) -> None:
    assert function(text).called == names


@pytest.mark.parametrize(
    "text, empty",
    [
        ("pass", True),
        ('"""Doc."""', True),
        ("...", True),
        ("raise NotImplementedError", True),
        ('raise NotImplementedError("later")', True),
        ("raise ValueError", False),
        ("return 1", False),
    ],
)
def test_empty_bodies(text: str, empty: bool) -> None:
    assert function(f"def f(): {text}").empty is empty


def test_heads() -> None:
    found = function('@a.b\n@c(1)\nasync def f() -> list[D]:\n    """Pays."""\n    e.g()\n')
    assert found.decorators[0] == "a.b"
    assert isinstance(found.decorators[1], Call)
    assert found.returns == Item("list", "D")
    assert (found.doc, found.is_async, found.line, found.end_line) == ("Pays.", True, 3, 5)
    assert {"e", "g"} <= set(found.names)


def test_imports() -> None:
    found = lowered(
        """
        import a.b
        import c.d as e
        from . import g
        from ..h import i as j
        from k import *
        from .m import *
        if TYPE_CHECKING:
            from n import o
        from other import o
        """
    )
    assert found.imports == {"a": "a", "e": "c.d", "g": ".:g", "j": "..h:i", "o": "n:o"}
    assert found.stars == ["k", ".m"]
    assert function("import a\ndef f(): import b\n").imports == {"b": "b"}
    assert function("import a\ndef f(): import b\n", MODULE).imports == {}


def test_exports() -> None:
    assert lowered('__all__ = ["a", "b"]\n').exports == ["a", "b"]
    assert lowered("a = 1\n").exports is None
    assert lowered('def f():\n    __all__ = ["a"]\n').exports is None


def test_classes() -> None:
    found: Class
    (found,) = lowered(
        """
        @dataclass
        class C(A, b.B):
            '''A tool.'''
            x: int
            y: str = "q"
            z = w = make()
            if LATER:
                v = 1
            def m(self): ...
        """
    ).classes
    assert (found.bases, found.decorators, found.doc) == (["A", "b.B"], ["dataclass"], "A tool.")
    assert [(name, annotation) for name, annotation, _ in found.attributes] == [
        ("x", "int"), ("y", "str"), ("z", None), ("w", None), ("v", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("a.b.c", "a.b.c"),
        ("a().b.c", Attr(Attr(Call("a", [], [], 1, 4, 1, 7), "b"), "c")),
        ("a['k']", Item("a", Const("k"))),
        ("a + b", Op("Add", ["a", "b"])),
        ("a or b and c", Op("or", ["a", Op("and", ["b", "c"])])),
        ("not a", Op("not", ["a"])),
        ("a is None", Op("is", ["a", Const(None)])),
        ("a not in b", Op("not in", ["a", "b"])),
        ("a < b < c", Op("?", ["a", "b", "c"])),
        ("a if b else c", Op("if", ["b", "a", "c"])),
        ("f'{a}-{b!r}'", Op("f", ["a", Const("-"), "b"])),
        ("[a, *b]", Seq(["a", Star("b")], 1, 4)),
        ("{'k': a, **b}", Table([Const("k"), None], ["a", Star("b")], 1, 4)),
        ("[a for b in c if d]", Comp(["a"], [("b", "c", ["d"])], 1, 4)),
        ("(a for b in c)", Comp(["a"], [("b", "c", [])], 1, 4, is_generator=True)),
        ("(a, b)", Seq(["a", "b"], 1, 4, is_tuple=True)),
        ("{a: b for c in d}", Comp(["a", "b"], [("c", "d", [])], 1, 4)),
        ("(a := b)", Walrus("a", "b")),
        ("-1", Const(-1)),
        ("-a", Op("neg", ["a"])),
        ("True", Const(True)),
        ("f(a, *b, k=c, **d)", Call("f", ["a", Star("b")], [("k", "c"), ("", "d")], 1, 4, 1, 22)),
    ],
)
def test_expressions(text: str, wanted: Expr) -> None:
    assert expr(text) == wanted


def test_what_says_nothing_is_dropped() -> None:
    assert body('"doc"\n1\nname\nlambda: 1\n...\nif a: pass\ndel a\n') == []
    assert expr(f'"{"a" * 999}"') == Const("a" * LONGEST_STRING)
    many = ", ".join(["1"] * (LARGEST_DISPLAY + 1))
    assert body(f"x = [{many}]\n") == []
    assert isinstance(expr(f"[f(), {many}]"), Seq)
    assert body(f"x = {2**64}\n") == []


def test_await_and_yield() -> None:
    (item,) = body("async def f(): x = await g(1)\n", "f")
    assert isinstance(item, Let)
    assert isinstance(item.value, Call)
    (item,) = body("def f(): yield from g\n", "f")
    assert item == Do(Op("yield", ["g"]))


def test_columns_are_bytes() -> None:
    (item,) = body('é = "ü"; pay()\n')[1:]
    assert isinstance(item, Do)
    assert isinstance(item.value, Call)
    assert (item.value.column, item.value.end_column) == (11, 16)


def test_statements() -> None:
    found = body(
        """
        while True:
            a()
        for i in b:
            continue
        else:
            c()
        with d() as (e, g), h: i()
        try: j()
        except (K, l.M) as n: o()
        except: p()
        else: q()
        finally: r()
        match s:
            case 1 if t: u()
            case _: v()
        raise W(x)
        """
    )
    forever, each, with_, try_, match, raised = found
    assert isinstance(forever, Loop)
    assert (forever.forever, forever.is_for) == (True, False)
    assert isinstance(each, Loop)
    assert (each.target, each.source, each.is_for, len(each.orelse)) == ("i", "b", True, 1)
    assert isinstance(with_, With)
    assert [target for _, target in with_.items] == [Seq(["e", "g"], 8, 12), None]
    assert isinstance(try_, Try)
    assert [(h.types, h.name) for h in try_.handlers] == [(["K", "l.M"], "n"), (None, "")]
    assert [name_of(b[0]) for b in (try_.body, try_.orelse, try_.final)] == ["j", "q", "r"]
    assert isinstance(match, Match)
    assert [(c.guard, c.always) for c in match.cases] == [("t", False), (None, True)]
    assert isinstance(raised, Raise)
    assert isinstance(raised.value, Call)


def test_smaller_statements() -> None:
    assert body("x: C = y\n") == [Let(["x"], Op(":", ["C", "y"]), 1)]
    assert body("x += y\n") == [Let(["x"], Op("Add", ["x", "y"]), 1)]
    assert isinstance(body("assert False\n")[0], Raise)
    assert body("assert a() == 1\n")[0] == Do(Op("==", [Call("a", [], [], 1, 7, 1, 10), Const(1)]))
    (branch,) = body("if a: b()\nelif c: d()\n")
    assert isinstance(branch, If)
    assert isinstance(branch.orelse[0], If)
    (starred,) = body("try: a()\nexcept* B: c()\n")
    assert isinstance(starred, Try)
    assert isinstance(starred.handlers[0], Handler)
    assert starred.handlers[0].star


def test_writes_to_attributes() -> None:
    found = lowered(
        """
        class C:
            def m(self, x):
                self.a = x
                self.b[k] = x
                self.c.append(x)
                self.d.extend(x)
                self.e = 1
                local.append(x)
                self.g, other = x
                self.h.send(x)
        a.b.c = y
        """
    ).writes
    assert [(w.base, w.name, w.function, w.value, w.content) for w in found] == [
        ("self", "a", "C.m", "x", False),
        ("self", "b", "C.m", "x", True),
        ("self", "c", "C.m", "x", True),
        ("self", "d", "C.m", Star("x"), True),
        ("a.b", "c", MODULE, "y", False),
    ]


def test_it_survives_the_way_to_the_cache() -> None:
    found = lowered("class C(B):\n    x = [f(a=1)]\n    def m(self): return self.x  # resume-audit: ignore why\n")
    assert decode(encode(found)) == found
    assert [lowered(text).lines for text in ("", "a", "a\n", "a\n\nb")] == [0, 1, 1, 3]


@pytest.mark.parametrize(
    "text, rules, reason, lines",
    [
        ("pay()  # resume-audit: ignore[RA101] the ledger dedups\n", ["RA101"], "the ledger dedups", (1, 1)),
        ("pay()  #resume-audit: ignore\n", [], "", (1, 1)),
        ("pay()  # resume-audit: ignore[RA101, RA3] why\n", ["RA101", "RA3"], "why", (1, 1)),
        ("# resume-audit: ignore[RA101] why\n\n# more\npay()\n", ["RA101"], "why", (4, 4)),
        ("def f():  # resume-audit: ignore why\n    a()\n    b()\n", [], "why", (1, 3)),
        ("# resume-audit: ignore why\ndef f():\n    a()\n", [], "why", (2, 3)),
        ("def f():\n    a()  # resume-audit: ignore why\n    b()\n", [], "why", (2, 2)),
    ],
)
def test_suppressions(text: str, rules: list[str], reason: str, lines: tuple[int, int]) -> None:
    (found,) = summarise(text).suppressions
    assert (found.rules, found.reason, (found.first, found.last)) == (rules, reason, lines)


@pytest.mark.parametrize(
    "text", ['x = "# resume-audit: ignore"\n', "# resume-audit: ignored\n", "# resume-audit ignore\n"]
)
def test_what_suppresses_nothing(text: str) -> None:
    assert summarise(text).suppressions == []


def test_a_form_feed_ends_no_line() -> None:
    (found,) = summarise("x = 1\n\f\npay()  # resume-audit: ignore why\nsend()\n").suppressions
    assert (found.first, found.last) == (3, 3)
