"""Two systems: which samples belong together, what is counted, what is said."""

import pytest

from evaluators import compare, evaluate
from evaluators.api.results import Results
from evaluators.errors import ParameterError, RunFileError
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Sample
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs.examples import INVENTED, NOISE, find
from evaluators.runs.store import Store
from tests.comparison.made import MODELS, results

QUESTIONS = [f"Question {number}?" for number in range(8)]
FIRST = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
SECOND = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]


def person_says(results, verdicts, person="you"):
    """A person's yes (1) or no (0) to the match of answers, by their positions."""
    for position, value in verdicts.items():
        label = PersonLabel(
            label="verdict",
            key="answer_match",
            value="yes" if value else "no",
            person=person,
            created="2026-11-22T10:00:00+00:00",
        )
        results.store.person_labels.save(results.run.id, Cell(position), label)


def test_what_people_say_of_one_side_never_moves_a_comparison(store):
    old = results(store, "Old", QUESTIONS, FIRST)
    new = results(store, "New", QUESTIONS, SECOND)
    before = compare(old, new).summary()
    person_says(new, dict.fromkeys(range(8), 0))

    assert compare(old, new).summary() == before


def test_chosen_labels_of_people_count_where_both_sides_of_a_pair_have_them(store):
    """People turn pairs 0 and 1 of both round; what they say of others, on one side, is left out:
    old 0 1 0 0 0 0 1 0, new 0 0 1 1 1 1 1 1.
    """
    old = results(store, "Old", QUESTIONS, FIRST)
    new = results(store, "New", QUESTIONS, SECOND)
    person_says(old, {0: 0, 1: 1, 2: 1})
    person_says(new, {0: 0, 1: 0, 7: 0})

    comparison = compare(old, new, labels="corrected")

    value = comparison["answer_match"]
    assert [(row.first, row.second) for row in value.rows] == [
        (0, 0), (1, 0), (0, 1), (0, 1), (0, 1), (0, 1), (1, 1), (0, 1),
    ]  # fmt: skip
    assert comparison.warnings[0] == (
        "Labels: Answer match, 2 pairs relabelled by people on both sides. Elsewhere what people "
        "say does not count."
    )
    alone = compare(old, new, labels="people")["answer_match"]
    assert [(row.first, row.second) for row in alone.rows] == [(0, 0), (1, 0)]


def test_people_s_labels_on_one_side_alone_are_no_comparison(store):
    old = results(store, "Old", QUESTIONS, FIRST)
    new = results(store, "New", QUESTIONS, SECOND)
    person_says(new, {0: 0})

    with pytest.raises(ParameterError, match=r"^'corrected' did not label 'Old'\."):
        compare(old, new, labels="corrected")
    with pytest.raises(ParameterError, match=r"Choose the same labels on both sides\.$"):
        compare(old, new.under(labels="corrected"))

    person_says(old, {1: 0})
    with pytest.raises(ParameterError, match="1 answer of the first and 1 answer of the second, a"):
        compare(old, new, labels="corrected")


def test_one_instruction_for_all_samples_does_not_make_them_one_as_in_single_means(store):
    old = results(store, "Old", ["Summarise the documents."] * 8, FIRST)
    new = results(store, "New", ["Summarise the documents."] * 8, SECOND)

    difference = compare(old, new)["answer_match"].difference

    assert old.summary()["answer_match"].questions is None
    assert (difference.clusters, difference.method) == (8, "yes or no")
    assert difference.p == pytest.approx(1 / 2**6)


def test_what_only_one_was_judged_on_does_not_count_and_is_told(store):
    ours = [1.0, None, "failed", 0.0, 0.0, 0.0, 1.0, None]
    theirs = [1.0, 1.0, 1.0, "failed", 1.0, 1.0, 1.0, "failed"]

    value = compare(
        results(store, "Old", QUESTIONS, ours), results(store, "New", QUESTIONS, theirs)
    )["answer_match"]

    assert [row.first_position for row in value.rows] == [0, 4, 5, 6]
    assert (value.only_first, value.only_second, value.neither) == (1, 2, 1)
    assert value.coverage == "4 / 8"
    assert (value.difference.first, value.difference.second) == (0.5, 1.0)


@pytest.mark.parametrize("is_same_data", [True, False])
def test_repeats_are_averaged_in_their_prompt_also_where_they_are_unequally_many(
    store, is_same_data
):
    questions = QUESTIONS[:4]
    once = results(store, "Once", questions, [1.0, 0.0, 1.0, "failed"])
    others = questions if is_same_data else [*questions, "Another?"]
    of_each = [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, "failed", None], [1.0, 1.0, 1.0], [1.0] * 3]
    values = [value for own in of_each[: len(others)] for value in own]
    thrice = results(store, "Thrice", others, values, repeats=3)

    comparison = compare(once, thrice)

    value = comparison["answer_match"]
    places = [(row.first_position, row.second_position) for row in value.rows]
    assert places == [(0, 0), (1, 3), (2, 6)]
    assert [row.second for row in value.rows] == [pytest.approx(2 / 3), 1.0, 0.0]
    assert (value.coverage, value.only_second) == ("3 / 4", 1)
    # Thirds are not yes or no: -1/3, 1 and -1 are resampled.
    assert (value.difference.rows, value.difference.clusters) == (3, 3)
    assert value.difference.method == "mean"
    assert value.difference.difference == pytest.approx(-1 / 9)
    assert comparison.is_same_data == is_same_data
    assert ("repeats", "1", "3") in [
        (change.setting, change.first, change.second) for change in comparison.changes
    ]
    assert comparison.warnings == ()


def test_other_data_are_matched_by_question_in_order_and_the_rest_is_listed(store):
    ours = results(store, "Old", ["A?", "B?", "A?", "C?"], [0.0, 0.1, 0.2, 0.3])
    theirs = results(store, "New", ["A?", "A?", "D?", " B? "], [0.5, 0.6, 0.7, 0.8])

    comparison = compare(ours, theirs)

    rows = comparison["answer_match"].rows
    assert [(row.first_position, row.second_position) for row in rows] == [(0, 0), (1, 3), (2, 1)]
    assert [(row.first, row.second) for row in rows] == [(0.0, 0.5), (0.1, 0.8), (0.2, 0.6)]
    assert (comparison.alone, comparison.matched) == (((3,), (2,)), 3)
    assert not comparison.is_same_data


MILL = Sample(
    id="1",
    question="When was the mill built?",
    retrieved_documents=("It was built in 1812.",),
    ground_truth="1812",
)
DOCUMENTS = "The documents of 1 of 2 samples differ: what was retrieved may make the difference."
TRUE_ANSWERS = "The true answers of 1 of 2 samples differ: the two are not held against the same."


@pytest.mark.parametrize(
    ("change", "warnings"),
    [
        ({}, ()),
        ({"id": "other"}, ()),
        ({"retrieved_documents": ()}, (DOCUMENTS,)),
        ({"ground_truth": "1912"}, (TRUE_ANSWERS,)),
        ({"retrieved_documents": (), "ground_truth": None}, (DOCUMENTS, TRUE_ANSWERS)),
    ],
    ids=["only answers", "ids", "documents", "true answers", "both"],
)
def test_what_differs_beside_the_answers_is_counted(store, change, warnings):
    other = MILL.model_copy(update={"question": "Who built it?"})
    ours = [MILL, other]
    theirs = [MILL.model_copy(update=change), other]
    answered = [
        [sample.model_copy(update={"response": response}) for sample in samples]
        for samples, response in ((ours, "In 1812."), (theirs, "By Anna."))
    ]

    first, second = (
        evaluate(Dataset(name="made", samples=tuple(samples)), ["answer_match"], store=store)
        for samples in answered
    )

    assert compare(first, second).warnings == warnings


def test_answers_to_one_question_are_one_cluster(store):
    questions = ["A?"] * 4 + ["B?"] * 4

    difference = compare(
        results(store, "Old", questions, FIRST), results(store, "New", questions, SECOND)
    )["answer_match"].difference

    assert (difference.clusters, difference.method) == (2, "yes or no in clusters")
    assert difference.p == pytest.approx(2 / 4)


def test_two_models_of_one_run(store):
    run = results(store, "Both", QUESTIONS, FIRST, SECOND, models=MODELS)

    for models in ((0, 1), ("0", "1"), ("groq/small", "groq/large"), ("small", "large")):
        comparison = compare(run, models=models)
        assert (comparison.first, comparison.second) == ("small", "large")
        assert comparison["answer_match"].difference.wins == 6
        assert [change.setting for change in comparison.changes] == ["model"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Two sides are the same"),
        ({"models": (0, 0)}, "Two sides are the same"),
        ({"models": (0, 1, 0)}, "Two sides are the same"),
        ({"models": (0,)}, "There are 2 sides and 1 models"),
        ({"models": (0, 1), "labels": ("gold",) * 3}, "There are 3 sides and 2 models"),
        ({"models": (0, 2)}, r"no model 2 in this run. There are: 0 \(groq/small\), 1"),
        ({"models": (0, "gpt")}, "no model 'gpt' in this run"),
        ({"labels": ("heuristic", "gold")}, "'heuristic' did not label 'Both'. Only its own"),
    ],
)
def test_sides_that_are_not_there_are_refused(store, options, message):
    run = results(store, "Both", QUESTIONS, FIRST, SECOND, models=MODELS)

    with pytest.raises(ParameterError, match=message):
        compare(run, **options)


def test_a_name_of_the_terminal_is_no_run(store):
    with pytest.raises(RunFileError, match=r"no run file 'last'\. Give what evaluate gave"):
        compare("last", by="prompt_version")


def test_a_run_without_models_has_none_to_choose(store):
    with pytest.raises(ParameterError, match="Its answers were given with the data"):
        compare(results(store, "One", QUESTIONS, FIRST), models=(0, 1))


@pytest.mark.parametrize(
    ("questions", "metric", "message"),
    [
        (["Another?"], "answer_match", "Old and New have no sample and no question in common"),
        (
            QUESTIONS,
            "recall",
            "New have no value in common: the first has answer_match, the second recall",
        ),
    ],
)
def test_runs_without_anything_in_common_are_refused(store, questions, metric, message):
    ours = results(store, "Old", QUESTIONS, FIRST)
    theirs = results(store, "New", questions, SECOND[: len(questions)], metric=metric)

    with pytest.raises(ParameterError, match=message):
        compare(ours, theirs)


@pytest.mark.parametrize("values", [[], ["failed"] * 8])
def test_a_run_without_a_checked_answer_is_named(store, values):
    ours = results(store, "Old", QUESTIONS, FIRST)
    theirs = results(store, "Empty", QUESTIONS, values)

    with pytest.raises(ParameterError, match="Empty has no checked answer yet"):
        compare(ours, theirs)


def test_two_formulas_of_one_run_are_named_and_warned_of():
    store = Store(":memory:")
    ours = Results(find(store, INVENTED), store)
    theirs = Results(ours.run, store, "ragbench")

    comparison = compare(ours, theirs)

    assert (comparison.first, comparison.second) == ("sentence formula", "ragbench formula")
    assert comparison.warnings == ("The values are counted by different formulas or rules.",)
    assert "supported share are the same on every sample" in comparison.sentence()


def test_a_run_is_compared_with_its_own_file(store):
    ours = results(store, "Old", QUESTIONS, FIRST)
    theirs = Results(opened(written(store, ours.run), store, "local"), store)

    comparison = compare(ours, theirs)

    assert (comparison.changes, comparison.warnings, comparison.alone) == ((), (), ((), ()))
    assert comparison.sentence() == "Answer match is the same on every sample."


def test_nothing_checked_for_both_is_said_and_has_no_figure(store):
    ours = results(store, "Old", QUESTIONS, ["failed"] * 7 + [1.0])
    theirs = results(store, "New", QUESTIONS, [1.0] * 7 + ["failed"])

    comparison = compare(ours, theirs)

    assert comparison["answer_match"].difference is None
    assert comparison.sentence() == "No sample was checked for both."
    assert comparison.to_pandas().loc[0, "difference"] is None


def test_the_rates_of_rgb_are_each_over_their_ability(tmp_path):
    store = Store(":memory:")
    results = Results(find(store, NOISE), store)

    comparison = compare(results, models=(0, 1))

    means = results.summary(0), results.summary(1)
    for value in comparison.values:
        if len(value.rows) == value.matched:
            both = [mean[value.name].mean for mean in means]
            assert [value.difference.first, value.difference.second] == pytest.approx(both)
    noise = comparison["noise_robustness"]
    assert (len(noise.rows), noise.difference.clusters) == (120, 24)
    # Only one error was detected by both
    assert comparison["correction_if_detected"].coverage == "1 / 12"


def test_two_labellers_of_one_run():
    store = Store(":memory:")
    results = Results(find(store, INVENTED), store)

    comparison = compare(results, labels=("heuristic", "gold"))

    assert (comparison.first, comparison.second) == ("Heuristic", "Gold")
    assert comparison["adherence"].difference.first == pytest.approx(16 / 24)
    assert comparison["adherence"].difference.second == pytest.approx(15 / 24)
    assert comparison.warnings == ()


def test_what_differs_between_runs_is_told(store):
    ours = results(store, "Old", QUESTIONS, FIRST, models=MODELS[:1], prompt="$question", seed=1)
    theirs = results(store, "New", QUESTIONS, SECOND, models=MODELS[1:], prompt="$documents")

    changes = {
        change.setting: (change.first, change.second) for change in compare(ours, theirs).changes
    }

    assert changes["models"] == ("small", "large")
    assert changes["seed"] == ("1", "0")
    assert set(changes) == {"models", "model", "seed", "prompt"}


@pytest.mark.parametrize(
    ("ours", "theirs", "sentence"),
    [
        (
            FIRST,
            SECOND,
            "New is better in answer match by 75.0 points (18.2 to 92.9).",
        ),
        (
            SECOND,
            FIRST,
            "Old is better in answer match by 75.0 points (18.2 to 92.9).",
        ),
        (
            FIRST,
            [0.0, *FIRST[1:]],
            "Answer match cannot be told apart; to tell 3 points apart takes about 1,100 samples.",
        ),
        (FIRST, FIRST, "Answer match is the same on every sample."),
    ],
)
def test_what_was_found_is_one_sentence(store, ours, theirs, sentence):
    comparison = compare(
        results(store, "Old", QUESTIONS, ours), results(store, "New", QUESTIONS, theirs)
    )

    assert comparison.sentence() == sentence


def test_runs_of_one_name_are_told_apart_by_their_dates(store):
    ours = results(store, "Same", QUESTIONS, FIRST)
    theirs = results(store, "Other", QUESTIONS, SECOND)
    named = theirs.run.model_copy(update={"title": "Same", "created": "2026-11-22T10:30:00+00:00"})

    comparison = compare(ours, Results(named, store))

    assert (comparison.first, comparison.second) == (
        "Same (2026-11-22 09:00)",
        "Same (2026-11-22 10:30)",
    )
