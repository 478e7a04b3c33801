"""The traced load, as a process of its own: a graph of three nodes on a file of SQLite, run on fresh threads.

Prints CPU seconds of the runs, writing of the trace included, and the number of events written.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

WARM_UP = 10


def graph(folder: Path) -> Any:
    import sqlite3

    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import START, StateGraph

    builder: Any = StateGraph(dict)
    for name in "abc":
        builder.add_node(name, lambda state: {"seen": 1})
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    builder.add_edge("b", "c")
    saver = SqliteSaver(sqlite3.connect(folder / "load.db", check_same_thread=False))
    return builder.compile(checkpointer=saver)


def nothing(frame: object, event: str, arg: object) -> None:
    return None


def traced(mode: str, folder: Path) -> AbstractContextManager[Any]:
    if mode in ("settrace", "monitoring"):
        from resume_audit import tracer

        return tracer.recording(folder / "traces", core=mode)
    if mode.startswith("coverage"):
        import coverage

        measured = coverage.Coverage(data_file=None, config_file=False, source=["langgraph"])
        measured.set_option("run:core", mode.partition("-")[2])
        measured.start()
    elif mode == "null":
        threading.settrace(nothing)
        sys.settrace(nothing)
    return nullcontext()


def main(mode: str, runs: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        compiled = graph(Path(scratch))
        events = 0
        with traced(mode, Path(scratch)) as session:
            for number in range(WARM_UP):
                compiled.invoke({"seen": 0}, {"configurable": {"thread_id": f"warm-{number}"}})
            before = session.events if session is not None else 0
            start = time.process_time()
            for number in range(runs):
                compiled.invoke({"seen": 0}, {"configurable": {"thread_id": str(number)}})
            cpu = time.process_time() - start
            events = session.events - before if session is not None else 0
        print(json.dumps({"cpu": cpu, "events": events}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
