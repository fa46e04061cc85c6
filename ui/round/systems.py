"""What is told after the reveal: whose answers stood left and right, who noticed, which score."""

from __future__ import annotations

from collections.abc import Sequence

from evaluators.people.labellers import labeller_title
from evaluators.records import Run
from evaluators.rounds import tally
from evaluators.rounds.records import AskedPlace
from evaluators.rounds.tally import Spread, WinRate
from evaluators.runs.glossary import terms
from evaluators.runs.round_content import METRIC
from evaluators.text.language import say
from evaluators.text.markup import html
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import name_and_text
from ui.round.reading import Live


def titles(run: Run) -> list[str]:
    """The models of a run as text, numbered where two are of one name; one without a model."""
    named = [labeller_title(model.id) for model in run.models] or [say("The answers in the data")]
    numbered = []
    for number, title in enumerate(named, start=1):
        is_unique = named.count(title) == 1
        numbered.append(title if is_unique else f"{title} ({number})")
    return numbered


def names(live: Live, place: AskedPlace) -> str:
    """Whose answers stood left and right, where two were compared."""
    answer = live.content.answers[place.answer]
    if not answer.pair:
        return ""
    models = titles(live.run)
    sides = zip((say("Left", "side"), say("Right", "side")), answer.models, strict=True)
    said = [name_and_text(html(side), f"<b>{html(models[model])}</b>") for side, model in sides]
    return "".join(f'<span class="pl-said">{each}</span>' for each in said)


def score(live: Live, place: AskedPlace) -> str:
    """The value that was guessed, where one was."""
    value = live.content.answers[place.answer].value
    if value is None:
        return ""
    shown = html(say(terms()[live.made.value].title))
    return f'<span class="pl-said">{name_and_text(shown, f"<b>{SCORE.shown(value)}</b>")}</span>'


def win_rates(live: Live) -> list[str]:
    """How often the class and the metric prefer which of two models, as text."""
    models = live.made.models
    if models is None:
        return []
    first, second = (titles(live.run)[model] for model in models)
    stands_left = {}
    for place in live.content.places:
        stands_left[place] = live.content.answers[place.answer].models[0] == models[0]
    of_metric = {}
    for place, support in live.content.labels_by(METRIC).items():
        of_metric[place] = Spread.model_validate({support.value: 1})
    lines = []
    for name, spread in ((say("The class"), live.spread), (say("The metric"), of_metric)):
        rate = tally.win_rate(spread, stands_left)
        if rate:
            lines.append(_rate_in_words(name, first, second, rate))
    return lines


def _rate_in_words(name: str, first: str, second: str, rate: WinRate) -> str:
    return say(
        "{name}: {first} wins {share}, {second} {rest}",
        name=name,
        first=first,
        second=second,
        share=RATE.with_interval(rate.share, *rate.interval or ()),
        rest=RATE.shown(1 - rate.share),
    )


def noticed(live: Live) -> list[str]:
    """How many planted errors each model noticed, and in how many it gave the true answer."""
    answers = [answer.noticed for answer in live.content.answers.values() if answer.noticed]
    if not answers:
        return []
    lines = []
    for model, title in enumerate(titles(live.run)):
        own = [each[model] for each in answers]
        detected, of_detected = _passed([each.detection for each in own])
        corrected, of_corrected = _passed([each.correction for each in own])
        lines.append(
            say(
                "{model}: noticed {detected} of {of_detected}, corrected {corrected} of "
                "{of_corrected}",
                model=title,
                detected=detected,
                of_detected=of_detected,
                corrected=corrected,
                of_corrected=of_corrected,
            )
        )
    return lines


def _passed(verdicts: Sequence[bool | None]) -> tuple[int, int]:
    """How many are true, of how many that could be checked."""
    known = [verdict for verdict in verdicts if verdict is not None]
    return sum(known), len(known)
