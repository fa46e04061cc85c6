"""What a run found, in one sentence that can be read out, and who says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluators.people import labellers
from evaluators.records import Ability, Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import Figures, Mean, NoisePoint
from evaluators.runs.shown_values import is_judged
from evaluators.runs.store import Outline
from evaluators.text.language import mark, say
from evaluators.text.words import counted, joined_sentences, short_name
from evaluators.trace.labelling import HEURISTIC
from evaluators.votes import RULE

OF_THE_HEURISTIC = mark(
    "Heuristic labels, an estimate made without an LLM. Against 2,981 published labels: AUROC "
    "0.73, 82 % right (always “yes”: 85 %). Use it to find suspects, not to count them."
)
"""Adherence in docs/heuristic.md."""

RATES = {
    "Negative rejection": mark("{model} declines {rate} of the questions that no document answers"),
    "Integration": mark("{model} puts {rate} of the answers together from several documents"),
    "Error detection": mark("{model} notices {rate} of the planted errors"),
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
            named = _model_named(model, measured)
            parts.append(say(words, model=named, rate=_rate_with_interval(measured[model])))
        return _capital(say("{parts}.", parts=_best_and_last(parts)))
    return ""


def _about_noise(points: Mapping[str, Sequence[NoisePoint]]) -> str:
    """ "With 80 % noise A still answers 75 % (60 to 86) of the questions right; ..."."""
    last = {model: own[-1].accuracy for model, own in points.items()}
    best, *others = _extremes(last)
    least = _noise_in_words(points[best][0])
    most = _noise_in_words(points[best][-1])
    answers = mark("{model} answers {rate} of the questions right")
    if least != most:
        answers = mark("{model} still answers {rate} of the questions right")
    parts = [say(answers, model=_model_named(best, last), rate=_rate_with_interval(last[best]))]
    for model in others:
        parts.append(f"{_model_named(model, last)} {_rate_with_interval(last[model])}")
    results = _best_and_last(parts)
    if least == most:
        return say("With {noise} {results}.", noise=most, results=results)
    before = []
    for model in (best, *others):
        accuracy = points[model][0].accuracy.mean or 0
        before.append(f"{100 * accuracy:.0f} %")
    return say(
        "With {most} {results}; with {least} {before}.",
        most=most,
        results=results,
        least=least,
        # Where best and worst began alike, that is said once.
        before=say(" and ").join(dict.fromkeys(before)),
    )


def _best_and_last(parts: Sequence[str]) -> str:
    """What is said of one model, or of the best and the last of several."""
    if len(parts) == 1:
        return parts[0]
    best, last = parts
    return say("{best}, {last}", best=best, last=last)


def _noise_in_words(point: NoisePoint) -> str:
    """ "80 % noise", as much as the prompts really had; "no noise" where they had none."""
    noise = point.noise if point.effective_noise is None else point.effective_noise
    return say("{share:.0f} % noise", share=100 * noise) if noise else say("no noise")


def _model_named(model: str, means: Mapping[str, Mean]) -> str:
    """The model and, of more than two, which of them it is."""
    # Of two the order says which is better.
    if len(means) < 3:
        return short_name(model) or say("the tested model")
    is_best = model == _extremes(means)[0]
    rank = mark("{model} (best of {count})") if is_best else mark("{model} (last of {count})")
    return say(rank, model=short_name(model), count=len(means))


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
    return say(
        "{value} ({low:.0f} to {high:.0f})",
        value=value,
        low=100 * mean.low,
        high=100 * mean.high,
    )


# TRACE


def trace_sentence(run: Run, figures: Figures, model: int = 0, by: str | None = None) -> str:
    """How many answers of a model say something that no document says, and according to whom.

    Empty without any.

    `by` names the labeller whose labels count, where they are not those of the run.
    """
    mean = figures.means.get("adherence")
    if mean is None or mean.mean is None:
        return ""
    wrong = round(mean.scored * (1 - mean.mean))
    share = f"{100 - 100 * mean.mean:.0f} %"
    if mean.low is not None and mean.high is not None:
        share = say(
            "{share} (95 % interval: {low:.0f} to {high:.0f})",
            share=share,
            low=100 - 100 * mean.high,
            high=100 - 100 * mean.low,
        )
    # A hybrid has labels of the heuristic for some answers, and of its judge for others.
    names = [by] if by else sorted(filter(None, figures.by))
    text = mark(
        "According to {labeller}, {wrong:,} of {answers} contain something the documents do not "
        "say: {share}."
    )
    if mean.scored == 1:
        text = mark(
            "According to {labeller}, {wrong:,} of {answers} contains something the documents do "
            "not say: {share}."
        )
    sentence = say(
        text,
        wrong=wrong,
        answers=counted(mean.scored, "answer"),
        labeller=say(" and ").join(map(labellers.in_a_sentence, names)),
        share=share,
    )
    if len(run.models) < 2:
        return sentence
    return say("{model}: {finding}", model=run_facts.titles(run)[model], finding=sentence)


def who_labelled(run: Run, figures: Figures) -> str:
    """Whose labels a TRACE run has, and how far they can be believed."""
    if not is_judged(run):
        return say(OF_THE_HEURISTIC)
    if run.evaluator.name == "hybrid":
        return _partly_judged(run, figures)
    return say(
        "Labeller: {judges} An LLM makes mistakes: open a sample to check its labels, and correct "
        "them.",
        judges=_name_judges(run),
    )


def _partly_judged(run: Run, figures: Figures) -> str:
    judged = sum(count for by, count in figures.by.items() if by not in ("", HEURISTIC))
    text = mark("{judged:,} of {samples} have labels by {judges}")
    if run.evaluator.params.get("doubt_from"):
        text = mark(
            "{judged:,} of {samples}, those that the heuristic was least sure of, have labels by "
            "{judges}"
        )
    samples = counted(figures.scored, "sample")
    whose = say(text, judged=judged, samples=samples, judges=_name_judges(run))
    if judged < figures.scored:
        return say("{whose} All other values are the heuristic's estimates.", whose=whose)
    return whose


def _name_judges(run: Run) -> str:
    """The judge or the jury as the end of a sentence."""
    names = run_facts.judge_titles(run)
    if len(names) == 1:
        return say("{judge}.", judge=names[0])
    jury = say("a jury of {judges}.", judges=say(", ").join(names))
    return joined_sentences([jury, say(RULE)])
