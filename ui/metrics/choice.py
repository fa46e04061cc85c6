"""Choosing metrics: of the catalogue and of one's own, each with its parameters, and the one judge
that they ask.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from evaluators.base import Evaluator, missing
from evaluators.catalogue import catalogue, from_spec
from evaluators.datasets.mapping import COLUMNS
from evaluators.dry_run import answered, prompts_of
from evaluators.llm import clients
from evaluators.llm.catalogue import OFFLINE, Choice
from evaluators.llm.prompt_sizes import Sent, sent_to, to_come, together
from evaluators.params import parameters
from evaluators.prompt_metric import PromptMetric
from evaluators.records import Dataset, EvaluatorSpec, ModelSpec, Sample
from ui import session
from ui.metrics import own_metrics
from ui.metrics import results as metric_results
from ui.models import form as model_form
from ui.models.generators import Generators
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
    """In how many samples each field is absent that a metric needs,
    and in how many all are there.
    """

    fields: Mapping[str, int]
    usable: int


def offers() -> dict[str, Offer]:
    """What can be chosen beside the evaluators that have a page of their own, by name."""
    saved = own_metrics.saved()
    declared = {
        name: _declared(cls, saved)
        for name, cls in catalogue().items()
        if cls.leads is None and cls is not PromptMetric
    }
    return declared | {own_metrics.offered(title): _written(spec) for title, spec in saved.items()}


def choose(
    label: str, dataset: Dataset, key: str, begin: Sequence[str] = ()
) -> list[Evaluator] | None:
    """Lets metrics be chosen, and shows what each needs and its parameters; `None` where one of
    them cannot run.

    `begin` names those that are chosen at first. A response is not missed, as a generator can
    answer.
    """
    found, total = offers(), len(dataset.samples)
    lacking = {
        name: _lacking(session.identity(dataset.name), offer.needs) for name, offer in found.items()
    }
    names = st.multiselect(
        label,
        list(found),
        default=list(begin),
        format_func=lambda name: _label(found[name], lacking[name], total),
        placeholder="Choose metrics",
        select_all=False,
        key=f"{key}_metrics",
        **KEPT,
    )
    chosen = [_chosen(found[name], lacking[name], total, f"{key}_{name}") for name in names]
    return None if None in chosen else [evaluator for evaluator in chosen if evaluator]


def _declared(cls: type[Evaluator], saved: Collection[str]) -> Offer:
    """A metric of the catalogue; told apart from one that was saved under its title and put into a
    file.
    """
    return Offer(cls, f"{cls.title} (file)" if cls.title in saved else cls.title, cls.needs)


def _written(spec: EvaluatorSpec) -> Offer:
    evaluator = from_spec(spec)
    return Offer(type(evaluator), evaluator.title, evaluator.needed, spec)


def _chosen(offer: Offer, lacking: Lacking, total: int, key: str) -> Evaluator | None:
    """One chosen metric: what it needs, its parameters, how it works."""
    with st.container(border=True):
        st.markdown(f"**{plain(offer.title)}**")
        _say_what_it_needs(offer, lacking, total)
        evaluator = None
        with problems.caught():
            evaluator = (
                from_spec(offer.written)
                if offer.written
                else offer.cls.build(**_parameters(offer.cls, key))
            )
        if offer.written:
            st.caption(plain(" · ".join(metric_results.params(offer.written))))
        metric_results.about(offer.cls, key, offer.needs)
    return evaluator if lacking.usable else None


def _parameters(cls: type[Evaluator], key: str) -> dict[str, Any]:
    """What was chosen for the parameters; one that has no default is left to the message that it is
    missing.
    """
    without = [name for name, field in cls.model_fields.items() if field.is_required()]
    if all(parameter.name in without for parameter in parameters(cls)):
        return {}
    return forms.parameter_widgets(cls, key, without)


# What the data hold


def _label(offer: Offer, lacking: Lacking, total: int) -> str:
    """The metric's title, and what all samples lack of what it needs."""
    absent = [
        metric_results.title(field) for field, count in lacking.fields.items() if count == total
    ]
    return f"✕ {offer.title} · no {', no '.join(absent)}" if absent else offer.title


@lru_cache(maxsize=64)
def _lacking(data: session.Identity, needs: tuple[str, ...]) -> Lacking:
    """Counted once for each data set, as the form is drawn again at every click."""
    absent = [missing(needs, sample, has_generator=True) for sample in _samples(data)]
    found = Counter(field for fields in absent for field in fields)
    return Lacking({field: found[field] for field in needs}, absent.count([]))


def _samples(data: session.Identity) -> Sequence[Sample]:
    dataset = session.source(data.name)
    return dataset.samples if isinstance(dataset, Dataset) else ()


def _say_what_it_needs(offer: Offer, lacking: Lacking, total: int) -> None:
    """Says what the metric needs, and in how many samples which of it is absent."""
    usable = f"{lacking.usable:,} of {counted(total, 'sample')} can be judged."
    st.caption(plain(f"{metric_results.needed(offer.needs)} {usable}"))
    for field, count in lacking.fields.items():
        if count:
            names = " or ".join(COLUMNS.get(field, (field,)))
            words = (
                f"{metric_results.title(field)} missing in {counted(count, 'sample')}. Add a "
                f"column: {names}."
            )
            st.warning(plain(words), icon=":material/view_column:")


# The judge, and what it will take


def plan(
    metrics: Sequence[Evaluator], dataset: Dataset, key: str, generators: Generators
) -> model_form.Plan | None:
    """Who is asked: the models that answer and the one judge of these metrics, with what asking
    them will take.

    `None` while no judge is chosen that is needed.
    """
    judges = []
    if any(metric.most_judges() for metric in metrics):
        judge = _judge(f"{key}_judge")
        if judge is None and any(metric.needs_judge for metric in metrics):
            st.caption("Choose a judge to start.")
            return None
        judges = [judge] if judge else []
        point_out_generators(judges, dataset)
    chosen = model_form.asking(generators.models, judges, key)
    if chosen:
        what = {spec: sent(dataset.name, metrics, spec, chosen) for spec in chosen.judges}
        model_form.show_calls(chosen, generators.sent(dataset.name, chosen.models), what)
    return chosen


def _judge(key: str) -> Choice | None:
    """The one LLM that judges, if one is chosen."""
    found = {
        name: each
        for name, each in model_form.choices().items()
        if not each.problem and name != OFFLINE.id
    }
    if not found:
        st.info(
            "A metric of these asks a judge: an LLM, and that needs a key.", icon=":material/key:"
        )
        st.page_link(
            "../pages/settings.py", label="Enter a key on the Settings page", icon=":material/key:"
        )
    name = st.selectbox(
        "Judge",
        list(found),
        index=None,
        format_func=lambda name: model_form.label(found[name]),
        help="Prices: US dollars per million tokens, prompt / answer.",
        placeholder="Choose a judge",
        disabled=not found,
        key=key,
        **KEPT,
    )
    return found[name] if name else None


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


def sent(name: str, metrics: Sequence[Evaluator], judge: ModelSpec, plan: model_form.Plan) -> Sent:
    """What these metrics will send the judge about the data of that name, and about the answers of
    the plan's models.

    Models that keep the same response give the same prompts, which are sent once where stored
    answers are used.
    """
    prompt_budget, data = clients.prompt_budget(judge, session.keys()), session.identity(name)
    asking = [metric for metric in metrics if metric.most_judges()]
    with st.spinner("Measuring the prompts"):
        known, unknown = (
            [
                _sent(
                    data,
                    type(metric),
                    metric.spec().model_dump_json(),
                    judge,
                    prompt_budget,
                    is_to_come,
                )
                for metric in asking
            ]
            for is_to_come in (False, True)
        )
    return together(
        [*known * plan.repeats, *(to_come(part, len(plan.models)) for part in unknown)], judge
    )


@lru_cache(maxsize=32)
def _sent(
    data: session.Identity,
    cls: type[Evaluator],
    spec: str,
    judge: ModelSpec,
    prompt_budget: int | None,
    is_to_come: bool,
) -> Sent:
    """The same for one metric, of answers that are there or to come; remembered until the metric's
    file changes.
    """
    evaluator = cls.build(**EvaluatorSpec.model_validate_json(spec).params)
    samples = _samples(data)
    if "response" in evaluator.needed:
        samples = [
            answered(sample) for sample in samples if (sample.response is None) is is_to_come
        ]
    elif is_to_come:
        samples = []
    return sent_to(
        judge,
        (prompt for sample in samples for prompt in prompts_of(evaluator, sample, prompt_budget)),
    )
