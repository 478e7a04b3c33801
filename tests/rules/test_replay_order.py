"""What RA105, RA401 and RA402 say of one place, where more than one thing could be said."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import resume_audit
from resume_audit.contract import Finding

HEAD = "import random, requests\nfrom langgraph.types import interrupt\n\n\n"


def found(folder: Path, code: str, rule: str) -> list[Finding]:
    (folder / "nodes.py").write_text(HEAD + code, encoding="utf-8")
    report = resume_audit.check(folder, cache=False, jobs=1)
    assert not report.faults
    return [each for each in report.findings if each.rule == rule]


AROUND = "    try:\n        interrupt('a')\n    finally:\n        requests.post('u')\n"
LOOPED = "    while s:\n" + "".join(f"    {line}\n" for line in AROUND.splitlines())


@pytest.mark.parametrize(
    "body, also",
    [(AROUND, ()), (f"{AROUND}    interrupt('b')\n", ("RA101",)), (LOOPED, ("RA102",))],
    ids=["alone", "before", "looped"],
)
def test_a_cleanup_is_said_once(body: str, also: tuple[str, ...], tmp_path: Path) -> None:
    (only,) = found(tmp_path, f"def node(s):\n{body}", "RA105")
    assert only.also == also
    assert found(tmp_path, f"def node(s):\n{body}", "RA101") == []
    assert found(tmp_path, f"def node(s):\n{body}", "RA102") == []


def test_a_cleanup_of_a_workflow_is_not_told_again_of_its_body(tmp_path: Path) -> None:
    code = (
        "from langgraph.func import entrypoint\n\n\n@entrypoint()\ndef flow(s):\n"
        "    try:\n        return interrupt('a')\n    finally:\n        requests.post('u')\n"
    )
    (only,) = found(tmp_path, code, "RA105")
    assert only.also == ("RA103",)
    assert found(tmp_path, code, "RA103") == []


def test_a_wait_shared_by_helpers_is_said_once(tmp_path: Path) -> None:
    code = "def ask(s):\n    return interrupt(s)\n\n\n" + "".join(
        f"def node{n}(s):\n    if random.random() > {n}:\n        ask(s)\n\n\n" for n in range(3)
    )
    (only,) = found(tmp_path, code, "RA401")
    assert only.place.line == 6
    assert [step.role for step in only.flow] == ["wait", "call", "call", "source"]


def test_names_alone_are_not_certain(tmp_path: Path) -> None:
    code = "def node(s, helper):\n    if helper.invoke(s):\n        interrupt(s)\n"
    assert [each.certainty for each in found(tmp_path, code, "RA401")] == ["likely"]
    code = "def node(s):\n    if random.random() > s:\n        interrupt(s)\n"
    assert [each.certainty for each in found(tmp_path, code, "RA401")] == ["certain"]


def test_nested_calls_and_loops_end(tmp_path: Path) -> None:
    loops = "".join("    " * depth + f"for i{depth} in s:\n" for depth in range(1, 18))
    code = f"def f(s):\n    return s\n\n\ndef node(s):\n{loops}{'    ' * 18}interrupt({'f(' * 40}s{')' * 40})\n"
    started = time.monotonic()
    assert found(tmp_path, code, "RA401") == []
    assert time.monotonic() - started < 20
