"""What the host decides, read from the environment: places, times, and what strangers may use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError, field_validator

from evaluators.errors import ParameterError
from evaluators.records import Record

PACKAGE = Path(__file__).parent
_INSTALLED_APP = PACKAGE.parent / "plumbline_app"
IS_INSTALLED = _INSTALLED_APP.is_dir()
ROOT = _INSTALLED_APP if IS_INSTALLED else PACKAGE.parent
"""Holds app.py, ui/, pages/ and data/: the checkout, or what pip puts beside this package."""


# A checkout keeps its runs beside its code; a package does not: they would go when it is upgraded.
_DATA_DIR = (Path.home() if IS_INSTALLED else ROOT) / ".plumbline"


# Each takes some 70 MB: a host of many processors need not give all of them one.
_PROCESSES = min(4, os.cpu_count() or 1)


class Config(Record):
    """One field for each variable `PLUMBLINE_<NAME>`.

    Those about visitors hold only on a public host.
    """

    data_dir: Path = _DATA_DIR
    database: SecretStr | None = None
    """The address of a PostgreSQL database that keeps the runs, in place of `data_dir`."""
    custom_dir: Path = PACKAGE / "custom"
    """Where metrics of one's own lie, a Python file each; their code runs as part of the app."""
    call_seconds: float = Field(90, gt=0)
    """The longest that one attempt at a call may take; see `evaluators.llm.patience`."""
    workers: int = Field(32, ge=1, le=256)
    """Cells of a run that are worked on at once, where a provider answers; shared by its models."""
    processes: int = Field(_PROCESSES, ge=1, le=64)
    """Worker processes for what needs the processor, shared by all runs.

    One for each processor, four at most.
    """
    public: bool = False
    """Whether strangers share this host: each then sees only what is theirs."""
    runs_per_visitor: int = Field(1, ge=1)
    runs_in_all: int = Field(8, ge=1)
    runs_waiting: int = Field(100, ge=1)
    """Runs that may wait for a place."""
    runs_kept_per_visitor: int = Field(100, ge=1)
    cells_per_run: int = Field(2000, ge=1)
    uploads_per_visitor: int = Field(10, ge=1)
    upload_bytes: int = Field(50 * 2**20, ge=1)
    decoded_bytes: int = Field(200 * 2**20, ge=1)
    """The most that a packed file may hold."""
    upload_bytes_in_memory: int = Field(200 * 2**20, ge=1)
    """The most that uploaded files of all tabs may take up before they are read."""
    rows_per_dataset: int = Field(20_000, ge=1)
    cell_bytes: int = Field(2**20, ge=1)
    json_depth: int = Field(64, ge=1, le=500)
    rgb_address: str = Field(
        "https://raw.githubusercontent.com/chen700564/RGB/master", pattern=r"^https?://[^/]"
    )
    """Where the official files of the RGB benchmark lie, as in its repository."""
    workspace_days: float = Field(7, gt=0)
    """Days from the last visit until a workspace of a public host is deleted, with all in it."""
    workspaces_per_minute: int = Field(60, ge=1)
    workspaces_in_all: int = Field(10_000, ge=1)
    workspace_bytes: int = Field(200 * 2**20, ge=1)
    """What the uploads and runs of one visitor may take up in the store."""
    store_bytes: int = Field(5 * 2**30, ge=1)
    """What all of them may."""
    held_bytes: int = Field(300 * 2**20, ge=1)
    """What is held in memory of data, for all visitors together."""
    children_at_once: int = Field(2, ge=1)
    """Processes that parse files of visitors of a public host; each may need some 350 MB."""
    metrics_per_visitor: int = Field(20, ge=1)
    labels_per_run: int = Field(20_000, ge=1)
    """Labels by people, those taken back as well; on a machine of one's own too."""
    unwatched_seconds: float = Field(600, gt=0)
    """A run that no page has shown for so long is stopped; it can be resumed."""
    unwatched_seconds_when_full: float = Field(90, gt=0)
    """The same while others wait. A browser shows a page in the background only once a minute."""
    behind_proxy: bool = False
    """Whether a proxy in front of this host tells in X-Forwarded-For where a visitor comes from."""
    framed_by: str = Field("", pattern=r"^(https?://[A-Za-z0-9*.:-]+ ?)*$")
    """The sites, beside a Space's own, that may show this app in a frame, as https://lms.school.edu.

    Separated by spaces. Their pages can lay something over the app, so only those you trust.
    """

    @field_validator("database")
    @classmethod
    def _is_of_postgresql(cls, address: SecretStr | None) -> SecretStr | None:
        if address is None:
            return None
        scheme, separator, rest = address.get_secret_value().partition("://")
        # Hosts write the shorter one as well.
        if scheme not in ("postgresql", "postgres"):
            raise ValueError("It does not begin with postgresql://")
        return SecretStr(f"postgresql{separator}{rest}")


def on_a_space(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this is a Space of Hugging Face, which says so."""
    return bool(environment.get("SPACE_ID"))


def config_from(environment: Mapping[str, str]) -> Config:
    """The configuration that these variables give.

    Raises `ParameterError` for one that cannot be read.
    """
    variables = {name: environment.get(f"PLUMBLINE_{name.upper()}") for name in Config.model_fields}
    # An empty variable counts as one that is not set.
    values = {name: value for name, value in variables.items() if value}
    # A Space is open to strangers whatever its variables say, and lies behind a proxy.
    if on_a_space(environment):
        values["public"] = "1"
        values["behind_proxy"] = "1"
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        variable = f"PLUMBLINE_{first['loc'][0]}".upper()
        if variable == "PLUMBLINE_DATABASE":
            # Its value holds a password; pydantic's error would show it further down.
            raise ParameterError(
                "PLUMBLINE_DATABASE does not begin with postgresql://. It looks like "
                "postgresql://user:password@host:5432/name. Correct it and start again."
            ) from None
        raise ParameterError(
            f"{variable} is {first['input']!r:.60}. {first['msg']}. Correct it and start again."
        ) from error


def config() -> Config:
    """The configuration of this process, as the environment has it now."""
    # A page asks some hundred times; looked up one by one, what is not set costs the most.
    ours = [name for name in os.environ if name.startswith("PLUMBLINE_") or name == "SPACE_ID"]
    return _config_of(tuple((name, os.environ.get(name, "")) for name in ours))


@lru_cache(maxsize=4)
def _config_of(variables: tuple[tuple[str, str], ...]) -> Config:
    return config_from(dict(variables))
