"""The paths that were asked for: what lies under them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..analyzer.discover import SUFFIXES, Discovery, FoundFile, printable
from ..contract import AuditError


def nothing_under(paths: Sequence[Path], files: Sequence[FoundFile]) -> Iterator[str]:
    """A sentence for each path under which no Python was found, or that is none by its name."""
    folders = {folder for file in files if file.named for folder in file.path.parents}
    for path in dict.fromkeys(paths):
        shown = printable(path.as_posix())
        if path.is_dir():
            if Path(os.path.abspath(path)) not in folders:  # noqa: PTH100 - links are kept
                yield f"{shown}: no Python files or notebooks to audit here"
        elif path.suffix and path.suffix not in SUFFIXES:
            yield f"{shown}: no Python file by its name, and read as one because it was named"


def errors_under(paths: Sequence[Path], found: Discovery) -> Iterator[AuditError]:
    """What the search for files could not read, as far as it lies under the paths."""
    roots = [_relative(path, found.root) for path in paths]
    for error in found.errors:
        if any(root in (".", error.path) or error.path.startswith(f"{root}/") for root in roots):
            yield error


def _relative(path: Path, root: Path) -> str:
    try:
        return printable(Path(os.path.relpath(path, root)).as_posix())
    except ValueError:  # another drive
        return "."
