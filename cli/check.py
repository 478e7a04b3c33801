"""``resume-audit check``: audit source."""

from __future__ import annotations

from pathlib import Path

import click

from .. import config as configuration
from ..reports import text as text_report
from . import output, status
from .api import Audit, Plan, Request, audit, plan
from .progress import Progress
from .streams import say, say_block
from .versions import framework_version


def _split(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Comma separated lists, given any number of times, as one list."""
    parts = tuple(part.strip() for value in values for part in value.split(","))
    if values and not any(parts):
        raise click.BadParameter("names no rule", context, parameter)
    return tuple(part for part in parts if part)


def _versions(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    pairs = []
    for value in values:
        pair = framework_version(value)
        if pair is None:
            raise click.BadParameter(f"{value!r} is not NAME=VERSION (langgraph=1.2.16)", context, parameter)
        pairs.append(pair)
    return tuple(pairs)


@click.command(short_help="Audit source.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "format_name", type=click.Choice(output.FORMATS), help="Format of the report; default text.")
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="[FORMAT=]FILE",
    help="Write the report to FILE ('-': standard output). Without a format here or by --format, the name tells it: "
    ".json, .sarif (or .sarif.json), anything else text. Repeatable, each with its own format.",
)
@click.option(
    "--select",
    multiple=True,
    callback=_split,
    metavar="RULES",
    help="Run only these: ids, names, families or properties, by commas (RA101,RA3,EO). Replaces select and "
    "ignore of the configuration.",
)
@click.option("--ignore", multiple=True, callback=_split, metavar="RULES", help="Do not run these; as for --select.")
@click.option("--pedantic", is_flag=True, help="Show notes too; else they are only counted.")
@click.option(
    "--fail-on",
    type=click.Choice(status.FAIL_ON),
    help="The lowest level that makes the exit status 1; default: that of the configuration, else warning.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use; default: one for each processor."
)
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option(
    "--cache-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to cache; default .resume-audit/cache in the project.",
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the configuration from this file (a pyproject.toml, or one with the same keys at its top); default: "
    "the nearest one.",
)
@click.option(
    "--framework-version",
    "framework_versions",
    multiple=True,
    callback=_versions,
    metavar="NAME=VERSION",
    help="Judge by this version, langgraph=1.2.24, instead of the one that the project pins. Repeatable.",
)
@click.option("--include-suppressed", is_flag=True, help="Report what comments suppress too, marked as such.")
@click.option("--statistics", is_flag=True, help="In text, count findings by rule instead of showing them.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings on standard error.")
@click.option("-v", "--verbose", is_flag=True, help="Say times, cache hits and tracebacks of faults on standard error.")
def check(
    paths: tuple[Path, ...],
    format_name: str | None,
    outputs: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    pedantic: bool,
    fail_on: str | None,
    jobs: int | None,
    no_cache: bool,
    cache_dir: Path | None,
    config_file: Path | None,
    framework_versions: tuple[tuple[str, str], ...],
    include_suppressed: bool,
    statistics: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Audit the source at PATHS, files or folders (default: the current folder).

    PATHS limit what is reported. The rest of the project (the nearest folder above with .git, else with pyproject.toml)
    is read too, to follow calls. Nothing of it is run.

    \b
    resume-audit check                          the current folder, as text
    resume-audit check src --select RA1,EO      some rules only
    resume-audit check --output report.sarif    for code scanning

    \b
    Exit status: 0 nothing at or above --fail-on, 1 findings,
    2 wrong usage or configuration, 3 a fault inside the audit.
    """
    wanted = output.targets(format_name, outputs)
    progress = Progress(not quiet)
    request = Request(
        paths=paths or (Path(),),
        select=select,
        ignore=ignore,
        pedantic=pedantic,
        include_suppressed=include_suppressed,
        config=config_file,
        jobs=jobs,
        use_cache=not no_cache,
        cache_dir=cache_dir,
        framework_versions=dict(framework_versions),
        progress=progress,
    )
    planned = _planned(request)
    output.prepare(wanted)
    try:
        with audit(planned) as done:
            progress.clear()
            output.write(done, wanted, statistics=statistics)
            _tell(done, wanted, statistics=statistics, quiet=quiet, verbose=verbose)
            return status.of(done.report, fail_on or planned.config.fail_on)
    finally:
        progress.clear()


def _planned(request: Request) -> Plan:
    try:
        return plan(request)
    except (configuration.ConfigError, FileNotFoundError, ValueError) as error:
        raise click.UsageError(str(error)) from None


def _tell(done: Audit, wanted: tuple[output.Target, ...], *, statistics: bool, quiet: bool, verbose: bool) -> None:
    """Say on standard error what is no part of a report."""
    for fault in done.faults:
        say(f"fault: {fault.line}")
        if verbose:
            say_block(fault.detail)
    if quiet:
        return
    if not done.named:
        say("warning: no Python files found under the given paths")
    if statistics and all(target.format != "text" for target in wanted):
        counted = text_report.statistics(done.report, text_report.View())
        say_block("".join(f"{line}\n" for line in counted))
    files = [str(target.path) for target in wanted if target.path is not None]
    if files and len(files) == len(wanted):
        counts = text_report.level_counts(done.report.findings)
        say(f"{counts or 'no findings'}; written to {', '.join(files)}")
    if verbose:
        for remark in done.remarks:
            say(remark)
