"""Answers that never reach the run they are meant for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .calls import targets
from .facts import last_name, walk_calls
from .order import Order, bits
from .outline import WaitSite
from .project import FunctionKey, Project
from .registry import GraphSite, Registry
from .resumes import Resume, is_empty
from .summary import Call, Const, Do, Expr, If, Let, Loop, Match, Op, Return, Stmt, Try, With
from .values import FunctionId

How = Literal["unused", "empty", "static", "raised", "outside"]
"""unused: nothing takes what the wait returns. empty: the answer is None or {}. static, raised: the graph waits in
a way that takes no answer. outside: a rejection returns without telling the run."""

_SEES_ALL = frozenset({"locals", "vars", "eval", "exec", "globals"})

_DECISION = re.compile(
    r"(^|[._])(approv\w*|accept\w*|confirm\w*|reject\w*|decision|allow\w*|cancel\w*|den(y|ied)|proceed|consent)$"
)
_NO = re.compile(r"(no|reject(ed)?|den(y|ied)|declined?|disapproved?)\Z", re.I)
_YES = re.compile(r"(yes|approved?|accept(ed)?)\Z", re.I)


@dataclass(frozen=True, slots=True)
class LostAnswer:
    """Where an answer is lost. ``call``: what stands there; for ``outside`` the line of the return."""

    how: How
    function: FunctionId
    call: Call | None
    line: int = 0
    resume: Resume | None = None
    wait: WaitSite | None = None
    """The wait that takes no value."""
    breakpoint: tuple[FunctionId, Call] | None = None
    """The call that sets static breakpoints."""
    acts: bool = True
    """Whether something fires after it that the answer was to decide."""


def unused(order: Order) -> Iterator[LostAnswer]:
    """Waits whose result nothing takes."""
    for function in sorted(order.reach):
        if waits := _waits(order, function):
            yield from _unused_in(order, function, waits)
    yield from _unused_of_helpers(order)


def _waits(order: Order, function: FunctionId) -> set[tuple[int, int]]:
    """The places of the waits of a function that give a value."""
    waits = order.outlines[function].waits
    return {(wait.line, wait.column) for wait in waits if wait is not None and wait.kind == "wait"}


def _unused_in(order: Order, function: FunctionId, waits: set[tuple[int, int]]) -> Iterator[LostAnswer]:
    acting = _before_effects(order, function)
    for call in _statements(order.resolver.project, function[:2]):
        place = (call.line, call.column)
        if place in waits:
            yield LostAnswer("unused", function, call, acts=place in acting)


def _unused_of_helpers(order: Order) -> Iterator[LostAnswer]:
    """Calls of helpers that give what their wait returns, where nothing takes it and something fires behind."""
    project = order.resolver.project
    giving = {function[:2] for function in sorted(order.reach) if _gives_answer(order, function)}
    names = {key[1].rpartition(".")[2] for key in giving}
    for function in sorted(order.reach) if giving else ():
        if names.isdisjoint(project.facts(function[:2]).by_name):
            continue
        for call in _statements(project, function[:2]):
            reached = targets(order.resolver, call, function).functions if last_name(call.func) in names else ()
            given = reached and all((each[0], each[1]) in giving for each in reached)
            if given and (call.line, call.column) in _before_effects(order, function):
                yield LostAnswer("unused", function, call)


def _gives_answer(order: Order, function: FunctionId) -> bool:
    """Whether all that a function gives is what its waits return, and it does not look at that itself."""
    returns = order.resolver.project.facts(function[:2]).returns
    waits = _waits(order, function)
    return bool(returns) and all(isinstance(each, Call) and (each.line, each.column) in waits for each in returns)


def _before_effects(order: Order, function: FunctionId) -> set[tuple[int, int]]:
    """The places of the calls of a function that an effect may follow."""
    flow = order.outlines[function].flow
    before: dict[int, list[int]] = {}
    for node, following in enumerate(flow.after):
        for target in following:
            before.setdefault(target, []).append(node)
    todo = [node for node in range(len(flow.calls)) if order.fired_at(function, node)[0]]
    found: set[int] = set()
    while todo:
        for node in before.get(todo.pop(), ()):
            if node not in found:
                found.add(node)
                todo.append(node)
    return {(call.line, call.column) for node in found if (call := flow.calls[node]) is not None}


def _statements(project: Project, key: FunctionKey) -> Iterator[Call]:
    """The calls whose results nothing takes: alone in a statement, or bound to a name that nothing reads."""
    for item in _walk(project.body(key)):
        if not isinstance(item, Do | Let) or not isinstance(item.value, Call):
            continue
        if isinstance(item, Do) or _is_unread(project, key, item.targets):
            yield item.value


def _is_unread(project: Project, key: FunctionKey, targets: list[Expr]) -> bool:
    """Whether nothing reads any of the names; one that begins with an underscore says that this is meant."""
    head, file = project.function(key), project.file(key[0])
    if head is None or file is None:
        return False
    read = set(head.names).union(*(each.names for each in file.summary.functions if each.parent == key[1]))
    return read.isdisjoint(_SEES_ALL) and all(
        isinstance(each, str) and not each.startswith("_") and each in head.local and each not in read
        for each in targets
    )


def _walk(body: list[Stmt]) -> Iterator[Stmt]:
    for item in body:
        yield item
        for inner in _blocks(item):
            yield from _walk(inner)


def _blocks(item: Stmt) -> list[list[Stmt]]:
    if isinstance(item, If | Loop):
        return [item.body, item.orelse]
    if isinstance(item, With):
        return [item.body]
    if isinstance(item, Try):
        return [item.body, *(handler.body for handler in item.handlers), item.orelse, item.final]
    return [case.body for case in item.cases] if isinstance(item, Match) else []


def undelivered(order: Order, resume: Resume) -> LostAnswer | None:
    """Why the graph cannot take the answer, where that is certain."""
    empty = LostAnswer("empty", resume.function, resume.call, resume=resume) if _never_arrives(order, resume) else None
    sites = {site for send in resume.sends for site in send.graphs}
    if not sites:
        return empty
    kinds: set[str] = set()
    raised: WaitSite | None = None
    for site in sorted(sites, key=repr):
        if order.waits_itself(site) and not _breaks(order, site):
            return empty
        for function in order.graph_functions(site):
            if function in order.reach:
                waits = [order.waits[number] for number in bits(order.reach[function].waits)]
                kinds |= {wait.kind for wait in waits}
                raised = raised or next(iter(waits), None)
    if kinds == {"raise"}:
        return LostAnswer("raised", resume.function, resume.call, resume=resume, wait=raised)
    breaks = [_breaks(order, site) for site in sorted(sites, key=repr)]
    if not kinds and all(breaks):
        return (
            None if empty else LostAnswer("static", resume.function, resume.call, resume=resume, breakpoint=breaks[0])
        )
    return empty


def _never_arrives(order: Order, resume: Resume) -> bool:
    """Whether an answer is none, directly or by a name that is bound to nothing else."""
    if not isinstance(resume.value, str) or "." in resume.value:
        return is_empty(resume.value)
    project = order.resolver.project
    facts, head = project.facts(resume.function[:2]), project.function(resume.function[:2])
    if head is None or any(param.name == resume.value for param in head.params) or resume.value in facts.fills:
        return False
    bound = facts.lets.get(resume.value, [])
    passed = any(resume.value in call.args for call in facts.calls)
    return bool(bound) and not passed and all(mode == "is" and is_empty(value) for mode, value in bound)


def _breaks(order: Order, site: GraphSite) -> tuple[FunctionId, Call] | None:
    """The call that compiles a graph with static breakpoints."""
    graph = order.registry.graphs.get(site)
    keywords = order.resolver.knowledge.table("persistence", "static_waits")
    calls = graph.compiles if graph is not None else []
    given = ((f, c) for f, c in calls if any(name in keywords and not _nothing(value) for name, value in c.kwargs))
    return next(given, None)


def _nothing(value: Expr) -> bool:
    return isinstance(value, Const) and value.value is None


def outside(registry: Registry, resume: Resume) -> Iterator[LostAnswer]:
    """Rejections that return before the resume, where the resume itself can only say yes."""
    if not isinstance(resume.value, Const):
        return
    body = registry.resolver.project.body(resume.function[:2])
    for item in _walk(body):
        if not isinstance(item, If):
            continue
        for truth, block, other in ((True, item.body, item.orelse), (False, item.orelse, item.body)):
            last = block[-1] if block else None
            if not isinstance(last, Return) or not _rejects(item.test, truth):
                continue
            later = other or body
            if _holds(later, resume.call) and not _tells(registry, block, resume.function):
                yield LostAnswer("outside", resume.function, None, last.line, resume)


def _rejects(test: Expr, truth: bool) -> bool:
    """Whether a test that came out so means that the human said no."""
    while isinstance(test, Op) and test.kind == "not":
        test, truth = test.items[0], not truth
    if isinstance(test, Op) and test.kind in ("==", "!=", "is") and len(test.items) == 2:
        word = test.items[1].value if isinstance(test.items[1], Const) else None
        said = isinstance(word, str) and (_NO.match(word) or _YES.match(word))
        return bool(said) and truth is ((test.kind == "!=") == bool(_YES.match(str(word))))
    name = test if isinstance(test, str) else getattr(test, "name", "")
    if not isinstance(name, str) or not _DECISION.search(name):
        return False
    negative = re.search(r"reject|cancel|den(y|ied)$", name) is not None
    return truth is negative


def _holds(body: list[Stmt], call: Call) -> bool:
    found = (c for item in _walk(body) for expr in _expressions(item) for c in walk_calls(expr))
    return any((c.line, c.column) == (call.line, call.column) for c in found)


def _expressions(item: Stmt) -> list[Expr]:
    return [getattr(item, name) for name in ("value", "test", "source", "subject") if hasattr(item, name)]


def _tells(registry: Registry, block: list[Stmt], function: FunctionId) -> bool:
    """Whether a block tells a graph, or hands on to code that is not known."""
    resolver = registry.resolver
    methods = {m for role in resolver.knowledge.entries["run"] for m in role.options["methods"]}
    methods |= set(resolver.knowledge.table("addresses", "forks")) | {"delete_thread", "adelete_thread"}
    for item in _walk(block):
        for expr in _expressions(item):
            for call in walk_calls(expr):
                if last_name(call.func) in methods or targets(resolver, call, function).functions:
                    return True
    return False
