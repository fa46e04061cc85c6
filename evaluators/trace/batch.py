"""Batch results in the shape that the GPT labelling document shows: an entry a case, and the means.

A case that could not be judged is an entry with "error" and has no part in the means. Beside every
mean stands how many of the cases it is made of ("coverage"), beside every null why ("reasons").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluators.errors import MissingInputError, PlumblineError
from evaluators.item_lists import mean
from evaluators.trace.metrics import VALUES, TRACEScores, why_missing


class Case(BaseModel):
    """One test case under its documented keys; further keys are left alone."""

    model_config = ConfigDict(frozen=True)

    query: str
    response: str
    retrieved_documents: tuple[str, ...]
    ground_truth: Any = None


def read_case(number: int, raw: Mapping[str, Any]) -> Case:
    """The case of this number, from 1; raises `MissingInputError` where it cannot be judged."""
    try:
        return Case.model_validate(raw)
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
    """One entry for each case, in order, with what `judge` says of it.

    `workers` cases are judged at once; more than 1 pay where judging is waiting for an LLM.
    """

    def entry(number: int, raw: Mapping[str, Any]) -> dict[str, Any]:
        facts = _case_facts(number, raw)
        try:
            case = read_case(number, raw)
            facts |= judge(case)
        except PlumblineError as error:
            facts["error"] = str(error)
        return facts

    numbers = range(1, len(test_cases) + 1)
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(entry, numbers, test_cases))


def judged_entry(scores: TRACEScores) -> dict[str, Any]:
    """What an entry says of a case that was judged: its values, and why one is null."""
    reasons = why_missing(scores)
    return {"metrics": scores.to_dict(), **({"reasons": reasons} if reasons else {})}


def batch_summary(case_entries: Sequence[Mapping[str, Any]], definition: str) -> dict[str, Any]:
    """The means over the scored entries, what they stand on, and all entries."""
    scored = [entry for entry in case_entries if "metrics" in entry]
    means = batch_means([entry["metrics"] for entry in scored], asked=len(case_entries))
    missing = [name for name in VALUES if means[name] is None]
    reasons = {name: _why_no_mean(name, case_entries) for name in missing}
    return {
        **means,
        **({"reasons": reasons} if reasons else {}),
        "definition": definition,
        "num_samples": len(case_entries),
        "num_scored": len(scored),
        "detailed_results": list(case_entries),
    }


def batch_means(metrics: Sequence[Mapping[str, Any]], asked: int) -> dict[str, Any]:
    """The mean of each value over the cases that have it, and how many of those `asked` do.

    So "average" is the mean over the cases of each one's average.
    """
    means: dict[str, Any] = {}
    coverage = {}
    for name in VALUES:
        column = [values[name] for values in metrics]
        means[name] = mean(column)
        # What failed was asked as well: the means alone would hide it.
        coverage[name] = {
            "scored": len(column) - column.count(None),
            "asked": asked,
        }
    return {**means, "coverage": coverage}


def _why_no_mean(name: str, case_entries: Sequence[Mapping[str, Any]]) -> str:
    if not case_entries:
        return "There is no case."
    reasons: Counter[str] = Counter()
    for entry in case_entries:
        was_judged = "metrics" in entry
        reason = entry["reasons"][name] if was_judged else entry["error"]
        reasons[reason] += 1
    asked = len(case_entries)
    parts = [f"{count} of {asked}: {reason}" for reason, count in reasons.items()]
    return " ".join(parts)


def _case_facts(number: int, raw: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry repeats of its case, under the names of the document's JSON."""
    # A case that cannot be read has an entry all the same, with what there is of it.
    raw = raw if isinstance(raw, Mapping) else {}
    documents = raw.get("retrieved_documents")
    if isinstance(documents, tuple):
        documents = list(documents)
    return {
        "query_id": number,
        "question": raw.get("query"),
        "llm_response": raw.get("response"),
        "retrieved_documents": documents,
        "ground_truth": raw.get("ground_truth"),
    }
