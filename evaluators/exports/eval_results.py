"""`.eval_results/*.yaml` of a model's repository, from which the hub's leaderboards are made.

As https://huggingface.co/docs/hub/eval-results has it. The hub shows an entry once its data set is
registered there as a benchmark with a task of this name; whether it is, only the hub knows.
"""

from __future__ import annotations

from collections.abc import Iterable

from evaluators import __version__
from evaluators.catalogue import goes_by_rules
from evaluators.errors import ParameterError
from evaluators.exports import ExportFormat
from evaluators.runs import aggregate
from evaluators.runs.aggregate import Mean, View
from evaluators.runs.rulings import how_counted
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE


def eval_results(view: RunView, by: View) -> Iterable[bytes]:
    """An entry for each rate of RGB that was measured, in percent, with what it rests on."""
    import yaml

    run = view.run
    if not goes_by_rules(run.evaluator) or "hub" not in run.origin:
        raise ParameterError(
            say(
                "The hub's leaderboards know data sets by their names on the hub: this takes a run "
                "of RGB whose questions are from there (Datasets, Hugging Face)."
            )
        )
    if len(run.models) > 1:
        raise ParameterError(
            say("The file lies in the repository of one model, and this run has several.")
        )
    hub, entries = run.origin["hub"], []
    rows = aggregate.of_model(view.counted(by), 0)
    for value in aggregate.named_values(run.evaluators, rows).values():
        record, mean = value.record, value.mean
        if record.of and record.verdict and mean.mean is not None:
            data_set = {"id": hub["id"], "task_id": record.name, "revision": hub["revision"]}
            entries.append(
                {
                    "dataset": data_set,
                    "value": round(100 * mean.mean, 2),
                    "date": run.created[:10],
                    "notes": _notes(view, by, mean),
                }
            )
    return [yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=200).encode()]


def _notes(view: RunView, by: View, mean: Mean) -> str:
    """What the rate rests on, without which it must not be compared."""
    origin = view.run.origin
    hub, noise = origin["hub"], origin.get("noise_levels", ())
    facts = [
        f"{mean.scored} of {mean.asked} answers checked",
        f"95 % interval {RATE.interval(mean.low, mean.high)}" if mean.low is not None else "",
        f"noise {', '.join(map(str, noise))}" if noise else "",
        *(f"{name} {ruling}" for name, ruling in how_counted(view.run, by).items()),
        f"labels {by.by}" if by.by else "",
        f"{hub['config']}, {hub['split']}",
        f"Plumbline {__version__}",
    ]
    return "; ".join(filter(None, facts))


FORMAT = ExportFormat(
    "eval_results",
    mark("Results for a model's repository (YAML)"),
    mark("A file for .eval_results of a model on the hub, by which its leaderboards are made."),
    "-eval_results.yaml",
    99,
    of_run=eval_results,
    is_there=lambda view: goes_by_rules(view.run.evaluator) and "hub" in view.run.origin,
)
