"""Which version of a framework a file is written for, by the nearest lock or manifest above it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from ..contract import AuditError
from . import manifests

_SIZE_LIMIT = 20_000_000


@dataclass(frozen=True, slots=True)
class Pin:
    """What a project asks for. ``exact`` is the one version that ``specifier`` names, if it names one.

    ``specifier`` is as in PEP 440, "" for any version. ``source`` is the file, POSIX, relative to the root.
    """

    package: str
    specifier: str
    exact: str | None
    source: str


class FrameworkPins:
    """Reads each folder's locks and manifests once. Files that cannot be understood stand in ``errors``."""

    def __init__(self) -> None:
        self._folders: dict[tuple[Path, str], Mapping[str, Pin]] = {}
        self._errors: set[AuditError] = set()

    @property
    def errors(self) -> tuple[AuditError, ...]:
        """What could not be read of the folders asked about so far, sorted."""
        return tuple(sorted(self._errors))

    def pinned(self, root: Path, relative: str, package: str) -> Pin | None:
        """The pin of ``package`` for the file ``relative`` to ``root``, None where nothing mentions it.

        Folders are asked from the file's upward to ``root``; in one folder an exact version wins over a
        range, and locks over manifests.
        """
        name = canonicalize_name(package)
        for folder in PurePosixPath(relative).parents:
            if ".." in folder.parts:
                break
            place = "" if str(folder) == "." else str(folder)
            key = (root, place)
            pins = self._folders.get(key)
            if pins is None:
                pins = self._folders[key] = self._read(root, place)
            pin = pins.get(name)
            if pin is not None:
                return pin
        return None

    def _read(self, root: Path, place: str) -> Mapping[str, Pin]:
        pins: dict[str, Pin] = {}
        for name, read in _sources(root / place):
            source = f"{place}/{name}" if place else name
            try:
                if (root / source).stat().st_size > _SIZE_LIMIT:
                    raise manifests.Malformed("too large")
                text = (root / source).read_text(encoding="utf-8-sig", errors="replace")
                found = list(read(text))
            except OSError as error:
                self._errors.add(AuditError(source, 1, f"cannot be read: {error.strerror or error}"))
                continue
            except tomllib.TOMLDecodeError as error:
                self._errors.add(AuditError(source, 1, f"not valid TOML: {' '.join(str(error).split())}"))
                continue
            except (manifests.Malformed, RecursionError) as error:
                self._errors.add(AuditError(source, 1, f"cannot be understood: {error}"))
                continue
            for package, specifier in found:
                pin = _pin(package, specifier, source)
                other = pins.get(package)
                better = other is None or (other.exact is None and pin.exact is not None)
                if better or (other is not None and other.source == source and _newer(pin, other)):
                    pins[package] = pin
        return pins


def assume(pin: Pin | None, measured: Sequence[str]) -> str:
    """The version to judge by: the exact one, or the newest measured one that the range allows.

    Where none is allowed, the newest measured at or below the range's upper end, else the oldest. Without
    a pin the newest measured. "" where nothing is measured and nothing exact is known.
    """
    if pin is not None and pin.exact is not None:
        return pin.exact
    versions = sorted((version, text) for text in measured if (version := _version(text)) is not None)
    if not versions:
        return ""
    newest = versions[-1][1]
    try:
        allowed = SpecifierSet(pin.specifier if pin is not None else "")
    except InvalidSpecifier:
        return newest
    for version, text in reversed(versions):
        if allowed.contains(version, prereleases=True):
            return text
    ends = [_version(one.version.removesuffix(".*")) for one in allowed if one.operator[0] in "<=~"]
    known = [end for end in ends if end is not None]
    if not known:
        return newest
    below = [text for version, text in versions if version <= min(known)]
    return below[-1] if below else versions[0][1]


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _newer(pin: Pin, other: Pin) -> bool:
    """A lock may hold a package twice, for different machines."""
    if pin.exact is None or other.exact is None:
        return False
    first, second = _version(pin.exact), _version(other.exact)
    return first is not None and second is not None and first > second


def _pin(package: str, specifier: str, source: str) -> Pin:
    try:
        parts = list(SpecifierSet(specifier))
    except InvalidSpecifier:
        return Pin(package, "", None, source)
    exact = None
    for part in parts:
        if part.operator in ("==", "===") and not part.version.endswith(".*"):
            exact = part.version
    return Pin(package, specifier, exact, source)


def _sources(folder: Path) -> Iterable[tuple[str, manifests.Reader]]:
    """The files of a folder that name versions, the most exact kinds first."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return  # a folder that cannot be read is discovery's to report
    for known, read in manifests.READERS.items():
        if known in names:
            yield known, read
    for name in names:
        if manifests.is_requirements(name) and name not in manifests.READERS:
            yield name, manifests.requirements
    try:
        nested = sorted(entry.name for entry in os.scandir(folder / "requirements") if entry.is_file())
    except OSError:
        return
    for name in nested:
        if name.endswith((".txt", ".in")):
            yield f"requirements/{name}", manifests.requirements
