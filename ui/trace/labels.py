"""One TRACE sample by its labels: the scores, the coloured texts, a chosen sentence with its
evidence, who differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from evaluators.records import (
    Cell,
    Labels,
    Run,
    Sample,
    Score,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.trace.labelling import (
    CORRECTED,
    GOLD,
    HEURISTIC,
    JURY,
    Correction,
    Judgement,
    Labelling,
    corrected,
    labellings,
)
from evaluators.trace.metrics import TRACEScores, arithmetic, from_score, trace_scores
from ui import session
from ui.parts import highlight, tables
from ui.parts.labellers import title
from ui.parts.untrusted import plain
from ui.parts.words import accepted, counted
from ui.trace import correction, judge
from ui.trace.correction import Place
from ui.trace.results import VALUES, definition_switch

MOST_PILLS = 40
"""More sentences than these are chosen from a list."""

LIST_TEXT = 70
SHARED_BY_JUDGES = (JURY, CORRECTED)
"""Labellers who stand on what several judges said."""


class Shown(NamedTuple):
    """What the page shows: everybody's labels, whose colours they are, and the scores of each."""

    place: Place
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
        said = {
            by: labelling.judgement
            for by, labelling in self.labellings.items()
            if labelling.judgement
        }
        return (
            said if self.by in SHARED_BY_JUDGES else {by: said[by] for by in said if by == self.by}
        )


def show(run: Run, cell: Cell, sample: Sample, score: Score | None) -> None:
    """Scores and texts first, a chosen sentence opens its evidence; the rest waits in expanders."""
    if sample.situation:
        st.caption(f"Situation: {plain(sample.situation)}")
    if score is None:
        st.html(highlight.words(sample.response or "", []))
        st.html(highlight.passages(sample.retrieved_documents, sources=sample.sources))
        return
    place = Place(run.id, cell)
    corrections = session.store().corrections.by_cell(run.id, cell).get(cell, [])
    shown = _shown(place, sample, score, corrections)
    _cards(shown)
    _provenance(run, shown)
    correction.history(place, corrections)
    judge.warn(shown.judges)
    _texts(shown, sample)
    _more(run, shown, sample.question, corrections)


def _shown(place: Place, sample: Sample, score: Score, corrections: Sequence[Correction]) -> Shown:
    found = labellings(score, sample)
    if corrections:
        counted_labels = next(iter(found.values())).labels
        found[CORRECTED] = Labelling(by=CORRECTED, labels=corrected(counted_labels, corrections))
    with st.container(horizontal=True):
        by = _labeller(list(found), place)
        definition = definition_switch()
    sentences = from_score(score, sample).sentences
    scores = {
        name: trace_scores(sentences, each.labels, definition) for name, each in found.items()
    }
    return Shown(place, sentences, found, by, scores)


def _labeller(names: list[str], place: Place) -> str:
    """Whose labels are shown: those chosen last if this sample has them, else those that count."""
    wanted = st.session_state.get(correction.SHOWN, CORRECTED)
    by = wanted if wanted in names else names[0]
    if len(names) > 1:
        key = f"labels_{place.name}"
        st.session_state[key] = by

        def change() -> None:
            st.session_state[correction.SHOWN] = st.session_state[key]

        st.segmented_control(
            "Labels", names, format_func=_name, required=True, key=key, on_change=change, wrap=True
        )
    return by


def _cards(shown: Shown) -> None:
    """The values, each with what it was before the corrections,
    or with what the gold labels give.
    """
    reference = {CORRECTED: shown.original, GOLD: ""}.get(shown.by, GOLD)
    word = "before" if shown.by == CORRECTED else "gold"
    beside = shown.scores[reference].values() if reference in shown.scores else {}
    scores = shown.scores[shown.by]
    grid = st.grid(6, min_column_width=150)
    values = scores.values()
    for name, label in VALUES.items():
        delta = f"{word} {_number(beside[name])}" if name in beside else None
        grid.metric(
            label, _number(values[name]), delta, delta_color="off", delta_arrow="off", border=True
        )
    if scores.reason:
        st.caption(plain(scores.reason))


def _provenance(run: Run, shown: Shown) -> None:
    """Whose labels these are, and which ones count."""
    notes = [] if len(shown.labellings) > 1 else [f"Labels: {_name(shown.by)}"]
    if shown.by == HEURISTIC:
        notes.append("an estimate made without an LLM")
    if shown.counting != shown.by:
        notes.append(f"in the run's scores {_name(shown.counting)} counts")
    if run.evaluator.name == "hybrid" and not any(
        each.judgement for each in shown.labellings.values()
    ):
        notes.append("the heuristic was sure enough, no judge was asked")
    if dropped := shown.labels.dropped_keys:
        notes.append(f"{counted(dropped, 'key')} that do not exist ignored")
    if notes:
        st.caption(" · ".join(notes))


# The texts


def _texts(shown: Shown, sample: Sample) -> None:
    chosen = st.session_state.get(_choice(shown.place))
    said = highlight.verdicts(shown.sentences, shown.labels)
    marks = {"framed": _framed(chosen, shown.labels), "disputed": _disputed(shown)}
    if chosen is None:
        st.caption("Choose a sentence to see its evidence and to correct its label.")
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Response")
        if _choose(
            "Evidence for sentence", "response", shown.sentences.response, chosen, shown.place
        ):
            with st.container(border=True):
                _supported(shown, str(chosen))
        st.html(highlight.response(shown.sentences.response, said, **marks))
        if sample.ground_truth is not None:
            st.text(f"Ground truth: {accepted(sample.ground_truth)}")
    with right:
        st.subheader("Documents")
        sentences = [sentence for document in shown.sentences.documents for sentence in document]
        if _choose("What rests on sentence", "documents", sentences, chosen, shown.place):
            with st.container(border=True):
                _carried(shown, str(chosen))
        st.html(
            highlight.documents(shown.sentences.documents, said, **marks, sources=sample.sources)
        )
    if marks["disputed"]:
        st.caption("≠ labellers differ, see Methods side by side")


def _choice(place: Place) -> str:
    """Where the chosen sentence is kept; one at a time, of the response or of a document."""
    return f"sentence_{place.name}"


def _choose(
    label: str, side: str, sentences: Sequence[Sentence], chosen: str | None, place: Place
) -> bool:
    """Offers the sentences, as keys or in a list where they are many; tells whether the chosen one
    is among them.
    """
    texts = {sentence.key: sentence.text for sentence in sentences}
    if not texts:
        return False
    key = f"{side}_{place.name}"
    st.session_state[key] = chosen if chosen in texts else None

    def change() -> None:
        st.session_state[_choice(place)] = st.session_state[key]

    if len(texts) <= MOST_PILLS:
        st.pills(label, list(texts), format_func=plain, key=key, on_change=change, wrap=True)
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


def _supported(shown: Shown, key: str) -> None:
    """What a response sentence rests on, why, and its label to correct."""
    support = _support(shown.labels, key)
    known = set(shown.sentences.document_keys)
    keys = [
        name if name in known else f"{name} (does not exist)" for name in support.supporting_keys
    ]
    st.text(f"Sentence {key} rests on {', '.join(keys) or 'no sentence'}.")
    for explanation in _explanations(shown, key):
        st.text(explanation)
    documents = (sentence for document in shown.sentences.documents for sentence in document)
    _evidence(documents, support.supporting_keys)
    if _can_be_corrected(shown):
        correction.of_response(
            shown.place, key, shown.labels, shown.labellings[shown.original].labels
        )


def _explanations(shown: Shown, key: str) -> Iterator[str]:
    """Why: in the words of each judge behind the labels, else of the labels themselves."""
    for by in shown.judges:
        for said in shown.labellings[by].labels.sentence_support:
            if said.key == key:
                yield (
                    f"{title(by)}, {highlight.SUPPORTS[said.support]}: "
                    f"{said.explanation or 'no reason given'}"
                )
    own = _support(shown.labels, key).explanation
    if own and not shown.judges:
        yield own


def _carried(shown: Shown, key: str) -> None:
    """Which response sentences rest on a document sentence, and its labels to correct."""
    carried = _resting_on(key, shown.labels)
    rest = f"Sentence {key} carries {', '.join(carried)} of the response."
    st.text(rest if carried else f"No response sentence rests on {key}.")
    _evidence(shown.sentences.response, carried)
    if _can_be_corrected(shown):
        correction.of_document(
            shown.place, key, shown.labels, shown.labellings[shown.original].labels
        )


def _evidence(sentences: Iterable[Sentence], keys: Collection[str]) -> None:
    if found := [sentence for sentence in sentences if sentence.key in keys]:
        st.html(highlight.evidence(found))


def _can_be_corrected(shown: Shown) -> bool:
    """Only labels that count can be corrected; says so beside others."""
    if shown.by != shown.counting:
        st.caption(f"To correct a label, choose the labels of {_name(shown.counting)}.")
    return shown.by == shown.counting


def _framed(chosen: str | None, labels: Labels) -> set[str]:
    """The chosen sentence with its evidence, or with what rests on it."""
    if chosen is None:
        return set()
    return {chosen, *_support(labels, chosen).supporting_keys, *_resting_on(chosen, labels)}


def _support(labels: Labels, key: str) -> SentenceSupport:
    found = (item for item in labels.sentence_support if item.key == key)
    return next(found, SentenceSupport(key=key, support=Support.NONE))


def _resting_on(key: str, labels: Labels) -> list[str]:
    return [item.key for item in labels.sentence_support if key in item.supporting_keys]


# Below the texts


def _more(run: Run, shown: Shown, question: str, corrections: Sequence[Correction]) -> None:
    with st.expander(
        "How each number was worked out",
        icon=":material/calculate:",
        key="how_each_number_was_worked_out",
    ):
        for line in arithmetic(shown.scores[shown.by]).values():
            st.text(line)
    if len(shown.labellings) > 1:
        _side_by_side(shown)
    if corrections:
        correction.table(corrections)
    if shown.judges:
        judge.show(run, shown.judges, shown.sentences, question)


def _disputed(shown: Shown) -> dict[str, list[str]]:
    """The sentences that not all labellers judge alike, with the verdict of each labeller."""
    said = [highlight.verdicts(shown.sentences, each.labels) for each in shown.labellings.values()]
    by_key = {key: [verdicts[key] for verdicts in said] for key in said[0]}
    return {key: verdicts for key, verdicts in by_key.items() if len(set(verdicts)) > 1}


def _side_by_side(shown: Shown) -> None:
    names = [title(by) for by in shown.labellings]
    texts = {
        sentence.key: sentence.text
        for part in (*shown.sentences.documents, shown.sentences.response)
        for sentence in part
    }
    disputed = _disputed(shown)
    with st.expander("Methods side by side", icon=":material/compare:", key="methods_side_by_side"):
        rows = [{"Labels": title(by)} | _titled(scores) for by, scores in shown.scores.items()]
        tables.plain_rows(rows, "Scores of each labeller")
        if not disputed:
            st.caption("All agree on every sentence.")
            return
        st.caption(f"They differ on {counted(len(disputed), 'sentence')} of {len(texts):,}.")
        differing = [
            {"Sentence": key}
            | dict(zip(names, (said or "neither" for said in verdicts), strict=True))
            | {"Text": texts[key]}
            for key, verdicts in disputed.items()
        ]
        tables.plain_rows(differing, "Sentences on which labellers differ")


def _titled(scores: TRACEScores) -> dict[str, str]:
    values = scores.values()
    return {label: _number(values[name]) for name, label in VALUES.items()}


def _name(by: str) -> str:
    return plain(title(by))


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
