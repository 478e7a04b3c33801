"""Digests are equal where the values mean the same, and nothing of the program runs to take them."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import io
import pathlib
import threading
import uuid
import zoneinfo
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

import pytest

from resume_audit.tracer.canon import LARGEST, feed
from resume_audit.tracer.digests import Digests

_DIGESTS = Digests(b"k" * 32)


def digest(value: object) -> str | None:
    return _DIGESTS.of(value)


class Colour(enum.Enum):
    RED = "r"


class Pair(NamedTuple):
    a: int
    b: int


@dataclass
class Order:
    item: str
    tags: list[str] = field(default_factory=list)


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value

    @cached_property
    def length(self) -> int:
        return len(self.value)


class Slotted:
    __slots__ = ("_cache", "value")

    def __init__(self, value: Any) -> None:
        self.value = value


class Hostile:
    """Everything that could run raises."""

    def __init__(self) -> None:
        object.__getattribute__(self, "__dict__")["value"] = 1

    def _fail(self, *_: object) -> Any:
        raise SystemExit("the program's code ran")

    __repr__ = __hash__ = __eq__ = __reduce_ex__ = __len__ = __iter__ = __bool__ = __str__ = _fail

    def __getattribute__(self, name: str) -> Any:
        raise SystemExit("the program's code ran")


class HostileDict(dict[str, int]):
    def items(self) -> Any:
        raise SystemExit("the program's code ran")

    __iter__ = __len__ = __repr__ = items


def test_equal_before_and_after_a_store() -> None:
    assert digest([1, (2, 3)]) == digest((1, [2, 3])) == digest(collections.deque([1, [2, 3]]))
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest(collections.OrderedDict(b=2, a=1)) == digest({"a": 1, "b": 2})
    assert digest({3, 1, 2}) == digest(frozenset([2, 3, 1]))
    assert digest(Colour.RED) == digest("r")
    assert digest(pathlib.PurePosixPath("/a")) == digest("/a")
    assert digest(uuid.UUID(int=1)) == digest(str(uuid.UUID(int=1)))
    assert digest(Pair(1, 2)) == digest([1, 2])
    assert digest(Order("x", ["a"])) == digest(Order("x", ["a"]))


@pytest.mark.parametrize(
    "one, other",
    [
        (1, 1.0),
        (1, True),
        (0, False),
        ("1", 1),
        ("a", b"a"),
        (None, False),
        ([1, 2], [2, 1]),
        ([1, [2]], [[1], 2]),
        (["ab"], ["a", "b"]),
        ({"a": None}, {}),
        (0.1 + 0.2, 0.3),
        (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
        (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
        (Order("x"), Order("y")),
        (Plain(1), Plain(2)),
        (Slotted(1), Slotted(2)),
        (Plain(1), Slotted(1)),
        ({"a": {"b": 1}}, {"a": {"b": 2}}),
    ],
)
def test_different(one: object, other: object) -> None:
    first, second = digest(one), digest(other)
    assert first is not None
    assert second is not None
    assert first != second


def test_moments_count_with_their_zone() -> None:
    paris = datetime.datetime(2024, 1, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Paris"))
    assert digest(paris) == digest(paris.astimezone(datetime.UTC))


def test_what_an_object_only_remembers_is_left_out() -> None:
    plain, slotted = Plain("abc"), Slotted("abc")
    before = digest(plain), digest(slotted)
    assert plain.length == 3
    object.__setattr__(slotted, "_cache", {"a": 1})
    assert (digest(plain), digest(slotted)) == before


def test_what_is_not_known_is_unknown() -> None:
    own: list[object] = []
    own.append(own)
    for value in (threading.Lock(), io.BytesIO(b"a"), open, digest, iter([1]), own, [1, {"a": threading.Lock()}]):
        assert digest(value) is None
    deep: list[object] = []
    for _ in range(100):
        deep = [deep]
    assert digest(deep) is None
    assert digest([0] * (LARGEST + 1)) is None
    naive = datetime.datetime(2024, 1, 1, tzinfo=type("Zone", (datetime.tzinfo,), {})())
    assert digest(naive) is None


def test_nothing_of_the_program_runs() -> None:
    assert digest(Hostile()) == digest(Hostile()) is not None
    assert digest(HostileDict(a=1)) == digest({"a": 1})


def test_the_same_value_twice_is_no_cycle() -> None:
    shared = ["a"]
    assert digest([shared, shared]) == digest([["a"], ["a"]])


def test_another_key_gives_another_digest() -> None:
    assert Digests(b"x" * 32).of("a") != digest("a")
    found: list[bytes] = []
    assert feed("a", found.append)


class HostileMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        raise SystemExit("the program's code ran")


@dataclass
class Computed:
    """A field whose value a property would compute."""

    size: int

    @property
    def area(self) -> int:
        raise SystemExit("the program's code ran")


def test_nothing_of_a_class_runs() -> None:
    made = HostileMeta("Made", (), {"__init__": lambda self: None})
    assert digest(object.__new__(cast("type[object]", made))) is not None
    computed = Computed(1)
    Computed.size = property(lambda self: Computed.area)  # type: ignore[assignment]
    assert digest(computed) is not None


def test_what_changes_meanwhile_is_unknown() -> None:
    class Growing(str):
        __slots__ = ()

    assert feed({Growing("a")}, lambda data: None)

    def fail(data: bytes) -> None:
        raise RuntimeError("dictionary changed size during iteration")

    assert not feed({"a": 1}, fail)
