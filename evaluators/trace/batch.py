"""Batch results in the shape that the GPT labelling document shows: an entry a case, and the means.

A case that could not be judged is an entry with "error" and has no part in the means. Beside every
mean stands how many of the cases it is made of ("coverage"), beside every null why ("reasons").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from evaluators import arguments
from evaluators.errors import MissingInputError, ParameterError, PlumblineError
from evaluators.item_lists import mean
from evaluators.text.printable import shown
from evaluators.trace.metrics import VALUES, TRACEScores, why_missing

Cases = Iterable[Mapping[str, Any]]
"""Mappings with the documented keys, or a table with these columns; further ones are left alone."""

_CASE_KEYS = ("query", "response", "retrieved_documents")


class Case(NamedTuple):
    """The texts of one test case."""

    query: str
    response: str
    retrieved_documents: tuple[str, ...]


def read_texts(
    question: object,
    response: object,
    documents: object,
    where: str = "",
    question_name: str = "question",
) -> Case:
    """What is judged; raises `MissingInputError` that says what of it is given as what."""
    return Case(
        arguments.text(question, question_name, where),
        arguments.text(response, "response", where),
        arguments.retrieved(documents, where=where),
    )


def read_cases(test_cases: object) -> list[Any]:
    """The cases, as JSON has them; raises `ParameterError` for what holds no cases."""
    cases = arguments.entries(test_cases)
    if cases is None:
        raise ParameterError(
            f"test_cases is {shown(test_cases)}. Give a list with a mapping for each "
            f"case, which has {', '.join(_CASE_KEYS)}."
        )
    # Now, as what is read once only (a generator of documents) is looked at several times.
    return [arguments.plain(case) if isinstance(case, Mapping) else case for case in cases]


def read_case(number: int, raw: object) -> Case:
    """The case of this number, from 1; raises `MissingInputError` where it cannot be judged."""
    where = f"Case {number}: "
    remedy = f"Give {_CASE_KEYS[0]}, {_CASE_KEYS[1]} and {_CASE_KEYS[2]}."
    if not isinstance(raw, Mapping):
        raise MissingInputError(f"{where}it is {shown(raw)}, not a mapping. {remedy}")
    for key in _CASE_KEYS:
        if key not in raw:
            raise MissingInputError(f"{where}{key} is missing. {remedy}")
    query, response, documents = (raw[key] for key in _CASE_KEYS)
    return read_texts(query, response, documents, where, "query")


def entries(
    test_cases: Sequence[Any],
    judge: Callable[[Case], Mapping[str, Any]],
    workers: int = 1,
) -> list[dict[str, Any]]:
    """One entry for each case, in order, with what `judge` says of it.

    `workers` cases are judged at once; more than 1 pay where judging is waiting for an LLM.
    """

    def entry(number: int, raw: object) -> dict[str, Any]:
        facts = _case_facts(number, raw)
        try:
            case = read_case(number, raw)
            facts["retrieved_documents"] = list(case.retrieved_documents)
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


def _case_facts(number: int, raw: object) -> dict[str, Any]:
    """What an entry repeats of its case, under the names of the document's JSON."""
    # A case that cannot be read has an entry all the same, with what there is of it.
    case = raw if isinstance(raw, Mapping) else {}
    repeated = {
        "question": case.get("query"),
        "llm_response": case.get("response"),
        "retrieved_documents": case.get("retrieved_documents"),
        "ground_truth": case.get("ground_truth"),
    }
    return {"query_id": number, **arguments.writable(repeated)}
