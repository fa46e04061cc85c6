"""Environments: the versions a run worked with, and its models with prices and what was paid."""

from __future__ import annotations

from pydantic import TypeAdapter

from evaluators.records import Run
from evaluators.runs.environment import AskedModel, Environment, at_work, models_asked
from evaluators.runs.store.bodies import timestamp
from evaluators.runs.store.calls import CallTable, Spent
from evaluators.runs.store.database import Database
from evaluators.runs.store.documents import RunDocuments

KEY = "environment"
"""Each run has one."""


class Environments:
    def __init__(self, database: Database, calls: CallTable) -> None:
        self._documents = RunDocuments(database, "environment", TypeAdapter(Environment))
        self._calls = calls

    def of(self, run: Run) -> Environment:
        """The environment as it is now, with all that was paid.

        One that cannot be read, or that an earlier version did not keep, is empty.
        """
        stored = self._stored(run.id)
        spent = self._calls.spent(run.id)
        served = self._calls.served(run.id)
        models = []
        for model in stored.models or models_asked(run):
            names = served.get(model.id, ())
            models.append(_with_bill(model, spent.get(model.id), names))
        return stored.model_copy(update={"models": tuple(models)})

    def save(self, run_id: str, environment: Environment) -> None:
        """Keeps the environment in place of an earlier one, where the run is still there."""
        self._documents.save(run_id, KEY, environment)

    def begin(self, run: Run) -> None:
        """Notes with which versions work on the run begins or goes on."""
        before = self._stored(run.id)
        now = at_work(run, before)
        if now != before:
            self.save(run.id, now)

    def end(self, run: Run) -> None:
        """Notes that work has ended, and the names of models, which go with forgotten answers."""
        before = self._stored(run.id)
        served = self._calls.served(run.id)
        models = [_with_bill(model, None, served.get(model.id, ())) for model in before.models]
        ended = {"ended": timestamp(), "models": tuple(models)}
        self.save(run.id, before.model_copy(update=ended))

    def _stored(self, run_id: str) -> Environment:
        return self._documents.get(run_id, KEY) or Environment()


def _with_bill(model: AskedModel, spent: Spent | None, served: list[str] | tuple[()]) -> AskedModel:
    """The model with what was paid here beside what a run file says was paid elsewhere."""
    names = tuple(dict.fromkeys([*model.served, *served]))
    if spent is None:
        return model.model_copy(update={"served": names})
    cost = spent.cost
    if model.calls:
        # A bill of which a part is unknown is unknown.
        is_known = cost is not None and model.cost is not None
        cost = (model.cost or 0.0) + (cost or 0.0) if is_known else None
    return model.model_copy(
        update={
            "served": names,
            "calls": model.calls + spent.calls,
            "prompt_tokens": model.prompt_tokens + spent.prompt_tokens,
            "answer_tokens": model.answer_tokens + spent.answer_tokens,
            "cost": cost,
        }
    )
