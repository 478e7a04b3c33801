"""Source on a terminal: columns line up and nothing moves the cursor."""

from __future__ import annotations

import pytest

from resume_audit.reports.excerpt import WIDTH, excerpt, printable


@pytest.mark.parametrize(
    "text, column, end, expected",
    [
        ("send(a)", 1, 8, ("send(a)", 0, 7)),
        ("    send(a)", 5, 12, ("    send(a)", 4, 7)),
        ("\tsend(a)", 2, 9, ("    send(a)", 4, 7)),
        ("x\tsend(a)", 3, 10, ("x   send(a)", 4, 7)),
        ('f("日本") + g', 10, 11, ('f("日本") + g', 11, 1)),
        ('f("日本")', 3, 7, ('f("日本")', 2, 6)),
        ("e\u0301 = g()", 6, 9, ("e\u0301 = g()", 4, 3)),
        ("a\x1b[31m = g()", 9, 12, ("a\\x1b[31m = g()", 11, 3)),
        ("a\u202eb", 3, 4, ("a\\u202eb", 7, 1)),
        ("send()\r\n", 1, 99, ("send()", 0, 6)),
        ("send()", 0, 0, ("send()", 0, 1)),
        ("send()", 50, 60, ("send()", 6, 1)),
        ("", 1, 1, ("", 0, 1)),
    ],
)
def test_a_range_is_where_it_is_shown(text: str, column: int, end: int, expected: tuple[str, int, int]) -> None:
    assert excerpt(text, column, end) == expected


def test_a_long_line_is_cut_at_its_end() -> None:
    text, offset, length = excerpt("send(" + "a" * 500 + ")", 1, 5)
    assert text.startswith("send(aaa")
    assert text.endswith("...")
    assert (offset, length) == (0, 4)
    assert len(text) <= WIDTH + 3


def test_a_long_line_is_cut_around_a_range_far_in() -> None:
    source = "a" * 1000 + "send()" + "b" * 1000
    text, offset, length = excerpt(source, 1001, 1007)
    assert text[offset : offset + length] == "send()"
    assert text.startswith("...a")
    assert text.endswith("b...")
    assert len(text) <= WIDTH + 6


def test_a_range_longer_than_the_screen_is_cut_with_it() -> None:
    text, offset, length = excerpt("x = " + "a" * 5000, 5, 5005)
    assert offset + length <= len(text)


def test_a_huge_line_costs_nothing() -> None:
    source = "x" * 30_000_000
    assert len(excerpt(source, 29_000_000, 29_000_004)[0]) < 200


def test_wide_characters_are_cut_whole() -> None:
    text, offset, length = excerpt("日" * 300, 290, 291)
    assert (text[3:].rstrip("."), length) == ("日" * (len(text.replace(".", ""))), 2)
    assert offset == 3 + 2 * 20


def test_printable() -> None:
    assert printable("plain é 日") == "plain é 日"
    assert printable("a\nb\x07\udc80\U000e0001") == "a\\x0ab\\x07\\udc80\\U000e0001"
