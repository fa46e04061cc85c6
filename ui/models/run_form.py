"""What the forms of a new run have alike: its data, how many samples, how LLMs are asked, Start.

Each begins with the settings of a run or of an assignment where a link asks for one, and says what
was changed against it since.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from evaluators.base import Benchmark
from evaluators.catalogue import leads, metric_named
from evaluators.datasets.sampling import sampled
from evaluators.errors import DatasetError
from evaluators.llm.catalogue import Choice, find
from evaluators.llm.connect import ANSWER_TOKENS
from evaluators.records import Dataset, ModelSpec, Run
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_options import SETTINGS, llms_of
from evaluators.runs.settings import differing, settings_of
from evaluators.text.language import mark, say
from evaluators.text.normalise import is_chinese
from ui import session
from ui.models import assigned, forecast, when
from ui.models import form as model_form
from ui.parts import data_choice, forms, how_many, problems, rows_needed, starting
from ui.parts.untrusted import plain

FieldsOfForm = Callable[[Run, list[str] | None], dict[str, Any]]
"""From a run, and the ids of its judges; `None` where the form begins with its usual ones."""

LOOKED_AT = 20
"""Runs among which the last one of a page is looked for."""

CHANGED = mark(
    "The data changed since this form was drawn, so no run was started. Look at it again, "
    "then press Start."
)


def chosen_data(
    benchmark: Benchmark | None,
    names: Iterable[str],
    of_form: FieldsOfForm = lambda *_: {},
    of_who: FieldsOfForm = lambda *_: {},
) -> str | None:
    """The name of the data for a new run, beside a link to the page where others are uploaded.

    Before any field is drawn it gets its value from the run that a link names: those that all forms
    have here, those of one page by `of_form`, which gives them by their keys. Where none is named,
    who is asked is proposed as the last run of the page had it: `of_who` gives those fields.
    """
    _fill(benchmark, of_form)
    _propose_last(benchmark, of_who)
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    right.page_link(
        "../pages/datasets.py", label=say("Upload a data set"), icon=":material/upload_file:"
    )
    return data_choice.choose(left, say("Data set"), names, data_choice.FIELDS[benchmark])


class RunForm:
    """The form of a new run over data of this name, drawn part by part into its places.

    `benchmark` is that of the page, None of Metrics; `key` stands before the keys of the fields.
    """

    def __init__(self, benchmark: Benchmark | None, name: str, key: str = "") -> None:
        page: str = benchmark or "metrics"
        self.benchmark, self.name, self.key = benchmark, name, key or page
        self.start = f"{page}_start"
        # In the order in which they stand on the page; what decides about others is drawn first.
        self.head, self.who, self.number, self.end = (st.container() for _ in range(4))
        self.advanced = st.expander(say("Advanced"), icon=":material/tune:", key=f"{page}_advanced")
        columns = self.number.columns([3, 2], vertical_alignment="bottom")
        self.how_many, self.budget = columns

    def count(self, total: int, label: str = "") -> int | None:
        """How many of the samples are taken; `None` for all."""
        with self.how_many:
            count = how_many.choose(total, f"{self.key}_count", label=label)
        with self.number:
            rows_needed.show(self.name, self.key)
        return count

    def samples(self, whole: Dataset, purpose: str) -> Dataset:
        """Those that are taken at random; `purpose` says what the seed is for."""
        count = self.count(len(whole.samples))
        with self.advanced:
            seed = how_many.seed(f"{self.key}_seed", purpose)
        self.remember(count, seed)
        return sampled(whole, count, seed)

    def remember(self, *taken: Hashable) -> None:
        """What is measured is that of the samples which are `taken` of the data."""
        self.measures = forecast.RememberedMeasures((session.identity(self.name), *taken))

    def ask(
        self, models: Sequence[Choice] = (), judges: Sequence[Choice] = (), *, labels: bool = True
    ) -> None:
        """How these LLMs are asked, and within which budget; see `answer_options`."""
        self.models, self.judges = models, judges
        self.chosen = [*models, *judges]
        with self.advanced:
            self.options = model_form.answer_options(models, judges, self.key, labels=labels)
            self.further_options = forms.option_widgets(self.key)
            model_form.show_retired()
        with self.budget:
            self.cap = model_form.budget(self.chosen, self.key)

    def planned(self, plan: RunPlan) -> RunPlan | None:
        """The plan with who is asked, and how; `None` where one, or the budget, will not do."""
        plan = replace(plan, options=self.further_options)
        return model_form.with_llms(plan, self.models, self.judges, self.options, self.cap)

    def finish(
        self,
        plan: RunPlan | None,
        what: str,
        *,
        missing: str = "",
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        """What it takes, and the button; a press begins the run over the data as they were seen.

        The button says `what` a press does and, where known, for how much: "Evaluate 9 samples, up
        to $0.12". Where something is `missing` it is shut and says that: "Choose a judge to start".
        `origin` says how the samples are made, where they are not made yet.
        """
        price = ""
        if plan and not missing:
            with problems.caught():
                plan, price = forecast.show(plan, self.measures, self.advanced, self.key)
                self._show_changes(plan, plan.dataset.origin if origin is None else origin)
        if plan and plan.repeats > 1:
            what += say(" {number} times", number=plan.repeats)
        label = say("{what}, {price}", what=what, price=price) if price else what
        if missing:
            label = say("{missing} to start", missing=missing)
        can_be_asked = not any(choice.problem for choice in self.chosen)
        seen, now = f"{self.start}_seen", session.identity(self.name)
        pressed = starting.button(
            plain(label),
            self.start,
            is_ready=bool(plan) and can_be_asked and not missing,
            on_click=st.session_state.__setitem__,
            args=(seen, now),
        )
        if pressed and st.session_state.pop(seen, now) != now:
            problems.keep(DatasetError(CHANGED), self.start)
            starting.reopen()
        elif pressed and plan:
            starting.start(plan, self.start)

    def _show_changes(self, plan: RunPlan, origin: Mapping[str, Any]) -> None:
        """What is changed against the run whose settings the form began with: "seed 0 → 1"."""
        run: Run | None = st.session_state.get(_place(self.benchmark))
        if run is None:
            return
        changes = []
        for change in differing(settings_of(run), settings_of(plan.as_run(self.name, origin))):
            first, second = say(change.first), say(change.second)
            changes.append(f"{say(change.setting)} {first} → {second}")
        changed = say("; ").join(changes) or say("nothing changed yet")
        words = say("Against {run}: {changes}.", run=run.title, changes=changed)
        st.caption(f":material/difference: {plain(words)}")


# The settings of a run, or of an assignment, in the fields


def _begun_with(benchmark: Benchmark | None) -> tuple[Run | None, Collection[ModelSpec]]:
    """The run, or the assignment, that a link names, with those of it who cannot be asked here."""
    place = _place(benchmark)
    if session.NEW_RUN in st.session_state:
        st.session_state.pop(place, None)
        assigned.forget(benchmark)
    run = session.find_run(st.session_state.pop(session.AGAIN, ""))
    not_usable: Collection[ModelSpec] = ()
    if run is not None:
        assigned.forget(benchmark)
    elif (link := assigned.take(benchmark)) is not None:
        run, not_usable = link
    assigned.show(benchmark)
    if run is not None:
        st.session_state[place] = run
    return run, not_usable


def _fill(benchmark: Benchmark | None, of_form: FieldsOfForm) -> None:
    """What is no longer there, such as a model that nobody offers, is left out."""
    run, not_usable = _begun_with(benchmark)
    if run is None:
        return
    key: str = benchmark or "metrics"
    if benchmark == "rgb" and not run.models:
        # The fields of answers that were there already.
        key = "rgb_score"
    by_id = _models_for(run)
    models, judges = (
        [spec.id for spec in specs if spec.id in by_id and spec not in not_usable]
        for specs in (run.models, run.judges)
    )
    fields = {
        data_choice.FIELDS[benchmark]: run.dataset_name,
        **how_many.fields(run.origin.get("sample"), f"{key}_count"),
        **_how_asked(run, key),
    }
    # Of those who cannot be asked here the choice is open, or another one would be asked unasked.
    if models or not_usable:
        fields[f"{key}_models"] = models
    if judges or not_usable:
        fields[f"{key}_metric_judge"] = next(iter(judges), None)
    if run.prompt:
        language = "zh" if is_chinese(run.prompt) else "en"
        fields[f"{key}_prompt_{language}"] = run.prompt
    fields |= of_form(run, judges if judges or not_usable else None)
    for name, value in (fields | _fields_of_metrics(run, benchmark, key)).items():
        st.session_state[name] = value


def _propose_last(benchmark: Benchmark | None, of_who: FieldsOfForm) -> None:
    """Who was asked by the last run of this page, once a session, where each can be asked now."""
    place = f"{_place(benchmark)}_last"
    if place in st.session_state:
        return
    st.session_state[place] = True
    newest = session.store().runs.newest(session.workspace(), LOOKED_AT)
    run = next((run for run in newest if leads(run.evaluator.name) == benchmark), None)
    if run is None:
        return
    by_id = model_form.choices()
    models, judges = ([spec.id for spec in specs] for specs in (run.models, run.judges))
    if any(name not in by_id or by_id[name].problem for name in (*models, *judges)):
        return
    key, fields = benchmark or "metrics", of_who(run, judges)
    if models:
        fields[f"{key}_models"] = models
    if judges:
        fields[f"{key}_metric_judge"] = judges[0]
    for name, value in fields.items():
        st.session_state.setdefault(name, value)


def _models_for(run: Run) -> Mapping[str, Choice]:
    """The models that can be chosen; with retired ones where the run asked one."""
    by_id = model_form.choices()
    asked = {spec.id for spec in (*run.models, *run.judges)}
    if any(name not in by_id and find(name) for name in asked):
        st.session_state[model_form.SHOW_RETIRED] = True
        by_id = model_form.choices()
    return by_id


def _place(benchmark: Benchmark | None) -> str:
    """Where the run is kept whose settings the form began with."""
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
        cls = metric_named(spec.name)
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
