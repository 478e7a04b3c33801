"""Where graphs that wait get their saver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link, Linked

HEAD = """
from langgraph.graph import StateGraph
from langgraph.types import interrupt
from langgraph.checkpoint.memory import MemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
def ask(state): interrupt(1)
def work(state): ...
def graph(node):
    g = StateGraph(dict)
    g.add_node("n", node)
    return g
builder = StateGraph(dict)
builder.add_node("ask", ask)
still = StateGraph(dict)
still.add_node("work", work)
"""


def states(made: Linked) -> list[set[str]]:
    persistence = made.program.persistence
    return [{null.kind for null in persistence.saver_states(c)} for c in persistence.compiled()]


def volatile(made: Linked) -> list[list[str]]:
    persistence = made.program.persistence
    return [[v[1].rpartition(".")[2] for v in persistence.volatile_savers(c)] for c in persistence.compiled()]


@pytest.mark.parametrize(
    "text, found",
    [
        ("app = builder.compile()", ["none"]),
        ("app = builder.compile(checkpointer=None)", ["none"]),
        ("app = builder.compile(None)", ["none"]),
        ("app = builder.compile(checkpointer=MemorySaver())", ["some"]),
        ("app = builder.compile(MemorySaver())", ["some"]),
        ("app = still.compile()", []),
        ("app = still.compile(interrupt_before=['work'])", ["none"]),
        ("app = still.compile(interrupt_after=[])", []),
        ("def f(saver=None): return builder.compile(saver)\nf()", ["none"]),
        ("def f(saver=None): return builder.compile(saver)\nf(MemorySaver())", ["some"]),
        ("def f(saver):\n    if saver: builder.compile(saver)\nf(None)", ["some"]),
        ("def f(saver):\n    if saver is None: builder.compile()\nf(MemorySaver())", ["some"]),
        ("def f(saver):\n    if saver is None: builder.compile()\nf(None)", ["none"]),
    ],
)
def test_savers_that_may_be_none(link: Link, text: str, found: list[str]) -> None:
    assert states(link(f"{HEAD}{text}\n")) == [{kind} for kind in found]


def test_entrypoints(link: Link) -> None:
    text = "from langgraph.func import entrypoint\n@entrypoint{}\ndef flow(x): interrupt(1)\n"
    assert states(link(HEAD + text.format("()"))) == [{"none"}]
    assert states(link(HEAD + text.format("(checkpointer=MemorySaver())"))) == [{"some"}]


def test_agents(link: Link) -> None:
    text = """
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
def tool(x): ...
agent = create_agent("m", [tool], {})
"""
    assert states(link(HEAD + text.format(""))) == []
    assert states(link(HEAD + text.format("middleware=[HumanInTheLoopMiddleware({'tool': True})]"))) == [{"none"}]
    assert states(link(HEAD + text.format("middleware=[HumanInTheLoopMiddleware(interrupt_on={})]"))) == []
    waiting = text.replace("...", "interrupt(1)")
    assert states(link(HEAD + waiting.format(""))) == [{"none"}]
    assert states(link(HEAD + waiting.format("checkpointer=MemorySaver()"))) == [{"some"}]


def test_graphs_inside_graphs_need_no_saver(link: Link) -> None:
    text = "sub = builder.compile()\nouter = StateGraph(dict)\nouter.add_node('sub', sub)\napp = outer.compile()\n"
    made = link(HEAD + text)
    (compiled,) = made.program.persistence.compiled()
    assert compiled.call is not None
    assert compiled.call.line == 19
    called = text.replace("'sub', sub", "'run', run") + "def run(state): sub.invoke(state)\n"
    assert len(states(link(HEAD + called))) == 1


@pytest.mark.parametrize(
    "text, found",
    [
        ("builder.compile(MemorySaver())", ["InMemorySaver"]),
        ("s = MemorySaver()\nbuilder.compile(s)", ["InMemorySaver"]),
        ("builder.compile(PostgresSaver(1))", []),
        ("def f(saver): builder.compile(saver)\nf(MemorySaver())", ["InMemorySaver"]),
        ("def f(saver=None):\n    builder.compile(saver or MemorySaver())\nf(PostgresSaver(1))", []),
        ("def f(s=None):\n    if s is None: s = MemorySaver()\n    builder.compile(s)\nf(PostgresSaver(1))", []),
        ("def f(s=None):\n    if s is None: s = MemorySaver()\n    builder.compile(s)\nf()", ["InMemorySaver"]),
        ("def f(s=None):\n    if not s: s = MemorySaver()\n    builder.compile(s)\nf(PostgresSaver(1))", []),
    ],
)
def test_savers_in_memory(link: Link, text: str, found: list[str]) -> None:
    assert volatile(link(f"{HEAD}{text}\n")) == [found]


def test_a_server_brings_the_saver(link: Link) -> None:
    made = link(HEAD, files={"api/langgraph.json": "{}", "api/app/graph.py": "x = 1\n", "pyproject.toml": ""})
    assert made.program.persistence.served("api/app/graph.py")
    assert not made.program.persistence.served("app.py")


def test_a_saver_set_later(link: Link) -> None:
    text = "app = builder.compile()\ndef start(saver):\n    {}.checkpointer = saver\n"
    for base, set_later in (("app", True), ("still", False)):
        persistence = link(HEAD + text.format(base)).program.persistence
        (compiled,) = persistence.compiled()
        assert persistence.set_later(compiled) is set_later


def test_what_runs_a_graph(link: Link) -> None:
    files = {"tests/test_app.py": "from app import app\ndef test_it(): app.invoke(1)\n"}
    made = link(HEAD + "app = builder.compile()\ndef main(): app.invoke(1)\ndef other(x): x.invoke(1)\n", files=files)
    persistence = made.program.persistence
    (compiled,) = persistence.compiled()
    assert [function[1] for function, _ in persistence.runs(compiled.site)] == ["main"]


def test_what_serves(link: Link) -> None:
    files = {
        "web/pyproject.toml": "",
        "web/server.py": "import fastapi\nfrom agent import ready\n",
        "web/agent.py": HEAD + "ready = builder.compile()\n",
        "web/script.py": "print(1)\n",
        "web/tests/test_x.py": "import flask\nimport script\n",
        "other/pyproject.toml": "",
        "other/run.py": "from temporalio import workflow\n",
    }
    persistence = link(files=files).program.persistence
    assert persistence.serves("web/server.py")
    assert persistence.serves("web/agent.py")
    assert not persistence.serves("web/script.py")
    assert not persistence.serves("other/run.py")
    assert persistence.replayed("other/run.py")
    assert not persistence.replayed("web/agent.py")
    assert (persistence.scope("web/agent.py"), persistence.scope("other/run.py")) == ("web", "other")


def test_a_durable_saver_of_the_same_project(link: Link) -> None:
    files = {
        "one/pyproject.toml": "",
        "one/a.py": "from langgraph.checkpoint.postgres import PostgresSaver\n",
        "one/b.py": "x = 1\n",
        "two/pyproject.toml": "",
        "two/a.py": "from langgraph.checkpoint.memory import MemorySaver\n",
        "two/tests/test_a.py": "from langgraph.checkpoint.postgres import PostgresSaver\n",
    }
    persistence = link(files=files).program.persistence
    assert persistence.has_durable_saver("one/b.py")
    assert not persistence.has_durable_saver("two/a.py")
