"""Commands that are printed work where they are read: in a checkout, an environment, an image."""

import os
from pathlib import Path

import pytest

from evaluators.own_command import command_of


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """`programs("bin/python", on_path="bin")`: files that can be run, and where a shell looks."""

    def made(*files, on_path=""):
        for name in files:
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("#!/bin/sh\n")
            file.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / on_path) if on_path else os.devnull)
        return tmp_path

    return made


@pytest.mark.parametrize(
    ("files", "on_path", "is_installed", "expected"),
    [
        # installed, and the environment is active, or not
        (["env/bin/python", "env/bin/plumbline"], "env/bin", True, "plumbline"),
        (["env/bin/python", "env/bin/plumbline"], "", True, "{folder}/env/bin/plumbline"),
        # another Plumbline comes first
        (
            ["env/bin/python", "env/bin/plumbline", "other/plumbline"],
            "other",
            True,
            "{folder}/env/bin/plumbline",
        ),
        # installed without its command
        (["bin/python3"], "bin", True, "python3 -m evaluators"),
        # a checkout with its own environment, active or not, and one in an image
        ([".venv/bin/python"], ".venv/bin", False, "python -m evaluators"),
        ([".venv/bin/python"], "", False, ".venv/bin/python -m evaluators"),
        ([".venv/bin/python", "bin/python"], "bin", False, ".venv/bin/python -m evaluators"),
        (["my env/bin/python"], "", False, "'my env/bin/python' -m evaluators"),
    ],
)
def test_a_command_begins_as_a_shell_finds_it(programs, files, on_path, is_installed, expected):
    folder = programs(*files, on_path=on_path)

    begins = command_of(Path(folder, files[0]), None if is_installed else folder)

    assert begins == expected.format(folder=folder)
