"""``resume-audit traces``: what was recorded."""

from __future__ import annotations

from pathlib import Path

import click

from ..tracer.reader import Reading, events, files
from ..tracer.session import DEFAULT
from ..tracer.summary import summarise
from .streams import say, write_out


@click.command(short_help="Say what was recorded.")
@click.argument("stores", nargs=-1, type=click.Path(path_type=Path))
def traces(stores: tuple[Path, ...]) -> int:
    """Say what the STORES hold: threads, runs, parks and since when, answers, effects, hooks not observed.

    A store is a folder of traces or one of its files; default .resume-audit/traces. It may be written to meanwhile.
    """
    stores = stores or (DEFAULT,)
    for store in stores:
        if not store.exists():
            raise click.ClickException(f"{store}: no such store")
    if not any(True for _ in files(stores)):
        say(f"{', '.join(map(str, stores))}: nothing was recorded")
        return 0
    reading = Reading()
    summary = summarise(events(stores, reading))
    write_out("".join(f"{line}\n" for line in [*summary.lines(), *reading.faults]))
    return 0
