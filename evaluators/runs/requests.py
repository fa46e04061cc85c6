"""What a run will ask of models about one sample, before any of it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from evaluators.base import Evaluator
from evaluators.dry_run import answered, prompts_of
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm import ModelRequest
from evaluators.llm.budget import Share
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import ModelSession
from evaluators.llm.layers import most_cost
from evaluators.prompts import fill
from evaluators.records import Sample


def requests_of(
    sample: Sample,
    evaluators: Sequence[Evaluator],
    judges: Sequence[ModelSession],
    generator: ModelSession | None,
    template: str,
) -> list[ModelRequest]:
    """The request to the generator, if one is to answer, and those of all metrics to all judges.

    As far as answers do not matter: what is asked again because of one is left out, and hybrid is
    taken to ask its judges.
    """
    requests = []
    if generator and generator.is_remote:
        prompt = fill(template, sample.question, sample.retrieved_documents)
        requests.append(generator.request(prompt, sample.repeat))
    for evaluator in evaluators:
        asked = evaluator.labeller if isinstance(evaluator, HybridEvaluator) else evaluator
        for judge in judges[: evaluator.most_judges()]:
            budget = judge.client(CallLog()).prompt_budget
            prompts = prompts_of(asked, answered(sample), budget)
            requests += [judge.request(prompt, sample.repeat) for prompt in prompts]
    return requests


def plan_share(share: Share, requests: Sequence[ModelRequest], further_tokens: int = 0) -> None:
    """Says what a sample takes of a budget at most, if it asks all of this.

    `further_tokens` are those of an answer that the prompts will hold and do not hold yet.
    """
    share.calls = len(requests)
    share.cost = sum(most_cost(request, further_tokens) for request in requests)
