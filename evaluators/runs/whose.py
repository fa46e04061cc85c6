"""Whose labels the figures of a run are of, in words: its own labeller's, people's, another's."""

from __future__ import annotations

from contextlib import suppress

from evaluators.catalogue import from_spec, goes_by_rules
from evaluators.errors import ParameterError
from evaluators.people import labellers
from evaluators.people.findings import LABELLERS, RULES
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from evaluators.text.words import counted
from evaluators.trace.labelling import CORRECTED


def own_labeller(view: RunView, metric: int = 0) -> str:
    """Who gave the values of one of the run's metrics, as a sentence names it."""
    if goes_by_rules(view.run.evaluators[metric]):
        return say(RULES)
    names = {row.by for row in view.of_metric(metric) if row.by}
    if len(names) > 1:
        return say(LABELLERS)
    for by in names:
        return labellers.in_a_sentence(by)
    spec = view.run.evaluators[metric]
    with suppress(ParameterError):
        return say(from_spec(spec).title)
    # A metric of one's own that is gone.
    return spec.name


def labeller_in_words(view: RunView, seen: View, model: int | None = None) -> str:
    """Whose labels count: "gold-judge, 21 answers relabelled by people".

    The answers that people labelled are those of one model, or of all.
    """
    if seen.by is None:
        return own_labeller(view)
    if seen.by != CORRECTED:
        return labellers.in_a_sentence(seen.by)
    return say(
        "{labeller}, {answers} relabelled by people",
        labeller=own_labeller(view),
        answers=counted(len(view.relabelled(model)), "answer"),
    )


def chosen_labeller(view: RunView, seen: View) -> str:
    """The same where it is not the run's own labeller; else it is empty."""
    return labeller_in_words(view, seen) if seen.by else ""
