"""What a run found, in one sentence that can be read out, and who says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluators.people import labellers
from evaluators.records import Ability, Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import Figures, Mean, NoisePoint
from evaluators.runs.shown_values import is_judged
from evaluators.runs.store import Outline
from evaluators.text.words import counted, short_name
from evaluators.trace.labelling import HEURISTIC

OF_THE_HEURISTIC = (
    "Heuristic labels, an estimate made without an LLM. Against 2,981 published labels: AUROC "
    "0.73, 82 % right (always “yes”: 85 %). Use it to find suspects, not to count them."
)
"""Adherence in docs/heuristic.md."""

RATES = {
    "Negative rejection": "declines {rate} of the questions that no document answers",
    "Integration": "puts {rate} of the answers together from several documents",
    "Error detection": "notices {rate} of the planted errors",
}
"""What a rate says, the first that was measured, where noise was not tested."""


def rgb_sentence(by_model: Mapping[str, Sequence[Outline]]) -> str:
    """Accuracy under the most noise and the least, else the first rate; empty without any.

    Of several models the best and the worst are named.
    """
    points = {}
    for model, rows in by_model.items():
        of_noise = aggregate.noise_points(rows, Ability.NOISE)
        if judged := [point for point in of_noise if point.accuracy.mean is not None]:
            points[model] = judged
    if points:
        return _about_noise(points)
    rates = {model: aggregate.rgb_rates(rows) for model, rows in by_model.items()}
    for title, words in RATES.items():
        measured: dict[str, Mean] = {}
        for model, own in rates.items():
            if title in own and own[title].mean is not None:
                measured[model] = own[title]
        if not measured:
            continue
        parts = []
        for model in _extremes(measured):
            what_it_does = words.format(rate=_rate_with_interval(measured[model]))
            parts.append(f"{_model_named(model, measured)} {what_it_does}")
        return f"{_capital(', '.join(parts))}."
    return ""


def _about_noise(points: Mapping[str, Sequence[NoisePoint]]) -> str:
    """ "With 80 % noise A still answers 75 % (60 to 86) of the questions right; ..."."""
    last = {model: own[-1].accuracy for model, own in points.items()}
    best, *others = _extremes(last)
    least = _noise_in_words(points[best][0])
    most = _noise_in_words(points[best][-1])
    answers = "answers" if least == most else "still answers"
    rate = _rate_with_interval(last[best])
    parts = [f"{_model_named(best, last)} {answers} {rate} of the questions right"]
    for model in others:
        parts.append(f"{_model_named(model, last)} {_rate_with_interval(last[model])}")
    sentence = f"With {most} noise {', '.join(parts)}"
    if least == most:
        return f"{sentence}."
    before = []
    for model in (best, *others):
        accuracy = points[model][0].accuracy.mean or 0
        before.append(f"{100 * accuracy:.0f} %")
    # Where best and worst began alike, that is said once.
    return f"{sentence}; with {least} noise {' and '.join(dict.fromkeys(before))}."


def _noise_in_words(point: NoisePoint) -> str:
    """The noise that the prompts really had; "no" where they had none."""
    noise = point.noise if point.effective_noise is None else point.effective_noise
    return f"{100 * noise:.0f} %" if noise else "no"


def _model_named(model: str, means: Mapping[str, Mean]) -> str:
    """The model and, of more than two, which of them it is."""
    # Of two the order says which is better.
    if len(means) < 3:
        return short_name(model) or "the tested model"
    is_best = model == _extremes(means)[0]
    return f"{short_name(model)} ({'best' if is_best else 'last'} of {len(means)})"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _extremes(means: Mapping[str, Mean]) -> list[str]:
    """The model with the highest mean and, of several, the one with the lowest."""

    def mean_of(model: str) -> float:
        return means[model].mean or 0

    best_first = sorted(means, key=mean_of, reverse=True)
    if len(best_first) < 2:
        return best_first
    return [best_first[0], best_first[-1]]


def _rate_with_interval(mean: Mean) -> str:
    """ "75 % (60 to 86)"; without an interval where there is none."""
    value = f"{100 * (mean.mean or 0):.0f} %"
    if mean.low is None or mean.high is None:
        return value
    return f"{value} ({100 * mean.low:.0f} to {100 * mean.high:.0f})"


# TRACE


def trace_sentence(run: Run, figures: Figures, model: int = 0, by: str | None = None) -> str:
    """How many answers of a model say something that no document says; empty without any.

    `by` names the labeller whose labels count, where they are not those of the run.
    """
    mean = figures.means.get("adherence")
    if mean is None or mean.mean is None:
        return ""
    wrong = round(mean.scored * (1 - mean.mean))
    verb = "contains" if mean.scored == 1 else "contain"
    answers = counted(mean.scored, "answer")
    interval = ""
    if mean.low is not None and mean.high is not None:
        interval = f", {100 - 100 * mean.high:.0f} to {100 - 100 * mean.low:.0f}"
    whose = f"{run_facts.titles(run)[model]}: " if len(run.models) > 1 else ""
    labels = f" by the labels of {labellers.labeller_title(by)}" if by else ""
    return (
        f"{whose}{wrong:,} of {answers} {verb} something the documents do not say{labels}: "
        f"{100 - 100 * mean.mean:.0f} %{interval}."
    )


def who_labelled(run: Run, figures: Figures) -> str:
    """Whose labels a TRACE run has, and how far they can be believed."""
    if not is_judged(run):
        return OF_THE_HEURISTIC
    if run.evaluator.name == "hybrid":
        return _partly_judged(run, figures)
    return (
        f"Labeller: {_name_judges(run)} An LLM makes mistakes: open a sample to check its "
        "labels, and correct them."
    )


def _partly_judged(run: Run, figures: Figures) -> str:
    judged = sum(count for by, count in figures.by.items() if by not in ("", HEURISTIC))
    doubtful = ""
    if run.evaluator.params.get("doubt_from"):
        doubtful = ", those that the heuristic was least sure of,"
    others = ""
    if judged < figures.scored:
        others = " All other values are the heuristic's estimates."
    return (
        f"{judged:,} of {counted(figures.scored, 'sample')}{doubtful} have labels by "
        f"{_name_judges(run)}{others}"
    )


def _name_judges(run: Run) -> str:
    """The judge or the jury as the end of a sentence."""
    names = run_facts.judge_titles(run)
    if len(names) == 1:
        return f"{names[0]}."
    return (
        f"a jury of {', '.join(names)}: the majority decides each sentence, a tie goes to the "
        "stricter verdict."
    )
