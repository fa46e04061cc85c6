"""What is installed: the lock files fit the direct pins, every file has a hash, licences allow it;
and the image.
"""

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from evaluators.config import Config, config_from
from tests.licences import accepted, shipped

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"^([a-z0-9._-]+(?:\[[a-z,]+\])?)==([^\s;]+)", re.MULTILINE)


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def pins(name):
    """The exact versions that a file of requirements asks for."""
    return dict(PIN.findall(read(name)))


@pytest.mark.parametrize(
    "name", ["requirements.txt", "requirements-postgres.txt", "requirements-dev.txt"]
)
def test_direct_dependencies_are_pinned(name):
    lines = [line for line in read(name).splitlines() if line and not line.startswith(("#", "-r "))]

    assert len(pins(name)) == len(lines)


@pytest.mark.parametrize(
    ("asked", "lock"),
    [
        ("requirements.txt", "requirements.lock"),
        ("requirements-postgres.txt", "requirements-postgres.lock"),
        ("requirements-dev.txt", "requirements-dev.lock"),
        ("requirements.lock", "requirements-dev.lock"),
        ("requirements-postgres.lock", "requirements-dev.lock"),
    ],
)
def test_a_lock_file_fits_what_is_asked_for(asked, lock):
    unlike = {name for name, version in pins(asked).items() if pins(lock).get(name) != version}

    assert not unlike, f"{lock} does not fit {asked}: run `make lock`"


@pytest.mark.parametrize(
    "lock", ["requirements.lock", "requirements-postgres.lock", "requirements-dev.lock"]
)
def test_everything_in_a_lock_file_has_its_hashes(lock):
    for package in re.split(r"\n(?=\S)", re.sub(r"^ *#.*\n", "", read(lock), flags=re.MULTILINE)):
        assert re.match(
            r"[\w.\[\]-]+==\S+( ; [^\n]+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n?)+$", package
        ), package


def test_all_that_ships_may_ship():
    licences = shipped()

    assert len(licences) > 50
    assert [name for name, words in licences.items() if not accepted(words)] == []


@pytest.mark.parametrize(
    ("words", "may"),
    [
        ("MIT", True),
        ("Apache-2.0 AND CNRI-Python", True),
        ("GPL-2.0-only OR MIT", True),
        ("GNU General Public License (GPL)", False),
        ("MIT AND GPL-3.0-only", False),
        ("LIMITED", False),
        ("unknown", False),
    ],
)
def test_a_licence_is_accepted_where_each_part_is(words, may):
    assert accepted(words) is may


def test_the_image_is_public_and_built_from_what_is_locked():
    lines = read("Dockerfile")

    assert re.search(r"^FROM python:\S+@sha256:[0-9a-f]{64}$", lines, re.MULTILINE)
    assert "PLUMBLINE_PUBLIC=1" in lines
    assert "pip install --no-cache-dir --user --require-hashes -r requirements.lock" in lines


def test_compose_runs_the_app_on_a_database_of_its_own():
    services = yaml.safe_load(read("compose.yaml"))["services"]
    app, database = services["app"], services["database"]
    ours = {name for name in app["environment"] if name.startswith("PLUMBLINE_")}
    parts = urlsplit(app["environment"]["PLUMBLINE_DATABASE"])

    assert {name.removeprefix("PLUMBLINE_").lower() for name in ours} <= Config.model_fields.keys()
    assert config_from({name: app["environment"][name] for name in ours}).database
    # The one who connects, where, and to which database.
    assert parts.hostname == "database"
    assert parts.username == database["environment"]["POSTGRES_USER"]
    assert parts.path == "/" + database["environment"]["POSTGRES_DB"]
    # No password is in the file, nor a port of the database open.
    password = database["environment"]["POSTGRES_PASSWORD"]
    assert re.fullmatch(r"\$\{POSTGRES_PASSWORD:\?[^}]+\}", password)
    assert app["environment"]["PGPASSWORD"] == password
    assert "ports" not in database
    assert app["ports"] == ["127.0.0.1:8501:8501"]
    # The app waits for it, and what it keeps outlives it.
    assert app["depends_on"]["database"]["condition"] == "service_healthy"
    assert "pg_isready" in database["healthcheck"]["test"][1]
    [volume] = database["volumes"]
    assert volume.partition(":")[0] in yaml.safe_load(read("compose.yaml"))["volumes"]


def test_its_image_has_the_extra():
    build = yaml.safe_load(read("compose.yaml"))["services"]["app"]["build"]
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]

    assert build["args"]["WITH_POSTGRES"]
    assert "${WITH_POSTGRES:+-r requirements-postgres.lock}" in read("Dockerfile")
    assert extras["postgres"] == read("requirements-postgres.txt").split()


@pytest.mark.parametrize(
    "name", [".env", ".git", ".plumbline", "sqlite3", "__pycache__", "secrets.toml"]
)
def test_the_image_takes_nothing_along_that_is_private(name):
    assert name in read(".dockerignore")


def test_every_image_of_others_is_named_by_its_digest():
    images = re.findall(r"^FROM (\S+)", read("Dockerfile"), re.MULTILINE)
    services = yaml.safe_load(read("compose.yaml"))["services"].values()
    # What is built here stands there by a name of ours.
    images += [service["image"] for service in services if "build" not in service]

    assert all(re.search(r"@sha256:[0-9a-f]{64}$", image) for image in images), images
