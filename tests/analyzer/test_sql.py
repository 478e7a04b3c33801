"""What SQL texts do."""

from __future__ import annotations

import pytest

from resume_audit.analyzer.knowledge.sql import sql_action


@pytest.mark.parametrize(
    "text, expected",
    [
        ("INSERT INTO t VALUES (1)", "insert"),
        ("  -- note\n insert into t select * from u", "insert"),
        ("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "upsert"),
        ("INSERT OR REPLACE INTO t VALUES (1)", "upsert"),
        ("INSERT IGNORE INTO t VALUES (1)", "upsert"),
        ("REPLACE INTO t VALUES (1)", "upsert"),
        ("INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 1", "upsert"),
        ("INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE n = n + 1", "increment"),
        ("INSERT INTO t SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM t)", "upsert"),
        ("INSERT INTO t (n) VALUES (1) ON CONFLICT (id) DO UPDATE SET n = t.n + 1", "increment"),
        ("INSERT INTO notes VALUES ('on conflict')", "insert"),
        ("UPDATE t SET a = 'x' WHERE id = 1", "update"),
        ("UPDATE t SET n = n + 1 WHERE id = 1", "increment"),
        ("UPDATE t SET a = 1, n = COALESCE(n, 0) + :n", "increment"),
        ("UPDATE t SET n = :n - 1", "update"),
        ("UPDATE t SET a = %(a)s, b = a", "update"),
        ("UPDATE t SET s = s || 'x'", "increment"),
        ("DELETE FROM t", "delete"),
        ("SELECT * FROM t", "read"),
        ("(SELECT 1)", "read"),
        ("PRAGMA user_version", "read"),
        ("EXPLAIN INSERT INTO t VALUES (1)", "read"),
        ("WITH a AS (SELECT 1) SELECT * FROM a", "read"),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", "insert"),
        ("WITH a AS (INSERT INTO t VALUES (1) RETURNING id) SELECT * FROM a", "insert"),
        ("CREATE TABLE IF NOT EXISTS t (a)", "ddl"),
        ("DROP TABLE t", "ddl"),
        ("BEGIN", "other"),
        ("", "other"),
        ("{}", "other"),
        ("MERGE INTO t USING u ON 1", "upsert"),
        ("CREATE TABLE t (a); INSERT INTO t VALUES (1);", "insert"),
        ("COPY t FROM STDIN", "insert"),
        ("COPY t TO STDOUT", "read"),
        ("NOTIFY jobs", "insert"),
        ("INSERT INTO {} VALUES ({})", "insert"),
        ("UPDATE t", "update"),
        ("UPDATE t SET", "update"),
    ],
)
def test_sql(text: str, expected: str) -> None:
    assert sql_action(text) == expected
