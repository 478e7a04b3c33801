"""What runs again after a park, a failure or a restart (EO, PC)."""

from __future__ import annotations

from typing import Any

from forks import gate, gates, pre
from form import Form, hit, protocol
from langgraph.func import entrypoint, task
from langgraph.types import interrupt


def plain(state: Any) -> Any:
    hit("plain")
    return {"out": ["plain"]}


@protocol
async def interrupt_path(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    await f.answer(graph, "A")


@protocol
async def stray_answers(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    await f.answer(graph, "A")
    await f.answer(graph, "A")
    await f.invoke(graph, None)


@protocol
async def fan_out_addressed_at_head(f: Form) -> None:
    graph = f.graph({"gate": gate, "plain": plain}, "^>gate ^>plain")
    await f.new(graph)
    await f.answer(graph, "A", await f.at(graph))


@protocol
async def fan_out_in_a_subgraph(f: Form) -> None:
    inner = f.graph({"gate": gate, "plain": plain}, "^>gate ^>plain", saver=None)
    graph = f.graph({"sub": inner}, "^>sub")
    await f.new(graph)
    await f.answer(graph, "A")


def functional(f: Form, extra: bool = False) -> Any:
    def first(n: int) -> int:
        hit("first")
        return n

    def second(n: int) -> int:
        hit("second")
        return n

    one, two = task(f.node(first)), task(f.node(second))
    times = []

    async def flow(n: int) -> Any:
        hit("body")
        times.append(1)
        if extra and len(times) > 1:
            await f.call(two(0))
        await f.call(one(n))
        value = interrupt("?")
        await f.call(two(n))
        return value

    return entrypoint(checkpointer=f.saver)(f.body(flow))


@protocol
async def entrypoint_with_tasks(f: Form) -> None:
    flow = functional(f)
    await f.invoke(flow, 1)
    await f.answer(flow, "A")
    await f.answer(flow, "A")


@protocol
async def entrypoint_answered_twice(f: Form) -> None:
    flow = functional(f)
    await f.invoke(flow, 1)
    at = await f.at(flow)
    await f.answer(flow, "A")
    await f.answer(flow, "B", at)


@protocol
async def entrypoint_addressed_at_head(f: Form) -> None:
    flow = functional(f)
    await f.invoke(flow, 1)
    await f.answer(flow, "A", await f.at(flow))


@protocol
async def entrypoint_with_another_task_when_run_again(f: Form) -> None:
    flow = functional(f, extra=True)
    await f.invoke(flow, 1)
    await f.answer(flow, "A")


@protocol
async def task_in_a_node(f: Form) -> None:
    graph = f.graph({"node": with_task(f)}, "^>node")
    await f.new(graph)
    await f.answer(graph, "A")


@protocol
async def task_in_a_node_of_a_subgraph(f: Form) -> None:
    inner = f.graph({"node": with_task(f)}, "^>node", saver=None)
    graph = f.graph({"sub": inner}, "^>sub")
    await f.new(graph)
    await f.answer(graph, "A")


def with_task(f: Form) -> Any:
    def charge(n: int) -> int:
        hit("charge")
        return n

    charged = task(f.node(charge))

    async def node(state: Any) -> Any:
        await f.call(charged(1))
        return {"out": [interrupt("?")]}

    return f.body(node)


@protocol
async def answered_then_fails(f: Form) -> None:
    times: list[int] = []

    def fragile(state: Any) -> Any:
        value = interrupt("?")
        hit("gated", value)
        times.append(1)
        if len(times) == 1:
            raise ValueError
        return {"out": [value]}

    graph = f.graph({"fragile": fragile}, "^>fragile")
    await f.new(graph)
    await f.fails(f.answer(graph, "A"))
    await f.answer(graph, "B")


def fragile(f: Form) -> Any:
    times: list[int] = []

    async def breaks(state: Any) -> Any:
        times.append(1)
        hit("breaks")
        if len(times) == 1:
            await f.recorded("out")
            raise ValueError
        return {"out": ["late"]}

    return f.graph({"pre": pre, "breaks": f.body(breaks), "plain": plain}, "^>pre pre>breaks pre>plain")


@protocol
async def fails_then_none(f: Form) -> None:
    graph = fragile(f)
    await f.fails(f.new(graph, durability="sync"))
    await f.invoke(graph, None)


@protocol
async def fails_then_input(f: Form) -> None:
    graph = fragile(f)
    await f.fails(f.new(graph, durability="sync"))
    await f.new(graph)


@protocol
async def fails_then_none_addressed(f: Form) -> None:
    graph = fragile(f)
    await f.fails(f.new(graph, durability="sync"))
    await f.invoke(graph, None, await f.at(graph))


@protocol
async def new_input_while_parked(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    await f.new(graph)


@protocol
async def nothing_durable_until_the_exit(f: Form) -> None:
    graph = gates(f)
    await f.new(graph, durability="exit")
    await f.answer(graph, "A")


@protocol
async def retried_by_policy(f: Form) -> None:
    from form import State
    from langgraph.graph import START, StateGraph
    from langgraph.types import RetryPolicy

    times: list[int] = []

    def unsteady(state: Any) -> Any:
        hit("unsteady")
        times.append(1)
        if len(times) < 3:
            raise ValueError
        return {"out": ["done"]}

    made = StateGraph(State)
    policy = RetryPolicy(initial_interval=0.001, jitter=False, retry_on=ValueError)
    made.add_node("unsteady", f.node(unsteady), retry_policy=policy)
    made.add_edge(START, "unsteady")
    await f.new(made.compile(checkpointer=f.saver))
