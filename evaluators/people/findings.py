"""What a check found in plain words: one sentence to read out, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluators.people.checked import Against, ValueCheck
from evaluators.people.correction import LEAST
from evaluators.people.records import RANDOM, LabelledSample
from evaluators.records import Cell
from evaluators.statistics import wilson
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE
from evaluators.text.words import counted, readable

RULES, LABELLERS = mark("the rules"), mark("the labellers")
PLURAL = (RULES, LABELLERS)


class Told(NamedTuple):
    """What is told of: a labeller's values of one name, against people or published labels."""

    labeller: str
    value: str
    against: Against

    @property
    def title(self) -> str:
        return readable(self.value)

    @property
    def said_labeller(self) -> str:
        """The labeller in the reader's language."""
        return say(self.labeller)

    def judged(self, share: float) -> str:
        """What the labeller says, to begin with: "the judge says 84 %"."""
        blanks = {"labeller": self.said_labeller, "share": RATE.shown(share)}
        if self.labeller in PLURAL:
            return say("{labeller} say {share}", **blanks)
        return say("{labeller} says {share}", **blanks)

    def counted_by_labels(self, share: float, low: float, high: float) -> str:
        """What labels say: "people say 71 % (64 to 78)"."""
        estimate = RATE.with_interval(share, low, high)
        if self.against == "people":
            return say("people say {estimate}", estimate=estimate)
        return say("the labels of the data say {estimate}", estimate=estimate)


def sentence_of_value(told: Told, value: ValueCheck) -> str:
    """Who says what, for reading out: "the judge says 84 %, people say 71 % (64 to 78)"."""
    title, judged = told.title, told.judged(value.judged)
    if value.alone is None:
        return say("{value}: {judged}; nobody has labelled it yet.", value=title, judged=judged)
    if value.corrected is None:
        alone = value.alone
        return say(
            "{value}: {judged}; by {labels} alone {people}. From {least} on, labels correct the "
            "mean.",
            value=title,
            judged=judged,
            labels=counted(value.labelled, "label"),
            people=told.counted_by_labels(alone.mean, alone.low, alone.high),
            least=LEAST,
        )
    corrected = value.corrected
    people = told.counted_by_labels(corrected.mean, corrected.low, corrected.high)
    return say("{value}: {judged}, {people}.", value=title, judged=judged, people=people)


def headline_of_value(told: Told, value: ValueCheck) -> str:
    """The corrected mean with the labeller's own beside it; empty without a random draw."""
    if value.corrected is None or not value.is_drawn or told.against != "people":
        return ""
    corrected = value.corrected
    return say(
        "{value}: people {estimate}, {labeller} alone {judged}. From "
        "{labels} of answers drawn at random.",
        value=told.title,
        estimate=RATE.estimate(corrected),
        labeller=told.said_labeller,
        judged=RATE.shown(value.judged),
        labels=counted(value.labelled, "label"),
    )


def weighting(told: Told, is_by_verdict: bool) -> str:
    """Why labels of values between 0 and 1 count differently."""
    text = mark("Weighted by verdict: {how}.")
    if is_by_verdict:
        text = mark("Weighted, because the answers were drawn by verdict: {how}.")
    return say(
        text,
        how=say(
            "a label counts for the answers that have the same verdict of {labeller}",
            labeller=told.said_labeller,
        ),
    )


def weighting_of_verdicts(
    told: Told,
    is_by_verdict: bool,
    labelled: tuple[int, int],
    every: tuple[int, int],
) -> str:
    """The same of a yes-or-no value; of both pairs the first number are those with a no."""
    text = mark("Weighted by verdict: {how}.")
    if is_by_verdict:
        text = mark("Weighted, because the answers were drawn by verdict: {how}.")
    return say(
        text,
        how=say(
            "{labelled_no:,} of the {labelled:,} labelled answers have a no of {labeller}, and "
            "{no:,} of all {answers:,}",
            labelled_no=labelled[0],
            labelled=labelled[1],
            labeller=told.said_labeller,
            no=every[0],
            answers=every[1],
        ),
    )


def points(half: float) -> float:
    """Half an interval in points of a hundred, as it is shown."""
    return round(100 * half, 1)


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
            say(
                "{answers} without this value: labels that it needs are missing, or are of "
                "sentences that the text no longer has.",
                answers=answers,
            )
        )
    seen = sum(not sample.blind for sample in counted_labels)
    if seen:
        found.append(
            say(
                "{labels} given with those of {labeller} in sight: people then agree more often "
                "than blind.",
                labels=counted(seen, "label"),
                labeller=told.said_labeller,
            )
        )
    return tuple(found)


def _of_drawing(
    labelled: Sequence[LabelledSample], counted_labels: Sequence[LabelledSample]
) -> Iterator[str]:
    left_out = len(labelled) - len(counted_labels)
    if left_out:
        yield say("{labels} left out: not drawn at random.", labels=counted(left_out, "label"))
    unknown = sum(sample.drawn == "not known" for sample in counted_labels)
    if unknown:
        yield say(
            "{labels} of answers of which it is not told how they were drawn: unless at random, "
            "the mean of all answers may lie elsewhere.",
            labels=counted(unknown, "label"),
        )
    chosen = sum(sample.drawn not in RANDOM for sample in counted_labels) - unknown
    if chosen:
        yield say(
            "{labels} of answers that were chosen, not drawn at random: the mean of all answers "
            "may lie elsewhere, however many there are.",
            labels=counted(chosen, "label"),
        )
    if len(counted_labels) == 1:
        yield say("One label tells almost nothing: label some more.")


def _of_verdicts(
    told: Told,
    value: ValueCheck,
    judged: Mapping[Cell, float],
) -> Iterator[str]:
    if value.labelled and len(set(judged.values())) == 1:
        yield say(
            "{labeller} gives all answers the same value: only the labels count.",
            labeller=told.said_labeller,
        )
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
            yield say(
                "None of the {answers} that {labeller} gives a {verdict} is labelled: half of "
                "them might be wrong.",
                answers=counted(answers, "answer"),
                labeller=told.said_labeller,
                verdict=say(verdict),
            )
    if not table.differing:
        # None seen is not none: this is the upper end of the interval.
        most = RATE.shown(wilson(0, value.labelled)[1])
        yield say(
            "No disagreement in {labels}: up to {most} of all verdicts may still be wrong.",
            labels=counted(value.labelled, "label"),
            most=most,
        )
