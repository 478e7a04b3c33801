"""Effects in LangGraph: their task, run, thread and graph, wherever the node has its work done."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.tests.tracer.effect_programs import Ran, has_monitoring, libraries_python, run

pytestmark = pytest.mark.slow

GRAPH = """
import asyncio, concurrent.futures, contextvars, threading, urllib.request
from typing_extensions import TypedDict
from langgraph.graph import StateGraph, START
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
class State(TypedDict, total=False): out: str
def post(data=b"1"): urllib.request.urlopen(url, data=data).read()
def build(node, saver=None, **more):
    graph = StateGraph(State).add_node("node", node).add_edge(START, "node")
    return graph.compile(checkpointer=saver or InMemorySaver(), name="shop", **more)
config = {"configurable": {"thread_id": "t1"}}
"""


def traced(folder: Path, body: str, before: str = "", core: str = "") -> Ran:
    python = libraries_python()
    best = "monitoring" if has_monitoring(python) else "settrace"
    return run(folder, body, python=python, core=core or best, before=GRAPH + before, server=True)


def whose(ran: Ran) -> list[tuple[str, object, bool, bool]]:
    """Of each outermost effect its line's comment, thread, whether its task and run are those that were recorded."""
    tasks = {each["task"] for each in ran.events if each["kind"] == "task.start"}
    runs = {each["run"] for each in ran.events if each["kind"] == "run.start"}
    return [
        (ran.line(each).rpartition("# ")[2], each.get("thread"), each["task"] in tasks, each["run"] in runs)
        for each in ran.outermost
    ]


@pytest.mark.parametrize("core", ["settrace", "monitoring"])
def test_nodes_and_the_threads_and_tasks_they_start(tmp_path: Path, core: str) -> None:
    if core == "monitoring" and not has_monitoring(libraries_python()):
        return
    ran = traced(
        tmp_path,
        """
        def node(state):
            urllib.request.urlopen(url, data=b"1").read()  # node
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                pool.submit(urllib.request.urlopen, url, b"1").result()  # bare
                pool.submit(contextvars.copy_context().run, urllib.request.urlopen, url, b"1").result()  # copied
            thread = threading.Thread(target=urllib.request.urlopen, args=(url, b"1")); thread.start()  # thread
            thread.join()
        async def anode(state):
            await asyncio.to_thread(urllib.request.urlopen, url, b"1")  # to_thread
            await asyncio.get_running_loop().run_in_executor(None, urllib.request.urlopen, url, b"1")  # executor
            async def inner(): urllib.request.urlopen(url, b"1").read()  # inner
            await asyncio.create_task(inner())
        build(node).invoke({"out": ""}, config)
        asyncio.run(build(anode).ainvoke({"out": ""}, config))
        post()
        """,
        core=core,
    )
    names = ["node", "bare", "copied", "thread", "to_thread", "executor", "inner"]
    assert whose(ran)[:-1] == [(name, "t1", True, True) for name in names]
    assert {each["graph"] for each in ran.outermost[:-1]} == {"shop"}
    assert (ran.outermost[-1]["task"], ran.outermost[-1]["run"]) == (None, None)


def test_a_pool_that_outlives_a_node_is_nobodys(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        pool = concurrent.futures.ThreadPoolExecutor(1)
        def node(state):
            pool.submit(post, b"1").result()
            return {}
        build(node).invoke({"out": ""}, config)
        pool.submit(urllib.request.urlopen, url, b"2").result()  # later
        """,
    )
    assert [(each["task"] is None, each["run"] is None) for each in ran.outermost] == [(False, False), (True, True)]


def test_tools_tasks_of_the_functional_api_and_stores(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        @tool
        def charge(amount: int) -> str:
            "Charge."
            urllib.request.urlopen(url, data=b"1").read()  # tool
            return "ok"
        graph = StateGraph(MessagesState).add_node("tools", ToolNode([charge])).add_edge(START, "tools")
        graph = graph.compile(checkpointer=InMemorySaver())
        call = {"name": "charge", "args": {"amount": 1}, "id": "c1", "type": "tool_call"}
        graph.invoke({"messages": [AIMessage("", tool_calls=[call])]}, config)
        @task
        def step(): urllib.request.urlopen(url, data=b"1").read()  # task
        @entrypoint(checkpointer=InMemorySaver())
        def flow(value):
            step().result()
            return 1
        flow.invoke(1, config)
        def node(state, *, store: BaseStore):
            store.put(("a",), "k", {"v": 1})  # put
            store.get(("a",), "k")
            store.delete(("a",), "k")  # delete
            return {}
        async def anode(state, *, store: BaseStore):
            await store.aput(("a",), "k", {"v": 1})  # aput
            return {}
        build(node, store=InMemoryStore()).invoke({"out": ""}, config)
        asyncio.run(build(anode, store=InMemoryStore()).ainvoke({"out": ""}, config))
        """,
        before="""
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import MessagesState
from langgraph.prebuilt import ToolNode
from langgraph.func import task, entrypoint
from langgraph.store.base import BaseStore
""",
    )
    assert whose(ran) == [(name, "t1", True, True) for name in ("tool", "task", "put", "delete", "aput")]
    assert [each["name"].rpartition(".")[2] for each in ran.outermost[2:]] == ["put", "delete", "aput"]


def test_what_savers_do_is_none(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        def upload(data): urllib.request.urlopen(url, data=data).read()
        class Posting(InMemorySaver):
            def put(self, config, checkpoint, metadata, new_versions):
                upload(b"1")
                threading.Thread(target=upload, args=(b"1",)).start()
                return super().put(config, checkpoint, metadata, new_versions)
            async def aput(self, config, checkpoint, metadata, new_versions):
                await asyncio.to_thread(upload, b"1")
                return super().put(config, checkpoint, metadata, new_versions)
        build(lambda state: {}, Posting()).invoke({"out": ""}, config)
        asyncio.run(build(lambda state: {}, Posting()).ainvoke({"out": ""}, config))
        with SqliteSaver.from_conn_string("saver.db") as saver:
            build(lambda state: {}, saver).invoke({"out": ""}, config)
        async def main():
            async with AsyncSqliteSaver.from_conn_string("saver.db") as saver:
                await build(lambda state: {}, saver).ainvoke({"out": ""}, config)
        asyncio.run(main())
        print(len(Handler.asked) > 3)
        """,
        before="""
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
""",
    )
    assert ran.out.strip() == "True"
    assert ran.effects == []
