"""Batch results in the shape that the GPT labelling document shows: one entry for each case, and
means over the scored.

A case that could not be judged is an entry with "error" and has no part in the means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluators.errors import MissingInputError, PlumblineError
from evaluators.item_lists import mean
from evaluators.trace.metrics import METRICS, TRACEScores


class Case(BaseModel):
    """One test case under its documented keys; further keys are left alone."""

    model_config = ConfigDict(frozen=True)

    query: str
    response: str
    retrieved_documents: tuple[str, ...]
    ground_truth: Any = None


def read(number: int, given: Mapping[str, Any]) -> Case:
    """The case of this number, from 1; raises `MissingInputError` where it cannot be judged."""
    try:
        return Case.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the case"
        problem = "is missing" if first["type"] == "missing" else f"cannot be used ({first['msg']})"
        remedy = "Give query, response and retrieved_documents"
        raise MissingInputError(f"Case {number}: {field} {problem}. {remedy}.") from error


def entries(
    test_cases: Sequence[Mapping[str, Any]],
    judge: Callable[[Case], Mapping[str, Any]],
    workers: int = 1,
) -> list[dict[str, Any]]:
    """One entry for each case, in order, with what `judge` says of it: its "metrics", and what else
    it adds.

    `workers` cases are judged at once; more than 1 pay where judging is waiting for an LLM.
    """

    def entry(number: int, given: Mapping[str, Any]) -> dict[str, Any]:
        return {**_told(number, given), **_outcome(number, given, judge)}

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(entry, range(1, len(test_cases) + 1), test_cases))


def metrics(scores: TRACEScores) -> dict[str, float | None]:
    """The values and counts of one case; the average is told of all cases only."""
    return {name: value for name, value in scores.to_dict().items() if name != "average"}


def summary(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means over the scored entries, how many those are, and all entries."""
    scored = [entry["metrics"] for entry in found if "metrics" in entry]
    counts = {"num_samples": len(found), "num_scored": len(scored)}
    return {**means(scored), **counts, "detailed_results": list(found)}


def means(scored: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """The mean of each TRACE metric over the cases it applies to (None where there is none), and
    their average.
    """
    found = {name: mean(values[name] for values in scored) for name in METRICS}
    return {**found, "average": mean(found.values())}


def _outcome(
    number: int, given: Mapping[str, Any], judge: Callable[[Case], Mapping[str, Any]]
) -> Mapping[str, Any]:
    try:
        return judge(read(number, given))
    except PlumblineError as error:
        return {"error": str(error)}


def _told(number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    given = given if isinstance(given, Mapping) else {}
    documents = given.get("retrieved_documents")
    return {
        "query_id": number,
        "question": given.get("query"),
        "llm_response": given.get("response"),
        "retrieved_documents": list(documents)
        if isinstance(documents, list | tuple)
        else documents,
        "ground_truth": given.get("ground_truth"),
    }
