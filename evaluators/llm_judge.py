"""LLM as judge: one yes/no question about every answer, decided by an LLM with its reason.

Source: the evaluation metrics of AdalFlow (`LLMasJudge`). A judgement that is neither yes nor no is
no judgement: its item is failed, not False.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, SkipValidation, StringConstraints, model_validator

from evaluators import arguments
from evaluators.base import Evaluator, evaluator, require
from evaluators.decided import ByDecision, how_likely, yes_prompt
from evaluators.documented_judges import DocumentedJudge, client_of, with_client
from evaluators.errors import MissingInputError
from evaluators.item_lists import AveragedItems, at_once, item_as_sample, item_rows, mean
from evaluators.llm import LLMClient
from evaluators.llm.structured import ask
from evaluators.llm.verdicts import YesOrNo
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Accepted, Sample, Score
from evaluators.statistics import interval
from evaluators.text.accepted import groups, on_one_line
from evaluators.text.language import mark
from evaluators.text.normalise import remove_reasoning

TEMPLATE = "llm_judge_en"
JUDGEMENT_QUERY = "For the question, does the predicted answer contain the ground truth answer?"


@dataclass(frozen=True)
class LLMJudgeEvalResult(AveragedItems[float | None, float]):
    """The share of yes and each judgement, with the share's 95 % interval.

    The share is `None` where nothing was judged.
    """

    confidence_interval: tuple[float, float] | None = None

    @property
    def judgement_score_list(self) -> list[float | None]:
        """True, False, or `None` where the item failed."""
        return self.per_item_scores


LLMEvalResult = LLMJudgeEvalResult
"""AdalFlow's documentation has both names."""


class DefaultLLMJudge(DocumentedJudge):
    """The judge of one yes/no question, with the settings that AdalFlow documents.

    Called, it says whether one answer holds; `LLMasJudge(DefaultLLMJudge(...))` judges lists.
    """

    who = mark("LLM as judge")
    own_words = (
        "The prompt is evaluators/prompts/llm_judge_en.md; what to judge can be given as "
        "judgement_query"
    )

    def __call__(
        self,
        question: str | None,
        gt_answer: Accepted | None,
        pred_answer: str,
        judgement_query: str | None = None,
    ) -> bool:
        metric = LLMasJudge.build(
            llm_judge=self,
            judgement_query=JUDGEMENT_QUERY if judgement_query is None else judgement_query,
        )
        return metric.compute_single_item(pred_answer, question, gt_answer)


@evaluator("llm_judge", title=mark("LLM as judge"), needs=("question", "response"))
class LLMasJudge(Evaluator):
    """Asks a judge one yes/no question about every answer; 1 is yes, 0 is no.

    The judge sees the question, the ground truth and the answer. The usual question compares the
    answer with the ground truth and so needs one; a question of your own may do without.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge; `llm_judge` is another name for it, and it may be a `DefaultLLMJudge`."""
    judgement_query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        default=JUDGEMENT_QUERY,
        title=mark("Question to the judge"),
        description=mark("It can be answered with yes or no."),
    )
    decides: ByDecision = False

    @model_validator(mode="before")
    @classmethod
    def _documented_judge(cls, params: Any) -> Any:
        return with_client(params)

    def compute(
        self,
        questions: Sequence[str] | None = None,
        gt_answers: Sequence[Accepted] | None = None,
        pred_answers: Sequence[str] | None = None,
        judgement_query: str | None = None,
    ) -> LLMJudgeEvalResult:
        """The share of yes and each judgement; an item that failed is `None`.

        Its message is in `errors`. Without a judge, the key of the environment gives one. Raises
        `AccessError` where there is none, and `ParameterError` where the lists are not equally
        long.
        """
        judge = self.build(
            llm_client=client_of(self),
            judgement_query=self.judgement_query if judgement_query is None else judgement_query,
        )
        rows = item_rows(
            ("pred_answers",),
            pred_answers=pred_answers,
            questions=questions,
            gt_answers=gt_answers,
        )
        values, errors = at_once(judge.compute_single_item, rows)
        judged = [value for value in values if value is not None]
        return LLMJudgeEvalResult(mean(values), [*values], errors, interval(judged))

    def compute_single_item(
        self,
        pred_answer: str,
        question: str | None = None,
        gt_answer: Accepted | None = None,
    ) -> bool:
        """Whether the judge says yes of one answer.

        Raises `MissingInputError` where there is nothing to judge.
        """
        sample = item_as_sample(
            question=question,
            response=arguments.text(pred_answer, "pred_answer"),
            ground_truth=gt_answer,
        )
        score = self.model_copy(update={"llm_client": client_of(self)}).score(sample)
        if score.values["llm_judge"] is None:
            raise MissingInputError(f"{score.reason} Give one, or ask a question of your own.")
        return score.values["llm_judge"] == 1

    def score(self, sample: Sample) -> Score:
        """`llm_judge` of one sample; the usual question is not applicable without a ground truth.

        Raises `AccessError` without a judge, `LLMError` where it says neither yes nor no.
        """
        require(self.needs, sample, self.title)
        lines = [on_one_line(group) for group in groups(sample.ground_truth)]
        truth = "\n".join(filter(None, lines))
        if not truth and self.judgement_query == JUDGEMENT_QUERY:
            return Score(
                values={"llm_judge": None},
                reason=mark("There is no true answer that the answer could contain."),
            )
        parts = {
            "question": sample.question,
            "ground_truth": truth,
            "predicted_answer": remove_reasoning(sample.response or ""),
        }
        if self.asks_decisions:
            prompt = yes_prompt(self.judgement_query, sample.question, parts)
            return how_likely(self.judge(), prompt).score("llm_judge")
        text = fenced(load(TEMPLATE), judgement_query=self.judgement_query, **parts)
        prompt = Prompt(text=text, question=sample.question)
        answer = ask(self.judge(), prompt, YesOrNo)
        return Score(
            values={"llm_judge": answer.value.value},
            evidence=answer.evidence,
        )
