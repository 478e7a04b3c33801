"""Programs whose parts all lead to each other, to any size: what a whole-program analysis must survive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from resume_audit.tests.hostile import MARK

HEAD = MARK + "import requests\nfrom langgraph.graph import StateGraph\n"
TAIL = "StateGraph(dict).add_node('node', node)\n"


def _ring(size: int) -> str:
    """Functions that call the next one, and the last one the first."""
    body = "def f{n}(s):\n    if s:\n        f{next}(s)\n"
    return _functions(body, size) + "def node(s):\n    requests.post('u')\n    f0(s)\n    interrupt(s)\n"


def _acting_ring(size: int) -> str:
    body = "def f{n}(s):\n    requests.post('u')\n    if s:\n        f{next}(s)\n"
    return _functions(body, size) + "def node(s):\n    f0(s)\n    interrupt(s)\n"


def _waiting_ring(size: int) -> str:
    body = "def f{n}(s):\n    if s:\n        f{next}(s)\n    interrupt(s)\n"
    return _functions(body, size) + "def node(s):\n    requests.post('u')\n    f0(s)\n"


def _acting_and_waiting_ring(size: int) -> str:
    body = "def f{n}(s):\n    requests.post('u')\n    if s:\n        f{next}(s)\n    interrupt(s)\n"
    return _functions(body, size) + "def node(s):\n    f0(s)\n    interrupt(s)\n"


def _functions(body: str, size: int) -> str:
    return "".join(body.format(n=n, next=(n + 1) % size) for n in range(size))


def _dense(size: int) -> str:
    """Every function calls thirty others."""
    calls = ("".join(f"        f{(n * 7 + k * 13) % size}(s)\n" for k in range(30)) for n in range(size))
    bodies = (f"def f{n}(s):\n    requests.post('u')\n    if s:\n{each}" for n, each in enumerate(calls))
    return "".join(f"{each}    interrupt(s)\n" for each in bodies) + "def node(s):\n    f0(s)\n"


def _chain(size: int) -> str:
    calls = "".join(f"def f{n}(s):\n    return f{n + 1}(s)\n" for n in range(size))
    return f"{calls}def f{size}(s):\n    requests.post('u')\ndef node(s):\n    f0(s)\n    interrupt(s)\n"


def _table(size: int) -> str:
    """Every function calls any of them by name."""
    body = "def f{n}(s):\n    requests.post('u')\n    TABLE[s](s)\n    interrupt(s)\n"
    table = ", ".join(f"'{n}': f{n}" for n in range(size))
    return f"{_functions(body, size)}TABLE = {{{table}}}\ndef node(s):\n    TABLE[s](s)\n"


def _methods(size: int) -> str:
    body = "class C{n}:\n    def run(self, s):\n        requests.post('u')\n"
    body += "        self.other.run(s)\n        interrupt(s)\n"
    return _functions(body, size) + "def node(s):\n    s.run(s)\n"


def _waits(size: int) -> str:
    return "def node(s):\n" + "".join(f"    requests.post('u')\n    interrupt({n})\n" for n in range(size))


def _branches(size: int) -> str:
    return "def node(s):\n" + "    if s:\n        requests.post('u')\n" * size + "    interrupt(s)\n"


def _returns(size: int) -> str:
    """Every test leaves, so that all of them guard what follows."""
    tests = "".join(f"    if s == {n}:\n        requests.post('u')\n        return\n" for n in range(size))
    return f"def node(s):\n    requests.post('u')\n{tests}    interrupt(s)\n"


def _tries(size: int) -> str:
    return (
        "def node(s):\n" + "    try:\n        interrupt(s)\n    except Exception:\n        requests.post('u')\n" * size
    )


def _bases(size: int) -> str:
    classes = "".join(f"class C{n + 1}(C{n}):\n    pass\n" for n in range(size))
    return (
        f"class C0:\n    def run(self, s):\n        interrupt(s)\n{classes}"
        f"def node(s):\n    requests.post('u')\n    C{size}().run(s)\n"
    )


def _aliases(size: int) -> str:
    names = "".join(f"a{n + 1} = a{n}\n" for n in range(size))
    return f"a0 = interrupt\n{names}def node(s):\n    requests.post('u')\n    a{size}(s)\n"


def _finals(size: int) -> str:
    opened = "".join(f"{' ' * (n + 1)}try:\n" for n in range(size))
    closed = "".join(f"{' ' * (n + 1)}finally:\n{' ' * (n + 2)}requests.post('u')\n" for n in reversed(range(size)))
    return f"def node(s):\n{opened}{' ' * (size + 1)}interrupt(s)\n{closed}"


def _statements(size: int) -> str:
    return "def node(s):\n" + "".join(f"    x{n} = g{n}(s)\n" for n in range(size)) + "    interrupt(s)\n"


@dataclass(frozen=True, slots=True)
class Tangle:
    """A program whose parts all lead to each other: usual size, full size, and whether it holds RA101."""

    source: Callable[[int], str]
    small: int
    full: int
    hazard: bool = True

    def text(self, full: bool) -> str:
        return HEAD + self.source(self.full if full else self.small) + TAIL


TANGLES: dict[str, Tangle] = {
    "ring": Tangle(_ring, 2_000, 5_000),
    "acting ring": Tangle(_acting_ring, 1_000, 3_000),
    "waiting ring": Tangle(_waiting_ring, 1_000, 3_000),
    "acting and waiting ring": Tangle(_acting_and_waiting_ring, 300, 2_000),
    "dense": Tangle(_dense, 100, 1_000),
    "chain": Tangle(_chain, 1_000, 5_000),
    "table": Tangle(_table, 200, 1_000),
    "methods": Tangle(_methods, 500, 2_000),
    "waits": Tangle(_waits, 200, 2_000),
    "branches": Tangle(_branches, 500, 20_000),
    "returns": Tangle(_returns, 500, 10_000),
    "tries": Tangle(_tries, 100, 2_000),
    "bases": Tangle(_bases, 200, 1_000),
    "aliases": Tangle(_aliases, 1_000, 5_000),
    "finals": Tangle(_finals, 15, 90, hazard=False),
    "statements": Tangle(_statements, 5_000, 60_000, hazard=False),
}
