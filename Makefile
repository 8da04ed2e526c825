# Needs Python 3.11 or later and make, nothing else. Everything is installed into .venv.
# ARGS is passed to the command: `make demo ARGS=--no-serve`, `make test ARGS="-k rating"`.
# PYTHON chooses a Python: `make PYTHON=/path/to/python3.12 test`. Without it, make takes the first suitable one.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all simulate lint schema catalogues bench pins graphiql checker clean

BIN := .venv/bin
PYTHONS := $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python)
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

demo: .venv/demo ## import the recorded season, show the league, serve it (ARGS=--no-serve: only show it)
	@$(BIN)/league demo $(ARGS)

test: .venv/dev ## run the tests that every change needs
	@$(PYTEST) -n auto --maxprocesses=4 -m "not heavy" $(ARGS)

test-all: .venv/dev ## run all tests, with those that take longer than half a second
	@$(PYTEST) -n auto --maxprocesses=4 $(ARGS)

simulate: .venv/dev ## simulate leagues in which everything goes wrong (ARGS="--minutes 30"; --help)
	@$(BIN)/python -m tests.simulation $(ARGS)

lint: .venv/dev ## check style, types, and who imports whom
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy --strict league
	@$(BIN)/lint-imports --no-logo

schema: .venv/demo ## write what the migrations make, with which `league verify` compares a database
	@$(BIN)/python -m league.audit.make_schema_facts

catalogues: .venv/demo ## collect the sentences of the program, and compile their translations
	@$(BIN)/python -m league.wording.make_catalogues

bench: .venv/bench ## measure hands, import, rebuild, promotion, ratings, explanations, boards, tournaments, copies and answers (ARGS=--full: a million hands)
	@$(BIN)/python -m tests.bench $(ARGS)

pins: .venv-pins/tool ## write the requirements files again (ARGS=--upgrade: with newer versions)
	$(PIN) --build-deps-for editable -o requirements.txt pyproject.toml
	$(PIN) --build-deps-for editable -c requirements.txt --extra embedded -o requirements-embedded.txt pyproject.toml
	$(PIN) -c requirements.txt --extra photos -o requirements-photos.txt pyproject.toml
	$(PIN) -c requirements.txt -c requirements-photos.txt --extra lab -o requirements-lab.txt pyproject.toml
	$(PIN) -c requirements.txt -c requirements-photos.txt --extra tournaments -o requirements-tournaments.txt pyproject.toml
	$(PIN) -c requirements.txt --extra tracing -o requirements-tracing.txt pyproject.toml
	$(PIN) -o requirements-dev.txt requirements-dev.in
	$(PIN) -o requirements-bench.txt requirements-bench.in

graphiql: .venv/demo ## fetch the files of GraphiQL again, those that are pinned; needs npm
	@$(BIN)/python league/api/server/fetch_graphiql.py

checker: .venv/demo ## put the pinned libraries into the page that checks proofs again; needs npm
	@$(BIN)/python -m league.console.fetch_noble

clean: ## remove the virtual environments and the caches, but not the league in league-data/
	rm -rf .venv .venv-pins .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# Each set of packages has a stamp file, so that a second `make` installs nothing.

.venv/demo: requirements-embedded.txt pyproject.toml .venv/made
	@echo 'Installing the league into .venv:'
	$(call install,requirements-embedded.txt)
	@$(PIP_INSTALL) --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: requirements-dev.txt .venv/demo
	@echo 'Installing the development tools into .venv:'
	$(call install,requirements-dev.txt)
	@touch $@

.venv/bench: requirements-bench.txt .venv/dev
	@echo 'Installing the packages the benchmark compares with into .venv:'
	$(call install,requirements-bench.txt)
	@touch $@

# Installs the packages of a file, and shows which one pip is at: on one line of a terminal, else on a line for each.
define install
@if [ -t 1 ]; then next='\r\033[K'; else next='\n'; fi; number=0; all=$$(grep -c '^[a-z0-9].*==' $(1)); \
{ $(PIP_INSTALL) --progress-bar off --require-hashes -r $(1) || echo failed; } | { \
  while read -r doing what more; do \
    case "$$doing" in \
      Collecting) name=$${what%%=*} ;; \
      Processing) name=$${what##*/}; name=$${name%%-*} ;; \
      Requirement) name=$${more#*: }; name=$${name%%[=[]*} ;; \
      Downloading) printf ' %s' "$$more"; continue ;; \
      Installing) printf "$$next  installing them, about 20 seconds"; continue ;; \
      failed) printf '\n'; exit 1 ;; \
      *) continue ;; \
    esac; \
    number=$$((number + 1)); printf "$$next  %s of %s: %s" "$$number" "$$all" "$$name"; \
  done; printf "$$next  done\n"; }
endef

.venv-pins/tool: .venv-pins/made
	@.venv-pins/bin/python -m pip install --quiet --disable-pip-version-check pip-tools==7.6.2
	@touch $@

# The oldest supported Python makes the pins: newer ones can install what it can.
.venv-pins/made: PYTHONS = $(or $(PYTHON),python3.11)

.venv/made .venv-pins/made:
	@set -e; found=; \
	for python in $(PYTHONS); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo 'Python 3.11 or later is needed; tried: $(PYTHONS). Choose one with make PYTHON=/path/to/python3 ...' >&2; exit 1; \
	fi; \
	if ! $$found -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "$$found has no venv module. On Debian and Ubuntu install python3-venv; elsewhere see your system's packages." >&2; exit 1; \
	fi; \
	$$found -m venv --clear $(@D)
	@touch $@

# The files hold versions and hashes only, nothing of this machine's pip configuration.
PIN = CUSTOM_COMPILE_COMMAND='make pins' PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= .venv-pins/bin/pip-compile --quiet \
  --generate-hashes --strip-extras --allow-unsafe --no-emit-options $(ARGS)
