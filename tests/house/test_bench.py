"""The benchmark measures and prints what it promises; no test looks at the seconds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "benchmarks" / "bench.py"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are measured by wait4")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_prints_costs_and_ratios(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "graph.py").write_text("from langgraph.types import interrupt\n\n\nx = 1\n")
    (tmp_path / "broken.py").write_text("def (\n")
    ran = bench(str(tmp_path), "--runs", "1")
    assert ran.returncode == 0, ran.stderr
    head, rest = ran.stdout.split("\n", 1)
    assert head == f"{tmp_path.resolve()}: 2 files, 5 lines, 1 analysed"
    for name in ("floor", "cold", "cold, filling", "after a change", "warm"):
        assert re.search(rf"^{name} +\d+\.\d\d +\(\d+\.\d\d to \d+\.\d\d\) +\d+$", rest, re.MULTILINE)
    for ratio in ("cold / floor", "cold, filling / floor", "after a change / cold", "warm / cold"):
        assert re.search(rf"^{ratio} +\d+\.\d\d$", rest, re.MULTILINE)


def test_says_why_it_cannot_measure(tmp_path: Path) -> None:
    ran = bench(str(tmp_path / "absent"))
    assert ran.returncode == 2
    assert "no such folder" in ran.stderr
