"""A dry run: what a judge would be asked about a sample, found out by asking a stand-in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from evaluators.base import Evaluator
from evaluators.prompts import Prompt
from evaluators.records import Completion, Sample, Score

TO_COME = "It is not known yet."
"""A sentence, as metrics that split an answer find nothing to ask about in an empty one."""


def answered(sample: Sample) -> Sample:
    """The sample with a few words in place of an answer that no model has given yet."""
    if sample.response is not None:
        return sample
    return sample.model_copy(update={"response": TO_COME})


def prompts_of(
    evaluator: Evaluator,
    sample: Sample,
    prompt_budget: int | None = None,
) -> list[Prompt]:
    """What a judge would be asked about the sample, as far as its answers do not matter.

    Where the evaluator does not say so itself, a stand-in is asked that agrees to everything; what
    is asked again because of such answers is left out.
    """
    judge = _AgreeingJudge(prompt_budget)
    # What a metric makes of a sample that it cannot judge does not matter here.
    with suppress(Exception):
        declared = evaluator.judge_prompts(sample, prompt_budget)
        if declared is not None:
            return declared
        stand_in: dict[str, object] = {"llm_client": judge}
        # Whether it is in doubt of the sample does not matter either.
        if evaluator.least_doubt:
            stand_in["doubt_from"] = 0.0
        evaluator.model_copy(update=stand_in).score(sample)
    return [prompt for prompt in judge.prompts if prompt.attempt == 1]


def dry_score(evaluator: Evaluator, sample: Sample, *, has_judge: bool) -> Score | None:
    """A score in which only the names of the values mean anything: its judge agrees to everything.

    `None` where the metric can make nothing of such answers.
    """
    with suppress(Exception):
        if has_judge:
            evaluator = evaluator.model_copy(update={"llm_client": _AgreeingJudge(None)})
        return evaluator.score(answered(sample))
    return None


class _AgreeingJudge:
    """Answers every prompt in the shape that is asked for, and keeps the prompts."""

    model = "stand-in"

    def __init__(self, prompt_budget: int | None) -> None:
        self.prompt_budget = prompt_budget
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        if prompt.questions:
            sure = {own.name: dict.fromkeys(own.options, 1.0) or 1.0 for own in prompt.questions}
            return Completion(text=json.dumps(sure))
        if not prompt.schema_text:
            return Completion(text="Verdict: yes")
        agreeing = _least_value(json.loads(prompt.schema_text))
        return Completion(text=json.dumps(agreeing))


def _least_value(schema: Mapping[str, Any]) -> Any:
    """The least that a JSON schema allows, as far as it says so plainly."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _least_value(schema["anyOf"][0])
    if "properties" in schema:
        properties = schema["properties"].items()
        return {name: _least_value(inner) for name, inner in properties}
    if schema.get("type") == "array":
        return [_least_value(schema["items"])] * schema.get("minItems", 1)
    # Text that reads as agreement where a metric looks for a verdict in it.
    values_by_type = {
        "string": "yes",
        "boolean": True,
        "integer": schema.get("minimum", 1),
    }
    return values_by_type.get(schema.get("type", ""), schema.get("minimum", 1.0))
