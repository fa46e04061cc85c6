"""A column of scores as a labeller: which value another tool or a person scored, on which scale."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluators.datasets import ragbench
from evaluators.datasets.given_scores import baseline_of
from evaluators.datasets.names import folded
from evaluators.errors import ParameterError
from evaluators.people.check import check
from evaluators.people.checked import Against, Check
from evaluators.people.records import LabelledSample, stratum_of
from evaluators.records import Cell, Dataset, Record, Sample
from evaluators.text.language import mark, say
from evaluators.text.scale import NO_VALUE
from evaluators.text.sentences import cut
from evaluators.text.words import counted
from evaluators.trace.labelling import GOLD
from evaluators.trace.metrics import trace_scores
from evaluators.trace.values import TRACE_VALUES
from evaluators.values import Value

YES_FROM = 0.5
SHOWN = 3
"""Words of a column that a message shows."""
_PERCENT = re.compile(r"-?\d+(\.\d+)?\s?%")
_HIGHER_IS_WORSE = re.compile("hallucinat|error|wrong|unsupported|toxic|bias|violat|distance")

Scores = Mapping[Cell, float | str]
"""What a column says of answers, as it stands there."""


class ScoreColumn(Record):
    """A column by its name, the value that it scores, and how its scores are read.

    `scale` is "worst:best", as numbers or words ("1:5", "1:0", "wrong:right"); empty where all
    scores are numbers from 0 to 1 and 1 is the best. From `yes_from` on, between 0 and 1, a score
    of a yes-or-no value is a yes.
    """

    name: str
    value: str
    scale: str = ""
    yes_from: float = YES_FROM

    def read(self, scores: Scores) -> dict[Cell, float]:
        """The scores from 0 to 1 by the scale, without those that are not on it.

        Raises `ParameterError` where there is no scale and they need one, or none fits.
        """
        # A Chinese keyboard has a colon of its own.
        scale = self.scale.replace("：", ":") or ("0:1" if baseline_of(self.name) else "")
        if not scale:
            self._refuse_other_scales(scores)
        worst, _, best = (scale or "0:1").partition(":")
        low, high = _number(worst), _number(best)
        words = {worst.strip().casefold(): 0.0, best.strip().casefold(): 1.0}
        found = {}
        for cell, score in scores.items():
            if low is None or high is None:
                number = words.get(_as_word(score))
            else:
                number = _between(_number(score), low, high)
            if number is not None:
                found[cell] = number
        if not found or worst.strip() == best.strip():
            raise ParameterError(
                say(
                    "No score of “{column}” lies on the scale {scale}. It holds {examples}. Give "
                    "its scale as worst:best, such as 1:5 or wrong:right.",
                    column=self.name,
                    scale=scale,
                    examples=_examples(scores),
                )
            )
        return found

    def _refuse_other_scales(self, scores: Scores) -> None:
        numbers = [number for score in scores.values() if (number := _number(score)) is not None]
        words = [score for score in scores.values() if isinstance(score, str)]
        blanks: dict[str, object] = {"column": self.name, "examples": _examples(scores)}
        if any(map(_PERCENT.fullmatch, words)):
            text = mark(
                "“{column}” holds percent ({examples}). Give its scale as worst:best: 0:100."
            )
        elif words:
            text = mark(
                "“{column}” holds words ({examples}), not numbers. Give its scale as worst:best, "
                "such as wrong:right."
            )
        elif numbers and not (min(numbers) >= 0 and max(numbers) <= 1):
            text = mark(
                "“{column}” holds numbers from {low:g} to {high:g}, not from 0 to 1. Give its "
                "scale as worst:best, such as 1:5 or 0:100."
            )
            blanks |= {"low": min(numbers), "high": max(numbers)}
        elif _HIGHER_IS_WORSE.search(folded(self.name)):
            text = mark(
                "“{column}” may be higher where an answer is worse. Give its scale as worst:best: "
                "1:0 where 1 is the worst, 0:1 where it is the best."
            )
        else:
            return
        raise ParameterError(say(text, **blanks))


def column_named(
    name: str, of: str, scale: str, yes_from: float, declared: Sequence[Value]
) -> ScoreColumn:
    """The column as a labeller, of the value that is named or that its own name tells.

    Raises `ParameterError` where it tells none, and for a value that is not there.
    """
    names = [value.name for value in declared]
    own = of or value_scored(name, declared)
    if own not in names:
        text = mark(
            "“{column}” may be scores of any value. Choose one, or name the column after it: "
            "{values}."
        )
        raise ParameterError(say(text, column=name, values=", ".join(names)))
    if scale and not {":", "："} & {*scale}:
        text = mark("The scale {scale} has no worst and best. Give it as 1:5 or wrong:right.")
        raise ParameterError(say(text, scale=scale))
    if not 0 <= yes_from <= 1:
        text = mark("A yes from {least} on is not between 0 and 1. Give a number between.")
        raise ParameterError(say(text, least=str(yes_from)[:40]))
    return ScoreColumn(name=name, value=own, scale=scale, yes_from=yes_from)


def value_scored(name: str, declared: Sequence[Value]) -> str:
    """Which value a column of this name scores; empty where its name does not tell."""
    for value in declared:
        if re.search(value.called or f"^{re.escape(value.name)}$", folded(name)):
            return value.name
    return ""


def check_column(
    column: ScoreColumn,
    scores: Scores,
    labelled: Sequence[LabelledSample],
    against: Against,
    declared: Sequence[Value],
    questions: Mapping[Cell, Hashable] | None = None,
) -> Check:
    """What `check` says of a labeller, of the scores of a column."""
    read = column.read(scores)
    is_verdict = any(value.name == column.value and value.verdict for value in declared)
    answers = {}
    for cell, score in read.items():
        own = float(score >= column.yes_from) if is_verdict else score
        answers[cell] = {column.value: own}
    # Whatever labels were in sight when people labelled, those of this column were not.
    blind = [sample.model_copy(update={"blind": True}) for sample in labelled]
    likely = {column.value: read} if is_verdict else None
    found = check(column.name, answers, blind, against, likely, questions)
    notes = []
    if len(read) < len(scores):
        left_out = counted(len(scores) - len(read), "score")
        notes.append(say("{scores} left out: not on the scale.", scores=left_out))
    if is_verdict and any(score not in (0, 1) for score in read.values()):
        notes.append(
            say("A score counts as a yes from {least:g} on, but for AUROC.", least=column.yes_from)
        )
    (value,) = found.values
    return found.model_copy(
        update={"values": (value.model_copy(update={"warnings": (*value.warnings, *notes)}),)}
    )


class CheckedScores(NamedTuple):
    """A column of a data set beside its labels, or why it could not be checked."""

    data: str
    column: str
    check: Check | None
    problem: str = ""
    subset: str = ""
    """The set of RAGBench whose rows these are."""


def check_scores(
    data: Dataset,
    columns: Sequence[str] = (),
    *,
    of: str = "",
    scale: str = "",
    yes_from: float = YES_FROM,
    against: str = GOLD,
    definition: str,
) -> list[CheckedScores]:
    """These columns of scores, or all that the data have, beside their published labels.

    `against` may name a column that holds the truth. Raises `ParameterError` where a column that
    was named cannot be checked; of others it is told why.
    """
    scores: dict[str, dict[Cell, float | str]] = {}
    for position, sample in enumerate(data.samples):
        for name, score in sample.scores.items():
            scores.setdefault(name, {})[Cell(position)] = score
    for name in [*columns, *([against] if against != GOLD else [])]:
        if name not in scores:
            text = mark("{data} has no column of scores “{column}”. It has: {columns}.")
            there = ", ".join(list(scores)[:30]) or say("none")
            raise ParameterError(say(text, data=data.name, column=name, columns=there))
    questions = {Cell(place): sample.question for place, sample in enumerate(data.samples)}
    if against == GOLD:
        truths = list(_published(data.samples, definition))
    else:
        truth = column_named(against, of, "", yes_from, TRACE_VALUES)
        of = truth.value
        read = truth.read(scores[against])
        # Where only some answers have a thumb, whoever gave it chose them.
        of_all = len(read) == len(data.samples)
        truths = [_labelled(cell, {of: number}, of_all=of_all) for cell, number in read.items()]

    def check_one(name: str) -> Check:
        column = column_named(name, of, scale, yes_from, TRACE_VALUES)
        return check_column(column, scores[name], truths, "gold", TRACE_VALUES, questions)

    ids = [sample.id for sample in data.samples]
    names = columns or [name for name in scores if name != against]
    return list(checked_one_by_one(data.name, ids, names, check_one, must_fit=bool(columns)))


def checked_one_by_one(
    data: str,
    sample_ids: Iterable[str],
    names: Iterable[str],
    check_one: Callable[[str], Check],
    *,
    must_fit: bool = False,
) -> Iterator[CheckedScores]:
    """The check of each column, or why there is none; one that `must_fit` raises its error."""
    subset = "".join(ragbench.subsets(sample_ids)[:1])
    if not names:
        yield CheckedScores(data, NO_VALUE, None, say("No column holds scores."))
    for name in names:
        try:
            found = check_one(name)
            if not found.labelled:
                text = mark(
                    "No answer has a label of what it scores. Load data with labels, or evaluate "
                    "these and label some answers."
                )
                raise ParameterError(say(text))
            yield CheckedScores(data, name, found, subset=subset)
        except ParameterError as error:
            if must_fit:
                raise
            yield CheckedScores(data, name, None, str(error))


def _published(samples: Sequence[Sample], definition: str) -> Iterator[LabelledSample]:
    for position, sample in enumerate(samples):
        if sample.labels is None:
            continue
        sentences = sample.sentences or cut(
            sample.response or "", sample.retrieved_documents, sample.earlier_turns
        )
        values = trace_scores(sentences, sample.labels, definition).values()
        known = {name: value for name, value in values.items() if value is not None}
        # Whoever has a published label is there, not a choice among them.
        yield _labelled(Cell(position), known, of_all=True)


def _labelled(cell: Cell, values: dict[str, float], *, of_all: bool) -> LabelledSample:
    return LabelledSample(
        cell=cell,
        judged={},
        people=values,
        stratum=stratum_of(dict(values)),
        drawn="at random" if of_all else "not known",
        probability=1.0 if of_all else None,
        blind=True,
        by=(GOLD,),
    )


def _number(score: float | str) -> float | None:
    """A number, also in percent, which the scale then is in."""
    if isinstance(score, str):
        try:
            return float(score.strip().removesuffix("%"))
        except ValueError:
            return None
    return score


def _as_word(score: float | str) -> str:
    return (score if isinstance(score, str) else f"{score:g}").strip().casefold()


def _between(score: float | None, worst: float, best: float) -> float | None:
    """The place of a score on the scale, from 0 to 1; `None` beside it."""
    place = (score - worst) / (best - worst) if score is not None and best != worst else -1
    return place if 0 <= place <= 1 else None


def _examples(scores: Scores) -> str:
    """The most frequent scores, as a message shows them."""
    common = Counter(map(_as_word, scores.values())).most_common(SHOWN)
    return ", ".join(word for word, _ in common)
