"""Which files are audited: the Python files and notebooks of a project.

The whole project is found, since linking needs it; what lies inside the given paths is marked as
named. ``.gitignore`` files are obeyed at every level, with or without a ``.git`` folder; git's
private and global excludes are not, as they differ between checkouts. Linked folders are not
entered. Nothing but folders and ignore files is opened here.
"""

# Strings, not Path objects: a walk meets tens of thousands of entries.
# ruff: noqa: PTH100, PTH114, PTH116, PTH118, PTH119, PTH123
from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..contract import AuditError
from . import ignores

SUFFIXES = (".py", ".pyw", ".ipynb")
"""Endings of the files that are audited; a file named by the user is audited whatever its ending."""

_QUIET = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        ".bzr",
        ".jj",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".pytype",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".resume-audit",
        ".idea",
        ".vscode",
    ]
)
"""Left out without a word: they come and go with tools and never hold source."""

_EXCLUDED = frozenset(
    [
        ".venv",
        "venv",
        ".tox",
        ".nox",
        ".eggs",
        ".direnv",
        ".pants.d",
        "__pypackages__",
        "node_modules",
        "build",
        "dist",
        "_build",
        "buck-out",
        "site-packages",
        "dist-packages",
    ]
)
_OUTPUT = frozenset({"build", "dist"})
"""Names that are output folders, unless an ``__init__.py`` says that they are packages."""

_IGNORE_LIMIT = 1_000_000
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to audit.

    ``path`` is absolute, links in it are kept. ``relative`` is POSIX, relative to the audited root,
    and printable: bytes that are no text and control characters are escaped, so open ``path``.
    ``named``: inside the paths the user gave, so findings there are reported.
    """

    path: Path
    relative: str
    named: bool


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found: ``files`` by relative path, and in ``skipped`` a sentence for each kind left out."""

    root: Path
    files: tuple[FoundFile, ...]
    errors: tuple[AuditError, ...]
    skipped: tuple[str, ...]


def project_root(path: Path) -> Path:
    """The nearest ancestor with .git, else with pyproject.toml, else ``path`` (the folder of a file)."""
    start = Path(os.path.abspath(path))
    if not start.is_dir():
        start = start.parent
    for mark in (".git", "pyproject.toml"):
        for folder in (start, *start.parents):
            if os.path.lexists(folder / mark):
                return folder
    return start


def audit_root(paths: Sequence[Path]) -> Path:
    """The folder that reported paths are relative to: the root of ``paths``, or what their roots share.

    A path inside a folder that is excluded by default, such as a virtual environment, is its own root.
    """
    return _common(_roots(paths))


def find(paths: Sequence[Path], exclude: Sequence[str] = (), root: Path | None = None) -> Discovery:
    """Find the files of the project of ``paths``.

    ``exclude`` holds patterns as in .gitignore, relative to the root. A path that is named is audited
    even if it is ignored or excluded; inside a named folder that is, only ignore files below it count.
    ``root`` overrides ``audit_root(paths)``. Never raises for what it meets on the disk.
    """
    targets = [_absolute(path) for path in paths]
    roots = _roots(paths)
    base = _absolute(root) if root is not None else _common(roots)
    starts = roots if base == _common(roots) else [base]
    walk = _Walk(base, ignores.parse(exclude) if exclude else None)
    for start in sorted(set(starts)):
        walk.folder(start)
    for target in sorted(set(targets)):
        walk.named(target)
    return walk.result(targets)


def printable(relative: str) -> str:
    """``relative`` with control characters and undecodable bytes escaped."""
    if relative.isprintable():
        return relative
    text = relative.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(f"\\x{ord(c):02x}" if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in text)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _common(roots: Sequence[Path]) -> Path:
    if not roots:
        return _absolute(Path())
    try:
        return Path(os.path.commonpath(roots))
    except ValueError:  # different drives
        return roots[0]


def _roots(paths: Sequence[Path]) -> list[Path]:
    roots = []
    for path in paths:
        target = _absolute(path)
        root = project_root(target)
        folder = target if target.is_dir() else target.parent
        between = [folder, *folder.parents]
        inside = between[: between.index(root)] if root in between else []
        roots.append(folder if any(_is_excluded(step) for step in inside) else root)
    return roots


def _is_excluded(folder: Path) -> bool:
    name = folder.name
    if name in _QUIET or (name in _EXCLUDED and name not in _OUTPUT):
        return True
    if name in _OUTPUT:
        return not (folder / "__init__.py").exists()
    return (folder / "pyvenv.cfg").exists() or (folder / "conda-meta").exists()


_Chain = tuple[tuple[int, ignores.Rules], ...]
"""Ignore rules in force, the deepest first, each with the length of its folder's path and slash."""


@dataclass(slots=True)
class _Walk:
    base: Path
    exclude: ignores.Rules | None
    files: dict[str, tuple[str, bool]] = field(default_factory=dict)  # absolute path: real path, is a link
    visited: set[str] = field(default_factory=set)
    errors: set[AuditError] = field(default_factory=set)
    by_default: set[str] = field(default_factory=set)
    by_user: set[str] = field(default_factory=set)
    by_git: set[str] = field(default_factory=set)
    linked: set[str] = field(default_factory=set)
    doubles: set[str] = field(default_factory=set)

    def relative(self, path: str) -> str:
        base = str(self.base)
        prefix = base if base.endswith(os.sep) else base + os.sep
        if path.startswith(prefix):
            text = path[len(prefix) :]
        else:
            try:
                text = os.path.relpath(path, base)
            except ValueError:  # another drive
                text = path
        return text.replace(os.sep, "/")

    def error(self, path: str, message: str) -> None:
        self.errors.add(AuditError(printable(self.relative(path)), 1, message))

    def folder(self, start: Path) -> None:
        """Walk down from ``start``, which itself is never excluded."""
        real = os.path.realpath(start)
        top = str(start)
        stack: list[tuple[str, _Chain]] = [(top, ())]
        while stack:
            folder, chain = stack.pop()
            if folder in self.visited:
                continue
            try:
                with os.scandir(folder) as listing:
                    entries = list(listing)
            except OSError as error:
                self.error(folder, f"folder cannot be read: {error.strerror or error}")
                continue
            names = {entry.name for entry in entries}
            if folder != top:
                name = os.path.basename(folder)
                environment = "pyvenv.cfg" in names or "conda-meta" in names
                if environment or (name in _OUTPUT and "__init__.py" not in names):
                    self.by_default.add(self.relative(folder))
                    continue
            self.visited.add(folder)
            prefix = folder if folder.endswith(os.sep) else folder + os.sep
            if ".gitignore" in names:
                rules = _read_rules(prefix + ".gitignore")
                chain = ((len(prefix), rules), *chain) if rules is not None else chain
            for entry in entries:
                self._entry(entry, prefix, real + folder[len(top) :], chain, stack)

    def _entry(
        self, entry: os.DirEntry[str], prefix: str, real: str, chain: _Chain, stack: list[tuple[str, _Chain]]
    ) -> None:
        name = entry.name
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            is_folder = False
        wanted = name.endswith(SUFFIXES)
        if is_folder:
            if name in _QUIET:
                return
            if name in _EXCLUDED and name not in _OUTPUT:
                self.by_default.add(self.relative(prefix + name))
                return
        elif not wanted and (name in _QUIET or not entry.is_symlink()):
            return
        path = prefix + name
        if self.exclude is not None and self.exclude.decide(self.relative(path), name, is_folder):
            self.by_user.add(self.relative(path) + ("/" if is_folder else ""))
            return
        for cut, rules in chain:
            verdict = rules.decide(path[cut:].replace(os.sep, "/"), name, is_folder)
            if verdict is None:
                continue
            if verdict:
                self.by_git.add(self.relative(path) + ("/" if is_folder else ""))
                return
            break
        if is_folder:
            stack.append((path, chain))
        elif entry.is_symlink():
            self._link(path, wanted)
        else:
            self._file(path, os.path.join(real, name), entry)

    def _link(self, path: str, wanted: bool) -> None:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            # Editors mark open files by links to nowhere, named .#file.
            if wanted and not os.path.basename(path).startswith(".#"):
                self.error(path, f"symbolic link cannot be followed: {error.strerror or error}")
            return
        if stat.S_ISDIR(mode):
            self.linked.add(self.relative(path))
        elif wanted and stat.S_ISREG(mode):
            self.files[path] = (os.path.realpath(path), True)
        elif wanted:
            self.error(path, "not a regular file")

    def _file(self, path: str, real: str, entry: os.DirEntry[str]) -> None:
        try:
            regular = entry.is_file(follow_symlinks=False)
        except OSError as error:
            self.error(path, f"cannot be read: {error.strerror or error}")
            return
        if regular:
            self.files[path] = (real, False)
        else:
            self.error(path, "not a regular file")

    def named(self, target: Path) -> None:
        """Add what the user named and the walk of the project has not met."""
        path = str(target)
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            self.error(path, f"cannot be read: {error.strerror or error}")
            return
        if stat.S_ISDIR(mode):
            if path not in self.visited:
                self.folder(target)
                for left_out in (self.by_default, self.by_user, self.by_git, self.linked):
                    left_out.difference_update({self.relative(path), self.relative(path) + "/"})
        elif stat.S_ISREG(mode):
            if path not in self.files:
                self.files[path] = (os.path.realpath(path), os.path.islink(path))
                for left_out in (self.by_user, self.by_git):
                    left_out.discard(self.relative(path))
        else:
            self.error(path, "not a regular file")

    def result(self, targets: Sequence[Path]) -> Discovery:
        whole = {str(target) for target in targets}
        folders = tuple(text if text.endswith(os.sep) else text + os.sep for text in whole)
        chosen: dict[str, tuple[bool, bool, str, str]] = {}
        for path, (real, is_link) in self.files.items():
            named = path in whole or path.startswith(folders)
            rank = (not named, is_link, self.relative(path), path)
            other = chosen.get(real)
            if other is not None:
                self.doubles.add(max(rank, other)[2])
            if other is None or rank < other:
                chosen[real] = rank
        files = [
            FoundFile(Path(path), printable(relative), not unnamed)
            for unnamed, _, relative, path in sorted(chosen.values(), key=lambda rank: rank[2])
        ]
        return Discovery(self.base, tuple(files), tuple(sorted(self.errors)), tuple(self._sentences()))

    def _sentences(self) -> Iterable[str]:
        if self.by_default:
            yield _sentence(self.by_default, "folder", "excluded by default")
        ignored = (self.by_git, "ignored by .gitignore")
        for left_out, why in (ignored, (self.by_user, "excluded by configuration")):
            folders = {path.rstrip("/") for path in left_out if path.endswith("/")}
            if folders:
                yield _sentence(folders, "folder", why)
            if len(folders) < len(left_out):
                yield _sentence({path for path in left_out if not path.endswith("/")}, "file", why)
        if self.linked:
            yield _sentence(self.linked, "linked folder", "not followed")
        if self.doubles:
            yield _sentence(self.doubles, "file", "read once, under another name")


def _sentence(paths: set[str], noun: str, why: str) -> str:
    shown = [printable(path) for path in sorted(paths)[:_SHOWN]]
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return f"{len(paths)} {noun}{'s' if len(paths) > 1 else ''} {why}: {', '.join(shown)}{more}"


def _read_rules(path: str) -> ignores.Rules | None:
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _IGNORE_LIMIT:
            return None
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="\n") as file:
            return ignores.parse(file)
    except OSError:
        return None
