"""What calls do to the world, by library: the tables in ``effects/*.toml``, read and asked.

A table is a TOML file with ``kind`` and ``reason``, and any of these (unknown words are refused):

- ``[[call]]`` ``names``, ``action`` (``effect``, ``read``, ``none``), ``idempotent``, ``certainty``,
  ``key`` (arguments that make the call idempotent), ``when`` (decisions by a literal argument),
  ``sql`` (where the text of the statement stands), ``tool`` (where the name of the tool that is called
  stands), ``fresh`` (the key under which it writes), ``note``;
- ``[[constructor]]`` ``names``, ``returns``: the class that what a call returns counts as;
- ``[alias]`` other public names of a class or function; ``[statement]`` classes that stand for a SQL
  text; ``[transparent]`` calls that stand for their first argument; ``[patterns]`` named expressions.

``names.toml`` is for receivers of which only the name is known: see ``guess.py``.
Names may hold ``{a,b}``, ``*`` within a segment and ``**`` across dots.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from .arguments import Argument, Effect, pick
from .effect_rules import Rule
from .effect_tables import parse
from .guess import Names, Quiet
from .patterns import NameMap, expand
from .sql import sql_action

__all__ = ["Argument", "Effect", "EffectTable", "Rule", "UserEffect", "load", "sql_action"]

FOLDER = Path(__file__).parent / "effects"


class UserEffect(Protocol):
    """A call declared in the audited project's configuration; its name may hold ``*``."""

    @property
    def name(self) -> str:
        """A qualified name, of a library or of the project."""

    @property
    def once(self) -> bool:
        """Whatever its arguments, a logical run may fire it at most once."""

    @property
    def key(self) -> str | None:
        """The argument that makes it idempotent, if there is one."""


@dataclass(frozen=True, slots=True)
class EffectTable:
    """All tables, to be asked by qualified name. Build it with ``load``."""

    rules: NameMap[Rule]
    types: NameMap[str]
    aliases: Mapping[str, str]
    statements: Mapping[str, str]
    transparent: frozenset[str]
    names: Names
    libraries: frozenset[str]
    """First segments of all that a repetition may double, without builtins."""
    _known: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def canonical(self, qualified: str) -> str:
        """The name under which the tables know ``qualified`` (``sqlmodel.Session.add``)."""
        found = self._known.get(qualified)
        if found is None:
            found = self._known[qualified] = self._canonical(qualified)
        return found

    def _canonical(self, qualified: str) -> str:
        for _ in range(4):
            end = len(qualified)
            while end > 0:
                target = self.aliases.get(qualified[:end])
                if target is not None:
                    break
                end = qualified.rfind(".", 0, end)
            else:
                return qualified
            qualified = target + qualified[end:]
        return qualified

    def lookup(self, qualified: str) -> Rule | None:
        """What is known of a function, method or constructor; None if nothing."""
        return self.rules.get(qualified) or self.rules.get(self.canonical(qualified))

    def classify(
        self, qualified: str, args: Sequence[Argument] = (), kwargs: Mapping[str, Argument] | None = None
    ) -> Effect | None:
        """What this call does.

        Keys inside dict arguments come as ``kwargs["headers.Idempotency-Key"]``, those inside the
        second positional argument as ``kwargs["@1.$inc"]``.
        """
        rule = self.lookup(qualified)
        if rule is None:
            return None
        if rule.tool is not None:
            return self.names.guess_call(pick(*rule.tool, args, kwargs or {}))
        return rule.apply(self.canonical(qualified), args, kwargs or {})

    def knows(self, qualified: str) -> bool:
        """Is anything known of ``qualified``, or of what it holds (``twilio.rest.Client.messages``)?"""
        name = self.canonical(qualified)
        known = (self.rules.get(name), self.types.get(name))
        return any(item is not None for item in known) or self.rules.leads(name) or self.types.leads(name)

    def returns(self, qualified: str) -> str | None:
        """The class that the result of calling ``qualified`` counts as, where it is not ``qualified``.

        A call of an object is its ``__call__``; entering a context returns the object itself.
        """
        return self.types.get(self.canonical(qualified))

    def statement(self, qualified: str) -> str | None:
        """A SQL text for an object of this class (``sqlalchemy.Insert``), to be given to ``classify``."""
        return self.statements.get(self.canonical(qualified))

    def is_transparent(self, qualified: str) -> bool:
        """Does the call stand for its first argument (``sqlalchemy.text``)?"""
        return self.canonical(qualified) in self.transparent

    def guess(
        self,
        receiver: str,
        verb: str,
        args: Sequence[Argument] = (),
        kwargs: Mapping[str, Argument] | None = None,
    ) -> Effect | None:
        """What a call seems to do by the names of its receiver ("" for a function) and its verb."""
        return self.names.guess(receiver, verb, args, kwargs or {})

    def might(self, receiver: str, verb: str) -> bool:
        """Could ``guess`` say anything, whatever the arguments?"""
        return self.names.might(receiver, verb)

    def guess_tool(self, name: str, doc: str = "") -> Effect | None:
        """What a tool whose body cannot be seen seems to do, by its name and docstring."""
        return self.names.guess_tool(name, doc)

    def with_user(self, entries: Iterable[UserEffect]) -> EffectTable:
        """This table with the user's own effects, which win over its own."""
        found: list[tuple[str, Rule]] = []
        for entry in entries:
            keys = (entry.key,) if entry.key else ()
            rule = Rule("declared", "declared as an effect in the configuration", keys=keys)
            found.extend((name, rule) for name in expand(entry.name))
        return replace(self, rules=NameMap(found, self.rules)) if found else self


@lru_cache(maxsize=1)
def load() -> EffectTable:
    """The tables that come with the tool; built once.

    Raises ValueError, naming the file, where one is not well-formed.
    """
    path = FOLDER / "names.toml"
    files = sorted(file for file in FOLDER.glob("*.toml") if file != path)
    tables = [parse(file.name, file.read_text(encoding="utf-8")) for file in files]
    patterns = {key: text for table in tables for key, text in table.patterns.items()}
    quiet = Quiet(re.compile(patterns["quiet_url"]), re.compile(patterns["graphql_read"]))
    names = Names.parse(path.name, path.read_text(encoding="utf-8"), quiet)
    heads = {
        _head(name)
        for table in tables
        for name, rule in table.calls
        if rule.action == "effect" and (rule.fresh or not rule.idempotent)
    }
    heads |= {
        _head(alias) for table in tables for alias, target in table.aliases if "." in alias and _head(target) in heads
    }
    return EffectTable(
        rules=NameMap(entry for table in tables for entry in table.calls),
        types=NameMap(entry for table in tables for entry in table.returns),
        aliases=dict(entry for table in tables for entry in table.aliases),
        statements=dict(entry for table in tables for entry in table.statements),
        transparent=frozenset(name for table in tables for name in table.transparent),
        names=names,
        libraries=frozenset(heads - {"builtins"}),
    )


def _head(name: str) -> str:
    return name.split(".", 1)[0]
