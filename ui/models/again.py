"""A run once more: its settings in the fields of a form, and what was changed against it since."""

from __future__ import annotations

from typing import Any

import streamlit as st

from evaluators.base import Benchmark
from evaluators.catalogue import catalogue, from_spec
from evaluators.datasets.sampling import sampled
from evaluators.errors import PlumblineError
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm.catalogue import find
from evaluators.records import Ability, Run
from evaluators.runs.forecast import doubtful
from evaluators.runs.plan import RunPlan
from evaluators.runs.settings import differing, settings
from evaluators.text.normalise import is_chinese
from ui import session
from ui.models import form as model_form
from ui.models.forecast import RememberedMeasures
from ui.parts import data_choice, how_many
from ui.parts.untrusted import plain


def fill(benchmark: Benchmark | None) -> None:
    """Puts the settings of the run that a link names into the fields; before any of them is drawn.

    What is no longer there, such as a model that nobody offers, is left out.
    """
    place = _place(benchmark)
    if session.NEW_RUN in st.session_state:
        st.session_state.pop(place, None)
    run = session.find_run(st.session_state.pop(session.AGAIN, ""))
    if run is None:
        return
    st.session_state[place] = run.id
    by_id = catalogue_of(run)
    models = [spec.id for spec in run.models if spec.id in by_id]
    judges = [spec.id for spec in run.judges if spec.id in by_id]
    key: str = benchmark or "metrics"
    if benchmark == "rgb" and not run.models:
        # The fields of answers that were there already.
        key = "rgb_score"
    fields = {data_choice.FIELDS[benchmark]: run.dataset_name, **_how_asked(run, key)}
    fields |= _composition(run) if key == "rgb" else _part(run, f"{key}_count")
    fields[f"{key}_seed"] = run.seed or 0
    if models:
        fields[f"{key}_models"] = models
    if run.prompt:
        language = "zh" if is_chinese(run.prompt) else "en"
        fields[f"{key}_prompt_{language}"] = run.prompt
    if benchmark == "trace":
        fields |= _labellers(run, judges)
    elif judges:
        fields["rgb_judge" if benchmark == "rgb" else "metrics_metric_judge"] = judges[0]
    fields |= _metrics(run, benchmark, key)
    for name, value in fields.items():
        st.session_state[name] = value


def catalogue_of(run: Run) -> dict[str, Any]:
    """The models that can be chosen; with retired ones where the run asked one."""
    by_id = model_form.choices()
    asked = {spec.id for spec in (*run.models, *run.judges)}
    if any(name not in by_id and find(name) for name in asked):
        st.session_state[model_form.SHOW_RETIRED] = True
        by_id = model_form.choices()
    return dict(by_id)


def show_changes(benchmark: Benchmark | None, plan: RunPlan, name: str, count: int | None) -> None:
    """What is changed against the run whose settings the form began with: "seed 0 → 1"."""
    run = session.find_run(st.session_state.get(_place(benchmark)))
    if run is None:
        return
    specs = [evaluator.spec() for evaluator in plan.in_order]
    before = settings(run, run.dataset_name, run.origin.get("sample"), run.evaluators)
    changed = [
        f"{change.setting} {change.first} → {change.second}"
        for change in differing(before, settings(plan, name, count, specs))
    ]
    words = "; ".join(changed) or "nothing changed yet"
    st.caption(f":material/difference: {plain(f'Against that run of {run.title}: {words}.')}")


def _place(benchmark: Benchmark | None) -> str:
    return f"again_{benchmark or 'metrics'}"


def _how_asked(run: Run, key: str) -> dict[str, Any]:
    llms = [*run.judges, *run.models]
    fields: dict[str, Any] = {f"{key}_use_cache": run.use_cache}
    if llms:
        tokens = "judge_tokens" if run.judges and key != "rgb" else "answer_tokens"
        fields[f"{key}_{tokens}"] = max(spec.answer_tokens for spec in llms)
        fields[f"{key}_temperature"] = max(spec.temperature or 0.0 for spec in llms)
    fields[f"{key}_unit"] = model_form.CALLS if run.cap.calls else model_form.DOLLARS
    fields[f"{key}_{model_form.CALLS}"] = run.cap.calls
    fields[f"{key}_{model_form.DOLLARS}"] = run.cap.cost
    return fields


def _part(run: Run, key: str) -> dict[str, Any]:
    """How many samples were taken."""
    count = run.origin.get("sample")
    if count is None:
        return {key: how_many.ALL}
    if count in (how_many.FEW, how_many.MORE):
        return {key: str(count)}
    return {key: how_many.OTHER, f"{key}_number": count}


def _composition(run: Run) -> dict[str, Any]:
    name, origin = run.dataset_name, run.origin
    fields = _part(run, f"rgb_count_{name}")
    if abilities := origin.get("abilities"):
        fields[f"rgb_abilities_{name}"] = [Ability(ability) for ability in abilities]
    if levels := origin.get("noise_levels"):
        fields["rgb_noise"] = levels
    if passages := origin.get("passages"):
        fields["rgb_passages"] = passages
    return fields


def _labellers(run: Run, judges: list[str]) -> dict[str, Any]:
    """The tile of the method, and its judges."""
    method = {"trace": "Heuristic", "hybrid": "Hybrid"}.get(run.evaluator.name)
    method = method or ("Jury" if len(run.judges) > 1 else "One judge")
    field = {"One judge": "trace_judge", "Jury": "trace_jury", "Hybrid": "trace_hybrid"}.get(method)
    fields: dict[str, Any] = {"trace_method": method}
    if judges and field:
        fields[field] = judges[0] if method == "One judge" else judges
    elif judges:
        fields["trace_metric_judge"] = judges[0]
    if method == "Hybrid" and not run.models:
        fields |= _judged_by_hybrid(run)
    return fields


def _judged_by_hybrid(run: Run) -> dict[str, int]:
    """How many samples the judges got; nothing where the data are gone."""
    try:
        whole = session.dataset(run.dataset_name)
        hybrid = from_spec(run.evaluator)
    except PlumblineError:
        return {}
    if not isinstance(hybrid, HybridEvaluator):
        return {}
    count, seed = run.origin.get("sample"), run.seed or 0
    plan = RunPlan(sampled(whole, count, seed), [hybrid])
    # As the form measures the same data: so it finds what is remembered here.
    measures = RememberedMeasures((session.identity(whole.name), count, seed))
    total = len(plan.dataset.samples)
    positions = doubtful(plan, hybrid, measures)
    judged = total if positions is None else len(positions)
    return {f"trace_judged_{total}": max(1, judged)}


def _metrics(run: Run, benchmark: Benchmark | None, key: str) -> dict[str, Any]:
    """The metrics beside the one that leads, and the parameters of all."""
    fields: dict[str, Any] = {}
    chosen = []
    for spec in run.evaluators:
        is_leading = benchmark is not None and spec == run.evaluator
        if spec.name not in catalogue():
            continue
        if not is_leading:
            # One from a prompt is chosen by its title.
            chosen.append(" ".join(filter(None, [spec.name, spec.params.get("title", "")])))
        for name, value in spec.params.items():
            usual = catalogue()[spec.name].model_fields[name].get_default()
            field = f"{key}_{name}" if is_leading else f"{key}_{spec.name}_{name}"
            fields[field] = tuple(value) if isinstance(usual, tuple) else value
    if benchmark != "rgb":
        fields[f"{key}_metrics"] = chosen
    return fields
