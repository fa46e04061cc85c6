"""A round: some answers of a run that a class labels at the same time, each for itself."""

from __future__ import annotations

import unicodedata
from typing import Literal, NamedTuple

from pydantic import Field

from evaluators.people.records import PersonName
from evaluators.records import Record, Support

State = Literal["open", "paused", "closed", "revealed"]
RoundKind = Literal["support", "guess"]
"""What is asked: how far each sentence is supported, or which verdict an answer will get."""

MOST_ANSWERS = 20
MOST_PARTICIPANTS = 60
"""People in a round: two school classes, and few enough that one laptop serves them."""
LONGEST_NICKNAME = 24
"""So that sixty of them fit on a projector."""


class AskedAnswer(NamedTuple):
    """One answer of the round: the sample's position in the data, and the number of the model."""

    position: int
    model: int


class Round(Record):
    """A round of a run, and where it stands.

    Who has the `id` leads the round, who has `join` may take part: neither can be guessed. The
    `code` can be typed, so it holds until `code_until` only. `name` is that of the labeller which
    the round becomes once it is closed. `revision` grows with all that happens in it. Moments are
    UTC, ISO.
    """

    id: str
    run_id: str
    name: PersonName
    created: str
    join: str
    code: str
    code_until: str
    kind: RoundKind = "support"
    state: State = "open"
    has_board: bool = True
    revision: int = 0
    answers: tuple[AskedAnswer, ...] = Field(min_length=1, max_length=MOST_ANSWERS)

    @property
    def is_over(self) -> bool:
        """Whether nobody can label any more."""
        return self.state in ("closed", "revealed")


class Participant(Record):
    """Somebody in a round; who has the `token`, which cannot be guessed, is that person."""

    number: int
    round_id: str
    token: str
    nickname: PersonName


class AskedPlace(NamedTuple):
    """What is asked about: the answer's place in the round, from 0, and the sentence's key.

    The key is empty where it is the whole answer.
    """

    answer: int
    key: str


class RoundLabel(NamedTuple):
    """What a participant says of a sentence, and when (UTC, ISO)."""

    participant: int
    place: AskedPlace
    support: Support
    created: str


def folded_nickname(nickname: str) -> str:
    """By which two nicknames are the same: look-alikes in width or case are."""
    return unicodedata.normalize("NFKC", nickname).casefold()
