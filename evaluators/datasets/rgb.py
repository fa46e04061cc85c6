"""RGB test beds: rows of positive and negative documents, and the prompts composed from them.

Composition follows the benchmark's script (arXiv 2309.01431): ceil(passages * noise) negatives, the
rest positives, the first of each in the bed's order; where one kind runs out the other fills up;
integration takes one document of each sub-question first, so it cannot always reach the noise asked
for; planted errors take forged documents alone, up to `passages`. What a prompt really holds is its
effective noise.

It deviates in this: any seed but 0 takes other documents; each prompt has its own order, where the
script has one seed for all rows; integration fills up with positives where negatives run out;
planted errors are asked without noise and without the true documents (`noise_rate` and
`correct_rate` of the script).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final, Literal

from pydantic import Field

from evaluators.datasets.sampling import in_random_order
from evaluators.errors import ParameterError
from evaluators.messages import as_stored
from evaluators.numbers import share, truth, whole_number
from evaluators.records import (
    Ability,
    Accepted,
    Dataset,
    DocumentRole,
    Record,
    RGBTask,
    Sample,
)
from evaluators.text.language import say
from evaluators.text.printable import shown
from evaluators.text.words import counted

# Those of the paper's tables
NOISE_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8)
PASSAGES = 5
BY_ROW: Final = "by_row"
"""In place of an ability: each recorded answer is judged for what it looks like by itself."""


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
    def positive_groups(self) -> tuple[tuple[str, ...], ...]:
        """The positive documents of each sub-question; but for integration there is one."""
        parts = [part for part in self.positive if not isinstance(part, str)]
        whole = tuple(part for part in self.positive if isinstance(part, str))
        return (whole,) if whole else tuple(parts)

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
    fill_up: bool = False,
) -> Dataset:
    """The samples to ask: every ability over its rows, at every noise level that it knows.

    `sample` is how many rows of each ability are taken, at random; all where it is not given.

    Noise robustness and integration use `noise_levels` (shares from 0 to 1); rejection has noise 1,
    planted errors noise 0; with `fill_up` these get documents beside the point where fewer than
    `passages` are forged. The seed 0 takes the first documents of each kind, as the benchmark does,
    any other takes others. The same seed gives the same documents in the same order, whatever else
    is asked. Raises `ParameterError` for an unknown ability and for what is no share or number.
    """
    if not isinstance(bed, TestBed):
        raise ParameterError(f"bed is {shown(bed)}. Give what load_data gives of a test bed.")
    tested = [_ability(name) for name in _listed(abilities)]
    shares = [share(level, "noise_levels") for level in _listed(noise_levels)]
    passages = whole_number(passages, "passages", least=1)
    seed = whole_number(seed, "seed", least=None)
    sample = None if sample is None else whole_number(sample, "sample")
    fill_up = truth(fill_up, "fill_up")
    # Rejection is tested with noise alone, planted errors without any
    fixed_levels = {Ability.REJECTION: (1.0,), Ability.COUNTERFACTUAL: (0.0,)}
    samples: list[Sample] = []
    for ability in tested:
        rows = [row for row in bed.rows if ability in row.abilities]
        chosen = in_random_order([row.id for row in rows], seed)[:sample]
        levels = fixed_levels.get(ability, shares)
        for position in sorted(chosen):
            for noise in levels:
                prompt = _composed_sample(rows[position], ability, noise, passages, seed, fill_up)
                samples.append(prompt)
    origin = {
        **bed.origin,
        "test_bed": bed.name,
        "abilities": [ability.value for ability in tested],
        "noise_levels": shares,
        "passages": passages,
        "seed": seed,
        "sample": sample,
        **({"fill_up": True} if fill_up else {}),
    }
    return Dataset(name=bed.name, samples=tuple(samples), origin=origin)


def _listed(values: Any) -> list[Any]:
    """The values, also where only one is given."""
    is_alone = isinstance(values, str) or not hasattr(type(values), "__iter__")
    # An array without a dimension holds one value.
    is_alone = is_alone or getattr(values, "shape", None) == ()
    return [values] if is_alone else list(values)


def _ability(name: Any) -> Ability:
    if isinstance(name, str) and name in list(Ability):
        return Ability(name)
    raise ParameterError(f"No ability is called {shown(name)}. Known: {', '.join(Ability)}.")


def recorded_answer(row: Mapping[str, Any]) -> Sample:
    """The sample in one row of RGB answers, its ability guessed from this row alone."""
    noise = row.get("noise_rate")
    sample = Sample(
        id=str(row["id"]),
        question=row["query"],
        response=row["prediction"],
        retrieved_documents=tuple(row.get("docs") or ()),
        ground_truth=row.get("ans"),
    )
    planted = row.get("fakeanswer")
    # Answers to any bed have a `factlabel`. That of planted errors writes a true answer as one
    # text, the others as a list.
    is_of_facts = "factlabel" in row and isinstance(sample.ground_truth, str)
    ability = Ability.COUNTERFACTUAL if planted or is_of_facts else Ability.NOISE
    task = RGBTask(ability=ability, noise=noise, counterfactual=planted)
    sample = sample.model_copy(update={"rgb": task})
    return with_ability(sample, _ability_alone(sample))


def with_one_ability(dataset: Dataset) -> tuple[Dataset, str]:
    """Recorded answers, all of the ability that most of them test, and what was taken, in words.

    A file holds the answers to one test bed: its rows differ in what they look like, not in what
    they test. `all_with_ability(dataset, BY_ROW)` has each row judged for its own.
    """
    count = len(dataset.samples)
    alone = Counter(_ability_alone(sample) for sample in dataset.samples)
    several = sum(_has_parts(sample.ground_truth) for sample in dataset.samples)
    ability = max(Ability, key=lambda each: alone[each])
    # A prompt for several sub-questions holds a document for each, whatever the noise asked for
    if 2 * several > count and ability is not Ability.COUNTERFACTUAL:
        ability = Ability.INTEGRATION
    name = say(ability.label.lower())
    note = say("Read as {ability}.", ability=name)
    without_noise = alone[Ability.REJECTION]
    if ability is Ability.INTEGRATION and several < count:
        rows = counted(count - several, "row")
        note = say("Read as {ability}; {rows} with one-part answers.", ability=name, rows=rows)
    elif several and ability is not Ability.INTEGRATION:
        rows = counted(several, "row")
        note = say("Read as {ability}; {rows} with two-part answers.", ability=name, rows=rows)
    elif without_noise and ability is Ability.NOISE:
        rows = counted(without_noise, "row")
        note = say("Read as {ability}; {rows} with a noise of 1.", ability=name, rows=rows)
    one = all_with_ability(dataset, ability)
    return one.model_copy(update={"origin": {**one.origin, "read_as": as_stored(note)}}), note


def with_ability(sample: Sample, ability: Ability) -> Sample:
    """The sample, to be judged for this ability."""
    task = RGBTask(ability=ability)
    if sample.rgb:
        task = sample.rgb.model_copy(update={"ability": ability})
    return sample.model_copy(update={"rgb": task})


def all_with_ability(dataset: Dataset, ability: Ability | Literal["by_row"]) -> Dataset:
    """The data set, every sample of it to be judged for this ability.

    With `BY_ROW` each is judged for what it looks like by itself: abilities are mixed.
    """
    samples = []
    for sample in dataset.samples:
        own = _ability_alone(sample) if ability == BY_ROW else Ability(ability)
        samples.append(with_ability(sample, own))
    origin = {name: dataset.origin[name] for name in dataset.origin if name != "read_as"}
    origin["abilities"] = [str(ability)]
    return dataset.model_copy(update={"samples": tuple(samples), "origin": origin})


def _ability_alone(sample: Sample) -> Ability:
    """What one answer tests, by its planted error, its noise and its true answers."""
    task = sample.rgb
    if task and (task.counterfactual or task.ability is Ability.COUNTERFACTUAL):
        return Ability.COUNTERFACTUAL
    if task and task.noise == 1:
        return Ability.REJECTION
    return Ability.INTEGRATION if _has_parts(sample.ground_truth) else Ability.NOISE


def _has_parts(truth: Accepted | None) -> bool:
    """Whether several answers are required."""
    return truth is not None and not isinstance(truth, str) and len(truth) > 1


def _composed_sample(
    row: BedRow,
    ability: Ability,
    noise: float,
    passages: int,
    seed: int,
    fill_up: bool,
) -> Sample:
    # Of the prompt's own facts: leaving out others must not change it
    rng = random.Random(f"{seed}/{ability}/{row.id}/{float(noise)}")
    positives, least = _positives_in_order(row, ability, rng)
    negatives = list(row.negative)
    if seed:
        # The same order at every noise level, whose prompts so differ in as few documents as can be
        order = random.Random(f"{seed}/{row.id}")
        order.shuffle(negatives)
        if ability is Ability.NOISE:
            order.shuffle(positives)
    if ability is Ability.COUNTERFACTUAL and not fill_up:
        negatives = []
    take, fill = _counts(passages, noise, len(positives), len(negatives), least)
    role = DocumentRole.ANSWER
    planted_error = None
    if ability is Ability.COUNTERFACTUAL:
        role = DocumentRole.PLANTED
        planted_error = row.fakeanswer
    documents = [(text, role) for text in positives[:take]]
    documents += [(text, DocumentRole.BESIDE) for text in negatives[:fill]]
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
