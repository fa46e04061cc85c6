"""Rounds that a class labels, with who takes part and what each says."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from evaluators.errors import ParameterError
from evaluators.people.records import folded_name
from evaluators.records import Support
from evaluators.rounds.codes import HOLDS
from evaluators.rounds.records import (
    MOST_PARTICIPANTS,
    AskedPlace,
    Participant,
    Round,
    RoundLabel,
    State,
)
from evaluators.runs.store.bodies import from_body, timestamp, to_body
from evaluators.runs.store.database import Connection, Database
from evaluators.runs.store.runs import check_own_run
from evaluators.text.language import mark, say

GONE = mark("This round is not there any more: it was deleted with its run.")
_NO_LABELS: Mapping[State, str] = {
    "paused": mark("The round is paused: the label was not kept. Go on when it is open again."),
    "closed": mark("The round is closed: the label was not kept."),
    "revealed": mark("The round is closed: the label was not kept."),
}


class RoundTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, made: Round) -> None:
        """Keeps a new round.

        Raises `ParameterError` for an example, which all share, and where its run is not there
        (any more).
        """
        gone = mark("This run was deleted meanwhile, so no round was started.")
        with self._database.transaction() as db:
            check_own_run(db, made.run_id, mark("rounds"), gone)
            # Columns are what rounds are found by; all of the round stands in its body.
            found_by = (made.id, made.run_id, made.join, made.code, made.state)
            row = (*found_by, 0, to_body(made))
            db.execute("insert into rounds values (?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, round_id: str) -> Round | None:
        """The round of that id; one that cannot be read is as good as none."""
        return next(iter(self._read("id = ?", round_id)), None)

    def with_join(self, token: str) -> Round | None:
        return next(iter(self._read("join_token = ?", token)), None)

    def with_code(self, code: str) -> Round | None:
        """The round with this code, while the code holds."""
        for found in self._read("code = ?", code):
            if found.code_until > timestamp():
                return found
        return None

    def of_run(self, run_id: str) -> list[Round]:
        """The run's rounds that can be read, newest first."""
        return self._read("run_id = ? order by rowid desc", run_id)

    def change(self, round_id: str, **fields: Any) -> None:
        """Changes fields of a round, such as its state; raises `ParameterError` if it is gone."""
        with self._database.transaction() as db:
            query = "select body from rounds where id = ?"
            row = db.execute(query, (round_id,)).fetchone()
            if row is None:
                raise ParameterError(say(GONE))
            changed = from_body(Round, row[0]).model_copy(update=fields)
            db.execute(
                """update rounds set code = ?, state = ?, body = ?, revision = revision + 1
                   where id = ?""",
                (changed.code, changed.state, to_body(changed), round_id),
            )

    # Who takes part

    def join(self, round_id: str, nickname: str) -> Participant:
        """Lets somebody in, or in again whom the teacher lets in.

        Raises `ParameterError` where the round is gone, over or full, or where somebody else in it
        is called so.
        """
        token = secrets.token_urlsafe(16)
        # One transaction: two who come at once must not get one name, nor the last place both.
        with self._database.transaction() as db:
            row = db.execute("select body from rounds where id = ?", (round_id,)).fetchone()
            if row is None:
                raise ParameterError(say(GONE))
            made = from_body(Round, row[0])
            if made.is_over:
                raise ParameterError(say("The round is closed: nobody can join any more."))
            query = "select folded, number from round_participants where round_id = ?"
            numbers = {str(name): int(n) for name, n in db.execute(query, (round_id,))}
            if number := numbers.get(folded_name(nickname)):
                return _let_in_again(db, made, number, token)
            if len(numbers) >= MOST_PARTICIPANTS:
                raise ParameterError(
                    say("{count} take part, the most a round takes.", count=MOST_PARTICIPANTS)
                )
            columns = "round_id, token, nickname, folded, joined"
            row = (round_id, token, nickname, folded_name(nickname), timestamp())
            added = db.execute(
                f"insert into round_participants ({columns}) values (?, ?, ?, ?, ?)"
                " returning number",
                row,
            ).fetchone()
            _grow(db, round_id)
            return Participant(
                number=int(added[0]),
                round_id=round_id,
                token=token,
                nickname=nickname,
            )

    def participant(self, token: str) -> Participant | None:
        return next(iter(self._participants("token = ?", token)), None)

    def with_own_code(self, code: str) -> Participant | None:
        """Who comes back by this code, as long after joining as the code of a round holds."""
        since = timestamp(datetime.now(UTC) - HOLDS)
        recent = self._participants("joined >= ?", since)
        return next((each for each in recent if each.code == code), None)

    def participants(self, round_id: str) -> list[Participant]:
        """Who takes part, in the order in which they came."""
        return self._participants("round_id = ? order by number", round_id)

    def remove(self, participant: Participant) -> None:
        """Takes somebody out of the round, with all labels."""
        with self._database.transaction() as db:
            number = participant.number
            db.execute("delete from round_participants where number = ?", (number,))
            _grow(db, participant.round_id)

    def remove_newest(self, round_id: str, since: str) -> None:
        """Takes out all who joined between this moment (UTC, ISO) and now, with all labels."""
        with self._database.transaction() as db:
            query = """delete from round_participants
                       where round_id = ? and joined >= ? and joined <= ?"""
            if db.execute(query, (round_id, since, timestamp())).rowcount:
                _grow(db, round_id)

    # What they say

    def label(
        self,
        participant: Participant,
        place: AskedPlace,
        support: Support,
    ) -> None:
        """Keeps what a participant says of a sentence, in place of what was said before.

        Raises `ParameterError` where the round does not take labels, or one of the two is gone.
        """
        with self._database.transaction() as db:
            # In the same transaction: what comes after the end of a round must not count.
            query = """select state from rounds join round_participants on round_id = id
                       where number = ?"""
            row = db.execute(query, (participant.number,)).fetchone()
            if row is None:
                raise ParameterError(say(GONE))
            if why := _NO_LABELS.get(row[0]):
                raise ParameterError(say(why))
            values = (participant.number, *place, support.value, timestamp())
            query = """insert into round_labels values (?, ?, ?, ?, ?)
                       on conflict (participant, answer, "key") do update
                       set support = excluded.support, created = excluded.created"""
            db.execute(query, values)
            _grow(db, participant.round_id)

    def labels(self, round_id: str) -> list[RoundLabel]:
        """What all participants say."""
        return self._labels("round_id = ? order by participant, answer, key", round_id)

    def labels_of(self, participant: Participant) -> dict[AskedPlace, Support]:
        own = self._labels("participant = ?", participant.number)
        return {label.place: label.support for label in own}

    def _labels(self, where: str, value: str | int) -> list[RoundLabel]:
        query = f"""select participant, answer, key, support, round_labels.created
                    from round_labels join round_participants on number = participant
                    where {where}"""
        labels = []
        for number, answer, key, support, created in self._database.rows(query, value):
            # Everybody can label once more what cannot be read.
            with suppress(ValueError):
                labels.append(
                    RoundLabel(number, AskedPlace(answer, key), Support(support), created)
                )
        return labels

    def _participants(self, where: str, value: str) -> list[Participant]:
        query = f"select number, round_id, token, nickname from round_participants where {where}"
        names = ("number", "round_id", "token", "nickname")
        participants = []
        for row in self._database.rows(query, value):
            with suppress(ValueError):
                fields = dict(zip(names, row, strict=True))
                participants.append(Participant.model_validate(fields))
        return participants

    def _read(self, where: str, value: str) -> list[Round]:
        rounds = []
        query = f"select revision, body from rounds where {where}"
        for revision, body in self._database.rows(query, value):
            # A later version may have written it: the other rounds can be read all the same.
            with suppress(ValueError):
                found = from_body(Round, body)
                rounds.append(found.model_copy(update={"revision": revision}))
        return rounds


def _let_in_again(db: Connection, made: Round, number: int, token: str) -> Participant:
    """The participant under a new token, with all labels; the old one opens nothing any more."""
    if not made.lets_in(number, timestamp()):
        raise ParameterError(
            say(
                "This nickname is taken. Choose another one. If it is yours, type your own code "
                "under Join a round, or ask to be let in again."
            )
        )
    query = "update round_participants set token = ? where number = ? returning nickname"
    (nickname,) = db.execute(query, (token, number)).fetchone()
    body = to_body(made.model_copy(update={"let_in": None}))
    db.execute("update rounds set body = ? where id = ?", (body, made.id))
    _grow(db, made.id)
    return Participant(number=number, round_id=made.id, token=token, nickname=nickname)


def _grow(db: Connection, round_id: str) -> None:
    """Tells all who look at the round that something happened in it."""
    db.execute("update rounds set revision = revision + 1 where id = ?", (round_id,))
