"""A labeller tested without a single label: how many planted errors of each kind does it find?

Answers that it calls supported are asked about again, each as it is, with one error in one of its
sentences, and with another look of the same content: an ordinary run over made-up samples, whose
groups are the kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

from evaluators.catalogue import from_spec, labels_sentences
from evaluators.errors import ParameterError
from evaluators.flaws.kinds import NEGATED, OTHER_NAME, OTHER_NUMBER
from evaluators.flaws.planting import (
    LENGTH,
    ORDER,
    PLANTED,
    SAME,
    UNTOUCHED,
    Source,
    courtesy,
    planted,
)
from evaluators.records import Dataset, Record, Run, Sample, Support
from evaluators.runs import aggregate
from evaluators.runs.aggregate import Mean, View, mean_of_rows
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.store import Answer, Outline, Selection, ValueName
from evaluators.text.claimed import claimed
from evaluators.text.language import say
from evaluators.text.normalise import one_line
from evaluators.trace.metrics import TRACEScores

FROM = "planted_from"
"""Where the origin of such data names the run that its answers are from."""
LEAST = 10
MOST = 60
"""Answers that are taken: each is asked about up to seven times."""
MOST_READ = 10 * MOST
"""Answers that are looked at for them, each time that the page offers it."""
MOST_CHARACTERS = 10_000_000
"""Of what is stored of them, for the same."""
MOST_OF_AN_ANSWER = 200_000
"""Characters with its documents: seven prompts with more would cost a fortune."""


class FoundErrors(Record):
    """How many of the planted errors of one kind were found; of untouched answers false alarms.

    `found` is the share whose answer is no longer called supported, `suspected` the share that is
    found so or by a suspicion beside the labels.
    """

    kind: str
    found: Mean
    suspected: Mean


class ChangedMind(Record):
    """How many answers are judged in another way where the content is the same."""

    kind: str
    changed: Mean


def plan_of_planted(view: RunView, by: View = WHAT_COUNTS, seed: int = 0) -> RunPlan:
    """The run that tests the labeller of this run by planted errors.

    Raises `ParameterError` for a run without labels of sentences, and for one of which fewer than
    `LEAST` answers are called supported and have room for an error.
    """
    run = view.run
    if not labels_sentences(run.evaluator):
        raise ParameterError(
            say("Errors are planted into sentences that are called supported: take a TRACE run.")
        )
    samples = list(_samples(view, by, Random(seed)))
    answers = sum(sample.situation == UNTOUCHED for sample in samples)
    if answers < LEAST:
        raise ParameterError(
            say(
                "Only {answers} answers are called supported and have a sentence for an error; "
                "{least} are needed. Take a run over more answers.",
                answers=answers,
                least=LEAST,
            )
        )
    dataset = Dataset(
        name=say("Planted errors: {run}", run=run.title),
        samples=tuple(samples),
        origin={FROM: run.id, "seed": seed},
    )
    return RunPlan(dataset, [from_spec(run.evaluator)], judges=run.judges, seed=seed)


def is_planted(run: Run) -> bool:
    """Whether the run tests a labeller by planted errors."""
    return FROM in run.origin


def found_errors(view: RunView, by: View = WHAT_COUNTS) -> list[FoundErrors]:
    """What the labeller of such a run found, kind by kind, and its false alarms."""
    suspects: set[Answer] = set()
    for counted in view.flaws(view=by).kinds:
        if counted.kind in (OTHER_NUMBER, OTHER_NAME, NEGATED):
            suspects.update(counted.answers)

    def found(row: Outline) -> float | None:
        supported = row.values.get("adherence")
        return None if supported is None else float(supported == 0)

    def suspected(row: Outline) -> float | None:
        is_suspect = Answer(row.position, row.model) in suspects
        said = found(row)
        return None if said is None else max(said, float(is_suspect))

    return [
        FoundErrors(kind=kind, found=_share(rows, found), suspected=_share(rows, suspected))
        for kind, rows in _by_kind(view, by, (*PLANTED, UNTOUCHED)).items()
    ]


def changed_minds(view: RunView, by: View = WHAT_COUNTS) -> list[ChangedMind]:
    """How often the labeller of such a run judges the same content in another way."""
    as_it_is = {
        row.question: row.values.get("adherence")
        for rows in _by_kind(view, by, (UNTOUCHED,)).values()
        for row in rows
    }

    def changed(row: Outline) -> float | None:
        before, after = as_it_is.get(row.question), row.values.get("adherence")
        return None if before is None or after is None else float(before != after)

    by_kind = _by_kind(view, by, SAME)
    return [ChangedMind(kind=kind, changed=_share(rows, changed)) for kind, rows in by_kind.items()]


def _by_kind(view: RunView, by: View, kinds: Iterable[str]) -> dict[str, list[Outline]]:
    """The rows of each of these kinds that has some."""
    rows: dict[str, list[Outline]] = {kind: [] for kind in kinds}
    for row in aggregate.of_metric(view.counted(by), 0):
        if row.situation in rows:
            rows[row.situation].append(row)
    return {kind: own for kind, own in rows.items() if own}


def _share(rows: list[Outline], value: Callable[[Outline], float | None]) -> Mean:
    """The share of the rows to which it applies of which it holds."""
    # A planted error is there whoever looks for it: that the heuristic finds it is no estimate.
    return mean_of_rows(rows, [value(row) for row in rows])


def _samples(view: RunView, by: View, rng: Random) -> Iterator[Sample]:
    """Copies of supported answers, each group one kind; a question is taken once."""
    right = Selection(values=(ValueName(0, "adherence"),), low=1)
    answers = list(view.answers(right, by))
    rng.shuffle(answers)
    asked: set[str] = set()
    others: list[str] = []
    taken = 0
    looked_at = view.first_within(answers[:MOST_READ], MOST_CHARACTERS)
    for answer, content in view.contents_one_by_one(looked_at):
        question = one_line(content.sample.question)
        texts = (content.response or "", *content.sample.evidence)
        is_long = sum(map(len, texts)) > MOST_OF_AN_ANSWER
        if is_long or question in asked:
            continue
        scores = view.labelled_sentences(answer, content, by)
        if scores is None:
            continue
        copies = list(_copies(content.answered, scores, others, rng))
        if copies:
            taken += 1
            asked.add(question)
            yield from copies
            if taken == MOST:
                return
            others.append(scores.sentences.response[-1].text)


def _copies(
    sample: Sample,
    scores: TRACEScores,
    others: list[str],
    rng: Random,
) -> Iterator[Sample]:
    """The answer as it is and with each error that fits; none where none does."""
    places = _supported_places(scores)
    if not places:
        return
    texts = [sentence.text for sentence in scores.sentences.response]
    place = rng.choice(places)
    keys = {item.key: item.supporting_keys for item in scores.labels.sentence_support}
    by_key = {item.key: item.text for own in scores.sentences.documents for item in own}
    carrying = keys[scores.sentences.response[place].key]
    source = Source(
        text=texts[place],
        evidence=" ".join(by_key[key] for key in dict.fromkeys(carrying) if key in by_key),
        documents="\n".join(sample.evidence),
        others=others,
    )
    changed = list(planted(source, rng))
    if not changed:
        return
    response = sample.response or ""
    yield _copy(sample, UNTOUCHED, response)
    for kind, text in changed:
        yield _copy(sample, kind.name, " ".join([*texts[:place], text, *texts[place + 1 :]]))
    documents = sample.retrieved_documents[::-1]
    if documents != sample.retrieved_documents:
        moved = {"retrieved_documents": documents, "sources": sample.sources[::-1]}
        yield _copy(sample.model_copy(update=moved), ORDER.name, response)
    yield _copy(sample, LENGTH.name, f"{response} {courtesy(response)}")


def _supported_places(scores: TRACEScores) -> list[int]:
    """Where sentences stand that claim something, and that a document sentence carries."""
    supports = {item.key: item for item in scores.labels.sentence_support}
    response = scores.sentences.response
    claims = claimed([sentence.text for sentence in response])
    places = []
    for place, (sentence, claim) in enumerate(zip(response, claims, strict=True)):
        support = supports.get(sentence.key)
        is_full = support is not None and support.support is Support.FULL
        if support and is_full and support.supporting_keys and not claim.why_nothing:
            places.append(place)
    return places


def _copy(sample: Sample, kind: str, response: str) -> Sample:
    return Sample(
        id=f"{sample.id} · {kind}",
        question=sample.question,
        response=response,
        retrieved_documents=sample.retrieved_documents,
        situation=kind,
        sources=sample.sources,
        earlier_turns=sample.earlier_turns,
    )
