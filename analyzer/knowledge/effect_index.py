"""What the tracer must know of the tables of effects before it reads them: reading takes long, and most programs call
much that only looks like an effect by its name. Reads are in it where clients ask by requests that look like effects
(a search by POST).

``tracing/effect_index.txt`` is made from the tables by ``python -m resume_audit.analyzer.knowledge.effect_index``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).parent / "tracing" / "effect_index.txt"

_ASKED_BY_REQUEST = ("vector", "store", "nosql", "messaging", "cloud", "queues", "payments", "mail")


@dataclass(frozen=True, slots=True)
class Index:
    """``names``: last names of functions. ``packages``: first segments of their qualified names. ``owners``: names of
    classes that have them. ``functions``: ``package.last_name`` of those that are no methods."""

    names: frozenset[str]
    packages: frozenset[str]
    owners: frozenset[str]
    functions: frozenset[str]

    def may_hold(self, module: str, qualname: str) -> bool:
        """Whether the tables may know a function of a module."""
        package = module.partition(".")[0]
        owner, _, last = qualname.rpartition(".")
        if last not in self.names or package not in self.packages:
            return False
        return owner.rpartition(".")[2] in self.owners if owner else f"{package}.{last}" in self.functions


@lru_cache(maxsize=1)
def load() -> Index:
    """The index that comes with the tool."""
    return Index(*(frozenset(part.split()) for part in FILE.read_text(encoding="utf-8").split("\n\n")))


def made() -> str:
    """The text of the index as the tables have it now. A last name with ``*`` is left out."""
    from .effects import load as tables

    table = tables()
    found = [
        name
        for name, rule in table.rules.entries()
        if rule.action == "effect" or (rule.action == "read" and rule.kind in _ASKED_BY_REQUEST)
    ]
    plain = [name for name in found if "*" not in name.rpartition(".")[2]]
    owners = {name.rpartition(".")[0].rpartition(".")[2] for name in plain}
    owners |= {alias.rpartition(".")[2] for alias in table.aliases}
    parts = (
        {name.rpartition(".")[2] for name in plain},
        {name.partition(".")[0] for name in [*found, *table.aliases]},
        owners,
        {f"{name.partition('.')[0]}.{name.rpartition('.')[2]}" for name in plain},
    )
    return "\n\n".join("\n".join(sorted(part)) for part in parts) + "\n"


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
