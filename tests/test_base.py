"""Evaluators: parameters are fields, names are known, a stored spec builds the same one again."""

from typing import Any

import pytest
from pydantic import Field

from evaluators import FakeLLM
from evaluators.base import Evaluator, evaluator, missing, require
from evaluators.catalogue import catalogue, from_spec, leads, ships
from evaluators.errors import AccessError, MissingInputError, ParameterError
from evaluators.llm.offline_reader import OfflineReader
from evaluators.records import EvaluatorSpec, Sample, Score
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.values import Value


@evaluator("test_length", title="Length", needs=("response",))
class Length(Evaluator):
    """1 where the response is at most `limit` characters long."""

    limit: int = Field(10, ge=1, le=100)
    llm_client: Any = None

    def score(self, sample: Sample) -> Score:
        require(self.needs, sample, self.title)
        return Score(values={"short": float(len(sample.response or "") <= self.limit)})


class Needy(Evaluator):
    """Has a parameter without default."""

    title = "Needy"
    wanted: int

    def score(self, sample: Sample) -> Score:
        return Score(values={})


def test_values_without_names_are_the_fields_in_their_order():
    assert Length(7) == Length(limit=7)
    with pytest.raises(ParameterError, match="Length takes limit, llm_client, and 3 values"):
        Length(7, None, None)


def test_the_catalogue_knows_evaluators_by_name():
    known = catalogue()

    assert known["rgb"] is RGBEvaluator
    assert known["test_length"] is Length
    assert (Length.name, Length.title, Length.needs) == ("test_length", "Length", ("response",))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (["share"], "values is "),
        ("share", "values is "),
        ([Value("share"), Value("share")], "Two values are called 'share'"),
    ],
)
def test_values_are_declared_as_records_of_different_names(values, problem):
    with pytest.raises(ValueError, match=problem):
        evaluator("test_refused", title="Refused", values=values)(Needy)

    assert "test_refused" not in catalogue()


def test_a_metric_has_the_values_that_it_declares_or_those_of_its_base():
    assert [value.name for value in RGBEvaluator.values][:2] == [
        "noise_robustness",
        "negative_rejection",
    ]
    assert catalogue()["gpt_labeling"].values == catalogue()["trace"].values
    assert Length.values == ()


def test_every_evaluator_of_the_catalogue_can_be_built_from_its_own_spec():
    usable = {name: cls for name, cls in catalogue().items() if not name.startswith("test_")}

    assert {"rgb", "trace"} <= set(usable)
    for cls in usable.values():
        assert from_spec(cls.build().spec()) == cls.build()


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("trace", 0),
        ("answer_match", 0),
        ("rgb", 1),
        ("llm_judge", 1),
        ("gpt_labeling", 5),
        ("hybrid", 5),
    ],
)
def test_a_metric_has_no_judge_or_one_and_a_labeller_may_have_a_jury(name, most):
    assert catalogue()[name].most_judges() == most


@pytest.mark.parametrize(
    ("declared", "judges", "most", "is_needed"),
    [
        (None, "one", 1, True),
        ("none", "none", 0, False),
        ("optional", "optional", 1, False),
        ("one", "one", 1, True),
        ("jury", "jury", 5, True),
    ],
)
def test_judges_are_declared_and_a_place_for_a_client_means_one(declared, judges, most, is_needed):
    @evaluator(f"test_declared_{declared}", title="Declared", judges=declared)
    class Declared(Length):
        """Has a field `llm_client`."""

    assert (Declared.judges, Declared.most_judges(), Declared().needs_judge) == (
        judges,
        most,
        is_needed,
    )


def test_without_a_place_for_a_client_there_is_no_judge():
    assert catalogue()["answer_match"].judges == "none"
    with pytest.raises(ValueError, match="Needy asks a judge and has no field llm_client"):
        evaluator("test_needy", title="Needy", judges="one")(Needy)


def test_a_judge_and_a_jury_are_what_was_given():
    one, two = OfflineReader(), OfflineReader()

    assert Length().model_copy(update={"llm_client": one}).judge() is one
    assert Length().model_copy(update={"llm_client": (one, two)}).jury() == (one, two)


def test_a_missing_judge_is_named_with_the_remedy():
    with pytest.raises(AccessError) as caught:
        Length().judge()

    remedy = "Choose a model, or give its client as llm_client."
    assert str(caught.value) == f"Length needs a judge. {remedy}"


def test_the_catalogue_begins_with_benchmarks_and_with_what_costs_nothing():
    assert [name for name, cls in catalogue().items() if ships(cls)] == [
        *("rgb", "trace", "local", "gpt_labeling", "decisions", "hybrid"),
        *("answer_match", "context_recall_lexical", "retriever_recall"),
        *("context_recall", "fact_recall", "g_eval", "llm_judge", "prompt"),
    ]


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [
        ("rgb", "rgb"),
        ("trace", "trace"),
        ("gpt_labeling", "trace"),
        ("hybrid", "trace"),
        ("g_eval", None),
        ("gone", None),
    ],
)
def test_an_evaluator_leads_the_runs_of_its_benchmark(name, benchmark):
    assert leads(name) == benchmark


def test_two_evaluators_cannot_share_a_name():
    with pytest.raises(ValueError, match="Two evaluators are called 'rgb'; rename one"):
        evaluator("rgb", title="Another")(Length)


def test_a_spec_holds_name_and_parameters_but_no_client():
    judge = FakeLLM(model="holds a key")

    assert Length(limit=5, llm_client=judge).spec() == EvaluatorSpec(
        name="test_length", params={"limit": 5}
    )


def test_a_stored_spec_builds_the_same_evaluator():
    stored = RGBEvaluator(policy="paper", nfkc=False).spec().model_dump_json()

    assert from_spec(EvaluatorSpec.model_validate_json(stored)) == RGBEvaluator(
        policy="paper", nfkc=False
    )


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"No metric is called 'rbg'\. Known: .*rgb"):
        from_spec(EvaluatorSpec(name="rbg"))


@pytest.mark.parametrize(
    ("cls", "params", "message"),
    [
        (Length, {"limit": 0}, "Length: limit is 0. Input should be greater than or equal to 1."),
        (Length, {"limit": "x"}, "Length: limit is 'x'. Input should be a valid integer"),
        (Length, {"limt": 5}, "Length: limt is not a parameter. Known: limit."),
        (Length, {"api_key": "sk-secret"}, "Length: api_key is not a parameter. Known: limit."),
        (Needy, {}, "Needy: wanted is missing. Give it a value."),
        (
            RGBEvaluator,
            {"policy": "strict"},
            "RGB: policy is 'strict'. Input should be 'documented' or 'paper'.",
        ),
    ],
)
def test_a_parameter_that_does_not_fit_is_named_with_the_remedy(cls, params, message):
    with pytest.raises(ParameterError) as caught:
        cls.build(**params)

    assert str(caught.value).startswith(message)


def test_a_constructor_says_what_is_wrong_in_a_line():
    with pytest.raises(ParameterError) as caught:
        Length(limit="many")

    assert str(caught.value).startswith("Length: limit is 'many'. ")
    assert "\n" not in str(caught.value)


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(ParameterError) as caught:
        Length.build(limit="x" * 10_000)

    assert len(str(caught.value)) < 300


def test_an_evaluator_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        RGBEvaluator().policy = "paper"


@pytest.mark.parametrize(
    ("sample", "lacking"),
    [
        (Sample(id="1", question="q"), ["response", "retrieved_documents", "ground_truth"]),
        (Sample(id="1", question="q", response="", retrieved_documents=("",), ground_truth=""), []),
        (
            Sample(id="1", question="q", response="r", ground_truth=()),
            ["retrieved_documents", "ground_truth"],
        ),
    ],
)
def test_missing_names_the_fields_that_hold_nothing(sample, lacking):
    assert missing(("response", "retrieved_documents", "ground_truth"), sample) == lacking


def test_a_response_that_a_generator_gives_is_not_missing():
    sample = Sample(id="1", question="q")

    assert missing(("response", "ground_truth"), sample, given=("response",)) == ["ground_truth"]


def test_require_names_sample_field_evaluator_and_remedy():
    with pytest.raises(MissingInputError) as caught:
        Length().score(Sample(id="17", question="q"))

    assert str(caught.value) == "Sample 17: response missing, and Length needs it. Fill it in."


@pytest.mark.parametrize(
    "metric", [cls for cls in catalogue().values() if ships(cls) and "response" in cls.needs]
)
def test_every_metric_that_needs_a_response_misses_it(metric):
    judge = {"llm_client": FakeLLM()} if metric.most_judges() else {}
    silent = Sample(id="7", question="q", retrieved_documents=("d",), ground_truth="x")

    with pytest.raises(MissingInputError, match="Sample 7: response missing"):
        metric.build(**judge).score(silent)


def test_require_leaves_an_empty_field_to_the_evaluator():
    assert Length().score(Sample(id="17", question="q", response="")).values == {"short": 1.0}
    require(("retrieved_documents",), Sample(id="17", question="q"), "Length")


def test_an_evaluator_without_a_rule_says_so():
    with pytest.raises(TypeError, match="abstract"):
        Evaluator()
