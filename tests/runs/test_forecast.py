"""What a run would take: counted as the run would do it, with nothing sent, stored, or needed."""

from functools import partial

import pytest

from evaluators import AdvancedRAGEvaluator, estimate
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.dry_run import TO_COME, answered, prompts_of
from evaluators.errors import ParameterError
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm.catalogue import OFFLINE, find
from evaluators.llm.estimate import SHORT_ANSWER
from evaluators.llm_judge import LLMasJudge
from evaluators.prompts import Prompt, fenced, fill, load
from evaluators.records import Dataset, Sample, Score, Sentence, Sentences
from evaluators.runs import forecast as forecasting
from evaluators.runs import inputs
from evaluators.runs.forecast import Measures, PromptSizes, doubt_of, forecast
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


# Sizes and keys

GPT, SOL = (find(id).spec() for id in (LUNA, "openai/gpt-6-sol"))
SIZED = [(Prompt(text="a" * 40), 1), (Prompt(text="b" * 80), 1)]
"""10 and 20 tokens, and 8 for the frame around each."""


def test_prompts_are_measured_once_and_have_a_key_for_each_llm():
    sizes = PromptSizes.of(SIZED, [OFFLINE, GPT, SOL])

    assert sizes.tokens == (18, 28)
    assert set(sizes.keys) == {GPT, SOL}
    assert len({key for keys in sizes.keys.values() for key in keys}) == 4


def test_a_schema_makes_another_request():
    plain, shaped = (
        PromptSizes.of([(Prompt(text="a", schema_text=text), 1)], [GPT]).keys[GPT]
        for text in ("", "{}")
    )

    assert plain != shaped


def test_judgements_to_come_have_short_answers_and_cannot_be_stored():
    plan = RunPlan(HALF, [AdvancedRAGEvaluator()])
    measured = [
        tokens(prompt.text) + SHORT_ANSWER
        for sample in HALF.samples[1:]
        for prompt in prompts_of(AdvancedRAGEvaluator(), answered(sample))
    ]

    sizes = Measures().judgements_to_come(plan, AdvancedRAGEvaluator(), None)

    assert sizes == (tuple(measured), {})


# Doubt


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


def test_on_a_public_host_the_doubts_of_a_form_take_so_long_and_no_longer(monkeypatch):
    plan, labeller = RunPlan(bundled()[TRACE_SAMPLES], []), HybridEvaluator()
    monkeypatch.setattr(forecasting, "MOST_SECONDS", -1)
    assert len(Measures().doubts(plan, labeller)) == ROWS
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    with pytest.raises(ParameterError, match="Evaluate fewer samples, or choose another labeller"):
        Measures().doubts(plan, labeller)


TOLD = tuple(Sentence(key=f"a{number}", text="好。") for number in range(15_000))


@pytest.mark.parametrize(
    "texts",
    [
        {"response": "好。" * 15_000, "retrieved_documents": ("好。" * 15_000,)},  # 900 million
        # Published sentences are what is looked at, however short the texts beside them.
        {
            "response": "M",
            "retrieved_documents": ("M",),
            "sentences": Sentences(documents=(TOLD,), response=TOLD),
        },
    ],
)
def test_on_a_public_host_one_long_sample_is_not_looked_at_for_its_doubt(texts, monkeypatch):
    data = Dataset(name="long", samples=(Sample(id="s", question="q", **texts),))
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    with pytest.raises(ParameterError, match="Evaluate fewer samples, or choose another labeller"):
        Measures().doubts(RunPlan(data, []), HybridEvaluator())


class Unsure(LLMasJudge):
    """A metric of one's own that asks where an answer says so."""

    doubt_from: float = 0.5

    def doubt(self, sample):
        return 0.9 if "perhaps" in sample.response else 0.1

    def score(self, sample):
        return super().score(sample) if self.asks_about(sample) else Score(values={})


@pytest.mark.parametrize(
    ("doubt_from", "expected"),
    # Two of the five have no answer yet: nobody knows how doubtful those will be.
    [(0.0, 5), (0.5, 3), (0.95, 2), (1.01, 0)],
)
def test_any_metric_can_say_of_what_it_is_in_doubt(doubt_from, expected):
    responses = ("In 1812.", "In 1812, perhaps.", "1812.", None, None)
    samples = [
        Sample(id=str(n), response=response, question=f"When, {n}?", ground_truth="1812")
        for n, response in enumerate(responses)
    ]
    keys = keys_for_estimates({})
    plan = RunPlan(
        Dataset(name="mills", samples=tuple(samples)),
        [Unsure(doubt_from=doubt_from)],
        models=inputs.models([OFFLINE.id], keys),
        judges=inputs.models(LUNA, keys),
        prompt="$documents $question",
    )

    (judge,) = forecast(plan, keys, len).judges

    assert judge.calls + judge.cached == expected
