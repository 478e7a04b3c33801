"""How strictly tables are read, and how their patterns match."""

from __future__ import annotations

import pytest

from resume_audit.analyzer.knowledge.effect_tables import parse
from resume_audit.analyzer.knowledge.patterns import NameMap, expand


def test_patterns() -> None:
    assert list(expand("a.{b,c}.{d,e}")) == ["a.b.d", "a.b.e", "a.c.d", "a.c.e"]
    names = NameMap([("a.*", 1), ("a.b*", 2), ("a.bc", 3), ("a.**.z", 4), ("*.q", 5)])
    assert [names.get(name) for name in ("a.x", "a.bx", "a.bc", "a.x.y.z", "a.x.y", "p.q", "p", "ba.x")] == [
        1, 2, 3, 4, None, 5, None, None,
    ]  # fmt: skip
    for bad in ("a.{b", "a.b}", "a.{b{c}}"):
        with pytest.raises(ValueError, match="brace"):
            list(expand(bad))


GOOD = 'kind = "x"\nreason = "y"\n'


@pytest.mark.parametrize(
    "text",
    [
        GOOD + 'colour = "red"',
        GOOD + '[[call]]\nname = ["a.b"]',
        GOOD + '[[call]]\nnames = "a.b"',
        GOOD + "[[call]]\nnames = []",
        GOOD + '[[call]]\nnames = ["*.b"]',
        GOOD + '[[call]]\nnames = ["a.{b"]',
        GOOD + '[[call]]\nnames = ["a.b"]\naction = "write"',
        GOOD + '[[call]]\nnames = ["a.b"]\nidempotent = "yes"',
        GOOD + '[[call]]\nnames = ["a.b"]\nkey = "k"',
        GOOD + '[[call]]\nnames = ["a.b"]\nkey = ["two words"]',
        GOOD + '[[call]]\nnames = ["a.b"]\nsql = "x"',
        GOOD + '[[call]]\nnames = ["a.b"]\nfresh = { place = 1 }',
        GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { position = 0 }',
        GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { matches = "x" }',
        GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { position = 0, matches = "(" }',
        GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { position = 0, matches = "@none" }',
        GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { position = 0, matches = "x", otherwise = "read" }',
        GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { position = 0, matches = "x", else = "maybe" }',
        GOOD + '[[constructor]]\nnames = ["a.b"]',
        GOOD + '[[constructor]]\nnames = ["a.b"]\nreturns = "a.c"\nwhy = "x"',
        GOOD + '[alias]\n"a.{b,c}" = "a.{d,e,f}"',
        GOOD + "[alias]\na = 1",
        'reason = "y"',
        "kind = ",
    ],
)
def test_a_table_that_is_not_well_formed_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=r"^broken\.toml: "):
        parse("broken.toml", text)
