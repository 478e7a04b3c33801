"""Which core is used, and why."""

from __future__ import annotations

import sys

from .by_settrace import Settrace
from .protocol import CannotAttach, Core

NAMES = ("settrace", "monitoring")


def choose(asked: str | None) -> tuple[Core, str]:
    """The core and the reason for it. Raises CannotAttach for one this Python does not have, ValueError for none."""
    if asked is not None and asked not in NAMES:
        raise ValueError(f"no such core: {asked} (there are {' and '.join(NAMES)})")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if asked == "settrace":
        return Settrace(), "asked for"
    if not hasattr(sys, "monitoring"):
        if asked:
            raise CannotAttach(f"the monitoring core needs Python 3.12, this is {version}")
        return Settrace(), f"Python {version} has no sys.monitoring"
    from .by_monitoring import Monitoring

    return Monitoring(), "asked for" if asked else f"Python {version} has sys.monitoring, which costs least"
