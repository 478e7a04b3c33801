"""Suppressing comments in notebooks are met by the lines of the .ipynb file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from resume_audit import check

CODE = [
    "import requests\n",
    "from langgraph.types import interrupt\n",
    "def f(state):\n",
    "    requests.post('u')  # resume-audit: ignore[RA101] the service drops repeated calls\n",
    "    return interrupt('?')\n",
]


@pytest.mark.parametrize("indent", [1, None])
def test_a_suppression_in_a_cell(tmp_path: Path, indent: int | None) -> None:
    text = {"cell_type": "markdown", "metadata": {}, "source": ["hello\n"] * 6}
    code: dict[str, object] = {
        "cell_type": "code",
        "metadata": {},
        "source": CODE,
        "outputs": [],
        "execution_count": None,
    }
    notebook = {"cells": [text, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook, indent=indent))
    assert check(tmp_path, cache=False, jobs=1).findings == ()
    (found,) = check(tmp_path, cache=False, jobs=1, include_suppressed=True).findings
    assert (found.rule, found.suppressed) == ("RA101", True)
