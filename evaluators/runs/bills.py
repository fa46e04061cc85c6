"""What a run cost, in rows for people: calls, tokens and money of each model."""

from __future__ import annotations

from collections.abc import Mapping

from evaluators.llm.catalogue import model_title
from evaluators.llm.money import dollars, dollars_together
from evaluators.records import Run
from evaluators.runs.store import Spent
from evaluators.text.language import say


def rows(run: Run, spent: Mapping[str, Spent]) -> list[dict[str, object]]:
    """A row for each model that was paid, of several also one for all together."""
    # A model that answers and judges is one entry: its calls are booked together.
    names = {spec.id: model_title(spec) for spec in (*run.models, *run.judges)}
    rows = []
    for model, name in names.items():
        if model in spent:
            rows.append(_row_of_model(name, spent[model]))
    # Of a single model it would say the same twice.
    if len(rows) > 1:
        rows.append(_row_of_whole_run(spent))
    return rows


def _row_of_model(name: str, spent: Spent) -> dict[str, object]:
    return {
        say("Model"): name,
        say("Calls"): spent.calls,
        say("Prompt tokens"): spent.prompt_tokens,
        say("Answer tokens"): spent.answer_tokens,
        say("Cost"): dollars(spent.cost),
    }


def _row_of_whole_run(spent: Mapping[str, Spent]) -> dict[str, object]:
    bills = spent.values()
    return {
        say("Model"): say("Total"),
        say("Calls"): sum(bill.calls for bill in bills),
        say("Prompt tokens"): sum(bill.prompt_tokens for bill in bills),
        say("Answer tokens"): sum(bill.answer_tokens for bill in bills),
        say("Cost"): dollars_together(bill.cost for bill in bills),
    }
