"""The settings of a run in words, so that two runs can be laid side by side."""

from __future__ import annotations

from evaluators.catalogue import metric_named
from evaluators.messages import Text
from evaluators.params import parameters
from evaluators.records import EvaluatorSpec, Record, Run
from evaluators.runs.run_options import SETTINGS, in_words
from evaluators.text.language import mark


class Change(Record):
    """A setting that differs; "none" where one of the two has none."""

    setting: Text
    first: Text
    second: Text


def settings_of(run: Run) -> dict[str, str]:
    """What a run is set to, by the title of the setting; `run_options` says which there are."""
    words = {
        mark("data set"): run.dataset_name,
        mark("metrics"): ", ".join(spec.name for spec in run.evaluators),
    }
    for spec in run.evaluators:
        for parameter, value in spec.params.items():
            # A key is English, whoever reads.
            title = mark("{text} ({more})").format(
                text=_parameter_title(spec, parameter), more=spec.name
            )
            words[title] = in_words(value)
    for setting in SETTINGS.values():
        if setting.title and (value := setting.in_words(run)):
            words[setting.title] = value
    return words


def differing(first: dict[str, str], second: dict[str, str]) -> list[Change]:
    """What differs between two runs' settings, in their order."""
    return [
        Change(
            setting=name,
            first=first.get(name, mark("none")),
            second=second.get(name, mark("none")),
        )
        for name in dict.fromkeys([*first, *second])
        if first.get(name) != second.get(name)
    ]


def _parameter_title(spec: EvaluatorSpec, name: str) -> str:
    """What forms call the parameter; its name where the metric or the parameter is gone."""
    cls = metric_named(spec.name)
    titles = {parameter.name: parameter.title for parameter in (parameters(cls) if cls else ())}
    return titles.get(name, name.replace("_", " ")).lower()
