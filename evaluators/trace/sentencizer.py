"""The documented class that cuts documents and response into keyed sentences."""

from __future__ import annotations

from evaluators import arguments
from evaluators.records import Sentence
from evaluators.text.sentences import document_sentences, response_sentences


class DocumentSentencizer:
    """Cuts documents and response into keyed sentences, the units that the labels speak of."""

    def sentencize_documents(self, documents: object) -> tuple[tuple[Sentence, ...], ...]:
        """Key the sentences of each document by its number and letters: 0a, 0b, 1a, 1z, 1aa."""
        return document_sentences(arguments.retrieved(documents, "documents"))

    def sentencize_response(self, response: str) -> tuple[Sentence, ...]:
        """Key the sentences of the response by letters: a, b, ..., z, aa."""
        return response_sentences(arguments.text(response, "response"))
