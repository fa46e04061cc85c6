"""Results: what the metrics say of each answer, in whole and in outline."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from operator import itemgetter
from typing import Any, Literal, NamedTuple, get_args

from evaluators.groups import MOST_TOGETHER, in_groups
from evaluators.messages import from_stored
from evaluators.records import (
    Ability,
    Call,
    Cell,
    Reason,
    Record,
    ResultFacets,
    Run,
    Sample,
    SampleResult,
    Score,
    with_documents,
)
from evaluators.runs.store.bodies import (
    digest,
    from_row,
    is_number_or_none,
    read_object,
    sql_field,
    sql_json,
    sql_numbers,
    to_body,
    why_unreadable,
)
from evaluators.runs.store.calls import call_row, insert_calls
from evaluators.runs.store.database import Connection, Database
from evaluators.runs.store.figures import USUAL, StoredView
from evaluators.runs.store.samples import SAMPLE_ROW, SampleTable, is_sample_facet
from evaluators.runs.store.selection import (
    STATUS,
    VALUES,
    Answer,
    Selection,
    changed_labels,
    conditions,
    order,
)
from evaluators.text.language import mark, say
from evaluators.text.remembered import remembered

OUTLINED_TOGETHER = 5000
"""Samples whose rows are in memory beside the outlines made of them."""
RESULT_ROW = """r.run_id, r.position, r.model, r.metric, r.status, r."values", r.facets, r.body,
                r.digest"""
"""A whole row of the results `r`, as `from_row` reads it."""
RESULT_COLUMNS = 9
SHORT = 100
"""Characters of values that are kept by their text."""


class Counts(Record):
    """How far a run is: cells (samples, once for each model and metric) asked, scored, failed."""

    asked: int
    scored: int
    failed: int

    @property
    def open(self) -> int:
        # A damaged row may stand at no place of the run, beside the one that was made anew.
        return max(0, self.asked - self.scored - self.failed)


CellStatus = Literal["scored", "failed"]
_STATUSES = (None, *get_args(CellStatus))


class Outline(NamedTuple):
    """A cell of a run without its texts; `status` is `None` until there is a result.

    `corrected` is how many labels a person has set. Of a prompt that was asked several times
    `repeat` counts the answers from 1. The last four are those of `ResultFacets`.
    """

    # A tuple, as there may be a hundred thousand of them.
    position: int
    sample_id: str
    question: str
    model: int = 0
    metric: int = 0
    ability: str | None = None
    noise: float | None = None
    effective_noise: float | None = None
    situation: str = ""
    conversation: str = ""
    repeat: int = 1
    status: CellStatus | None = None
    values: Mapping[str, float | None] = {}
    corrected: int = 0
    by: str = ""
    flips: tuple[str, ...] = ()
    by_rules: Mapping[str, Mapping[str, float | None]] = {}
    is_empty: bool = False

    @property
    def prompt(self) -> int:
        """The position of the first repeat, which all repeats of a prompt have in common."""
        return self.position - self.repeat + 1

    @property
    def noise_reached(self) -> float | None:
        """The noise that the prompt had, or was to have; planted errors have no noise levels."""
        if self.ability == Ability.COUNTERFACTUAL:
            return None
        return self.noise if self.effective_noise is None else self.effective_noise

    @property
    def forged(self) -> float | None:
        """The share of documents with the planted error: there all others are noise."""
        if self.ability != Ability.COUNTERFACTUAL or self.effective_noise is None:
            return None
        return 1 - self.effective_noise


class ResultTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(
        self,
        run_id: str,
        result: SampleResult,
        calls: Sequence[Call] = (),
    ) -> None:
        """Stores one result with the calls it took, in one transaction.

        It replaces an earlier failure. Raises `UnstorableError` where the result is of a kind that
        cannot be stored, and nothing is.
        """
        with self._database.transaction() as db:
            insert_results(db, [result_row(run_id, result)])
            insert_calls(db, [call_row(run_id, call) for call in calls])

    def get(
        self,
        run_id: str,
        position: int,
        model: int = 0,
        metric: int = 0,
    ) -> SampleResult | None:
        return self.of_answer(run_id, position, model).get(metric)

    def of_answer(
        self,
        run_id: str,
        position: int,
        model: int = 0,
    ) -> dict[int, SampleResult]:
        """What the metrics say of one answer, as far as they are, by their numbers.

        A result that cannot be read is a failed one.
        """
        return self.of_answers(run_id, [Answer(position, model)]).get(Answer(position, model), {})

    def of_answers(
        self,
        run_id: str,
        answers: Sequence[Answer],
    ) -> dict[Answer, dict[int, SampleResult]]:
        """The same of several answers; those without any result are left out."""
        query = f"""select {RESULT_ROW} from results r where run_id = ?
                   and position in {sql_numbers("?")} order by position, model, metric"""
        positions = json.dumps([answer.position for answer in answers])
        # Of a position the answers of all models come along.
        chosen = set(answers)
        results: dict[Answer, dict[int, SampleResult]] = {}
        for row in self._database.rows(query, run_id, positions):
            cell = Cell(*row[1:4])
            answer = Answer(cell.position, cell.model)
            if answer in chosen:
                results.setdefault(answer, {})[cell.metric] = _result_or_failed(cell, row)
        return results

    def sizes(self, run: Run, positions: Collection[int]) -> dict[int, int]:
        """Characters that are stored of each of these samples and of its results."""
        query = f"""select s.position, length(s.body) + coalesce(sum(length(r.body)), 0)
                   from samples s
                   left join results r on r.run_id = :run and r.position = s.position
                   where s.fingerprint = :fingerprint and s.position in {sql_numbers(":positions")}
                   group by s.position, s.body"""
        wanted = json.dumps(list(positions))
        own = {"run": run.id, "fingerprint": run.fingerprint, "positions": wanted}
        return {int(place): int(size) for place, size in self._database.rows(query, **own)}

    def counts(self, run: Run) -> Counts:
        of_results = "select status, count(*) from results where run_id = ? group by 1"
        by_status = dict(self._database.rows(of_results, run.id))
        return Counts(
            asked=self._samples_of(run) * len(_model_numbers(run)) * len(run.evaluators),
            scored=by_status.get("scored", 0),
            failed=by_status.get("failed", 0),
        )

    def open_cells(self, run: Run) -> list[Cell]:
        """What has no score yet: the cells never tried and those that failed, sample by sample."""
        query = f"""select s.position, m.value, e.value
                   from samples s cross join {sql_numbers("?")} m cross join {sql_numbers("?")} e
                   left join results r on r.run_id = ? and r.position = s.position
                        and r.model = m.value and r.metric = e.value and r.status = 'scored'
                   where s.fingerprint = ? and s.position < ? and r.run_id is null
                   order by 1, 2, 3"""
        ends = run.fingerprint, self._samples_of(run)
        rows = self._database.rows(query, *_cell_numbers(run), run.id, *ends)
        return [Cell(*row) for row in rows]

    def outlines(
        self,
        run: Run,
        view: StoredView = USUAL,
        answers: Sequence[Answer] | None = None,
    ) -> list[Outline]:
        """Every cell of the run with its values as the view has them, sample by sample.

        They are without texts; `answers` limits them to these. Cells of a sample that is not there
        any more have failed.
        """
        of_answers = ""
        if answers is not None:
            of_answers = f"and s.position in {sql_numbers(':positions')}"
        query = f"""select s.position, m.value, e.value, s.sample_id, s.question, s.facets,
                          {STATUS}, {VALUES}, r.facets,
                          {changed_labels(_OF_RESULT, "metric = r.metric")}
                   from samples s cross join {sql_numbers(":models")} m
                        cross join {sql_numbers(":metrics")} e
                   left join results r on r.run_id = :run and r.position = s.position
                        and r.model = m.value and r.metric = e.value
                   left join viewed v on v.run_id = :run and v.view = :view
                        and v.position = s.position and v.model = m.value and v.metric = e.value
                   where s.fingerprint = :fingerprint {of_answers}
                         and s.position between :first and :last order by 1, 2, 3"""
        positions = json.dumps([position for position, _ in answers or ()])
        values = {**_numbers_of_cells(run, view), "positions": positions}
        chosen = set(answers or ())
        outlines = []
        for first, last in self._stretches(run, answers):
            rows = self._database.rows(query, **values, first=first, last=last)
            outlines += [_outline(*row) for row in rows if answers is None or row[:2] in chosen]
        return outlines if answers is not None else self._with_lost(run, outlines)

    def _samples_of(self, run: Run) -> int:
        return SampleTable(self._database).number_of(run.id)

    def _with_lost(self, run: Run, outlines: list[Outline]) -> list[Outline]:
        positions = range(self._samples_of(run))
        lost = set(positions).difference(outline.position for outline in outlines)
        if not lost:
            return outlines
        for place in product(lost, _model_numbers(run), range(len(run.evaluators))):
            outlines.append(Outline(place[0], "", "", *place[1:], status="failed"))
        return sorted(outlines, key=lambda outline: (outline.position, *outline[3:5]))

    def _stretches(self, run: Run, answers: Sequence[Answer] | None) -> list[tuple[int, int]]:
        """The first and the last position of the samples whose rows are read together."""
        if answers is not None:
            positions = [position for position, _ in answers]
            return [(min(positions), max(positions))] if positions else []
        starts = range(0, self._samples_of(run), OUTLINED_TOGETHER)
        return [(start, start + OUTLINED_TOGETHER - 1) for start in starts]

    def answers(
        self,
        run: Run,
        selection: Selection,
        view: StoredView = USUAL,
    ) -> list[Answer]:
        """The position and model of every answer that the selection wants, in its order."""
        query = f"""select s.position, m.value
                    from samples s cross join {sql_numbers(":models")} m
                    left join results r on r.run_id = :run and r.position = s.position
                         and r.model = m.value and r.metric = 0
                    left join viewed v on v.run_id = :run and v.view = :view
                         and v.position = s.position and v.model = m.value and v.metric = 0
                    where s.fingerprint = :fingerprint and s.position < :samples
                    {conditions(selection)}
                    order by {order(selection)} s.position, m.value"""
        values = {**_numbers_of_cells(run, view), "samples": self._samples_of(run)}
        rows = self._database.rows(query, **values, **selection.named_values())
        return [Answer(*row) for row in rows]

    def states(
        self,
        run_id: str,
    ) -> list[tuple[Cell, str, dict[str, float | None] | None]]:
        """What became of each cell and its own values, as judged, in the order of the cells.

        Values are `None` where it failed or they cannot be read.
        """
        query = """select position, model, metric, status, "values" from results
                   where run_id = ? order by 1, 2, 3"""
        rows = self._database.rows(query, run_id)
        return [
            (Cell(*place), status, read_object(values, _is_value))
            for *place, status, values in rows
        ]

    def scored(
        self,
        run: Run,
        metric: int = 0,
        positions: Iterable[int] | None = None,
    ) -> Iterator[tuple[Cell, Sample, Score]]:
        """Every cell that the metric scored with its sample and score, in order.

        `positions` limits them to these. A few hundred are in memory at a time. Those whose sample
        or result cannot be read are left out.
        """
        condition = "r.metric = :metric"
        if positions is not None:
            condition += f" and r.position in {sql_numbers(':positions')}"
        listed = json.dumps(list(positions or ()))
        yield from self._scored_where(run, condition, metric=metric, positions=listed)

    def not_viewed(
        self,
        run: Run,
        view: StoredView,
        metric: int = 0,
        *,
        only_labelled: bool,
    ) -> Iterator[tuple[Cell, Sample, Score]]:
        """Those answers that the metric scored and of which the view has no values yet.

        `only_labelled` are those that people labelled: then all others count as they are stored.
        """
        missing = """r.metric = :metric and not exists (
                     select 1 from viewed v where v.run_id = r.run_id and v.view = :view
                     and v.position = r.position and v.model = r.model and v.metric = r.metric)"""
        if only_labelled:
            missing += """ and exists (
                           select 1 from person_labels p where p.run_id = r.run_id
                           and p.position = r.position and p.model = r.model
                           and p.metric = r.metric and p.withdrawn is null)"""
        yield from self._scored_where(run, missing, view=view.name, metric=metric)

    def _scored_where(
        self,
        run: Run,
        condition: str,
        **values: str | int,
    ) -> Iterator[tuple[Cell, Sample, Score]]:
        # From where the last rows ended, not by an offset, which would count all rows before anew.
        these = f"""from results r
                    join samples s on s.position = r.position and s.fingerprint = :fingerprint
                    where r.run_id = :run and r.status = 'scored' and {condition}
                          and (r.position, r.model) > (:position, :model)"""
        sizes = f"""select r.position, r.model, length(r.body) + length(s.body) {these}
                    order by r.position, r.model limit {MOST_TOGETHER}"""
        query = f"""select {RESULT_ROW}, {SAMPLE_ROW} {these}
                    and (r.position, r.model) <= (:last, :of) order by r.position, r.model"""
        values |= {"fingerprint": run.fingerprint, "run": run.id, "position": -1, "model": 0}
        while cells := self._database.rows(sizes, **values):
            for group in in_groups(cells, itemgetter(2)):
                last, of, _ = group[-1]
                for row in self._database.rows(query, **values, last=last, of=of):
                    position, model, metric = row[1:4]
                    try:
                        result = from_row(SampleResult, row[:RESULT_COLUMNS])
                        sample = from_row(Sample, row[RESULT_COLUMNS:])
                    except ValueError:
                        continue
                    if result.score is not None:
                        judged = with_documents(sample, result.retrieved_documents)
                        yield Cell(position, model, metric), judged, result.score
                values |= {"position": last, "model": of}

    def responses(self, run: Run) -> dict[tuple[int, int], str]:
        """What was judged, by position and model: the samples' own responses, and the models'."""
        response = sql_field("response")
        of_samples = f"""select position, m.value, {response}
                         from samples cross join {sql_numbers("?")} m
                         where fingerprint = ? and {response} is not null"""
        of_models = f"""select position, model, {response}
                        from results where run_id = ? and {response} is not null"""
        models, _ = _cell_numbers(run)
        # Those of the models come last, and count where a sample has both.
        rows = [
            *self._database.rows(of_samples, models, run.fingerprint),
            *self._database.rows(of_models, run.id),
        ]
        return {(position, model): response for position, model, response in rows}

    def notes(self, run_id: str) -> list[str]:
        """What providers would not accept in this run, each once."""
        query = f"select distinct {sql_json('note')} from results where run_id = ?"
        stored = [json.loads(note) for (note,) in self._database.rows(query, run_id) if note]
        return sorted(filter(None, map(from_stored, stored)))

    def failures(self, run_id: str) -> list[tuple[Reason, int]]:
        """Why cells failed, each reason with how often it occurs, the most frequent first."""
        query = f"""select {sql_json("error")}, {sql_field("error_kind")}, {sql_field("remedy")},
                           count(*)
                    from results where run_id = ? and status = 'failed' group by 1, 2, 3"""
        rows = self._database.rows(query, run_id)
        found = [(_stored_reason(*reason), count) for *reason, count in rows]
        return sorted(found, key=lambda each: (-each[1], each[0].message))

    def reused(self, run_id: str) -> int:
        """How many answers the run took from the store instead of paying for them."""
        query = f"""select coalesce(sum(cast({sql_field("cached")} as integer)), 0)
                    from results where run_id = ?"""
        return int(self._database.rows(query, run_id)[0][0])


_OF_RESULT = "run_id = r.run_id and position = r.position and model = r.model"


INSERTED_TOGETHER = 500
"""Results of one statement, which takes them in one step: nine values each, of 32,766 at most."""


def insert_results(db: Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Stores results as `result_row` gives them, each in place of an earlier one of its cell."""
    for group in in_groups(rows, lambda row: len(row[7]), INSERTED_TOGETHER):
        # Of two results of a cell the later one counts; a statement may name a cell once.
        together = {row[:4]: row for row in group}.values()
        places = ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?, ?)"] * len(together))
        db.execute(
            f"""insert into results values {places}
                on conflict (run_id, position, model, metric) do update set
                status = excluded.status, "values" = excluded."values",
                facets = excluded.facets, body = excluded.body, digest = excluded.digest""",
            [value for row in together for value in row],
        )


def result_row(run_id: str, result: SampleResult) -> tuple[Any, ...]:
    score = result.score
    values = json.dumps(score.values) if score else None
    facets = to_body(score.facets) if score else ""
    cell = result.position, result.model, result.metric
    row = run_id, *cell, result.status, values, facets, to_body(result)
    return *row, digest(*row)


def _model_numbers(run: Run) -> range:
    """The numbers of the run's models; 0 stands for answers that are given."""
    return range(max(1, len(run.models)))


def _cell_numbers(run: Run) -> tuple[str, str]:
    """The numbers of the run's models and of its metrics, as JSON."""
    models = list(_model_numbers(run))
    metrics = list(range(len(run.evaluators)))
    return json.dumps(models), json.dumps(metrics)


def _numbers_of_cells(run: Run, view: StoredView) -> dict[str, Any]:
    """What queries over all cells of a run in a view are about."""
    models, metrics = _cell_numbers(run)
    return {
        "run": run.id,
        "fingerprint": run.fingerprint,
        "models": models,
        "metrics": metrics,
        "view": view.name,
        "is_usual": view.is_usual,
    }


def _result_or_failed(cell: Cell, row: Sequence[Any]) -> SampleResult:
    try:
        return from_row(SampleResult, row)
    except ValueError as error:
        message = say(
            "This result cannot be read ({why}). Start a new run to have it again.",
            why=why_unreadable(error),
        )
        return SampleResult(**cell._asdict(), status="failed", error=message)


def _stored_reason(message: Any, kind: Any, remedy: Any) -> Reason:
    """Why a cell failed, from the parts of its result."""
    try:
        error = json.loads(message)
        fields = {"kind": kind or "", "message": error, "remedy": remedy and json.loads(remedy)}
        return Reason.model_validate(fields)
    except (ValueError, TypeError):
        return Reason(message=mark("The reason cannot be read. Try again."))


def _outline(
    position: int,
    model: int,
    metric: int,
    sample_id: str,
    question: str,
    sample_facets: str,
    status: Any,
    values: Any,
    result_facets: Any,
    corrected: int,
) -> Outline:
    numbers = {} if values is None else _values(values)
    return Outline(
        **(read_object(sample_facets, is_sample_facet) or {}),
        **_result_facets(result_facets),
        position=position,
        model=model,
        metric=metric,
        sample_id=sample_id,
        question=question,
        status="failed" if numbers is None or status not in _STATUSES else status,
        values=numbers or {},
        corrected=corrected,
    )


# Yes and no are most values of most runs: one object for all of them.
@remembered(most=1024, longest=SHORT)
def _values(text: Any) -> dict[str, Any] | None:
    return read_object(text, _is_value)


@remembered(most=1024, longest=1_000)
def _result_facets(text: Any) -> dict[str, Any]:
    # Cached: the results of a run have few different facets, and a page reads thousands of them.
    try:
        return dict(ResultFacets.model_validate_json(text)) if text else dict(ResultFacets())
    except (ValueError, TypeError):
        return dict(ResultFacets())


def _is_value(_name: str, value: Any) -> bool:
    return is_number_or_none(value)
