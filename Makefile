# Everything a developer runs. `make` alone lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN   := .venv/bin
READY := .venv/.ready
PYTEST := $(BIN)/python -m pytest
# pytest answers 5 when a selection is empty; that is no failure for the selections that may be.
MAY_BE_EMPTY := || [ $$? -eq 5 ]
# The page is made of the sources in web/ and of the description of the API, which its client is made from.
WEB   := $(wildcard web/package.json)
PAGE  := $(if $(WEB),src/lineage_hub/server/page/index.html)
PAGE_SOURCES := $(if $(WEB),$(shell find web -type f -not -path '*/node_modules/*' \
	-not -path 'web/src/api/schema.ts') $(shell find src/lineage_hub/server -name '*.py' \
	\( -path '*/answers/*' -o -name 'openapi*' -o -name 'answers*' -o -name '*routes.py' \)))

.PHONY: help setup demo serve check static quick test java system soak bench screenshots format lock clean page page-check page-test

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) $(PAGE) ## Make .venv with everything that developing needs, from the lock; build the page

$(READY): pyproject.toml requirements/dev.txt requirements/installer.txt scripts/setup
	@scripts/setup
	@touch $@

page: $(READY) $(PAGE) ## Build the page of web/ into the package, if its sources have changed

ifneq ($(PAGE),)
$(PAGE): $(PAGE_SOURCES) scripts/page scripts/compress-assets.mjs | $(READY)
	@scripts/page
endif

page-check: setup
	$(if $(WEB),scripts/page check)

page-test: setup
	$(if $(WEB),scripts/page test)

demo: setup java ## Start a hub, run a data pipeline on Spark twice, show its lineage
	@$(BIN)/lineage-hub demo

serve: setup ## Start a hub on 127.0.0.1:8000 with the user's data folder
	@$(BIN)/lineage-hub serve

check: static quick ## Format, lint, types, imports and quick tests: about six minutes

static: setup page-check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-logo

quick: setup page-test
	$(PYTEST) tests -m "not slow and not serial" -n auto -q

test: static system quick ## Everything: what check does, then the slow tests, those that need the machine alone last
# In the order of their names: modules with one long test, which xdist would keep for last, leave no core without work.
	$(PYTEST) tests --ignore tests/spark --ignore tests/e2e -m "slow and not serial" -n auto --dist loadscope --no-loadscope-reorder $(MAY_BE_EMPTY)
	$(PYTEST) tests/e2e -m "slow and not serial" # one after the other: they share a browser and hubs, which use all cores
	$(PYTEST) tests/spark -m "slow and not serial" # one after the other: they share a session, which uses all cores
	$(PYTEST) tests -m serial $(MAY_BE_EMPTY)

java: # what Spark runs on
	@scripts/system-packages java

system: java # what tests need from the system: strace shows the fsyncs, PostgreSQL is the second store, promtool reads metrics, Chromium looks at the page
	@scripts/system-packages strace postgresql promtool chromium

soak: setup system ## The proofs at full size; writes their figures to benchmarks/README.md
	LINEAGE_HUB_PROOF=soak $(BIN)/python -m benchmarks.soak

screenshots: setup ## Photograph every screen of the page into build/pictures, and what the docs show
	@scripts/system-packages chromium
	scripts/screenshots

bench: setup ## Measure every claim of speed; writes the table to benchmarks/README.md
	@scripts/system-packages chromium
	$(BIN)/python -m benchmarks.run

format: setup ## Rewrite the code the way check wants it
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: setup ## Resolve pyproject.toml into requirements/*.txt (LOCK_FLAGS=--upgrade for newer versions)
	scripts/lock

clean: ## Remove .venv, caches and built files
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	rm -rf src/lineage_hub/server/page web/node_modules
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
