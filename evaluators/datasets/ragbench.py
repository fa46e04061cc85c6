"""RAGBench rows as samples, with their published sentences and labels.

Friel et al., arXiv 2407.11005.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.errors import DatasetError
from evaluators.records import Labels, Sample, Sentences, SentenceSupport, Support
from evaluators.text.language import say

# As RAGBench writes them; longer ones would cost tokens in every prompt that names them
_KEY = re.compile(r"\d{0,6}[a-z]{1,6}")

COLUMNS = (
    "dataset_name",
    "id",
    "generation_model_name",
    "question",
    "response",
    "documents",
    "documents_sentences",
    "response_sentences",
    "sentence_support_information",
    "unsupported_response_sentence_keys",
    "all_relevant_sentence_keys",
    "all_utilized_sentence_keys",
)

LISTS = COLUMNS[5:]
"""The columns that hold lists."""

SUBSETS = {
    "pubmedqa": "PubMedQA",
    "covidqa": "CovidQA",
    "hotpotqa": "HotpotQA",
    "msmarco": "MS Marco",
    "hagrid": "HAGRID",
    "expertqa": "ExpertQA",
    "delucionqa": "DelucionQA",
    "emanual": "EManual",
    "techqa": "TechQA",
    "finqa": "FinQA",
    "tatqa": "TAT-QA",
    "cuad": "CUAD",
}
"""RAGBench's sets by the beginning of its samples' ids."""


def subsets(sample_ids: Iterable[str]) -> list[str]:
    """The sets of RAGBench whose rows these are; empty where one is from elsewhere."""
    found = set()
    for sample_id in sample_ids:
        name, slash, _ = sample_id.partition("/")
        title = SUBSETS.get(name.partition("_")[0].lower()) if slash else None
        if title is None:
            return []
        found.add(title)
    return sorted(found)


def sample(row: Mapping[str, Any]) -> Sample:
    """The sample of one published row, lists or numpy arrays alike.

    `id` alone repeats within a subset, so the sample's id is
    "<dataset_name>/<id>/<generation_model_name>". A row without a response has no sentences and
    labels either, as they tell of one. Raises `DatasetError` where another column is missing.
    """
    _require_columns(row)
    is_answered = row.get("response") is not None
    return Sample(
        id=f"{row['dataset_name']}/{row['id']}/{row['generation_model_name']}",
        question=row["question"],
        response=row.get("response"),
        retrieved_documents=tuple(row["documents"]),
        generator=row["generation_model_name"] if is_answered else "",
        sentences=_published_sentences(row) if is_answered else None,
        labels=_published_labels(row) if is_answered else None,
    )


def _require_columns(row: Mapping[str, Any]) -> None:
    lacking = [column for column in COLUMNS if column not in row and column != "response"]
    if lacking:
        what = ", ".join(lacking)
        raise DatasetError(
            say(
                "Not a RAGBench row: {columns} missing. Add them, or leave out "
                "documents_sentences.",
                columns=what,
            )
        )


def _published_sentences(row: Mapping[str, Any]) -> Sentences:
    """The published sentences.

    Raises `DatasetError` for keys that could not stand in a prompt or name a sentence.
    """
    documents = [_keyed_sentences(document) for document in row["documents_sentences"]]
    found = Sentences.model_validate(
        {"documents": documents, "response": _keyed_sentences(row["response_sentences"])}
    )
    keys = Counter(found.document_keys)
    keys.update(sentence.key for sentence in found.response)
    odd = [key for key, count in keys.items() if count > 1 or not _KEY.fullmatch(key)]
    if odd:
        raise DatasetError(
            say(
                "The sentence key {name!r} is not like 0a or a, or not alone. Give each its own.",
                name=odd[0][:20],
            )
        )
    return found


def _keyed_sentences(pairs: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"key": key, "text": text} for key, text in pairs]


def _published_labels(row: Mapping[str, Any]) -> Labels:
    unsupported = {_response_key(key) for key in row["unsupported_response_sentence_keys"]}
    entries = row["sentence_support_information"]
    supports = [_sentence_support(entry, unsupported) for entry in entries]
    # Annotators left some sentences out of their list of supports that they call unsupported
    unlisted = unsupported - {support.key for support in supports}
    supports += [SentenceSupport(key=key, support=Support.NONE) for key in sorted(unlisted)]
    return Labels(
        relevant_keys=tuple(row["all_relevant_sentence_keys"]),
        utilized_keys=tuple(row["all_utilized_sentence_keys"]),
        sentence_support=tuple(supports),
    )


def _sentence_support(entry: Mapping[str, Any], unsupported: set[str]) -> SentenceSupport:
    key = _response_key(entry["response_sentence_key"])
    supporting = entry["supporting_sentence_keys"]
    fully = entry["fully_supported"]
    # Null does not stand for a verdict beside the list of unsupported sentences
    support = Support.FULL if fully is None or fully else Support.PARTIAL
    if key in unsupported:
        support = Support.NONE
    return SentenceSupport(
        key=key,
        support=support,
        supporting_keys=() if supporting is None else tuple(supporting),
        explanation=entry["explanation"] or "",
    )


def _response_key(published: str) -> str:
    """Annotators wrote "a." as well as "a"."""
    return published.rstrip(".")
