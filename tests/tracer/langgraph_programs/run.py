"""Runs every protocol on the savers named, each traced into OUT/<protocol>/<saver>-<form>/.

run.py OUT CORE [SAVER...]
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
import warnings
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any

import endings  # noqa: F401 - registers its protocols
import forks  # noqa: F401
import recoveries  # noqa: F401
import waits  # noqa: F401
from form import PROTOCOLS, Form, drive

from resume_audit import tracer

FORMS = {"memory": (False, True), "sqlite": (False,), "aiosqlite": (True,), "postgres": (False,), "apostgres": (True,)}


def main(out: Path, core: str, savers: list[str]) -> None:
    warnings.simplefilter("ignore")
    for name in savers:
        kind, _, address = name.partition("=")
        for is_async in FORMS[kind]:
            folder = f"{kind}-{'async' if is_async else 'sync'}"
            if is_async:
                asyncio.run(asynchronous(out, core, kind, address, folder))
            else:
                with ExitStack() as stack:
                    saver = synchronous_saver(stack, kind, address, out)
                    for protocol in PROTOCOLS:
                        drive(traced(out / protocol / folder, core, protocol, Form(saver, unique(protocol), False)))


async def asynchronous(out: Path, core: str, kind: str, address: str, folder: str) -> None:
    async with AsyncExitStack() as stack:
        saver = await asynchronous_saver(stack, kind, address, out)
        for protocol in PROTOCOLS:
            await traced(out / protocol / folder, core, protocol, Form(saver, unique(protocol), True))


async def traced(store: Path, core: str, protocol: str, form: Form) -> None:
    problem = ""
    with tracer.recording(store, core=core, effects=["form.hit"]) as session:
        assert session.is_on
        try:
            if form.is_async:
                await asyncio.wait_for(PROTOCOLS[protocol](form), 60)
            else:
                await PROTOCOLS[protocol](form)
        except Exception as error:  # noqa: BLE001 - told in the result, for the test to fail on
            problem = f"{type(error).__name__}: {error}"
    (store / "result").write_text(json.dumps({"problem": problem, "errors": form.errors}))


def unique(protocol: str) -> str:
    return f"{protocol}-{uuid.uuid4().hex[:6]}"


def synchronous_saver(stack: ExitStack, kind: str, address: str, out: Path) -> Any:
    if kind == "memory":
        from langgraph.checkpoint.memory import InMemorySaver

        return InMemorySaver()
    if kind == "sqlite":
        from langgraph.checkpoint.sqlite import SqliteSaver

        return stack.enter_context(SqliteSaver.from_conn_string(str(out / "sync.db")))
    from langgraph.checkpoint.postgres import PostgresSaver

    saver = stack.enter_context(PostgresSaver.from_conn_string(address))
    saver.setup()
    return saver


async def asynchronous_saver(stack: AsyncExitStack, kind: str, address: str, out: Path) -> Any:
    if kind == "memory":
        from langgraph.checkpoint.memory import InMemorySaver

        return InMemorySaver()
    if kind == "aiosqlite":
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        return await stack.enter_async_context(AsyncSqliteSaver.from_conn_string(str(out / "async.db")))
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    saver = await stack.enter_async_context(AsyncPostgresSaver.from_conn_string(address))
    await saver.setup()
    return saver


main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
