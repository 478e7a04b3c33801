"""Globals that functions of their module bind anew or fill: what the process remembers from one run to the next."""

from __future__ import annotations

from .lower import MODULE
from .project import Project
from .values import FunctionId

_CHANGING = ("append", "add", "update", "clear", "pop", "remove", "discard", "setdefault", "extend")


def changed_at(project: Project, name: str, function: FunctionId) -> tuple[str, int] | None:
    """The first function, by name, of its module that changes what a name means in a function, and the line.

    None where the name is no global there, or nothing changes it. The line is 0 where it is not known.
    """
    file = project.files[function[0]]
    head = file.functions.get(function[1])
    while head is not None and head.qualname != MODULE:
        if name in head.local or name in head.imports:
            return None
        head = file.functions.get(head.parent)
    if name not in file.globals or name in file.summary.imports or (("", name) in file.nested):
        return None
    for other in file.mentioned.get(name, ()):
        if other == MODULE or name in file.functions[other].local:
            continue
        facts = project.facts((function[0], other))
        lines = [line for line in facts.lines.get(name, ()) if line]
        lines += [c.line for verb in _CHANGING for c in facts.by_name.get(verb, ()) if c.func == f"{name}.{verb}"]
        if lines or name in facts.lets or name in facts.fills:
            return other, min(lines, default=0)
    return None
