"""The lists that the tracer reads inside the traced program."""

from __future__ import annotations

import pytest

from resume_audit.analyzer.knowledge import audit_events, callers, effect_frames, effect_index, effects


def test_the_index_is_that_of_the_tables() -> None:
    assert effect_index.FILE.read_text(encoding="utf-8") == effect_index.made(), (
        "make it anew: python -m resume_audit.analyzer.knowledge.effect_index"
    )


def test_frames_lead_to_what_the_tables_know() -> None:
    table = effects.load()
    for spec in effect_frames.load():
        if not spec.effect or spec.does:
            continue
        for function in spec.functions:
            owner, _, plain = function.rpartition(".")
            name = spec.effect.replace("{}", plain).replace("{class}", owner.rpartition(".")[2])
            if "{" not in name and not spec.counts:
                assert table.lookup(name) is not None, name


def test_audit_events_lead_to_what_the_tables_know() -> None:
    table = effects.load()
    for event in audit_events.load().values():
        assert event.kind or table.lookup(event.name) is not None, event.name


def test_a_frame_that_is_not_well_formed_is_refused() -> None:
    for item in (
        {"under": "a"},
        {"under": "a", "functions": ["f"], "does": "x"},
        {"under": "a", "functions": ["f"], "y": 1},
    ):
        with pytest.raises(ValueError, match="a frame needs"):
            effect_frames._frame(item)


def test_keepers_have_methods() -> None:
    known = callers.load()
    assert known.keepers["put_writes"] == {"BaseCheckpointSaver"}
    assert "openai" in known.packages
