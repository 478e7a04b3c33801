"""Whose code a file holds."""

from __future__ import annotations

import json
import logging
import subprocess

import pytest

from resume_audit.tracer import session
from resume_audit.tracer.places import installed, module, owner

_SITE = "/app/.venv/lib/python3.12/site-packages/"


@pytest.mark.parametrize(
    "path, whose",
    [
        ("/app/shop/pay.py", "user"),
        ("<string>", "user"),
        ("<stdin>", "user"),
        ("<ipython-input-1-abc>", "user"),
        ("/tmp/ipykernel_1/1.py", "user"),
        ("<attrs generated init shop.Order>", "library"),
        ("<frozen importlib._bootstrap>", "library"),
        (_SITE + "requests/api.py", "library"),
        (_SITE + "langgraph/pregel/main.py", "library"),
        (_SITE + "langgraph/checkpoint/sqlite/__init__.py", "quiet"),
        (_SITE + "openai/_client.py", "quiet"),
        ("/usr/lib/python3/dist-packages/anthropic/_client.py", "quiet"),
        (_SITE + "opentelemetry/exporter/otlp/x.py", "quiet"),
        (_SITE + "opentelemetry/instrumentation/redis/__init__.py", "library"),
        (_SITE + "opentelemetry/sdk/trace/__init__.py", "library"),
        (_SITE + "opentelemetry/sdk/trace/export/__init__.py", "carrier"),
        (_SITE + "langsmith/run_helpers.py", "library"),
        (_SITE + "langsmith/client.py", "quiet"),
        (logging.__file__, "carrier"),
        (subprocess.__file__, "library"),
        (json.__file__, "library"),
        (session.__file__, "tracer"),
        ("C:\\app\\Lib\\site-packages\\requests\\api.py", "library"),
    ],
)
def test_owner(path: str, whose: str) -> None:
    assert owner(path) == whose


def test_modules_are_named_by_their_files() -> None:
    assert installed(_SITE + "redis/client.py") == "redis/client.py"
    assert installed(subprocess.__file__) == "subprocess.py"
    assert installed("/app/shop/pay.py") == ""
    assert module("redis/client.py") == "redis.client"
    assert module("langgraph/store/base/__init__.py") == "langgraph.store.base"
