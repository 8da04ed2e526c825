# Needs Python 3.11 or later and make, nothing else. Everything is installed in .venv.
# `make demo ARGS=--no-serve`, `make test ARGS="-k rating"`: ARGS goes on to the command.
# `make PYTHON=/path/to/python3.12 test` takes another Python than the first one found.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint bench pins clean

BIN := .venv/bin
PYTHONS := $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
HASHED := $(INSTALL) --require-hashes

help: ## what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

demo: .venv/demo ## import the recorded season, show the league, serve it (ARGS=--no-serve: only show it)
	@$(BIN)/league demo $(ARGS)

test: .venv/dev ## run the tests
	@$(BIN)/python -m pytest -n auto --maxprocesses=4 $(ARGS)

lint: .venv/dev ## check style, types and who imports whom
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy --strict league
	@$(BIN)/lint-imports --no-logo

bench: .venv/bench ## measure import, rebuild and ratings beside a floor or a peer (ARGS=--full: a million hands)
	@$(BIN)/python -m tests.bench $(ARGS)

pins: .venv-pins/tool ## write the requirements files anew (ARGS=--upgrade: with newer versions)
	$(PIN) --build-deps-for editable -o requirements.txt pyproject.toml
	$(PIN) --build-deps-for editable -c requirements.txt --extra embedded -o requirements-embedded.txt pyproject.toml
	$(PIN) -o requirements-dev.txt requirements-dev.in
	$(PIN) -o requirements-bench.txt requirements-bench.in

clean: ## remove what was installed and the caches; the league in league-data/ stays
	rm -rf .venv .venv-pins .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# One stamp for each set of packages, so that a second `make` installs nothing.

.venv/demo: requirements-embedded.txt pyproject.toml .venv/made
	@echo 'Installing the league into .venv ...'
	@$(HASHED) -r requirements-embedded.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: requirements-dev.txt .venv/demo
	@echo 'Installing the tools of development ...'
	@$(HASHED) -r requirements-dev.txt
	@touch $@

.venv/bench: requirements-bench.txt .venv/dev
	@echo 'Installing the packages the benchmark compares with ...'
	@$(HASHED) -r requirements-bench.txt
	@touch $@

.venv-pins/tool: .venv-pins/made
	@.venv-pins/bin/python -m pip install --quiet --disable-pip-version-check pip-tools==7.6.2
	@touch $@

# The oldest supported Python makes the pins: what it can install, the later ones can too.
.venv-pins/made: PYTHONS = $(or $(PYTHON),python3.11)

.venv/made .venv-pins/made:
	@set -e; found=; \
	for python in $(PYTHONS); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo 'Python 3.11 or later is needed; tried: $(PYTHONS). Name one: make PYTHON=/path/to/python3 ...' >&2; exit 1; \
	fi; \
	if ! $$found -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "$$found comes without its venv module. Debian and Ubuntu have it as python3-venv, or see your system's packages." >&2; exit 1; \
	fi; \
	$$found -m venv --clear $(@D)
	@touch $@

# The pip configuration of the machine stays out of the files: versions and hashes only.
PIN = CUSTOM_COMPILE_COMMAND='make pins' PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= .venv-pins/bin/pip-compile --quiet \
  --generate-hashes --strip-extras --allow-unsafe --no-emit-options $(ARGS)
