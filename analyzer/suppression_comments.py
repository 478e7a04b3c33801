"""Comments that suppress findings: ``# resume-audit: ignore[RA101] reason``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence

from .summary import Suppression

_COMMENT = re.compile(r"#\s*resume-audit:\s*ignore\b(.*)")
_RULES = re.compile(r"\[([^\]]*)\]\s*(.*)")
_LONGEST = 40


def suppressions(text: str, functions: Sequence[tuple[int, int, int]]) -> list[Suppression]:
    """The suppressing comments of a source text.

    ``functions`` are (line of the first decorator, def line, last line). A comment on a line of its
    own is about the next line of code; one about a def line, or a decorator, covers the function.
    Text inside strings is no comment.
    """
    if "resume-audit:" not in text:
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
        rules, reason = _read(match[1].strip("\r\n"))
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
        rules = [part.strip() for part in found[1].split(",") if part.strip()]
        return (rules, found[2].strip()) if rules else ([f"ignore[{found[1]}]"], found[2].strip() or "unreadable")
    text = rest.strip()
    if text.startswith("[") or rest[:1] not in ("", " ", "\t", ":"):
        return [f"ignore{rest}"[:_LONGEST].strip()], text or "unreadable"
    return [], text.removeprefix(":").strip()


def _next_code(lines: Sequence[str], line: int) -> int:
    for number in range(line, len(lines)):
        stripped = lines[number].strip()
        if stripped and not stripped.startswith("#"):
            return number + 1
    return line
