"""The values of TRACE: four metrics, and two that stand beside them."""

from __future__ import annotations

from collections.abc import Mapping

from evaluators.text.language import mark
from evaluators.values import Topic, Value

# "High (0.7+)" is the word of the GPT labelling document.
HIGH = 0.7

RETRIEVAL = Topic(mark("Retrieval"), mark("Does what was retrieved help to answer?"))
USE = Topic(mark("Use"), mark("Does the answer use it, and all of it?"))
TRUTH = Topic(mark("Truth"), mark("Does the answer say only what the documents say?"))
OVERALL = Topic(mark("Overall"))

FOUR = (
    Value(
        "context_relevance",
        title=mark("Context relevance"),
        called="context(ual)?_relevan",
        meaning=mark("Share of the retrieved text that helps"),
        topic=RETRIEVAL,
        question=mark("Of what was found, how much helps?"),
        rank=3,
        formula=mark("relevant sentences / all document sentences"),
        least=HIGH,
        advice=mark(
            "Low: the search brings much that does not help. Retrieve fewer or better documents, "
            "or cut them into smaller pieces."
        ),
    ),
    Value(
        "context_utilization",
        title=mark("Context utilization"),
        called="utili[sz]ation",
        meaning=mark("Share of the relevant text that was used"),
        topic=USE,
        question=mark("Of what helps, how much was used?"),
        rank=4,
        formula=mark("used sentences / relevant sentences"),
        least=HIGH,
        advice=mark(
            "Low beside a high relevance: the model leaves good material aside. Tell it in the "
            "prompt to use the documents."
        ),
    ),
    Value(
        "completeness",
        title=mark("Completeness"),
        called="completeness",
        meaning=mark("Share of the relevant text that the answer covers"),
        topic=USE,
        question=mark("Of what helps, how much is covered?"),
        rank=2,
        formula=mark("sentences both relevant and used / relevant sentences"),
        least=HIGH,
        advice=mark(
            "Low: relevant facts are missing from the answer. Ask for a fuller answer, or allow a "
            "longer one."
        ),
    ),
    Value(
        "adherence",
        title=mark("Adherence"),
        called="adheren|faithful|grounded",
        meaning=mark("Share of answers in which every sentence is supported"),
        topic=TRUTH,
        question=mark("Is every sentence in the documents?"),
        verdict=mark("Fully supported"),
        decides=True,
        # Whether the answer is true stands before what was retrieved.
        rank=1,
        formula=mark("1 if every sentence of the answer is fully supported, else 0"),
        least=1.0,
        advice=mark(
            "Low: answers say things the documents do not. Open the unsupported samples; ask the "
            "model to answer only from the documents, or to decline."
        ),
    ),
)
"""The four metrics, in the order of the documents."""

SUPPORTED_SHARE = Value(
    "supported_share",
    title=mark("Supported share"),
    meaning=mark("Mean share of supported sentences in an answer"),
    topic=TRUTH,
    formula=mark("fully supported sentences / sentences of the answer that have a label"),
    ideal="1",
    advice=mark("High while adherence is low: most answers are right but for one sentence."),
)
METRICS = tuple(value.name for value in FOUR)


def mean_of_four(values: Mapping[str, float | None]) -> float | None:
    """The mean of those of the four values that apply; `None` where none does."""
    four = [value for name in METRICS if (value := values[name]) is not None]
    return sum(four) / len(four) if four else None


AVERAGE = Value(
    "average",
    made_of=METRICS,
    make=mean_of_four,
    title=mark("Average"),
    meaning=mark("Mean of the four values that apply, over all samples"),
    topic=OVERALL,
    formula=mark("sum of the values that apply / how many apply"),
    ideal=mark("0.7 or more, with no value far below"),
    advice=mark("It hides what is wrong: look at the four values."),
)
TRACE_VALUES = (*FOUR, SUPPORTED_SHARE, AVERAGE)
