"""The command line's front door: the group of commands, and how any of them ends."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from .. import __version__
from .check import check
from .explain import explain
from .rules import rules
from .status import INTERRUPTED, USAGE
from .streams import say
from .trace import trace
from .traces import traces


class Door(click.Group):
    """A group whose errors are one line on standard error and an exit status."""

    def main(  # type: ignore[override]  # one way to end, whatever the mode
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        **extra: Any,
    ) -> NoReturn:
        """Run a command and leave the process with its status."""
        extra["standalone_mode"] = False
        try:
            status = super().main(args, prog_name, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help(), err=True)
            status = USAGE
        except click.ClickException as error:
            say(f"error: {error.format_message()}")
            status = USAGE
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an interrupt ends it with one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted")
            return INTERRUPTED


@click.group(cls=Door, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message="resume-audit %(version)s")
def door() -> None:
    """Find code that acts twice, or loses an answer, when an agent run is resumed.

    Begin with `resume-audit check` in the folder of a project. `resume-audit COMMAND --help` says more of each.

    \b
    Exit status: 0 nothing at or above --fail-on, 1 findings,
    2 wrong usage or configuration, 3 a fault inside the audit.
    """


for _command in (check, explain, rules, trace, traces):
    door.add_command(_command)
