"""Calls as the tables see them: their arguments, and what was concluded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...contract import Certainty

Fresh = tuple[int | None, str | None]
"""Position and keyword of the argument under which something is kept: new each time, it is one more entry."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call.

    ``known`` is False where it is no literal. An f-string counts as a literal with ``{}`` for its
    holes; one that is nothing but holes is not known.
    """

    literal: str | int | float | bool | None = None
    known: bool = False

    @property
    def text(self) -> str | None:
        """The literal as text to match; None where it is not known."""
        if not self.known:
            return None
        if isinstance(self.literal, str):
            return None if "{}" in self.literal and not self.literal.replace("{}", "") else self.literal
        return "" if self.literal is None else str(self.literal)

    @property
    def is_none(self) -> bool:
        """Is it literally None?"""
        return self.known and self.literal is None


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call does to the world.

    ``keys`` are the arguments that would make it idempotent, ``given`` those of them it was given
    (whether their values are stable is not looked at). ``fresh`` names the argument that decides
    whether an idempotent write is one more entry.
    """

    name: str
    kind: str
    action: Literal["effect", "read"]
    idempotent: bool
    certainty: Certainty
    keys: tuple[str, ...]
    reason: str
    given: tuple[str, ...] = ()
    fresh: Fresh | None = None


def joined(args: Iterable[Argument]) -> Argument:
    """Arguments as one text, with ``{}`` for those that are not known."""
    texts = [argument.text for argument in args]
    return Argument(" ".join("{}" if text is None else text for text in texts), any(texts))


def pick(
    position: int | None, keyword: str | None, args: Sequence[Argument], kwargs: Mapping[str, Argument]
) -> Argument | None:
    """The argument given by keyword or at a position; None where it was not given."""
    if keyword is not None and keyword in kwargs:
        return kwargs[keyword]
    if position is not None and 0 <= position < len(args):
        return args[position]
    return None


def given_keys(keys: Iterable[str], args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> tuple[str, ...]:
    """Which of ``keys`` the call was given, other than as a literal None.

    ``name@2`` may also stand at position 2. ``headers.Some-Key`` is an entry of a dict argument,
    compared without regard to case: HTTP headers have none. ``@1.key`` is an entry of the second
    positional argument.
    """
    found = []
    lowered: dict[str, Argument] | None = None
    for key in keys:
        name, place = _split(key)
        argument = pick(int(place) if place else None, name, args, kwargs)
        if argument is None and "." in name:
            if lowered is None:
                lowered = {word.lower(): value for word, value in kwargs.items() if "." in word}
            argument = lowered.get(name.lower())
        if argument is not None and not argument.is_none:
            found.append(name)
    return tuple(found)


def key_names(keys: Iterable[str]) -> tuple[str, ...]:
    """The names of keys without their positions."""
    return tuple(_split(key)[0] for key in keys)


def _split(key: str) -> tuple[str, str]:
    """A key's name and its position, where it has one."""
    if key.startswith("@"):
        return key, ""
    name, _, place = key.partition("@")
    return name, place
