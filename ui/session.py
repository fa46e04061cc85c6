"""What belongs to this visitor: the workspace, the keys, the store, and the run on the screen."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Sized
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, TypeVar

import streamlit as st

from evaluators.base import Benchmark
from evaluators.catalogue import leads
from evaluators.config import config
from evaluators.datasets.bundled import bundled
from evaluators.datasets.rgb import TestBed
from evaluators.errors import DatasetError, UnreadableRowError
from evaluators.llm import Access, clients
from evaluators.llm.keys import from_environment
from evaluators.records import Cell, Dataset, Run
from evaluators.runs import aggregate, workspaces
from evaluators.runs.engine import registry
from evaluators.runs.inputs import WORKSPACE, local_store
from evaluators.runs.queue import visitor_address
from evaluators.runs.store import Counts, Outline, Store
from evaluators.trace.labelling import Correction
from ui.held import held

PAGES: Mapping[Benchmark | None, str] = {
    "rgb": "../pages/rgb.py",
    "trace": "../pages/trace.py",
    None: "../pages/metrics.py",
}
"""The page that shows a run, by the benchmark of the evaluator that leads it."""

OUTLINE = 2000
"""Bytes of an outline in memory, about."""

FRESH = 2.0
"""Seconds for which the partial results of a run at work are shown before they are read again."""

DEAD_LINK = "dead_link"
"""Where a session notes that it came with a link that leads nowhere."""


Kind = TypeVar("Kind", TestBed, Dataset)


class Identity(NamedTuple):
    """Tells data of a name from all others of that name: the key under which pages remember what
    they counted.
    """

    workspace: str
    name: str
    uploaded_at: str
    """Empty for what comes with the app."""


class Version(NamedTuple):
    """What a run's results hang on: while it stays the same, so do they."""

    counts: Counts
    corrections: tuple[tuple[Cell, tuple[Correction, ...]], ...]


def store() -> Store:
    """The process's run store."""
    return local_store()


def workspace() -> str:
    """One workspace on a laptop; on a public host that of the address, else the session's, else a
    new one.

    Only tokens that this host issued count; of any other `is_link_dead` tells.
    """
    if not config().public:
        return WORKSPACE
    host = workspaces.of(store())
    named, own = st.query_params.get("w", ""), st.session_state.get("workspace", "")
    for token in dict.fromkeys(filter(None, (named, own))):
        if host.admits(token):
            st.session_state["workspace"] = token
            return str(token)
        st.session_state[DEAD_LINK] = True
    st.session_state["workspace"] = new = host.issue()
    return new


def is_link_dead() -> bool:
    """Whether this session came with a link that leads nowhere, and has kept nothing since."""
    token = workspace()
    return DEAD_LINK in st.session_state and not store().workspaces.knows(token)


def move_workspace() -> None:
    """All that is here gets a new link at once, and the old one leads nowhere; raises
    `HostLimitError` during a run.
    """
    st.session_state["workspace"] = st.query_params["w"] = registry.move_workspace(
        workspace(), store()
    )


def check_room(incoming: int = 0) -> None:
    """Raises `HostLimitError` where a public host cannot keep so many more
    bytes for this visitor.
    """
    if config().public:
        workspaces.of(store()).check_room(workspace(), incoming)


def address(**parts: str) -> dict[str, str]:
    """The query parameters of a place in the app; on a public host they lead back to this
    workspace.
    """
    return {"w": workspace(), **parts} if config().public else parts


def visitor() -> str:
    """Where this visitor comes from, as far as it can be known: runs of one address take turns with
    those of others.
    """
    forwarded = st.context.headers.get("X-Forwarded-For", "") if config().behind_proxy else ""
    return visitor_address(st.context.ip_address or "", forwarded)


def keys() -> dict[str, Access]:
    """What this visitor may use, by provider: the session's own keys, else (on a laptop) the
    environment's.
    """
    return from_environment(os.environ) | own_keys()


def own_keys() -> dict[str, Access]:
    """The keys that were entered in this session; they are here and nowhere else."""
    found: dict[str, Access] = st.session_state.setdefault("keys", {})
    return found


def offered() -> dict[str, list[str]]:
    """The ids of the models that each provider lists for these keys, where its answer is known by
    now.
    """
    lists = {provider: clients.offered(access) for provider, access in keys().items()}
    return {provider: found for provider, found in lists.items() if found is not None}


def sources() -> dict[str, str]:
    """The names of all data this visitor can use, bundled first, each with where it is from."""
    return dict.fromkeys(bundled(), "bundled") | dict.fromkeys(
        store().uploads.names(workspace()), "uploaded"
    )


def source(name: str) -> TestBed | Dataset | None:
    """The data of that name; raises `UnreadableRowError`."""
    if name in bundled():
        return bundled()[name]
    made = store().uploads.names(workspace()).get(name)
    return None if made is None else _upload(store(), workspace(), name, made)


def dataset(name: str) -> Dataset:
    """The samples of that name; raises `DatasetError` where they are gone."""
    return _of_kind(Dataset, name)


def test_bed(name: str) -> TestBed:
    """The test bed of that name; raises `DatasetError` where it is gone."""
    return _of_kind(TestBed, name)


def identity(name: str) -> Identity:
    return Identity(workspace(), name, store().uploads.names(workspace()).get(name, ""))


def named(kind: type[TestBed | Dataset]) -> list[str]:
    """The names of the data of that kind, bundled first."""
    return [name for name in sources() if _traits(store(), *identity(name))[0] is kind]


def answered() -> list[str]:
    """The names of those data sets that hold answers to judge."""
    return [name for name in sources() if _traits(store(), *identity(name))[1]]


def _of_kind(kind: type[Kind], name: str) -> Kind:
    found = source(name)
    if not isinstance(found, kind):
        raise DatasetError(f"{name} is no longer there. Choose another one.")
    return found


def _upload(runs: Store, owner: str, name: str, made: str) -> TestBed | Dataset | None:
    """The upload, parsed once as long as it is in use: parsing takes long, and a form looks at it
    at every click.
    """
    return held.read((_upload, runs, owner, name), lambda: runs.uploads.get(owner, name), made)


@lru_cache(maxsize=1000)  # so that a form need not hold all uploads of a visitor to list them
def _traits(_runs: Store, _owner: str, name: str, _made: str) -> tuple[type, bool]:
    """What kind of data they are, and whether they hold answers; of no kind where they cannot be
    read.
    """
    data = None
    with suppress(UnreadableRowError):  # the Datasets page says so
        data = source(name)
    has_answers = isinstance(data, Dataset) and any(
        sample.response is not None for sample in data.samples
    )
    return type(data), has_answers


def run(run_id: str | None) -> Run | None:
    """The run of that id, if it is one of this workspace and can be read."""
    with suppress(UnreadableRowError):
        found = store().runs.get(run_id) if run_id else None
        return found if found and found.workspace == workspace() else None
    return None


def shown_run(benchmark: Benchmark | None = None) -> Run | None:
    """The run that the page of this benchmark shows: the one in the address, else the one shown
    last.

    Without a benchmark it is a run of metrics alone.
    """
    page = PAGES[benchmark]
    found = run(st.query_params.get("run") or st.session_state.get(f"shown_{page}"))
    if found is None or leads(found.evaluator.name) != benchmark:
        return None
    st.session_state[f"shown_{page}"] = st.query_params["run"] = found.id
    return found


def open_run(run: Run) -> None:
    """Goes to the page that shows the run."""
    st.switch_page(PAGES[leads(run.evaluator.name)], query_params=address(run=run.id))


def version(run: Run) -> Version:
    """How far the run is, and what a person has corrected in it.

    Of a run at work it is up to `FRESH` seconds old: what one drawing shows is read once, for all
    who look at it.
    """
    return _recent_version(store(), run) if registry.is_live(run.id) else _version(store(), run)


@st.cache_resource(
    ttl=FRESH, max_entries=1000, show_spinner=False, hash_funcs={Run: lambda run: run.id, Store: id}
)
def _recent_version(runs: Store, run: Run) -> Version:
    return _version(runs, run)


def _version(runs: Store, run: Run) -> Version:
    made = runs.corrections.by_cell(run.id)
    return Version(
        runs.results.counts(run), tuple((cell, tuple(own)) for cell, own in made.items())
    )


def made(version: Version) -> dict[Cell, tuple[Correction, ...]]:
    """The corrections of that version, by cell."""
    return dict(version.corrections)


def outlines(run: Run, metric: int = 0) -> tuple[Outline, ...]:
    """What one metric says of all samples, without their texts; read again only when something is
    new.
    """
    return _of_metric(store(), run.id, version(run), metric)


def further(run: Run) -> list[Outline]:
    """The same of all metrics but the first."""
    return [row for row in _outlines(store(), run.id, version(run)) if row.metric]


def failed(run: Run) -> Mapping[tuple[int, int], Sequence[int]]:
    """The numbers of the metrics that failed, by position and model."""
    return _failed(store(), run.id, version(run))


def _of_metric(runs: Store, run_id: str, version: Version, metric: int) -> tuple[Outline, ...]:
    def load() -> tuple[Outline, ...]:
        return tuple(aggregate.of_metric(_outlines(runs, run_id, version), metric))

    return held.read((_of_metric, runs, run_id, metric), load, version, _size)


def _failed(runs: Store, run_id: str, version: Version) -> dict[tuple[int, int], list[int]]:
    def load() -> dict[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for row in _outlines(runs, run_id, version):
            if row.status == "failed":
                found.setdefault((row.position, row.model), []).append(row.metric)
        return found

    return held.read((_failed, runs, run_id), load, version, _size)


def _outlines(runs: Store, run_id: str, version: Version) -> tuple[Outline, ...]:
    def load() -> tuple[Outline, ...]:
        run = runs.runs.get(run_id)
        return tuple(runs.results.outlines(run)) if run else ()

    return held.read((_outlines, runs, run_id), load, version, _size)


def _size(rows: Sized) -> int:
    return OUTLINE * len(rows)


def start(run: Run) -> None:
    """Starts the run, or lets it wait where a public host is full, and goes to its page.

    Raises `AccessError` or `HostLimitError` where it can do neither.
    """
    registry.start_or_wait(run, store(), keys(), visitor())
    open_run(run)
