"""What an audit costs: CPU seconds and peak memory, against parsing the same files.

Whole processes are measured, children included, in interleaved rounds. Reported are medians and
the ratios of medians, so that a slow machine or a busy one moves both sides.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FLOOR = Path(__file__).with_name("floor.py")
LIST_FILES = """
import os, sys
from pathlib import Path
from resume_audit.analyzer import discover
from resume_audit.cli.api import Request, plan
paths = (Path(sys.argv[1]),)
planned = plan(Request(paths))
found = discover.find(paths, planned.config.exclude, planned.root)
python = [os.fsencode(file.path) for file in found.files if file.path.suffix != ".ipynb"]
sys.stdout.buffer.write(b"\\0".join(python))
"""
"""Runs in a process of its own: this one must stay small, because a child's peak begins at its parent's."""

ANOTHER_QUESTION = ("--framework-version", "langgraph==1.2.24+{round}")
"""Makes what is remembered of the whole project useless and no summary: what an audit costs after a small edit."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system) and peak resident MB of one process and its children."""

    cpu: float
    peak: float


@dataclass(frozen=True)
class Case:
    """Something to measure.

    ``{round}`` in the command is the number of the round. The folder ``without`` is removed before each run.
    """

    name: str
    command: tuple[str, ...]
    stdin: Path | None = None
    without: Path | None = None


class Failed(Exception):
    """A measured process did not succeed; holds what it said."""


def run(command: Sequence[str], stdin: Path | None, stdout: Path) -> Cost:
    """Run a process to its end and return what it cost.

    Raises Failed if it ends with another status than 0.
    """
    said = stdout.with_suffix(".stderr")
    with (stdin or Path(os.devnull)).open("rb") as source, stdout.open("wb") as out, said.open("wb") as err:
        process = subprocess.Popen(command, stdin=source, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failed(f"{' '.join(command)}\nended with {process.returncode}\n{said.read_text()[-2000:]}")
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / unit)


def audit(tree: Path, jobs: int, *options: str) -> tuple[str, ...]:
    """The command of one audit."""
    check = ("check", str(tree), "--format", "json", "--fail-on", "never", "--quiet", "--jobs", str(jobs))
    return (sys.executable, "-m", "resume_audit", *check, *options)


def measure(cases: Sequence[Case], runs: int, scratch: Path) -> dict[str, list[Cost]]:
    """Each case once a round, so that a change of the machine's speed meets them all."""
    costs: dict[str, list[Cost]] = {case.name: [] for case in cases}
    for round_ in range(1, runs + 1):
        for case in cases:
            if sys.stderr.isatty():
                print(f"\rround {round_} of {runs}: {case.name:<24}", end="", file=sys.stderr, flush=True)
            if case.without:
                shutil.rmtree(case.without, ignore_errors=True)
            command = [part.replace("{round}", str(round_)) for part in case.command]
            costs[case.name].append(run(command, case.stdin, scratch / "stdout"))
    if sys.stderr.isatty():
        print("\r" + " " * 60, end="\r", file=sys.stderr)
    return costs


def table(costs: dict[str, list[Cost]]) -> list[str]:
    """The medians, with the range of the CPU seconds, and the ratios of medians."""
    lines = [f"{'':<16}{'CPU s':>9}{'(least to most)':>20}{'peak MB':>10}"]
    for name, each in costs.items():
        cpus = [cost.cpu for cost in each]
        spread = f"({min(cpus):.2f} to {max(cpus):.2f})"
        peak = statistics.median(cost.peak for cost in each)
        lines.append(f"{name:<16}{statistics.median(cpus):>9.2f}{spread:>20}{peak:>10.0f}")
    middle = {name: statistics.median(cost.cpu for cost in each) for name, each in costs.items()}
    lines.append("")
    for over, under in (("cold", "floor"), ("cold, filling", "floor"), ("after a change", "cold"), ("warm", "cold")):
        ratio = middle[over] / middle[under] if middle[under] else float("nan")
        lines.append(f"{f'{over} / {under}':<25}{ratio:.2f}")
    return lines


def bench(tree: Path, runs: int, jobs: int, scratch: Path) -> str:
    """Measure an audit of ``tree`` and return the table."""
    files, cache, empty = scratch / "files", scratch / "cache", scratch / "empty"
    run((sys.executable, "-c", LIST_FILES, str(tree)), None, files)
    first = scratch / "first"
    run(audit(tree, jobs, "--cache-dir", str(cache)), None, first)
    stats = json.loads(first.read_bytes())["stats"]
    cases = (
        Case("floor", (sys.executable, "-I", "-S", str(FLOOR)), files),
        Case("cold", audit(tree, jobs, "--no-cache")),
        Case("cold, filling", audit(tree, jobs, "--cache-dir", str(empty)), without=empty),
        Case("after a change", audit(tree, jobs, "--cache-dir", str(cache), *ANOTHER_QUESTION)),
        Case("warm", audit(tree, jobs, "--cache-dir", str(cache))),
    )
    head = (
        f"{tree}: {stats['files']:,} files, {stats['lines']:,} lines, {stats['analysed']:,} analysed",
        f"medians of {runs}, jobs {jobs}, Python {platform.python_version()}, {os.cpu_count()} cores",
        "",
    )
    return "\n".join([*head, *table(measure(cases, runs, scratch))])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 if the tree is not there or an audit of it fails."""
    parser = argparse.ArgumentParser(description="What an audit costs, against parsing the same files.")
    parser.add_argument("tree", type=Path)
    parser.add_argument("--runs", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes of the audit (default 1)")
    options = parser.parse_args(arguments)
    if not options.tree.exists() or options.runs < 1:
        parser.error(f"{options.tree}: no such folder" if options.runs > 0 else "--runs must be 1 or more")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            print(bench(options.tree.resolve(), options.runs, options.jobs, Path(scratch)))
    except Failed as failed:
        print(failed, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
