"""Answers given at an address, twice, or beside a fork (FD, FI)."""

from __future__ import annotations

from typing import Any

from form import Form, hit, protocol
from langgraph.types import interrupt


def pre(state: Any) -> Any:
    hit("pre")
    return {"out": ["pre"]}


def gate(state: Any) -> Any:
    hit("before")
    value = interrupt("?")
    hit("gated", value)
    return {"out": [value]}


def post(state: Any) -> Any:
    hit("post")
    return {"out": ["post"]}


def gates(f: Form) -> Any:
    return f.graph({"pre": pre, "gate": gate, "post": post}, "^>pre pre>gate gate>post")


@protocol
async def bare_twice_at_a_checkpoint(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A", at)
    await f.answer(graph, "B", at)


@protocol
async def map_twice_at_a_checkpoint(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    wait = (await f.waits(graph))[0]
    await f.answer(graph, {wait: "A"}, at)
    await f.answer(graph, {wait: "B"}, at)


@protocol
async def four_answers_in_mid_graph(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    for value in "ABAC":
        await f.answer(graph, value, at)


@protocol
async def ordinary_then_addressed(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A")
    await f.answer(graph, "B", at)


@protocol
async def replayed_then_answered(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A")
    await f.invoke(graph, None, at)
    await f.answer(graph, "B")


@protocol
async def forked_by_update(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A")
    made = await f.update(graph, at, {"seen": "edited"})
    await f.answer(graph, "B", made)


@protocol
async def fork_answered_twice(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A")
    made = await f.update(graph, at, {"seen": "edited"})
    await f.answer(graph, "B", made)
    await f.answer(graph, "C", made)


@protocol
async def duplicate_at_a_checkpoint(f: Form) -> None:
    graph = gates(f)
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A", at)
    await f.answer(graph, "A", at)


@protocol
async def subgraph_called_in_a_node(f: Form) -> None:
    inner = f.graph({"gate": gate}, "^>gate", saver=None)

    async def caller(state: Any) -> Any:
        hit("caller before")
        found = await f.inner(inner, {"out": []})
        hit("caller after", found["out"][-1])
        return {"out": found["out"]}

    graph = f.graph({"caller": f.body(caller)}, "^>caller")
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A")
    await f.answer(graph, "B", at)


@protocol
async def subgraph_as_a_node(f: Form) -> None:
    inner = f.graph({"gate": gate}, "^>gate", saver=None)
    graph = f.graph({"pre": pre, "sub": inner}, "^>pre pre>sub")
    await f.new(graph)
    at = await f.at(graph)
    await f.answer(graph, "A")
    await f.answer(graph, "B", at)


@protocol
async def parallel_by_maps(f: Form) -> None:
    graph = parallel(f)
    await f.new(graph)
    at = await f.at(graph)
    a, b = await f.waits(graph)
    await f.answer(graph, {a: "A", b: "B"}, at)
    await f.answer(graph, {a: "A2", b: "B2"}, at)


def parallel(f: Form) -> Any:
    def a(state: Any) -> Any:
        hit("a before")
        hit("a gated", interrupt("a?"))
        return {"out": ["a"]}

    def b(state: Any) -> Any:
        hit("b before")
        hit("b gated", interrupt("b?"))
        return {"out": ["b"]}

    def plain(state: Any) -> Any:
        hit("plain")
        return {"out": ["plain"]}

    return f.graph({"a": a, "b": b, "plain": plain}, "^>a ^>b ^>plain")


@protocol
async def parallel_duplicate_map(f: Form) -> None:
    graph = parallel(f)
    await f.new(graph)
    a, b = await f.waits(graph)
    await f.answer(graph, {a: "A"})
    await f.answer(graph, {a: "A"})
    await f.answer(graph, {b: "B"})


@protocol
async def parallel_bare_is_refused(f: Form) -> None:
    graph = parallel(f)
    await f.new(graph)
    await f.fails(f.answer(graph, "A"))
