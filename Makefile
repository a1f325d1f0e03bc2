# Everything here runs from a fresh clone with Python 3.11 to 3.13, git and make.

BIN := .venv/bin
# The stages say `python src/train.py`: they must find the environment's Python.
export PATH := $(CURDIR)/$(BIN):$(value PATH)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help repro experiments data install extras lock test tests lint format clean ALWAYS

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | \
	while IFS='|' read -r name text; do printf '  make %-15s %s\n' "$$name" "$$text"; done

# ── Running the pipeline ────────────────────────────────────────────────────────────────────

repro: install data ## Set up the environment, fetch the data, run what has changed
	@$(BIN)/dvc repro --quiet
	@awk 'NR == 1 { sub(/^## /, ""); printf "%s: ", $$0 } NR == 3 { print; sub(/md$$/, "html", \
		FILENAME); print "The report: " FILENAME }' metrics/evaluation/report.md 2>/dev/null || true
	@test -z "$$(git status --porcelain -- dvc.lock metrics)" || \
		echo 'Commit the results: git add dvc.lock metrics && git commit -m "Run the pipeline"'

# Without `Experiment`, the rows have no names. COLUMNS: no column is cut off. The last one says on
# which rows the numbers are; those on test rows come last.
COLUMNS_SHOWN := ^(Experiment|(roc_auc|accuracy|rmse)(_low|_high)?|model|evaluate.split)$$
# The commits that trials started from; the others have nothing to show.
STARTED_FROM = git for-each-ref --format='%(refname)' refs/exps | \
	awk -F/ 'NF == 5 && length($$3 $$4) == 40 { print "--rev", $$3 $$4 }' | sort -u

experiments: install ## Show all experiments in a table
	@COLUMNS=240 $(BIN)/dvc exp show --rev HEAD $$($(STARTED_FROM)) --no-pager --drop '.*' \
		--keep '$(COLUMNS_SHOWN)' --sort-by evaluate.split --sort-order desc

# Raw data are fetched if some are missing, or if a record has changed.
RECORDS := $(wildcard data/raw/*.dvc)
there = $(or $(wildcard $(1)/*),$(if $(wildcard $(1)/.),,$(wildcard $(1))))
MISSING := $(strip $(foreach path,$(RECORDS:.dvc=),$(if $(call there,$(path)),,$(path))))

data: $(if $(RECORDS),.venv/data.fetched)

.venv/data.fetched: $(RECORDS) $(if $(MISSING),ALWAYS) | install
	@$(BIN)/crivo fetch
	@touch $@

# ── The environment ─────────────────────────────────────────────────────────────────────────

install: .venv/runtime.installed ## Set up .venv from requirements.txt

PIP := $(BIN)/python -m pip --disable-pip-version-check
# Source archives are built with the pinned tools; otherwise, pip would fetch the newest ones.
PINNED := install --use-pep517 --no-build-isolation

# pip treats a wheel as installed if another of the same version is, so that one is removed first.
define INSTALL
	$(if $(wildcard vendor/*.whl),@$(PIP) uninstall --quiet --yes crivo 2>/dev/null)
	@echo "Installing $< into .venv; this may take minutes"
	@$(PIP) $(PINNED) --quiet --require-hashes -r $<
endef

.venv/build.installed: requirements/build.txt | $(BIN)/python
	@$(PIP) install --quiet --require-hashes --only-binary :all: -r $<
	@touch $@

.venv/runtime.installed: requirements.txt .venv/build.installed
	$(INSTALL)
	@touch $@

.venv/dev.installed: requirements/dev.txt requirements.txt .venv/build.installed
	$(INSTALL)
	@touch .venv/runtime.installed $@

extras: install ## Add the optional packages: Excel, LightGBM, XGBoost, SSH remotes, clusters
	$(PIP) $(PINNED) --require-hashes -r requirements/extras.txt

# 3.11 first: dvc.lock was recorded with it. A version manager's `python3.12` may be a stub.
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

# A pin without extras doesn't pin the extras that others ask for: pip would want the newest ones.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

# uv accepts no file as a constraint, so crivo's wheel is left out of the constraints.
PINS := $(if $(wildcard vendor/*.whl),.venv/)
define CONSTRAINT
	$(if $(PINS),@mkdir -p $(dir $(PINS)$(1)); sed '/\.whl /{N;d;}' $(1) > $(PINS)$(1))
endef

lock: .venv/dev.installed ## Update the locks from pyproject.toml (UPGRADE=1: to the newest)
	$(LOCK) pyproject.toml $(EXTRAS) --output-file requirements.txt
	$(call CONSTRAINT,requirements.txt)
	$(LOCK) pyproject.toml $(EXTRAS) --group dev --constraint $(PINS)requirements.txt \
		--output-file requirements/dev.txt
	$(call CONSTRAINT,requirements/dev.txt)
	$(LOCK) pyproject.toml --all-extras --constraint $(PINS)requirements/dev.txt \
		--output-file requirements/extras.txt
	$(LOCK) --group build --constraint $(PINS)requirements.txt --output-file requirements/build.txt

# ── Tests and checks ────────────────────────────────────────────────────────────────────────

CHECKS = lint tests

test: .venv/dev.installed ## Run all checks and tests, and name every kind that fails
	@$(MAKE) --no-print-directory --keep-going $(CHECKS)

# The tests share the cores: two fits with two threads each are slower than one after the other.
TEST_ARGS ?= -n auto --dist loadfile --no-loadscope-reorder

tests: .venv/dev.installed data
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(TEST_ARGS) $(COVERAGE)

lint: .venv/dev.installed ## Check style and imports, and run crivo check
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/crivo check

format: .venv/dev.installed ## Format the code
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

CLEANED = .venv .pytest_cache .ruff_cache board dvc_plots

clean: ## Remove the environment and the tools' caches; data and results stay
	rm -rf $(CLEANED)

include tests/crivo/library.mk
