"""The report for people."""

from __future__ import annotations

import re
from dataclasses import replace

from resume_audit.contract import AuditError, Finding, Fix, Level, Place, Report, Stats, Step
from resume_audit.reports.text import View, first_sentence, render

SOURCE = {
    ("app/nodes.py", 41): "\tmailer.send(offer)",
    ("app/nodes.py", 44): "    answer = ask(state)",
    ("app/human.py", 12): "    return interrupt(payload)",
}


def line(path: str, number: int) -> str:
    return SOURCE.get((path, number), "")


def finding(level: Level = "error", number: int = 41, path: str = "app/nodes.py") -> Finding:
    return Finding(
        rule="RA001",
        name="effect-before-wait",
        properties=("EO",),
        level=level,
        place=Place(path, number, 2, number, 20),
        symbol="app.nodes.f",
        message="The mail is sent again with each answer.",
    )


FULL = replace(
    finding(),
    framework="langgraph",
    framework_version="1.2.24",
    also=("RA104",),
    certainty="likely",
    flow=(
        Step(Place("app/nodes.py", 41, 2), "effect", "sends the mail"),
        Step(Place("app/nodes.py", 44, 5), "call", "asks"),
        Step(Place("app/human.py", 12, 5), "wait", "interrupt(...)"),
    ),
    fixes=(Fix(True, "Move the call behind the wait", ()),),
)


def test_a_finding_in_full() -> None:
    text = render(Report((FULL,), stats=Stats(3, 2, 1234)), line, View())
    assert text == (
        "app/nodes.py (1 finding)\n"
        "\n"
        "app/nodes.py:41:2: error RA001 effect-before-wait  The mail is sent again with each answer.\n"
        "   |\n"
        "41 |     mailer.send(offer)\n"
        "   |     ^^^^^^^^^^^^^^^^^^\n"
        "   |\n"
        "   1. effect  app/nodes.py:41  sends the mail\n"
        "              | mailer.send(offer)\n"
        "   2. call    app/nodes.py:44  asks\n"
        "              | answer = ask(state)\n"
        "   3. wait    app/human.py:12  interrupt(...)\n"
        "              | return interrupt(payload)\n"
        "   = assumed: langgraph 1.2.24\n"
        "   = likely: by names, not by a resolved definition\n"
        "   = also: RA104\n"
        "   = fix: Move the call behind the wait\n"
        "   = help: Write after the bracket why the hazard cannot do harm here, or remove the comment and "
        "the hazard. (resume-audit explain RA001)\n"
        "\n"
        "Found 1 error.\n"
        "3 files (1,234 lines) seen, 2 analysed.\n"
    )


def test_findings_stand_under_their_file() -> None:
    report = Report((finding(path="a.py"), finding("warning", 50, "a.py"), finding("note", path="b.py")))
    text = render(report, line, View())
    assert text.count("a.py (2 findings)") == 1
    assert text.count("b.py (1 finding)") == 1
    assert "Found 1 error, 1 warning, 1 note." in text


def test_without_findings_it_says_what_was_seen_and_what_was_not() -> None:
    report = Report(
        errors=(AuditError("old.py", 3, "Missing parentheses\nin call"),),
        not_checked=("calls that could not be resolved",),
        stats=Stats(2, 2, 10),
    )
    assert render(report, line, View()) == (
        "No findings.\n"
        "2 files (10 lines) seen, 2 analysed.\n"
        "1 file could not be read or parsed:\n"
        "  old.py:3: Missing parentheses in call\n"
        "Not checked:\n"
        "  - calls that could not be resolved\n"
    )


def test_what_is_hidden_is_counted() -> None:
    text = render(Report(), line, View(hidden_notes=2, hidden_suppressed=1))
    assert "2 notes not shown (--pedantic)." in text
    assert "1 suppressed finding not shown (--include-suppressed)." in text


def test_suppressed_findings_are_marked_and_not_counted() -> None:
    text = render(Report((replace(finding(), suppressed=True),)), line, View())
    assert "error (suppressed) RA001" in text
    assert "No findings." in text


def test_colour_only_on_request() -> None:
    report = Report((FULL,))
    assert "\x1b" not in render(report, line, View())
    assert "\x1b[1;31merror\x1b[0m" in render(report, line, View(colour=True))


def test_nothing_from_the_source_reaches_the_terminal_raw() -> None:
    nasty = replace(finding(path="a\x1b.py"), message="sends\n\x1b]0;title\x07", name="n\x9b", framework="f\x1b")
    text = render(Report((nasty,)), lambda path, number: "x = '\x1b[2J\u202e'", View())
    assert not any(ord(character) < 32 and character != "\n" for character in text)
    assert "\u202e" not in text
    assert "\x9b" not in text


def test_statistics_count_by_rule_and_level() -> None:
    report = Report((finding(), finding("warning", 50), finding("warning", 51), replace(finding(), suppressed=True)))
    assert render(report, line, View(statistics=True)).splitlines()[:3] == [
        "2  warning  RA001  effect-before-wait",
        "1  error    RA001  effect-before-wait",
        "",
    ]


def test_a_missing_source_line_is_left_out() -> None:
    assert "|" not in render(Report((finding(number=99),)), line, View())


def test_a_range_over_lines_is_underlined_to_the_end_of_the_first() -> None:
    wide = replace(finding(), place=Place("app/nodes.py", 41, 2, 45, 3))
    assert "   |     ^^^^^^^^^^^^^^^^^^\n" in render(Report((wide,)), line, View())


def test_a_notebook_cell_and_an_unknown_version_are_said() -> None:
    text = render(
        Report((replace(finding(), place=Place("n.ipynb", 7, 1, cell=3), framework="langgraph"),)),
        line,
        View(),
    )
    assert "n.ipynb:7:1 (cell 3): error RA001" in text
    assert "= assumed: langgraph, version unknown" in text


def test_many_errors_are_cut() -> None:
    errors = tuple(AuditError(f"{number:04}.py", 1, "bad") for number in range(1000))
    text = render(Report(errors=errors), line, View())
    assert "1,000 files could not be read or parsed:" in text
    assert "and 970 more" in text


def test_first_sentence() -> None:
    assert first_sentence("Move a.b()\n  behind. Then more.") == "Move a.b() behind."
    assert first_sentence("One part only") == "One part only"


def test_the_cell_of_a_step_is_said() -> None:
    step = Step(Place("n.ipynb", 9, 1, cell=4), "wait", "the wait")
    text = render(Report((replace(finding(), flow=(step,)),)), line, View())
    assert "1. wait  n.ipynb:9 (cell 4)  the wait\n" in text


def test_the_advice_stands_in_full_under_the_first_finding_of_a_rule() -> None:
    text = render(Report((finding(), finding(number=44))), line, View())
    assert text.count("Write after the bracket") == 1
    assert text.count("= help: resume-audit explain RA001\n") == 1


LONG = replace(
    FULL,
    message="The mail is sent again with each answer, and " + "again " * 30,
    flow=(Step(Place("app/nodes.py", 41, 2), "effect", "sends " + "the mail " * 20),),
)


def test_without_a_width_every_message_stays_on_one_line() -> None:
    text = render(Report((LONG,)), line, View())
    assert any(LONG.message.strip() in each for each in text.splitlines())
    assert any(LONG.flow[0].message.strip() in each for each in text.splitlines())


def test_on_a_terminal_lines_are_broken_to_fit() -> None:
    for width in (60, 72, 80, 100, 120):
        lines = render(Report((LONG,)), line, View(width=width)).splitlines()
        assert max(map(len, lines)) <= width
        assert lines[2] == "app/nodes.py:41:2: error RA001 effect-before-wait"
        assert lines[3].startswith("  The mail is sent again with each answer, and again")
        whole = " ".join(" ".join(lines).split())
        assert " ".join(LONG.message.split()) in whole
        assert " ".join(LONG.flow[0].message.split()) in whole


def test_a_short_message_stays_beside_its_place_on_a_terminal() -> None:
    assert "effect-before-wait  The mail is sent" in render(Report((finding(),)), line, View(width=100))


def test_colour_takes_no_columns() -> None:
    plain = render(Report((LONG,)), line, View(width=80))
    painted = render(Report((LONG,)), line, View(colour=True, width=80))
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == plain


def test_files_that_are_only_read_for_calls_are_told() -> None:
    report = Report(stats=Stats(files=3, analysed=2, lines=40))
    told = "Reported on: 1 file under the given paths. The others are read to follow calls.\n"
    assert told in render(report, line, View(named=1))
    for named in (3, None):
        assert "Reported on" not in render(report, line, View(named=named))


def test_of_a_notebook_the_code_is_shown_and_not_its_json() -> None:
    cells = {
        1: '    "    x = \\"\\u65e5\\"; send(\\"a\\\\n\\")\\n",\n',
        2: '    "    return ask()"\n',
        3: '   "source": "a = 1\\nsend()\\n",',
        4: '{"cells": [{"source": ["send()"]}]}',
    }

    def shown(first: int) -> list[str]:
        steps = (Step(Place("a.ipynb", 2, 12, cell=4), "wait", "asks"),)
        made = replace(finding(), place=Place("a.ipynb", first, 14, first, 25, cell=4), flow=steps)
        return render(Report((made,)), lambda path, number: cells[number], View()).splitlines()

    assert shown(1)[3:6] == ["  |", '1 |     x = "\u65e5"; send("a\\n")', "  |               ^^^^^^^^^^^"]
    assert any(line.strip() == "| return ask()" for line in shown(1))
    for one_line in (3, 4):
        assert not any("^" in line or "source" in line for line in shown(one_line))
