"""Where the checkpoint that a run is addressed to comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.addresses import addresses, reads
from resume_audit.analyzer.fresh_threads import fresh_thread

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import copy, uuid
from lib import graph
def history(c): return list(graph.get_state_history(c))
def forked(c): return graph.update_state(c, None)
def made(thread, checkpoint_id=None):
    c = {"configurable": {"thread_id": thread}}
    if checkpoint_id: c["configurable"]["checkpoint_id"] = checkpoint_id
    return c
def now(c): return graph.get_state(c).config
def old(c): return history(c)[0].config
def pair(c): return history(c)[1].config, c
"""


def kinds(link: Link, body: str, function: str = "f") -> set[str]:
    made = link(HEAD + body)
    (send,) = made.calls(function, "invoke")
    return {s.kind for s in addresses(made.registry, send.args[1], made.function(function), send)}


@pytest.mark.parametrize(
    "body, found",
    [
        ("graph.invoke(a, c)", set()),
        ("graph.invoke(a, graph.get_state(c).config)", {"current"}),
        ("graph.invoke(a, graph.get_state(c).values)", set()),
        ("graph.invoke(a, graph.get_state(c).parent_config)", {"current"}),
        ("graph.invoke(a, history(c)[0].config)", {"history"}),
        ("graph.invoke(a, history(c)[0]['config'])", {"history"}),
        ("s = next(s for s in history(c) if s.next)\n    graph.invoke(a, s.config)", {"history"}),
        ("for s in history(c):\n        graph.invoke(a, s.config)", {"history"}),
        ("graph.invoke(a, next(graph.checkpointer.list(c)).config)", {"history"}),
        ("graph.invoke(a, next(shop.list(c)).config)", set()),
        ("graph.invoke(a, forked(history(c)[0].config))", {"fork"}),
        ("c = history(c)[0].config\n    c = forked(c)\n    graph.invoke(a, c)", {"fork"}),
        ("c = forked(c)\n    c = history(c)[0].config\n    graph.invoke(a, c)", {"history"}),
        ("graph.update_state(c, 1)\n    graph.invoke(a, graph.get_state(c).config)", {"fork"}),
        ("graph.invoke(a, {**graph.get_state(c).config})", {"current"}),
        ("graph.invoke(a, {**graph.get_state(c).config, 'configurable': {'thread_id': 1}})", set()),
        ("graph.invoke(a, {'configurable': {**graph.get_state(c).config['configurable']}})", {"current"}),
        ("graph.invoke(a, {'configurable': {'thread_id': now(c)['configurable']['thread_id']}})", set()),
        ("graph.invoke(a, {'configurable': {'checkpoint_id': old(c)['configurable']['checkpoint_id']}})", {"history"}),
        ("graph.invoke(a, {'configurable': {'checkpoint_id': c}})", {"given"}),
        ("graph.invoke(a, {'configurable': {'checkpoint_id': None}})", set()),
        ("graph.invoke(a, dict(configurable=dict(checkpoint_id=c)))", {"given"}),
        ("d = {}\n    d['configurable'] = {'checkpoint_id': c}\n    graph.invoke(a, d)", {"given"}),
        ("d = made(1)\n    d['configurable'].update(old(c)['configurable'])\n    graph.invoke(a, d)", {"history"}),
        ("d = copy.deepcopy(graph.get_state(c).config)\n    graph.invoke(a, d)", {"current"}),
        ("d = copy.copy(now(c))\n    d['configurable'].pop('checkpoint_id')\n    graph.invoke(a, d)", set()),
        ("d = now(c)\n    del d['configurable']['checkpoint_id']\n    graph.invoke(a, d)", set()),
        ("d = now(c)\n    del d['configurable']['user']\n    graph.invoke(a, d)", {"current"}),
        ("d = now(c)\n    d['configurable'] = {'thread_id': 1}\n    graph.invoke(a, d)", set()),
        ("d = now(c)\n    d['configurable'] = {k: 1 for k in d if k != 'thread_ts'}\n    graph.invoke(a, d)", set()),
        ("d = now(c)\n    d['configurable'] = {k: 1 for k in d if k != 'user'}\n    graph.invoke(a, d)", {"current"}),
        ("d = now(c).get('configurable', {})\n    graph.invoke(a, {'configurable': d})", {"current"}),
        ("graph.invoke(a, made(1))", set()),
        ("graph.invoke(a, made(1, c))\ndef g(c): made(1)", {"given"}),
        ("x, y = pair(c)\n    graph.invoke(a, x)", {"history"}),
        ("x, y = pair(c)\n    graph.invoke(a, y)", set()),
        ("graph.invoke(a, c or graph.get_state(c).config)", {"current"}),
    ],
)  # fmt: skip
def test_where_an_address_comes_from(link: Link, body: str, found: set[str]) -> None:
    assert kinds(link, f"def f(a, c):\n    {body}\n") == found


def test_a_closure_sees_the_parameters_around_it(link: Link) -> None:
    text = (
        "def f(a, c):\n    def inner():\n        graph.invoke(a, c)\n    inner()\ndef g(): f(1, history(2)[0].config)\n"
    )
    assert kinds(link, text, "f.inner") == {"history"}


def test_an_attribute_of_the_own_class(link: Link) -> None:
    text = """
    class A:
        def open(self, c): self.at = history(c)[0].config
        def f(self, a): graph.invoke(a, self.at)
    class B:
        def open(self, c): self.at = c
        def f(self, a): graph.invoke(a, self.at)
    """
    made = link(HEAD + "\n".join(line[4:] for line in text.splitlines()))
    for name, found in (("A.f", {"history"}), ("B.f", set())):
        (send,) = made.calls(name, "invoke")
        assert {s.kind for s in addresses(made.registry, send.args[1], made.function(name), send)} == found


def test_what_is_bound_to_the_receiver(link: Link) -> None:
    made = link(HEAD + "def f(a, c):\n    g = graph.with_config(history(c)[0].config)\n    g.invoke(a)\n")
    (send,) = made.calls("f", "invoke")
    assert [s.kind for s in addresses(made.registry, None, made.function("f"), send)] == ["history"]


def test_only_the_way_that_was_taken(link: Link) -> None:
    made = link(HEAD + "def f(a, c): graph.invoke(a, c)\ndef g(c): f(1, c)\ndef h(c): f(2, history(c)[0].config)\n")
    (send,) = made.calls("f", "invoke")
    where = made.function("f")
    for caller, found in (("g", []), ("h", ["history"])):
        way = ((made.function(caller), made.calls(caller, "f")[0]),)
        assert [s.kind for s in addresses(made.registry, send.args[1], where, send, way)] == found


def test_names_that_stand_for_each_other_end(link: Link) -> None:
    assert kinds(link, "def f(a, c):\n    while a:\n        c, d = d, c\n    graph.invoke(a, c)\n") == set()


def test_reads_behind_a_value(link: Link) -> None:
    made = link(HEAD + "def f(c):\n    state = graph.get_state(c)\n    tasks = state.tasks\n    use(tasks)\n")
    assert [s.kind for s in reads(made.registry, "tasks", made.function("f"))] == ["current"]


@pytest.mark.parametrize(
    "body, fresh",
    [
        ("c = {'configurable': {'thread_id': str(uuid.uuid4())}}", True),
        ("c = {'configurable': {'thread_id': f'run-{uuid.uuid4()}'}}", True),
        ("t = uuid.uuid4().hex\n    c = {'configurable': {'thread_id': t}}", True),
        ("c = {'configurable': {'thread_id': thread or str(uuid.uuid4())}}", False),
        ("c = {'configurable': {'thread_id': thread}}", False),
        ("c = {'configurable': {'thread_id': thread, 'user': str(uuid.uuid4())}}", False),
        ("c = {'configurable': {'user': str(uuid.uuid4())}}", False),
        ("c = thread", False),
    ],
)
def test_threads_of_their_own(link: Link, body: str, fresh: bool) -> None:
    made = link(HEAD + f"def f(a, thread):\n    {body}\n    graph.invoke(a, c)\n")
    (send,) = made.calls("f", "invoke")
    assert fresh_thread(made.registry, send.args[1], made.function("f"), send, ()) is fresh
