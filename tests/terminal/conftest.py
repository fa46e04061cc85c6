"""Commands in this process, each test with a data directory of its own and without this machine's keys."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evaluators.llm.providers import PROVIDERS
from evaluators.runs.inputs import local_store
from evaluators.terminal.cli import main

OF_THE_MACHINE = (
    "PLUMBLINE_",
    "SPACE_",
    *(provider.key_variable.removesuffix("API_KEY") for provider in PROVIDERS.values()),
)

Command = Callable[..., Result]


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty store, in a folder where the commands begin."""
    for name in [name for name in os.environ if name.startswith(OF_THE_MACHINE)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    local_store().close()


@pytest.fixture
def plumbline() -> Command:
    """`plumbline("run", "--data", ...)`: the result with its exit code, output and errors."""
    return lambda *arguments: CliRunner().invoke(main, list(arguments))
