"""Files to summaries: the cache, the workers, and the child that may die."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from resume_audit.analyzer import cache, discover, program, reading
from resume_audit.analyzer.program import BuildOptions
from resume_audit.analyzer.reading import Reader, dangerous, guarded, lower
from resume_audit.analyzer.recursion import deep_recursion
from resume_audit.analyzer.summary import decode

Files = dict[str, str | bytes]
DEEP = b"x = " + b"(" * 150 + b"1" + b")" * 150 + b"\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "cache"
    made.mkdir()
    return made


def reader(
    tmp_path: Path, cached: Path | None = None, jobs: int = 1, more: Files | None = None, **named: str | bytes
) -> Reader:
    root = tmp_path / "project"
    root.mkdir(exist_ok=True)
    for name, text in {**(more or {}), **named}.items():
        (root / f"{name}.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    found = discover.find((root,), (), root)
    return Reader({file.relative: file for file in found.files}, jobs, cached)


def names(made: Reader, path: str = "a.py") -> set[str]:
    summary = made.load(path)
    return set() if summary is None else {function.qualname for function in summary.functions}


def test_a_file_is_read_once_and_then_from_the_cache(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = reader(tmp_path, folder, a="def f(): ...\n")
    assert names(first) == {"<module>", "f"}
    assert first.hits == 0
    monkeypatch.setattr(reading, "lower", never)
    second = reader(tmp_path, folder)
    assert names(second) == {"<module>", "f"}
    assert second.hits == 1


def never(*given: object) -> None:
    raise AssertionError("was lowered")


def test_other_content_is_no_hit(tmp_path: Path, folder: Path) -> None:
    names(reader(tmp_path, folder, a="def f(): ...\n"))
    changed = reader(tmp_path, folder, a="def g(): ...\n")
    assert names(changed) == {"<module>", "g"}
    assert changed.hits == 0


def test_the_same_content_elsewhere_is_a_hit(tmp_path: Path, folder: Path) -> None:
    names(reader(tmp_path, folder, a="def f(): ...\n", b="def f(): ...\n"))
    again = reader(tmp_path, folder)
    assert names(again, "b.py") == {"<module>", "f"}
    assert again.hits == 1


def test_the_kind_of_file_is_part_of_the_key() -> None:
    assert cache.key(b"x", "py") == cache.key(b"x", "py")
    assert len({cache.key(b"x", "py"), cache.key(b"x", "ipynb"), cache.key(b"y", "py")}) == 3


def cut(entry: bytes) -> bytes:
    return entry[:-1]


def turned(entry: bytes) -> bytes:
    return entry[:-1] + bytes([entry[-1] ^ 1])


def empty(entry: bytes) -> bytes:
    return b""


def headless(entry: bytes) -> bytes:
    return entry[1:]


@pytest.mark.parametrize("damage", [cut, turned, empty, headless])
def test_damaged_entries_are_made_again(tmp_path: Path, folder: Path, damage: Callable[[bytes], bytes]) -> None:
    names(reader(tmp_path, folder, a="def f(): ...\n"))
    (entry,) = folder.glob("*.bin")
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    again = reader(tmp_path, folder)
    assert names(again) == {"<module>", "f"}
    assert again.hits == 0
    assert entry.read_bytes() == whole


def test_entries_of_something_else_are_made_again(tmp_path: Path, folder: Path) -> None:
    made = reader(tmp_path, folder, a="def f(): ...\n")
    for payload in (b"no message", b"\x92\x01\x02"):
        cache.write(folder, cache.key(b"def f(): ...\n", "py"), payload)
        assert names(made) == {"<module>", "f"}
        assert made.hits == 0


def test_entries_of_another_tool_are_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write(folder, "name", b"payload")
    assert cache.read(folder, "name") == b"payload"
    before = cache.key(b"x", "py")
    monkeypatch.setattr(cache, "_salt", lambda: b"another")
    assert cache.read(folder, "name") is None
    assert cache.key(b"x", "py") != before


def test_a_folder_that_takes_nothing_is_no_error(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    cache.write(gone, "name", b"payload")
    assert cache.read(gone, "name") is None
    assert names(reader(tmp_path, gone, a="def f(): ...\n")) == {"<module>", "f"}


def test_nothing_is_left_half_written(folder: Path) -> None:
    cache.write(folder, "name", b"payload")
    assert [path.name for path in folder.iterdir()] == ["name.bin"]


def test_errors_are_cached_too(tmp_path: Path, folder: Path) -> None:
    first, second = reader(tmp_path, folder, a="def (:\n"), reader(tmp_path, folder)
    assert names(first) == names(second) == set()
    assert first.errors == second.errors
    assert second.hits == 1
    ((path, line, message),) = [(e.path, e.line, e.message) for e in second.errors]
    assert (path, line) == ("a.py", 1)
    assert message.startswith("not valid Python")


@pytest.mark.parametrize(
    "data, line, message",
    [
        (b"x = 1\n\x00", 2, "NUL"),
        (b"x = (\n", 1, "not valid Python"),
        (b"# coding: nothing\n", 1, "unknown encoding"),
        (b"x = 1\n\xff\n", 2, "not utf-8"),
    ],
)
def test_what_cannot_be_read(data: bytes, line: int, message: str) -> None:
    outcome = lower("a.py", data)
    assert outcome.summary is None
    ((at, told),) = outcome.errors
    assert at == line
    assert message in told


def test_too_deep_for_this_process() -> None:
    outcome = lower("a.py", b"x = " + b"-" * 40_000 + b"1\n")
    assert outcome.summary is None
    assert len(outcome.errors) == 1


def test_notebooks() -> None:
    def notebook(*cells: str) -> bytes:
        made = [{"cell_type": "code", "source": [cell]} for cell in cells]
        return json.dumps({"cells": made, "metadata": {}, "nbformat": 4}, indent=1).encode()

    good = lower("a.ipynb", notebook("def f(): ..."))
    assert good.summary is not None
    assert {f.qualname for f in decode(good.summary).functions} == {"<module>", "f"}
    partly = lower("a.ipynb", notebook("def f(): ...", "def (:"))
    assert partly.summary is not None
    assert len(partly.errors) == 1
    assert lower("a.ipynb", notebook("")).summary is None
    assert lower("a.ipynb", b"{").errors


def test_pictures_in_a_notebook_are_no_danger() -> None:
    def notebook(code: str) -> bytes:
        outputs = [{"output_type": "display_data", "data": {"image/png": "+/" * 5_000}, "metadata": {}}]
        cells = [{"cell_type": "code", "source": [code], "outputs": outputs}]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()

    assert not dangerous("a.ipynb", notebook("x = 1"))
    assert dangerous("a.ipynb", notebook(DEEP.decode()))
    assert not dangerous("a.ipynb", b"{")


def test_risky_files_are_read_in_a_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(path: str, data: bytes) -> reading.Outcome:
        asked.append(path)
        return guarded(path, data)

    monkeypatch.setattr(reading, "guarded", noted)
    made = reader(tmp_path, a=DEEP + b"def f(): ...\n", b="def g(): ...\n")
    assert names(made, "b.py") == {"<module>", "g"}
    assert names(made) == {"<module>", "f"}
    assert asked == ["a.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="the child is a copy of this process there only")
def test_a_child_that_dies_or_hangs_costs_its_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import time

    monkeypatch.setattr(reading, "lower", lambda path, data: os._exit(3))
    assert guarded("a.py", b"").errors == [(1, "the parser died on it (nested too deeply?)")]
    monkeypatch.setattr(reading, "CHILD_SECONDS", 0.2)
    monkeypatch.setattr(reading, "lower", lambda path, data: time.sleep(30))
    start = time.monotonic()
    assert "not parsed within" in guarded("a.py", b"").errors[0][1]
    assert time.monotonic() - start < 10


def many(count: int) -> Files:
    return {f"m{i:03}": f"def f{i}(): ...\n" for i in range(count)}


def loaded(made: Reader) -> Iterator[tuple[str, int]]:
    for path, summary in made.load_all(sorted(made.files), lambda number: None):
        yield path, len(summary.functions)


@pytest.mark.skipif(sys.platform != "linux", reason="workers are copies of this process there only")
def test_workers_give_what_one_process_gives(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**many(50), "m007": "def (:\n", "m009": DEEP, "m011": b"\xff"}
    alone = reader(tmp_path, more=files)
    expected = list(loaded(alone))
    assert len(expected) == 48
    here: list[str] = []
    guarded_too: list[str] = []
    originals = reading.lower, reading.guarded

    def lowered(path: str, data: bytes) -> reading.Outcome:
        here.append(path)
        return originals[0](path, data)

    def in_a_child(path: str, data: bytes) -> reading.Outcome:
        guarded_too.append(path)
        return originals[1](path, data)

    together = reader(tmp_path, folder, jobs=2)
    monkeypatch.setattr(reading, "lower", lowered)
    monkeypatch.setattr(reading, "guarded", in_a_child)
    assert list(loaded(together)) == expected
    assert here == []
    assert guarded_too == ["m009.py"]
    assert sorted(together.errors) == sorted(alone.errors)
    again = reader(tmp_path, folder, jobs=2)
    assert list(loaded(again)) == expected
    assert again.hits == 50
    assert sorted(again.errors) == sorted(alone.errors)


def test_few_files_need_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ProcessPoolExecutor", never)
    assert len(list(loaded(reader(tmp_path, jobs=2, more=many(5))))) == 5


def test_workers_that_cannot_start_are_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **more: object) -> None:
        raise OSError("no processes")

    monkeypatch.setattr(reading, "ProcessPoolExecutor", broken)
    assert len(list(loaded(reader(tmp_path, jobs=2, more=many(45))))) == 45


def test_an_error_is_told_once(tmp_path: Path, folder: Path) -> None:
    root = tmp_path / "project"
    made = reader(tmp_path, a="import langgraph, b\ndef (:\n", b="# langgraph\ndef (:\n", c="import langgraph, a, b\n")
    (root / "d.py").symlink_to(root / "gone.py")
    for _ in range(2):
        found = discover.find((root,), (), root)
        built = program.build(root, found.files, BuildOptions(cache_dir=folder))
        assert [error.path for error in built.errors] == ["a.py", "b.py"]
    del made


def test_the_recursion_limit_comes_back() -> None:
    before = sys.getrecursionlimit()
    with deep_recursion(before + 500):
        assert sys.getrecursionlimit() == before + 500
    assert sys.getrecursionlimit() == before
    with deep_recursion(10):
        assert sys.getrecursionlimit() == before
