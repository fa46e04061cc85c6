"""From bytes to rows: what is read, and that every bad file is refused in words that name the place and the remedy."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.datasets.readers import MAX_BYTES, MAX_CELL, MAX_ROWS, read_rows
from evaluators.errors import DatasetError

ROW = {"question": "q", "response": "r"}
LINE = json.dumps(ROW)


def cells(name, text):
    return [row for _, row in read_rows(name, text.encode())]


def refusal(name, data):
    with pytest.raises(DatasetError) as caught:
        read_rows(name, data)
    return str(caught.value)


def outcome(name, data):
    """The message of a refusal, or the kinds of rows that were read."""
    try:
        return str({type(row) for _, row in read_rows(name, data)})
    except DatasetError as error:
        return str(error)


# What is read


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
        json.dumps([ROW, ROW], indent=2),
        json.dumps({"version": 1, "data": [ROW, ROW], "tags": ["x"]}),
    ],
)
def test_two_rows_are_read_however_the_json_is_laid_out(text):
    assert cells("a.json", text) == [ROW, ROW]


def test_a_single_object_is_one_row():
    assert cells("a.json", LINE) == [ROW]
    assert cells("a.json", json.dumps(ROW | {"parts": [{"a": 1}]})) == [ROW | {"parts": [{"a": 1}]}]


def test_rows_are_numbered_by_line_in_json_lines_and_by_entry_elsewhere():
    assert [number for number, _ in read_rows("a.jsonl", f"[\n{LINE}\n\n{LINE}".encode())] == [2, 4]
    assert [number for number, _ in read_rows("a.json", f"[\n\n{LINE},\n\n{LINE}]".encode())] == [1, 2]
    assert [number for number, _ in read_rows("a.csv", b'question,response\n"q\nq",r\nq,r')] == [1, 2]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "question,response\nq,r\n"),
        ("a.CSV", "question;response\r\nq;r\r\n"),
        ("a.tsv", "question\tresponse\nq\tr\n"),
        ("a.csv", '"question","response"\n"q","r"\n'),
        ("a.csv", "\ufeffquestion , response\nq,r\n"),
        ("a.csv", "\n\r\nquestion,response\nq,r"),
        ("a.csv", "question,response,\nq,r,\n"),
    ],
)
def test_csv_is_read_with_any_usual_separator(name, text):
    assert cells(name, text) == [ROW]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ('question,response\n"line 1\nline 2",r', {"question": "line 1\nline 2", "response": "r"}),
        ('question,response\n"say ""hi"", please",r', {"question": 'say "hi", please', "response": "r"}),
        ('"a; b; c","response"\nq,r', {"a; b; c": "q", "response": "r"}),
        ("question,response\nq", {"question": "q", "response": None}),
        ("question,response\nq,", {"question": "q", "response": ""}),
    ],
)
def test_csv_cells_keep_what_quotes_protect(text, row):
    assert cells("a.csv", text) == [row]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(("name", "text"), [("a.json", '{"question": "café 信息"}'), ("a.csv", "question\ncafé 信息")])
def test_unicode_files_are_read_with_or_without_byte_order_mark(name, text, encoding):
    assert [row for _, row in read_rows(name, text.encode(encoding))] == [{"question": "café 信息"}]


# What is refused


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.json", b"", "a.json is empty. Choose a file with rows."),
        ("a.csv", b" \r\n\t", "a.csv is empty. Choose a file with rows."),
        ("a.json", b"\xef\xbb\xbf", "a.json holds no rows. Check that the right file was chosen."),
        ("a.json", b"[]", "a.json holds no rows. Check that the right file was chosen."),
        ("a.csv", b"question,response\n", "a.csv holds no rows. Check that the right file was chosen."),
        ("a.json", b"42", "a single value"),
        ("a.json", b'"text"', "a single value"),
        ("a.json", b"null", "a single value"),
        ("a.json", b"[1, 2]", "Row 1: '1' is no object. Each row needs named fields."),
        ("a.json", b'[{"a": 1}, [2]]', "Row 2: a list is no object. Each row needs named fields."),
        ("a.jsonl", b'{"a": 1}\n"two"', "Row 2: 'two' is no object."),
    ],
)
def test_a_file_without_rows_is_refused(name, data, message):
    assert message in refusal(name, data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a.json, line 1: not UTF-8 text. Save it as UTF-8"),
        (b"PK\x03\x04\x14\x00\x06", "a.json is a binary file. Save the data as CSV, JSON or JSONL."),
        ('{"a": "b"}\n{"a": "café"}'.encode("latin-1"), "a.json, line 2: not UTF-8 text. Save it as UTF-8"),
        (b"\xff\xfe{\x00}", "a.json, line 1: not UTF-8 text."),
        ("信息".encode("utf-16-le"), "not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_unicode_text_is_refused(data, message):
    assert message in refusal("a.json", data)


def test_a_file_of_200_mb_is_refused_before_it_is_read():
    assert refusal("a.json", b"x" * (200 * 2**20)) == (
        "a.json has 200 MB; the limit is 50 MB. Split it or leave out columns."
    )
    assert MAX_BYTES == 50 * 2**20


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", b"{}\n" * (MAX_ROWS + 1)),
        ("a.json", b"[" + b"{}," * MAX_ROWS + b"{}]"),
        ("a.csv", b"a\n" + b"1\n" * (MAX_ROWS + 1)),
    ],
)
def test_too_many_rows_are_refused(name, data):
    assert refusal(name, data) == f"{name} has more than 20,000 rows, the limit. Split the file."


def test_as_many_rows_as_the_limit_are_read():
    assert len(read_rows("a.jsonl", b"{}\n" * MAX_ROWS)) == MAX_ROWS


def test_a_file_of_broken_lines_is_given_up_at_the_row_limit():
    message = refusal("a.txt", b"x\n" * (2 * MAX_ROWS))

    assert message.startswith("Line 1: not valid JSON")
    assert message.endswith(f"(and {MAX_ROWS + 1 - 5} more rows)")


def test_a_cell_longer_than_the_limit_is_refused():
    data = json.dumps([ROW, ROW | {"response": "x" * (MAX_CELL + 1)}]).encode()

    assert refusal("a.json", data) == "Row 2: response has 1,048,577 characters; the limit is 1,048,576. Cut it."


def test_the_broken_line_17_is_named():
    lines = [LINE] * 16 + ['{"question": "q", "resp'] + [LINE] * 3

    message = refusal("a.jsonl", "\n".join(lines).encode())

    assert message.startswith("Line 17: not valid JSON")
    assert message.endswith("Correct or remove the line.")


def test_five_broken_lines_are_named_and_the_rest_counted():
    message = refusal("a.jsonl", f"{LINE}\n".encode() + b"{oops\n" * 7)

    assert [f"Line {number}:" in message for number in range(2, 9)] == [True] * 5 + [False] * 2
    assert message.endswith("(and 2 more rows)")


@pytest.mark.parametrize("depth", [900, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_read_or_refused(opening, closing, depth):
    text = opening * depth + "1" + closing * depth
    for data in (text, f"{LINE}\n{text}", f"[{LINE}, {text}]", opening * depth):
        assert len(outcome("a.json", data.encode())) < 1000


def test_a_line_nested_too_deeply_is_named():
    assert refusal("a.jsonl", f"{LINE}\n{'[' * 100_000}".encode()) == "Line 2: nested too deeply. Flatten it."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n1,2,3", "Row 2: more cells than the 2 column names. Quote cells that hold commas."),
        ('a,b\n1,2\n"x,2\n3,4\n', "Row 2: unexpected end of data. Check its quotation marks."),
        ('a,b\n1,2\n1,"2"x\n', "Row 2: ',' expected after '\"'. Check its quotation marks."),
    ],
)
def test_a_broken_csv_row_is_named(text, message):
    assert refusal("a.csv", text.encode()) == message


# Whatever comes


@given(data=st.binary() | st.text().map(str.encode), name=st.sampled_from(["a.json", "a.jsonl", "a.csv", "a.tsv", "a"]))
def test_any_bytes_are_read_or_refused(data, name):
    assert outcome(name, data)


@given(
    pieces=st.lists(st.sampled_from(["a", ",", ";", "\t", '"', "\n", "\r", "[", "]", "{", "}", ":", "1", '"a"', " "])),
    name=st.sampled_from(["a.json", "a.csv"]),
)
def test_any_pile_of_punctuation_is_read_or_refused(pieces, name):
    assert outcome(name, "".join(pieces).encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(rows=st.lists(st.dictionaries(st.text(), JSON, max_size=4), min_size=1, max_size=3))
def test_any_list_of_objects_is_read_as_it_stands(rows):
    read = [row for _, row in read_rows("a.json", json.dumps(rows).encode())]

    assert json.dumps(read) == json.dumps(rows)


def test_a_value_over_many_lines_that_breaks_off_is_named_at_its_own_line():
    text = json.dumps([{"question": "q", "response": "r"}] * 3, indent=2).replace("},", "}", 1)

    with pytest.raises(DatasetError, match=r"Not valid JSON: Expecting ',' delimiter: line 6"):
        read_rows("a.json", text.encode())
