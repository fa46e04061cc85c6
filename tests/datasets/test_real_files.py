"""Files as people have them, whole and broken, in every format and shape: what each must become."""

import csv
import gzip
import io
import json

import pytest

from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import open_file
from evaluators.datasets.rgb import TestBed
from evaluators.errors import DatasetError
from tests.datasets.files import json_lines, parquet, xlsx

# Made files: every format, every shape

SAMPLES = [
    {"question": f"q{n}?", "response": f"r{n}", "contexts": [f"d{n}", "e"], "ground_truth": f"t{n}"}
    for n in (1, 2)
]
BED = [
    {"id": n, "query": f"q{n}?", "answer": ["a"], "positive": ["a p"], "negative": ["n"]}
    for n in range(3)
]
ANSWERS = [
    {
        "id": n,
        "query": "q?",
        "ans": [["a"]],
        "prediction": f"p{n}",
        "docs": ["d"],
        "noise_rate": 0.2,
    }
    for n in (0, 1)
]
FIRST = [{"question": "q?", "answer": "r", "contexts": ["d"], "ground_truth": "t"}]
SECOND = [{"user_input": "q?", "response": "r", "retrieved_contexts": ["d"], "reference": "t"}]
CHINESE = [{"问题": "首都是哪里？", "回答": "北京", "上下文": ["首都是北京。"], "标准答案": "北京"}]
RAGBENCH = [
    {
        "dataset_name": "covidqa",
        "id": "1",
        "generation_model_name": "gpt-3.5",
        "question": "q?",
        "response": "One.",
        "documents": ["First. Second."],
        "documents_sentences": [[["0a", "First."], ["0b", "Second."]]],
        "response_sentences": [["a", "One."]],
        "sentence_support_information": [
            {
                "response_sentence_key": "a",
                "supporting_sentence_keys": ["0a"],
                "fully_supported": True,
                "explanation": "It says so.",
            }
        ],
        "unsupported_response_sentence_keys": [],
        "all_relevant_sentence_keys": ["0a"],
        "all_utilized_sentence_keys": ["0a"],
    }
]


def table(rows, delimiter=",", write=json.dumps, encoding="utf-8", end="\r\n"):
    """Rows as CSV, lists in a cell as `write` puts them."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([write(cell) if isinstance(cell, list) else cell for cell in row.values()])
    return file.getvalue().encode(encoding)


def cells(rows):
    """Rows as a sheet, lists as JSON."""
    return [
        list(rows[0]),
        *([json.dumps(c) if isinstance(c, list) else c for c in row.values()] for row in rows),
    ]


def numpys(texts):
    """A list as pandas writes a column of arrays into a CSV file."""
    return "[" + "\n ".join(repr(text) for text in texts) + "]"


def as_json(value, **options):
    return json.dumps(value, **options).encode()


def lists(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def split(rows):
    return {"columns": [*rows[0]], "index": [0, 1], "data": [[*row.values()] for row in rows]}


PLAIN = Shape.PLAIN
WHOLE = [
    ("array.json", as_json(SAMPLES), PLAIN, 2),
    ("indented.json", as_json(SAMPLES, indent=2), PLAIN, 2),
    ("columns.json", as_json(lists(SAMPLES)), PLAIN, 2),
    ("nested.json", as_json({"version": 1, "data": {"rows": SAMPLES}}), PLAIN, 2),
    ("single.json", as_json(SAMPLES[0]), PLAIN, 1),
    ("lines.jsonl", json_lines(SAMPLES), PLAIN, 2),
    ("lines.json", json_lines(SAMPLES), PLAIN, 2),
    ("crlf.jsonl", json_lines(SAMPLES).replace(b"\n", b"\r\n"), PLAIN, 2),
    ("bracket.jsonl", b"[\r\n" + json_lines(SAMPLES).replace(b"\n", b",\r\n"), PLAIN, 2),
    ("packed.jsonl.gz", gzip.compress(json_lines(SAMPLES), mtime=0), PLAIN, 2),
    ("packed.csv.gz", gzip.compress(table(SAMPLES), mtime=0), PLAIN, 2),
    ("comma.csv", table(SAMPLES), PLAIN, 2),
    ("semicolon.csv", table(SAMPLES, ";"), PLAIN, 2),
    ("pipe.csv", table(SAMPLES, "|"), PLAIN, 2),
    ("tab.tsv", table(SAMPLES, "\t"), PLAIN, 2),
    ("unix.csv", table(SAMPLES, end="\n"), PLAIN, 2),
    ("python.csv", table(SAMPLES, write=str), PLAIN, 2),
    ("numpy.csv", table(SAMPLES, write=numpys), PLAIN, 2),
    ("bars.csv", table(SAMPLES, write=" ||| ".join), PLAIN, 2),
    ("bom.csv", table(SAMPLES, encoding="utf-8-sig"), PLAIN, 2),
    ("utf16.csv", table(SAMPLES, encoding="utf-16"), PLAIN, 2),
    ("table.parquet", parquet(SAMPLES), PLAIN, 2),
    ("sheet.xlsx", xlsx(cells(SAMPLES)), PLAIN, 2),
    ("chinese.json", as_json(CHINESE), PLAIN, 1),
    ("chinese.xlsx", xlsx(cells(CHINESE)), PLAIN, 1),
    ("first.json", as_json(FIRST), Shape.RAGAS, 1),
    ("first.csv", table(FIRST, write=str), Shape.RAGAS, 1),
    ("second.jsonl", json_lines(SECOND), Shape.RAGAS, 1),
    ("second.parquet", parquet(SECOND), Shape.RAGAS, 1),
    ("keyed.json", as_json({str(at): row for at, row in enumerate(SAMPLES)}), PLAIN, 2),
    ("split.json", as_json(split(SAMPLES)), PLAIN, 2),
    ("titled.xlsx", xlsx([["Results", None, None, None], *cells(SAMPLES)]), PLAIN, 2),
    ("excel.csv", b"sep=;\r\n" + table(SAMPLES, ";"), PLAIN, 2),
    ("adalflow.json", as_json({"pred_answers": ["p", "q"], "gt_answers": ["t", "u"]}), Shape.ADALFLOW, 2),
    ("recall.json", as_json({"retrieved_contexts": [["c"]], "gt_contexts": [["c"]]}), Shape.ADALFLOW, 1),
    ("bed.json", json_lines(BED), Shape.BED, 3),
    ("bed.csv", table(BED), Shape.BED, 3),
    ("bed.parquet", parquet(BED), Shape.BED, 3),
    ("answers.json", json_lines(ANSWERS), Shape.ANSWERS, 2),
    ("answers.tsv", table(ANSWERS, "\t"), Shape.ANSWERS, 2),
    ("ragbench.jsonl", json_lines(RAGBENCH), Shape.RAGBENCH, 1),
    ("ragbench.csv", table(RAGBENCH), Shape.RAGBENCH, 1),
    ("ragbench.csv", table(RAGBENCH, write=str), Shape.RAGBENCH, 1),
    ("ragbench.parquet", parquet(RAGBENCH), Shape.RAGBENCH, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "shape", "rows"),
    WHOLE,
    ids=[f"{at}-{each[0]}" for at, each in enumerate(WHOLE)],
)
def test_a_whole_file_is_recognised_and_read_as_in_every_other_format(name, data, shape, rows):
    """All but numbers of rows, which are lines in JSON Lines."""
    loaded = open_file(name, data)

    assert (loaded.guess.shape, loaded.usable, loaded.total, loaded.problems) == (
        shape,
        rows,
        rows,
        (),
    )
    assert loaded.guess.is_sure
    assert isinstance(loaded.data, TestBed) == (shape is Shape.BED)
    if (shape, rows) == (PLAIN, 2):
        found = loaded.data.samples
        assert [(each.question, each.response, each.retrieved_documents, each.ground_truth) for each in found] == [
            ("q1?", "r1", ("d1", "e"), "t1"), ("q2?", "r2", ("d2", "e"), "t2")
        ]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_chinese_columns_are_read_in_every_encoding(encoding):
    rows = CHINESE * 20

    loaded = open_file(
        "a.csv",
        table(rows, encoding=encoding, write=lambda cell: json.dumps(cell, ensure_ascii=False)),
    )

    assert loaded.data.samples[0].retrieved_documents == ("首都是北京。",)
    assert (loaded.usable, loaded.data.samples[19].response) == (20, "北京")


def test_the_apps_own_labels_come_back():
    labels = {"relevant_keys": ["0a"], "sentence_support": [{"key": "a", "support": "full"}]}
    row = {"sample": 1, "id": "x", "question": "q?", "labels_by": "heuristic", "corrections": []}
    corrected = {"relevant_keys": ["0b"]}
    rows = [
        row | {"labels": {"heuristic": labels}},
        row | {"id": "y", "labels": {"heuristic": labels, "corrected": corrected}},
    ]

    loaded = open_file("labels.jsonl", json_lines(rows))

    assert loaded.guess.shape is Shape.LABELS
    assert [each.labels.relevant_keys for each in loaded.data.samples] == [("0a",), ("0b",)]


def test_the_apps_own_table_comes_back_without_its_guards():
    data = b"\xef\xbb\xbfsample,id,state,labels_by,corrections,adherence,question\r\n1,x,scored,,0,1.0,'=why?\r\n"

    loaded = open_file("table.csv", data)

    assert loaded.guess.shape is Shape.VALUES
    assert [(each.id, each.question) for each in loaded.data.samples] == [("x", "=why?")]


# Broken files

GOOD = '{"question": "q?", "response": "r"}'


@pytest.mark.parametrize(
    ("name", "data", "usable", "problems"),
    [
        ("text.jsonl", f"{GOOD}\nno json\n{GOOD}", 2, [2]),
        ("cut.jsonl", f'{GOOD}\n{GOOD}\n{{"question": "q', 2, [3]),
        ("list.jsonl", f"{GOOD}\n[1, 2]\n{GOOD}", 2, [2]),
        ("empty question.jsonl", f'{GOOD}\n{{"question": "", "response": "r"}}', 1, [2]),
        ("list as text.jsonl", f'{GOOD}\n{{"question": ["q"], "response": "r"}}', 1, [2]),
        ("values.json", f"[{GOOD}, 5, null]", 1, [2, 3]),
        ("more cells.csv", "question,response\nq,r\nq,r,s\nq,r\n", 2, [2]),
        ("no question.csv", "question,response\nq,r\n,r\n", 1, [2]),
        ("bed.jsonl", json_lines([*BED, BED[0] | {"negative": "n"}]).decode(), 3, [4]),
        ("answers.jsonl", json_lines([*ANSWERS, ANSWERS[0] | {"noise_rate": 7}]).decode(), 2, [3]),
        (
            "ragbench.jsonl",
            json_lines([*RAGBENCH, RAGBENCH[0] | {"response_sentences": 5}]).decode(),
            1,
            [2],
        ),
    ],
)
def test_of_a_broken_file_the_good_rows_are_kept(name, data, usable, problems):
    loaded = open_file(name, data.encode())

    assert (loaded.usable, [problem.row for problem in loaded.problems]) == (usable, problems)
    assert loaded.total == usable + len(problems)
    assert all(problem.message and problem.raw for problem in loaded.problems)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.csv", b""),
        ("blank.json", b" \n\n"),
        ("nothing.json", b"[]"),
        ("value.json", b"5"),
        ("text.json", b"once upon a time"),
        ("report.pdf", b"%PDF-1.7 and more"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0"),
        ("broken.parquet", b"PAR1 and no more"),
        ("broken.xlsx", b"PK\x03\x04 and no more"),
        ("broken.jsonl.gz", gzip.compress(json_lines(SAMPLES), mtime=0)[:-20]),
    ],
)
def test_a_file_without_rows_is_refused_with_a_message(name, data):
    with pytest.raises(DatasetError, match=r"\w.*\."):
        open_file(name, data)


# Public data: the row counts of its index

FILES = [
    ("ragbench/covidqa/*.parquet", Shape.RAGBENCH, 267),
    ("ragbench/delucionqa/*.parquet", Shape.RAGBENCH, 182),
    ("ragbench/emanual/train*.parquet", Shape.RAGBENCH, 1054),
    ("ragbench/emanual/validation*.parquet", Shape.RAGBENCH, 132),
    ("ragbench/expertqa/*.parquet", Shape.RAGBENCH, 203),
    ("ragbench/hagrid/*.parquet", Shape.RAGBENCH, 322),
    ("ragbench/hotpotqa/*.parquet", Shape.RAGBENCH, 424),
    ("ragbench/msmarco/*.parquet", Shape.RAGBENCH, 397),
    ("rgb/en_fact.json", Shape.BED, 100),
    ("rgb/zh_fact.json", Shape.BED, 100),
    ("rgb/zh_int.json", Shape.BED, 100),
    ("rgb/zh_refine.json", Shape.BED, 300),
    ("rgb/en_refine_partial.jsonl", Shape.BED, 300),
    ("rgb/answer_keys.json", PLAIN, 500),
    ("rgb/en_int_seen_docs.jsonl", PLAIN, 100),
    ("malformed/en_fact.json", Shape.BED, 100),
]


@pytest.mark.parametrize(("pattern", "shape", "rows"), FILES, ids=[each[0] for each in FILES])
def test_a_published_file_is_read_whole(check_data, pattern, shape, rows):
    (file,) = check_data.glob(pattern)

    loaded = open_file(file.name, file.read_bytes())

    assert (loaded.guess.shape, loaded.usable, loaded.total) == (shape, rows, rows)
    assert loaded.guess.is_sure


def test_the_published_answers_of_models_are_read_whole(check_data):
    files = sorted(check_data.glob("rgb_predictions/*/[op]*.json"))

    found = [open_file(file.name, file.read_bytes()) for file in files]

    assert [(each.guess.shape, each.usable, each.total) for each in found] == [
        (Shape.ANSWERS, 100, 100)
    ] * 61


def test_the_judges_scores_are_plain_tables_in_doubt(check_data):
    files = sorted(check_data.glob("judge_swap/JS-*.csv"))

    found = [open_file(file.name, file.read_bytes()) for file in files]

    assert [(each.guess.shape, each.usable, each.guess.is_sure) for each in found] == [
        (PLAIN, 100, False)
    ] * 6
    assert found[0].guess.columns["response"] == "answer"


@pytest.mark.parametrize(
    "pattern", ["judge_swap/judge_swap_tracker.csv", "rgb_predictions/*/scores_*.json"]
)
def test_tables_of_scores_hold_nothing_to_judge(check_data, pattern):
    found = [open_file(file.name, file.read_bytes()) for file in check_data.glob(pattern)]

    assert found
    assert not [each.data for each in found if each.data is not None]
    assert {(each.problems, each.guess.confidence) for each in found} == {((), 0.0)}
