"""What a judge decides: yes or no, or a rating from 1 to 5, however it writes them; its reason
comes first.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

WORST, BEST = 1, 5
_VERDICTS = {"true": "yes", "false": "no"}


def _word(said: object) -> object:
    """Yes and no however they are written; true and false are what a question of one's own may ask
    for.
    """
    word = str(said).strip(" .!*\"'\n\t").lower() if isinstance(said, str | bool) else said
    return _VERDICTS.get(word, word) if isinstance(word, str) else word


def _number(said: object) -> object:
    """A number in quotes is one, 4.0 is 4, and `true`, which Python takes for 1, is none."""
    if isinstance(said, bool):
        return str(said)
    text = said.strip().removesuffix(".0") if isinstance(said, str) else ""
    return int(text) if text.isdecimal() else said


OneToFive = Annotated[Literal[1, 2, 3, 4, 5], BeforeValidator(_number)]


class YesOrNo(BaseModel):
    """The answer to a yes/no question; `value` is 1 for yes and 0 for no."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    verdict: Annotated[Literal["yes", "no"], BeforeValidator(_word)]

    @property
    def value(self) -> float:
        return float(self.verdict == "yes")


class Rating(BaseModel):
    """A place on a scale from 1 to 5; `value` is 0 for the worst and 1 for the best."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    rating: OneToFive

    @property
    def value(self) -> float:
        return (self.rating - WORST) / (BEST - WORST)
