"""A round: some answers of a run that a class labels at the same time, each for itself."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from evaluators.people.records import PersonName
from evaluators.records import Record, Support
from evaluators.rounds.codes import own_code

State = Literal["open", "paused", "closed", "revealed"]
RoundKind = Literal["support", "guess", "score", "planted", "better"]
"""What is asked: each is described in `evaluators.rounds.kinds`."""

MOST_ANSWERS = 20
MOST_PARTICIPANTS = 60
"""People in a round: two school classes, and few enough that one laptop serves them."""
LONGEST_NICKNAME = 24
"""So that sixty of them fit on a projector."""


class Asking(NamedTuple):
    """What a round asks: of which two models the answers are compared, or which value is guessed.

    Models count by their numbers in the run; `value` is its name, as in a score.
    """

    kind: RoundKind = "support"
    models: tuple[int, int] = (0, 1)
    value: str = ""


OF_SENTENCES = Asking()


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

    The wall of one that `hides_spread` does not tell before the reveal who said what; of `models`,
    by their numbers, two answers are laid side by side; `value` is the one whose height is guessed.
    One that `was_revealed`, and goes on because nobody had labelled, has labels that are not blind.
    `let_in` is the number of a participant whose nickname brings back in, and until when.
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
    hides_spread: bool = False
    was_revealed: bool = False
    models: tuple[int, int] | None = None
    value: str = ""
    let_in: tuple[int, str] | None = None
    revision: int = 0
    answers: tuple[AskedAnswer, ...] = Field(min_length=1, max_length=MOST_ANSWERS)

    @property
    def is_over(self) -> bool:
        """Whether nobody can label any more."""
        return self.state in ("closed", "revealed")

    def lets_in(self, number: int, now: str) -> bool:
        """Whether the nickname of this participant brings back in at this moment."""
        return self.let_in is not None and self.let_in[0] == number and self.let_in[1] > now


class Participant(Record):
    """Somebody in a round; who has the `token`, which cannot be guessed, is that person."""

    number: int
    round_id: str
    token: str
    nickname: PersonName

    @property
    def code(self) -> str:
        """What the participant types to come back on another device, or after a tab was lost."""
        return own_code(self.token)


class AskedPlace(NamedTuple):
    """What is asked about: the answer's place in the round, from 0, and the key of its part.

    That is a sentence or a document; the key is empty where it is the whole answer.
    """

    answer: int
    key: str


class RoundLabel(NamedTuple):
    """What a participant says of it, and when (UTC, ISO).

    The three targets of every kind stand in an order, so all are kept on the scale of support.
    """

    participant: int
    place: AskedPlace
    support: Support
    created: str
