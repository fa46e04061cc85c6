"""What belongs to this visitor: the workspace, the store, and the run on the screen."""

from __future__ import annotations

import os
import secrets
from functools import cache, lru_cache
from pathlib import Path

import streamlit as st

from evaluators.datasets.bundled import bundled
from evaluators.datasets.rgb import TestBed
from evaluators.runs.engine import registry
from evaluators.runs.store import Counts, Outline, Store
from evaluators.types import Dataset, Run

ROOT = Path(__file__).parents[1]
PAGES = {"rgb": "../pages/rgb.py", "trace": "../pages/trace.py"}


def store() -> Store:
    """The process's run store, under PLUMBLINE_DATA_DIR (default: `.plumbline` beside the app)."""
    return _open(Path(os.environ.get("PLUMBLINE_DATA_DIR") or ROOT / ".plumbline") / "plumbline.sqlite3")


@cache
def _open(path: Path) -> Store:
    return Store(path)


def is_public() -> bool:
    """Whether strangers share this host (a Space): each of them then sees only what is theirs."""
    return bool(os.environ.get("SPACE_ID") or os.environ.get("PLUMBLINE_PUBLIC"))


def workspace() -> str:
    """One workspace on a laptop; on a public host an unguessable one for each session."""
    if not is_public():
        return "local"
    if "workspace" not in st.session_state:
        st.session_state["workspace"] = secrets.token_urlsafe(16)
    return str(st.session_state["workspace"])


def sources() -> dict[str, str]:
    """The names of all data this visitor can use, bundled first, each with where it is from."""
    return dict.fromkeys(bundled(), "bundled") | dict.fromkeys(store().uploads(workspace()), "uploaded")


def source(name: str) -> TestBed | Dataset | None:
    """The data of that name."""
    made = store().uploads(workspace()).get(name, "")
    return bundled().get(name) or _upload(store(), workspace(), name, made)


@lru_cache(maxsize=8)
def _upload(runs: Store, owner: str, name: str, _made: str) -> TestBed | Dataset | None:
    return runs.upload(owner, name)


def shown_run(evaluator: str) -> Run | None:
    """The run this page shows: the one in the address, else the one it showed last."""
    key = f"shown_{evaluator}"
    run_id = st.query_params.get("run") or st.session_state.get(key)
    run = store().run(run_id) if run_id else None
    if run is None or run.evaluator.name != evaluator:
        return None
    st.session_state[key] = st.query_params["run"] = run.id
    return run


def open_run(run: Run) -> None:
    """Goes to the page that shows the run."""
    st.switch_page(PAGES.get(run.evaluator.name, "../pages/sample.py"), query_params={"run": run.id})


def open_sample(run: Run, position: int) -> None:
    st.switch_page("../pages/sample.py", query_params={"run": run.id, "sample": str(position + 1)})


def outlines(run: Run) -> tuple[Outline, ...]:
    """All samples of the run without their texts; read again only when there are new results."""
    return _outlines(store(), run.id, store().counts(run))


@lru_cache(maxsize=4)
def _outlines(runs: Store, run_id: str, _: Counts) -> tuple[Outline, ...]:
    run = runs.run(run_id)
    return tuple(runs.outlines(run)) if run else ()


def start(run: Run) -> None:
    """Starts the run and goes to its page."""
    registry.start(run, store())
    open_run(run)
