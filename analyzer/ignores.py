"""Reading of .gitignore rules, one entry at a time, as git decides them.

The walk asks about each entry on its own and never enters an ignored folder, so a rule need only
match the entry itself. Rules of one file are joined into a few compiled patterns: a tree of ten
thousand files asks about each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": "\\s",
    "xdigit": "a-fA-F0-9",
    "punct": "!-/:-@\\[-`{-~",
}

_NAMED_CLASS = re.compile(r"\[:(\w+):\]")


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring rules of one sign: patterns over the name and over the path below the rules' folder."""

    negated: bool
    name: re.Pattern[str] | None
    path: re.Pattern[str] | None
    folder_name: re.Pattern[str] | None
    folder_path: re.Pattern[str] | None

    def matches(self, path: str, name: str, is_folder: bool) -> bool:
        if self.name is not None and self.name.fullmatch(name):
            return True
        if self.path is not None and self.path.fullmatch(path):
            return True
        if not is_folder:
            return False
        if self.folder_name is not None and self.folder_name.fullmatch(name):
            return True
        return self.folder_path is not None and self.folder_path.fullmatch(path) is not None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one ignore file, the last one first."""

    runs: tuple[_Run, ...]

    def decide(self, path: str, name: str, is_folder: bool) -> bool | None:
        """True: ignored, False: kept by a negated rule, None: nothing said.

        ``path`` is POSIX and relative to the folder of the ignore file, ``name`` its last part.
        """
        for run in self.runs:
            if run.matches(path, name, is_folder):
                return not run.negated
        return None


def parse(lines: Iterable[str]) -> Rules:
    """Compile the lines of an ignore file. A line that git would not understand matches nothing."""
    runs: list[_Run] = []
    sign: bool | None = None
    group: list[tuple[bool, bool, str]] = []
    for line in lines:
        rule = _translate(line)
        if rule is None:
            continue
        negated, folders_only, anchored, pattern = rule
        if negated != sign and group:
            runs.append(_join(bool(sign), group))
            group = []
        sign = negated
        group.append((folders_only, anchored, pattern))
    if group:
        runs.append(_join(bool(sign), group))
    return Rules(tuple(reversed(runs)))


def _join(negated: bool, group: Sequence[tuple[bool, bool, str]]) -> _Run:
    def pick(folders_only: bool, anchored: bool) -> re.Pattern[str] | None:
        parts = [text for only, anchor, text in group if only is folders_only and anchor is anchored]
        return re.compile("|".join(f"(?:{part})" for part in parts), re.DOTALL) if parts else None

    return _Run(negated, pick(False, False), pick(False, True), pick(True, False), pick(True, True))


def _translate(line: str) -> tuple[bool, bool, bool, str] | None:
    """(negated, folders only, anchored, pattern) of one line, None where it says nothing."""
    line = line.rstrip("\r\n")
    stripped = line.rstrip(" ")
    if stripped != line and (len(stripped) - len(stripped.rstrip("\\"))) % 2:
        stripped += " "
    line = stripped
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    if negated:
        line = line[1:]
    folders_only = line.endswith("/")
    if folders_only:
        line = line[:-1]
    anchored = "/" in line
    line = line.removeprefix("/")
    if not line:
        return None
    try:
        pattern = _anchored(line) if anchored else _glob(line)
        re.compile(pattern)
    except (ValueError, re.error):
        return None
    return negated, folders_only, anchored, pattern


def _anchored(text: str) -> str:
    """A pattern with a slash: ``**`` between slashes stands for any number of folders."""
    parts = text.split("/")
    inside = parts[-1] == "**"
    if inside:
        parts.pop()
    segments: list[list[str]] = [[]]
    for part in parts:
        if part != "**":
            segments[-1].append(_glob(part))
        elif segments[-1] or len(segments) == 1:
            segments.append([])
    out = "".join(part + "/" for part in segments[0]) if len(segments) > 1 else ""
    for segment in segments[1:-1]:
        # The first place that fits is as good as any: atomic, so hostile patterns stay cheap.
        out += "(?>(?:[^/]+/)*?" + "".join(part + "/" for part in segment) + ")"
    out += "(?:.*/)?" if len(segments) > 1 else ""
    out += "/".join(segments[-1])
    if not inside:
        return out
    return out + "/.+" if segments[-1] else out + ".+"


def _glob(text: str) -> str:
    """One path part as a regular expression. ValueError for a dangling backslash or open class."""
    pieces = [""]  # fixed pieces, a star between each two
    index = 0
    while index < len(text):
        char = text[index]
        if char == "*":
            while text[index : index + 1] == "*":
                index += 1
            pieces.append("")
            continue
        if char == "[":
            part, index = _character_class(text, index)
            pieces[-1] += part
            continue
        if char == "\\":
            index += 1
            if index == len(text):
                raise ValueError("dangling backslash")
            char = text[index]
            pieces[-1] += re.escape(char)
        else:
            pieces[-1] += "[^/]" if char == "?" else re.escape(char)
        index += 1
    first, *rest = pieces
    if not rest:
        return first
    return first + "".join(f"(?>[^/]*?{piece})" for piece in rest[:-1]) + "[^/]*" + rest[-1]


def _character_class(text: str, start: int) -> tuple[str, int]:
    """The class that opens at ``start`` and the index past it."""
    index = start + 1
    negated = text[index : index + 1] in ("!", "^")
    if negated:
        index += 1
    out = ""
    first = True
    while index < len(text) and (first or text[index] != "]"):
        first = False
        named = _NAMED_CLASS.match(text, index)
        if named:
            out += _POSIX_CLASSES.get(named[1], "")
            index = named.end()
            continue
        char = text[index]
        escaped = char == "\\"
        if escaped:
            index += 1
            char = text[index : index + 1]
        if char == "-" and not escaped and out and text[index + 1 : index + 2] not in ("]", ""):
            out += "-"
        else:
            out += re.escape(char)
        index += 1
    if index >= len(text):
        raise ValueError("open class")
    if not out:
        return "(?!)", index + 1
    return f"(?!/)[{'^' if negated else ''}{out}]", index + 1
