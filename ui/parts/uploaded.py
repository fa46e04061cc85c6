"""Files that a visitor has sent: in memory only until they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from evaluators.config import config
from evaluators.datasets.apart import PARQUET, ZIP
from evaluators.datasets.encoding import GZIP
from evaluators.datasets.table import Table
from evaluators.retrieval.documents import PDF
from evaluators.text.language import mark, say
from evaluators.turns import Turns
from ui.held import WORTH_RETURNING, give_back

LARGE = 2**20
PACKED = (PARQUET, ZIP, GZIP, PDF)
"""A file of that many bytes, or one that begins so, may need some hundred MB while it is read."""

TURNS = Turns(mark("reading large files"), lambda: 1, patience=60)
"""Those of the visitors of a public host."""


@contextmanager
def turn(*contents: bytes | Table, takes_long: bool = False) -> Iterator[None]:
    """The block reads these; on a public host one large file is read at a time, or what else takes
    long, and the memory then given back.

    Raises `HostLimitError` where the others take too long.
    """
    files = [content for content in contents if isinstance(content, bytes)]
    is_small = len(files) == len(contents) and sum(map(len, files)) <= LARGE
    is_packed = any(file.startswith(PACKED) for file in files)
    needs_turn = config().public and (takes_long or is_packed or not is_small)
    if not needs_turn:
        yield
        return
    note = st.empty()
    try:
        with TURNS.turn(lambda: note.caption(say("Waiting for other uploads"))):
            note.empty()
            yield
    finally:
        give_back()


@contextmanager
def read_once(file: UploadedFile) -> Iterator[None]:
    """The block reads the file; its bytes are let go then, whatever came of it."""
    try:
        yield
    finally:
        # Streamlit would keep them as long as the session; it lets files of its own other inputs
        # go in this way.
        context = get_script_run_ctx()
        if context and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
            manager = context.uploaded_file_mgr
            manager.remove_file(session_id=context.session_id, file_id=file.file_id)
        if file.size > WORTH_RETURNING:
            give_back()
