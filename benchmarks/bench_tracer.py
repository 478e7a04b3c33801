"""What tracing costs: CPU against no tracing, against a trace function that returns None, and against coverage.

One process a measurement, the modes interleaved in every round, so that a change of the machine's speed meets them
all. Reported are medians, and medians of the ratios within a round.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LOAD = Path(__file__).with_name("tracer_load.py")


@dataclass(frozen=True)
class Cost:
    """CPU seconds of the runs, and events written."""

    cpu: float
    events: int


class Failed(Exception):
    """A measured process did not succeed; holds what it said."""


def measure(python: str, mode: str, runs: int) -> Cost:
    """One process. Raises Failed."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RESUME_AUDIT", "COV"))}
    command = [python, "-W", "ignore", str(LOAD), mode, str(runs)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{python} {mode}: {done.stderr.strip()[-800:]}")
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def modes(python: str) -> list[str]:
    """What this interpreter can be measured with."""
    code = "import sys, importlib.util as u; print(sys.version_info >= (3, 12), u.find_spec('coverage') is not None)"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    monitoring, coverage = (each == "True" for each in told)
    found = ["none", "null", "settrace", *(["monitoring"] if monitoring else [])]
    return found + (["coverage-ctrace", *(["coverage-sysmon"] if monitoring else [])] if coverage else [])


def table(python: str, costs: dict[str, list[Cost]], runs: int) -> list[str]:
    """The medians as text."""
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    rounds = len(costs["none"])
    lines = [f"{version}, {rounds} rounds of {runs} runs", f"{'':<18}{'CPU ms a run':>14}{'/ none':>9}{'/ null':>9}"]
    for mode, each in costs.items():
        ratios = [
            statistics.median(mine.cpu / base.cpu for mine, base in zip(each, costs[base_name], strict=True))
            for base_name in ("none", "null")
        ]
        middle = statistics.median(cost.cpu for cost in each) * 1000 / runs
        lines.append(f"{mode:<18}{middle:>14.2f}{ratios[0]:>9.2f}{ratios[1]:>9.2f}")
    for mode in ("settrace", "monitoring"):
        if mode in costs:
            extra = [(m.cpu - b.cpu) / m.events for m, b in zip(costs[mode], costs["none"], strict=True) if m.events]
            a_run = costs[mode][0].events / runs
            lines.append(
                f"{mode}: {statistics.median(extra) * 1e6:.1f} microseconds an event, {a_run:.0f} events a run"
            )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table for each interpreter; 2 where one cannot be measured."""
    parser = argparse.ArgumentParser(description="What tracing costs.")
    parser.add_argument("pythons", nargs="+", metavar="PYTHON", help="interpreters that have langgraph")
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default 9)")
    parser.add_argument("--runs", type=int, default=150, help="runs of the graph in a measurement (default 150)")
    options = parser.parse_args(arguments)
    try:
        for python in options.pythons:
            costs: dict[str, list[Cost]] = {mode: [] for mode in modes(python)}
            for _ in range(options.rounds):
                for mode, found in costs.items():
                    found.append(measure(python, mode, options.runs))
            print("\n".join(table(python, costs, options.runs)), end="\n\n")
    except (Failed, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
