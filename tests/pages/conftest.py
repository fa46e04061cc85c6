"""Pages under `AppTest`: each test has a data directory of its own, empty or with two finished
runs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime import Runtime
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from evaluators.base import Evaluator
from evaluators.llm import Keys, clients
from evaluators.records import Dataset, EvaluatorSpec, Run, Sample, SampleResult
from evaluators.runs import inputs, samples
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.loopback import Loopback
from ui import session

ROUTER = Path(__file__).parents[2] / "ui" / "main.py"
PATIENCE = 60
KEY = "sk-Loopback-0123456789-abcdef"

OpenPage = Callable[..., AppTest]
Upload = Callable[[str, str | bytes], AppTest]


class Filled(NamedTuple):
    """A store with a finished run of each kind."""

    store: Store
    rgb: Run
    trace: Run


@pytest.fixture(scope="session", autouse=True)
def quick_pages() -> Iterator[None]:
    """What `AppTest` makes anew for every redrawing, though it is the same: scripts as they are compiled,
    and a runtime that nobody asks. It waits for the end of the script, without looking each millisecond.
    """
    scripts, runtime = app_test.ScriptCache(), MagicMock(spec=Runtime)
    look = local_script_runner.require_widgets_deltas

    def wait(runner: LocalScriptRunner, timeout: float = PATIENCE) -> None:
        assert runner._script_thread
        runner._script_thread.join(timeout)
        look(runner, 0.01)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app_test, "ScriptCache", lambda: scripts)
        patched.setattr(app_test, "MagicMock", lambda spec: runtime)
        patched.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(autouse=True)
def data_folder(data_folder: Path) -> Path:
    """A workspace on a laptop, with nothing in it: of every test here."""
    return data_folder


@pytest.fixture
def serving(
    loopback: Callable[..., Loopback], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Loopback]:
    """`serving(answer)`: OpenAI is a server on this computer that answers so, with the key entered
    and its list known.

    With `groq=True` it takes the place of both providers.
    """

    def serve(answer: Callable[[str], str], groq: bool = False) -> Loopback:
        server = loopback(key=KEY, answer=answer)
        addresses = {"OPENAI": server.base_url} | ({"GROQ": server.address} if groq else {})
        for name, address in addresses.items():
            monkeypatch.setenv(f"{name}_API_KEY", KEY)
            monkeypatch.setenv(f"{name}_BASE_URL", address)
        for access in session.keys().values():
            clients.ask_models(access)
        return server

    return serve


@pytest.fixture(scope="session")
def finished_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run, Run]:
    """Both bundled samples, run once for all tests."""
    path = tmp_path_factory.mktemp("finished") / "plumbline.sqlite3"
    store = Store(path)
    runs = samples.rgb(store, "local"), samples.trace(store, "local")
    for run in runs:
        finish(run, store)
    store.close()
    return path, *runs


@pytest.fixture
def filled(finished_runs: tuple[Path, Run, Run], data_folder: Path) -> Filled:
    """The finished runs in this test's data directory."""
    path, rgb, trace = finished_runs
    shutil.copy(path, data_folder / path.name)
    return Filled(session.store(), rgb, trace)


@pytest.fixture
def open_page() -> OpenPage:
    """Opens the app and goes to a page by its file's name, with query parameters; no page may show
    an exception.
    """
    return _open_page


@pytest.fixture
def upload() -> Upload:
    """Chooses a file on the Datasets page of a new visit and returns the page."""

    def choose(name: str, content: str | bytes) -> AppTest:
        data = content.encode() if isinstance(content, str) else content
        at = _open_page("datasets")
        return checked(at.file_uploader(key="upload_0").upload(name, data).run())

    return choose


def finished(data: Dataset, *metrics: str | EvaluatorSpec | Evaluator, **facts: Any) -> Run:
    """The run that these make, in this workspace and at its end."""
    own = [each if isinstance(each, Evaluator) else inputs.evaluators(each)[0] for each in metrics]
    run = create_run(session.store(), RunPlan(data, own, **facts), workspace="local")
    finish(run, session.store())
    return run


def keep_upload(name: str, *samples: Sample) -> Dataset:
    """An upload of this workspace with these samples."""
    data = Dataset(name=name, samples=samples)
    # Its moment tells it from one of the same name, in another test too: the process remembers both.
    session.store().uploads.save("local", data.name, data)
    return data


def fail(run: Run, error: str, position: int = 0, **facts: Any) -> None:
    """The answer at this place failed so."""
    facts = {"position": position, "status": "failed", "error": error} | facts
    session.store().results.save(run.id, SampleResult.model_validate(facts))


def finish(run: Run, store: Store, keys: Keys | None = None) -> None:
    job = Job(run, store, keys)
    job.start()
    job.wait(PATIENCE)


def checked(at: AppTest) -> AppTest:
    assert not at.exception, [element.value for element in at.exception]
    return at


def _open_page(name: str, **query: str) -> AppTest:
    at = AppTest.from_file(ROUTER, default_timeout=30)
    # Else Streamlit looks through all installed packages for components, most of a page's time.
    at._bidi_component_manager = BidiComponentManager()
    at.switch_page(f"../pages/{name}.py")
    for key, value in query.items():
        at.query_params[key] = value
    return checked(at.run())
