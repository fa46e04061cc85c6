"""A rehearsal: what a judge would be asked about a sample, found out by asking a stand-in, before
anything is paid.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from evaluators.base import Evaluator
from evaluators.prompts import Prompt
from evaluators.records import Completion, Sample, Score

TO_COME = "It is not known yet."


def answered(sample: Sample) -> Sample:
    """The sample with a few words in place of an answer that no model has given yet."""
    return (
        sample if sample.response is not None else sample.model_copy(update={"response": TO_COME})
    )


def prompts_of(
    evaluator: Evaluator, sample: Sample, prompt_budget: int | None = None
) -> list[Prompt]:
    """What a judge would be asked about the sample, as far as its answers do not matter.

    Found out by asking a stand-in that agrees to everything; what is asked again because of that is
    left out.
    """
    judge = _StandIn(prompt_budget)
    with suppress(Exception):  # whatever the metric makes of such answers, it is no judgement
        evaluator.model_copy(update={"llm_client": judge}).score(sample)
    first = judge.asked[:1]
    return first + [
        new
        for old, new in zip(judge.asked, judge.asked[1:], strict=False)
        if not _is_again(new, old)
    ]


def rehearsed(evaluator: Evaluator, sample: Sample, *, has_judge: bool) -> Score | None:
    """A score in which only the names of the values mean anything: its judge, if any, agrees to
    everything.

    `None` where the metric can make nothing of such answers.
    """
    with suppress(Exception):
        judged = (
            evaluator.model_copy(update={"llm_client": _StandIn(None)}) if has_judge else evaluator
        )
        return judged.score(answered(sample))
    return None


def _is_again(new: Prompt, old: Prompt) -> bool:
    return new.text.startswith(old.text)


class _StandIn:
    """Answers every prompt in the shape that is asked for, and keeps the prompts."""

    model = "stand-in"

    def __init__(self, prompt_budget: int | None) -> None:
        self.prompt_budget = prompt_budget
        self.asked: list[Prompt] = []

    def complete(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt)
        answer = (
            json.dumps(_example(json.loads(prompt.schema_text)))
            if prompt.schema_text
            else "Verdict: yes"
        )
        return Completion(text=answer)


def _example(schema: Mapping[str, Any]) -> Any:
    """The least that a JSON schema allows, as far as it says so plainly."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _example(schema["anyOf"][0])
    if "properties" in schema:
        return {name: _example(each) for name, each in schema["properties"].items()}
    if schema.get("type") == "array":
        return [_example(schema["items"])] * schema.get("minItems", 1)
    plain_values = {"string": "yes", "boolean": True, "integer": schema.get("minimum", 1)}
    return plain_values.get(schema.get("type", ""), schema.get("minimum", 1.0))
