"""The statements of a true answer, and what a judge says of each of them.

They are the true answer's own sentences, or its required answers, so that a judge can leave none
out and add none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.json_schema import SkipJsonSchema

from evaluators.llm import LLMClient
from evaluators.llm.structured import Answered, ask, unreadable
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Accepted, Sample
from evaluators.surrogates import without_surrogates
from evaluators.text.accepted import Spellings, groups, on_one_line
from evaluators.text.language import mark
from evaluators.text.sentences import letters, split_sentences
from evaluators.text.similarity import terms

MOST_WORDS = 0.5
"""What two statements must share of the words of both to be the same, said a little differently."""

NO_TRUTH = mark("There is no true answer, so there is nothing to look for in the documents.")
# What judges write around a key: "(a)", "a.", "`a`".
_AROUND_KEYS = " .:,;()[]'\"`"


class Classification(BaseModel):
    """What a judge says of the statement with this key."""

    model_config = ConfigDict(frozen=True)

    key: str = ""
    """Empty where the judge answers in RAGAS's shape, which has none."""
    statement: SkipJsonSchema[str] = ""
    """Its words, which RAGAS's shape has in place of a key. Not asked for: a key costs less."""
    reason: str = ""
    attributed: bool


class Classifications(BaseModel):
    """What a judge answers: one classification for each statement."""

    model_config = ConfigDict(frozen=True)

    classification: tuple[Classification, ...]

    @model_validator(mode="before")
    @classmethod
    def _as_ragas_has_it(cls, answer: Any) -> Any:
        """RAGAS asks for the bare list."""
        if isinstance(answer, list):
            return {"classification": answer}
        return answer

    def missing(self, truths: Mapping[str, Spellings]) -> list[str]:
        """The keys of the statements that have no classification."""
        classified = by_key(self.classification, truths)
        return [key for key in truths if key not in classified]


Entry = TypeVar("Entry", bound=Classification)


def by_key(entries: Sequence[Entry], truths: Mapping[str, Spellings]) -> dict[str, Entry]:
    """Each statement's classification; of two on the same statement the stricter one counts.

    One without a key belongs to the statement whose words it repeats. Only where none has a key or
    such words, and there are as many as statements, do they stand in the same order.
    """
    classified: dict[str, Entry] = {}
    words = {key: [frozenset(terms(text)) for text in truth] for key, truth in truths.items()}
    for entry in entries:
        key = entry.key.strip(_AROUND_KEYS).lower() or _key_of(entry.statement, words, classified)
        # The stricter one stays.
        if key not in classified or not entry.attributed:
            classified[key] = entry
    if classified.keys() == {""} and len(entries) == len(truths):
        return dict(zip(truths, entries, strict=True))
    return classified


Judged = TypeVar("Judged", bound=Classifications)


def _key_of(
    statement: str,
    truths: Mapping[str, Sequence[frozenset[str]]],
    classified: Collection[str],
) -> str:
    """The key of the true statement that has most of these words; empty where none has.

    Of two equal ones it is that which is not `classified` yet.
    """
    words = frozenset(terms(statement))
    ranks: dict[str, tuple[float, bool]] = {"": (MOST_WORDS, True)}
    for key, spellings in truths.items():
        for of_truth in spellings:
            share = len(words & of_truth) / max(len(words | of_truth), 1)
            ranks[key] = max(ranks.get(key, (0.0, False)), (share, key not in classified))
    return max(ranks, key=lambda key: ranks[key])


def statements(truth: Accepted | None) -> list[Spellings]:
    """The sentences of a ground truth; of a list of required answers each is one statement."""
    if isinstance(truth, str):
        sentences = map(str.strip, split_sentences(without_surrogates(truth)))
        return [(sentence,) for sentence in sentences if sentence]
    required = []
    for group in groups(truth):
        spellings = tuple(filter(str.strip, map(without_surrogates, group)))
        if spellings:
            required.append(spellings)
    return required


def keyed(truths: Sequence[Spellings]) -> dict[str, Spellings]:
    """The statements by the keys that a judge is told: a, b and so on."""
    return {letters(number): truth for number, truth in enumerate(truths)}


def classify(
    judge: LLMClient,
    template: str,
    sample: Sample,
    truths: Mapping[str, Spellings],
    kind: type[Judged],
    **blanks: str,
) -> Answered[Judged]:
    """What the judge says of every statement; raises `LLMError` where it leaves one out.

    `blanks` are those of the template beside documents, question and statements.
    """
    # Each statement on one line behind its key, whatever it holds: none may pass for another.
    lines = [f"{key}: {on_one_line(truth)}" for key, truth in truths.items()]
    text = fenced(
        load(template),
        documents="\n\n".join(sample.retrieved_documents),
        question=sample.question,
        statements="\n".join(lines),
        **blanks,
    )

    def check(value: Classifications) -> str:
        missing = value.missing(truths)
        if not missing:
            return ""
        # The judge reads this when it is asked again: more than 20 keys would only be noise.
        return f"classification lacks {', '.join(missing[:20])}."

    answer = ask(judge, Prompt(text=text, question=sample.question), kind, check)
    trouble = check(answer.value)
    if trouble:
        raise unreadable(judge.model, answer.texts, trouble.rstrip("."))
    return answer
