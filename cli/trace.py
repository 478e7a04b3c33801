"""``resume-audit trace``: run a program with the tracer attached."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from ..analyzer.discover import project_root
from ..config import ConfigError, load
from ..tracer import environment
from ..tracer.cores.choice import NAMES
from ..tracer.reader import Reading, events
from ..tracer.session import DEFAULT
from ..tracer.summary import summarise
from .streams import say, say_block

_FORWARDED = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


@click.command(
    short_help="Run a program with the tracer attached.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEFAULT,
    show_default=True,
    help="The folder to write to.",
)
@click.option(
    "--effect",
    "effects",
    multiple=True,
    metavar="NAME",
    help="A function of the program that acts, by its qualified name (shop.payments.charge). Repeatable.",
)
@click.option("--core", type=click.Choice(NAMES), help="How calls are seen; default the best this Python has.")
@click.option("--summary", is_flag=True, help="Say at the end what was recorded.")
@click.option("--audit", is_flag=True, help="Hear Python's audit events, too: files, os calls, sockets.")
@click.option("--fsync", is_flag=True, help="Force every event to the disk: a power cut loses none, and it costs.")
@click.option("--max-size", type=click.IntRange(min=1), metavar="MB", help="Stop recording after this many megabytes.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def trace(
    store: Path,
    effects: tuple[str, ...],
    core: str | None,
    summary: bool,
    audit: bool,
    fsync: bool,
    max_size: int | None,
    command: tuple[str, ...],
) -> int:
    """Run COMMAND, and the Python programs it starts, with the tracer attached.

    The exit status is the command's. Python programs started with -I, -E or -S are not traced.
    Effects that the configuration of the current folder declares are watched, too.
    """
    settings: dict[str, Any] = {"effects": [*_declared(), *effects], "core": core, "fsync": fsync, "audit": audit}
    if max_size is not None:
        settings["max_size"] = max_size * 1_000_000
    before = set(store.glob("*.jsonl")) if store.is_dir() else set()
    child = environment.child_environment(os.environ, store, {k: v for k, v in settings.items() if v})
    try:
        process = subprocess.Popen(command, env=child)
    except OSError as error:
        raise click.ClickException(f"{command[0]}: {error.strerror or error}") from None
    status = _wait(process)
    written = [path for path in sorted(store.glob("*.jsonl")) if path not in before] if store.is_dir() else []
    if summary or not written:
        _tell(written, store)
    return status if status >= 0 else 128 - status


def _declared() -> list[dict[str, Any]]:
    """The effects of the configuration of the folder it is run in."""
    here = Path.cwd()
    try:
        config = load(project_root(here), None, [here])
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    return [{"name": each.name, "once": each.once, "key": each.key} for each in config.effects]


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait for the command, handing on the signals that are meant for it."""
    for name in _FORWARDED:
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, lambda received, _: process.send_signal(received))
    signal.signal(signal.SIGINT, lambda *_: None)  # a terminal sends it to the command, too
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def _tell(written: list[Path], store: Path) -> None:
    if not written:
        say(
            "nothing was traced: the command is no Python program, ended before it began, or was started with "
            "-I, -E or -S"
        )
        return
    reading = Reading()
    lines = [f"traced to {store}", *(f"  {line}" for line in summarise(events(written, reading)).lines())]
    say_block("\n".join([*lines, *(f"  {fault}" for fault in reading.faults)]) + "\n")
    sys.stderr.flush()
