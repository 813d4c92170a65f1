# `make test` and `make demo` set up everything they need on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-services lint fix lock clean setup

demo: $(STAMP)
	$(BIN)/suffice demo

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --dist loadfile

# Heavy or optional things (a browser, a database server) are installed by this target as they arrive.
test-services: $(STAMP)
	@echo "no test needs a service yet"

setup: $(STAMP)

$(STAMP): requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "suffice needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

fix: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Needs `uv` on PATH; hashes only, no index addresses.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --quiet --all-extras --output-file requirements/dev.lock pyproject.toml requirements/dev.in

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
