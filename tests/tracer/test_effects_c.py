"""Calls into C from the program's own code."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.tests.tracer.effect_programs import CORES, run
from resume_audit.tests.tracer.test_effects_sql import ends

_BEFORE = """
import sqlite3
c = sqlite3.connect("a.db"); c.execute("CREATE TABLE t (x)"); c.commit()
"""

_BODY = """
table, value = "t", 7
def main(c, other):
    c.execute("INSERT INTO t VALUES (1)")  # committed
    c.commit()
    c.execute("SELECT * FROM t").fetchall()
    c.execute("INSERT INTO t VALUES (?)", (value,))  # rolled
    c.rollback()
    cursor = c.cursor()
    cursor.executemany("INSERT INTO t VALUES (?)", [(1,), (2,)])  # many
    cursor.execute(f"INSERT INTO {table} VALUES (?)", (3,))  # formatted
    with c:
        c.execute("INSERT INTO t VALUES (4)")  # with
    execute = c.execute
    execute("INSERT INTO t VALUES (5)")  # bound
    c.execute("COMMIT")
    statement = {"a": "INSERT INTO t VALUES (6)"}
    c.execute(statement.get("a"))  # unread
    c.commit()
    try:
        c.execute("INSERT INTO none VALUES (1)")  # broken
    except sqlite3.Error:
        pass
    try:
        with c:
            c.execute("INSERT INTO t VALUES (8)")  # raised
            1 / 0
    except ZeroDivisionError:
        pass
    c.execute("SELECT 1")
    c.execute("INSERT INTO t VALUES (12)")  # before
    c.executescript("INSERT INTO t VALUES (9);")  # script
    c.execute("INSERT INTO t VALUES (10)")  # closed
    c.close()
    other.execute("INSERT INTO t VALUES (11)")  # auto
main(c, sqlite3.connect("a.db", isolation_level=None))
"""


@pytest.mark.parametrize("core", CORES)
def test_sqlite3(core: str, tmp_path: Path) -> None:
    ran = run(tmp_path, _BODY, core=core, before=_BEFORE)
    (told,) = [e for e in ran.events if e["kind"] == "hooks" and e["framework"] == "calls into C"]
    if core == "settrace":
        assert told["not_observed"] == ["sqlite3"]
        assert ran.effects == []
        return
    assert told["observed"] == ["sqlite3"]
    assert ends(ran) == {
        **dict.fromkeys(
            ["committed", "many", "formatted", "with", "bound", "unread", "script", "auto", "before"], "ok"
        ),
        **dict.fromkeys(["rolled", "closed"], "rolled back"),
        "broken": "failed",
        "raised": "unknown",
    }
    by_line = {ran.line(each).rpartition("# ")[2]: each for each in ran.outermost}
    assert by_line["unread"]["digest"] is None
    assert by_line["committed"]["name"] == "sqlite3.Connection.execute"
    assert by_line["many"]["name"] == "sqlite3.Cursor.executemany"
    assert len({by_line[name]["digest"] for name in ("committed", "rolled", "formatted", "with")}) == 4


def test_digests_are_equal_for_equal_arguments(tmp_path: Path) -> None:
    if "monitoring" not in CORES:
        return
    ran = run(
        tmp_path,
        """
        def add(x): c.execute("INSERT INTO t VALUES (?)", (x,)); c.commit()
        add(1); add(1); add(2)
        """,
        core="monitoring",
        before=_BEFORE,
    )
    first, again, other = (each["digest"] for each in ran.outermost)
    assert first == again not in (None, other)


def test_what_savers_and_libraries_execute_is_not_seen(tmp_path: Path) -> None:
    if "monitoring" not in CORES:
        return
    package = tmp_path / "lib" / "site-packages"
    package.mkdir(parents=True)
    (package / "some.py").write_text("def add(c): c.execute('INSERT INTO t VALUES (1)'); c.commit()\n")
    ran = run(
        tmp_path,
        """
        class BaseCheckpointSaver: pass
        class Mine(BaseCheckpointSaver):
            def put(self): c.execute("INSERT INTO t VALUES (1)"); c.commit()
        Mine().put()
        some.add(c)
        """,
        core="monitoring",
        before=_BEFORE + f"import sys\nsys.path.insert(0, {str(package)!r})\nimport some",
    )
    assert ran.effects == []
