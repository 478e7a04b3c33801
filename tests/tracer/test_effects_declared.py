"""Functions that the user declared as effects."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from resume_audit.tests.tracer.effect_programs import CORES, importable, run
from resume_audit.tracer.declared import declared
from resume_audit.tracer.reader import Reading, events
from resume_audit.tracer.summary import summarise

_EFFECTS = """effects=[
    {"name": "shop.pay.charge", "once": True, "key": "order"}, "shop.pay.Client.send", "shop.pay.Client",
    "shop.pay.acharge", "shop.pay.stream", "shop.pay.wrapped", "shop.hello", "program.local", "__main__.other",
    "shop.pay.never",    "shop.pay.factory.inner"]"""

_PAY = """
import functools
def charge(amount, order=None): return amount
def twice(function):
    @functools.wraps(function)
    def outer(*args, **more): return function(*args, **more)
    return outer
class Client:
    def send(self, text): return text
    @classmethod
    def charge(cls): pass
    def __call__(self, text): return text
async def acharge(amount, *, order=None): return amount
def stream(count):
    for number in range(count): yield number
@twice
def wrapped(*args, **more): return 1
def factory():
    def inner(): return 1
    return inner
def never(): pass
"""


@pytest.mark.parametrize("core", CORES)
def test_every_form_is_met(core: str, tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("def hello(): pass\n")
    (package / "pay.py").write_text(_PAY)
    (tmp_path / "pay.py").write_text("def charge(amount): pass\n")
    ran = run(
        tmp_path,
        """
        def local(): pass
        def other(): pass
        charge(1, "k1"); charge(1, order="k1"); charge(2, order="k2"); charge(1)
        Client().send("a"); Client.charge(); Client()("a")
        asyncio.run(acharge(1, order="k1")); list(stream(3)); wrapped(1, a=2); factory()()
        shop.hello(); local(); other()
        pay.charge(1)
        """,
        core=core,
        attach=_EFFECTS,
        before="""
        import asyncio, shop, pay
        from shop.pay import charge, Client, acharge, stream, wrapped, factory
        """,
    )
    assert ran.names == [
        *["shop.pay.charge"] * 4,
        "shop.pay.Client.send",
        "shop.pay.Client",
        "shop.pay.acharge",
        "shop.pay.stream",
        "shop.pay.wrapped",
        "shop.pay.factory.inner",
        "shop.hello",
        "program.local",
        "__main__.other",
    ]
    first, again, other, bare = ran.outermost[:4]
    assert first["key"] == again["key"] not in (None, other["key"])
    assert bare["key"] is None
    assert first["digest"] == again["digest"] not in (None, other["digest"])
    assert [each["once"] for each in ran.outermost] == [True] * 4 + [False] * 9
    assert {ran.outcome(each) for each in ran.effects} == {"ok"}
    (told,) = [e for e in ran.events if e["kind"] == "hooks" and e["framework"] == "declared effects"]
    assert told["not_observed"] == ["shop.pay.never"]
    assert "declared effects: NOT observed: shop.pay.never" in list(summarise(ran.events).lines())


def test_the_command_reads_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.resume-audit]\neffects = [{ name = "prog.{charge,refund}", once = true, key = "order" }]\n'
    )
    (tmp_path / "prog.py").write_text("def charge(order): pass\ndef send(): pass\ncharge('k'); send()\n")
    command = [sys.executable, "-m", "resume_audit", "trace", "--store", "st", "--effect", "prog.send", "--summary"]
    done = subprocess.run(
        [*command, "--", sys.executable, "prog.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(importable(tmp_path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "effects: 1 prog.{charge,refund}, 1 prog.send" in done.stderr
    (event, _) = [e for e in events([tmp_path / "st"], Reading()) if e["kind"] == "effect"]
    assert event["once"]
    assert event["key"] is not None
    (tmp_path / "pyproject.toml").write_text("[tool.resume-audit]\neffects = 1\n")
    done = subprocess.run(
        [*command, "--", sys.executable, "prog.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(importable(tmp_path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2


def test_a_process_that_met_it_is_enough() -> None:
    base = {"kind": "hooks", "framework": "declared effects", "version": None}
    events = [
        {**base, "observed": ["a"], "not_observed": ["b"]},
        {**base, "observed": [], "not_observed": ["a", "b"]},
    ]
    assert "declared effects: NOT observed: b" in list(summarise(events).lines())


@pytest.mark.parametrize("given", [1, {"name": 1}, {"name": "a", "once": "x"}, {"name": "a", "key": 1}, {}])
def test_what_is_no_effect_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match="an effect is"):
        declared([given])
