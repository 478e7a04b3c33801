"""The store: what is written, by whom, and what is left when a process is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from resume_audit.tracer import environment
from resume_audit.tracer.digests import BadKey, Digests, load_key
from resume_audit.tracer.reader import Reading, events, files
from resume_audit.tracer.store import Limits, Store
from resume_audit.tracer.summary import summarise

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / ".venv" / "root"


def lines(store: Path) -> list[dict[str, object]]:
    return list(events([store], Reading()))


def test_the_head_and_the_events(tmp_path: Path) -> None:
    store = Store(tmp_path, {"tool": "1", "core": "settrace"})
    store.write({"kind": "effect", "name": "charge"})
    store.close()
    (path,) = tmp_path.glob("*.jsonl")
    assert path.name == f"{store.process}.0.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    head, event = (json.loads(line) for line in path.read_text().splitlines())
    assert {key: head[key] for key in ("kind", "schema", "pid", "core")} == {
        "kind": "trace",
        "schema": 1,
        "pid": os.getpid(),
        "core": "settrace",
    }
    assert (event["kind"], event["name"], event["process"]) == ("effect", "charge", store.process)
    assert abs(event["at"] - time.time_ns()) < 60e9


def test_every_event_is_in_the_file_when_write_returns(tmp_path: Path) -> None:
    store = Store(tmp_path, {})
    for number in range(20):
        store.write({"kind": "effect", "n": number})
        assert lines(tmp_path)[-1]["n"] == number
    store.close()


def test_files_go_on_in_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path, {}, Limits(rotate_at=1000))
    for number in range(50):
        store.write({"kind": "effect", "n": number})
    store.close()
    paths = list(files([tmp_path]))
    assert [path.name for path in paths] == [f"{store.process}.{n}.jsonl" for n in range(len(paths))]
    assert len(paths) > 3
    assert all(path.stat().st_size <= 1000 for path in paths)
    assert [event["n"] for event in lines(tmp_path) if event["kind"] == "effect"] == list(range(50))
    assert all(next(events([path], Reading()))["kind"] == "trace" for path in paths)


def test_a_limit_stops_recording(tmp_path: Path) -> None:
    store = Store(tmp_path, {}, Limits(largest=6000))
    for _ in range(100):
        store.write({"kind": "effect"})
    assert "limit" in store.lost
    store.close()
    found = lines(tmp_path)
    assert found[-1]["kind"] == "trace.gap"
    assert found[-1]["reason"] == "limit"
    assert sum(path.stat().st_size for path in files([tmp_path])) <= 6000


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    store = Store(tmp_path, {}, Limits(rotate_at=20_000))

    def work(thread: int) -> None:
        for number in range(200):
            store.write({"kind": "effect", "thread": thread, "n": number, "fill": "x" * (number % 50)})

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    reading = Reading()
    found = [event for event in events([tmp_path], reading) if event["kind"] == "effect"]
    assert reading.faults == []
    assert {(event["thread"], event["n"]) for event in found} == {(t, n) for t in range(16) for n in range(200)}
    assert len(found) == 3200


def test_a_torn_line_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path, {})
    store.write({"kind": "effect"})
    store.close()
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes() + b'{"kind": "effe')
    reading = Reading()
    assert [event["kind"] for event in events([tmp_path], reading)] == ["trace", "effect"]
    assert len(reading.faults) == 1
    assert "torn" in reading.faults[0]


# keys


def test_one_key_for_all(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(PACKAGE)!r})\n"
    code += "from pathlib import Path\nfrom resume_audit.tracer.digests import load_key\n"
    code += f"print(load_key(Path({str(tmp_path)!r})).hex())\n"
    racing = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(20)]
    keys = {process.communicate()[0] for process in racing}
    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_the_key_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESUME_AUDIT_KEY", "ab" * 32)
    assert load_key(tmp_path) == b"\xab" * 32
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("RESUME_AUDIT_KEY", "ab")
    with pytest.raises(BadKey, match="64 hexadecimal digits"):
        load_key(tmp_path)


def test_digests_need_the_key() -> None:
    one, other = Digests(b"a" * 32), Digests(b"b" * 32)
    assert one.of({"a": [1, (2,)]}) == one.of({"a": (1, [2])})
    assert one.of({"a": 1}) != other.of({"a": 1})
    assert one.of(iter([])) is None


# processes


def traced(tmp_path: Path, program: str, **settings: object) -> subprocess.Popen[str]:
    (tmp_path / "program.py").write_text(program)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RESUME_AUDIT", "COV"))}
    env = environment.child_environment(clean, tmp_path / "traces", {"effects": ["__main__.charge"], **settings})
    command = [sys.executable, "program.py"]
    return subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def charged(store: Path) -> list[dict[str, object]]:
    return [event for event in lines(store) if event["kind"] == "effect" and event["name"] == "__main__.charge"]


CHARGING = """
import os
def charge(n): return n
while True:
    charge(1)
    os.write(1, b'.')
"""


@pytest.mark.parametrize("times", [pytest.param(5, id="few"), pytest.param(50, id="many", marks=pytest.mark.slow)])
def test_what_returned_is_there_after_a_kill(tmp_path: Path, times: int) -> None:
    for number in range(times):
        folder = tmp_path / str(number)
        folder.mkdir()
        workers = [traced(folder, CHARGING) for _ in range(1 + number % 2)]
        told = 0
        for worker in workers:
            assert worker.stdout is not None
            worker.stdout.read(200)
        time.sleep(random.random() / 50)
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
        for worker in workers:
            told += 200 + len(worker.communicate()[0])
        ended = [event for event in lines(folder / "traces") if event["kind"] == "effect.end"]
        assert len(list(files([folder / "traces"]))) == len(workers)
        assert len(ended) >= told
        assert len(charged(folder / "traces")) >= told


FORKING = """
import multiprocessing, os, subprocess, sys
def charge(n): return n
def work(n): charge(n)
if __name__ == '__main__':
    charge(0)
    pid = os.fork()
    if pid == 0:
        charge(1)
        os._exit(0)
    os.waitpid(pid, 0)
    for method in ('fork', 'spawn', 'forkserver'):
        child = multiprocessing.get_context(method).Process(target=work, args=(2,))
        child.start(); child.join()
    subprocess.run([sys.executable, '-c', 'def charge(n): return n\\ncharge(3)'], check=True)
    subprocess.run([sys.executable, '-I', '-c', 'def charge(n): return n\\ncharge(4)'], check=True)
    charge(5)
"""


def test_every_process_has_files_of_its_own(tmp_path: Path) -> None:
    done = traced(tmp_path, FORKING, effects=["__main__.charge", "__mp_main__.charge", "program.charge"])
    assert done.communicate()[1] == ""
    store = tmp_path / "traces"
    effects = [event for event in lines(store) if event["kind"] == "effect" and ".charge" in str(event["name"])]
    by_process: dict[object, int] = {}
    for event in effects:
        by_process[event["process"]] = by_process.get(event["process"], 0) + 1
    assert sorted(by_process.values()) == [1, 1, 1, 1, 1, 2]
    for path in files([store]):
        processes = {event.get("process") for event in events([path], Reading()) if event["kind"] != "trace"}
        assert processes <= {path.name.rsplit(".", 2)[0]}


SECRET = """
def charge(card, *, key=None, headers=None): raise ValueError(card)
class Basket:
    def __init__(self): self.card = '4111-secret'
for given in ('4111-secret', ['4111-secret'], {'card': '4111-secret'}, Basket()):
    try: charge(given, key='4111-secret', headers={'Authorization': '4111-secret'})
    except ValueError: pass
"""


def test_no_value_reaches_the_store(tmp_path: Path) -> None:
    done = traced(tmp_path, SECRET, effects=[{"name": "__main__.charge", "key": "key"}])
    done.communicate()
    store = tmp_path / "traces"
    assert len(charged(store)) == 4
    assert all(event["digest"] and event["key"] for event in charged(store))
    assert b"4111" not in b"".join(path.read_bytes() for path in store.iterdir())


def test_a_summary_of_what_is_there(tmp_path: Path) -> None:
    traced(tmp_path, "def charge(n): return n\ncharge(1)\ncharge(2)\n").communicate()
    text = "\n".join(summarise(events([tmp_path / "traces"], Reading())).lines())
    assert "2 __main__.charge" in text
    assert "no framework was seen" in text
