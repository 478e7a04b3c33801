"""The audited files, for reports that address them or quote them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from ..analyzer.source import SourceError, read_path
from ..contract import Place
from ..rules.suppressions import Comment

_SAFE = "/-._~!$&'()*+,;=@"
"""Characters of a path that a relative reference may hold as they are; a colon would begin a scheme."""

_LINE_END = re.compile(rb"\r\n|\r|\n")


def _no_line(path: str, number: int) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a report may ask of the files, by the paths that findings name.

    ``line(path, number)`` is a line's text, "" where it cannot be had. ``comments`` are those that suppress.
    """

    root: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict)
    line: Callable[[str, int], str] = _no_line
    comments: Mapping[str, Sequence[Comment]] = field(default_factory=dict)

    def uri(self, path: str) -> str:
        """The path as a relative reference: of the file itself, where links lead to it inside the root.

        Code scanning shows nothing behind a link. Escapes in a reported path are undone: the name's own
        bytes count.
        """
        file = self.files.get(path)
        if file is None or self.root is None:
            return quote(path.encode("utf-8", "surrogateescape"), _SAFE)
        real, root = Path(os.path.realpath(file)), Path(os.path.realpath(self.root))
        if real.is_relative_to(root):
            return quote(os.fsencode(real.relative_to(root).as_posix()), _SAFE)
        return quote(os.fsencode(Path(os.path.relpath(file, self.root)).as_posix()), _SAFE)

    def data(self, path: str) -> bytes | None:
        """The file's bytes; None where it cannot be read."""
        file = self.files.get(path)
        if file is None:
            return None
        try:
            return read_path(file)
        except SourceError:
            return None

    def inside(self, place: Place) -> Place:
        """The place, on the last line where it stands behind the end: parsers may stop there."""
        if self.line(place.path, place.line):
            return place
        data = self.data(place.path)
        last = place.line if data is None else len(_LINE_END.findall(data)) + 1
        return place if place.line <= last else Place(place.path, last, cell=place.cell)
