# The only commands to remember. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: app test check bench clean

app: $(VENV)/app.installed
	$(BIN)/streamlit run app.py

test: $(VENV)/dev.installed
	$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/dev.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/dev.installed
	@$(BIN)/python -m tests.benchmarks

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Plumbline needs Python 3.11 or newer. Try: make PYTHON=python3.12 app')"
	$(PYTHON) -m venv $(VENV)

$(VENV)/app.installed: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/dev.installed: requirements.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/app.installed

# What can be made again: never .plumbline, which holds runs, corrections and paid answers.
clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
