"""Findings of an unchanged project, kept beside the summaries.

The key covers all that decides them: the tool's own files, this Python, the configuration and
options, the bytes of every file found, and the manifests that pin versions or name a server.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

from ..analyzer import cache as store
from ..analyzer.discover import FoundFile
from ..analyzer.manifests import READERS, is_requirements
from ..analyzer.persistence import MANIFESTS
from ..analyzer.source import SourceError, read_bytes
from ..analyzer.summary import Suppression
from ..contract import AuditError, Finding, Stats

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Raw:
    """What building and judging gave, before suppressions and the like are applied."""

    findings: tuple[Finding, ...] = ()
    errors: tuple[AuditError, ...] = ()
    not_checked: tuple[str, ...] = ()
    stats: Stats = field(default_factory=Stats)
    comments: dict[str, tuple[Suppression, ...]] = field(default_factory=dict)
    hurried: bool = False
    """A limit of time was met, so that another run may find more."""


_DECODER = msgspec.msgpack.Decoder(Raw)


def key(root: Path, files: Sequence[FoundFile], settings: object) -> str:
    """The name under which the findings of these files under these settings are kept."""
    digest = hashlib.blake2b(digest_size=20)
    digest.update(repr((sys.version_info, settings)).encode("utf-8", "surrogatepass"))
    digest.update(_tool())
    folders = {""}
    for file in files:
        digest.update(repr((file.relative, file.named)).encode("utf-8", "surrogatepass"))
        try:
            digest.update(hashlib.blake2b(read_bytes(file), digest_size=16).digest())
        except SourceError as error:
            digest.update(repr((error.line, error.message)).encode())
        folder = posixpath.dirname(file.relative)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    for folder in sorted(folders):
        for name in _manifests(root / folder):
            digest.update(f"{folder}/{name}".encode("utf-8", "surrogatepass"))
            try:
                digest.update(hashlib.blake2b((root / folder / name).read_bytes(), digest_size=16).digest())
            except OSError:  # a manifest that cannot be read counts as none
                continue
    return digest.hexdigest()


def recall(folder: Path, name: str) -> Raw | None:
    """The findings kept, or None where there are none or they are damaged."""
    entry = store.read(folder, f"findings-{name}")
    if entry is None:
        return None
    try:
        return _DECODER.decode(entry)
    except msgspec.DecodeError:
        return None


def keep(folder: Path, name: str, raw: Raw) -> None:
    """Keep the findings."""
    store.write(folder, f"findings-{name}", msgspec.msgpack.encode(raw))


@cache
def _tool() -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(
        (*_PACKAGE.glob("*.py"), *_PACKAGE.glob("[a-z]*/**/*.py"), *_PACKAGE.glob("analyzer/**/*.toml"))
    ):
        parts = path.relative_to(_PACKAGE).parts
        if parts[0] in ("analyzer", "rules", "cli", "reports") or len(parts) == 1:
            digest.update(path.read_bytes())
    return digest.digest()


def _manifests(folder: Path) -> list[str]:
    """The files of a folder, and of its ``requirements``, that may name a version or a server."""
    found: list[str] = []
    for inner in ("", "requirements/"):
        try:
            with os.scandir(folder / inner) as entries:
                names = [entry.name for entry in entries]
        except OSError:
            continue
        known = (name for name in names if inner or name in READERS or name in MANIFESTS or is_requirements(name))
        found.extend(inner + name for name in known)
    return sorted(found)
