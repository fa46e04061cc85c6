"""What is installed: the lock files fit the direct pins, every file has a hash, licences allow it;
and the image.
"""

import re
from pathlib import Path

import pytest

from tests.licences import accepted, shipped

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"^([a-z0-9._-]+(?:\[[a-z,]+\])?)==([^\s;]+)", re.MULTILINE)


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def pins(name):
    """The exact versions that a file of requirements asks for."""
    return dict(PIN.findall(read(name)))


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_direct_dependencies_are_pinned(name):
    lines = [line for line in read(name).splitlines() if line and not line.startswith(("#", "-r "))]

    assert len(pins(name)) == len(lines)


@pytest.mark.parametrize(
    ("asked", "lock"),
    [
        ("requirements.txt", "requirements.lock"),
        ("requirements-dev.txt", "requirements-dev.lock"),
        ("requirements.lock", "requirements-dev.lock"),
    ],
)
def test_a_lock_file_fits_what_is_asked_for(asked, lock):
    unlike = {name for name, version in pins(asked).items() if pins(lock).get(name) != version}

    assert not unlike, f"{lock} does not fit {asked}: run `make lock`"


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
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


@pytest.mark.parametrize(
    "name", [".env", ".git", ".plumbline", "sqlite3", "__pycache__", "secrets.toml"]
)
def test_the_image_takes_nothing_along_that_is_private(name):
    assert name in read(".dockerignore")
