"""The folder for cached summaries."""

from __future__ import annotations

import os
from pathlib import Path


def default_cache(root: Path) -> Path:
    """Where a project's cache lies unless told otherwise."""
    return root / ".resume-audit" / "cache"


def usable_cache(root: Path, asked: Path | None) -> tuple[Path | None, str]:
    """The cache folder, made if needed, or None and the reason why there is none.

    A folder made here is ignored by git. A link in the audited project is not followed: what is
    audited does not choose where the audit writes.
    """
    folder = asked or default_cache(root)
    if asked is None and (folder.is_symlink() or folder.parent.is_symlink()):
        return None, f"{folder} is reached by a symbolic link"
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        return None, f"{folder}: {error.strerror or error}"
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return None, f"{folder} cannot be written"
    return folder, ""
