"""The tables of effects: what they say, how strictly they are read, and what names alone say."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from resume_audit.analyzer.knowledge import effects as module
from resume_audit.analyzer.knowledge.effect_tables import parse
from resume_audit.analyzer.knowledge.effects import Argument, load

UNKNOWN = Argument()


def lit(value: str | int | float | bool | None) -> Argument:
    """A literal argument."""
    return Argument(value, True)


def told(text: str) -> list[tuple[str, str]]:
    """Lines ``expected: name name``, continued by indented ones, as pairs of name and expectation."""
    found, expected = [], ""
    for item in text.split():
        if item.endswith(":"):
            expected = item[:-1]
        else:
            found.append((item, expected))
    return found


def word(name: str, /, *args: Argument, **kwargs: Argument) -> str:
    """What a call is said to be, in one word."""
    return said(load().classify(name, args, kwargs))


def said(found: module.Effect | None) -> str:
    """An effect in one word; ``likely`` is an effect that is not certain."""
    if found is None:
        return "none"
    if found.action == "read":
        return "read"
    if found.idempotent:
        return "idempotent"
    return "effect" if found.certainty == "certain" else "likely"


@pytest.mark.parametrize(
    "name, expected",
    told(
        """
        effect: requests.post requests.Session.post requests.sessions.Session.post
            httpx.AsyncClient.post httpx.Client.patch aiohttp.ClientSession.post smtplib.SMTP.sendmail
            smtplib.SMTP_SSL.send_message django.core.mail.send_mail resend.Emails.send aiosmtplib.send
            sqlalchemy.orm.Session.add sqlalchemy.orm.session.Session.add sqlmodel.Session.add
            sqlalchemy.ext.asyncio.AsyncSession.add_all django.db.models.Model.objects.create
            peewee.Model.create pymongo.Collection.insert_one
            motor.motor_asyncio.AsyncIOMotorCollection.insert_one redis.Redis.incr
            redis.asyncio.Redis.xadd stripe.PaymentIntent.create
            stripe.StripeClient.v1.payment_intents.create stripe.Refund.create
            braintree.BraintreeGateway.transaction.sale square.Square.payments.create
            kafka.KafkaProducer.send confluent_kafka.Producer.produce pika.channel.Channel.basic_publish
            celery.app.task.Task.delay celery.Task.apply_async
            google.cloud.pubsub_v1.PublisherClient.publish dramatiq.Actor.send boto3.client.send_message
            boto3.client.run_instances boto3.client.create_job boto3.client.invoke
            google.cloud.firestore.CollectionReference.add
            azure.servicebus.ServiceBusSender.send_messages langchain_chroma.Chroma.add_texts
            langchain_community.vectorstores.FAISS.add_documents slack_sdk.WebClient.chat_postMessage
            slack_sdk.web.async_client.AsyncWebClient.chat_postMessage
            twilio.rest.Client.messages.create telegram.Bot.send_message
            github.Repository.Repository.create_issue jira.JIRA.create_issue
            googleapiclient.discovery.Resource.users.messages.send
        idempotent: requests.put requests.delete sqlalchemy.orm.Session.merge
            django.db.models.Model.objects.get_or_create django.db.models.Model.save
            tortoise.models.Model.get_or_create pymongo.Collection.update_one redis.Redis.hset
            stripe.Customer.modify boto3.client.put_object boto3.client.put_item
            boto3.client.delete_object google.cloud.storage.Blob.upload_from_string
            azure.storage.blob.BlobClient.upload_blob pathlib.Path.write_text os.remove
            chromadb.Collection.add pinecone.Index.upsert qdrant_client.AsyncQdrantClient.upsert
            langgraph.store.base.BaseStore.put langgraph.store.memory.InMemoryStore.aput
            langgraph.runtime.Runtime.store.put slack_sdk.WebClient.chat_update
        read: requests.get httpx.Client.get aiohttp.client.ClientSession.get sqlalchemy.orm.Session.get
            django.db.models.QuerySet.exists pymongo.Collection.find_one redis.Redis.get
            stripe.Customer.retrieve boto3.client.get_object boto3.client.list_buckets
            boto3.client.describe_instances os.path.exists
            langchain_core.vectorstores.VectorStore.similarity_search
            langgraph.store.base.BaseStore.aget slack_sdk.WebClient.users_info
            github.Repository.Repository.get_issue googleapiclient.discovery.Resource.messages.list
        none: httpx.Client smtplib.SMTP.login sqlalchemy.orm.Session.commit sqlalchemy.insert
            stripe.Webhook.construct_event kafka.KafkaProducer.flush boto3.client.invoke_model
            boto3.client.converse os.getcwd tempfile.NamedTemporaryFile
            langgraph.checkpoint.base.BaseCheckpointSaver.put langgraph.config.get_stream_writer
            googleapiclient.discovery.Resource.execute openai.OpenAI.chat.completions.create
            anthropic.Anthropic.messages.create langchain_openai.ChatOpenAI.invoke logging.Logger.info
            print queue.Queue.put asyncio.Queue.put time.sleep
            langchain_core.callbacks.adispatch_custom_event random.random mlflow.log_metric
            shop.payments.charge requestspost requests.post.extra myrequests.post
        """
    ),
)
def test_a_call_without_known_arguments(name: str, expected: str) -> None:
    assert word(name) == expected


@pytest.mark.parametrize(
    "mode, expected",
    [
        ("a", "effect"),
        ("ab", "effect"),
        ("x", "effect"),
        ("r+", "effect"),
        ("rb+", "effect"),
        ("w", "idempotent"),
        ("wb", "idempotent"),
        ("w+", "idempotent"),
        ("r", "read"),
        ("rb", "read"),
    ],
)
def test_the_mode_of_a_file_decides(mode: str, expected: str) -> None:
    assert word("open", UNKNOWN, lit(mode)) == expected
    assert word("builtins.open", UNKNOWN, mode=lit(mode)) == expected
    assert word("pathlib.Path.open", lit(mode)) == expected


def test_a_file_without_a_known_mode() -> None:
    assert word("open", UNKNOWN) == "read"
    assert word("open", UNKNOWN, UNKNOWN) == "none"
    assert word("open", UNKNOWN, lit("{}")) == "none"


@pytest.mark.parametrize(
    "name, args, kwargs, expected",
    [
        ("requests.request", ["POST"], {}, "effect"),
        ("requests.request", ["get"], {}, "read"),
        ("requests.request", [], {"method": "PUT"}, "idempotent"),
        ("requests.request", [None], {}, "effect"),
        ("http.client.HTTPSConnection.request", ["POST", "/orders"], {}, "effect"),
        ("urllib.request.urlopen", ["https://x.org"], {}, "read"),
        ("urllib.request.urlopen", ["https://x.org", None], {}, "read"),
        ("requests.post", ["https://api.openai.com/v1/chat/completions"], {}, "none"),
        ("requests.post", ["https://x.org/api/search?q=1"], {}, "none"),
        ("requests.post", ["https://x.org/api/orders"], {}, "effect"),
        ("httpx.AsyncClient.post", [], {"url": "{}/embeddings"}, "none"),
        ("httpx.AsyncClient.post", ["{}/orders/{}"], {}, "effect"),
        ("requests.post", ["https://metrics/start"], {}, "effect"),
        ("requests.post", ["https://x.org/search/jobs"], {}, "effect"),
        ("requests.post", ["https://x.org/metrics/start"], {}, "effect"),
        ("requests.post", ["https://x.org/auth/register"], {}, "effect"),
        ("requests.post", ["https://x.org/v1/metrics"], {}, "none"),
        ("requests.post", ["{}/search/"], {}, "none"),
        ("requests.post", ["https://x.org/oauth2/v2.0/token"], {}, "none"),
        ("requests.post", ["https://x.org/models/predict/{}"], {}, "none"),
        ("requests.post", ["https://x.org/graphql"], {"json.query": "query { me { id } }"}, "read"),
        ("requests.post", ["https://x.org/graphql"], {"json.query": "\n  { me { id } }"}, "read"),
        ("requests.post", ["https://x.org/graphql"], {"json.query": "# who\nquery Me { me { id } }"}, "read"),
        ("requests.post", ["https://x.org/graphql"], {"json.query": "mutation { add { id } }"}, "effect"),
        ("requests.post", ["https://x.org/graphql"], {"json.query": "{} { add { id } }"}, "effect"),
        ("gql.Client.execute", ["query { me }"], {}, "read"),
        ("gql.Client.execute", ["mutation { add }"], {}, "effect"),
        ("pymongo.Collection.update_one", [], {"@1.$inc": "x"}, "effect"),
        ("pymongo.Collection.update_many", [], {"update.$push": "x"}, "effect"),
        ("pymongo.Collection.find_one_and_update", [], {"@1.$set": "x", "@1.$mul": "x"}, "effect"),
        ("pymongo.Collection.update_one", [], {"@1.$set": "x", "@1.$addToSet": "x", "upsert": "x"}, "idempotent"),
        ("pymongo.Collection.update_one", [], {"@0.version": "1", "@1.$inc": "x"}, "idempotent"),
        ("pymongo.Collection.insert_one", [], {"@0._id": "x"}, "idempotent"),
        ("kubernetes.client.BatchV1Api.create_namespaced_job", ["ns"], {}, "idempotent"),
        ("kubernetes.client.BatchV1Api.create_namespaced_job", [], {"@1.metadata.generateName": "x-"}, "effect"),
        ("docker.DockerClient.containers.run", ["img"], {}, "effect"),
        ("docker.DockerClient.containers.run", ["img"], {"name": "x"}, "idempotent"),
        ("git.Repo.index.commit", ["x"], {}, "effect"),
        ("git.Remote.push", [], {}, "idempotent"),
        ("subprocess.run", ["git status"], {}, "none"),
        ("subprocess.run", ["git push"], {}, "effect"),
        ("os.system", ["ls -l"], {}, "none"),
        ("pandas.DataFrame.to_sql", [], {"if_exists": "append"}, "effect"),
        ("pandas.DataFrame.to_sql", [], {"if_exists": "replace"}, "idempotent"),
        ("boto3.client.update_item", [], {"UpdateExpression": "ADD hits :one"}, "effect"),
        ("boto3.client.update_item", [], {"UpdateExpression": "SET state = :s"}, "idempotent"),
        ("neo4j.Session.run", ["CREATE (n:Order {id: $id})"], {}, "effect"),
        ("neo4j.Session.run", ["MERGE (n:Order {id: $id})"], {}, "idempotent"),
        ("neo4j.Session.run", ["MATCH (n) RETURN n"], {}, "read"),
        ("sqlite3.Connection.execute", ["INSERT INTO t VALUES (?)"], {}, "effect"),
        ("sqlite3.Connection.execute", ["INSERT OR IGNORE INTO t VALUES (?)"], {}, "idempotent"),
        ("psycopg.AsyncCursor.execute", ["UPDATE t SET n = n + 1"], {}, "effect"),
        ("asyncpg.Pool.fetchrow", ["SELECT 1"], {}, "read"),
        ("sqlalchemy.orm.Session.execute", ["DELETE FROM t"], {}, "idempotent"),
    ],
)
def test_literal_arguments_decide(name: str, args: list[str | None], kwargs: dict[str, str], expected: str) -> None:
    given = {key: lit(value) for key, value in kwargs.items()}
    assert word(name, *map(lit, args), **given) == expected


def test_arguments_that_are_no_literals() -> None:
    assert word("requests.request", UNKNOWN, UNKNOWN) == "none"
    assert word("sqlite3.Connection.execute", UNKNOWN) == "none"
    assert word("urllib.request.urlopen", UNKNOWN, data=UNKNOWN) == "effect"
    assert word("urllib.request.urlopen", UNKNOWN, UNKNOWN) == "effect"
    assert word("urllib.request.Request", UNKNOWN, UNKNOWN) == "likely"
    assert word("urllib.request.Request", UNKNOWN) == "none"
    assert word("subprocess.run", UNKNOWN) == "likely"
    assert word("requests.post", UNKNOWN) == "effect"


@pytest.mark.parametrize(
    "name, key",
    [
        ("stripe.PaymentIntent.create", "idempotency_key"),
        ("requests.post", "headers.Idempotency-Key"),
        ("requests.post", "headers.idempotency-key"),
        ("celery.Task.apply_async", "task_id"),
        ("rq.Queue.enqueue", "job_id"),
        ("arq.connections.ArqRedis.enqueue_job", "_job_id"),
        ("boto3.client.send_message", "MessageDeduplicationId"),
        ("boto3.client.run_instances", "ClientToken"),
        ("boto3.client.start_execution", "name"),
        ("langchain_chroma.Chroma.add_documents", "ids"),
        ("temporalio.client.Client.start_workflow", "id"),
    ],
)
def test_a_key_makes_it_idempotent(name: str, key: str) -> None:
    assert word(name) == "effect"
    found = load().classify(name, (), {key: UNKNOWN})
    assert found is not None
    assert found.idempotent
    assert [given.lower() for given in found.given] == [key.lower()]
    assert set(found.given) <= set(found.keys)
    assert word(name, **{key: lit(None)}) == "effect"


def test_a_key_by_position() -> None:
    assert word("google.cloud.bigquery.Client.insert_rows_json", UNKNOWN, UNKNOWN) == "effect"
    assert word("google.cloud.bigquery.Client.insert_rows_json", UNKNOWN, UNKNOWN, UNKNOWN) == "idempotent"


def test_a_store_names_the_key_it_writes_under() -> None:
    rule = load().lookup("langgraph.store.base.BaseStore.aput")
    assert rule is not None
    assert rule.fresh == (1, "key")
    found = load().classify("langgraph.store.base.BaseStore.aput")
    assert found is not None
    assert (found.kind, found.fresh, found.idempotent) == ("store", (1, "key"), True)
    guessed = load().guess("self.store", "put")
    assert guessed is not None
    assert (guessed.kind, guessed.fresh, guessed.idempotent) == ("store", (1, "key"), True)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("boto3.client", "boto3.client"),
        ("boto3.Session.client", "boto3.client"),
        ("sqlite3.connect", "sqlite3.Connection"),
        ("sqlite3.Connection.cursor", "sqlite3.Cursor"),
        ("sqlalchemy.create_engine", "sqlalchemy.Engine"),
        ("sqlalchemy.Engine.begin", "sqlalchemy.Connection"),
        ("sqlalchemy.ext.asyncio.AsyncEngine.connect", "sqlalchemy.Connection"),
        ("sqlalchemy.orm.sessionmaker", None),
        ("sqlalchemy.orm.sessionmaker.__call__", "sqlalchemy.orm.Session"),
        ("sqlalchemy.orm.session.sessionmaker.__call__", "sqlalchemy.orm.Session"),
        ("sqlalchemy.ext.asyncio.async_sessionmaker.__call__", "sqlalchemy.orm.Session"),
        ("celery.Celery.task", "celery.Task"),
        ("celery.shared_task", "celery.Task"),
        ("redis.from_url", "redis.Redis"),
        ("redis.asyncio.Redis.from_url", "redis.Redis"),
        ("pymongo.MongoClient.shop", "pymongo.Database"),
        ("langgraph.config.get_store", "langgraph.store.base.BaseStore"),
        ("googleapiclient.discovery.build", "googleapiclient.discovery.Resource"),
        ("httpx.AsyncClient", None),
        ("shop.connect", None),
    ],
)
def test_what_a_factory_returns(name: str, expected: str | None) -> None:
    assert load().returns(name) == expected


def test_statements_stand_for_their_text() -> None:
    table = load()
    insert = table.returns("sqlalchemy.insert")
    assert insert is not None
    assert word("sqlalchemy.orm.Session.execute", lit(table.statement(insert))) == "effect"
    upsert = table.returns(f"{insert}.on_conflict_do_nothing")
    assert upsert is not None
    assert word("sqlalchemy.orm.Session.execute", lit(table.statement(upsert))) == "idempotent"
    select = table.returns("sqlmodel.select")
    assert select is not None
    assert word("sqlmodel.Session.exec", lit(table.statement(select))) == "read"
    assert table.is_transparent("sqlalchemy.sql.expression.text")
    assert not table.is_transparent("sqlalchemy.select")


@dataclass(frozen=True)
class User:
    """An entry of the configuration."""

    name: str
    once: bool = False
    key: str | None = None


def test_what_users_declare_is_added_and_wins() -> None:
    table = load().with_user(
        [
            User("shop.payments.charge", True, "order"),
            User("shop.mail.*"),
            User("requests.get"),
            User("*.fire"),
        ]
    )
    assert said(table.classify("shop.payments.charge")) == "effect"
    assert said(table.classify("shop.payments.charge", (), {"order": UNKNOWN})) == "idempotent"
    assert said(table.classify("shop.mail.send")) == "effect"
    assert said(table.classify("shop.mail.client.send")) == "none"
    assert said(table.classify("requests.get")) == "effect"
    assert said(table.classify("rocket.fire")) == "effect"
    assert said(table.classify("requests.post")) == "effect"
    assert word("requests.get") == "read"
    assert word("shop.payments.charge") == "none"


TABLES = sorted(path.name for path in module.FOLDER.glob("*.toml") if path.name != "names.toml")


@pytest.mark.parametrize("file", TABLES)
def test_each_table_knows_effects_and_what_is_quiet(file: str) -> None:
    table = parse(file, (module.FOLDER / file).read_text(encoding="utf-8"))
    names = [name for name, _ in table.calls]
    assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
    assert any(rule.action != "effect" or rule.idempotent for _, rule in table.calls)
    if file != "quiet.toml":
        assert any(rule.action == "effect" and (rule.fresh or not rule.idempotent) for _, rule in table.calls)


LIBRARIES = """
    requests httpx aiohttp sqlite3 psycopg asyncpg sqlalchemy pymongo redis stripe kafka celery pika boto3
    google azure subprocess langgraph slack_sdk twilio github notion_client langchain_chroma smtplib django
    jira googleapiclient telegram
"""


@pytest.mark.parametrize("library", LIBRARIES.split())
def test_each_great_library_has_effects_and_something_quiet(library: str) -> None:
    rules = [
        rule
        for file in TABLES
        for name, rule in parse(file, (module.FOLDER / file).read_text(encoding="utf-8")).calls
        if name.split(".", 1)[0] == library
    ]
    assert library in load().libraries
    assert any(rule.action == "effect" for rule in rules)
    assert any(rule.action != "effect" or rule.idempotent or rule.sql or rule.cases for rule in rules)


def test_no_name_is_in_two_tables_and_aliases_end() -> None:
    seen: dict[str, str] = {}
    for file in TABLES:
        for name, _ in parse(file, (module.FOLDER / file).read_text(encoding="utf-8")).calls:
            assert seen.setdefault(name, file) == file, name
    table = load()
    for target in table.aliases.values():
        assert table.canonical(target) == target


def test_the_byte_look_is_not_for_everything() -> None:
    libraries = load().libraries
    assert {"requests", "sqlmodel", "motor", "langgraph"} <= libraries
    assert not {"builtins", "open", "print", "logging", "json", "re", "typing", "openai"} & libraries


def test_the_same_whatever_the_hash_seed() -> None:
    code = (
        "from resume_audit.analyzer.knowledge.effects import load; t = load();"
        "print([t.classify(n) for n in ('boto3.client.create_x', 'stripe.Refund.create')],"
        "t.guess('orders_api', 'create_order'), t.guess_tool('book_x', ''), sorted(t.libraries))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
