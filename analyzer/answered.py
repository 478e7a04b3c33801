"""Programs and functions that wait for their own answer: what asks is still running when the answer comes."""

from __future__ import annotations

from collections.abc import Iterable

from .bindings import known_callers
from .calling import argument
from .flow import TooLarge, build
from .modules import is_test
from .persistence import Persistence
from .registry import GraphSite, Registry
from .repeats import is_input
from .resumes import Resume, Send, resuming
from .summary import Call, Const, Expr
from .values import FunctionId

_DEPTH = 4
"""Calls between what a run starts and is answered in, and the function around both."""


def answered_here(persistence: Persistence, resumes: Iterable[Resume], site: GraphSite) -> bool:
    """Whether one function starts the runs of a graph and answers them: a console, a script.

    Where the program runs again at each event, what one run asks another answers.
    """
    registry = persistence.registry
    makers = {(function, call.line, call.column) for function, call in resuming(registry)}
    answering = [
        _around(registry, send.function) | _around(registry, resume.function)
        for resume in resumes
        for send in resume.sends
        if site in send.graphs and not is_test(send.function[0])
    ]
    starts: set[FunctionId] = set()
    for function, call in persistence.runs(site):
        given = argument(call, 0, "input")
        if isinstance(given, Const) and given.value is None:
            answering.append(_around(registry, function))
        elif _starts(registry, given, function, makers):
            starts |= _around(registry, function)
    return (
        bool(answering)
        and all(starts & around for around in answering)
        and not any(persistence.rerun(function[0]) for around in (starts, *answering) for function in around)
    )


def started_before(registry: Registry, send: Send) -> bool:
    """Whether the function that sends an answer has, on every way there, started the run that it answers."""
    project = registry.resolver.project
    try:
        flow = build(project.body(send.function[:2]))
    except TooLarge:
        return False
    methods = {m for role in registry.resolver.knowledge.entries["run"] for m in role.options["methods"]}
    numbers = {id(call): number for number, call in enumerate(flow.calls) if call is not None}
    here = numbers.get(id(send.call))
    facts = project.facts(send.function[:2])
    for call in (each for name in sorted(methods) for each in facts.by_name.get(name, ())):
        number = numbers.get(id(call))
        if here is None or number is None or (call.line, call.column) >= (send.call.line, send.call.column):
            continue
        same = _receiver(call) == _receiver(send.call) and argument(call, 1, "config") == send.config
        always = set(map(repr, flow.guards[number])) <= set(map(repr, flow.guards[here]))
        if same and always and is_input(registry, call, send.function):
            return True
    return False


def _receiver(call: Call) -> str:
    return call.func.rpartition(".")[0] if isinstance(call.func, str) else repr(call.func)


def _starts(registry: Registry, given: Expr, function: FunctionId, makers: set[tuple[FunctionId, int, int]]) -> bool:
    """Whether a run may be given something that is no answer."""
    project = registry.resolver.project
    head = project.function(function[:2])
    if head is not None and any(param.name == given for param in head.params):
        return True
    lets = project.facts(function[:2]).lets.get(given, ()) if isinstance(given, str) else ()
    for value in [value for _, value in lets] or [given]:
        answers = isinstance(value, Call) and (function, value.line, value.column) in makers
        if not answers and not (isinstance(value, Const) and value.value is None):
            return True
    return False


def _around(registry: Registry, function: FunctionId) -> set[FunctionId]:
    """A function and what calls it, over some calls."""
    found = {(function[0], function[1], "")}
    level = set(found)
    for _ in range(_DEPTH):
        above = {
            (c[0], c[1], "") for each in level for c, _ in known_callers(registry.resolver, each) if not is_test(c[0])
        }
        level = above - found
        found |= level
    return found
