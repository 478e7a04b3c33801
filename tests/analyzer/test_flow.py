"""The control-flow graph: what may run before what, and under which conditions."""

from __future__ import annotations

import textwrap

import pytest

from resume_audit.analyzer import flow
from resume_audit.analyzer.facts import last_name
from resume_audit.analyzer.flow import Flow, TooLarge
from resume_audit.analyzer.lower import summarise
from resume_audit.analyzer.summary import decode_body


class Graph:
    """Questions to a flow; calls are known by the name of what they call."""

    def __init__(self, text: str, stops_at_yield: bool = False) -> None:
        code = "async def f():\n" + textwrap.indent(textwrap.dedent(text), "    ")
        (head,) = (f for f in summarise(code).functions if f.qualname == "f")
        self.flow: Flow = flow.build(decode_body(head.body), stops_at_yield)

    def nodes(self, name: str) -> list[int]:
        named = {"exit": [self.flow.exit], "failure": [self.flow.failure], "raise": [
            n for n, raised in enumerate(self.flow.raises) if raised is not None
        ]}  # fmt: skip
        found = [n for n, call in enumerate(self.flow.calls) if call is not None and last_name(call.func) == name]
        return found or named.get(name, [])

    def reached(self, start: int, back: bool, failing: bool, first: bool) -> set[int]:
        """What follows a node; ``first``: it is the node itself that fails, if anything does."""
        seen: set[int] = set()
        todo = [start]
        while todo:
            node = todo.pop()
            normally = [*self.flow.after[node], *(self.flow.back[node] if back else ())]
            following = [] if first and node == start else normally
            if failing and self.flow.calls[node] is not None:
                following.append(self.flow.failing[node])
            for target in following:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen

    def path(self, start: str, end: str, back: bool = True, failing: bool = False, fails: bool = False) -> bool:
        """Whether ``end`` may run after ``start``; ``fails``: after it raised."""
        ends = self.nodes(end)
        return any(
            not self.reached(node, back, failing or fails, fails).isdisjoint(ends) for node in self.starts(start)
        )

    def starts(self, name: str) -> list[int]:
        return [self.flow.entry] if name == "start" else self.nodes(name)

    def skips(self, name: str, end: str = "exit") -> bool:
        """Whether the end may be reached without the call."""
        without, ends = set(self.nodes(name)), set(self.nodes(end))
        seen = {self.flow.entry}
        todo = [self.flow.entry]
        while todo:
            node = todo.pop()
            for target in (*self.flow.after[node], *self.flow.back[node]):
                if target not in seen and target not in without:
                    seen.add(target)
                    todo.append(target)
        return not ends.isdisjoint(seen)

    def guards(self, name: str) -> list[tuple[object, bool]]:
        return list(self.flow.guards[self.nodes(name)[0]])


def test_one_after_another() -> None:
    graph = Graph("a(b(), c())\nd()")
    for earlier, later in ("bc", "ca", "ad"):
        assert graph.path(earlier, later)
        assert not graph.path(later, earlier)
    assert graph.path("d", "exit")
    assert not graph.skips("a")
    assert graph.path("a", "failure", failing=True)


def test_branches() -> None:
    graph = Graph("if a():\n  b()\nelif c():\n  d()\nelse:\n  e()\nf()")
    for branch in "bde":
        assert graph.path("a", branch)
        assert graph.path(branch, "f")
        assert graph.skips(branch)
    assert not graph.path("b", "d")
    assert not graph.path("d", "e")
    assert not graph.path("b", "c")


def test_guards_of_branches() -> None:
    graph = Graph("if x:\n  a()\nelse:\n  b()\nc()")
    assert graph.guards("a") == [("x", True)]
    assert graph.guards("b") == [("x", False)]
    assert graph.guards("c") == []


@pytest.mark.parametrize(
    "leaving", ["return", "raise E", "for y in z:\n    if x:\n      continue\n    a()", "if y: return\n  else: raise E"]
)
def test_what_follows_an_early_exit_is_guarded(leaving: str) -> None:
    text = leaving if leaving.startswith("for") else f"if x:\n  {leaving}\na()"
    assert Graph(text).guards("a") == [("x", False)]


def test_an_exit_in_the_other_branch() -> None:
    assert Graph("if x:\n  b()\nelse:\n  return\na()").guards("a") == [("x", True)]
    assert Graph("if x:\n  b()\nelse:\n  c()\na()").guards("a") == []
    assert Graph("if y:\n  if x: return\n  a()\nb()").guards("b") == []


def test_returns_and_raises_end_it() -> None:
    assert not Graph("a()\nreturn b()\nc()").nodes("c")
    graph = Graph("a()\nif x: raise E(b())\nc()")
    assert graph.path("raise", "failure")
    assert not graph.path("raise", "c")
    assert not graph.path("b", "exit")


def test_a_for_loop() -> None:
    graph = Graph("for i in a():\n  b()\n  c()\nelse:\n  d()\ne()")
    assert graph.path("c", "b")
    assert not graph.path("c", "b", back=False)
    assert not graph.path("b", "a")
    assert graph.skips("b")
    assert not graph.skips("d")
    assert graph.path("c", "e", back=False)


def test_a_while_loop() -> None:
    graph = Graph("while a():\n  b()\nc()")
    assert graph.path("b", "a")
    assert not graph.path("b", "a", back=False)
    assert graph.skips("b")
    assert not graph.skips("a")
    assert graph.guards("b")[0][1] is True


def test_a_loop_without_end() -> None:
    graph = Graph("while True:\n  a()\n  b()\nc()")
    assert graph.path("b", "a")
    assert not graph.nodes("c")
    assert not graph.path("a", "exit")
    assert graph.path("a", "failure", failing=True)


def test_leaving_a_loop_without_end() -> None:
    graph = Graph("while True:\n  a()\n  if x: break\n  b()\n  if y: continue\n  c()\nd()")
    assert graph.path("a", "d", back=False)
    assert not graph.path("b", "d", back=False)
    assert graph.path("b", "a")
    assert graph.path("c", "a")
    assert graph.skips("c", "d")


def test_break_and_continue() -> None:
    graph = Graph(
        "for i in x:\n  a()\n  if p:\n    b()\n    break\n  if q:\n    c()\n    continue\n  d()\nelse:\n  e()\nf()"
    )
    assert not graph.path("b", "e")
    assert graph.path("b", "f", back=False)
    assert not graph.path("b", "d")
    assert not graph.path("c", "d", back=False)
    assert graph.path("c", "d")
    assert graph.path("d", "e")


def test_loops_in_loops() -> None:
    graph = Graph("for i in x:\n  for j in y:\n    a()\n    break\n  b()\nc()")
    assert graph.path("a", "b", back=False)
    assert graph.path("b", "a")
    assert graph.path("b", "c", back=False)


def test_handlers() -> None:
    graph = Graph("try:\n  a()\n  b()\nexcept E:\n  c()\nexcept F:\n  d()\nelse:\n  e()\nf()")
    for handler in "cd":
        assert graph.path("b", handler, fails=True)
        assert graph.path("a", handler, fails=True)
        assert graph.path(handler, "f")
        assert not graph.path(handler, "e")
    assert not graph.path("a", "c")
    assert not graph.path("c", "d")
    assert not graph.path("e", "c", failing=True)
    assert not graph.path("b", "e", fails=True)
    assert graph.path("b", "e")
    assert graph.path("b", "failure", fails=True)
    assert graph.path("c", "failure", fails=True)


@pytest.mark.parametrize("kind", ["", " Exception", " BaseException", " (E, builtins.Exception)"])
def test_a_handler_of_all(kind: str) -> None:
    graph = Graph(f"try:\n  a()\nexcept{kind}:\n  pass\nb()")
    assert graph.path("a", "b", fails=True)
    assert not any(graph.flow.failure in graph.flow.after[n] for n in range(len(graph.flow.calls)))


def test_a_raise_goes_to_its_handler() -> None:
    graph = Graph("try:\n  a()\n  raise E\nexcept Exception:\n  b()\nc()")
    assert graph.path("raise", "b")
    assert graph.path("raise", "c")
    assert not graph.path("raise", "failure")


def test_an_empty_body_may_still_fail() -> None:
    assert Graph("try:\n  x = y\nexcept KeyError:\n  a()\nb()").path("start", "a")


def test_finally_runs_on_every_way_out() -> None:
    graph = Graph("try:\n  if x: return a()\n  b()\nfinally:\n  c()\nd()")
    assert not graph.skips("c")
    assert graph.path("a", "c")
    assert not graph.path("a", "d")
    assert graph.path("b", "d")
    assert graph.path("b", "c", fails=True)
    assert not graph.path("b", "d", fails=True)
    assert graph.path("b", "failure", fails=True)


def test_finally_after_handlers() -> None:
    graph = Graph("try:\n  a()\nexcept E:\n  return b()\nelse:\n  c()\nfinally:\n  d()\ne()")
    assert graph.path("b", "d")
    assert not graph.path("b", "e")
    assert graph.path("c", "d", fails=True)
    assert graph.path("a", "d", fails=True)
    assert not graph.path("c", "b", failing=True)


def test_finally_inside_loops() -> None:
    graph = Graph("for i in x:\n  try:\n    if p: break\n    if q: continue\n    a()\n  finally:\n    b()\n  c()\nd()")
    assert not graph.skips("b", "c")
    assert graph.path("b", "d", back=False)
    assert graph.path("b", "a")
    around = Graph("try:\n  for i in x:\n    a()\n    break\nfinally:\n  b()\nc()")
    assert around.path("a", "c")
    assert len(around.nodes("b")) == 2


def test_finally_in_finally() -> None:
    graph = Graph("try:\n  try:\n    return a()\n  finally:\n    b()\nfinally:\n  c()")
    assert graph.path("a", "b")
    assert graph.path("b", "c")
    assert not graph.skips("b")
    assert not graph.skips("c")
    assert graph.path("b", "c", fails=True)


def test_a_return_in_finally_overrides() -> None:
    graph = Graph("try:\n  a()\nfinally:\n  return b()")
    assert graph.path("a", "exit", fails=True)
    assert not any(graph.flow.failure in graph.flow.after[node] for node in range(len(graph.flow.calls)))


def test_managers_are_entered_in_turn() -> None:
    graph = Graph("with a() as x, b():\n  c()\nd()")
    enters = graph.nodes("__enter__")
    assert len(enters) == 2
    assert graph.path("a", "b")
    assert graph.path("b", "c")
    assert graph.path("__enter__", "c")
    assert not graph.path("c", "__enter__")
    assert not graph.skips("__enter__", "d")


def test_cases() -> None:
    graph = Graph("match a():\n  case 1 if b():\n    c()\n  case 2:\n    d()\ne()")
    assert graph.path("b", "c")
    assert not graph.path("c", "d")
    assert graph.skips("c")
    skipped = Graph("match x:\n  case 1:\n    return\nb()")
    assert skipped.path("start", "b")
    full = Graph("match x:\n  case 1:\n    return\n  case _:\n    raise E\nb()")
    assert not full.nodes("b")


def test_comprehensions() -> None:
    graph = Graph("x = [b(i) for i in a() if c(i) for j in d(i)]\ne()")
    for earlier, later in ("ac", "cd", "db", "be"):
        assert graph.path(earlier, later, back=False)
    assert graph.path("b", "c")
    assert not graph.path("b", "c", back=False)
    assert graph.skips("b", "e")
    assert not graph.path("b", "a")
    assert [truth for _, truth in graph.guards("b")] == [True]
    assert graph.guards("e") == []


def test_short_circuits() -> None:
    graph = Graph("x = a() and b() or c()\nd()")
    assert graph.skips("b")
    assert graph.skips("c")
    assert not graph.skips("a")
    assert [truth for _, truth in graph.guards("b")] == [True]
    assert [truth for _, truth in graph.guards("c")] == [False]
    assert graph.guards("d") == []


def test_conditional_expressions() -> None:
    graph = Graph("x = a() if b else c()\nd()")
    assert not graph.path("a", "c")
    assert graph.skips("a")
    assert graph.guards("a") == [("b", True)]
    assert graph.guards("c") == [("b", False)]
    assert graph.path("c", "d")


@pytest.mark.parametrize("name", ["gather", "wait", "as_completed"])
def test_what_runs_at_once_has_no_order(name: str) -> None:
    graph = Graph(f"await asyncio.{name}(a(), b())\nc()")
    assert graph.path("a", "b", back=False)
    assert graph.path("b", "a", back=False)
    assert not graph.path("c", "a")
    assert not Graph("f(a(), b())").path("b", "a")


def test_what_follows_the_yield_of_a_manager() -> None:
    assert not Graph("a()\nyield x\nb()", stops_at_yield=True).path("a", "b")
    assert Graph("a()\nyield x\nb()", stops_at_yield=True).path("a", "exit")
    assert Graph("a()\nyield x\nb()").path("a", "b")
    graph = Graph("try:\n  yield a()\nfinally:\n  b()", stops_at_yield=True)
    assert not graph.path("a", "b")


def test_a_body_that_grows_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = "try:\n  return a()\nfinally:\n"
    text = "".join(textwrap.indent(nested, "  " * depth) for depth in range(6)) + "  " * 6 + "b()"
    assert len(Graph(text).nodes("b")) > 30
    monkeypatch.setattr(flow, "MOST_NODES", 100)
    with pytest.raises(TooLarge):
        Graph(text)
