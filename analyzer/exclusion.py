"""What is known of values where control passes, and the conditions that this settles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .facts import last_name
from .summary import Attr, Call, Const, Expr, Item, Op, Seq, Walrus

_MEASURES = {"len", "isinstance", "callable", "bool", "str", "int"}
_TEXT_METHODS = {"lower", "upper", "strip", "casefold", "startswith", "endswith", "get"}
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_MOST = 40
"""Things of which something is remembered at one place."""


class Term(NamedTuple):
    """Something that can be asked twice, with what it is read through.

    ``paths``: names, attributes and entries that a binding changes; ``words``: the names of its
    attributes and entries; ``plain``: a name, or an entry or attribute of one, and no measure of it.
    """

    text: str
    paths: frozenset[str]
    words: frozenset[str]
    plain: bool


class Fact(NamedTuple):
    """How a value compares with a literal. ``relation``: truth, ==, in, < or <=."""

    relation: str
    operand: object
    holds: bool


class Names(NamedTuple):
    """Names of a function: those ``bound`` in it, and those that may change unseen."""

    bound: frozenset[str]
    unsteady: frozenset[str]


class Member(NamedTuple):
    """A constant known by its name alone, as of an enumeration."""

    owner: str
    name: str


Known = dict[Term, tuple[Fact, ...]]


def term(expr: Expr, local: Names) -> Term | None:
    """The thing that an expression asks, if it is the same when asked again."""
    if isinstance(expr, str):
        parts = expr.split(".")
        prefixes = frozenset(".".join(parts[: n + 1]) for n in range(len(parts)))
        return None if prefixes & local.unsteady else Term(expr, prefixes, frozenset(parts[1:]), True)
    if isinstance(expr, Attr):
        base = term(expr.base, local)
        return None if base is None else _inside(base, f"{base.text}.{expr.name}", expr.name)
    if isinstance(expr, Item):
        return _entry(expr.base, expr.key, local)
    return _measure(expr, local) if isinstance(expr, Call) else None


def _inside(base: Term, text: str, word: str) -> Term:
    return Term(text, base.paths | {text}, base.words | {word}, base.plain)


def _entry(holder: Expr, key: Expr, local: Names) -> Term | None:
    base = term(holder, local)
    if base is None:
        return None
    if isinstance(key, Const):
        return _inside(base, f"{base.text}[{key.value!r}]", str(key.value))
    asked = term(key, local)
    if asked is None:
        return None
    return Term(f"{base.text}[{asked.text}]", base.paths | asked.paths, base.words | asked.words | {"*"}, base.plain)


def _measure(call: Call, local: Names) -> Term | None:
    name = last_name(call.func)
    if call.kwargs or len(call.args) > 2:
        return None
    if isinstance(call.func, str) and name == call.func:
        inner = term(call.args[0], local) if call.args and name in _MEASURES else None
        given = _literals(call.args[1:], local) if inner is not None else None
        if inner is None or given is None:
            return None
        return inner._replace(text=f"{name}({inner.text}{given})", plain=False)
    if name not in _TEXT_METHODS:
        return None
    holder = call.func.rpartition(".")[0] if isinstance(call.func, str) else getattr(call.func, "base", None)
    base, given = term(holder, local), _literals(call.args, local)
    if base is None or given is None:
        return None
    if name == "get":
        if not call.args or local.bound.isdisjoint(base.paths):
            return None
        if len(call.args) == 1:
            return _entry(holder, call.args[0], local)
    words = base.words | {str(item.value) for item in call.args if isinstance(item, Const)}
    return Term(f"{base.text}.{name}({given})", base.paths, words, False)


def _literals(args: list[Expr], local: Names) -> str | None:
    found = []
    for item in args:
        if isinstance(item, Const):
            found.append(repr(item.value))
        elif isinstance(item, str) and item.partition(".")[0] not in local.bound:
            found.append(item)
        else:
            return None
    return "".join(f",{text}" for text in found)


def judge(known: Known, test: Expr, local: Names) -> bool | None:
    """What a condition comes to; None where that is not known."""
    if isinstance(test, Const):
        return bool(test.value)
    if isinstance(test, Op) and test.kind == "not":
        inner = judge(known, test.items[0], local)
        return None if inner is None else not inner
    if isinstance(test, Op) and test.kind in ("and", "or"):
        parts = [judge(known, item, local) for item in test.items]
        decisive = test.kind == "or"
        return decisive if decisive in parts else None if None in parts else not decisive
    asked = _question(test, local)
    if asked is None:
        return None
    of, (relation, operand, sense) = asked
    for fact in known.get(of, ()):
        found = _follows(fact, relation, operand)
        if found is not None:
            return found is sense
    return None


def assume(known: Known, test: Expr, truth: bool, local: Names) -> Known | None:
    """What is known where a condition came out so; None where it cannot."""
    found = judge(known, test, local)
    if found is not None:
        return known if found is truth else None
    if isinstance(test, Op) and test.kind == "not":
        return assume(known, test.items[0], not truth, local)
    if isinstance(test, Op) and test.kind in ("and", "or"):
        if (test.kind == "and") is not truth:
            open_ = [item for item in test.items if judge(known, item, local) is None]
            return assume(known, open_[0], truth, local) if len(open_) == 1 else known
        after: Known | None = known
        for item in test.items:
            after = None if after is None else assume(after, item, truth, local)
        return after
    asked = _question(test, local)
    if asked is None:
        return known
    of, (relation, operand, sense) = asked
    return learn(known, of, Fact(relation, operand, sense is truth))


def learn(known: Known, of: Term, fact: Fact) -> Known:
    """What is known, and the fact."""
    told = known.get(of, ())
    if fact in told or (of not in known and len(known) >= _MOST) or len(told) >= _MOST:
        return known
    return {**known, of: (*told, fact)}


def shared(left: Known, right: Known) -> Known:
    """What is known on both ways."""
    if left is right:
        return left
    found = {}
    for of, facts in left.items():
        both = tuple(fact for fact in facts if any(_same(fact, other) for other in right.get(of, ())))
        if both:
            found[of] = both
    return found


def _same(left: Fact, right: Fact) -> bool:
    return left == right and type(left.operand) is type(right.operand)


def _question(test: Expr, local: Names) -> tuple[Term, Fact] | None:
    """What a condition asks of which term: a relation, and the outcome that makes the condition true."""
    if isinstance(test, Walrus):
        test = test.target
    if isinstance(test, Call) and test.func == "bool" and len(test.args) == 1:
        test = test.args[0]
    if not isinstance(test, Op):
        of = term(test, local)
        return None if of is None else (of, Fact("truth", None, True))
    if len(test.items) != 2:
        return None
    kind, (left, right) = test.kind, test.items
    if isinstance(left, Const) and not isinstance(right, Const) and kind not in ("in", "not in"):
        kind, left, right = _FLIPPED.get(kind, kind), right, left
    of = term(left.target if isinstance(left, Walrus) else left, local)
    if of is None:
        return None
    if kind in ("in", "not in"):
        if not isinstance(right, Seq) or not all(isinstance(item, Const) for item in right.items):
            return _between(of, "in", right, kind == "in", local)
        values = tuple(item.value for item in right.items if isinstance(item, Const))
        return of, Fact("in", values, kind == "in")
    relation, sense = {
        "==": ("==", True), "is": ("==", True), "!=": ("==", False), "is not": ("==", False),
        "<": ("<", True), ">=": ("<", False), "<=": ("<=", True), ">": ("<=", False),
    }.get(kind, ("", True))  # fmt: skip
    if not relation:
        return None
    if isinstance(right, Const):
        return of, Fact(relation, right.value, sense)
    return _between(of, relation, right, sense, local)


def _between(of: Term, relation: str, right: Expr, sense: bool, local: Names) -> tuple[Term, Fact] | None:
    """A comparison with a named constant, or of two terms as a thing of its own that is true or not."""
    if isinstance(right, str) and relation == "==":
        owner, _, name = right.rpartition(".")
        if name.isupper() and right.partition(".")[0] not in local.bound:
            return of, Fact("==", Member(owner, name), sense)
    other = term(right, local)
    if other is None:
        return None
    text = f"{of.text} {relation} {other.text}"
    return Term(text, of.paths | other.paths, of.words | other.words, False), Fact("truth", None, sense)


def _follows(fact: Fact, relation: str, operand: object) -> bool | None:
    """What a fact says of another comparison of the same term."""
    if fact.relation in ("==", "in") and fact.holds:
        values = (fact.operand,) if fact.relation == "==" else tuple(_members(fact.operand))
        found = {_compared(value, relation, operand) for value in values}
        return found.pop() if len(found) == 1 else None
    if (fact.relation, fact.operand) == (relation, operand):
        return fact.holds
    asked = (operand,) if relation == "==" else tuple(_members(operand)) if relation == "in" else ()
    if asked and fact.relation == "truth":
        if any(isinstance(value, Member) for value in asked):
            return None
        return False if all(bool(value) is not fact.holds for value in asked) else None
    if asked and fact.relation in ("==", "in"):
        denied = (fact.operand,) if fact.relation == "==" else tuple(_members(fact.operand))
        return False if all(value in denied for value in asked) else None
    return _ordered(fact, relation, operand)


def _members(operand: object) -> Iterator[object]:
    if isinstance(operand, tuple):
        yield from operand


def _compared(value: object, relation: str, operand: object) -> bool | None:
    if isinstance(value, Member) or isinstance(operand, Member):
        same = isinstance(value, Member) and isinstance(operand, Member) and value.owner == operand.owner != ""
        return value == operand if same or value == operand else None
    if relation == "truth":
        return bool(value)
    if relation == "==":
        return value == operand
    if relation == "in":
        return value in tuple(_members(operand))
    return _below(value, operand, relation == "<=")


def _below(left: object, right: object, even: bool) -> bool | None:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    return left <= right if even else left < right


def _ordered(fact: Fact, relation: str, operand: object) -> bool | None:
    """What a bound says: below ``operand`` of the fact where it holds, above where it does not."""
    if fact.relation not in ("<", "<="):
        return None
    strict = (fact.relation == "<") is fact.holds
    if relation == "truth":
        return True if _outside(fact, 0, strict) else None
    if relation == "==":
        return False if _outside(fact, operand, strict) else None
    if relation not in ("<", "<="):
        return None
    if fact.holds:
        # x < u says x < d for u <= d; x <= u only for u < d, or for x <= d
        return True if _below(fact.operand, operand, strict or relation == "<=") else None
    return False if _below(operand, fact.operand, strict or relation == "<") else None


def _outside(fact: Fact, value: object, strict: bool) -> bool:
    """Whether a value lies beyond the bound."""
    if fact.holds:
        return bool(_below(fact.operand, value, strict))
    return bool(_below(value, fact.operand, strict))
