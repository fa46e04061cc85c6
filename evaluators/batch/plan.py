"""What a batch is: its files, how they are read, who judges, checked by the first rows."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from evaluators import __version__
from evaluators.base import Evaluator
from evaluators.batch.columns import MetricColumns, columns_of
from evaluators.batch.engine import UNREADABLE, has_column, problem_of
from evaluators.batch.function import check_rows, opened
from evaluators.batch.groups import Group, group_named
from evaluators.batch.pieces import Reading, table_of
from evaluators.batch.sources import Fragment, Source, found
from evaluators.batch.worker import Task
from evaluators.config import config
from evaluators.datasets.mapping import Loaded
from evaluators.datasets.table import Table
from evaluators.errors import DatasetError, ParameterError, PlumblineError
from evaluators.llm import Keys
from evaluators.llm.connect import accesses
from evaluators.llm.keys import keys_from_environment
from evaluators.records import Cap, Dataset
from evaluators.runs import inputs, planning
from evaluators.runs.plan import RunPlan
from evaluators.runs.pool import takes
from evaluators.surrogates import without_surrogates
from evaluators.text.printable import printable

HEAD_PIECES = 5
"""Pieces of the first file, 1,000 rows at most, by which columns are guessed and inputs checked."""


@dataclass(frozen=True)
class BatchPlan:
    """What is to be done with the files of a source: for their first rows the `run` says it."""

    run: RunPlan
    source: Source
    reading: Reading
    columns: tuple[MetricColumns, ...]
    groups: tuple[Group, ...]
    required: tuple[str, ...]
    """Columns that every file must have."""
    settings: Mapping[str, Any]
    """What results of one folder have in common."""
    keys: Keys = field(repr=False)

    @property
    def own(self) -> list[Evaluator]:
        """The metrics that stay in this process: those whose code is here, or that ask a judge."""
        has_judge = bool(self.run.judges)
        return [
            metric
            for metric in self.run.evaluators
            if not takes(metric) or (has_judge and metric.most_judges() > 0)
        ]

    def task(self, *, own: bool) -> Task:
        """What its own metrics, or the others, do with each piece."""
        both = zip(self.run.evaluators, self.columns, strict=True)
        chosen = [pair for pair in both if (pair[0] in self.own) == own]
        specs = tuple(metric.spec() for metric, _ in chosen)
        columns = tuple(columns for _, columns in chosen)
        return Task(self.reading, specs, columns, self.groups, config())


def planned(
    address: str,
    metrics: inputs.Metric | Sequence[inputs.Metric],
    *,
    judge: inputs.Named | Sequence[inputs.Named] | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "",
    by: Sequence[str] = (),
    keys: Keys | None = None,
    cap: Cap | None = None,
) -> BatchPlan:
    """What is meant, checked by the first rows; raises `PlumblineError` with the remedy."""
    store = inputs.local_store()
    evaluators = inputs.evaluators(metrics, store.metrics.by_key(inputs.WORKSPACE))
    metric_columns = columns_of(evaluators, has_judge=bool(inputs.several(judge)))
    own_keys = keys_from_environment(os.environ) if keys is None else keys
    # A connected model brings its own key, which goes before that of the environment.
    keys = {**own_keys, **accesses(judge)}
    groups = tuple(map(group_named, by))
    _check_names(groups)
    source = found(address, encoding)
    first, table, names = _first_rows(source)
    loaded, reading = opened(first.name, table, columns or {})
    options = {"judge": judge, "cap": cap}
    run = planning.planned(_samples(loaded), evaluators, options, keys=keys, store=store)
    settings = storable(
        {
            # Another version may judge otherwise: one folder does not mix them.
            "plumbline": __version__,
            # The same words in another working folder mean other files.
            "data": address if "://" in address else os.path.abspath(address),
            "metrics": [metric.spec().model_dump(mode="json") for metric in evaluators],
            "judges": [spec.model_dump(mode="json") for spec in run.judges],
            "columns": dict(reading.guess.columns),
            "by": [group.text for group in groups],
            **({"encoding": encoding} if encoding else {}),
        }
    )
    return BatchPlan(
        run=run,
        source=source,
        reading=reading,
        columns=metric_columns,
        groups=groups,
        required=_required(loaded, evaluators, columns or {}, groups, names),
        settings=settings,
        keys=keys,
    )


def storable(content: Any) -> Any:
    """The same without half characters, of which names of files and columns may hold some."""
    text = json.dumps(content, ensure_ascii=False)
    return json.loads(without_surrogates(text))


def _check_names(groups: Sequence[Group]) -> None:
    """Raises `ParameterError` where two groups would have one column in the results."""
    taken: dict[str, Group] = {}
    for group in groups:
        other = taken.setdefault(group.name, group)
        if other is not group:
            raise ParameterError(
                f"{printable(other.text)[:60]} and {printable(group.text)[:60]} would have one "
                "column of results. Group by one of them."
            )


def _first_rows(source: Source) -> tuple[Fragment, Table, list[str] | None]:
    """The first file that has rows which can be read, these rows, and the columns of the file.

    Raises `DatasetError` where no file has any, with what is wrong with the first one.
    """
    error = None
    for fragment in source.fragments:
        try:
            return fragment, *_head(source, fragment)
        except DatasetError as problem:
            error = error or problem
    assert error
    raise error


def _head(source: Source, first: Fragment) -> tuple[Table, list[str] | None]:
    """The first rows, and the columns of their file."""
    try:
        names = source.columns(first)
        pieces = list(islice(source.pieces(first), HEAD_PIECES))
    except UNREADABLE as error:
        message = f"{printable(first.name)}: {problem_of(error)}"
        remedy = error.remedy if isinstance(error, PlumblineError) else None
        raise DatasetError(message, remedy=remedy) from error
    tables = [table_of(piece, config()) for piece in pieces]
    rows = [row for table in tables for row in table.rows]
    problems = [problem for table in tables for problem in table.problems]
    traced = source.traces(first)
    table = Table(rows, problems, first.format, program=traced.program if traced else "")
    check_rows(printable(first.name), table)
    return table, names


def _samples(loaded: Loaded) -> Dataset:
    data = loaded.data
    if not isinstance(data, Dataset):
        raise DatasetError(f"No row of the first file can be used. {loaded.problems[0].message}")
    return data


def _required(
    loaded: Loaded,
    metrics: Sequence[Evaluator],
    columns: Mapping[str, str],
    groups: Sequence[Group],
    names: Sequence[str] | None,
) -> tuple[str, ...]:
    """The columns that every file must have; raises `ParameterError` where the first lacks one."""
    needed = {name for metric in metrics for name in metric.needed}
    mapped = loaded.guess.columns.items()
    required = [column for name, column in mapped if name in needed or name in columns]
    there = loaded.names if names is None else names
    # What was put together of several columns is not a column of any file.
    required = [column for column in required if has_column(there, column)]
    for group in groups:
        if not has_column(there, group.column):
            shown = ", ".join(printable(name)[:30] for name in list(there)[:12])
            raise ParameterError(
                f"There is no column {printable(group.column)[:60]} to group by. "
                f"Choose one of: {shown}."
            )
        required.append(group.column)
    return tuple(dict.fromkeys(required))
