"""Batches over files: every format and place, resumed, grouped, and never a row lost or twice."""

import gzip
import io
import json
import pickle
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from evaluators import evaluate_batch_files
from evaluators.base import Evaluator, evaluator
from evaluators.batch import kept
from evaluators.batch import results as batch_results
from evaluators.batch.folder import Folder
from evaluators.batch.sources import (
    MOST_CHARACTERS,
    folder_and_pattern,
    found,
    given_up_in_time,
)
from evaluators.config import config
from evaluators.datasets.encoding import text_stream
from evaluators.errors import DatasetError, ParameterError, RunElsewhereError
from evaluators.records import Score
from evaluators.runs.inputs import WORKSPACE, local_store
from tests.batch.files import COLUMNS, json_lines, parquet, results, row

pytestmark = pytest.mark.usefixtures("data_folder")


# In this process: what is tested here is not the processes.
@evaluator("test_batch_length", title="Length", needs=("response",))
class Length(Evaluator):
    def score(self, sample):
        if not sample.response:
            return Score(values={"length": None}, reason="It is empty.")
        if sample.response == "stops":
            raise KeyboardInterrupt
        if sample.response.startswith("fails"):
            raise DatasetError(f"It failed{sample.response[5:]}. Mend it.")
        return Score(values={"length": min(1.0, len(sample.response) / 10)})


def judged(data, folder, metrics=None, **options):
    metrics = metrics or Length()
    return evaluate_batch_files(data, folder, metrics, columns=COLUMNS, progress=False, **options)


def test_processes_judge_every_format_alike(tmp_path):
    rows = [row(number, answer_text=f"It is {number} metres tall.") for number in range(3)]
    folder = tmp_path / "in"
    parquet(folder / "a.parquet", rows)
    json_lines(folder / "b.jsonl", rows)
    json_lines(folder / "deep" / "c.jsonl.gz", rows)
    lines = ["id,question,answer_text,docs,model\n"]
    lines += [
        f"{each['id']},{each['question']},{each['answer_text']},{each['docs'][0]},old\n"
        for each in rows
    ]
    (folder / "d.csv").write_text("".join(lines))
    (folder / "_SUCCESS").write_text("")
    (folder / "notes.txt").write_text("not data")

    found = judged(folder, tmp_path / "out", "trace", workers=1)

    assert found.is_complete
    assert found.finished == ("a.parquet", "b.jsonl", "d.csv", "deep/c.jsonl.gz")
    assert (tmp_path / "out" / "deep" / "c.jsonl.gz.parquet").exists()
    every = results(tmp_path / "out")
    assert len(every) == found.rows == 12
    values = {(each["id"], each["adherence"], each["context_relevance"]) for each in every}
    assert len(values) == 3  # of each sample the same in all four


def test_means_have_intervals_and_coverage_and_groups(tmp_path):
    answers = [("old", "12345"), ("old", "1234567890"), ("new", ""), ("new", "fails"), (None, "1")]
    rows = [row(at, model=model, answer_text=text) for at, (model, text) in enumerate(answers)]
    data = json_lines(tmp_path / "a.jsonl", rows)

    found = judged(data, tmp_path / "out", by="model")

    # 0.5, 1.0 and 0.1 are judged.
    mean = found.summary()["length"]
    assert mean.mean == pytest.approx(1.6 / 3)
    assert (mean.asked, mean.scored, mean.not_applicable, mean.failed) == (5, 3, 1, 1)
    assert mean.low < mean.mean < mean.high
    groups = found.by("model")
    assert {name: own["length"].coverage for name, own in groups.items()} == {
        "": "1 / 1",
        "new": "0 / 2",
        "old": "2 / 2",
    }
    assert groups["old"]["length"].mean == pytest.approx(0.75)
    assert found.failures == {"It failed. Mend it.": (1, "a.jsonl", 4)}
    assert "3 of 5, 1 not applicable, 1 failed" in str(found)
    assert "\n1 row (a.jsonl, row 4): It failed. Mend it." in str(found)
    with pytest.raises(ParameterError, match="was not grouped by week"):
        found.by("week")


def test_what_is_finished_is_listed_whatever_ends_the_batch(tmp_path):
    for name in ("a", "b"):
        json_lines(tmp_path / "in" / f"{name}.jsonl", [row(name), row("2"), row("3")])
    texts = json_lines(tmp_path / "in" / "c.jsonl", [row("c", answer_text="stops")])

    with pytest.raises(KeyboardInterrupt, match="Give the same command again to go on"):
        judged(tmp_path / "in", tmp_path / "out")

    (batch,) = local_store().file_batches.newest(WORKSPACE).values()
    found = kept.results_of(batch)
    assert (found.finished, found.files, found.rows) == (("a.jsonl", "b.jsonl"), 3, 6)
    texts.unlink()
    assert judged(tmp_path / "in", tmp_path / "out").rows == 6


def test_the_most_frequent_reasons_are_told_however_many_there_are(tmp_path, monkeypatch):
    monkeypatch.setattr(batch_results, "MOST_REASONS", 3)
    own = [row(at, answer_text=f"fails {at}") for at in range(5)]
    json_lines(tmp_path / "in" / "a.jsonl", own)
    often = [row(at, answer_text="fails") for at in range(4)]
    json_lines(tmp_path / "in" / "b.jsonl", [*own, *often])

    found = judged(tmp_path / "in", tmp_path / "out")

    assert next(iter(found.failures.items())) == ("It failed. Mend it.", (4, "b.jsonl", 6))
    assert sum(failed.rows for failed in found.failures.values()) == 14
    assert list(found.failures)[-1] == "Reasons of fewer rows."
    manifest = json.loads((tmp_path / "out" / "_manifest.json").read_text())
    assert batch_results.BatchResults.of_manifest("out", manifest).failures == found.failures


def test_a_row_counts_once_for_each_reason_that_it_failed_for(tmp_path):
    broken = "{broken\n"
    json_lines(tmp_path / "in" / "a.jsonl", [row("a0"), row("a1", answer_text="fails")])
    json_lines(tmp_path / "in" / "b.jsonl", [row("b0"), broken, row("b2"), broken])

    found = judged(tmp_path / "in", tmp_path / "out", [Length(), "hedging"])

    reasons = {why.partition(" (")[0]: failed for why, failed in found.failures.items()}
    assert reasons == {
        "not valid JSON": (2, "b.jsonl", 2),
        "It failed. Mend it.": (1, "a.jsonl", 2),
    }
    lines = str(found).splitlines()
    assert lines[-2].startswith("2 rows (first: b.jsonl, row 2): not valid JSON")
    assert lines[-1] == "1 row (a.jsonl, row 2): It failed. Mend it."


def test_rows_that_failed_alike_are_one_reason_whatever_they_are_called(tmp_path):
    rows = [row("a"), row("b", answer_text=None), row("c d", answer_text=None)]
    json_lines(tmp_path / "in" / "a.jsonl", rows)
    json_lines(tmp_path / "in" / "b.jsonl", rows[1:])

    found = judged(tmp_path / "in", tmp_path / "out", "trace", workers=1)

    assert found.failures == {
        "response missing, and TRACE (heuristic) needs it. Fill it in.": (4, "a.jsonl", 2)
    }


@pytest.mark.parametrize(("write", "ending"), [(json_lines, "jsonl"), (parquet, "parquet")])
def test_folders_tell_a_column_to_group_by(tmp_path, write, ending):
    """As Spark writes it: what is no letter is encoded, and an empty value has a name of its own."""
    for folder, text in (
        ("at=2026-01-05/team=a%2Fb", "1"),
        ("at=2026-01-12/team=__HIVE_DEFAULT_PARTITION__", "12"),
    ):
        write(tmp_path / "in" / folder / f"0.{ending}", [row("x", answer_text=text)])

    found = judged(tmp_path / "in", tmp_path / "out", by=["at:week", "team"])

    lengths = {week: own["length"].mean for week, own in found.by("at:week").items()}
    assert lengths == {"2026-W02": 0.1, "2026-W03": 0.2}
    assert list(found.by("team")) == ["", "a/b"]


def test_a_row_that_cannot_be_read_is_in_the_group_of_its_folder(tmp_path):
    json_lines(tmp_path / "in" / "team=a" / "0.jsonl", [row("x"), "{broken\n"])

    found = judged(tmp_path / "in", tmp_path / "out", by="team")

    assert {name: own["length"].asked for name, own in found.by("team").items()} == {"a": 2}


def test_a_row_keeps_its_own_cell_beside_that_which_its_folder_tells(tmp_path):
    rows = [row("x", team="b"), row("y")]
    json_lines(tmp_path / "in" / "team=a" / "0.jsonl", rows)

    found = judged(tmp_path / "in", tmp_path / "out", by="team")

    assert list(found.by("team")) == ["a", "b"]


def test_drift_is_the_means_of_weeks(tmp_path):
    days = {"2026-01-05": "1", "2026-01-11": "123", "2026-01-12": "12345"}
    rows = [row(day, at=f"{day}T10:00:00Z", answer_text=text) for day, text in days.items()]
    data = parquet(tmp_path / "a.parquet", rows)

    weeks = judged(data, tmp_path / "out", by=["at:week"]).by("at:week")

    means = {week: own["length"].mean for week, own in weeks.items()}
    assert means == {"2026-W02": pytest.approx(0.2), "2026-W03": pytest.approx(0.5)}


def test_times_of_parquet_are_grouped_as_well(tmp_path):
    table = pa.Table.from_pylist([row("a")])
    times = pa.array([1767607200000], pa.timestamp("ms", tz="UTC"))  # 2026-01-05 10:00
    pq.write_table(table.append_column("at", times), tmp_path / "a.parquet")

    assert list(judged(tmp_path / "a.parquet", tmp_path / "out", by="at:day").by("at:day")) == [
        "2026-01-05"
    ]


DOCUMENT_OF_MANY = "Mina built it. It is red. " * 10_000


@pytest.mark.parametrize("kind", ["repeated", "plain", "categories", "nested"])
def test_pieces_of_parquet_are_cut_by_what_their_rows_weigh_once_decoded(tmp_path, kind):
    texts = pa.array([DOCUMENT_OF_MANY] * 250 + ["Short."] * 450)
    columns = {
        "repeated": pa.ListArray.from_arrays(list(range(701)), texts),
        "plain": texts,
        "categories": texts.dictionary_encode(),
        "nested": pa.StructArray.from_arrays([texts], ["text"]),
    }
    table = pa.table({"id": [str(at) for at in range(700)], "docs": columns[kind]})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, use_dictionary=kind != "plain", row_group_size=300)
    source = found(str(path))

    pieces = list(source.pieces(source.fragments[0]))

    # Long rows are few in a piece, which takes nothing else along when it is sent.
    assert all(len(pickle.dumps(piece)) < 2 * MOST_CHARACTERS for piece in pieces)
    assert [number for piece in pieces for number in piece.numbers()] == list(range(1, 701))
    assert [name for piece in pieces for name in piece.table["id"].to_pylist()] == [
        str(at) for at in range(700)
    ]
    assert len(pieces[0].numbers()) < 5
    assert len(pieces[-2].numbers()) > 190


def test_a_row_of_a_piece_takes_no_other_row_along(tmp_path):
    rows = [row(at, answer_text=str(at) * 10_000) for at in range(20)]
    source = found(str(parquet(tmp_path / "a.parquet", rows)))
    (piece,) = source.pieces(source.fragments[0])

    alone = [*piece.one_by_one(), *piece.only({3}), *source.pieces(source.fragments[0], after=19)]

    assert [each.numbers() for each in alone] == [[at] for at in [*range(1, 21), 3, 20]]
    assert all(len(pickle.dumps(each)) < 30_000 for each in alone)


def test_a_column_of_too_many_groups_is_told_and_the_rest_is_there(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row(at, model=str(at)) for at in range(501)])

    found = judged(data, tmp_path / "out", by="model")

    assert found.summary()["length"].coverage == "501 / 501"
    assert str(found).endswith(
        "\nmodel has more than 500 different values. Group by a column with fewer."
    )
    with pytest.raises(ParameterError, match="more than 500 different values"):
        found.by("model")


def test_what_is_finished_is_skipped_and_what_changed_is_done_again(tmp_path):
    data = tmp_path / "in"
    for name in "abc":
        json_lines(data / f"{name}.jsonl", [row(name)])
    out = tmp_path / "out"
    judged(data, out)
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    (out / "a.jsonl.parquet").unlink()
    json_lines(data / "b.jsonl", [row("b"), row("b2")])
    json_lines(data / "d.jsonl", [row("d")])

    found = judged(data, out)

    assert [each["id"] for each in results(out)] == ["a", "b", "b2", "c", "d"]
    after = {path.name: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert after["c.jsonl.parquet"] == before["c.jsonl.parquet"]
    manifest = json.loads((out / "_manifest.json").read_text())
    assert manifest["rows"] == found.rows == 5
    assert manifest["values"]["length"]["scored"] == 5


def test_a_pattern_means_files_of_one_folder_and_two_stars_all_below(tmp_path):
    for name in ("a.jsonl", "b.jsonl", "b.csv", "x/a.jsonl", "x/y/a.jsonl"):
        json_lines(tmp_path / name, [row(name)])

    def names(pattern):
        return [fragment.name for fragment in found(f"{tmp_path}/{pattern}").fragments]

    assert names("*.jsonl") == ["a.jsonl", "b.jsonl"]
    assert names("?.csv") == ["b.csv"]
    assert names("*/a.jsonl") == ["x/a.jsonl"]
    assert names("**/a.jsonl") == ["a.jsonl", "x/a.jsonl", "x/y/a.jsonl"]


def test_addresses_of_pyarrow_and_of_fsspec_are_opened(tmp_path):
    import fsspec

    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    memory = fsspec.filesystem("memory")
    memory.pipe("/logs/b.jsonl", json.dumps(row("b")).encode())

    by_pyarrow = judged(data.as_uri(), (tmp_path / "out").as_uri())
    by_fsspec = judged("memory://logs/*.jsonl", "memory://results")

    assert (by_pyarrow.rows, by_fsspec.rows) == (1, 1)
    assert results(tmp_path / "out")[0]["id"] == "a"
    assert memory.exists("/results/b.jsonl.parquet")
    assert memory.exists("/results/_manifest.json")


class Serving(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_an_address_may_end_with_a_query(tmp_path, name):
    json_lines(tmp_path / "in" / name, [row("a")])
    serving = partial(Serving, directory=tmp_path / "in")
    with ThreadingHTTPServer(("127.0.0.1", 0), serving) as server:
        Thread(target=server.serve_forever).start()
        address = f"http://127.0.0.1:{server.server_port}/{name}?token=1/2"
        found = judged(address, tmp_path / "out")
        server.shutdown()

    # Without the query, which may hold a key.
    assert found.finished == (name,)
    assert results(tmp_path / "out")[0]["id"] == "a"


@pytest.mark.parametrize(
    ("address", "base", "pattern"),
    [
        ("http://host/x.jsonl?token=1", "http://host/x.jsonl?token=1", ""),
        ("s3://b/x?region=eu-west-1", "s3://b/x?region=eu-west-1", ""),
        ("s3://b/x/*.csv?region=eu-west-1", "s3://b/x/?region=eu-west-1", "*.csv"),
        ("https://host/x?sign=a*b", "https://host/x?sign=a*b", ""),
        ("s3://b/**/x.csv", "s3://b/", "**/x.csv"),
        ("x/a?.csv", "x/", "a?.csv"),
    ],
)
def test_in_an_address_a_question_mark_begins_a_query(address, base, pattern):
    assert folder_and_pattern(address) == (base, pattern)


@pytest.mark.parametrize(
    ("address", "tried"),
    [
        ("gs://logs/a.jsonl", "gs://logs/a.jsonl?retry_limit_seconds=10"),
        ("gcs://logs/?scheme=http", "gcs://logs/?scheme=http&retry_limit_seconds=10"),
        ("gs://logs/?retry_limit_seconds=5", "gs://logs/?retry_limit_seconds=5"),
        ("s3://logs/a.jsonl", "s3://logs/a.jsonl"),
    ],
)
def test_an_address_of_google_that_does_not_answer_is_given_up(address, tried):
    assert given_up_in_time(address) == tried


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "gb18030", "cp1252"])
@pytest.mark.parametrize("count", [2, 2000])
def test_a_text_is_read_in_its_encoding_however_long_it_is(tmp_path, encoding, count):
    name = "Müller" if encoding == "cp1252" else "我们的水车"
    lines = [f"{name}{number},Why?,It is what {name} says.,One.\n" for number in range(count)]
    text = "".join(["id,question,answer_text,docs\n", *lines])
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "a.csv").write_bytes((mark + text).encode(encoding))

    found = judged(tmp_path / "a.csv", tmp_path / "out")

    assert (found.is_complete, found.failures) == (True, {})
    assert [each["id"] for each in results(tmp_path / "out")][-1] == f"{name}{count - 1}"


def csv_text(rows):
    """The rows as CSV without quotation marks."""
    lines = ["id,question,answer_text,docs\n"]
    for each in rows:
        cells = (each["id"], each["question"], each["answer_text"], each["docs"][0])
        lines.append(",".join(cells) + "\n")
    return "".join(lines)


@pytest.mark.parametrize("above", ["sep=;\n", "Answers of May;;\n;;\n"])
def test_what_stands_above_the_column_names_is_left_out_as_in_the_app(tmp_path, above):
    lines = [
        "question;answer_text;docs",
        "How tall?;330 m.;It is 330 m tall.",
        "Where?;Paris.;Paris",
    ]
    (tmp_path / "a.csv").write_text(above + "\n".join(lines))

    found = judged(tmp_path / "a.csv", tmp_path / "out")

    assert [row["row"] for row in results(tmp_path / "out")] == [1, 2]
    assert found.failures == {}


def test_quotation_marks_in_tabs_are_text_as_in_the_app(tmp_path):
    lines = ["question\tanswer_text\tdocs", 'Who?\t"Yes" he said\tHe.', '"Why\tSo.\tIt.']
    (tmp_path / "a.tsv").write_text("\n".join(lines))

    found = judged(tmp_path / "a.tsv", tmp_path / "out")

    assert (found.rows, found.failures) == (2, {})


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("letter", ["\u040a", "\u0a0a", "\u0a41", "\U0001f601"])
@pytest.mark.parametrize("shift", range(4))
def test_utf_16_is_read_wherever_its_first_part_ends(tmp_path, encoding, letter, shift):
    row_of_letters = f"1,Why?,{'a' * shift}{letter * 40_000},One.\n"
    text = "id,question,answer_text,docs\n" + "0,Why?,So.,One.\n" * 1500 + row_of_letters
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))

    found = judged(tmp_path / "a.csv", tmp_path / "out")

    assert (found.rows, found.failures) == (1501, {})


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("cp1252", "Müller à Orléans"), ("gb18030", "我们的水车"), ("utf-8", "Müller")],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "jsonl.gz"])
def test_an_encoding_is_told_by_the_first_characters_that_differ(tmp_path, encoding, name, ending):
    rows = [row(number) for number in range(3000)]
    rows += [row(name, answer_text=name * 2) for _ in range(40)]
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in rows]
    text = csv_text(rows) if ending == "csv" else "".join(lines)
    data = text.encode(encoding)
    packed = gzip.compress(data) if ending.endswith("gz") else data
    (tmp_path / f"a.{ending}").write_bytes(packed)

    found = judged(tmp_path / f"a.{ending}", tmp_path / "out")

    assert (found.rows, found.failures) == (3040, {})
    assert results(tmp_path / "out")[-1]["id"] == name


def test_a_batch_asks_for_the_encoding_and_takes_the_one_that_is_named(tmp_path):
    text = "id,question,answer_text,docs\nа,б,в,г\n"
    (tmp_path / "a.csv").write_bytes(text.encode("cp1251"))

    with pytest.raises(DatasetError, match="It may be"):
        judged(tmp_path / "a.csv", tmp_path / "out")
    found = judged(tmp_path / "a.csv", tmp_path / "out", encoding="windows-1251")

    assert found.failures == {}
    assert [each["id"] for each in results(tmp_path / "out")] == ["а"]


@pytest.mark.parametrize("before", [0, 65_533, 65_534, 65_535, 65_536, 131_071])
@pytest.mark.parametrize(
    ("encoding", "word"), [("cp1252", "à Orléans "), ("gb18030", "我们的水车 ")]
)
def test_an_encoding_is_told_wherever_its_first_character_stands(encoding, word, before):
    text = "p" * before + (word * 30 + "\n") * 50
    stream = io.BufferedReader(io.BytesIO(text.encode(encoding)))

    assert text_stream(stream, config()).read() == text


@pytest.mark.parametrize("before", [20, 3000])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_nul_characters_are_left_out(tmp_path, before, ending):
    rows = [row(at, answer_text="So it is.") for at in range(before + 2)]
    rows[-2]["answer_text"] = "So it NUL is."
    text = csv_text(rows) if ending == "csv" else "".join(json.dumps(each) + "\n" for each in rows)
    (tmp_path / f"a.{ending}").write_bytes(text.replace("NUL", "\0").encode())

    found = judged(tmp_path / f"a.{ending}", tmp_path / "out")

    assert (found.rows, found.failures) == (before + 2, {})
    assert results(tmp_path / "out")[-2]["length"] == 1.0


def test_a_file_that_links_lead_to_as_well_is_judged_once(tmp_path):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    (tmp_path / "in" / "again").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "b.jsonl").symlink_to(tmp_path / "in" / "a.jsonl")

    found = judged(tmp_path / "in", tmp_path / "out")

    assert (found.is_complete, found.rows, found.files) == (True, 1, 1)


def test_results_below_the_files_that_they_are_of_are_no_files_of_a_batch(tmp_path):
    parquet(tmp_path / "in" / "a.parquet", [row("a")])
    judged(tmp_path / "in", tmp_path / "in" / "x" / "out")

    again = judged(tmp_path / "in", tmp_path / "in" / "x" / "out")
    other = judged(f"{tmp_path}/in/**", tmp_path / "other")

    assert (again.is_complete, again.rows) == (True, 1)
    assert (other.is_complete, other.rows) == (True, 1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.jsonl", b""),
        ("b.jsonl.gz", gzip.compress(b"", mtime=0)),
        ("b.csv", b""),
        ("b.csv", b"\xef\xbb\xbf\n\n"),
        ("b.csv", b"question,answer_text,docs\n"),
    ],
)
def test_an_empty_file_among_others_has_results_without_rows(tmp_path, name, content):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    (tmp_path / "in" / name).write_bytes(content)

    found = judged(tmp_path / "in", tmp_path / "out")

    assert (found.is_complete, found.rows) == (True, 1)
    assert pq.read_metadata(tmp_path / "out" / f"{name}.parquet").num_rows == 0


def test_results_of_a_file_that_is_gone_are_named(tmp_path, capsys):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    gone = json_lines(tmp_path / "in" / "deep" / "b.jsonl", [row("b")])
    judged(tmp_path / "in", tmp_path / "out")
    assert capsys.readouterr().err == ""
    gone.unlink()

    found = judged(tmp_path / "in", tmp_path / "out")

    assert (found.is_complete, found.rows) == (True, 1)
    assert "of no file of the batch: deep/b.jsonl.parquet." in capsys.readouterr().err


def test_a_folder_that_is_gone_holds_no_results(tmp_path):
    assert Folder(str(tmp_path / "gone")).of_no_file([]) == []


def test_long_files_are_written_row_for_row_in_their_order(tmp_path):
    rows = [row(number) for number in range(12_345)]
    data = json_lines(tmp_path / "a.jsonl", rows)

    judged(data, tmp_path / "out")

    assert [each["id"] for each in results(tmp_path / "out")] == [each["id"] for each in rows]


def test_one_process_at_a_time_works_on_a_folder(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    judged(data, tmp_path / "out")
    settings = json.loads((tmp_path / "out" / "_batch.json").read_text())
    del settings["id"]

    with Folder(str(tmp_path / "out")).held(settings), pytest.raises(RunElsewhereError):
        judged(data, tmp_path / "out")


def test_file_systems_of_this_machine_are_local(tmp_path):
    assert isinstance(Folder(str(tmp_path)).system, fs.LocalFileSystem)
    assert Folder("memory://results").local is None
