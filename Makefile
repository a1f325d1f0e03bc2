# Everything here runs from a fresh clone with Python 3.11 to 3.13, git and make; nothing has
# to be activated first. docs/windows.md has the same steps without make.

BIN := .venv/bin
# The stages say `python src/train.py`: they must find the environment's Python.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help repro experiments install extras test tests unit coverage lint format docs lock \
	plots-template mutants clean ALWAYS

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | \
	while IFS='|' read -r name text; do printf '  make %-15s %s\n' "$$name" "$$text"; done

# ── Running the pipeline ────────────────────────────────────────────────────────────────────

# A team that has taken the default data out of git has nothing to fetch.
FLIGHTS := $(if $(wildcard data/raw/flights.dvc),.venv/flights.fetched)

repro: install $(FLIGHTS) ## Set up the environment, fetch the data, run what has changed
	@$(BIN)/dvc repro

# Few enough to be read at 100 characters; without `Experiment` the rows have no names.
COLUMNS_SHOWN := ^(Experiment|roc_auc(_low|_high)?|model|evaluate.split)$$
# The commits that trials started from: the others have nothing to show.
STARTED_FROM = git for-each-ref --format='%(refname)' refs/exps | \
	awk -F/ 'NF == 5 && length($$3 $$4) == 40 { print "--rev", $$3 $$4 }' | sort -u

experiments: install ## Show all experiments in a table
	@$(BIN)/dvc exp show --rev HEAD $$($(STARTED_FROM)) --no-pager --drop '.*' \
		--keep '$(COLUMNS_SHOWN)'

.venv/flights.fetched: data/raw/flights.dvc $(if $(wildcard data/raw/flights/*),,ALWAYS) | install
	$(BIN)/crivo fetch flights
	@touch $@

# ── The environment ─────────────────────────────────────────────────────────────────────────

install: .venv/runtime.installed .venv/project.installed ## Set up .venv from requirements.txt

PIP := $(BIN)/python -m pip --disable-pip-version-check
# Source archives are built with what is pinned; else pip fetches the newest build tools unseen.
PINNED := install --use-pep517 --no-build-isolation

.venv/build.installed: requirements-build.txt | $(BIN)/python
	$(PIP) install --require-hashes --only-binary :all: -r requirements-build.txt
	@touch $@

.venv/runtime.installed: requirements.txt .venv/build.installed
	$(PIP) $(PINNED) --require-hashes -r requirements.txt
	@touch $@

# The development lock holds the runtime lock, so one installation serves both.
.venv/dev.installed: requirements-dev.txt requirements.txt .venv/build.installed
	$(PIP) $(PINNED) --require-hashes -r requirements-dev.txt
	@touch .venv/runtime.installed $@

.venv/project.installed: pyproject.toml .venv/build.installed
	$(PIP) $(PINNED) --quiet --no-deps --editable .
	@touch $@

extras: install ## Add the optional packages: LightGBM, XGBoost, SSH remotes
	$(PIP) $(PINNED) --require-hashes -r requirements-extras.txt

# Python 3.11 comes first because dvc.lock was recorded with it. A candidate has to run: a
# version manager's `python3.12` may be there and only say that it isn't installed.
CANDIDATES := $(if $(PYTHON),"$(PYTHON)",python3.11 python3.12 python3.13 python3 python)
FITS := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

$(BIN)/python:
	@for python in $(CANDIDATES); do \
		if "$$python" -c '$(FITS)' >/dev/null 2>&1; then \
			echo "Making .venv with $$python"; \
			exec "$$python" -m venv --clear .venv; \
		fi; \
	done; \
	echo 'No Python 3.11, 3.12 or 3.13 with venv was found (tried: $(CANDIDATES));' \
		'install one, or name it: make repro PYTHON=/path/to/python3.12' >&2; \
	exit 1

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

lock: .venv/dev.installed ## Renew the locks from pyproject.toml (UPGRADE=1: to the newest)
	$(LOCK) pyproject.toml --output-file requirements.txt
	$(LOCK) pyproject.toml --group dev --constraint requirements.txt \
		--output-file requirements-dev.txt
	$(LOCK) pyproject.toml --all-extras --constraint requirements-dev.txt \
		--output-file requirements-extras.txt
	$(LOCK) --group build --constraint requirements.txt --output-file requirements-build.txt

# ── Tests and checks ────────────────────────────────────────────────────────────────────────

DEVELOPMENT := .venv/dev.installed .venv/project.installed

test: $(DEVELOPMENT) ## Run all checks and tests, and name every kind that fails
	@failed=; \
	for check in lint tests coverage; do \
		$(MAKE) --no-print-directory $$check || failed="$$failed $$check"; \
	done; \
	if [ -n "$$failed" ]; then echo "make test: failed:$$failed" >&2; exit 1; fi

# The tests share the cores: two fits with two threads each are slower than one after the other.
TEST_ARGS ?= -n auto --dist loadfile

tests: $(DEVELOPMENT) $(FLIGHTS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(TEST_ARGS) --cov --cov-report=

unit: $(DEVELOPMENT) ## Run the quick tests only
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m 'not pipeline' $(TEST_ARGS)

coverage: $(DEVELOPMENT)
	@$(BIN)/coverage report --include='src/crivo/evaluation/*' --fail-under=95

lint: $(DEVELOPMENT) ## Check style, types, imports and the pipeline's honesty
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/crivo check

format: $(DEVELOPMENT) ## Bring the code into its format
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# mkdocs-material announces its successor at every start; see docs/decisions/0011.
docs: $(DEVELOPMENT) ## Renew the pages made from the code, build the documentation in site/
	@$(BIN)/python -m crivo.checks.documentation
	@$(BIN)/python -m crivo.reference
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# docs/faults.md; not one of the tests, which do the same on a smaller project.
TIMES ?= 30
faults: $(DEVELOPMENT) ## Kill each command 30 times (TIMES=30), look for what is wrong then
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.crivo.faults.kill --times $(TIMES)

# ── Rarely needed ───────────────────────────────────────────────────────────────────────────

plots-template: $(BIN)/python ## Renew the page of `dvc plots` that needs no network (npm)
	@$(BIN)/python .dvc/plots/make_template.py

mutants: $(DEVELOPMENT) ## Seek changes of the evaluation that no test notices (ONLY='crivo.…*')
	@$(BIN)/python benchmarks/mutants.py $(if $(ONLY),'$(ONLY)')

clean: ## Remove the environment and the tools' caches; data and results stay
	rm -rf .venv .coverage .grimp_cache .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache dvc_plots htmlcov mutants site src/*.egg-info
