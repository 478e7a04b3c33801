"""The durable record: a folder with one append-only file of JSON lines for each process.

Every event is handed to the kernel by one write before the traced call goes on, so that a process killed at any
moment loses nothing it recorded. A power cut can, unless ``fsync`` is asked for.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path

SCHEMA = 1
ROTATE_AT = 64 * 1024 * 1024
"""Bytes after which a process goes on in its next file."""

LARGEST = 1024 * 1024 * 1024
"""Bytes a process may write in all; then recording stops."""

CLOSED = "closed"
"""What ``lost`` says when recording was ended on purpose."""

_GAP_ROOM = 4096
"""Bytes kept free for the line that says that recording stopped."""

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), default=lambda value: None).encode


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes, and whether every event is forced to the disk."""

    rotate_at: int = ROTATE_AT
    largest: int = LARGEST
    fsync: bool = False


class Store:
    """Writes this process's events. After a fork the child calls ``begin`` and has files of its own.

    ``write`` never raises: what goes wrong first is kept in ``lost`` and nothing is written after it.
    """

    def __init__(self, folder: Path, head: dict[str, object], limits: Limits | None = None) -> None:
        self.folder = folder
        self.lost = ""
        self.events = 0
        self._head = head
        self._limits = limits or Limits()
        self._handle = -1
        self._path = folder
        self.begin()

    def begin(self) -> None:
        """Open a new file for this process. Raises OSError."""
        self.start = time.time_ns()
        self.process = f"{_host()}-{os.getpid()}-{self.start:x}"
        self.lost = ""
        self.events = 0
        self._number = 0
        self._size = 0
        self._total = 0
        self._torn = False
        self._lock = threading.RLock()  # a signal handler may write while the same thread writes
        self._open()

    def write(self, event: dict[str, object]) -> None:
        """Append one event, with the time and the process."""
        if self.lost:
            return
        event["at"] = time.time_ns()
        event["process"] = self.process
        try:
            self._append((_encode(event) + "\n").encode("ascii"))
        except (OSError, ValueError, TypeError, RecursionError, MemoryError) as error:
            self.lost = f"{type(error).__name__}: {error}"[:200]
            self._gap("store lost")
        else:
            self.events += 1

    def close(self) -> None:
        """Close the file; nothing can be written afterwards."""
        if self._handle >= 0:
            handle, self._handle = self._handle, -1
            os.close(handle)
        self.lost = self.lost or CLOSED

    def leave(self) -> None:
        """Let go of a parent's file without closing what the parent still writes to."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _append(self, line: bytes) -> None:
        with self._lock:
            if self._total + len(line) > self._limits.largest - _GAP_ROOM:
                self.lost = f"the limit of {self._limits.largest:,} bytes was reached"
                self._gap("limit")
                return
            if self._size and self._size + len(line) > self._limits.rotate_at:
                self._number += 1
                old = self._handle
                self._open()
                os.close(old)
            self._put(line)

    def _put(self, line: bytes) -> None:
        written = os.write(self._handle, line)
        self._size += len(line)
        self._total += len(line)
        if written != len(line):
            self._torn = True
            raise OSError(f"only {written} of {len(line)} bytes were taken")
        if self._limits.fsync:
            os.fsync(self._handle)

    def _open(self) -> None:
        path = self.folder / f"{self.process}.{self._number}.jsonl"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._handle = os.open(path, flags, 0o600)
        self._path = path
        self._size = 0
        head = {
            "kind": "trace",
            "schema": SCHEMA,
            "host": _host(),
            "pid": os.getpid(),
            "start": f"{self.start:x}",
            **self._head,
        }
        self._put((_encode(head) + "\n").encode("ascii"))

    def _gap(self, reason: str) -> None:
        event = {"kind": "trace.gap", "reason": reason, "since": time.time_ns()}
        line = _encode({**event, "at": event["since"], "process": self.process})
        with contextlib.suppress(OSError):  # the store is gone; the warning says so
            os.write(self._handle, ("\n" * self._torn + line + "\n").encode("ascii"))

    def is_there(self) -> bool:
        """Whether the file that is written to is still in its folder."""
        try:
            return self._path.stat().st_ino == os.fstat(self._handle).st_ino
        except OSError:
            return False


def _host() -> str:
    """The host's name as part of a file's name."""
    return "".join(c if c.isalnum() else "_" for c in socket.gethostname())[:60] or "host"
