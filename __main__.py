"""``python -m resume_audit`` and the ``resume-audit`` command."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def leave_the_folder() -> None:
    """Take the current folder off ``sys.path``, where ``python -m`` puts it first.

    It may be the audited one, and a ``click.py`` of its own must not run in place of ours.
    """
    here = os.path.realpath(os.getcwd())
    own = os.path.realpath(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if sys.path and sys.path[0] in ("", os.getcwd()) and here != own:
        del sys.path[0]


def main() -> None:
    """Run the command line and leave the process with its exit status."""
    gc.disable()  # one audit, and the process ends: to collect what it leaves costs more than the memory
    atexit.register(gc.freeze)  # Python collects once more when it ends
    try:
        from .cli.main import door
    except KeyboardInterrupt:
        print("resume-audit: interrupted", file=sys.stderr)
        sys.exit(130)
    door(prog_name="resume-audit")


if __name__ == "__main__":
    leave_the_folder()
    main()
