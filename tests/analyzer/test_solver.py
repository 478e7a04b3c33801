"""Least fixpoints on demand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import pytest

from resume_audit.analyzer.solver import EMPTY, MANY, Key, Solver, Value, Values

Equations = dict[str, Callable[[Callable[[str], Values]], Iterable[Value]]]


def solver(equations: Equations) -> Solver:
    made = Solver(lambda key: equations[key[0]](lambda name: made.read((name,))) if key[0] in equations else EMPTY)
    return made


def ask(made: Solver, name: str) -> set[object]:
    return {value[0] for value in made.solve(lambda: made.read((name,)))}


CYCLE: Equations = {
    "a": lambda read: {("1",)} | read("b"),
    "b": lambda read: {("2",)} | read("c"),
    "c": lambda read: read("a") | read("d"),
    "d": lambda read: {("3",)} | read("d"),
}


@pytest.mark.parametrize("order", list(itertools.permutations("abcd")))
def test_cycles_end_and_the_order_of_questions_is_no_matter(order: tuple[str, ...]) -> None:
    made = solver(CYCLE)
    found = {name: ask(made, name) for name in order}
    assert found == {"a": {"1", "2", "3"}, "b": {"1", "2", "3"}, "c": {"1", "2", "3"}, "d": {"3"}}


def test_only_what_is_asked_for_is_computed() -> None:
    computed: list[Key] = []

    def equation(key: Key) -> Iterable[Value]:
        computed.append(key)
        return [("x",)]

    made = Solver(equation)
    assert made.solve(lambda: made.read(("a",))) == {("x",)}
    assert made.solve(lambda: made.read(("a",))) == {("x",)}
    assert computed == [("a",)]


def test_values_may_depend_on_values() -> None:
    made = solver(
        {
            "a": lambda read: [v for name in read("names") for v in read(str(name[0]))],
            "names": lambda read: [("x",), ("y",)],
            "x": lambda read: [("1",)],
            "y": lambda read: [("2",)],
        }
    )
    assert ask(made, "a") == {"1", "2"}


def many(count: int) -> list[Value]:
    return [(str(number),) for number in range(count)]


@pytest.mark.parametrize("count, wide", [(80, False), (81, True)])
def test_a_key_of_too_many_values_says_nothing(count: int, wide: bool) -> None:
    made = solver({"a": lambda read: many(count), "b": lambda read: {("1",), *read("a")}})
    assert made.solve(lambda: made.read(("a",))) == ({MANY} if wide else set(many(count)))
    assert (made.solve(lambda: made.read(("b",))) == {MANY}) is wide


def test_keys_of_the_size_of_the_program_stay() -> None:
    made = Solver(lambda key: many(200))
    assert len(made.solve(lambda: made.read(("called", "f")))) == 200


def test_a_wide_key_is_not_computed_again() -> None:
    times = 0

    def equation(key: Key) -> Iterable[Value]:
        nonlocal times
        if key[0] != "a":
            return EMPTY
        times += 1
        return [*many(81), *made.read(("called",))]

    made = Solver(equation)
    assert made.solve(lambda: made.read(("a",))) == {MANY}
    made.add(("called",), ("new",))
    assert made.solve(lambda: made.read(("a",))) == {MANY}
    assert times == 1


def test_what_is_added_reaches_those_who_read() -> None:
    made = solver({"a": lambda read: read("called"), "b": lambda read: read("a")})
    assert ask(made, "b") == set()
    made.add(("called",), ("x",))
    assert ask(made, "b") == {"x"}


def test_what_is_added_from_within_an_equation() -> None:
    def equation(key: Key) -> Iterable[Value]:
        if key == ("a",):
            return made.read(("called",))
        if key == ("b",):
            made.add(("called",), ("x",))
        return EMPTY

    made = Solver(equation)
    assert made.solve(lambda: made.read(("a",)) | made.read(("b",))) == {("x",)}


def test_touched_keys_compute_their_readers_again() -> None:
    known: set[Value] = {("1",)}

    def equation(key: Key) -> Iterable[Value]:
        if key == ("a",):
            made.read(("mentions", "f"))
            return set(known)
        return EMPTY

    made = Solver(equation)
    assert made.solve(lambda: made.read(("a",))) == {("1",)}
    known.add(("2",))
    assert made.solve(lambda: made.read(("a",))) == {("1",)}
    made.touch(("mentions", "f"))
    assert made.solve(lambda: made.read(("a",))) == {("1",), ("2",)}
