"""What a SQL statement does, told from its text."""

from __future__ import annotations

import re
from typing import Literal

SqlAction = Literal["insert", "upsert", "increment", "update", "delete", "read", "ddl", "other"]
"""``increment``: an update that counts again when repeated. ``upsert``: an insert that does not."""

_COMMENT_OR_STRING = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
_VERB = re.compile(r"[\s(]*([A-Za-z]+)")
_GUARDED = re.compile(
    r"\bON\s+CONFLICT\b|\bON\s+DUPLICATE\s+KEY\b|\bINSERT\s+OR\s+(?:IGNORE|REPLACE)\b|\bINSERT\s+IGNORE\b"
    r"|\bNOT\s+EXISTS\b|\bINSERT\s+OVERWRITE\b",
    re.IGNORECASE,
)
_SET = re.compile(
    r"\b(?:SET|DUPLICATE\s+KEY\s+UPDATE)\b(.*?)(?:\bWHERE\b|\bRETURNING\b|\bFROM\b|$)",
    re.IGNORECASE | re.DOTALL,
)
_ASSIGNED = re.compile(r"""([\w.`"\[\]]+)\s*=(?!=)""")
_ARITHMETIC = re.compile(r"[-+*/]|\|\||\bCONCAT\b|\bARRAY_APPEND\b|\bJSON_ARRAY_INSERT\b", re.IGNORECASE)
_WITH_WRITE = re.compile(
    r"\bINSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO\b|\bUPDATE\s+[\w.\"]+\s+SET\b|\bDELETE\s+FROM\b",
    re.IGNORECASE,
)
_WORDS: dict[str, SqlAction] = {
    "SELECT": "read", "SHOW": "read", "DESCRIBE": "read", "DESC": "read", "EXPLAIN": "read", "PRAGMA": "read",
    "VALUES": "read", "TABLE": "read", "DELETE": "delete", "TRUNCATE": "delete", "REPLACE": "upsert",
    "MERGE": "upsert", "UPSERT": "upsert", "CREATE": "ddl", "DROP": "ddl", "ALTER": "ddl", "GRANT": "ddl",
    "REVOKE": "ddl", "COMMENT": "ddl", "VACUUM": "ddl", "REINDEX": "ddl", "ANALYZE": "ddl",
    "NOTIFY": "insert",
}  # fmt: skip
# Of several statements in one text the gravest speaks.
_GRAVEST: tuple[SqlAction, ...] = (
    "insert", "increment", "upsert", "update", "delete", "ddl", "read", "other",
)  # fmt: skip


def sql_action(text: str) -> SqlAction:
    """Say what the statements in ``text`` do; the gravest of several.

    Holes of an f-string may stand as ``{}``. A text that begins with a hole is ``other``.
    """
    bare = _COMMENT_OR_STRING.sub(lambda match: "''" if match[0][0] == "'" else " ", text)
    found = {_one(statement) for statement in bare.split(";") if statement.strip()}
    return next((action for action in _GRAVEST if action in found), "other")


def _one(statement: str) -> SqlAction:
    match = _VERB.match(statement)
    if match is None:
        return "other"
    verb = match[1].upper()
    if verb == "WITH":
        write = _WITH_WRITE.search(statement)
        if write is None:
            return "read"
        statement = statement[write.start() :]
        verb = write[0].split(None, 1)[0].upper()
    if verb == "INSERT":
        if not _GUARDED.search(statement):
            return "insert"
        return "increment" if _increments(statement) else "upsert"
    if verb == "UPDATE":
        return "increment" if _increments(statement) else "update"
    if verb == "COPY":
        return "insert" if re.search(r"\bFROM\b", statement, re.IGNORECASE) else "read"
    return _WORDS.get(verb, "other")


def _increments(statement: str) -> bool:
    """Is a column set to something computed from itself?"""
    clause = _SET.search(statement)
    if clause is None:
        return False
    text = clause[1]
    marks = list(_ASSIGNED.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        column = re.split(r"[.\s]", mark[1])[-1].strip('`"[]')
        value = text[mark.end() : end]
        if re.search(rf"(?<![:@$])(?<!%\()\b{re.escape(column)}\b", value) and _ARITHMETIC.search(value):
            return True
    return False
