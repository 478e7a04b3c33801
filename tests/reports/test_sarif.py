"""What code scanning and other readers need of a SARIF log."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resume_audit.analyzer.suppression_comments import suppressions
from resume_audit.contract import AuditError, Edit, Fix, Place, Report, Step
from resume_audit.reports.fingerprints import line_hashes
from resume_audit.reports.sarif import render
from resume_audit.reports.sarif_rules import shortened
from resume_audit.reports.sources import Sources
from resume_audit.rules.base import StaticRule
from resume_audit.rules.registry import STATIC
from resume_audit.tests.reports.logs import APP, HUMAN, desk, log, mail, result, run, sources


def test_the_frame(tmp_path: Path) -> None:
    made = log(Report(), desk(tmp_path), "1.2.3")
    assert list(made)[:2] == ["$schema", "version"]
    assert (made["$schema"], made["version"]) == ("https://json.schemastore.org/sarif-2.1.0.json", "2.1.0")
    (only,) = made["runs"]
    driver = only["tool"]["driver"]
    assert (driver["name"], driver["version"], driver["semanticVersion"]) == ("resume-audit", "1.2.3", "1.2.3")
    assert only["automationDetails"] == {"id": "resume-audit/static/"}
    assert only["columnKind"] == "unicodeCodePoints"
    assert only["results"] == []
    assert only["invocations"] == [{"executionSuccessful": True}]


def test_the_root_stays_unnamed(tmp_path: Path) -> None:
    text = render(Report((mail(),), (AuditError("src/app.py", 1, "odd"),)), "0.1.0", desk(tmp_path))
    assert str(tmp_path) not in text
    (root,) = json.loads(text)["runs"][0]["originalUriBaseIds"].items()
    assert (root[0], "uri" in root[1]) == ("%SRCROOT%", False)


def test_one_line_and_the_same_bytes_in_any_folder(tmp_path: Path) -> None:
    report = Report((mail(),))
    texts = {render(report, "0.1.0", desk(tmp_path / name)) for name in ("one", "an other")}
    assert len(texts) == 1
    assert texts.pop().count("\n") == 1


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_a_rule_is_told_in_full(rule: StaticRule, tmp_path: Path) -> None:
    told = run(Report(), desk(tmp_path))["tool"]["driver"]["rules"][STATIC.index(rule)]
    assert told["id"] == rule.id
    assert told["name"].isalnum()
    assert told["name"][0].isupper()
    for key in ("shortDescription", "fullDescription"):
        assert 0 < len(told[key]["text"]) <= 1024
        assert told[key]["text"].endswith(".")
    assert rule.fix.split()[0] in told["help"]["text"]
    assert "```python" in told["help"]["markdown"]
    assert told["helpUri"].startswith("https://")
    assert told["defaultConfiguration"] == {"level": rule.level}
    bag = told["properties"]
    assert 1 <= len(bag["tags"]) <= 10
    assert bag["precision"] == rule.precision
    assert bag["problem.severity"] == {"error": "error", "warning": "warning", "note": "recommendation"}[rule.level]
    assert "security-severity" not in bag
    targets = [each["target"]["id"] for each in told.get("relationships", [])]
    assert set(targets) == {each.partition("-")[0] for each in rule.properties}


def test_a_result(tmp_path: Path) -> None:
    found = result(mail(), desk(tmp_path))
    rules = run(Report(), desk(tmp_path))["tool"]["driver"]["rules"]
    assert rules[found["ruleIndex"]]["id"] == found["ruleId"] == "RA101"
    (place,) = found["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "src/app.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 4, "startColumn": 5, "endLine": 4, "endColumn": 32},
    }
    assert place["logicalLocations"] == [{"name": "ask_manager", "fullyQualifiedName": "app.ask_manager"}]
    assert found["properties"] == {"certainty": "certain", "framework": "langgraph", "frameworkVersion": "1.2.24"}
    for absent in ("suppressions", "baselineState", "rank", "fixes"):
        assert absent not in found


@pytest.mark.parametrize("level", ["error", "warning", "note"])
def test_the_level_is_always_said(level: Any, tmp_path: Path) -> None:
    assert result(mail(level), desk(tmp_path))["level"] == level


def test_the_region_is_one_line(tmp_path: Path) -> None:
    files = sources(tmp_path, {"src/app.py": "mailer.send(\n    offer,\n)\n"})
    found = result(mail(place=Place("src/app.py", 1, 1, 3, 2), flow=()), files)
    region = found["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 13}


def test_columns_count_code_points(tmp_path: Path) -> None:
    files = sources(tmp_path, {"src/app.py": 'x = "é😀"; send()\n'})
    found = result(mail(place=Place("src/app.py", 1, 11, 1, 17), flow=()), files)
    assert found["locations"][0]["physicalLocation"]["region"]["startColumn"] == 11


def test_the_flow_leads_from_the_effect_over_the_calls_to_the_wait(tmp_path: Path) -> None:
    (flow,) = result(mail(), desk(tmp_path))["codeFlows"]
    (thread,) = flow["threadFlows"]
    steps = thread["locations"]
    assert [each["kinds"] for each in steps] == [["effect"], ["call"], ["wait"]]
    assert [each["executionOrder"] for each in steps] == [1, 2, 3]
    where = [each["location"]["physicalLocation"] for each in steps]
    assert [each["artifactLocation"]["uri"] for each in where] == ["src/app.py", "src/app.py", "src/human.py"]
    assert [each["region"]["startLine"] for each in where] == [4, 5, 2]
    assert steps[2]["location"]["message"] == {"text": "The run parks here."}


def test_a_flow_goes_by_the_place_of_its_finding(tmp_path: Path) -> None:
    steps = result(mail(flow=mail().flow[1:]), desk(tmp_path))["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [each["location"]["physicalLocation"]["region"]["startLine"] for each in steps] == [4, 5, 2]
    assert "codeFlows" not in result(mail(flow=mail().flow[:1]), desk(tmp_path))


def test_places_that_the_message_names_are_links(tmp_path: Path) -> None:
    found = result(mail(), desk(tmp_path))
    assert found["message"]["text"] == (
        "The mail is sent again with each answer to the wait at [src/human.py:2](1). Move it."
    )
    (related,) = found["relatedLocations"]
    assert (related["id"], related["message"]["text"]) == (1, "The run parks here.")
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "src/human.py"


@pytest.mark.parametrize(
    "message, text",
    [
        ("Sent again at line 5.", "Sent again at [line 5](1). See the wait at [src/human.py:2](2)."),
        ("Sent again.", "Sent again. See the wait at [src/human.py:2](1)."),
        ("At line 50, other/src/human.py:2", "At line 50, other/src/human.py:2. See the wait at [src/human.py:2](1)."),
        ("`handlers[x](1)` at src/human.py:2.", r"`handlers\[x](1)` at [src/human.py:2](1)."),
        ("Formats {0} at src/human.py:2.", "Formats {{0}} at [src/human.py:2](1)."),
        ("Two\n  lines at src/human.py:2", "Two lines at [src/human.py:2](1)."),
    ],
)
def test_messages(message: str, text: str, tmp_path: Path) -> None:
    assert result(mail(message=message), desk(tmp_path))["message"] == {"text": text}


def test_brackets_in_a_linked_name_are_escaped(tmp_path: Path) -> None:
    files = sources(tmp_path, {"src/app.py": APP, "a[1].py": HUMAN})
    flow = (mail().flow[0], Step(Place("a[1].py", 2, 12, 2, 28), "wait", "parks"))
    found = result(mail(message="Again at a[1].py:2.", flow=flow), files)
    assert found["message"]["text"] == r"Again at [a\[1\].py:2](1)."
    assert found["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%5B1%5D.py"


def test_findings_of_one_rule_on_one_line_are_one_alert(tmp_path: Path) -> None:
    first = mail("warning")
    second = replace(mail(), place=Place("src/app.py", 4, 17, 4, 31), properties=("CO-e",))
    (found,) = run(Report((first, second)), desk(tmp_path))["results"]
    assert found["level"] == "error"
    assert [each["physicalLocation"]["region"]["startColumn"] for each in found["locations"]] == [17, 5]
    assert len(found["codeFlows"]) == 2
    assert [each["id"] for each in found["taxa"]] == ["CO", "EO"]
    assert found["message"]["text"].endswith("The same holds for 1 more place on this line.")


def test_other_rules_files_and_lines_are_other_alerts(tmp_path: Path) -> None:
    others = (mail(rule="RA103"), mail(place=mail().flow[1].place), mail(place=mail().flow[2].place))
    assert len(run(Report((mail(), *others)), desk(tmp_path))["results"]) == 4


def test_the_contract_is_a_taxonomy(tmp_path: Path) -> None:
    only = run(Report((mail(properties=("CO-c", "LV", "CB-1")),)), desk(tmp_path))
    (taxonomy,) = only["taxonomies"]
    assert [each["id"] for each in taxonomy["taxa"]] == ["PC", "EO", "FD", "CV", "CO", "RD", "FI", "LV"]
    (supported,) = only["tool"]["driver"]["supportedTaxonomies"]
    assert (supported["index"], supported["name"]) == (0, taxonomy["name"])
    for reference in only["results"][0]["taxa"]:
        assert reference["toolComponent"]["index"] == 0
        assert taxonomy["taxa"][reference["index"]]["id"] == reference["id"]
    assert [each["id"] for each in only["results"][0]["taxa"]] == ["CO", "LV"]


def test_what_was_not_audited_is_told_and_does_not_fail_the_analysis(tmp_path: Path) -> None:
    files = sources(tmp_path, {"bad.py": "def (:\n"})
    errors = (AuditError("bad.py", 9, "invalid syntax"), AuditError("gone.py", 1, "cannot be read"))
    (invocation,) = run(Report((), errors, ("calls by computed names",)), files)["invocations"]
    assert invocation["executionSuccessful"] is True
    bad, gone, calls = invocation["toolExecutionNotifications"]
    assert bad["message"]["text"] == "bad.py could not be audited: invalid syntax."
    assert bad["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert "locations" not in gone
    assert calls["message"]["text"] == "Not checked: calls by computed names."
    kinds = run(Report(), files)["tool"]["driver"]["notifications"]
    assert all(each["help"]["text"] for each in kinds)
    for each in (bad, gone, calls):
        assert kinds[each["descriptor"]["index"]]["id"] == each["descriptor"]["id"]
        assert each["level"] == kinds[each["descriptor"]["index"]]["defaultConfiguration"]["level"]


def test_a_fault_fails_the_analysis_and_names_no_folder(tmp_path: Path) -> None:
    """Else the alerts of a rule that broke would be closed as fixed."""
    fault = "RA101 failed: OSError: no /home/anna/desk/x.py or 'C:\\Users\\anna\\x' (rules/x.py:3)"
    (invocation,) = run(Report(faults=(fault,)), desk(tmp_path))["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert told["message"]["text"] == "RA101 failed: OSError: no ... or '...' (rules/x.py:3)."
    assert told["level"] == "error"


COMMENT = "  # resume-audit: ignore[RA101] the provider drops repeats"


def test_suppressions_stand_on_all_results_or_on_none(tmp_path: Path) -> None:
    app = APP.replace('"])\n', '"])' + COMMENT + "\n")
    comments = {"src/app.py": suppressions(app, [])}
    files = sources(tmp_path, {"src/app.py": app, "src/human.py": HUMAN}, comments=comments)
    other = mail(place=Place("src/human.py", 2, 12, 2, 28))
    first, second = run(Report((mail(suppressed=True), other)), files)["results"]
    (suppression,) = first["suppressions"]
    where = suppression.pop("location")["physicalLocation"]["region"]["startLine"]
    assert (where, suppression) == (
        4,
        {"kind": "inSource", "status": "accepted", "justification": "the provider drops repeats"},
    )
    assert second["suppressions"] == []
    assert all("suppressions" not in each for each in run(Report((mail(), other)), files)["results"])


@pytest.mark.parametrize(
    "comments, reason",
    [
        (("# resume-audit: ignore[RA101] far", "x = 1  # resume-audit: ignore[RA301] other", "f()"), None),
        (("x()", "f()  # resume-audit: ignore", "g()"), "No reason is given."),
        (("x()", "f()  # resume-audit: ignore[EO] by property", "g()"), "by property"),
        (("# resume-audit: ignore[RA301] other", "f()  # resume-audit: ignore[RA101] this", "g()"), "this"),
    ],
)
def test_the_reason_is_that_of_the_comment_that_suppresses(
    comments: tuple[str, ...], reason: str | None, tmp_path: Path
) -> None:
    text = "\n".join(("x = 0  # resume-audit: ignore[RA101] of line one", *comments))
    files = sources(tmp_path, {"a.py": text}, comments={"a.py": suppressions(text, [])})
    line = 3 if reason else 4
    found = result(mail(place=Place("a.py", line, 1, line, 4), flow=(), suppressed=True), files)
    assert found["suppressions"][0]["justification"] == (reason or "The comment that suppresses it is not at hand.")


def test_a_comment_at_a_def_line_suppresses_in_the_whole_function(tmp_path: Path) -> None:
    text = "def f():  # resume-audit: ignore[RA101] whole\n    a()\n    b()\n"
    files = sources(tmp_path, {"a.py": text}, comments={"a.py": suppressions(text, [(1, 1, 3)])})
    found = result(mail(place=Place("a.py", 3, 5, 3, 8), flow=(), suppressed=True), files)
    assert found["suppressions"][0]["justification"] == "whole"


def test_a_result_with_a_finding_that_is_not_suppressed_is_not(tmp_path: Path) -> None:
    hidden = replace(mail(suppressed=True), place=Place("src/app.py", 4, 17, 4, 31))
    (found,) = run(Report((hidden, mail())), desk(tmp_path))["results"]
    assert found["suppressions"] == []
    (found,) = run(Report((hidden, mail("warning"))), desk(tmp_path))["results"]
    assert found["level"] == "warning"
    assert found["locations"][0]["physicalLocation"]["region"]["startColumn"] == 5


def test_a_comparison_with_a_baseline_stands_on_all_results_or_on_none(tmp_path: Path) -> None:
    report = Report((mail(baseline="unchanged"), mail(place=Place("src/human.py", 2, 12, 2, 28))))
    assert [each["baselineState"] for each in run(report, desk(tmp_path))["results"]] == ["unchanged", "new"]


def test_safe_fixes(tmp_path: Path) -> None:
    edits = (
        Edit(Place("src/app.py", 4, 5, 4, 32), "pass"),
        Edit(Place("src/app.py", 6, 1, 6, 1), "x\n"),
        Edit(Place("src/human.py", 1, 1, 1, 4), ""),
    )
    unsafe = Fix(False, "Guess", edits)
    cell = Fix(True, "In a cell", (Edit(Place("n.ipynb", 4, 1, 4, 2, cell=1), "x"),))
    (fix,) = result(mail(fixes=(unsafe, cell, Fix(True, "Move it", edits))), desk(tmp_path))["fixes"]
    assert fix["description"] == {"text": "Move it."}
    app, human = fix["artifactChanges"]
    assert (app["artifactLocation"]["uri"], human["artifactLocation"]["uri"]) == ("src/app.py", "src/human.py")
    first, second = app["replacements"]
    assert first["insertedContent"] == {"text": "pass"}
    assert second["deletedRegion"] == {"startLine": 6, "startColumn": 1, "endLine": 6, "endColumn": 1}
    assert "insertedContent" not in human["replacements"][0]


def test_a_rule_that_only_a_finding_knows(tmp_path: Path) -> None:
    only = run(Report((mail(rule="XY1", name="odd-thing"),)), desk(tmp_path))
    told = only["tool"]["driver"]["rules"][only["results"][0]["ruleIndex"]]
    assert (told["id"], told["name"]) == ("XY1", "OddThing")
    assert all(told[key]["text"] for key in ("shortDescription", "fullDescription", "help"))


@pytest.mark.parametrize(
    "name, uri",
    [("a b#1?.py", "a%20b%231%3F.py"), ("ü/100%.py", "%C3%BC/100%25.py"), ("C:x.py", "C%3Ax.py")],
)
def test_uris(name: str, uri: str, tmp_path: Path) -> None:
    found = result(mail(place=Place(name, 1, 1, 1, 2), flow=()), sources(tmp_path, {name: "x\n"}))
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_a_uri_is_that_of_the_file_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "tree" / "src").mkdir(parents=True)
    (tmp_path / "tree" / "src" / "app.py").write_text(APP)
    (tmp_path / "tree" / "link.py").symlink_to("src/app.py")
    (tmp_path / "out.py").write_text(APP)
    (tmp_path / "tree" / "out.py").symlink_to("../out.py")
    (tmp_path / "root").symlink_to("tree")
    root = tmp_path / "root"
    files = Sources(root, {name: root / name for name in ("link.py", "out.py")})
    assert (files.uri("link.py"), files.uri("out.py")) == ("src/app.py", "out.py")


def test_an_escaped_name_gives_the_names_own_bytes(tmp_path: Path) -> None:
    files = Sources(tmp_path, {"a\\x80.py": tmp_path / "a\udc80.py"})
    assert files.uri("a\\x80.py") == "a%80.py"
    assert Sources().uri("a\udc80.py") == "a%80.py"


def test_a_place_behind_the_end_is_on_the_last_line(tmp_path: Path) -> None:
    found = result(mail(place=Place("src/human.py", 12, 3, 12, 9), flow=()), desk(tmp_path))
    assert found["locations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert found["partialFingerprints"]["primaryLocationLineHash"] == line_hashes(HUMAN.encode(), [3])[3]


def test_findings_in_a_file_that_is_gone_stay_apart(tmp_path: Path) -> None:
    findings = tuple(mail(place=Place("gone.py", line, 1, line, 4), symbol=f"s{line}", flow=()) for line in (3, 4))
    prints = [each["partialFingerprints"] for each in run(Report(findings), desk(tmp_path))["results"]]
    assert len({each["primaryLocationLineHash"] for each in prints}) == 2
    assert all(each["primaryLocationLineHash"].endswith(":1") for each in prints)


def test_long_descriptions_are_cut_at_a_sentence() -> None:
    assert shortened("A b.\n C") == "A b. C"
    assert shortened("One is here. " * 100) == ("One is here. " * 78).strip()
    assert len(shortened("x" * 2000)) == 1024
