"""What a check found in plain words: one sentence to read out, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluators.people.checked import Against, ValueCheck
from evaluators.people.correction import LEAST
from evaluators.people.records import LabelledSample
from evaluators.records import Cell
from evaluators.statistics import wilson
from evaluators.text.words import counted

PLURAL = ("the rules", "the labellers")


class Told(NamedTuple):
    """What is told of: a labeller's values of one name, against people or published labels."""

    labeller: str
    value: str
    against: Against

    @property
    def title(self) -> str:
        return self.value.replace("_", " ").capitalize()

    @property
    def says(self) -> str:
        """The labeller as the beginning of what it says."""
        is_plural = self.labeller in PLURAL
        return f"{self.labeller} {'say' if is_plural else 'says'}"

    @property
    def people(self) -> str:
        return "people say" if self.against == "people" else "the labels of the data say"


def sentence_of_value(told: Told, value: ValueCheck) -> str:
    """Who says what, for reading out: "the judge says 84 %, people say 71 % (64 to 78 %)"."""
    judged = f"{told.title}: {told.says} {percent(value.judged)}"
    if value.alone is None:
        return f"{judged}; nobody has labelled it yet."
    if value.corrected is None:
        few = counted(value.labelled, "label")
        low, high = value.alone.low, value.alone.high
        return (
            f"{judged}; by {few} alone {told.people} {percent(value.alone.mean)} "
            f"({percents(low, high)}). From {LEAST} on, labels correct the mean."
        )
    low, high = value.corrected.low, value.corrected.high
    return f"{judged}, {told.people} {percent(value.corrected.mean)} ({percents(low, high)})."


def warnings_of_value(
    told: Told,
    value: ValueCheck,
    judged: Mapping[Cell, float],
    labelled: Sequence[LabelledSample],
    counted_labels: Sequence[LabelledSample],
    without_value: int,
) -> tuple[str, ...]:
    """What keeps the figures of a value from being what they seem.

    `labelled` are the answers with a label of the value, `counted_labels` those that entered it,
    `without_value` is how many were labelled without determining it.
    """
    found = [*_of_drawing(labelled, counted_labels), *_of_verdicts(told, value, judged)]
    if without_value:
        answers = counted(without_value, "labelled answer")
        found.append(
            f"{answers} without this value: labels that it needs are missing, or are of sentences "
            "that the text no longer has."
        )
    seen = sum(not sample.blind for sample in counted_labels)
    if seen:
        found.append(
            f"{counted(seen, 'label')} given with {told.labeller}'s labels in sight: people then "
            "agree more often than blind."
        )
    return tuple(found)


def _of_drawing(
    labelled: Sequence[LabelledSample], counted_labels: Sequence[LabelledSample]
) -> Iterator[str]:
    left_out = len(labelled) - len(counted_labels)
    if left_out:
        yield f"{counted(left_out, 'label')} left out: not drawn at random."
    chosen = sum(sample.drawn not in ("at random", "by verdict") for sample in counted_labels)
    if chosen:
        yield (
            f"{counted(chosen, 'label')} of answers that were chosen, not drawn at random: the "
            "mean of all answers may lie elsewhere, however many there are."
        )
    if len(counted_labels) == 1:
        yield "One label tells almost nothing: label some more."


def _of_verdicts(
    told: Told,
    value: ValueCheck,
    judged: Mapping[Cell, float],
) -> Iterator[str]:
    if value.labelled and len(set(judged.values())) == 1:
        yield f"{told.labeller} gives all answers the same value: only the labels count."
    # What follows tells of verdicts, which values between 0 and 1 do not have.
    if value.table is None:
        return
    table = value.table
    labelled_yes = len(table.both_yes) + len(table.only_labeller)
    labelled_no = len(table.both_no) + len(table.only_people)
    all_yes = sum(map(bool, judged.values()))
    verdicts = {
        "yes": (labelled_yes, all_yes),
        "no": (labelled_no, len(judged) - all_yes),
    }
    for verdict, (labels, answers) in verdicts.items():
        if answers and not labels:
            yield (
                f"None of the {counted(answers, 'answer')} that {told.labeller} gives a {verdict} "
                "is labelled: half of them might be wrong."
            )
    if not table.differing:
        # None seen is not none: this is the upper end of the interval.
        most = percent(wilson(0, value.labelled)[1])
        yield (
            f"No disagreement in {counted(value.labelled, 'label')}: up to {most} of all verdicts "
            "may still be wrong."
        )


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def percents(low: float, high: float) -> str:
    return f"{100 * low:.0f} to {100 * high:.0f} %"
