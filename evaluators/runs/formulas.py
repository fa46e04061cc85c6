"""The formula by which a run's labels become values: a parameter of the metric that leads it.

Another one is a view of the same labels. Files and screens name the one that they show.
"""

from __future__ import annotations

from evaluators.catalogue import labels_sentences
from evaluators.records import Run
from evaluators.text.language import mark, say
from evaluators.trace.definitions import DEFINITIONS, SENTENCE


def stored_formula(run: Run) -> str:
    """The name of the formula by which the run's own values were counted."""
    return str(run.evaluator.params.get("definition", SENTENCE))


def formula_of(run: Run, chosen: str | None = None) -> str:
    """The formula that is chosen, else that of the run; the usual one where that is gone."""
    name = chosen or stored_formula(run)
    return name if name in DEFINITIONS else SENTENCE


def labelling_prompt(run: Run) -> str:
    """The name of the prompt by which the run's judges label; empty where none do."""
    if not labels_sentences(run.evaluator):
        return ""
    return str(run.evaluator.params.get("prompt", ""))


def formula_gone(run: Run) -> str:
    """Says that the run's formula is no longer there, and what is shown; empty where it is."""
    stored = stored_formula(run)
    if stored in DEFINITIONS:
        return ""
    return say(
        "This run was counted by the formula {stored}, which is gone. Its labels are shown by "
        "{formula}; choose another of: {known}.",
        stored=stored[:60],
        formula=SENTENCE,
        known=", ".join(DEFINITIONS),
    )


def formula_in_words(run: Run, chosen: str | None = None) -> str:
    """The formula by its name, and that the run has another one."""
    formula, stored = formula_of(run, chosen), stored_formula(run)
    if formula == stored:
        return formula
    text = mark("{formula} (the run's own is {stored})")
    if stored not in DEFINITIONS:
        text = mark("{formula} (the run's own, {stored}, is gone)")
    return say(text, formula=formula, stored=stored[:60])
