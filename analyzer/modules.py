"""Which file an import means, from paths alone: nothing of the audited code is on ``sys.path``."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

_TEST = re.compile(r"(^|/)(tests?|testing|test_[^/]*|[^/]*_tests?\.py|conftest\.py)(/|$)")

_SHOWN = re.compile(r"(^|/)(examples?|samples?|demos?|tutorials?|quickstarts?|cookbooks?|playgrounds?)(/|$)|quickstart")


@lru_cache(maxsize=100_000)
def is_demonstration(path: str) -> bool:
    """Whether a file is there to be read or tried out, by the folder it lies in."""
    return _SHOWN.search(path) is not None


@lru_cache(maxsize=100_000)
def is_test(path: str) -> bool:
    """Whether a file belongs to tests, by its path."""
    return _TEST.search(path) is not None


@dataclass(frozen=True)
class Modules:
    """The modules of a project by path (POSIX, relative to the root)."""

    paths: frozenset[str]
    folders: frozenset[str]
    by_last: dict[str, tuple[str, ...]]
    installed: bool = False
    """Whether the root is itself a folder of installed packages."""
    _known: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def dotted(self, path: str) -> str:
        """The qualified name of the module: from the outermost folder that is a package."""
        parts = module_parts(path)
        start = len(parts) - 1 if not path.endswith("/__init__.py") else len(parts)
        folder = posixpath.dirname(path)
        count = 0
        while folder and f"{folder}/__init__.py" in self.paths:
            count += 1
            folder = posixpath.dirname(folder)
        if path.endswith("/__init__.py"):
            return ".".join(parts[start - count :]) if count else parts[-1]
        return ".".join(parts[len(parts) - 1 - count :])

    def find(self, name: str, importer: str) -> str | None:
        """The path of a module by its dotted name, as seen from the importing file.

        A relative name starts with dots. For an absolute one the file whose path ends with the
        name is taken, the one that shares the longest folder with the importer first. None where
        the project has no such file.
        """
        key = (name, posixpath.dirname(importer))
        if key not in self._known:
            self._known[key] = self._relative(name, importer) if name.startswith(".") else self._absolute(*key)
        return self._known[key]

    def submodule(self, package: str, name: str) -> str | None:
        """The path of a module inside the package whose ``__init__`` is ``package``, if any."""
        folder = posixpath.dirname(package) if package.endswith("__init__.py") else package
        return self._at(f"{folder}/{name}" if folder else name)

    def _at(self, stem: str) -> str | None:
        for path in (f"{stem}/__init__.py", f"{stem}.py", f"{stem}.ipynb"):
            if path in self.paths:
                return path
        return None

    def _relative(self, name: str, importer: str) -> str | None:
        level = len(name) - len(name.lstrip("."))
        folder = posixpath.dirname(importer)
        for _ in range(level - 1):
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        rest = name[level:].replace(".", "/")
        if not rest:
            init = f"{folder}/__init__.py" if folder else "__init__.py"
            return init if init in self.paths else None
        return self._at(f"{folder}/{rest}" if folder else rest)

    def _absolute(self, name: str, folder: str) -> str | None:
        tail = name.replace(".", "/")
        if name.split(".", 1)[0] in sys.stdlib_module_names:
            return None
        found = [
            path
            for path in self.by_last.get(name.rsplit(".", 1)[-1], ())
            if _matches(path, tail)
            and self._importable(path, tail, folder)
            and self._distribution(path) == self._distribution(f"{folder}/")
        ]
        if not found:
            return None
        return min(found, key=lambda path: (-_shared(path, folder), path.count("/"), path))

    def _distribution(self, path: str) -> str:
        """The installed package a path belongs to, empty outside site-packages.

        Installed packages are projects of their own: what one calls in another is not followed.
        """
        head, found, rest = f"/{path}".rpartition("/site-packages/")
        if not found:
            rest = path if self.installed else ""
        return f"{head}:{rest.split('/', 1)[0]}" if rest else ""

    def _importable(self, path: str, tail: str, folder: str) -> bool:
        """Whether a folder that could be on ``sys.path`` holds the matched tail.

        A package or a dotted name may lie in any folder that is no package itself; a single module
        only beside the importing file or in one of the folders above it, or their ``src``.
        """
        stem = _stem(path)
        base = stem[: -len(tail)].rstrip("/") if stem != tail else ""
        if base == folder or not base:
            return True
        if f"{base}/__init__.py" in self.paths and not (folder + "/").startswith(base + "/"):
            return False
        if "/" in tail or path.endswith("/__init__.py"):
            return True
        above = base[: -len("src")].rstrip("/") if base == "src" or base.endswith("/src") else base
        return not above or (folder + "/").startswith(above + "/")


def build(paths: Iterable[str], installed: bool = False) -> Modules:
    """The modules of these files. ``installed``: the root is a folder of installed packages."""
    known = frozenset(paths)
    by_last: dict[str, list[str]] = {}
    folders: set[str] = set()
    for path in sorted(known):
        by_last.setdefault(posixpath.basename(_stem(path)), []).append(path)
        folders.add(posixpath.dirname(path))
    return Modules(known, frozenset(folders), {name: tuple(found) for name, found in by_last.items()}, installed)


def module_parts(path: str) -> list[str]:
    """The path's parts as of a module name."""
    return _stem(path).split("/")


def _stem(path: str) -> str:
    stem = path.rsplit(".", 1)[0]
    return stem[: -len("/__init__")] if stem.endswith("/__init__") else stem


def _matches(path: str, tail: str) -> bool:
    stem = _stem(path)
    return stem == tail or stem.endswith("/" + tail)


def _shared(path: str, folder: str) -> int:
    count = 0
    for left, right in zip(path.split("/"), folder.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count
