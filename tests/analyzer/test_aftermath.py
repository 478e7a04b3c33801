"""What may still run once an effect has run: conditions on values that do not change, and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer import aftermath

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import contextlib, os, random, requests
from langgraph.types import interrupt
"""


def found(link: Link, text: str) -> set[str]:
    return link(HEAD + text).hazards()


@pytest.mark.parametrize(
    "first, second, excluded",
    [
        ("mode", "not mode", True),
        ("mode == 'a'", "mode == 'b'", True),
        ("mode == 'a'", "mode != 'a'", True),
        ("'a' == mode", "'b' == mode", True),
        ("mode is None", "mode is not None", True),
        ("mode is None", "mode", True),
        ("mode is not None", "mode", False),
        ("mode and x", "not mode", True),
        ("mode and x", "not mode or not x", True),
        ("mode and x", "not x or other", False),
        ("mode == 'a'", "mode == 'a'", False),
        ("mode != 'a'", "mode != 'b'", False),
        ("mode == 1", "mode == True", False),
        ("mode or x", "not mode", False),
        ("mode", "not other", False),
        ("bool(mode)", "not mode", True),
        ("(m := mode)", "not m", True),
        # of several literals
        ("mode in ('a', 'b')", "mode == 'c'", True),
        ("mode in ('a', 'b')", "mode == 'b'", False),
        ("mode in ('a', 'b')", "mode not in ('a', 'b', 'c')", True),
        ("mode in ('a', 'b')", "mode in ('b', 'c')", False),
        ("mode in ('a', 'b')", "not mode", True),
        ("mode in ('a', '')", "not mode", False),
        ("mode not in ('a', 'b')", "mode == 'a'", True),
        ("mode not in ('a', 'b')", "mode in ('a', 'c')", False),
        ("not mode", "mode in ('a', 'b')", True),
        ("x in mode", "x not in mode", True),
        ("x in mode", "x not in other", False),
        ("mode == M.AUTO", "mode == M.ASK", True),
        ("mode == M.AUTO", "mode != M.AUTO", True),
        ("mode == M.AUTO", "mode == 'ask'", False),
        ("mode == M.AUTO", "not mode", False),
        ("not mode", "mode == M.AUTO", False),
        # bounds
        ("x < 10", "x >= 10", True),
        ("x < 10", "10 <= x", True),
        ("x < 10", "x > 9", False),
        ("x <= 10", "x > 10", True),
        ("x <= 10", "x >= 10", False),
        ("x < 10", "x > 20", True),
        ("x > 20", "x < 10", True),
        ("x > 20", "x <= 20", True),
        ("x >= 20", "x <= 20", False),
        ("x >= 20", "x < 20", True),
        ("x > 0", "x == 0", True),
        ("x > 0", "not x", True),
        ("x >= 0", "not x", False),
        ("x < 0", "not x", True),
        ("x == 3", "x > 5", True),
        ("x < mode", "x >= mode", True),
        ("x < mode", "x >= other", False),
        ("x < 'b'", "x >= 'c'", False),
        ("len(x) > 3", "len(x) <= 3", True),
        ("len(x) > 3", "len(other) <= 3", False),
        ("isinstance(x, str)", "not isinstance(x, str)", True),
        ("isinstance(x, str)", "not isinstance(x, dict)", False),
        # entries, attributes
        ("mode['k'] == 1", "mode['k'] == 2", True),
        ("mode['k'] == 1", "mode['l'] == 2", False),
        ("mode[x] == 1", "mode[x] == 2", True),
        ("mode.get('k')", "not mode.get('k')", True),
        ("mode.get('k')", "not mode['k']", True),
        ("mode.get('k', 1)", "not mode.get('k', 1)", True),
        ("mode.get('k', 1)", "not mode.get('k', 0)", False),
        ("mode['c'].get('k')", "not mode['c'].get('k')", True),
        ("os.environ.get('k')", "not os.environ.get('k')", False),
        ("mode.k == 1", "mode.k == 2", True),
        ("mode.k.l", "not mode.k.l", True),
        ("mode.lower() == 'a'", "mode.lower() == 'b'", True),
        ("mode.startswith('a')", "not mode.startswith('a')", True),
        ("mode.next() == 'a'", "mode.next() == 'b'", False),
        ("random.random() < 1", "random.random() >= 1", False),
        # what the body binds
        ("changed == 1", "changed == 2", True),
        ("once == 1", "once == 2", True),
        ("part == 1", "part == 2", True),
        ("table['k'] == 1", "table['k'] == 2", True),
        ("flag", "flag", False),
        ("SHARED", "not SHARED", False),
        ("CONSTANT", "not CONSTANT", True),
    ],
)
def test_conditions_that_exclude_each_other(link: Link, first: str, second: str, excluded: bool) -> None:
    text = f"""
def share():
    global SHARED
    SHARED = 1
def f(mode, x, other, table):
    changed = 1
    changed = load()
    once = load()
    for part in x: ...
    table["k"] = load()
    if {first}: requests.post("a")
    log()
    if {second}: interrupt(1)
"""
    assert found(link, text) == (set() if excluded else {"a"})


@pytest.mark.parametrize(
    "between, excluded",
    [
        ("pass", True),
        ("log(mode)", True),
        ("mode = load()", False),
        ("mode, y = load()", False),
        ("for mode in load(): ...", False),
        ("with load() as mode: ...", False),
        ("if (mode := load()): ...", False),
        ("try: load()\n    except ValueError as mode: ...", False),
        ("mode += 1", False),
        ("mode.clear()", False),
        ("mode.pop('k')", False),
        ("match x:\n        case {'m': mode}: ...", False),
        ("if x: mode = load()", False),
        ("other = mode", True),
        ("mode['k'] = 1", False),
    ],
)
def test_what_lies_between_two_conditions(link: Link, between: str, excluded: bool) -> None:
    text = f"def f(mode, x):\n    if mode: requests.post('a')\n    {between}\n    if not mode: interrupt(1)\n"
    assert found(link, text) == (set() if excluded else {"a"})


@pytest.mark.parametrize(
    "between, excluded",
    [
        ("pass", True),
        ("s['l'] = 1", True),
        ("s['k'] = load()", False),
        ("s['k'] = True", True),
        ("s[x] = 1", False),
        ("other['k'] = 1", False),
        ("s.update(k=1)", False),
        ("s = load()", False),
        ("del s['k']", False),
        ("s.get('l')", True),
        ("s.reload()", False),
        ("requests.post('b', json=s)", True),
        ("reads(s)", True),
        ("sets_another(s)", True),
        ("sets(s)", False),
        ("deep(s)", False),
        ("any_key(s, x)", False),
        ("drops(s)", False),
        ("nested()", False),
        ("store.refresh(s)", False),
        ("store.save(s)", True),
    ],
)
def test_what_may_change_an_entry(link: Link, between: str, excluded: bool) -> None:
    text = f"""
def reads(s): return s["k"]
def sets_another(s): s["l"] = 1
def sets(s): s["k"] = 1
def deep(s): sets(s)
def any_key(s, x): s[x] = 1
def drops(s): s.pop("k")
def f(s, x, other, store):
    def nested(): s["k"] = 1
    if s.get("k"): requests.post("a")
    {between}
    if not s.get("k"): interrupt(1)
"""
    assert found(link, text) - {"b"} == (set() if excluded else {"a"})


@pytest.mark.parametrize(
    "between, excluded",
    [
        ("pass", True),
        ("self.other = 1", True),
        ("self.auto = load()", False),
        ("self.look()", True),
        ("self.turn()", False),
        ("self.below()", False),
        ("self.client.look()", True),
        ("self.unknown()", False),
        ("turn(self)", False),
        ("other.auto = load()", False),
    ],
)
def test_what_may_change_an_attribute(link: Link, between: str, excluded: bool) -> None:
    text = f"""
def turn(one): one.auto = False
class N:
    def __init__(self, auto, client): self.auto, self.client = auto, client
    def look(self): return self.auto
    def turn(self): self.auto = load()
    def below(self): self.turn()
    @property
    def busy(self): return load()
    def f(self, s, other):
        if self.auto: requests.post("a")
        {between}
        if not self.auto: interrupt(1)
    def g(self, s):
        if self.busy: requests.post("b")
        if not self.busy: interrupt(1)
"""
    assert found(link, text) == {"b"} | (set() if excluded else {"a"})


@pytest.mark.parametrize(
    "body, excluded",
    [
        ("sent = False; if x: post; sent = True; if not sent: return interrupt(1)", True),
        ("sent = False; if x: post; sent = True; if sent: interrupt(1)", False),
        ("sent = False; if x: post; if not sent: interrupt(1)", False),
        ("sent = False; if x: sent = True; post; if not sent: interrupt(1)", True),
        ("sent = False; if x: post; sent = True; sent = False; if not sent: interrupt(1)", False),
        ("sent: bool = False; if x: post; sent = True; if not sent: interrupt(1)", True),
        ("way = 'ask'; if x: post; way = 'sent'; if way == 'ask': interrupt(1)", True),
        ("s['sent'] = x; if x: post; s['sent'] = True; if not s.get('sent'): interrupt(1)", True),
        ("sent = []; if x: post; sent.append(x); if not sent: interrupt(1)", True),
        ("sent = []; if x: post; sent.append(x); if sent: interrupt(1)", False),
        ("r = None; if x: r = post.json(); if r is None: r = interrupt(1)", True),
        ("r = None; if x: r = post; if r is None: r = interrupt(1)", True),
        ("r = None; if x: r = post.json(); if not r: r = interrupt(1)", False),
        ("r = None; if x: r = other(post); if r is None: r = interrupt(1)", False),
        ("r = None; if x: r = give(x); if r is None: r = interrupt(1)", False),
    ],
)
def test_what_is_bound_at_the_effect(link: Link, body: str, excluded: bool) -> None:
    lines, depth = [], 1
    for part in body.replace("post", "requests.post('a')").split("; "):
        if part.startswith("if ") and part.endswith(": " + part.partition(": ")[2]) and "interrupt" not in part:
            head, _, part = part.partition(": ")
            lines.append("    " + head + ":")
            depth = 2
        elif part.startswith("if "):
            depth = 1
        lines.append("    " * depth + part)
    text = "def give(x): requests.post('a')\ndef f(x, s):\n" + "\n".join(lines) + "\n"
    assert found(link, text) == (set() if excluded else {"a"})


LOOPS = {
    "ends by its test": ("while not done:\n if interrupt(1):\n  post\n  done = True", True),
    "before the effect": ("while not done:\n if interrupt(1):\n  done = True\n  post", True),
    "by comparison": ("done = 'no'\nwhile done == 'no':\n if interrupt(1):\n  post\n  done = 'yes'", True),
    "of two tests": ("while not done and x:\n if interrupt(1):\n  post\n  done = True", True),
    "one of two tests": ("while not done or x:\n if interrupt(1):\n  post\n  done = True", False),
    "with a continue": ("while not done:\n if interrupt(1):\n  post\n  done = True\n  continue\n log()", True),
    "leaves below": ("for q in x:\n done = False\n if interrupt(q):\n  post\n  done = True\n if done: break", True),
    "returns below": ("for q in x:\n done = False\n if interrupt(q):\n  post\n  done = True\n if done: return", True),
    "goes on below": (
        "for q in x:\n done = False\n if interrupt(q):\n  post\n  done = True\n  continue\n if done: break", False
    ),
    "kept from the round before": ("for q in x:\n if done: break\n if interrupt(q):\n  post\n  done = True", True),
    "set again": ("while not done:\n if interrupt(1):\n  post\n  done = True\n done = False", False),
    "set again by a helper": ("while not done:\n if interrupt(1):\n  post\n  done = True\n done = load()", False),
    "set again by unpacking": ("while not done:\n if interrupt(1):\n  post\n  done = True\n done, y = load()", False),
    "set again in a branch": (
        "while not done:\n if interrupt(1):\n  post\n  done = True\n if x:\n  done = False", False
    ),
    "taken back before": ("while not done:\n done = True\n if interrupt(1): done = False\n post", False),
    "not always set": ("while not done:\n if interrupt(1):\n  post\n  if x: done = True", False),
    "after a continue": ("while not done:\n if interrupt(1):\n  post\n  if x: continue\n  done = True", False),
    "another flag": ("while not done:\n if interrupt(1):\n  post\n  sent = True", False),
    "in the other branch": ("while not done:\n if interrupt(1): post\n else: done = True", False),
    "an error goes on": (
        "while not done:\n try:\n  interrupt(1)\n  post\n  load()\n  done = True\n except ValueError: log()", False
    ),
    "set in a finally": (
        "while not done:\n interrupt(1)\n try:\n  post\n finally:\n  done = True", True
    ),
    "errors suppressed": (
        "while not done:\n interrupt(1)\n with contextlib.suppress(ValueError):\n  post\n  load()\n  done = True", False
    ),
    "of an outer loop": ("for q in x:\n done = False\n while not done:\n  interrupt(q)\n  post\n  done = True", False),
    "of both loops": (
        "for q in x:\n while not done:\n  interrupt(q)\n  post\n  done = True\n if done: break", True
    ),
    "the rounds of an inner loop": (
        "while not done:\n for q in x:\n  interrupt(q)\n  post\n  done = True", False
    ),
    "by a nested function": (
        ("def undo():\n nonlocal done\n done = False\n"
        "while not done:\n interrupt(1)\n post\n done = True\n undo()"), False
    ),
    "a comprehension": ("[requests.post('a') if interrupt(q) else q for q in x]", False),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_end_in_the_round_of_the_effect(link: Link, name: str) -> None:
    text, ends = LOOPS[name]
    body = "\n".join("    " + line for line in text.replace("post", "requests.post('a')").split("\n"))
    body = body.replace("requests.requests.post('a')('a')", "requests.post('a')")
    assert found(link, f"def f(x):\n    done = False\n{body}\n") == (set() if ends else {"a+"})


def test_a_loop_before_the_wait(link: Link) -> None:
    counted = "def f(x):\n    n = 0\n    while n < 3:\n        requests.post('a')\n        n += 1\n    interrupt(1)\n"
    assert found(link, counted) == {"a"}
    forever = (
        "def f(x):\n    while True:\n        requests.post('a')\n        if x: break\n    else: x()\n    interrupt(1)\n"
    )
    assert found(link, forever) == {"a"}


def test_inner_loops_keep_what_ran_before_them(link: Link) -> None:
    text = "def f(x):\n    requests.post('a')\n    for y in x:\n        for z in y:\n            interrupt(z)\n"
    assert found(link, text) == {"a"}
    text = "def f(x):\n    while x:\n        for z in x:\n            requests.post('a')\n            interrupt(z)\n"
    assert found(link, text) == {"a"}


def test_branches_inside_expressions(link: Link) -> None:
    assert found(link, "def f(x):\n    requests.post('a') if x else 1\n    y = 1 if x else interrupt(1)\n") == set()
    assert found(link, "def f(x):\n    requests.post('a') if x else 1\n    y = interrupt(1) if x else 1\n") == {"a"}
    assert found(link, "def f(x):\n    x and requests.post('a')\n    x or interrupt(1)\n") == set()
    assert found(link, "def f(x):\n    x and requests.post('a')\n    x and interrupt(1)\n") == {"a"}


def test_long_bodies_are_given_up(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(mode):\n    if mode: requests.post('a')\n    log()\n    if not mode: interrupt(1)\n"
    assert found(link, text) == set()
    monkeypatch.setattr(aftermath, "MOST_STEPS", 5)
    assert found(link, text) == {"a"}
