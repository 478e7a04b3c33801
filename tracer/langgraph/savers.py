"""The identity of a saver: its class, and a digest of where it keeps what it saves."""

from __future__ import annotations

import os
import sqlite3
import weakref
from typing import Any

from ..recorder import Recorder


class Identities:
    """Gives each saver one name. Two savers of one file or database have one."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._known: dict[int, tuple[Any, str]] = {}

    def of(self, saver: Any) -> str | None:
        """The identity; None without a saver."""
        if saver is None or isinstance(saver, bool):
            return None
        here = id(saver)
        known = self._known.get(here)
        if known is not None:
            return known[1]
        where = _address(saver)
        if where:
            end = self._recorder.digest(where)
        else:  # in memory, or unknown: it is itself
            end = f"{self._recorder.store.process}-{self._recorder.new_id('s')}"
        name = f"{type(saver).__qualname__.removeprefix('Async')}:{end}"  # both forms keep in one place
        try:
            held: Any = weakref.ref(saver, lambda _: self._known.pop(here, None))
        except TypeError:
            held = saver
        return self._known.setdefault(here, (held, name))[1]  # several threads may ask first


def _address(saver: Any) -> str:
    """A path or a DSN without its password, empty where there is none to be seen."""
    conn = getattr(saver, "conn", None)
    if type(conn) is sqlite3.Connection:
        rows = sqlite3.Connection.execute(conn, "PRAGMA database_list").fetchall()
        return next((_file(row[2]) for row in rows if row[1] == "main"), "")
    connector = getattr(conn, "_connector", None)  # aiosqlite: a function that closes over the path
    for name, cell in zip(
        getattr(getattr(connector, "__code__", None), "co_freevars", ()),
        getattr(connector, "__closure__", None) or (),
        strict=False,
    ):
        if name in ("database", "loc"):
            path = cell.cell_contents
            return _file(path) if isinstance(path, str) and path != ":memory:" else ""
    info = getattr(conn, "info", None)
    dsn = getattr(info, "dsn", None) or getattr(conn, "conninfo", None)
    return f"dsn:{dsn}" if isinstance(dsn, str) else ""


def _file(path: str) -> str:
    return f"sqlite:{os.path.realpath(path)}" if path else ""
