"""What a check of a labeller finds: its values beside those of people, and the mean corrected."""

from __future__ import annotations

from typing import Literal

from evaluators.people.correction import EstimatedMean
from evaluators.records import Cell, Record

Against = Literal["people", "gold"]


class TwoByTwo(Record):
    """Which answers labeller and people give the same yes or no, and which not."""

    both_yes: tuple[Cell, ...] = ()
    only_labeller: tuple[Cell, ...] = ()
    only_people: tuple[Cell, ...] = ()
    both_no: tuple[Cell, ...] = ()

    @property
    def differing(self) -> int:
        return len(self.only_labeller) + len(self.only_people)


class Distance(Record):
    """How far the labeller's values lie from people's: 0 is best.

    `bias` is how much higher they are in the mean. `rmse_of_constant` is the distance of a labeller
    that always gives people's mean: one that is not below it tells nothing of single answers. The
    95 % interval of `rmse` is over answers, or the questions that these answer.
    """

    rmse: float
    rmse_of_constant: float
    bias: float
    rmse_interval: tuple[float, float] | None = None


class More(Record):
    """What further labels would bring: half the interval's width with them."""

    labels: int
    half: float


class ValueCheck(Record):
    """One value of a labeller beside what people say.

    `judged` is its mean over `answers`, of which people labelled `labelled`. `alone` is the mean
    by these labels alone (`None` without any), `corrected` the mean with the labeller's values of
    all answers (`None` below 15 labels). `worth` is how many labels alone would be as good as
    these are with the labeller.

    Yes-or-no values have a `table`, `sensitivity` (the share of people's yes that it sees) and
    `specificity` (of people's no) where there is such an answer, each with Wilson's interval. All
    others have a `distance`. `kappa` and `auroc` have 95 % intervals over answers, or the questions
    that these answer.

    `is_drawn` tells that the labels are of answers drawn at random; `weighting` says why some count
    more than others, where they do. `headline` is the corrected mean for the top of a page: it is
    there from 15 labels of a random draw on.
    """

    name: str
    answers: int
    judged: float
    labelled: int
    alone: EstimatedMean | None = None
    corrected: EstimatedMean | None = None
    worth: int | None = None
    more: More | None = None
    table: TwoByTwo | None = None
    sensitivity: EstimatedMean | None = None
    specificity: EstimatedMean | None = None
    kappa: float | None = None
    kappa_interval: tuple[float, float] | None = None
    auroc: float | None = None
    auroc_interval: tuple[float, float] | None = None
    distance: Distance | None = None
    is_drawn: bool = False
    weighting: str = ""
    sentence: str = ""
    headline: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def best(self) -> EstimatedMean | None:
        """What people would say of all answers, as well as it is known."""
        return self.corrected or self.alone


class Check(Record):
    """A labeller against people, or against the labels of the data, value by value.

    `people` names who labelled; `labelled` counts the answers with a label of any value.
    """

    labeller: str
    against: Against
    people: tuple[str, ...]
    labelled: int
    values: tuple[ValueCheck, ...]

    @property
    def sentence(self) -> str:
        """What can be read out: of the first value that was labelled."""
        labelled = [value for value in self.values if value.labelled]
        first = (labelled or list(self.values))[:1]
        return first[0].sentence if first else "Nothing is checked yet."

    @property
    def headline(self) -> str:
        """The first corrected mean from a random draw, with the labeller's own; else empty."""
        return next((value.headline for value in self.values if value.headline), "")

    def __str__(self) -> str:
        """What can be read out of every labelled value, with what to beware of."""
        lines = []
        for value in self.values:
            if value.labelled:
                notes = filter(None, [value.weighting, *value.warnings])
                lines += [value.sentence, *(f"  {note}" for note in notes)]
        return "\n".join(lines) or self.sentence
