"""How protocols are run: with the sync or the async half of LangGraph, on a saver, written once for both.

A protocol is a coroutine. In the sync form it never suspends and is driven to its end without an event loop.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import operator
import time
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import Command

PROTOCOLS: dict[str, Callable[[Form], Coroutine[Any, Any, None]]] = {}


class State(TypedDict, total=False):
    """The state of most protocols."""

    out: Annotated[list[Any], operator.add]
    seen: str


def hit(name: str, answer: object = None) -> None:
    """The effect, declared to the tracer."""


def drive(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it suspended")


def protocol(function: Callable[[Form], Coroutine[Any, Any, None]]) -> Callable[[Form], Coroutine[Any, Any, None]]:
    """Register a protocol by its name."""
    PROTOCOLS[function.__name__] = function
    return function


class Form:
    """One way to run: a saver, a thread of its own, sync or async."""

    def __init__(self, saver: Any, name: str, is_async: bool) -> None:
        self.saver = saver
        self.name = name
        self.is_async = is_async
        self.errors: list[str] = []
        self._threads = itertools.count(1)
        self.config = self.thread()

    def thread(self) -> dict[str, Any]:
        """The configuration of a new thread."""
        return {"configurable": {"thread_id": f"{self.name}-{next(self._threads)}"}}

    def node(self, function: Callable[..., Any]) -> Any:
        """A plain function as a node of this form."""
        if not self.is_async or inspect.iscoroutinefunction(function):
            return function

        @functools.wraps(function)
        async def node(*args: Any) -> Any:
            return function(*args)

        return node

    def body(self, function: Callable[..., Coroutine[Any, Any, Any]]) -> Any:
        """A coroutine function as a node of this form."""
        if self.is_async:
            return function

        @functools.wraps(function)
        def node(*args: Any) -> Any:
            return drive(function(*args))

        return node

    def graph(self, nodes: dict[str, Callable[..., Any]], edges: str, saver: Any = "own", **options: Any) -> Any:
        """A graph of plain functions. Edges: ``a>b c>d``; START is ``^``."""
        made = StateGraph(State)
        for name, function in nodes.items():
            made.add_node(name, self.node(function) if type(function) is type(hit) else function)
        for edge in edges.split():
            start, _, end = edge.partition(">")
            made.add_edge(START if start == "^" else start, end)
        return made.compile(checkpointer=self.saver if isinstance(saver, str) else saver, **options)

    async def invoke(self, graph: Any, value: Any, config: dict[str, Any] | None = None, **options: Any) -> Any:
        """Call a graph."""
        config = config or self.config
        return (
            await graph.ainvoke(value, config, **options) if self.is_async else graph.invoke(value, config, **options)
        )

    async def new(self, graph: Any, config: dict[str, Any] | None = None, **options: Any) -> Any:
        """Call a graph with a new input."""
        return await self.invoke(graph, {"out": []}, config, **options)

    async def answer(self, graph: Any, value: Any, config: dict[str, Any] | None = None) -> Any:
        """Answer a wait."""
        return await self.invoke(graph, Command(resume=value), config)

    async def fails(self, call: Coroutine[Any, Any, Any]) -> None:
        """A call that is expected to raise."""
        try:
            await call
        except Exception as error:  # noqa: BLE001 - the protocol says that it fails, the trace with what
            self.errors.append(type(error).__name__)
        else:
            raise AssertionError("it did not fail")

    async def state(self, graph: Any, config: dict[str, Any] | None = None) -> Any:
        """The state of a thread."""
        config = config or self.config
        return await graph.aget_state(config) if self.is_async else graph.get_state(config)

    async def at(self, graph: Any) -> dict[str, Any]:
        """The address of the newest checkpoint, as a caller names it."""
        found = (await self.state(graph)).config["configurable"]["checkpoint_id"]
        return {"configurable": {**self.config["configurable"], "checkpoint_ns": "", "checkpoint_id": found}}

    async def waits(self, graph: Any) -> list[str]:
        """The ids of the open waits, in the order of their tasks' names."""
        tasks = sorted((await self.state(graph)).tasks, key=lambda task: task.name)
        return [each.id for task in tasks for each in task.interrupts]

    async def update(self, graph: Any, config: dict[str, Any], values: Any, as_node: str | None = None) -> Any:
        """Change the state from outside."""
        if self.is_async:
            return await graph.aupdate_state(config, values, as_node=as_node)
        return graph.update_state(config, values, as_node=as_node)

    async def recorded(self, channel: str) -> None:
        """Wait until a result is recorded beside the checkpoint."""
        while True:
            found = await self.saver.aget_tuple(self.config) if self.is_async else self.saver.get_tuple(self.config)
            if found is not None and any(each[1] == channel for each in found.pending_writes or ()):
                return
            await self.pause()

    async def pause(self, seconds: float = 0.01) -> None:
        """Let others go on."""
        if self.is_async:
            await asyncio.sleep(seconds)
        else:
            time.sleep(seconds)  # noqa: ASYNC251 - the sync form has no event loop

    async def inner(self, graph: Any, value: Any) -> Any:
        """Call a subgraph within a node."""
        return await graph.ainvoke(value) if self.is_async else graph.invoke(value)

    async def call(self, future: Any) -> Any:
        """The result of a task of the functional API."""
        return await future if self.is_async else future.result()
