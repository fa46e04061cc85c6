"""The groups of one run: paired by their questions, the best first, every pair counted."""

import pytest

from evaluators import compare, evaluate
from evaluators.errors import ParameterError
from evaluators.records import Dataset, Sample
from evaluators.terminal.remedies import IN_TERMINAL
from tests.comparison.made import MODELS, results

QUESTIONS = [f"Question {number}?" for number in range(8)]
OLD = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
BETTER = [1.0] * 8
SAME = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def grouped(*groups):
    """Samples of these groups: name, questions, and the documents of all."""
    samples = []
    for name, questions, documents in groups:
        for question in questions:
            samples.append(
                Sample(
                    id=f"s{len(samples)}",
                    question=question,
                    response="Yes.",
                    retrieved_documents=documents,
                    situation=name,
                )
            )
    return Dataset(name="made", samples=tuple(samples))


def versions(store, *values, names=("v1", "v2", "v3"), **facts):
    data = grouped(*((name, QUESTIONS, ("A.",)) for name, _ in zip(names, values, strict=False)))
    every = [value for own in values for value in own]
    facts = {"origin": {"group": "prompt_version"}} | facts
    return results(store, "Versions", data, every, **facts)


def test_two_versions_are_paired_by_question_and_the_better_one_is_first(store):
    comparison = compare(versions(store, OLD, BETTER), by="prompt_version")

    assert (comparison.first, comparison.second) == ("v2", "v1")
    value = comparison["answer_match"].difference
    assert (value.rows, value.clusters, value.wins, value.losses) == (8, 8, 0, 6)
    # Six questions on which one alone is right: the exact mid-p is 2^-6.
    assert value.p == pytest.approx(1 / 2**6)
    assert comparison.sentence() == "v2 is better in answer match by 75.0 points (18.2 to 92.9)."
    assert [(each.setting, each.first, each.second) for each in comparison.changes] == [
        ("group", "v2", "v1")
    ]
    # Rows 8 to 15 are those of v2.
    assert [row[:2] for row in comparison["answer_match"].rows] == [(8 + n, n) for n in range(8)]


def test_p_values_of_three_count_every_pair(store):
    several = compare(versions(store, OLD, SAME, BETTER), by="prompt_version")

    assert [system.title for system in several.systems] == ["v3", "v1", "v2"]
    # Three pairs: two of p = 2^-6, and v1 beside v2, each right once where the other is not.
    for name in ("v1", "v2"):
        difference = several[name]["answer_match"].difference
        assert difference.adjusted == pytest.approx(3 / 2**6)
        assert difference.is_told_apart
    assert several["v1"].against_reference() == (
        "Worse in answer match by 75.0 points (18.2 to 92.9)."
    )


def test_a_run_beside_itself_is_told_how_its_groups_are_compared(store):
    run = versions(store, OLD, BETTER)
    with pytest.raises(ParameterError, match="Two sides are the same") as raised:
        compare(run, run)
    assert str(raised.value).endswith('Or compare its groups: by="prompt_version".')
    told = raised.value.remedy.worded(IN_TERMINAL)
    assert told == 'Or compare its groups: --by "prompt_version".'


def test_tables_and_files_have_the_group(store, tmp_path):
    run = versions(store, OLD, BETTER)

    assert list(run.to_pandas()["group"]) == ["v1"] * 8 + ["v2"] * 8
    table = run.export(tmp_path / "own.csv").read_text(encoding="utf-8-sig")
    header, first, *_ = table.splitlines()
    assert first.split(",")[header.split(",").index("group")] == "v1"


def test_the_name_of_the_column_in_files_will_do(store):
    assert compare(versions(store, OLD, BETTER), by="group").first == "v2"


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("model", "There are no groups by model. Those of this run are by prompt_version: v1, v2."),
        ("v1", "There are no groups by v1."),
    ],
)
def test_a_column_that_is_not_there_is_named(store, by, words):
    with pytest.raises(ParameterError, match="groups by") as raised:
        compare(versions(store, OLD, BETTER), by=by)

    assert words in str(raised.value)


def test_data_without_groups_are_told_what_to_do(store):
    run = results(store, "Plain", QUESTIONS, OLD)

    with pytest.raises(ParameterError, match="Read them with prompt_version as their group"):
        compare(run, by="prompt_version")


def test_25_groups_are_too_many_and_one_is_too_few(store):
    many = grouped(*((f"v{number}", QUESTIONS[:1], ()) for number in range(25)))
    one = grouped(("v1", QUESTIONS, ()))

    with pytest.raises(ParameterError, match=r"has 25 groups: v0, v1, .*From 2 to 20"):
        compare(results(store, "Many", many, [1.0] * 25), by="group")
    with pytest.raises(ParameterError, match="group has 1 group: v1"):
        compare(results(store, "One", one, [1.0] * 8), by="group")


def test_groups_without_a_common_question_are_refused(store):
    data = grouped(("cats", QUESTIONS[:4], ()), ("dogs", QUESTIONS[4:], ()))

    with pytest.raises(ParameterError, match="no sample and no question in common"):
        compare(results(store, "Topics", data, OLD), by="group")


def test_one_question_alone_tells_nothing(store):
    data = grouped(("v1", QUESTIONS[:1], ()), ("v2", QUESTIONS, ()))

    comparison = compare(results(store, "One", data, [0.0, *BETTER]), by="group")

    difference = comparison["answer_match"].difference
    assert (difference.rows, difference.is_told_apart) == (1, False)
    assert "better" not in comparison.sentence()
    assert comparison.alone == (tuple(range(2, 9)), ())


def test_a_question_that_stands_twice_in_a_group_counts_once(store):
    data = grouped(("v1", QUESTIONS * 2, ()), ("v2", QUESTIONS * 2, ()))

    comparison = compare(results(store, "Twice", data, [*OLD, *OLD, *BETTER, *BETTER]), by="group")

    difference = comparison["answer_match"].difference
    assert (difference.rows, difference.clusters) == (16, 8)


def test_samples_without_a_group_are_left_out_and_counted(store):
    data = grouped(("", QUESTIONS[:3], ()), ("v1", QUESTIONS, ()), ("v2", QUESTIONS, ()))

    comparison = compare(results(store, "Some", data, [*BETTER[:3], *OLD, *BETTER]), by="group")

    assert comparison["answer_match"].matched == 8
    assert "3 samples without a group are left out." in comparison.warnings


def test_the_heuristic_puts_no_version_first():
    rows = [
        {"question": question, "response": response, "retrieved_documents": ["It is red."]}
        | {"prompt_version": version}
        for version, response in (("v1", "It is blue and huge."), ("v2", "It is red."))
        for question in QUESTIONS
    ]
    run = evaluate(rows, "trace", progress=False)

    comparison = compare(run, by="prompt_version")

    assert (comparison.first, comparison.second) == ("v1", "v2")
    assert "not to be used to choose a system" in comparison.sentence()
    assert "better" not in comparison.sentence()


def test_relevance_over_the_same_documents_is_not_the_versions(store):
    values = [
        {"context_relevance": relevance, "adherence": adherence}
        for relevance, adherence in [(0.2, 0.0)] * 8 + [(0.9, 1.0)] * 8
    ]
    data = grouped(("v1", QUESTIONS, ("A.",)), ("v2", QUESTIONS, ("A.",)))
    same = results(store, "Same", data, values, metric="gpt_labelling")
    data = grouped(("v1", QUESTIONS, ("A.",)), ("v2", QUESTIONS, ("B.",)))
    other = results(store, "Other", data, values, metric="gpt_labelling")

    assert compare(same, by="group")["context_relevance"].because == "documents"
    assert compare(other, by="group")["context_relevance"].because == ""


def test_groups_are_of_one_model_and_one_labeller(store):
    run = versions(store, OLD, BETTER)

    for wrong in ({"models": (0, 0)}, {"labels": ("gold", "people")}):
        with pytest.raises(ParameterError, match="Name one"):
            compare(run, by="group", **wrong)
    with pytest.raises(ParameterError, match="there are 2 runs"):
        compare(run, run, by="group")


def test_each_model_has_groups_of_its_own(store):
    data = grouped(("v1", QUESTIONS, ()), ("v2", QUESTIONS, ()))
    values = [*OLD, *BETTER], [*BETTER, *OLD]
    run = results(store, "Models", data, *values, models=MODELS)

    assert compare(run, by="group").first == "v2"
    assert compare(run, by="group", models=("large",)).first == "v1"


def test_pairs_that_take_too_long_count_as_if_they_were_alike(store):
    # 19 others make 171 pairs, of 50 questions each.
    questions = [f"Question {number}?" for number in range(50)]
    names = [f"v{number:02}" for number in range(20)]
    values = [1.0] * 50 + [0.0] * 10 + [1.0] * 40 + [1.0] * 900
    data = grouped(*((name, questions, ()) for name in names))

    several = compare(results(store, "Many", data, values), by="group")

    assert len(several.systems) == 20
    # Ten questions that one alone is right on, of 190 pairs: the smallest counts 190 times.
    assert several["v01"]["answer_match"].difference.adjusted == pytest.approx(190 / 2**10)
