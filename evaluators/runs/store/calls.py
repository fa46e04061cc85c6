"""Calls that were answered and paid for: bills, and answers that may serve again.

Who paid, the `payer`, is a run or a batch over files, by its id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from evaluators.llm.budget import Amount
from evaluators.records import Call, Completion, Record
from evaluators.runs.store.bodies import from_body, sql_field, to_body
from evaluators.runs.store.database import Connection, Database

MOST_COUNTED = 10**15
"""Tokens that are shown at most.

Version 0.1.0 stored whatever a server told, up to 2^63 - 1: its sums overflow.
"""


class Spent(Record):
    """What one model cost a run: answered requests, tokens, and US dollars.

    `cost` is `None` where a price is unknown.
    """

    calls: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None


class CallTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, run_id: str, calls: Sequence[Call]) -> None:
        """Stores calls that were paid for before their cell could be finished."""
        if calls:
            with self._database.transaction() as db:
                insert_calls(db, [call_row(run_id, call) for call in calls])

    def withdraw(self, payer: str, keys: Sequence[str]) -> None:
        """Keeps the bill of these requests, but lets their answers serve nobody again."""
        if keys:
            with self._database.transaction() as db:
                query = "update calls set answer = null where payer = ? and key = ?"
                db.executemany(query, [(payer, key) for key in keys])

    def spent(self, payer: str) -> dict[str, Spent]:
        """What a run or a batch paid for, by model id (generators and judge)."""
        # As floats, where a sum of whole numbers would overflow; one call without a price hides
        # all of it.
        query = """select model, count(*),
                          sum(cast(prompt_tokens as double precision)),
                          sum(cast(answer_tokens as double precision)),
                          case when count(cost) = count(*) then sum(cost) end
                   from calls where payer = ? group by 1 order by 1"""
        rows = self._database.rows(query, payer)
        return {
            model: Spent(
                calls=calls,
                prompt_tokens=min(int(prompt_tokens), MOST_COUNTED),
                answer_tokens=min(int(answer_tokens), MOST_COUNTED),
                cost=cost,
            )
            for model, calls, prompt_tokens, answer_tokens, cost in rows
        }

    def paid(self, payer: str) -> Amount:
        """What a run or a batch has taken of its budget; an unknown price takes no money of it."""
        bills = self.spent(payer).values()
        calls = sum(bill.calls for bill in bills)
        return Amount(calls, sum(bill.cost or 0.0 for bill in bills))

    def costs(self, workspace: str) -> dict[str, list[float | None]]:
        """What each payer of a workspace paid, model by model, in US dollars; `None` is unknown."""
        query = """select payer, case when count(cost) = count(*) then sum(cost) end
                   from calls where workspace = ? group by payer, model"""
        costs: dict[str, list[float | None]] = {}
        for payer, cost in self._database.rows(query, workspace):
            costs.setdefault(payer, []).append(cost)
        return costs

    def served(self, run_id: str) -> dict[str, list[str]]:
        """The names under which models answered, by model id; of answers that are still kept."""
        query = f"""select distinct model, served from
                    (select model, {sql_field("served_model", "answer")} as served from calls
                     where payer = ?) as answers
                    where served <> '' order by 1, 2"""
        names: dict[str, list[str]] = {}
        for model, served in self._database.rows(query, run_id):
            names.setdefault(str(model), []).append(str(served))
        return names

    def answer(
        self,
        workspace: str,
        key: str,
        run_id: str | None = None,
    ) -> Completion | None:
        """The newest whole answer to the same request, in this workspace or in that run alone.

        One that cannot be read is as if it were not there.
        """
        query = """select answer from calls where workspace = ? and key = ? and answer is not null
                   and payer = coalesce(?, payer) order by id desc"""
        for (body,) in self._database.rows(query, workspace, key, run_id):
            with suppress(ValueError):
                return from_body(Completion, body)
        return None

    def answered(self, workspace: str, keys: Iterable[str]) -> int:
        """How many of these requests have an answer already."""
        keys = list(keys)
        query = """select distinct key from calls
                   where workspace = ? and answer is not null
                   and key in (select value from json_each(?))"""
        rows = self._database.rows(query, workspace, json.dumps(keys))
        answered = {key for (key,) in rows}
        return sum(key in answered for key in keys)

    def answers_kept(self, workspace: str) -> int:
        """How many answers the workspace keeps."""
        query = "select count(distinct key) from calls where workspace = ? and answer is not null"
        return int(self._database.rows(query, workspace)[0][0])

    def forget_answers(self, workspace: str) -> None:
        """Forgets all answers of the workspace; results and the bills of runs stay."""
        with self._database.transaction() as db:
            db.execute("update calls set answer = null where workspace = ?", (workspace,))


_INSERT = """insert into calls (workspace, payer, key, model, created, cost,
                                prompt_tokens, answer_tokens, answer)
             select workspace, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
             from (select workspace from runs where id = ?1
                   union all select cast(?9 as text) where ?9 <> '') as its"""
_IS_NEW = "not exists (select 1 from calls where payer = ?1 and key = ?2 and created = ?4)"


def insert_calls(db: Connection, rows: Sequence[tuple[Any, ...]], *, once: bool = False) -> None:
    """Stores calls as `call_row` gives them; `once` leaves out those that are stored already."""
    db.executemany(f"{_INSERT} where {_IS_NEW}" if once else _INSERT, rows)


def call_row(payer: str, call: Call, workspace: str = "") -> tuple[Any, ...]:
    """A call of a run, whose workspace is looked up as it may have got another name; of a batch
    with its workspace.
    """
    usage = call.completion.usage
    return (
        payer,
        call.key,
        call.model,
        datetime.now(UTC).isoformat(),
        call.cost,
        min(usage.prompt_tokens, MOST_COUNTED),
        min(usage.answer_tokens, MOST_COUNTED),
        to_body(call.completion) if call.reusable else None,
        workspace,
    )


def withdraw_answers(db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Lets these answers of a run, as `answer_row` gives them, serve nobody again."""
    query = "update calls set answer = null where payer = ? and key = ? and answer = ?"
    db.executemany(query, rows)


def answer_row(run_id: str, call: Call) -> tuple[Any, ...]:
    return run_id, call.key, to_body(call.completion)
