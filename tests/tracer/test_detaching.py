"""Letting go while traced calls are still running."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CORES = ("settrace", "monitoring") if hasattr(sys, "monitoring") else ("settrace",)

PROGRAM = """
import sys, threading
from resume_audit import tracer
begun, over = threading.Event(), threading.Event()
def act():
    begun.set()
    over.wait(30)
with tracer.recording(sys.argv[1], core=sys.argv[2], effects=["program.act"]):
    thread = threading.Thread(target=act)
    thread.start()
    begun.wait(30)
over.set()
thread.join()
"""


@pytest.mark.parametrize("core", CORES)
def test_a_call_that_ends_after_the_detaching_is_no_loss(tmp_path: Path, core: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, program, tmp_path / "store", core],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    [path] = (tmp_path / "store").glob("*.jsonl")
    assert '"kind":"effect"' in path.read_text()
