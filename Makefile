# Needs only make and Python 3.11 or later; everything else is installed into .venv.

define HELP
make                       the same as make test
make help                  this list
make setup                 make .venv with resume-audit and what its tests need; the others do so where it is missing
make audit [TARGET=path]   audit a project; the default is the example agent in fixtures/
make check                 ruff, mypy, the direction of imports
make test                  check, then the tests; the tracer's also in the environments of .ci/environments.txt
make test-all              the slow tests and more versions of LangGraph too
make bench TREE=path [RUNS=5]   what an audit costs, against parsing the same files
make bench-tracer [PYTHONS=...] what tracing costs, by interpreter; the default are the test environments
make clean                 remove .venv and what was built
endef

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

export HELP

.PHONY: help setup audit check test test-all bench bench-tracer clean stale
.DEFAULT_GOAL = test

help:
	@printf '%s\n' "$$HELP"

setup: $(READY)

$(READY): pyproject.toml $(STALE)
	@test -z '$(STALE)' || rm -rf $(VENV)
	@test -x $(BIN)/python || { python="$$(PYTHON='$(PYTHON)' .ci/python)" && \
		echo "making $(VENV) with $$python" && "$$python" -m venv $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q *.py analyzer cli reports rules tracer
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
	@$(BIN)/python -m compileall -q *.py analyzer cli reports rules tracer
	@$(BIN)/python benchmarks/bench.py '$(TREE)' --runs '$(RUNS)'

bench-tracer: $(READY)
	@$(BIN)/python benchmarks/bench_tracer.py $(or $(PYTHONS),$(wildcard .venv-3*-langgraph-newest/bin/python))

clean:
	rm -rf $(VENV) .venv-* build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
