"""Same input, same bytes: whatever the processes, the hash seed, the cache, the folder, the order."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import resume_audit
from resume_audit.tests.processes import PACKAGE, check

FORMATS = ("json", "text", "sarif")
Reports = dict[str, bytes]


def plant(folder: Path, order: Callable[[list[Path]], list[Path]] = sorted) -> Path:
    """A project with many findings and files, written to the disk in the given order."""
    parts = {"wait": PACKAGE / "fixtures" / "static" / "RA101", "desk": PACKAGE / "fixtures" / "example_agent"}
    sources = {
        source: folder / name / source.relative_to(part)
        for name, part in parts.items()
        for source in part.rglob("*")
        if source.is_file() and "__pycache__" not in source.parts and ".resume-audit" not in source.parts
    }
    folder.mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[project]\nname = "planted"\n', encoding="utf-8")
    for source in order(list(sources)):
        sources[source].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, sources[source])
    return folder


def reports(*arguments: str | Path, cwd: Path, out: Path, environment: dict[str, str] | None = None) -> Reports:
    out.mkdir(parents=True, exist_ok=True)
    outputs = [f"--output={name}={out / name}" for name in FORMATS]
    ran = check(*arguments, *outputs, "-q", cwd=cwd, environment={"PYTHONHASHSEED": "0", **(environment or {})})
    assert (ran.status, ran.err) == (1, "")
    return {name: (out / name).read_bytes() for name in FORMATS}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plant(tmp_path_factory.mktemp("first") / "project")


@pytest.fixture(scope="module")
def usual(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """What one process says without a cache."""
    found = reports("--no-cache", "--jobs", "1", cwd=project, out=tmp_path_factory.mktemp("usual"))
    assert found["json"].count(b'"rule":') > 50
    assert found["text"].count(b"\n") > 100
    return found


@pytest.fixture(scope="module")
def warm(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that two processes filled."""
    cache = tmp_path_factory.mktemp("warm") / "cache"
    reports("--cache-dir", cache, "--jobs", "2", cwd=project, out=cache.parent)
    assert len(list(cache.glob("*.bin"))) > 50
    return cache


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("seed", ["1", "12345"])
def test_processes_and_hash_seeds(usual: Reports, project: Path, tmp_path: Path, jobs: str, seed: str) -> None:
    seeded = {"PYTHONHASHSEED": seed}
    assert reports("--no-cache", "--jobs", jobs, cwd=project, out=tmp_path, environment=seeded) == usual


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_cold_cache_and_a_warm_one(usual: Reports, project: Path, tmp_path: Path, jobs: str) -> None:
    for state in ("cold", "warm"):
        out = tmp_path / state
        said = reports("--cache-dir", tmp_path / "cache", "--jobs", jobs, cwd=project, out=out)
        assert said == usual, state


@pytest.mark.parametrize("kept", ["findings", "summaries", "some summaries"])
def test_a_cache_of_which_some_is_gone(usual: Reports, project: Path, warm: Path, tmp_path: Path, kept: str) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(warm, cache)
    for number, entry in enumerate(sorted(cache.glob("*.bin"))):
        of_findings = entry.name.startswith("findings")
        if of_findings != (kept == "findings") or (kept == "some summaries" and number % 2):
            entry.unlink()
    seeded = {"PYTHONHASHSEED": "77"}
    assert reports("--cache-dir", cache, cwd=project, out=tmp_path / "out", environment=seeded) == usual


def test_another_folder(usual: Reports, warm: Path, tmp_path: Path) -> None:
    """Also when the files came to the disk in another order, with the cache of the first folder."""
    copy = plant(tmp_path / "another one" / "ünder" / "copy", lambda files: sorted(files, reverse=True))
    assert reports("--no-cache", "--jobs", "1", cwd=copy, out=tmp_path / "cold") == usual
    cache = tmp_path / "cache"
    shutil.copytree(warm, cache)
    assert reports("--cache-dir", cache, cwd=copy, out=tmp_path / "warm") == usual


def test_another_current_folder(usual: Reports, project: Path, tmp_path: Path) -> None:
    assert reports(project, "--no-cache", cwd=tmp_path, out=tmp_path) == usual
    link = tmp_path / "link"
    link.symlink_to(project, target_is_directory=True)
    assert reports(link, "--no-cache", cwd=tmp_path, out=tmp_path) == usual


def test_paths_in_any_order(usual: Reports, project: Path, tmp_path: Path) -> None:
    paths = [path.relative_to(project) for path in sorted(project.rglob("*.py"))]
    shuffled = random.Random(7).sample(paths, len(paths))
    for number, given in enumerate((paths[::-1], shuffled, [*paths, *paths, Path("desk")])):
        out = tmp_path / str(number)
        assert reports(*given, "--no-cache", "--jobs", "1", cwd=project, out=out) == usual


def test_terminals_locales_and_zones(usual: Reports, project: Path, tmp_path: Path) -> None:
    around = {"COLUMNS": "40", "LC_ALL": "C", "LANG": "C", "TZ": "Asia/Tokyo", "TERM": "xterm-256color"}
    assert reports("--no-cache", cwd=project, out=tmp_path, environment=around) == usual


def _append(path: str, text: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("a", encoding="utf-8") as stream:
            stream.write(text)

    return edit


def _replace(path: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new), encoding="utf-8")

    return edit


def _rename(root: Path) -> None:
    (root / "order_desk" / "notices.py").rename(root / "order_desk" / "letters.py")


def _remove(root: Path) -> None:
    (root / "order_desk" / "notices.py").unlink()


def _swap(root: Path) -> None:
    first, second = root / "order_desk" / "notices.py", root / "order_desk" / "tools.py"
    texts = first.read_bytes(), second.read_bytes()
    first.write_bytes(texts[1])
    second.write_bytes(texts[0])


EDITS: dict[str, Callable[[Path], None]] = {
    "nothing": lambda root: None,
    "lines above": _replace("order_desk/notices.py", "import smtplib", "\n\n\nimport smtplib"),
    "a file goes": _remove,
    "a file is renamed": _rename,
    "two files swap": _swap,
    "a file comes": _append("order_desk/more.py", "from . import notices\n"),
    "a file breaks": _append("order_desk/tools.py", "\ndef (:\n"),
    "a rule is ignored": _append("pyproject.toml", '\n[tool.resume-audit]\nignore = ["RA101"]\n'),
    "a path is ignored": _append("pyproject.toml", '\n[tool.resume-audit]\nper-path-ignores = {"*" = ["RA1"]}\n'),
    "a file is excluded": _append("pyproject.toml", '\n[tool.resume-audit]\nexclude = ["notices.py"]\n'),
    "a wait is named": _append("pyproject.toml", '\n[tool.resume-audit]\nwaits = ["desk_tools.ask"]\n'),
    "an effect is named": _append("pyproject.toml", '\n[tool.resume-audit]\neffects = [{name = "desk_tools.act"}]\n'),
    "a task is named": _append(
        "pyproject.toml", '\n[tool.resume-audit]\nrecorded = ["order_desk.notices.refund_in_review"]\n'
    ),
    "git ignores a file": _append(".gitignore", "notices.py\n"),
    "the pin changes": _replace("pyproject.toml", "langgraph==1.2.24", "langgraph==1.1.0"),
    "a nearer pin comes": _append("order_desk/requirements.txt", "langgraph==1.0.5\n"),
    "a pin comes in a folder": _append("order_desk/requirements/base.txt", "langgraph==1.0.5\n"),
    "a platform serves it": _append(
        "langgraph.json", '{"graphs": {"claims": "./order_desk/claims.py:agent"}, "dependencies": ["."]}\n'
    ),
}


OPEN = """
import desk_tools
import smtplib
from langgraph.graph import StateGraph
from langgraph.types import interrupt


def told(state):
    smtplib.SMTP("mail.example.com").send_message(state)
    desk_tools.ask(state)


def acted(state):
    desk_tools.act(state)
    interrupt(state)


StateGraph(dict).add_node("told", told).add_node("acted", acted)
"""
"""What it does is a question of the configuration."""


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example agent, audited once with the cache in its own folder."""
    root = tmp_path_factory.mktemp("audited") / "agent"
    unwanted = shutil.ignore_patterns("__pycache__", ".resume-audit")
    shutil.copytree(PACKAGE / "fixtures" / "example_agent", root, ignore=unwanted)
    (root / "order_desk" / "open.py").write_text(OPEN, encoding="utf-8")
    report = resume_audit.check(root, jobs=1)
    assert report.findings
    assert not report.faults
    return root


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_a_cache_never_speaks_of_what_was(audited: Path, tmp_path: Path, edit: Callable[[Path], None]) -> None:
    root = tmp_path / "agent"
    shutil.copytree(audited, root)
    edit(root)
    fresh = resume_audit.check(root, cache=False, jobs=1)
    assert not fresh.faults
    assert (fresh != resume_audit.check(audited, jobs=1)) == (edit is not EDITS["nothing"])
    assert resume_audit.check(root, jobs=1) == fresh
    assert resume_audit.check(root, jobs=1) == fresh


@pytest.mark.parametrize(
    "options",
    [{"select": ["RA1"]}, {"ignore": ["RA101"]}, {"pedantic": True}, {"framework_versions": {"langgraph": "1.0.5"}}],
    ids=lambda options: next(iter(options)),
)
def test_a_cache_knows_the_options(audited: Path, options: dict[str, object]) -> None:
    before = resume_audit.check(audited, jobs=1)
    fresh = resume_audit.check(audited, cache=False, jobs=1, **options)  # type: ignore[arg-type]
    assert resume_audit.check(audited, jobs=1, **options) == fresh  # type: ignore[arg-type]
    assert resume_audit.check(audited, jobs=1) == before


def test_a_cache_knows_the_paths(audited: Path) -> None:
    one = audited / "order_desk" / "claims.py"
    fresh = resume_audit.check(one, cache=False, jobs=1)
    assert fresh.findings
    assert resume_audit.check(one, jobs=1) == fresh
    assert resume_audit.check(audited, jobs=1) == resume_audit.check(audited, cache=False, jobs=1)
