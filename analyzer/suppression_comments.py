"""Comments that suppress findings: ``# resume-audit: ignore[RA101] reason``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence

from .summary import Suppression

_TOOL = re.compile("resume-audit", re.IGNORECASE)
_COMMENT = re.compile(r"#\s*resume-audit\s*(?::\s*ignore\b|\s+ignore(?=\s*\[)())(.*)", re.IGNORECASE)
_RULES = re.compile(r"\[([^\]]*)\]\s*(.*)")
_RULE = re.compile(r"RA\d+X*\b|\[", re.IGNORECASE)
_LONGEST = 40


def suppressions(text: str, functions: Sequence[tuple[int, int, int]]) -> list[Suppression]:
    """The suppressing comments of a source text.

    ``functions`` are (line of the first decorator, def line, last line). A comment on a line of its
    own is about the next line of code; one about a def line, or a decorator, covers the function.
    Text inside strings is no comment.
    """
    if _TOOL.search(text) is None:
        return []
    found = []
    lines = text.split("\n")
    ends = {line: last for first, line, last in functions for line in (first, line)}
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    for token in tokens:
        match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if match is None:
            continue
        line, column = token.start
        rest = match[2].strip("\r\n")
        rules, reason = _read(rest) if match[1] is None else _unreadable(rest)
        target = line if lines[line - 1][:column].strip() else _next_code(lines, line)
        last = ends.get(target, target)
        found.append(Suppression(line, column, rules, reason, target, last))
    return found


def _read(rest: str) -> tuple[list[str], str]:
    """The rules and the reason of a comment, from what follows ``ignore``.

    What cannot be read becomes the name of a rule that there is none of: it suppresses nothing, and is told.
    """
    found = _RULES.match(rest)
    if found is not None:
        rules, reason = [part.strip() for part in found[1].split(",") if part.strip()], found[2].strip()
        return (rules, reason) if rules and not reason.startswith("[") else _unreadable(rest)
    text = rest.strip().removeprefix(":").strip()
    if rest[:1] not in ("", " ", "\t", ":") or _RULE.match(text):
        return _unreadable(rest)
    return [], text


def _unreadable(rest: str) -> tuple[list[str], str]:
    text = f"ignore{rest}".strip()
    return [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."], "unreadable"


def _next_code(lines: Sequence[str], line: int) -> int:
    for number in range(line, len(lines)):
        stripped = lines[number].strip()
        if stripped and not stripped.startswith("#"):
            return number + 1
    return line
