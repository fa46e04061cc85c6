"""Hostile tables: files that a stranger may upload as a data set,
each made when it is asked for.
"""

import gzip
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO

import pyarrow as pa

from tests.datasets import files

MB = 2**20
PAIR = {"question": "Who?", "response": "Mina."}


def tables() -> dict[str, Callable[[], bytes]]:
    """What makes each file, by its name."""
    return _spreadsheets() | _parquet() | _csv() | _json() | _packed() | _foreign()


def _spreadsheets() -> dict[str, Callable[[], bytes]]:
    sheet = files.archive_with_sheet
    head = '<row r="1"><c t="inlineStr"><is><t>question</t></is></c></row>'
    start = files._SHEET_START
    entities = "".join(
        f'<!ENTITY e{level} "{f"&e{level - 1};" * 10 if level else "x" * 10}">'
        for level in range(9)
    )
    return {
        "sheet_of_400_mb.xlsx": files.xlsx_bomb,
        "texts_that_hide_their_size.xlsx": files.xlsx_texts_bomb,
        "cell_in_the_last_corner.xlsx": files.xlsx_far_cell,
        "nested_entities.xlsx": lambda: sheet(
            "<!DOCTYPE w "
            f"[{entities}]>{start}{head}<row><c><v>&e8;</v></c></row></sheetData></worksheet>"
        ),
        "file_as_entity.xlsx": lambda: sheet(
            f'<!DOCTYPE w [<!ENTITY f SYSTEM "file:///etc/passwd">]>{start}{head}'
            "<row><c><v>&f;</v></c></row></sheetData></worksheet>"
        ),
        "dimension_that_lies.xlsx": lambda: sheet(
            start.replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>')
            + f"{head}</sheetData></worksheet>"
        ),
        "ten_thousand_members.xlsx": lambda: _with_members(
            {f"xl/more/{number}.xml": "x" for number in range(10_000)}
        ),
        "formula.xlsx": lambda: sheet(
            f'{start}{head}<row r="2"><c><f>WEBSERVICE("http://127.0.0.1:1/")</f><v>1</v></c></row>'
            "</sheetData></worksheet>"
        ),
        "four_billion_texts.xlsx": lambda: _with_members(
            {"xl/sharedStrings.xml": '<sst count="4000000000" uniqueCount="4000000000"/>'}
        ),
        "cut_off.xlsx": lambda: files.xlsx([["question"], ["a"]])[:-60],
        "member_above_the_folder.xlsx": lambda: _with_members({"../../../tmp/escaped": "x"}),
    }


def _with_members(members: dict[str, str]) -> bytes:
    file = BytesIO(files.xlsx([["question", "response"], ["a", "b"]]))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def _parquet() -> dict[str, Callable[[], bytes]]:
    pairs = pa.table({"question": ["a"] * 15_000, "response": ["b"] * 15_000})
    odd = pa.table(
        {
            "question": ["a", "b"],
            "response": pa.array([b"\xff\xfe", None], pa.binary()),
            "score": [float("nan"), float("inf")],
            "large": pa.array([2**64 - 1, 0], pa.uint64()),
            "time": pa.array([2**62, 0], pa.timestamp("ns")),
            "pairs": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
        }
    )
    return {
        "two_gb_of_one_value.parquet": files.parquet_bomb,
        "list_of_20_million.parquet": files.parquet_list_bomb,
        "group_for_each_row.parquet": lambda: files.parquet_of(pairs, row_group_size=1),
        "twenty_thousand_columns.parquet": lambda: files.parquet_of(
            pa.table({f"column {number}": ["x"] for number in range(20_000)})
        ),
        "odd_types.parquet": lambda: files.parquet_of(odd),
        "lists_in_lists.parquet": lambda: files.parquet_of(
            pa.table({"question": ["a"], "response": ["b"], "documents": pa.array([_nested(60)])})
        ),
        "cut_off.parquet": lambda: files.parquet_of(pairs)[:-9],
        "flipped_bytes.parquet": lambda: _flipped(files.parquet_of(odd)),
        "footer_of_2_gb.parquet": lambda: (
            b"PAR1" + b"x" * 100 + struct.pack("<L", 2**31 - 1) + b"PAR1"
        ),
        "encrypted.parquet": lambda: b"PARE" + b"x" * 200 + struct.pack("<L", 100) + b"PARE",
    }


def _nested(depth: int) -> list:
    value: list = ["x"]
    for _ in range(depth):
        value = [value]
    return value


def _flipped(data: bytes) -> bytes:
    chance, flipped = random.Random(4), bytearray(data)
    for _ in range(60):
        flipped[chance.randrange(4, len(flipped) - 8)] = chance.randrange(256)
    return bytes(flipped)


def _csv() -> dict[str, Callable[[], bytes]]:
    head = b"question,response\n"
    return {
        "line_of_47_mb.csv": lambda: head + b"a" * (47 * MB),
        "commas_of_45_mb.csv": lambda: b"," * (45 * MB),
        "ten_thousand_columns.csv": lambda: (
            ",".join(f"c{number}" for number in range(10_000)) + "\n" + ",".join("x" * 10_000)
        ).encode(),
        "utf_16.csv": lambda: "question,response\nÄ?,Ö\n".encode("utf-16"),
        "utf_32.csv": lambda: "question,response\nÄ?,Ö\n".encode("utf-32"),
        "latin_1.csv": lambda: "question,response\nÄ?,Ö\n".encode("latin-1"),
        "utf_7.csv": lambda: head + b"+ADw-script+AD4-,b\n",
        "mixed_line_ends.csv": lambda: b"question,response\r\na,b\nc,d\re,f\r\r\ng,h\n\n\n",
        "nul.csv": lambda: head + b"a\0b,c\n",
        "marks_everywhere.csv": lambda: "\ufeff\ufeffquestion,\ufeffresponse\n\ufeffa,b\n".encode(),
        "quotation_left_open.csv": lambda: head + b'"a' + b",b\n" * 200_000,
        "a_million_quotes.csv": lambda: head + b'"' * 1_000_000,
        "control_characters.csv": lambda: (
            "ques\x1b[31mtion,\u202eresponse,<img src=x onerror=alert(1)>\na,b,c\n".encode()
        ),
        "one_name_for_all.csv": lambda: b"question," * 998 + b"question\n" + b"a," * 998 + b"a\n",
        "too_many_rows.csv": lambda: head + b"a,b\n" * 21_000,
        "formulas.csv": lambda: b'=cmd|" /C calc"!A0,question,response\n1,=1+1,@SUM(1)\n',
        "separators_only.csv": lambda: head + b";,\t|" * 500_000,
    }


def _json() -> dict[str, Callable[[], bytes]]:
    def line(text: str) -> Callable[[], bytes]:
        return lambda: text.encode() + b"\n"

    return {
        "a_million_brackets.json": lambda: b'{"question":' + b"[" * 1_000_000,
        "deep_and_closed.json": lambda: (
            b'[{"question":"q","x":' + b"[" * 500_000 + b"]" * 500_000 + b"}]"
        ),
        "deep_objects.jsonl": lambda: b'{"a":' * (2 * MB),
        "names_twice.jsonl": line('{"question":"a","question":"b","response":"x","response":"y"}'),
        "number_of_4000_digits.jsonl": line(
            '{"question":"a","response":"x","n":%s}' % ("9" * 4000)
        ),
        "number_of_a_million_digits.jsonl": line(
            '{"question":"a","response":"x","n":%s}' % ("9" * 1_000_000)
        ),
        "no_numbers.jsonl": line(
            '{"question":"a","response":NaN,"retrieved_documents":[NaN,-Infinity]}'
        ),
        "beyond_floats.json": line('[{"question":1e400,"response":-0.0,"id":true}]'),
        "half_characters.jsonl": line(r'{"question":"\ud800a","response":"\udfff \u0000 x"}'),
        "a_million_keys.json": lambda: json.dumps(
            {"data": {str(n): n for n in range(1_000_000)}}
        ).encode(),
        "texts_only.json": lambda: json.dumps(["a"] * 100_000).encode(),
        "nul_in_a_name.json": lambda: json.dumps([{"\0question": "a", "response": "c"}]).encode(),
        "seven_million_documents.json": lambda: (
            b'[{"question":"q","retrieved_documents":[' + b'"",' * 7_000_000 + b'""]}]'
        ),
        "numbers_only.json": line("[1,2,3]"),
        "null.json": line("null"),
        "true.json": line("true"),
        "nothing_in_it.json": line("{}"),
        "python_names.json": line(
            '[{"__proto__":{"a":1},"__class__":"x","question":"q","response":"r"}]'
        ),
    }


def _packed() -> dict[str, Callable[[], bytes]]:
    rows = b"question,response\na,b\n"
    return {
        "packed_twice.csv.gz": lambda: gzip.compress(gzip.compress(rows)),
        "packed_300_mb.jsonl.gz": files.gzip_bomb,
        "packed_line_of_300_mb.jsonl.gz": files.long_line,
        "packed_and_cut_off.csv.gz": lambda: gzip.compress(random.Random(1).randbytes(5000))[:-20],
        "header_only.gz": lambda: b"\x1f\x8b\x08\x00" + b"\x00" * 20,
        "many_members.csv.gz": lambda: gzip.compress(b"a,b\n") * 200_000,
    }


def _foreign() -> dict[str, Callable[[], bytes]]:
    return {
        "empty.csv": lambda: b"",
        "spaces.csv": lambda: b"   \n\n\t\n",
        "zeros.bin": lambda: b"\0" * 1_000_000,
        "pickle.pkl": lambda: b'cos\nsystem\n(S"touch /tmp/escaped"\ntR.',
    }


def deflated(data: bytes, times: int = 1) -> bytes:
    """The data packed so many times, for streams inside other files."""
    for _ in range(times):
        data = zlib.compress(data, 9)
    return data
