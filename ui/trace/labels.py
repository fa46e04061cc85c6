"""One TRACE sample by its labels: scores, coloured texts, a sentence's evidence, who differs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from evaluators.records import (
    Cell,
    Judgement,
    Labelling,
    Labels,
    Run,
    Sample,
    Score,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.trace.definitions import SENTENCE
from evaluators.trace.labelling import (
    CORRECTED,
    GOLD,
    HEURISTIC,
    JURY,
    Correction,
    corrected,
    labellings,
)
from evaluators.trace.metrics import TRACEScores, arithmetic, from_score, trace_scores
from evaluators.trace.patterns import HIGH
from ui import session
from ui.parts import highlight, tables
from ui.parts.labellers import escaped_title, title
from ui.parts.untrusted import plain
from ui.parts.words import accepted, counted
from ui.trace import correction, judge
from ui.trace.correction import RunCell
from ui.trace.results import VALUES, definition_switch

IDEAL_RANGES = f"Ideal are {HIGH:g} or more, and an adherence of 1."
MOST_PILLS = 40
"""More sentences than these are chosen from a list."""

LIST_TEXT = 70
SHARED_BY_JUDGES = (JURY, CORRECTED)
"""Labellers who stand on what several judges said."""


class Shown(NamedTuple):
    """What the page shows: everybody's labels, whose colours they are, and the scores of each."""

    place: RunCell
    sentences: Sentences
    labellings: Mapping[str, Labelling]
    by: str
    scores: Mapping[str, TRACEScores]

    @property
    def labels(self) -> Labels:
        return self.labellings[self.by].labels

    @property
    def original(self) -> str:
        """Who counts in the run's scores where nobody corrected a label."""
        return next(iter(self.labellings))

    @property
    def counting(self) -> str:
        """Who counts in the run's scores: a person's word is the last."""
        return CORRECTED if CORRECTED in self.labellings else self.original

    @property
    def judges(self) -> dict[str, Judgement]:
        """What the judges behind these labels said, by name."""
        judgements = {}
        for by, labelling in self.labellings.items():
            if labelling.judgement and (by == self.by or self.by in SHARED_BY_JUDGES):
                judgements[by] = labelling.judgement
        return judgements


def show(run: Run, cell: Cell, sample: Sample, score: Score | None) -> None:
    """Scores and texts first, a chosen sentence opens its evidence; the rest waits in expanders."""
    if sample.situation:
        st.caption(f"Situation: {plain(sample.situation)}")
    if score is None:
        st.html(highlight.marked_text(sample.response or "", []))
        st.html(highlight.passages(sample.retrieved_documents, sources=sample.sources))
        return
    place = RunCell(run.id, cell)
    by_cell = session.store().corrections.by_cell(run.id, cell)
    corrections = by_cell.get(cell, [])
    shown = _labels_to_show(place, sample, score, corrections)
    _score_cards(shown)
    _provenance(run, shown)
    correction.history(place, corrections)
    judge.warn(shown.judges)
    _coloured_texts(shown, sample)
    _expanders(run, shown, sample.question, corrections)


def _labels_to_show(
    place: RunCell,
    sample: Sample,
    score: Score,
    corrections: Sequence[Correction],
) -> Shown:
    by_labeller = labellings(score, sample)
    if corrections:
        original = next(iter(by_labeller.values())).labels
        labels = corrected(original, corrections)
        by_labeller[CORRECTED] = Labelling(by=CORRECTED, labels=labels)
    with st.container(horizontal=True):
        by = _choose_labeller(list(by_labeller), place)
        definition = definition_switch()
    sentences = from_score(score, sample).sentences
    scores = {
        name: trace_scores(sentences, labelling.labels, definition)
        for name, labelling in by_labeller.items()
    }
    return Shown(place, sentences, by_labeller, by, scores)


def _choose_labeller(names: list[str], place: RunCell) -> str:
    """Whose labels are shown: those chosen last if this sample has them, else those that count."""
    last = st.session_state.get(correction.SHOWN, CORRECTED)
    by = last if last in names else names[0]
    if len(names) > 1:
        key = f"labels_{place.name}"
        # The choice is one for all samples, so that the next sample begins with it.
        st.session_state[key] = by

        def change() -> None:
            st.session_state[correction.SHOWN] = st.session_state[key]

        st.segmented_control(
            "Labels",
            names,
            format_func=escaped_title,
            required=True,
            key=key,
            on_change=change,
            wrap=True,
        )
    return by


def _score_cards(shown: Shown) -> None:
    """The values, each with the one before the corrections, or with that of the gold labels."""
    if shown.by == CORRECTED:
        reference, word = shown.original, "before"
    else:
        reference, word = GOLD, "gold"
    beside = {}
    # Gold labels beside themselves would say nothing.
    if reference in shown.scores and reference != shown.by:
        beside = shown.scores[reference].values()
    scores = shown.scores[shown.by]
    grid = st.grid(6, min_column_width=150)
    values = scores.values()
    for name, label in VALUES.items():
        delta = f"{word} {_two_decimals(beside[name])}" if name in beside else None
        value = _two_decimals(values[name])
        grid.metric(
            label,
            value,
            delta,
            delta_color="off",
            delta_arrow="off",
            border=True,
        )
    if scores.reason:
        st.caption(plain(scores.reason))


def _provenance(run: Run, shown: Shown) -> None:
    """Whose labels these are, and which ones count."""
    notes = [] if len(shown.labellings) > 1 else [f"Labels: {escaped_title(shown.by)}"]
    if shown.by == HEURISTIC:
        notes.append("an estimate made without an LLM")
    if shown.counting != shown.by:
        notes.append(f"in the run's scores {escaped_title(shown.counting)} counts")
    was_judged = any(labelling.judgement for labelling in shown.labellings.values())
    if run.evaluator.name == "hybrid" and not was_judged:
        notes.append("the heuristic was sure enough, no judge was asked")
    if dropped := shown.labels.dropped_keys:
        does = "does" if dropped == 1 else "do"
        notes.append(f"ignored {counted(dropped, 'key')} that {does} not exist")
    if notes:
        st.caption(" · ".join(notes))


# The texts


def _coloured_texts(shown: Shown, sample: Sample) -> None:
    chosen = st.session_state.get(_chosen_sentence_key(shown.place))
    verdicts = highlight.verdicts(shown.sentences, shown.labels)
    marks = {"framed": _framed(chosen, shown.labels), "disputed": _disputed(shown)}
    if chosen is None:
        st.caption("Choose a sentence to see its evidence and to correct its label.")
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.header("Response")
        if _offer_sentences(
            "Evidence for sentence", "response", shown.sentences.response, chosen, shown.place
        ):
            with st.container(border=True):
                _what_it_rests_on(shown, str(chosen))
        st.html(highlight.response(shown.sentences.response, verdicts, **marks))
        if sample.ground_truth is not None:
            st.text(f"Ground truth: {accepted(sample.ground_truth)}")
    with right:
        st.header("Documents")
        sentences = [sentence for document in shown.sentences.documents for sentence in document]
        if _offer_sentences("What rests on sentence", "documents", sentences, chosen, shown.place):
            with st.container(border=True):
                _what_rests_on_it(shown, str(chosen))
        documents, sources = shown.sentences.documents, sample.sources
        st.html(
            highlight.documents(
                documents,
                verdicts,
                **marks,
                sources=sources,
            )
        )
    if marks["disputed"]:
        st.caption("≠ labellers differ, see Methods side by side")


def _chosen_sentence_key(place: RunCell) -> str:
    """Where the chosen sentence is kept; one at a time, of the response or of a document."""
    return f"sentence_{place.name}"


def _offer_sentences(
    label: str,
    side: str,
    sentences: Sequence[Sentence],
    chosen: str | None,
    place: RunCell,
) -> bool:
    """Offers the sentences, in a list where they are many; whether the chosen one is of them."""
    texts = {sentence.key: sentence.text for sentence in sentences}
    if not texts:
        return False
    key = f"{side}_{place.name}"
    st.session_state[key] = chosen if chosen in texts else None

    def change() -> None:
        st.session_state[_chosen_sentence_key(place)] = st.session_state[key]

    if len(texts) <= MOST_PILLS:
        st.pills(
            label,
            list(texts),
            format_func=plain,
            key=key,
            on_change=change,
            wrap=True,
        )
    else:
        names = {name: f"{name} · {text[:LIST_TEXT]}" for name, text in texts.items()}
        st.selectbox(
            label,
            list(texts),
            index=None,
            format_func=names.__getitem__,
            key=key,
            on_change=change,
            placeholder="Choose a sentence",
        )
    return chosen in texts


def _what_it_rests_on(shown: Shown, key: str) -> None:
    """What a response sentence rests on, why, and its label to correct."""
    support = _support_of(key, shown.labels)
    document_keys = set(shown.sentences.document_keys)
    keys = [
        name if name in document_keys else f"{name} (does not exist)"
        for name in support.supporting_keys
    ]
    st.text(f"Sentence {key} rests on {', '.join(keys) or 'no sentence'}.")
    for explanation in _explanations(shown, key):
        st.text(explanation)
    documents = (sentence for document in shown.sentences.documents for sentence in document)
    _show_sentences(documents, support.supporting_keys)
    if _can_be_corrected(shown):
        correction.of_response(
            shown.place,
            key,
            shown.labels,
            shown.labellings[shown.original].labels,
        )


def _explanations(shown: Shown, key: str) -> Iterator[str]:
    """Why: in the words of each judge behind the labels, else of the labels themselves."""
    for by in shown.judges:
        for support in shown.labellings[by].labels.sentence_support:
            if support.key == key:
                reason = support.explanation or "no reason given"
                yield f"{title(by)}, {highlight.SUPPORTS[support.support]}: {reason}"
    own = _support_of(key, shown.labels).explanation
    if own and not shown.judges:
        yield own


def _what_rests_on_it(shown: Shown, key: str) -> None:
    """Which response sentences rest on a document sentence, and its labels to correct."""
    resting = _resting_on(key, shown.labels)
    if resting:
        st.text(f"Sentence {key} carries {', '.join(resting)} of the response.")
    else:
        st.text(f"No response sentence rests on {key}.")
    _show_sentences(shown.sentences.response, resting)
    if _can_be_corrected(shown):
        correction.of_document(
            shown.place,
            key,
            shown.labels,
            shown.labellings[shown.original].labels,
        )


def _show_sentences(sentences: Iterable[Sentence], keys: Collection[str]) -> None:
    if evidence := [sentence for sentence in sentences if sentence.key in keys]:
        st.html(highlight.evidence(evidence))


def _can_be_corrected(shown: Shown) -> bool:
    """Only labels that count can be corrected; says so beside others."""
    if shown.by != shown.counting:
        st.caption(f"To correct a label, choose the labels of {escaped_title(shown.counting)}.")
    return shown.by == shown.counting


def _framed(chosen: str | None, labels: Labels) -> set[str]:
    """The chosen sentence with its evidence, or with what rests on it."""
    if chosen is None:
        return set()
    supporting = _support_of(chosen, labels).supporting_keys
    resting = _resting_on(chosen, labels)
    return {chosen, *supporting, *resting}


def _support_of(key: str, labels: Labels) -> SentenceSupport:
    """The support of a response sentence; none where its labeller left it out."""
    supports = (item for item in labels.sentence_support if item.key == key)
    return next(supports, SentenceSupport(key=key, support=Support.NONE))


def _resting_on(key: str, labels: Labels) -> list[str]:
    return [item.key for item in labels.sentence_support if key in item.supporting_keys]


# Below the texts


def _expanders(run: Run, shown: Shown, question: str, corrections: Sequence[Correction]) -> None:
    with st.expander(
        "How each number was worked out",
        icon=":material/calculate:",
        key="how_each_number_was_worked_out",
    ):
        scores = shown.scores[shown.by]
        for line in arithmetic(scores).values():
            st.text(line)
        # By the usual definition, as the ranges and patterns of a run are.
        usual = scores.under(SENTENCE)
        ideals = usual.ideals()
        # `None` is a value that does not apply: it is neither ideal nor outside.
        outside = [VALUES[name] for name in ideals if ideals[name] is False]
        st.text(f"{IDEAL_RANGES} Outside: {', '.join(outside) or 'none'}.")
        if pattern := usual.pattern():
            st.text(f"{pattern.name}. {pattern.meaning} {pattern.remedy}")
    if len(shown.labellings) > 1:
        _methods_side_by_side(shown)
    if corrections:
        correction.list_all(corrections)
    if shown.judges:
        judge.show(run, shown.judges, shown.sentences, question)


def _disputed(shown: Shown) -> dict[str, list[str]]:
    """The sentences that not all labellers judge alike, with the verdict of each labeller."""
    by_labeller = [
        highlight.verdicts(shown.sentences, labelling.labels)
        for labelling in shown.labellings.values()
    ]
    disputed = {}
    for key in by_labeller[0]:
        verdicts = [of_labeller[key] for of_labeller in by_labeller]
        if len(set(verdicts)) > 1:
            disputed[key] = verdicts
    return disputed


def _methods_side_by_side(shown: Shown) -> None:
    names = [title(by) for by in shown.labellings]
    texts = {
        sentence.key: sentence.text
        for part in (*shown.sentences.documents, shown.sentences.response)
        for sentence in part
    }
    disputed = _disputed(shown)
    with st.expander("Methods side by side", icon=":material/compare:", key="methods_side_by_side"):
        rows = []
        for by, scores in shown.scores.items():
            values = scores.values()
            cells = {label: _two_decimals(values[name]) for name, label in VALUES.items()}
            rows.append({"Labels": title(by)} | cells)
        tables.plain_rows(rows, "Scores of each labeller")
        if not disputed:
            st.caption("All agree on every sentence.")
            return
        st.caption(f"They differ on {counted(len(disputed), 'sentence')} of {len(texts):,}.")
        differing = []
        for key, verdicts in disputed.items():
            cells = dict(zip(names, (verdict or "neither" for verdict in verdicts), strict=True))
            differing.append({"Sentence": key, **cells, "Text": texts[key]})
        tables.plain_rows(differing, "Sentences on which labellers differ")


def _two_decimals(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
