"""Choosing metrics: shipped ones and one's own, with their parameters, and the judge they ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.base import Evaluator, missing
from evaluators.catalogue import catalogue, from_spec
from evaluators.datasets.names import COLUMNS
from evaluators.llm.catalogue import Choice
from evaluators.params import parameters
from evaluators.prompt_metric import PromptMetric
from evaluators.records import Dataset, EvaluatorSpec
from evaluators.text.language import say
from evaluators.text.words import counted, joined_sentences, readable
from ui import session
from ui.metrics import own_metrics
from ui.metrics import results as metric_results
from ui.models import form as model_form
from ui.parts import explained, forms, problems
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain


class Offer(NamedTuple):
    """A metric that can be chosen; one that somebody wrote has its parameters already."""

    cls: type[Evaluator]
    title: str
    needs: tuple[str, ...]
    written: EvaluatorSpec | None = None


class Lacking(NamedTuple):
    """How many samples lack each field that a metric needs, and how many lack none."""

    fields: Mapping[str, int]
    usable: int


def offers() -> dict[str, Offer]:
    """What can be chosen beside the evaluators that have a page of their own, by name."""
    saved = own_metrics.saved()
    offered = {
        name: _offer_of_catalogue(cls, saved)
        for name, cls in catalogue().items()
        if cls.leads is None and cls is not PromptMetric
    }
    for title, spec in saved.items():
        metric = from_spec(spec)
        # Not the class's needs: which fields the prompt holds is chosen for each metric.
        offer = Offer(type(metric), metric.title, metric.needed, spec)
        offered[own_metrics.name_in_choice(title)] = offer
    return offered


def choose_metrics(
    label: str,
    dataset: Dataset,
    key: str,
    begin: Sequence[str] = (),
    details: DeltaGenerator | None = None,
) -> list[Evaluator] | None:
    """Lets metrics be chosen, says what the data lack for one; `None` if one cannot run.

    `begin` names those that are chosen at first; what each needs and its parameters stand in
    `details`. A response is not missed, as a generator can answer.
    """
    offered = offers()
    total = len(dataset.samples)
    identity = session.identity(dataset.name)
    lacking = {name: _count_lacking(identity, offer.needs) for name, offer in offered.items()}
    names = st.multiselect(
        label,
        list(offered),
        default=list(begin),
        format_func=lambda name: _label_of_offer(offered[name], lacking[name], total),
        placeholder=say("Choose metrics"),
        select_all=False,
        key=f"{key}_metrics",
        **KEPT,
    )
    usable = []
    for name in names:
        _warn_of_lacking(say(offered[name].title), lacking[name])
        with details or st.container():
            params = _metric_card(offered[name], lacking[name], total, f"{key}_{name}")
        # What is wrong with a parameter is said here, where it is seen also while details are shut.
        with problems.caught():
            written = offered[name].written
            metric = from_spec(written) if written else offered[name].cls.build(**params)
            if lacking[name].usable:
                usable.append(metric)
    # With one left out a run would measure less than what stands in the field.
    return usable if len(usable) == len(names) else None


def _offer_of_catalogue(cls: type[Evaluator], saved: Collection[str]) -> Offer:
    # A metric may have been saved here and put into a file under the same title.
    title = say("{metric} (file)", metric=say(cls.title)) if cls.title in saved else cls.title
    return Offer(cls, title, cls.needs)


def _metric_card(
    offer: Offer,
    lacking: Lacking,
    total: int,
    key: str,
) -> dict[str, Any]:
    """One chosen metric: what it needs, how it works, and its parameters."""
    params = {}
    with st.container(border=True):
        st.markdown(f"**{plain(say(offer.title))}**", help=explained.help_of(offer.cls.name))
        usable = say(
            "{usable:,} of {samples} can be judged.",
            usable=lacking.usable,
            samples=counted(total, "sample"),
        )
        st.caption(plain(joined_sentences([metric_results.needs_in_words(offer.needs), usable])))
        if offer.written:
            st.caption(plain(" · ".join(metric_results.params(offer.written))))
        else:
            params = _parameter_fields(offer.cls, key)
        metric_results.about(offer.cls, key, offer.needs)
    return params


def _parameter_fields(cls: type[Evaluator], key: str) -> dict[str, Any]:
    """What was chosen for the parameters.

    One without a default has no field: the metric's message that it is missing says more.
    """
    fields = cls.model_fields
    required = [name for name in fields if fields[name].is_required()]
    if all(parameter.name in required for parameter in parameters(cls)):
        return {}
    return forms.parameter_widgets(cls, key, required)


# What the data hold


def _label_of_offer(offer: Offer, lacking: Lacking, total: int) -> str:
    """The metric's title, and what all samples lack of what it needs."""
    absent = []
    for field, count in lacking.fields.items():
        if count == total:
            absent.append(readable(field).lower())
    title = say(offer.title)
    if not absent:
        return title
    lacking_fields = say(", no ").join(absent)
    return say("✕ {metric} · no {fields}", metric=title, fields=lacking_fields)


def _count_lacking(data: session.Identity, needs: tuple[str, ...]) -> Lacking:
    given = ("response", "retrieved_documents") if session.systems() else ("response",)
    return _lacking_beside(data, needs, given)


# The form is drawn again at every click, and the label of each metric tells what the data lack.
@lru_cache(maxsize=64)
def _lacking_beside(
    data: session.Identity, needs: tuple[str, ...], given: tuple[str, ...]
) -> Lacking:
    dataset = session.source(data.name)
    samples = dataset.samples if isinstance(dataset, Dataset) else ()
    absent = [missing(needs, sample, given=given) for sample in samples]
    counts: Counter[str] = Counter()
    for fields in absent:
        counts.update(fields)
    by_field = {field: counts[field] for field in needs}
    return Lacking(by_field, absent.count([]))


def serves_nobody(cls: type[Evaluator], dataset: Dataset) -> bool:
    """Whether no sample has what the evaluator needs, but for answers; says what to add."""
    lacking = _count_lacking(session.identity(dataset.name), cls.needs)
    if not lacking.usable:
        _warn_of_lacking(say(cls.title), lacking)
    return not lacking.usable


def _warn_of_lacking(title: str, lacking: Lacking) -> None:
    """Says in how many samples which field is absent that the metric needs."""
    for field, count in lacking.fields.items():
        if count:
            columns = say(" or ").join(COLUMNS.get(field, (field,)))
            words = say(
                "{metric}: {field} missing in {samples}. Add a column: {columns}.",
                metric=title,
                field=readable(field).lower(),
                samples=counted(count, "sample"),
                columns=columns,
            )
            st.warning(plain(words), icon=":material/view_column:")


# The judge


def judge_of(metrics: Sequence[Evaluator], key: str) -> list[Choice]:
    """The one judge of the metrics that ask one, if it is chosen."""
    if not any(metric.most_judges() for metric in metrics):
        return []
    return model_form.judge(
        model_form.choices(),
        f"{key}_metric_judge",
        is_needed=any(metric.needs_judge for metric in metrics),
    )


def point_out_generators(
    judges: Sequence[Choice],
    models: Sequence[Choice],
    dataset: Dataset,
) -> None:
    """A judge may favour its own answers."""
    if any(judge in models for judge in judges):
        st.caption(model_form.JUDGES_ITSELF)
    for choice in judges:
        own = sum(model_form.is_generator(choice, sample.generator) for sample in dataset.samples)
        if own:
            words = say(
                "{model} also wrote {answers} of this data, and may favour its own.",
                model=choice.model.title,
                answers=counted(own, "answer"),
            )
            st.warning(plain(words), icon=":material/balance:")
