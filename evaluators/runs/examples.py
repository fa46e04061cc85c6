"""Finished runs that come with Plumbline: everybody sees the same ones, and nobody changes them.

Their answers and judges' labels were written for Plumbline as an illustration. What stands in the
files under `data/examples` was scored by the evaluators; `make examples` makes them again.
"""

from __future__ import annotations

import secrets
from functools import cache
from threading import Lock
from typing import NamedTuple

from evaluators.config import ROOT
from evaluators.datasets.bundled import (
    CHINESE_BED,
    CHINESE_TRACE,
    ENGLISH_BED,
    TRACE_SAMPLES,
    bundled,
)
from evaluators.datasets.rgb import TestBed, compose
from evaluators.records import Dataset, Run, SampleResult
from evaluators.runs import workspaces
from evaluators.runs.store import Store
from evaluators.runs.store.bodies import timestamp
from evaluators.text.language import CHINESE, ENGLISH

FOLDER = ROOT / "data" / "examples"
NOISE, NOISE_ZH = "example-noise", "example-noise-zh"
INVENTED, INVENTED_ZH = "example-invented", "example-invented-zh"
"""The ids of the examples, which make links that everybody can open."""

ILLUSTRATION = "illustration"
"""The provider of models and judges that nobody can ask."""

NOISE_IN = {ENGLISH: NOISE, CHINESE: NOISE_ZH}
INVENTED_IN = {ENGLISH: INVENTED, CHINESE: INVENTED_ZH}
"""The examples of one kind by the language of their reader."""

_DATA = {
    NOISE: ENGLISH_BED,
    NOISE_ZH: CHINESE_BED,
    INVENTED: TRACE_SAMPLES,
    INVENTED_ZH: CHINESE_TRACE,
}
_writing = Lock()


class Example(NamedTuple):
    run: Run
    dataset: Dataset
    results: tuple[SampleResult, ...]


def is_made_up(run: Run) -> bool:
    """Whether models or judges of the run, a copy of an example for one, are made up."""
    return any(spec.provider == ILLUSTRATION for spec in (*run.models, *run.judges))


def find(store: Store, run_id: str) -> Run | None:
    """The example of that id, in the store from now on; `None` for any other run."""
    if run_id not in _DATA:
        return None
    # Two visitors may open it first at the same moment.
    with _writing:
        _put_into(store, run_id)
    return store.runs.get(run_id)


def copy(store: Store, run: Run, workspace: str) -> Run:
    """A copy of an example in a workspace, where it can be changed like any other run.

    Raises `HostLimitError` where a public host takes no further run there.
    """
    example = read(run.id)
    copied = example.run.model_copy(
        update={
            "id": secrets.token_hex(16),
            "workspace": workspace,
            "created": timestamp(),
        }
    )
    samples = example.dataset.samples
    workspaces.of(store).check_run(copied, len(samples), size(run.id))
    store.runs.put(copied, samples, example.results)
    return copied


def own_copy(store: Store, run: Run, workspace: str) -> Run | None:
    """The newest copy of an example among the newest runs of a workspace, if there is any."""
    for other in store.runs.newest(workspace):
        same = {name: getattr(run, name) for name in ("id", "workspace", "created")}
        if other.model_copy(update=same) == run:
            return other
    return None


@cache
def read(run_id: str) -> Example:
    """The example as its file holds it: the run, then a result a line."""
    run, *results = (FOLDER / f"{run_id}.jsonl").read_text(encoding="utf-8").splitlines()
    return Example(
        Run.model_validate_json(run),
        data(run_id),
        tuple(map(SampleResult.model_validate_json, results)),
    )


def data(run_id: str) -> Dataset:
    """The samples of an example: bundled ones, or prompts composed from a bundled test bed."""
    source = bundled()[_DATA[run_id]]
    return compose(source, source.abilities) if isinstance(source, TestBed) else source


def size(run_id: str) -> int:
    """About how many bytes a copy takes."""
    return (FOLDER / f"{run_id}.jsonl").stat().st_size


# Once in a process: a store may hold the example as an earlier version had it.
@cache
def _put_into(store: Store, run_id: str) -> None:
    example = read(run_id)
    store.runs.put(example.run, example.dataset.samples, example.results)
