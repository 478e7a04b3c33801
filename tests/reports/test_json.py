"""The JSON report has the public shape."""

from __future__ import annotations

import json

from resume_audit.contract import AuditError, Edit, Finding, Fix, Place, Report, Stats, Step
from resume_audit.reports.json import render

FINDING = Finding(
    rule="RA101",
    name="effect-before-wait",
    properties=("EO",),
    level="error",
    place=Place("src/日本.py", 41, 5, 41, 38),
    symbol="app.nodes.send_offer",
    message="Sends twice.",
    framework="langgraph",
    framework_version="1.2.24",
    flow=(Step(Place("src/app.py", 44, 9), "wait", "waits"),),
    fixes=(Fix(True, "move it", (Edit(Place("src/app.py", 1, 1, 1, 1), "x\n"),)),),
    also=("RA104",),
    fingerprint="ab",
)
REPORT = Report((FINDING,), (AuditError("bad.py", 3, "invalid syntax"),), ("notebooks",), Stats(120, 31, 45000))


def test_the_shape_and_the_order_of_keys() -> None:
    document = json.loads(render(REPORT, "0.1.0"))
    assert list(document) == ["tool", "schema", "findings", "errors", "not_checked", "stats"]
    assert document["tool"] == {"name": "resume-audit", "version": "0.1.0"}
    assert document["schema"] == 1
    assert document["errors"] == [{"path": "bad.py", "line": 3, "message": "invalid syntax"}]
    assert document["not_checked"] == ["notebooks"]
    assert document["stats"] == {"files": 120, "analysed": 31, "lines": 45000}
    (finding,) = document["findings"]
    assert " ".join(finding) == (
        "rule name properties level also codes path line column end_line end_column cell symbol message "
        "certainty framework framework_version flow fixes fingerprint suppressed baseline runtime"
    )
    assert finding["flow"] == [{"path": "src/app.py", "line": 44, "column": 9, "role": "wait", "message": "waits"}]
    edit = {"path": "src/app.py", "line": 1, "column": 1, "end_line": 1, "end_column": 1, "text": "x\n"}
    assert finding["fixes"] == [{"safe": True, "message": "move it", "edits": [edit]}]
    assert (finding["cell"], finding["runtime"], finding["baseline"]) == (None, None, "new")


def test_text_is_utf8_with_a_final_newline() -> None:
    text = render(REPORT, "0.1.0")
    assert "src/日本.py" in text
    assert text.endswith("}\n")
    assert text.startswith('{\n  "tool"')


def test_an_end_that_is_not_known_is_the_start() -> None:
    report = Report((Finding("RA101", "n", (), "error", Place("a.py", 4, 2), "", "m"),))
    (finding,) = json.loads(render(report, "0"))["findings"]
    assert (finding["end_line"], finding["end_column"]) == (4, 2)


def test_undecodable_names_survive_encoding() -> None:
    report = Report(errors=(AuditError("a\udc80.py", 1, "x"),))
    data = render(report, "0").encode("utf-8", "backslashreplace")
    assert json.loads(data)["errors"][0]["path"] == "a\udc80.py"
