"""What names alone say of a call or a tool."""

from __future__ import annotations

import re

import pytest

from resume_audit.analyzer.knowledge.effects import Argument, Effect, load
from resume_audit.analyzer.knowledge.guess import Names, Quiet, receiver_words, verb_forms

UNKNOWN = Argument()


def lit(value: str | int | float | bool | None) -> Argument:
    """A literal argument."""
    return Argument(value, True)


def said(found: Effect | None) -> str:
    """An effect in one word; ``likely`` is an effect that is not certain."""
    if found is None:
        return "none"
    if found.action == "read":
        return "read"
    if found.idempotent:
        return "idempotent"
    return "effect" if found.certainty == "certain" else "likely"


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


def pairs(text: str) -> list[tuple[str, str]]:
    """``receiver:verb receiver:verb`` as pairs."""
    found = []
    for item in text.split():
        receiver, _, verb = item.rpartition(":")
        found.append((receiver, verb))
    return found


@pytest.mark.parametrize(
    "receiver, verb",
    [
        *pairs(
            """
            mailer:send self._mailer:send_offer psp:charge self.ledger:reserve gateway:charge
                get_mailer():send EmailService:send SMTPMailer(host):deliver self.stripe_client:refund
                payments_client:capture payment_gateway:charge_card client.charges:create
                client:create_order api:create_ticket self:send_email service:transfer_funds bank:transfer
                orders_api:place_order self.orders:create jira:create_issue ticketing:create_ticket
                crm:create_lead producer:send self.bus:publish job_queue:enqueue topic:publish sns:publish
                sqs:send_message slack:post_message self.slack_client:chat_postMessage notifier:notify
                sms_service:send calendar:create_event http_client:post session:post db:add self.session:add
                mailer:asend mailer:send_async gateway:acharge mailService:sendEmail send_offer_task:delay
                collection:insert_one :send_email :charge_card :create_ticket :send_sms :post_to_slack
                :publish_event :sendEmail :async_send_email
                send_email:delay run_agent:delay tasks.sync:delay send_email:apply_async s():apply_async
                app:send_task resize:kiq queue:enqueue self.job_queue:enqueue q:enqueue get_psp():charge
            """
        ),
        ('config["configurable"]["scale"]', "post_reading"),
        ('deps["mailer"]', "send"),
    ],
)
def test_names_that_say_what_is_done(receiver: str, verb: str) -> None:
    found = load().guess(receiver, verb)
    assert said(found) == "likely"
    assert found is not None
    assert found.reason
    assert len(found.name) < 60


@pytest.mark.parametrize(
    "receiver, verb",
    pairs(
        """
        logger:send self.logger:info mail_logger:send metrics_client:post _metrics.active_sessions:add
            tracer:publish queue:put self.queue:put state:update writer:send :writer bus:emit
            graph:invoke self.llm:send_message chat:send_message model:invoke chain:ainvoke
            email_agent:send email_chain:send mail_list:send tools:append items:insert events:insert
            seen:add sessions:add bag:append client:send service:create self:post_init self:post_process
            self:run order_factory:create_order messages:create client.messages:create
            client.chat.completions:create helper:invoke fleet:free_units websocket:send_json ws:send
            router:post app:post stub:charge mock_psp:charge battery:charge self:_charge self:notify
            event_queue:enqueue_event get_stream_writer():send :send :create :post :charge :publish
            time:delay asyncio:delay :delay pool:apply_async self.pool:apply_async logger:delay
            :apply_async rate_limiter:delay coll:update_one session:call_tool
            :notify :get_email :parse_order :format_email :create_react_agent :create_agent : ...:x
            ):send
        """
    ),
)
def test_names_that_do_not(receiver: str, verb: str) -> None:
    assert said(load().guess(receiver, verb)) == "none"


def test_what_decides_beside_the_names() -> None:
    table = load()
    assert said(table.guess("gateway", "charge", (), {"idempotency_key": UNKNOWN})) == "idempotent"
    assert said(table.guess("gateway", "charge", (), {"idempotency_key": lit(None)})) == "likely"
    assert said(table.guess("http", "post", (), {"headers.Idempotency-Key": UNKNOWN})) == "idempotent"
    assert said(table.guess("client", "post", [lit("/v1/embeddings")])) == "none"
    assert said(table.guess("client", "post", [lit("/v1/orders")])) == "likely"
    assert said(table.guess("client.messages", "create", (), {"to": UNKNOWN, "body": UNKNOWN})) == "likely"
    assert said(table.guess("client.messages", "create", (), {"model": UNKNOWN, "to": UNKNOWN})) == "none"
    assert said(table.guess("service.users().messages()", "send", (), {"userId": lit("me")})) == "likely"
    assert said(table.guess("service.events()", "insert", (), {"body": UNKNOWN})) == "likely"
    assert said(table.guess("celery_task", "delay", (), {"task_id": UNKNOWN})) == "likely"
    assert said(table.guess("celery_task", "apply_async", (), {"task_id": UNKNOWN})) == "idempotent"
    assert said(table.guess("gateway", "charge", [UNKNOWN], {"@0.idempotency_key": UNKNOWN})) == "idempotent"
    assert said(table.guess("vector_store", "add_documents", (), {"ids": UNKNOWN})) == "idempotent"
    assert said(table.guess("cur", "execute", [lit("INSERT INTO t VALUES (1)")])) == "likely"
    assert said(table.guess("cur", "execute", [lit("UPDATE t SET a = 1")])) == "idempotent"
    assert said(table.guess("cur", "execute", [lit("SELECT 1")])) == "read"
    assert said(table.guess("cur", "execute", [lit("Insert a coin")])) == "none"
    assert said(table.guess("cur", "execute", [UNKNOWN])) == "none"


@pytest.mark.parametrize(
    "receiver, verb, possible",
    [
        ("messages()", "send", True),
        ("c", "update_one", True),
        ("session", "call_tool", True),
        ("cursor", "execute", True),
        ("ledger", "exists", True),
        ("mailer", "send", True),
        ("parser", "parse", False),
        ("logger", "send", False),
        ("", "", False),
    ],
)
def test_what_arguments_could_still_decide(receiver: str, verb: str, possible: bool) -> None:
    assert load().might(receiver, verb) is possible


@pytest.mark.parametrize(
    "keys, expected",
    [
        (["@1.$inc"], "likely"),
        (["@1.$set", "@1.$push"], "likely"),
        (["update.$mul"], "likely"),
        (["@1.$set"], "none"),
        (["@1.$addToSet"], "none"),
        (["@0.version", "@1.$inc"], "none"),
    ],
)
def test_operators_of_mongodb_say_it_whatever_the_receiver(keys: list[str], expected: str) -> None:
    assert said(load().guess("c", "update_one", (), dict.fromkeys(keys, UNKNOWN))) == expected


@pytest.mark.parametrize(
    "tool, expected",
    [
        ("create_issue", "likely"),
        ("createIssue", "likely"),
        ("github__create_issue", "likely"),
        ("slack_post_message", "likely"),
        ("slack-post-message", "likely"),
        ("mail.send_email", "likely"),
        ("delete_row", "idempotent"),
        ("get_issue", "none"),
        ("search_issues", "none"),
        ("frobnicate", "none"),
        ("{}_issue", "none"),
    ],
)
def test_a_called_tool_is_judged_by_its_name(tool: str, expected: str) -> None:
    table = load()
    assert said(table.guess("session", "call_tool", [lit(tool)])) == expected
    assert said(table.guess("session", "call_tool", (), {"tool_name": lit(tool)})) == expected
    assert said(table.classify("mcp.client.session.ClientSession.call_tool", (), {"name": lit(tool)})) == expected
    assert said(table.classify("mcp.ClientSession.call_tool", [UNKNOWN])) == "none"


def test_graphql_by_post_is_a_read_unless_it_is_a_mutation() -> None:
    table = load()
    assert said(table.guess("client", "post", [lit("/graphql")], {"json.query": lit("query { me }")})) == "none"
    assert said(table.guess("client", "post", [lit("/graphql")], {"json.query": lit("mutation { a }")})) == "likely"
    assert said(table.guess("client", "post", [lit("/graphql")], {"json.query": UNKNOWN})) == "likely"


@pytest.mark.parametrize(
    "receiver, verb",
    [("ledger", "exists"), ("self.repo", "find_by_key"), ("db", "get"), ("psp", "get_charge")],
)
def test_names_that_say_that_something_kept_is_read(receiver: str, verb: str) -> None:
    assert said(load().guess(receiver, verb)) == "read"


@pytest.mark.parametrize(
    "name",
    words(
        """
    write_email send_email_tool send_invoice schedule_meeting create_ticket create_support_ticket
        book_hotel book_flight refund_payment charge_card transfer_funds post_tweet place_order
        submit_claim notify_team sendEmail make_reservation purchase_item call_customer
        """
    ),
)
def test_tools_that_act(name: str) -> None:
    assert said(load().guess_tool(name, "")) == "likely"


@pytest.mark.parametrize(
    "name, doc",
    [
        *(
            (name, "")
            for name in words(
                """
            check_calendar_availability search_flights get_order fetch_email list_orders lookup_policy
                look_up_policy retrieve_docs calculate_refund Question Done multiply draft_email
                tavily_search weather transfer_to_sales create_plan write_report add think_tool
                send_preview order_status call_main_tool write_file
        """
            )
        ),
        ("book_search", "Search books."),
        ("post_info", "Return a post."),
        ("", ""),
    ],
)
def test_tools_that_do_not(name: str, doc: str) -> None:
    assert said(load().guess_tool(name, doc)) == "none"


def test_a_tool_is_also_told_by_its_docstring_and_may_be_idempotent() -> None:
    assert said(load().guess_tool("outlook", "Send an e-mail to a customer.")) == "likely"
    assert said(load().guess_tool("outlook", "Talk about mail.")) == "none"
    assert said(load().guess_tool("delete_row", "")) == "idempotent"
    assert said(load().guess_tool("cancel_booking", "")) == "idempotent"


def test_receivers_are_read_from_their_text() -> None:
    assert receiver_words("self.psp") == ("psp",)
    assert receiver_words('config["configurable"]["psp-client"]') == ("psp", "client")
    assert receiver_words("get_psp(config['x'])") == ("psp",)
    assert receiver_words("services[name]") == ("services",)
    assert receiver_words("SMTPMailer(host=f(1))") == ("smtp", "mailer")
    assert receiver_words("") == ()
    assert verb_forms("_sendEmail") == ("_sendEmail", "sendEmail", "send_email")
    assert "send" in verb_forms("asend")


@pytest.mark.parametrize(
    "text",
    ["x = 1", "[words]\nx = 1", '[[receiver]]\nwords = ["a"]', '[[tool]]\nkind = "x"\nnames = []', "["],
)
def test_names_that_are_not_well_formed_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^names\.toml"):
        Names.parse("names.toml", text, Quiet(re.compile("x"), re.compile("y")))


@pytest.mark.parametrize(
    "receiver, verb, expected",
    [
        ("account", "credit_score", "none"),
        ("shop", "order_by", "none"),
        ("hotel", "book_options", "none"),
        ("slack", "send_typing", "none"),
        ("github", "create_session", "none"),
        ("account", "credit", "likely"),
        ("shop", "order_item", "likely"),
        ("slack", "send_text", "likely"),
    ],
)
def test_a_last_word_that_names_something(receiver: str, verb: str, expected: str) -> None:
    assert said(load().names.guess(receiver, verb, [], {})) == expected
