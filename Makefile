# The only commands to remember. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: app test fuzz check bench attack dist site lock licences examples notebooks heuristic words clean

app: $(VENV)/app.installed
	$(BIN)/streamlit run app.py

# Four processes for two cores, as many tests wait. The order stays: tests in a browser come last (tests/conftest.py).
# A test that fails is tried once more and counted: beside others it may starve. ALL=1 runs what is exhaustive as well, and makes up four times as many inputs. COVERAGE=1 writes coverage.txt as well: lines that ran in the tests' own processes, not in the app that browsers use.
ifdef COVERAGE
test: MEASURED := -m slipcover --source evaluators,ui,pages --out coverage.txt
endif
ifdef ALL
test: CHOSEN := --hypothesis-profile all
else
test: CHOSEN := -m "not exhaustive"
endif
test: $(VENV)/dev.installed
ifdef ARGS
	$(BIN)/python -m pytest $(ARGS)
else
	$(BIN)/python $(MEASURED) -m pytest -n 4 --dist loadfile --no-loadscope-reorder --reruns 1 $(CHOSEN)
endif

# Every test that makes up its own input, with two thousand examples each.
fuzz: $(VENV)/dev.installed
	$(BIN)/python -m pytest -n 2 -m hypothesis --hypothesis-profile fuzz

check: $(VENV)/dev.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# All of them take long, a million rows of a batch alone a quarter of an hour: make bench ARGS="trace engine" measures these.
bench: $(VENV)/dev.installed
	@$(BIN)/python -m tests.benchmarks $(ARGS)

# Everything that strangers may send, against the readers and a live app on this machine; about an hour.
attack: $(VENV)/dev.installed
	@$(BIN)/python -m tests.attack

# The wheel and the source of a release, the same bytes each time the same commit is built.
dist: $(VENV)/dev.installed
	rm -rf dist
	$(BIN)/python -m hatchling build

# The documentation as a site, in site/html, from README.md and docs/; ends at a link that leads nowhere.
site: $(VENV)/dev.installed
	@$(BIN)/python -m tests.documentation

# Renews what requirements.txt, requirements-postgres.txt and requirements-dev.txt need in turn, with hashes, for every system and Python.
LOCK := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --custom-compile-command "make lock"
lock: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.8
	$(LOCK) requirements.txt -o requirements.lock
	$(LOCK) requirements-postgres.txt --constraint requirements.lock -o requirements-postgres.lock
	$(LOCK) requirements-dev.txt --constraint requirements.lock -o requirements-dev.lock

# Makes data/examples/*.jsonl again, from the recorded answers and labels beside them.
examples: $(VENV)/dev.installed
	@$(BIN)/python -m tests.examples

# Runs docs/notebooks/*.ipynb and writes what they print into them; half a minute.
notebooks: $(VENV)/dev.installed
	@$(BIN)/python -m tests.notebooks

# Measures the heuristic on public data (PLUMBLINE_CHECK_DATA), for data/heuristic.csv and docs/heuristic.md; half a minute.
heuristic: $(VENV)/dev.installed
	@$(BIN)/python -m tests.heuristic

# Brings data/languages/*.po up to date with the texts of the code, and says which are to be translated.
words: $(VENV)/dev.installed
	@$(BIN)/python -m tests.language

licences: $(VENV)/app.installed
	@$(BIN)/python -m tests.licences

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Plumbline needs Python 3.11 or newer. Try: make PYTHON=python3.12 app')"
	$(PYTHON) -m venv $(VENV)

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes

$(VENV)/app.installed: requirements.lock | $(BIN)/python
	$(INSTALL) -r requirements.lock
	@touch $@

$(VENV)/dev.installed: requirements.lock requirements-dev.lock | $(BIN)/python
	$(INSTALL) -r requirements-dev.lock
	@touch $@ $(VENV)/app.installed

# What can be made again: never .plumbline, which holds runs, corrections and paid answers.
clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
