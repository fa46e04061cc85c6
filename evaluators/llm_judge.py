"""LLM as judge: one yes/no question about every answer, decided by an LLM with its reason.

Source: the evaluation metrics of AdalFlow (`LLMasJudge`). A judgement that is neither yes nor no is no judgement: its
item is failed, not False.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SkipValidation, ValidationError, model_validator

from evaluators.base import Evaluator, averaged, evaluator, require
from evaluators.config import config
from evaluators.errors import AccessError, MissingInputError, ParameterError
from evaluators.llm import LLMClient
from evaluators.llm.structured import ask
from evaluators.prompts import Prompt, fenced, load
from evaluators.text.normalise import remove_reasoning, without_surrogates
from evaluators.types import Accepted, Averaged, Sample, Score

TEMPLATE = "llm_judge_en"
JUDGEMENT_QUERY = "For the question, does the predicted answer contain the ground truth answer?"
Z95 = 1.959964


def _word(said: object) -> object:
    return said.strip(" .\"'").lower() if isinstance(said, str) else said


class YesOrNo(BaseModel):
    """What the judge answers: its reason, and then yes or no."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    verdict: Annotated[Literal["yes", "no"], BeforeValidator(_word)]


@dataclass(frozen=True)
class LLMJudgeEvalResult(Averaged):
    """The share of yes (`None` where nothing was judged) and each judgement, with the share's 95 % interval."""

    confidence_interval: tuple[float, float] | None = None

    @property
    def judgement_score_list(self) -> list[float | None]:
        """True, False, or `None` where the item failed."""
        return self.per_item_scores


@evaluator("llm_judge", title="LLM as judge", needs=("question", "response"))
class LLMasJudge(Evaluator):
    """Asks a judge one yes/no question about every answer; 1 is yes, 0 is no.

    The judge sees the question, the ground truth and the answer. The usual question compares the answer with the
    ground truth and so needs one; a question of your own may do without.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge; `llm_judge` is another name for it."""
    judgement_query: str = Field(
        JUDGEMENT_QUERY, min_length=1, title="Question to the judge", description="It can be answered with yes or no."
    )

    @model_validator(mode="before")
    @classmethod
    def _documented_name(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "llm_judge" not in given:
            return given
        rest = {name: each for name, each in given.items() if name != "llm_judge"}
        return {"llm_client": given["llm_judge"], **rest}

    def compute(
        self,
        questions: Sequence[str] | None = None,
        gt_answers: Sequence[Accepted] | None = None,
        pred_answers: Sequence[str] | None = None,
        judgement_query: str | None = None,
    ) -> LLMJudgeEvalResult:
        """The share of yes and each judgement; an item that failed is `None`, with its message in `errors`.

        Raises `AccessError` without a judge and `ParameterError` where the lists are not equally long.
        """
        self._judge()
        rows = _rows(pred_answers, questions, gt_answers)
        judge = self.model_copy(update={"judgement_query": judgement_query or self.judgement_query})
        with ThreadPoolExecutor(config().workers) as pool:
            asked = [pool.submit(judge.compute_single_item, *row) for row in rows]
        found = averaged(Future.result, judgements=asked)
        interval = wilson([value for value in found.per_item_scores if value is not None])
        return LLMJudgeEvalResult(found.avg_score, found.per_item_scores, found.errors, interval)

    def compute_single_item(
        self, pred_answer: str, question: str | None = None, gt_answer: Accepted | None = None
    ) -> bool:
        """Whether the judge says yes of one answer; raises `MissingInputError` where there is nothing to judge."""
        score = self.score(_row(pred_answer, question, gt_answer))
        if score.values["llm_judge"] is None:
            raise MissingInputError(f"{score.reason} Give one, or ask a question of your own.")
        return score.values["llm_judge"] == 1

    def score(self, sample: Sample) -> Score:
        """`llm_judge` of one sample; the usual question is not applicable without a ground truth.

        Raises `AccessError` without a judge, `LLMError` where it says neither yes nor no.
        """
        require(self.needs, sample, self.title)
        truth = _lines(sample.ground_truth)
        if not truth and self.judgement_query == JUDGEMENT_QUERY:
            return Score(values={"llm_judge": None}, reason="There is no ground truth that the answer could contain.")
        text = fenced(
            load(TEMPLATE),
            judgement_query=self.judgement_query,
            question=sample.question,
            ground_truth=truth,
            predicted_answer=remove_reasoning(sample.response or ""),
        )
        answer = ask(self._judge(), Prompt(text=text, question=sample.question), YesOrNo)
        return Score(
            values={"llm_judge": float(answer.value.verdict == "yes")},
            details={
                "reason": without_surrogates(answer.value.reason),
                "outputs": answer.texts,
                "mode": answer.mode,
            },
        )

    def _judge(self) -> LLMClient:
        if self.llm_client is None:
            raise AccessError("LLM as judge needs a judge. Choose a model, or give its client as llm_client.")
        return self.llm_client


def wilson(judged: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % Wilson score interval of a share (Wilson, JASA 1927); `None` where nothing was judged."""
    if not judged:
        return None
    total, rate, z2 = len(judged), sum(judged) / len(judged), Z95**2
    centre = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = Z95 / (1 + z2 / total) * math.sqrt(rate * (1 - rate) / total + z2 / (4 * total**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def _rows(
    answers: Sequence[str] | None, questions: Sequence[str] | None, truths: Sequence[Accepted] | None
) -> list[tuple[Any, Any, Any]]:
    """The items; questions or ground truths that were not given are `None`."""
    if answers is None:
        raise ParameterError("pred_answers is missing. Give the answers to judge.")
    given = {"pred_answers": answers, "questions": questions, "gt_answers": truths}
    lengths = {name: len(column) for name, column in given.items() if column is not None}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ParameterError(f"The lists are not equally long: {told}. Give one entry for each item.")
    nothing = [None] * len(answers)
    columns = [nothing if column is None else column for column in given.values()]
    return list(zip(*columns, strict=True))


def _row(answer: str, question: str | None, truth: Accepted | None) -> Sample:
    try:
        return Sample(id="item", question=question or "", response=answer, ground_truth=truth)
    except ValidationError as error:
        raise MissingInputError(f"The item cannot be judged ({error.errors()[0]['msg']}). Give strings.") from error


def _lines(truth: Accepted | None) -> str:
    """The ground truth as the judge reads it: one required answer to a line, its spellings divided."""
    if truth is None or isinstance(truth, str):
        return (truth or "").strip()
    groups = [(group,) if isinstance(group, str) else group for group in truth]
    return "\n".join(" / ".join(group) for group in groups if any(map(str.strip, group)))
