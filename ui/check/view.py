"""A run's labeller beside people: a sentence, the mean corrected, the table, what to beware of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from evaluators.catalogue import labels_sentences
from evaluators.people.checked import Against, Check, ValueCheck
from evaluators.people.correction import EstimatedMean
from evaluators.people.drawing import minutes
from evaluators.people.findings import PLURAL
from evaluators.people.labellers import at_the_beginning
from evaluators.records import Run
from evaluators.runs import run_facts
from evaluators.runs.aggregate import Mean
from evaluators.runs.checks import checked, checked_scores
from evaluators.runs.run_view import RunView
from evaluators.runs.shown_values import Dot, Group
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say
from evaluators.text.words import counted, readable
from evaluators.trace.labelling import GOLD
from ui import run_views, session
from ui.check import fields, folded, offers, probabilities, scores
from ui.parts import chosen_view, dots, label_some
from ui.parts.untrusted import plain

USUAL = 50
"""Labels that are suggested: they bring most corrected means to some 8 points up and down."""
AGAINST: dict[Against, str] = {
    "people": mark("People's labels"),
    "gold": mark("The data's labels"),
}


class _Choice(NamedTuple):
    """What of a run is looked at: one metric's values of one model's answers, against whom."""

    metric: int
    model: int
    against: Against
    scores: Mapping[str, Any] | None = None
    """A column of scores of the data in the labeller's place, with how it is read."""


def show(run: Run) -> None:
    """The check of this run, and of others over the same data beside it."""
    view = run_views.latest(run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = _choice(view)
        others = _others(view)
    found = _check(view, choice)
    if not found.labelled:
        _nothing_labelled(run)
        offers.planted(view)
        return
    value = _value_switch(run, found)
    st.header(plain(value.sentence), anchor=False)
    checks = [(found.labeller if choice.scores else _title_with_labeller(run), found)]
    for other in others:
        beside = _check(run_views.latest(other), choice, labels_of=view)
        checks.append((_title_with_labeller(other), beside))
    _chart(checks, value.name)
    _what_labels_bring(run, value, found)
    if value.weighting:
        st.caption(f":material/balance: {plain(value.weighting)}")
    for warning in value.warnings:
        st.caption(f":material/warning: {plain(warning)}")
    fields.show(view, found, value)
    if choice.metric == 0:
        probabilities.show(view, choice.model, choice.against)
    folded.show(view, found, choice.metric)
    scores.of_run(view, choice.metric, choice.against)
    offers.planted(view)
    offers.better(view)


def _title_with_labeller(run: Run) -> str:
    """A run as its labeller and its title, which tells it from others over the same data."""
    return f"{run_facts.method(run)[0]} · {run.title}"


def _choice(view: RunView) -> _Choice:
    run = view.run
    metric = model = 0
    if len(run.evaluators) > 1:
        titles = run_facts.metric_titles(run)
        metric = _number_of(say("What"), titles, f"check_metric_{run.id}")
    if len(run.models) > 1:
        model = _number_of(say("Answers by"), run_facts.titles(run), f"check_model_{run.id}")
    against: Against = "people"
    if metric == 0 and GOLD in view.labelled().labellers:
        # Who came to look at an example, or at a benchmark, has labelled nothing yet.
        usual: Against = "people" if view.people else "gold"
        against = st.segmented_control(
            say("Against"),
            list(AGAINST),
            default=usual,
            format_func=lambda labels: say(AGAINST[labels]),
            required=True,
            key=f"check_against_{run.id}",
        )
    return _Choice(metric, model, against, scores.chosen(view, metric))


def _number_of(label: str, titles: Sequence[str], key: str) -> int:
    numbers = range(len(titles))
    return st.selectbox(label, numbers, format_func=titles.__getitem__, key=key, width=320)


def _others(view: RunView) -> list[Run]:
    """Other runs over the same data that are to stand beside this one."""
    run = view.run
    by_id = {}
    for other in session.store().runs.newest(session.workspace()):
        # A label is of an answer: models would have given others.
        is_same = other.fingerprint == run.fingerprint and not (other.models or run.models)
        if is_same and other.id != run.id and labels_sentences(other.evaluator):
            by_id[other.id] = other
    if not by_id or not labels_sentences(run.evaluator):
        return []
    titles = {run_id: _title_with_labeller(other) for run_id, other in by_id.items()}
    chosen = st.multiselect(
        say("Beside"),
        list(titles),
        format_func=titles.__getitem__,
        placeholder=say("Other runs over the same data"),
        max_selections=4,
        key=f"check_beside_{run.id}",
        width=420,
    )
    return [by_id[run_id] for run_id in chosen]


def _check(view: RunView, choice: _Choice, labels_of: RunView | None = None) -> Check:
    definition = chosen_view.of(view.run).definition
    # Runs beside this one stand there for the labeller that leads them: their first metric.
    metric = choice.metric if labels_of is None else 0
    with st.spinner(say("Comparing")):
        if choice.scores and labels_of is None:
            against = choice.against
            return checked_scores(view, **choice.scores, against=against, definition=definition)
        return checked(view, metric, choice.model, choice.against, definition, labels_of)


def _nothing_labelled(run: Run) -> None:
    """What to do first."""
    # Everybody sees the same example, so nobody's labels go into it.
    if run.workspace == EXAMPLES:
        st.info(say("Press “Make it yours”, then label some answers of your copy."))
        return
    st.info(
        say(
            "Nobody has labelled an answer of this run. {labels} labels take about {minutes} "
            "minutes, and turn the labeller's mean into a measurement.",
            labels=USUAL,
            minutes=minutes(USUAL),
        ),
        icon=":material/edit_note:",
    )
    label_some.button(run)


def _value_switch(run: Run, found: Check) -> ValueCheck:
    """The value that is looked at: of those that were labelled, yes-or-no ones first."""
    # People and the data may have labelled different values: the field has a key for each.
    labelled = [value for value in found.values if value.labelled]
    by_name = {value.name: value for value in labelled or found.values}
    if len(by_name) == 1:
        return next(iter(by_name.values()))
    name = st.segmented_control(
        say("Value"),
        list(by_name),
        default=next(iter(by_name)),
        format_func=lambda name: plain(readable(name)),
        required=True,
        key=f"check_value_{run.id}_{found.against}",
        label_visibility="collapsed",
    )
    return by_name[name]


def _chart(checks: Sequence[tuple[str, Check]], name: str) -> None:
    """What the labeller says, hollow, and what people say, with its interval; run by run."""
    groups = []
    for series, (title, found) in enumerate(checks):
        value = next((value for value in found.values if value.name == name), None)
        if value is not None:
            heading = title if len(checks) > 1 else ""
            groups.append(Group(heading, "", _dots(found, value, series)))
    dots.show(groups)


def _dots(found: Check, value: ValueCheck, series: int) -> list[Dot]:
    labels = counted(value.labelled, "label")
    judged = Mean(mean=value.judged, asked=value.answers, scored=value.answers)
    labeller = found.labeller
    text = mark("{labeller} say") if labeller in map(say, PLURAL) else mark("{labeller} says")
    by_labeller = say(text, labeller=at_the_beginning(labeller))
    by_people = say("People say") if found.against == "people" else say("The data's labels say")
    shown = [Dot(by_labeller, judged, series=series, hollow=True, term=value.name)]
    if value.corrected is not None:
        meaning = say("From {labels} and all verdicts", labels=labels)
        mean = _corrected_mean(value, value.corrected)
        shown.append(Dot(by_people, mean, (), meaning, series, term="corrected_mean"))
    if value.alone is not None:
        title = say("The {labels} alone", labels=labels)
        shown.append(Dot(title, _corrected_mean(value, value.alone), series=series))
    return shown


def _corrected_mean(value: ValueCheck, estimate: EstimatedMean) -> Mean:
    return Mean(
        mean=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        asked=value.answers,
        scored=value.labelled,
    )


def _what_labels_bring(run: Run, value: ValueCheck, found: Check) -> None:
    """What these labels are worth, and what further ones would bring."""
    words: list[str] = []
    if value.worth is not None:
        labels = counted(value.labelled, "label")
        text = mark("With the labeller, {labels} by people tell as much as {worth:,} alone.")
        if found.against == "gold":
            text = mark("With the labeller, {labels} of the data tell as much as {worth:,} alone.")
        words.append(say(text, labels=labels, worth=value.worth))
    if value.more is not None and value.corrected is not None:
        now, then = 100 * value.corrected.half, 100 * value.more.half
        gain = say(
            "{labels} more would narrow ±{now:.1f} to ±{then:.1f} points.",
            labels=value.more.labels,
            now=now,
            then=then,
        )
        words.append(gain)
    with st.container(horizontal=True, vertical_alignment="center"):
        if words:
            st.markdown(" ".join(words), width="content")
        if found.against == "people":
            label_some.button(run)
