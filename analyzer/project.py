"""The summaries of a project by path, with the look-ups that linking needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .facts import Facts, gather, last_name
from .lower import MODULE
from .modules import Modules
from .reaching import Reaching
from .summary import Call, Class, Function, Stmt, Summary, Write, decode_body

FunctionKey = tuple[str, str]
"""Path and qualname."""


@dataclass(slots=True)
class File:
    """One summarised file, indexed."""

    path: str
    module: str
    summary: Summary
    functions: dict[str, Function]
    classes: dict[str, Class]
    nested: dict[tuple[str, str], list[tuple[str, str]]]
    """(parent qualname, plain name) -> [("fn" or "cls", qualname)]."""
    globals: frozenset[str]
    mentioned: dict[str, list[str]]
    """Identifier -> qualnames of the functions that mention it."""


@dataclass(eq=False)
class Project:
    """Files that were summarised so far; ``load`` brings in one more, or None if it cannot be had."""

    modules: Modules
    load: Callable[[str], Summary | None]
    files: dict[str, File] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    mentions: dict[str, list[FunctionKey]] = field(default_factory=dict)
    aliases: dict[str, set[str]] = field(default_factory=dict)
    subclasses: dict[str, list[FunctionKey]] = field(default_factory=dict)
    decorated: dict[str, list[FunctionKey]] = field(default_factory=dict)
    """Last name of a decorator -> the functions that carry it."""
    attribute_writes: dict[str, list[tuple[str, Write]]] = field(default_factory=dict)
    on_load: Callable[[File], None] | None = None
    _bodies: dict[FunctionKey, list[Stmt]] = field(default_factory=dict)
    _facts: dict[FunctionKey, Facts] = field(default_factory=dict)
    _reaching: dict[FunctionKey, Reaching] = field(default_factory=dict)

    def file(self, path: str) -> File | None:
        """The file, summarised now if it was not before."""
        found = self.files.get(path)
        if found is not None or path in self.failed:
            return found
        summary = self.load(path)
        if summary is None:
            self.failed.add(path)
            return None
        return self.add(path, summary)

    def add(self, path: str, summary: Summary) -> File:
        """Index a summary."""
        functions = {function.qualname: function for function in summary.functions}
        classes = {item.qualname: item for item in summary.classes}
        nested: dict[tuple[str, str], list[tuple[str, str]]] = {}
        mentioned: dict[str, list[str]] = {}
        for function in summary.functions:
            if function.qualname != MODULE and not function.owner:
                _note(nested, function.parent, function.qualname, "fn")
            for name in function.names:
                self.mentions.setdefault(name, []).append((path, function.qualname))
                mentioned.setdefault(name, []).append(function.qualname)
            for alias, target in function.imports.items():
                self._alias(alias, target)
            for decorator in function.decorators:
                called = last_name(decorator.func if isinstance(decorator, Call) else decorator)
                self.decorated.setdefault(called, []).append((path, function.qualname))
        for item in summary.classes:
            _note(nested, item.parent, item.qualname, "cls")
            for base in item.bases:
                if isinstance(base, str):
                    self.subclasses.setdefault(base.rsplit(".", 1)[-1], []).append((path, item.qualname))
        for alias, target in summary.imports.items():
            self._alias(alias, target)
        for write in summary.writes:
            self.attribute_writes.setdefault(write.name, []).append((path, write))
        module = functions[MODULE]
        names = frozenset(module.local) | frozenset(summary.imports)
        found = File(path, self.modules.dotted(path), summary, functions, classes, nested, names, mentioned)
        self.files[path] = found
        if self.on_load is not None:
            self.on_load(found)
        return found

    def _alias(self, alias: str, target: str) -> None:
        last = target.rsplit(":", 1)[-1].rsplit(".", 1)[-1]
        if alias != last:
            self.aliases.setdefault(last, set()).add(alias)

    def function(self, key: FunctionKey) -> Function | None:
        """The head of a function."""
        file = self.file(key[0])
        return file.functions.get(key[1]) if file else None

    def class_(self, key: FunctionKey) -> Class | None:
        """A class."""
        file = self.file(key[0])
        return file.classes.get(key[1]) if file else None

    def body(self, key: FunctionKey) -> list[Stmt]:
        """The body of a function, decoded once."""
        found = self._bodies.get(key)
        if found is None:
            function = self.function(key)
            found = self._bodies[key] = decode_body(function.body) if function else []
        return found

    def facts(self, key: FunctionKey) -> Facts:
        """The facts of a function's body."""
        found = self._facts.get(key)
        if found is None:
            found = self._facts[key] = gather(self.body(key))
        return found

    def reaching(self, key: FunctionKey) -> Reaching:
        """Which bindings of a function's body reach what."""
        found = self._reaching.get(key)
        if found is None:
            found = self._reaching[key] = Reaching(self.body(key))
        return found

    def symbol(self, key: FunctionKey) -> str:
        """The qualified name users know it by."""
        file = self.files[key[0]]
        return file.module if key[1] == MODULE else f"{file.module}.{key[1]}"

    def functions(self) -> Iterator[tuple[FunctionKey, Function]]:
        """All functions of the files summarised so far, by path and line."""
        for path in sorted(self.files):
            for function in self.files[path].summary.functions:
                yield (path, function.qualname), function

    def mentioning(self, name: str) -> list[FunctionKey]:
        """Functions that mention an identifier, or a name it is imported as."""
        found = list(self.mentions.get(name, ()))
        for alias in sorted(self.aliases.get(name, ())):
            found.extend(self.mentions.get(alias, ()))
        return found


def imported_files(project: Project, file: File) -> Iterator[str]:
    """The paths of the modules that a file imports, anywhere in it."""
    targets = {*file.summary.imports.values(), *file.summary.stars}
    targets.update(target for function in file.summary.functions for target in function.imports.values())
    for target in sorted(targets):
        module, _, name = target.partition(":")
        for full in (module, f"{module}.{name}" if module.strip(".") else module + name):
            found = project.modules.find(full, file.path)
            if found is not None:
                yield found


def _note(nested: dict[tuple[str, str], list[tuple[str, str]]], parent: str, qualname: str, kind: str) -> None:
    name = qualname[len(parent) + 1 :] if parent else qualname
    nested.setdefault((parent, name.split("#")[0]), []).append((kind, qualname))
