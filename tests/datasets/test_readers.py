"""From bytes to rows: what is read, what is left out, and that bad files are refused in words with
the remedy.
"""

import datetime
import decimal
import json

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluators.config import config
from evaluators.datasets.apart import allowed, table_of
from evaluators.datasets.mapping import load
from evaluators.datasets.readers import read
from evaluators.datasets.table import Collector, told
from evaluators.datasets.traces import trace_of
from evaluators.errors import DatasetError
from evaluators.sandbox import script
from evaluators.sandbox.child import environment
from tests.datasets import files

ROW = {"question": "q", "response": "r"}
LINE = json.dumps(ROW)
ROWS = [ROW, {"question": "q2", "response": "r2"}]
CHINESE = "2021年诺贝尔物理学奖颁给了谁？"
MAX_CELL = 2**20


def cells(name, text):
    return [row for _, row in read(name, text if isinstance(text, bytes) else text.encode()).rows]


def numbers(name, text):
    return [number for number, _ in read(name, text.encode()).rows]


def problems(name, text):
    return [(problem.row, problem.message) for problem in read(name, text.encode()).problems]


def refusal(name, data):
    with pytest.raises(DatasetError) as caught:
        read(name, data)
    return str(caught.value)


def outcome(name, data):
    """The message of a refusal, or the kinds of rows that were read."""
    try:
        return str({type(row) for _, row in read(name, data).rows})
    except DatasetError as error:
        return str(error)


# JSON


@pytest.mark.parametrize("name", ["a.txt", "a.csv"])
@pytest.mark.parametrize(
    ("data", "questions"),
    [
        (
            "When was it built?\nWhat, then, does it grind?\n",
            ["When was it built?", "What, then, does it grind?"],
        ),
        (
            "\nWhen, and who?\r\n\r\nWhy?\r\nTell me more.\r\n",
            ["When, and who?", "Why?", "Tell me more."],
        ),
        ('"Who, me?"\n"Who; you?"', ["Who, me?", "Who; you?"]),
        ("何时？\n谁？", ["何时？", "谁？"]),
        ("Who?", ["Who?"]),
    ],
)
def test_a_file_that_begins_with_questions_is_a_list_of_them(name, data, questions):
    found = read(name, data.encode())

    assert [row for _, row in found.rows] == [{"question": question} for question in questions]
    assert found.note == "The first lines are questions, so each line was read as one."


def test_a_column_may_be_named_by_a_question():
    assert read("a.csv", b"question,is it right?\nq,yes\n").rows == [
        (1, {"question": "q", "is it right?": "yes"})
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"[{LINE}, {LINE}]",
        f"{LINE}\n{LINE}",
        f"{LINE}\r\n{LINE}\r\n",
        f"\n{LINE}\n\n{LINE}\n\n",
        f"{LINE},\n{LINE},\n",
        f"[\n{LINE}\n{LINE}\n]\n",
        f"[\n{LINE},\n{LINE},\n]",
        f"[\r\n{LINE}\r\n{LINE}\r\n",
        f"{LINE}\n{LINE}\n]",
        f"\ufeff[{LINE}, {LINE}]",
        f"\ufeff{LINE}\n{LINE}",
        json.dumps([ROW, ROW], indent=2),
        json.dumps(ROW, indent=2) + "\n" + json.dumps(ROW, indent=2),
        json.dumps({"version": 1, "data": [ROW, ROW], "tags": ["x"]}),
        json.dumps({"data": [ROW, ROW]}, indent=2),
        json.dumps({"a": {"b": {"c": [ROW, ROW]}}}),
        json.dumps({"question": ["q", "q"], "response": ["r", "r"]}),
        json.dumps({"data": {"question": ["q", "q"], "response": ["r", "r"]}}),
        json.dumps({"question": {"0": "q", "1": "q"}, "response": {"0": "r", "1": "r"}}),
        json.dumps({"train": [ROW], "test": [ROW]}),
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a.txt", "a"])
def test_two_rows_are_read_however_the_json_is_laid_out(name, text):
    assert cells(name, text) == [ROW, ROW]


@pytest.mark.parametrize(
    ("text", "format"),
    [(f"[{LINE}]", "JSON"), (f"{LINE}\n{LINE}", "JSON Lines"), ('{"data": [{"a": 1}]}', "JSON")],
)
def test_the_format_is_named(text, format):
    assert read("a.json", text.encode()).format == format


def test_rows_under_a_key_are_told():
    assert (
        read("a.json", json.dumps({"a": {"rows": [ROW]}}).encode()).note
        == "The rows were found under a.rows."
    )
    assert read("a.json", LINE.encode()).note == ""


def test_a_single_object_is_one_row():
    assert cells("a.json", LINE) == [ROW]
    assert cells("a.json", json.dumps(ROW | {"parts": [{"a": 1}]})) == [ROW | {"parts": [{"a": 1}]}]
    assert cells("a.json", '{"a": 1, "b": {"c": 2}}') == [{"a": 1, "b": {"c": 2}}]


def test_what_is_no_number_is_no_value():
    assert cells("a.json", '[{"a": NaN, "b": -Infinity, "c": 1}]') == [
        {"a": None, "b": None, "c": 1}
    ]


def test_rows_are_numbered_by_line_in_json_lines_and_by_entry_elsewhere():
    assert numbers("a.jsonl", f"[\n{LINE}\n\n{LINE}") == [2, 4]
    assert numbers("a.json", f"[\n\n{LINE},\n\n{LINE}]") == [1, 2]
    assert numbers("a.csv", 'question,response\n"q\nq",r\nq,r') == [1, 2]


@pytest.mark.parametrize(
    ("text", "row", "words"),
    [
        (f'{LINE}\n{{"question": "q", "resp\n{LINE}', 2, "not valid JSON (Unterminated string starting at, character "),
        (f"{LINE}\n[1, 2]\n{LINE}", 2, "a list is not an object. Each row needs named fields."),
        (f'{LINE}\n"two"\n{LINE}', 2, '"two" is not an object. Each row needs named fields.'),
        (f"{LINE}\n{'[' * 100_000}\n{LINE}", 2, "nested more than 64 deep. Flatten it."),
        (f"{LINE}\n{json.dumps({'a': 'x' * 9 * 2**20})}\n{LINE}", 2, "longer than 8,388,608 characters. Cut it."),
        (f"{LINE}\n{json.dumps({'a': ' ' * 9 * 2**20})}\n{LINE}", 2, "longer than 8,388,608 characters. Cut it."),
        (f"{LINE}\n" + '{"a": ' + "9" * 5000 + f"}}\n{LINE}", 2, "not valid JSON (Exceeds the limit (4300 digits)"),
        (f"[{LINE}, 7, {LINE}]", 2, "7 is not an object. Each row needs named fields."),
        (f"[{LINE}, [7], {LINE}]", 2, "a list is not an object. Each row needs named fields."),
        (f"[{LINE}, {'[' * 70}{']' * 70}, {LINE}]", 2, "a list is not an object. Each row needs named fields."),
        (f'[{LINE}, {{"a": {"[" * 70}{"]" * 70}}}, {LINE}]', 2, "nested more than 64 deep. Flatten it."),
        (json.dumps([ROW, {"a": 1}, ROW], indent=2).replace('"a":', '"a"'), 2, "(Expecting ':' delimiter, line 7)."),
        (f'[\n{LINE},\n{{"a" 1}},\n{LINE}\n]', 2, "(Expecting ':' delimiter, line 3). Correct or remove it."),
        (json.dumps({"data": [ROW, 7, ROW]}), 2, "7 is not an object."),
        (f'{LINE}\n{{"response": "A", "question": "q", "response": "B"}}\n{LINE}', 2, '"response" stands there twice. Remove one.'),
        (f'[{LINE}, {{"question": "q", "meta": {{"a": 1, "a": 2}}}}, {LINE}]', 2, '"a" stands there twice. Remove one.'),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_bad_row_is_left_out_and_told_and_the_good_ones_are_kept(text, row, words):
    table = read("a.json", text.encode())

    assert [cells for _, cells in table.rows] == [ROW, ROW]
    assert [problem.row for problem in table.problems] == [row]
    assert words in table.problems[0].message
    assert len(table.problems[0].raw) <= 300


def test_a_name_that_stands_twice_with_one_value_does_no_harm():
    text = '{"question": "q", "response": "r", "response": "r"}'

    assert cells("a.jsonl", text) == [ROW]
    assert cells("a.json", text) == [ROW]


def test_one_object_that_says_two_things_is_refused():
    text = b'{"question": "q", "response": "r", "response": "s"}'

    assert '"response" stands there twice. Remove one.' in refusal("a.json", text)


def test_a_file_that_breaks_off_keeps_its_whole_rows():
    text = json.dumps([ROW] * 3)[:-15]

    assert cells("a.json", text) == [ROW, ROW]
    assert problems("a.json", text)[0][1].endswith(
        "Correct or remove it. No row after it was read."
    )


def test_a_single_value_that_breaks_off_is_named_at_its_own_line():
    text = json.dumps({"data": [ROW] * 3}, indent=2).replace("},", "}", 1)

    assert "(Expecting ',' delimiter, line 7)" in refusal("a.json", text.encode())


def test_columns_of_different_lengths_are_refused():
    message = refusal("a.json", json.dumps({"question": ["a", "b"], "answer": ["c"]}).encode())

    assert message == (
        "The columns have different lengths (question 2, answer 1). Give each row a value or null."
    )


LISTS = {
    "runs": [{"question": "When?", "response": "Now.", "steps": 1}],
    "people": [{"question": "Who?", "response": "Anna.", "age": 1}, {"question": "Why?"}],
    "notes": [{"text": "Nothing."}],
}


def test_two_lists_of_different_rows_are_in_doubt():
    with pytest.raises(DatasetError) as caught:
        load("a.json", json.dumps(LISTS).encode())

    assert str(caught.value) == (
        'a.json holds lists of different rows (runs, people). Choose one: table="...".'
    )


def test_a_list_of_several_can_be_chosen():
    content = json.dumps(LISTS).encode()
    parts = read("a.json", content).parts

    assert parts == (("runs", 1, 3, False), ("people", 2, 3, True), ("notes", 1, 1, False))
    assert [row for _, row in read("a.json", content, "runs").rows] == LISTS["runs"]
    assert load("a.json", content, part="runs").samples[0].question == "When?"
    with pytest.raises(DatasetError, match=r"a.json has no list 'x'. Choose one of: runs, people"):
        read("a.json", content, "x")


def test_a_sheet_of_several_can_be_chosen():
    first, second = [["question", "response"], ["a?", "b"]], [["question"], ["c?"], ["d?"]]
    content = files.xlsx(first, second, first)

    assert read("a.xlsx", content).parts == (
        ("Sheet 1", 1, 2, True),
        ("Sheet 2", 2, 1, False),
        ("Sheet 3", 1, 2, True),
    )
    rows = [row for _, row in read("a.xlsx", content, "Sheet 2").rows]
    assert rows == [{"question": "c?"}, {"question": "d?"}]
    with pytest.raises(
        DatasetError, match=r"no sheet 'x' with rows. Choose one of: Sheet 1, Sheet"
    ):
        read("a.xlsx", content, "x")


@pytest.mark.parametrize(("name", "content"), [("a.csv", b"question\nq"), ("a.json", b"[{}]")])
def test_a_file_with_one_table_has_no_other(name, content):
    with pytest.raises(DatasetError, match="holds one table only"):
        read(name, content, "x")


@pytest.mark.parametrize("size", [10, 2**20 - 40, 2**20, 3 * 2**20])
def test_rows_that_cross_the_pieces_of_a_file_stay_whole(size):
    row = {"question": "é" * (size // 8), "parts": ["x" * (size // 10)] * 3}

    assert cells("a.json", json.dumps([row, row], ensure_ascii=False)) == [row, row]


# CSV


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "question,response\nq,r\n"),
        ("a.CSV", "question;response\r\nq;r\r\n"),
        ("a.csv", "question|response\nq|r\n"),
        ("a.tsv", "question\tresponse\nq\tr\n"),
        ("a.csv", '"question","response"\n"q","r"\n'),
        ("a.csv", "\ufeffquestion , response\nq,r\n"),
        ("a.csv", "\n\r\nquestion,response\nq,r"),
        ("a.csv", "question,response,\nq,r,\n"),
        ("a.csv", "question,response\rq,r\r"),
        ("a.csv", "question,response\nq,r\n,\n\n"),
        ("a.txt", "question,response\nq,r"),
        ("a", "question\tresponse\nq\tr"),
        ("a.csv", "question,response\nq,r,,\n"),
    ],
)
def test_csv_is_read_with_any_usual_separator(name, text):
    assert cells(name, text) == [ROW]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ('question,response\n"line 1\nline 2",r', {"question": "line 1\nline 2", "response": "r"}),
        (
            'question,response\n"say ""hi"", please",r',
            {"question": 'say "hi", please', "response": "r"},
        ),
        ('"a; b; c","response"\nq,r', {"a; b; c": "q", "response": "r"}),
        ("question,response\nq", {"question": "q", "response": None}),
        ("question,response\nq,", {"question": "q", "response": ""}),
        ("a,a,a\n1,2,3", {"a": "1", "a (2)": "2", "a (3)": "3"}),
        ("[a],{b}\n1,2", {"[a]": "1", "{b}": "2"}),
    ],
)
def test_csv_cells_keep_what_quotes_protect(text, row):
    assert cells("a.csv", text) == [row]


def test_the_name_csv_does_not_hide_json():
    assert cells("a.csv", f"[{LINE}]") == cells("a.csv", LINE) == [ROW]


def test_quotation_marks_in_tabs_are_text_where_they_cannot_be_quotes():
    assert cells("a.tsv", 'a\tb\n"x" he said\ty\n"z\tw\n') == [
        {"a": '"x" he said', "b": "y"},
        {"a": '"z', "b": "w"},
    ]


def test_a_quotation_mark_in_tabs_leaves_cells_of_several_lines_whole():
    text = 'a\tb\n"one\ntwo"\tx\n"y" he said\tz\n"three\nfour"\tv\n"open\tw\nq\tr\n'

    assert cells("a.tsv", text) == [
        {"a": "one\ntwo", "b": "x"},
        {"a": '"y" he said', "b": "z"},
        {"a": "three\nfour", "b": "v"},
        {"a": '"open', "b": "w"},
        {"a": "q", "b": "r"},
    ]


def test_an_unusual_delimiter_is_told():
    assert read("a.csv", b"a;b\n1;2").note == "The cells are separated by semicolons."


@pytest.mark.parametrize(
    ("text", "row", "message"),
    [
        (
            "a,b\n1,2\n1,2,3\n1,2",
            2,
            "3 cells for 2 column names. Quote cells that hold the delimiter.",
        ),
        ('a,b\n1,2\n1,"2"x\n1,2', 2, "',' expected after '\"'. Check its quotation marks."),
        (
            'a,b\n1,2\n1,"2\n"x\n1,2',
            2,
            "',' expected after '\"'. It runs from line 3 to 4. Check its quotation marks.",
        ),
        (
            'a,b\n1,2\n1,2\n"x,2\n3,4\n',
            3,
            (
                "a quotation mark opens here and does not close, so no row after it was "
                "read. Close or remove it."
            ),
        ),
        (
            f"a,b\n1,2\n1,{'x' * (MAX_CELL + 1)}\n1,2",
            2,
            "a cell is larger than 1,048,576 bytes. Cut it.",
        ),
    ],
)
def test_a_broken_csv_row_is_left_out_and_told(text, row, message):
    assert cells("a.csv", text) == [{"a": "1", "b": "2"}] * 2
    assert problems("a.csv", text) == [(row, message)]


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", '{"question": "café 信息"}'), ("a.csv", "question,response\ncafé 信息,r")],
)
def test_unicode_files_are_read_with_or_without_byte_order_mark(name, text, encoding):
    table = read(name, text.encode(encoding))

    assert table.rows[0][1]["question"] == "café 信息"
    assert table.note == ""


@pytest.mark.parametrize(
    ("encoding", "text", "note"),
    [
        ("gb18030", CHINESE, "The text is not UTF-8; it was read as GB18030 (Chinese)."),
        (
            "latin-1",
            "Où est né Molière, à Noël?",
            "The text is not UTF-8; it was read as Windows-1252 (Western).",
        ),
        (
            "cp1252",
            "Wie ist die Größe der “Straße” – 5 €",
            "The text is not UTF-8; it was read as Windows-1252 (Western).",
        ),
    ],
)
@pytest.mark.parametrize("form", ["a.csv", "a.json"])
def test_other_encodings_are_recognised_and_told(form, encoding, text, note):
    whole = f"question,response\n{text},r" if form == "a.csv" else f'[{{"question": "{text}"}}]'
    table = read(form, whole.replace("Molière, à", "Molière à").encode(encoding))

    assert table.rows[0][1]["question"] == text.replace(", à", " à")
    assert table.note == note


@pytest.mark.parametrize(("name", "text"), [("a.jsonl", LINE), ("a.csv", "信息,信息信息")])
def test_a_row_with_bytes_that_are_no_text_is_left_out(name, text):
    lines = "\n".join(
        ["问题,回答" if name == "a.csv" else '{"question": "信息信息信息"}', text, "BAD", text]
    ).encode()
    bad = b'{"question": "\xff"}' if name == "a.jsonl" else b"\xff,b"
    table = read(name, lines.replace(b"BAD", bad))

    assert "bytes that fit no character" in table.problems[0].message
    assert table.note == "Some bytes are not UTF-8; their rows were left out."
    assert table.rows[-1][0] == table.problems[0].row + 1


# Parquet and XLSX


def test_parquet_values_become_what_json_knows():
    row = {
        "text": "信息",
        "list": ["a", None],
        "pairs": [["0a", "x"]],
        "object": {"a": 1.5, "b": None},
        "none": None,
        "nan": float("nan"),
        "time": datetime.datetime(2026, 11, 21, 18, 5),
        "day": datetime.date(2026, 11, 21),
        "price": decimal.Decimal("2.50"),
        "long": decimal.Decimal("12345678901234567890.25"),
        "whole": decimal.Decimal("3"),
        "bytes": b"abc",
        "true": True,
        "number": 2**40,
    }
    table = read("a.parquet", files.parquet([row]))

    assert table.format == "Parquet"
    assert table.rows == [
        (
            1,
            {
                "text": "信息",
                "list": ["a", None],
                "pairs": [["0a", "x"]],
                "object": {"a": 1.5, "b": None},
                "time": "2026-11-21 18:05:00.000000",
                "day": "2026-11-21",
                "price": 2.5,
                "long": "12345678901234567890.25",
                "whole": 3,
                "bytes": "abc",
                "true": True,
                "number": 2**40,
            },
        )
    ]


def test_times_that_python_does_not_know_are_read_as_text():
    times = pa.table({"a": pa.array([2**62, None], pa.timestamp("ns"))})

    assert cells("a", files.parquet_of(times)) == [{"a": "2116-02-20 23:53:38.427387904"}, {}]


def test_parquet_columns_that_name_their_values_once_are_read():
    column = pa.array(["a", "b", "a"]).dictionary_encode()

    assert cells("a", files.parquet_of(pa.table({"a": column}))) == [
        {"a": "a"},
        {"a": "b"},
        {"a": "a"},
    ]


def test_xlsx_rows_are_numbered_as_excel_shows_them():
    header, first = ["question", " n ", "question", None], ["q", 3, "again", "no name"]
    table = read("a.xlsx", files.xlsx([[], header, first, [], [CHINESE, 2.5], ["", True, ""]]))

    assert table.format == "XLSX"
    assert table.note == ""
    assert table.rows == [
        (3, {"question": "q", "n": 3, "question (2)": "again"}),
        (5, {"question": CHINESE, "n": 2.5}),
        (6, {"n": True}),
    ]


def test_the_first_sheet_with_a_row_below_a_header_is_read():
    table = read("a.xlsx", files.xlsx([], [["only a title"]], [["a"], ["1"]]))

    assert table.rows == [(2, {"a": "1"})]
    assert table.note == "The rows are those of the sheet Sheet 3, the only one that was read."


def test_a_sheet_of_notes_does_not_hide_the_table():
    sheets = files.xlsx(
        [["Read me"], ["Made in May."]],
        [["question", "response"], ["q", "r"]],
        [["a", "b"], [1, 2]],
    )

    assert cells("a.xlsx", sheets) == [{"question": "q", "response": "r"}]


TITLE = "What stands above the column names was left out."
TITLED = [["Results, May", None], [None, None], ["question", "response"], ["q", "r"]]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xlsx", files.xlsx(TITLED)),
        ("a.csv", b'"Results, May",\n,\n\nquestion,response\nq,r\n'),
        ("a.csv", b"\xef\xbb\xbfsep=;\r\nquestion;response\r\nq;r\r\n"),
        ("a.tsv", b"Results\t\nMay\t\nquestion\tresponse\nq\tr\n"),
    ],
)
def test_a_title_above_the_column_names_is_left_out(name, data):
    table = read(name, data)

    assert [row for _, row in table.rows] == [{"question": "q", "response": "r"}]
    assert table.note.endswith(TITLE)


@pytest.mark.parametrize(
    "rows",
    [
        [["question", ""], ["q", "r"]],
        [["question", ""], ["q", ""], ["q", "a remark"], ["q", ""]],
        [["", "question"], ["0", "q"], ["1", "q"]],
        [["question"], ["q"], ["q"]],
        [["question", "response"], ["q", ""], ["q", "r"], ["q", "r"]],
    ],
)
def test_a_row_of_column_names_is_no_title(rows):
    data = "".join(",".join(row) + "\n" for row in rows)

    for table in (read("a.csv", data.encode()), read("a.xlsx", files.xlsx(rows))):
        assert [row["question"] for _, row in table.rows] == ["q"] * (len(rows) - 1)
        assert table.note == ""


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (files.xlsx([["a"]]), "a.xlsx holds no rows below a header."),
        (files.archive({"a.csv": "a,b"}), "a.xlsx is an archive, not an XLSX file."),
        (
            files.archive({"xl/workbook.xml": "<x>"}),
            "a.xlsx cannot be read (CalamineError). Save it again, or as CSV.",
        ),
        (
            b"PAR1" + b"x" * 100 + b"PAR1",
            "a.xlsx cannot be read (ArrowInvalid). Save it again, or as CSV.",
        ),
        (files.parquet(ROWS)[:-9], "a.xlsx cannot be read (ArrowInvalid)."),
        (
            files.parquet([{str(n): n for n in range(1001)}]),
            "a.xlsx has 1,001 columns; the limit is 1,000.",
        ),
    ],
)
def test_a_broken_file_of_another_format_is_refused(data, words):
    assert refusal("a.xlsx", data).startswith(words)


def test_the_child_is_told_nothing_of_the_environment(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "gsk_" + "x" * 52)

    assert not {"GROQ_API_KEY", "HOME"} & environment().keys()


# What is refused


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.json", b"", "a.json is empty. Choose a file with rows."),
        ("a.csv", b" \r\n\t", "a.csv is empty. Choose a file with rows."),
        ("a.json", b"\xef\xbb\xbf", "a.json holds no rows. Check that the right file was chosen."),
        ("a.json", b"[]", "a.json holds no rows. Check that the right file was chosen."),
        ("a.json", b"[\n]\n", "a.json holds no rows. Check that the right file was chosen."),
        (
            "a.csv",
            b"question,response\n",
            "a.csv holds no rows. Check that the right file was chosen.",
        ),
        ("a.csv", b",,\n1,2,3", "a.csv has no column names. Write them into its first line."),
        ("a.json", b"42", "Row 1: 42 is not an object."),
        ("a.json", b"null", "Row 1: null is not an object."),
        (
            "a.json",
            b"[1, 2]",
            ("Row 1: 1 is not an object. Each row needs named fields. Row 2: 2 is not an object."),
        ),
        ("a.json", b"\x89PNG\r\n\x1a\n\x00\x00", "a.json is a picture. Save the data as CSV"),
        ("a.csv", b"%PDF-1.7", "a.csv is a PDF file."),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "a.xls is an old Excel file."),
        ("a.csv", b"BM\x00\x01\x02\x00\x00", "a.csv is not text. Save the data as CSV"),
        ("a.csv", b"\xff\xfe{\x00}", "a.csv is not text."),
        ("a.csv.gz", b"\x1f\x8bxxxxxxxxxxx", "a.csv.gz cannot be unpacked ("),
        ("a.csv.gz", files.packed(b"a,b\n1,2")[:-9], "a.csv.gz cannot be unpacked ("),
    ],
)
def test_a_file_without_rows_is_refused(name, data, message):
    assert message in refusal(name, data)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv.gz", b"question,response\nq,r\nq2,r2\n"),
        ("a.jsonl.gz", files.json_lines(ROWS)),
        ("a.gz", json.dumps(ROWS).encode("utf-16")),
        ("a.tsv", b"question\tresponse\nq\tr\nq2\tr2\n"),
    ],
)
def test_packed_text_is_read(name, data):
    assert cells(name, files.packed(data)) == ROWS


def test_a_packed_file_may_have_several_parts():
    assert cells(
        "a.gz", files.packed(files.json_lines([ROW])) + files.packed(files.json_lines([ROW]))
    ) == [ROW, ROW]


def test_a_file_of_200_mb_is_refused_before_it_is_read():
    assert refusal("a.json", b"x" * (200 * 2**20)) == (
        "a.json has 200 MB; the limit is 50 MB. Split it or leave out columns."
    )


def test_the_limits_are_the_configuration_s(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_ROWS_PER_DATASET", "2")
    monkeypatch.setenv("PLUMBLINE_CELL_BYTES", "10")
    monkeypatch.setenv("PLUMBLINE_JSON_DEPTH", "3")

    assert (
        refusal("a.csv", b"a\n1\n2\n3") == "a.csv has more than 2 rows, the limit. Split the file."
    )
    assert problems("a.json", '[{"a": "12345678901"}, {"a": 1}]') == [
        (1, "a has 11 bytes; the limit is 10. Cut it.")
    ]
    assert problems("a.json", '[{"a": [[[1]]]}, {"a": [[1]]}]') == [
        (1, "nested more than 3 deep. Flatten it.")
    ]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", b"{}\n" * 20_001),
        ("a.json", b"[" + b"{}," * 20_000 + b"{}]"),
        ("a.csv", b"a\n" + b"1\n" * 20_001),
        ("a.jsonl", b"x\n" * 40_000),
        ("a.parquet", files.parquet_of(pa.table({"a": [1] * 20_001}))),
    ],
)
def test_too_many_rows_are_refused(name, data):
    assert refusal(name, data) == f"{name} has more than 20,000 rows, the limit. Split the file."


def test_as_many_rows_as_the_limit_are_read():
    assert len(read("a.jsonl", b"{}\n" * 20_000).rows) == 20_000


@pytest.mark.parametrize(
    ("response", "what"),
    [
        ("x" * (MAX_CELL + 1), "1,048,577 bytes"),
        (["y", "x" * (MAX_CELL + 1)], "a text of 1,048,577 bytes"),
        ({"a": ["x" * (MAX_CELL + 1)]}, "a text of 1,048,577 bytes"),
        ({"x" * (MAX_CELL + 1): "a"}, "a text of 1,048,577 bytes"),
    ],
)
def test_a_text_longer_than_the_limit_is_left_out(response, what):
    text = json.dumps([ROW, ROW | {"response": response}])

    assert problems("a.json", text) == [
        (2, f"response has {what}; the limit is 1,048,576. Cut it.")
    ]


def test_five_problems_are_told_and_the_rest_counted():
    message = told(read("a.jsonl", f"{LINE}\n".encode() + b"{oops\n" * 7).problems)

    assert message.startswith("Rows 2, 3, 4, 5, 6: not valid JSON")
    assert message.endswith("(and 2 more rows)")


@pytest.mark.parametrize("depth", [900, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(opening, closing, depth):
    text = opening * depth + "1" + closing * depth
    for data in (text, f"{LINE}\n{text}", f"[{LINE}, {text}]", opening * depth):
        assert len(outcome("a.json", data.encode())) < 1000


# Whatever comes

NAMES = st.sampled_from(["a.json", "a.jsonl", "a.csv", "a.tsv", "a", "a.csv.gz"])
TEXTS = [
    json.dumps(ROWS, indent=1).encode(),
    files.json_lines([*ROWS, {"question": CHINESE}]),
    f'question,response\n"{CHINESE}",r\n'.encode(),
    f"question\tresponse\n{CHINESE}\tr\n".encode("gb18030"),
    f"question;response\n{CHINESE};r\n".encode("utf-16"),
    json.dumps({"data": ROWS}).encode(),
    json.dumps({"question": ["a"], "response": [{"a": 1}]}).encode(),
]
PACKED = [files.packed(text) for text in TEXTS]
PARQUET = files.parquet(
    [ROW | {"list": [["a", "b"]], "score": 1.5, "day": datetime.date(2026, 11, 21)}]
)
XLSX = files.xlsx([["question", "n"], ["q", 1]])


@st.composite
def mutated(draw, originals):
    """A valid file with a few bytes changed, taken out or put in."""
    data = bytearray(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        data[start : start + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
    return bytes(data)


MANY = 4 * settings().max_examples
"""For files of every kind, four times as many as elsewhere;
`make fuzz` asks for more everywhere.
"""


@settings(max_examples=MANY)
@given(data=st.binary() | st.text().map(str.encode), name=NAMES)
def test_any_bytes_are_read_or_refused(data, name):
    assert outcome(name, data)


@settings(max_examples=MANY)
@given(data=mutated(TEXTS) | mutated(PACKED), name=NAMES)
def test_any_damaged_text_is_read_or_refused(data, name):
    assert outcome(name, data if not data.startswith((b"PAR1", b"PK\x03\x04")) else b"x")


@given(
    pieces=st.lists(
        st.sampled_from(
            ["a", ",", ";", "\t", '"', "\n", "\r", "[", "]", "{", "}", ":", "1", '"a"', " "]
        )
    ),
    name=NAMES,
)
def test_any_pile_of_punctuation_is_read_or_refused(pieces, name):
    assert outcome(name, "".join(pieces).encode())


@given(data=mutated([PARQUET]))
def test_any_damaged_parquet_is_read_or_refused(data):
    assert parsed("parquet", script.parquet, data)


@given(data=mutated([XLSX]))
def test_any_damaged_xlsx_is_read_or_refused(data):
    assert parsed("xlsx", script.xlsx, data)


@settings(max_examples=5)
@given(data=mutated([PARQUET, XLSX]))
def test_any_damaged_file_is_read_or_refused_by_the_child(data):
    assert outcome("a", data)


def parsed(kind, parse, data):
    """What the parser of the child makes of a file, in this process."""
    rows = Collector("a", config())
    try:
        return table_of(script.messages_about(parse, data, allowed(rows)), kind, rows).rows
    except DatasetError as error:
        return str(error)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(rows=st.lists(st.dictionaries(st.text(), JSON, max_size=4), min_size=1, max_size=3))
def test_any_list_of_objects_is_read_as_it_stands(rows):
    assume(not any(map(trace_of, rows)))

    read_rows = [row for _, row in read("a.json", json.dumps(rows).encode()).rows]

    assert json.dumps(read_rows) == json.dumps(rows)


# Large cells


def test_documents_of_a_row_may_together_be_longer_than_one_text():
    page = "x" * 600_000
    row = {"query": "When?", "search_results": [{"page_result": page}, {"page_result": page}]}

    assert cells("a.jsonl", json.dumps(row)) == [row]


def test_a_text_that_is_too_long_is_named_by_its_column_and_size():
    row = {"query": "When?", "search_results": [{"page_result": "x" * 1_100_000}]}
    table = read("a.jsonl", "\n".join([json.dumps(row), json.dumps(ROW)]).encode())

    assert [problem.message for problem in table.problems] == [
        "search_results has a text of 1,100,000 bytes; the limit is 1,048,576. Cut it."
    ]
    assert len(table.rows) == 1
