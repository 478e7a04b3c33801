"""RA208: a look at a parked thread that takes the claim to answer it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...analyzer.gates import consuming_reads, gates
from ...contract import Finding, Step
from ..base import StaticRule
from ..flows import FRAMEWORK, place_of_call
from ..names import text_of

if TYPE_CHECKING:
    from ...analyzer.gates import Gate
    from ...analyzer.program import Program
    from ...analyzer.summary import Call
    from ...analyzer.values import FunctionId


class InspectionConsumes(StaticRule):
    """A state read under remit's gate without its inspect key."""

    id = "RA208"
    name = "inspection-consumes"
    properties = ("CO",)
    level = "warning"
    precision = "high"
    summary = "A look at a parked thread that takes the claim to answer it"
    what = (
        "Reports `get_state` and `get_tuple` in a project whose saver has remit's cross-process gate on, where the "
        "configuration does not carry the inspect key."
    )
    why = (
        "Under the gate the first read of a parked thread takes the claim (measured on remit 0.1.2): after a mere look "
        "the real answer is refused with RemitConsumeConflict."
    )
    limits = ("Which graphs use the gated saver is not told apart: one gate in the project is enough.",)
    bad = """\
import remit
from langgraph.checkpoint.sqlite import SqliteSaver


def open_saver(connection):
    return remit.wrap(SqliteSaver, connection, cross_process_gate=True)


def pending(graph, thread):
    return graph.get_state({"configurable": {"thread_id": thread}}).interrupts
"""
    good = """\
import remit
from langgraph.checkpoint.sqlite import SqliteSaver


def open_saver(connection):
    return remit.wrap(SqliteSaver, connection, cross_process_gate=True)


def pending(graph, thread):
    return graph.get_state({"configurable": {"thread_id": thread, "remit_inspect": True}}).interrupts
"""
    fix = 'Say that the read only looks: put `"remit_inspect": True` into `configurable`.'

    def check(self, program: Program) -> Iterable[Finding]:
        """One finding a read."""
        scope = program.persistence.scope
        for found in gates(program.registry):
            for function, call in consuming_reads(program.registry, found):
                if scope(function[0]) == scope(found.function[0]):
                    yield self._finding(program, found, function, call)

    def _finding(self, program: Program, found: Gate, function: FunctionId, call: Call) -> Finding:
        place = place_of_call(program, function[0], call)
        gated = place_of_call(program, found.function[0], found.call)
        return self.finding(
            place,
            program.symbol(function),
            "After this look the real answer is refused: under the saver's cross-process gate a read of a parked "
            f"thread takes its claim, and {text_of(program, call, function[0])} does not say that it only looks.",
            framework=FRAMEWORK,
            framework_version=program.version(function[0], FRAMEWORK),
            flow=(
                Step(gated, "source", "the gate is switched on here"),
                Step(place, "sink", "the claim is taken here"),
            ),
        )
