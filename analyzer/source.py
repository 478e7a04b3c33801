"""From a file on the disk to text, as Python reads sources, and a look for text that breaks parsers."""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path

from .discover import FoundFile

SIZE_LIMIT = 5_000_000
"""Bytes. A larger file is refused: no source written by people comes near."""

MAX_CHAIN = 400
"""Links of one chain (attributes, calls, operators, elif) from which on a file is risky."""

MAX_DEPTH = 100
"""Brackets in brackets from which on a file is risky."""

_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?\Z")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_SLOW_CODECS = ("punycode", "idna")  # quadratic in the size of what they decode


class SourceError(Exception):
    """A file cannot be read as source. ``line`` is 1-based, 1 where unknown; ``message`` is for people."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(line, message)
        self.line = line
        self.message = message


def read_bytes(file: FoundFile) -> bytes:
    """The bytes of a file. SourceError if it is no regular file, too large or cannot be read."""
    return read_path(file.path)


def read_path(path: Path) -> bytes:
    """As ``read_bytes``. Never waits: a pipe put in place of the file meanwhile is refused, too."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise SourceError(1, "not a regular file")
            if status.st_size > SIZE_LIMIT:
                raise SourceError(1, _too_large(status.st_size))
            data = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise SourceError(1, f"cannot be read: {error.strerror or error}") from None
    if len(data) > SIZE_LIMIT:
        raise SourceError(1, _too_large(len(data)))
    return data


def _too_large(size: int) -> str:
    return f"too large: {size / 1e6:.1f} MB, limit {SIZE_LIMIT / 1e6:.0f} MB"


def decode(data: bytes) -> str:
    """The text of a source: byte order mark, coding line (PEP 263) and line ends as Python reads them.

    The mark is dropped and every line ends in ``\\n``. SourceError with the line of what cannot be read.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError(1, "UTF-16 text, which Python does not read as source")
    nul = data.find(b"\0")
    if nul >= 0:
        raise SourceError(_line_at(data, nul), "source contains NUL bytes")
    mark = data.startswith(codecs.BOM_UTF8)
    if mark:
        data = data[len(codecs.BOM_UTF8) :]
    line, encoding = _declared(data)
    if mark and encoding != "utf-8":
        raise SourceError(line, f"encoding {encoding} is declared, but a UTF-8 mark begins the file")
    try:
        text = data.decode(encoding)
        if encoding != "utf-8":
            text.encode()  # some codecs give half characters, which no parser takes
    except UnicodeDecodeError as error:
        at = _line_at(data, error.start)
        raise SourceError(at, f"not {encoding}: {error.reason}") from None
    except (LookupError, ValueError):
        raise SourceError(line, f"cannot be read in the declared encoding {encoding}") from None
    if encoding != "utf-8" and "\0" in text:
        raise SourceError(text.count("\n", 0, text.index("\0")) + 1, "source contains NUL characters")
    return universal_newlines(text)


def universal_newlines(text: str) -> str:
    """``text`` with every line end written as ``\\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _declared(data: bytes) -> tuple[int, str]:
    """The line of the coding line and the codec's name; (1, "utf-8") where nothing is declared."""
    first_end = _LINE_END.search(data)
    first = data[: first_end.start()] if first_end else data
    lines = [first]
    if first_end and _BLANK.match(first):
        second_end = _LINE_END.search(data, first_end.end())
        lines.append(data[first_end.end() : second_end.start() if second_end else len(data)])
    for number, line in enumerate(lines, 1):
        found = _COOKIE.match(line)
        if not found:
            continue
        name = found[1].decode("ascii", "replace")
        try:
            codec = codecs.lookup(name).name
        except (LookupError, ValueError):
            raise SourceError(number, f"unknown encoding: {name}") from None
        if codec in _SLOW_CODECS:
            raise SourceError(number, f"encoding not supported: {name}")
        return number, "utf-8" if codec == "utf-8-sig" else codec
    return 1, "utf-8"


def _line_at(data: bytes, position: int) -> int:
    return sum(1 for _ in _LINE_END.finditer(data, 0, position)) + 1


_BRACKETS = bytes(ord("(") if char in b"([{" else ord(")") if char in b")]}" else char for char in range(256))
_NOT_BRACKETS = bytes(char for char in range(256) if char not in b"()[]{}")
_OPERATORS = b".+-*/%@&|^~<>!"
_SKELETON = bytes(
    ord(".") if char in _OPERATORS else ord(",") if char in b",;:=#" else _BRACKETS[char] for char in range(256)
)
_NOT_SKELETON = bytes(char for char in range(256) if char not in _OPERATORS + b"()[]{},;:=#")
_WORD_OPERATORS = re.compile(rb"\b(?:not|if|in|is|await|yield)\b|lambda[\w ,*=]{0,80}:")
_RULER = re.compile(rb"(?<!-)-{9,}+(?=[\s\"'#]|\Z)")  # a line drawn in a comment or docstring
_FLAT = re.compile(rb"\([.,]*\)")
_CHAIN = re.compile(rb"\.{%d}" % MAX_CHAIN)
_LINES = bytes(char if char in b"\n." else ord("+") if char in b"+-*/%&|^\\" else ord("w") for char in range(256))
_NOT_LINES = b" \t\r)]}"
# Possessive throughout, so that nothing is tried twice.
_LEADING = re.compile(rb"(?:\n[ \t]*+[])}]*+[ \t]*+[-+*/%%&|^.][^\n]*+(?<!,)){%d}+" % (MAX_CHAIN // 2))
_LEADS = re.compile(rb"(?:\n[ \t]*+[])}]*+[ \t]*+[-+*/%&|^.][^\n]*+){4}")
_TRAILS = re.compile(rb"[-+*/%&|^\\](?:\n[^\n]{0,400}[-+*/%&|^\\]){3}")


def risky(source: bytes | str) -> str | None:
    """Why this source could exhaust a parser or a recursive reader, or None.

    A cheap look at the bytes, linear in their number: strings and comments are not told from code, so
    it may warn without need, and a chain spread in unusual ways over lines may pass. Parse what it
    names in a process that may die.
    """
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    depth = _depth(data.translate(_BRACKETS, _NOT_BRACKETS))
    if depth >= MAX_DEPTH:
        return f"{MAX_DEPTH} or more brackets inside each other"
    if data.count(b"elif") >= MAX_CHAIN:
        return f"{MAX_CHAIN} or more elif branches"
    if _spread(data):
        return "an expression that goes on over hundreds of lines"
    for line in _long_lines(data, MAX_CHAIN):
        if _chained(line):
            return f"a chain of {MAX_CHAIN} or more operators, attributes or calls on one line"
    return None


def _depth(brackets: bytes) -> int:
    """Depth of nesting, at most about MAX_DEPTH; unclosed brackets count as nested."""
    rounds = 0
    while b"()" in brackets and rounds < MAX_DEPTH:
        brackets = brackets.replace(b"()", b"")
        rounds += 1
    return max(rounds, brackets.count(b"("))


def _spread(data: bytes) -> bool:
    """Whether hundreds of lines begin or end with an operator.

    Looks at one place in each stretch shorter than such an expression, and at all lines only if it finds
    a few such lines there.
    """
    place = data.find(b"\n", 1)
    while place >= 0 and not _LEADS.match(data, place) and not _TRAILS.match(data, place - 1):
        place = data.find(b"\n", place + MAX_CHAIN)
    if place < 0:
        return False
    lines = data.translate(_LINES, _NOT_LINES)
    if lines.count(b"+\n") >= MAX_CHAIN // 2:
        return True
    leading = lines.count(b"\n.") + lines.count(b"\n+")
    return leading >= MAX_CHAIN // 2 and _LEADING.search(data) is not None


def _long_lines(data: bytes, length: int) -> list[bytes]:
    """The lines longer than ``length`` bytes; looks at one place in each stretch of that length."""
    lines = []
    start = 0
    end = len(data)
    while start + length < end:
        last = data.rfind(b"\n", start, start + length + 1)
        if last < 0:
            stop = data.find(b"\n", start)
            stop = end if stop < 0 else stop
            lines.append(data[start:stop])
            last = stop
        start = last + 1
    return lines


def _chained(line: bytes) -> bool:
    """Whether operators follow each other without a comma between, a closed bracket counting as one."""
    skeleton = _WORD_OPERATORS.sub(b".", _RULER.sub(b"", line)).translate(_SKELETON, _NOT_SKELETON)
    for _ in range(MAX_DEPTH):
        if _CHAIN.search(skeleton):
            return True
        skeleton, found = _FLAT.subn(b".", skeleton)
        if not found:
            break
    return _CHAIN.search(skeleton) is not None
