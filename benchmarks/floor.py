"""The floor of an audit: parse the files named on standard input, one at a time, dropping each tree.

Runs as a process of its own and imports nothing that parsing does not need.
"""

from __future__ import annotations

import ast
import sys

for name in sys.stdin.buffer.read().split(b"\0"):
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - pathlib would be part of the measured start
            ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        continue  # what cannot be parsed costs what it costs
