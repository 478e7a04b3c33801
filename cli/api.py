"""The audit as a function: what the commands call, and Python programs may."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .. import config as configuration
from ..analyzer import discover
from ..analyzer.recursion import RECURSION, deep_recursion
from ..analyzer.texts import Texts
from ..contract import Report, Stats
from ..reports.sources import Sources
from ..rules.base import StaticRule
from ..rules.finish import Finished, Options, finish
from ..rules.registry import STATIC, select
from ..rules.run import Fault, fault_of, run
from . import asked, declared, remembered, versions
from .cachedir import usable_cache
from .remembered import Raw

if TYPE_CHECKING:
    from ..analyzer.program import BuildOptions

_MOST_JOBS = 16


@dataclass(frozen=True, slots=True)
class Request:
    """What to audit and how.

    ``select`` here replaces that of the configuration with its ``ignore``; ``ignore`` alone adds to it.
    ``jobs`` None: as many as there are processors to use. ``framework_versions`` override the
    configuration's and the project's pins. ``progress`` is told (phase, steps done, steps).
    """

    paths: tuple[Path, ...] = (Path(),)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    pedantic: bool = False
    include_suppressed: bool = False
    config: Path | None = None
    jobs: int | None = None
    use_cache: bool = True
    cache_dir: Path | None = None
    framework_versions: Mapping[str, str] = field(default_factory=dict)
    progress: Callable[[str, int, int], None] | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A request that makes sense: its root, configuration and rules."""

    request: Request
    root: Path
    config: configuration.Config
    rules: tuple[StaticRule, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """A report, with what the doors say beside it.

    ``source_line(path, line)`` and ``sources`` are of use while the audit is open. ``remarks`` are for -v.
    """

    report: Report
    source_line: Callable[[str, int], str]
    hidden_notes: int = 0
    hidden_suppressed: int = 0
    faults: tuple[Fault, ...] = ()
    remarks: tuple[str, ...] = ()
    named: int = 0
    sources: Sources = field(default_factory=Sources)


def check(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = ".",
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    pedantic: bool = False,
    include_suppressed: bool = False,
    config: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    cache: bool = True,
    cache_dir: str | os.PathLike[str] | None = None,
    framework_versions: Mapping[str, str] | None = None,
) -> Report:
    """Audit the source at ``path`` (or at several), as ``resume-audit check`` does.

    Raises ``FileNotFoundError`` for a path that is not there, ``ValueError`` for a selector that
    names no rule, a framework that is not known or a configuration that is wrong. Faults of the audit itself stand in
    ``Report.faults``.
    """
    paths = (path,) if isinstance(path, str | os.PathLike) else tuple(path)
    request = Request(
        paths=tuple(map(Path, paths)) or (Path(),),
        select=tuple(select),
        ignore=tuple(ignore),
        pedantic=pedantic,
        include_suppressed=include_suppressed,
        config=None if config is None else Path(config),
        jobs=jobs,
        use_cache=cache,
        cache_dir=None if cache_dir is None else Path(cache_dir),
        framework_versions=dict(framework_versions or {}),
    )
    with audit(plan(request)) as done:
        return done.report


def plan(request: Request) -> Plan:
    """Read the configuration and choose the rules.

    Raises ``FileNotFoundError``, ``ValueError`` or ``config.ConfigError`` where the request is wrong.
    """
    for path in request.paths:
        _check_path(path)
    root = discover.audit_root(request.paths)
    config = configuration.load(root, request.config, request.paths)
    _check_selectors(config)
    declared.check(config)
    versions.check(config, request.framework_versions)
    if request.select:
        rules = select(STATIC, request.select, request.ignore)
    else:
        rules = select(STATIC, config.select, (*config.ignore, *request.ignore))
    return Plan(request, root, config, rules)


def _check_path(path: Path) -> None:
    """Raise ``FileNotFoundError`` for what is neither a file nor a folder."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        text = "no such file or folder" if missing else f"cannot be read ({error.strerror or error})"
        raise FileNotFoundError(f"{text}: {path}") from None
    except ValueError:  # a null byte
        raise FileNotFoundError(f"no such file or folder: {path}") from None
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FileNotFoundError(f"neither a file nor a folder: {path}")


def _check_selectors(config: configuration.Config) -> None:
    """Raise ``config.ConfigError``, naming the key, for a selector of the configuration that names no rule."""
    lists: list[tuple[tuple[str, ...], Sequence[str]]] = [(("select",), config.select), (("ignore",), config.ignore)]
    lists += [(("per-path-ignores", pattern), rules) for pattern, rules in config.per_path_ignores]
    for keys, selectors in lists:
        try:
            select(STATIC, selectors)
        except ValueError as error:
            raise config.complaint(str(error), *keys) from None


@contextmanager
def audit(planned: Plan) -> Iterator[Audit]:
    """Do it. The audit's source lines can be read until the context is left."""
    request, config = planned.request, planned.config
    clock = _Clock()
    found = discover.find(request.paths, config.exclude, planned.root)
    clock.lap("files found")
    home = discover.audit_root(request.paths[:1])  # what several projects share may be no place to write to
    cache, why_not = usable_cache(home, request.cache_dir) if request.use_cache else (None, "")
    if why_not:
        clock.remarks.append(f"no cache: {why_not}")
    settings = (planned.rules and [rule.id for rule in planned.rules], config, request.framework_versions)
    name = remembered.key(found.root, found.files, settings) if cache is not None else ""
    raw = remembered.recall(cache, name) if cache is not None else None
    texts = Texts({file.relative: file for file in found.files})
    try:
        if raw is not None:
            clock.lap(f"nothing changed: the findings of {raw.stats.analysed:,} files are from the cache")
            yield _judge(planned, found, raw, (), texts, clock)
            return
        raw, faults = _build(planned, found, cache, clock)
        if raw is None:
            yield _without_program(found, faults[0], clock)
            return
        if cache is not None and not faults and not raw.hurried:
            remembered.keep(cache, name, raw)
        yield _judge(planned, found, raw, faults, texts, clock)
    finally:
        texts.close()


def _build(
    planned: Plan, found: discover.Discovery, cache: Path | None, clock: _Clock
) -> tuple[Raw | None, Sequence[Fault]]:
    """Link the project and run the rules; no findings where the linker failed."""
    from ..analyzer import program as model  # not at the start: pages and catalogues need no linker

    request, config = planned.request, planned.config
    options = model.BuildOptions(
        jobs=request.jobs or available_jobs(),
        cache_dir=cache,
        effects=config.effects,
        waits=config.waits,
        resumes=config.resumes,
        recorded=config.recorded,
        claims=config.claims,
        framework_versions={**versions.configured(config), **request.framework_versions},
        progress=request.progress,
    )
    with deep_recursion(RECURSION):
        return _link_and_judge(planned, found, options, clock)


def _link_and_judge(
    planned: Plan, found: discover.Discovery, options: BuildOptions, clock: _Clock
) -> tuple[Raw | None, Sequence[Fault]]:
    from ..analyzer import program as model

    request = planned.request
    try:
        program = model.build(found.root, found.files, options)
    except Exception as error:  # noqa: BLE001 - a failing linker still leaves a report that says so
        return None, (fault_of("the linker", error),)
    clock.lap(f"program linked ({program.cache_hits:,} of {program.stats.analysed:,} from the cache)")
    try:
        findings, faults = run(program, planned.rules, request.progress)
        clock.lap(f"{len(planned.rules)} rules run")
        comments = {f.relative: c for f in found.files if f.named and (c := program.suppressions(f.relative))}
        named = [file.relative for file in found.files if file.named]
        told_of = {*request.framework_versions, *versions.configured(planned.config)}
        unmet = declared.unmet(planned.config, told_of, program.project, found.files)
        not_checked = (*program.not_checked, *versions.assumptions(program, named), *unmet)
        told = (tuple(findings), (*program.errors, *program.pins.errors), not_checked, program.stats, comments)
        return Raw(*told, hurried=program.hurried), faults
    finally:
        program.close()


def available_jobs() -> int:
    """How many processes to use: the processors that this process may use, within reason."""
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        usable = os.cpu_count() or 1
    return max(1, min(usable, _MOST_JOBS))


class _Clock:
    """Times of the phases, as remarks."""

    def __init__(self) -> None:
        self.remarks: list[str] = []
        self._last = time.perf_counter()

    def lap(self, what: str) -> None:
        now = time.perf_counter()
        self.remarks.append(f"{what} in {now - self._last:.2f} s")
        self._last = now


def _judge(
    planned: Plan,
    found: discover.Discovery,
    raw: Raw,
    failures: Sequence[Fault],
    texts: Texts,
    clock: _Clock,
) -> Audit:
    request = planned.request
    faults = list(failures)
    failed = {fault.source for fault in faults}
    named = [file.relative for file in found.files if file.named]
    options = Options(
        pedantic=request.pedantic,
        include_suppressed=request.include_suppressed,
        per_path_ignores=planned.config.per_path_ignores,
        named=frozenset(named),
        known=STATIC,
    )
    ran = [rule for rule in planned.rules if rule.id not in failed]
    try:
        finished = finish(raw.findings, ran, raw.comments, texts.line, options)
    except Exception as error:  # noqa: BLE001 - as for the linker
        finished = Finished()
        faults.append(fault_of("the finish", error))
    not_checked = [*raw.not_checked, *found.skipped, *(_not_run(fault) for fault in faults)]
    if request.config is None:
        folders = {file.path.parent for file in found.files if file.named}
        used = planned.config.source
        unread = configuration.passed_over(planned.root, folders, used)
        instead = f"those in {planned.config.shown} are" if used else "name the folder alone, or use --config"
        not_checked += [f"{each}: these settings are not used: {instead}" for each in unread]
    not_checked += asked.nothing_under(request.paths, found.files)
    elsewhere = {file.relative for file in found.files if not file.named}
    errors = {each for each in raw.errors if each.path not in elsewhere}
    errors.update(asked.errors_under(request.paths, found))
    report = Report(
        findings=finished.findings,
        errors=tuple(sorted(errors)),
        not_checked=tuple(dict.fromkeys(not_checked)),
        stats=raw.stats,
        faults=tuple(fault.line for fault in faults),
    )
    return Audit(
        report,
        texts.line,
        finished.hidden_notes,
        finished.hidden_suppressed,
        tuple(faults),
        (f"root {planned.root}", *clock.remarks),
        len(named),
        Sources(planned.root, {file.relative: file.path for file in found.files}, texts.line, raw.comments),
    )


def _without_program(found: discover.Discovery, fault: Fault, clock: _Clock) -> Audit:
    report = Report(
        errors=found.errors,
        not_checked=(_not_run(fault), *found.skipped),
        stats=Stats(files=len(found.files)),
        faults=(fault.line,),
    )
    named = sum(file.named for file in found.files)
    return Audit(report, lambda path, line: "", 0, 0, (fault,), tuple(clock.remarks), named, Sources(found.root))


def _not_run(fault: Fault) -> str:
    if fault.source.startswith("RA"):
        return f"{fault.source}: the rule failed, its findings are not complete"
    return f"everything: {fault.source} failed"
