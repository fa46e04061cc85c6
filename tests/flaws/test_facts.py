"""The facts of a true answer: given, lost by the generator, or lost by the retriever; by hand."""

from __future__ import annotations

import json
import time

import pytest

from evaluators import evaluate
from evaluators.datasets.mapping import open_file
from evaluators.fact_recall import Fact, Stands
from evaluators.flaws.facts import MOST_COMPARED, facts_of
from evaluators.flaws.of_answer import flaws_of
from evaluators.records import Nugget, Sample
from evaluators.runs.notes import lines_of, written
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer

DOCUMENTS = ("The bridge was opened in 1932 by the mayor.", "It is 503 metres long.")
GIVEN, LOST, NOWHERE = Stands


@pytest.mark.parametrize(
    ("response", "truth", "expected"),
    [
        ("It was opened in 1932.", "1932", [GIVEN]),
        ("It was opened in May.", "1932", [LOST]),
        ("It was opened in May.", "1931", [NOWHERE]),
        # Known by the model, though it was not retrieved
        ("It was opened in 1931.", "1931", [GIVEN]),
        ("Opened in 1932.", "The mayor opened it in 1932. It is 503 metres long.", [LOST, LOST]),
        (
            "The mayor opened it in 1932.",
            "The mayor opened it in 1932. It is 503 metres long. It carries eight lanes.",
            [GIVEN, LOST, NOWHERE],
        ),
        # Required answers, each in spellings of which any will do
        ("It was opened in 1932.", ("1932", ("503 m", "503 metres")), [GIVEN, LOST]),
        ("It was opened in 1932.", "Yes", []),
        ("It was opened in 1932.", None, []),
        ("It was opened in 1932.", "?", []),
        ("<think>1932</think>In May.", "1932", [LOST]),
        ("", "1932", [LOST]),
        (None, "1932", [LOST]),
    ],
)
def test_each_fact_stands_in_the_answer_in_the_documents_or_nowhere(response, truth, expected):
    sample = Sample(
        id="s",
        question="?",
        response=response,
        retrieved_documents=DOCUMENTS,
        ground_truth=truth,
    )
    assert [fact.stands for fact in facts_of(sample)] == expected


def test_chinese_facts_are_found_inside_sentences():
    sample = Sample(
        id="s",
        question="?",
        response="大桥由市长开通。",
        retrieved_documents=("大桥在上海，由市长开通。",),
        ground_truth=("市长", "上海", "北京"),
    )
    assert [fact.stands for fact in facts_of(sample)] == [GIVEN, LOST, NOWHERE]


def test_a_run_counts_what_generator_and_retriever_lost(store):
    rows = [
        {"question": question, "response": response, "ground_truth": truth}
        | {"retrieved_documents": list(DOCUMENTS)}
        for question, response, truth in (
            ("When?", "In 1932.", "1932"),
            ("How long?", "Very long.", "503 metres"),
            ("How wide?", "Very wide.", "49 metres"),
            # Who declines leaves nothing out.
            ("How high?", "The documents do not say.", "134 metres"),
        )
    ]
    results = evaluate(rows, "answer_match", store=store, progress=False)
    found = {one.name: (len(one.answers), one.rate.scored) for one in results.flaws().kinds}

    assert found["fact_left_out"] == found["fact_not_retrieved"] == (1, 3)
    lines = [line.get("facts") for line in results.lines()]
    assert lines[1] == [{"text": "503 metres", "stands": "only in the documents"}]


@pytest.mark.parametrize(
    ("word", "text"), [("tower {}", "The mayor came. "), ("塔{}", "市长来了。")]
)
def test_thousands_of_facts_in_long_texts_take_about_a_second(word, text):
    truth = tuple(
        tuple(word.format(f"{number}-{other}") for other in range(4)) for number in range(1000)
    )
    sample = Sample(
        id="s",
        question="?",
        response=text * 1500,
        retrieved_documents=tuple(text * 1000 for _ in range(40)),
        ground_truth=truth,
    )
    started = time.process_time()
    # Of 20,000 comparisons there are 487 spellings for each of 41 texts: 121 facts and a part of one.
    assert len(facts_of(sample)) == 122
    assert time.process_time() - started < 20


def test_of_very_many_facts_the_first_are_looked_for():
    sample = Sample(
        id="s",
        question="?",
        response="x",
        retrieved_documents=("d",) * 999,
        ground_truth=tuple(f"fact {number}" for number in range(1000)),
    )

    assert len(facts_of(sample)) == MOST_COMPARED / 1000


def test_of_very_many_spellings_of_a_fact_the_first_are_looked_for():
    spellings = tuple(f"word{number}" for number in range(1000))
    documents = ("word19 stands here.", "word20 stands here.", *["d"] * 997)
    sample = Sample(
        id="s", question="?", response="x", retrieved_documents=documents, ground_truth=(spellings,)
    )

    assert facts_of(sample)[0].in_documents
    late = sample.model_copy(update={"retrieved_documents": documents[1:]})
    assert not facts_of(late)[0].in_documents


OPENED = Nugget(text="The mayor opened it")
LENGTH = Nugget(text="It is 503 metres long", vital=False)
LANES = Nugget(text="It carries eight lanes")


def with_nuggets(*nuggets, response="The mayor opened it."):
    return Sample(
        id="s",
        question="?",
        response=response,
        retrieved_documents=DOCUMENTS,
        ground_truth="1932",
        nuggets=nuggets,
    )


@pytest.mark.parametrize(
    ("nuggets", "kinds", "shares"),
    [
        ((OPENED, LENGTH), [], (1, 1 / 2)),
        ((OPENED, LENGTH, LANES), ["fact_not_retrieved"], (1 / 2, 1 / 3)),
        # Where none is vital all count
        ((LENGTH,), ["fact_left_out"], (0, 0)),
        # Without any it is the true answer
        ((), ["fact_left_out"], (0, 0)),
    ],
)
def test_flaws_go_by_the_vital_nuggets(nuggets, kinds, shares):
    flaws = flaws_of(with_nuggets(*nuggets), None)

    assert [kind.name for kind in flaws.kinds] == kinds
    assert (flaws.share_given(vital=True), flaws.share_given(vital=False)) == shares


def test_what_a_judge_has_said_of_a_fact_counts_and_further_ones_go_by_words():
    judged = [Fact(text=LANES.text, in_answer=True, in_documents=False, reason="Implied.")]

    facts = facts_of(with_nuggets(OPENED, LENGTH, LANES), judged)

    assert [(fact.stands, fact.vital, fact.reason) for fact in facts] == [
        (GIVEN, True, ""),
        (LOST, False, ""),
        (GIVEN, True, "Implied."),
    ]


NUGGETS = [
    "The mayor opened it",
    {"text": "It is 503 metres long", "vital": False},
    {"text": "It is grey", "importance": "okay"},
    {"text": "It carries eight lanes", "importance": "vital"},
]


@pytest.mark.parametrize("cell", [NUGGETS, json.dumps(NUGGETS), NUGGETS[1:]])
def test_a_column_of_nuggets_is_read_with_what_is_vital(cell):
    row = {"question": "Q?", "response": "A.", "nuggets": cell}

    loaded = open_file("a.json", json.dumps([row]).encode())

    assert loaded.guess.columns["nuggets"] == "nuggets"
    assert [nugget.vital for nugget in loaded.data.samples[0].nuggets][-3:] == [False, False, True]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ([{"text": "x"}, 5], "Row 2: text is not usable"),
        ([{"text": "x"}, {"vital": True}], "Row 2: text is not usable"),
        (["x"] * 1001, "Row 2: it has 1,001 facts; the limit is 1,000."),
    ],
)
def test_nuggets_that_are_none_are_a_problem_of_their_row(cell, words):
    rows = [{"question": "Q?", "response": "A.", "nuggets": own} for own in (["x"], cell)]

    (problem,) = open_file("a.json", json.dumps(rows).encode()).problems

    assert f"Row {problem.row}: {problem.message}".startswith(words)


def test_facts_that_a_person_edits_are_counted_and_come_back_when_they_are_taken_away(store):
    row = {"question": "When?", "response": "In 1932.", "ground_truth": "503 metres"}
    rows = [row | {"retrieved_documents": list(DOCUMENTS)}]
    run = evaluate(rows, "answer_match", store=store, progress=False).run

    def kinds():
        return [one.name for one in RunView.read(store, run).flaws().kinds]

    def edit(facts):
        note = written("", (), "2026-11-28T05:00:00+00:00")
        store.notes.save(run.id, Answer(0), note.model_copy(update={"facts": facts}))

    assert kinds() == ["fact_left_out"]
    edit(" in 1932 \n\n[okay] 503 metres")
    assert store.notes.get(run.id, Answer(0)).nuggets == (
        Nugget(text="in 1932"),
        Nugget(text="503 metres", vital=False),
    )
    assert kinds() == []
    edit("")
    assert kinds() == ["fact_left_out"]
    assert store.notes.get(run.id, Answer(0)) is None


def test_a_fact_of_several_lines_is_edited_in_one():
    assert lines_of([(("a\nb", "c"), True), (("d",), False)]) == "a b\n[okay] d"
