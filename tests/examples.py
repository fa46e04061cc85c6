"""Makes the finished examples: recorded answers and labels, through the real evaluators.

`make examples` writes `data/examples/*.jsonl`; a test holds that they are what is made today.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluators.advanced_rag_evaluator import GPTLabelingOutput
from evaluators.base import Evaluator
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.connect import connect
from evaluators.llm.fake import FakeLLM
from evaluators.prompts import load
from evaluators.records import (
    Ability,
    Labels,
    ModelSpec,
    Record,
    Run,
    Sample,
    SampleResult,
    Support,
)
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs import examples
from evaluators.runs.examples import FOLDER, INVENTED, INVENTED_ZH, NOISE, NOISE_ZH
from evaluators.runs.scoring import generated_response
from evaluators.runs.store.bodies import to_body
from evaluators.runs.store.runs import EXAMPLES
from evaluators.trace.labelling import sentences_of

LANGUAGES = {NOISE: "en", NOISE_ZH: "zh"}
TITLES = {
    NOISE: "Why noise hurts (illustration)",
    NOISE_ZH: "Why noise hurts, in Chinese (illustration)",
    INVENTED: "Find the invented sentence (illustration)",
    INVENTED_ZH: "找出编造的句子（示意）",
}
JUDGES = {INVENTED: "Judge", INVENTED_ZH: "评审"}
"""What the judges A, B and C are called."""
WRITTEN = "2026-11-22T00:00:00+00:00"
"""When the answers and labels were written."""
B_FROM = 0.6
"""The share of noise from which Model B errs, where its file names none."""

Recorded = Mapping[str, Any]


def main() -> None:
    for run_id in TITLES:
        (FOLDER / f"{run_id}.jsonl").write_text(as_file(run_id), encoding="utf-8")


def as_file(run_id: str) -> str:
    """The file of an example as it is made today."""
    run, results = trace(run_id) if run_id in JUDGES else rgb(run_id)
    return "".join(line(record) for record in (run, *results))


def line(record: Record) -> str:
    return to_body(record) + "\n"


def rgb(run_id: str) -> tuple[Run, list[SampleResult]]:
    """All four abilities of a bundled test bed: two recorded models, and the offline reader."""
    recorded = tomllib.loads((FOLDER / f"rgb_{LANGUAGES[run_id]}.toml").read_text("utf-8"))
    prompt = load(f"rgb_{LANGUAGES[run_id]}")
    reader = connect(OFFLINE)
    models = (made_up("Model A"), made_up("Model B"), OFFLINE)
    run = described(run_id, RGBEvaluator(), models=models, prompt=prompt, seed=0)
    results = []
    for position, sample in enumerate(examples.data(run_id).samples):
        answers = (
            *model_answers(recorded, sample),
            generated_response(sample, prompt, reader),
        )
        for model, answer in enumerate(answers):
            score = RGBEvaluator().score(sample.model_copy(update={"response": answer}))
            results.append(
                SampleResult(
                    position=position, model=model, status="scored", score=score, response=answer
                )
            )
    return run, results


def model_answers(recorded: Recorded, sample: Sample) -> tuple[str, str]:
    """What Model A and Model B answer to a prompt."""
    assert sample.rgb is not None
    ability, noise = sample.rgb.ability, sample.rgb.noise or 0.0
    declines_a, declines_b = recorded["declines_a"], recorded["declines_b"]
    answers = answers_to(recorded, sample.question, ability)
    if ability is Ability.COUNTERFACTUAL:
        return answers["a"], answers["b"]
    if ability is Ability.REJECTION:
        declines = answers["declines"]
        return (
            declines_a if "A" in declines else answers["mistake"],
            declines_b if "B" in declines else answers["mistake"],
        )
    lured = any(answers.get("lure", "") in text for text in sample.retrieved_documents)
    return (
        declines_a if noise >= answers.get("a_from", 1) else answers["a"],
        answers["mistake"] if noise >= answers.get("b_from", B_FROM) and lured else answers["b"],
    )


def answers_to(recorded: Recorded, question: str, ability: Ability) -> Recorded:
    """What the file has for the row of the test bed that asks this."""
    kind = {Ability.INTEGRATION: "integration", Ability.COUNTERFACTUAL: "counterfactual"}
    [answers] = [
        entry for entry in recorded[kind.get(ability, "noise")] if entry["question"] == question
    ]
    return answers


def trace(run_id: str) -> tuple[Run, list[SampleResult]]:
    """The bundled TRACE samples: the heuristic, and a jury of recorded judges."""
    recorded = tomllib.loads((FOLDER / "judges.toml").read_text("utf-8"))
    judges = tuple(made_up(f"{JUDGES[run_id]} {letter}") for letter in "ABC")
    run = described(run_id, HybridEvaluator(), judges=judges)
    results = []
    for position, sample in enumerate(examples.data(run_id).samples):
        jury = tuple(
            FakeLLM(judge_answer(recorded, sample, judge.model[-1]), model=judge.id)
            for judge in judges
        )
        score = HybridEvaluator(llm_client=jury).score(sample)
        results.append(SampleResult(position=position, status="scored", score=score))
    return run, results


def judge_answer(recorded: Recorded, sample: Sample, judge: str) -> str:
    """The whole answer of a judge: the sample's labels, but where its file says otherwise."""
    assert sample.labels is not None
    own = [entry for entry in recorded["differs"] if is_of(entry, sample, judge)]
    verdicts = [support_of(own, *support) for support in supports(sample.labels)]
    relevant = set(sample.labels.relevant_keys)
    for entry in recorded["relevance"]:
        if is_of(entry, sample, judge):
            relevant = relevant | set(entry.get("also", ())) - set(entry.get("leaves_out", ()))
    unsupported = [verdict for verdict in verdicts if not verdict["fully_supported"]]
    answer = {
        "relevance_explanation": "",
        "all_relevant_sentence_keys": [
            key for key in sentences_of(sample).document_keys if key in relevant
        ],
        "overall_supported_explanation": " ".join(
            verdict["explanation"] for verdict in unsupported
        ),
        "overall_supported": not unsupported,
        "sentence_support_information": verdicts,
        "all_utilized_sentence_keys": list(sample.labels.utilized_keys),
    }
    return GPTLabelingOutput.model_validate(answer).model_dump_json()


def is_of(entry: Recorded, sample: Sample, judge: str) -> bool:
    return entry["sample"] == sample.id and entry["judge"] == judge


def supports(labels: Labels) -> Iterator[tuple[str, Support, Sequence[str], str]]:
    for item in labels.sentence_support:
        yield item.key, item.support, item.supporting_keys, item.explanation


def support_of(
    own: Sequence[Recorded], key: str, support: str, keys: Sequence[str], why: str
) -> dict[str, Any]:
    """What a judge says of one response sentence."""
    for entry in own:
        if entry["key"] == key:
            support, keys, why = entry["support"], entry["keys"], entry["why"]
    return {
        "response_sentence_key": key,
        "explanation": why,
        "supporting_sentence_keys": list(keys),
        "fully_supported": support == Support.FULL,
    }


def described(run_id: str, evaluator: Evaluator, **asked: Any) -> Run:
    data = examples.data(run_id)
    return Run(
        id=run_id,
        workspace=EXAMPLES,
        created=WRITTEN,
        title=TITLES[run_id],
        dataset_name=data.name,
        fingerprint=data.fingerprint,
        evaluators=(evaluator.spec(),),
        origin=data.origin,
        **asked,
    )


def made_up(name: str) -> ModelSpec:
    return ModelSpec(provider=examples.ILLUSTRATION, model=name, temperature=None)


if __name__ == "__main__":
    main()
