"""How runs end, and runs at the same time."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from forks import gate, gates, post, pre
from form import Form, hit, protocol
from langgraph.types import Command


@protocol
async def cancelled(f: Form) -> None:
    if not f.is_async:

        def stops(state: Any) -> Any:
            hit("stops")
            raise KeyboardInterrupt

        try:
            await f.new(f.graph({"pre": pre, "stops": stops}, "^>pre pre>stops"))
        except KeyboardInterrupt:
            return
        raise AssertionError
    reached = asyncio.Event()

    async def stops(state: Any) -> Any:  # type: ignore[no-redef]
        hit("stops")
        reached.set()
        await asyncio.Event().wait()

    graph = f.graph({"pre": pre, "stops": f.body(stops)}, "^>pre pre>stops")
    running = asyncio.ensure_future(f.new(graph))
    await reached.wait()
    running.cancel()
    try:
        await running
    except asyncio.CancelledError:
        return
    raise AssertionError


@protocol
async def sibling_outlives_the_failure(f: Form) -> None:
    """What runs in a thread goes on when its run has failed; a coroutine is cancelled."""
    begun: Any = asyncio.Event() if f.is_async else threading.Event()

    async def slow(state: Any) -> Any:
        begun.set()
        await f.pause(0.3)
        hit("plain")
        return {"out": ["late"]}

    async def breaks(state: Any) -> Any:
        if f.is_async:
            await begun.wait()
        else:
            begun.wait(30)
        raise ValueError

    await f.fails(f.new(f.graph({"breaks": f.body(breaks), "slow": f.body(slow)}, "^>breaks ^>slow")))


@protocol
async def stream_left_early(f: Form) -> None:
    graph = f.graph({"pre": pre, "post": post}, "^>pre pre>post")
    if f.is_async:
        stream = graph.astream({"out": []}, f.config, durability="sync")
        await anext(stream)
        await stream.aclose()
    else:
        stream = graph.stream({"out": []}, f.config, durability="sync")
        next(stream)
        stream.close()


@protocol
async def steps_run_out(f: Form) -> None:
    graph = f.graph({"pre": pre}, "^>pre pre>pre")
    await f.fails(f.new(graph, {**f.config, "recursion_limit": 3}))


@protocol
async def two_answers_at_once(f: Form) -> None:
    """Both are sent before either is served."""
    met: Any = _Meeting() if f.is_async else threading.Barrier(2)

    async def meets(state: Any) -> Any:
        from langgraph.types import interrupt

        value = interrupt("?")
        if f.is_async:
            await met.wait()
        else:
            met.wait(30)
        hit("gated", value)
        return {"out": [value]}

    graph = f.graph({"gate": f.body(meets)}, "^>gate")
    await f.new(graph)
    if f.is_async:
        await asyncio.gather(*(f.answer(graph, value) for value in "AB"))
        return
    threads = [threading.Thread(target=graph.invoke, args=(Command(resume=each), f.config)) for each in "AB"]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class _Meeting:
    """A barrier for two coroutines."""

    def __init__(self) -> None:
        self.came = 0
        self.both = asyncio.Event()

    async def wait(self) -> None:
        self.came += 1
        if self.came == 2:
            self.both.set()
        await self.both.wait()


@protocol
async def many_threads_at_once(f: Form) -> None:
    graph = gates(f)
    configs = [f.thread() for _ in range(6)]
    inputs = [{"out": []} for _ in configs]
    answers = [Command(resume="A") for _ in configs]
    if f.is_async:
        await graph.abatch(inputs, configs)
        await graph.abatch(answers, configs)
    else:
        graph.batch(inputs, configs)
        graph.batch(answers, configs)


@protocol
async def saver_class_made_late(f: Form) -> None:
    """Its class comes to be while the tracer is attached; its methods call those of the one it is derived from."""

    class Late(type(f.saver)):  # type: ignore[misc]
        def put(self, *args: Any, **more: Any) -> Any:
            return super().put(*args, **more)

        async def aput(self, *args: Any, **more: Any) -> Any:
            return await super().aput(*args, **more)

    f.saver.__class__ = Late
    try:
        graph = f.graph({"gate": gate}, "^>gate")
        await f.new(graph)
        await f.answer(graph, "A")
    finally:
        f.saver.__class__ = Late.__mro__[1]
