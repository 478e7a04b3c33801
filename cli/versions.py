"""Which framework versions are told, and what is said where one was not measured."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from ..analyzer.knowledge import frameworks
from ..config import Config

if TYPE_CHECKING:
    from ..analyzer.program import Program

_TOLD = re.compile(r"([A-Za-z][\w.-]*?)\s*==?\s*(\d\S*)")


def framework_version(text: str) -> tuple[str, str] | None:
    """``NAME=VERSION`` (or ``==``) as name and version; None for anything else."""
    match = _TOLD.fullmatch(text.strip())
    if match is None or _parsed(match[2]) is None:
        return None
    return match[1].lower().replace("_", "-"), match[2]


def unknown(name: str) -> str:
    """What to say of a name that no framework has; "" for one that a framework has."""
    known = [item.name for item in frameworks.load().frameworks]
    if name in known:
        return ""
    close = difflib.get_close_matches(name.lower(), known, 1)
    return f"no framework is called {name!r}" + (f"; did you mean {close[0]}?" if close else f" ({', '.join(known)})")


def check(config: Config, told: Mapping[str, str]) -> None:
    """Raise ``config.ConfigError``, or ``ValueError`` for an option, where a framework is misspelt."""
    for item in config.frameworks:
        pair = framework_version(item)
        name = pair[0] if pair is not None else item.strip().lower().replace("_", "-")
        if pair is None and re.search(r"[^\w.-]", name):
            raise config.complaint(f"{item!r} is not NAME==VERSION (langgraph==1.2.24)", "frameworks")
        if said := unknown(name):
            raise config.complaint(said, "frameworks")
    for name, version in told.items():
        if said := unknown(name):
            raise ValueError(f"--framework-version: {said}")
        if _parsed(version) is None:
            raise ValueError(f"--framework-version: {version!r} is no version")


def configured(config: Config) -> dict[str, str]:
    """The versions that the configuration tells."""
    return dict(pair for text in config.frameworks if (pair := framework_version(text)))


def assumptions(program: Program, named: Iterable[str]) -> Iterator[str]:
    """A sentence for each version, assumed for one of the named files, that nobody measured."""
    paths = sorted(program.project.files.keys() & set(named))
    for framework in frameworks.load().frameworks:
        assumed: dict[str, set[str]] = {}
        for path in paths:
            assumed.setdefault(program.version(path, framework.name), set()).add(path)
        for version in sorted(assumed, key=_order):
            if said := assumption(framework, version):
                yield said


def assumption(framework: frameworks.Framework, version: str) -> str:
    """What is taken to hold for a version; "" for one that was measured."""
    parsed = _parsed(version)
    measured = sorted(each for each in map(_parsed, framework.measured) if each is not None)
    if parsed is None or not measured or parsed in measured:
        return ""
    below = [each for each in measured if each < parsed]
    above = [each for each in measured if each > parsed]
    taken = (
        f"as what was measured on {below[-1]} and {above[0]}, on either side of it"
        if below and above
        else f"as {below[-1]}, the newest measured"
        if below
        else f"as {above[0]}, the oldest measured"
    )
    return f"{framework.name} {version} itself, which was not measured: it is taken to behave {taken}"


def _parsed(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _order(version: str) -> tuple[Version, str]:
    return (_parsed(version) or Version("0"), version)
