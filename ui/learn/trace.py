"""Lesson 2: sentences are relevant, used or supported, and four formulas follow from that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from evaluators.datasets.bundled import CHINESE_TRACE, TRACE_SAMPLES, bundled
from evaluators.records import Dataset, Labels, Sample, Sentences, SentenceSupport, Support
from evaluators.report.coloured import NO_LABEL, SUPPORTS, verdicts
from evaluators.text.language import CHINESE, ENGLISH, language, mark, say
from evaluators.text.scale import SCORE
from evaluators.text.words import counted, readable
from evaluators.trace.definitions import DEFINITIONS, SENTENCE
from evaluators.trace.labelling import sentences_of
from evaluators.trace.metrics import TRACEScores, arithmetic, trace_scores
from evaluators.trace.values import FOUR
from ui.learn import strip
from ui.learn.lesson import note_played
from ui.learn.strip import StripValue
from ui.parts import explained
from ui.parts.untrusted import plain

# A wrong number beside a right one: each of the three definitions counts this answer differently.
SAMPLES = {ENGLISH: (TRACE_SAMPLES, "numbers-1"), CHINESE: (CHINESE_TRACE, "zh-numbers-1")}
"""The data and the id of the sample that is played, by the reader's language."""
RELEVANT, USED = mark("relevant"), mark("used")
NOTHING = mark("nothing")
MINE, OURS = mark("Mine"), mark("Ours")
KEY = "learn_trace_"
WHOSE = f"{KEY}whose"
KEPT = f"{KEY}kept"
"""Where somebody's own labels are while ours are shown."""
DIFFER = {
    MINE: mark(
        "With your labels they differ in **{values}**. *{usual}* is what Plumbline uses unless "
        "you choose another."
    ),
    OURS: mark(
        "With our labels they differ in **{values}**. *{usual}* is what Plumbline uses unless "
        "you choose another."
    ),
}
WHY = (
    mark(
        "**Context relevance** of *Fixed 20* divides by 20, however many sentences there are: a "
        "short document can never reach 1."
    ),
    mark(
        "**Context utilization** of *RAGBench* divides by all sentences, not by the relevant ones: "
        "it is low wherever a search brings much."
    ),
    mark("**Adherence** of *RAGBench* lets a partly supported sentence pass."),
)


def show() -> None:
    """The texts with their labels to set, and what follows from these."""
    _texts_to_label()


# A tap draws this lesson anew and nothing else of the page.
@st.fragment
def _texts_to_label() -> None:
    sample = _played_sample()
    sentences = sentences_of(sample)
    st.caption(
        say(
            "TRACE is short for u**T**ilization, **R**elevance, **A**dherence, "
            "**C**omplet**E**ness."
        )
    )
    # Above the texts, and filled after them: the values follow from what is tapped there.
    place = st.container(key="learn_values")
    st.markdown(say("**Question:** {question}", question=plain(sample.question)))
    documents, answer = st.columns(2, gap="large")
    with documents:
        st.header(say("1 · The documents"), anchor=False)
        st.caption(
            say(
                "Tap **relevant** if a sentence helps to answer the question, **used** if the "
                "answer took something from it. Both may be true. 0a is the first sentence of "
                "document 1."
            )
        )
        for number, document in enumerate(sentences.documents, start=1):
            st.markdown(say("Document {number}", number=number))
            for sentence in document:
                _ask_use(sentence.key, sentence.text)
    with answer:
        st.header(say("2 · The answer"), anchor=False)
        st.caption(
            say(
                "Do the documents say it? Look at the numbers, too. **Partly**: the documents say "
                "a part of the sentence and not the rest. A sentence that claims nothing but a "
                "wrong number is not supported."
            )
        )
        for sentence in sentences.response:
            _ask_support(sentence.key, sentence.text)
        _compare_with_ours(sample, sentences)
    scores = trace_scores(sentences, _labels_so_far(sentences))
    with place:
        strip.show(_strip_values(scores))
    st.header(say("3 · Three definitions, one answer"), anchor=False)
    _definitions(scores)
    is_labelled = len(scores.labels.sentence_support) == len(sentences.response)
    note_played(is_labelled or _are_ours_shown())


def _played_sample() -> Sample:
    name, sample_id = SAMPLES[language()]
    data = bundled()[name]
    # Bundled names stand for data sets and test beds; the type checker knows not which.
    assert isinstance(data, Dataset)
    return next(sample for sample in data.samples if sample.id == sample_id)


def _ask_use(key: str, text: str) -> None:
    st.pills(
        f"`{key}` {plain(text)}",
        (RELEVANT, USED),
        format_func=say,
        selection_mode="multi",
        disabled=_are_ours_shown(),
        key=f"{KEY}{key}",
    )


def _ask_support(key: str, text: str) -> None:
    st.pills(
        f"`{key}` {plain(text)}",
        list(Support),
        format_func=lambda support: say(SUPPORTS[support]),
        disabled=_are_ours_shown(),
        key=f"{KEY}{key}",
    )


def _labels_so_far(sentences: Sentences) -> Labels:
    """The labels that are shown; an answer's sentence that was not looked at has none."""
    return _as_labels(st.session_state, sentences)


def _as_labels(fields: Mapping[Any, Any], sentences: Sentences) -> Labels:
    """What is chosen in these fields, by their keys."""
    uses = {key: fields.get(f"{KEY}{key}") or () for key in sentences.document_keys}
    supports = []
    for sentence in sentences.response:
        if support := fields.get(f"{KEY}{sentence.key}"):
            supports.append(SentenceSupport(key=sentence.key, support=support))
    return Labels(
        relevant_keys=tuple(key for key, use in uses.items() if RELEVANT in use),
        utilized_keys=tuple(key for key, use in uses.items() if USED in use),
        sentence_support=tuple(supports),
    )


def _strip_values(scores: TRACEScores) -> list[StripValue]:
    words = arithmetic(scores)
    cells = []
    for record in FOUR:
        name = record.name
        value = _value_so_far(scores, name)
        formula = words[name].removeprefix(readable(name)).strip()
        if value is None:
            # The formula is known before the first label, its numbers are not.
            formula = f"= {say(record.formula)}"
        cells.append(StripValue(say(record.heading), say(record.question), value, formula))
    return cells


def _value_so_far(scores: TRACEScores, name: str) -> float | None:
    """A value, if anything is labelled that it counts; else a 1.00 would stand for no labels."""
    labels = scores.labels
    if name == "adherence":
        is_known = bool(labels.sentence_support)
    else:
        is_known = bool(labels.relevant_keys or labels.utilized_keys)
    return getattr(scores, name) if is_known else None


# The labels that came with the sample


def _compare_with_ours(sample: Sample, sentences: Sentences) -> None:
    # A callback: a field that is drawn already takes no other value in the same drawing.
    st.segmented_control(
        say("Labels"),
        (MINE, OURS),
        default=MINE,
        format_func=say,
        required=True,
        key=WHOSE,
        on_change=_swap_labels,
    )
    if not _are_ours_shown() or sample.labels is None:
        return
    before = _as_labels(st.session_state[KEPT], sentences)
    differing = _differing_verdicts(before, sample.labels, sentences)
    if not differing:
        same = say("You said the same of every sentence.")
        st.success(same, icon=":material/check_circle:")
        return
    sentences_in_words = counted(len(differing), "sentence")
    told = say("You saw {sentences} differently:", sentences=sentences_in_words)
    st.info(told, icon=":material/compare:")
    lines = []
    why = {support.key: plain(support.explanation) for support in sample.labels.sentence_support}
    for key, (yours, ours) in differing.items():
        # Only of the answer's sentences there is a reason.
        line = say(
            "- **{key}**: you said *{yours}*, we say *{ours}*. {why}",
            key=key,
            yours=say(yours),
            ours=say(ours),
            why=why.get(key, ""),
        )
        lines.append(line)
    st.markdown("\n".join(lines))
    st.caption(
        say("People differ, too. That is why several of them label, and agreement is measured.")
    )


def _are_ours_shown() -> bool:
    return st.session_state.get(WHOSE) == OURS


def _swap_labels() -> None:
    """Puts our labels into the fields and keeps the visitor's own, or brings these back."""
    sample = _played_sample()
    sentences = sentences_of(sample)
    if not _are_ours_shown():
        st.session_state.update(st.session_state[KEPT])
        return
    keys = [*sentences.document_keys, *(sentence.key for sentence in sentences.response)]
    st.session_state[KEPT] = {f"{KEY}{key}": st.session_state.get(f"{KEY}{key}") for key in keys}
    ours = sample.labels or Labels()
    for key in sentences.document_keys:
        uses = {RELEVANT: key in ours.relevant_keys, USED: key in ours.utilized_keys}
        st.session_state[f"{KEY}{key}"] = [use for use, is_so in uses.items() if is_so]
    for said in ours.sentence_support:
        st.session_state[f"{KEY}{said.key}"] = said.support


def _differing_verdicts(
    yours: Labels,
    ours: Labels,
    sentences: Sentences,
) -> Mapping[str, tuple[str, str]]:
    """What both say of each sentence on which they differ, by its key."""
    mine, other = verdicts(sentences, yours), verdicts(sentences, ours)
    return {
        key: (mine[key].replace(NO_LABEL, "") or NOTHING, other[key] or NOTHING)
        for key in mine
        if mine[key] != other[key]
    }


# The three definitions


def _definitions(scores: TRACEScores) -> None:
    under = {name: scores.under(name) for name in DEFINITIONS}
    rows = []
    differing = []
    for record in FOUR:
        name, heading = record.name, say(record.heading)
        values = {definition: _value_so_far(own, name) for definition, own in under.items()}
        cells = {_heading(definition): SCORE.shown(value) for definition, value in values.items()}
        rows.append({say("Value"): heading} | cells)
        if len(set(values.values())) > 1:
            differing.append(heading.lower())
    st.table(rows, hide_index=True)
    if differing:
        told = DIFFER[OURS if _are_ours_shown() else MINE]
        usual = say(DEFINITIONS[SENTENCE].title)
        st.markdown(say(told, values=say(", ").join(differing), usual=usual))
    st.markdown("\n".join(f"- {say(reason)}" for reason in WHY))
    st.markdown(
        say("None of them is wrong. Compare two numbers only if they were counted the same way.")
    )


def _heading(definition: str) -> str:
    """The title of a definition with a way to its term."""
    return f"{say(DEFINITIONS[definition].title)} {explained.question_mark(definition)}"
