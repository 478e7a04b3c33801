"""The last names and the packages of all effects, for the tracer: reading the tables themselves takes too long when a
program starts, and most programs meet few of them. Reads are among them where clients ask by requests that look like
effects (a search by POST).

``tracing/effect_index.txt`` is made from the tables by ``python -m resume_audit.analyzer.knowledge.effect_index``.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).parent / "tracing" / "effect_index.txt"


_ASKED_BY_REQUEST = ("vector", "store", "nosql", "messaging", "cloud", "queues", "payments", "mail")


@lru_cache(maxsize=1)
def load() -> tuple[frozenset[str], frozenset[str]]:
    """(last names of functions that may have an effect, first segments of their qualified names)."""
    names, packages = FILE.read_text(encoding="utf-8").split("\n\n")
    return frozenset(names.split()), frozenset(packages.split())


def made() -> str:
    """The text of the index as the tables have it now. A last name with ``*`` is left out."""
    from .effects import load as tables

    names: set[str] = set()
    packages: set[str] = set()
    for name, rule in tables().rules.entries():
        if rule.action == "effect" or (rule.action == "read" and rule.kind in _ASKED_BY_REQUEST):
            last = name.rpartition(".")[2]
            packages.add(name.split(".", 1)[0])
            if "*" not in last:
                names.add(last)
    return "\n".join(sorted(names)) + "\n\n" + "\n".join(sorted(packages)) + "\n"


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
