"""Waits that are caught on their way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import asyncio, contextlib, tenacity, backoff
from langgraph.types import interrupt
from langgraph.errors import GraphInterrupt, GraphBubbleUp, NodeInterrupt
from langgraph.graph import StateGraph
class Quiet:
    def __enter__(self): ...
    def __exit__(self, *rest): return True
class Loud:
    def __enter__(self): ...
    def __exit__(self, *rest): log()
BROAD = (OSError, Exception)
"""


def swallowed(link: Link, text: str) -> list[str]:
    return [f"{s.catcher}:{s.function[1]}" for s in link(HEAD + text).program.swallowed]


@pytest.mark.parametrize(
    "handler, caught",
    [
        ("except Exception: pass", True),
        ("except: pass", True),
        ("except BaseException as e: log(e)", True),
        ("except GraphInterrupt: pass", True),
        ("except GraphBubbleUp: pass", True),
        ("except (OSError, Exception): pass", True),
        ("except BROAD: pass", True),
        ("except OSError: pass", False),
        ("except Exception: raise", False),
        ("except Exception as e: raise e", False),
        ("except Exception as e: raise RuntimeError from e", True),
        ("except GraphInterrupt: raise\n    except Exception: pass", False),
        ("except OSError: pass\n    except Exception: pass", True),
        ("except Exception as e:\n        log(e)\n        raise", False),
        ("except Exception as e:\n        if x: raise", True),
        ("except Exception as e:\n        if isinstance(e, GraphInterrupt): raise\n        log()", False),
        ("except Exception as e:\n        if isinstance(e, (OSError, GraphBubbleUp)): raise\n        log()", False),
        ("except Exception as e:\n        if isinstance(e, OSError): raise\n        log()", True),
        ("except Exception as e:\n        if not isinstance(e, GraphInterrupt): return 1\n        raise", False),
        ("except Exception as e:\n        if type(e).__name__ == 'GraphInterrupt': raise\n        log()", False),
        ("except Exception as e:\n        if e.__class__.__name__ == 'OSError': raise\n        log()", True),
        ("except Exception as e:\n        if x: return 1\n        raise", True),
        ("except Exception as e:\n        with x: raise", False),
        ("except Exception as e:\n        try: log()\n        finally: raise", False),
        ("finally: return 1", True),
        ("finally: log()", False),
    ],
)
def test_handlers(link: Link, handler: str, caught: bool) -> None:
    found = swallowed(link, f"def f(x):\n    try:\n        interrupt(1)\n    {handler}\n")
    assert found == (["handler:f"] if caught else [])


@pytest.mark.parametrize(
    "body, found",
    [
        ("try: g()\n    except OSError: interrupt(1)\n    except Exception: pass", ""),
        ("try: g()\n    except Exception: interrupt(1)", ""),
        ("try: g()\n    except OSError: pass\n    else: interrupt(1)", ""),
        ("try:\n        try: interrupt(1)\n        except OSError: pass\n    except Exception: pass", "handler:f"),
        ("try:\n        if x: interrupt(1)\n    except Exception: pass", "handler:f"),
        ("try:\n        for i in x: y = [interrupt(1)]\n    except Exception: pass", "handler:f"),
        ("try:\n        raise NodeInterrupt(1)\n    except Exception: pass", "handler:f"),
        ("try:\n        return interrupt(1)\n    except Exception: pass", "handler:f"),
        ("try:\n        match x:\n            case 1: interrupt(1)\n    except Exception: pass", "handler:f"),
        ("with contextlib.suppress(Exception): interrupt(1)", "suppress:f"),
        ("with contextlib.suppress(OSError): interrupt(1)", ""),
        ("with Quiet(): interrupt(1)", "manager:f"),
        ("with Loud(): interrupt(1)", ""),
        ("asyncio.gather(interrupt(1), return_exceptions=True)", "gather:f"),
        ("asyncio.gather(interrupt(1))", ""),
    ],
)
def test_where_it_is_caught(link: Link, body: str, found: str) -> None:
    assert swallowed(link, f"def f(x):\n    {body}\n") == found.split()


def test_across_calls(link: Link) -> None:
    text = """
def ask(): return interrupt(1)
def inner():
    {}
def outer():
    try: inner()
    except Exception: pass
"""
    assert swallowed(link, text.format("ask()")) == ["handler:outer"]
    assert swallowed(link, text.format("try: ask()\n    except Exception: pass")) == ["handler:inner"]
    assert swallowed(link, text.format("try: ask()\n    except Exception: raise")) == ["handler:outer"]


def test_recursion_ends(link: Link) -> None:
    text = "def f(n):\n    try: g(n)\n    except Exception: pass\ndef g(n):\n    f(n)\n    interrupt(1)\n"
    assert swallowed(link, text) == ["handler:f"]


def test_a_graph_run_inside_a_node(link: Link) -> None:
    text = """
def inner(state): interrupt(1)
sub = StateGraph(dict)
sub.add_node("inner", inner)
ready = sub.compile()
def outer(state):
    try: ready.invoke(state)
    except Exception: pass
g = StateGraph(dict)
g.add_node("outer", {})
"""
    assert swallowed(link, text.format("outer")) == ["handler:outer"]


@pytest.mark.parametrize(
    "decorator, caught",
    [
        ("tenacity.retry", True),
        ("tenacity.retry(stop=3)", True),
        ("tenacity.retry(retry=tenacity.retry_if_exception_type(OSError))", False),
        ("tenacity.retry(retry=tenacity.retry_if_exception_type(Exception))", True),
        ("tenacity.retry(retry=tenacity.retry_if_not_exception_type(GraphInterrupt))", False),
        ("backoff.on_exception(backoff.expo, Exception)", True),
        ("backoff.on_exception(backoff.expo, (OSError, Exception))", True),
        ("backoff.on_exception(backoff.expo, OSError)", False),
        ("unknown", False),
    ],
)
def test_retries(link: Link, decorator: str, caught: bool) -> None:
    assert swallowed(link, f"@{decorator}\ndef f(): interrupt(1)\n") == (["retry:f"] if caught else [])


def test_wrappers_of_tools(link: Link) -> None:
    text = """
from langchain.agents.middleware import AgentMiddleware, wrap_tool_call
class Careful(AgentMiddleware):
    def wrap_tool_call(self, request, handler):
        try: return handler(request)
        except {0}: return None
@wrap_tool_call
def around(request, run):
    try: return run(request)
    except {0}: return None
"""
    made = link(HEAD + text.format("Exception"))
    assert [(s.function[1], s.hook) for s in made.program.swallowed] == [
        ("Careful.wrap_tool_call", "handler"),
        ("around", "run"),
    ]
    assert swallowed(link, text.format("OSError")) == []


def test_places(link: Link) -> None:
    (one,) = link(HEAD + "def f():\n    try: interrupt(1)\n    except Exception: pass\n").program.swallowed
    assert (one.line, one.column, one.brings.line, one.brings.column) == (15, 4, 14, 9)
