"""Samples, stored once for each data set, by its fingerprint and their position."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from evaluators.errors import UnreadableRowError
from evaluators.records import Ability, Sample
from evaluators.runs.store.bodies import (
    digest,
    from_row,
    is_number_or_none,
    sql_field,
    sql_numbers,
    to_body,
    why_unreadable,
)
from evaluators.runs.store.database import Connection, Database
from evaluators.text.language import say

QUESTION_SHOWN = 120
"""Characters of a question that lists show."""

SAMPLE_ROW = "s.fingerprint, s.position, s.sample_id, s.question, s.facets, s.body, s.digest"
"""A whole row of the samples `s`, as `from_row` reads it."""

_RGB_FACETS = {"ability", "noise", "effective_noise"}
_ABILITIES = (None, *Ability)


class SampleTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, fingerprint: str, position: int) -> Sample:
        """One sample; raises `UnreadableRowError`, for a missing one as well."""
        sample = self.get_many(fingerprint, [position])[position]
        if isinstance(sample, UnreadableRowError):
            raise sample
        return sample

    def get_many(
        self,
        fingerprint: str,
        positions: Collection[int],
    ) -> dict[int, Sample | UnreadableRowError]:
        """Some samples of a data set by position, or why one cannot be read."""
        query = f"""select {SAMPLE_ROW} from samples s
                    where fingerprint = ? and position in {sql_numbers("?")}"""
        wanted = json.dumps(list(positions))
        rows = {row[1]: row for row in self._database.rows(query, fingerprint, wanted)}
        return {position: _sample_or_error(position, rows.get(position)) for position in positions}

    def number_of(self, run_id: str) -> int:
        """How many samples the run was stored with, of which some may not be there any more."""
        query = "select stored_samples from revisions where run_id = ?"
        return sum(int(count) for (count,) in self._database.rows(query, run_id))

    def fields(
        self,
        fingerprint: str,
        positions: Collection[int],
        names: Sequence[str],
    ) -> dict[int, tuple[object, ...]]:
        """These fields of some samples by position, to compare; damaged ones are left out."""
        query = f"""select position, {", ".join(map(sql_field, names))} from samples
                    where fingerprint = ? and position in {sql_numbers("?")} and json_valid(body)"""
        rows = self._database.rows(query, fingerprint, json.dumps(list(positions)))
        return {position: tuple(values) for position, *values in rows}

    def ids(self, fingerprint: str) -> list[str]:
        """The ids of all samples, by their position."""
        query = "select position, sample_id from samples where fingerprint = ?"
        rows = self._database.rows(query, fingerprint)
        # SQLite takes anything as a position, where a row is damaged.
        ids = {position: sample_id for position, sample_id in rows if isinstance(position, int)}
        return [str(ids.get(position, "")) for position in range(max(ids, default=-1) + 1)]

    def with_response(self, fingerprint: str) -> int:
        """How many of the samples came with a response."""
        query = f"select count({sql_field('response')}) from samples where fingerprint = ?"
        return int(self._database.rows(query, fingerprint)[0][0])


def insert_samples(
    db: Connection,
    fingerprint: str,
    samples: Iterable[Sample],
) -> None:
    """Stores the samples, unless those of this fingerprint are there as they were stored."""
    rows = (
        (
            fingerprint,
            position,
            sample.id,
            sample.question[:QUESTION_SHOWN],
            _facets_body(sample),
            to_body(sample),
        )
        for position, sample in enumerate(samples)
    )
    # A new run over the same data mends what was damaged of them.
    query = """insert into samples values (?, ?, ?, ?, ?, ?, ?)
               on conflict (fingerprint, position) do update set
               sample_id = excluded.sample_id, question = excluded.question,
               facets = excluded.facets, body = excluded.body, digest = excluded.digest
               where (samples.sample_id, samples.question, samples.facets, samples.body,
                      samples.digest) <> (excluded.sample_id, excluded.question, excluded.facets,
                      excluded.body, excluded.digest)"""
    db.executemany(query, ((*row, digest(*row)) for row in rows))


def is_sample_facet(name: str, value: Any) -> bool:
    """Whether this entry may stand among the facets: what lists and charts show of a sample."""
    if name in ("situation", "conversation"):
        return isinstance(value, str)
    if name == "ability":
        return value in _ABILITIES
    if name == "repeat":
        return isinstance(value, int) and value > 0
    return name in _RGB_FACETS and is_number_or_none(value)


def _facets_body(sample: Sample) -> str:
    own = {"situation": sample.situation, "conversation": sample.conversation}
    facets: dict[str, Any] = {name: value for name, value in own.items() if value}
    if sample.rgb:
        facets |= sample.rgb.model_dump(mode="json", include=_RGB_FACETS)
    if sample.repeat > 1:
        facets["repeat"] = sample.repeat
    return json.dumps(facets)


def _sample_or_error(position: int, row: Sequence[Any] | None) -> Sample | UnreadableRowError:
    if row is None:
        missing = say(
            "The data set has no sample {number}. Choose another one.", number=position + 1
        )
        return UnreadableRowError(missing)
    try:
        return from_row(Sample, row)
    except ValueError as error:
        return UnreadableRowError(
            say(
                "Sample {number} cannot be read ({why}). The others of its data set can.",
                number=position + 1,
                why=why_unreadable(error),
            )
        )
