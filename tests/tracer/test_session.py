"""Attaching and letting go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from resume_audit import tracer
from resume_audit.tracer.reader import Reading, events

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / ".venv" / "root"

LIGHT = """
import sys
before = set(sys.modules)
from resume_audit import tracer
session = tracer.attach({store!r})
new = {{name.partition('.')[0] for name in set(sys.modules) - before}}
session.detach()
print(session.events, sorted(new - sys.stdlib_module_names - {{'resume_audit'}}))
"""


def kinds(store: Path) -> list[str]:
    return [event["kind"] for event in events([store], Reading())]


@pytest.fixture(autouse=True)
def _nobody_else_traces() -> None:
    if sys.gettrace() is not None and sys.version_info < (3, 12):
        pytest.skip("a debugger or coverage holds the trace function")


def run(code: str, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RESUME_AUDIT", "COV"))}
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, env={**clean, **env}, capture_output=True, text=True, check=False)


def test_attaching_imports_the_standard_library_only(tmp_path: Path) -> None:
    done = run(LIGHT.format(store=str(tmp_path / "traces")), "-S", PYTHONPATH=str(PACKAGE))
    assert (done.stderr, done.returncode) == ("", 0)
    count, foreign = done.stdout.split(" ", 1)
    assert int(count) >= 2
    assert json.loads(foreign.replace("'", '"')) == []


@pytest.mark.slow
def test_it_works_without_its_dependencies(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "bare")], check=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", str(ROOT)]
    subprocess.run(pip, check=True, capture_output=True)
    code = LIGHT.format(store=str(tmp_path / "traces"))
    done = subprocess.run([python, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.endswith(" []\n")


def test_a_block_is_recorded(tmp_path: Path) -> None:
    with tracer.recording(tmp_path) as session:
        was_on = session.is_on
    assert (was_on, session.is_on) == (True, False)
    found = kinds(tmp_path)
    assert found[:2] == ["trace", "process.start"]
    assert found[-1] == "process.end"
    session.detach()
    assert kinds(tmp_path) == found


def test_a_second_one_stays_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tracer.recording(tmp_path / "one"):
        second = tracer.attach(tmp_path / "two")
        assert not second.is_on
        assert capsys.readouterr().err == "resume-audit: not attached: this process is being traced already\n"
        second.detach()
    assert not (tmp_path / "two").exists()
    with tracer.recording(tmp_path / "three") as third:
        assert third.is_on


def test_a_core_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such core"):
        tracer.attach(tmp_path, core="quick")


def test_an_intent_is_retry_or_fork() -> None:
    with pytest.raises(ValueError, match="'retry' or 'fork'"), tracer.call(intent="again"):
        pass
    with tracer.call(intent="fork", job="order-7"):
        pass


def test_the_core_that_was_taken_away_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.gettrace()
    session = tracer.attach(tmp_path, core="settrace")
    if not session.is_on:
        pytest.skip("a debugger or coverage holds the trace function")
    sys.settrace(None)
    session.detach()
    sys.settrace(before)
    assert "trace.gap" in kinds(tmp_path)
    assert capsys.readouterr().err.count("resume-audit: ") == 1


def test_a_fault_of_the_tracer_is_one_warning(tmp_path: Path) -> None:
    code = f"""
import sys; sys.path.insert(0, {str(PACKAGE)!r})
from resume_audit import tracer
from resume_audit.tracer import effects
def fault(*given): raise RuntimeError('inside')
for found in vars(effects).values():
    if getattr(found, '__module__', '') == effects.__name__ and hasattr(found, 'started'): found.started = fault
def charge(n): return n
session = tracer.attach({str(tmp_path)!r}, effects=['__main__.charge'])
print(charge(1), charge(2))
"""
    done = run(code)
    assert (done.stdout, done.returncode) == ("1 2\n", 0)
    assert done.stderr.count("resume-audit: ") == 1
    assert "the tracer failed at" in done.stderr
    found = list(events([tmp_path], Reading()))
    assert [event["reason"] for event in found if event["kind"] == "trace.gap"] == ["tracer fault"]
    assert found[-1]["kind"] == "process.end"
