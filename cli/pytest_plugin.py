"""``pytest --resume-audit[=STORE]``: each test traced into a store of its own.

pytest loads this in every run of an environment that has resume-audit, so nothing but pytest's own hooks is touched
until the option is given.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..tracer.session import Session

_DEFAULT = ".resume-audit/traces"
_LONGEST = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("resume-audit")
    group.addoption(
        "--resume-audit",
        nargs="?",
        const=_DEFAULT,
        default=None,
        metavar="STORE",
        dest="resume_audit_store",
        help=f"trace each test into a folder of its own below STORE (default {_DEFAULT})",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin where the option is given."""
    store = config.getoption("resume_audit_store")
    if store is not None:
        if _holds_something_else(Path(store)):
            raise pytest.UsageError(f"{store} is no store of traces; name one so: --resume-audit=STORE")
        config.pluginmanager.register(Tracing(Path(config.invocation_params.dir, store)), "resume-audit-tracing")


def _holds_something_else(folder: Path) -> bool:
    """Whether ``--resume-audit tests`` took the tests for the store."""
    if folder.is_dir():
        return any(folder.iterdir()) and not any(folder.glob("*/key"))
    return folder.exists() or "::" in str(folder)


class Tracing:
    """Traces tests, and says at the end where."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._traced: list[Path] = []
        self._events = 0
        self._off = 0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """One test, its fixtures included."""
        session = self._attach(item.nodeid)
        try:
            return (yield)
        finally:
            if session.is_on:
                session.detach()
                self._events += session.events

    def _attach(self, test: str) -> Session:
        from ..tracer.session import attach

        folder = self._store / folder_of(test)
        session = attach(folder)
        if session.is_on:
            self._traced.append(folder)
        else:
            self._off += 1
        return session

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how much was traced."""
        said = f"{len(self._traced)} tests traced to {self._store}, {self._events:,} events"
        if self._off:
            said += f"; {self._off} NOT traced: the tracer could not attach"
        terminalreporter.write_line(f"resume-audit: {said}")


def folder_of(test: str) -> str:
    """The folder of a test: its id with what file systems do not take replaced, and never another test's."""
    from hashlib import blake2b

    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", test).strip("-.")
    if plain == test and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST]}-{blake2b(test.encode(), digest_size=4).hexdigest()}"
