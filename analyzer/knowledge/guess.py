"""Guesses by names alone, for receivers that cannot be resolved; the words are data (``names.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .arguments import Argument, Effect, Fresh, given_keys, pick
from .effect_rules import SQL_REASONS
from .effect_tables import Refused, check_keys, flag, place, strings
from .sql import sql_action

_TOP = frozenset({"words", "receiver", "anywhere", "read", "tools", "tool", "docs"})
_WORDS = frozenset({"prefixes", "suffixes", "never", "never_last", "nouns", "keys", "sql_verbs", "tool_verbs"})
_GROUP = frozenset(
    {
        "kind",
        "words",
        "verbs",
        "requires",
        "forbids",
        "reason",
        "idempotent",
        "fresh",
        "keys",
        "quiet_first",
        "plural",
        "sure",
        "never",
    }
)
_TOOL = frozenset({"kind", "verbs", "objects", "idempotent"})
_SQL_TEXT = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(?:INSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO|REPLACE\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM"
    r"|SELECT\s|WITH\s+(?:RECURSIVE\s+)?\S+\s*(?:\([^)]*\)\s*)?AS\s|MERGE\s+INTO|CREATE\s|DROP\s|ALTER\s)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Group:
    """Verbs that are effects for some receivers, or for all."""

    kind: str
    reason: str
    exact: frozenset[str]
    pattern: re.Pattern[str] | None
    requires: frozenset[str] = frozenset()
    forbids: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    idempotent: bool = False
    fresh: Fresh | None = None
    quiet_first: bool = False
    plural: bool = True
    sure: bool = False
    """Whoever does it: a receiver that ends with a word of ``never_last`` may do it too."""
    never: frozenset[str] = frozenset()

    def has(self, verb: str) -> bool:
        """Is it one of these verbs?"""
        return verb in self.exact or bool(self.pattern and self.pattern.fullmatch(verb))


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """First words of a tool's name, with the words one of which must follow (all, if empty)."""

    kind: str
    verbs: frozenset[str]
    objects: frozenset[str]
    idempotent: bool


@dataclass(frozen=True, slots=True)
class Quiet:
    """Requests that change nothing: addresses to which a POST only asks, GraphQL that is no mutation."""

    url: re.Pattern[str]
    graphql: re.Pattern[str]

    def has(self, args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> bool:
        """Is this request one of them?"""
        first = kwargs.get("url") or (args[0] if args else None)
        url = first.text if first else None
        if url is not None and self.url.search(url):
            return True
        query = kwargs.get("json.query")
        text = query.text if query else None
        return text is not None and bool(self.graphql.search(text))


@dataclass(frozen=True, slots=True)
class Names:
    """What names say."""

    quiet: Quiet
    prefixes: frozenset[str]
    suffixes: frozenset[str]
    never: frozenset[str]
    never_last: frozenset[str]
    nouns: frozenset[str]
    keys: tuple[str, ...]
    sql_verbs: frozenset[str]
    tool_verbs: frozenset[str]
    receivers: Mapping[str, tuple[Group, ...]]
    anywhere: tuple[Group, ...]
    read_words: frozenset[str]
    read: Group
    tools: tuple[ToolGroup, ...]
    tool_quiet: frozenset[str]
    tool_quiet_words: frozenset[str]
    doc_effect: frozenset[str]
    doc_quiet: frozenset[str]

    @staticmethod
    def parse(file: str, text: str, quiet: Quiet) -> Names:
        """Read ``names.toml``. Raises ValueError, naming ``file``, where it is not well-formed."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise Refused(f"{file}: {error}") from error
        check_keys(data, _TOP, file)
        words, read, tools, docs = (data.get(key, {}) for key in ("words", "read", "tools", "docs"))
        check_keys(words, _WORDS, f"{file}: words")
        check_keys(read, frozenset({"words", "verbs"}), f"{file}: read")
        check_keys(tools, frozenset({"quiet", "quiet_words"}), f"{file}: tools")
        check_keys(docs, frozenset({"effect", "quiet"}), f"{file}: docs")
        receivers: dict[str, list[Group]] = {}
        for index, entry in enumerate(data.get("receiver", ())):
            where = f"{file}: receiver {index + 1}"
            group = _group(entry, where)
            for word in dict.fromkeys(_singular(word) for word in strings(entry, "words", where)):
                receivers.setdefault(word, []).append(group)
        return Names(
            quiet=quiet,
            prefixes=frozenset(strings(words, "prefixes", file)),
            suffixes=frozenset(strings(words, "suffixes", file)),
            never=frozenset(map(_singular, strings(words, "never", file))),
            never_last=frozenset(map(_singular, strings(words, "never_last", file))),
            nouns=frozenset(map(_singular, strings(words, "nouns", file))),
            keys=strings(words, "keys", file),
            sql_verbs=frozenset(strings(words, "sql_verbs", file)),
            tool_verbs=frozenset(strings(words, "tool_verbs", file)),
            receivers={word: tuple(groups) for word, groups in receivers.items()},
            anywhere=tuple(
                _group(entry, f"{file}: anywhere {index + 1}") for index, entry in enumerate(data.get("anywhere", ()))
            ),
            read_words=frozenset(map(_singular, strings(read, "words", file))),
            read=_group({"kind": "read", "reason": "reads only", "verbs": read.get("verbs", [])}, file),
            tools=tuple(_tool(entry, f"{file}: tool {n + 1}") for n, entry in enumerate(data.get("tool", ()))),
            tool_quiet=frozenset(strings(tools, "quiet", file)),
            tool_quiet_words=frozenset(strings(tools, "quiet_words", file)),
            doc_effect=frozenset(strings(docs, "effect", file)),
            doc_quiet=frozenset(strings(docs, "quiet", file)),
        )

    def guess(
        self, receiver: str, verb: str, args: Sequence[Argument], kwargs: Mapping[str, Argument]
    ) -> Effect | None:
        """An effect or a read of certainty ``likely``, or None."""
        name = _display(receiver, verb)
        verbs = verb_forms(verb)
        if receiver and self.sql_verbs.intersection(verbs):
            return self._sql(name, args, kwargs)
        if self.tool_verbs.intersection(verbs):
            return self.guess_call(pick(0, "name", args, kwargs) or kwargs.get("tool_name"))
        for group in self._groups(receiver, verbs):
            if group is self.read:
                return Effect(name, "read", "read", True, "likely", (), "its name says that it only reads")
            if self._fits(group, args, kwargs):
                return self._effect(group, name, args, kwargs)
        return None

    def might(self, receiver: str, verb: str) -> bool:
        """Whether ``guess`` says anything for some arguments."""
        verbs = verb_forms(verb)
        known = (self.sql_verbs if receiver else frozenset()) | self.tool_verbs
        return bool(known.intersection(verbs)) or next(self._groups(receiver, verbs), None) is not None

    def _groups(self, receiver: str, verbs: Sequence[str]) -> Iterator[Group]:
        """The groups that speak of such a call, in the order in which they are asked."""
        words = receiver_words(receiver)
        singular = [_singular(word) for word in words]
        if self.never.intersection([*singular, *map(_singular, chain_words(receiver))]):
            return
        candidates = self._candidates(words)
        plural = bool(words) and words[-1] != singular[-1]
        vague = bool(words) and singular[-1] in self.never_last
        for form in verbs:
            for candidate in () if vague else candidates:
                for group in self.receivers.get(candidate, ()):
                    if group.has(form) and (group.plural or not plural) and not self._is_thing(group, form):
                        yield group
            for group in self.anywhere:
                if group.has(form) and (group.sure or not vague) and not group.never.intersection(singular or ("",)):
                    yield group
            if not vague and self.read.has(form) and self.read_words.intersection(candidates):
                yield self.read

    def _is_thing(self, group: Group, verb: str) -> bool:
        """Whether a verb's last word says that something is named or asked for: ``credit_score``."""
        return verb not in group.exact and "_" in verb and _singular(verb.rpartition("_")[2]) in self.nouns

    def guess_call(self, tool: Argument | None) -> Effect | None:
        """What ``session.call_tool("github__create_issue", ...)`` seems to do; None where the name is not known."""
        text = tool.text if tool else None
        if text is None or "{}" in text:
            return None
        name = re.split(r"__|[./:]", text)[-1]
        words = snake(name.replace("-", "_")).split("_")
        if len(words) > 2 and words[0] in self.receivers and not any(words[0] in group.verbs for group in self.tools):
            words = words[1:]  # slack_post_message
        return self.guess_tool("_".join(words), "")

    def guess_tool(self, name: str, doc: str) -> Effect | None:
        """An effect of certainty ``likely``, or None; the body of the tool is not looked at."""
        words = [word for word in snake(name).split("_") if word not in ("", "tool", "async", "a", "my")]
        opening = re.match(r"\W*(\w+)", doc)
        said = opening[1].lower() if opening else ""
        if not words or words[0] in self.tool_quiet or said in self.doc_quiet:
            return None
        if "_".join(words[:2]) in self.tool_quiet or self.tool_quiet_words.intersection(words):
            return None
        for group in self.tools:
            if words[0] in group.verbs and (
                not group.objects or (len(words) > 1 and group.objects.intersection(words[1:]))
            ):
                reason = f"the tool's name says that it acts ({words[0]})"
                return Effect(name, group.kind, "effect", group.idempotent, "likely", (), reason)
        if said in self.doc_effect:
            reason = f"the tool's docstring says that it acts ({said})"
            return Effect(name, "tool", "effect", False, "likely", (), reason)
        return None

    def _sql(self, name: str, args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> Effect | None:
        given = [*args[:1], *(kwargs[key] for key in ("query", "sql", "statement") if key in kwargs)]
        text = next((argument.text for argument in given if argument.text), None)
        if text is None or not _SQL_TEXT.match(text):
            return None
        action = sql_action(text)
        if action == "other":
            return None
        if action == "read":
            return Effect(name, "sql", "read", True, "likely", (), "reads only")
        repeats = action in ("insert", "increment")
        reason = SQL_REASONS.get(action, "leaves the same when repeated")
        return Effect(name, "sql", "effect", not repeats, "likely", (), reason)

    def _candidates(self, words: Sequence[str]) -> list[str]:
        """What a receiver may be called in the tables, the fullest name first."""
        kept = list(words)
        while kept and kept[0] in self.prefixes:
            kept.pop(0)
        found: list[str] = []
        while kept:
            found += ["_".join([*kept[:-1], _singular(kept[-1])]), _singular(kept[-1])]
            if kept[-1] not in self.suffixes:
                break
            kept.pop()
        return list(dict.fromkeys(found))

    def _fits(self, group: Group, args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> bool:
        if group.requires and not group.requires.intersection(kwargs):
            return False
        if group.forbids.intersection(kwargs):
            return False
        if group.quiet_first:
            return not self.quiet.has(args, kwargs)
        return True

    def _effect(self, group: Group, name: str, args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> Effect:
        keys = (*self.keys, *group.keys)
        given = given_keys(keys, args, kwargs)
        return Effect(
            name=name,
            kind=group.kind,
            action="effect",
            idempotent=group.idempotent or bool(given),
            certainty="likely",
            keys=given or ("idempotency_key",),
            reason=group.reason,
            given=given,
            fresh=group.fresh,
        )


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """``sendEmail`` and ``SMTPMailer`` as ``send_email`` and ``smtp_mailer``."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


@lru_cache(maxsize=4096)
def verb_forms(verb: str) -> tuple[str, ...]:
    """A verb as written and without what marks it as asynchronous or private."""
    plain = verb.strip("_")
    low = re.sub(r"_(?:async|sync)$", "", snake(plain))
    forms = [verb, plain, low]
    if low.startswith("async_"):
        forms.append(low[6:])
    elif low.startswith("a") and len(low) > 3:
        forms.append(low[1:])
    return tuple(dict.fromkeys(form for form in forms if form))


@lru_cache(maxsize=4096)
def receiver_words(receiver: str) -> tuple[str, ...]:
    """The words of what a receiver's text calls it: its last attribute, literal key or function.

    ``self.psp``, ``config["configurable"]["psp"]``, ``get_psp()`` and ``PspClient(url)`` all speak of a psp.
    """
    text = receiver.strip()
    called = False
    while text.endswith((")", "]")):
        start = _opening(text)
        key = re.fullmatch(r"\s*['\"]([\w.-]+)['\"]\s*", text[start + 1 : -1])
        if text.endswith("]") and key:
            text = key[1].replace("-", "_")
            break
        called = text.endswith(")")
        text = text[:start].rstrip()
    name = re.search(r"(\w+)\W*$", text)
    words = [word for word in snake(name[1]).split("_") if word] if name else []
    if called and len(words) > 1 and words[0] in ("get", "make", "create", "build", "new", "load", "init"):
        words = words[1:]
    return tuple(words)


@lru_cache(maxsize=4096)
def chain_words(receiver: str) -> tuple[str, ...]:
    """The words of a plain chain of names (``_metrics.active_sessions``); none of anything else."""
    if not re.fullmatch(r"[\w.]+", receiver):
        return ()
    return tuple(word for name in receiver.split(".") for word in snake(name).split("_") if word)


def _display(receiver: str, verb: str) -> str:
    """What a message calls the call: short, where the receiver is more than a chain of names."""
    if receiver and not re.fullmatch(r"[\w.]+", receiver):
        receiver = "_".join(receiver_words(receiver))
    return f"{receiver}.{verb}" if receiver else verb


def _opening(text: str) -> int:
    """Where the bracket that the text ends with opens; 0 if it does not."""
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        if text[index] in ")]":
            depth += 1
        elif text[index] in "([":
            depth -= 1
            if depth == 0:
                return index
    return 0


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


def _group(entry: dict[str, Any], where: str) -> Group:
    check_keys(entry, _GROUP, where)
    verbs = strings(entry, "verbs", where)
    if not verbs or not isinstance(entry.get("kind"), str) or not isinstance(entry.get("reason"), str):
        raise Refused(f"{where}: needs kind, verbs and reason")
    starred = [re.escape(verb).replace(r"\*", r"\w+") for verb in verbs if "*" in verb]
    return Group(
        kind=entry["kind"],
        reason=entry["reason"],
        exact=frozenset(verb for verb in verbs if "*" not in verb),
        pattern=re.compile("|".join(starred)) if starred else None,
        requires=frozenset(strings(entry, "requires", where)),
        forbids=frozenset(strings(entry, "forbids", where)),
        keys=strings(entry, "keys", where),
        idempotent=flag(entry, "idempotent", where),
        fresh=place(entry["fresh"], where) if "fresh" in entry else None,
        quiet_first=flag(entry, "quiet_first", where),
        plural=flag(entry, "plural", where, True),
        sure=flag(entry, "sure", where),
        never=frozenset(strings(entry, "never", where)),
    )


def _tool(entry: dict[str, Any], where: str) -> ToolGroup:
    check_keys(entry, _TOOL, where)
    objects = frozenset(strings(entry, "objects", where))
    if not isinstance(entry.get("kind"), str):
        raise Refused(f"{where}: needs kind")
    return ToolGroup(
        kind=entry["kind"],
        verbs=frozenset(strings(entry, "verbs", where)),
        objects=frozenset() if "*" in objects else objects,
        idempotent=flag(entry, "idempotent", where),
    )
