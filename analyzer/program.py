"""The program model: everything the rules ask, built from a project's files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..contract import AuditError, Place, Stats
from . import modules
from .cleanups import Cleanup, cleanups
from .discover import FoundFile
from .hazards import Hazard, hazards
from .importers import bring_in
from .knowledge import effects, frameworks
from .knowledge.effects import UserEffect
from .order import Order
from .outline import WaitSite
from .persistence import Persistence
from .pins import FrameworkPins, assume
from .project import Project
from .reading import Reader
from .receivers import Receivers
from .recursion import RECURSION, deep_recursion
from .registry import GraphSite, Registry, Unit
from .repeats import Repeat, repeats
from .resumes import Resume, resumes
from .summary import Suppression
from .suspension import Suspension, Swallow
from .texts import Texts
from .topology import Topology, topologies
from .undecided import Undecided
from .unrecorded import unrecorded
from .values import FunctionId, Resolver
from .wait_order import Unstable, unstable
from .waiters import callers, direct_waiters, graph_runners

if TYPE_CHECKING:
    import networkx

_ROUNDS = 12
"""Rounds of bringing in files that mention a waiting function by name."""

_INFERENCES = 4
"""Rounds of inferring receivers, each in what the last one led to."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build. ``progress`` is told (phase, steps done, steps)."""

    jobs: int = 1
    cache_dir: Path | None = None
    effects: Sequence[UserEffect] = ()
    waits: Sequence[str] = ()
    resumes: Sequence[str] = ()
    recorded: Sequence[str] = ()
    claims: Sequence[str] = ()
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
    def hurried(self) -> bool:
        """Whether a limit of time left receivers unknown."""
        return self.registry.receivers is not None and bool(self.registry.receivers.gave_up)

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
        return self._suspended[1]

    @cached_property
    def _suspended(self) -> tuple[Suspension, tuple[Swallow, ...]]:
        suspension = Suspension(self.order, self.registry)
        return suspension, tuple(suspension.find())

    @cached_property
    def cleanups(self) -> tuple[Cleanup, ...]:
        """Effects of cleanups that fire when a run parks, one a site."""
        return tuple(cleanups(self._suspended[0], self.units))

    @cached_property
    def unstable_waits(self) -> tuple[Unstable, ...]:
        """Waits and recorded steps that a replay may reach in another order, one a site."""
        with deep_recursion(RECURSION):
            return tuple(unstable(self.order, self.units))

    @cached_property
    def resumes(self) -> tuple[Resume, ...]:
        """The answers to waits, and where they are sent."""
        with deep_recursion(RECURSION):
            return tuple(resumes(self.registry))

    @cached_property
    def repeats(self) -> tuple[Repeat, ...]:
        """Runs that are repeated after a failure, or started anew on a parked thread."""
        with deep_recursion(RECURSION):
            return tuple(repeats(self.registry))

    @cached_property
    def topologies(self) -> Mapping[GraphSite, Topology]:
        """Which node may follow which, by graph."""
        with deep_recursion(RECURSION):
            return topologies(self.registry)

    @cached_property
    def persistence(self) -> Persistence:
        """Where graphs that wait get their savers."""
        return Persistence(self.root, self.order, self.registry)

    @cached_property
    def call_graph(self) -> networkx.DiGraph[FunctionId]:
        """Functions that the order analysis looked at, and their calls; see ``callgraph.build``."""
        from .callgraph import build as build_graph

        return build_graph(self.order)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The registered units, and waiting functions that nobody was seen to register."""
        covered = self.order.closure(unit.function for unit in self.registry.units)
        waiting = {f for f, reach in self.order.reach.items() if reach.waits and f not in covered}
        called = {
            target for function in waiting for target in self.order.outlines[function].called if target != function
        }
        first = sorted(waiting - called)
        if waiting - self.order.closure(first):
            from .callgraph import roots  # networkx takes long to import, and only call cycles need it

            first = roots(self.call_graph, waiting)
        found = [Unit("function", function, _plain(function)) for function in first]
        return tuple(sorted([*self.registry.units, *found]))

    def suppressions(self, path: str) -> tuple[Suppression, ...]:
        """The suppressing comments of a file, by the lines that users see."""
        file = self.project.files.get(path)
        found = tuple(file.summary.suppressions) if file else ()
        if not path.endswith(".ipynb"):
            return found
        return tuple(
            Suppression(
                self._seen(path, s.line), s.column, s.rules, s.reason, *(self._seen(path, n) for n in (s.first, s.last))
            )
            for s in found
        )

    def _seen(self, path: str, line: int) -> int:
        return self.place(path, line, 0).line

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
        return _version(self.options, self.resolver.knowledge, self.pins, self.root, path, framework)

    def knowledge(self, table: str, key: str) -> Any:
        """A value of one of the knowledge's single tables."""
        return self.resolver.knowledge.table(table, key)

    def symbol(self, function: FunctionId) -> str:
        """The qualified name of a function."""
        return self.project.symbol((function[0], function[1]))

    def close(self) -> None:
        """Let go of the texts read for excerpts, and of the process that infers."""
        self.texts.close()
        if self.registry.receivers is not None:
            self.registry.receivers.close()


def build(root: Path, files: Sequence[FoundFile], options: BuildOptions) -> Program:
    """Read and link the project. Nothing of it is imported or executed."""
    by_path = {file.relative: file for file in files}
    reader = Reader(by_path, options.jobs, options.cache_dir)
    knowledge = frameworks.load()
    table = effects.load().with_user(options.effects)
    project = Project(modules.build(by_path, root.name in ("site-packages", "dist-packages")), reader.load)
    resolver = Resolver(project, knowledge, table)
    receivers = Receivers(root, by_path, resolver)
    waits, recorded = frozenset(options.waits), frozenset(options.recorded)
    registry = Registry(resolver, receivers, waits=waits, recorded=recorded)
    order = Order(resolver, registry)
    pins = FrameworkPins()
    version = partial(_version, options, knowledge, pins, root, framework=str(knowledge.table("subgraph", "framework")))
    with deep_recursion(RECURSION):
        lines = _seed(reader, project, options, knowledge.frameworks)
        _link(reader, project, registry, order)
        undecided = Undecided(order, reader.read)
        for _ in range(_INFERENCES):
            found = undecided.ask(registry.units)
            if not found:
                break
            order.forget(found)
            _link(reader, project, registry, order)
        registry.unrecorded = unrecorded(order, registry.units, version)
        order.forget(registry.unrecorded)
        order.solve()
    stats = Stats(len(files), len(project.files), lines)
    program = Program(root, by_path, options, reader, resolver, registry, order, stats, Texts(by_path), pins=pins)
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
    runners: set[FunctionId] = set()
    for _ in range(_ROUNDS):
        known: tuple[int, int, int] | None = None
        while True:
            registry.collect()
            order.explore(unit.function for unit in registry.units)
            order.in_unit = order.closure((unit.function for unit in registry.units), recorded=True)
            size = (len(project.files), len(order.outlines), len(registry.units))
            if size == known:
                break
            known = size
            waiting = direct_waiters(registry) | callers(registry)
            order.explore(waiting)
            runners = graph_runners(registry)
            order.explore(runners)
        order.in_unit |= runners
        if not bring_in(reader, project, registry, order):
            return


def _version(
    options: BuildOptions, knowledge: frameworks.Knowledge, pins: FrameworkPins, root: Path, path: str, framework: str
) -> str:
    told = options.framework_versions.get(framework)
    known = knowledge.framework(framework)
    if told or known is None:
        return told or ""
    return assume(pins.pinned(root, path, known.packages[0]), known.measured)


def _not_checked(program: Program, count: int) -> Iterable[str]:
    skipped = count - len(program.project.files) - len({e.path for e in program.errors})
    if skipped > 0:
        yield (
            f"{skipped} of {count} files name no supported framework and are not used by one that does: "
            "only their bytes were looked at"
        )
    for function in sorted(program.order.too_large):
        yield f"{function[0]}: {function[1]} is too large for a control-flow graph"
    if program.registry.receivers is not None and program.registry.receivers.gave_up:
        yield program.registry.receivers.gave_up
    unresolved = sum(
        program.order.outlines[f].unresolved
        for f in program.order.closure(unit.function for unit in program.registry.units)
    )
    if unresolved:
        yield f"{unresolved} calls inside replayed code could not be resolved; only their names were judged"


def _plain(function: FunctionId) -> str:
    return function[1].rsplit(".", 1)[-1].split("#")[0]
