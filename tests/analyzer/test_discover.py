from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from resume_audit.analyzer import discover, ignores


def lay(root: Path, *names: str, **texts: str) -> None:
    for name in (*names, *texts):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts.get(name, ""), encoding="utf-8")


def names(found: discover.Discovery) -> list[str]:
    return [file.relative for file in found.files]


def reported(found: discover.Discovery) -> list[str]:
    return [file.relative for file in found.files if file.named]


def test_root_is_nearest_git_then_nearest_pyproject_then_the_path(tmp_path: Path) -> None:
    lay(tmp_path, "a/pyproject.toml", "a/b/c.py")
    assert discover.project_root(tmp_path / "a/b/c.py") == tmp_path / "a"
    (tmp_path / ".git").mkdir()
    assert discover.project_root(tmp_path / "a/b") == tmp_path
    lay(tmp_path, "x")
    (tmp_path / ".git").rmdir()
    (tmp_path / "a/pyproject.toml").unlink()
    assert discover.project_root(tmp_path / "a/b/c.py") == tmp_path / "a/b"
    assert discover.project_root(tmp_path / "a/b") == tmp_path / "a/b"


def test_whole_project_is_found_but_only_named_paths_are_reported(tmp_path: Path) -> None:
    lay(tmp_path, ".git/config", "z.py", "src/b.py", "src/a.pyw", "src/n.ipynb", "src/data.txt", "srcs/no.py")
    found = discover.find([tmp_path / "src"])
    assert names(found) == ["src/a.pyw", "src/b.py", "src/n.ipynb", "srcs/no.py", "z.py"]
    assert reported(found) == ["src/a.pyw", "src/b.py", "src/n.ipynb"]
    assert found.root == tmp_path
    assert all(file.path == tmp_path / file.relative for file in found.files)


def test_defaults_are_left_out_and_told(tmp_path: Path) -> None:
    lay(
        tmp_path,
        "a.py",
        "node_modules/x.py",
        "build/lib/b.py",
        "env/pyvenv.cfg",
        "env/c.py",
        "__pycache__/d.py",
    )
    lay(tmp_path, ".resume-audit/e.py", "mamba/conda-meta/history", "mamba/f.py", "dist/g.py")
    found = discover.find([tmp_path])
    assert names(found) == ["a.py"]
    assert found.skipped == ("5 folders excluded by default: build, dist, env, mamba, node_modules",)


def test_an_env_folder_and_packages_named_as_output_are_source(tmp_path: Path) -> None:
    lay(tmp_path, "env/a.py", "src/build/__init__.py", "src/build/b.py", "dist/__init__.py")
    assert names(discover.find([tmp_path])) == [
        "dist/__init__.py",
        "env/a.py",
        "src/build/__init__.py",
        "src/build/b.py",
    ]


def test_a_path_inside_an_excluded_folder_is_its_own_root(tmp_path: Path) -> None:
    lay(tmp_path, "pyproject.toml", "a.py", ".gitignore", "env/pyvenv.cfg", "env/lib/site-packages/p/b.py")
    inside = tmp_path / "env/lib/site-packages"
    found = discover.find([inside])
    assert (found.root, reported(found)) == (inside, ["p/b.py"])
    both = discover.find([tmp_path, inside])
    assert (both.root, reported(both)) == (tmp_path, ["a.py", "env/lib/site-packages/p/b.py"])


@pytest.mark.parametrize("name", [".venv/x", "node_modules", "build/lib", "__pycache__"])
def test_excluded_names_hold_upward_too(tmp_path: Path, name: str) -> None:
    lay(tmp_path, "pyproject.toml", f"{name}/a.py")
    assert discover.audit_root([tmp_path / name / "a.py"]) == tmp_path / name


def test_several_projects_share_the_folder_above_and_nothing_else(tmp_path: Path) -> None:
    lay(tmp_path, "one/pyproject.toml", "one/a.py", "two/pyproject.toml", "two/b.py", "three/c.py")
    paths = [tmp_path / "one", tmp_path / "two"]
    found = discover.find(paths)
    assert (found.root, names(found)) == (tmp_path, ["one/a.py", "two/b.py"])
    assert discover.find(paths, root=discover.audit_root(paths)) == found
    assert names(discover.find([tmp_path / "one"], root=tmp_path)) == ["one/a.py", "three/c.py", "two/b.py"]


def test_ignore_files_hold_at_every_level_without_git(tmp_path: Path) -> None:
    lay(tmp_path, "a.py", "gen/b.py", "sub/c.py", "sub/d.py", "sub/gen/e.py", "keep/gen/f.py")
    lay(tmp_path, **{".gitignore": "gen/\n", "sub/.gitignore": "c.py\n", "keep/.gitignore": "!gen/\n"})
    found = discover.find([tmp_path])
    assert names(found) == ["a.py", "keep/gen/f.py", "sub/d.py"]
    assert found.skipped == (
        "2 folders ignored by .gitignore: gen, sub/gen",
        "1 file ignored by .gitignore: sub/c.py",
    )


def test_what_is_named_is_audited_even_if_ignored_or_excluded(tmp_path: Path) -> None:
    lay(tmp_path, ".git/x", "gen/b.py", "gen/no.txt", "a.py", "c.py", "tool", **{".gitignore": "gen\na.py\n"})
    assert reported(discover.find([tmp_path])) == ["c.py"]
    assert reported(discover.find([tmp_path / "gen"])) == ["gen/b.py"]
    assert reported(discover.find([tmp_path / "a.py", tmp_path / "tool"])) == ["a.py", "tool"]
    assert reported(discover.find([tmp_path / "c.py"], ["c.py"])) == ["c.py"]


def test_configured_patterns_are_relative_to_the_root(tmp_path: Path) -> None:
    lay(tmp_path, "a.py", "tests/b.py", "src/tests/c.py", "src/x_pb2.py")
    found = discover.find([tmp_path], ["/tests/", "*_pb2.py"])
    assert names(found) == ["a.py", "src/tests/c.py"]
    assert found.skipped == (
        "1 folder excluded by configuration: tests",
        "1 file excluded by configuration: src/x_pb2.py",
    )


@pytest.mark.skipif(not shutil.which("git"), reason="git judges")
def test_ignore_rules_decide_as_git_does(tmp_path: Path) -> None:
    rules = [
        "[!a].py",
        "a\\ b.py",
        "a.py\\ ",
        "[a-z].py",
        "[a\\-z].py",
        "foo/**",
        "#x.py",
        "[a",
        "[[:nope:]].py",
        "[\\]].py",
        "/",
        "a*b.py",
        "*\n!*/\n!a.py",
        "foo/**\n!foo/a.py",
        "foo/*\n!/foo/bar",
        "**/bar/a.py",
        "foo/**/a.py",
        "/a.py",
        "!a.py",
        "bar/",
        "b?.py\n[!a].py",
        "a*\\ *.py  \n\\#x.py",
        "[a-b].py",
        "foo\n!foo/",
        "**foo",
        "**/",
        "[[:upper:]].py",
        "[]x].py\nx\\",
        "foo/**/",
        "a.py \n#a.py\n\n!",
        "*.py\n!foo/**/a.py",
        "**\n!foo\n!a.py",
    ]
    tree = ["a.py", "b.py", "bb.py", "a b.py", "#x.py", "X.py", "].py"]
    folders = ["", "foo/", "foo/bar/", "foo/bar/foo/", "bar/", "bar/foo/"]
    for number, text in enumerate(rules):
        root = tmp_path / str(number)
        lay(root, *(folder + name for folder in folders for name in tree), **{".gitignore": text})
        subprocess.run(["git", "init", "-q", root], check=True)
        command = [
            "git",
            "-C",
            str(root),
            "ls-files",
            "-o",
            "--exclude-per-directory=.gitignore",
            "-z",
            "*.py",
        ]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert names(discover.find([root])) == sorted(filter(None, listed.split("\0"))), text


def test_hostile_ignore_rules_stay_cheap() -> None:
    start = time.process_time()
    rules = ignores.parse(["*a" * 40 + "b", "**/a/" * 40 + "b"])
    assert rules.decide("a/" * 400 + "c", "a" * 250, is_folder=False) is None
    assert time.process_time() - start < 2


def test_linked_files_are_read_once_and_linked_folders_not_followed(tmp_path: Path) -> None:
    lay(tmp_path, "real.py", "pkg/a.py", "out/far.py")
    (tmp_path / "alias.py").symlink_to("real.py")
    (tmp_path / "pkg/loop").symlink_to(tmp_path)
    (tmp_path / "self.py").symlink_to("self.py")
    (tmp_path / ".#real.py").symlink_to("user@host")
    found = discover.find([tmp_path])
    assert names(found) == ["out/far.py", "pkg/a.py", "real.py"]
    assert [(error.path, error.line) for error in found.errors] == [("self.py", 1)]
    assert found.skipped == (
        "1 linked folder not followed: pkg/loop",
        "1 file read once, under another name: alias.py",
    )
    assert reported(discover.find([tmp_path / "alias.py"], root=tmp_path)) == ["alias.py"]
    assert reported(discover.find([tmp_path / "pkg/loop/out"], root=tmp_path)) == ["pkg/loop/out/far.py"]


def test_pipes_sockets_and_devices_are_named_and_never_opened(tmp_path: Path) -> None:
    lay(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe.py")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "null.py").symlink_to("/dev/null")
    (tmp_path / "other").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(tmp_path / "s.py"))
        found = discover.find([tmp_path])
    assert names(found) == ["a.py"]
    assert {(error.path, error.message) for error in found.errors} == {
        (name, "not a regular file") for name in ("pipe.py", "null.py", "s.py")
    }
    assert [e.path for e in discover.find([tmp_path / "pipe"]).errors if e.path == "pipe"] == ["pipe"]


def test_folders_that_cannot_be_read_and_missing_paths_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, "a.py", "shut/b.py")
    scandir = os.scandir

    def refuse(path: str) -> os._ScandirIterator[str]:
        if path.endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover.find([tmp_path, tmp_path / "gone"])
    assert names(found) == ["a.py"]
    assert [(error.path, error.message) for error in found.errors] == [
        ("gone", "cannot be read: No such file or directory"),
        ("shut", "folder cannot be read: Permission denied"),
    ]


@pytest.mark.skipif(os.name == "nt", reason="names are bytes on POSIX only")
def test_names_that_are_no_text_are_printable(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b.py")).write_text("x = 1", encoding="utf-8")
    except OSError:
        pytest.skip("the file system takes only text")
    (file,) = discover.find([tmp_path]).files
    assert file.relative == "\\xff\\x1b.py"
    assert file.path.read_text(encoding="utf-8") == "x = 1"


def test_deep_trees_are_walked(tmp_path: Path) -> None:
    depth = sys.getrecursionlimit() + 100
    deep = tmp_path / "/".join("d" * depth)
    try:
        subprocess.run(["mkdir", "-p", deep], check=True)
        (deep / "a.py").touch()
        assert names(discover.find([tmp_path])) == ["d/" * depth + "a.py"]
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # deeper than shutil goes
