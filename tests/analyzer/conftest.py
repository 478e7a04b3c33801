"""Small projects, linked, with short questions to ask of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resume_audit.analyzer import discover, program
from resume_audit.analyzer.calls import Targets, targets
from resume_audit.analyzer.hazards import Hazard
from resume_audit.analyzer.program import BuildOptions, Program
from resume_audit.analyzer.summary import Call, Const
from resume_audit.analyzer.values import FunctionId

MARK = "# langgraph\n"


class Linked:
    """A linked project. Functions are named ``path:qualname``, ``app.py`` may be left out."""

    def __init__(self, built: Program) -> None:
        self.program = built
        self.order = built.order
        self.registry = built.registry
        self.resolver = built.resolver

    def function(self, name: str) -> FunctionId:
        path, _, qualname = name.rpartition(":")
        return (path or "app.py", qualname, "")

    def of(self, expression: str, function: str = "<module>") -> set[str]:
        """What a dotted name stands for: ``fn app.py:f``, ``obj app.py:C``, ``ext x.y`` and so on."""
        return {_short(value) for value in self.resolver.of(expression, self.function(function))}

    def inside(self, expression: str, function: str = "<module>") -> set[str]:
        """What a container holds."""
        values = self.resolver.of(expression, self.function(function))
        return {_short(value) for value in self.resolver.content(values)}

    def calls(self, function: str, name: str) -> list[Call]:
        path, qualname, _ = self.function(function)
        return self.program.project.facts((path, qualname)).by_name.get(name, [])

    def reached(self, function: str, name: str, number: int = 0, context: str = "") -> Targets:
        where = (*self.function(function)[:2], context)
        return targets(self.resolver, self.calls(function, name)[number], where)

    def goes_to(self, function: str, name: str, number: int = 0) -> set[str]:
        """The project functions, and outside names, that a call of that name reaches."""
        found = self.reached(function, name, number)
        return {_name(f[0], f[1]) for f in found.functions} | set(found.outside)

    def hazards(self) -> set[str]:
        """The hazards, each by the first argument of its effect; one of a loop ends in ``+``."""
        return {_effect(h) + ("+" if h.looped else "") for h in self.program.hazards}

    def units(self, kind: str) -> set[str]:
        return {_name(*u.function[:2]) for u in self.registry.units if u.kind == kind}

    def nodes(self) -> set[tuple[str, str]]:
        return {(name, _name(*f[:2])) for g in self.registry.graphs.values() for name, f in g.nodes}


def _name(path: str, qualname: str) -> str:
    return qualname if path == "app.py" else f"{path}:{qualname}"


def _short(value: tuple[Any, ...]) -> str:
    kind = value[0]
    if kind in ("fn", "bound", "cls", "obj"):
        return f"{kind} {_name(value[1], value[2])}"
    if kind == "meth":
        return f"meth {value[1]}.{value[2]}"
    return f"{kind} {value[1]}" if len(value) > 1 and isinstance(value[1], str | bool | None) else kind


def _effect(hazard: Hazard) -> str:
    call = hazard.effect_chain[-1][1]
    given = (item.value for item in call.args if isinstance(item, Const))
    return str(next(given, f"line {hazard.effect.line}"))


Link = Callable[..., Linked]


@pytest.fixture
def link(tmp_path: Path) -> Link:
    """Write the files (``app`` is ``app.py``), and link them. Every file names the framework."""

    def make(app: str | None = None, /, _reverse: bool = False, **options: Any) -> Linked:
        files = dict(options.pop("files", {}))
        if app is not None:
            files["app.py"] = app
        for path, text in files.items():
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            code = path.endswith(".py")
            target.write_text(textwrap.dedent(text) + (MARK if code else ""), encoding="utf-8")
        found = discover.find((tmp_path,), (), tmp_path)
        listed = list(reversed(found.files)) if _reverse else list(found.files)
        return Linked(program.build(found.root, listed, replace(BuildOptions(), **options)))

    return make
