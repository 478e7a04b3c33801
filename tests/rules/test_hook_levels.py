"""RA301 around tool calls: how grave it is depends on the tools of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

import resume_audit

HOOK = """
from langchain.agents.middleware import wrap_tool_call
from langchain_core.tools import tool
from langgraph.types import interrupt

@wrap_tool_call
def shield(request, handler):
    try:
        return handler(request)
    except Exception as err:
        return str(err)
"""
TOOL = "\n@tool\ndef look(x: str):\n    '''Look.'''\n    return {}\n"


@pytest.mark.parametrize(
    "text, level",
    [
        (HOOK, "error"),
        (HOOK + TOOL.format("interrupt(x)"), "error"),
        (HOOK + TOOL.format("x"), "note"),
    ],
)
def test_how_grave_it_is(tmp_path: Path, text: str, level: str) -> None:
    (tmp_path / "shields.py").write_text(text, encoding="utf-8")
    (tmp_path / "pyproject.toml").touch()
    found = resume_audit.check(tmp_path, select=["RA301"], pedantic=True, cache=False, jobs=1).findings
    assert [each.level for each in found] == [level]
