"""A run once more: its settings in the fields of a form, and what was changed against it since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from evaluators.base import Benchmark
from evaluators.catalogue import catalogue
from evaluators.llm.catalogue import find
from evaluators.llm.connect import ANSWER_TOKENS
from evaluators.records import ModelSpec, Run
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_options import SETTINGS, llms_of
from evaluators.runs.settings import differing, settings_of
from evaluators.text.language import say
from evaluators.text.normalise import is_chinese
from evaluators.text.stored_texts import translated
from ui import session
from ui.models import assigned, when
from ui.models import form as model_form
from ui.parts import data_choice
from ui.parts.untrusted import plain

FieldsOfForm = Callable[[Run, list[str] | None], dict[str, Any]]
"""From a run, and the ids of its judges; `None` where the form begins with its usual ones."""


def fill(benchmark: Benchmark | None, of_form: FieldsOfForm) -> None:
    """Puts the settings that a link asks for into the fields; before any of them is drawn.

    They are those of a run, or of an assignment. What is no longer there, such as a model that
    nobody offers, is left out. `of_form` gives the values of the form's own fields by their keys.
    """
    place = _run_kept_under(benchmark)
    if session.NEW_RUN in st.session_state:
        st.session_state.pop(place, None)
        assigned.forget(benchmark)
    run = session.find_run(st.session_state.pop(session.AGAIN, ""))
    not_usable: tuple[ModelSpec, ...] = ()
    if run is not None:
        assigned.forget(benchmark)
    elif (link := assigned.take(benchmark)) is not None:
        run, not_usable = link
    assigned.show(benchmark)
    if run is None:
        return
    st.session_state[place] = run
    key: str = benchmark or "metrics"
    if benchmark == "rgb" and not run.models:
        # The fields of answers that were there already.
        key = "rgb_score"
    by_id = catalogue_of(run)
    models, judges = (
        [spec.id for spec in specs if spec.id in by_id and spec not in not_usable]
        for specs in (run.models, run.judges)
    )
    fields = {data_choice.FIELDS[benchmark]: run.dataset_name, **_how_asked(run, key)}
    # Of those who cannot be asked here the choice is open, or another one would be asked unasked.
    if models or not_usable:
        fields[f"{key}_models"] = models
    if run.prompt:
        language = "zh" if is_chinese(run.prompt) else "en"
        fields[f"{key}_prompt_{language}"] = run.prompt
    fields |= of_form(run, judges if judges or not_usable else None)
    for name, value in (fields | _fields_of_metrics(run, benchmark, key)).items():
        st.session_state[name] = value


def catalogue_of(run: Run) -> dict[str, Any]:
    """The models that can be chosen; with retired ones where the run asked one."""
    by_id = model_form.choices()
    asked = {spec.id for spec in (*run.models, *run.judges)}
    if any(name not in by_id and find(name) for name in asked):
        st.session_state[model_form.SHOW_RETIRED] = True
        by_id = model_form.choices()
    return dict(by_id)


def show_changes(
    benchmark: Benchmark | None,
    plan: RunPlan,
    name: str,
    made_by: Mapping[str, Any],
) -> None:
    """What is changed against the run whose settings the form began with: "seed 0 → 1".

    `made_by` says how samples are made of the data of this name, as the origin of a run has it.
    """
    run: Run | None = st.session_state.get(_run_kept_under(benchmark))
    if run is None:
        return
    changes = []
    for change in differing(settings_of(run), settings_of(plan.as_run(name, made_by))):
        first, second = translated(change.first), translated(change.second)
        changes.append(f"{translated(change.setting)} {first} → {second}")
    changed = say("; ").join(changes) or say("nothing changed yet")
    words = say("Against {run}: {changes}.", run=run.title, changes=changed)
    st.caption(f":material/difference: {plain(words)}")


def _run_kept_under(benchmark: Benchmark | None) -> str:
    return f"again_{benchmark or 'metrics'}"


def _how_asked(run: Run, key: str) -> dict[str, Any]:
    fields = {}
    for name, setting in SETTINGS.items():
        is_number = setting.kind in (bool, int, float) and setting.usual is not None
        if is_number or setting.has_no_field:
            value = setting.value(run)
            fields[f"{key}_{name}"] = value if setting.fits(value) else setting.usual
    # A form has a field for each kind of budget.
    tokens = max((spec.answer_tokens for spec in llms_of(run)), default=ANSWER_TOKENS)
    field = "judge_tokens" if run.judges and key != "rgb" else "answer_tokens"
    most = SETTINGS["answer_tokens"].most
    fields[f"{key}_{field}"] = min(tokens, int(most or tokens))
    fields[f"{key}_when"] = when.TOMORROW if run.overnight else when.NOW
    # Each unit has a field of its own, or a number of calls would stand there as dollars.
    fields[f"{key}_unit"] = model_form.CALLS if run.cap.calls else model_form.DOLLARS
    fields[f"{key}_{model_form.CALLS}"] = run.cap.calls
    fields[f"{key}_{model_form.DOLLARS}"] = run.cap.cost
    return fields


def _fields_of_metrics(run: Run, benchmark: Benchmark | None, key: str) -> dict[str, Any]:
    """The metrics beside the one that leads, and the parameters of all."""
    fields: dict[str, Any] = {}
    chosen = []
    for spec in run.evaluators:
        cls = catalogue().get(spec.name)
        if cls is None:
            continue
        is_leading = benchmark is not None and spec == run.evaluator
        prefix = key
        if not is_leading:
            prefix = f"{key}_{spec.name}"
            # One from a prompt is chosen by its title.
            title = spec.params.get("title", "")
            chosen.append(f"{spec.name} {title}" if title else spec.name)
        for name, value in spec.params.items():
            # JSON knows no tuples, and a widget of several choices wants the type of its default.
            if isinstance(cls.model_fields[name].get_default(), tuple):
                value = tuple(value)
            fields[f"{prefix}_{name}"] = value
    if benchmark != "rgb":
        fields[f"{key}_metrics"] = chosen
    return fields
