"""What a judge decides: yes or no, or a rating from 1 to 5, however it writes them.

Its reason comes first, so that the decision follows from it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

WORST, BEST = 1, 5
# What a question of one's own may ask for: "Is it true or false that ...".
_SYNONYMS = {"true": "yes", "false": "no"}


def _read_yes_or_no(written: object) -> object:
    """Yes and no however they are written; anything else as it is."""
    if not isinstance(written, str | bool):
        return written
    word = str(written).strip(" .!*\"'\n\t").lower()
    return _SYNONYMS.get(word, word)


def _whole_rating(written: object) -> object:
    """The number also where it stands in quotes or as 4.0; anything else as it is."""
    # Python takes `true` for 1, which a judge does not mean by it.
    if isinstance(written, bool):
        return str(written)
    text = written.strip().removesuffix(".0") if isinstance(written, str) else ""
    return int(text) if text.isdecimal() else written


OneToFive = Annotated[Literal[1, 2, 3, 4, 5], BeforeValidator(_whole_rating)]


class Decision(BaseModel):
    """A judge's reason and what it decides; some judges say the decision alone ("True", "4")."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""

    @model_validator(mode="before")
    @classmethod
    def _decision_alone(cls, answer: Any) -> Any:
        if isinstance(answer, str | int | float):
            *_, decision = cls.model_fields
            return {decision: answer}
        return answer


class YesOrNo(Decision):
    """The answer to a yes/no question; `value` is 1 for yes and 0 for no."""

    verdict: Annotated[Literal["yes", "no"], BeforeValidator(_read_yes_or_no)]

    @property
    def value(self) -> float:
        return float(self.verdict == "yes")


class Rating(Decision):
    """A place on a scale from 1 to 5; `value` is 0 for the worst and 1 for the best."""

    rating: OneToFive

    @property
    def value(self) -> float:
        return (self.rating - WORST) / (BEST - WORST)
