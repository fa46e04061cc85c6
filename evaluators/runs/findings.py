"""What a run found, in one sentence that can be read out, and who says so."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from evaluators.catalogue import declared_values, labels_sentences
from evaluators.people import labellers
from evaluators.records import Record, Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import Figures, Mean, NoisePoint, View
from evaluators.runs.checks import corrected_headlines
from evaluators.runs.formulas import formula_of
from evaluators.runs.labelled import labelled
from evaluators.runs.rgb_figures import missed_noise, noise_had
from evaluators.runs.run_view import RunView
from evaluators.runs.shown_values import LOW_COVERAGE, beside, coverage, is_judged, is_of_few
from evaluators.runs.store import Outline
from evaluators.runs.whose import labeller_in_words
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE
from evaluators.text.words import counted, joined_sentences, name_and_text, short_name
from evaluators.trace import quality
from evaluators.trace.labelling import GOLD, HEURISTIC, has_heuristic
from evaluators.values import Value
from evaluators.votes import RULE

OF_THE_HEURISTIC = mark("The heuristic compares words: it finds suspects, it does not count.")

LEAST_AT_WORK = 200
"""Answers that are checked before anything is said of a run at work."""


class Finding(NamedTuple):
    """What can be read out, and what to beware of; both stand together, above every number."""

    sentence: str
    caution: str = ""


def sentence_of_values(by_model: Mapping[str, Sequence[Outline]], declared: Sequence[Value]) -> str:
    """What the first value with a headline comes to under the most noise and the least.

    Where none was asked at several levels, what the first that was measured comes to; empty without
    any. Of several models the best and the worst are named.
    """
    for value in declared:
        if not value.headline_in_noise:
            continue
        points = {}
        for model, rows in by_model.items():
            of_noise = aggregate.noise_points(rows, value)
            if judged := [point for point in of_noise if point.mean.mean is not None]:
                points[model] = judged
        if points:
            return _about_noise(points, value)
    return _about_first_value(by_model, [own for own in declared if not own.headline_in_noise])


def _about_first_value(by_model: Mapping[str, Sequence[Outline]], declared: Sequence[Value]) -> str:
    means: dict[str, dict[Value, Mean]] = {}
    for model, rows in by_model.items():
        counted = aggregate.counted_values(rows, declared)
        means[model] = {own.record: own.mean for own in counted if own.record.headline}
    for value in declared:
        measured: dict[str, Mean] = {}
        for model, own in means.items():
            if value in own and own[value].mean is not None:
                measured[model] = own[value]
        if not measured:
            continue
        if any(map(is_of_few, measured.values())):
            return _too_few(measured)
        parts = []
        for model in _extremes(measured):
            named = _model_named(model, measured)
            rate = _rate_with_interval(measured[model])
            parts.append(say(value.headline, model=named, rate=rate))
        return _capital(say("{parts}.", parts=_best_and_last(parts)))
    return ""


def _about_noise(points: Mapping[str, Sequence[NoisePoint]], value: Value) -> str:
    """ "With 80 % noise A still answers 75 % (60 to 86) of the questions right; ..."."""
    last = {model: own[-1].mean for model, own in points.items()}
    first = {model: own[0].mean for model, own in points.items()}
    for level in (last, first):
        if any(map(is_of_few, level.values())):
            return _too_few(level)
    best, *others = _extremes(last)
    least = _noise_in_words(points[best][0])
    most = _noise_in_words(points[best][-1])
    clause = value.headline if least == most else value.headline_in_noise
    parts = [say(clause, model=_model_named(best, last), rate=_rate_with_interval(last[best]))]
    for model in others:
        parts.append(f"{_model_named(model, last)} {_rate_with_interval(last[model])}")
    results = _best_and_last(parts)
    if least == most:
        return say("With {noise} {results}.", noise=most, results=results)
    before = []
    for model in (best, *others):
        before.append(RATE.shown(points[model][0].mean.mean or 0))
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
    noise = noise_had(point)
    if missed_noise(point):
        asked = RATE.shown(point.noise)
        return say("{had} noise (asked {asked})", had=RATE.shown(noise), asked=asked)
    return say("{share} noise", share=RATE.shown(noise)) if noise else say("no noise")


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
    """ "75 % (60 to 86)"; without an interval where there is none, with the other rules' rate."""
    others = mean.other_rules.in_words if mean.other_rules else ""
    return RATE.estimate(mean, others)


def _too_few(means: Mapping[str, Mean]) -> str:
    """What stands for a headline where less than 80 % of the answers are checked.

    How many there are of each model, and what its rate would be at worst.
    """
    parts = []
    for model, mean in means.items():
        words = coverage(mean)
        if is_of_few(mean):
            words = "; ".join([words, *beside(mean)[-1:]])
        name = short_name(model)
        parts.append(name_and_text(name, words) if name else words)
    return say("Too few answers are checked for a headline: {parts}.", parts="; ".join(parts))


# TRACE


def of_run(view: RunView, chosen: View) -> list[Finding]:
    """What the run found by this view: of RGB one sentence, of TRACE one for each model.

    Means that people's labels correct come first, with the labeller's own beside them.
    """
    run = view.run
    findings = [Finding(headline) for headline in corrected_headlines(view, chosen)]
    for number in range(len(run.evaluators)):
        findings.append(Finding(of_values(view, number, chosen)))
    if labels_sentences(run.evaluator):
        models = range(max(1, len(run.models)))
        findings += [of_trace(view, chosen, model) for model in models]
    return [finding for finding in findings if finding.sentence]


def of_values(view: RunView, number: int, chosen: View) -> str:
    """What one metric's values with a headline come to; empty where none has one."""
    declared = declared_values(view.run.evaluators[number].name)
    if not any(value.headline for value in declared):
        return ""
    rows = aggregate.of_metric(view.counted(chosen), number)
    return sentence_of_values(run_facts.rows(view.run, rows), declared)


def of_trace(
    view: RunView,
    chosen: View,
    model: int = 0,
    *,
    is_at_work: bool = False,
) -> Finding:
    """What a model's answers say that no document says, by the labels of the view.

    The heuristic's labels name suspects, with a caution. Where the data have labels of their own
    these are counted, and the caution says how often the run's verdicts are theirs. Of a run
    `is_at_work` only a share is said, and that from `LEAST_AT_WORK` answers on.
    """
    run, figures = view.run, view.figures(0, model, chosen)
    mean = figures.means.get("adherence")
    if mean is None or mean.mean is None:
        return Finding("")
    names = sorted(filter(None, figures.by))
    # A hybrid has labels of the heuristic for some answers, and of its judge for others.
    labeller = say(" and ").join(map(labellers.in_a_sentence, names))
    if chosen.by:
        labeller = labeller_in_words(view, chosen, model)
    if is_at_work:
        is_early = mean.scored < LEAST_AT_WORK or mean.estimated
        return Finding("" if is_early else _of_model(run, model, _so_far(mean, labeller)))
    if is_of_few(mean):
        caution = say(OF_THE_HEURISTIC) if mean.estimated else ""
        return Finding(_of_model(run, model, _too_few({"": mean})), caution)
    if not mean.estimated:
        return Finding(_of_model(run, model, _counting(mean, labeller)))
    sentence = _suspects(mean, names)
    if chosen.by:
        words = say("Labels: {labeller}.", labeller=labeller)
        sentence = joined_sentences([sentence, words])
    formula = formula_of(run, chosen.definition)
    of_verdicts = quality.verdicts_in_words(quality.by_kind(formula))
    gold = view.means_by_labeller(model, chosen.definition).get(GOLD, {}).get("adherence")
    if gold and gold.scored >= LOW_COVERAGE * mean.scored:
        of_gold = _counting(gold, labellers.in_a_sentence(GOLD))
        sentence = joined_sentences([of_gold, sentence])
        of_verdicts = _on_these_data(against_gold(view, formula, model))
    caution = joined_sentences([say(OF_THE_HEURISTIC), of_verdicts])
    return Finding(_of_model(run, model, sentence), caution)


def _suspects(mean: Mean, names: Collection[str]) -> str:
    """ "6 of 7 answers to look at first (heuristic)."."""
    judges = [labellers.labeller_title(by) for by in names if not has_heuristic([by])]
    text = mark("{wrong:,} of {answers} to look at first (heuristic).")
    if judges:
        text = mark("{wrong:,} of {answers} to look at first (heuristic and {judges}).")
    answers = counted(mean.scored, "answer")
    return say(text, wrong=_wrong(mean), answers=answers, judges=say(", ").join(judges))


def _counting(mean: Mean, labeller: str) -> str:
    """How many answers say something that no document says, according to this labeller."""
    text = mark(
        "According to {labeller}, {wrong:,} of {answers} contain something the documents do not "
        "say: {share}."
    )
    if mean.scored == 1:
        text = mark(
            "According to {labeller}, {wrong:,} of {answers} contains something the documents do "
            "not say: {share}."
        )
    return say(
        text,
        wrong=_wrong(mean),
        answers=counted(mean.scored, "answer"),
        labeller=labeller,
        share=_share_of_wrong(mean),
    )


def _so_far(mean: Mean, labeller: str) -> str:
    """The same without counts: the page of a run at work says how far it is in one place."""
    return say(
        "So far, according to {labeller}, answers that contain something the documents do not "
        "say: {share}.",
        labeller=labeller,
        share=_share_of_wrong(mean),
    )


def _share_of_wrong(mean: Mean) -> str:
    share = RATE.shown(1 - (mean.mean or 0))
    if mean.low is None or mean.high is None:
        return share
    interval = RATE.ends(1 - mean.high, 1 - mean.low)
    return say("{share} (95 % interval: {interval})", share=share, interval=interval)


def _wrong(mean: Mean) -> int:
    return round(mean.scored * (1 - (mean.mean or 0)))


def _of_model(run: Run, model: int, sentence: str) -> str:
    if len(run.models) < 2:
        return sentence
    return say("{model}: {finding}", model=run_facts.titles(run)[model], finding=sentence)


class AgainstGold(Record):
    """Of so many `answers` with labels of the data, `right` have the verdict that these give.

    `yes` is how many are adherent by the labels of the data.
    """

    answers: int
    right: int
    yes: int


def against_gold(view: RunView, definition: str, model: int = 0) -> AgainstGold:
    """The run's own verdicts on adherence beside those of the data; all answers are read for it."""

    def work_out() -> AgainstGold:
        pairs = []
        for sample in labelled(view, 0, "gold", definition):
            verdicts = sample.judged.get("adherence"), sample.people.get("adherence")
            if sample.cell.model == model and None not in verdicts:
                pairs.append(verdicts)
        return AgainstGold(
            answers=len(pairs),
            right=sum(judged == gold for judged, gold in pairs),
            yes=sum(gold == 1 for _, gold in pairs),
        )

    return view.kept(f"against gold {model} {definition}", AgainstGold, work_out)


def _on_these_data(found: AgainstGold) -> str:
    if not found.answers:
        return ""
    return say(
        "On these data its verdicts are right in {right} of {answers}; always saying yes is "
        "right in {yes}.",
        right=RATE.shown(found.right / found.answers),
        answers=counted(found.answers, "answer"),
        yes=RATE.shown(found.yes / found.answers),
    )


def who_labelled(run: Run, figures: Figures) -> str:
    """Whose labels a TRACE run has, beside the heuristic's, and how far they can be believed."""
    if not is_judged(run):
        return ""
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
