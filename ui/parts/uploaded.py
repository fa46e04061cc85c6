"""Files that a visitor has sent: in memory only until they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ui.held import WORTH_RETURNING, give_back


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
