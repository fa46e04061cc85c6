"""The evidence view: what its script in `ui/static/evidence.js` is told of one sample.

Everything goes over as data and is put into the page as text. The same verdicts colour the texts
that stand there where no script runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from evaluators.people.labellers import labeller_title, person_title
from evaluators.people.labels import (
    PERSON,
    Votes,
    by_person,
    labelled_otherwise,
    last_words,
)
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import (
    Cell,
    Judgement,
    Labelling,
    Labels,
    Run,
    Sample,
    Score,
    Sentences,
)
from evaluators.report import coloured
from evaluators.runs.shown_values import title
from evaluators.text.claimed import NO_CLAIM
from evaluators.text.language import say
from evaluators.text.scale import NO_VALUE, SCORE
from evaluators.text.words import accepted, counted, in_a_line, name_and_text
from evaluators.trace.labelling import CORRECTED, GOLD, JURY
from evaluators.trace.metrics import EXPECTED, TRACEScores, arithmetic, fractions, from_score
from evaluators.trace.values import METRICS
from ui import script, session
from ui.parts import explained, people, problems
from ui.trace import correction
from ui.trace.correction import Origin, RunCell

KEY = "evidence"
"""One component for all samples, so that a step to the next one keeps what a person switched on."""
_component = script.component("evidence", '<div class="evidence"></div>', "evidence.css")

UNSAID = "–"
"""Stands for the verdict on a sentence that a person did not label."""
SHARED_BY_JUDGES = (JURY, CORRECTED)
"""Labellers who stand on what several judges said."""


class ShownLabels(NamedTuple):
    """What the page shows: everybody's labels, whose colours they are, and the scores of each."""

    place: RunCell
    sentences: Sentences
    labellings: Mapping[str, Labelling]
    by: str
    scores: Mapping[str, TRACEScores]
    given: Sequence[PersonLabel]
    votes: Mapping[str, Votes] = {}
    """What people who are done said, by their names as labellers."""
    left_over: int = 0
    """How many labels people gave to sentences that the sample does not have (any more)."""

    @property
    def own(self) -> list[PersonLabel]:
        """What whoever looks at the page said of the sample."""
        return [label for label in self.given if label.person == people.me()]

    @property
    def labels(self) -> Labels:
        return self.labellings[self.by].labels

    @property
    def original(self) -> str:
        """Who counts in the run's scores, whatever people say."""
        return next(iter(self.labellings))

    @property
    def judges(self) -> dict[str, Judgement]:
        """What the judges behind these labels said, by name."""
        judgements = {}
        for by, labelling in self.labellings.items():
            # A jury's labels, and corrected ones, stand on all judges; a judge's on that one alone.
            if labelling.judgement and (by == self.by or self.by in SHARED_BY_JUDGES):
                judgements[by] = labelling.judgement
        return judgements


def show(
    shown: ShownLabels,
    sample: Sample,
    notes: Sequence[str],
    flaws: Mapping[str, Sequence[str]],
    locked: str,
    on_change: Callable[[], None],
    *,
    is_shared: bool = False,
) -> None:
    """The sample to click; `on_change` finds what a person changed under `KEY`.

    `flaws` says what is wrong with sentences beside their labels, by their keys. `locked` says why
    no label can be changed, and is empty where one can. Of a shared example
    nothing is kept, guesses neither.
    """
    data = _evidence_data(shown, sample) | {
        "notes": notes,
        "flaws": flaws,
        "locked": locked,
        "isShared": is_shared,
    }
    _component(key=KEY, data=data, on_changed_change=on_change)
    # Shown by its style sheet only where the script has not hidden it.
    with st.container(key="texts_without_script"):
        verdicts = coloured.verdicts(shown.sentences, shown.labels)
        disputed = disputes(shown)
        st.html(coloured.uncoloured(sample.question))
        st.html(coloured.response(shown.sentences.response, verdicts, disputed))
        documents = shown.sentences.documents
        st.html(coloured.documents_by_verdict(documents, verdicts, disputed, sample))


def show_blind(
    run: Run,
    cell: Cell,
    sample: Sample,
    score: Score,
    origin: Origin,
    on_change: Callable[[], None] | None = None,
) -> None:
    """The sample without any labeller's labels, for a person to label; see `origin` for whom.

    The browser is sent nothing that a labeller said. What the person sets is stored as blind labels
    of the cell, in whose order "done" belongs to the caller: a `PersonLabel` of the whole sample
    (`label="sample"`, `blind=True`), without which blind labels count nowhere. `on_change` is
    called after each change that was stored, "undo" too. Arrow keys up and down, 1, 2, 3, U and
    Esc belong to the view; all others to the page.
    """
    place = RunCell(run.id, cell)
    scores = from_score(score, sample)
    given = session.store().person_labels.by_cell(run.id, cell).get(cell, [])
    own = [label for label in given if label.person == origin.person]
    every_key = [key for key in coloured.verdicts(scores.sentences, Labels())]
    # What comes later wins: all that would give a labeller away is emptied below.
    data = {
        **_texts(place, sample, scores.sentences),
        **_of_person(own),
        # What is true elsewhere says nothing of whether these documents support it.
        **dict.fromkeys(("situation", "locked", "by", "trueAnswer"), ""),
        **dict.fromkeys(("said", "people", "disputed", "numbers", "notes"), ()),
        "own": {},
        "flaws": {},
        "verdicts": dict.fromkeys(every_key, ""),
        "restsOn": {},
        "isBlind": True,
        "done": "",
        "isCorrected": False,
        "isShared": False,
    }

    def keep() -> None:
        changes = script.event(KEY, "changed")
        correction.keep_changes(place, changes, scores.sentences, scores.labels, origin)
        if on_change is not None:
            on_change()

    _component(key=KEY, data=data, on_changed_change=problems.guarded(keep, place.name))


def disputes(shown: ShownLabels) -> dict[str, list[str]]:
    """The sentences that not all labellers judge alike, with the verdict of each labeller."""
    by_labeller = [_verdicts_of(shown, by) for by in shown.labellings]
    disputed = {}
    for key in by_labeller[0]:
        verdicts = [of_labeller[key] for of_labeller in by_labeller]
        # Who said nothing of a sentence does not differ on it.
        if len(set(verdicts) - {UNSAID}) > 1:
            disputed[key] = verdicts
    return disputed


def _verdicts_of(shown: ShownLabels, by: str) -> dict[str, str]:
    """A labeller's verdict on each sentence; of people only on what they labelled."""
    verdicts = coloured.verdicts(shown.sentences, shown.labellings[by].labels)
    if by in shown.votes:
        labelled = {key for kind, key in shown.votes[by] if kind != "supported_by"}
        verdicts = {key: verdicts[key] if key in labelled else UNSAID for key in verdicts}
    return verdicts


def _evidence_data(shown: ShownLabels, sample: Sample) -> dict[str, Any]:
    rests_on = {item.key: item.supporting_keys for item in shown.labels.sentence_support}
    return {
        **_texts(shown.place, sample, shown.sentences),
        **_of_person(shown.own),
        "isBlind": False,
        "done": _done(shown),
        "isCorrected": shown.by == CORRECTED,
        "by": labeller_title(shown.by),
        "verdicts": coloured.verdicts(shown.sentences, shown.labels),
        "restsOn": rests_on,
        "said": [*_labellers_said(shown), *_people_said(shown)],
        "people": _other_people(shown),
        "disputed": list(disputes(shown)),
        "numbers": _numbers(shown),
        "claims": {"term": explained.link("no_claim"), "rule": say(NO_CLAIM)},
    }


def _done(shown: ShownLabels) -> str:
    """What came of it for whoever looks, once that one is done: as the run has it, or otherwise."""
    votes = shown.votes.get(f"{PERSON}{people.me()}")
    if votes is None:
        return ""
    original = shown.labellings[shown.original].labels
    keys = labelled_otherwise(original, shown.sentences, votes)
    if not keys:
        return say("You: all right as it is")
    return say("You: {sentences} labelled otherwise", sentences=counted(len(keys), "sentence"))


def _language() -> dict[str, Any]:
    """The words of the script, and what it calls sentences."""
    verdicts = {verdict: look._asdict() for verdict, look in coloured.LOOKS.items()}
    return {
        "words": script.words_of("evidence") | {verdict: say(verdict) for verdict in verdicts},
        "verdicts": verdicts,
        "supports": {support.value: words for support, words in coloured.SUPPORTS.items()},
        "uses": list(coloured.USES.values()),
    }


def _texts(place: RunCell, sample: Sample, sentences: Sentences) -> dict[str, Any]:
    documents = [
        {
            "title": coloured.document_title(number, sample),
            "sentences": [(sentence.key, sentence.text) for sentence in document],
        }
        for number, document in enumerate(sentences.documents, start=1)
    ]
    return {
        "language": _language(),
        "sample": place.name,
        "answered": correction.last_answered(place),
        "question": sample.question,
        "situation": sample.situation,
        "trueAnswer": accepted(sample.ground_truth),
        "answer": [(sentence.key, sentence.text) for sentence in sentences.response],
        "documents": documents,
    }


def _of_person(own: Sequence[PersonLabel]) -> dict[str, Any]:
    """What a person said of the sample: with the labels in sight, and without."""
    seen = [label for label in own if not label.blind]
    guesses: dict[str, dict[str, str]] = {}
    for (kind, key), label in last_words(label for label in own if label.blind).items():
        if key:
            guesses.setdefault(key, {})[kind] = label.value
    return {
        "own": correction.by_sentence(seen),
        "guesses": guesses,
        "canUndo": bool(own),
        "corrections": _number_of_corrections([label for label in seen if label.key]),
    }


def _labellers_said(shown: ShownLabels) -> list[dict[str, Any]]:
    return [
        {
            "who": labeller_title(by),
            "counts": by == shown.original,
            "isPerson": False,
            "of": coloured.said(shown.sentences, shown.labellings[by].labels, by),
        }
        for by in shown.labellings
        if by != CORRECTED and by not in shown.votes
    ]


def _people_said(shown: ShownLabels) -> list[dict[str, Any]]:
    """What other people said of sentences, done or not."""
    said = []
    for person, labels in by_person(shown.given).items():
        if person != people.me():
            words = correction.by_sentence([label for label in labels if not label.blind])
            of = {key: in_a_line(each["what"] for each in own) for key, own in words.items()}
            who = person_title(person)
            said.append({"who": who, "counts": False, "isPerson": True, "of": of})
    return said


def _other_people(shown: ShownLabels) -> list[str]:
    """Who else labelled, and whether they are done."""
    lines = []
    for person, labels in by_person(shown.given).items():
        if person != people.me():
            last = last_words(labels)
            state = last.pop(("sample", ""), None)
            words = [counted(len(last), "label")] if last else []
            if state:
                is_confirmed = state.value == DONE and not last
                confirmed = say("all right as it is")
                words.append(confirmed if is_confirmed else correction.label_in_words(state))
            lines.append(name_and_text(person_title(person), in_a_line(words)))
    return lines


def _numbers(shown: ShownLabels) -> list[dict[str, Any]]:
    """The values, with those by the gold labels beside them, or by the run's labeller.

    What people say stands beside the run's own values where it is another one.
    """
    scores = shown.scores[shown.by]
    reference = shown.original if shown.by == CORRECTED else GOLD
    word = labeller_title(reference) if shown.by == CORRECTED else say("gold")
    beside = shown.scores.get(reference) if reference != shown.by else None
    people_scores = shown.scores.get(CORRECTED) if shown.by == shown.original else None

    values, steps = scores.values(), arithmetic(scores)
    # Of the sentences that count for adherence all must pass.
    marks: dict[float | None, str] = {1.0: "✓", 0.0: "✗"}
    numbers = []
    for name in METRICS:
        figure = _figure(scores, name)
        numbers.append(
            {
                "label": title(name),
                "figure": figure,
                "people": _people_say(
                    figure, _figure(people_scores, name) if people_scores else ""
                ),
                "mark": marks.get(values[name], "") if name == "adherence" else "",
                "value": SCORE.shown(values[name]),
                # Else 3/4 with a value of 0.00 would look like an error.
                "rule": say("all must pass") if name == "adherence" and values[name] == 0 else "",
                "beside": f"{word} {_figure(beside, name)}" if beside else "",
                "how": steps[name],
                "term": explained.link(name),
            }
        )
    average = SCORE.shown(scores.average())
    beside_average = f"{word} {SCORE.shown(beside.average())}" if beside else ""
    by_people = SCORE.shown(people_scores.average()) if people_scores else ""
    numbers.append(
        {
            "label": say("Average"),
            "figure": average,
            "people": _people_say(average, by_people),
            "mark": "",
            "value": say("of the four"),
            "rule": "",
            "beside": beside_average,
            "how": say("The mean of those of the four values that apply."),
            "term": explained.link("average"),
        }
    )
    return numbers


def _people_say(figure: str, by_people: str) -> str:
    """What people say of a value, where they say something else."""
    if by_people in ("", figure):
        return ""
    return say("people say {figure}", figure=by_people)


def _figure(scores: TRACEScores, name: str) -> str:
    """What was divided where that is all, else the value; one that is only expected says so."""
    if scores.values()[name] is None:
        return NO_VALUE
    value = SCORE.shown(scores.values()[name])
    is_expected = scores.labels.expected and name in EXPECTED
    return fractions(scores)[name] or (f"≈ {value}" if is_expected else value)


def _number_of_corrections(given: Sequence[PersonLabel]) -> str:
    if not given:
        return ""
    newest = given[-1]
    number = counted(len(given), "correction")
    return say(
        "{corrections} · newest: {sentence} {label}",
        corrections=number,
        sentence=newest.key,
        label=correction.label_in_words(newest),
    )
