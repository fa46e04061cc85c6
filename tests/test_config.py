import re
import traceback
from pathlib import Path

import pytest

from evaluators.config import ROOT, config, config_from
from evaluators.errors import ParameterError


def test_without_variables_it_is_a_laptop():
    found = config_from({})
    assert not found.public
    assert found.data_dir == ROOT / ".plumbline"


@pytest.mark.parametrize(
    ("variable", "value", "field", "read"),
    [
        ("PLUMBLINE_DATA_DIR", "/data", "data_dir", Path("/data")),
        ("PLUMBLINE_CALL_SECONDS", "2.5", "call_seconds", 2.5),
        ("PLUMBLINE_WORKERS", "4", "workers", 4),
        ("PLUMBLINE_PROCESSES", "3", "processes", 3),
        ("PLUMBLINE_PUBLIC", "1", "public", True),
        ("PLUMBLINE_PUBLIC", "false", "public", False),
        ("PLUMBLINE_PUBLIC", "", "public", False),
        ("SPACE_ID", "someone/plumbline", "public", True),
        ("PLUMBLINE_RUNS_PER_VISITOR", "2", "runs_per_visitor", 2),
        ("PLUMBLINE_RUNS_IN_ALL", "3", "runs_in_all", 3),
        ("PLUMBLINE_CELLS_PER_RUN", "50", "cells_per_run", 50),
        ("PLUMBLINE_UPLOADS_PER_VISITOR", "5", "uploads_per_visitor", 5),
        ("PLUMBLINE_UPLOAD_BYTES", "1000", "upload_bytes", 1000),
        ("PLUMBLINE_ROWS_PER_DATASET", "10", "rows_per_dataset", 10),
        ("PLUMBLINE_UNWATCHED_SECONDS", "60", "unwatched_seconds", 60),
        ("PLUMBLINE_RUNS_WAITING", "5", "runs_waiting", 5),
        ("PLUMBLINE_HELD_BYTES", "1000", "held_bytes", 1000),
        ("PLUMBLINE_CHILDREN_AT_ONCE", "1", "children_at_once", 1),
        ("PLUMBLINE_WORKSPACE_DAYS", "0.5", "workspace_days", 0.5),
        ("PLUMBLINE_WORKSPACE_BYTES", "1000", "workspace_bytes", 1000),
        ("PLUMBLINE_STORE_BYTES", "1000", "store_bytes", 1000),
        ("PLUMBLINE_WORKSPACES_PER_MINUTE", "3", "workspaces_per_minute", 3),
        ("PLUMBLINE_WORKSPACES_IN_ALL", "9", "workspaces_in_all", 9),
        ("PLUMBLINE_UNWATCHED_SECONDS_WHEN_FULL", "20", "unwatched_seconds_when_full", 20),
        ("PLUMBLINE_BEHIND_PROXY", "1", "behind_proxy", True),
        (
            "PLUMBLINE_FRAMED_BY",
            "https://a.edu http://b:80",
            "framed_by",
            "https://a.edu http://b:80",
        ),
        ("SPACE_ID", "someone/plumbline", "behind_proxy", True),
    ],
)
def test_a_variable_sets_its_field(variable, value, field, read):
    assert getattr(config_from({variable: value}), field) == read


def test_a_space_is_public_whatever_the_variable_says():
    assert config_from({"SPACE_ID": "someone/plumbline", "PLUMBLINE_PUBLIC": "0"}).public


@pytest.mark.parametrize(
    ("name", "value"),
    [("workers", "many"), ("call_seconds", "nan"), ("public", "perhaps"), ("runs_in_all", "1.5")],
)
def test_a_variable_that_cannot_be_read_is_named(name, value):
    variable = f"PLUMBLINE_{name.upper()}"

    with pytest.raises(ParameterError) as raised:
        config_from({variable: value})

    # In one line, without pydantic's link to its own documentation.
    assert re.fullmatch(
        rf"{variable} is '{value}'\. Input should .*\. Correct it and start again\.",
        str(raised.value),
    )


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_an_address_of_a_database_is_kept_secret(scheme):
    given = config_from({"PLUMBLINE_DATABASE": f"{scheme}://ann:s3cret@host/name"})

    assert given.database.get_secret_value() == "postgresql://ann:s3cret@host/name"
    assert "s3cret" not in f"{given!r} {given} {given.model_dump_json()}"
    assert config_from({"PLUMBLINE_DATABASE": ""}).database is None


@pytest.mark.parametrize("address", ["mysql://ann:s3cret@host/name", "s3cret", "/s3cret.sqlite3"])
def test_what_is_no_address_of_a_database_is_not_repeated(address):
    with pytest.raises(ParameterError, match="does not begin with postgresql://") as raised:
        config_from({"PLUMBLINE_DATABASE": address})

    assert "s3cret" not in "".join(traceback.format_exception(raised.value))


def test_the_environment_is_read_as_it_is_now(monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    monkeypatch.setenv("PLUMBLINE_WORKERS", "3")
    assert config().workers == 3
    monkeypatch.setenv("PLUMBLINE_WORKERS", "5")
    assert config().workers == 5


def test_a_variable_that_changes_counts_at_once(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_WORKERS", "3")
    assert (config().workers, config().public) == (3, False)
    monkeypatch.setenv("PLUMBLINE_WORKERS", "5")
    monkeypatch.setenv("SPACE_ID", "someone/space")
    assert (config().workers, config().public) == (5, True)
    monkeypatch.delenv("SPACE_ID")
    assert config().public is False


def test_the_configuration_is_not_worked_out_anew_for_each_of_a_pages_questions():
    assert config() is config()
