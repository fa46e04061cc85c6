"""What is exported as JSON lines comes back as data that get the same scores."""

import json

import pytest

from evaluators import compose, evaluate, load_data
from evaluators.datasets.bundled import CHINESE_BED, ENGLISH_BED, TRACE_SAMPLES
from evaluators.llm.catalogue import OFFLINE
from evaluators.records import Dataset, Sample

pytestmark = pytest.mark.usefixtures("data_folder")


def exported(results, folder):
    path = folder / "results.jsonl"
    lines = [json.dumps(line, ensure_ascii=False) for line in results.lines()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def again(results, metric, folder):
    return evaluate(str(exported(results, folder)), metric, progress=False)


def means(results):
    return {name: (mean.mean, mean.low, mean.high) for name, mean in results.summary().items()}


@pytest.mark.parametrize("bed", [ENGLISH_BED, CHINESE_BED])
def test_an_rgb_run_comes_back_with_ability_noise_and_planted_answers(bed, tmp_path):
    source = load_data(bed)
    data = compose(source, source.abilities, (0.0, 0.8), limit=2)
    first = evaluate(data, "rgb", model=OFFLINE.id, progress=False)

    second = again(first, "rgb", tmp_path)

    assert means(first) == means(second)
    tasks = [sample.rgb for sample in load_data(exported(first, tmp_path)).samples]
    assert tasks == [sample.rgb for sample in data.samples]


def test_a_trace_run_comes_back(tmp_path):
    first = evaluate(TRACE_SAMPLES, "trace", progress=False)

    assert means(again(first, "trace", tmp_path)) == means(first)


def test_gold_documents_come_back(tmp_path):
    sample = Sample(
        id="1",
        question="Who?",
        response="Anna.",
        retrieved_documents=("Anna did it.", "Bert slept."),
        gold_documents=("Anna did it.",),
    )
    first = evaluate(Dataset(name="a", samples=(sample,)), "trace", progress=False)

    assert load_data(exported(first, tmp_path)).samples == (sample,)
