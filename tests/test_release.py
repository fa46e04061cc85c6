"""The workflows: what they ask for, and their scripts as they stand there, without a network. The
wheel is built and put into an empty environment; what it needs in turn is that of the tests.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import evaluators
from tests.e2e.conftest import free_port
from tests.test_package import pytestmark as needs_the_build_backend

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FOLDER.glob("*.yml")}
JOBS = WORKFLOWS["release"]["jobs"]
BINARIES = Path(sys.executable).parent
TAG = f"v{evaluators.__version__}"


def steps(*workflows):
    return [
        step
        for name in workflows or WORKFLOWS
        for job in WORKFLOWS[name]["jobs"].values()
        for step in job["steps"]
    ]


SCRIPTS = {step["name"]: step["run"] for step in steps("release") if "run" in step}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what a release is made of."""
    folder = tmp_path_factory.mktemp("release") / "checkout"
    others = (".venv", ".git", "docs", "tests", ".plumbline", "__pycache__", ".*_cache", "dist")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*others))
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(BINARIES)
    for name in ("app", "dev"):
        (folder / ".venv" / f"{name}.installed").touch()
    return folder


def run(name, folder, **variables):
    """A step's script as GitHub runs it, with the packages of the tests and no index."""
    environment = {key: value for key, value in os.environ.items() if "PLUMBLINE" not in key}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", SCRIPTS[name]],
        cwd=folder,
        env=environment
        | {
            "PATH": f"{BINARIES}:{os.environ['PATH']}",
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "HOME": str(folder),
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # as pip reads it: no isolation
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
        | variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_tag_that_is_the_version_is_taken(checkout):
    done = run("The tag is the version", checkout, TAG=TAG)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("tag", ["v9.9.9", evaluators.__version__, f"{TAG}rc1", "v"])
def test_another_tag_releases_nothing(checkout, tag):
    done = run("The tag is the version", checkout, TAG=tag)

    assert done.returncode == 1
    assert f"The tag is {tag}, evaluators.__version__ is {evaluators.__version__}." in done.stdout


def test_a_version_without_its_changelog_releases_nothing(checkout, tmp_path):
    shutil.copytree(checkout / "evaluators", tmp_path / "evaluators")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n")

    done = run("The tag is the version", tmp_path, TAG=TAG)

    assert done.returncode == 1
    assert f"CHANGELOG has no {evaluators.__version__}." in done.stdout


@pytest.fixture(scope="module")
def built(checkout):
    """The files of the release."""
    done = run("Build", checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted((checkout / "dist").iterdir())
    assert [file.name for file in files] == [
        f"plumbline_rag-{evaluators.__version__}-py3-none-any.whl",
        f"plumbline_rag-{evaluators.__version__}.tar.gz",
    ]
    assert all(file.name in (checkout / "summary.md").read_text() for file in files)
    return files


@needs_the_build_backend
def test_a_release_is_the_same_bytes_wherever_it_is_built(built, checkout):
    before = [file.read_bytes() for file in built]
    for path in checkout.rglob("*.py"):
        path.touch()

    run("Build", checkout)

    assert [file.read_bytes() for file in built] == before


@needs_the_build_backend
def test_what_was_built_works_in_an_empty_environment(built, tmp_path):
    shutil.copytree(built[0].parent, tmp_path / "dist")

    told = {}
    for name in (
        "Install into an empty environment",
        "The command and the package",
        "The example of README",
        "The app",
    ):
        done = run(name, tmp_path, FILE="*.whl", TAG=TAG, PORT=str(free_port()))
        assert done.returncode == 0, done.stdout + done.stderr
        told[name] = done.stdout

    version, where = told["The command and the package"].split()
    assert version == evaluators.__version__
    assert Path(where).is_relative_to(tmp_path / "empty")
    assert "24 answers checked" in told["The example of README"]
    assert told["The app"].splitlines()[-1] == "200"
    assert "<title>" in (tmp_path / "page.html").read_text("utf-8")


@needs_the_build_backend
def test_the_source_of_a_release_holds_all_of_its_wheel(built, tmp_path):
    """Tests, documentation and lock files stay in the repository."""
    wheel, source = built
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    [folder] = tmp_path.iterdir()
    of_wheel = {
        name.removeprefix("plumbline_app/")
        for name in zipfile.ZipFile(wheel).namelist()
        if ".dist-info/" not in name
    }

    of_source = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    beside = {"pyproject.toml", "requirements.txt", "CHANGELOG.md", "SECURITY.md", ".gitignore"}
    assert of_wheel <= of_source
    assert {name for name in of_source - of_wheel if (folder / name).is_file()} == beside
    assert (folder / "LICENSE").is_file()
    assert JOBS["try"]["strategy"]["matrix"]["file"] == [f"*{wheel.suffix}", "*.tar.gz"]


def test_the_example_is_that_of_readme():
    assert SCRIPTS["The example of README"].removeprefix("empty/bin/") in (
        ROOT / "README.md"
    ).read_text("utf-8")


def test_every_action_of_others_is_named_by_its_commit():
    files = [*FOLDER.glob("*.yml"), ROOT / "action.yml"]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    uses = [line.strip() for line in lines if "uses:" in line]

    assert len(uses) > 10
    named = re.compile(r"(- )?uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [line for line in uses if not named.fullmatch(line)] == []
    assert len(set(uses)) == len({use.partition("@")[0] for use in uses}), "two versions of one"


def test_no_expression_stands_inside_a_script():
    assert [step for step in steps() if "${{" in step.get("run", "")] == []


def test_every_target_that_is_made_is_one_of_the_makefile():
    made = {word for step in steps() for word in re.findall(r"\bmake (\w+)", step.get("run", ""))}
    [targets] = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)

    assert {"check", "test", "dist"} <= made <= set(targets.split())


def test_only_the_job_that_publishes_may_say_who_it_is_and_only_what_was_tried_is_published():
    assert WORKFLOWS["release"]["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "build": {"contents": "read"},
        "try": {},
        "publish": {"id-token": "write", "attestations": "write"},
    }
    assert (JOBS["try"]["needs"], JOBS["publish"]["needs"]) == ("build", "try")
    assert JOBS["publish"]["environment"]["name"] == "pypi"
    assert JOBS["publish"]["steps"][-1]["with"] == {"attestations": True}
    assert not [step for step in JOBS["publish"]["steps"] if "run" in step]
    assert "secrets." not in (FOLDER / "release.yml").read_text("utf-8")


def test_it_is_tried_on_every_python_that_it_says_it_is_for():
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    said = re.findall(r'"Programming Language :: Python :: (.+)"', project)

    assert said == JOBS["try"]["strategy"]["matrix"]["python"]
    assert f'requires-python = ">={said[0]}"' in project
