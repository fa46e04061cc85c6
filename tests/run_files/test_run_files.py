"""A run as a file: opened in an empty store it is the same run, and what is damaged is refused."""

import hashlib
import io
import json
import os
import warnings
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluators import compose, evaluate, load_data, open_run
from evaluators.api.results import Results
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.errors import RunFileError
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, ModelSpec, Sample, SystemSpec, fingerprint_of
from evaluators.run_files.contents import (
    ENVIRONMENT,
    FORMAT,
    MANIFEST,
    PARTS,
    RESULTS,
    RUN,
    SAMPLES,
)
from evaluators.run_files.reading import opened, read
from evaluators.run_files.writing import written
from evaluators.runs.examples import INVENTED, NOISE, find
from evaluators.runs.notes import Note
from evaluators.runs.store import Answer, Store
from evaluators.terminal.command import command
from tests.comparison.made import MODELS, results

NOW = "2026-11-23T10:00:00+00:00"
LONG = "x" * 2001
QUESTIONS = ["Who?", "When?", "Why?"]


@pytest.fixture
def made(store):
    """A small run with two models, a failure, a label and a note."""
    made = results(store, "Made", QUESTIONS, [1.0, None, "failed"], [0.0, 1.0, 0.5], models=MODELS)
    label = PersonLabel(person="Anna", label="verdict", key="answer_match", value="no", created=NOW)
    store.person_labels.save("Made", Cell(0, 1), label)
    note = Note(text="Odd.", tags=("dates",), created=NOW, person="Anna", facts="x\n[okay] y")
    store.notes.save("Made", Answer(2, 0), note)
    return made


def everything(results):
    """All figures and rows of a run, as Python gives them."""
    lines = [{**line, "id": line["id"]} for line in results.lines()]
    means = [results.summary(model) for model in range(max(1, len(results.run.models)))]
    return means, lines, results.counts


def in_an_empty_store(data, workspace="local"):
    store = Store(":memory:")
    return Results(opened(data, store, workspace), store)


def test_the_run_of_a_file_is_the_same_with_its_labels_and_notes(store, made):
    again = in_an_empty_store(written(store, made.run), "elsewhere")

    assert everything(again) == everything(made)
    assert again.run.title == "Made"
    assert (again.run.workspace, again.run.created) == ("elsewhere", made.run.created)
    of_file, of_store = (
        [own.person_labels.by_cell(run), own.notes.by_answer(run)]
        for own, run in ((again.store, again.run.id), (store, "Made"))
    )
    assert of_file == of_store


def test_a_file_carries_title_note_and_tags(store, made):
    run = store.runs.save_title("Made", "Second try", "With short documents.", ["short", "slides"])
    # Whose baseline it is belongs to the store: the one who opens the file may have another.
    store.runs.save_baseline(run)

    again = in_an_empty_store(written(store, run))

    assert (again.title, again.run.note, again.run.tags) == (run.title, run.note, run.tags)
    assert again.store.runs.baseline_ids("local") == {}


@pytest.mark.parametrize("example", [NOISE, INVENTED])
def test_the_examples_go_into_a_file_and_come_out_again(example):
    store = Store(":memory:")
    run = find(store, example)

    again = in_an_empty_store(written(store, run))

    assert everything(again) == everything(Results(run, store))


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize(
    ("data", "metric"),
    [
        (TRACE_SAMPLES, "trace"),
        (TRACE_SAMPLES, ["answer_match", "trace"]),
        (ENGLISH_BED, "rgb"),
    ],
)
def test_runs_of_every_kind_have_the_same_figures(data, metric):
    loaded = load_data(data)
    model = None
    if metric == "rgb":
        loaded, model = compose(loaded, loaded.abilities, sample=2), "offline/offline-reader"
    results = evaluate(loaded, metric, model=model, progress=False)

    again = in_an_empty_store(written(results.store, results.run))

    assert everything(again) == everything(results)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.sampled_from([0.0, 0.25, 1.0, None, "failed"]), min_size=1, max_size=6),
    texts=st.lists(st.text(max_size=20), min_size=6, max_size=6),
    title=st.text(max_size=20),
)
def test_any_texts_and_values_come_back(values, texts, title):
    store = Store(":memory:")
    made = results(store, f"r{title}", texts[: len(values)], values)

    again = in_an_empty_store(written(store, made.run))

    assert everything(again) == everything(made)


def test_a_file_names_nobodys_workspace_and_no_key(store, made):
    with zipfile.ZipFile(io.BytesIO(written(store, made.run))) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}

    assert set(texts) == {MANIFEST, *PARTS}
    assert json.loads(texts[RUN])["workspace"] == ""


@pytest.mark.usefixtures("data_folder")
def test_a_file_names_no_folder_of_the_machine(tmp_path, store):
    data = tmp_path / "anna" / "answers.jsonl"
    data.parent.mkdir()
    data.write_text('{"question": "Who?", "response": "Ada.", "ground_truth": "Ada."}\n')
    made = evaluate(data, "answer_match", store=store, progress=False)

    run = part(written(store, made.run), RUN).decode()

    assert "anna" not in run
    assert json.loads(run)["origin"]["file"] == "answers.jsonl"


def test_of_a_strangers_function_no_command_names_the_module(store):
    system = ModelSpec(provider="system", model="rag", system=SystemSpec(function="os:system"))
    made = results(store, "Asked", QUESTIONS, [1.0, 0.0, 1.0], models=(system,))
    assert "--system os:system" in command(made.run)

    again = in_an_empty_store(written(store, made.run))

    assert "--system rag.toml" in command(again.run)
    assert "os:system" not in again.run.model_dump_json()


def test_opened_twice_it_is_one_run(store, made):
    data = written(store, made.run)

    first, second = opened(data, store, "local"), opened(data, store, "local")

    assert first == second
    assert len(store.runs.newest("local")) == 2


@pytest.mark.usefixtures("data_folder")
def test_python_saves_and_opens_it(tmp_path, store, made):
    path = made.save(tmp_path / "made.plumbline")

    again = open_run(path)

    assert everything(again) == everything(made)
    assert again.store is not store


# What is refused


def rewritten(data, changes=(), manifest=None, drop=(), packing=zipfile.ZIP_DEFLATED, more=()):
    """The same file with other parts, whose hashes the manifest names, or with a wrong manifest."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts |= dict(changes)
    described = json.loads(parts[MANIFEST])
    for name in PARTS:
        digest = hashlib.sha256(parts[name]).hexdigest()
        described["parts"][name] = {"size": len(parts[name]), "sha256": digest}
    parts[MANIFEST] = json.dumps((manifest or (lambda own: own))(described)).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        for name, content in parts.items():
            if name not in drop:
                archive.writestr(name, content)
        with warnings.catch_warnings():
            # Of a name that stands twice.
            warnings.simplefilter("ignore")
            for name, content in more:
                archive.writestr(name, content)
    return file.getvalue()


def part(data, name):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)


def with_line(data, name, change):
    """The same file with its first line of a part changed as an object."""
    first, *others = part(data, name).splitlines()
    value = json.loads(first)
    change(value)
    lines = [json.dumps(value).encode(), *others]
    return rewritten(data, {name: b"\n".join(lines) + b"\n"})


def changed_sample(data, **fields):
    """The same file over a first sample that has these fields."""
    file = with_line(data, SAMPLES, lambda own: own.update(fields))
    samples = [Sample.model_validate_json(line) for line in part(file, SAMPLES).splitlines()]
    return with_line(file, RUN, lambda run: run.update(fingerprint=fingerprint_of(samples)))


def promising(**sizes):
    def promise(manifest):
        for name, size in sizes.items():
            manifest["parts"][f"{name}.jsonl"]["size"] = size
        return manifest

    return promise


def flipped(data, name):
    """One bit of the packed part is another one."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.getinfo(name).header_offset + 80
    return data[:start] + bytes([data[start] ^ 1]) + data[start + 1 :]


def second_metric(run):
    run["evaluators"].append({"name": "gpt_labeling", "params": {}})


HOSTILE = {
    "nothing": (lambda data: b"", "not a run file"),
    "text": (lambda data: b"id,question\n1,Who?\n", "not a run file"),
    "half of it": (lambda data: data[: len(data) // 2], "not a run file"),
    "a flipped bit": (lambda data: flipped(data, SAMPLES), "damaged|changed"),
    "another zip": (lambda data: rewritten(data, drop=PARTS), "run.json, samples.jsonl is missing"),
    "no results": (lambda data: rewritten(data, drop=[RESULTS]), "results.jsonl is missing"),
    "a path outside": (
        lambda data: rewritten(data, more=[("../../etc/cron.d/x", b"x")]),
        "it holds ../../etc/cron.d/x",
    ),
    "an absolute path": (lambda data: rewritten(data, more=[("/tmp/x", b"x")]), "it holds /tmp/x"),
    "a folder": (lambda data: rewritten(data, more=[("more/", b"")]), "it holds more/"),
    "hidden characters": (
        lambda data: rewritten(data, more=[("\x1b[2Jx\u202e", b"x")]),
        "not a run file",
    ),
    "an entry twice": (
        lambda data: rewritten(data, more=[(RESULTS, b"")]),
        "it holds an entry twice",
    ),
    "slow packing": (lambda data: rewritten(data, packing=zipfile.ZIP_LZMA), "packed in a way"),
    "a newer version": (
        lambda data: rewritten(data, manifest=lambda own: own | {"format": FORMAT + 1}),
        "newer version",
    ),
    "a newer version with more in it": (
        lambda data: rewritten(data, manifest=lambda own: own | {"format": 9, "signature": "x"}),
        "newer version",
    ),
    "a manifest of something else": (
        lambda data: rewritten(data, manifest=lambda own: {"name": "x"}),
        "manifest cannot be read",
    ),
    "a changed value": (
        lambda data: changed_value(data),
        "results.jsonl was changed",
    ),
    "a longer part than promised": (
        lambda data: rewritten(data, manifest=promising(samples=10)),
        "longer than the file says",
    ),
    "a bomb": (
        lambda data: rewritten(data, manifest=promising(samples=2**40)),
        "more than 200 MB, the limit",
    ),
    "a size below zero": (
        lambda data: rewritten(data, manifest=promising(samples=-1)),
        "more than 200 MB, the limit",
    ),
    "other samples": (
        lambda data: with_line(data, SAMPLES, lambda sample: sample.update(question="Whom?")),
        "not those that the run was made with",
    ),
    "no samples": (lambda data: rewritten(data, {SAMPLES: b""}), "not those that the run"),
    "two runs": (lambda data: rewritten(data, {RUN: part(data, RUN) * 2}), "one record|2 lines"),
    "no run": (lambda data: rewritten(data, {RUN: b""}), "one record"),
    "a run without a date": (
        lambda data: with_line(data, RUN, lambda run: run.update(created="soon")),
        "no date",
    ),
    "an answer beyond the samples": (
        lambda data: with_line(data, RESULTS, lambda result: result.update(position=7)),
        "an answer that the run does not have",
    ),
    "an answer below the samples": (
        lambda data: with_line(data, RESULTS, lambda result: result.update(position=-1)),
        "an answer that the run does not have",
    ),
    "an answer twice": (
        lambda data: with_line(data, RESULTS, lambda result: result.update(model=1)),
        "an answer twice",
    ),
    "more answers than there are": (
        lambda data: rewritten(data, {RESULTS: part(data, RESULTS) * 5}),
        "30 lines, at most 6 fit",
    ),
    "a field of somebody's own": (
        lambda data: with_line(data, RESULTS, lambda result: result.update(run="rm")),
        "results.jsonl, line 1, cannot be read",
    ),
    "not a number": (
        lambda data: rewritten(data, {RESULTS: b'{"position": NaN, "status": "scored"}\n'}),
        "results.jsonl, line 1, cannot be read",
    ),
    "a knot": (
        lambda data: rewritten(data, {RESULTS: b"[" * 100_000 + b"\n"}),
        "results.jsonl, line 1, cannot be read",
    ),
    "a date beyond every clock": (
        lambda data: with_line(data, RUN, lambda run: run.update(created="9999-12-31T23:59-12:00")),
        "no date",
    ),
    "an end that is no date": (
        lambda data: with_line(data, ENVIRONMENT, lambda own: own.update(ended="later")),
        "environment.json has no date",
    ),
    "a bill below zero": (
        lambda data: with_line(
            data, ENVIRONMENT, lambda own: own.update(models=[{"id": "a/b", "calls": -1}])
        ),
        "a bill that cannot be",
    ),
    "repeats that are none": (
        lambda data: with_line(data, RUN, lambda run: run.update(repeats=3)),
        "repeats",
    ),
    "millions of metrics": (
        lambda data: with_line(
            data, RUN, lambda run: run.update(evaluators=[{"name": "x"}] * 10**6)
        ),
        "more than 100,000 values|more memory",
    ),
    "a value that makes means infinite": (
        lambda data: with_line(
            data, RESULTS, lambda result: result["score"].update(values={"answer_match": 1e308})
        ),
        "a number that cannot be",
    ),
    "an answer that 21 labelled": (
        lambda data: with_line(data, RESULTS, labelled_by(21)),
        "more than 20 labellers",
    ),
    "answers that others labelled each time": (
        lambda data: rewritten(
            data, {RESULTS: each_line(part(data, RESULTS), lambda n: labelled_by(15, first=15 * n))}
        ),
        "more than 20 labellers",
    ),
    "more documents than a row may have": (
        lambda data: changed_sample(data, retrieved_documents=["d"] * 1001),
        "samples.jsonl, line 1, has more than 1,000 documents or accepted answers",
    ),
    "more accepted answers than a row may have": (
        lambda data: changed_sample(data, ground_truth=[[f"a{n}" for n in range(1001)]]),
        "samples.jsonl, line 1, has more than 1,000 documents or accepted answers",
    ),
    "a longer text than a row may have": (
        lambda data: changed_sample(data, response="x" * (2**20 + 1)),
        "samples.jsonl, line 1, has a text of more than 1 MB",
    ),
    **{
        f"a long {field}": (
            lambda data, field=field: with_line(
                data, SAMPLES, lambda own: own.update({field: LONG})
            ),
            "samples.jsonl, line 1, cannot be read",
        )
        for field in ("id", "situation", "generator", "conversation")
    },
    "a long name of a score": (
        lambda data: with_line(data, SAMPLES, lambda own: own.update(scores={LONG: 1})),
        "samples.jsonl, line 1, cannot be read",
    ),
    "a longer source than a text may be": (
        lambda data: changed_sample(data, sources=["x" * (2**20 + 1)]),
        "samples.jsonl, line 1, has a text of more than 1 MB",
    ),
    "a longer answer of a model": (
        lambda data: with_line(data, RESULTS, lambda own: own.update(response="x" * (2**20 + 1))),
        "results.jsonl, line 1, has a text of more than 1 MB",
    ),
    "a number of 400 digits": (
        lambda data: with_line(
            data, RESULTS, lambda result: result.update(usage={"prompt_tokens": 10**400})
        ),
        "cannot be",
    ),
    "half a character as an escape": (
        lambda data: rewritten(
            data, {RUN: part(data, RUN).replace(b'"title":"Made"', rb'"title":"\ud800"')}
        ),
        "run.json, line 1, cannot be read",
    ),
    "a run file in the place of a part": (
        lambda data: rewritten(data, {SAMPLES: data}),
        "samples.jsonl, line 1, cannot be read",
    ),
    "columns that are a list": (
        lambda data: with_line(data, RUN, lambda run: run.update(origin={"columns": ["a"]})),
        "how the samples were made",
    ),
    "noise that is text": (
        lambda data: with_line(data, RUN, lambda run: run.update(origin={"noise_levels": "x"})),
        "how the samples were made",
    ),
    "a download without a name": (
        lambda data: with_line(data, RUN, lambda run: run.update(origin={"hub": {"rows": 3}})),
        "how the samples were made",
    ),
    "TRACE twice": (lambda data: with_line(data, RUN, second_metric), "behind another metric"),
    "half a character": (
        lambda data: rewritten(data, {RESULTS: b"\xff\xfe\n"}),
        "results.jsonl, line 1, cannot be read",
    ),
}


def labelled_by(count, first=0):
    """Labels of so many judges in the place of what a result has."""
    labels = {"relevant_keys": [], "utilized_keys": [], "sentence_support": []}
    every = [{"by": f"a/{number}", "labels": labels} for number in range(first, first + count)]
    return lambda result: result.get("score", {}).update(evidence={"labellings": every})


def each_line(lines, change_of):
    """JSON lines, each changed by what its number gives."""
    changed = []
    for number, line in enumerate(lines.splitlines()):
        own = json.loads(line)
        change_of(number)(own)
        changed.append(json.dumps(own).encode() + b"\n")
    return b"".join(changed)


def changed_value(data):
    """The values are others than those that the manifest has the hash of."""
    results = part(data, RESULTS)
    described = rewritten(data)
    with zipfile.ZipFile(io.BytesIO(described)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[RESULTS] = results.replace(b"0.5", b"0.6")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("attack", HOSTILE)
def test_what_is_damaged_or_hostile_is_refused_with_its_reason(store, made, attack):
    make, reason = HOSTILE[attack]
    data = make(written(store, made.run))
    empty = Store(":memory:")

    with pytest.raises(RunFileError, match=reason):
        opened(data, empty, "local")

    assert empty.runs.ids("local") == []


def test_an_entry_that_unpacks_beyond_its_size_is_not_unpacked(store, made, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_DECODED_BYTES", "100000")
    bomb = rewritten(written(store, made.run), {SAMPLES: b"0" * 10**7})

    with pytest.raises(RunFileError, match="the limit"):
        read(bomb)


def test_entries_that_lie_over_each_other_are_refused(store, made):
    """A bomb of entries that share their bytes: all of them point to one place."""
    data = written(store, made.run)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        first, second = (archive.getinfo(name).header_offset for name in (SAMPLES, RESULTS))
    place = data.rindex(second.to_bytes(4, "little"), data.index(b"PK\x01\x02"))
    overlapping = data[:place] + first.to_bytes(4, "little") + data[place + 4 :]

    with pytest.raises(RunFileError, match=r"not a run file|damaged|changed"):
        read(overlapping)


def test_a_link_to_another_file_is_only_its_bytes(store, made):
    data = written(store, made.run)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o120777 << 16  # a symbolic link, as Unix marks it
            archive.writestr(entry, content)

    assert read(file.getvalue()).run.title == "Made"


@pytest.mark.parametrize(
    "made", [lambda path: os.mkfifo(path), lambda path: path.symlink_to("/dev/full")]
)
def test_a_pipe_or_a_device_is_no_run_file(tmp_path, made):
    made(tmp_path / "run.plumbline")

    with pytest.raises(RunFileError, match=r"cannot be read \(no file\)"):
        open_run(tmp_path / "run.plumbline")
