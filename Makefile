# Everything a developer runs. `make` alone lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN   := .venv/bin
READY := .venv/.ready
PYTEST := $(BIN)/python -m pytest
# pytest answers 5 when a selection is empty; that is no failure for the selections that may be.
MAY_BE_EMPTY := || [ $$? -eq 5 ]

.PHONY: help setup demo serve check static quick test java system soak bench format lock clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Make .venv with everything that developing needs, from the lock

$(READY): pyproject.toml requirements/dev.txt requirements/installer.txt scripts/setup
	@scripts/setup
	@touch $@

demo: setup java ## Start a hub, run a data pipeline on Spark twice, show its lineage
	@$(BIN)/lineage-hub demo

serve: setup ## Start a hub on 127.0.0.1:8000 with the user's data folder
	@$(BIN)/lineage-hub serve

check: static quick ## Format, lint, types, imports and quick tests: about a minute

static: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-logo

quick: setup
	$(PYTEST) tests -m "not slow and not serial" -n auto -q

test: static system quick ## Everything: what check does, then the slow tests, those that need the machine alone last
	$(PYTEST) tests --ignore tests/spark -m "slow and not serial" -n auto --dist loadscope $(MAY_BE_EMPTY)
	$(PYTEST) tests/spark -m "slow and not serial" # one after the other: they share a session, which uses all cores
	$(PYTEST) tests -m serial $(MAY_BE_EMPTY)

java: # what Spark runs on
	@scripts/system-packages java

system: java # what tests need from the system: strace shows the fsyncs, PostgreSQL is the second store, promtool reads metrics
	@scripts/system-packages strace postgresql promtool

soak: setup system ## The proofs at full size; writes their figures to benchmarks/README.md
	LINEAGE_HUB_PROOF=soak $(BIN)/python -m benchmarks.soak

bench: setup ## Measure every claim of speed; writes the table to benchmarks/README.md
	$(BIN)/python -m benchmarks.run

format: setup ## Rewrite the code the way check wants it
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: setup ## Resolve pyproject.toml into requirements/*.txt (LOCK_FLAGS=--upgrade for newer versions)
	scripts/lock

clean: ## Remove .venv, caches and built files
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
