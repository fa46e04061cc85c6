"""What TRACE methods take alike: how texts are cut into windows, and how judges are asked."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import Field, SkipValidation, model_validator

from evaluators.base import Evaluator
from evaluators.text.chunking import ChunkingStrategy, check_overlap
from evaluators.text.language import mark
from evaluators.text.similarity import LEXICAL
from evaluators.trace.definitions import SENTENCE, DefinitionName, definition_named
from evaluators.trace.labelling_prompt import MOST_OF_EXAMPLES, PLUMBLINE, PromptName
from evaluators.trace.values import TRACE_VALUES
from evaluators.values import Value


class TRACEMethod(Evaluator):
    """The settings that all methods take alike.

    `unused` names those that make no difference to a method.
    """

    values: ClassVar[tuple[Value, ...]] = TRACE_VALUES
    unused: ClassVar[tuple[str, ...]] = ()

    # First, as in the documents' constructors, where it may stand without its name.
    llm_client: SkipValidation[Any] = None
    """The judge, of a method that asks one."""
    chunking_strategy: ChunkingStrategy = Field(
        default="dense",
        title=mark("Chunking strategy"),
        description=mark(
            "Heuristic: a sentence is read within overlapping windows of words (dense), "
            "within itself, or within its document."
        ),
    )
    embedding_model: str = Field(
        default=LEXICAL,
        title=mark("Embedding model"),
        description=mark(
            'Heuristic: "lexical" compares words; "sentence-transformers/..." adds '
            "meaning, if that package is installed."
        ),
    )
    chunk_size: int = Field(
        default=512,
        ge=50,
        le=2000,
        title=mark("Chunk size"),
        description=mark(
            "Words per window: of the heuristic (dense only), and of samples that a judge "
            "cannot take at once."
        ),
    )
    chunk_overlap: int = Field(
        default=50,
        ge=0,
        le=1999,
        title=mark("Chunk overlap"),
        description=mark("Words that neighbouring windows share."),
    )
    definition: DefinitionName = Field(
        default=SENTENCE,
        title=mark("Formula"),
        description=mark(
            "How labels become values; any other formula can be looked at later without a new call."
        ),
    )

    @property
    def loads_model(self) -> bool:
        return self.embedding_model != LEXICAL

    def formula(self, definition: str | None) -> str:
        """The one that is named, else its own; raises `ParameterError` for an unknown one."""
        name = self.definition if definition is None else definition
        definition_named(name)
        return name

    @model_validator(mode="after")
    def _windows_move_on(self) -> Self:
        check_overlap(self.chunk_size, self.chunk_overlap)
        return self


class LabellingMethod(TRACEMethod):
    """What those methods take beside that whose labels come from a judge."""

    prompt: PromptName = Field(
        default=PLUMBLINE,
        title=mark("Labelling prompt"),
        description=mark(
            "The words that judges are asked with: Plumbline's, or those that RAGBench "
            "was labelled with."
        ),
    )
    examples: str = Field(
        default="",
        max_length=MOST_OF_EXAMPLES,
        title=mark("Examples for the judge"),
        description=mark("Sentences that a judge got wrong, and what people say of them."),
    )
