"""A sheet to print and its key: what stands on which of the two, and that texts stay texts."""

import re
from datetime import UTC, datetime

import pytest

from evaluators import evaluate
from evaluators.errors import ParameterError
from evaluators.records import Dataset, Labels, Sample, SentenceSupport, Support
from evaluators.report.sheet import BOXES, sheet, sheet_key
from evaluators.runs import examples, rounds
from evaluators.runs.aggregate import View
from evaluators.runs.inputs import local_store
from evaluators.runs.run_view import RunView
from evaluators.text.language import CHINESE, speaking
from evaluators.text.sentences import cut
from evaluators.trace.definitions import DEFINITIONS
from tests.report.markup import Read
from tests.report.test_run_report import WORST, is_harmless

NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)


@pytest.fixture
def store():
    return local_store()


@pytest.fixture
def view(store):
    run = examples.find(store, examples.INVENTED)
    assert run is not None
    return RunView.read(store, run)


def view_of(store, *samples):
    run = evaluate(Dataset(name="d", samples=samples), "trace", store=store, progress=False).run
    return RunView.read(store, run)


def labelled():
    """Two document sentences, of which gold calls the first relevant and used, and both sentences
    of the answer supported.
    """
    documents = ("The mill was built in 1812. It has four floors.",)
    response = "The mill is from 1812. It is red."
    support = [
        SentenceSupport(key=key, support=Support.FULL, supporting_keys=("0a",)) for key in "ab"
    ]
    return Sample(
        id="1",
        question="When was the mill built?",
        response=response,
        retrieved_documents=documents,
        sentences=cut(response, documents),
        labels=Labels(
            relevant_keys=("0a", "0b"), utilized_keys=("0a",), sentence_support=tuple(support)
        ),
    )


def test_a_sheet_has_three_empty_boxes_for_each_sentence_and_a_line_for_the_name(view):
    page = sheet(view, 3, NOW)
    read = Read(page)
    answers = view.contents(rounds.instructive(view, 3))

    assert page.count('<article class="on-sheet">') == len(answers) == 3
    rows = [row for table in read.tables for row in table[1:]]
    assert all(table[0] == ["Answer", *BOXES] for table in read.tables)
    assert page.count('class="box"') == 3 * len(rows)
    assert re.search("Your name.*Date", read.text)
    for content in answers.values():
        assert content.sample.question in read.text


@pytest.mark.parametrize(
    "told",
    ['<span class="pl-cue">', "pl-relevant", "pl-full", "pl-none", "Judge", "Jury", "illustration"],
)
def test_a_sheet_tells_no_label_and_no_labeller(view, told):
    body = sheet(view, 8, NOW).partition("<body>")[2]

    assert told not in body


def test_the_key_has_the_labels_and_values_of_the_same_answers(store):
    view = view_of(store, labelled())
    [answer, values] = Read(sheet_key(view, 1, written=NOW)).tables

    assert answer[0] == ["Answer", "Gold", "Heuristic"]
    assert answer[1][:2] == ["a The mill is from 1812.", "supported"]
    assert answer[2] == ["b It is red.", "supported", "not supported"]
    # Of two sentences both are relevant and one is used.
    assert values[1] == ["Gold", "0a, 0b", "0a", "2/2 = 1.00", "1/2 = 0.50", "1/2 = 0.50", "1.00"]
    assert values[2][0] == "Heuristic"
    assert values[2][-1] == "0.00"


@pytest.mark.parametrize(
    ("definition", "values", "formula"),
    [
        (
            "sentence",
            ["2/2 = 1.00", "1/2 = 0.50"],
            "Context utilization = used / relevant, at most 1.",
        ),
        (
            "fixed_20",
            ["2/20 = 0.10", "1/2 = 0.50"],
            "Context relevance = relevant document sentences / 20",
        ),
        (
            "ragbench",
            ["2/2 = 1.00", "1/2 = 0.50"],
            "Context utilization = used / all document sentences.",
        ),
    ],
)
def test_the_key_says_how_its_values_are_worked_out(store, definition, values, formula):
    read = Read(sheet_key(view_of(store, labelled()), 1, View(definition), NOW))

    assert formula in read.text
    assert read.tables[1][1][3:5] == values


def test_a_new_definition_has_a_key_that_says_what_tells_it_from_the_others(store, monkeypatch):
    usual = DEFINITIONS["sentence"]
    lenient = usual._replace(title="Lenient", meaning="Relevance is halved.", in_full="")
    monkeypatch.setitem(DEFINITIONS, "lenient", lenient)

    read = Read(sheet_key(view_of(store, labelled()), 1, View("lenient"), NOW))

    assert "Relevance is halved." in read.text


def test_the_key_names_the_samples_in_the_order_of_the_sheet(view):
    order = [answer.position + 1 for answer in rounds.instructive(view, 8)]

    found = re.findall(r"Sample (\d+) of the run", Read(sheet_key(view, 8, written=NOW)).text)

    assert list(map(int, found)) == order


@pytest.mark.parametrize("make", [sheet, sheet_key])
def test_texts_stay_texts(store, make):
    sample = Sample(id="1", question=WORST, response=f"{WORST}.", retrieved_documents=(WORST,) * 3)
    view = view_of(store, sample.model_copy(update={"sources": (WORST,) * 3}))

    is_harmless(Read(make(view, 1, written=NOW)))


@pytest.mark.parametrize("n", [0, -1, 21])
@pytest.mark.parametrize("make", [sheet, sheet_key])
def test_a_sheet_has_some_answers_and_not_too_many(view, make, n):
    with pytest.raises(ParameterError, match="1 to 20"):
        make(view, n)


def test_a_run_without_sentence_labels_has_no_sheet(store):
    rows = [{"question": "a?", "response": "b", "retrieved_documents": ["c"], "ground_truth": "b"}]
    run = evaluate(rows, "answer_match", store=store, progress=False).run

    with pytest.raises(ParameterError, match="TRACE"):
        sheet(RunView.read(store, run))


def test_python_writes_both(store, tmp_path):
    results = evaluate([labelled().model_dump()], "trace", store=store, progress=False)

    page = results.sheet(tmp_path / "sheet.html", 1).read_text("utf-8")
    key = results.sheet(tmp_path / "key.html", 1, key=True).read_text("utf-8")

    assert ('class="box"' in page, 'class="box"' in key) == (True, False)


def test_in_chinese_the_sheet_says_so_and_asks_in_chinese(view):
    with speaking(CHINESE):
        page = sheet(view, 1, NOW)

    assert '<html lang="zh-CN">' in page
    assert Read(page).tables[0][0] == ["回答", "有依据", "部分", "无依据"]
    assert "文档是怎么说的？" in page
