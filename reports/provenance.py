"""Which commit a report is about, read from the files of ``.git``.

Git itself is never run on an audited folder: its configuration may name programs to start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from ..analyzer.source import SourceError, read_path

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs/(?!.*\.\.)[\w./+@#=-]+")
_REMOTE = re.compile(r'\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]', re.IGNORECASE)
_URL = re.compile(r'url\s*=\s*"?([^"\s#;]+)', re.IGNORECASE)
_SCP = re.compile(r"(?:[^@/\s]+@)?([\w.-]{2,}):(?![/:])(\S+)")
_SAFE = "/-._~%+@"
_HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Provenance:
    """A repository by its public address, the commit checked out and its branch, as far as known."""

    repository: str
    commit: str | None
    branch: str | None


def provenance(root: Path) -> Provenance | None:
    """What ``.git`` at the root tells; None where it names no remote to call the repository by."""
    folder = _git_folder(root / ".git")
    if folder is None:
        return None
    common = _pointed(folder, _text(folder / "commondir")) or folder
    address = _remote(_text(common / "config"))
    if address is None:
        return None
    head = _text(folder / "HEAD").strip()
    ref = head.removeprefix("ref:").strip()
    if ref == head or not _REF.fullmatch(ref):
        return Provenance(address, _commit(head), None)
    found = _commit(_text(folder / ref)) or _commit(_text(common / ref)) or _packed(_text(common / "packed-refs"), ref)
    return Provenance(address, found, ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else None)


def public_address(url: str) -> str | None:
    """A remote as the address of a page: the same by whatever protocol it is fetched, without user,
    password, query and ``.git``; None for a folder of this machine."""
    scp = None if "://" in url else _SCP.fullmatch(url)
    if scp is not None:
        host, path = scp[1], scp[2]
    else:
        try:
            parts = urlsplit(url)
            port = f":{parts.port}" if parts.port and parts.scheme in ("http", "https") else ""
            host, path = (parts.hostname or "") + port, parts.path
        except ValueError:
            return None
        if parts.scheme not in ("http", "https", "ssh", "git", "git+ssh"):
            return None
    path = path.strip("/").removesuffix(".git")
    if not host or not path or not host.isascii():
        return None
    return f"https://{host.lower()}/{quote(path, _SAFE)}"


def _git_folder(mark: Path) -> Path | None:
    """The folder itself, or the one that a file of that name points to (worktrees, submodules)."""
    if mark.is_dir():
        return mark
    return _pointed(mark.parent, _text(mark).removeprefix("gitdir:"))


def _pointed(base: Path, text: str) -> Path | None:
    name = text.strip()
    folder = base / name
    return folder if name and "\n" not in name and (folder / "HEAD").is_file() else None


def _remote(config: str) -> str | None:
    """The address of the remote called origin, or of the only one."""
    urls = dict(_remotes(config))
    if "origin" not in urls and len(urls) != 1:
        return None
    return public_address(urls.get("origin") or next(iter(urls.values())))


def _remotes(config: str) -> Iterator[tuple[str, str]]:
    name = None
    for line in config.splitlines():
        line = line.strip()
        if line.startswith("["):
            section = _REMOTE.match(line)
            name = section[1] if section is not None else None
        elif name is not None and (url := _URL.match(line)) is not None:
            yield name, url[1]


def _packed(text: str, ref: str) -> str | None:
    for line in text.splitlines():
        commit, _, name = line.partition(" ")
        if name == ref:
            return _commit(commit)
    return None


def _commit(text: str) -> str | None:
    text = text.strip()
    return text if _COMMIT.fullmatch(text) else None


def _text(path: Path) -> str:
    try:
        return read_path(path).decode("utf-8", "replace")
    except (SourceError, ValueError):
        return ""
