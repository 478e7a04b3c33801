"""What findings say: what goes wrong, why here, what to do."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from resume_audit import check
from resume_audit.contract import Finding

LONGEST = 350
MORE = "(and at least 3 more)"
HEAD = """\
import contextlib

import requests
from langgraph.errors import GraphInterrupt
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from tenacity import retry


def post(state):
    requests.post("https://psp.example/refunds", json=state)


"""


def found(folder: Path, source: str) -> Finding:
    """The one finding in a module that begins with the lines above."""
    (folder / "app.py").write_text(HEAD + dedent(source))
    report = check(folder, pedantic=True, cache=False, jobs=1)
    assert (report.faults, report.errors) == ((), ())
    (finding,) = report.findings
    assert len(finding.message) <= LONGEST
    return finding


def test_the_wait_the_unit_and_the_remedy_are_said(tmp_path: Path) -> None:
    finding = found(
        tmp_path,
        """\
        def review(state):
            post(state)
            return {"ok": interrupt("ok?")}


        StateGraph(dict).add_node("review", review)
        """,
    )
    assert finding.message == (
        "`requests.post()` (sends a request) fires again each time the wait at line 16 is answered, which runs node "
        "`review` again from its top. Move it behind the wait or into a node of its own."
    )


def test_a_wait_in_a_router(tmp_path: Path) -> None:
    finding = found(
        tmp_path,
        """\
        def act(state):
            post(state)
            return state


        def route(state):
            return interrupt("where?")


        builder = StateGraph(dict)
        builder.add_node("act", act)
        builder.add_conditional_edges("act", route)
        """,
    )
    assert "a wait in router `route` runs node `act` again from its top" in finding.message
    assert finding.message.endswith("Let a node of its own ask, not the router.")


def test_a_lambda_is_named_by_its_place(tmp_path: Path) -> None:
    finding = found(
        tmp_path,
        """\
        builder = StateGraph(dict)
        builder.add_node(lambda state: (post(state), interrupt("ok?")))
        """,
    )
    assert "runs the lambda at app.py:15 again" in finding.message
    assert finding.symbol == "app.<lambda>"
    assert "<lambda:" not in "".join(step.message for step in finding.flow)


def test_the_tool_behind_a_dispatch_is_a_call(tmp_path: Path) -> None:
    finding = found(
        tmp_path,
        """\
        def show(state):
            print(state)


        ACTIONS = {"post": post, "show": show}


        def review(state):
            ACTIONS[state["do"]](state)
            return {"ok": interrupt("ok?")}


        StateGraph(dict).add_node("review", review)
        """,
    )
    assert [step.role for step in finding.flow] == ["effect", "call", "wait"]
    assert finding.flow[1].message == "`post` acts here: requests.post()"


@pytest.mark.parametrize(
    "body, said, advice",
    [
        ("except Exception:\n    pass", "this handler takes", "Put `except GraphBubbleUp: raise` in front of it"),
        ("except Exception:\n    return {}", "as if it had been answered", "in front of it"),
        ("except Exception as e:\n    raise ValueError from e", "raises another: the run fails", "in front of it"),
        (
            "except Exception as e:\n    if state:\n        raise\n    raise ValueError",
            "raises another: the run fails",
            "in front of it",
        ),
        ("except Exception:\n    if state:\n        raise", "goes on as if it had been answered", "in front of it"),
        ("except GraphInterrupt:\n    pass", "goes on as if it had been answered", "Raise it again."),
        ("finally:\n    return {}", "the `return` in `finally` drops", "Take the `return` out of `finally`."),
    ],
)
def test_what_becomes_of_a_swallowed_wait(tmp_path: Path, body: str, said: str, advice: str) -> None:
    source = "def review(state):\n    try:\n        interrupt('ok?')\n" + "".join(
        f"    {line}\n" for line in body.split("\n")
    )
    finding = found(tmp_path, source)
    assert finding.rule == "RA301"
    assert said in finding.message
    assert advice in finding.message


def test_a_handler_that_goes_to_the_next_round(tmp_path: Path) -> None:
    finding = found(
        tmp_path,
        """\
        def review(state):
            while True:
                try:
                    return interrupt("ok?")
                except Exception:
                    continue
        """,
    )
    assert "the loop goes on with its next round" in finding.message


@pytest.mark.parametrize(
    "source, said, advice",
    [
        (
            "def review(state):\n    with contextlib.suppress(Exception):\n        interrupt('ok?')\n",
            "`contextlib.suppress` drops the exception",
            "Suppress narrower types",
        ),
        (
            """\
            class Quiet:
                def __enter__(self): ...
                def __exit__(self, *given):
                    return True


            def review(state):
                with Quiet():
                    interrupt("ok?")
            """,
            "the context manager's exit drops the exception",
            "return false for `GraphBubbleUp`",
        ),
        (
            "@retry\ndef review(state):\n    interrupt('ok?')\n",
            "calls the function again instead of asking",
            "Retry on the exceptions you expect only",
        ),
        (
            """\
            async def ask(state):
                return interrupt("ok?")


            async def review(state):
                return {"ok": await asyncio.gather(ask(state), return_exceptions=True)}
            """,
            "hands back the exception that carries it",
            "Leave `return_exceptions` out",
        ),
    ],
)
def test_what_else_swallows_a_wait(tmp_path: Path, source: str, said: str, advice: str) -> None:
    finding = found(tmp_path, source)
    assert said in finding.message
    assert advice in finding.message


def test_an_argument_left_out_is_said(tmp_path: Path) -> None:
    finding = found(
        tmp_path,
        """\
        def ask(state):
            return {"ok": interrupt("ok?")}


        def build(saver=None):
            return StateGraph(dict).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=saver)


        build().invoke({}, {"configurable": {"thread_id": "1"}})
        """,
    )
    assert "without a checkpointer, which the call at line 22 leaves out:" in finding.message


@pytest.mark.parametrize(
    "nodes, more", [(3, "(and 2 more)"), (4, "(and at least 3 more)"), (9, "(and at least 3 more)")]
)
def test_a_count_that_was_cut_is_said_to_be_one(tmp_path: Path, nodes: int, more: str) -> None:
    names = [f"ask{number}" for number in range(nodes)]
    units = "".join(f"def {name}(state):\n    post(state)\n    return interrupt('?')\n\n\n" for name in names)
    added = "".join(f".add_node('{name}', {name})" for name in names)
    made = found(tmp_path, f"{units}graph = StateGraph(dict){added}\n")
    assert f"runs node `ask0` {more} again from its top" in made.message


def test_a_retry_is_no_second_copy_at_once(tmp_path: Path) -> None:
    source = """
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.types import Command

    def ask(state):
        return {"ok": interrupt("ok?")}

    graph = StateGraph(dict).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=SqliteSaver(None))

    @retry
    def answer(thread, value):
        return graph.invoke(Command(resume=value), {"configurable": {"thread_id": thread}})
    """
    message = found(tmp_path, source).message
    assert "starts again" in message
    assert "at once" not in message
