"""The protocols of langgraph_programs/, traced: what each trace tells, the same on every saver, sync and async."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from resume_audit.tests.tracer import langgraph_stories as stories

pytestmark = [
    pytest.mark.langgraph,
    pytest.mark.skipif(importlib.util.find_spec("langgraph") is None, reason="langgraph is not installed"),
]

HERE = Path(__file__).parent
EXPECTED = tomllib.loads((HERE / "langgraph_stories.toml").read_text(encoding="utf-8"))
CORES = ("settrace", "monitoring") if hasattr(sys, "monitoring") else ("settrace",)
RACES = ("cancelled", "sibling_outlives_the_failure", "two_answers_at_once", "many_threads_at_once")
"""Whether LangGraph still records what a cancelled task left is a matter of time."""

PLAIN = ("memory", "sqlite", "aiosqlite")
FORMS = ("memory-sync", "memory-async", "sqlite-sync", "aiosqlite-async")


def expected(protocol: str, form: str) -> list[str]:
    """The story for the installed version: that of the newest version measured which is not newer."""
    told = EXPECTED[protocol]
    if form.endswith("-sync") and "sync" in told:
        return list(told["sync"])
    have = tuple(int(part) for part in version("langgraph").split("."))
    since = {tuple(int(part) for part in key.split(".")): lines for key, lines in told.items() if key[0].isdigit()}
    return list(since[max(each for each in since if each <= have)])


def run(out: Path, core: str, *savers: str) -> Path:
    done = subprocess.run(
        [sys.executable, HERE / "langgraph_programs" / "run.py", out, core, *savers],
        env={**os.environ, "RESUME_AUDIT_KEY": stories.KEY},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "resume-audit:" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {core: run(tmp_path_factory.mktemp(core), core, *PLAIN) for core in CORES}


def check(store: Path, protocol: str, form: str) -> None:
    result = json.loads((store / "result").read_text())
    assert result["problem"] == ""
    found = stories.events(store)
    assert stories.faults(found) == []
    told, wanted = stories.story(found), expected(protocol, form)
    if protocol.endswith("_at_once"):
        told, wanted = sorted(told), sorted(wanted)
    assert told == wanted


@pytest.mark.parametrize("protocol", EXPECTED)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("form", FORMS)
def test_the_trace_tells_what_the_protocol_did(traces: dict[str, Path], core: str, form: str, protocol: str) -> None:
    check(traces[core] / protocol / form, protocol, form)


def test_every_protocol_has_a_story(traces: dict[str, Path]) -> None:
    ran = {path.name for path in traces["settrace"].iterdir() if path.is_dir()}
    assert ran == set(EXPECTED)


OPEN_AT_LOADS = {
    "interrupt_path": [[], [0]],
    "two_interrupts": [[], [0], [1]],
    "interrupts_in_a_loop": [[], [0], [1], [2]],
    "duplicate_at_a_checkpoint": [[], [0], []],
    "answered_then_fails": [[], [0], []],
    "parallel_duplicate_map": [[], [0, 0], [0], [0]],
    "stray_answers": [[], [0], [], []],
    "node_interrupt": [[], [0], []],
}
"""The ordinals of the waits that each run found open."""


@pytest.mark.parametrize("protocol", OPEN_AT_LOADS)
@pytest.mark.parametrize("form", FORMS)
def test_an_answered_wait_is_not_pending(traces: dict[str, Path], form: str, protocol: str) -> None:
    found = stories.events(traces["settrace"] / protocol / form)
    loads = [each["pending"] for each in found if each["kind"] == "checkpoint.load"]
    assert [[row["ordinal"] for row in rows if row["wait"]] for rows in loads] == OPEN_AT_LOADS[protocol]


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_names_the_wait_that_parked(traces: dict[str, Path], form: str) -> None:
    found = stories.events(traces["settrace"] / "parallel_by_maps" / form)
    parks = {(each["task"], each["ordinal"]): each["wait"] for each in found if each["kind"] == "wait.park"}
    served = [each for each in found if each["kind"] == "wait.answer" and each["fresh"]]
    assert len(served) == 2
    assert [each["wait"] for each in served] == [parks[each["task"], each["ordinal"]] for each in served]
    assert None not in parks.values()


@pytest.mark.skipif(len(CORES) < 2, reason="this Python has one core")
@pytest.mark.parametrize("form", FORMS)
def test_both_cores_tell_the_same(traces: dict[str, Path], form: str) -> None:
    for protocol in EXPECTED:
        if protocol not in RACES:
            one, other = (stories.multiset(stories.events(traces[core] / protocol / form)) for core in CORES)
            assert (protocol, one - other, other - one) == (protocol, {}, {})


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    programs = [shutil.which(name) for name in ("initdb", "pg_ctl", "createdb")]
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) if Path("/usr/lib/postgresql").is_dir() else []
    folder = found[-1].parent if found else Path(programs[0]).parent if programs[0] else None
    if folder is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip("PostgresSaver: not tested (no PostgreSQL found)")
    home = Path(f"/tmp/ra-pg-{os.getpid()}")  # the path of a socket must be short
    home.mkdir(mode=0o777)
    as_user: list[str | Path] = []
    if os.geteuid() == 0:  # the server does not run as root
        shutil.chown(home, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--clear-groups"]
    data = home / "data"
    control: list[str | Path] = [*as_user, folder / "pg_ctl", "-D", data]

    def do(*command: str | Path) -> None:
        with (home / "output").open("ab") as output:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=True, timeout=120, cwd=home
            )

    do(*as_user, folder / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync")
    do(*control, "-w", "-l", home / "log", "-o", f"-k {home} -c listen_addresses= -c fsync=off", "start")
    try:
        yield f"host={home} user=postgres dbname=postgres"
    finally:
        do(*control, "-m", "immediate", "stop")
        shutil.rmtree(home, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.parametrize("core", CORES)
def test_postgres_tells_the_same(tmp_path: Path, postgres: str, core: str) -> None:
    out = run(tmp_path, core, f"postgres={postgres}", f"apostgres={postgres}")
    for protocol in EXPECTED:
        for form in ("postgres-sync", "apostgres-async"):
            check(out / protocol / form, protocol, form)
