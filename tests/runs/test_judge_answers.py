"""Whatever a judge answers, its sample ends as judged or as failed with the judge's words; nothing
in between.
"""

import json

import pytest

from evaluators.records import Dataset, Sample, Support
from evaluators.runs import inputs
from evaluators.runs.engine import RunRegistry, create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from evaluators.trace.labelling import labellings
from tests.runs import paid

SAMPLE = Sample(
    id="tower",
    question="How tall is the tower?",
    response="The tower is 330 metres tall. It is made of cheese.",
    retrieved_documents=(
        "The tower is 330 metres tall. It stands in Paris.",
        "Lyon lies on the Rhone.",
    ),
)
"""Document sentences 0a, 0b, 1a; response sentences a, b."""

VALID = {
    "relevance_explanation": "0a gives the height.",
    "all_relevant_sentence_keys": ["0a"],
    "overall_supported_explanation": "b is invented.",
    "overall_supported": False,
    "sentence_support_information": [
        {
            "response_sentence_key": "a",
            "explanation": "0a says so.",
            "supporting_sentence_keys": ["0a"],
            "fully_supported": True,
        },
        {
            "response_sentence_key": "b",
            "explanation": "No cheese anywhere.",
            "supporting_sentence_keys": [],
            "fully_supported": False,
        },
    ],
    "all_utilized_sentence_keys": ["0a"],
}
TEXT = json.dumps(VALID)
VALUES = {
    "context_relevance": pytest.approx(1 / 3),
    "context_utilization": 1.0,
    "completeness": 1.0,
    "adherence": 0.0,
    "average": pytest.approx((1 / 3 + 1 + 1 + 0) / 4),
    "supported_share": 0.5,
}
INVENTED = {
    **VALID,
    "all_relevant_sentence_keys": ["0a", "7q"],
    "all_utilized_sentence_keys": ["0a", "zz", "0A1"],
}
CHINESE = {
    **VALID,
    "relevance_explanation": "0a 给出了高度。",
    "overall_supported_explanation": "b 是编造的。",
}
PERFECT = json.dumps(
    {**VALID, "overall_supported": True, "all_relevant_sentence_keys": ["0a", "0b", "1a"]}
)
WRONG_TYPES = json.dumps(
    {**VALID, "overall_supported": "perhaps", "all_relevant_sentence_keys": "0a"}
)
NOT_A_NUMBER = TEXT.replace('"overall_supported": false', '"overall_supported": NaN')


@pytest.fixture
def judged(tmp_path, loopback):
    """The sample's result after these answers of the judge, one after the other, and how often it
    was asked.
    """

    def run(*answers, fault=""):
        left = list(answers)
        server = loopback(
            answer=lambda text: left.pop(0) if len(left) > 1 else left[0], fault=lambda asked: fault
        )
        store = Store(tmp_path / "runs.sqlite3")
        created = create_run(
            store,
            RunPlan(
                Dataset(name="tower", samples=(SAMPLE,)),
                inputs.evaluators("gpt_labeling"),
                title="tower",
                judges=(paid.LUNA,),
            ),
            workspace="w",
        )
        RunRegistry().start(created, store, paid.keys(server.base_url)).wait(60)
        return store.results.get(created.id, 0), len(server.asked)

    return run


@pytest.mark.parametrize(
    ("answers", "asked", "repaired"),
    [
        ([TEXT], 1, False),
        ([f"Here are the labels:\n```json\n{TEXT}\n```\nAnything else?"], 1, None),
        ([f"<think>Hm, {{is}} it 0b?</think>{TEXT}"], 1, None),
        ([TEXT[:-1] + ",}"], 1, True),
        (["I would rather talk.", TEXT], 2, False),
        ([WRONG_TYPES, TEXT], 2, False),
        (["", TEXT], 2, False),
    ],
    ids=[
        "valid",
        "fenced",
        "thinking aloud",
        "trailing comma",
        "prose, then valid",
        "types, then valid",
        "empty first",
    ],
)
def test_what_can_be_read_is_judged(judged, answers, asked, repaired):
    result, calls = judged(*answers)

    assert (result.status, calls) == ("scored", asked)
    assert result.score.values == VALUES
    labelling = labellings(result.score, SAMPLE)["openai/gpt-6-luna"]
    assert [item.support for item in labelling.labels.sentence_support] == [
        Support.FULL,
        Support.NONE,
    ]
    assert labelling.judgement.outputs
    if repaired is not None:
        assert labelling.judgement.repaired is repaired


@pytest.mark.parametrize(
    ("answers", "asked", "words"),
    [
        (["I would rather talk."], 3, "I would rather talk."),
        ([f"{PERFECT}\n{TEXT}"], 3, PERFECT[:60]),
        ([NOT_A_NUMBER], 3, "NaN"),
        ([WRONG_TYPES], 3, "perhaps"),
        (["[" * 5000], 3, "[[["),
        ([""], 2, ""),
    ],
    ids=["prose", "two verdicts", "not a number", "wrong types", "deep nesting", "empty"],
)
def test_what_cannot_be_read_fails_with_the_judges_words(judged, answers, asked, words):
    result, calls = judged(*answers)

    assert (result.status, result.score) == ("failed", None)
    assert result.error
    assert words in result.details
    assert calls == asked


def test_a_truncated_answer_is_never_repaired(judged):
    result, calls = judged(TEXT, fault="length")

    assert (result.status, calls) == ("failed", 1)
    assert "cut off" in result.error


def test_invented_keys_are_dropped_and_counted(judged):
    result, _ = judged(json.dumps(INVENTED))

    assert result.score.values == VALUES
    assert labellings(result.score, SAMPLE)["openai/gpt-6-luna"].labels.dropped_keys == 3


def test_a_judge_may_explain_in_any_language(judged):
    result, _ = judged(json.dumps(CHINESE, ensure_ascii=False))

    assert result.score.values == VALUES
    assert (
        labellings(result.score, SAMPLE)["openai/gpt-6-luna"].judgement.relevance_explanation
        == "0a 给出了高度。"
    )
