"""What a run would take: counted as the run would do it, with nothing sent, stored, or needed."""

from functools import partial

import pytest

from evaluators import AdvancedRAGEvaluator, estimate
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.dry_run import TO_COME
from evaluators.errors import ParameterError
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.estimate import SHORT_ANSWER
from evaluators.prompts import fenced, fill, load
from evaluators.records import Dataset, Sample
from evaluators.runs import inputs
from evaluators.runs.forecast import Measures, doubt_of, forecast
from evaluators.runs.inputs import keys_for_estimates, local_store
from evaluators.runs.plan import RunPlan
from evaluators.terminal.arguments import plan_of_options
from evaluators.text.size import tokens

pytestmark = pytest.mark.usefixtures("data_folder")

OSS, BIG, LUNA = "groq/openai/gpt-oss-20b", "groq/openai/gpt-oss-120b", "openai/gpt-6-luna"
ROWS = 24
"""Of the TRACE sample, all of which hold a response."""


def found(**options):
    keys = keys_for_estimates({})
    plan = plan_of_options(options, local_store(), keys)
    return forecast(plan, keys, partial(local_store().calls.answered, "local")).named()


def calls(**options):
    return {name: each.calls for name, each in found(**options)}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"metric": ["trace", "answer_match"]}, {}),
        ({"metric": ["gpt_labeling"], "judge": [BIG]}, {"GPT-OSS 120B (judge)": ROWS}),
        (
            {"metric": ["gpt_labeling"], "judge": [BIG, LUNA]},
            {"GPT-OSS 120B (judge)": ROWS, "GPT-6 Luna (judge)": ROWS},
        ),
        (
            {"metric": ["gpt_labeling", "llm_judge"], "judge": [BIG]},
            {"GPT-OSS 120B (judge)": 2 * ROWS},
        ),
        (  # the jury labels; the first judge alone is asked the yes/no question
            {"metric": ["gpt_labeling", "llm_judge"], "judge": [BIG, LUNA]},
            {"GPT-OSS 120B (judge)": 2 * ROWS, "GPT-6 Luna (judge)": ROWS},
        ),
        ({"metric": ["g_eval"], "judge": [BIG]}, {"GPT-OSS 120B (judge)": 4 * ROWS}),
        (
            {"metric": ["hybrid"], "judge": [BIG], "param": ["doubt_from=1.01"]},
            {"GPT-OSS 120B (judge)": 0},
        ),
    ],
)
def test_judges_of_answers_that_exist(options, expected):
    assert calls(data=TRACE_SAMPLES, **options) == expected


def test_models_that_answer_and_a_judge_of_their_answers():
    """One row of each kind: five noise levels twice, one to decline and one with planted errors,
    which are judged.
    """
    options = {"data": ENGLISH_BED, "metric": ["rgb"], "sample": 1, "judge": [BIG]}

    assert calls(**options, model=[OSS, LUNA]) == {
        "GPT-OSS 20B": 12,
        "GPT-6 Luna": 12,
        "GPT-OSS 120B (judge)": 4,
    }


def test_the_tokens_are_those_of_the_prompts():
    options = {
        "data": ENGLISH_BED,
        "metric": ["rgb"],
        "ability": ["negative_rejection"],
        "sample": 1,
    }
    wanted = plan_of_options({**options, "model": [OFFLINE.id]}, local_store(), {})
    (sample,) = wanted.dataset.samples
    prompt = fill(load("rgb_en"), sample.question, sample.retrieved_documents).text
    to_judge = fenced(load("judge_rejection_en"), question=sample.question, answer=TO_COME)

    (_, model), (_, judge) = found(**options, model=[OSS], judge=[BIG])

    assert model.prompt_tokens == tokens(prompt)
    assert judge.prompt_tokens == tokens(to_judge) + SHORT_ANSWER


def test_nothing_is_stored():
    found(data=TRACE_SAMPLES, metric=["gpt_labeling"], judge=[BIG])

    assert local_store().runs.newest("local") == []


# By hand

MILL = {"question": "When?", "retrieved_documents": ("The mill was built in 1812.",)}
HALF = Dataset(
    name="half",
    samples=(
        Sample(id="a", response="In 1812.", ground_truth="1812", **MILL),
        Sample(id="b", ground_truth="1812", **MILL),
        Sample(id="c", ground_truth="1812", **MILL | {"question": "When built?"}),
    ),
)


def judged(metrics, **options):
    """What the judge is taken to be asked: calls, and least answer tokens."""
    (judge,) = estimate(HALF, metrics, judge=LUNA, **options).judges
    return judge.calls, judge.answer_low


@pytest.mark.parametrize(
    ("metrics", "models", "expected"),
    [
        # Without a model the two samples that nobody answers fail, and nobody is asked.
        ("gpt_labeling", [], (1, 200)),
        # Two models: the response that is there is judged once, each answer to come on its own.
        ("gpt_labeling", [OSS, BIG], (5, 1_000)),
        ("llm_judge", [OSS, BIG], (5, 150)),
        # Labels are long at least, a verdict is short.
        (["gpt_labeling", "llm_judge"], [OSS, BIG], (10, 1_150)),
        # What looks at no response asks the same about all models, and so once.
        ("context_recall", [], (3, 90)),
        # Of answers to come nobody knows the doubt; of the one that is there it is not so large.
        (HybridEvaluator(), [OSS, BIG], (5, 1_000)),
        (HybridEvaluator(doubt_from=1.0), [OSS, BIG], (4, 800)),
        (HybridEvaluator(doubt_from=1.01), [OSS, BIG], (0, 0)),
        (HybridEvaluator(doubt_from=1.0), [], (0, 0)),
    ],
)
@pytest.mark.parametrize("use_cache", [True, False])
def test_what_a_judge_is_asked_about_answers_that_are_there_and_to_come(
    metrics, models, expected, use_cache
):
    assert judged(metrics, model=models, use_cache=use_cache) == expected


def test_from_python_no_key_is_needed_and_models_and_judges_are_apart():
    models, judges = estimate(HALF, "gpt_labeling", model=[OFFLINE.id, OSS], judge=[BIG, LUNA])

    assert [(each.model, each.calls) for each in models] == [(OFFLINE.id, 2), (OSS, 2)]
    assert [(each.model, each.calls) for each in judges] == [(BIG, 5), (LUNA, 5)]


def test_from_python_what_could_not_be_run_is_refused():
    with pytest.raises(ParameterError, match="G-Eval asks a judge, and none is named"):
        estimate(HALF, "g_eval")


def counting(keys):
    """A store that holds the answers to half of the requests."""
    return len(keys) // 2


@pytest.mark.parametrize(("use_cache", "expected"), [(True, (12, 12)), (False, (24, 0))])
def test_stored_answers_count_where_they_may_serve(use_cache, expected):
    keys = keys_for_estimates({})
    judges = inputs.models(LUNA, keys)
    data = bundled()[TRACE_SAMPLES]
    plan = RunPlan(data, [AdvancedRAGEvaluator()], judges=judges, use_cache=use_cache)

    (judge,) = forecast(plan, keys, counting).judges

    assert (judge.calls, judge.cached) == expected


@pytest.mark.parametrize(
    ("doubts", "most", "expected"),
    [
        ([0.9, 0.5, 0.1], 0, 1.01),
        ([0.9, 0.5, 0.1], 1, 0.9),
        ([0.9, 0.5, 0.1], 2, 0.5),
        ([0.9, 0.5, 0.1], 3, 0.0),
        ([0.5, 0.9, 0.9], 2, 0.9),
        ([0.5, 0.9, 0.9], 1, 1.01),
        ([0.9, 0.9, 0.9], 2, 1.01),
    ],
)
def test_so_many_samples_for_the_judges_give_the_least_doubt(doubts, most, expected):
    class Known(Measures):
        def doubts(self, plan, hybrid):
            return dict(enumerate(doubts))

    assert doubt_of(RunPlan(HALF, []), HybridEvaluator(), most, Known()) == expected
