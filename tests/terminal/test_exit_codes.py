"""The exit code: what a mean, its coverage and an unfinished run make of it."""

import pytest

from evaluators.api.gate import Demand, Strictness
from evaluators.api.results import Results
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import compose
from evaluators.errors import ParameterError
from evaluators.records import (
    Ability,
    Dataset,
    EvaluatorSpec,
    ModelSpec,
    Sample,
    SampleResult,
    Score,
)
from evaluators.runs.inputs import evaluators
from evaluators.runs.store import Store
from evaluators.terminal.exit_codes import (
    BELOW,
    CANNOT_TELL,
    FINE,
    INCOMPLETE,
    check_names,
    demands,
    run_outcome,
)
from tests.stops import stop
from tests.stored import save_score, stored_run

RECALL = EvaluatorSpec(name="retriever_recall")
MATCH = EvaluatorSpec(name="answer_match")
LUNA = ModelSpec(provider="openai", model="gpt-6-luna")
SOL = ModelSpec(provider="openai", model="gpt-6-sol")
FAILED, OPEN = "failed", "open"


def results(*columns, models=(), name="hit"):
    """A run of four answers with these values (or FAILED, OPEN, `None`): a column for each metric,
    or for each model.

    Every metric gives one value of that name.
    """
    data = Dataset(
        name="By hand",
        samples=tuple(Sample(id=str(n), question="?") for n in range(len(columns[0]))),
    )
    store, metrics = Store(":memory:"), (RECALL, MATCH)[: 1 if models else len(columns)]
    run = stored_run(store, data, *metrics, models=models)
    for number, column in enumerate(columns):
        cell = {"model": number} if models else {"metric": number}
        for position, value in enumerate(column):
            if value == FAILED:
                store.results.save(
                    run.id,
                    SampleResult(position=position, status="failed", error="No answer.", **cell),
                )
            elif value != OPEN:
                reason = "" if value is not None else "Nothing to judge."
                score = Score(values={name: value}, reason=reason)
                save_score(store, run.id, score, position=position, **cell)
    return Results(run, store)


@pytest.mark.parametrize(
    ("values", "least", "coverage", "code"),
    [
        # Wilson's interval of 4 of 4 is 0.5101 to 1, of 2 of 4 0.15 to 0.85, of 0 of 4 0 to 0.4899
        ((1.0, 1.0, 1.0, 1.0), 0.51, 1.0, FINE),
        ((1.0, 1.0, 1.0, 1.0), 0.52, 1.0, CANNOT_TELL),
        ((1.0, 1.0, 0.0, 0.0), 0.14, 1.0, FINE),
        ((1.0, 1.0, 0.0, 0.0), 0.5, 1.0, CANNOT_TELL),
        ((1.0, 1.0, 0.0, 0.0), 0.86, 1.0, BELOW),
        ((0.0, 0.0, 0.0, 0.0), 0.48, 1.0, CANNOT_TELL),
        ((0.0, 0.0, 0.0, 0.0), 0.5, 1.0, BELOW),
        # All alike tell nothing of how others differ, and neither does one.
        ((0.7, 0.7, 0.7, 0.7), 0.5, 1.0, CANNOT_TELL),
        ((1.0, None, None, None), 0.5, 1.0, CANNOT_TELL),
        # Not applicable counts as covered, and enters no mean: 2 of 2 are 0.3424 to 1.
        ((1.0, None, 1.0, None), 0.34, 1.0, FINE),
        ((1.0, 1.0, 1.0, FAILED), 0.43, 1.0, BELOW),  # 3 of 4 are covered; 3 of 3 are 0.4385 to 1
        ((1.0, 1.0, 1.0, FAILED), 0.43, 0.75, FINE),
        ((1.0, 1.0, 1.0, FAILED), 0.43, 0.76, BELOW),
        ((None, None, None, None), 0.5, 1.0, BELOW),  # nothing judged is no mean
        ((FAILED, FAILED, FAILED, FAILED), 0.0, 0.0, BELOW),
        ((1.0, 1.0, 1.0, OPEN), 0.5, 0.5, INCOMPLETE),
    ],
)
def test_a_demanded_mean_stands_on_what_was_judged_and_on_enough_of_it(
    values, least, coverage, code
):
    found = run_outcome(results(values), [Demand("hit", least)], Strictness(coverage))

    assert found.code == code


@pytest.mark.parametrize(
    ("values", "coverage", "code"),
    [
        ((0.0, 0.0, 0.0, 0.0), 1.0, FINE),
        ((0.0, None, None, None), 1.0, FINE),
        ((1.0, 1.0, 1.0, FAILED), 1.0, INCOMPLETE),
        ((1.0, 1.0, 1.0, FAILED), 0.75, FINE),
        ((1.0, OPEN, OPEN, OPEN), 0.0, INCOMPLETE),
    ],
)
def test_without_a_demand_only_what_is_missing_counts(values, coverage, code):
    assert run_outcome(results(values), (), Strictness(coverage)).code == code


def test_what_is_wanting_is_told_with_its_numbers():
    found = run_outcome(results((1.0, 0.0, 0.0, FAILED)), [Demand("hit", 0.8)])

    assert found.words == (
        # Wilson's of 1 of 3
        "hit is 0.3333 (0.06149 to 0.7923), below the 0.8 asked for.",
        "hit covers 75.0% of the samples, below the 100.0% asked for.",
    )


def test_failures_are_counted_as_their_reasons_stand_below_the_means():
    found = run_outcome(results((1.0, 0.0, 0.0, FAILED)))

    assert found.words == ("1 of 4 results failed; resume tries them again.",)


def test_a_stopped_run_says_why():
    stopped = results((1.0, OPEN, OPEN, OPEN))
    stop(stopped.store, stopped.run.id, "The budget of 1 call is used up.", "cap")

    assert run_outcome(stopped).words == (
        "3 of 4 results are not checked yet.",
        "The budget of 1 call is used up.",
    )


def test_every_model_must_reach_what_is_demanded():
    both = results((1.0,) * 4, (0.0,) * 4, models=(LUNA, SOL))
    found = run_outcome(both, [Demand("hit", 0.5)])

    assert found.code == BELOW
    assert found.words == ("hit of GPT-6 Sol is 0 (0 to 0.4899), below the 0.5 asked for.",)
    assert [(own.name, own.state) for own in found.rulings] == [
        ("hit of GPT-6 Luna", "pass"),
        ("hit of GPT-6 Sol", "fail"),
    ]


def test_a_name_that_two_metrics_give_is_demanded_by_number():
    two = results((1.0,) * 4, (0.0,) * 4)

    assert run_outcome(two, [Demand("hit", 0.5)]).code == FINE
    assert run_outcome(two, [Demand("hit (2)", 0.5)]).code == BELOW


def test_failures_of_another_metric_leave_the_run_incomplete():
    assert run_outcome(results((1.0, 1.0), (0.0, FAILED)), [Demand("hit", 0.3)]).code == INCOMPLETE


def test_a_value_that_does_not_exist_is_named_with_those_that_do():
    with pytest.raises(ParameterError, match=r"There is no value adherence here. There are: hit\."):
        run_outcome(results((1.0, 1.0)), [Demand("adherence", 0.9)])


TRACE_RUN = ([EvaluatorSpec(name="trace"), MATCH], bundled()[TRACE_SAMPLES].samples)
RGB_RUN = (
    [EvaluatorSpec(name="rgb")],
    compose(bundled()[ENGLISH_BED], [Ability.REJECTION]).samples,
)
LABELS = ([EvaluatorSpec(name="gpt_labeling")], TRACE_RUN[1])


@pytest.mark.parametrize(
    ("demand", "asked", "judges", "words"),
    [
        (
            "adherance=0.8",
            TRACE_RUN,
            (),
            "no value adherance here. There are: .*adherence, .*answer_match",
        ),
        ("adherence=80", TRACE_RUN, (), "adherence=80 can never be met"),
        (
            "noise_robustness=1",
            RGB_RUN,
            (),
            "no value noise_robustness here. There are: negative_rejection",
        ),
        ("negative_rejection_judge=1", RGB_RUN, (), "no value negative_rejection_judge"),
        (
            "rejection=1",
            RGB_RUN,
            (LUNA,),
            "There are: negative_rejection, negative_rejection_judge",
        ),
        ("adherance=1", LABELS, (LUNA, SOL), "There are: .*adherence"),
    ],
)
def test_a_demand_that_no_value_could_meet_is_refused_before_the_run(demand, asked, judges, words):
    specs, samples = asked
    with pytest.raises(ParameterError, match=words):
        check_names(demands([demand]), evaluators(specs), samples, judges)


@pytest.mark.parametrize(
    ("demand", "asked", "judges"),
    [
        ("adherence=0.8", TRACE_RUN, ()),
        ("adherence=0.8", LABELS, (LUNA,)),
        ("negative_rejection_judge=1", RGB_RUN, (LUNA,)),
        ("anything=7", ([EvaluatorSpec(name="hedging")], TRACE_RUN[1]), ()),  # of one's own
        ("context_recall=1", ([EvaluatorSpec(name="context_recall")], TRACE_RUN[1]), (LUNA,)),
        ("relevance=1", ([EvaluatorSpec(name="g_eval")], TRACE_RUN[1]), (LUNA,)),
    ],
)
def test_a_demand_that_may_be_met_is_left_to_the_run(demand, asked, judges):
    specs, samples = asked
    check_names(demands([demand]), evaluators(specs), samples, judges)


@pytest.mark.parametrize(
    "text", ["adherence", "adherence=", "adherence=high", "adherence=nan", "adherence=inf"]
)
def test_a_demand_is_a_name_and_a_number(text):
    with pytest.raises(ParameterError, match="Write NAME=NUMBER"):
        demands([text])


def test_demands_are_read():
    assert demands(["adherence=0.8", "hit (2)=1"]) == (
        Demand("adherence", 0.8),
        Demand("hit (2)", 1.0),
    )
