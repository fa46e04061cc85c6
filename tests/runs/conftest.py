import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluators.runs.engine import RunRegistry
from evaluators.runs.store import Store
from tests import postgres

_DATABASES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.exhaustive))
_ON_BOTH = {
    "test_damage",
    "test_figures",
    "test_label_queues",
    "test_lock",
    "test_notes",
    "test_rounds",
    "test_store",
    "test_titles",
    "test_workspaces",
}
"""Files whose tests run over both databases, but those that look at the file (`path`)."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    is_on_both = metafunc.module.__name__.rpartition(".")[2] in _ON_BOTH
    looks_at_file = "path" in inspect.signature(metafunc.function).parameters
    if is_on_both and not looks_at_file and "where" in metafunc.fixturenames:
        metafunc.parametrize("where", _DATABASES, indirect=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite3"


@pytest.fixture
def where(request: pytest.FixtureRequest, path: Path) -> Iterator[Path | str]:
    """Where a store is kept: a SQLite file, or a PostgreSQL database of its own."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield path
        return
    server: postgres.Server = request.getfixturevalue("postgres_server")
    with server.database() as address:
        yield address


@pytest.fixture
def store(where: Path | str) -> Iterator[Store]:
    opened = Store(where)
    yield opened
    opened.close()


@pytest.fixture
def registry() -> RunRegistry:
    return RunRegistry()


@pytest.fixture
def trouble(tmp_path: Path) -> Path:
    """While this file exists, the fragile evaluator fails."""
    (tmp_path / "trouble").touch()
    return tmp_path / "trouble"
