"""A trace of LangGraph as a short text: a line a run, its tasks with what they waited for, were answered and did.

    new: pre(+pre) gate(+before ?0)~ => parked
    answer@ A: gate(+before 0=A* +gated:A) post(+post) => completed

``@`` an address was given; ``?0`` wait 0 parked; ``0=A`` answered from the record, ``0=A*`` by this delivery;
``~`` parked, ``!`` failed, ``=`` handed back from the record, ``..`` left without an end; ``sub/`` in a subgraph.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from resume_audit.tracer.digests import Digests

KEY = "ab" * 32
VALUES = (
    "A",
    "B",
    "C",
    "A2",
    "B2",
    "zz",
    "edit1",
    "edit2",
    None,
    {"approved": True},
    ["A", "B"],
    ["A", "A"],
    "a",
    "b",
    "c",
)
NAMES = (
    "pre",
    "before",
    "gated",
    "post",
    "plain",
    "body",
    "first",
    "second",
    "charge",
    "ask before",
    "between",
    "asked",
)
MORE = ("a before", "a gated", "b before", "b gated", "caller before", "caller after", "breaks", "unsteady", "ungated")

Event = dict[str, Any]


def events(store: Path) -> list[Event]:
    """The events of a store."""
    lines = [line for path in sorted(store.glob("*.jsonl")) for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def _names() -> dict[str | None, str]:
    digests = Digests(bytes.fromhex(KEY))
    found: dict[str | None, str] = {digests.of(value): _said(value) for value in VALUES}
    for name in (*NAMES, *MORE, "stops"):
        for value in VALUES:
            found[digests.of({"name": name, "answer": value})] = name if value is None else f"{name}:{_said(value)}"
    found.pop(None, None)
    return found


def _said(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


KNOWN = _names()


def named(digest: str | None) -> str:
    """The value that a digest was taken of."""
    return "unknown" if digest is None else KNOWN.get(digest, "other")


class _Attempt:
    def __init__(self, event: Event, name: str) -> None:
        self.event = event
        self.name = name
        self.parts: list[str] = []
        self.mark = ".."

    def __str__(self) -> str:
        return f"{self.name}({' '.join(self.parts)}){self.mark}" if self.parts else self.name + self.mark


_MARKS = {"ok": "", "parked": "~", "failed": "!", "memoised": "="}


def story(found: Iterable[Event]) -> list[str]:
    """The lines of a trace, runs in the order of their starts; runs of several threads sorted."""
    runs: dict[str, tuple[Event, list[_Attempt], list[str]]] = {}
    lines: list[Any] = []
    for event in found:
        kind, run = event["kind"], str(event.get("run"))
        if kind == "run.start":
            runs[run] = (event, [], [])
            lines.append(run)
        elif kind == "state.update":
            lines.append(f"update{'@' if event['explicit'] else ''}")
        elif kind == "run.end":
            error = f" {event['error']}" if event.get("error") else ""
            runs[run][2].append(event["outcome"] + error)
        elif run in runs and kind.split(".")[0] in ("task", "wait", "effect"):
            _task_event(event, runs[run][1])
    return [line if line not in runs else _line(*runs[line]) for line in lines]


def _task_event(event: Event, attempts: list[_Attempt]) -> None:
    kind = event["kind"]
    if kind == "task.start" or (kind == "task.end" and event["outcome"] == "memoised"):
        depth = "".join(f"{part.split(':')[0]}/" for part in event["namespace"].split("|") if part)
        attempts.append(_Attempt(event, depth + event["name"]))
        if kind == "task.end":
            attempts[-1].mark = "="
        return
    own = [each for each in attempts if each.event["task"] == event["task"]]
    if not own:
        if kind == "wait.park" and event.get("static"):
            attempts.append(_Attempt(event, f"|{event['static']} {event['name']}"))
            attempts[-1].mark = ""
        elif kind != "effect.end":
            attempts.append(_Attempt(event, f"no attempt: {kind}"))
        return
    if kind == "task.end":
        own[-1].mark = _MARKS[event["outcome"]]
    elif kind == "wait.park":
        own[-1].parts.append(f"?{event['ordinal']}")
    elif kind == "wait.answer":
        fresh = {True: "*", False: "", None: "'"}[event["fresh"]]
        own[-1].parts.append(f"{event['ordinal']}={named(event['digest'])}{fresh}")
    elif kind == "effect":
        own[-1].parts.append(f"+{named(event['digest'])}")


def _line(start: Event, attempts: list[_Attempt], ends: list[str]) -> str:
    steps: dict[tuple[Any, ...], list[str]] = {}
    for each in attempts:
        key = (each.event["namespace"], each.event.get("checkpoint"))
        steps.setdefault(key, []).append(str(each))
    texts = [text for step in steps.values() for text in sorted(step)]
    answers = "".join(f" {'#' if each['wait'] else ''}{named(each['digest'])}" for each in start["answers"])
    return (
        f"{start['input']}{'@' if start['explicit'] else ''}{answers}: {' '.join(texts)} => {' '.join(ends) or 'open'}"
    )


OF_RUNS = ("checkpoint.load", "task.start", "task.end", "wait.park", "wait.answer", "effect", "effect.end")


def faults(found: list[Event]) -> list[str]:
    """What no trace may hold: gaps, events of no run, tasks without an attempt, ends without a start."""
    told: list[str] = []
    runs = {each["run"] for each in found if each["kind"] == "run.start"}
    saved: dict[Any, str | None] = {}
    states: dict[Any, str | None] = {}
    for each in found:
        kind = each["kind"]
        if kind == "trace.gap":
            told.append(f"gap: {each.get('detail')}")
        elif kind == "hooks" and each["framework"] == "langgraph" and each["not_observed"]:
            told.append(f"not observed: {each['not_observed']}")
        elif kind in OF_RUNS and each["run"] not in runs:
            told.append(f"{kind} of no run")
        if kind == "checkpoint.save" and (each["run"] is None) is not (each["source"] == "update"):
            told.append(f"checkpoint.save ({each['source']}) of the wrong run or of none")
        if kind == "writes.save" and each["run"] is None and not _may_be_of_no_run(each, found):
            told.append("writes.save of no run")
        if kind == "checkpoint.save":
            saved[each["store"], each["thread"], each["namespace"], each["checkpoint"]] = each["digest"]
        if kind == "checkpoint.load" and each["checkpoint"] is not None:
            key = (each["store"], each["thread"], each["namespace"], each["checkpoint"])
            if key not in saved:
                told.append("loaded what nobody saved")
            elif None not in (saved[key], each["digest"]) and saved[key] != each["digest"]:
                told.append("loaded another state than was saved")
        if (
            kind == "task.start"
            and each["state"] is not None
            and states.setdefault(each["task"], each["state"]) != each["state"]
        ):
            told.append(f"{each['name']} was given another state when it ran again")
    return told


def _may_be_of_no_run(event: Event, found: list[Event]) -> bool:
    """Whether it happened in a change of the state from outside, or while two runs of one thread were live."""
    at = found.index(event)
    live: set[str] = set()
    mixed = False
    for each in found:
        if each["kind"] == "run.start" and each["thread"] == event["thread"]:
            live.add(each["run"])
            mixed |= len(live) > 1
        elif each["kind"] == "run.end":
            live.discard(each["run"])
    following = [each["kind"] for each in found[at:] if each["kind"] in ("run.start", "run.end", "state.update")]
    return mixed or following[:1] == ["state.update"]


_IDS = (
    "at",
    "process",
    "run",
    "task",
    "checkpoint",
    "parent",
    "effect",
    "within",
    "wait",
    "result",
    "address",
    "thread",
    "store",
)


def multiset(found: Iterable[Event]) -> Counter[str]:
    """Events without what differs from run to run."""
    plain = []
    for each in found:
        if each["kind"] in ("process.start", "process.end", "trace") or each["framework"] not in (None, "langgraph"):
            continue  # calls into C are seen by one core only
        kept: Event = {key: (value is not None if key in _IDS else value) for key, value in each.items()}
        kept["namespace"] = [part.split(":")[0] for part in str(each.get("namespace") or "").split("|")]
        kept["channels"] = sorted(each.get("channels") or ())  # in the order of a set
        kept["pending"] = sorted([p["wait"] is not None, p["ordinal"]] for p in each.get("pending") or ())
        if kept["kind"] == "run.start":
            kept["answers"] = [[each["wait"] is not None, each["digest"]] for each in kept["answers"]]
        plain.append(json.dumps(kept, sort_keys=True))
    return Counter(plain)
