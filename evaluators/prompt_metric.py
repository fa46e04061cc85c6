"""A metric from a prompt: a person's own question to a judge about fields of a sample.

A yes counts 1 and a no 0; a rating from 1 to 5 counts (rating - 1) / 4.
"""

from __future__ import annotations

import keyword
from string import Template
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, Field, SkipValidation, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from evaluators.base import Evaluator, evaluator, require
from evaluators.decided import ByDecision, how_likely, in_parts, yes_prompt
from evaluators.llm import LLMClient
from evaluators.llm.structured import Answered, ask
from evaluators.llm.verdicts import Rating, YesOrNo
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Sample, Score
from evaluators.text.accepted import groups, on_one_line
from evaluators.text.language import mark
from evaluators.text.normalise import remove_reasoning, slug

Seen = Literal["question", "response", "retrieved_documents", "ground_truth"]
YES_NO: Literal["yes or no"] = "yes or no"


def _with_a_letter(title: str) -> str:
    if not slug(title):
        raise PydanticCustomError("unnamed", mark("A name has a letter or a digit"))
    return " ".join(title.split())


def _fields_in_order(fields: tuple[Seen, ...]) -> tuple[Seen, ...]:
    """The same fields give the same prompt, in whatever order they were chosen."""
    return tuple(field for field in get_args(Seen) if field in fields)


@evaluator("prompt", title=mark("Metric from a prompt"))
class PromptMetric(Evaluator):
    """Asks a judge a question of your own about every sample: yes or no, or a rating from 1 to 5.

    A yes is 1 and a no 0; a rating r is (r - 1) / 4. The judge sees the chosen fields and nothing
    else. A sample in which one of them is empty is not applicable. The value bears the name of the
    metric.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    title: Annotated[str, AfterValidator(_with_a_letter)] = Field(  # type: ignore[misc]  # of this metric, not of the class
        default=mark("Own question"),
        max_length=60,
        title=mark("Name"),
        description=mark("What the metric, and its value, is called."),
    )
    question: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)
    ] = Field(
        default="Does the response answer the question that was asked?",
        title=mark("Question to the judge"),
        description=mark("In your words; what counts as yes, or as 5, belongs here too."),
    )
    answer: Literal["yes or no", "1 to 5"] = Field(
        default=YES_NO,
        description=mark(
            "How the judge answers: yes (1) or no (0), or a rating from 1 (0) to 5, the best (1)."
        ),
    )
    fields: Annotated[tuple[Seen, ...], AfterValidator(_fields_in_order)] = Field(
        default=("question", "response"),
        min_length=1,
        title=mark("The judge sees"),
        description=mark(
            "The fields of a sample that the judge is shown, and that a sample needs."
        ),
    )

    decides: ByDecision = False

    @model_validator(mode="after")
    def _decides_yes_or_no(self) -> Self:
        if self.decides and self.answer != YES_NO:
            raise PydanticCustomError(
                "no_rating", mark("A decision model answers yes or no and gives no rating")
            )
        return self

    @property
    def needed(self) -> tuple[str, ...]:
        return self.fields

    def prompt(self, sample: Sample) -> Prompt:
        """What the judge is asked about the sample.

        Raises `MissingInputError` where the sample lacks one of the fields.
        """
        require(self.fields, sample, self.title)
        shown = _shown_to_judge(sample)
        parts: dict[str, str] = {name: shown[name] for name in self.fields}
        if self.asks_decisions:
            return yes_prompt(self.question, sample.question, parts)
        template = load("prompt_yes_no_en" if self.answer == YES_NO else "prompt_scale_en")
        text = fenced(in_parts(template, *parts), decide=self.question, **parts)
        return Prompt(text=text, question=sample.question)

    def score(self, sample: Sample) -> Score:
        """The value of one sample, under the metric's name.

        Raises `AccessError` without a judge, `LLMError` where it gives no answer that can be read.
        """
        require(self.fields, sample, self.title)
        name = slug(self.title)
        shown = _shown_to_judge(sample)
        empty = [field for field in self.fields if not shown[field].strip()]
        if empty:
            names = ", ".join(field.replace("_", " ") for field in empty)
            reason = mark("There is nothing to judge: empty {fields}.").format(fields=names)
            return Score(values={name: None}, reason=reason)
        judge = self.judge()
        prompt = self.prompt(sample)
        if self.asks_decisions:
            return how_likely(judge, prompt).score(name)
        answer: Answered[YesOrNo] | Answered[Rating]
        details: dict[str, Any] = {}
        if self.answer == YES_NO:
            answer = ask(judge, prompt, YesOrNo)
        else:
            answer = ask(judge, prompt, Rating)
            # As the judge gave it, beside the value from 0 to 1.
            details["rating"] = answer.value.rating
        return Score(
            values={name: answer.value.value},
            evidence=answer.evidence,
            details=details,
        )


def _shown_to_judge(sample: Sample) -> dict[str, str]:
    """What a judge is shown of each field."""
    documents = [text for text in sample.evidence if text.strip()]
    # Numbered, so that a judge can say which one it means.
    numbered = [f"[{number}] {text}" for number, text in enumerate(documents, start=1)]
    accepted = [on_one_line(spellings) for spellings in groups(sample.ground_truth)]
    return {
        "question": sample.question,
        # What a model thought is not what it answered.
        "response": remove_reasoning(sample.response or ""),
        "retrieved_documents": "\n\n".join(numbered),
        "ground_truth": "\n".join(filter(None, accepted)),
    }


# As a file

_FILE = Template("""\
$heading

from pydantic import SkipValidation

from evaluators.base import Evaluator, evaluator
from evaluators.llm import LLMClient
from evaluators.prompt_metric import PromptMetric
from evaluators.records import Sample, Score

METRIC = PromptMetric(
    title=$title,
    question=$question,
    answer=$answer,
    fields=$fields,$decides
)


@evaluator($name, title=METRIC.title, needs=METRIC.fields)
class $kind(Evaluator):
    $question

    llm_client: SkipValidation[LLMClient | None] = None
$asks
    def score(self, sample: Sample) -> Score:
        return METRIC.model_copy(update={"llm_client": self.llm_client}).score(sample)
""")
_ASKS = """
    @property
    def asks_decisions(self) -> bool:
        return True
"""


def as_file(metric: PromptMetric) -> tuple[str, bytes]:
    """The metric as a file for `evaluators/custom`, by name and content, with the same scores."""
    name = slug(metric.title)
    kind = "".join(part.capitalize() for part in name.split("_"))
    content = _FILE.substitute(
        heading=repr(f"{metric.title}: a metric from a prompt, made in Plumbline."),
        title=repr(metric.title),
        question=repr(metric.question),
        answer=repr(metric.answer),
        fields=repr(metric.fields),
        decides="\n    decides=True," if metric.decides else "",
        asks=_ASKS if metric.decides else "",
        name=repr(f"prompt_{name}"),
        kind=kind if kind.isidentifier() and not keyword.iskeyword(kind) else "OwnMetric",
    )
    return f"{name}.py", content.encode()
