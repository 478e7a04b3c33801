"""How findings are recognised from one commit to the next."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from ..contract import Finding, Place

GITHUB = "primaryLocationLineHash"
"""The key under which code scanning looks for its hash; it reads no other."""

OWN = "resumeAudit/v1"
"""The key of our own fingerprint. A change of what goes into it is a new version."""

_BASE = 37
_WINDOW = 100
_MASK = (1 << 64) - 1
_END_OF_FILE = b"\xff\xff"


def line_hashes(data: bytes, lines: Collection[int]) -> dict[int, str]:
    """GitHub's hash of each of these lines (1-based) of a file; lines past its end are left out.

    As ``src/fingerprints.ts`` of github/codeql-action has it: a polynomial over the 100 UTF-16 units from
    the line's start, in which spaces and tabs do not count, CR and CRLF are LF, the file ends in a unit
    65535 and zeros follow it; then which line of that hash in the file it is.
    """
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace(" ", "").replace("\t", "")
    units = text.encode("utf-16-le") + _END_OF_FILE + b"\0\0" * _WINDOW
    starts = dict(enumerate(_starts(text), 1))
    windows = {line: units[starts[line] : starts[line] + 2 * _WINDOW] for line in lines if line in starts}
    wanted = set(windows.values())
    seen: Counter[bytes] = Counter()
    hashes: dict[int, str] = {}
    for line, start in starts.items():
        window = units[start : start + 2 * _WINDOW]
        if window in wanted:  # equal units, equal hash: only these need the polynomial
            seen[window] += 1
            if line in windows:
                hashes[line] = f"{_polynomial(window):x}:{seen[window]}"
    return hashes


def _starts(text: str) -> Iterator[int]:
    """Where each line begins, in bytes of UTF-16."""
    start = 0
    for line in text.split("\n"):
        yield start
        start += len(line.encode("utf-16-le")) + 2


def _polynomial(window: bytes) -> int:
    value = 0
    for index in range(0, len(window), 2):
        value = (value * _BASE + int.from_bytes(window[index : index + 2], "little")) & _MASK
    return value


def own_fingerprints(findings: Sequence[Finding], written: Callable[[Place], str]) -> list[str]:
    """Our fingerprint of each finding: its rule, path, qualified symbol and what flows.

    What flows are the two ends of the flow as ``written`` in the source, without the calls between: they
    may be taken apart and joined. Neither lines nor words of messages count. Equal findings (one call
    twice in a function) are told apart by their order.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    prints = []
    for each in findings:
        ends = [(step.role, step.place) for step in (*each.flow[:1], *each.flow[-1:])]
        flows = [f"{role} {_squeezed(written(place))}" for role, place in ends]
        parts = (each.rule, each.place.path, each.symbol, _squeezed(written(each.place)), *flows)
        digest = hashlib.blake2b(digest_size=16)
        for part in (*parts, str(seen[parts])):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        seen[parts] += 1
        prints.append(digest.hexdigest())
    return prints


def _squeezed(text: str) -> str:
    return "".join(text.split())
