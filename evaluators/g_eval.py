"""G-Eval: an LLM rates an answer's relevance, fluency, consistency and coherence by their steps.

Source: Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment", EMNLP 2023,
arXiv 2303.16634, in the form that AdalFlow documents (`GEvalJudgeEvaluator`): a rating from 1 to 5
counts as a fifth of it, 0.2 to 1.0. Here the judge gives one rating with its reason; the paper
weighs ratings by their probabilities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from pydantic import Field, SkipValidation, model_validator

from evaluators import arguments
from evaluators.arguments import Documents
from evaluators.base import Evaluator, evaluator, require
from evaluators.documented_judges import DocumentedJudge, client_of, with_client
from evaluators.errors import ParameterError
from evaluators.item_lists import AveragedItems, at_once, item_as_sample, item_rows, mean
from evaluators.llm import LLMClient
from evaluators.llm.structured import ask
from evaluators.llm.verdicts import Decision, OneToFive
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Sample, Score
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark
from evaluators.text.normalise import remove_reasoning

TEMPLATE = "g_eval_en"
CRITERIA = ("relevance", "fluency", "consistency", "coherence")
CUSTOM = "custom"
BEST = 5

Values = Mapping[str, float | None]


class CriterionRating(Decision):
    """What the judge answers: its reason, and then a rating by one criterion."""

    score: OneToFive


class NLGTask(Enum):
    """What an answer is; the value names the file with its criterion of relevance."""

    QUESTION_ANSWERING = "g_eval_relevance_en"
    SUMMARIZATION = "g_eval_summary_relevance_en"


Task = Literal["question answering", "summarization"]
TASKS: dict[Task, NLGTask] = {
    "question answering": NLGTask.QUESTION_ANSWERING,
    "summarization": NLGTask.SUMMARIZATION,
}

GEvalResult = AveragedItems[dict[str, float | None], Values]
"""The average is the mean of each value over the items that have it, `None` where none has."""


@dataclass
class GEvalLLMJudge(DocumentedJudge):
    """Rates one answer: a call for each criterion, and one more for a criterion of one's own."""

    who = "G-Eval"
    own_words = (
        "The prompt is evaluators/prompts/g_eval_en.md; what to rate can be given as criterion"
    )

    default_task: NLGTask | None = None
    """What the answers are; without one they answer questions."""
    criterion: str = ""
    """A criterion of one's own, with its steps, in words."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.default_task is not None and not isinstance(self.default_task, NLGTask):
            raise ParameterError(
                f"G-Eval: default_task is {self.default_task!r:.40}. Give one of "
                f"{', '.join(map(str, NLGTask))}, or put the task into criterion."
            )

    def __call__(
        self,
        pred_answer: str,
        question: str | None = None,
        contexts: Documents | None = None,
    ) -> Values:
        """The values of one answer, as `GEvalJudgeEvaluator.compute_single_item` gives them."""
        metric = GEvalJudgeEvaluator.build(llm_judge=self)
        return metric.compute_single_item(pred_answer, question, contexts)


@evaluator("g_eval", title="G-Eval", needs=("question", "response", "retrieved_documents"))
class GEvalJudgeEvaluator(Evaluator):
    """A judge rates every answer from 1 to 5 by four criteria; a value is a fifth of the rating.

    Each criterion is one call. `overall` is the mean of the four. An empty answer is not
    applicable; without documents consistency is not. A criterion of your own is rated beside them
    as `custom`, and is no part of `overall`.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge; `llm_judge=GEvalLLMJudge(...)` gives it too."""
    criterion: str = Field(
        default="",
        title=mark("Criterion of your own"),
        description=mark(
            "What an answer should be, and the steps to rate it, in words. Left empty, "
            "it is not asked."
        ),
    )
    task: Task = Field(
        default="question answering",
        title=mark("Task"),
        description=mark(
            "What the answers are: answers to the questions, or summaries of documents"
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _documented_judge(cls, params: Any) -> Any:
        renamed = with_client(params)
        # Under whatever name it was given.
        given = params.values() if isinstance(params, dict) else ()
        judge = next((value for value in given if isinstance(value, GEvalLLMJudge)), None)
        if judge is None:
            return renamed
        tasks = {name: task for task, name in TASKS.items()}
        task = tasks[judge.default_task or NLGTask.QUESTION_ANSWERING]
        return {"criterion": judge.criterion, "task": task, **renamed}

    @property
    def criteria(self) -> dict[str, str]:
        """The criteria with their steps, by name."""
        files = {name: f"g_eval_{name}_en" for name in CRITERIA}
        files["relevance"] = TASKS[self.task].value
        texts = {name: load(file).strip() for name, file in files.items()}
        own = self.criterion.strip()
        return {**texts, CUSTOM: own} if own else texts

    def compute(
        self,
        pred_answers: Sequence[str],
        questions: Sequence[str] | None = None,
        contexts: Sequence[str | Sequence[str]] | None = None,
    ) -> GEvalResult:
        """The means over all answers and each one's values; an answer that failed is `None`.

        Without a judge, the key of the environment gives one. Raises `AccessError` where there is
        none, and `ParameterError` where the lists are not equally long.
        """
        judge = self.model_copy(update={"llm_client": client_of(self)})
        rows = item_rows(
            ("pred_answers",),
            pred_answers=pred_answers,
            questions=questions,
            contexts=contexts,
        )
        values, errors = at_once(judge.compute_single_item, rows)
        judged = [item for item in values if item is not None]
        means = {}
        # Where no answer could be rated, each mean is there all the same, as `None`.
        for name in _rated_values(self.criteria, {}):
            means[name] = mean(item[name] for item in judged)
        return GEvalResult(means, values, errors)

    def compute_single_item(
        self,
        pred_answer: str,
        question: str | None = None,
        contexts: Documents | None = None,
    ) -> Values:
        """The values of one answer."""
        sample = item_as_sample(
            question=question,
            response=arguments.text(pred_answer, "pred_answer"),
            contexts=contexts,
        )
        return self.model_copy(update={"llm_client": client_of(self)}).score(sample).values

    def score(self, sample: Sample) -> Score:
        """The values of one sample, 0.2 to 1.0; raises `LLMError` where a rating cannot be had."""
        require(("response",), sample, self.title)
        answer = remove_reasoning(sample.response or "").strip()
        criteria = self.criteria
        if not answer:
            reason = mark("The answer is empty, so there is nothing to rate.")
            return Score(values=_rated_values(criteria, {}), reason=reason)
        judge = self.judge()
        has_documents = any(map(str.strip, sample.evidence))
        ratings: dict[str, CriterionRating] = {}
        listed: dict[str, dict[str, object]] = {}
        for name, steps in criteria.items():
            # Without documents there is nothing to be consistent with.
            if name == "consistency" and not has_documents:
                continue
            prompt = _rating_prompt(steps, answer, sample)
            rating = ask(judge, prompt, CriterionRating).value
            ratings[name] = rating
            # Models write half characters, which no store can keep.
            listed[name] = {"score": rating.score, "reason": without_surrogates(rating.reason)}
        return Score(
            values=_rated_values(criteria, ratings),
            reason="" if has_documents else mark("Consistency: no document was retrieved."),
            details={"ratings": listed},
        )


def _rating_prompt(criterion: str, answer: str, sample: Sample) -> Prompt:
    text = fenced(
        load(TEMPLATE),
        criterion=criterion,
        documents="\n\n".join(sample.evidence),
        question=sample.question,
        answer=answer,
    )
    return Prompt(text=text, question=sample.question)


def _rated_values(
    criteria: Iterable[str],
    ratings: Mapping[str, CriterionRating],
) -> dict[str, float | None]:
    """The ratings as fifths, `None` where there is none, and the mean of the four that there are.

    The worst is 0.2 as in AdalFlow; `evaluators.llm.verdicts.Rating`, which is our own, has 0
    there.
    """
    values: dict[str, float | None] = {}
    for name in criteria:
        values[name] = ratings[name].score / BEST if name in ratings else None
    # Without a criterion of one's own: so that overall compares with other runs.
    return {**values, "overall": mean(values[name] for name in CRITERIA)}
