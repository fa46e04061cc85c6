"""Environments: the versions a run worked with, and its models with prices and what was paid."""

from __future__ import annotations

from contextlib import suppress

from evaluators.records import Run
from evaluators.runs.environment import AskedModel, Environment, at_work, models_asked
from evaluators.runs.store.bodies import from_body, timestamp, to_body
from evaluators.runs.store.calls import CallTable, Spent
from evaluators.runs.store.database import Database


class EnvironmentTable:
    def __init__(self, database: Database, calls: CallTable) -> None:
        self._database = database
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
        query = "insert or replace into environments select id, ? from runs where id = ?"
        with self._database.transaction() as db:
            db.execute(query, (to_body(environment), run_id))

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
        for (body,) in self._database.rows(
            "select body from environments where run_id = ?", run_id
        ):
            with suppress(ValueError):
                return from_body(Environment, body)
        return Environment()


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
