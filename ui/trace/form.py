"""The form of a new TRACE run: what is labelled, who labels, and how many samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.base import Evaluator
from evaluators.catalogue import catalogue, from_spec
from evaluators.config import config
from evaluators.datasets.sampling import sampled
from evaluators.dry_run import answered
from evaluators.errors import PlumblineError
from evaluators.llm.catalogue import Choice, model_title
from evaluators.records import Cap, Dataset, Run
from evaluators.runs.forecast import doubt_of, doubtful
from evaluators.runs.plan import RunPlan
from evaluators.text.language import mark, say
from evaluators.text.words import counted
from evaluators.trace.method import TRACEMethod
from ui import session
from ui.metrics import choice
from ui.models import forecast as model_forecast
from ui.models import form as model_form
from ui.models import generators as model_generators
from ui.models import run_form
from ui.models.forecast import RememberedMeasures
from ui.models.generators import Generators
from ui.models.run_form import RunForm
from ui.parts import explained, forms, problems
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain
from ui.trace import local_model

HEURISTIC, JUDGE, JURY, HYBRID = mark("Heuristic"), mark("One judge"), mark("Jury"), mark("Hybrid")
LOCAL, DECISIONS = mark("Local model"), mark("Decision model")
# A jury is the same evaluator with several judges.
METHODS = {
    HEURISTIC: "trace",
    LOCAL: "local",
    DECISIONS: "decisions",
    JUDGE: "gpt_labeling",
    JURY: "gpt_labeling",
    HYBRID: "hybrid",
}
METHOD = "trace_method"
JUDGE_FIELDS = {
    DECISIONS: ("trace_decisions", 1),
    JUDGE: ("trace_judge", 1),
    JURY: ("trace_jury", 3),
    HYBRID: ("trace_hybrid", 1),
}
"""The field of each method's judges, and with how many judges it begins; others ask nobody."""

ONE_IN = 5
"""The share of the samples that hybrid judges at first."""

PRICED = 100
"""Samples by which the price of a labeller that is not chosen is estimated."""


class Who(NamedTuple):
    """Who labels: a method, its judges, and of how many samples hybrid asks them, or the model on
    this computer.
    """

    method: str
    judges: list[Choice]
    judged: int = 0
    local: str = ""

    @property
    def evaluator(self) -> str:
        return METHODS[self.method]


class TRACEDraft(NamedTuple):
    """What is chosen so far: the samples, who answers and labels, and what else is measured."""

    form: RunForm
    dataset: Dataset
    who: Who
    further: list[Evaluator] | None
    generators: Generators
    params: dict[str, Any]

    @property
    def plan(self) -> RunPlan:
        """The plan of what is measured beside, with nobody who is asked."""
        return RunPlan(
            self.dataset,
            self.further or [],
            prompt=self.generators.prompt,
            seed=self.dataset.origin.get("seed"),
        )


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    name = run_form.chosen_data("trace", session.named(Dataset), _fields, _who_fields)
    if name is None:
        return
    whole = session.dataset(name)
    form = RunForm("trace", name)
    dataset = form.samples(whole, say("Which samples are taken at random."))
    with form.who:
        generators = model_generators.choose(dataset, "trace")
        who = _who_labels(dataset, generators)
    with form.advanced:
        params = _method_fields(dataset, who, generators)
        further = choice.choose_metrics(say("Also measure"), dataset, "trace")
    with form.who:
        if who.method not in JUDGE_FIELDS:
            who = who._replace(judges=choice.judge_of(further or [], "trace"))
        choice.point_out_generators(who.judges, generators.models, dataset)
    form.ask(generators.models, who.judges)
    drafted = TRACEDraft(form, dataset, who, further, generators, params)
    # Drawn after what they tell the price of, and shown above it.
    with form.head:
        _tiles(drafted)
    with form.end:
        _end_of_trace_form(drafted, len(whole.samples))


def _end_of_trace_form(drafted: TRACEDraft, total: int) -> None:
    """What it takes, and the button that says what it starts."""
    form, who = drafted.form, drafted.who
    plan = None
    still_missing = _missing_to_label(drafted)
    missing = still_missing or say("Correct the settings")
    with problems.caught():
        labeller = catalogue()[who.evaluator].build(**drafted.params)
        labeller.check_ready()
        if who.judged:
            least = doubt_of(drafted.plan, labeller, who.judged, form.measures)
            labeller = labeller.model_copy(update={"doubt_from": least})
        # Without a plan too, for example by a budget that will not do.
        missing = still_missing or _say_what_is_judged(drafted, labeller)
        plan = form.planned(drafted.plan)
        if plan:
            plan = replace(plan, evaluators=[labeller, *plan.evaluators])
            _say_whom_metrics_ask(plan, drafted.further or [])
    what = _label_of_labelling(_count_to_label(drafted), total, len(drafted.generators.models))
    form.finish(plan, what, missing=missing)


def _fields(run: Run, judges: list[str] | None) -> dict[str, Any]:
    """The values of the fields of method and judges for the settings of a run."""
    fields = _who_fields(run, judges)
    # Of answers to come nobody knows the doubt, so the form has no such field.
    if fields[METHOD] == HYBRID and not run.models:
        fields |= _judged_by_hybrid(run)
    return fields


def _who_fields(run: Run, judges: list[str] | None) -> dict[str, Any]:
    """Those that say who labels."""
    one_of = {own: method for method, own in METHODS.items() if method != JURY}
    method = one_of.get(run.evaluator.name, JUDGE)
    if method == JUDGE and len(run.judges) > 1:
        method = JURY
    fields: dict[str, Any] = {METHOD: method}
    # The heuristic asks nobody, so its judge is that of a metric beside it.
    if judges is not None and method in JUDGE_FIELDS:
        field, _ = JUDGE_FIELDS[method]
        fields[field] = next(iter(judges), None) if method == JUDGE else judges
    return fields


def _judged_by_hybrid(run: Run) -> dict[str, int]:
    """How many samples the judges got; nothing where the data are gone, or it takes too long."""
    try:
        whole = session.dataset(run.dataset_name)
        hybrid = from_spec(run.evaluator)
        count, seed = run.origin.get("sample"), run.seed or 0
        plan = RunPlan(sampled(whole, count, seed), [hybrid])
        # As the form measures the same data: so it finds what is remembered here.
        measures = RememberedMeasures((session.identity(whole.name), count, seed))
        positions = doubtful(plan, hybrid, measures)
    except PlumblineError:
        return {}
    total = len(plan.dataset.samples)
    judged = total if positions is None else len(positions)
    return {f"trace_judged_{total}": max(1, judged)}


def unused(evaluator: str) -> tuple[str, ...]:
    """The parameters that make no difference to this method."""
    cls = catalogue()[evaluator]
    return cls.unused if issubclass(cls, TRACEMethod) else ()


def _who_labels(dataset: Dataset, answering: Generators) -> Who:
    """The judges of the chosen method, and for hybrid how many samples they get."""
    # The tiles stand above, but say what these choices cost, so they are drawn after them.
    method = st.session_state.get(METHOD, HEURISTIC)
    if method == LOCAL:
        return Who(method, [], local=local_model.choose())
    if method == HEURISTIC:
        return Who(method, [])
    by_id = _who_can_label(method)
    if method == JUDGE:
        return Who(method, model_form.judge(by_id, *JUDGE_FIELDS[method][:1]))
    most = catalogue()[METHODS[method]].most_judges()
    # How doubtful an answer to come will be nobody knows, so they cannot be counted.
    if method in (JURY, DECISIONS) or answering.models:
        return Who(method, model_form.judges(by_id, most, *JUDGE_FIELDS[method]))
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        judges = model_form.judges(by_id, most, *JUDGE_FIELDS[method])
    return Who(method, judges, _judged_field(right, len(dataset.samples)))


def _who_can_label(method: str) -> dict[str, Choice]:
    by_id = model_form.choices()
    if method != DECISIONS:
        return by_id
    return {name: choice for name, choice in by_id.items() if choice.model.decides}


def _judged_field(place: DeltaGenerator, total: int) -> int:
    """Of how many samples hybrid asks its judges."""
    # At first one in five, rounded up: of a single sample one all the same.
    number: int = place.number_input(
        say("Samples for the judges"),
        1,
        max(1, total),
        -(-total // ONE_IN) or 1,
        help=say(
            "Those that the heuristic is least sure of; of equally doubtful ones all or none."
        ),
        # The value at first hangs on it; under one key the first one would stay.
        key=f"trace_judged_{total}",
        **KEPT,
    )
    return number


def _method_fields(dataset: Dataset, who: Who, answering: Generators) -> dict[str, Any]:
    """The parameters of a method that make a difference to it."""
    without_field = list(unused(who.evaluator))
    if who.method == HYBRID and not answering.models:
        without_field.append("doubt_from")
    cls = catalogue()[who.evaluator]
    if who.local:
        without_field.append("model")
    params = forms.parameter_widgets(cls, "trace", without_field)
    if who.local:
        params["model"] = who.local
    if "retrieval" in dataset.origin:
        st.caption(
            say(
                "These settings cut documents for labelling. What was retrieved for each "
                "question stays as it is."
            )
        )
    return params


def _missing_to_label(drafted: TRACEDraft) -> str:
    """What to do before a run can start; empty where nothing is missing."""
    if drafted.generators.missing:
        return drafted.generators.missing
    if choice.serves_nobody(catalogue()[drafted.who.evaluator], drafted.dataset):
        return say("Choose other data")
    if drafted.further is None:
        return say("Correct the metrics")
    needs_judge = any(metric.needs_judge for metric in drafted.further)
    needs_judge = needs_judge or drafted.who.method in JUDGE_FIELDS
    if drafted.who.local and not local_model.is_here(drafted.params):
        return say("Download the model")
    return say("Choose a judge") if needs_judge and not drafted.who.judges else ""


def _count_to_label(drafted: TRACEDraft) -> int:
    """How many samples have an answer, or will have one."""
    samples = drafted.dataset.samples
    if drafted.generators.models:
        return len(samples)
    return sum(sample.response is not None for sample in samples)


def _say_what_is_judged(drafted: TRACEDraft, labeller: Evaluator) -> str:
    """Says which samples hybrid judges; what to do where those would be none, else empty."""
    if not labeller.least_doubt:
        return ""
    if not labeller.needs_judge and drafted.who.judged:
        st.caption(say("None would be judged: more samples are equally doubtful."))
        return say("Allow more samples for the judges")
    if not labeller.needs_judge:
        st.caption(say("None would be judged: no doubt is above 1. Lower “Doubt from”."))
        return say("Lower “Doubt from”")
    judged = len(doubtful(drafted.plan, labeller, drafted.form.measures) or ())
    if any(sample.response is None for sample in drafted.dataset.samples):
        st.caption(
            say(
                "Judges get {judged:,} of the answers that are there, and of those to come "
                "the ones with a doubt of {doubt_from:g} or more.",
                judged=judged,
                doubt_from=labeller.least_doubt,
            )
        )
    else:
        st.caption(
            say("Judges get the {judged:,} that the heuristic is least sure of.", judged=judged)
        )
    return ""


def _say_whom_metrics_ask(plan: RunPlan, further: Sequence[Evaluator]) -> None:
    """A jury labels, but a metric that takes one judge asks the first."""
    asking = [say(metric.title) for metric in further if metric.most_judges() == 1]
    if asking and len(plan.judges) > 1:
        first = model_title(plan.judges[0])
        st.caption(
            plain(
                say(
                    "{metrics}: asked of the first judge alone, {judge}.",
                    metrics=say(", ").join(asking),
                    judge=first,
                )
            )
        )


def _label_of_labelling(count: int, total: int, models: int) -> str:
    """ "Evaluate 100 samples, answered by each of 2 models"."""
    samples = counted(count, "sample")
    what = say("Evaluate {samples}", samples=samples)
    if count == total > 1:
        what = say("Evaluate all {samples}", samples=samples)
    if models > 1:
        return say("{what}, answered by each of {models} models", what=what, models=models)
    return what


def _tiles(drafted: TRACEDraft) -> None:
    """Who can label, each with its price for the chosen samples and judges."""
    # On a public host no model takes the memory of all.
    methods = [method for method in METHODS if method != LOCAL or not config().public]
    captions = [plain(_price_of(method, drafted)) for method in methods]
    with st.container(border=True):
        st.radio(
            say("Who labels"),
            methods,
            format_func=say,
            captions=captions,
            horizontal=True,
            help=explained.help_text("heuristic", "local", "decisions", "judge", "jury", "hybrid"),
            key=METHOD,
            **KEPT,
        )


def _price_of(method: str, drafted: TRACEDraft) -> str:
    """What labelling costs at most and how long limits make it last, by a part of the samples."""
    if method == HEURISTIC:
        return say("free, finds suspects")
    if method == LOCAL:
        return say("free, takes processor time")
    judges = model_form.judges_of_form(_who_can_label(method), *JUDGE_FIELDS[method])
    total = len(drafted.dataset.samples)
    part = sampled(drafted.dataset, PRICED)
    # As if every answer were there: those of models are priced below, with all that is asked.
    answers = tuple(map(answered, part.samples))
    part = part.model_copy(update={"samples": answers})
    asking = METHODS[JUDGE if method == HYBRID else method]
    plan = RunPlan(part, [catalogue()[asking].build()])
    labelling = model_form.with_llms(plan, [], judges, drafted.form.options, Cap())
    if not judges or labelling is None or not answers:
        return say("choose a judge")
    times = total / len(answers)
    if method == HYBRID:
        times *= (drafted.who.judged or -(-total // ONE_IN)) / total
    taken = model_forecast.of(labelling, RememberedMeasures((drafted.form.measures.data, PRICED)))
    minutes = model_forecast.waiting(taken, times)
    return " · ".join(filter(None, [model_forecast.price(taken, times=times), minutes]))
