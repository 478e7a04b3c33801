"""``python -m resume_audit`` and the ``resume-audit`` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave the process with its exit status."""
    try:
        from .cli.main import door
    except KeyboardInterrupt:
        print("resume-audit: interrupted", file=sys.stderr)
        sys.exit(130)
    door(prog_name="resume-audit")


if __name__ == "__main__":
    main()
