"""The facts of a sample's true answer: how many the answer gives, and a field to edit them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from evaluators.fact_recall import facts_said, true_facts
from evaluators.flaws.facts import facts_of
from evaluators.records import Run, Sample, SampleResult
from evaluators.runs.notes import MOST_OF_FACTS, lines_of, written
from evaluators.runs.store import Answer
from evaluators.runs.store.bodies import timestamp
from evaluators.surrogates import without_surrogates
from evaluators.text.language import say
from evaluators.text.words import in_brackets, joined_sentences
from ui import run_views, session
from ui.parts import people, problems
from ui.parts.untrusted import plain

MOST_LOST = 20
"""Facts that are listed; more would be a wall of text."""


def of_run(
    run: Run,
    position: int,
    sample: Sample,
    results: Iterable[SampleResult],
    *,
    is_locked: bool,
) -> None:
    """The facts as a person has edited them, if one has, with a field for them."""
    edited = run_views.latest(run).with_nuggets(sample, position)
    show(edited, results)
    of_data, now = (lines_of(true_facts(own)) for own in (sample, edited))
    if of_data and len(of_data) <= MOST_OF_FACTS and not (is_locked or sample.rgb):
        # Of an answer that is asked for several times, and of several models', the first has them.
        _field(run, Answer(position - sample.repeat + 1, 0), of_data, now)


def show(sample: Sample, results: Iterable[SampleResult] = ()) -> None:
    """How many facts the answer gives, the vital ones first, and where the others stand.

    As a judge has told them in one of the results, else by words.
    """
    if sample.response is None or sample.rgb:
        return
    facts = facts_of(sample, facts_said(results))
    if not facts:
        return
    vital = [one for one in facts if one.vital]
    lost = [one for one in facts if not one.in_answer]
    numbers = {"given": len(facts) - len(lost), "all": len(facts)}
    words = say("{given} of {all} facts are in the answer.", **numbers)
    if len(vital) < len(facts):
        words = say(
            "{vital_given} of {vital} vital facts are in the answer, {given} of {all} in all.",
            vital_given=sum(one.in_answer for one in vital),
            vital=len(vital),
            **numbers,
        )
    shown = []
    for one in sorted(lost, key=lambda one: not one.vital)[:MOST_LOST]:
        where = [say(one.stands.value)] if one.vital else [say(one.stands.value), say("okay")]
        shown.append(in_brackets(one.text, say(", ").join(where)))
    if more := len(lost) - len(shown):
        shown.append(say("{more:,} more", more=more))
    missing = say("Not in the answer: {facts}", facts=" · ".join(shown)) if shown else ""
    st.caption(plain(joined_sentences([words, missing])))


def _field(run: Run, answer: Answer, of_data: str, now: str) -> None:
    key = f"facts_{run.id}_{answer.position}"

    def keep() -> None:
        notes = session.store().notes
        text = without_surrogates(st.session_state[key]).strip()[:MOST_OF_FACTS]
        session.check_room(len(text))
        note = notes.get(run.id, answer) or written("", (), "")
        facts = "" if text == of_data else text
        said = {"facts": facts, "created": timestamp(), "person": people.me()}
        notes.save(run.id, answer, note.model_copy(update=said))

    with st.expander(say("Edit the facts"), icon=":material/edit:"):
        # What could not be kept stays in the field, for another try.
        if not problems.show(key) and st.session_state.get(key) != now:
            st.session_state[key] = now
        st.text_area(
            say("Facts of the true answer, one a line"),
            key=key,
            height=140,
            max_chars=MOST_OF_FACTS,
            help=say(
                "Begin a line with [okay] where the fact is good to have and not vital: flaws and "
                "the first figure go by the vital ones. An empty field brings back those of the "
                "data."
            ),
            on_change=problems.guarded(keep, key),
        )
