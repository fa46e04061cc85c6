"""Lesson 2: sentences are relevant, used or supported, and four formulas follow from that."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset, Labels, Sample, Sentences, SentenceSupport, Support
from evaluators.report.coloured import NO_LABEL, SUPPORTS, verdicts
from evaluators.text.words import counted, readable
from evaluators.trace.definitions import DEFINITIONS, METRICS, SENTENCE
from evaluators.trace.labelling import sentences_of
from evaluators.trace.metrics import TRACEScores, arithmetic, trace_scores
from ui.learn import strip
from ui.learn.strip import StripValue
from ui.parts.untrusted import plain

# A wrong number beside a right one: each of the three definitions counts this answer differently.
SAMPLE_ID = "numbers-1"
RELEVANT, USED = "relevant", "used"
KEY = "learn_trace_"
SHORT = {
    "context_relevance": "Relevance",
    "context_utilization": "Utilization",
    "completeness": "Completeness",
    "adherence": "Adherence",
}
ASKED = {
    "context_relevance": "Of what was found, how much helps?",
    "context_utilization": "Of what helps, how much was used?",
    "completeness": "Of what helps, how much is covered?",
    "adherence": "Is every sentence in the documents?",
}
WHY = (
    "- **Relevance** of *Fixed 20* divides by 20, however many sentences there are: a short "
    "document can never reach 1.\n"
    "- **Utilization** of *RAGBench* divides by all sentences, not by the relevant ones: it is low "
    "wherever a search brings much.\n"
    "- **Adherence** of *RAGBench* lets a partly supported sentence pass.\n\n"
    "None of them is wrong. Compare two numbers only if they were counted the same way."
)


def show() -> None:
    """The texts with their labels to set, and what follows from these."""
    _texts_to_label()


# A tap draws this lesson anew and nothing else of the page.
@st.fragment
def _texts_to_label() -> None:
    sample = _played_sample()
    sentences = sentences_of(sample)
    # Above the texts, and filled after them: the values follow from what is tapped there.
    place = st.container(key="learn_values")
    st.markdown(f"**Question:** {plain(sample.question)}")
    documents, answer = st.columns(2, gap="large")
    with documents:
        st.header("1 · The documents", anchor=False)
        st.caption(
            "Tap **relevant** if a sentence helps to answer the question, **used** if the answer "
            "took something from it. Both may be true."
        )
        for number, document in enumerate(sentences.documents, start=1):
            st.markdown(f"Document {number}")
            for sentence in document:
                _ask_use(sentence.key, sentence.text)
    with answer:
        st.header("2 · The answer", anchor=False)
        st.caption("Do the documents say it? Look at the numbers, too.")
        for sentence in sentences.response:
            _ask_support(sentence.key, sentence.text)
        _compare_with_ours(sample, sentences)
    scores = trace_scores(sentences, _labels_so_far(sentences))
    with place:
        strip.show(_strip_values(scores))
    st.header("3 · Three definitions, one answer", anchor=False)
    _definitions(scores)


def _played_sample() -> Sample:
    data = bundled()[TRACE_SAMPLES]
    # Bundled names stand for data sets and test beds; the type checker knows not which.
    assert isinstance(data, Dataset)
    return next(sample for sample in data.samples if sample.id == SAMPLE_ID)


def _ask_use(key: str, text: str) -> None:
    st.pills(
        f"{key} · {plain(text)}",
        (RELEVANT, USED),
        selection_mode="multi",
        key=f"{KEY}{key}",
    )


def _ask_support(key: str, text: str) -> None:
    st.pills(
        f"{key} · {plain(text)}",
        list(Support),
        format_func=lambda support: SUPPORTS[support],
        key=f"{KEY}{key}",
    )


def _labels_so_far(sentences: Sentences) -> Labels:
    """The labels that were set so far; an answer's sentence that was not looked at has none."""
    uses = {key: st.session_state.get(f"{KEY}{key}") or () for key in sentences.document_keys}
    supports = []
    for sentence in sentences.response:
        if support := st.session_state.get(f"{KEY}{sentence.key}"):
            supports.append(SentenceSupport(key=sentence.key, support=support))
    return Labels(
        relevant_keys=tuple(key for key, use in uses.items() if RELEVANT in use),
        utilized_keys=tuple(key for key, use in uses.items() if USED in use),
        sentence_support=tuple(supports),
    )


def _strip_values(scores: TRACEScores) -> list[StripValue]:
    words = arithmetic(scores)
    cells = []
    for name in METRICS:
        value = getattr(scores, name)
        formula = words[name].removeprefix(readable(name)).strip()
        cells.append(StripValue(SHORT[name], ASKED[name], value, formula))
    return cells


# The labels that came with the sample


def _compare_with_ours(sample: Sample, sentences: Sentences) -> None:
    # A callback: a field that is drawn already takes no other value in the same drawing.
    st.button("Show our labels", icon=":material/visibility:", on_click=_take_ours)
    before = st.session_state.get(f"{KEY}before")
    if before is None or sample.labels is None:
        return
    differing = _differing_verdicts(before, sample.labels, sentences)
    if not differing:
        st.success("You said the same of every sentence.", icon=":material/check_circle:")
        return
    st.info(
        f"You saw {counted(len(differing), 'sentence')} differently:", icon=":material/compare:"
    )
    lines = []
    why = {support.key: plain(support.explanation) for support in sample.labels.sentence_support}
    for key, (yours, ours) in differing.items():
        # Only of the answer's sentences there is a reason.
        lines.append(f"- **{key}**: you said *{yours}*, we say *{ours}*. {why.get(key, '')}")
    st.markdown("\n".join(lines))
    st.caption("People differ, too. That is why several of them label, and agreement is measured.")


def _take_ours() -> None:
    """Sets our labels and keeps what was there before."""
    sample = _played_sample()
    sentences = sentences_of(sample)
    ours = sample.labels or Labels()
    st.session_state[f"{KEY}before"] = _labels_so_far(sentences)
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
        key: (mine[key].replace(NO_LABEL, "") or "nothing", other[key] or "nothing")
        for key in mine
        if mine[key] != other[key]
    }


# The three definitions


def _definitions(scores: TRACEScores) -> None:
    under = {name: scores.under(name) for name in DEFINITIONS}
    rows = []
    for name in METRICS:
        cells = {
            DEFINITIONS[definition].title: _two_decimals(getattr(own, name))
            for definition, own in under.items()
        }
        rows.append({"Value": SHORT[name]} | cells)
    st.table(rows, hide_index=True)
    differ = []
    for name in METRICS:
        if len({getattr(own, name) for own in under.values()}) > 1:
            differ.append(SHORT[name])
    if differ:
        usual = DEFINITIONS[SENTENCE].title
        st.markdown(
            f"With your labels they differ in **{', '.join(differ).lower()}**. *{usual}* is what "
            "Plumbline uses unless you choose another."
        )
    st.markdown(WHY)


def _two_decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
