"""Standard output and standard error as they are found: closed, piped, narrow in encoding."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import TextIO

from ..reports.excerpt import printable


def say(message: str) -> None:
    """One line on standard error; nothing if there is nobody to hear it."""
    stream = sys.stderr
    if stream is None:
        return
    line = f"resume-audit: {printable(' '.join(message.split()))}\n"
    _put(stream, line, "backslashreplace")


def say_block(text: str) -> None:
    """Several lines on standard error, as they are."""
    if sys.stderr is not None:
        _put(sys.stderr, text, "backslashreplace")


def write_out(data: str, *, encoding: str | None = None) -> None:
    """Write to standard output, in its own encoding if none is given.

    What the encoding cannot express is written as backslash escapes. A reader that went away is
    no error. Raises ``OSError`` if the output cannot take it (a full disk).
    """
    if sys.stdout is not None:
        _put(sys.stdout, data, "backslashreplace", encoding, strict=True)


def wants_colour(stream: TextIO | None, environment: Mapping[str, str]) -> bool:
    """Whether to colour: on terminals that can, unless NO_COLOR; anywhere with FORCE_COLOR."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and environment.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at the stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _put(stream: TextIO, text: str, errors: str, encoding: str | None = None, strict: bool = False) -> None:
    try:
        raw = getattr(stream, "buffer", None)
        if raw is None:
            stream.write(text)
        else:
            stream.flush()
            raw.write(text.encode(encoding or stream.encoding or "utf-8", errors))
        stream.flush()
    except BrokenPipeError:
        _forget(stream)
    except (OSError, ValueError):
        _forget(stream)
        if strict:
            raise


def _forget(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that the interpreter's last flush cannot fail."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
