"""Several runs in one zip: a run file of each."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

from evaluators.records import Run
from evaluators.run_files.contents import SUFFIX
from evaluators.run_files.writing import written
from evaluators.runs.store import Store
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.normalise import slug

MOST_OF_A_NAME = 60


def written_together(store: Store, runs: Iterable[Run]) -> bytes:
    """A zip of the files of these runs, each named after its run."""
    file = io.BytesIO()
    # The run files are packed already.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for run in runs:
            archive.writestr(file_name(run), written(store, run))
    return file.getvalue()


def file_name(run: Run) -> str:
    """As its run file is called."""
    return f"{file_stem(run)}{SUFFIX}"


def file_stem(run: Run) -> str:
    """The title without what file systems refuse, and the id, as titles may be alike."""
    title = slug(run.title)[:MOST_OF_A_NAME] or "run"
    return f"{title}-{short_id(run)}"


def short_id(run: Run) -> str:
    """What tells the files of runs apart; an example's id is a name, and nothing is cut off it."""
    return run.id if run.workspace == EXAMPLES else run.id[:6]
