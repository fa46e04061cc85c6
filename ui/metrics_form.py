"""The form of a new run of one metric: a data set, the metric with its parameters, and its judge if it asks one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from evaluators.base import Evaluator, catalogue, from_spec, missing
from evaluators.datasets.mapping import COLUMNS
from evaluators.llm import clients
from evaluators.llm.catalogue import OFFLINE, Choice
from evaluators.llm.rehearsal import prompts_of
from evaluators.params import parameters
from evaluators.runs.engine import create_run
from evaluators.types import Dataset, EvaluatorSpec, ModelSpec, Sample
from ui import forms, metrics_view, model_form, problems, session
from ui.model_form import KEPT
from ui.untrusted import plain
from ui.words import counted

Identity = tuple[str, str, str]


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    datasets = {name: data for name, data in session.opened().items() if isinstance(data, Dataset)}
    metrics = {name: cls for name, cls in catalogue().items() if name not in session.PAGES}
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    name = left.selectbox("Data set", list(datasets), key="metrics_dataset", **KEPT)
    right.page_link("../pages/datasets.py", label="Upload a data set", icon=":material/upload_file:")
    lacking = _all_lacking(session.identity(name), tuple(metrics.values())) if name else {}
    metric = middle.selectbox(
        "Metric",
        list(metrics),
        format_func=lambda metric: _label(metrics[metric], lacking.get(metric, {}), len(datasets[name].samples)),
        key="metrics_metric",
        **KEPT,
    )
    if name and metric:
        usable = _say_what_it_needs(metrics[metric], datasets[name], lacking[metric])
        _chosen(metrics[metric], datasets[name], usable)
        metrics_view.about(metrics[metric], "form")


def _chosen(cls: type[Evaluator], dataset: Dataset, usable: bool) -> None:
    """The parameters, the judge and what it will take; Start, where all of it fits."""
    params, key, ready = _parameters(cls), f"metrics_{cls.name}", False
    plan = _plan(dataset, key) if metrics_view.asks_a_judge(cls) else None
    with problems.told():
        evaluator = cls.build(**params)
        if plan and usable:
            _estimate(dataset.name, evaluator.spec(), plan)
        ready = usable and (plan is not None or not metrics_view.asks_a_judge(cls))
    if st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not ready, key="metrics_start"):
        _start(dataset, evaluator.spec(), plan._asdict() if plan else {})


def _parameters(cls: type[Evaluator]) -> dict[str, Any]:
    """What was chosen for the parameters; one that has no default is left to the message that it is missing."""
    without = [name for name, field in cls.model_fields.items() if field.is_required()]
    if all(parameter.name in without for parameter in parameters(cls)):
        return {}
    return forms.parameter_widgets(cls, f"metrics_{cls.name}", without)


# What the data hold


def _label(cls: type[Evaluator], lacking: Mapping[str, int], samples: int) -> str:
    """The metric's title, and what all samples lack of what it needs."""
    absent = [field for field, count in lacking.items() if count == samples]
    return f"✕ {cls.title} · no {', no '.join(map(metrics_view.title, absent))}" if absent else cls.title


@lru_cache(maxsize=8)
def _all_lacking(data: Identity, metrics: tuple[type[Evaluator], ...]) -> dict[str, dict[str, int]]:
    """In how many samples each of the fields is absent that a metric needs, by metric."""
    dataset = session.source(data[1])
    samples = dataset.samples if isinstance(dataset, Dataset) else ()
    return {cls.name: _lacking(cls, samples) for cls in metrics}


def _lacking(cls: type[Evaluator], samples: Sequence[Sample]) -> dict[str, int]:
    found = Counter(field for sample in samples for field in missing(cls.needs, sample))
    return {field: found[field] for field in cls.needs}


def _say_what_it_needs(cls: type[Evaluator], dataset: Dataset, lacking: Mapping[str, int]) -> bool:
    """Says in how many samples something is absent, and tells whether any can be judged."""
    total = len(dataset.samples)
    usable = sum(not missing(cls.needs, sample) for sample in dataset.samples)
    needs = ", ".join(map(metrics_view.title, cls.needs)).lower() or "nothing but the question"
    st.caption(plain(f"{cls.title} needs: {needs}. {usable:,} of {counted(total, 'sample')} can be judged."))
    for field, count in lacking.items():
        if count:
            names = " or ".join(COLUMNS.get(field, (field,)))
            words = f"{metrics_view.title(field)} missing in {counted(count, 'sample')}. Add a column: {names}."
            st.warning(plain(words), icon=":material/view_column:")
    return usable > 0


# The judge, and what it will take


def _plan(dataset: Dataset, key: str) -> model_form.Plan | None:
    judge = _judge()
    if judge:
        _point_out_generator(judge, dataset)
    return model_form.judging([judge] if judge else [], key)


def _judge() -> Choice | None:
    """The one LLM that judges, if one is chosen."""
    found = {name: each for name, each in model_form.choices().items() if not each.problem and name != OFFLINE.id}
    if not found:
        st.info("This metric asks a judge: an LLM, and that needs a key.", icon=":material/key:")
        st.page_link("../pages/settings.py", label="Enter a key on the Settings page", icon=":material/key:")
    name = st.selectbox(
        "Judge",
        list(found),
        index=None,
        format_func=lambda name: model_form.label(found[name]),
        help="Prices: US dollars per million tokens, prompt / answer.",
        placeholder="Choose a judge",
        disabled=not found,
        key="metrics_judge",
        **KEPT,
    )
    return found[name] if name else None


def _point_out_generator(judge: Choice, dataset: Dataset) -> None:
    """A judge may favour its own answers."""
    own = sum(model_form.is_generator(judge, sample.generator) for sample in dataset.samples)
    if own:
        words = f"{judge.model.title} also wrote {counted(own, 'response')} of this data, and may favour its own."
        st.warning(plain(words), icon=":material/balance:")


def _estimate(name: str, spec: EvaluatorSpec, plan: model_form.Plan) -> None:
    (judge,) = plan.judges
    with st.spinner("Measuring the prompts"):
        sent = _sent(session.identity(name), spec.model_dump_json(), judge, clients.room(judge, session.keys()))
    model_form.show_judging(plan, {judge: sent})


@lru_cache(maxsize=16)
def _sent(data: Identity, spec: str, judge: ModelSpec, room: int | None) -> model_form.Sent:
    """What the judge will be sent about these data; remembered, as the form is drawn again at every click."""
    evaluator, dataset = from_spec(EvaluatorSpec.model_validate_json(spec)), session.source(data[1])
    samples = dataset.samples if isinstance(dataset, Dataset) else ()
    prompts = [prompt for sample in samples for prompt in prompts_of(evaluator, sample, room)]
    parts = [model_form.sent([prompt.text], [judge], schema_text=prompt.schema_text) for prompt in prompts]
    keys = [key for part in parts for key in part.keys[judge]]
    return model_form.Sent(tuple(size for part in parts for size in part.prompt_tokens), {judge: keys}, ())


def _start(dataset: Dataset, spec: EvaluatorSpec, chosen: dict[str, Any]) -> None:
    """Creates the run with what was chosen for it, and goes to its page."""
    with problems.told():
        run = create_run(session.store(), dataset, spec, workspace=session.workspace(), title=dataset.name, **chosen)
        session.start(run)
