"""What a person says of a run on its page: its title, a note, tags, whether it is the baseline."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from evaluators.runs.naming import MOST_TITLE
from evaluators.runs.notes import MOST_TAGS, MOST_TEXT
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import say
from ui import session
from ui.parts import problems
from ui.parts.untrusted import plain

SAVED = "run_names_saved"
"""Where the session counts what was saved: another number makes another popover, which is shut."""


def place_of(run: Run) -> str:
    """Ends the keys of what is open while a run is renamed, and shut when that is saved."""
    return f"{run.id}_{st.session_state.get(SAVED, 0)}"


def form(run: Run) -> None:
    """A button that opens the fields; an example, which all share, has none."""
    if run.workspace == EXAMPLES:
        return
    place = place_of(run)
    box = st.popover(
        say("Rename"),
        icon=":material/edit:",
        help=say("Title, note, tags, baseline"),
        key=f"rename_{place}",
    )
    with box, st.form(f"name_form_{place}", border=False):
        _name_fields(run, place)
        if st.form_submit_button(say("Save"), type="primary"):
            with problems.caught():
                _save(run, place)
                # The whole page: the fragment that this stands in has the run as it was.
                st.rerun()


def _name_fields(run: Run, place: str) -> None:
    """The fields, each kept by the session under its name and this place."""
    runs = session.store().runs.newest(session.workspace())
    st.text_input(
        say("Title"),
        run.title,
        max_chars=MOST_TITLE,
        placeholder=say("Leave empty for a suggestion"),
        key=f"title_{place}",
    )
    st.text_area(say("Note"), run.note, max_chars=MOST_TEXT, height=80, key=f"note_{place}")
    st.multiselect(
        say("Tags"),
        # One's own first, then those of this workspace's runs.
        list(dict.fromkeys(tag for own in (run, *runs) for tag in own.tags)),
        list(run.tags),
        placeholder=say("Choose, or type and press Enter"),
        max_selections=MOST_TAGS,
        accept_new_options=True,
        key=f"tags_{place}",
    )
    st.toggle(
        say("Baseline of {data}", data=plain(run.dataset_name)),
        _is_baseline(run),
        help=say("Other runs over this data set are compared with it first."),
        key=f"baseline_{place}",
    )


def line_of_names(run: Run) -> None:
    """What was written of the run; nothing where nothing was."""
    parts = [plain(tag) for tag in run.tags]
    if run.note:
        parts.append(plain(run.note))
    if _is_baseline(run):
        baseline = say("Baseline of {data}", data=plain(run.dataset_name))
        parts.insert(0, f":material/flag: {baseline}")
    if parts:
        st.caption(" · ".join(parts))


def _is_baseline(run: Run) -> bool:
    return session.store().runs.baseline_id(run) == run.id


def _save(run: Run, place: str) -> None:
    """Keeps what the fields hold; raises `ParameterError` where something is too long."""
    fields = {name: st.session_state[f"{name}_{place}"] for name in ("title", "note", "tags")}
    session.store().runs.save_title(run.id, **fields)
    is_baseline = st.session_state[f"baseline_{place}"]
    if is_baseline != _is_baseline(run):
        session.store().runs.save_baseline(run, is_baseline)
    st.session_state[SAVED] = st.session_state.get(SAVED, 0) + 1
