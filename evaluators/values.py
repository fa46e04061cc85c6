"""What a metric says of its values: a record for each, beside the metric, read at every door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

Kind = Literal["share", "rate"]
"""A share is shown from 0 to 1; a rate, of answers that pass, in percent."""


class Topic(NamedTuple):
    """What several values are about, and the question that they answer together."""

    title: str
    question: str = ""


class Value(NamedTuple):
    """A value of a metric: how it is called, counted, shown and asked for.

    Only the name must be there. Texts are English; those of metrics that ship are marked, and said
    where they are shown.
    """

    name: str
    """Under which its mean stands in summaries and files."""
    title: str = ""
    """The heading over it; where it is empty the name in words."""
    meaning: str = ""
    """What its mean is, as a phrase without a stop."""
    kind: Kind = "share"
    topic: Topic | None = None

    counts: str = ""
    """The name that it has in a score, where that is another one."""
    of: str = ""
    """The ability of RGB whose samples alone are counted."""
    over_noise: bool = False
    """Whether it is also drawn over the noise of the prompts."""

    column: str = ""
    """The heading in a table of samples, where that is another one than the title."""
    question: str = ""
    """What it answers, asked in plain words."""
    verdict: str = ""
    """What is true of an answer where it is 1. People are asked for a value that has one."""
    verb: str = ""
    """What the answers did that count: "12 of 20 declined"."""
    judge_of: str = ""
    """The value of the rules that a judge says here, where one is asked beside them."""
    made_of: tuple[str, ...] = ()
    """The values of a score that it is worked out of, where people may change one of them."""
    make: Callable[[Mapping[str, float | None]], float | None] | None = None
    """Works it out of these."""
    decides: bool = False
    """Whether an answer counts as right by it."""
    headline: str = ""
    """A clause about one model, with the blanks `{model}` and `{rate}`."""
    headline_in_noise: str = ""
    """The same of a model under the most noise, where it was asked under less as well."""
    rank: int = 99
    """Its place where there is room for few values; the lowest comes first."""

    formula: str = ""
    ideal: str = ""
    least: float | None = None
    """From where on it is ideal."""
    advice: str = ""
    """What to do where it is not."""
    also: tuple[str, ...] = ()
    """Further words that the glossary finds it by."""
    called: str = ""
    """What stands in the names of other tools' scores of the same, as a pattern of folded names."""
    term: str = ""
    """The entry of the glossary that explains it, where that is not its own."""

    @property
    def in_score(self) -> str:
        return self.counts or self.name

    @property
    def heading(self) -> str:
        """The title, English, to be said where it is shown."""
        return self.title or self.name.replace("_", " ").capitalize()

    @property
    def heading_of_column(self) -> str:
        return self.column or self.heading

    @property
    def ideal_range(self) -> str:
        """Where it should lie, in words."""
        if self.ideal or self.least is None:
            return self.ideal
        return f"{self.least:g}" if self.least == 1 else f"{self.least:g} or more"
