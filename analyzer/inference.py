"""Astroid, guarded: what a receiver is an instance of, from source alone.

Astroid imports modules that lie beside the analysed code: extension modules under the name of one of
the standard library, and packages that one of its brains looks for (shown on astroid 4.3.4). So it runs
in a process of its own without ``sys.path``, sees modules only through ``Modules``, and never imports.
"""

from __future__ import annotations

import importlib
import logging
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .discover import FoundFile
from .modules import Modules
from .source import SourceError, decode, read_bytes, risky

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from astroid import nodes

Found = tuple[str, str, int]
"""Kind, path or qualified name, line: ``("obj" or "cls", path, line)`` a class of the project, its instance or
itself; ``("mod", path, 0)``; ``("inst", name, 0)`` an instance of a class that tables know; ``("own", name, 0)``
one of a built-in class; ``("", "", 0)`` something that cannot be told."""

LARGEST = 400_000
"""Bytes of a file that is still given to astroid, which reads some 10,000 lines a second."""
MOST_VALUES = 50
"""Values that astroid follows for one expression."""
_UNKNOWN: Found = ("", "", 0)


@dataclass
class Inference:
    """The files that astroid may see, by path, and the classes it knows the names of, by module."""

    root: Path
    files: Mapping[str, FoundFile]
    modules: Modules
    stubs: Mapping[str, str]
    built: dict[str, nodes.Module | None] = field(default_factory=dict)
    calls: dict[str, dict[tuple[int, int, int, int], nodes.Call]] = field(default_factory=dict)
    asking: str = ""
    """The file of the question: absolute imports are looked up as it sees them."""

    def receiver(self, path: str, place: tuple[int, int, int, int], method: str) -> list[Found]:
        """What ``x`` may be in the call ``x.method(...)`` that stands at a place; empty: nothing known."""
        from astroid import exceptions, nodes

        self.asking = path
        module = self.module(path)
        if module is None:
            return []
        if path not in self.calls:
            found = module.nodes_of_class(nodes.Call)
            self.calls[path] = {
                (n.lineno or 0, n.col_offset or 0, n.end_lineno or 0, n.end_col_offset or 0): n for n in found
            }
        call = self.calls[path].get(place)
        if call is None or not isinstance(call.func, nodes.Attribute) or call.func.attrname != method:
            return []
        try:
            return sorted({self._said(value) for value in call.func.expr.infer()})
        except (exceptions.AstroidError, RecursionError):
            return []

    def module(self, path: str) -> nodes.Module | None:
        """A file of the project as astroid sees it, under a name that is its path."""
        from astroid import MANAGER, exceptions
        from astroid.builder import AstroidBuilder

        if path not in self.built:
            self.built[path] = None
            text = self._text(path)
            if text is None:
                return None
            name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            try:
                made = AstroidBuilder(MANAGER, apply_transforms=True).string_build(text, name, path)
            except (exceptions.AstroidError, RecursionError, ValueError, MemoryError):
                return None
            made.file = path
            self.built[path] = made
        return self.built[path]

    def _text(self, path: str) -> str | None:
        try:
            data = read_bytes(self.files[path])
            return None if len(data) > LARGEST or risky(data) else decode(data)
        except (KeyError, SourceError):
            return None

    def named(self, name: str) -> nodes.Module | None:
        """The module of a name: one of the project, or the classes that tables know in an outside one."""
        from astroid import MANAGER
        from astroid.builder import AstroidBuilder

        stem = name.replace(".", "/")
        for path in (f"{stem}.py", f"{stem}/__init__.py", self.modules.find(name, self.asking)):
            if path is not None and path in self.modules.paths:
                return self.module(path) if path.endswith(".py") else None
        key = f"<{name}>"
        if key not in self.built:
            text = self.stubs.get(name)
            self.built[key] = None
            if text is not None:
                made = AstroidBuilder(MANAGER, apply_transforms=False).string_build(text, name, key)
                made.file = key
                self.built[key] = made
        return self.built[key]

    def _said(self, value: Any) -> Found:
        from astroid import bases, nodes

        if isinstance(value, nodes.Module):
            return ("mod", value.file, 0) if value.file in self.modules.paths else _UNKNOWN
        kind = "cls" if isinstance(value, nodes.ClassDef) else "obj"
        held = value._proxied if type(value) is bases.Instance else value
        if isinstance(value, nodes.Const | nodes.List | nodes.Dict | nodes.Set | nodes.Tuple):
            return ("own", value.pytype().rpartition(".")[2], 0)
        if not isinstance(held, nodes.ClassDef):
            return _UNKNOWN
        path = held.root().file or ""
        if path in self.modules.paths:
            return (kind, path, held.fromlineno or 0)
        if path.startswith("<") and kind == "obj":
            return ("inst", held.qname(), 0)
        return _UNKNOWN


def serve(connection: Connection, other: Connection, inference: Inference) -> None:
    """Answer questions until the other side is gone; a forked process holds a copy of that side, too."""
    other.close()
    _limit()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    guard(inference)
    while True:
        try:
            path, place, method = connection.recv()
        except (EOFError, OSError):
            return
        try:
            found = inference.receiver(path, place, method)
        except Exception:  # noqa: BLE001 - whatever a library of this size may raise on foreign code: then nothing is known
            found = []
        connection.send(found)


def _limit() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # no such limits on this system
        pass


def guard(inference: Inference) -> None:
    """Import astroid from where this program's libraries lie, then leave this process nothing to import from."""
    sys.path = [entry for entry in sys.path if entry and not _audited(Path(entry).resolve(), inference.root)]
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(1_000)
    import astroid
    import astroid.manager
    from astroid import exceptions

    for module in pkgutil.walk_packages(astroid.__path__, "astroid."):  # some are imported late, by functions
        if ".brain." not in module.name:
            importlib.import_module(module.name)

    def refused(*_: object) -> Any:
        raise ImportError("nothing is imported here")

    def looked_up(self: object, modname: str | None, *_: object, **__: object) -> nodes.Module:
        known = astroid.MANAGER.astroid_cache.get(modname) if modname == "builtins" else None
        found = known or inference.named(modname or "")
        if found is None:
            raise exceptions.AstroidImportError(f"{modname} is not looked at")
        return found

    manager: Any = astroid.manager
    manager.AstroidManager._can_load_extension = lambda *_: False
    manager.AstroidManager.ast_from_module_name = looked_up
    manager.load_module_from_name = refused
    astroid.MANAGER._failed_import_hooks.clear()
    astroid.MANAGER.max_inferable_values = MOST_VALUES
    sys.path = []
    sys.path_hooks.clear()
    sys.meta_path = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") in _BUILT_IN]
    sys.path_importer_cache.clear()


def _audited(entry: Path, root: Path) -> bool:
    """Whether a folder to import from is the current or the audited one; their libraries may be ours."""
    if entry.name in ("site-packages", "dist-packages"):
        return False
    return entry == Path.cwd().resolve() or entry.is_relative_to(root.resolve())


_BUILT_IN = ("BuiltinImporter", "FrozenImporter")


def stubs(names: Sequence[str]) -> dict[str, str]:
    """Source of modules that hold the classes among qualified names, and nothing else, by module.

    ``httpx.Client.post`` gives the module ``httpx`` with a class ``Client``.
    """
    classes: dict[str, set[str]] = {}
    for name in names:
        parts = name.split(".")
        at = next((n for n, part in enumerate(parts) if part[:1].isupper()), 0)
        if at and all(part.isidentifier() for part in parts[: at + 1]):
            classes.setdefault(".".join(parts[:at]), set()).add(parts[at])
    return {module: "".join(_stub(classes[module])) for module in sorted(classes)}


def _stub(names: set[str]) -> Iterator[str]:
    for name in sorted(names):
        yield f"class {name}:\n    pass\n"
