"""The commit is read from the files of .git, and no secret with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.contract import Report
from resume_audit.reports.provenance import Provenance, provenance, public_address
from resume_audit.reports.sources import Sources
from resume_audit.tests.reports.logs import run

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIG = '[core]\n\tbare = false\n[remote "up"]\n\turl = https://h.example/up\n[remote "origin"]\n\turl = {}\n'


def repository(root: Path, url: str = "https://github.com/shop/desk.git", head: str = "ref: refs/heads/main\n") -> Path:
    git = root / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "config").write_text(CONFIG.format(url))
    (git / "HEAD").write_text(head)
    (git / "refs" / "heads" / "main").write_text(COMMIT + "\n")
    return root


def test_commit_branch_and_remote(tmp_path: Path) -> None:
    assert provenance(repository(tmp_path)) == Provenance("https://github.com/shop/desk", COMMIT, "main")


def test_in_the_log(tmp_path: Path) -> None:
    (found,) = run(Report(), Sources(repository(tmp_path)))["versionControlProvenance"]
    assert found == {
        "repositoryUri": "https://github.com/shop/desk",
        "revisionId": COMMIT,
        "branch": "main",
        "mappedTo": {"uriBaseId": "%SRCROOT%"},
    }


def test_a_packed_branch_and_a_detached_head(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / ".git" / "refs" / "heads" / "main").unlink()
    (root / ".git" / "packed-refs").write_text(f"# pack-refs\n{'9' * 40} refs/heads/main2\n{COMMIT} refs/heads/main\n")
    assert provenance(root) == Provenance("https://github.com/shop/desk", COMMIT, "main")
    (root / ".git" / "HEAD").write_text(COMMIT)
    assert provenance(root) == Provenance("https://github.com/shop/desk", COMMIT, None)


def test_a_worktree(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    inner = main / ".git" / "worktrees" / "two"
    inner.mkdir(parents=True)
    (inner / "HEAD").write_text("ref: refs/heads/main\n")
    (inner / "commondir").write_text("../..\n")
    tree = tmp_path / "two"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {inner}\n")
    assert provenance(tree) == Provenance("https://github.com/shop/desk", COMMIT, "main")


@pytest.mark.parametrize(
    "url, address",
    [
        ("https://user:secret@github.com/shop/desk.git", "https://github.com/shop/desk"),
        ("https://x-access-token:ghs_secret@GitHub.com/shop/desk?token=secret#x", "https://github.com/shop/desk"),
        ("git@github.com:shop/desk.git", "https://github.com/shop/desk"),
        ("ssh://git@git.example:2222/shop/desk.git", "https://git.example/shop/desk"),
        ("https://git.example:8443/shop/desk", "https://git.example:8443/shop/desk"),
        ("/home/anna/desk", None),
        ("../desk", None),
        ("file:///home/anna/desk.git", None),
        ("file://server/share/desk.git", None),
        ("ext::sh", None),
        ("host:/srv/desk.git", None),
        ("C:\\desk", None),
        ("C:/desk", None),
        ("https://", None),
        ("https://[::1", None),
    ],
)
def test_a_remote_as_an_address(url: str, address: str | None) -> None:
    assert public_address(url) == address


@pytest.mark.parametrize("url", ["/home/anna/desk", "file:///desk"])
def test_a_folder_of_the_machine_is_not_told(tmp_path: Path, url: str) -> None:
    assert provenance(repository(tmp_path, url)) is None
    assert "versionControlProvenance" not in run(Report(), Sources(tmp_path))


@pytest.mark.parametrize("head", ["ref: refs/heads/../../../secret", "ref: ../secret", "secret words", ""])
def test_nothing_but_commits_is_read_out(tmp_path: Path, head: str) -> None:
    (tmp_path / "secret").write_text(COMMIT)
    found = provenance(repository(tmp_path, head=head))
    assert found is not None
    assert (found.commit, found.branch) == (None, None)


def test_a_ref_that_holds_something_else(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / ".git" / "refs" / "heads" / "main").write_text("password\n")
    assert provenance(root) == Provenance("https://github.com/shop/desk", None, "main")


@pytest.mark.parametrize("text", [None, "", "gitdir:", "gitdir: nowhere", "\0"])
def test_no_repository(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / ".git").write_text(text)
    assert provenance(tmp_path) is None


def test_no_program_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("Popen", "run"):
        monkeypatch.setattr(f"subprocess.{name}", None)
    assert provenance(repository(tmp_path / "root")) is not None
