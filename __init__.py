"""Finds code that acts twice, or loses an answer, when an agent run is resumed.

``resume_audit.check(path)`` audits source and gives a ``Report``, as ``resume-audit check`` does.
Importing this package imports nothing else: the tracer stands in it too and has to stay light.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not imported: under ``python -m`` a typing.py of the audited folder would come first
if TYPE_CHECKING:
    from .cli.api import check

__version__ = "0.1.0"

__all__ = ["__version__", "check"]


def __getattr__(name: str) -> object:
    if name == "check":
        from .cli.api import check

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
