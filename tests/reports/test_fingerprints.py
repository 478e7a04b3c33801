"""Findings are recognised again after edits elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resume_audit.contract import Finding, Place, Report, Step
from resume_audit.reports.fingerprints import GITHUB, OWN, line_hashes
from resume_audit.tests.reports.logs import APP, HUMAN, mail, result, run, sources


@pytest.mark.parametrize(
    "text, hashes",
    [
        ("", "c129715d7a2bc9a3:1"),
        (" a\nb\n  \t\tc\n d", "271789c17abda88f:1 54703d4cd895b18:1 180aee12dab6264:1 a23a3dc5e078b07b:1"),
        (
            " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
            (
                "8b7cf3e952e7aeb2:1 b1ae1287ec4718d9:1 bff680108adb0fcc:1 c6805c5e1288b612:1 "
                "b86d3392aea1be30:1 e6ceba753e1a442:1"
            ),
        ),
        (
            " hello; \t\nworld!!!\r\n\r\n\n  \t\tGreetings\r End\r\n",
            (
                "e9496ae3ebfced30:1 fb7c023a8b9ccb3f:1 ce8ba1a563dcdaca:1 e20e36e16fcb0cc8:1 "
                "b3edc88f2938467e:1 c8e28b0b4002a3a0:1 c129715d7a2bc9a3:1"
            ),
        ),
    ],
)
def test_githubs_hash_of_a_line(text: str, hashes: str) -> None:
    """The values are those of GitHub's own tests."""
    expected = dict(enumerate(hashes.split(), 1))
    assert line_hashes(text.encode(), range(1, 20)) == expected
    assert line_hashes(text.encode(), [1]) == {1: expected[1]}


def test_equal_lines_are_numbered_as_far_as_a_hundred_characters_are_equal() -> None:
    text = "x" * 99 + "\n" + "x" * 99 + "\n" + "y" * 300 + "\n" + "y" * 400
    first, second, third, fourth = (line_hashes(text.encode(), [number])[number] for number in (1, 2, 3, 4))
    assert first.split(":") == [second.split(":")[0], "1"]
    assert second.endswith(":2")
    assert (third[:-1], third[-1], fourth[-1]) == (fourth[:-1], "1", "2")


def test_a_character_outside_the_basic_plane_counts_as_two() -> None:
    assert line_hashes("\U0001f600".encode(), [1]) == {1: hashed([0xD83D, 0xDE00, 0xFFFF])}


def hashed(units: list[int]) -> str:
    value = 0
    for unit in units + [0] * (100 - len(units)):
        value = (value * 37 + unit) % 2**64
    return f"{value:x}:1"


def prints(finding: Finding, root: Path, app: str = APP, human: str = HUMAN) -> dict[str, str]:
    found: dict[str, str] = result(finding, sources(root, {"src/app.py": app, "src/human.py": human}))[
        "partialFingerprints"
    ]
    return found


def moved(finding: Finding, lines: int) -> Finding:
    """The finding with its places in app.py further down."""

    def down(place: Place) -> Place:
        add = lines if place.path == "src/app.py" else 0
        return replace(place, line=place.line + add, end_line=place.end_line + add)

    steps = tuple(replace(step, place=down(step.place)) for step in finding.flow)
    return replace(finding, place=down(finding.place), flow=steps)


def test_both_survive_inserted_lines(tmp_path: Path) -> None:
    before = prints(mail(), tmp_path)
    assert set(before) == {GITHUB, OWN}
    assert prints(moved(mail(), 7), tmp_path, "# a line\n" * 7 + APP) == before


def test_githubs_is_that_of_the_line(tmp_path: Path) -> None:
    assert prints(mail(), tmp_path)[GITHUB] == line_hashes(APP.encode(), [4])[4]


def test_our_own_survives_edits_around_the_call(tmp_path: Path) -> None:
    before = prints(mail(), tmp_path)
    edited = APP.replace("    mailer.send", "    x = mailer.send").replace("return ask", "return  other(1) or ask")
    there = mail(place=Place("src/app.py", 4, 9, 4, 36))
    there = replace(there, flow=(replace(there.flow[0], place=there.place), *there.flow[1:]))
    after = prints(there, tmp_path, edited)
    assert after[GITHUB] != before[GITHUB]
    assert after[OWN] == before[OWN]


def test_our_own_survives_another_path_of_calls_and_other_words(tmp_path: Path) -> None:
    before = prints(mail(), tmp_path)[OWN]
    shorter = mail(flow=(mail().flow[0], mail().flow[2]), message="Other words.")
    assert prints(shorter, tmp_path)[OWN] == before


@pytest.mark.parametrize(
    "other",
    [
        {"rule": "RA103"},
        {"symbol": "app.other"},
        {"flow": (*mail().flow[:1], Step(Place("src/human.py", 1, 5, 1, 8), "wait", ""))},
        {"place": Place("src/app.py", 5, 12, 5, 22)},
    ],
    ids=["rule", "symbol", "what flows", "what is called"],
)
def test_our_own_tells_findings_apart(other: dict[str, Any], tmp_path: Path) -> None:
    assert prints(mail(**other), tmp_path)[OWN] != prints(mail(), tmp_path)[OWN]


def test_one_call_twice_in_a_function_is_two(tmp_path: Path) -> None:
    twice = APP.replace("    return", '    mailer.send(state["offer"])\n    return')
    files = sources(tmp_path, {"src/app.py": twice, "src/human.py": HUMAN})
    found = run(Report((mail(), moved(mail(), 1))), files)["results"]
    assert len({each["partialFingerprints"][OWN] for each in found}) == 2
