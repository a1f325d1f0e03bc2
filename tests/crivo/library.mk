# What crivo's own repository needs beside the Makefile of a project: to work on the library.

.PHONY: test-slow coverage types docs faults wheel plots-template

DEVELOPMENT := .venv/dev.installed .venv/project.installed

install tests lint format: .venv/project.installed

.venv/project.installed: pyproject.toml .venv/build.installed
	$(PIP) $(PINNED) --quiet --no-deps --editable .
	@touch $@

# The tests write thousands of small projects. In memory, if there is room, they take two thirds of
# the time.
MEMORY := $(shell df --output=avail --block-size=G /dev/shm 2>/dev/null | tail -n 1 | tr -dc 0-9)
ifeq ($(shell [ "$(MEMORY)" -ge 8 ] 2>/dev/null && echo room),room)
tests test-slow: export TMPDIR ?= /dev/shm
endif

# Otherwise, hundreds of processes compile the library again, each for a tenth of a second.
tests test-slow: export PYTHONDONTWRITEBYTECODE =

EXTRAS = --extra flights
CHECKS += coverage
COVERAGE = -m 'not slow' -p tests.crivo.measured --cov --cov-report=
CLEANED += .coverage .grimp_cache .hypothesis .import_linter_cache .mypy_cache htmlcov \
	site dist src/*.egg-info

lint: types

types: $(DEVELOPMENT)
	@$(BIN)/mypy
	@$(BIN)/lint-imports

coverage: $(DEVELOPMENT)
	@$(BIN)/coverage report --fail-under=95

test-slow: $(DEVELOPMENT) ## Run the slow tests: whole pipelines, kills, fuzz, browser, clusters
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m slow $(TEST_ARGS) tests

# The address of the repository that the site shows.
REPOSITORY ?= $(shell git remote get-url origin 2>/dev/null | \
	sed -nE 's|^git@([^:]+):|https://\1/|; s|^(https://.*[^/])/?$$|\1|p' | sed 's|\.git$$||')

# mkdocs-material announces its successor at every start; see docs/decisions/0036.
docs: $(DEVELOPMENT) ## Regenerate the pages made from the code, build the documentation in site/
	@$(BIN)/python -m crivo.reference
	@cp metrics/evaluation/report.html docs/examples/report.html
	@NO_MKDOCS_2_WARNING=1 REPOSITORY='$(REPOSITORY)' $(BIN)/mkdocs build --config-file docs/assets/mkdocs.yml --strict --quiet

# docs/team.md; the slow tests kill it once.
TIMES ?= 30
faults: $(DEVELOPMENT) ## Kill `crivo share` 30 times (TIMES=30), and look for damage
	@CRIVO_KILLS=$(TIMES) $(BIN)/python -m pytest tests/crivo/faults/test_kill.py

wheel: install ## Build the library and a project's files into dist/crivo-….whl
	@$(BIN)/python -m crivo.project.wheel

# ── Rarely needed ───────────────────────────────────────────────────────────────────────────

plots-template: $(BIN)/python ## Rebuild the page of `dvc plots` that needs no network (npm)
	@$(BIN)/python .dvc/plots/make_template.py
