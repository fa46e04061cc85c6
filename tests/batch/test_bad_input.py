"""What goes wrong with files and folders: said clearly, and nothing that is finished is lost."""

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from evaluators.batch.folder import Folder, WriteError
from evaluators.datasets.readers import read
from evaluators.errors import DatasetError, ParameterError
from tests.batch.files import json_lines, parquet, results, row
from tests.batch.test_files import Length, judged

pytestmark = pytest.mark.usefixtures("data_folder")
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", json.dumps([row("a")]), "It is one JSON array, which cannot be read row by"),
        ("a.json", json.dumps(row("a"), indent=1), "It is one JSON object, which cannot"),
        ("a.jsonl", "", "holds no row that can be read"),
        ("a.jsonl", "no JSON\n", "holds no row that can be read"),
        ("a.jsonl.gz", "not packed", "It is damaged, or not what its name says"),
        ("a.parquet", "not Parquet", "It is damaged, or not what its name says"),
        ("a.xlsx", "PK", "is neither Parquet, JSON Lines nor CSV by its name"),
        ("a.jsonl", '{"other": "text"}\n', "There is no column 'question' for question."),
    ],
)
def test_a_first_file_that_cannot_be_read_is_told_before_anything_begins(
    tmp_path, name, text, message
):
    (tmp_path / name).write_text(text)

    with pytest.raises(DatasetError) as refused:
        judged(tmp_path / name, tmp_path / "out")

    assert message in str(refused.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "text"), [("0.jsonl", ""), ("0.jsonl", "no JSON\n"), ("0.parquet", "not Parquet")]
)
def test_columns_are_guessed_by_the_first_file_that_has_rows(tmp_path, name, text):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    (tmp_path / "in" / name).write_text(text)

    found = judged(tmp_path / "in", tmp_path / "out")

    assert found.rows == 1 + text.count("\n")
    assert found.summary()["length"].scored == 1
    assert found.is_complete == (name == "0.jsonl")


@pytest.mark.parametrize(
    "address",
    # The last two are known to the library, which raises a TypeError for them.
    ["nowhere", "nowhere/*.jsonl", "nothing://x", "reference://x", "jupyter://h/x"],
)
def test_an_address_without_a_file_is_told(tmp_path, address):
    with pytest.raises(DatasetError, match=r"nowhere.*there is no file|://.*cannot be read"):
        judged(address, tmp_path / "out")
    if "://" in address:
        with pytest.raises(ParameterError, match="cannot be written"):
            Folder(address)


@pytest.mark.parametrize("pattern", ["", "/*.jsonl", "/**/*.jsonl"])
def test_a_link_out_of_a_folder_is_refused_and_nothing_of_it_is_told(tmp_path, pattern):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    secret = json_lines(tmp_path / "private" / "b.jsonl", [row("secret words")])
    (tmp_path / "in" / "deep").symlink_to(tmp_path / "private")
    (tmp_path / "in" / "b.jsonl").symlink_to(secret)

    with pytest.raises(DatasetError, match="is a link out of the folder") as refused:
        judged(f"{tmp_path / 'in'}{pattern}", tmp_path / "out")

    assert "secret" not in str(refused.value)
    assert not (tmp_path / "out").exists()
    # Whoever names the link itself means it.
    assert judged(tmp_path / "in" / "b.jsonl", tmp_path / "out").is_complete


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.gz"])
def test_a_file_of_empty_lines_is_given_up(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"\n" * 1_500_000))

    with pytest.raises(DatasetError, match="lines in a row are empty"):
        judged(tmp_path / name, tmp_path / "out")


def test_files_of_another_kind_are_named_and_the_others_are_judged(tmp_path, capsys):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    for name in ("b.xlsx", "c.txt", "_SUCCESS", ".hidden.txt"):
        (tmp_path / "in" / name).write_text("PK")

    found = judged(tmp_path / "in", tmp_path / "out")

    assert (found.rows, found.is_complete) == (1, True)
    said = "Not read, as neither Parquet, JSON Lines nor CSV by name: b.xlsx, c.txt."
    assert capsys.readouterr().err.strip() == said


def test_rows_that_lack_cells_are_named_for_each_file(tmp_path, capsys):
    short = {"a.csv": (3,), "b.csv": (), "c.csv": range(2, 9)}
    folder = tmp_path / "in"
    folder.mkdir()
    for name, rows in short.items():
        lines = ["question,answer_text,docs"]
        for number in range(1, 10):
            lines.append("Who?,He." if number in rows else "Who?,He.,He did it.")
        (folder / name).write_text("\n".join(lines))

    found = judged(folder, tmp_path / "out")

    assert found.rows == 27
    rest = "have fewer cells than there are column names; what is missing there is taken as empty."
    assert capsys.readouterr().err.splitlines() == [
        f"a.csv: Rows 3 {rest}",
        f"c.csv: Rows 2, 3, 4, 5, 6 and 2 more {rest}",
    ]


def test_two_groups_of_one_name_are_refused(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a", created="2026-01-05", created_week="w")])

    with pytest.raises(ParameterError, match="created_week and created:week would have one column"):
        judged(data, tmp_path / "out", by=["created_week", "created:week"])


def test_a_column_named_with_half_a_character_can_be_gone_on_from(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a", **{"m\ud83d": "x"})])

    for _ in range(2):
        assert judged(data, tmp_path / "out", by="m\ud83d").is_complete


def test_a_group_of_no_column_is_told_with_those_that_there_are(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])

    with pytest.raises(ParameterError, match=r"no column week to group by.*model"):
        judged(data, tmp_path / "out", by="week")


def test_files_with_other_columns_are_told_and_the_others_are_judged(tmp_path):
    data = tmp_path / "in"
    parquet(data / "a.parquet", [row("a")])
    without = {name: cell for name, cell in row("b").items() if name != "answer_text"}
    parquet(data / "b.parquet", [without])
    (data / "c.csv").write_text("question,answer\nWhy?,So.\n")

    found = judged(data, tmp_path / "out")

    assert found.problems["b.parquet"].startswith("It has no column answer_text (it has: id,")
    assert found.problems["c.csv"].startswith("It has no column answer_text (it has: question,")
    assert found.finished == ("a.parquet",)
    assert not found.is_complete
    assert not (tmp_path / "out" / "_manifest.json").exists()
    parquet(data / "b.parquet", [row("b")])
    (data / "c.csv").unlink()
    assert judged(data, tmp_path / "out").is_complete


def test_columns_of_other_types_are_read_as_text(tmp_path):
    data = tmp_path / "in"
    parquet(data / "a.parquet", [row("a")])
    parquet(data / "b.parquet", [row(2, answer_text=12345)])

    judged(data, tmp_path / "out")

    assert [each["length"] for each in results(tmp_path / "out")] == [1.0, 0.5]


OTHERS = {
    "own ids": (
        "question,answer_text,docs,run_id,parent_run_id\nWho?,He.,It.,1,2\n",
        "is a trace of LangSmith",
    ),
    "own attributes": (
        'question,answer_text,attributes\nWho?,He.,"{""openinference.span.kind"": ""LLM""}"\n',
        "is a trace of Phoenix",
    ),
    "own rows": ("row,reason,content\n1,It is empty.,x\n", "is a list of rows that could not be"),
}


@pytest.mark.parametrize(("text", "message"), OTHERS.values(), ids=OTHERS)
def test_what_holds_no_samples_is_refused_as_in_the_app(tmp_path, text, message):
    folder = tmp_path / "in"
    json_lines(folder / "a.jsonl", [row("a")])
    (folder / "b.csv").write_text(text)

    found = judged(folder, tmp_path / "out")

    assert message in found.problems["b.csv"]
    assert found.finished == ("a.jsonl",)
    with pytest.raises(DatasetError, match=message):
        read("b.csv", text.encode())
    with pytest.raises(DatasetError, match=message):
        judged(folder / "b.csv", tmp_path / "alone")


def damaged_in_the_middle(path):
    whole = path.read_bytes()
    half = len(whole) // 2
    path.write_bytes(whole[:half] + b"\0" * 200 + whole[half + 200 :])


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-200])


@pytest.mark.parametrize(
    ("name", "make", "damage"),
    [
        ("b.parquet", parquet, damaged_in_the_middle),
        ("b.parquet", parquet, cut_off),
        ("b.jsonl.gz", json_lines, cut_off),
    ],
)
def test_a_damaged_file_has_no_results_and_the_others_have(tmp_path, name, make, damage):
    data = tmp_path / "in"
    json_lines(data / "a.jsonl", [row("a")])
    # Texts that hardly pack, so that the file is longer than what is damaged.
    rows = [row(at, answer_text=str(hash((at, "x")) ** 9)) for at in range(500)]
    damage(make(data / name, rows))
    json_lines(data / "c.jsonl", [row("c")])

    found = judged(data, tmp_path / "out")

    assert list(found.problems) == [name]
    assert "It is damaged" in found.problems[name]
    assert {each["id"] for each in results(tmp_path / "out")} == {"a", "c"}
    assert not list((tmp_path / "out").rglob("*.part"))


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("{broken\n", "not valid JSON"),
        ('["a", "list"]\n', "is not an object"),
        (json.dumps(row("x", question=" ")) + "\n", "the question is empty"),
        (json.dumps(row("x", answer_text={"a": 1})) + "\n", "answer_text is an object"),
        (json.dumps(row("x", answer_text="x" * 2**20 + "y")) + "\n", "has 1,048,577 bytes"),
        (
            json.dumps(row("x", answer_text="é" * 20), ensure_ascii=False)[:-2] + "\udcff\n",
            "no char",
        ),
    ],
)
def test_a_broken_line_is_a_row_with_its_error(tmp_path, line, error):
    path = tmp_path / "a.jsonl"
    text = json.dumps(row("a")) + "\n" + line + "\n" + json.dumps(row("c")) + "\n"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))

    judged(path, tmp_path / "out")

    found = results(tmp_path / "out")
    # The third line is blank, and not a row.
    assert [each["row"] for each in found] == [1, 2, 4]
    assert [each["test_batch_length_status"] for each in found[::2]] == ["scored", "scored"]
    assert error in found[1]["test_batch_length_error"]


@pytest.mark.parametrize("record", ['"open,x,y\n', "a,b,c,d,e,f\n", ",,,\n"])
def test_a_broken_record_of_csv_is_a_row_with_its_error(tmp_path, record):
    path = tmp_path / "a.csv"
    path.write_text(f"question,answer_text,docs\nWhy?,So.,One.\n{record}")

    judged(path, tmp_path / "out")

    found = results(tmp_path / "out")
    assert [each["test_batch_length_status"] for each in found] == ["scored", "failed"]


def csv_with_an_open_mark(path, rows):
    path.parent.mkdir(exist_ok=True)
    lines = [f"Why {number}?,So.,One.\n" for number in range(rows)]
    lines[100] = '"' + lines[100]
    path.write_text("question,answer_text,docs\n" + "".join(lines))
    return path


def test_a_csv_file_that_an_open_quotation_mark_cuts_short_has_no_results(tmp_path):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    csv_with_an_open_mark(tmp_path / "in" / "b.csv", 5000)

    found = judged(tmp_path / "in", tmp_path / "out")

    assert found.problems["b.csv"] == (
        "Row 101: a quotation mark opens here and does not close, so no row after it was read. "
        "Close or remove it."
    )
    assert (found.rows, found.is_complete) == (1, False)
    assert not (tmp_path / "out" / "b.csv.parquet").exists()


def test_an_open_quotation_mark_is_told_before_a_batch_of_that_file_alone(tmp_path):
    data = csv_with_an_open_mark(tmp_path / "in" / "b.csv", 5000)

    with pytest.raises(DatasetError, match=r"b\.csv: Row 101: a quotation mark opens here"):
        judged(data, tmp_path / "out")


def test_a_note_in_a_folder_that_leads_elsewhere_is_read_no_further_than_one_may_be_long(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    judged(data, tmp_path / "out")
    (tmp_path / "out" / "_batch.json").unlink()
    (tmp_path / "out" / "_batch.json").symlink_to("/dev/zero")

    with pytest.raises(DatasetError, match=r"_batch\.json cannot be read\. Name another folder"):
        judged(data, tmp_path / "out")


@pytest.mark.parametrize("text", ["[" * 200_000, "{", "\xff"])
def test_notes_in_a_folder_that_are_no_json_are_told_of(tmp_path, text):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    judged(data, tmp_path / "out")
    (tmp_path / "out" / "_batch.json").write_bytes(text.encode("latin-1"))

    with pytest.raises(DatasetError, match=r"_batch\.json cannot be read\. Name another folder"):
        judged(data, tmp_path / "out")


def test_a_folder_of_another_batch_is_left_alone(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    judged(data, tmp_path / "out")
    before = (tmp_path / "out" / "a.jsonl.parquet").read_bytes()
    other = json_lines(tmp_path / "b.jsonl", [row("b")])

    with pytest.raises(ParameterError, match="another batch: it differs in data"):
        judged(other, tmp_path / "out")
    with pytest.raises(ParameterError, match="another batch: it differs in metrics"):
        judged(data, tmp_path / "out", "trace")
    with pytest.raises(ParameterError, match="another batch: it differs in by"):
        judged(data, tmp_path / "out", by="model")

    assert (tmp_path / "out" / "a.jsonl.parquet").read_bytes() == before


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.parquet").write_text("mine")

    with pytest.raises(ParameterError, match=r"holds other files \(mine.parquet\)"):
        judged(data, tmp_path / "out")

    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.parquet"]


def test_a_file_is_no_folder_of_results(tmp_path):
    data = json_lines(tmp_path / "in" / "a.jsonl", [row("a")])

    with pytest.raises(ParameterError, match=r"in/a\.jsonl is a file. Name a folder"):
        judged(tmp_path / "in", data)


# As a script gives it whose variable is not set.
def test_an_empty_address_is_not_this_folder(tmp_path):
    data = json_lines(tmp_path / "in" / "a.jsonl", [row("a")])

    with pytest.raises(DatasetError, match="No data are named"):
        judged("", tmp_path / "out")
    with pytest.raises(ParameterError, match="No folder of results is named"):
        judged(data, "")


def test_a_name_that_is_no_unicode_is_told(tmp_path):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    (tmp_path / "in" / os.fsdecode(b"caf\xe9.jsonl")).write_text("")

    with pytest.raises(DatasetError, match=r"caf.*\.jsonl has a name that is not UTF-8. Rename it"):
        judged(tmp_path / "in", tmp_path / "out")


def test_a_name_too_long_for_its_file_of_results_is_refused_before_anything_is_judged(tmp_path):
    """With .parquet behind it, and while it is written a dot before and .part behind."""
    longest = "x" * (255 - len(".") - len(".jsonl.parquet.part"))
    json_lines(tmp_path / "in" / f"{longest}.jsonl", [row("a")])
    assert judged(tmp_path / "in", tmp_path / "out").is_complete

    json_lines(tmp_path / "in" / f"{longest}x.jsonl", [row("a")])
    with pytest.raises(ParameterError, match=r"xx\.jsonl has too long a name .* Shorten it"):
        judged(tmp_path / "in", tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_a_file_of_results_never_takes_the_place_of_a_folder(tmp_path):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    json_lines(tmp_path / "in" / "a.jsonl.parquet" / "sub" / "b.jsonl", [row("b")])

    with pytest.raises(ParameterError, match=r"a\.jsonl and .*b\.jsonl would have one file"):
        judged(tmp_path / "in", tmp_path / "out")


def test_two_files_never_share_one_file_of_results(tmp_path):
    json_lines(tmp_path / "in" / "a.jsonl", [row("a")])
    parquet(tmp_path / "in" / "a.jsonl.parquet", [row("b")])

    with pytest.raises(ParameterError, match="would have one file of results"):
        judged(tmp_path / "in", tmp_path / "out")


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    (tmp_path / "file").write_text("")

    with pytest.raises(WriteError, match=r"file/out cannot be written .*Not a directory"):
        judged(data, tmp_path / "file" / "out")


FULL = """
import resource, signal, sys
from evaluators.runs.inputs import local_store
from tests.batch.test_files import judged
# Files may grow to 10,000 bytes: what is longer fails as on a full disk, and not by a signal.
local_store()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))
found = judged(sys.argv[1], sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
print(found.stopped, list(found.finished), sep="|")
print(judged(sys.argv[1], sys.argv[2]).finished)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="POSIX alone has it")
def test_a_full_disk_stops_the_batch_and_keeps_what_is_finished(tmp_path):
    data = tmp_path / "in"
    json_lines(data / "a.jsonl", [row("a")])
    rows = [row(at, answer_text=f"{at * 7919 % 1000}") for at in range(6000)]
    json_lines(data / "b.jsonl", rows)
    json_lines(data / "c.jsonl", [row("c")])

    done = subprocess.run(
        [sys.executable, "-c", FULL, data, tmp_path / "out"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    first, second = done.stdout.splitlines() if not done.returncode else (done.stderr, "")
    assert "cannot be written (" in first, first
    assert "what is finished is kept.|['a.jsonl']" in first
    assert second == "('a.jsonl', 'b.jsonl', 'c.jsonl')"
    assert pq.read_metadata(tmp_path / "out" / "b.jsonl.parquet").num_rows == 6000


def test_a_metric_that_could_not_run_is_refused_before_a_folder_is_made(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])

    with pytest.raises(ParameterError, match="asks a judge, and none is named"):
        judged(data, tmp_path / "out", "gpt_labeling")
    with pytest.raises(ParameterError, match="chosen twice"):
        judged(data, tmp_path / "out", [Length(), Length()])
    with pytest.raises(ParameterError, match="Use run in place of batch"):
        judged(data, tmp_path / "out", "rgb")

    assert not (tmp_path / "out").exists()
