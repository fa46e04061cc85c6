"""G-Eval: an LLM rates an answer's relevance, fluency, consistency and coherence, each by its own
steps.

Source: Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment", EMNLP 2023,
arXiv 2303.16634, in the form that AdalFlow documents (`GEvalJudgeEvaluator`): a rating from 1 to 5
counts as a fifth of it, 0.2 to 1.0. Here the judge gives one rating with its reason; the paper
weighs ratings by their probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, field_validator, model_validator

from evaluators import item_lists
from evaluators.base import Evaluator, evaluator, require
from evaluators.errors import ParameterError
from evaluators.item_lists import mean
from evaluators.llm import LLMClient
from evaluators.llm.structured import ask
from evaluators.llm.verdicts import OneToFive
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Sample, Score
from evaluators.surrogates import without_surrogates
from evaluators.text.normalise import remove_reasoning

TEMPLATE = "g_eval_en"
CRITERIA = ("relevance", "fluency", "consistency", "coherence")
CUSTOM = "custom"
BEST = 5

Values = Mapping[str, float | None]


class Rating(BaseModel):
    """What the judge answers: its reason, and then a rating by one criterion."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    score: OneToFive


_ELSEWHERE = {
    "model_kwargs": "The model and its settings belong to the client, as its ModelSpec",
    "template": (
        "The prompt is evaluators/prompts/g_eval_en.md; what to rate can be given as criterion"
    ),
    "use_cache": "Whether stored answers serve is said where a run starts",
    "default_task": "The task is to answer from documents; another one can be given as criterion",
}
"""AdalFlow's further arguments, and where Plumbline decides what they decide there."""


class GEvalLLMJudge(BaseModel):
    """Rates one answer: a call for each criterion, and one more for a criterion of one's own.

    AdalFlow's further arguments are known by name: what they decide is decided elsewhere in
    Plumbline, and any value but the default raises `ParameterError`, which says where.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    model_client: SkipValidation[LLMClient | None] = None
    model_kwargs: Mapping[str, Any] | None = None
    template: str | None = None
    use_cache: bool = True
    default_task: Any = None
    criterion: str = ""
    """A criterion of one's own, with its steps, in words."""

    @field_validator("model_client", mode="before")
    @classmethod
    def _connected(cls, given: object) -> object:
        from evaluators.llm.judges import as_judges  # as in `Evaluator`

        return as_judges(given, 1, "G-Eval")

    @model_validator(mode="after")
    def _decided_elsewhere(self) -> Self:
        for name, where in _ELSEWHERE.items():
            if getattr(self, name) not in (type(self).model_fields[name].default, {}):
                raise ParameterError(f"G-Eval: {name} cannot be set here. {where}.")
        return self

    @property
    def criteria(self) -> dict[str, str]:
        """The criteria with their steps, by name."""
        shipped = {name: load(f"g_eval_{name}_en").strip() for name in CRITERIA}
        return {**shipped, CUSTOM: self.criterion.strip()} if self.criterion.strip() else shipped

    def __call__(
        self,
        pred_answer: str,
        question: str | None = None,
        contexts: str | Sequence[str] | None = None,
    ) -> Values:
        """The values of one answer, as `GEvalJudgeEvaluator.compute_single_item` gives them."""
        return GEvalJudgeEvaluator.build(llm_judge=self).compute_single_item(
            pred_answer, question, contexts
        )

    def ratings(self, answer: str, question: str, documents: Sequence[str]) -> dict[str, Rating]:
        """The ratings of an answer by criterion; without documents there is nothing to be
        consistent with.

        Raises `AccessError` without a client, `LLMError` where a rating cannot be had.
        """
        client, is_bare = (
            GEvalJudgeEvaluator.build(llm_judge=self).judge(),
            not any(map(str.strip, documents)),
        )
        asked = {
            name: text
            for name, text in self.criteria.items()
            if not (is_bare and name == "consistency")
        }
        prompts = {name: _prompt(text, answer, question, documents) for name, text in asked.items()}
        return {name: ask(client, prompt, Rating).value for name, prompt in prompts.items()}


GEvalResult = item_lists.AveragedItems[dict[str, float | None], Values]
"""The average is the mean of each value over the items that have it, `None` where none has."""


@evaluator("g_eval", title="G-Eval", needs=("question", "response", "retrieved_documents"))
class GEvalJudgeEvaluator(Evaluator):
    """A judge rates every answer from 1 to 5 by four criteria, one call each; a value is a fifth of
    the rating.

    `overall` is the mean of the four. An empty answer is not applicable; without documents
    consistency is not. A criterion of your own is rated beside them as `custom`, and is no part of
    `overall`.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge; `llm_judge=GEvalLLMJudge(...)` gives it too."""
    criterion: str = Field(
        "",
        title="Criterion of your own",
        description=(
            "What an answer should be, and the steps to rate it, in words. Left empty, it is "
            "not asked."
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _documented_judge(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "llm_judge" not in given:
            return given
        rest = {name: each for name, each in given.items() if name != "llm_judge"}
        judge = given["llm_judge"] or GEvalLLMJudge()
        if not isinstance(judge, GEvalLLMJudge):
            return {"llm_client": judge, **rest}
        return {"llm_client": judge.model_client, "criterion": judge.criterion, **rest}

    @property
    def llm_judge(self) -> GEvalLLMJudge:
        return GEvalLLMJudge(model_client=self.llm_client, criterion=self.criterion)

    def compute(
        self,
        pred_answers: Sequence[str],
        questions: Sequence[str] | None = None,
        contexts: Sequence[str | Sequence[str]] | None = None,
    ) -> GEvalResult:
        """The means over all answers and each one's values; an answer that failed is `None`.

        Raises `AccessError` without a judge and `ParameterError` where the lists are not equally
        long.
        """
        judge = self.llm_judge
        self.judge()
        rows = item_lists.item_rows(
            ("pred_answers",), pred_answers=pred_answers, questions=questions, contexts=contexts
        )
        found, errors = item_lists.at_once(self.compute_single_item, rows)
        judged = [values for values in found if values is not None]
        means = {
            name: mean(values[name] for values in judged) for name in _values(judge.criteria, {})
        }
        return GEvalResult(means, found, errors)

    def compute_single_item(
        self,
        pred_answer: str,
        question: str | None = None,
        contexts: str | Sequence[str] | None = None,
    ) -> Values:
        """The values of one answer."""
        return self.score(
            item_lists.item_as_sample(contexts, question=question or "", response=pred_answer)
        ).values

    def score(self, sample: Sample) -> Score:
        """The values of one sample, 0.2 to 1.0; raises `LLMError` where a rating cannot be had."""
        require(("response",), sample, self.title)
        judge, answer = self.llm_judge, remove_reasoning(sample.response or "").strip()
        names = judge.criteria
        if not answer:
            return Score(
                values=_values(names, {}),
                reason="The response is empty, so there is nothing to rate.",
            )
        ratings = judge.ratings(answer, sample.question, sample.retrieved_documents)
        reason = "" if "consistency" in ratings else "Consistency: no document was retrieved."
        told = {
            name: {"score": each.score, "reason": without_surrogates(each.reason)}
            for name, each in ratings.items()
        }
        return Score(values=_values(names, ratings), reason=reason, details={"ratings": told})


def _prompt(criterion: str, answer: str, question: str, documents: Sequence[str]) -> Prompt:
    text = fenced(
        load(TEMPLATE),
        criterion=criterion,
        documents="\n\n".join(documents),
        question=question,
        answer=answer,
    )
    return Prompt(text=text, question=question)


def _values(names: Mapping[str, str], ratings: Mapping[str, Rating]) -> dict[str, float | None]:
    """The ratings as fifths, `None` where there is none, and the mean of the four that there are.

    The worst is 0.2 as in AdalFlow; `evaluators.llm.verdicts.Rating`, which is our own, has 0
    there.
    """
    found = {name: ratings[name].score / BEST if name in ratings else None for name in names}
    return {**found, "overall": mean(found[name] for name in CRITERIA)}
