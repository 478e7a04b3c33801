"""SQL counts at commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.tests.tracer.effect_programs import CORES, Ran, has_monitoring, libraries_python, run


def ends(ran: Ran) -> dict[str, object]:
    """Of each outermost effect its line's comment, and its outcome; ``rolled back`` where that is said."""
    found: dict[str, object] = {}
    for each in ran.outermost:
        outcome = ran.outcome(each)
        if outcome == "failed" and ran.end(each).get("rolled_back"):
            outcome = "rolled back"
        found[ran.line(each).rpartition("# ")[2]] = outcome
    return found


def traced(folder: Path, body: str, before: str) -> Ran:
    python = libraries_python()
    return run(folder, body, python=python, core="monitoring" if has_monitoring(python) else "settrace", before=before)


@pytest.mark.slow
def test_sqlalchemy(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        with engine.begin() as c: c.execute(insert, {"x": 1})  # begin
        with engine.connect() as c: c.execute(insert, {"x": 2}); c.commit()  # committed
        with engine.connect() as c: c.execute(insert, {"x": 3}); c.rollback()  # rolled
        with engine.connect() as c: c.execute(insert, {"x": 4})  # closed
        try:
            with engine.begin() as c: c.execute(insert, {"x": 5}); 1 / 0  # raised
        except ZeroDivisionError: pass
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as c: c.execute(insert, {"x": 6})  # auto
        with orm.Session(engine) as s:
            s.add(Row(x=7)); s.commit()  # add
            s.add(Row(x=8)); s.flush(); s.rollback()  # flush
            s.execute(sqlalchemy.select(Row)).all()
            s.execute(sqlalchemy.insert(Row), [{"x": 9}, {"x": 10}]); s.commit()  # many
        try:
            with orm.Session(engine) as s, s.begin(): s.add(Row(x=11)); s.flush(); 1 / 0  # session
        except ZeroDivisionError: pass
        with orm.Session(engine) as s, s.begin():
            s.execute(insert, {"x": 12})  # outer
            try:
                with s.begin_nested(): s.execute(insert, {"x": 13}); 1 / 0  # nested
            except ZeroDivisionError: pass
            with s.begin_nested(): s.execute(insert, {"x": 14})  # released
        try:
            with engine.begin() as c: c.execute(sqlalchemy.text("INSERT INTO none VALUES (1)"))  # broken
        except sqlalchemy.exc.OperationalError: pass
        async def main():
            engine = create_async_engine("sqlite+aiosqlite:///a.db")
            async with engine.begin() as c: await c.execute(insert, {"x": 15})  # async
            async with AsyncSession(engine) as s:
                s.add(Row(x=16)); await s.flush(); await s.rollback()  # aflush
                s.add(Row(x=17)); await s.commit()  # acommit
            await engine.dispose()
        asyncio.run(main())
        """,
        """
        import sqlalchemy, sqlalchemy.exc, asyncio
        from sqlalchemy import orm
        from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
        class Base(orm.DeclarativeBase): pass
        class Row(Base):
            __tablename__ = "t"
            id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
            x: orm.Mapped[int]
        engine = sqlalchemy.create_engine("sqlite:///a.db")
        Base.metadata.create_all(engine)
        insert = sqlalchemy.text("INSERT INTO t (x) VALUES (:x)")
        """,
    )
    assert ends(ran) == {
        **dict.fromkeys(["begin", "committed", "auto", "add", "many", "outer", "released", "async", "acommit"], "ok"),
        **dict.fromkeys(["rolled", "closed", "raised", "flush", "session", "nested", "aflush"], "rolled back"),
        "broken": "failed",
    }
    first, second = ran.outermost[:2]
    assert first["digest"] is not None
    assert first["digest"] != second["digest"]


@pytest.mark.slow
def test_aiosqlite(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        async def main():
            async with aiosqlite.connect("a.db") as db:
                await db.execute("INSERT INTO t VALUES (1)")  # committed
                await db.commit()
                await db.execute("INSERT INTO t VALUES (2)")  # rolled
                await db.rollback()
                await db.execute("SELECT * FROM t")
                await db.execute("INSERT INTO t VALUES (3)")  # closed
            async with aiosqlite.connect("a.db", isolation_level=None) as db:
                await db.execute("INSERT INTO t VALUES (4)")  # auto
        asyncio.run(main())
        """,
        "import aiosqlite, asyncio, sqlite3\nsqlite3.connect('a.db').execute('CREATE TABLE t (x)')",
    )
    assert ends(ran) == {"committed": "ok", "rolled": "rolled back", "closed": "rolled back", "auto": "ok"}


@pytest.mark.slow
def test_django_and_what_an_orm_calls_waits_with_its_statement(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        Row.objects.create(x=1)  # auto
        with transaction.atomic():
            Row.objects.create(x=2)  # committed
        try:
            with transaction.atomic(): Row(x=3).save(); 1 / 0  # rolled
        except ZeroDivisionError: pass
        with transaction.atomic():
            Row.objects.create(x=4)  # outer
            try:
                with transaction.atomic(): Row.objects.create(x=5); 1 / 0  # nested
            except ZeroDivisionError: pass
        list(Row.objects.all())
        """,
        """
        import django
        from django.conf import settings
        settings.configure(
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "a.db"}},
            DEFAULT_AUTO_FIELD="django.db.models.AutoField")
        django.setup()
        from django.db import connection, models, transaction
        class Row(models.Model):
            x = models.IntegerField()
            class Meta: app_label = "shop"
        with connection.schema_editor() as editor: editor.create_model(Row)
        """,
    )
    assert ends(ran) == {
        **dict.fromkeys(["auto", "committed", "outer"], "ok"),
        **dict.fromkeys(["rolled", "nested"], "rolled back"),
    }


FAKE_PSYCOPG = """
class _PG:
    transaction_status = 0
class BaseConnection:
    _pipeline = None
    def _exec_command(self, command):
        word = command.split()[0]
        if word == b"BEGIN": self.pgconn.transaction_status = 2
        elif word in (b"COMMIT", b"ROLLBACK") and b"TO" not in command: self.pgconn.transaction_status = 0
        yield
class Connection(BaseConnection):
    def __init__(self, autocommit=False): self.pgconn, self.autocommit = _PG(), autocommit
    def cursor(self): return Cursor(self)
    def execute(self, query, params=None): return self.cursor().execute(query, params)
    def commit(self): list(self._exec_command(b"COMMIT"))
    def rollback(self): list(self._exec_command(b"ROLLBACK"))
    def close(self): pass
class Cursor:
    def __init__(self, conn): self._conn = conn
    def execute(self, query, params=None):
        idle = not self._conn.autocommit and not self._conn.pgconn.transaction_status
        if idle: list(self._conn._exec_command(b"BEGIN"))
        if query.startswith(("COMMIT", "ROLLBACK", "SAVEPOINT")): list(self._conn._exec_command(query.encode()))
        return self
"""


def fake_psycopg(folder: Path) -> str:
    """What makes a stand-in for psycopg importable."""
    package = folder / "lib" / "site-packages" / "psycopg"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(FAKE_PSYCOPG)
    return f"sys.path.insert(0, {str(package.parent)!r})\nimport psycopg"


@pytest.mark.parametrize("core", CORES)
def test_psycopg(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        insert = "INSERT INTO t VALUES (%s)"
        c = psycopg.Connection()
        c.execute(insert, (1,))  # committed
        c.commit()
        c.execute("SELECT 1")
        c.cursor().execute(insert, (2,))  # rolled
        c.rollback()
        c.execute(insert, (3,))  # kept
        c.execute("SAVEPOINT a")
        c.execute(insert, (4,))  # undone
        c.execute("ROLLBACK TO SAVEPOINT a")
        c.execute(insert, (5,))  # after
        c.execute("COMMIT")
        psycopg.Connection(autocommit=True).execute(insert, (6,))  # auto
        d = psycopg.Connection()
        d.execute(insert, (7,))  # closed
        d.close()
        p = psycopg.Connection(autocommit=True)
        p._pipeline = object()
        p.execute(insert, (9,))  # pipeline
        p.close()
        e = psycopg.Connection()
        e.execute(insert, (8,))  # open
        """,
        core=core,
        before=fake_psycopg(tmp_path),
    )
    assert ends(ran) == {
        **dict.fromkeys(["committed", "kept", "after", "auto"], "ok"),
        **dict.fromkeys(["rolled", "undone", "closed"], "rolled back"),
        "open": None,
        "pipeline": "unknown",
    }
    assert ran.outermost[0]["name"] == "psycopg.Cursor.execute"


@pytest.mark.parametrize("core", CORES)
def test_a_forked_child_decides_nothing_of_its_parent(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        c = psycopg.Connection()
        c.execute("INSERT INTO t VALUES (1)")  # parent
        child = os.fork()
        if not child:
            c.close()
            os._exit(0)
        os.waitpid(child, 0)
        c.commit()
        """,
        core=core,
        before="import os\n" + fake_psycopg(tmp_path),
    )
    assert ends(ran) == {"parent": "ok"}
