"""Opens a run file: what was changed, is too large or does not fit together is refused.

It is unpacked by a child process, line by line. Nothing is built before all of it was counted.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from evaluators.catalogue import leads
from evaluators.config import Config, config
from evaluators.datasets.samples import MOST_TEXTS
from evaluators.errors import PlumblineError, RunFileError
from evaluators.messages import Text
from evaluators.records import (
    Cell,
    LabelEvidence,
    ModelSpec,
    Record,
    Run,
    Sample,
    SampleResult,
    fingerprint_of,
    repeated,
)
from evaluators.run_files.contents import (
    ENVIRONMENT,
    FORMAT,
    LABELS,
    MANIFEST,
    NOTES,
    PARTS,
    RESULTS,
    RUN,
    SAMPLES,
    AnswerNote,
    CellLabel,
    Lines,
    Manifest,
    RunFile,
)
from evaluators.runs import workspaces
from evaluators.runs.environment import Environment
from evaluators.runs.naming import MOST_TITLE
from evaluators.runs.notes import MOST_OF_A_TAG, MOST_TAGS, MOST_TEXT
from evaluators.runs.store import Store
from evaluators.runs.store.bodies import timestamp, why_unreadable
from evaluators.runs.store.person_labels import MOST_OF_A_PERSON
from evaluators.sandbox import script
from evaluators.sandbox.child import child, for_text
from evaluators.text.accepted import groups
from evaluators.text.language import mark, say
from evaluators.text.printable import printable
from evaluators.text.strangers_json import strangers_json

R = TypeVar("R", bound=Record)

OTHER_SAMPLES = mark("The samples are not those that the run was made with.")
NO_RUN_FILE = mark("This is not a run file, or it is damaged. Export it again.")
MOST_METRICS = 20
"""Results for each sample, by models and metrics, of a data set as large as the host allows."""
MOST_MODELS = 100
"""Models, or judges, of a run: a page has a line for each."""
MOST_NAMES = 100
"""Names of values of one metric: a page has a line, and a table a column, for each."""
MOST_LABELLERS = 20
"""Who labelled the answers of a run: at most five judges for a metric, and few others."""
MOST_NUMBER = 1e15
"""Of values, tokens and dollars: sums of a run's stay finite."""
ROW_VALUES = 100_000
"""Values in one line: each takes memory, however short its text."""
SECONDS = 60
_OVERHEAD = 2**20
"""What a line of the child may have beyond the text in it."""

Admit = Callable[[Run, int, int], object]
"""Raises `HostLimitError` where there is no room for a run of so many samples and bytes."""

_BEYOND = {
    "memory": mark("This file needs more memory or time than a run file may."),
    "size": mark(
        "Unpacked it holds more than {limit:,.0f} MB, the limit. Open it where "
        "PLUMBLINE_DECODED_BYTES is higher, as on your own machine."
    ),
    "lines": mark("{name} has more than {number:,} lines, the limit."),
    "length": mark("{name}, line {number:,}, is longer than a line may be."),
    "values": mark("{name}, line {number:,}, holds more than {most:,} values, the limit."),
    "depth": mark("{name}, line {number:,}, cannot be read (too deep)."),
    "text": mark("{name}, line {number:,}, cannot be read (not UTF-8)."),
}


def opened(data: bytes, store: Store, workspace: str) -> Run:
    """The run of a file, in the store from now on; a file that was opened before is not put twice.

    Raises `RunFileError`, and `HostLimitError` where a public host takes no such run, and then
    nothing is stored.
    """
    # The same file in the same workspace is the same run.
    run_id = hashlib.sha256(f"{workspace}\n".encode() + data).hexdigest()[:32]
    known = store.runs.get(run_id)
    if known is not None:
        return known

    def admit(run: Run, samples: int, size: int) -> None:
        of_workspace = run.model_copy(update={"workspace": workspace})
        workspaces.of(store).check_run(of_workspace, samples, size)

    content = read(data, admit)
    models = tuple(map(_without_function, content.run.models))
    changes = {"id": run_id, "workspace": workspace, "models": models}
    run = content.run.model_copy(update=changes)
    store.runs.put(run, content.samples, content.results)
    try:
        environment = content.environment.model_copy(update={"opened": timestamp()})
        store.environments.save(run_id, environment)
        labels = ((label.cell, label.label) for label in content.labels)
        store.person_labels.save_all(run_id, labels)
        store.notes.save_all(run_id, {note.answer: note.note for note in content.notes})
    except PlumblineError:
        store.runs.delete(run_id)
        raise
    return run


def _without_function(spec: ModelSpec) -> ModelSpec:
    """The model; of a system in Python without where it is, which pages print in a command."""
    if spec.system is None:
        return spec
    return spec.model_copy(update={"system": spec.system.model_copy(update={"function": ""})})


def read(data: bytes, admit: Admit = lambda *_: None) -> RunFile:
    """All that a file holds; raises `RunFileError` with what is wrong with it.

    `admit` is asked once it is known how much there is, before anything but the run is read.
    """
    with closing(_messages(data)) as messages:
        parts = _parts(messages)
        run_line = next(messages)["line"]
        run = _record(Run, *run_line)
        _check_run(run, parts)
        admit(run, parts[SAMPLES].lines, sum(part.size for part in parts.values()))
        texts: dict[str, list[bytes]] = {name: [] for name in PARTS}
        environment = Environment()
        for message in messages:
            if "line" in message:
                name, number, text = message["line"]
                if name == ENVIRONMENT:
                    environment = _record(Environment, name, number, text)
                    continue
                # Only to see that it can be read: kept is the text.
                _record(_KINDS[name], name, number, text)
                texts[name].append(text.encode())
    content = RunFile(
        run=run,
        environment=environment,
        samples=Lines(Sample, texts[SAMPLES]),
        results=Lines(SampleResult, texts[RESULTS]),
        labels=Lines(CellLabel, texts[LABELS]),
        notes=Lines(AnswerNote, texts[NOTES]),
    )
    _check_environment(environment)
    _check_samples(run, content.samples)
    cells = _Cells(run, len(content.samples))
    _check_results(cells, content.results)
    _check_labels(cells, content.labels)
    for note in content.notes:
        cells.check(NOTES, Cell(note.position, note.model, 0))
    return content


_KINDS: Mapping[str, type[Record]] = {
    SAMPLES: Sample,
    RESULTS: SampleResult,
    LABELS: CellLabel,
    NOTES: AnswerNote,
}


class _Measured(NamedTuple):
    """A part as the child found it."""

    size: int
    lines: int


def _messages(data: bytes) -> Generator[script.Message]:
    """What the child says of the file; raises `RunFileError` where it says what is wrong."""
    limits = config()
    # A sample has its texts twice, whole and by sentence.
    longest = 16 * limits.cell_bytes
    allowed: script.ParsingLimits = {
        **for_text(SECONDS, limits.decoded_bytes),
        "rows": MOST_METRICS * limits.rows_per_dataset,
        "longest_row": longest,
        "values": ROW_VALUES,
        "depth": limits.json_depth,
    }
    is_whole = False
    with child("run", data, allowed) as lines:
        # JSON writes a character with up to six bytes.
        while line := lines.readline(6 * longest + _OVERHEAD):
            try:
                message: script.Message = strangers_json(line)
            except ValueError:
                # A child that is killed may leave half a message.
                break
            if "refused" in message:
                raise RunFileError(say(NO_RUN_FILE))
            if "beyond" in message:
                raise RunFileError(_said_beyond(*message["beyond"], limits=limits))
            is_whole = "end" in message
            yield message
    if not is_whole:
        raise RunFileError(say(_BEYOND["memory"]))


def _said_beyond(which: str, name: str, number: int, *, limits: Config) -> str:
    return say(
        _BEYOND[which],
        name=printable(name)[:60],
        number=number - 1 if which == "lines" else number,
        most=ROW_VALUES,
        limit=limits.decoded_bytes / 2**20,
    )


def _parts(messages: Iterator[script.Message]) -> dict[str, _Measured]:
    """How large every part is, as the manifest promises it."""
    manifest = _checked_manifest(messages)
    measured = {}
    for name, size, digest, lines in (next(messages)["part"] for _ in PARTS):
        part = manifest.parts[name]
        _require(size <= part.size, mark("{name} is longer than the file says."), name=name)
        is_same = (size, digest) == (part.size, part.sha256)
        _require(is_same, mark("{name} was changed after the file was written."), name=name)
        is_record = name not in (RUN, ENVIRONMENT) or lines == 1
        _require(is_record, mark("{name} does not hold one record."), name=name)
        measured[name] = _Measured(size, lines)
    return measured


def _checked_manifest(messages: Iterator[script.Message]) -> Manifest:
    """What the file says of itself, where it has the entries of a run file and no others."""
    entries = next(messages)["entries"]
    names = [name for name, _ in entries]
    # Nothing is unpacked to the disk, but who sends other entries means no run file.
    if sorted(names) != sorted((MANIFEST, *PARTS)):
        raise RunFileError(_wrong_entries(names))
    packed_otherwise = mark("This file is encrypted or packed in a way that run files are not.")
    _require(all(is_usual for _, is_usual in entries), packed_otherwise)
    manifest = _manifest(next(messages)["manifest"])
    newer = mark(
        "This file is from a newer version of Plumbline ({version}). Install that version to open "
        "it."
    )
    _require(manifest.format <= FORMAT, newer, version=printable(manifest.plumbline)[:20])
    is_complete = sorted(manifest.parts) == sorted(PARTS)
    _require(is_complete, mark("The manifest does not name every part of the file."))
    sizes = [part.size for part in manifest.parts.values()]
    most = config().decoded_bytes
    _require(min(sizes) >= 0 and sum(sizes) <= most, _BEYOND["size"], limit=most / 2**20)
    return manifest


def _wrong_entries(names: list[str]) -> str:
    expected = {MANIFEST, *PARTS}
    if missing := sorted(expected - set(names)):
        return say("This is not a run file: {name} is missing.", name=", ".join(missing))
    strange = [name for name in names if name not in expected] or [say("an entry twice")]
    return say("This is not a run file: it holds {name}.", name=printable(strange[0])[:60])


def _manifest(text: str) -> Manifest:
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        # A later version may have more in its manifest: what it says of its format counts.
        with suppress(ValidationError):
            newer = _Format.model_validate_json(text)
            if newer.format > FORMAT:
                raise RunFileError(
                    say(
                        "This file is from a newer version of Plumbline. Install that version to "
                        "open it."
                    )
                ) from error
        raise RunFileError(
            say(
                "The manifest cannot be read ({why}).",
                why=why_unreadable(error),
            )
        ) from error


class _Format(BaseModel):
    format: int


def _require(is_so: bool, words: str, **blanks: object) -> None:
    """Raises `RunFileError` in these words where a file is not as it must be."""
    if not is_so:
        raise RunFileError(say(words, **blanks))


def _record(kind: type[R], name: str, number: int, text: str) -> R:
    try:
        return kind.model_validate_json(text)
    except (ValueError, RecursionError) as error:
        why = why_unreadable(error) if isinstance(error, ValueError) else "too deep"
        raise RunFileError(
            say(
                "{name}, line {number:,}, cannot be read ({why}).",
                name=name,
                number=number,
                why=why,
            )
        ) from error


def _check_run(run: Run, parts: Mapping[str, _Measured]) -> None:
    """By the run and the sizes alone, before anything else is read."""
    _require(_is_moment(run.created), mark("{name} has no date that can be read."), name=RUN)
    # What a page asks by which labels or rules to count, it asks of the first metric.
    is_led = not any(leads(spec.name) for spec in run.evaluators[1:])
    _require(is_led, mark("run.json has RGB or TRACE behind another metric."))
    _check_lengths(run)
    try:
        _Origin.model_validate(run.origin)
    except ValidationError as error:
        why = why_unreadable(error)
        raise RunFileError(
            say("run.json, how the samples were made, cannot be read ({why}).", why=why)
        ) from error
    samples, labels = parts[SAMPLES].lines, parts[LABELS].lines
    _require(samples > 0, OTHER_SAMPLES)
    count = _Cells(run, samples).count
    too_many = mark("The run has {cells:,} results to give, too many to be shown.")
    _require(count <= MOST_METRICS * config().rows_per_dataset, too_many, cells=count)
    most = config().labels_per_run
    too_many = mark(
        "It has {lines:,} labels by people, and a run keeps {most:,}. Open it where "
        "PLUMBLINE_LABELS_PER_RUN is higher, as on your own machine."
    )
    _require(labels <= most, too_many, lines=labels, most=most)
    for name in (RESULTS, NOTES):
        lines = parts[name].lines
        too_many = mark("{name} has {lines:,} lines, at most {most:,} fit.")
        _require(lines <= count, too_many, name=name, lines=lines, most=count)


def _check_lengths(run: Run) -> None:
    """Of what every page of the run, and the list of all runs, shows whole."""
    tags = (*map(len, run.tags), 0)
    is_short = len(run.title) <= 10 * MOST_TITLE and len(run.note) <= MOST_TEXT
    is_short = is_short and len(run.tags) <= MOST_TAGS and max(tags) <= MOST_OF_A_TAG
    _require(is_short, mark("run.json has a title, a note or tags that are too long."))
    models = max(len(run.models), len(run.judges))
    _require(models <= MOST_MODELS, mark("run.json has more than {most} models."), most=MOST_MODELS)


def _check_samples(run: Run, samples: Lines[Sample]) -> None:
    # Of their contents: a sample that was changed, left out or moved makes another one.
    _require(run.fingerprint == fingerprint_of(samples), OTHER_SAMPLES)
    first = None
    other_repeats = mark("The repeats of the samples are not those of the run.")
    for number, sample in enumerate(samples):
        _check_sample(number + 1, sample)
        if sample.repeat == 1:
            first = sample
        is_expected = sample.repeat == number % run.repeats + 1
        is_repeat = first is not None and sample == repeated(first, sample.repeat)
        _require(is_expected and is_repeat, other_repeats)
    _require(len(samples) % run.repeats == 0, other_repeats)


def _check_sample(number: int, sample: Sample) -> None:
    """Raises `RunFileError` where it holds more than a row of a data set may."""
    accepted = [text for group in groups(sample.ground_truth) for text in group]
    accepted += [nugget.text for nugget in sample.nuggets]
    gold, documents = sample.gold_documents, sample.evidence
    longest = max(map(len, (accepted, gold, documents)))
    words = mark(
        "{name}, line {number:,}, has more than {most:,} documents or accepted answers, the limit."
    )
    _require(longest <= MOST_TEXTS, words, name=SAMPLES, number=number, most=MOST_TEXTS)
    beside = (*sample.sources, *map(str, sample.scores.values()))
    texts = (sample.question, sample.response or "", *accepted, *gold, *documents, *beside)
    _check_length(SAMPLES, number, max(map(len, texts)))


def _check_length(name: str, number: int, longest: int) -> None:
    limit = config().cell_bytes
    words = mark("{name}, line {number:,}, has a text of more than {limit:g} MB, the limit.")
    _require(longest <= limit, words, name=name, number=number, limit=limit / 2**20)


def _check_environment(environment: Environment) -> None:
    for moment in (environment.ended, environment.opened):
        is_date = not moment or _is_moment(moment)
        _require(is_date, mark("{name} has no date that can be read."), name=ENVIRONMENT)
    for model in environment.models:
        counts = (model.calls, model.prompt_tokens, model.answer_tokens, model.cost or 0)
        prices = (model.price_in or 0, model.price_out or 0)
        can_be = all(0 <= number <= MOST_NUMBER for number in (*counts, *prices))
        _require(can_be, mark("{name} has a bill that cannot be."), name=ENVIRONMENT)


def _check_results(cells: _Cells, results: Lines[SampleResult]) -> None:
    known: set[Cell] = set()
    names: dict[int, set[str]] = {}
    labellers: set[str] = set()
    for number, result in enumerate(results, start=1):
        texts = (result.response or "", *(result.retrieved_documents or ()))
        _check_length(RESULTS, number, max(map(len, texts)))
        cell = Cell(result.position, result.model, result.metric)
        cells.check(RESULTS, cell)
        _require(cell not in known, mark("{name} has an answer twice."), name=RESULTS)
        known.add(cell)
        values = result.score.values if result.score else {}
        bill = (result.usage.prompt_tokens, result.usage.answer_tokens, result.calls, result.cached)
        judged = [value or 0.0 for value in values.values()]
        numbers = (*bill, result.cost or 0.0, result.seconds, *judged)
        # A sum of a few greater ones is infinite, and no page could show the mean.
        can_be = all(abs(number) <= MOST_NUMBER for number in numbers)
        _require(can_be, mark("{name} has a number that cannot be."), name=RESULTS)
        names.setdefault(cell.metric, set()).update(values)
        words = mark("{name} has more than {most} kinds of values.")
        _require(len(names[cell.metric]) <= MOST_NAMES, words, name=RESULTS, most=MOST_NAMES)
        evidence = result.score.evidence if result.score else None
        if isinstance(evidence, LabelEvidence):
            labellers.update(labelling.by for labelling in evidence.labellings)
            # Each two of them are compared.
            count = max(len(labellers), len(evidence.labellings))
            words = mark("{name} has more than {most} labellers.")
            _require(count <= MOST_LABELLERS, words, name=RESULTS, most=MOST_LABELLERS)


def _is_moment(text: str) -> bool:
    """Whether it is a date that can be shown by any clock of the world."""
    try:
        return 1970 < datetime.fromisoformat(text).year < 9999
    except ValueError:
        return False


class _Download(BaseModel):
    id: str
    config: str
    split: str
    rows: int
    license: str | None


class _Files(BaseModel):
    address: str


class _Retrieval(BaseModel):
    embedding_model: str
    chunking_strategy: str
    chunk_size: int
    chunk_overlap: int
    chunks: int
    k: int
    documents: list[Any]


class _Origin(BaseModel):
    """How samples were made from their source, as pages and commands read it."""

    abilities: list[str] = []
    noise_levels: list[float] = []
    passages: int | None = None
    fill_up: bool = False
    read_as: Text = ""
    seed: int | None = None
    sample: int | None = None
    group: str = ""
    table: str = ""
    file: str = ""
    skip_broken: bool = False
    columns: dict[str, str] = {}
    hub: _Download | None = None
    rgb: _Files | None = None
    retrieval: _Retrieval | None = None


class _Cells:
    """The cells that a run of so many samples has."""

    def __init__(self, run: Run, samples: int) -> None:
        self._sizes = samples, max(1, len(run.models)), len(run.evaluators)

    @property
    def count(self) -> int:
        samples, models, metrics = self._sizes
        return samples * models * metrics

    def check(self, name: str, cell: Cell) -> None:
        """Raises `RunFileError` for a cell that the run does not have."""
        is_there = all(0 <= place < size for place, size in zip(cell, self._sizes, strict=True))
        _require(is_there, mark("{name} names an answer that the run does not have."), name=name)


def _check_labels(cells: _Cells, labels: Lines[CellLabel]) -> None:
    counts: Counter[tuple[Cell, str]] = Counter()
    for label in labels:
        cells.check(LABELS, label.cell)
        by = label.cell, label.label.person
        counts[by] += 1
        words = mark(
            "{name} has more than {most:,} labels of one person and answer, the most that a run "
            "keeps. Export it again."
        )
        _require(counts[by] <= MOST_OF_A_PERSON, words, name=LABELS, most=MOST_OF_A_PERSON)
        is_date = _is_moment(label.label.created)
        _require(is_date, mark("{name} has no date that can be read."), name=LABELS)
