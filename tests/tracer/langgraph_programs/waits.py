"""Waits: several in a node, swallowed, static, refused (CO, LV)."""

from __future__ import annotations

import contextlib
import threading
import warnings
from typing import Any

from forks import gates, post, pre
from form import Form, State, hit, protocol
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt


def two(state: Any) -> Any:
    first = interrupt("1?")
    hit("between", first)
    second = interrupt("2?")
    hit("gated", [first, second])
    return {"out": [first, second]}


@protocol
async def two_interrupts(f: Form) -> None:
    graph = f.graph({"two": two}, "^>two")
    await f.new(graph)
    await f.answer(graph, "A")
    await f.answer(graph, "B")


@protocol
async def two_interrupts_first_map_again(f: Form) -> None:
    graph = f.graph({"two": two}, "^>two")
    await f.new(graph)
    wait = (await f.waits(graph))[0]
    await f.answer(graph, {wait: "A"})
    await f.answer(graph, {wait: "A"})


@protocol
async def interrupts_in_a_loop(f: Form) -> None:
    def loop(state: Any) -> Any:
        while True:
            hit("asked")
            if interrupt("more?") == "C":
                return {"out": ["done"]}

    graph = f.graph({"loop": loop}, "^>loop")
    await f.new(graph)
    for value in "ABC":
        await f.answer(graph, value)


@protocol
async def swallowed_interrupt(f: Form) -> None:
    def careless(state: Any) -> Any:
        with contextlib.suppress(Exception):
            interrupt("?")
        hit("ungated")
        return {"out": ["done"]}

    await f.new(f.graph({"careless": careless}, "^>careless"))


@protocol
async def interrupt_in_a_router(f: Form) -> None:
    def route(state: Any) -> Any:
        return "post" if interrupt("?") == "A" else END

    made = StateGraph(State)
    made.add_node("pre", f.node(pre))
    made.add_node("post", f.node(post))
    made.add_edge(START, "pre")
    made.add_conditional_edges("pre", f.node(route), ["post", END])
    graph = made.compile(checkpointer=f.saver)
    await f.new(graph)
    await f.answer(graph, "A")


@protocol
async def sends(f: Form) -> None:
    def worker(state: Any) -> Any:
        hit("before", state["seen"])
        hit("gated", interrupt(state["seen"]))
        return {"out": [state["seen"]]}

    def fan(state: Any) -> Any:
        return [Send("worker", {"seen": each}) for each in "abc"]

    made = StateGraph(State)
    made.add_node("worker", f.node(worker))
    made.add_conditional_edges(START, f.node(fan), ["worker"])
    graph = made.compile(checkpointer=f.saver)
    await f.new(graph)
    a, b, c = await f.waits(graph)
    await f.answer(graph, {a: "A"})
    await f.answer(graph, {b: "B", c: "C"})


@protocol
async def tool_node(f: Form) -> None:
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.graph import MessagesState
    from langgraph.prebuilt import ToolNode

    if f.is_async:

        @tool
        async def charge(n: int) -> str:
            """Charge."""
            hit("charge")
            return "charged"

        @tool
        async def ask(n: int) -> str:
            """Ask."""
            hit("ask before")
            return str(interrupt("?"))
    else:
        charged = threading.Event()

        @tool
        def charge(n: int) -> str:
            """Charge."""
            hit("charge")
            charged.set()
            return "charged"

        @tool
        def ask(n: int) -> str:
            """Ask."""
            charged.wait(30)
            hit("ask before")
            return str(interrupt("?"))

    calls = [{"name": name, "args": {"n": 1}, "id": name, "type": "tool_call"} for name in ("charge", "ask")]
    made = StateGraph(MessagesState)
    made.add_node("tools", ToolNode([charge, ask]))
    made.add_edge(START, "tools")
    graph = made.compile(checkpointer=f.saver)
    await f.invoke(graph, {"messages": [AIMessage("", tool_calls=calls)]})
    if not f.is_async:
        charged.clear()
    await f.answer(graph, "A")


@protocol
async def node_interrupt(f: Form) -> None:
    from langgraph.errors import NodeInterrupt

    def dynamic(state: Any) -> Any:
        hit("before")
        if state.get("seen") != "edited":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                raise NodeInterrupt("?")
        hit("gated")
        return {"out": ["done"]}

    graph = f.graph({"dynamic": dynamic}, "^>dynamic")
    await f.new(graph)
    await f.answer(graph, "A")
    await f.update(graph, f.config, {"seen": "edited"}, "__start__")
    await f.invoke(graph, None)


@protocol
async def static_before(f: Form) -> None:
    graph = f.graph({"pre": pre, "post": post}, "^>pre pre>post", interrupt_before=["post"])
    await f.new(graph)
    at = await f.at(graph)
    await f.invoke(graph, None)
    await f.invoke(graph, None)
    await f.answer(graph, "zz", at)


@protocol
async def static_after(f: Form) -> None:
    graph = f.graph({"pre": pre, "post": post}, "^>pre pre>post", interrupt_after=["pre"])
    await f.new(graph)
    await f.invoke(graph, None)


@protocol
async def static_forks(f: Form) -> None:
    graph = f.graph({"pre": pre, "post": post}, "^>pre pre>post", interrupt_before=["post"])
    await f.new(graph)
    at = await f.at(graph)
    for value in ("edit1", "edit2"):
        await f.invoke(graph, None, await f.update(graph, at, {"seen": value}))


@protocol
async def none_as_an_answer(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    await f.fails(f.answer(graph, None))
    await f.answer(graph, "A")


@protocol
async def maps_that_answer_nothing(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    await f.answer(graph, {"0" * 32: "A"})
    await f.answer(graph, {})
    await f.answer(graph, {"approved": True})


@protocol
async def nothing_to_start_with(f: Form) -> None:
    await f.fails(f.invoke(gates(f), None))


@protocol
async def no_checkpointer(f: Form) -> None:
    graph = f.graph({"pre": pre, "two": two}, "^>pre pre>two", saver=None)
    await f.new(graph)
    await f.fails(f.answer(graph, "A"))


@protocol
async def looked_at_while_parked(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    for _ in range(3):
        await f.state(graph)
        if f.is_async:
            assert [each async for each in graph.aget_state_history(f.config)]
        else:
            assert list(graph.get_state_history(f.config))
    await f.answer(graph, "A")
    await f.state(graph)
