"""Hostile files and programs: the audit ends, names what it could not read, and finds the hazard beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from resume_audit.tests import hostile, tangles
from resume_audit.tests.hostile import GOOD, Expected, small
from resume_audit.tests.processes import Ran, check

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no pipes and no such names there")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Expected]]:
    root = tmp_path_factory.mktemp("hostile") / "tree"
    yield root, hostile.plant(root)
    hostile.lift(root)


@dataclass(frozen=True, slots=True)
class Said(Ran):
    """A run that wrote the text for people, too."""

    text: str


def both(root: Path, *arguments: str | Path) -> Said:
    ran = check(*arguments, "--output", f"text={root.parent / 'said'}", cwd=root)
    return Said(ran.status, ran.out, ran.err, (root.parent / "said").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "cache"


@pytest.fixture(scope="module")
def alone(planted: tuple[Path, Expected]) -> Said:
    return both(planted[0], "--no-cache", "--jobs", "1")


@pytest.fixture(scope="module")
def shared(planted: tuple[Path, Expected], cache: Path) -> Said:
    return both(planted[0], "--cache-dir", cache, "--jobs", "2")


@pytest.fixture(params=["one job", "two jobs"])
def ran(request: pytest.FixtureRequest, alone: Said, shared: Said) -> Said:
    return alone if request.param == "one job" else shared


def test_it_ends_as_with_any_finding(ran: Said) -> None:
    assert (ran.status, ran.err) == (1, "")


def test_every_bad_file_is_named_once(planted: tuple[Path, Expected], ran: Said) -> None:
    expected = planted[1].errors
    missing = [path for path, bad in expected.items() if bad.certain and path not in ran.errors]
    assert missing == []
    assert [path for path in ran.errors if path not in expected] == []
    assert {path: said for path, said in ran.errors.items() if len(said) > 1} == {}


def test_the_message_says_what_is_wrong_and_where(planted: tuple[Path, Expected], ran: Said) -> None:
    for path, ((line, message),) in ran.errors.items():
        bad = planted[1].errors[path]
        assert re.search(bad.message, message), f"{path}: {message}"
        assert not bad.certain or line == bad.line, f"{path}:{line}: {message}"
        assert len(message) < 200, path
        assert message.isprintable(), path
        assert "Traceback" not in message, path


def test_the_hazards_beside_them_are_found(planted: tuple[Path, Expected], ran: Said) -> None:
    assert {path: ran.rules.get(path) for path in planted[1].hazards} == {
        path: ["RA101"] for path in planted[1].hazards
    }
    assert set(ran.rules) == set(planted[1].hazards)


def test_text_for_people_is_as_good(planted: tuple[Path, Expected], alone: Said) -> None:
    text, expected = alone.text, planted[1].errors
    named = [path for path in expected if f"  {path}:" in text]
    assert len(named) >= 20
    more = re.search(r"and (\d+) more", text)
    assert len(named) + (int(more[1]) if more else 0) >= sum(bad.certain for bad in expected.values())
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "Traceback" not in text


def test_what_was_said_is_said_again(planted: tuple[Path, Expected], alone: Said, shared: Said, cache: Path) -> None:
    """By any number of processes, from a cache of findings, and from one of summaries alone."""
    again = both(planted[0], "--cache-dir", cache)
    for entry in cache.glob("findings-*"):
        entry.unlink()
    from_summaries = both(planted[0], "--cache-dir", cache)
    assert alone.out == shared.out == again.out == from_summaries.out
    assert alone.text == shared.text == again.text == from_summaries.text


TANGLE = pytest.mark.parametrize("name", tangles.TANGLES)


@TANGLE
def test_tangles(name: str, tmp_path: Path) -> None:
    tangled(name, tmp_path, full=False)


@pytest.mark.slow
@TANGLE
def test_tangles_in_full(name: str, tmp_path: Path) -> None:
    tangled(name, tmp_path, full=True)


def tangled(name: str, root: Path, *, full: bool) -> None:
    tangle = tangles.TANGLES[name]
    (root / "pyproject.toml").touch()
    (root / "good.py").write_text(GOOD, encoding="utf-8")
    (root / "tangle.py").write_text(tangle.text(full), encoding="utf-8")
    ran = check("--no-cache", "--jobs", "1", cwd=root)
    assert (ran.status, ran.err, ran.errors) == (1, "", {})
    assert ran.rules["good.py"] == ["RA101"]
    if tangle.hazard and not any("tangle.py" in each for each in ran.report["not_checked"]):
        assert "RA101" in ran.rules.get("tangle.py", ())


def spoil(entry: Path, how: str, others: list[Path]) -> None:
    data = entry.read_bytes()
    if how == "emptied":
        entry.write_bytes(b"")
    elif how == "cut":
        entry.write_bytes(data[:-1])
    elif how == "flipped":
        entry.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    elif how == "other bytes":
        entry.write_bytes(b"\xc1" * 1000)
    elif how == "another entry":
        entry.write_bytes(next(each for each in others if each != entry).read_bytes())
    else:
        entry.unlink()
        if how == "a folder":
            entry.mkdir()
        elif how == "a link to nowhere":
            entry.symlink_to("nowhere")
        else:
            os.mkfifo(entry)


@pytest.mark.parametrize(
    "how",
    ["emptied", "cut", "flipped", "other bytes", "another entry", "a folder", "a link to nowhere", "a pipe"],
)
def test_a_spoiled_cache_is_no_cache(how: str, tmp_path: Path) -> None:
    root, cache = small(tmp_path / "project"), tmp_path / "cache"
    (root / "quiet.py").write_text(GOOD.replace("requests.post", "requests.get"), encoding="utf-8")
    fresh = check("--cache-dir", cache, cwd=root)
    entries = [path for path in cache.iterdir() if path.suffix == ".bin"]
    assert len(entries) >= 3
    kept = {path: path.read_bytes() for path in entries}
    for path in entries:
        spoil(path, how, entries)
        if how == "another entry":
            break
    again = check("--cache-dir", cache, cwd=root)
    assert (again.status, again.err, again.out) == (1, "", fresh.out)
    assert all(path.read_bytes() for path in kept if path.is_file())


def test_entries_of_another_tool_are_left_alone(tmp_path: Path) -> None:
    root, cache = small(tmp_path / "project"), tmp_path / "cache"
    cache.mkdir()
    (cache / "notes.txt").write_text("mine", encoding="utf-8")
    (cache / "foreign.bin").write_bytes(b"\x00" * 64)
    (cache / "half.tmp").write_bytes(b"half")
    fresh = check("--no-cache", cwd=root)
    assert check("--cache-dir", cache, cwd=root).out == fresh.out
    assert (cache / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert (cache / "foreign.bin").read_bytes() == b"\x00" * 64


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    root = small(tmp_path / "project")
    fresh = check("--no-cache", cwd=root)
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    there = check("--cache-dir", in_the_way / "cache", cwd=root)
    assert (there.status, there.err, there.out) == (1, "", fresh.out)
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    try:
        shut = check("--cache-dir", closed, cwd=root)
    finally:
        closed.chmod(0o700)
    assert (shut.status, shut.err, shut.out) == (1, "", fresh.out)


def test_a_cache_that_the_project_points_elsewhere(tmp_path: Path) -> None:
    root = small(tmp_path / "project")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (root / ".resume-audit").symlink_to(elsewhere, target_is_directory=True)
    assert check(cwd=root).status == 1
    assert list(elsewhere.iterdir()) == []
