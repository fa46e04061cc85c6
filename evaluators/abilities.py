"""The abilities that RGB tests: each an entry that holds its question and its values."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from evaluators.marking import mark
from evaluators.values import Value

BY_JUDGE = mark("what a judge says of the same answers")
RIGHT = mark("Gives the true answer")


def _correction_if_detected(values: Mapping[str, float | None]) -> float | None:
    return values["correction"] if values["detection"] else None


class Ability(StrEnum):
    """The four abilities that RGB tests (Chen et al., AAAI 2024).

    An ability is judged by those rules whose verdicts its `values` count; see
    `RGBEvaluator.verdict`.
    """

    question: str
    """What is asked of one of its answers."""
    values: tuple[Value, ...]

    def __new__(cls, name: str, question: str = "", *values: Value) -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.question = question
        member.values = tuple(value._replace(of=name, kind="rate") for value in values)
        return member

    NOISE = (
        "noise_robustness",
        mark("Does it find the true answer in the documents?"),
        Value(
            "noise_robustness",
            title=mark("Noise robustness"),
            meaning=mark("right in spite of documents beside the point"),
            counts="accuracy",
            over_noise=True,
            column=mark("Accuracy"),
            verdict=RIGHT,
            verb=mark("right"),
            decides=True,
            headline=mark("{model} answers {rate} of the questions right"),
            headline_in_noise=mark("{model} still answers {rate} of the questions right"),
            formula=mark("right answers / answers, at each share of noise"),
            ideal=mark("high, and flat as noise grows"),
            advice=mark(
                "It falls with noise: the model takes what comes first. Retrieve fewer documents, "
                "rank them again, or choose another model."
            ),
            also=("Accuracy by noise",),
        ),
    )
    REJECTION = (
        "negative_rejection",
        mark("Does it decline when no document holds the answer?"),
        Value(
            "negative_rejection",
            title=mark("Negative rejection"),
            meaning=mark("declines when no document holds the answer"),
            counts="rejection",
            column=mark("Declines"),
            verdict=mark("Declines"),
            verb=mark("declined"),
            decides=True,
            headline=mark("{model} declines {rate} of the questions that no document answers"),
            formula=mark("answers that decline / questions without an answer in the documents"),
            ideal=mark("high"),
            advice=mark(
                "Low: the model answers anyway. Tell it in the prompt which words to decline "
                "with. See also if it declines where an answer is there."
            ),
            also=("Rejection",),
        ),
        Value(
            "negative_rejection_judge",
            title=mark("Negative rejection (judge)"),
            meaning=BY_JUDGE,
            counts="rejection_judged",
            column=mark("Declines (judge)"),
            judge_of="rejection",
            term="judged",
        ),
    )
    INTEGRATION = (
        "information_integration",
        mark("Does it put the answer together from several documents?"),
        Value(
            "integration",
            title=mark("Integration"),
            meaning=mark("right where several documents are needed"),
            counts="accuracy",
            over_noise=True,
            column=mark("Accuracy"),
            verdict=RIGHT,
            verb=mark("right"),
            decides=True,
            headline=mark("{model} puts {rate} of the answers together from several documents"),
            formula=mark("answers with every part / questions that need several documents"),
            ideal=mark("high"),
            advice=mark("Low: parts are left out. Ask for all parts, or split the question."),
        ),
    )
    COUNTERFACTUAL = (
        "counterfactual_robustness",
        mark("Does it notice the planted error?"),
        Value(
            "error_detection",
            title=mark("Error detection"),
            meaning=mark("notices the planted error"),
            counts="detection",
            column=mark("Notices error"),
            verdict=mark("Notices the planted error"),
            verb=mark("noticed"),
            headline=mark("{model} notices {rate} of the planted errors"),
            formula=mark("answers that point at an error / questions with a planted error"),
            ideal=mark("high"),
            advice=mark(
                "Low: the model repeats what it reads. Check your sources; a model that follows "
                "documents follows false ones, too."
            ),
            also=("Detection",),
        ),
        Value(
            "error_detection_judge",
            title=mark("Error detection (judge)"),
            meaning=BY_JUDGE,
            counts="detection_judged",
            column=mark("Notices error (judge)"),
            judge_of="detection",
            term="judged",
        ),
        Value(
            "error_correction",
            title=mark("Error correction"),
            meaning=mark("gives the true answer in spite of the planted error"),
            counts="correction",
            column=mark("Corrects error"),
            verdict=mark("Gives the true answer in spite of it"),
            verb=mark("corrected"),
            decides=True,
            formula=mark("answers that give the true answer / questions with a planted error"),
            ideal=mark("high"),
            advice=mark(
                "It asks for knowledge that is not in the documents: small models have less of it."
            ),
            also=("Correction",),
        ),
        Value(
            "correction_if_detected",
            title=mark("Correction if detected"),
            meaning=mark("gives the true answer, where it noticed the error"),
            counts="correction_among_detected",
            made_of=("detection", "correction"),
            make=_correction_if_detected,
            verb=mark("detected"),
            formula=mark("corrected / detected"),
            ideal=mark("high"),
            advice=mark("It stands on few answers where few errors are detected."),
        ),
    )

    @property
    def label(self) -> str:
        return self.value.replace("_", " ").capitalize()

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The names of what the rules decide about one of its answers, in their order."""
        return tuple(value.in_score for value in self.values if value.verdict)

    @property
    def judged(self) -> str:
        """The verdict that a judge is asked for beside the rules; empty where it is none."""
        return next((value.judge_of for value in self.values if value.judge_of), "")


RGB_VALUES = tuple(value for ability in Ability for value in ability.values)
