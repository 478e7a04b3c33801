"""Calls in small programs: which of them are effects, by chains, arguments, keys and handles."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import asyncio, csv, json, os, subprocess, uuid
import docker, httpx, requests, stripe
from celery import Celery, shared_task
from git import Repo
from mcp import ClientSession
from pymongo import MongoClient
from twilio.rest import Client
from langgraph.types import interrupt
from elsewhere import client, coll, pool, run_agent, service, session
app = Celery("x")
db = MongoClient().shop
sms = Client("a", "b")
QUERY = "query Me { me { id } }"
@shared_task
def mail(to): ...
@app.task(bind=True)
def report(self, to): ...
def new_key(): return "k-" + uuid.uuid4().hex
def kept_key(order): return db.keys.find_one({"o": order}) or uuid.uuid4().hex
def order_key(order): return f"order-{order}"
@app.memo
def memo_key(): return uuid.uuid4().hex
def new_headers(): return {"Idempotency-Key": str(uuid.uuid4())}
def order_headers(order): return {"Idempotency-Key": order}
"""


def lines(link: Link, body: str) -> tuple[list[int], list[int]]:
    """The lines of the effects that a wait may repeat, and those marked with ``# !``."""
    text = HEAD + "async def f(s, typed: ClientSession):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    text += "\n    interrupt(1)\n"
    made = link(text)
    marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# !")]
    return sorted({hazard.effect.line for hazard in made.program.hazards}), marked


@pytest.mark.parametrize(
    "body",
    [
        # attributes of attributes
        "sms.messages.create(to='x')  # !",
        "Client('a', 'b').calls.create(to='x')  # !",
        "sms.messages.list()",
        "docker.from_env().containers.run('img')  # !",
        "docker.from_env().containers.run('img', name='n')",
        "repo = Repo('.')\nrepo.index.commit('x')  # !\nrepo.remote('origin').push()\nrepo.remotes.origin.push()",
        "db.orders.insert_one({'a': 1})  # !",
        "db.orders.insert_one({'_id': s['id'], 'a': 1})",
        "db.orders.insert_one({'_id': uuid.uuid4().hex})  # !",
        "service.users().messages().send(userId='me', body=s).execute()  # !",
        # operators of a document
        "db.n.update_one({'_id': 1}, {'$inc': {'n': 1}})  # !",
        "db.n.update_one({'_id': 1}, {'$set': {'n': 1}}, upsert=True)",
        "up = {'$push': {'n': 1}}\ncoll.update_one({'_id': 1}, up)  # !",
        "coll.update_many({'_id': 1}, update={'$inc': {'n': 1}})  # !",
        "coll.update_one({'_id': 1}, {'$addToSet': {'n': 1}})",
        # tasks
        "mail.delay(s)  # !",
        "report.apply_async(args=[s])  # !",
        "report.apply_async(args=[s], task_id=s['id'])",
        "run_agent.delay(s)  # !",
        "app.send_task('mail', args=[s])  # !",
        "pool.apply_async(mail, (s,))",
        # tools of MCP
        "await session.call_tool('create_issue', {})  # !",
        "await typed.call_tool('create_issue', {})  # !",
        "await typed.call_tool('get_issue', {})",
        "await typed.call_tool(s['name'], {})",
        # commands
        "subprocess.run(['git', 'diff'], check=True)",
        "subprocess.run(['git', '-C', s['repo'], 'push'])  # !",
        "subprocess.run(['git', 'commit', '-m', 'a; b'])  # !",
        "subprocess.run(['grep', '-r', 'a|b; c', '.'])",
        "cmd = ['git', 'log']\ncmd.append(s['path'])\nsubprocess.run(cmd)",
        "subprocess.run(['ls'] + s['paths'])",
        "subprocess.run(['ls', *s['paths']])",
        "subprocess.run('git status --short'.split())",
        "subprocess.check_output(s['cmd'])  # !",
        "await asyncio.create_subprocess_exec('git', 'show', s['rev'])",
        "await asyncio.create_subprocess_exec('git', 'push')  # !",
        # GraphQL
        "requests.post('https://x/graphql', json={'query': QUERY})",
        "requests.post('https://x/graphql', json={'query': '{ me }', 'variables': {}})",
        "body = {'query': QUERY}\nclient.post('/graphql', json=body)",
        "requests.post('https://x/graphql', json={'query': 'mutation { pay }'})  # !",
        "requests.post('https://x/graphql', json={'query': s['q']})  # !",
    ],
)
def test_what_is_called_and_with_what(link: Link, body: str) -> None:
    found, marked = lines(link, body)
    assert found == marked


@pytest.mark.parametrize(
    "body",
    [
        "httpx.post('u', headers={'Idempotency-Key': s['id']})",
        "httpx.post('u', headers={'Idempotency-Key': str(uuid.uuid4())})  # !",
        "httpx.post('u', headers={'X-Request-Id': str(uuid.uuid4()), 'Idempotency-Key': s['id']})",
        "key = uuid.uuid4().hex\nheaders = {'idempotency-key': key}\nhttpx.post('u', headers=headers)  # !",
        "headers = {}\nheaders['Idempotency-Key'] = s['id']\nhttpx.post('u', headers=headers)",
        "headers = {}\nheaders['Idempotency-Key'] = uuid.uuid4().hex\nhttpx.post('u', headers=headers)  # !",
        "httpx.post('u', headers={'a': 'b', **new_headers()})  # !",
        "httpx.post('u', headers=new_headers())  # !",
        "httpx.post('u', headers=order_headers(s['id']))",
        "httpx.post('u', headers=dict(s, **{'Idempotency-Key': s['id']}))",
        "stripe.Refund.create(charge='c', idempotency_key=new_key())  # !",
        "stripe.Refund.create(charge='c', idempotency_key=order_key(s['id']))",
        "stripe.Refund.create(charge='c', idempotency_key=memo_key())",
        "more = {'idempotency_key': uuid.uuid4().hex}\nstripe.Refund.create(charge='c', **more)  # !",
        "more = {'idempotency_key': s['id']}\nstripe.Refund.create(charge='c', **more)",
    ],
)
def test_a_key_counts_where_it_is_the_same_again(link: Link, body: str) -> None:
    found, marked = lines(link, body)
    assert found == marked


@pytest.mark.parametrize(
    "body",
    [
        "with open('a', 'a') as h:\n    h.write('x')  # !",
        "with open('a', 'a') as h:\n    ok = interrupt(1)\n    h.write(ok)\nreturn",
        "h = open('a', 'a')\nh.writelines([])  # !",
        "with open('a', 'a') as h:\n    json.dump(s, h)  # !",
        "with open('a', 'a') as h:\n    print(s, file=h)  # !",
        "with open('a', 'a') as h:\n    csv.writer(h).writerow(s)  # !",
        "with open('a', 'a') as h:\n    w = csv.writer(h)\n    w.writerow(s)  # !",
        "with open('a') as h:\n    h.read()\nwith open('a', 'w') as h:\n    h.write('x')",
        "with open('a', 'w') as h:\n    h.write('x')\nwith open('a', 'a') as h:\n    h.write('x')  # !",
        # the handle goes elsewhere
        "with open('a', 'a') as h:  # !\n    client.fill(h)",
        "return open('a', 'a'), interrupt(1)  # !",
    ],
)
def test_what_is_appended_is_written_through_a_handle(link: Link, body: str) -> None:
    found, marked = lines(link, body)
    assert found == marked


def test_what_is_skipped_on_resume_is_not_repeated(link: Link) -> None:
    text = (
        "def _is_resumed(pad): return bool(pad.resume)\n"
        "def once(fn):\n"
        "    def wrapper(pad):\n"
        "        if TEST: return interrupt(None)\n"
        "        return interrupt(fn())\n"
        "    return wrapper\n"
        "@once\ndef pay(): return requests.post('a')\n"
    )
    assert link(HEAD + text.replace("TEST", "_is_resumed(pad)")).hazards() == set()
    assert link(HEAD + text.replace("TEST", "pad.early")).hazards() == {"a"}


def test_dicts_that_hold_themselves_end(link: Link) -> None:
    text = (
        "class C:\n    def g(self):\n        self.h = {**self.h, 'a': 1}\n        requests.post('a', headers=self.h)\n"
    )
    made = link(HEAD + text + "        interrupt(1)\n")
    assert made.hazards() == {"a"}
