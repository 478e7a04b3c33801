"""Files to summaries: from the cache, in this process, in workers, or in a child that may die."""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from ..contract import AuditError
from . import cache
from .discover import FoundFile
from .lower import summarise
from .notebooks import drop_bad_cells, notebook_source
from .recursion import deep_recursion
from .source import SourceError, decode, read_bytes, risky
from .summary import Summary, encode
from .summary import decode as decode_summary

RECURSION = 2_500
"""Frames allowed while a file is lowered; deeper code is reported, not read."""

CHILD_SECONDS = 20.0
CHILD_MEMORY = 3_000_000_000
FEWEST_FOR_POOL = 40
"""Files for which starting workers pays."""


class Outcome(msgspec.Struct, array_like=True):
    """What came of a file: its encoded summary, or nothing, and what could not be read of it."""

    summary: bytes | None
    errors: list[tuple[int, str]]


_OUTCOME = msgspec.msgpack.Decoder(Outcome)


@dataclass
class Reader:
    """Reads files of a project; ``errors`` and ``hits`` (entries found in the cache) grow."""

    files: dict[str, FoundFile]
    jobs: int = 1
    folder: Path | None = None
    errors: list[AuditError] = field(default_factory=list)
    hits: int = 0
    skipped: int = 0

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None, and an error, where it cannot be read."""
        try:
            return read_bytes(self.files[path])
        except SourceError as error:
            self.errors.append(AuditError(path, error.line, error.message))
            return None

    def load(self, path: str, data: bytes | None = None) -> Summary | None:
        """The summary of one file."""
        data = self.read(path) if data is None else data
        if data is None:
            return None
        name = cache.key(data, path.rpartition(".")[2]) if self.folder is not None else ""
        outcome = self._cached(name)
        if outcome is None:
            outcome = guarded(path, data) if dangerous(path, data) else lower(path, data)
            self._keep(name, outcome)
        return self._take(path, outcome)

    def load_all(self, paths: Sequence[str], tell: Callable[[int], None]) -> Iterator[tuple[str, Summary]]:
        """The summaries of many files, in order; in workers where that pays."""
        if self.jobs < 2 or len(paths) < FEWEST_FOR_POOL:
            for number, path in enumerate(paths):
                tell(number)
                summary = self.load(path)
                if summary is not None:
                    yield path, summary
            return
        made = self._in_workers(paths)
        for number, path in enumerate(paths):
            tell(number)
            outcome = made.get(path)
            summary = self._take(path, outcome) if outcome is not None else self.load(path)
            if summary is not None:
                yield path, summary

    def _in_workers(self, paths: Sequence[str]) -> dict[str, Outcome]:
        made: dict[str, Outcome] = {}
        todo: list[tuple[str, str]] = []
        for path in paths:
            data = self._quiet(path)
            if data is None:
                continue
            name = cache.key(data, path.rpartition(".")[2])
            outcome = self._cached(name)
            if outcome is not None:
                made[path] = outcome
            elif not dangerous(path, data):
                todo.append((path, name))
        if len(todo) < FEWEST_FOR_POOL:
            return made
        work = [(path, self.files[path]) for path, _ in todo]
        try:
            with ProcessPoolExecutor(self.jobs, mp_context=process_context()) as pool:
                outcomes = pool.map(_work, work, chunksize=max(1, len(work) // (self.jobs * 8)))
                for (path, name), outcome in zip(todo, outcomes, strict=True):
                    if outcome is not None:
                        self._keep(name, outcome)
                        made[path] = outcome
        except (BrokenProcessPool, OSError):
            return made
        return made

    def _quiet(self, path: str) -> bytes | None:
        try:
            return read_bytes(self.files[path])
        except SourceError:
            return None

    def _cached(self, name: str) -> Outcome | None:
        entry = cache.read(self.folder, name) if self.folder is not None else None
        if entry is None:
            return None
        try:
            outcome = _OUTCOME.decode(entry)
        except msgspec.DecodeError:
            return None
        self.hits += 1
        return outcome

    def _keep(self, name: str, outcome: Outcome) -> None:
        if self.folder is not None:
            cache.write(self.folder, name, msgspec.msgpack.encode(outcome))

    def _take(self, path: str, outcome: Outcome) -> Summary | None:
        self.errors.extend(AuditError(path, line, message) for line, message in outcome.errors)
        if outcome.summary is None:
            return None
        try:
            return decode_summary(outcome.summary)
        except (msgspec.DecodeError, RecursionError):
            self.errors.append(AuditError(path, 1, "nested too deeply to be analysed"))
            return None


def process_context() -> multiprocessing.context.BaseContext:
    """How processes are started: by forking where it is safe and cheap, as they then import nothing again."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _work(item: tuple[str, FoundFile]) -> Outcome | None:
    path, file = item
    try:
        return lower(path, read_bytes(file))
    except SourceError:
        return None


def dangerous(path: str, data: bytes) -> bool:
    """Whether the code of a file could kill a parser; see ``source.risky``."""
    if not path.endswith(".ipynb"):
        return risky(data) is not None
    try:
        return risky(_notebook(data).text) is not None
    except SourceError:
        return False


_notebook = lru_cache(maxsize=1)(notebook_source)
"""A notebook is looked at before it is lowered."""


def lower(path: str, data: bytes) -> Outcome:
    """Lower one file in this process."""
    try:
        if path.endswith(".ipynb"):
            return _lower_notebook(data)
        return _lower_text(decode(data), [])
    except SourceError as error:
        return Outcome(None, [(error.line, error.message)])


def _lower_notebook(data: bytes) -> Outcome:
    notebook = _notebook(data)
    if notebook.skipped is not None or not notebook.text.strip():
        return Outcome(None, [])
    found = _lower_text(notebook.text, [])
    if found.summary is not None:
        return found
    text, errors = drop_bad_cells(notebook)
    return _lower_text(text, [(error.line, error.message) for error in errors])


def _lower_text(text: str, errors: list[tuple[int, str]]) -> Outcome:
    with deep_recursion(RECURSION), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Outcome(encode(summarise(text)), errors)
        except SyntaxError as error:
            return Outcome(None, [*errors, (error.lineno or 1, f"not valid Python: {str(error.msg)[:120]}")])
        except (RecursionError, MemoryError):
            return Outcome(None, [*errors, (1, "nested too deeply to be analysed")])
        except (ValueError, OverflowError) as error:
            return Outcome(None, [*errors, (1, f"cannot be parsed: {error}")])


def guarded(path: str, data: bytes) -> Outcome:
    """Lower a file that could kill a parser in a child process; its death is an error of the file."""
    context = process_context()
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(sender, path, data), daemon=True)  # type: ignore[attr-defined]
    child.start()
    sender.close()
    outcome: Outcome | None = None
    try:
        if receiver.poll(CHILD_SECONDS):
            outcome = _OUTCOME.decode(receiver.recv_bytes())
            message = ""
        else:
            message = f"not parsed within {CHILD_SECONDS:.0f} s"
    except (EOFError, OSError, msgspec.DecodeError):
        message = "the parser died on it (nested too deeply?)"
    child.kill()
    child.join()
    receiver.close()
    return outcome if outcome is not None else Outcome(None, [(1, message)])


def _child(sender: Connection, path: str, data: bytes) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (CHILD_MEMORY, CHILD_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # no such limits on this system
        pass
    sender.send_bytes(msgspec.msgpack.encode(lower(path, data)))
    sender.close()
