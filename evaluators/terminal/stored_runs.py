"""A run of the store by what somebody typed: its id, how that begins, or "last"."""

from __future__ import annotations

from evaluators.errors import ParameterError, StoreError
from evaluators.own_command import own_command
from evaluators.records import Run
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.store import Store
from evaluators.text.printable import printable


def full_id(typed: str, store: Store) -> str:
    """The id, of an id that begins so, or of the newest run; raises `ParameterError`."""
    is_newest = typed == "last"
    ids = store.runs.ids(WORKSPACE)[:1] if is_newest else store.runs.ids(WORKSPACE, typed)
    if len(ids) == 1 and typed:
        return ids[0]
    if is_newest:
        raise ParameterError(f"There is no run yet. Start one with: {own_command()} run")
    problem = f"{len(ids)} runs begin" if ids else "No run begins"
    raise ParameterError(f"{problem} with “{printable(typed)}”. See: {own_command()} list runs")


def stored_run(run_id: str, store: Store) -> Run:
    """The run of this id; raises `StoreError` where somebody deleted it, `UnreadableRowError`."""
    run = store.runs.get(run_id)
    if run is None:
        raise StoreError(f"This run was deleted just now. See: {own_command()} list runs")
    return run
