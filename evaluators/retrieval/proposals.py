"""Questions that an LLM proposes of documents; each quotes the words that give its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import NamedTuple

from pydantic import BaseModel

from evaluators.datasets.table import Problem
from evaluators.errors import DatasetError
from evaluators.item_lists import at_once
from evaluators.llm import Keys, LLMClient
from evaluators.llm.budget import Meter
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import ModelSession, RunContext
from evaluators.llm.estimate import Estimate, estimate
from evaluators.llm.loop import Scope
from evaluators.llm.structured import ask
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Cap, ModelSpec, Sample
from evaluators.retrieval.dataset import Chunk, Settings, chunks
from evaluators.retrieval.documents import Document, count_letters
from evaluators.retrieval.doubts import Comparable, in_one_form
from evaluators.retrieval.index import Progress
from evaluators.retrieval.questions import Questions
from evaluators.surrogates import without_surrogates
from evaluators.text.language import say
from evaluators.text.size import tokens

TEMPLATE = "propose_question_en"
USUAL_COUNT, MOST_COUNT = 30, 200
"""Questions that are asked for; each is a call."""
MOST_CHARACTERS = 4000
"""Characters of a chunk that are shown; of a longer one its beginning."""
MOST_OF_A_FIELD = 2000
"""Characters of a question, an answer or a quotation that are taken."""
FEWEST_LETTERS = 40
"""A chunk with fewer is a heading, or the rest of a page."""
LONG_WORD = 8
"""Bytes for which a word of a window is counted in the price."""


class Proposal(BaseModel):
    """What a model answers."""

    evidence: str
    question: str
    answer: str


class Proposals(NamedTuple):
    """The questions that can be used, with a reason for each of the others."""

    questions: Questions
    unquoted: int
    failed: int

    @property
    def sentence(self) -> str:
        return say(
            "The LLM proposed {kept:,} questions that can be used; {unquoted:,} were dropped, as "
            "their evidence does not stand in the document word for word, and {failed:,} failed.",
            kept=len(self.questions.samples),
            unquoted=self.unquoted,
            failed=self.failed,
        )


def price(spec: ModelSpec, count: int, settings: Settings) -> Estimate:
    """What so many proposals take at most, before any document is read."""
    shown = MOST_CHARACTERS
    if settings.chunking_strategy == "dense":
        shown = min(shown, LONG_WORD * settings.chunk_size)
    return estimate(spec, [tokens(load(TEMPLATE)) + tokens("x" * shown)] * count)


@contextmanager
def within(spec: ModelSpec, keys: Keys, cap: Cap) -> Iterator[LLMClient]:
    """A client of the model that keeps to this budget, and whose key is forgotten in the end."""
    session = ModelSession(spec, keys, RunContext(Scope(), Meter(cap), None))
    try:
        yield session.client(CallLog())
    finally:
        session.close()


def propose(
    llm: LLMClient,
    documents: Sequence[Document],
    settings: Settings,
    count: int = USUAL_COUNT,
    seed: int = 0,
    on_progress: Progress = lambda share: None,
) -> Proposals:
    """Questions about chunks that are drawn at random, one about each.

    Raises `DatasetError` where no chunk says enough, or the number is out of range.
    """
    if not 1 <= count <= MOST_COUNT:
        raise DatasetError(
            say(
                "{count:,} questions cannot be proposed. Ask for 1 to {most}.",
                count=count,
                most=MOST_COUNT,
            )
        )
    pool = [
        chunk
        for chunk in chunks(documents, settings)
        if count_letters(chunk.text) >= FEWEST_LETTERS
    ]
    if not pool:
        raise DatasetError(say("The documents say too little to ask about. Choose others."))
    drawn = Random(seed).sample(pool, min(count, len(pool)))
    values, errors = at_once(
        lambda chunk: _proposal(llm, chunk), [(chunk,) for chunk in drawn], on_progress
    )
    samples: list[Sample] = []
    problems: list[Problem] = []
    unquoted = 0
    for number, (chunk, value) in enumerate(zip(drawn, values, strict=True), start=1):
        if value is None:
            problems.append(Problem(number, errors[number - 1], raw=""))
        elif not _stands_in(value, chunk):
            unquoted += 1
            message = say("Its evidence does not stand in the document word for word.")
            problems.append(Problem(number, message, raw=value.question[:MOST_OF_A_FIELD]))
        else:
            samples.append(
                Sample(
                    id=str(number),
                    question=value.question.strip(),
                    ground_truth=value.answer.strip(),
                    gold_documents=(value.evidence.strip(),),
                )
            )
    return Proposals(Questions(tuple(samples), tuple(problems)), unquoted, len(errors))


def _proposal(llm: LLMClient, chunk: Chunk) -> Proposal:
    text = fenced(load(TEMPLATE), passage=without_surrogates(chunk.text[:MOST_CHARACTERS]))
    value = ask(llm, Prompt(text=text), Proposal).value
    return Proposal(**{name: without_surrogates(words) for name, words in value})


def _stands_in(proposal: Proposal, chunk: Chunk) -> bool:
    """Whether it has its three parts, and what it quotes stands in what the model was shown."""
    if not all(0 < len(words.strip()) <= MOST_OF_A_FIELD for _, words in proposal):
        return False
    shown = Comparable.of(chunk.text[:MOST_CHARACTERS])
    return in_one_form(proposal.evidence, is_chinese=shown.is_chinese) in shown.text
