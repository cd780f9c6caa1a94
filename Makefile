# One virtual environment in .venv, made on first use. `make` lists the targets.
# PYTHON=/path/to/python chooses the interpreter; otherwise one of version 3.11 or later is looked for.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
PYTHON ?=
export PYTHON
# What is compiled is kept, whatever the environment says: the suite starts many processes.
unexport PYTHONDONTWRITEBYTECODE

PY := .venv/bin/python
ARGS ?=

.PHONY: help demo test test-local-model soak check bench docs agent dev clean

help: ## list the targets
	@echo "xcsh: the rules that people write for coding agents, read in every tool's format"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'
	@echo
	@echo "  The first run makes .venv and installs what the target needs."
	@echo "  ARGS=… is handed on: make test ARGS='-k globs'"

demo: agent ## the main job on a small shop with rules for four tools
	@$(PY) tools/demo.py

test: dev ## run the test suite, a process for each processor
	@$(PY) -m pytest -n auto --dist worksteal $(ARGS)

test-local-model: dev ## try a stream rule on a small real model (installs 200 MB, once)
	@sh tools/setup_local_model.sh
	@$(PY) -m pytest tests/local_model --local-model -rP $(ARGS)

soak: dev ## kill a session in the middle of a turn, 200 times
	@SOAK_ROUNDS=200 $(PY) -m pytest tests/session/test_session_crashes.py $(ARGS)

check: dev ## lint, types, layers, generated docs, sizes
	@$(PY) tools/check.py $(ARGS)

bench: dev ## measure against the bounds, write docs/benchmarks.md
	@$(PY) -m bench $(ARGS)

docs: dev ## write the generated pages and pictures of docs/ again
	@$(PY) tools/generate_docs.py
	@$(PY) tools/screenshots.py

clean: ## remove .venv and every cache
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	@find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} +

agent dev:
	@sh tools/setup.sh $@
