# Needs only make and Python 3.11 or later; everything else is installed into .venv.
# make audit [TARGET=path]   audit a project; the default is the example agent in fixtures/
# make test                  check, then the tests; the tracer's in the environments of .ci/environments.txt, too
# make test-all              the slow tests and more versions of LangGraph
# make bench TREE=path [RUNS=5]

TARGET = fixtures/example_agent
TREE =
RUNS = 5
VENV = .venv
BIN = $(VENV)/bin
READY = $(VENV)/ready

# A .venv copied along with the folder still runs the old folder's code, and one whose Python is gone runs nothing.
ifneq ($(shell test -x $(BIN)/python && cat $(READY) 2>/dev/null),$(CURDIR))
STALE = stale
endif

.PHONY: setup audit check test test-all bench clean stale
.DEFAULT_GOAL = test

setup: $(READY)

$(READY): pyproject.toml $(STALE)
	@test -z '$(STALE)' || rm -rf $(VENV)
	@test -x $(BIN)/python || { python="$$(PYTHON='$(PYTHON)' .ci/python)" && \
		echo "making $(VENV) with $$python" && "$$python" -m venv $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q *.py analyzer cli reports rules
	@mkdir -p $(VENV)/root && ln -sfn ../.. $(VENV)/root/resume_audit
	@printf '%s' '$(CURDIR)' > $(READY)

stale:

audit: $(READY)
	@$(BIN)/resume-audit check '$(TARGET)' --fail-on never

check: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -m 'not slow'
	@.ci/environments

test-all: check
	$(BIN)/python -m pytest
	@.ci/environments all

bench: $(READY)
	@test -n '$(TREE)' || { echo 'name the code to measure on: make bench TREE=path' >&2; exit 2; }
	@$(BIN)/python -m compileall -q *.py analyzer cli reports rules
	@$(BIN)/python benchmarks/bench.py '$(TREE)' --runs '$(RUNS)'

clean:
	rm -rf $(VENV) .venv-* build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
