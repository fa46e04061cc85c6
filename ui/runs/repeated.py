"""What became of a run that was done again: reproduced, or where it differs and what may be why."""

from __future__ import annotations

import streamlit as st

from evaluators.catalogue import leads
from evaluators.comparison.repeated import DifferingAnswer, Repeated, repeated
from evaluators.errors import UnreadableRowError
from evaluators.llm.catalogue import model_title
from evaluators.records import Run, Sample
from evaluators.runs.run_view import RunView
from evaluators.text.language import language, say
from evaluators.text.words import counted, name_and_text
from ui import run_views, session
from ui.held import held
from ui.parts import compare_with
from ui.parts.untrusted import plain
from ui.runs import progress

SHOWN = 10
"""Answers that are listed; the Compare page has all of them."""
QUESTION = 80
"""Characters of a question that are shown."""
ANSWER_BYTES = 500


def show(view: RunView) -> None:
    """The finding under the head of a run that does another one again; else nothing."""
    run = view.run
    if not run.again_of:
        return
    first = session.find_run(run.again_of)
    if first is None:
        st.caption(say("The run that this one did again is no longer here."))
        return
    # Half of a run would differ from all of the first one.
    if progress.is_moving(run) or view.counts.open:
        words = say(
            "{title}, once more: what differs is said when it has ended.", title=first.title
        )
        st.caption(f":material/replay: {plain(words)}")
        return
    found = _held_finding(view, first)
    _finding(found)
    if found.differing:
        with st.expander(say("What differs"), icon=":material/difference:"):
            _links_to_differing(found)


def links(run: Run) -> None:
    """The runs that did this one again."""
    for again in session.store().runs.again_of(run):
        query = session.address(run=again.id)
        page = session.PAGES[leads(again.evaluator.name)]
        st.page_link(
            page,
            label=say("Done again: {title}", title=plain(again.title)),
            icon=":material/replay:",
            query_params=query,
        )


def _held_finding(view: RunView, first: Run) -> Repeated:
    """The finding, worked out once as long as both runs stay as they are."""
    before = run_views.latest(first)

    def read() -> Repeated:
        return repeated(view.store, first, view.run)

    # Either may still change: by a correction, or as failed samples are tried again.
    version = (before.revision, view.revision)
    # What may be why is said in the reader's language.
    key = (repeated, view.store, first.id, view.run.id, language())
    return held.read(key, read, version, lambda found: ANSWER_BYTES * len(found.differing))


def _finding(found: Repeated) -> None:
    sentence = found.sentence()
    if found.reused:
        answers = counted(found.reused, "answer")
        stored = say("{answers} came from the store: nobody was asked.", answers=answers)
        sentence = f"{sentence} {stored}"
    if found.is_reproduced:
        st.success(plain(sentence), icon=":material/verified:")
    else:
        st.warning(plain(sentence), icon=":material/difference:")
    if found.reasons:
        st.caption(plain(" ".join(found.reasons)))


def _links_to_differing(found: Repeated) -> None:
    """The answers that differ, each a link to both side by side."""
    for answer in found.differing[:SHOWN]:
        pair = {compare_with.PAIR: str(answer.position + 1)}
        # The Compare page shows one value at a time: it opens with the first that changed.
        for change in answer.changes[:1]:
            pair[compare_with.VALUE] = change.setting
        st.page_link(
            "../pages/compare.py",
            label=_link_label(found, answer),
            query_params=_address(found, answer.model) | pair,
        )
    more = len(found.differing) - SHOWN
    label = say("Compare both")
    if more > 0:
        label = say("Compare both, with {answers}", answers=counted(more, "more answer"))
    st.page_link(
        "../pages/compare.py",
        label=label,
        icon=":material/compare_arrows:",
        query_params=_address(found, found.differing[0].model),
    )


def _link_label(found: Repeated, answer: DifferingAnswer) -> str:
    """The sample with what changed: "3. Who designed it? adherence 1 → 0"."""
    question = ""
    sample = _sample_if_readable(found.first, answer.position)
    if sample is not None:
        question = sample.question[:QUESTION]
    changes = [f"{change.setting} {change.first} → {change.second}" for change in answer.changes]
    models = found.first.models
    words = say("; ").join(changes) or say("other labels")
    if len(models) > 1:
        words = name_and_text(model_title(models[answer.model]), words)
    # Escaped: Markdown would make a list of “3.”.
    return f"{answer.position + 1}\\. {plain(question)} · **{plain(words)}**"


def _sample_if_readable(run: Run, position: int) -> Sample | None:
    try:
        return session.store().samples.get(run.fingerprint, position)
    except UnreadableRowError:
        return None


def _address(found: Repeated, model: int) -> dict[str, str]:
    both = {
        compare_with.FIRST: compare_with.address(found.first, model),
        compare_with.SECOND: compare_with.address(found.second, model),
    }
    return session.address(**both)
