"""Samples, stored once for each data set, by its fingerprint and their position."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from evaluators.errors import StoreError, UnreadableRowError
from evaluators.records import Ability, Sample
from evaluators.runs.store.bodies import (
    from_body,
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

_RGB_FACETS = {"ability", "noise", "effective_noise"}
_ABILITIES = (None, *Ability)


class SampleTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, fingerprint: str, position: int) -> Sample:
        """One sample; raises `UnreadableRowError`, or `StoreError` for a missing one."""
        sample = self.get_many(fingerprint, [position])[position]
        if isinstance(sample, UnreadableRowError):
            raise sample
        return sample

    def get_many(
        self,
        fingerprint: str,
        positions: Collection[int],
    ) -> dict[int, Sample | UnreadableRowError]:
        """Some samples of a data set by position, or why one cannot be read.

        Raises `StoreError` for a missing one.
        """
        query = f"""select position, body from samples
                    where fingerprint = ? and position in {sql_numbers("?")}"""
        wanted = json.dumps(list(positions))
        rows = dict(self._database.rows(query, fingerprint, wanted))
        if missing := [position for position in positions if position not in rows]:
            raise StoreError(
                say(
                    "The data set has no sample {number}. Choose another one.",
                    number=missing[0] + 1,
                )
            )
        return {position: _sample_or_error(position, body) for position, body in rows.items()}

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
        """The ids of all samples, in their order."""
        query = "select sample_id from samples where fingerprint = ? order by position"
        return [str(sample_id) for (sample_id,) in self._database.rows(query, fingerprint)]

    def with_response(self, fingerprint: str) -> int:
        """How many of the samples came with a response."""
        query = f"select count({sql_field('response')}) from samples where fingerprint = ?"
        return int(self._database.rows(query, fingerprint)[0][0])


def insert_samples(
    db: Connection,
    fingerprint: str,
    samples: Iterable[Sample],
) -> None:
    """Stores the samples, unless those of this fingerprint are there already."""
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
    db.executemany("insert or ignore into samples values (?, ?, ?, ?, ?, ?)", rows)


def is_sample_facet(name: str, value: Any) -> bool:
    """Whether this entry may stand among the facets: what lists and charts show of a sample."""
    if name == "situation":
        return isinstance(value, str)
    if name == "ability":
        return value in _ABILITIES
    if name == "repeat":
        return isinstance(value, int) and value > 0
    return name in _RGB_FACETS and is_number_or_none(value)


def _facets_body(sample: Sample) -> str:
    facets: dict[str, Any] = {"situation": sample.situation} if sample.situation else {}
    if sample.rgb:
        facets |= sample.rgb.model_dump(mode="json", include=_RGB_FACETS)
    if sample.repeat > 1:
        facets["repeat"] = sample.repeat
    return json.dumps(facets)


def _sample_or_error(position: int, body: Any) -> Sample | UnreadableRowError:
    try:
        return from_body(Sample, body)
    except ValueError as error:
        return UnreadableRowError(
            say(
                "Sample {number} cannot be read ({why}). The others of its data set can.",
                number=position + 1,
                why=why_unreadable(error),
            )
        )
