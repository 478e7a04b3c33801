"""Summaries kept by the content they were made from and the tool that made them."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path

from .. import __version__
from .summary import SCHEMA

_DIGEST = 16
_MAKERS = (
    "lower_statements.py",
    "lower.py",
    "lower_expressions.py",
    "suppression_comments.py",
    "summary.py",
    "notebooks.py",
    "source.py",
)


@cache
def _salt() -> bytes:
    """What a summary depends on beside the content: tool, schema, the grammar of this Python."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{__version__} {SCHEMA} {sys.version_info[:2]}".encode())
    for name in _MAKERS:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.digest()


def key(data: bytes, suffix: str) -> str:
    """The name under which the summary of this content is kept."""
    return hashlib.blake2b(data, digest_size=20, salt=_salt(), person=suffix.encode()[:16]).hexdigest()


def read(folder: Path, name: str) -> bytes | None:
    """The entry, or None where there is none or it is damaged."""
    path = folder / f"{name}.bin"
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would never end
            return None
        entry = path.read_bytes()
    except OSError:
        return None
    payload = entry[_DIGEST:]
    return payload if entry[:_DIGEST] == _digest(payload) else None


def write(folder: Path, name: str, payload: bytes) -> None:
    """Keep the entry; a folder that takes none is no error. Readers never see half an entry."""
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "wb") as stream:
            stream.write(_digest(payload) + payload)
        Path(temporary).replace(folder / f"{name}.bin")
    except OSError:
        return


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=_DIGEST, salt=_salt()).digest()
