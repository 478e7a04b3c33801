"""The program model: everything the rules ask, built from a project's files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..contract import AuditError, Place, Stats
from . import modules
from .discover import FoundFile
from .hazards import Hazard, hazards
from .knowledge import effects, frameworks
from .knowledge.effects import UserEffect
from .order import Order
from .outline import WaitSite
from .persistence import Persistence, is_test
from .pins import FrameworkPins, assume
from .project import Project
from .reading import Reader, deep_recursion
from .registry import Registry, Unit
from .summary import Suppression
from .suspension import Suspension, Swallow
from .texts import Texts
from .values import FunctionId, Resolver
from .waiters import callers, direct_waiters, graph_runners

_DEEP = 30_000
_ROUNDS = 12
"""Rounds of bringing in files that mention a waiting function by name."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build. ``progress`` is told (phase, steps done, steps)."""

    jobs: int = 1
    cache_dir: Path | None = None
    effects: Sequence[UserEffect] = ()
    waits: Sequence[str] = ()
    resumes: Sequence[str] = ()
    recorded: Sequence[str] = ()
    framework_versions: Mapping[str, str] = field(default_factory=dict)
    progress: Callable[[str, int, int], None] | None = None


@dataclass
class Program:
    """A linked project."""

    root: Path
    files: Mapping[str, FoundFile]
    options: BuildOptions
    reader: Reader
    resolver: Resolver
    registry: Registry
    order: Order
    stats: Stats
    texts: Texts
    not_checked: tuple[str, ...] = ()
    pins: FrameworkPins = field(default_factory=FrameworkPins)

    @property
    def errors(self) -> tuple[AuditError, ...]:
        """Files that could not be read or parsed."""
        return tuple(sorted(set(self.reader.errors)))

    @property
    def cache_hits(self) -> int:
        """Summaries taken from the cache."""
        return self.reader.hits

    @property
    def project(self) -> Project:
        """The summarised files."""
        return self.resolver.project

    @cached_property
    def hazards(self) -> tuple[Hazard, ...]:
        """Effects that may have fired when a wait is reached, one a site."""
        return hazards(self.order, self.units)

    @cached_property
    def swallowed(self) -> tuple[Swallow, ...]:
        """Waits whose exception is caught on its way out."""
        return tuple(Suspension(self.order, self.registry).find())

    @cached_property
    def persistence(self) -> Persistence:
        """Where graphs that wait get their savers."""
        return Persistence(self.root, self.order, self.registry)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The registered units, and waiting functions that nobody was seen to register."""
        covered = self.order.closure(unit.function for unit in self.registry.units)
        waiting = {f for f, reach in self.order.reach.items() if reach.waits and f not in covered}
        called = {
            target
            for function in waiting
            for group in self.order.outlines[function].callees
            for target in group
            if target != function
        }
        alone = sorted(waiting - called) or sorted(waiting)
        left = waiting - self.order.closure(alone)
        found = [Unit("function", function, _plain(function)) for function in [*alone, *sorted(left)]]
        return tuple(sorted([*self.registry.units, *found]))

    def suppressions(self, path: str) -> tuple[Suppression, ...]:
        """The suppressing comments of a file."""
        file = self.project.files.get(path)
        return tuple(file.summary.suppressions) if file else ()

    def source_line(self, path: str, line: int) -> str:
        """A line of a file as it stands there, empty where there is none."""
        return self.texts.line(path, line)

    def text_line(self, path: str, line: int) -> str:
        """A line of the code that positions refer to: of a notebook, of its joined cells."""
        return self.texts.code_line(path, line)

    def line_of(self, site: WaitSite) -> int:
        """The line of a site as users see it."""
        return self.place(site.path, site.line, site.column).line

    def place(self, path: str, line: int, column: int, end_line: int = 0, end_column: int = 0) -> Place:
        """A place from 1-based lines and byte columns as ``ast`` has them."""
        return self.texts.place(path, line, column, end_line, end_column)

    def version(self, path: str, framework: str) -> str:
        """The framework version assumed for a file: told, pinned, or the newest measured."""
        told = self.options.framework_versions.get(framework)
        known = self.resolver.knowledge.framework(framework)
        if told or known is None:
            return told or ""
        return assume(self.pins.pinned(self.root, path, known.packages[0]), known.measured)

    def symbol(self, function: FunctionId) -> str:
        """The qualified name of a function."""
        return self.project.symbol((function[0], function[1]))

    def close(self) -> None:
        """Let go of the texts read for excerpts."""
        self.texts.close()


def build(root: Path, files: Sequence[FoundFile], options: BuildOptions) -> Program:
    """Read and link the project. Nothing of it is imported or executed."""
    by_path = {file.relative: file for file in files}
    reader = Reader(by_path, options.jobs, options.cache_dir)
    knowledge = frameworks.load()
    table = effects.load().with_user(options.effects)
    project = Project(modules.build(by_path), reader.load)
    resolver = Resolver(project, knowledge, table)
    registry = Registry(resolver, waits=frozenset(options.waits), recorded=frozenset(options.recorded))
    order = Order(resolver, registry)
    with deep_recursion(_DEEP):
        lines = _seed(reader, project, options, knowledge.frameworks)
        _link(reader, project, registry, order)
        order.solve()
    stats = Stats(len(files), len(project.files), lines)
    program = Program(root, by_path, options, reader, resolver, registry, order, stats, Texts(by_path))
    program.not_checked = tuple(_not_checked(program, len(files)))
    return program


def _seed(reader: Reader, project: Project, options: BuildOptions, known: Iterable[frameworks.Framework]) -> int:
    """Summarise the files whose bytes name a framework; gives the number of lines of all files."""
    words = [marker for item in known for marker in item.markers] + ["resume-audit:"]
    words += [name.rpartition(".")[2] for name in (*options.waits, *options.recorded)]
    marked = re.compile("|".join(sorted(map(re.escape, words))).encode())
    lines, seeds = 0, []
    paths = sorted(reader.files)
    for number, path in enumerate(paths):
        if options.progress is not None and number % 200 == 0:
            options.progress("reading", number, len(paths))
        data = reader.read(path)
        if data is None:
            project.failed.add(path)
            continue
        lines += data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        if marked.search(data):
            seeds.append(path)

    def tell(number: int) -> None:
        if options.progress is not None and number % 20 == 0:
            options.progress("summaries", number, len(seeds))

    for path, summary in reader.load_all(seeds, tell):
        if path not in project.files:
            project.add(path, summary)
    project.failed.update(path for path in seeds if path not in project.files)
    return lines


def _link(reader: Reader, project: Project, registry: Registry, order: Order) -> None:
    """Registrations, waiting functions and all they call, until nothing new comes in."""
    for _ in range(_ROUNDS):
        while True:
            before = (len(project.files), len(order.outlines))
            registry.collect()
            order.explore(unit.function for unit in registry.units)
            order.in_unit = order.closure((unit.function for unit in registry.units), recorded=True)
            waiting = direct_waiters(registry) | callers(registry, order)
            order.explore(waiting)
            runners = graph_runners(registry, order)
            order.explore(runners)
            order.in_unit |= runners
            if (len(project.files), len(order.outlines)) == before:
                break
        if not _bring_in(reader, project, registry, order):
            return


def _bring_in(reader: Reader, project: Project, registry: Registry, order: Order) -> bool:
    """Load files that name no framework but import a module that holds a graph, a unit or a wait."""
    holding = {site[0] for site in registry.graphs if site}
    holding |= {unit.function[0] for unit in registry.units}
    holding |= {function[0] for function, found in order.outlines.items() if any(found.waits)}
    _importers(project, holding)
    wanted: dict[str, set[str]] = {}
    for path in holding:
        file = project.files.get(path)
        if file is not None and not is_test(path):
            wanted.setdefault(file.module.rpartition(".")[2], set()).update(file.globals)
    if not wanted:
        return False
    words = "|".join(sorted(map(re.escape, wanted)))
    imported = re.compile(
        rf"^[ \t]*(?:from[ \t]+([\w.]*)[ \t]+import[ \t]+(.*)|import[ \t]+([\w.]*\b(?:{words})\b))".encode(),
        re.M,
    )
    found: list[str] = []
    for path in sorted(reader.files):
        if path in project.files or path in project.failed or is_test(path):
            continue
        data = reader.read(path)
        if data is not None and any(_uses(match, wanted) for match in imported.finditer(data)):
            found.append(path)
    loaded = [path for path in found if project.file(path) is not None]
    return bool(loaded)


def _importers(project: Project, holding: set[str]) -> None:
    """Add the summarised files that import one of ``holding``, over any number of imports."""
    importing: dict[str, set[str]] = {}
    for path, file in project.files.items():
        for target in {
            *file.summary.imports.values(),
            *(t for f in file.summary.functions for t in f.imports.values()),
        }:
            module, _, name = target.partition(":")
            for full in (module, f"{module}.{name}" if module.strip(".") else module + name):
                found = project.modules.find(full, path)
                if found is not None:
                    importing.setdefault(found, set()).add(path)
    todo = list(holding)
    while todo:
        for path in importing.get(todo.pop(), ()):
            if path not in holding and not is_test(path):
                holding.add(path)
                todo.append(path)


def _uses(match: re.Match[bytes], wanted: Mapping[str, set[str]]) -> bool:
    """Whether an import statement takes a wanted module, or something from one."""
    if match[3] is not None:
        return True
    module, names = match[1].decode().rpartition(".")[2], match[2].decode("utf-8", "replace")
    if module in wanted:
        return True
    return any(name in wanted for name in re.findall(r"\w+", names))


def _not_checked(program: Program, count: int) -> Iterable[str]:
    skipped = count - len(program.project.files) - len({e.path for e in program.errors})
    if skipped > 0:
        yield (
            f"{skipped} of {count} files name no supported framework and are not used by one that does: "
            "only their bytes were looked at"
        )
    for function in sorted(program.order.too_large):
        yield f"{function[0]}: {function[1]} is too large for a control-flow graph"
    unresolved = sum(
        program.order.outlines[f].unresolved
        for f in program.order.closure(unit.function for unit in program.registry.units)
    )
    if unresolved:
        yield f"{unresolved} calls inside replayed code could not be resolved; only their names were judged"


def _plain(function: FunctionId) -> str:
    return function[1].rsplit(".", 1)[-1].split("#")[0]
