"""A labeller tested without a single label: how many planted errors of each kind does it find?

Answers that it calls supported are asked about again, each as it is and with one error in one of
its sentences: an ordinary run over made-up samples, whose groups are the kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evaluators.catalogue import from_spec, labels_sentences
from evaluators.errors import ParameterError
from evaluators.flaws.kinds import NEGATED, OTHER_NAME, OTHER_NUMBER
from evaluators.flaws.planting import PLANTED, UNTOUCHED, Source, planted
from evaluators.records import Dataset, Record, Run, Sample, Support
from evaluators.runs import aggregate
from evaluators.runs.aggregate import Mean, View, mean_of, units
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
"""Answers that are taken: each is asked about up to five times."""


class FoundErrors(Record):
    """How many of the planted errors of one kind were found; of untouched answers false alarms.

    `found` is the share whose answer is no longer called supported, `suspected` the share that is
    found so or by a suspicion beside the labels.
    """

    kind: str
    found: Mean
    suspected: Mean


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
    rows = aggregate.of_metric(view.counted(by), 0)
    flaws = view.flaws(view=by)
    suspects: set[Answer] = set()
    for counted in flaws.kinds:
        if counted.kind in (OTHER_NUMBER, OTHER_NAME, NEGATED):
            suspects.update(counted.answers)
    every = []
    for kind_name in (*PLANTED, UNTOUCHED):
        own = [row for row in rows if row.situation == kind_name]
        if own:
            every.append(
                FoundErrors(
                    kind=kind_name, found=_share(own, set()), suspected=_share(own, suspects)
                )
            )
    return every


def _share(rows: list[Outline], suspects: set[Answer]) -> Mean:
    """The share of the judged rows that are not called supported, or are among the suspects."""
    judged = [row for row in rows if row.values.get("adherence") is not None]
    failed = sum(row.status == "failed" for row in rows)
    values = [
        float(row.values["adherence"] == 0 or Answer(row.position, row.model) in suspects)
        for row in judged
    ]
    return mean_of(
        values,
        units(judged),
        asked=len(rows),
        not_applicable=len(rows) - len(judged) - failed,
        failed=failed,
        # A planted error is there whoever looks for it: that the heuristic finds it is a count.
        estimated=0,
    )


def _samples(view: RunView, by: View, rng: Random) -> Iterator[Sample]:
    """Copies of supported answers, each group one kind; a question is taken once."""
    right = Selection(values=(ValueName(0, "adherence"),), low=1)
    answers = list(view.answers(right, by))
    rng.shuffle(answers)
    asked: set[str] = set()
    others: list[str] = []
    taken = 0
    for answer, content in view.contents_one_by_one(answers):
        scores = view.labelled_sentences(answer, content, by)
        question = one_line(content.sample.question)
        if taken == MOST or scores is None or question in asked:
            continue
        copies = list(_copies(content.answered, scores, others, rng))
        if copies:
            taken += 1
            asked.add(question)
            yield from copies
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
        documents="\n".join(sample.retrieved_documents),
        others=others,
    )
    changed = list(planted(source, rng))
    if not changed:
        return
    yield _copy(sample, UNTOUCHED, sample.response or "")
    for kind, text in changed:
        yield _copy(sample, kind.name, " ".join([*texts[:place], text, *texts[place + 1 :]]))


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
    )
