"""Functions that a sender may call again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.entries import entries

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link


def kinds(link: Link, text: str, function: str = "work") -> list[str]:
    made = link(text + "\n")
    return [entry.kind for entry in entries(made.registry, made.function(function))]


WORK = "def work(): ...\n"


@pytest.mark.parametrize(
    "text, found",
    [
        ("from fastapi import FastAPI\na = FastAPI()\n@a.post('/x')\ndef work(): ...", ["route"]),
        ("from lib import router\n@router.post('/x')\ndef work(): ...", ["route"]),
        ("from lib import client\n@client.post('x')\ndef work(): ...", []),
        ("from fastapi import FastAPI\na = FastAPI()\n@a.websocket('/x')\ndef work(): ...", []),
        (WORK + "from lib import r\n@r.get('/x')\ndef f(): g()\ndef g(): work()", ["route"]),
        (WORK + "from lib import r\n@r.get('/x')\ndef f():\n    def g(): work()\n    return g()", ["route"]),
        (WORK + "from lib import r\n@r.post('/x')\ndef f(tasks): tasks.add_task(work)", ["route"]),
        (WORK + "from lib import r\n@r.post('/x')\ndef f(table): table.put(work)", []),
        (WORK + "from lib import r\nr.add_api_route('/x', work)", ["route"]),
        (WORK + "from lib import r\nr.keep('/x', work)", []),
        ("from celery import shared_task\n@shared_task\ndef work(): ...", ["task"]),
        ("from langgraph.func import task\n@task\ndef work(): ...", []),
        ("from slack_bolt import App\na = App()\n@a.action('x')\ndef work(): ...", ["button"]),
        ("from tenacity import retry\n@retry\ndef work(): ...", ["retry"]),
        ("def lambda_handler(event, context): work()\n" + WORK, ["function"]),
        ("async def work(consumer):\n    async for m in consumer: ...", ["consumer"]),
        ("async def work(rows):\n    async for m in rows: ...", []),
        ("def work(sqs):\n    sqs.receive_message()", ["consumer"]),
        (WORK + "def main(): work()\nmain()", []),
        ("def work(): work()", []),
    ],
)
def test_the_kinds_of_entries(link: Link, text: str, found: list[str]) -> None:
    assert kinds(link, text) == found


@pytest.mark.parametrize(
    "base, method, found",
    [("View", "post", ["route"]), ("APIView", "post", ["route"]), ("View", "other", []), ("Plain", "post", [])],
)
def test_classes_that_answer_requests(link: Link, base: str, method: str, found: list[str]) -> None:
    text = f"from lib import {base}\nclass A({base}):\n    def {method}(self): ..."
    assert kinds(link, text, f"A.{method}") == found


def test_the_way_from_the_entry(link: Link) -> None:
    made = link(WORK + "from lib import r\n@r.get('/x')\ndef f(): g()\ndef g(): work()\n")
    (entry,) = entries(made.registry, made.function("work"))
    assert [function[1] for function, _ in entry.way] == ["f", "g"]


def test_entries_of_tests_are_none(link: Link) -> None:
    made = link(files={"tests/test_x.py": "from lib import r\n@r.get('/x')\ndef work(): ...\n"})
    assert entries(made.registry, made.function("tests/test_x.py:work")) == []
