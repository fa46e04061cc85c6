"""What a person named, in Python or in a terminal: data, metrics and models, found before a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic import SecretStr

from evaluators import arguments
from evaluators.base import Evaluator
from evaluators.catalogue import broken, catalogue, from_spec
from evaluators.config import config
from evaluators.datasets.bundled import bundled
from evaluators.datasets.cells import is_missing
from evaluators.datasets.mapping import Loaded, checked, open_table, open_with
from evaluators.datasets.names import FIELDS
from evaluators.datasets.readers import read, read_own
from evaluators.datasets.rgb import TestBed
from evaluators.datasets.separators import SEPARATOR_FIELD
from evaluators.datasets.table import Table, told
from evaluators.declared import checks_types
from evaluators.errors import DatasetError, ParameterError
from evaluators.function_metric import metric_of
from evaluators.llm import Access, Keys
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.clients import access_for
from evaluators.llm.connect import ANSWER_TOKENS, spec_of
from evaluators.llm.judges import as_client
from evaluators.llm.providers import PROVIDERS
from evaluators.named_files import read_file
from evaluators.prompts import load as load_prompt
from evaluators.records import Dataset, EvaluatorSpec, ModelSpec, Remedy, Sample
from evaluators.runs.run_options import Named as Named
from evaluators.runs.store import Store
from evaluators.surrogates import without_surrogates
from evaluators.text.language import say
from evaluators.text.normalise import is_chinese, slug
from evaluators.text.printable import printable, shown
from evaluators.text.remembered import made_once
from evaluators.trace.definitions import definition_named

if TYPE_CHECKING:
    from pandas import DataFrame

WORKSPACE = "local"
"""The one workspace of a person's own machine."""

FROM_PYTHON = "Data from Python"
"""The name of data that have none."""

MOST_SUGGESTED = 30
"""Names that a message lists where none is like the one that was meant."""

Data: TypeAlias = "Dataset | TestBed | str | Path | DataFrame | Iterable[Mapping[str, Any]]"
OnRemark = Callable[[str], object]
Metric = str | Evaluator | EvaluatorSpec | type[Evaluator] | Callable[[Sample], Any]


def local_store() -> Store:
    """The store that the app uses on this machine: a file, or the database that many share."""
    if database := config().database:
        return _store_at(database.get_secret_value())
    return _store_at(config().data_dir / "plumbline.sqlite3")


# One store for each place: it holds the connection and the lock by which its threads take turns.
@made_once
def _store_at(where: Path | str) -> Store:
    return Store(where)


# Data


def print_remark(words: str) -> None:
    """Prints to the error stream, so that results on the standard output stay whole."""
    print(printable(words), file=sys.stderr)


@checks_types("data")
def load_data(
    data: Data,
    *,
    store: Store | None = None,
    workspace: str = WORKSPACE,
    name: str = FROM_PYTHON,
    columns: Mapping[str, str] | None = None,
    table: str = "",
    encoding: str = "",
    skip_broken: bool = False,
    on_remark: OnRemark = print_remark,
) -> Dataset | TestBed:
    """The data set or test bed: as it is, from a file, by name, or from a table or a list.

    Names are those of bundled and uploaded data. A table is a `DataFrame`, a list holds a mapping
    for each sample; both get the name `name`. `columns` says which column a field is read from,
    such as `{"response": "answer"}`, an empty name that there is none; else what was chosen in the
    app for a file with the same columns counts, where the columns are in doubt. `table` names the
    list of a JSON file or the sheet of a workbook, where it holds several, `encoding` how a text
    file is written ("windows-1251"), where that is in doubt. `skip_broken` leaves out rows that
    cannot be used. `on_remark` gets what became what, and what was left out,
    in sentences; they are printed to the error stream where nothing else is given. Raises
    `DatasetError`.
    """
    columns = columns or {}
    is_name = isinstance(data, str | Path) and not isfile(data)
    is_read_already = is_name or isinstance(data, Dataset | TestBed)
    says_how_to_read = columns or table or encoding or skip_broken
    if says_how_to_read and is_read_already:
        raise ParameterError(
            "Columns, tables and encodings are chosen, and rows skipped, for a file or a table. "
            "These data were read already: leave all of them out."
        )
    if isinstance(data, Dataset | TestBed):
        return data
    if is_name:
        # Half a character is in no name, and no store can be asked for it.
        return _data_by_name(without_surrogates(str(data)), store or local_store(), workspace)
    how = {"columns": columns, "table": table, "encoding": encoding, "skip_broken": skip_broken}
    origin: dict[str, Any] = {name: value for name, value in how.items() if value}
    if isinstance(data, str | Path):
        path = Path(data)
        name = path.name
        rows = read(name, read_file(path, DatasetError), table, encoding)
        origin["file"] = str(path.resolve())
    else:
        rows = read_own(name, _rows_as_json(data), table, encoding)
    loaded = loaded_by_columns(name, rows, columns, store, workspace)
    if loaded.problems and loaded.data and loaded.guess.is_sure and not skip_broken:
        raise DatasetError(told(list(loaded.problems)), remedy=Remedy("skip_broken"))
    usable = checked(name, loaded, skip_broken=skip_broken)
    for remark in loaded.remarks:
        on_remark(remark)
    return usable.model_copy(update={"origin": {**usable.origin, **origin}})


def loaded_by_columns(
    name: str,
    table: Table,
    columns: Mapping[str, str],
    store: Store | None,
    workspace: str,
) -> Loaded:
    """What a file holds by these columns, by the guess, or by what was chosen in the app."""
    for field in columns:
        if field not in (*FIELDS, SEPARATOR_FIELD):
            known = ", ".join([*FIELDS, SEPARATOR_FIELD])
            told = f"{printable(field)[:60]} is not a field. Fields: {known}."
            if columns[field] in FIELDS:
                told += f" Did you mean {{{columns[field]!r}: {printable(field)[:60]!r}}}?"
            raise ParameterError(told)
    loaded = open_with(name, table, columns)
    if columns or loaded.guess.is_sure:
        return loaded
    remembered = (store or local_store()).mappings.get(workspace, loaded.names)
    return open_table(name, table, remembered) if remembered else loaded


def _data_by_name(name: str, store: Store, workspace: str) -> Dataset | TestBed:
    data = bundled().get(name) or store.uploads.get(workspace, name)
    if data is None:
        known = [*bundled(), *store.uploads.names(workspace)]
        hint = _did_you_mean(name, known)
        raise DatasetError(
            f"“{printable(name)}” is neither a file nor the name of a data set. {hint}"
        )
    return data


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    """What somebody may have meant by a name that is not there, else what there is."""
    alike = get_close_matches(name, known, n=3)
    suggested = alike or known[:MOST_SUGGESTED]
    listed = ", ".join(f"“{printable(each)}”" for each in suggested)
    return f"Did you mean {listed}?" if alike else f"Known: {listed}."


def _rows_as_json(data: DataFrame | Iterable[Mapping[str, Any]]) -> bytes:
    """The rows as a JSON file would hold them, so that there is one way of reading data."""
    # Whoever has a frame has loaded pandas, which takes longer than all else of a small run.
    pandas = sys.modules.get("pandas")
    try:
        if pandas is not None and isinstance(data, pandas.DataFrame):
            # 15 digits are what a float keeps; by default pandas writes 10
            table: str = data.to_json(orient="records", date_format="iso", double_precision=15)
            return table.encode()
        if hasattr(data, "__arrow_c_stream__"):
            # polars, DuckDB and `datasets` hand a table over by this, each without its own reader.
            from pyarrow import table as arrow_table

            data = arrow_table(data).to_pylist()
        rows = arguments.entries(data)
        if rows and all(isinstance(row, str) for row in rows):
            rows = [{"question": question} for question in rows]
        if isinstance(data, Mapping):
            raise TypeError("they are one mapping: put it into a list")
        if rows is None:
            raise TypeError(f"they are {shown(data)}")
        return json.dumps([arguments.plain(row) for row in rows], default=_as_json_value).encode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise DatasetError(
            f"The data cannot be used ({str(error)[:100]}). "
            "Give a Dataset, a path, a name, a DataFrame, or a list with a mapping of "
            "columns for each sample."
        ) from error


def _as_json_value(value: Any) -> Any:
    """A value that JSON does not know, as one that it knows: a date, what an empty cell holds."""
    if is_missing(value):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is not text, a number or a list")


# Metrics


def evaluators(
    metrics: Metric | Sequence[Metric], saved: Mapping[str, EvaluatorSpec] | None = None
) -> tuple[Evaluator, ...]:
    """The metrics, each by name, as an evaluator or as a spec; raises `ParameterError`.

    `saved` are metrics of the workspace by title, which are known by title and by slug.
    """
    several = (
        metrics if isinstance(metrics, Sequence) and not isinstance(metrics, str) else [metrics]
    )
    if not several:
        raise ParameterError(f"No metric is given. Known: {', '.join(sorted(catalogue()))}.")
    return tuple(_evaluator(metric, saved or {}) for metric in several)


def counted_by(evaluators: Sequence[Evaluator], definition: str | None) -> tuple[Evaluator, ...]:
    """The same metrics, those of them that label sentences with this formula.

    Raises `ParameterError` for an unknown one, and where none of them has a formula.
    """
    if definition is None:
        return tuple(evaluators)
    definition_named(definition)
    counted: list[Evaluator] = []
    for metric in evaluators:
        if "definition" in type(metric).model_fields:
            metric = metric.model_copy(update={"definition": definition})
        counted.append(metric)
    if not any("definition" in type(metric).model_fields for metric in counted):
        titles = say(" and ").join(dict.fromkeys(say(metric.title) for metric in counted))
        raise ParameterError(
            say(
                "A formula is named, and {metrics} labels no sentences. Leave the formula out.",
                metrics=titles,
            )
        )
    return tuple(counted)


def spec_by_name(name: str, saved: Mapping[str, EvaluatorSpec]) -> EvaluatorSpec:
    """The metric of this name: one of the catalogue, or a saved one by its title or slug."""
    if name in catalogue():
        return EvaluatorSpec(name=name)
    for title, spec in saved.items():
        if name in (title, slug(title)):
            return spec
    names = _did_you_mean(name, [*sorted(catalogue()), *map(slug, saved)])
    # Perhaps it is in a file that has a mistake.
    unusable = "".join(
        f" {file.file}, line {file.line}, cannot be used: {file.message}" for file in broken()
    )
    raise ParameterError(
        f"No metric is called “{printable(name)[:60]}”. {names}{printable(unusable)}"
    )


def _evaluator(metric: Metric, saved: Mapping[str, EvaluatorSpec]) -> Evaluator:
    if isinstance(metric, str):
        metric = spec_by_name(metric, saved)
    if isinstance(metric, EvaluatorSpec):
        return from_spec(metric)
    if isinstance(metric, type) and issubclass(metric, Evaluator):
        metric = metric()
    if callable(metric) and not isinstance(metric, type | Evaluator):
        return metric_of(metric)
    if not isinstance(metric, Evaluator):
        raise ParameterError(
            f"{printable(repr(metric))[:80]} is not a metric. Give its name, an "
            "evaluator, a spec, or a function of a sample."
        )
    if getattr(metric, "llm_client", None) is not None:
        raise ParameterError(
            say(
                "{metric} brings an LLM client of its own. Leave it out and name a judge.",
                metric=metric.title,
            )
        )
    # A run keeps only the spec, so what cannot be built from it again is refused now.
    return from_spec(metric.spec())


# Models


def several(named: Named | Sequence[Named] | None) -> Sequence[Named]:
    """Those who are named, none, one or several."""
    if named is None:
        return ()
    return named if isinstance(named, list | tuple) else [cast(Named, named)]


def models(
    named: Named | Sequence[Named] | None,
    keys: Keys,
    *,
    temperature: float = 0.0,
    answer_tokens: int = ANSWER_TOKENS,
) -> tuple[ModelSpec, ...]:
    """The models, each by id (`groq/openai/gpt-oss-20b`), as a spec or connected.

    Raises `ParameterError` for one that is unknown or retired, `AccessError` where its key is
    missing.
    """
    return tuple(
        spec_of(each, keys, temperature=temperature, answer_tokens=answer_tokens)
        if isinstance(each, str)
        else _spec_of_connected(each, keys)
        for each in several(named)
    )


def keys_for_estimates(keys: Keys) -> dict[str, Access]:
    """The keys, and an empty one for each provider that has none: nothing is sent with it."""
    empty = {
        name: Access(provider=name, base_url=provider.address, key=SecretStr(""))
        for name, provider in PROVIDERS.items()
        if not provider.is_custom
    }
    return empty | dict(keys)


def prompt_for(data: Dataset) -> str:
    """The prompt for a model that answers, in the language of the data."""
    language = "zh" if data.samples and is_chinese(data.samples[0].question) else "en"
    return load_prompt(f"rgb_{language}")


def _spec_of_connected(llm: object, keys: Keys) -> ModelSpec:
    """The spec, or that of a connected model: by it a run can go on another day."""
    spec = getattr(llm, "spec", llm)
    if not isinstance(spec, ModelSpec):
        as_client(llm)  # says so where it cannot be asked at all
        raise ParameterError(
            f"A run keeps the ids of its models, so that it can go on another day, "
            f"and a {type(llm).__name__} has none. "
            "Give an id, what connect(...) gives, or ask it without a run: metric.score(sample)."
        )
    if spec != OFFLINE:
        access_for(spec, keys)
    return spec
