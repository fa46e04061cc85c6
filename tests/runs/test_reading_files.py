"""How a file is read from Python and the terminal: columns by name, broken rows, and what is said."""

import json

import pytest

from evaluators import load_data
from evaluators.errors import DatasetError, ParameterError
from evaluators.runs.engine import create_run
from evaluators.runs.inputs import local_store
from evaluators.terminal.arguments import plan_of_options
from evaluators.terminal.command import command
from evaluators.terminal.remedies import IN_TERMINAL

pytestmark = pytest.mark.usefixtures("data_folder")

TWO = "question,answer,context\nq?,r,It is so.\np?,s,So it is.\n"
BROKEN = "question,response\nq?,r\nq?,r,s\np?,s\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="a.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_columns_are_named_where_they_are_in_doubt(file):
    path = file(TWO)
    with pytest.raises(DatasetError, match=r"answer may be .* Guessed: .* response=answer "):
        load_data(path)

    data = load_data(path, columns={"response": "answer"})

    assert [sample.response for sample in data.samples] == ["r", "s"]
    assert data.samples[0].retrieved_documents == ("It is so.",)


def test_a_field_can_be_left_out(file):
    data = load_data(file(TWO), columns={"ground_truth": "answer", "retrieved_documents": ""})

    sample = data.samples[0]
    assert (sample.response, sample.ground_truth, sample.retrieved_documents) == (None, "r", ())


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"response": "antwort"},
            r"no column 'antwort' for response. Choose one of: question, answer",
        ),
        ({"documents": "context"}, r"documents is not a field. Fields: question, response"),
    ],
)
def test_a_wrong_name_is_answered_with_those_there_are(file, columns, words):
    with pytest.raises((DatasetError, ParameterError), match=words):
        load_data(file(TWO), columns=columns)


def test_broken_rows_are_skipped_only_on_purpose(file):
    path = file(BROKEN)
    with pytest.raises(DatasetError, match=r"^Row 2: 3 cells for 2 .* skip_broken=True\.$"):
        load_data(path)
    said = []

    data = load_data(path, skip_broken=True, on_remark=said.append)

    assert len(data.samples) == 2
    assert any(remark.startswith("1 of 3 rows were left out. Row 2:") for remark in said)


def test_one_line_says_what_became_what(file, capsys):
    load_data(file(TWO), columns={"response": "answer"})

    assert capsys.readouterr().err == (
        "question ← question · response ← answer · "
        "documents ← context (1 a row, 9 characters on average)\n"
    )


def test_what_was_chosen_in_the_app_counts(file):
    columns = {"question": "question", "ground_truth": "answer"}
    local_store().mappings.save("local", ("question", "answer", "found"), columns)

    assert load_data(file(TWO.replace("context", "found"))).samples[0].ground_truth == "r"


@pytest.mark.parametrize(
    "options", [{"columns": {"response": "r"}}, {"table": "x"}, {"skip_broken": True}]
)
def test_data_that_were_read_already_have_no_columns(options):
    with pytest.raises(ParameterError, match="leave all of them out"):
        load_data("TRACE sample (English)", **options)


def ask(**options):
    return plan_of_options({"metric": ("trace",), **options}, local_store(), {})


def test_the_terminal_names_columns_and_shows_them_again(file):
    wanted = ask(data=str(file(TWO)), column=("response=answer",), skip_broken=True)

    assert wanted.dataset.samples[0].response == "r"
    run = create_run(local_store(), wanted, workspace="local")
    assert "--column response=answer --skip-broken" in command(run).replace(" \\\n   ", "")


def test_the_terminal_names_a_list_and_shows_it_again(tmp_path):
    rows = [{"question": "q", "response": "r", "retrieved_documents": ["d"]}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"first": rows, "second": [*rows, rows[0] | {"n": 1}]}))

    wanted = ask(data=str(path), table="first")

    assert len(wanted.dataset.samples) == 1
    run = create_run(local_store(), wanted, workspace="local")
    assert "--table first" in command(run)


def test_the_terminal_names_an_encoding_and_shows_it_again(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("question,response,contexts\nгде,там,вот\n".encode("koi8-r"))

    wanted = ask(data=str(path), encoding="koi8-r")

    assert wanted.dataset.samples[0].question == "где"
    run = create_run(local_store(), wanted, workspace="local")
    assert "--encoding koi8-r" in command(run)


GROUPED = (
    '{"question":"q","response":"r","retrieved_documents":["d"],"prompt_version":%s}\n'
    '{"question":"q2","response":"r","retrieved_documents":["d"],"prompt_version":null}'
)


@pytest.mark.parametrize(("cell", "group"), [('"v2"', "v2"), ("2", "2"), ("true", "True")])
def test_a_column_groups_the_samples(tmp_path, cell, group):
    path = tmp_path / "a.jsonl"
    path.write_text(GROUPED % cell)

    data = load_data(path, columns={"group": "prompt_version"})
    wanted = ask(data=str(path), group="prompt_version")

    assert [sample.situation for sample in data.samples] == [group, ""]
    assert wanted.dataset == data
    run = create_run(local_store(), wanted, workspace="local")
    assert "--group prompt_version" in command(run)
    assert [row.situation for row in local_store().results.outlines(run)] == [group, ""]


def test_the_terminal_says_its_own_options(file):
    with pytest.raises(DatasetError) as caught:
        ask(data=str(file(TWO)))
    assert caught.value.reason.worded(IN_TERMINAL).endswith(
        "retrieved_documents=context. To say which columns they are: --column FIELD=COLUMN for each."
    )
    with pytest.raises(DatasetError) as caught:
        ask(data=str(file(BROKEN)))
    assert caught.value.reason.worded(IN_TERMINAL).endswith("with --skip-broken.")


def test_a_column_that_is_not_understood_is_answered():
    with pytest.raises(ParameterError, match="Write FIELD=COLUMN, such as response=answer"):
        ask(data="x.csv", column=("answer",))


def test_a_list_of_rows_is_read_by_named_columns():
    rows = [{"Q": "q?", "A": "r"}]

    data = load_data(json.loads(json.dumps(rows)), columns={"question": "Q", "response": "A"})

    assert (data.samples[0].question, data.samples[0].response) == ("q?", "r")
