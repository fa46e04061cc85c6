"""Where a data set is from, in words: the hub, the benchmark's files, or searched documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluators.text.language import say
from evaluators.text.similarity import LEXICAL
from evaluators.text.words import counted


def source_in_words(origin: Mapping[str, Any]) -> str:
    """One line, not escaped; empty for data that were uploaded or pasted."""
    sentences = []
    if download := origin.get("hub"):
        sentences.append(_from_hub(download))
    if download := origin.get("rgb"):
        sentences.append(str(download["address"]))
    if search := origin.get("retrieval"):
        sentences.append(_from_documents(search))
    return " · ".join(sentences)


def license_of(name: str) -> str:
    """The licence, as the card of the data set names it."""
    return say("licence {name}", name=name) if name else say("no licence stated")


def _from_hub(download: Mapping[str, Any]) -> str:
    parts = [
        f"huggingface.co/datasets/{download['id']}",
        download["config"],
        download["split"],
        say("at most {rows}", rows=counted(download["rows"], "row")),
        license_of(download["license"]),
    ]
    return " · ".join(parts)


def _from_documents(search: Mapping[str, Any]) -> str:
    # The field calls it by its method; people know it by its name.
    by = "BM25" if search["embedding_model"] == LEXICAL else search["embedding_model"]
    strategy = search["chunking_strategy"]
    # Only windows of words have a size and an overlap.
    if strategy == "dense":
        strategy = say(
            "{strategy}, {words} words, {shared} shared",
            strategy=strategy,
            words=search["chunk_size"],
            shared=search["chunk_overlap"],
        )
    chunks = counted(search["chunks"], "chunk")
    documents = counted(len(search["documents"]), "document")
    return say(
        "Retrieved by {method}: up to {most} of {chunks} ({strategy}) of {documents}",
        method=by,
        most=search["k"],
        chunks=chunks,
        strategy=strategy,
        documents=documents,
    )
