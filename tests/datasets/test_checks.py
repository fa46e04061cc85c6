"""What is odd about data: repeated rows, empty fields, answers in the wrong documents, languages,
long documents.
"""

import pytest

from evaluators.datasets.checks import checks
from evaluators.datasets.mapping import load
from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.records import Dataset, Sample

WHOLE = {"question": "q", "response": "r", "retrieved_documents": ("d",), "ground_truth": "t"}


def told(*changes):
    """The rows of each finding about samples that differ from a whole one by these changes."""
    samples = [
        Sample.model_validate({"id": str(at), **WHOLE, "question": f"q{at}", **each})
        for at, each in enumerate(changes)
    ]
    return {found.title: found.rows for found in checks(Dataset(name="d", samples=tuple(samples)))}


def bed_told(**changes):
    row = {
        "id": "1",
        "query": "Who?",
        "answer": "Anna",
        "positive": ["Anna won."],
        "negative": ["Ben lost."],
    }
    bed = TestBed(name="b", rows=(BedRow(**{**row, **changes}),))
    return [found.title for found in checks(bed)]


def test_nothing_is_odd_about_whole_samples():
    assert told({}, {}) == {}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ([{"question": "q"}, {}, {"question": "q"}], {"Repeated rows": (3,)}),
        ([{"question": "q"}, {"question": "q", "generator": "other"}], {}),
        ([{}, {"question": " "}], {"No question": (2,)}),
        ([{}, {"response": None}], {"No answer": (2,)}),
        ([{}, {"response": " "}], {"Empty answers": (2,)}),
        ([{"retrieved_documents": ()}, {}], {"No documents": (1,)}),
        ([{"retrieved_documents": ("d", " ")}, {}], {"Empty documents": (1,)}),
        ([{"retrieved_documents": (" ",)}, {}], {"No documents": (1,)}),
        (
            [{"retrieved_documents": ("One.\n---\nTwo.",)}, {}],
            {"Several documents in one text": (1,)},
        ),
        (
            [{"retrieved_documents": ("<doc>One.</doc><doc>Two.</doc>",)}, {}],
            {"Several documents in one text": (1,)},
        ),
        (
            [{"retrieved_documents": ("<doc>One.</doc>",)}, {"retrieved_documents": ("a --- b",)}],
            {},
        ),
        ([{}, {"ground_truth": None}, {"ground_truth": ""}], {"No true answer": (2, 3)}),
        ([{"ground_truth": None}, {"ground_truth": None}], {}),
        (
            [{"question": "谁赢了比赛？", "response": "安娜赢了。"}, {}, {}],
            {"Mixed languages": (1,)},
        ),
        (
            [
                {"question": "谁赢了？", "response": "安娜"},
                {"question": "谁输了？", "response": "本"},
            ],
            {},
        ),
        ([{}, {"retrieved_documents": ("word " * 2000,)}], {"Long documents": (2,)}),
    ],
)
def test_what_is_odd_about_samples_is_told_with_the_rows(changes, found):
    assert told(*changes) == found


def test_in_chinese_data_the_other_rows_are_the_odd_ones():
    chinese = {"response": "安娜赢了。"}

    assert told(*[{**chinese, "question": f"谁赢了{at}？"} for at in range(2)], {}) == {
        "Mixed languages": (3,)
    }


def test_rows_are_named_by_the_numbers_of_the_file():
    samples = tuple(Sample(id=str(at), question="q") for at in range(2))

    found = checks(Dataset(name="d", samples=samples), numbers=(4, 9))

    assert {each.title: each.rows for each in found} == {
        "Repeated rows": (9,), "No answer": (4, 9), "No documents": (4, 9)
    }  # fmt: skip


def test_the_share_of_long_documents_is_told():
    """A text of 3,992 tokens takes 15,968 bytes, counts 4,000 with its frame, and the other 1,000
    of 5,000 in all.
    """
    samples = [
        Sample(id="1", question="q", response="r", retrieved_documents=("a" * 15_968, "b" * 3_968))
    ]

    (found,) = checks(Dataset(name="d", samples=tuple(samples)))

    assert "1 document has more than 2,000 tokens (the longest 4,000" in found.words
    assert "80% of all documents' tokens" in found.words


# Test beds


@pytest.mark.parametrize(
    ("changes", "titles"),
    [
        ({}, []),
        ({"positive": ["She won."]}, ["Answer in no positive document"]),
        ({"positive": ["Annabel won."]}, []),
        ({"negative": ["Annabel won."]}, []),
        ({"answer": "2020年6月", "positive": ["2020年6月11日"], "query": "谁？"}, []),
        ({"positive": ["ANNA\n won."]}, []),
        ({"answer": [["Anna", "Anne"]], "positive": ["Anne won."]}, []),
        ({"answer": ["Anna", "1987"], "positive": ["Anna won.", "It was 1987."]}, []),
        ({"answer": ["Anna", "1987"], "positive": ["Anna won.", "It was 19871."]}, ["Answer in no positive document"]),
        ({"positive": [["Anna won."], ["In 1987."]], "answer": ["Anna", "1987"]}, []),
        ({"negative": ["Ben lost to Anna."]}, ["Answer in a negative document"]),
        ({"answer": ["Anna", "1987"], "positive": ["Anna, 1987"], "negative": ["Anna", "1987"]}, []),
        ({"negative": ["In 1987 Anna"], "positive": ["Anna, 1987"], "answer": ["Anna", "1987"]},
         ["Answer in a negative document"]),
        ({"positive": []}, ["No positive documents"]),
        ({"negative": []}, ["No negative documents"]),
        ({"positive_wrong": ["Ben won."], "fakeanswer": "Ben"}, []),
        ({"positive_wrong": ["Carl won."], "fakeanswer": "Ben"}, ["Planted error in no document"]),
        ({"query": "谁？", "answer": "安 娜", "positive": ["安娜赢了。"]}, []),
        ({"query": "谁？", "answer": "New York", "positive": ["在 New York 赢了。"]}, []),
    ],
)  # fmt: skip
def test_answers_in_the_wrong_documents_are_told(changes, titles):
    assert bed_told(**changes) == titles


def test_known_flaws_of_the_published_beds_are_found(check_data):
    bed = load("zh_fact.json", (check_data / "rgb" / "zh_fact.json").read_bytes())

    assert {found.title: len(found.rows) for found in checks(bed)} == {
        "No negative documents": 3,
        "Answer in a negative document": 2,
    }
