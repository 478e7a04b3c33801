"""A function of a name that many others mention is still followed where it is called by that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

OTHERS = "\n".join(f"def other{number}(desk):\n    desk.build({number})\n" for number in range(80))
WAITING = """
import requests
from langgraph.types import interrupt

def build(send):
    send('a')
    interrupt(1)
"""


@pytest.mark.parametrize("others", ["", OTHERS], ids=["few", "many"])
def test_callers_of_a_common_name_are_found(link: Link, others: str) -> None:
    files = {
        "building.py": WAITING,
        "others.py": others,
        "node.py": "import requests\nfrom building import build\n\n"
        "def node(state):\n    requests.post('b')\n    return build(requests.post)\n",
    }
    assert link(files=files).hazards() == {"a", "b"}
