"""The two cores tell the same calls: each once, however it is suspended, and however it is left."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Generator, Iterator
from types import FrameType
from typing import Any

import pytest

from resume_audit.tracer.cores.by_settrace import Settrace
from resume_audit.tracer.cores.choice import choose
from resume_audit.tracer.cores.protocol import CannotAttach, Core
from resume_audit.tracer.hooks import Hook, Watched

CORES = ["settrace", *(["monitoring"] if sys.version_info >= (3, 12) else [])]
Log = list[tuple[str, ...]]


class Told:
    """Writes down what a core tells."""

    def __init__(self) -> None:
        self.log: Log = []

    def started(self, hook: Hook, frame: FrameType) -> int:
        self.log.append(("start", hook.event))
        return len(self.log)

    def ended(self, hook: Hook, frame: FrameType, state: Any, result: Any) -> None:
        assert self.log[state - 1] == ("start", hook.event)
        self.log.append(("end", hook.event, str(result)))

    def raised(self, hook: Hook, frame: FrameType, state: Any, error: BaseException | None) -> None:
        assert self.log[state - 1] == ("start", hook.event)
        self.log.append(("raise", hook.event, type(error).__name__))


def plain() -> int:
    return 1


def boom() -> None:
    try:
        raise ZeroDivisionError
    finally:
        plain()


def caught() -> int:
    with contextlib.suppress(ZeroDivisionError):
        boom()
    return 5


def counting() -> Generator[int, None, int]:
    yield 1
    yield 2
    return 3


def patient() -> Iterator[None]:
    while True:
        try:
            yield
        except ValueError:
            continue
        except GeneratorExit:
            return


def finishing() -> Iterator[int]:
    try:
        yield 1
    finally:
        plain()


class Twice:
    """Suspends once, by an iterator that is written in Python."""

    def __init__(self) -> None:
        self.asked = 0

    def __await__(self) -> Twice:
        return self

    def __iter__(self) -> Twice:
        return self

    def __next__(self) -> None:
        self.asked += 1
        if self.asked > 1:
            raise StopIteration(7)


async def awaiting() -> int:
    await asyncio.sleep(0)
    awaited: Any = Twice
    first: int = await awaited()
    second: int = await awaited()
    return first + second


async def failing() -> None:
    await asyncio.sleep(0)
    raise KeyError


async def sleeping() -> None:
    await asyncio.sleep(60)


async def streaming() -> AsyncIterator[int]:
    yield 1
    await asyncio.sleep(0)
    yield 2


WATCHED = [plain, boom, caught, counting, patient, finishing, awaiting, failing, sleeping, streaming]


async def tasks() -> None:
    await awaiting()
    with pytest.raises(KeyError):
        await failing()
    async for _ in streaming():
        pass
    task = asyncio.create_task(sleeping())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def functions() -> None:
    plain()
    with pytest.raises(ZeroDivisionError):
        boom()
    caught()


def generators() -> None:
    list(counting())
    thrown = counting()
    next(thrown)
    with pytest.raises(LookupError):
        thrown.throw(LookupError)
    suspended: Any = patient()
    next(suspended)
    suspended.throw(ValueError)
    suspended.throw(ValueError)
    suspended.close()
    left: Any = finishing()
    next(left)
    left.close()


def coroutines() -> None:
    asyncio.run(tasks())


def threads() -> None:
    thread = threading.Thread(target=plain)
    thread.start()
    thread.join()


PLAIN: Log = [("start", "plain"), ("end", "plain", "1")]
BOOM: Log = [("start", "boom"), *PLAIN, ("raise", "boom", "ZeroDivisionError")]
EXPECTED = {
    functions: [*PLAIN, *BOOM, ("start", "caught"), *BOOM, ("end", "caught", "5")],
    generators: [
        ("start", "counting"),
        ("end", "counting", "3"),
        ("start", "counting"),
        ("raise", "counting", "LookupError"),
        ("start", "patient"),
        ("end", "patient", "None"),
        ("start", "finishing"),
        *PLAIN,
        ("raise", "finishing", "GeneratorExit"),
    ],
    coroutines: [
        ("start", "awaiting"),
        ("end", "awaiting", "14"),
        ("start", "failing"),
        ("raise", "failing", "KeyError"),
        ("start", "streaming"),
        ("end", "streaming", "None"),
        ("start", "sleeping"),
        ("raise", "sleeping", "CancelledError"),
    ],
    threads: PLAIN,
}


def made(name: str) -> Core:
    if sys.gettrace() is not None and name == "settrace":
        pytest.skip("a debugger or coverage holds the trace function")
    return choose(name)[0]


def watched(told: Told) -> Watched:
    return Watched(Hook(told, each.__name__, each.__qualname__, file=__file__) for each in WATCHED)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize("program", EXPECTED, ids=lambda program: program.__name__)
def test_each_call_is_told_once(name: str, program: Any) -> None:
    told, core = Told(), made(name)
    core.install(watched(told), told)
    try:
        program()
    finally:
        core.remove()
    assert told.log == EXPECTED[program]
    program()
    assert told.log == EXPECTED[program], "nothing is told after the end"


@pytest.mark.parametrize("name", CORES)
def test_attaching_a_hundred_times(name: str) -> None:
    for _ in range(100):
        told, core = Told(), made(name)
        core.install(watched(told), told)
        plain()
        core.remove()
        assert told.log == PLAIN


def test_a_trace_function_that_is_there_is_left_alone() -> None:
    before = sys.gettrace()

    def debugger(frame: FrameType, event: str, arg: Any) -> None:
        return None

    sys.settrace(debugger)
    try:
        with pytest.raises(CannotAttach, match="another trace function"):
            Settrace().install(watched(Told()), Told())
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)


def test_a_trace_function_that_came_later_is_left_alone() -> None:
    before = sys.gettrace()
    core, told = made("settrace"), Told()
    core.install(watched(told), told)

    def debugger(frame: FrameType, event: str, arg: Any) -> None:
        return None

    sys.settrace(debugger)
    try:
        assert not core.is_installed()
        core.remove()
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)
    assert threading.gettrace() is None


@pytest.mark.skipif("monitoring" not in CORES, reason="Python 3.12 and later")
def test_monitoring_stands_beside_other_tools() -> None:
    monitoring: Any = vars(sys)["monitoring"]
    seen: list[str] = []
    monitoring.use_tool_id(1, "coverage")
    monitoring.register_callback(1, monitoring.events.PY_START, lambda code, offset: seen.append(code.co_name))
    monitoring.set_events(1, monitoring.events.PY_START)
    told, core = Told(), made("monitoring")
    try:
        core.install(watched(told), told)
        plain()
        core.remove()
        assert told.log == PLAIN
        assert monitoring.get_tool(1) == "coverage"
        seen.clear()
        plain()
        assert "plain" in seen
    finally:
        monitoring.set_events(1, 0)
        monitoring.free_tool_id(1)


@pytest.mark.skipif("monitoring" not in CORES, reason="Python 3.12 and later")
def test_monitoring_with_no_tool_id_left() -> None:
    monitoring: Any = vars(sys)["monitoring"]
    for number in (3, 4):
        monitoring.use_tool_id(number, f"other {number}")
    try:
        with pytest.raises(CannotAttach, match="other 4, other 3"):
            choose("monitoring")[0].install(watched(Told()), Told())
    finally:
        for number in (3, 4):
            monitoring.free_tool_id(number)


@pytest.mark.skipif("monitoring" not in CORES, reason="Python 3.12 and later")
def test_monitoring_sees_threads_that_run_already() -> None:
    told, core = Told(), made("monitoring")
    begin, done = threading.Event(), threading.Event()

    def work() -> None:
        begin.wait()
        plain()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    core.install(watched(told), told)
    try:
        begin.set()
        done.wait()
    finally:
        core.remove()
        thread.join()
    assert told.log == PLAIN


def test_the_choice_and_its_reason() -> None:
    core, why = choose(None)
    assert core.name == CORES[-1]
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in why
    with pytest.raises(ValueError, match="no such core: fast"):
        choose("fast")
    if "monitoring" not in CORES:
        with pytest.raises(CannotAttach, match=r"needs Python 3\.12"):
            choose("monitoring")


def test_functions_are_told_by_file_and_name(tmp_path: Any) -> None:
    told = Told()
    other = Watched([Hook(told, "plain", "plain", file="elsewhere/test_cores.py")])  # type: ignore[arg-type]
    core = made("settrace")
    core.install(other, told)
    try:
        plain()
    finally:
        core.remove()
    assert told.log == []
