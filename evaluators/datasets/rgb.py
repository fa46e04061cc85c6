"""RGB test beds: rows of positive and negative documents, and the prompts composed from them.

Composition follows the benchmark's script (arXiv 2309.01431): ceil(passages * noise) negatives, the
rest positives; where one kind runs out the other fills up; integration takes one document of each
sub-question first, so it cannot always reach the noise asked for. What a prompt really holds is its
effective noise.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

from pydantic import Field

from evaluators.datasets.sampling import in_random_order
from evaluators.records import (
    Ability,
    Accepted,
    Dataset,
    DocumentRole,
    Record,
    RGBTask,
    Sample,
)

# Those of the paper's tables
NOISE_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8)
PASSAGES = 5


class BedRow(Record):
    """One source row of a test bed.

    `positive` is a list of lists for integration, one list for each sub-question.
    """

    id: str
    query: str
    answer: Accepted
    positive: tuple[str, ...] | tuple[tuple[str, ...], ...]
    negative: tuple[str, ...]
    positive_wrong: tuple[str, ...] = ()
    fakeanswer: Accepted | None = None

    @property
    def abilities(self) -> tuple[Ability, ...]:
        """What the row can test: planted errors, several sub-questions, or noise and rejection."""
        if self.positive_wrong:
            return (Ability.COUNTERFACTUAL,)
        if self.positive and not isinstance(self.positive[0], str):
            return (Ability.INTEGRATION,)
        return (Ability.NOISE, Ability.REJECTION)


class TestBed(Record):
    """Source rows under a name; rows for different abilities may stand together.

    `origin` says where they are from.
    """

    __test__ = False  # not a test, whatever pytest thinks of the name

    name: str
    rows: tuple[BedRow, ...]
    origin: dict[str, Any] = Field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.name, self.rows))

    @property
    def abilities(self) -> tuple[Ability, ...]:
        found = {ability for row in self.rows for ability in row.abilities}
        return tuple(ability for ability in Ability if ability in found)


def compose(
    bed: TestBed,
    abilities: Sequence[Ability],
    noise_levels: Sequence[float] = NOISE_LEVELS,
    passages: int = PASSAGES,
    seed: int = 0,
    sample: int | None = None,
) -> Dataset:
    """The samples to ask: every ability over its rows, at every noise level that it knows.

    `sample` is how many rows of each ability are taken, at random; all where it is not given.

    Noise robustness and integration use `noise_levels` (shares from 0 to 1); rejection has noise 1,
    planted errors noise 0. The same seed gives the same documents in the same order, whatever else
    is asked.
    """
    # Rejection is tested with noise alone, planted errors without any
    fixed_levels = {Ability.REJECTION: (1.0,), Ability.COUNTERFACTUAL: (0.0,)}
    samples: list[Sample] = []
    for ability in abilities:
        rows = [row for row in bed.rows if ability in row.abilities]
        chosen = in_random_order([row.id for row in rows], seed)[:sample]
        levels = fixed_levels.get(ability, noise_levels)
        for position in sorted(chosen):
            for noise in levels:
                prompt = _composed_sample(rows[position], ability, noise, passages, seed)
                samples.append(prompt)
    origin = {
        **bed.origin,
        "test_bed": bed.name,
        "abilities": [ability.value for ability in abilities],
        "noise_levels": list(noise_levels),
        "passages": passages,
        "seed": seed,
        "sample": sample,
    }
    return Dataset(name=bed.name, samples=tuple(samples), origin=origin)


def recorded_answer(row: Mapping[str, Any]) -> Sample:
    """The sample in one row of RGB answers, its ability guessed from noise and answers."""
    noise = row.get("noise_rate")
    sample = Sample(
        id=str(row["id"]),
        question=row["query"],
        response=row["prediction"],
        retrieved_documents=tuple(row.get("docs") or ()),
        ground_truth=row.get("ans"),
    )
    planted = row.get("fakeanswer")
    ability = Ability.COUNTERFACTUAL if planted else _guess(sample.ground_truth, noise)
    return sample.model_copy(
        update={"rgb": RGBTask(ability=ability, noise=noise, counterfactual=planted)}
    )


def with_ability(sample: Sample, ability: Ability) -> Sample:
    """The sample, to be judged for this ability."""
    task = RGBTask(ability=ability)
    if sample.rgb:
        task = sample.rgb.model_copy(update={"ability": ability})
    return sample.model_copy(update={"rgb": task})


def all_with_ability(dataset: Dataset, ability: Ability) -> Dataset:
    """The data set, every sample of it to be judged for this ability."""
    samples = tuple(with_ability(sample, ability) for sample in dataset.samples)
    origin = {**dataset.origin, "abilities": [ability.value]}
    return dataset.model_copy(update={"samples": samples, "origin": origin})


def _guess(truth: Accepted | None, noise: float | None) -> Ability:
    if noise == 1:
        return Ability.REJECTION
    several = truth is not None and not isinstance(truth, str) and len(truth) > 1
    return Ability.INTEGRATION if several else Ability.NOISE


def _composed_sample(
    row: BedRow,
    ability: Ability,
    noise: float,
    passages: int,
    seed: int,
) -> Sample:
    # Of the prompt's own facts: leaving out others must not change it
    rng = random.Random(f"{seed}/{ability}/{row.id}/{float(noise)}")
    positives, least = _positives_in_order(row, ability, rng)
    take, fill = _counts(passages, noise, len(positives), len(row.negative), least)
    role = DocumentRole.ANSWER
    planted_error = None
    if ability is Ability.COUNTERFACTUAL:
        role = DocumentRole.PLANTED
        planted_error = row.fakeanswer
    documents = [(text, role) for text in positives[:take]]
    documents += [(text, DocumentRole.BESIDE) for text in row.negative[:fill]]
    rng.shuffle(documents)
    task = RGBTask(
        ability=ability,
        noise=noise,
        effective_noise=fill / len(documents) if documents else None,
        counterfactual=planted_error,
    )
    first_word = ability.label.split()[0].lower()
    return Sample(
        id=f"{first_word}-{row.id}-{100 * noise:g}",
        question=row.query,
        retrieved_documents=tuple(text for text, _ in documents),
        ground_truth=row.answer,
        rgb=task,
        roles=tuple(role for _, role in documents),
    )


def _positives_in_order(
    row: BedRow,
    ability: Ability,
    rng: random.Random,
) -> tuple[list[str], int]:
    """The positive documents in the order of taking, and how many must be taken at least."""
    if ability is Ability.COUNTERFACTUAL:
        return rng.sample(row.positive_wrong, len(row.positive_wrong)), 0
    if ability is not Ability.INTEGRATION:
        return [str(text) for text in row.positive], 0
    groups: list[list[str]] = []
    for group in row.positive:
        if not isinstance(group, str):
            groups.append(rng.sample(group, len(group)))
    # One of each sub-question in turn, so that the first few answer all of them
    turns = chain.from_iterable(zip_longest(*groups))
    return [text for text in turns if text is not None], len(groups)


def _counts(
    passages: int,
    noise: float,
    positives: int,
    negatives: int,
    least: int,
) -> tuple[int, int]:
    """How many positives and negatives a prompt takes."""
    if noise == 1 and not least:
        return 0, min(passages, negatives)
    # Rounded, for 0.07 * 100 is 7.000000000000001
    noisy = math.ceil(round(passages * noise, 9))
    take = min(max(passages - noisy, least), positives)
    fill = min(max(passages - take, 0), negatives)
    # Where there are too few negatives, positives fill up
    take = min(max(passages - fill, take), positives)
    return take, fill
