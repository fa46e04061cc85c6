"""The package as pip installs it: its files and version, and its command in an empty folder."""

import importlib.util
import os
import subprocess
import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest

import evaluators
import plumbline as plumbline_package
from evaluators.own_command import command_of

ROOT = Path(__file__).parents[1]
BACKEND = ("hatchling", "hatch_requirements_txt")

pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, BACKEND)),
    reason="the build backend of requirements-dev.txt is not installed",
)


def run(*command, cwd=ROOT, **variables):
    environment = {name: value for name, value in os.environ.items() if "PLUMBLINE" not in name}
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment | variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that pip installed this checkout into, without what it needs in turn."""
    folder = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    done = run(
        *pip, "--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder), str(ROOT)
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def plumbline(installed, tmp_path):
    """`plumbline("list", "metrics")` in an empty folder, with an empty home."""
    names = [path.name for path in (installed / "bin").iterdir()]
    assert names == ["plumbline"]

    def command(*arguments):
        home = {"HOME": str(tmp_path), "PYTHONPATH": str(installed), "COLUMNS": "200"}
        return run(
            sys.executable, str(installed / "bin" / "plumbline"), *arguments, cwd=tmp_path, **home
        )

    return command


def below(folder):
    """The files of a folder, but for what Python makes of them."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if "__pycache__" not in path.parts}


def test_only_our_own_folders_lie_beside_the_packages_of_others(installed):
    [info] = installed.glob("*.dist-info")

    assert {path.name for path in installed.iterdir()} == {
        "evaluators",
        "plumbline",
        "plumbline_app",
        "bin",
        info.name,
    }
    for name in ("evaluators", "plumbline"):
        assert below(installed / name) == below(ROOT / name)
        assert (installed / name / "py.typed").is_file()


@pytest.mark.parametrize("name", ["ui", "pages", "data"])
def test_the_app_is_there_as_a_whole(installed, name):
    assert below(installed / "plumbline_app" / name) == below(ROOT / name)


def test_the_app_has_its_start_and_its_settings_and_nothing_secret(installed):
    app = installed / "plumbline_app"

    assert (app / "app.py").read_text("utf-8") == (ROOT / "app.py").read_text("utf-8")
    assert below(app / ".streamlit") == {"config.toml"}


def test_version_and_dependencies_are_those_of_the_checkout(installed):
    [info] = installed.glob("*.dist-info")
    package = Distribution.at(info)

    assert package.name == "plumbline-rag"
    assert package.version == plumbline_package.__version__ == evaluators.__version__
    needed = [each for each in package.requires if "extra ==" not in each]
    assert [(own.name, own.value) for own in package.entry_points.select(group="pytest11")] == [
        ("plumbline", "evaluators.api.pytest_plugin")
    ]
    assert sorted(needed) == sorted((ROOT / "requirements.txt").read_text("utf-8").split())


def test_the_command_lists_metrics_and_models_in_an_empty_folder(plumbline, installed, tmp_path):
    metrics = plumbline("list", "metrics")

    assert metrics.returncode == 0, metrics.stderr
    assert "hedging" in metrics.stdout
    assert [path.name for path in tmp_path.iterdir()] == [".plumbline"]  # in the home folder


def test_what_is_installed_speaks_every_language(installed, tmp_path):
    lines = (
        "from evaluators.text.language import LANGUAGES, say, speaking",
        "for code in LANGUAGES:",
        "    with speaking(code):",
        "        print(say('Question'))",
    )
    home = {"HOME": str(tmp_path), "PYTHONPATH": str(installed), "PYTHONIOENCODING": "utf-8"}
    said = run(sys.executable, "-c", "\n".join(lines), cwd=tmp_path, **home)

    assert said.stdout.split() == ["Question", "问题"], said.stderr


def test_the_command_says_its_version(plumbline):
    assert plumbline("--version").stdout == f"plumbline {evaluators.__version__}\n"


def test_what_is_printed_begins_with_the_command_that_was_given(plumbline):
    """In an environment without `plumbline` beside its Python: that of the tests."""
    nothing_yet = plumbline("show", "last")

    begins = command_of(Path(sys.executable), None)
    assert f"Start one with: {begins} run" in nothing_yet.stderr
    assert f"{begins} list metrics" in plumbline("--help").stdout


def test_the_command_tells_how_to_start_the_app(plumbline):
    helped = plumbline("app", "--help")

    assert helped.returncode == 0, helped.stderr
    assert "--port" in helped.stdout
    assert "app --server.headless true" in helped.stdout


def test_the_app_starts_where_its_settings_lie_and_keeps_folders_as_they_were_meant(
    installed, tmp_path
):
    """A stand-in for Streamlit says what it was started with."""
    (tmp_path / "streamlit.py").write_text(
        "import os, sys; print(os.getcwd(), os.environ['PLUMBLINE_DATA_DIR'], sys.argv[1:])"
    )
    done = run(
        *(sys.executable, "-m", "plumbline", "app", "--server.headless", "true", "--port", "8600"),
        cwd=tmp_path,
        PYTHONPATH=os.pathsep.join(map(str, (tmp_path, installed))),
        PLUMBLINE_DATA_DIR="mine",
    )

    assert done.stdout.strip() == (
        f"{installed / 'plumbline_app'} {tmp_path / 'mine'} ['run', 'app.py', "
        "'--server.port', '8600', '--server.headless', 'true']"
    )
