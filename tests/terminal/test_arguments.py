"""What options mean: metrics with parameters, what is composed, and messages that say what to write
instead.
"""

from pathlib import Path

import pytest

from evaluators.datasets.bundled import CHINESE_BED, ENGLISH_BED, TRACE_SAMPLES
from evaluators.errors import AccessError, DatasetError, ParameterError, PlumblineError, PromptError
from evaluators.llm.catalogue import OFFLINE
from evaluators.prompt_metric import PromptMetric
from evaluators.prompts import load
from evaluators.records import Ability, Cap
from evaluators.runs.engine import create_run
from evaluators.runs.inputs import local_store
from evaluators.terminal.arguments import chosen_metrics, plan_of_options

RGB = {"data": ENGLISH_BED, "metric": ("rgb",), "model": (OFFLINE.id,)}
TRACE = {"data": TRACE_SAMPLES, "metric": ("trace",)}


def ask(**options):
    return plan_of_options(options, local_store(), {})


def params(metrics, *texts):
    return [metric.spec().params for metric in chosen_metrics(metrics, texts)]


@pytest.mark.parametrize(
    ("metrics", "texts", "field", "values"),
    [
        (["trace"], ["trace.chunk_size=300"], "chunk_size", [300]),
        (["trace"], ["chunk_size=300"], "chunk_size", [300]),
        (["trace"], [], "chunk_size", [512]),
        (["rgb"], ["nfkc=false"], "nfkc", [False]),
        (["hybrid"], ["doubt_from=0.3"], "doubt_from", [0.3]),
        (["llm_judge"], ["judgement_query=Is 1+1=2?"], "judgement_query", ["Is 1+1=2?"]),
        (["answer_match", "answer_match"], ["type=f1_score"], "type", ["f1_score", "f1_score"]),
        (
            ["answer_match", "answer_match"],
            ["2.type=f1_score"],
            "type",
            ["exact_match", "f1_score"],
        ),
        (["prompt"], ["prompt.fields=question, response"], "fields", [["question", "response"]]),
    ],
)
def test_a_parameter_goes_to_the_metric_that_is_named(metrics, texts, field, values):
    assert [each[field] for each in params(metrics, *texts)] == values


@pytest.mark.parametrize(
    ("metrics", "text", "words"),
    [
        (["trace"], "chunk_size", "Write FIELD=VALUE or NAME.FIELD=VALUE"),
        (["trace"], "=3", "Write FIELD=VALUE or NAME.FIELD=VALUE"),
        (["trace"], "trace.chunk_size=many", "TRACE .*: chunk_size is 'many'"),
        (["trace"], "trace.chunk_size=10", "greater than or equal to 50"),
        (["trace"], "trace.colour=red", "colour is not a parameter"),
        (["trace"], "colour=red", "colour is not a parameter"),
        (["trace"], "rgb.policy=paper", "names rgb, which is not a metric here. Chosen: trace"),
        (["trace"], "2.chunk_size=60", "names 2, which is not a metric here"),
        (
            ["gpt_labeling", "hybrid"],
            "chunk_size=60",
            r"Several metrics have a chunk_size. Write gpt_labeling.chunk_size",
        ),
        (["nothing"], "x=1", "nothing"),
    ],
)
def test_a_parameter_that_cannot_be_is_told(metrics, text, words):
    with pytest.raises(ParameterError, match=words):
        chosen_metrics(metrics, [text])


def test_a_test_bed_is_composed_as_asked():
    found = ask(
        **RGB,
        ability=("noise_robustness", "negative_rejection"),
        noise=(0.5, 0),
        passages=4,
        seed=3,
        sample=2,
    )

    assert found.dataset.origin == {
        "test_bed": ENGLISH_BED,
        "abilities": ["noise_robustness", "negative_rejection"],
        "noise_levels": [0.0, 0.5],
        "passages": 4,
        "seed": 3,
        "sample": 2,
    }
    assert len(found.dataset.samples) == 2 * 2 + 2  # two rows at two levels, and two to decline
    assert create_run(local_store(), found, workspace="local").seed == 3


def test_what_is_not_given_is_as_in_the_form():
    found = ask(**RGB)

    assert found.dataset.origin["abilities"] == [ability.value for ability in Ability]
    assert found.dataset.origin["noise_levels"] == [0.0, 0.2, 0.4, 0.6, 0.8]
    assert found.prompt == load("rgb_en")
    assert (found.title, found.cap, found.use_cache) == ("", Cap(), True)


def test_a_chinese_bed_is_asked_in_chinese():
    assert ask(**{**RGB, "data": CHINESE_BED}).prompt == load("rgb_zh")


def test_answers_in_a_file_are_judged_for_the_ability_that_is_named(data_folder):
    file = data_folder / "said.jsonl"
    file.write_text(
        '{"id": 1, "query": "Who?", "prediction": "Mina", "ans": "Mina", "docs": [], '
        '"noise_rate": 0.2}\n'
    )

    (sample,) = ask(
        data=str(file), metric=("rgb",), ability=("negative_rejection",)
    ).dataset.samples

    assert sample.rgb.ability is Ability.REJECTION


def test_whether_an_answer_declines_is_seen_without_a_true_answer(data_folder):
    file = data_folder / "said.jsonl"
    file.write_text('{"query": "Who?", "prediction": "Mina", "docs": []}\n')
    rgb = {"data": str(file), "metric": ("rgb",)}

    (sample,) = ask(**rgb, ability=("negative_rejection",)).dataset.samples

    assert sample.ground_truth is None
    with pytest.raises(ParameterError, match=r"No sample of said\.jsonl has what RGB needs"):
        ask(**rgb, ability=("noise_robustness",))


def test_a_part_at_random_is_a_cheap_trial_and_the_same_whatever_else_is_taken():
    whole, few, more = (ask(**TRACE, sample=count).dataset for count in (None, 5, 10))
    others = ask(**TRACE, sample=5, seed=1).dataset

    ids = [{sample.id for sample in part.samples} for part in (few, more, whole)]
    assert ids[0] < ids[1] < ids[2]
    assert [len(part) for part in ids] == [5, 10, 24]
    assert few.samples != whole.samples[:5]
    assert {sample.id for sample in others.samples} != ids[0]
    assert few.origin == {"group": "situation", "sample": 5, "of": 24, "seed": 0}


def test_a_metric_that_was_saved_in_the_app_is_asked_for_by_name():
    polite = PromptMetric(title="Is it polite?").spec()
    local_store().metrics.save("local", "Is it polite?", polite)

    assert asked_specs("is_it_polite") == asked_specs("Is it polite?") == [polite]


def asked_specs(metric):
    metrics = chosen_metrics([metric], (), local_store().metrics.by_key("local"))
    return [metric.spec() for metric in metrics]


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        (
            {"data": "nowhere.csv", "metric": ("trace",)},
            DatasetError,
            "nowhere.csv” is neither a file nor the name of a data set",
        ),
        ({**TRACE, "metric": ("trase",)}, ParameterError, "trase"),
        ({**TRACE, "noise": (0.2,)}, ParameterError, "noise is for RGB questions"),
        ({**TRACE, "judge": ("openai/gpt-4o",)}, ParameterError, "A judge is named, and TRACE"),
        ({"data": TRACE_SAMPLES, "metric": ("rgb",)}, ParameterError, "which ability of RGB"),
        ({**TRACE, "ability": tuple(Ability)}, ParameterError, "one ability"),
        ({**TRACE, "model": (OFFLINE.id,)}, ParameterError, "has an answer already"),
        ({**TRACE, "metric": ("gpt_labeling",)}, ParameterError, "judge"),
        (
            {**TRACE, "metric": ("gpt_labeling",), "judge": ("groq/openai/gpt-oss-120b",)},
            AccessError,
            "GROQ_API_KEY",
        ),
        ({**TRACE, "metric": ("retriever_recall",)}, ParameterError, "gold_documents"),
        ({**RGB, "model": ()}, ParameterError, "model"),
        ({**RGB, "model": ("gpt-9",)}, ParameterError, "No model is called"),
        ({**RGB, "prompt": Path("gone.md")}, PromptError, "gone.md cannot be read"),
        (
            {**TRACE, "prompt": Path("gone.md")},
            ParameterError,
            "A prompt is for a model that answers",
        ),
    ],
)
def test_what_cannot_be_run_is_told_with_the_remedy(options, kind, words):
    with pytest.raises(PlumblineError, match=words) as raised:
        ask(**options)

    assert type(raised.value) is kind
    assert not local_store().runs.newest("local")
