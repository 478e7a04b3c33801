"""What was recorded, counted: threads, runs, parks and since when, answers, effects, hooks not observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from .reader import Event

Wait = tuple[object, ...]


@dataclass
class Summary:
    """Counts over any number of events. Times are nanoseconds since the epoch."""

    processes: dict[str, str] = field(default_factory=dict)
    """Process to how it ended, empty while no end was recorded."""
    runs: Counter[str] = field(default_factory=Counter)
    """Outcome to runs; ``no end recorded`` for those without one."""
    parks: dict[Wait, tuple[int, Event]] = field(default_factory=dict)
    """Open waits: when they parked, and the event."""
    threads: set[tuple[object, ...]] = field(default_factory=set)
    answers: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)
    hooks: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    gaps: Counter[str] = field(default_factory=Counter)
    events: int = 0
    _open: set[tuple[object, object]] = field(default_factory=set)
    _observed: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Count an event."""
        self.events += 1
        kind = event["kind"]
        handler = getattr(self, "_" + kind.replace(".", "_"), None)
        if handler is not None:
            handler(event)

    def _process_start(self, event: Event) -> None:
        self.processes.setdefault(str(event.get("process")), "")

    def _process_end(self, event: Event) -> None:
        self.processes[str(event.get("process"))] = str(event.get("outcome"))

    def _run_start(self, event: Event) -> None:
        self.threads.add(_thread(event))
        self._open.add((event.get("process"), event.get("run")))
        for wait in [wait for wait in self.parks if wait[:3] == _thread(event)]:
            if event.get("input") == "new" or wait[3] is None:  # given up; a breakpoint behind a task that is over
                del self.parks[wait]

    def _run_end(self, event: Event) -> None:
        self._open.discard((event.get("process"), event.get("run")))
        self.runs[str(event.get("outcome"))] += 1

    def _wait_park(self, event: Event) -> None:
        self.parks.setdefault(_wait(event), (int(event.get("at") or 0), event))

    def _wait_answer(self, event: Event) -> None:
        self.parks.pop(_wait(event), None)
        self.answers["served anew" if event.get("fresh") else "served from the record"] += 1

    def _task_start(self, event: Event) -> None:
        for wait in [wait for wait in self.parks if wait[3:] == (event.get("task"), None)]:
            del self.parks[wait]  # a breakpoint that was passed

    def _effect(self, event: Event) -> None:
        if event.get("within") is None:
            self.effects[str(event.get("name"))] += 1

    def _hooks(self, event: Event) -> None:
        key = (str(event.get("framework")), str(event.get("version") or ""))
        seen = self._observed.setdefault(key, set())
        seen.update(_texts(event.get("observed")))
        missing = {*self.hooks.get(key, ()), *_texts(event.get("not_observed"))}
        self.hooks[key] = sorted(missing - seen)  # one process met what another never called

    def _trace_gap(self, event: Event) -> None:
        self.gaps[str(event.get("reason"))] += 1

    def lines(self) -> Iterator[str]:
        """The summary as lines of text."""
        unended = sum(1 for outcome in self.processes.values() if not outcome)
        killed = f", {unended} with no end recorded (running, or killed)" if unended else ""
        yield f"processes: {len(self.processes)}{killed}; events: {self.events:,}"
        for (framework, version), missing in sorted(self.hooks.items()):
            said = f"NOT observed: {', '.join(missing)}" if missing else "all hooks observed"
            yield f"{framework} {version}".rstrip() + f": {said}"
        if not any(version for _, version in self.hooks):
            yield "no framework was seen: nothing is known of runs"
        runs = [*sorted(self.runs.items()), *([("no end recorded", len(self._open))] if self._open else [])]
        yield f"threads: {len(self.threads)}; runs: {_counts(runs)}"
        yield f"answers: {_counts(sorted(self.answers.items()))}"
        yield f"effects: {_counts(self.effects.most_common())}"
        for at, event in sorted(self.parks.values(), key=lambda each: each[0]):
            since = datetime.fromtimestamp(at / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            static = f"breakpoint {event['static']} {event.get('name')}" if event.get("static") else "waits"
            yield f"parked: thread {event.get('thread')} of {event.get('graph')}: {static} since {since}"
        for reason, count in sorted(self.gaps.items()):
            yield f"INCOMPLETE: {reason} ({count}): what depends on what is missing is unknown"


def summarise(events: Iterable[Event]) -> Summary:
    """The summary of events."""
    summary = Summary()
    for event in events:
        summary.add(event)
    return summary


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _thread(event: Event) -> tuple[object, ...]:
    return (event.get("store"), event.get("graph"), event.get("thread"))


def _wait(event: Event) -> Wait:
    return (*_thread(event), event.get("task"), event.get("ordinal"))


def _counts(counts: Iterable[tuple[str, int]]) -> str:
    found = [f"{count:,} {name}" for name, count in counts]
    return ", ".join(found) if found else "none"
