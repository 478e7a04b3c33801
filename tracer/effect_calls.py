"""What a call is: its name in the tables of effects, whether a repetition is harmless, its idempotency key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from ..analyzer.knowledge.effect_frames import EffectFrame
from . import kinds
from .paths import first_of_varargs, read, text_of

_VARARGS, _KEYWORDS = 4, 8


@dataclass(frozen=True, slots=True)
class Judged:
    """An effect, before it happens. ``arguments`` is what its digest covers, ``key`` the values of its keys."""

    name: str
    kind: str
    idempotent: bool
    arguments: Any
    key: tuple[Any, ...] = ()
    once: bool | None = None


QUIET = Judged("", "", True, None)
"""No effect, and what it calls is none either."""


def by_table(name: str, frame: FrameType) -> Judged | None:
    """A call of a function that the tables know by this name."""
    given = arguments(frame)
    code = frame.f_code
    positional = [given[each] for each in code.co_varnames[: code.co_argcount] if each in given]
    if code.co_flags & _VARARGS:
        more = given.get(_starred(code))
        positional += more if type(more) is tuple else ()
    return _judge(name, positional, _named(code, given), given)


def by_frame(spec: EffectFrame, frame: FrameType) -> Judged | None:
    """A call of a function whose name and arguments the tables have otherwise."""
    found = frame.f_locals
    given = arguments(frame)
    digested = {path: read(found, path) for path in spec.digest} if spec.digest else given
    if spec.counts:
        return _counted(spec, read(found, spec.counts), digested)
    name = _name(spec, frame)
    named = _named(frame.f_code, given)
    method = text_of(read(found, spec.method)) if spec.method else None
    if method is not None:
        judged = _judge("urllib3.request", [method, *(read(found, path) for path in spec.given)], {}, digested)
        return judged if judged is None or judged is QUIET else Judged(name, judged.kind, judged.idempotent, digested)
    return _judge(name, [read(found, path) for path in spec.given], named, digested)


def by_name(name: str, positional: Sequence[Any], digested: Any) -> Judged | None:
    """A call without a frame of its own."""
    return _judge(name, positional, {}, digested)


def arguments(frame: FrameType) -> dict[str, Any]:
    """The arguments of a call by parameter, ``self`` left out; ``*args`` and ``**kwargs`` under their own names."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _KEYWORDS)
    found = frame.f_locals
    names = code.co_varnames[:count]
    return {name: found.get(name) for name in names if name not in ("self", "cls")}


def argument(frame: FrameType, name: str) -> Any:
    """One argument by its name, also where ``**kwargs`` took it."""
    return _named(frame.f_code, arguments(frame)).get(name)


def _judge(name: str, positional: Iterable[Any], named: Mapping[str, Any], digested: Any) -> Judged | None:
    from ..analyzer.knowledge import effects  # takes long: only where an effect is met
    from ..analyzer.knowledge.arguments import Argument

    table = effects.load()
    rule = table.lookup(name)
    if rule is None:
        return None

    def literal(value: Any) -> Argument:
        if value is None or type(value) in (int, float, bool):
            return Argument(value, True)
        text = text_of(value)
        return Argument(text, text is not None)

    values = dict(_flat(named, 2))
    args = [literal(value) for value in positional]
    kwargs = {key: literal(value) for key, value in values.items() if value is not None}
    effect = table.classify(name, args, kwargs)
    if effect is None or effect.action != "effect":
        return QUIET if effect is not None or rule.action != "effect" or (args and args[0].known) else None
    lowered = {key.lower(): value for key, value in values.items()}
    keys = tuple(lowered.get(key.lower()) for key in effect.given)
    return Judged(effect.name, effect.kind, effect.idempotent and not effect.given, digested, keys)


def _counted(spec: EffectFrame, commands: Any, digested: Any) -> Judged | None:
    """Several commands sent as one."""
    if type(commands) is not list:
        return None
    found = []
    for command in commands:
        words = command[0] if type(command) is tuple and command else getattr(command, "args", None)
        if type(words) is tuple and words and type(words[0]) is str:
            found.append(_judge(f"{spec.effect.removesuffix('{}')}{_word(spec, words[0])}", [], {}, None))
    acting = [each for each in found if each is not None and each is not QUIET]
    if not acting:
        return QUIET
    name = spec.effect.replace("{}", "pipeline.execute")
    return Judged(name, acting[0].kind, all(each.idempotent for each in acting), digested)


def _name(spec: EffectFrame, frame: FrameType) -> str:
    code = frame.f_code
    owner = code.co_qualname.rpartition(".")[0].rpartition(".")[2]
    name = spec.effect.replace("{}", code.co_name).replace("{class}", owner)
    before, opened, rest = name.partition("{")
    if not opened:
        return name
    variable, _, after = rest.partition("}")
    word = first_of_varargs(frame, variable)
    return f"{before}{_word(spec, word) if type(word) is str else ''}{after}"


def _word(spec: EffectFrame, word: str) -> str:
    plain = word.lower().replace(" ", "_")
    return spec.words.get(plain, plain)


def _named(code: CodeType, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name, those of ``**kwargs`` among them."""
    if not code.co_flags & _KEYWORDS:
        return dict(given)
    spread = code.co_varnames[code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _VARARGS)]
    more = given.get(spread)
    named = {name: value for name, value in given.items() if name != spread}
    return {**named, **more} if type(more) is dict else named


def _starred(code: CodeType) -> str:
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount]


def _flat(values: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    """Entries, and those of mappings inside under dotted keys: ``headers.Idempotency-Key``."""
    for name, value in values.items():
        yield name, value
        if depth:
            inner = dict(_entries(value))
            yield from ((f"{name}.{key}", item) for key, item in _flat(inner, depth - 1))


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a dict, of a list of pairs, and of the headers that HTTP clients make."""
    kind = type(value)
    if issubclass(kind, dict):
        pairs: Sequence[Any] = list(dict.items(value))
    elif kind in (list, tuple):
        pairs = value
    elif kinds.name(kind) == "requests.structures.CaseInsensitiveDict":
        pairs = list(dict.values(value._store))
    elif kinds.name(kind) in ("httpx.Headers", "httpx._models.Headers"):
        pairs = [(each[0], each[-1]) for each in getattr(value, "_list", ())]
    else:
        return
    for pair in pairs:
        if type(pair) is tuple and len(pair) == 2:
            key, inner = (bytes.decode(each, "latin-1") if type(each) is bytes else each for each in pair)
            if type(key) is str:
                yield key, inner
