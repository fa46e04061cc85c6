"""The prompt by which an LLM labels a sample: Plumbline's own, or the one of RAGBench.

RAGBench's (Friel et al., arXiv 2407.11005, appendix 7.4) stands as it is printed, misprints
included; see docs/measures.md for what of it is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from evaluators import arguments
from evaluators.errors import ParameterError
from evaluators.prompts import fenced, load
from evaluators.records import Sentence
from evaluators.text.sentences import document_sentences, response_sentences

PromptName = Literal["plumbline", "ragbench"]

PLUMBLINE: PromptName = "plumbline"

MOST_OF_EXAMPLES = 4000
"""Characters of examples: they stand in every prompt, and every one is paid for."""

SPECIAL_KEYS = frozenset(
    {"supported_without_sentence", "general", "well_known_fact", "numerical_reasoning"}
)
"""What RAGBench's prompt lets a judge name in place of a document sentence that supports."""


class _Wording(NamedTuple):
    file: str
    key_mark: str
    """What stands between a key and its sentence, as the text of the prompt describes it."""


_WORDINGS: dict[str, _Wording] = {
    PLUMBLINE: _Wording("trace_labels_en", ":"),
    "ragbench": _Wording("trace_labels_ragbench_en", "."),
}


def labelling_template(name: str, examples: str = "") -> str:
    """The template of that name, with a place for examples where there are some.

    Raises `ParameterError` where there is none of that name.
    """
    template = load(_wording(name).file)
    return template + load("trace_examples_en") if examples.strip() else template


def keyed_line(sentence: Sentence, key_mark: str = ":") -> str:
    """The sentence behind its key, on one line."""
    # Whatever the text holds, none of it may pass for another sentence or for a mark.
    return f"{sentence.key}{key_mark} {' '.join(sentence.text.split())}"


def keyed_text(sentences: Iterable[Sentence], key_mark: str = ":") -> str:
    """The sentences behind their keys, one to a line."""
    return "\n".join(keyed_line(sentence, key_mark) for sentence in sentences)


class GPTLabelingPromptGenerator:
    """Writes the prompt of a sample: the template with keyed sentences, one to a line, fenced."""

    @staticmethod
    def generate_labeling_prompt(
        question: str,
        response: str | Sequence[Sentence],
        documents: Any,
        prompt: str = PLUMBLINE,
        examples: str = "",
    ) -> str:
        """The prompt; texts are cut into sentences, sentences are taken with the keys they have.

        `examples` stand below all else, as data between marks of their own.

        Raises `ParameterError` for a `prompt` other than "plumbline" and "ragbench".
        """
        mark = _wording(prompt).key_mark
        answer: Any = response
        if not _are_sentences([response]):
            answer = response_sentences(arguments.text(response, "response"))
        keyed = documents
        if not _are_sentences(documents):
            keyed = document_sentences(arguments.retrieved(documents, "documents"))
        parts = [keyed_text(document, mark) for document in keyed if document]
        shown = {"examples": examples.strip()} if examples.strip() else {}
        return fenced(
            labelling_template(prompt, examples),
            documents="\n\n".join(parts),
            question=arguments.text(question, "question"),
            response=keyed_text(answer, mark),
            **shown,
        )


def _are_sentences(documents: object) -> bool:
    """Whether the documents are cut into sentences already; one without any has none."""
    if not isinstance(documents, list | tuple):
        return False
    return all(
        isinstance(document, list | tuple)
        and all(isinstance(sentence, Sentence) for sentence in document)
        for document in documents
    )


def _wording(name: str) -> _Wording:
    if not isinstance(name, str) or name not in _WORDINGS:
        known = ", ".join(_WORDINGS)
        raise ParameterError(f"No labelling prompt is called {name!r:.60}. Known: {known}.")
    return _WORDINGS[name]
