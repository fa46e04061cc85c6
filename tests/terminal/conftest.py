"""Commands in this process, each test with a data directory of its own and without this machine's
keys.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evaluators.terminal.cli import main

Command = Callable[..., Result]


@pytest.fixture(autouse=True)
def data_folder(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store, in a folder where the commands begin: of every test here."""
    monkeypatch.chdir(data_folder)
    return data_folder


@pytest.fixture
def plumbline() -> Command:
    """`plumbline("run", "--data", ...)`: the result with its exit code, output and errors."""
    return lambda *arguments: CliRunner().invoke(main, list(arguments))
