"""The form of a new run of metrics: the samples, who answers and judges, and what is measured."""

from __future__ import annotations

from evaluators.records import Dataset
from evaluators.runs.plan import RunPlan
from evaluators.text.language import say
from evaluators.text.words import counted
from ui import session
from ui.metrics import choice
from ui.models import generators as model_generators
from ui.models import run_form
from ui.models.generators import NOBODY

FIRST = "answer_match"
"""The metric that is chosen at first: it asks no judge."""


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    name = run_form.chosen_data(None, session.named(Dataset))
    if name is None:
        return
    whole = session.dataset(name)
    form = run_form.RunForm(None, name)
    dataset = form.samples(whole, say("Which samples are taken at random."))
    with form.who:
        # First: they say whether a judge, or answers, are needed at all.
        metrics = choice.choose_metrics(say("Metrics"), whole, "metrics", [FIRST], form.advanced)
        judges = choice.judge_of(metrics or [], "metrics")
        generators = NOBODY
        if any("response" in metric.needed for metric in metrics or []):
            generators = model_generators.choose(dataset, "metrics")
        choice.point_out_generators(judges, generators.models, dataset)
    form.ask(generators.models, judges)
    seed = dataset.origin.get("seed")
    plan = form.planned(RunPlan(dataset, metrics or [], prompt=generators.prompt, seed=seed))
    if metrics is None:
        missing = say("Correct the metrics")
    elif not metrics:
        missing = say("Choose a metric")
    elif not judges and any(metric.needs_judge for metric in metrics):
        missing = say("Choose a judge")
    else:
        missing = generators.missing
    what = say("Measure {samples}", samples=counted(len(dataset.samples), "sample"))
    with form.end:
        form.finish(plan, what, missing=missing)
