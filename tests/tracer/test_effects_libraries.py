"""Effects through libraries, in an environment that has them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from resume_audit.analyzer.knowledge import effect_frames
from resume_audit.tests.tracer.effect_programs import Ran, has_monitoring, libraries_python, run

pytestmark = pytest.mark.slow


def traced(folder: Path, body: str, before: str, *, server: bool = True, attach: str = "", core: str = "") -> Ran:
    python = libraries_python()
    best = "monitoring" if has_monitoring(python) else "settrace"
    return run(folder, body, python=python, core=core or best, before=before, server=server, attach=attach)


@pytest.mark.parametrize("core", ["settrace", "monitoring"])
def test_requests_and_httpx(tmp_path: Path, core: str) -> None:
    if core == "monitoring" and not has_monitoring(libraries_python()):
        return
    ran = traced(
        tmp_path,
        """
        requests.post(url, json={"a": 1}, headers={"Idempotency-Key": "k1"})
        requests.post(url, json={"a": 1}, headers={"Idempotency-Key": "k1"})
        requests.post(url, json={"a": 2}, headers={"idempotency-key": "k2"})
        requests.post(url, json={"idempotency_key": "k1"})
        requests.post(url, params={"idempotency_key": "k1"})
        requests.get(url); requests.Session().put(url)
        httpx.post(url, json={"a": 1}, headers=httpx.Headers({"Idempotency-Key": "k1"}))
        with httpx.Client() as client: client.send(client.build_request("POST", url, json={"a": 1}))
        with httpx.Client() as client: client.get(url)
        async def main():
            async with httpx.AsyncClient() as client:
                await client.post(url, json={"a": 1})
                await asyncio.gather(client.post(url, json={"a": 3}), client.get(url))  # gather
        asyncio.run(main())
        """,
        "import requests, httpx, asyncio",
        core=core,
    )
    assert ran.names == [
        *["requests.post"] * 5,
        "requests.Session.put",
        "httpx.post",
        "httpx.Client.request",
        *["httpx.AsyncClient.post"] * 2,
    ]
    keys = [each["key"] for each in ran.outermost]
    assert keys[0] == keys[1] == keys[3] == keys[4] == keys[6] != keys[2]
    assert None not in keys[:5]
    digests = [each["digest"] for each in ran.outermost]
    assert None not in digests
    assert digests[0] == digests[1] != digests[2]
    assert [each["idempotent"] for each in ran.outermost] == [False] * 5 + [True] + [False] * 4
    assert ran.line(ran.outermost[-1]).endswith("# gather")
    assert {ran.outcome(each) for each in ran.effects} == {"ok"}


def test_aiohttp(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        async def main():
            async with aiohttp.ClientSession() as session:
                for _ in range(2):
                    async with session.post(url, json={"a": 1}, headers={"Idempotency-Key": "k1"}) as got:
                        await got.read()
                async with session.get(url) as answer: await answer.read()
                await session.put(yarl.URL(url), data=b"1")
                try:
                    await session.post("http://127.0.0.1:1/")
                except aiohttp.ClientError:
                    pass
        asyncio.run(main())
        """,
        "import aiohttp, asyncio, yarl",
    )
    assert ran.names == ["aiohttp.ClientSession.request"] * 4
    first, second, put, failed = ran.outermost
    assert first["digest"] == second["digest"] is not None
    assert first["key"] == second["key"] is not None
    assert put["idempotent"]
    assert ran.outcome(failed) == "failed"
    assert ran.line(first).startswith("async with session.post")


def test_redis(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        client.set("a", 1); client.get("a"); client.incr("a"); client.delete("a")
        with client.pipeline() as pipe:
            pipe.incr("a"); pipe.set("b", 1)
            pipe.execute()  # pipeline
        with client.pipeline() as pipe:
            pipe.get("a")
            pipe.execute()
        async def main():
            client = fakeredis.FakeAsyncRedis()
            await client.rpush("l", 1)
            await client.lrange("l", 0, 1)
            async with client.pipeline() as pipe:
                pipe.incr("a")
                await pipe.execute()
        asyncio.run(main())
        """,
        "import fakeredis, asyncio\nclient = fakeredis.FakeRedis()",
        server=False,
    )
    assert [(each["name"].removeprefix("redis.Redis."), each["idempotent"]) for each in ran.outermost] == [
        ("set", True),
        ("incrby", False),
        ("delete", True),
        ("pipeline.execute", False),
        ("rpush", False),
        ("pipeline.execute", False),
    ]
    assert ran.line(ran.outermost[3]).endswith("# pipeline")
    assert None not in [each["digest"] for each in ran.outermost]


def test_boto3_operations_by_name(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        sqs.send_message(QueueUrl="q", MessageBody="b")
        sqs.receive_message(QueueUrl="q")
        s3.put_object(Bucket="b", Key="k", Body=b"1")
        ec2.run_instances(ImageId="i", MinCount=1, MaxCount=1, ClientToken="t")
        bedrock.converse(modelId="m", messages=[])
        """,
        """
        import boto3
        from botocore.stub import Stubber, ANY
        def client(name, **answers):
            made = boto3.client(name, region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
            stub = Stubber(made)
            for operation, answer in answers.items(): stub.add_response(operation, answer)
            stub.activate()
            return made
        sqs = client("sqs", send_message={}, receive_message={}); s3 = client("s3", put_object={})
        ec2 = client("ec2", run_instances={})
        bedrock = client("bedrock-runtime", converse={
            "output": {"message": {"role": "user", "content": []}}, "stopReason": "end_turn",
            "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
            "metrics": {"latencyMs": 1}})
        """,
        server=False,
    )
    assert [(each["name"], each["idempotent"], each["key"] is not None) for each in ran.outermost] == [
        ("boto3.client.send_message", False, False),
        ("boto3.client.put_object", True, False),
        ("boto3.client.run_instances", False, True),
    ]
    assert ran.line(ran.outermost[1]).startswith("s3.put_object")
    assert None not in [each["digest"] for each in ran.outermost]


def test_model_clients_are_none(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        for ask in (
            lambda: openai.OpenAI(base_url=url, api_key="k").files.create(file=b"1", purpose="batch"),
            lambda: anthropic.Anthropic(base_url=url, api_key="k").messages.create(
                model="m", max_tokens=1, messages=[]),
        ):
            try: ask()
            except Exception as error: print(type(error).__name__)
        async def main():
            try: await openai.AsyncOpenAI(base_url=url, api_key="k").chat.completions.create(model="m", messages=[])
            except Exception as error: print(type(error).__name__)
        asyncio.run(main())
        print("asked", len(Handler.asked))
        """,
        "import openai, anthropic, asyncio",
    )
    assert ran.out.splitlines()[-1] != "asked 0"
    assert ran.effects == []


def test_exporters_of_spans_are_none(tmp_path: Path) -> None:
    ran = traced(
        tmp_path,
        """
        class Posting(export.SpanExporter):
            def export(self, spans):
                urllib.request.urlopen(url, data=b"1").read()
                return export.SpanExportResult.SUCCESS
        provider = trace.TracerProvider()
        provider.add_span_processor(export.SimpleSpanProcessor(Posting()))
        provider.add_span_processor(export.BatchSpanProcessor(Posting()))
        with provider.get_tracer("t").start_as_current_span("s"):
            urllib.request.urlopen(url, data=b"2").read()  # own
        provider.shutdown()
        print(len(Handler.asked))
        """,
        "import urllib.request\nfrom opentelemetry.sdk import trace\nfrom opentelemetry.sdk.trace import export",
    )
    assert ran.out.strip() == "3"
    assert [ran.line(each).rpartition("# ")[2] for each in ran.outermost] == ["own"]


_FUNCTIONS = """
import ast, importlib.util, json, pathlib, sys, sysconfig
def names(body, before=""):
    for each in body:
        if isinstance(each, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield before + each.name
            inner = "." if isinstance(each, ast.ClassDef) else ".<locals>."
            yield from names(each.body, before + each.name + inner)
        elif isinstance(each, ast.If):
            yield from names(each.body + each.orelse, before)
found = {}
for under in json.load(sys.stdin):
    for key in ("purelib", "stdlib"):
        path = pathlib.Path(sysconfig.get_paths()[key], under)
        for file in path.rglob("*.py") if path.is_dir() else [path] if path.is_file() else []:
            found.setdefault(under, []).extend(names(ast.parse(file.read_text()).body))
json.dump(found, sys.stdout)
"""


def test_frames_are_those_of_the_installed_libraries() -> None:
    frames = effect_frames.load()
    told = json.dumps(sorted({spec.under for spec in frames}))
    done = subprocess.run(
        [libraries_python(), "-c", _FUNCTIONS], input=told, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found.keys() == {spec.under for spec in frames}
    missing = [
        (spec.under, function)
        for spec in frames
        for function in spec.functions
        if not any(
            name == function or (function.startswith("*.") and name.endswith(function[1:]))
            for name in found[spec.under]
        )
    ]
    assert missing == []
