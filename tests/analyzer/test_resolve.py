"""What names stand for: imports, classes, closures and decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resume_audit.tests.analyzer.conftest import Link


PAY = "def pay(x): ...\nclass Bank:\n    def send(self): ...\nTOTAL = pay\n"


@pytest.mark.parametrize(
    "statement, name, found",
    [
        ("import lib.pay", "lib.pay.pay", "fn lib/pay.py:pay"),
        ("import lib.pay as p", "p.pay", "fn lib/pay.py:pay"),
        ("from lib import pay", "pay.pay", "fn lib/pay.py:pay"),
        ("from lib.pay import pay", "pay", "fn lib/pay.py:pay"),
        ("from lib.pay import pay as q", "q", "fn lib/pay.py:pay"),
        ("from lib.pay import Bank", "Bank", "cls lib/pay.py:Bank"),
        ("from lib.pay import TOTAL", "TOTAL", "fn lib/pay.py:pay"),
        ("from lib import again", "again", "fn lib/pay.py:pay"),
        ("from lib.all import pay", "pay", "fn lib/pay.py:pay"),
        ("from lib.all import *", "pay", "fn lib/pay.py:pay"),
        ("from lib.pay import *", "Bank", "cls lib/pay.py:Bank"),
        ("if TYPE_CHECKING:\n    from lib.pay import pay", "pay", "fn lib/pay.py:pay"),
        ("try:\n    from lib.pay import pay\nexcept ImportError:\n    pay = None", "pay", "fn lib/pay.py:pay"),
        ("import stripe", "stripe.Charge.create", "ext stripe.Charge.create"),
        ("from stripe import Charge as C", "C.create", "ext stripe.Charge.create"),
        ("from langgraph.constants import interrupt", "interrupt", "ext langgraph.types.interrupt"),
        ("", "print", "ext builtins.print"),
    ],
)
def test_imports(link: Link, statement: str, name: str, found: str) -> None:
    files = {
        "lib/__init__.py": "from .pay import pay as again\n",
        "lib/pay.py": PAY,
        "lib/all.py": "from lib.pay import *\n",
    }
    assert found in link(statement + "\n", files=files).of(name)


def test_lazy_and_relative_imports(link: Link) -> None:
    files = {
        "lib/__init__.py": "",
        "lib/pay.py": PAY,
        "lib/run.py": "def f():\n    from .pay import pay\n    from . import pay as m\n    pay(1)\n    m.pay(2)\n",
    }
    made = link(files=files)
    assert made.goes_to("lib/run.py:f", "pay", 0) == {"lib/pay.py:pay"}
    assert made.goes_to("lib/run.py:f", "pay", 1) == {"lib/pay.py:pay"}


def test_circular_imports_end(link: Link) -> None:
    files = {"one.py": "from two import *\n", "two.py": "from one import *\ndef f(): ...\n"}
    assert link("from one import f, g\n", files=files).of("f") == {"fn two.py:f"}


def test_names_of_outer_functions(link: Link) -> None:
    made = link(
        """
        def pay(): ...
        def send(): ...
        class C:
            pay = send
            def m(self):
                pay()
        def f():
            pay = send
            def g():
                pay()
            g()
        """
    )
    assert made.goes_to("f.g", "pay") == {"send"}
    assert made.goes_to("C.m", "pay") == {"pay"}


def test_globals_set_by_functions(link: Link) -> None:
    made = link("bank = None\ndef pay(): ...\ndef set_up():\n    global bank\n    bank = pay\ndef f(): bank()\n")
    assert made.goes_to("f", "bank") == {"pay"}


CLASSES = """
class Base:
    def run(self):
        self.step()
    def step(self): raise NotImplementedError
    def log(self): ...
class One(Base):
    def step(self): self.log()  # an override
class Two(One):
    def step(self):
        super().step()
class Other:
    def step(self): ...
class Heir(Base):
    def log(self): print()
def f(b: Base): b.step()
def g(): One().step()
def h(b: "Base"): b.log()
def i(x: Other): x.step()
def j(): Two.step(Two())
"""


def test_methods(link: Link) -> None:
    made = link(CLASSES)
    assert made.goes_to("Base.run", "step") == {"Base.step", "One.step", "Two.step"}
    assert made.goes_to("f", "step") == {"Base.step", "One.step", "Two.step"}
    assert made.goes_to("One.step", "log") == {"Base.log"}
    assert made.goes_to("Two.step", "step") == {"One.step"}
    assert "Heir.log" in made.goes_to("h", "log")
    assert made.goes_to("i", "step") == {"Other.step"}
    assert made.goes_to("j", "step") == {"Two.step"}


def test_bases_in_other_files(link: Link) -> None:
    made = link(
        "from lib import base as b\nclass C(b.Base):\n    def go(self): self.run()\n",
        files={"lib/__init__.py": "", "lib/base.py": "class Base:\n    def run(self): ...\n"},
    )
    assert made.goes_to("C.go", "run") == {"lib/base.py:Base.run"}


def test_bases_outside(link: Link) -> None:
    made = link("import stripe\nclass C(stripe.StripeClient):\n    def go(self): self.charge()\n")
    assert made.goes_to("C.go", "charge") == {"stripe.StripeClient.charge"}


def test_fields(link: Link) -> None:
    made = link(
        """
        class Mailer:
            def send(self): ...
        class Bank:
            def send(self): ...
        class Agent:
            default = Mailer()
            kept: Bank
            def __init__(self, mailer: Mailer):
                self.mailer = mailer
                self.bank = Bank()
                self.tools = [Mailer()]
                self.tools.append(Bank())
            def a(self): self.mailer.send()
            def b(self): self.bank.send()
            def c(self): self.default.send()
            def d(self): self.kept.send()
            def e(self):
                for tool in self.tools: tool.send()
        class Heir(Agent):
            def a2(self): self.bank.send()
        def f():
            agent = Agent(None)
            agent.bank.send()
        """
    )
    assert made.goes_to("Agent.a", "send") == {"Mailer.send"}
    assert made.goes_to("Agent.b", "send") == {"Bank.send"}
    assert made.goes_to("Agent.c", "send") == {"Mailer.send"}
    assert made.goes_to("Agent.d", "send") == {"Bank.send"}
    assert made.goes_to("Agent.e", "send") == {"Mailer.send", "Bank.send"}
    assert made.goes_to("Heir.a2", "send") == {"Bank.send"}
    assert made.goes_to("f", "send") == {"Bank.send"}


def test_properties_and_kinds_of_methods(link: Link) -> None:
    made = link(
        """
        class Bank:
            def pay(self): ...
        class Agent:
            @property
            def bank(self): return Bank()
            @staticmethod
            def still(x): x.pay()
            @classmethod
            def make(cls): return cls()
            def __call__(self): ...
            def __init__(self): ...
        def f(agent: Agent):
            agent.bank.pay()
            Agent.make().bank.pay()
            agent.still(Bank())
            agent()
            Agent()
        """
    )
    assert made.goes_to("f", "pay", 0) == {"Bank.pay"}
    assert made.goes_to("f", "pay", 1) == {"Bank.pay"}
    assert made.goes_to("f", "still") == {"Agent.still"}
    assert made.goes_to("Agent.still", "pay") == {"Bank.pay"}
    assert made.goes_to("f", "agent") == {"Agent.__call__"}
    assert made.goes_to("f", "Agent") == {"Agent.__init__"}


def test_managers_give_what_entering_gives(link: Link) -> None:
    made = link(
        """
        class Bank:
            def pay(self): ...
        class Session:
            def __enter__(self): return Bank()
            def __exit__(self, *rest): ...
        def f():
            with Session() as s: s.pay()
        """
    )
    assert made.goes_to("f", "pay") == {"Bank.pay"}


def test_partials_and_lambdas(link: Link) -> None:
    made = link(
        """
        from functools import partial
        def pay(x): ...
        def f():
            p = partial(pay, 1)
            p()
            q = lambda: pay(2)
            q()
            r = pay if p else q
            r()
        """
    )
    assert made.goes_to("f", "p") == {"pay"}
    assert made.goes_to("f", "q") == {"f.<lambda:7:8>"}
    assert made.goes_to("f", "r") == {"pay", "f.<lambda:7:8>"}


def test_closures_are_told_apart_by_the_call_that_made_them(link: Link) -> None:
    made = link(
        """
        def pay(): ...
        def read(): ...
        def make(action):
            def run(): action()
            return run
        def f(): make(pay)()
        first = make(pay)
        second = make(read)
        """
    )
    first = next(iter(made.resolver.of("first", made.function("<module>"))))
    second = next(iter(made.resolver.of("second", made.function("<module>"))))
    assert first[1:3] == second[1:3] == ("app.py", "make.run")
    for made_by, wanted in ((first, "pay"), (second, "read")):
        found = made.reached("make.run", "action", context=made_by[3])
        assert [target[1] for target in found.functions] == [wanted]


DECORATORS = """
import functools
def log(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args)
    return wrapper
def retry(times):
    def outer(fn):
        def wrapper(*args):
            return fn(*args)
        return wrapper
    return outer
@log
def pay(): ...
@log
def read(): ...
@retry(3)
def send(): ...
@unknown
def same(): ...
KEPT = []
def register(fn):
    KEPT.append(fn)
    return fn
@register
def kept(): ...
def f():
    pay(); read(); send(); same(); kept()
    for inner in KEPT: inner()
"""


def test_functions_under_one_decorator_do_not_mix(link: Link) -> None:
    made = link(DECORATORS)
    for name, wrapper in (("pay", "log.wrapper"), ("read", "log.wrapper"), ("send", "retry.outer.wrapper")):
        (target,) = (t for t in made.reached("f", name).functions if t[1] == wrapper)
        (inner,) = made.reached(wrapper, "fn", context=target[2]).functions
        assert inner[1] == name


def test_the_wrapper_stands_for_the_function(link: Link) -> None:
    assert link(DECORATORS).goes_to("f", "pay") == {"log.wrapper"}


def test_decorators_that_give_the_function_back(link: Link) -> None:
    made = link(DECORATORS)
    assert made.goes_to("f", "same") == {"same"}
    assert made.goes_to("f", "kept") == {"kept"}
    assert made.goes_to("f", "inner") == {"kept"}
