"""Data by file or by paste: read once, and what cannot be used is told for as long as it stands
there.
"""

from __future__ import annotations

from itertools import count

import streamlit as st

from evaluators.config import config
from evaluators.errors import PlumblineError
from evaluators.records import Reason
from evaluators.text.language import mark, say
from ui import session
from ui.datasets import view as dataset_view
from ui.parts import remedies, uploaded
from ui.parts.untrusted import plain

EXAMPLE = """question,response,contexts,ground_truth
When was the mill built?,In 1812.,It was built in 1812.,1812"""

FIELDS = mark(
    "A question or an answer in each row; also documents, a true answer, labels. RGB, "
    "RAGBench and RAGAS files too."
)

MOST_PASTED = 500_000
"""Characters: with three bytes for each they still fit into a message of the browser."""
PROBLEM = "upload_problem"
"""Where a session keeps why the last file cannot be used."""


def upload() -> None:
    """The field for files; says below it why the last one cannot be used."""
    label = say(
        "CSV, TSV, JSON, JSON Lines (also as .gz), XLSX or Parquet, up to {rows:,} rows; exports "
        "of traces (Langfuse, Phoenix, OpenTelemetry, LangSmith, MLflow and others)",
        rows=config().rows_per_dataset,
    )
    if _was_read(label):
        st.rerun()
    problem = st.session_state.get(PROBLEM)
    if problem and not dataset_view.is_kept():
        _tell(remedies.worded(problem))


def elsewhere(label: str) -> None:
    """The same field on another page; what came of the file is told on the Datasets page."""
    if _was_read(label):
        st.switch_page("../pages/datasets.py", query_params=session.address())


def _was_read(label: str) -> bool:
    """Whether a file was chosen; it is read once, and its bytes are let go then."""
    limits = config()
    file = st.file_uploader(
        label,
        key=dataset_view.uploader(),
        help=say(FIELDS),
        max_upload_size=max(1, limits.upload_bytes // 2**20),
        on_change=dataset_view.forget,
    )
    if file is None:
        return False
    with uploaded.read_once(file):
        st.session_state[PROBLEM] = _offer(file.name, file.getvalue())
    dataset_view.empty_uploader()
    return True


def paste() -> None:
    """Reads what was pasted, in any of the text formats."""
    text = st.text_area(
        say("CSV, TSV, JSON or JSON Lines"),
        placeholder=EXAMPLE,
        height=160,
        help=say(FIELDS),
        max_chars=MOST_PASTED,
        key="pasted",
    )
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    name = left.text_input(say("Name"), placeholder=_free_name(), max_chars=80, key="pasted_name")
    if right.button(say("Read"), icon=":material/content_paste_go:", width="stretch", key="paste"):
        if text.strip():
            content = text.encode(errors="replace")
            problem = _offer(name.strip() or _free_name(), content)
            if problem:
                _tell(remedies.worded(problem))
        else:
            _tell(say("Paste some rows."))


def _offer(name: str, content: bytes) -> Reason | None:
    """Why it cannot be used; `None` where it can."""
    try:
        with st.spinner(say("Reading"), show_time=True):
            dataset_view.offer(name, content)
    except PlumblineError as error:
        # Other data below the refusal would look like what the file holds.
        st.session_state["dataset"] = None
        # Not the error: its frames hold the whole file.
        return error.reason
    return None


def _tell(problem: str) -> None:
    st.error(plain(problem), icon=":material/error:", title=say("This cannot be used"))


def _free_name() -> str:
    taken = session.sources()
    names = (f"Pasted data {number}" for number in count(1))
    return next(name for name in names if name not in taken)
