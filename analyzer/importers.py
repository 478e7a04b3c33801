"""Files that name no framework but import a module that holds a graph, a unit, a wait or an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .modules import is_test
from .order import Order
from .project import Project, imported_files
from .reading import Reader
from .registry import Registry
from .resumes import resuming

_NAME = re.compile(r"\w+")


def bring_in(reader: Reader, project: Project, registry: Registry, order: Order) -> bool:
    """Summarise such files; tells whether there were any."""
    holding = {site[0] for site in registry.graphs if site}
    holding |= {unit.function[0] for unit in registry.units}
    holding |= {function[0] for function, found in order.outlines.items() if any(found.waits)}
    holding |= {function[0] for function, _ in resuming(registry)}
    holding = {path for path in holding if not is_test(path)}
    _add_importers(project, holding)
    if not holding:
        return False
    words = {project.files[path].module.rpartition(".")[2] for path in holding if path in project.files}
    named = "|".join(sorted(map(re.escape, words)))
    statement = re.compile(
        rf"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*|[^\n#]*)"
        rf"|import[ \t]+([^\n#]*\b(?:{named})\b))".encode(),
        re.M,
    )
    wanted: list[str] = []
    for path in sorted(reader.files):
        if path in project.files or path in project.failed or is_test(path):
            continue
        data = reader.read(path)
        if data is not None and any(
            project.modules.find(name, path) in holding
            for match in statement.finditer(data)
            for name in _modules(match, words)
        ):
            wanted.append(path)
    loaded = [path for path in wanted if project.file(path) is not None]
    return bool(loaded)


def _modules(match: re.Match[bytes], words: set[str]) -> Iterator[str]:
    """The modules that an import statement may take, as far as they end with one of the words."""
    if match[3] is not None:
        for part in match[3].decode("utf-8", "replace").split(","):
            yield part.split(" as ")[0].strip()
        return
    module = match[1].decode()
    if module.rpartition(".")[2] in words:
        yield module
    for name in _NAME.findall(match[2].decode("utf-8", "replace")):
        if name in words:
            yield f"{module}.{name}" if module.strip(".") else module + name


def _add_importers(project: Project, holding: set[str]) -> None:
    """Add the summarised files that import one of ``holding``, over any number of imports."""
    importing: dict[str, set[str]] = {}
    for path, file in project.files.items():
        for found in imported_files(project, file):
            importing.setdefault(found, set()).add(path)
    todo = list(holding)
    while todo:
        for path in importing.get(todo.pop(), ()):
            if path not in holding and not is_test(path):
                holding.add(path)
                todo.append(path)
