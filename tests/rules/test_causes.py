"""Findings name the cause that they have, and the run, the unit and the remedy that belong to it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from resume_audit import check
from resume_audit.contract import Finding

HEAD = """\
import uuid

import requests
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

CONFIG = {"configurable": {"thread_id": "1"}}


"""


def findings(folder: Path, source: str, *rules: str) -> tuple[Finding, ...]:
    """What is found in a module that begins with the lines above."""
    (folder / "app.py").write_text(HEAD + dedent(source))
    report = check(folder, select=rules, pedantic=True, cache=False, jobs=1)
    assert (report.faults, report.errors) == ((), ())
    return report.findings


def lines(finding: Finding, role: str) -> list[int]:
    """The lines of the flow's steps of a role, counted from the source given."""
    return [step.place.line - HEAD.count("\n") for step in finding.flow if step.role == role]


def test_the_run_shown_is_of_the_graph_without_saver(tmp_path: Path) -> None:
    source = """\
        def build(saver=None):
            graph = StateGraph(dict).add_node("ask", lambda state: interrupt("ok?")).add_edge(START, "ask")
            return graph.compile(checkpointer=saver)


        app = build(PostgresSaver())
        app.invoke({}, CONFIG)
        bare = build()
        bare.invoke({}, CONFIG)
    """
    (finding,) = findings(tmp_path, source, "RA601")
    assert lines(finding, "resume") == [9]


STAND_IN = """\
    from langchain_core.tools import tool


    @tool
    def write_email(to: str) -> str:
        "Write and send an email."
        return f"sent to {to}"


    @tool
    def pay(order: str) -> str:
        "Pay."
        return requests.post("https://psp.example/charges", json={"order": order}).text


    BY_NAME = {t.name: t for t in (TOOLS)}


    def act(state):
        BY_NAME[state["tool"]].invoke(state["args"])
        return {"ok": interrupt("ok?")}


    StateGraph(dict).add_node("act", act)
"""


def test_a_tool_that_is_a_stand_in_is_said_to_be_judged_by_its_name(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, STAND_IN.replace("TOOLS", "write_email,"), "RA101")
    assert "which may run `write_email` (a stand-in, judged by its name), fires again" in finding.message
    assert finding.certainty == "likely"
    (finding,) = findings(tmp_path, STAND_IN.replace("TOOLS", "write_email, pay"), "RA101")
    assert "which may run `pay`, `write_email` (a stand-in), fires again" in finding.message


def test_a_stand_in_beside_a_tool_that_waits(tmp_path: Path) -> None:
    source = """\
        from langchain_core.tools import tool
        from langgraph.prebuilt import ToolNode


        @tool
        def send_email(to: str) -> str:
            "Send an email."
            return f"sent to {to}"


        @tool
        def ask(question: str) -> str:
            "Ask."
            return interrupt(question)


        node = ToolNode([send_email, ask])
    """
    (finding,) = findings(tmp_path, source, "RA104")
    assert "What tool `send_email` (a stand-in, judged by its name) does is done again" in finding.message


def test_a_saver_that_may_be_none_is_no_guess_by_names(tmp_path: Path) -> None:
    source = """\
        def main(durable):
            saver = PostgresSaver() if durable else None
            graph = StateGraph(dict).add_node("ask", lambda state: interrupt("ok?")).add_edge(START, "ask")
            graph.compile(checkpointer=saver).invoke({}, CONFIG)
    """
    (finding,) = findings(tmp_path, source, "RA601")
    assert "with a checkpointer that may be None" in finding.message
    assert finding.certainty == "certain"


@pytest.mark.parametrize(
    "call, reason",
    [
        (
            "stripe.PaymentIntent.create(amount=1, idempotency_key=str(uuid.uuid4()))",
            "is given a new idempotency_key each time",
        ),
        (
            "requests.post('u', headers={'Idempotency-Key': uuid.uuid4().hex})",
            "is given a new Idempotency-Key each time",
        ),
        ("store.put(('n',), str(uuid.uuid4()), {'a': 1})", "makes one more entry, under a key that is new each time"),
        ("store.put(('n',), 'k', {'n': old.value['n'] + 1})", "changes what it read and writes it back"),
        ("WebClient().chat_postMessage(channel='c')", "sends people a message, a call or an alert"),
        ("Client().messages.create(to='1', body='b')", "sends people a message, a call or an alert"),
        ("pay.delay(1)", "its name says that a job is handed over"),
    ],
)
def test_the_reason_is_why_a_repetition_harms(tmp_path: Path, call: str, reason: str) -> None:
    source = f"""\
        import stripe
        from langgraph.store.base import BaseStore
        from slack_sdk import WebClient
        from twilio.rest import Client


        def act(state, store: BaseStore):
            old = store.get(("n",), "k")
            {call}
            return {{"ok": interrupt("ok?")}}


        StateGraph(dict).add_node("act", act)
    """
    (finding,) = findings(tmp_path, source, "RA101")
    assert f" ({reason}) fires again" in finding.message


def test_all_units_that_a_helper_acts_for_are_counted(tmp_path: Path) -> None:
    source = """\
        def tell():
            requests.post("https://mail.example/send")


        def approve(state):
            tell()
            return {"ok": interrupt("ok?")}


        def reject(state):
            tell()
            return {"why": interrupt("why?")}


        StateGraph(dict).add_node("approve", approve).add_node("reject", reject)


        @entrypoint(checkpointer=PostgresSaver())
        def bill(order):
            charge()


        @entrypoint(checkpointer=PostgresSaver())
        def refund(order):
            charge()


        def charge():
            requests.post("https://psp.example/charges")
    """
    before, body = findings(tmp_path, source, "RA101", "RA103")
    assert "which runs node `approve` (and 1 more) again" in before.message
    assert "every recovery of entrypoint `bill` (and 1 more):" in body.message


def test_all_tools_that_wait_beside_an_effect_are_counted(tmp_path: Path) -> None:
    source = """\
        from langchain_core.tools import tool
        from langgraph.prebuilt import ToolNode


        @tool
        def confirm() -> str:
            "Confirm."
            return interrupt("sure?")


        @tool
        def ask() -> str:
            "Ask."
            return interrupt("which?")


        @tool
        def charge(order: str) -> None:
            "Charge."
            post()


        @tool
        def refund(order: str) -> None:
            "Refund."
            post()


        def post():
            requests.post("https://psp.example/moves")


        node = ToolNode([ask, confirm, charge, refund])
    """
    (finding,) = findings(tmp_path, source, "RA104")
    assert "in tool `charge` (and 1 more) is done again when tool `ask` (or 1 more) is answered" in finding.message
    assert "Give each tool that waits a node of its own" in finding.message


def test_units_are_called_by_the_name_that_the_graph_knows(tmp_path: Path) -> None:
    source = """\
        from langchain.agents.middleware import AgentMiddleware, before_model
        from langchain_core.tools import BaseTool


        class Desk:
            def _tell(self):
                requests.post("https://mail.example/send")

            def _approve(self, state):
                self._tell()
                return {"ok": interrupt("ok?")}

            def build(self):
                return StateGraph(dict).add_node("_approve", self._approve)


        class Charge(BaseTool):
            name = "charge"

            def _run(self, order):
                requests.post("https://psp.example/charges")
                return interrupt("keep?")


        class Audit(AgentMiddleware):
            def before_model(self, state, runtime):
                requests.post("https://audit.example/models")
                return interrupt("go on?")


        @before_model(can_jump_to=["end"])
        def look(state, runtime):
            requests.post("https://audit.example/looks")
            return interrupt("go on?")
    """
    found = findings(tmp_path, source, "RA101")
    said = [each.message.partition("which runs ")[2].partition(" again")[0] for each in found]
    assert said == [
        "node `_approve`",
        "tool `Charge`",
        "middleware hook `Audit.before_model`",
        "middleware hook `look`",
    ]
    assert [step.message for step in found[0].flow if step.role == "call"] == ["reached by self._tell() in `_approve`"]


def test_the_none_that_a_handler_goes_on_with_is_shown(tmp_path: Path) -> None:
    source = """\
        def saver(url):
            found = None
            try:
                found = PostgresSaver(url)
            except Exception as error:
                print(error)
            return found


        graph = StateGraph(dict).add_node("ask", lambda state: interrupt("ok?")).add_edge(START, "ask")
        graph.compile(checkpointer=saver("db")).invoke({}, CONFIG)
    """
    (finding,) = findings(tmp_path, source, "RA601")
    assert (lines(finding, "source"), lines(finding, "event")) == ([2], [5])


def test_an_entrypoint_without_a_saver_is_told_of_its_own_argument(tmp_path: Path) -> None:
    source = """\
        @entrypoint()
        def ask(question):
            return interrupt(question)


        ask.invoke("q", CONFIG)
    """
    (finding,) = findings(tmp_path, source, "RA601")
    assert finding.message.startswith("An entrypoint that waits is made without a checkpointer: ")
    assert finding.message.endswith("Give it a durable one: `@entrypoint(checkpointer=…)`.")
    assert "the entrypoint is made here" in [step.message for step in finding.flow]


def test_the_layer_that_acts_is_named_not_those_around_it(tmp_path: Path) -> None:
    source = """\
        from langchain.agents import create_agent
        from langchain.agents.middleware import AgentMiddleware, wrap_tool_call
        from langchain_core.tools import tool


        class Around(AgentMiddleware):
            def wrap_tool_call(self, request, handler):
                return handler(request)


        @wrap_tool_call
        def report(request, handler):
            requests.post("https://audit.example/calls")
            return handler(request)


        @tool
        def ask(question: str) -> str:
            "Ask."
            return interrupt(question)


        @tool
        def pay(order: str) -> str:
            "Pay."
            requests.post("https://psp.example/charges")
            return interrupt("keep?")


        agent = create_agent("m", [ask, pay], middleware=[Around(), report], checkpointer=PostgresSaver())
    """
    hook, tool = findings(tmp_path, source, "RA101")
    assert "which runs middleware hook `report` again" in hook.message
    assert "which runs tool `pay` again" in tool.message
