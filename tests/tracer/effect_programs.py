"""Runs small programs in a child process with the tracer attached, and gives what it recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from functools import lru_cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_VARIABLE = "RESUME_AUDIT_EFFECTS_PYTHON"
_LIBRARIES = (
    "langgraph langgraph-checkpoint-sqlite langchain requests httpx aiohttp sqlalchemy greenlet aiosqlite "
    "redis fakeredis boto3 psycopg openai anthropic opentelemetry-sdk "
    "django pymysql asyncpg psycopg-binary langgraph-checkpoint-postgres"
)

CORES = ["settrace", *(["monitoring"] if sys.version_info >= (3, 12) else [])]

Event = dict[str, Any]

_BEFORE = """
import sys
sys.path.insert(0, {root!r})
from resume_audit import tracer
sys.path.pop(0)
"""

SERVER = """
import http.server, json, pathlib, threading
STORE = pathlib.Path({store!r})
def recorded():  # a line may still be being written
    texts = [path.read_text() for path in sorted(STORE.glob("*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines(True) if line.endswith("\\n")]
class Handler(http.server.BaseHTTPRequestHandler):
    asked = []
    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        Handler.asked.append([e["name"] for e in recorded() if e["kind"] == "effect"])
        status = 500 if self.path == "/broken" else 200
        self.send_response(status); self.send_header("content-length", "2"); self.end_headers()
        self.wfile.write(b"{{}}")
    do_PUT = do_DELETE = do_PATCH = do_GET = do_POST
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{{server.server_port}}/x"
"""


@lru_cache(maxsize=1)
def libraries_python() -> str:
    """A Python that has the libraries: the one that the variable names, or an environment made here once."""
    named = os.environ.get(_VARIABLE)
    if named:
        return named
    folder = ROOT / f".venv-effects-{sys.version_info[0]}.{sys.version_info[1]}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *_LIBRARIES.split()], check=True)
        (folder / "ready").touch()
    return str(python)


def has_monitoring(python: str) -> bool:
    """Whether that Python has ``sys.monitoring``."""
    return (
        subprocess.run([python, "-c", "import sys; sys.monitoring"], capture_output=True, check=False).returncode == 0
    )


class Ran:
    """A program that ran: its events, what it printed, and its lines."""

    def __init__(self, events: list[Event], out: str, errors: str, source: str) -> None:
        self.events = events
        self.out = out
        self.errors = errors
        self._lines = source.splitlines()

    @property
    def effects(self) -> list[Event]:
        """All effects, in order."""
        return [event for event in self.events if event["kind"] == "effect"]

    @property
    def outermost(self) -> list[Event]:
        """Effects that ran inside no other."""
        return [event for event in self.effects if event["within"] is None]

    @property
    def names(self) -> list[str]:
        """The names of the outermost effects."""
        return [event["name"] for event in self.outermost]

    def outcome(self, effect: Event) -> str | None:
        """How an effect ended; None where no end was recorded."""
        ends = [each for each in self.events if each["kind"] == "effect.end" and each["effect"] == effect["effect"]]
        assert len(ends) <= 1
        return str(ends[0]["outcome"]) if ends else None

    def end(self, effect: Event) -> Event:
        """The event of an effect's end."""
        return next(e for e in self.events if e["kind"] == "effect.end" and e["effect"] == effect["effect"])

    def line(self, effect: Event) -> str:
        """The line of the program that an effect names."""
        return self._lines[int(effect["line"]) - 1].strip()


def importable(folder: Path) -> Path:
    """A folder from which the package can be imported, and nothing else."""
    root = folder / "root"
    if not root.exists():
        root.mkdir()
        (root / "resume_audit").symlink_to(ROOT)
    return root


def run(
    folder: Path,
    body: str,
    *,
    core: str | None = None,
    python: str = sys.executable,
    before: str = "",
    server: bool = False,
    attach: str = "",
    name: str = "program.py",
    environment: dict[str, str] | None = None,
) -> Ran:
    """Run ``before``, then ``body`` with the tracer attached. ``attach``: more arguments of ``attach``."""
    store = folder / "store"
    root = importable(folder)
    source = _BEFORE.format(root=str(root))
    if server:
        source += SERVER.format(store=str(store))
    source += textwrap.dedent(before)
    source += f"\nsession = tracer.attach({str(store)!r}, core={core!r}{', ' + attach if attach else ''})\n"
    source += textwrap.dedent(body) + "\nsession.detach()\n"
    path = folder / name
    path.write_text(source)
    done = subprocess.run(
        [python, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        cwd=folder,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for file in sorted(store.glob("*.jsonl")) for line in file.read_text().splitlines()]
    gaps = [event for event in events if event["kind"] == "trace.gap"]
    assert not gaps, done.stderr
    return Ran(events, done.stdout, done.stderr, source)
