"""The files in which Python projects say what they need, each read into (package, specifier) pairs.

Packages are named as PEP 503 normalises them, specifiers as PEP 440 writes them. A line that is not
understood is passed over; a file that is none of its kind raises Malformed (or a TOML error).
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

Pairs = Iterable[tuple[str, str]]
Reader = Callable[[str], Pairs]


class Malformed(Exception):
    """The file is not of the kind its name says."""


def is_requirements(name: str) -> bool:
    """Whether a file name is one of pip's requirement or constraint files."""
    return bool(re.fullmatch(r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", name))


def requirements(text: str) -> Iterator[tuple[str, str]]:
    """pip's requirement files; options, links and local paths are passed over."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        entry = re.split(r"(?:^|\s)#|\s--", line, maxsplit=1)[0].strip()
        if entry and not entry.startswith("-"):
            yield from _requirement(entry)


def _requirement(entry: object) -> Iterator[tuple[str, str]]:
    if not isinstance(entry, str):
        return
    try:
        parsed = Requirement(entry)
    except InvalidRequirement:
        return
    yield canonicalize_name(parsed.name), str(parsed.specifier)


_LOCKED = re.compile(r'^\[\[packages?\]\]\s*\nname = "([^"\n]+)"\s*\nversion = "([^"\n]+)"', re.MULTILINE)


def _toml_lock(text: str) -> Iterator[tuple[str, str]]:
    """uv.lock, poetry.lock, pdm.lock, pylock.toml. By pattern: a lock of a megabyte takes tomllib long."""
    text = text.replace("\r\n", "\n")
    found = False
    for name, version in _LOCKED.findall(text):
        found = True
        yield canonicalize_name(name), f"=={version}"
    if not found:
        tomllib.loads(text)


def _pipfile_lock(text: str) -> Iterator[tuple[str, str]]:
    try:
        lock = json.loads(text)
    except ValueError as error:
        raise Malformed(f"not JSON: {error}") from None
    for group in ("default", "develop"):
        for name, entry in _table(_table(lock).get(group)).items():
            version = _table(entry).get("version")
            if isinstance(version, str):
                yield canonicalize_name(name), version


def _pyproject(text: str) -> Iterator[tuple[str, str]]:
    table = tomllib.loads(text)
    project = _table(table.get("project"))
    tool = _table(table.get("tool"))
    lists = [project.get("dependencies")]
    lists += _table(project.get("optional-dependencies")).values()
    lists += _table(table.get("dependency-groups")).values()
    lists += _table(_table(tool.get("pdm")).get("dev-dependencies")).values()
    lists.append(_table(tool.get("uv")).get("dev-dependencies"))
    for entries in lists:
        for entry in entries if isinstance(entries, list) else []:
            yield from _requirement(entry)
    poetry = _table(tool.get("poetry"))
    tables = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    tables += [_table(group).get("dependencies") for group in _table(poetry.get("group")).values()]
    for dependencies in tables:
        yield from _constraints(dependencies)


def _pipfile(text: str) -> Iterator[tuple[str, str]]:
    table = tomllib.loads(text)
    for group in ("packages", "dev-packages"):
        yield from _constraints(table.get(group))


def _constraints(dependencies: object) -> Iterator[tuple[str, str]]:
    """A table of Poetry's or Pipenv's constraints; of several for one package the last."""
    for name, entry in _table(dependencies).items():
        if isinstance(entry, list) and entry:
            entry = entry[-1]
        if isinstance(entry, dict):
            entry = entry.get("version", "*")
        if isinstance(entry, str):
            yield canonicalize_name(name), _specifier(entry)


def _specifier(constraint: str) -> str:
    """Poetry's constraint in the terms of PEP 440; of alternatives the last."""
    parts = [part for part in re.split(r"[,\s]+", re.sub(r"([<>=~!^])\s+", r"\1", constraint)) if part]
    if "||" in parts:
        parts = parts[len(parts) - parts[::-1].index("||") :]
    return ",".join(filter(None, (_part(part) for part in parts)))


def _part(part: str) -> str:
    release = re.fullmatch(r"([\^~])v?((\d+)(?:\.(\d+))?(?:\.(\d+))?.*)", part)
    if release:
        numbers = [int(number) for number in release.groups()[2:] if number is not None]
        if release[1] == "^":
            place = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
        else:
            place = min(1, len(numbers) - 1)
        end = [*numbers[:place], numbers[place] + 1]
        return f">={release[2]},<{'.'.join(map(str, end))}"
    if part == "*":
        return ""
    return part if part[0] in "<>=!~" else f"=={part}"


def _setup_cfg(text: str) -> Iterator[tuple[str, str]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise Malformed(" ".join(str(error).split())) from None
    yield from requirements(parser.get("options", "install_requires", fallback=""))
    if parser.has_section("options.extras_require"):
        for _, extra in parser.items("options.extras_require"):
            yield from requirements(extra)


def _environment(text: str) -> Iterator[tuple[str, str]]:
    """conda's environment.yml, the entries of its ``pip:`` list included."""
    for entry in re.findall(r"^\s*-\s+[\"']?([A-Za-z0-9][^\"'#\n]*)", text, re.MULTILINE):
        plain = re.fullmatch(r"(?:[\w.-]+::)?([\w.-]+?)\s*=\s*([\w.*]+)(?:=[\w.]+)?", entry.strip())
        if plain:
            # conda's single = is a prefix: 1.2 stands for every 1.2.x
            exact = "*" not in plain[2] and (entry.count("=") == 2 or plain[2].count(".") > 1)
            yield canonicalize_name(plain[1]), f"=={plain[2]}" if exact else f"=={plain[2].rstrip('.*')}.*"
        else:
            yield from _requirement(entry.strip())


def _table(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


READERS: dict[str, Reader] = {
    "uv.lock": _toml_lock,
    "poetry.lock": _toml_lock,
    "pdm.lock": _toml_lock,
    "pylock.toml": _toml_lock,
    "Pipfile.lock": _pipfile_lock,
    "pyproject.toml": _pyproject,
    "requirements.txt": requirements,
    "Pipfile": _pipfile,
    "setup.cfg": _setup_cfg,
    "environment.yml": _environment,
    "environment.yaml": _environment,
}
"""File name to reader, locks first."""
