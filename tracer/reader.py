"""Reading stores: the events of all their files, and what could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Event = dict[str, Any]


@dataclass
class Reading:
    """What went wrong while events were read: the fault and its place, a line each."""

    faults: list[str] = field(default_factory=list)


def files(stores: Iterable[Path]) -> Iterator[Path]:
    """The files of stores (folders, or single files), each process's in order of rotation."""
    for store in stores:
        yield from sorted(store.glob("*.jsonl"), key=_order) if store.is_dir() else [store]


def _order(path: Path) -> tuple[str, int]:
    process, _, number = path.name.removesuffix(".jsonl").rpartition(".")
    return process, int(number) if number.isdigit() else 0


def events(stores: Iterable[Path], reading: Reading) -> Iterator[Event]:
    """The events as they were written, file by file. A torn last line is noted and left out, as is what is no event."""
    for path in files(stores):
        try:
            handle = path.open("rb")
        except OSError as error:
            reading.faults.append(f"{path}: {error.strerror or error}")
            continue
        with handle:
            for number, line in enumerate(handle, 1):
                event = _event(line)
                if event is None:
                    torn = not line.endswith(b"\n")
                    what = "the last line is torn: the process was killed while it wrote" if torn else "is no event"
                    reading.faults.append(f"{path}:{number}: {what}")
                else:
                    yield event


def _event(line: bytes) -> Event | None:
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("kind"), str) else None
