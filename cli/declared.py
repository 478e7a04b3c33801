"""What the configuration declares and the audited tree does not hold: slips that would else go unseen."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..analyzer.discover import FoundFile
from ..analyzer.knowledge import frameworks
from ..analyzer.knowledge.patterns import expand
from ..analyzer.source import SourceError, read_bytes
from ..config import Config
from ..rules.finish import path_matches

if TYPE_CHECKING:
    from ..analyzer.project import Project

UNREAD = ("resumes", "claims", "boundary")
"""Keys that are accepted and that no rule asks yet."""

_HINTS = 3


def check(config: Config) -> None:
    """Raise ``config.ConfigError`` for a pattern that cannot be read."""
    for effect in config.effects:
        try:
            list(expand(effect.name))
        except ValueError as error:
            raise config.complaint(str(error), "effects", "name") from None


def unmet(config: Config, told: Iterable[str], project: Project, files: Sequence[FoundFile]) -> Iterator[str]:
    """Sentences on what was declared and met nothing; ``told`` are the frameworks whose version is told."""
    where = config.shown or "the configuration"
    names = [("effects", each.name) for each in config.effects]
    names += [(key, name) for key in ("waits", "recorded") for name in getattr(config, key)]
    if names:
        tree = _Tree(project, files)
        missed = [f"`{name}` ({key}{tree.hint(name)})" for key, name in names if not _met(tree, key, name)]
        if missed:
            yield f"{where}: nothing in the audited tree has the name {', '.join(missed)}"
    absent = [name for name in sorted(set(told)) if not _named(name, files)]
    if absent:
        yield f"{', '.join(absent)}: a version is told, but no file names the framework"
    patterns = [pattern for pattern, _ in config.per_path_ignores]
    idle = [f"`{each}`" for each in patterns if not any(path_matches(file.relative, each) for file in files)]
    if idle:
        yield f"{where}: no file matches {', '.join(idle)} (per-path-ignores)"
    unread = [f"`{key}`" for key in UNREAD if getattr(config, key)]
    if unread:
        yield f"{where}: {', '.join(unread)}: accepted, but no rule of this version asks for it"


def _met(tree: _Tree, key: str, name: str) -> bool:
    """Only names of effects are patterns, of ``{a,b}`` and ``*``."""
    return re.search(r"[?\[\]!]" if key == "effects" else r"[*{}?\[\]!]", name) is None and tree.holds(name)


@dataclass
class _Tree:
    """The definitions of a tree, by a look at its bytes."""

    project: Project
    files: Sequence[FoundFile]

    @cached_property
    def modules(self) -> Mapping[str, list[str]]:
        """Paths by the dotted names under which the audit knows them."""
        found: dict[str, list[str]] = {}
        for file in self.files:
            found.setdefault(self.project.modules.dotted(file.relative), []).append(file.relative)
        return found

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The files that can be read."""
        return {file.relative: _text(file) for file in self.files}

    def holds(self, name: str) -> bool:
        """Whether the name, as the audit resolves names, may be met: it rather says yes than no."""
        return any(map(self._holds, expand(name)))

    def _holds(self, name: str) -> bool:
        plain = name.split("*", maxsplit=1)[0]
        parts = [part for part in plain.split(".") if part]
        if plain != name and not plain.endswith("."):
            parts = parts[:-1]
        for end in range(len(parts), 0, -1):
            paths = self.modules.get(".".join(parts[:end]), ())
            rest = parts[end:]
            if paths:
                return not rest or (any(self._defines(p, rest[0]) for p in paths) and self._mentions(rest[-1]))
        if len(parts) < 2:
            return not parts or (self._mentions(parts[0]) and next(self._definitions(parts[0]), None) is None)
        imported = re.compile(
            rf'^[ \t"]*(?:from[ \t]+|import[ \t](?:[^\n#]*,)?[ \t]*){re.escape(parts[0])}\b', re.MULTILINE
        )
        return self._any(parts[0], imported) and self._mentions(parts[-1])

    def hint(self, name: str) -> str:
        """The names of the tree that may have been meant."""
        head, _, last = name.rpartition(".")
        same = list(self._definitions(last))
        near = [f"{head}.{each}" for path in self.modules.get(head, ()) for each in self._close(path, last)]
        found = list(dict.fromkeys([*near, *same]))[:_HINTS]
        return f"; did you mean {' or '.join(f'`{each}`' for each in found)}?" if found else ""

    def _definitions(self, last: str) -> Iterator[str]:
        """Functions and classes of that name that stand at the top of a module."""
        definition = re.compile(rf"^(?:async\s+def|def|class)\s+{re.escape(last)}\b", re.MULTILINE)
        for module in sorted(self.modules):
            if any(last in self.texts[path] and definition.search(self.texts[path]) for path in self.modules[module]):
                yield f"{module}.{last}"

    def _close(self, path: str, last: str) -> list[str]:
        names = re.findall(r"^(?:async\s+def|def|class)\s+(\w+)", self.texts[path], re.MULTILINE)
        return difflib.get_close_matches(last, sorted(set(names)), 1)

    def _defines(self, path: str, name: str) -> bool:
        text = self.texts[path]
        word = re.escape(name)
        defined = rf'^[ \t"]*(?:(?:(?:async\s+)?def\s+|class\s+){word}\b|{word}\s*(?::[^\n=]+)?=)|\bimport\s*\*'
        return re.search(defined, text, re.MULTILINE) is not None

    def _mentions(self, name: str) -> bool:
        return self._any(name, re.compile(rf"\b{re.escape(name)}\b"))

    def _any(self, word: str, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern, which asks for the word, is met in any file."""
        return any(word in text and pattern.search(text) for text in self.texts.values())


def _named(framework: str, files: Sequence[FoundFile]) -> bool:
    known = frameworks.load().framework(framework)
    words = known.markers if known is not None else (framework,)
    marked = re.compile("|".join(map(re.escape, words)))
    return any(marked.search(_text(file)) for file in files)


def _text(file: FoundFile) -> str:
    try:
        return read_bytes(file).decode("utf-8", "replace")
    except SourceError:
        return ""
