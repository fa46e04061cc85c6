"""Choosing metrics: shipped ones and one's own, with their parameters, and the judge they ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from evaluators.base import Evaluator, missing
from evaluators.catalogue import catalogue, from_spec
from evaluators.datasets.names import COLUMNS
from evaluators.llm.catalogue import Choice
from evaluators.params import parameters
from evaluators.prompt_metric import PromptMetric
from evaluators.records import Dataset, EvaluatorSpec
from evaluators.runs.plan import RunPlan
from ui import session
from ui.metrics import own_metrics
from ui.metrics import results as metric_results
from ui.models import forecast as model_forecast
from ui.models import form as model_form
from ui.models.forecast import RememberedMeasures
from ui.parts import forms, problems
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain
from ui.parts.words import counted


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
        offered[own_metrics.offered(title)] = _offer_of_saved(spec)
    return offered


def choose(
    label: str,
    dataset: Dataset,
    key: str,
    begin: Sequence[str] = (),
) -> list[Evaluator] | None:
    """Lets metrics be chosen, shows what each needs and its parameters; `None` if one cannot run.

    `begin` names those that are chosen at first. A response is not missed, as a generator can
    answer.
    """
    offered, total = offers(), len(dataset.samples)
    identity = session.identity(dataset.name)
    lacking = {name: _count_lacking(identity, offer.needs) for name, offer in offered.items()}
    names = st.multiselect(
        label,
        list(offered),
        default=list(begin),
        format_func=lambda name: _label_of_offer(offered[name], lacking[name], total),
        placeholder="Choose metrics",
        select_all=False,
        key=f"{key}_metrics",
        **KEPT,
    )
    metrics = [_metric_card(offered[name], lacking[name], total, f"{key}_{name}") for name in names]
    usable = [metric for metric in metrics if metric]
    return usable if len(usable) == len(metrics) else None


def _offer_of_catalogue(cls: type[Evaluator], saved: Collection[str]) -> Offer:
    # A metric may have been saved here and put into a file under the same title.
    title = f"{cls.title} (file)" if cls.title in saved else cls.title
    return Offer(cls, title, cls.needs)


def _offer_of_saved(spec: EvaluatorSpec) -> Offer:
    evaluator = from_spec(spec)
    return Offer(type(evaluator), evaluator.title, evaluator.needed, spec)


def _metric_card(offer: Offer, lacking: Lacking, total: int, key: str) -> Evaluator | None:
    """One chosen metric: what it needs, its parameters, how it works."""
    with st.container(border=True):
        st.markdown(f"**{plain(offer.title)}**")
        _say_what_it_needs(offer, lacking, total)
        evaluator = None
        with problems.caught():
            if offer.written:
                evaluator = from_spec(offer.written)
            else:
                evaluator = offer.cls.build(**_parameter_fields(offer.cls, key))
        if offer.written:
            st.caption(plain(" · ".join(metric_results.params(offer.written))))
        metric_results.about(offer.cls, key, offer.needs)
    return evaluator if lacking.usable else None


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
            absent.append(metric_results.title(field))
    if not absent:
        return offer.title
    return f"✕ {offer.title} · no {', no '.join(absent)}"


# The form is drawn again at every click, and the label of each metric tells what the data lack.
@lru_cache(maxsize=64)
def _count_lacking(data: session.Identity, needs: tuple[str, ...]) -> Lacking:
    dataset = session.source(data.name)
    samples = dataset.samples if isinstance(dataset, Dataset) else ()
    absent = [missing(needs, sample, has_generator=True) for sample in samples]
    counts = Counter(field for fields in absent for field in fields)
    return Lacking({field: counts[field] for field in needs}, absent.count([]))


def _say_what_it_needs(offer: Offer, lacking: Lacking, total: int) -> None:
    """Says what the metric needs, and in how many samples which of it is absent."""
    usable = f"{lacking.usable:,} of {counted(total, 'sample')} can be judged."
    st.caption(plain(f"{metric_results.needed(offer.needs)} {usable}"))
    for field, count in lacking.fields.items():
        if count:
            columns = " or ".join(COLUMNS.get(field, (field,)))
            words = (
                f"{metric_results.title(field)} missing in {counted(count, 'sample')}. "
                f"Add a column: {columns}."
            )
            st.warning(plain(words), icon=":material/view_column:")


# The judge, and what it will take


def with_judge(plan: RunPlan, models: Sequence[Choice], key: str) -> RunPlan | None:
    """The plan with the models that answer and the one judge of its metrics, and what they take.

    `None` while no judge is chosen that is needed.
    """
    judges = []
    if any(metric.most_judges() for metric in plan.evaluators):
        judge = model_form.judge_of_metrics(f"{key}_judge")
        if judge is None and any(metric.needs_judge for metric in plan.evaluators):
            st.caption("Choose a judge to start.")
            return None
        judges = [judge] if judge else []
        point_out_generators(judges, plan.dataset)
    complete = model_form.asking(plan, models, judges, key)
    if complete:
        model_forecast.show(complete, RememberedMeasures(session.identity(plan.dataset.name)))
    return complete


def point_out_generators(judges: Sequence[Choice], dataset: Dataset) -> None:
    """A judge may favour its own answers."""
    for choice in judges:
        own = sum(model_form.is_generator(choice, sample.generator) for sample in dataset.samples)
        if own:
            words = (
                f"{choice.model.title} also wrote {counted(own, 'response')} of this data, "
                "and may favour its own."
            )
            st.warning(plain(words), icon=":material/balance:")
