"""Keyed digests: two equal values have one digest, and nobody without the key can try values out."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from .canon import feed

KEY_VARIABLE = "RESUME_AUDIT_KEY"
"""Where several hosts must agree: 64 hexadecimal digits."""

_KEY = re.compile(r"[0-9a-fA-F]{64}")
_SIZE = 16


class BadKey(Exception):
    """A key that cannot be used; says why."""


class Digests:
    """Makes digests under one key (32 bytes)."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, value: object) -> str | None:
        """The digest of a value by its canon; None where the canon does not know the value."""
        hasher = hashlib.blake2b(key=self._key, digest_size=_SIZE)
        return hasher.hexdigest() if feed(value, hasher.update) else None


def load_key(folder: Path) -> bytes:
    """The key of a store: from the environment, from the store, or made now and kept there for all that come later.

    Raises BadKey where the environment's is not 64 hexadecimal digits or the store's was cut short, OSError where
    none can be made.
    """
    given = os.environ.get(KEY_VARIABLE)
    if given:
        if not _KEY.fullmatch(given.strip()):
            raise BadKey(f"{KEY_VARIABLE} is not 64 hexadecimal digits")
        return bytes.fromhex(given.strip())
    path = folder / "key"
    made = os.urandom(32)
    partial = folder / f".key-{os.getpid()}-{made[:4].hex()}"
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, made.hex().encode() + b"\n")
    finally:
        os.close(handle)
    try:
        path.hardlink_to(partial)  # fails where another process was first, and is never seen half written
        return made
    except FileExistsError:
        pass
    finally:
        partial.unlink()
    text = path.read_text(encoding="ascii", errors="replace").strip()
    if not _KEY.fullmatch(text):
        raise BadKey(f"{path} does not hold 64 hexadecimal digits")
    return bytes.fromhex(text)
