"""Effects through the standard library alone, on both cores."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.tests.tracer.effect_programs import CORES, run

pytestmark = pytest.mark.parametrize("core", CORES)


def test_a_request_is_one_effect_with_its_line_and_its_inner_calls_within(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        urllib.request.urlopen(url, data=b"a=1").read()  # first
        urllib.request.urlopen(urllib.request.Request(url, data=b"a=1")).read()
        urllib.request.urlopen(url, data=b"a=2").read()
        """,
        core=core,
        server=True,
        before="import urllib.request",
    )
    assert ran.names == ["urllib.request.urlopen"] * 3
    first, second, third = ran.outermost
    assert ran.line(first).endswith("# first")
    assert first["path"].endswith("program.py")
    assert first["digest"] == second["digest"] != third["digest"]
    assert [ran.outcome(each) for each in ran.effects] == ["ok"] * len(ran.effects)
    inner = [each for each in ran.effects if each["within"]]
    assert {each["name"] for each in inner} >= {"http.client.HTTPConnection.request"}
    assert {each["within"] for each in inner} <= {each["effect"] for each in ran.effects}
    assert (first["task"], first["run"], first["framework"]) == (None, None, None)


def test_reads_are_none_and_methods_decide(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        urllib.request.urlopen(url).read()
        urllib.request.urlopen(urllib.request.Request(url, data=b"x", method="PUT")).read()
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
        connection.request("GET", "/x"); connection.getresponse().read()
        connection.request("POST", "/x", b"1", {"X": "y"}); connection.getresponse().read()
        connection.request("DELETE", "/x"); connection.getresponse().read()
        """,
        core=core,
        server=True,
        before="import urllib.request, http.client",
    )
    assert [(each["name"].rpartition(".")[2], each["idempotent"]) for each in ran.outermost] == [
        ("urlopen", True),
        ("request", False),
        ("request", True),
    ]


def test_an_effect_is_written_before_the_call(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        urllib.request.urlopen(url, data=b"1").read()
        print(Handler.asked)
        """,
        core=core,
        server=True,
        before="import urllib.request",
    )
    assert "urllib.request.urlopen" in ran.out


def test_a_failed_call_ends_as_failed(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        for command in (["/no/such/program"], "x"):
            try:
                subprocess.run(command, check=True)
            except OSError:
                pass
        try:
            urllib.request.urlopen(url.replace("/x", "/broken"), data=b"1")
        except urllib.error.HTTPError:
            pass
        """,
        core=core,
        server=True,
        before="import subprocess, urllib.request, urllib.error",
    )
    assert [ran.outcome(each) for each in ran.outermost] == ["failed"] * 3
    assert ran.end(ran.outermost[0])["error"] == "FileNotFoundError"


def test_commands(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        subprocess.run(["python3", "-c", "pass"])
        subprocess.Popen(["python3", "-c", "pass"]).wait()
        subprocess.run(["ls", "-l"], capture_output=True)
        subprocess.check_output("python3 -c pass", shell=True)
        async def main():
            process = await asyncio.create_subprocess_exec("python3", "-c", "pass")
            await process.wait()
        asyncio.run(main())
        """,
        core=core,
        before="import subprocess, asyncio",
    )
    assert ran.names == [
        "subprocess.run",
        "subprocess.Popen",
        "subprocess.check_output",
        "asyncio.create_subprocess_exec",
    ]
    assert [ran.line(each)[:16] for each in ran.outermost][3] == "process = await "


def test_mail(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        smtp = smtplib.SMTP("127.0.0.1", port)
        smtp.sendmail("a@x", ["b@x"], "text")
        message = email.message.EmailMessage()
        message["From"], message["To"] = "a@x", "b@x"
        message.set_content("text")
        smtp.send_message(message)
        smtp.send_message(message)
        message.set_content("other")
        smtp.send_message(message)
        smtp.quit()
        """,
        core=core,
        before="""
        import smtplib, socketserver, threading, email.message
        class Mail(socketserver.StreamRequestHandler):
            def handle(self):
                self.wfile.write(b"220 x\\r\\n")
                for line in self.rfile:
                    if line.lower().startswith(b"data"):
                        self.wfile.write(b"354 go\\r\\n")
                        while self.rfile.readline() != b".\\r\\n": pass
                    self.wfile.write(b"221 x\\r\\n" if line.startswith(b"quit") else b"250 x\\r\\n")
        mail = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mail); port = mail.server_address[1]
        threading.Thread(target=mail.serve_forever, daemon=True).start()
        """,
    )
    assert ran.names == ["smtplib.SMTP.sendmail"] + ["smtplib.SMTP.send_message"] * 3
    digests = [each["digest"] for each in ran.outermost]
    assert digests[1] is not None
    assert digests[1] == digests[2] != digests[3]


def test_files_through_pathlib(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        path = pathlib.Path("out.txt")
        path.write_text("a")
        path.read_text()
        with path.open("a") as handle:
            handle.write("b")
        path.unlink()
        """,
        core=core,
        before="import pathlib",
    )
    assert [(each["name"], each["idempotent"]) for each in ran.outermost] == [
        ("pathlib.Path.write_text", True),
        ("pathlib.Path.open", False),
        ("pathlib.Path.unlink", True),
    ]


def test_work_handed_to_threads_and_tasks_has_the_line_that_handed_it_over(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        def post(): urllib.request.urlopen(url, data=b"1").read()
        thread = threading.Thread(target=post); thread.start(); thread.join()
        thread = threading.Thread(target=urllib.request.urlopen, args=(url, b"2")); thread.start()  # thread
        thread.join()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(urllib.request.urlopen, url, b"3").result()  # pool
        async def main():
            await asyncio.to_thread(urllib.request.urlopen, url, b"4")  # to_thread
            await asyncio.gather(asyncio.create_subprocess_exec("python3", "-c", "0"))  # gather
        asyncio.run(main())
        print(len(session._finder.effects.handed._items))
        """,
        core=core,
        server=True,
        before="import urllib.request, threading, concurrent.futures, asyncio",
    )
    lines = [ran.line(each).rpartition("# ")[2] for each in ran.outermost]
    assert ran.out.strip() == "0"
    assert lines[1:] == ["thread", "pool", "to_thread", "gather"]
    assert lines[0].startswith("def post()")


def test_logging_handlers_and_what_they_call_are_no_effects(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        def send(text): urllib.request.urlopen(url, data=text).read()
        class Post(logging.Handler):
            def emit(self, record): send(record.getMessage().encode())
        log = logging.getLogger("x"); log.addHandler(Post()); log.addHandler(logging.FileHandler("log.txt"))
        log.warning("text")
        print(len(Handler.asked))
        """,
        core=core,
        server=True,
        before="import urllib.request, logging",
    )
    assert ran.out.strip() == "1"
    assert ran.effects == []


def test_model_clients_telemetry_and_their_hosts_are_no_effects(core: str, tmp_path: Path) -> None:
    for package in ("openai", "opentelemetry", "shop_sdk"):
        folder = tmp_path / "lib" / "site-packages" / package
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(
            "import urllib.request\ndef ask(url): return urllib.request.urlopen(url, data=b'1').read()\n"
        )
    wrapping = tmp_path / "lib" / "site-packages" / "opentelemetry" / "instrumentation"
    wrapping.mkdir()
    (wrapping / "__init__.py").write_text("def around(call, *args): return call(*args)\n")
    ran = run(
        tmp_path,
        """
        openai.ask(url); opentelemetry.ask(url)
        shop_sdk.ask(url)  # library
        opentelemetry.instrumentation.around(urllib.request.urlopen, url, b"1")  # wrapped
        try:
            urllib.request.urlopen("http://api.openai.com.localhost:1/v1/files", data=b"1")
        except OSError:
            pass
        print(len(Handler.asked))
        """,
        core=core,
        server=True,
        before=f"""
        import urllib.request
        sys.path.insert(0, {str(tmp_path / "lib" / "site-packages")!r})
        import openai, opentelemetry.instrumentation, shop_sdk
        """,
    )
    assert ran.out.strip() == "4"
    assert [ran.line(each).rpartition("# ")[2] for each in ran.outermost] == ["library", "wrapped"]
    assert len(ran.names) == 2


def test_a_call_out_of_an_effect_into_the_program_and_on_is_within(core: str, tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        def helper(): urllib.request.urlopen(url, data=b"1").read()
        def charge(amount): helper()
        charge(1)
        """,
        core=core,
        server=True,
        before="import urllib.request",
        attach='effects=["program.charge"]',
    )
    assert ran.names == ["program.charge"]
    assert ran.effects[1]["within"] == ran.effects[0]["effect"]
    assert ran.line(ran.effects[1]).startswith("def helper")


def test_a_read_that_asks_by_post_is_none(core: str, tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "site-packages" / "qdrant_client"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(
        "import urllib.request\nclass QdrantClient:\n"
        "    def search(self, url, then=None): urllib.request.urlopen(url, data=b'1').read(); return then and then()\n"
        "    def upsert(self, url): urllib.request.urlopen(url, data=b'1').read()\n"
    )
    ran = run(
        tmp_path,
        """
        def mine(): urllib.request.urlopen(url, data=b"1").read()  # mine
        client = qdrant_client.QdrantClient()
        client.search(url)
        client.upsert(url)  # upsert
        client.search(url, mine)
        """,
        core=core,
        server=True,
        before=f"import sys, urllib.request\nsys.path.insert(0, {str(folder.parent)!r})\nimport qdrant_client",
    )
    assert [ran.line(each).rpartition("# ")[2] for each in ran.outermost] == ["upsert", "mine"]
    assert ran.names[0] == "qdrant_client.QdrantClient.upsert"


def test_the_body_of_a_class_is_no_call_of_it(core: str, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("class Client:\n    def __call__(self): pass\n")
    ran = run(
        tmp_path,
        """
        for name in ("subprocess", "urllib.request"): sys.modules.pop(name, None)
        import subprocess, urllib.request, shop
        class Client: pass
        shop.Client()()
        """,
        core=core,
        before="import sys",
        attach='effects=["shop.Client", "program.Client"]',
    )
    assert ran.names == ["shop.Client"]
