"""What GitHub has no room for is left out, and said."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

from resume_audit.contract import Finding, Place, Report, Step
from resume_audit.reports import sarif, sarif_results
from resume_audit.reports.sarif_json import Suppression, dumps, plain
from resume_audit.reports.sources import Sources
from resume_audit.tests.reports.logs import APP, HUMAN, desk, mail, run, sources


def left_out(found: dict[str, Any]) -> list[str]:
    told = found["invocations"][0].get("toolExecutionNotifications", [])
    return [each["message"]["text"] for each in told if each["descriptor"]["id"] == "left-out"]


def many(count: int, message: str = "Again.") -> tuple[Finding, ...]:
    """Findings on lines of their own, every third an error."""
    levels: tuple[Any, ...] = ("note", "warning", "error")
    return tuple(
        mail(levels[number % 3], place=Place("src/many.py", number + 1, 1, number + 1, 3), flow=(), message=message)
        for number in range(count)
    )


def lines(root: Path, count: int) -> Sources:
    return sources(root, {"src/many.py": "".join(f"f{number}()\n" for number in range(count))})


def test_of_too_many_results_the_worst_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 5)
    found = run(Report(many(9)), lines(tmp_path, 9))
    assert [each["level"] for each in found["results"]] == ["warning", "error", "warning", "error", "error"]
    assert left_out(found) == ["4 results left out, the mildest first: code scanning takes no more."]
    assert left_out(run(Report(many(5)), lines(tmp_path, 5))) == []


def test_githubs_numbers() -> None:
    assert (sarif_results.MOST_RESULTS, sarif.MOST_BYTES) == (25_000, 10_000_000)
    assert (sarif_results.MOST_STEPS, sarif_results.MOST_LOCATIONS) == (1_000, 100)


def test_a_log_that_is_too_large_loses_the_mildest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_BYTES", 60_000)
    rng = random.Random(2)
    findings = [
        mail("note" if n % 2 else "error", place=Place("src/many.py", n + 1, 1, n + 1, 3), message=said, flow=())
        for n in range(600)
        if (said := rng.randbytes(100).hex())
    ]
    text = sarif.render(Report(tuple(findings)), "0", lines(tmp_path, 600))
    assert 40_000 < len(gzip.compress(text.encode(), mtime=0)) <= 60_000
    found = run(Report(tuple(findings)), lines(tmp_path, 600))
    assert all(each["level"] == "error" for each in found["results"][:100])
    assert left_out(found) == [
        f"{600 - len(found['results'])} results left out, the mildest first: code scanning takes no more."
    ]


def test_a_log_that_nothing_makes_small_is_given_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_BYTES", 10)
    found = run(Report(many(3)), lines(tmp_path, 3))
    assert found["results"] == []
    assert left_out(found) == ["3 results left out, the mildest first: code scanning takes no more."]


def test_a_long_flow_keeps_its_ends(tmp_path: Path) -> None:
    step = Step(Place("src/app.py", 5, 12, 5, 22), "call", "by")
    found = run(Report((mail(flow=(mail().flow[0], *[step] * 1500, mail().flow[2])),)), desk(tmp_path))
    steps = found["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert (len(steps), steps[0]["kinds"], steps[-1]["kinds"]) == (1000, ["effect"], ["wait"])
    assert [each["executionOrder"] for each in steps] == list(range(1, 1001))
    assert left_out(found) == ["The flows of 1 result were cut to 1,000 steps: code scanning keeps no more."]


def test_a_merged_result_keeps_whole_flows_and_a_hundred_places(tmp_path: Path) -> None:
    line = ";".join("f()" for _ in range(150))
    files = sources(tmp_path, {"src/app.py": APP.replace("    return ask(state)", line), "src/human.py": HUMAN})
    step = Step(Place("src/app.py", 4, 5, 4, 9), "call", "by")
    findings = [
        mail(place=Place("src/app.py", 5, 4 * n + 1, 5, 4 * n + 4), flow=(*mail().flow[:2], *[step] * 10))
        for n in range(150)
    ]
    found = run(Report(tuple(findings)), files)
    (only,) = found["results"]
    flows = [flow["threadFlows"][0]["locations"] for flow in only["codeFlows"]]
    assert (len(only["locations"]), len(flows), {len(each) for each in flows}) == (100, 83, {12})
    assert len(left_out(found)) == 2


def test_a_message_links_to_a_hundred_places(tmp_path: Path) -> None:
    steps = [Step(Place("src/human.py", line, 1, line, 2), "wait", "waits") for line in range(1, 150)]
    files = sources(tmp_path, {"src/app.py": APP, "src/human.py": "x\n" * 200})
    (found,) = run(Report((mail(flow=(mail().flow[0], *steps)),)), files)["results"]
    assert [each["id"] for each in found["relatedLocations"]] == list(range(1, 101))


def test_what_sarif_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="not a SARIF value"):
        plain({"tags": {"a"}})
    suppression = Suppression(kind="inSource", status="accepted")
    assert plain(suppression) == {"kind": "inSource", "status": "accepted"}
    suppression.staus = "accepted"
    with pytest.raises(TypeError, match="staus"):
        plain(suppression)
    with pytest.raises(TypeError):
        dumps(object())


def test_many_results_are_written_in_little_time(tmp_path: Path) -> None:
    """In time that grows with their number: jschema_to_python did not come to an end here."""
    import time

    files = lines(tmp_path, 5_000)
    start = time.process_time()
    found = sarif.render(Report(many(5_000)), "0", files)
    assert found.count('"ruleId"') == 5_000
    assert time.process_time() - start < 20
