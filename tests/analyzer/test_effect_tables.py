"""How strictly tables are read, and how their patterns match."""

from __future__ import annotations

import pytest

from resume_audit.analyzer.knowledge.effect_tables import parse
from resume_audit.analyzer.knowledge.effects import load
from resume_audit.analyzer.knowledge.patterns import NameMap, compile_prefix, expand


def test_patterns() -> None:
    assert list(expand("a.{b,c}.{d,e}")) == ["a.b.d", "a.b.e", "a.c.d", "a.c.e"]
    names = NameMap([("a.*", 1), ("a.b*", 2), ("a.bc", 3), ("a.**.z", 4), ("*.q", 5)])
    assert [names.get(name) for name in ("a.x", "a.bx", "a.bc", "a.x.y.z", "a.x.y", "p.q", "p", "ba.x")] == [
        1, 2, 3, 4, None, 5, None, None,
    ]  # fmt: skip
    for bad in ("a.{b", "a.b}", "a.{b{c}}"):
        with pytest.raises(ValueError, match="brace"):
            list(expand(bad))


@pytest.mark.parametrize(
    "pattern, leading, other",
    [
        ("a.b.c", "a a.b", "a.b.c b a.c"),
        ("a.*.c", "a a.x", "a.x.c a.x.y"),
        ("a.**.c", "a a.x a.x.y", "b ax"),
        ("a.**", "a a.x.y", "ab"),
    ],
)
def test_what_a_longer_name_may_begin_with(pattern: str, leading: str, other: str) -> None:
    prefix = compile_prefix(pattern)
    names = NameMap([(pattern, 1)])
    for name in leading.split():
        assert prefix.fullmatch(name)
        assert names.leads(name)
    for name in other.split():
        assert not prefix.fullmatch(name)
        assert not names.leads(name)


def test_a_case_by_any_of_several_keywords() -> None:
    text = GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { keyword = "{x,@1}.${p,q}", matches = "", then = "read" }'
    ((_, rule),) = parse("good.toml", text).calls
    assert [case.keyword for case in rule.cases] == ["x.$p", "x.$q", "@1.$p", "@1.$q"]


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
        GOOD + '[[call]]\nnames = ["a.b"]\nwhen = { position = 0, matches = "x", joined = 1 }',
        GOOD + '[[call]]\nnames = ["a.b"]\ntool = "name"',
        GOOD + '[[call]]\nnames = ["a.b"]\nkey = ["@1"]',
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


@pytest.mark.parametrize(
    "name, expected",
    [
        ("twilio.rest.Client.messages", True),
        ("twilio.rest.Client.messages.create", True),
        ("stripe.StripeClient.v1.payment_intents", True),
        ("docker.client.DockerClient.containers", True),
        ("pymongo.MongoClient.shop", True),
        ("openai.OpenAI.chat.completions", True),
        ("twilio.rest.Client.http_client", False),
        ("pydantic.BaseModel.client", False),
        ("requests.Session.adapters", False),
        ("shop.Client.messages", False),
    ],
)
def test_what_is_known_below_a_name(name: str, expected: bool) -> None:
    assert load().knows(name) is expected
