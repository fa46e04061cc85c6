"""What all tests share: public data, a provider on this computer, no time limit for examples."""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import settings
from pydantic import SecretStr

from evaluators.llm import Access, LLMClient
from evaluators.llm.budget import Meter
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import ModelSession, RunContext
from evaluators.llm.loop import Scope
from evaluators.records import Cap, ModelSpec
from evaluators.runs.inputs import local_store
from evaluators.runs.store import Store
from tests import machine, postgres
from tests.identity import SPACE, Identity
from tests.loopback import Loopback

# Stores wait for the disk after every write; what tests write may as well lie in memory (1 GB in all).
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# What is looked up while tests are collected is not the developer's own.
COLLECTED_WITH = tempfile.TemporaryDirectory()
os.environ["PLUMBLINE_DATA_DIR"] = COLLECTED_WITH.name

_frames = sys._current_frames


def _frames_without_garbage() -> dict[int, FrameType]:
    """What coverage asks for now and then. Python 3.11 may collect garbage while it holds the lock
    of all threads for that: what hypothesis does then can wait for a thread that waits for the lock.
    """
    gc.disable()
    try:
        return _frames()
    finally:
        gc.enable()


sys._current_frames = _frames_without_garbage

# A busy machine is no failure.
for profile, examples in (("plumbline", 25), ("all", 100), ("fuzz", 2000)):
    settings.register_profile(profile, deadline=None, max_examples=examples)
settings.load_profile("plumbline")


@pytest.fixture(scope="session")
def check_data() -> Path:
    folder = os.environ.get("PLUMBLINE_CHECK_DATA")
    if not folder:
        pytest.skip("PLUMBLINE_CHECK_DATA is not set")
    return Path(folder)


@pytest.fixture
def loopback() -> Iterator[Callable[..., Loopback]]:
    """`loopback(latency=0.1, fault=...)` starts a provider; all are closed after the test."""
    with ExitStack() as servers:
        yield lambda **options: servers.enter_context(Loopback(**options))


@pytest.fixture
def identity(monkeypatch: pytest.MonkeyPatch) -> Iterator[Identity]:
    """The provider that visitors sign in with; this process is a Space of `SPACE`."""
    with Identity() as provider:
        for name, value in provider.space(SPACE).items():
            monkeypatch.setenv(name, value)
        yield provider


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """One for all tests of this process; each takes a database of its own from it."""
    binaries = postgres.programs()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with postgres.server(binaries) as running:
        yield running


@pytest.fixture
def judge_client(loopback: Callable[..., Loopback]) -> Iterator[Callable[..., LLMClient]]:
    """`judge_client(answer=...)` is a client, through all layers, of a judge on this computer, which
    is `judge_client.server` then.
    """
    sessions = []

    def client(provider: str = "custom", model: str = "judge", **options: object) -> LLMClient:
        server = client.server = loopback(**options)  # type: ignore[attr-defined]
        address = server.base_url if provider == "custom" else server.address
        keys = {provider: Access(provider=provider, base_url=address, key=SecretStr("sk-any"))}
        spec = ModelSpec(provider=provider, model=model, answer_tokens=2048)
        sessions.append(ModelSession(spec, keys, RunContext(Scope(), Meter(Cap()), None)))
        return sessions[-1].client(CallLog())

    yield client
    for each in sessions:
        each.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of this test's own; those of `tests/runs` may lie in either database."""
    with closing(Store(tmp_path / "runs.sqlite3")) as opened:
        yield opened


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty store of this test's own, on a machine where nothing is set up."""
    for name in os.environ.keys() - machine.variables().keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    yield tmp_path
    local_store().close()


LONGEST_JOURNEYS = ("public", "access", "round", "labels", "chinese", "evidence", "attack")
"""The files of browser tests that take longest: begun last, one would keep all others waiting."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright leaves a loop running in the main thread, where no other
    can then start.
    """

    def place(item: pytest.Item) -> tuple[bool, bool]:
        is_long = item.path.stem.removeprefix("test_") in LONGEST_JOURNEYS
        is_journey = "e2e" in item.path.parts
        return is_journey, is_journey and not is_long

    items.sort(key=place)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that is tried again meets nothing of what its first try left.

    What fixtures gave to a whole file or session, a server with its store for example, is made anew
    for it: answers that were paid for would be free the second time, and names be taken.
    """
    if not isinstance(item, pytest.Function) or getattr(item, "execution_count", 1) == 1:
        return
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        for fixture in definitions:
            if fixture.func.__module__.startswith("tests.") and fixture.scope != "function":
                fixture.finish(item._request)
