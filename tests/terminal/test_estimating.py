"""What a run would take: counted as the run would do it, with nothing sent, stored, or needed."""

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.dry_run import TO_COME
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.estimate import SHORT_ANSWER
from evaluators.prompts import fenced, fill, load
from evaluators.runs.inputs import local_store
from evaluators.terminal.arguments import Options, asked
from evaluators.terminal.estimating import estimates, with_stand_ins
from evaluators.text.size import tokens

OSS, BIG, LUNA = "groq/openai/gpt-oss-20b", "groq/openai/gpt-oss-120b", "openai/gpt-6-luna"
ROWS = 24
"""Of the TRACE sample, all of which hold a response."""


def found(**options):
    keys = with_stand_ins({})
    return estimates(
        asked(Options.model_validate(options), local_store(), keys), local_store(), keys
    )


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
    options = {"data": ENGLISH_BED, "metric": ["rgb"], "limit": 1, "judge": [BIG]}

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
        "limit": 1,
    }
    wanted = asked(Options.model_validate({**options, "model": [OFFLINE.id]}), local_store(), {})
    (sample,) = wanted.dataset.samples
    prompt = fill(load("rgb_en"), sample.question, sample.retrieved_documents).text
    to_judge = fenced(load("judge_rejection_en"), question=sample.question, answer=TO_COME)

    (_, model), (_, judge) = found(**options, model=[OSS], judge=[BIG])

    assert model.prompt_tokens == tokens(prompt)
    assert judge.prompt_tokens == tokens(to_judge) + SHORT_ANSWER


def test_nothing_is_stored():
    found(data=TRACE_SAMPLES, metric=["gpt_labeling"], judge=[BIG])

    assert local_store().runs.newest("local") == []
