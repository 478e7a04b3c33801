"""Audit events, when they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.tests.tracer.effect_programs import CORES, run

_BODY = """
open("a.txt", "a").close()  # append
open("b.txt", "w").close()  # write
open("b.txt").close()
os.remove("b.txt")  # remove
os.close(os.open("a.txt", os.O_WRONLY | os.O_APPEND))  # fd
os.system("exit 0")  # system
pathlib.Path("a.txt").write_text("x")
os.listdir(".")
sock = socket.create_connection(("127.0.0.1", server.server_port)); sock.close()  # socket
urllib.request.urlopen(url).read()
import later
logging.FileHandler("log.txt").close()
"""
_BEFORE = """
import os, pathlib, socket, logging, urllib.request
pathlib.Path("later.py").write_text("")
"""


@pytest.mark.parametrize("core", CORES)
def test_audit_events(core: str, tmp_path: Path) -> None:
    body = (
        _BODY + 'session.detach()\nopen("c.txt", "w").close()\nimport resume_audit.tracer.audit as a; print(a.is_on())'
    )
    ran = run(
        tmp_path,
        body,
        core=core,
        before=_BEFORE,
        attach="audit=True",
        server=True,
        environment={"PYTHONDONTWRITEBYTECODE": ""},
    )
    assert ran.out.strip() == "False"
    found = [(ran.line(each).rpartition("# ")[2], each["name"], each["idempotent"]) for each in ran.outermost]
    assert found == [
        ("append", "builtins.open", False),
        ("write", "builtins.open", True),
        ("remove", "os.remove", True),
        ("fd", "builtins.open", False),
        ("system", "os.system", False),
        ('pathlib.Path("a.txt").write_text("x")', "pathlib.Path.write_text", True),
        ("socket", "socket.connect", False),
    ]
    assert [each["name"] for each in ran.effects if each["within"]] == ["pathlib.Path.open"]
    assert [ran.outcome(each) for each in ran.outermost] == ["unknown"] * 5 + ["ok", "unknown"]


def test_off_unless_asked_for(tmp_path: Path) -> None:
    ran = run(tmp_path, _BODY, before=_BEFORE, server=True)
    assert ran.names == ["pathlib.Path.write_text"]
