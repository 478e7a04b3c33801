"""What commands do that are run outside the program."""

from __future__ import annotations

import time

import pytest

from resume_audit.analyzer.knowledge.effects import Argument, load

UNKNOWN = Argument()


def lit(value: str) -> Argument:
    """A literal argument."""
    return Argument(value, True)


def word(name: str, *args: Argument) -> str:
    """What a call is said to be, in one word; ``likely`` is an effect that is not certain."""
    found = load().classify(name, args)
    if found is None:
        return "none"
    if found.idempotent:
        return "idempotent"
    return "effect" if found.certainty == "certain" else "likely"


LOOKING = """
git diff --stat
git -C {} log --oneline -5
git --no-pager show HEAD
git rev-parse --abbrev-ref HEAD
git branch
git branch --show-current
git config --get user.name
git remote -v
ls
ls -la {} | grep x | wc -l
/usr/bin/ls -l
cat {} 2>/dev/null
grep -rE 'a|b;c' .
find . -name '*.py'
cd {} && git status
nvidia-smi
which python
pytest -q
python -m pytest tests
{} -m mypy .
uv run ruff check .
docker ps -a
docker logs {}
kubectl get pods
kubectl describe pod {}
curl -fsSL https://x.org/{}
curl -X GET https://x.org
node --version
terraform plan
gh pr list
"""

LEAVING_THE_SAME = """
mkdir -p {}
rm -rf build
git add -A
git checkout {}
pip install -r requirements.txt
docker pull {}
kubectl apply -f {}
"""

ACTING = """
git push
git commit -m x
git branch new
git status; git push
git diff && ./deploy.sh
ls | xargs ./send.sh
ls $(./send.sh)
cat x > y
cat x `./send.sh`
bash -c 'git status'
find . -delete
find . -exec ./send.sh ;
env X=1 ./send.sh
curl -X POST https://x.org
curl -sXPOST https://x.org
curl https://x.org -d a=1
curl --data-raw x https://x.org
docker run {}
kubectl create job x
lsof-send
./deploy.sh --now
"""


@pytest.mark.parametrize("name", ["subprocess.run", "os.system"])
@pytest.mark.parametrize(
    "command, expected",
    [
        *((line, "none") for line in LOOKING.strip().splitlines()),
        *((line, "idempotent") for line in LEAVING_THE_SAME.strip().splitlines()),
        *((line, "effect") for line in ACTING.strip().splitlines()),
        ("{} --now", "likely"),
    ],
)
def test_a_command_says_what_it_does(name: str, command: str, expected: str) -> None:
    assert word(name, lit(command)) == expected


def test_a_command_given_word_by_word() -> None:
    name = "asyncio.create_subprocess_exec"
    assert word(name, lit("git"), lit("diff"), UNKNOWN) == "none"
    assert word(name, lit("git"), lit("push"), UNKNOWN) == "effect"
    assert word(name, UNKNOWN, lit("diff")) == "likely"
    assert word(name, UNKNOWN) == "likely"


def test_a_hostile_command_takes_no_time() -> None:
    started = time.monotonic()
    for text in ("ls " + "2>/dev/null" * 40 + ">", "ls " + "< " * 200 + ">", "git " + "-C a " * 90 + ">", "a " * 200):
        word("subprocess.run", lit(text))
    assert time.monotonic() - started < 1
