"""What a person named, in Python or in a terminal: the data, metrics and models, found and checked
before a run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from evaluators.base import Evaluator, missing
from evaluators.catalogue import broken, catalogue, from_spec
from evaluators.config import config
from evaluators.datasets.bundled import bundled
from evaluators.datasets.mapping import Loaded, checked, open_table, open_with
from evaluators.datasets.names import COLUMNS, FIELDS
from evaluators.datasets.readers import read
from evaluators.datasets.rgb import TestBed
from evaluators.datasets.table import told
from evaluators.errors import DatasetError, ParameterError
from evaluators.llm import Keys, LLMClient
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.clients import access_for
from evaluators.llm.connect import spec_of
from evaluators.llm.judges import as_client
from evaluators.prompts import load as load_prompt
from evaluators.records import Dataset, EvaluatorSpec, ModelSpec, Remedy, Sample
from evaluators.runs.store import Store
from evaluators.text.normalise import is_chinese, slug
from evaluators.text.printable import printable

if TYPE_CHECKING:
    from pandas import DataFrame

WORKSPACE = "local"
"""The one workspace of a person's own machine."""

ANSWER_TOKENS = 1024
"""Tokens that an answer may take, hidden reasoning included, where nobody says otherwise."""


FROM_PYTHON = "Data from Python"
"""The name of data that have none."""

Data: TypeAlias = "Dataset | TestBed | str | Path | DataFrame | Iterable[Mapping[str, Any]]"
OnRemark = Callable[[str], object]
Metric = str | Evaluator | EvaluatorSpec
Named = str | ModelSpec | LLMClient


def local_store() -> Store:
    """The store that the app uses on this machine."""
    return _open(config().data_dir / "plumbline.sqlite3")


@cache
def _open(path: Path) -> Store:
    return Store(path)


# Data


def print_remark(words: str) -> None:
    """Prints to the error stream, so that results on the standard output stay whole."""
    print(printable(words), file=sys.stderr)


def load_data(
    given: Data,
    *,
    store: Store | None = None,
    workspace: str = WORKSPACE,
    name: str = FROM_PYTHON,
    columns: Mapping[str, str] | None = None,
    skip_broken: bool = False,
    on_remark: OnRemark = print_remark,
) -> Dataset | TestBed:
    """The data set or test bed that is given: itself, a file, bundled or uploaded data by name, a
    table, a list.

    A table is a `DataFrame`, a list holds a mapping for each sample; both get the name `name`.
    `columns` says which column a field is read from, such as `{"response": "answer"}`, an empty
    name that there is none; else what was chosen in the app for a file with the same columns
    counts, where the columns are in doubt. `skip_broken` leaves out rows that cannot be used.
    `on_remark` gets what became what, and what was left out, in sentences; they are printed
    to the error stream where nothing else is given. Raises `DatasetError`.
    """
    is_name = isinstance(given, str | Path) and not isfile(given)
    if (columns or skip_broken) and (is_name or isinstance(given, Dataset | TestBed)):
        raise ParameterError(
            "Columns are chosen, and rows skipped, for a file or a table. "
            "These data were read already: leave both out."
        )
    if isinstance(given, Dataset | TestBed):
        return given
    if is_name:
        return _by_name(str(given), store or local_store(), workspace)
    origin: dict[str, Any] = {"columns": dict(columns)} if columns else {}
    if skip_broken:
        origin["skip_broken"] = True
    if isinstance(given, str | Path):
        path = Path(given)
        name, content = path.name, _bytes_of(path)
        origin["file"] = str(path.resolve())
    else:
        content = _as_json(given)
    loaded = _opened(name, content, columns or {}, store, workspace)
    if loaded.guess.is_sure and loaded.data and loaded.problems and not skip_broken:
        raise DatasetError(told(list(loaded.problems)), remedy=Remedy("skip_broken"))
    data = checked(name, loaded, skip_broken=skip_broken)
    for remark in loaded.remarks:
        on_remark(remark)
    return data.model_copy(update={"origin": {**data.origin, **origin}})


def dataset(
    given: Data,
    *,
    store: Store | None = None,
    workspace: str = WORKSPACE,
    name: str = FROM_PYTHON,
    columns: Mapping[str, str] | None = None,
    skip_broken: bool = False,
    on_remark: OnRemark = print_remark,
) -> Dataset:
    """The samples that are given; raises `DatasetError` for a test bed, whose prompts must be
    composed first.
    """
    data = load_data(
        given,
        store=store,
        workspace=workspace,
        name=name,
        columns=columns,
        skip_broken=skip_broken,
        on_remark=on_remark,
    )
    if isinstance(data, TestBed):
        raise DatasetError(
            f"{printable(data.name)} is a test bed: rows from which prompts are made. "
            "Give compose(bed, bed.abilities) with bed = load_data(...), both from evaluators."
        )
    return data


def _opened(
    name: str, content: bytes, columns: Mapping[str, str], store: Store | None, workspace: str
) -> Loaded:
    """What a file holds by these columns, by the guess, or by what was chosen in the app."""
    if unknown := [field for field in columns if field not in FIELDS]:
        raise ParameterError(
            f"{printable(unknown[0])[:60]} is not a field. Fields: {', '.join(FIELDS)}."
        )
    table = read(name, content)
    loaded = open_with(name, table, columns)
    if columns or loaded.guess.is_sure:
        return loaded
    remembered = (store or local_store()).mappings.get(workspace, loaded.names)
    return open_table(name, table, remembered) if remembered else loaded


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DatasetError(
            f"{printable(str(path))} cannot be read ({error.strerror}). Check its rights."
        ) from error


def _by_name(name: str, store: Store, workspace: str) -> Dataset | TestBed:
    found = bundled().get(name) or store.uploads.get(workspace, name)
    if found is None:
        meant = _meant(name, [*bundled(), *store.uploads.names(workspace)])
        raise DatasetError(f"“{printable(name)}” is neither a file nor data by name. {meant}")
    return found


def _meant(name: str, known: Sequence[str]) -> str:
    """What somebody may have meant by a name that is not there, else what there is."""
    near = get_close_matches(name, known, n=3)
    told = ", ".join(f"“{printable(each)}”" for each in near or known[:30])
    return f"Did you mean {told}?" if near else f"Known: {told}."


def _as_json(rows: DataFrame | Iterable[Mapping[str, Any]]) -> bytes:
    import pandas as pd  # takes long, and only data from Python need it

    try:
        if isinstance(rows, pd.DataFrame):
            table: str = rows.to_json(orient="records", date_format="iso", double_precision=15)
            return table.encode()
        return json.dumps(list(rows), default=_plain).encode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise DatasetError(
            f"The data cannot be used ({str(error)[:100]}). "
            "Give a Dataset, a path, a name, a DataFrame, or a list with a mapping of "
            "columns for each sample."
        ) from error


def _plain(value: Any) -> Any:
    """A value that JSON does not know, as one that it knows: arrays and numbers of numpy, dates."""
    for method in ("tolist", "isoformat"):
        if hasattr(value, method):
            return getattr(value, method)()
    raise TypeError(f"a {type(value).__name__} is not text, a number or a list")


# Metrics


def specs(
    metrics: Metric | Sequence[Metric], saved: Mapping[str, EvaluatorSpec] | None = None
) -> tuple[EvaluatorSpec, ...]:
    """The metrics that are given by name, as evaluators or as specs; raises `ParameterError` for
    what is none.

    `saved` are metrics of the workspace by title, which are known by title and by slug.
    """
    several = (
        metrics if isinstance(metrics, Sequence) and not isinstance(metrics, str) else [metrics]
    )
    if not several:
        raise ParameterError(f"No metric is given. Known: {', '.join(sorted(catalogue()))}.")
    return tuple(_spec(metric, saved or {}) for metric in several)


def named(name: str, saved: Mapping[str, EvaluatorSpec]) -> EvaluatorSpec:
    """The metric of this name: one of the catalogue, or a saved one by its title or slug."""
    if name in catalogue():
        return EvaluatorSpec(name=name)
    for title, spec in saved.items():
        if name in (title, slug(title)):
            return spec
    unusable = "".join(
        f" {file.file}, line {file.line}, cannot be used: {file.message}" for file in broken()
    )
    known = [*sorted(catalogue()), *map(slug, saved)]
    raise ParameterError(
        f"No metric is called “{printable(name)[:60]}”. {_meant(name, known)}{printable(unusable)}"
    )


def _spec(metric: Metric, saved: Mapping[str, EvaluatorSpec]) -> EvaluatorSpec:
    if isinstance(metric, str):
        metric = named(metric, saved)
    if isinstance(metric, EvaluatorSpec):
        return from_spec(metric).spec()
    if isinstance(metric, type) and issubclass(metric, Evaluator):
        raise ParameterError(f"{metric.__name__} is a class. Write {metric.__name__}().")
    if not isinstance(metric, Evaluator):
        raise ParameterError(
            f"{printable(repr(metric))[:80]} is not a metric. Give its name, an "
            "evaluator, or a spec."
        )
    if getattr(metric, "llm_client", None) is not None:
        raise ParameterError(
            f"{metric.title} brings an LLM client of its own. Leave it out and name a judge."
        )
    return metric.spec()


def check_judged(evaluators: Iterable[Evaluator], judges: object) -> None:
    """Raises `ParameterError` where a judge is named, and none of the metrics asks one."""
    asked = list(evaluators)
    if judges and not any(evaluator.most_judges() for evaluator in asked):
        titles = " and ".join(dict.fromkeys(evaluator.title for evaluator in asked))
        raise ParameterError(f"No judge is asked by {titles}. Leave the judge out.")


def check_usable(
    data: Dataset,
    metrics: Sequence[EvaluatorSpec],
    models: Sequence[ModelSpec] = (),
    judges: Sequence[ModelSpec] = (),
) -> None:
    """Raises `ParameterError` where no sample has what a metric needs, or where the models have
    nothing to answer.

    Also where a metric asks a judge and none is named, or one that cannot judge.
    """
    if OFFLINE in judges:
        raise ParameterError(
            "The offline reader only quotes documents and cannot judge. Name an LLM as the judge."
        )
    evaluators = [from_spec(spec) for spec in metrics]
    for evaluator in evaluators:
        if not judges and evaluator.needs_judge:
            message = f"{evaluator.title} asks a judge, and none is named."
            raise ParameterError(message, remedy=Remedy("name_judge"))
    if models and all(sample.response is not None for sample in data.samples):
        raise ParameterError(
            f"Every sample of {printable(data.name)} has a response already, so a model "
            "has nothing to answer. "
            "Leave the model out, or the column response."
        )
    if any(evaluator.leads == "rgb" for evaluator in evaluators) and not any(
        sample.rgb for sample in data.samples
    ):
        message = f"Nothing in {printable(data.name)} says which ability of RGB its samples test."
        raise ParameterError(message, remedy=Remedy("name_ability"))
    check_samples(data, evaluators, models)


def check_samples(
    data: Dataset,
    evaluators: Iterable[Evaluator],
    models: Sequence[ModelSpec] = (),
    fields: Collection[str] = tuple(Sample.model_fields),
) -> None:
    """Raises `ParameterError` where no sample has what a metric needs among these fields; models
    give responses.
    """
    for evaluator in evaluators:
        needs = tuple(field for field in evaluator.needed if field in fields)
        lacking = [missing(needs, sample, has_generator=bool(models)) for sample in data.samples]
        if lacking and all(lacking):
            raise ParameterError(_lacking(evaluator, lacking, data.name))


def _lacking(evaluator: Evaluator, lacking: Sequence[Sequence[str]], name: str) -> str:
    absent = [field for field in evaluator.needed if all(field in fields for fields in lacking)]
    columns = "; ".join(
        " or ".join(COLUMNS.get(field, (field,))) for field in absent or evaluator.needed
    )
    model = ", or name a model that answers" if "response" in absent else ""
    return (
        f"No sample of {printable(name)} has what {evaluator.title} needs. Add a column: "
        f"{columns}{model}."
    )


# Models


def models(
    given: Named | Sequence[Named] | None,
    keys: Keys,
    *,
    temperature: float = 0.0,
    answer_tokens: int = ANSWER_TOKENS,
) -> tuple[ModelSpec, ...]:
    """The models that are given by id (`groq/openai/gpt-oss-20b`), as specs or connected.

    Raises `ParameterError` for one that is unknown or retired, `AccessError` where its key is
    missing.
    """
    several = given if isinstance(given, list | tuple) else [] if given is None else [given]
    return tuple(
        spec_of(each, keys, temperature=temperature, answer_tokens=answer_tokens)
        if isinstance(each, str)
        else _spec_of(each, keys)
        for each in several
    )


def prompt_for(data: Dataset) -> str:
    """The prompt for a model that answers, in the language of the data."""
    language = "zh" if data.samples and is_chinese(data.samples[0].question) else "en"
    return load_prompt(f"rgb_{language}")


def _spec_of(llm: object, keys: Keys) -> ModelSpec:
    """The spec that is given, or that of a connected model: by it a run can go on another day."""
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
