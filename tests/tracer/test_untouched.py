"""A traced program prints, returns and ends as it does untraced, whatever goes wrong with the trace."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from resume_audit.tracer import environment
from resume_audit.tracer.reader import Reading, events

CORES = ["settrace", *(["monitoring"] if sys.version_info >= (3, 12) else [])]

PROGRAMS = {
    "exit_code": "import sys\ndef charge(n): return n\nprint(charge(1))\nsys.exit(7)\n",
    "exit_text": "import sys\nsys.exit('over')\n",
    "os_exit": "import os\ndef charge(n): return n\ncharge(1)\nprint('here', flush=True)\nos._exit(4)\n",
    "uncaught": "def charge(n): raise ValueError('no money')\ncharge(1)\n",
    "interrupted": "def charge(n): raise KeyboardInterrupt\ncharge(1)\n",
    "killed": "import os, signal\ndef charge(n): return n\ncharge(1)\nos.kill(os.getpid(), signal.SIGTERM)\n",
    "recursion": """
def charge(n): return n
def down(n):
    return down(n + 1)
try:
    down(0)
except RecursionError as error:
    print(type(error).__name__, error)
print(charge(2))
""",
    "hostile_arguments": """
class Hostile:
    def __repr__(self): raise RuntimeError('repr')
    def __hash__(self): raise RuntimeError('hash')
    def __eq__(self, other): raise RuntimeError('eq')
    def __bool__(self): raise RuntimeError('bool')
    def __len__(self): raise RuntimeError('len')
    def __iter__(self): raise RuntimeError('iter')
    def __getattr__(self, name): raise RuntimeError('getattr')
    def __reduce__(self): raise RuntimeError('reduce')
class Counted(dict):
    def items(self): print('items was called'); return super().items()
class Slow:
    @property
    def __dict__(self):
        while True: pass
def charge(*given, **named): return len(given) + len(named)
loop = []
loop.append(loop)
print(charge(Hostile(), key=Hostile()), charge(Counted(a=1)), charge(loop), charge(Slow()), charge(float('nan')))
""",
    "threads": """
import threading, time
def charge(n): time.sleep(0.001); return n
threads = [threading.Thread(target=charge, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print('over')
""",
    "signals": """
import os, signal
def charge(n): return n
signal.signal(signal.SIGUSR1, lambda number, frame: print('signal', charge(number) == signal.SIGUSR1))
for n in range(5): os.kill(os.getpid(), signal.SIGUSR1); charge(n)
""",
    "closed_stderr": "import sys, os\ndef charge(n): return n\nsys.stderr.close()\nos.close(2)\nprint(charge(1))\n",
    "own_atexit": "import atexit\ndef charge(n): return n\natexit.register(lambda: print('bye', charge(3)))\n",
    "sys_path": "import sys, os\nprint([os.path.basename(p) for p in sys.path if 'startup' in p])\n",
    "as_errors": "import warnings\nwarnings.simplefilter('error')\ndef charge(n): return n\nprint(charge(1))\n",
}


def run(folder: Path, env: dict[str, str], limit: Callable[[], None] | None = None) -> tuple[str, str, int]:
    command = [sys.executable, "program.py"]
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, preexec_fn=limit, timeout=60
    )
    return done.stdout, done.stderr, done.returncode


def plain_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RESUME_AUDIT", "COV"))}


def traced_environment(store: Path, core: str, **more: object) -> dict[str, str]:
    settings = {"effects": ["program.charge", "__main__.charge"], "core": core, **more}
    return environment.child_environment(plain_environment(), store, settings)


def without_ours(stderr: str) -> tuple[str, list[str]]:
    lines = stderr.splitlines(keepends=True)
    ours = [line for line in lines if line.startswith("resume-audit: ")]
    return "".join(line for line in lines if line not in ours), ours


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_is_the_same(folder: Path, name: str, core: str) -> None:
    (folder / "program.py").write_text(PROGRAMS[name])
    store = folder / "traces"
    expected = run(folder, plain_environment())
    out, err, status = run(folder, traced_environment(store, core))
    err, ours = without_ours(err)
    assert (out, err, status) == expected
    assert len(ours) <= (name == "recursion")
    if "charge(" in PROGRAMS[name]:
        kinds = [event["kind"] for event in events([store], Reading())]
        assert "effect" in kinds or (name == "recursion" and "trace.gap" in kinds)


def read_only(store: Path) -> None:
    store.mkdir()
    store.chmod(0o500)


def a_file(store: Path) -> None:
    store.write_text("not a folder")


def bad_key(store: Path) -> None:
    store.mkdir()
    (store / "key").write_text("short")


@pytest.mark.parametrize("spoil", [read_only, a_file, bad_key], ids=lambda each: each.__name__)
def test_a_store_that_cannot_be_used_is_one_warning(folder: Path, spoil: Callable[[Path], None]) -> None:
    if spoil is read_only and os.geteuid() == 0:
        pytest.skip("root writes anywhere")
    (folder / "program.py").write_text(PROGRAMS["exit_code"])
    spoil(folder / "traces")
    expected = run(folder, plain_environment())
    out, err, status = run(folder, traced_environment(folder / "traces", "settrace"))
    err, ours = without_ours(err)
    assert (out, err, status) == expected
    assert len(ours) == 1
    assert "not attached" in ours[0]


REMOVING = """
import shutil
def charge(n): return n
charge(1)
shutil.rmtree('traces')
print([charge(n) for n in range(3)])
"""


def test_a_store_that_is_removed_is_one_warning(folder: Path) -> None:
    (folder / "program.py").write_text(REMOVING)
    (folder / "traces").mkdir()
    expected = run(folder, plain_environment())
    out, err, status = run(folder, traced_environment(folder / "traces", "settrace"))
    err, ours = without_ours(err)
    assert (out, err, status) == expected
    assert len(ours) == 1
    assert "removed" in ours[0]


FILLING = "def charge(n): return n\nprint(sum(charge(n) for n in range(2000)))\n"


def small_files() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_a_full_disk_is_one_warning(folder: Path) -> None:
    (folder / "program.py").write_text(FILLING)
    expected = run(folder, plain_environment())
    out, err, status = run(folder, traced_environment(folder / "traces", "settrace"), small_files)
    err, ours = without_ours(err)
    assert (out, err, status) == expected
    assert len(ours) == 1
    assert "recording stopped" in ours[0]


def test_the_limit_is_one_warning_and_a_gap(folder: Path) -> None:
    (folder / "program.py").write_text(FILLING)
    out, err, status = run(folder, traced_environment(folder / "traces", "settrace", max_size=20_000))
    assert (out, status) == (f"{sum(range(2000))}\n", 0)
    assert len(without_ours(err)[1]) == 1
    found = list(events([folder / "traces"], Reading()))
    assert [event["reason"] for event in found if event["kind"] == "trace.gap"] == ["limit"]
    assert sum(path.stat().st_size for path in (folder / "traces").glob("*.jsonl")) <= 20_000


def test_the_environments_own_sitecustomize_runs(folder: Path) -> None:
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text("print('customized', __name__)\n")
    (folder / "program.py").write_text("print('program')\n")
    env = {**plain_environment(), "PYTHONPATH": str(folder / "site")}
    expected = run(folder, env)
    assert expected[0] == "customized sitecustomize\nprogram\n"
    traced = environment.child_environment(env, folder / "traces", {})
    assert run(folder, traced) == expected
