"""The probabilities of a run's labels beside what people, or the data, say of each sentence."""

from __future__ import annotations

from evaluators.people.checked import Against
from evaluators.people.labels import Votes, majority, votes_of
from evaluators.people.reliability import Likely, Reliability, reliability
from evaluators.records import LabelEvidence, Record
from evaluators.runs import aggregate
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark
from evaluators.trace.metrics import from_score

KINDS = {
    "supported": mark("Supported (sentences of the answer)"),
    "relevant": mark("Relevant (document sentences)"),
    "utilized": mark("Used (document sentences)"),
}
"""What a labeller may say the probability of, in the order in which it is shown."""

MOST_LABELS = 20_000
"""Of a kind that are compared, the first ones: more would make a threshold slow to move."""


class Reliabilities(Record):
    """How far the probabilities of each kind of label can be trusted, by kind."""

    by_kind: dict[str, Reliability]


def reliabilities(
    view: RunView, model: int = 0, against: Against = "people"
) -> dict[str, Reliability]:
    """How far the probabilities of each kind can be trusted, where the run's labeller gives some.

    Only sentences that people who are done, or the data, have labelled are compared.
    """
    name = f"probabilities {model} {against}"
    kept = view.kept(name, Reliabilities, lambda: _reliabilities(view, model, against))
    return kept.by_kind


def _reliabilities(view: RunView, model: int, against: Against) -> Reliabilities:
    likely: dict[str, list[Likely]] = {kind: [] for kind in KINDS}
    positions = {cell.position for cell in view.people} if against == "people" else None
    rows = aggregate.of_model(view.of_metric(0), model)
    questions = dict(zip((row.position for row in rows), aggregate.units(rows), strict=True))
    for cell, sample, score in view.store.results.scored(view.run, 0, positions):
        if cell.model != model or not isinstance(score.evidence, LabelEvidence):
            continue
        labels = score.evidence.counted.labels
        if labels.probabilities is None:
            continue
        sentences = from_score(score, sample).sentences
        votes: Votes = {}
        if against == "people":
            votes = majority(labels, sentences, view.people.get(cell, ()))
        elif sample.labels is not None:
            votes = votes_of(sample.labels, sentences)
        for kind in KINDS:
            vote = "support" if kind == "supported" else kind
            for key, probability in getattr(labels.probabilities, kind).items():
                if (vote, key) in votes and len(likely[kind]) < MOST_LABELS:
                    is_true = votes[vote, key] in ("yes", "full")
                    question = questions.get(cell.position, cell.position)
                    likely[kind].append(Likely(probability, is_true, question))
    found = {kind: reliability(own) for kind, own in likely.items()}
    return Reliabilities(by_kind={kind: own for kind, own in found.items() if own is not None})
