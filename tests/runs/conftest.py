from pathlib import Path

import pytest

from evaluators.runs.engine import RunRegistry
from evaluators.runs.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs.sqlite3")


@pytest.fixture
def registry() -> RunRegistry:
    return RunRegistry()


@pytest.fixture
def trouble(tmp_path: Path) -> Path:
    """While this file exists, the fragile evaluator fails."""
    (tmp_path / "trouble").touch()
    return tmp_path / "trouble"
