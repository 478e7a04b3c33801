"""Regions are part of one line, in the file as it is."""

from __future__ import annotations

import pytest

from resume_audit.contract import Place
from resume_audit.reports.spans import span


@pytest.mark.parametrize(
    "place, text, expected",
    [
        (Place("a.py", 1, 5, 1, 11), "    send()", (5, 11)),
        (Place("a.py", 1, 5, 3, 2), "    send(  ", (5, 10)),
        (Place("a.py", 1, 5), "    send()  ", (5, 11)),
        (Place("a.py", 1, 5, 1, 5), "    send()", (5, 11)),
        (Place("a.py", 1, 5, 1, 99), "    send()", (5, 11)),
        (Place("a.py", 1, 99, 1, 120), "    send()", (5, 11)),
        (Place("a.py", 1, 1, 1, 3), "    send()", (5, 11)),
        (Place("a.py", 1, 3, 1, 5), "é😀x()", (3, 5)),
        (Place("a.py", 1), "", (1, 1)),
        (Place("a.py", 1), "   ", (1, 1)),
        (Place("a.py", 1, 4, 1, 9), "", (4, 9)),
    ],
)
def test_the_part_of_a_line(place: Place, text: str, expected: tuple[int, int]) -> None:
    assert span(place, text) == expected


@pytest.mark.parametrize(
    "column, end, raw, meant",
    [
        (5, 11, r'    "    send()\n",', "send()"),
        (5, 11, r'    "    send()"', "send()"),
        (1, 9, r'"send(\"a\")\n"', r"send(\"a\")"[:-1]),
        (5, 9, r'"x = \"\u00e9\ud83d\ude00\"\n",', r"\"\u00e9\ud83d\ude00\""),
        (5, 0, r'    "    send()\n",', "send()"),
        (3, 7, r'  "source": "x = 1\nsend()",', r'"source": "x = 1\nsend()",'),
        (3, 7, r' "x = 1\nsend()\n"', r'"x = 1\nsend()\n"'),
    ],
)
def test_the_columns_of_a_cell_become_those_of_the_file(column: int, end: int, raw: str, meant: str) -> None:
    start, stop = span(Place("n.ipynb", 9, column, 9, end, cell=2), raw)
    assert raw[start - 1 : stop - 1] == meant
