"""What a framework is told to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link, Linked

HEAD = """
import langgraph.graph
from functools import partial
from langgraph.graph import StateGraph
from langgraph.graph.state import StateGraph as Builder
from langgraph.prebuilt import ToolNode, create_react_agent
from langgraph.types import interrupt, Send
from langgraph.func import entrypoint, task
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool, Tool, tool
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
def pay(state): ...
def mail(state): ...
def route(state): return "pay"
class Node:
    def __call__(self, state): ...
    def run(self, state): ...
g = StateGraph(dict)
"""


@pytest.mark.parametrize(
    "text, nodes",
    [
        ("g.add_node('n', pay)", "n:pay"),
        ("g.add_node(pay)", "pay:pay"),
        ("g.add_node('n', action=pay)", "n:pay"),
        ("g.add_node(node='n', action=pay)", "n:pay"),
        ("g.add_node(NAME, pay)", "pay:pay"),
        ("g.add_node('n', lambda state: 1)", "n:<lambda:20:16>"),
        ("g.add_node('n', partial(pay, x=1))", "n:pay"),
        ("g.add_node('n', RunnableLambda(pay))", "n:pay"),
        ("g.add_node('n', Node())", "n:Node.__call__"),
        ("g.add_node('n', Node().run)", "n:Node.run"),
        ("g.add_node('a', pay).add_node('b', mail)", "a:pay b:mail"),
        ("Builder(dict).add_node('n', pay)", "n:pay"),
        ("langgraph.graph.StateGraph(dict).add_node('n', pay)", "n:pay"),
        ("for name, node in [('a', pay), ('b', mail)]: g.add_node(name, node)", "pay:pay mail:mail"),
        ("for name, node in {'a': pay}.items(): g.add_node(name, node)", "pay:pay"),
        ("g.add_sequence([pay, ('m', mail)])", "pay:pay mail:mail"),
        ("def make(builder): builder.add_node('n', pay)", "n:pay"),
        (
            "class App:\n    def __init__(self): self.g = StateGraph(dict)\n    def b(self): self.g.add_node('n', pay)",
            "n:pay",
        ),
        ("def f(h: StateGraph): h.add_node('n', pay)", "n:pay"),
    ],
)
def test_nodes(link: Link, text: str, nodes: str) -> None:
    made = link(HEAD + text + "\n")
    assert made.nodes() == {tuple(item.split(":", 1)) for item in nodes.split()}
    assert made.units("node") == {item.split(":", 1)[1] for item in nodes.split()}


def test_an_unknown_builder_counts_beside_the_framework_only(link: Link) -> None:
    made = link("def f(builder): builder.add_node('n', pay)\ndef pay(state): ...\n")
    assert made.units("node") == set()


def test_nodes_that_several_callers_hand_over(link: Link) -> None:
    text = "def build(node):\n    h = StateGraph(dict)\n    h.add_node('n', node)\n    return h\n"
    one, several = link(HEAD + text + "build(pay)\n"), link(HEAD + text + "build(pay)\nbuild(mail)\n")
    assert one.nodes() == {("n", "pay")}
    assert several.nodes() == set()
    assert {f[1] for graph in several.registry.graphs.values() for _, f in graph.possible} == {"pay", "mail"}
    assert several.units("node") == {"pay", "mail"}


def test_routers(link: Link) -> None:
    made = link(HEAD + "g.add_conditional_edges('pay', route)\ng.set_conditional_entry_point(route)\n")
    (graph,) = (graph for graph in made.registry.graphs.values() if graph.routers)
    assert {(name, function[1]) for name, function in graph.routers} == {("pay", "route"), ("", "route")}
    assert made.units("router") == {"route"}


def test_graphs_in_graphs(link: Link) -> None:
    made = link(
        HEAD + "sub = StateGraph(dict)\nsub.add_node('n', pay)\ng.add_node('sub', sub.compile())\napp = g.compile()\n"
    )
    (outer,) = (graph for graph in made.registry.graphs.values() if graph.subgraphs)
    (inner,) = outer.subgraphs
    assert made.registry.graphs[inner].nodes == {("n", made.function("pay"))}
    assert len(outer.compiles) == len(made.registry.graphs[inner].compiles) == 1
    assert {
        f[1] for f in made.order.graph_functions(next(s for s, x in made.registry.graphs.items() if x is outer))
    } == {"pay"}


def group(made: Linked) -> dict[bool, set[str]]:
    return {found.shared: {f[1] for f in found.functions} for found in made.registry.groups.values()}


TOOLS = """
@tool
def one(x): ...
@tool("two", return_direct=True)
def two(x): ...
class Three(BaseTool):
    def _run(self, x): ...
    async def _arun(self, x): ...
four = StructuredTool.from_function(func=mail)
five = Tool("five", pay)
"""


def test_tools(link: Link) -> None:
    made = link(HEAD + TOOLS + "g.add_node('t', ToolNode([one, two, Three(), four, five]))\n")
    functions = {"one", "two", "Three._run", "Three._arun", "mail", "pay"}
    assert made.units("tool") == functions
    assert group(made) == {True: functions}
    ((_, name, site),) = made.registry.group_nodes
    assert name == "t"
    assert site in made.registry.groups
    assert made.registry.kind(("app.py", "mail")) == "tool"


def test_tools_in_lists_by_name(link: Link) -> None:
    text = "base = [pay]\nbase.append(mail)\nmore = base + [route]\nnode = ToolNode(tools=more)\n"
    assert group(link(HEAD + text)) == {True: {"pay", "mail", "route"}}
    assert group(link(HEAD + "def f(tools): return ToolNode(tools)\nf([pay])\nf([mail])\n")) == {True: {"pay", "mail"}}


def test_tools_that_are_declared_only(link: Link) -> None:
    made = link(HEAD + TOOLS)
    assert {"one", "two", "Three._run", "Three._arun"} <= made.units("tool")
    assert made.registry.groups == {}


@pytest.mark.parametrize(
    "text, shared",
    [
        ("create_react_agent(m, [pay])", False),
        ("create_react_agent(m, [pay], version='v1')", True),
        ("create_react_agent(m, tools=ToolNode([pay]))", False),
        ("create_agent(m, [pay])", False),
        ("create_agent(m, tools=[pay])", False),
    ],
)
def test_agents(link: Link, text: str, shared: bool) -> None:
    made = link(f"{HEAD}agent = {text}\n")
    (agent,) = (graph for graph in made.registry.graphs.values() if graph.agent)
    assert agent.nodes == {("tools", made.function("pay"))}
    assert agent.agent == text.partition("(")[0]
    assert {"pay"} == group(made)[shared]
    assert not agent.waits_itself
    assert len(agent.compiles) == 1


@pytest.mark.parametrize(
    "text, waits",
    [
        ("create_agent(m, [pay], middleware=[HumanInTheLoopMiddleware({'pay': True})])", True),
        ("create_agent(m, [pay], middleware=[HumanInTheLoopMiddleware(interrupt_on={})])", False),
        ("create_agent(m, [pay], middleware=[])", False),
        ("create_deep_agent(tools=[pay], interrupt_on={'pay': True})", True),
        ("create_deep_agent(tools=[pay], interrupt_on=None)", False),
        ("create_deep_agent(tools=[pay])", False),
    ],
)
def test_agents_that_wait_by_themselves(link: Link, text: str, waits: bool) -> None:
    made = link(f"{HEAD}from deepagents import create_deep_agent\nagent = {text}\n")
    (agent,) = (graph for graph in made.registry.graphs.values() if graph.agent)
    assert agent.waits_itself is waits


def test_middleware(link: Link) -> None:
    text = """
class Check(AgentMiddleware):
    def before_model(self, state): ...
    def after_model(self, state): ...
    def helper(self): ...
class Other:
    def before_model(self, state): ...
agent = create_agent(m, [], middleware=[Check()])
"""
    made = link(HEAD + text)
    assert made.units("middleware") == {"Check.before_model", "Check.after_model"}
    assert {name for name, _ in made.nodes()} == {"before_model", "after_model"}


def test_entrypoints_and_tasks(link: Link) -> None:
    made = link(
        HEAD + "@task\ndef a(): ...\n@task(name='x')\ndef b(): ...\n@entrypoint()\ndef flow(x): ...\nc = task(mail)\n"
    )
    assert made.units("recorded") >= {"a", "b"}
    assert made.units("entrypoint") == {"flow"}
    made.of("c")
    assert {name: made.registry.kind(("app.py", name)) for name in ("a", "b", "flow", "mail", "pay")} == {
        "a": "recorded", "b": "recorded", "flow": "entrypoint", "mail": "recorded", "pay": "",
    }  # fmt: skip
    (graph,) = (graph for graph in made.registry.graphs.values() if graph.agent == "entrypoint")
    assert len(graph.compiles) == 1


def test_single_calls_that_are_sent(link: Link) -> None:
    made = link(
        HEAD + "def fan(state): return [Send('tools', x) for x in state]\ndef g2(state): return Send(NAME, 1)\n"
    )
    assert made.registry.sent == {"tools": {("app.py", "fan")}}


def test_tools_called_one_by_one_do_not_share_a_node(link: Link) -> None:
    text = (
        "import requests\n@tool\ndef ask(x): interrupt(1)\n@tool\ndef charge(x): requests.post('a')\n"
        "def fan(state): return [Send('tools', c) for c in state.calls]\n"
        "g.add_node('tools', ToolNode([ask, charge]))\ng.add_node('model', pay)\n"
        "g.add_conditional_edges('model', {})\ng.compile()\n"
    )
    from resume_audit.analyzer.hazards import siblings

    for router, apart in (("fan", True), ("route", False)):
        made = link(HEAD + text.format(router))
        assert (not list(siblings(made.order, made.registry))) is apart


def test_registrations_under_other_names(link: Link) -> None:
    made = link(
        "from lib import G, tool_node\ndef pay(state): ...\nG(dict).add_node('n', pay)\ntool_node([pay])\n",
        files={
            "lib.py": "from langgraph.graph import StateGraph as G\n"
            "from langgraph.prebuilt import ToolNode as tool_node\n"
        },
    )
    assert made.nodes() == {("n", "pay")}
    assert group(made) == {True: {"pay"}}


def test_units_nobody_registered(link: Link) -> None:
    made = link(HEAD + "def ask(): interrupt(1)\ndef f(): ask()\ndef g1(state): ask()\ng.add_node('g', g1)\n")
    assert {unit.name for unit in made.program.units if unit.kind == "function"} == {"f"}
