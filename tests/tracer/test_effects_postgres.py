"""SQL against a real PostgreSQL: what the trace says happened are the rows that are there."""

from __future__ import annotations

import ast
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from resume_audit.tests.tracer.effect_programs import has_monitoring, libraries_python, run
from resume_audit.tests.tracer.test_effects_sql import ends

pytestmark = pytest.mark.slow


@pytest.fixture
def dsn() -> Iterator[str]:
    """A server of its own; PostgreSQL does not run as root."""
    if shutil.which("initdb") is None or shutil.which("pg_ctl") is None:
        pytest.skip("no PostgreSQL on PATH")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as name:
        user = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        if user is not None:
            os.chown(name, user.pw_uid, user.pw_gid)
        data = f"{name}/data"
        ids = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user is not None else {}

        def call(*command: str) -> None:
            subprocess.run(command, check=True, capture_output=True, cwd=name, timeout=120, **ids)  # type: ignore[call-overload]

        call("initdb", "-D", data, "-U", "postgres", "-A", "trust")
        options = f"-k {name} -p {port} -c listen_addresses=127.0.0.1 -c fsync=off"
        call("pg_ctl", "-D", data, "-o", options, "-l", f"{name}/log", "-w", "start")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            call("pg_ctl", "-D", data, "-m", "immediate", "stop")


_BODY = """
insert = "INSERT INTO t VALUES (%s)"
with psycopg.connect(dsn) as c: c.execute(insert, (1,))  # 1
try:
    with psycopg.connect(dsn) as c: c.execute(insert, (2,)); 1 / 0  # 2
except ZeroDivisionError: pass
with psycopg.connect(dsn, autocommit=True) as c:
    c.execute(insert, (3,))  # 3
    with c.transaction():
        c.execute(insert, (4,))  # 4
        try:
            with c.transaction(): c.execute(insert, (5,)); 1 / 0  # 5
        except ZeroDivisionError: pass
        with c.transaction(): c.execute(insert, (6,))  # 6
    c.execute(sql.SQL("INSERT INTO {} VALUES (7)").format(sql.Identifier("t")))  # 7
    c.execute("SELECT * FROM t").fetchall()
c = psycopg.connect(dsn)
c.execute(insert, (8,))  # 8
c.close()
async def main():
    async with await psycopg.AsyncConnection.connect(dsn) as c: await c.execute(insert, (9,))  # 9
    p = await asyncpg.connect(dsn)
    await p.execute("INSERT INTO t VALUES ($1)", 10)  # 10
    async with p.transaction():
        await p.execute("INSERT INTO t VALUES ($1)", 11)  # 11
        try:
            async with p.transaction(): await p.execute("INSERT INTO t VALUES ($1)", 12); 1 / 0  # 12
        except ZeroDivisionError: pass
    try:
        async with p.transaction(): await p.executemany("INSERT INTO t VALUES ($1)", [(13,)]); 1 / 0  # 13
    except ZeroDivisionError: pass
    async with asyncpg.create_pool(dsn, min_size=1, max_size=1) as pool:
        await pool.execute("INSERT INTO t VALUES ($1)", 14)  # 14
    await p.close()
    async with AsyncPostgresSaver.from_conn_string(dsn) as saver:
        await saver.setup()
        await build(saver).ainvoke({"o": 1}, config)
asyncio.run(main())
with PostgresSaver.from_conn_string(dsn) as saver: build(saver).invoke({"o": 1}, config)
engine = sqlalchemy.create_engine(dsn.replace("postgresql:", "postgresql+psycopg:"))
with engine.begin() as c: c.execute(sqlalchemy.text("INSERT INTO t VALUES (20)"))  # 20
with engine.connect() as c: c.execute(sqlalchemy.text("INSERT INTO t VALUES (21)"))  # 21
with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as c:
    c.execute(sqlalchemy.text("INSERT INTO t VALUES (22)"))  # 22
with psycopg.connect(dsn) as c: print(sorted(row[0] for row in c.execute("SELECT x FROM t")))
"""

_BEFORE = """
import asyncio, asyncpg, psycopg, sqlalchemy
from psycopg import sql
from typing_extensions import TypedDict
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import START, StateGraph
class State(TypedDict): o: int
def build(saver):
    graph = StateGraph(State).add_node("n", lambda state: {}).add_edge(START, "n")
    return graph.compile(checkpointer=saver)
config = {"configurable": {"thread_id": "1"}}
with psycopg.connect(dsn) as c: c.execute("CREATE TABLE t (x int)")
"""


def test_rows_are_what_the_trace_says_and_savers_are_none(dsn: str, tmp_path: Path) -> None:
    python = libraries_python()
    core = "monitoring" if has_monitoring(python) else "settrace"
    ran = run(tmp_path, _BODY, python=python, core=core, before=f"dsn = {dsn!r}\n" + _BEFORE)
    rows = ast.literal_eval(ran.out)
    outcomes = ends(ran)
    assert sorted(int(line) for line, outcome in outcomes.items() if outcome == "ok") == rows
    assert set(outcomes.values()) == {"ok", "rolled back"}
    assert len(outcomes) == 17
