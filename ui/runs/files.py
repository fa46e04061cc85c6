"""Files of a run to take away, made when somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from evaluators.catalogue import labels_sentences
from evaluators.datasets.bundled import bundled
from evaluators.errors import ParameterError, PlumblineError
from evaluators.exports import bundle, formats
from evaluators.records import Run
from evaluators.report import sheet
from evaluators.report.run_report import run_report
from evaluators.rounds.records import MOST_ANSWERS
from evaluators.run_files.contents import SUFFIX
from evaluators.run_files.reading import opened
from evaluators.run_files.together import file_stem, short_id
from evaluators.runs import assignment
from evaluators.runs.aggregate import View
from evaluators.runs.formulas import formula_of
from evaluators.runs.rounds import USUAL
from evaluators.runs.run_view import RunView
from evaluators.text.language import ENGLISH, language, mark, say, speaking
from evaluators.text.normalise import slug
from ui import session
from ui.parts import chosen_view, for_paper, problems, remedies, uploaded
from ui.parts.untrusted import plain

FILES_READ = "run_files_read"
"""Where the session counts the run files that it read, and keeps why the last one is none."""
SHEETS = (mark("Sheet to print"), mark("Sheet key"))


class RunFile(NamedTuple):
    """A file of a run, made at the click, in the language of `code`: programs read English."""

    name: str
    make: Callable[[], bytes]
    meaning: str
    code: str = ENGLISH

    def whole(self) -> bytes:
        # A thread without a session makes it, which would not know who reads.
        with speaking(self.code):
            return self.make()


def download(view: RunView) -> None:
    """The kinds of files, a button for the one that is chosen, and what a paper takes."""
    shown = chosen_view.of(view.run)
    parts = [
        file_stem(view.run),
        formula_of(view.run, shown.definition) if labels_sentences(view.run.evaluator) else "",
        shown.policy or "",
        slug(shown.by or ""),
    ]
    # Two views of one run are two files: the name says by what the values are counted.
    stem = "-".join(filter(None, parts))
    files = _files(view, shown, stem)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.selectbox(say("File"), list(files), key=f"file_{view.run.id}")
        if title in map(say, SHEETS):
            most = min(MOST_ANSWERS, max(1, view.counts.scored // len(view.run.evaluators)))
            st.number_input(
                say("Answers on a sheet"), 1, most, min(USUAL, most), width=170, key=_on_sheet(view)
            )
    file = files[title]
    st.caption(say(file.meaning))
    # A callable makes the file at the click only; "ignore" keeps the page from being drawn anew.
    st.download_button(
        say("Download"),
        file.whole,
        file.name,
        key=file.name,
        icon=":material/download:",
        on_click="ignore",
    )
    # The curves from papers that the page shows below those of the run.
    below = st.session_state.get(f"published_{view.run.id}", ())
    make = partial(bundle.bundle_of_run, view, shown, published=below)
    for_paper.button(view.run.id, make, stem)


def _files(view: RunView, shown: View, stem: str) -> dict[str, RunFile]:
    """The files by their titles as they are read; they hold what the page shows."""
    code = language()
    files = {
        say("Report (HTML)"): RunFile(
            f"{stem}.html",
            lambda: run_report(view, shown, worded=remedies.worded).encode(),
            mark(
                "One page with figures, samples and how it was done: opens offline, prints on A4."
            ),
            code,
        )
    }
    for one in formats().values():
        # What only tables are written in stands in the dialog for a paper.
        if one.of_run and one.is_there(view):
            name = stem if one.of_view else file_stem(view.run)
            make = partial(one.whole, view, shown)
            files[say(one.title)] = RunFile(f"{name}{one.file}", make, one.meaning)
    if sheet.is_possible(view):
        n = st.session_state.get(_on_sheet(view), USUAL)
        # Both are of the same answers, so their files differ by one word; a title may tell what to
        # expect of them.
        name = f"sheet-{short_id(view.run)}"
        boxes = mark("Those that teach most, with empty boxes for labels: prints on A4.")
        key = mark("What gold and the run's labeller say of each sentence on the sheet.")
        files[say(SHEETS[0])] = RunFile(
            f"{name}.html", lambda: sheet.sheet(view, n).encode(), boxes, code
        )
        files[say(SHEETS[1])] = RunFile(
            f"{name}-key.html", lambda: sheet.sheet_key(view, n, shown).encode(), key, code
        )
    return files


def _on_sheet(view: RunView) -> str:
    return f"sheet_{view.run.id}"


def assignment_link(run: Run) -> None:
    """The link by which others begin with the settings of this run, and who can follow it."""
    try:
        token = assignment.token_of(run)
    except ParameterError as error:
        st.caption(f"{say('Link for an assignment')}: {plain(str(error))}")
        return
    st.caption(say("Link for an assignment: the form with these settings, for others to run"))
    address = (st.context.url or "").partition("?")[0]
    # One line, however long: it is copied and not read.
    st.code(f"{address}?{session.ASSIGNMENT}={token}", language=None)
    if run.dataset_name not in bundled() and "hub" not in run.origin:
        words = say(
            "Others need the data as well: hand out the file of “{data}”.", data=run.dataset_name
        )
        st.caption(f":material/upload_file: {plain(words)}")


def opener() -> None:
    """Takes a run file and goes to the page of its run."""
    with st.popover(say("Open a run file"), icon=":material/folder_open:", key="open_run_file"):
        # The field is a new one after each file, which is read once and then let go.
        number = st.session_state.setdefault(FILES_READ, 0)
        given = st.file_uploader(
            say("A file that Share, Whole run has made"), type=SUFFIX, key=f"run_file_{number}"
        )
        if given is not None:
            st.session_state[FILES_READ] = number + 1
            with uploaded.read_once(given):
                run = _opened(given)
            if run is None:
                st.rerun()
            session.open_run(run)
        problems.show(FILES_READ)


def _opened(given: UploadedFile) -> Run | None:
    """The run of a file; `None` where the page says next why it cannot be opened."""
    try:
        # Before it is unpacked and stored: a host that is full says so at once.
        session.check_room(given.size)
        content = given.getvalue()
        with uploaded.turn(content):
            return opened(content, session.store(), session.workspace())
    except PlumblineError as error:
        problems.keep(error, FILES_READ)
    return None
