"""Context recall: the share of the true answer's sentences that the documents support.

Source: RAGAS, "Context Recall" (attributed statements / all statements, each with a reason). Here
the statements are the true answer's own sentences, so that a judge can leave none out and add
none. Without a judge, a sentence counts by the words that one document shares with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, SkipValidation, model_validator
from pydantic.json_schema import SkipJsonSchema

from evaluators import arguments
from evaluators.arguments import Documents
from evaluators.base import Evaluator, evaluator, require
from evaluators.llm import LLMClient
from evaluators.llm.structured import Answered, ask, unreadable
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Accepted, JudgeEvidence, Record, Sample, Score
from evaluators.surrogates import without_surrogates
from evaluators.text.accepted import Spellings, groups, on_one_line
from evaluators.text.language import mark
from evaluators.text.sentences import letters, split_sentences
from evaluators.text.similarity import STOP, terms

TEMPLATE = "context_recall_en"
ATTRIBUTED_FROM = 0.7
"""On 1,488 labelled sentences of RAGBench it finds 70 % of the supported, 76 % of the others."""

MOST_WORDS = 0.5
"""What two statements must share of the words of both to be the same, said a little differently."""

NO_TRUTH = mark("There is no true answer, so there is nothing to look for in the documents.")
NO_CONTENT = mark("The true answer has no content word that could be looked for.")
NO_DOCUMENTS = mark("No document was retrieved.")
_WORDS_HELD = mark("One document holds {held} of its {all} content words.")
_WORD_HELD = mark("One document holds {held} of its {all} content word.")
# What judges write around a key: "(a)", "a.", "`a`".
_AROUND_KEYS = " .:,;()[]'\"`"


class Statement(Record):
    """One statement of the ground truth, and whether it can be attributed to the documents."""

    statement: str
    reason: str = ""
    attributed: bool


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

    def by_key(self, truths: Mapping[str, Spellings]) -> dict[str, Classification]:
        """Each statement's classification; of two on the same statement the stricter one counts.

        One without a key belongs to the statement whose words it repeats. Only where none has a key
        or such words, and there are as many as statements, do they stand in the same order.
        """
        by_key: dict[str, Classification] = {}
        for entry in self.classification:
            key = entry.key.strip(_AROUND_KEYS).lower() or _key_of(entry.statement, truths, by_key)
            # The stricter one stays.
            if key not in by_key or not entry.attributed:
                by_key[key] = entry
        if by_key.keys() == {""} and len(self.classification) == len(truths):
            return dict(zip(truths, self.classification, strict=True))
        return by_key

    def missing(self, truths: Mapping[str, Spellings]) -> list[str]:
        """The keys of the statements that have no classification."""
        classified = self.by_key(truths)
        return [key for key in truths if key not in classified]


def _key_of(statement: str, truths: Mapping[str, Spellings], classified: Collection[str]) -> str:
    """The key of the true statement that has most of these words; empty where none has.

    Of two equal ones it is that which is not `classified` yet.
    """
    words = frozenset(terms(statement))
    ranks: dict[str, tuple[float, bool]] = {"": (MOST_WORDS, True)}
    for key, spellings in truths.items():
        for spelling in spellings:
            of_truth = frozenset(terms(spelling))
            share = len(words & of_truth) / max(len(words | of_truth), 1)
            ranks[key] = max(ranks.get(key, (0.0, False)), (share, key not in classified))
    return max(ranks, key=lambda key: ranks[key])


@evaluator(
    "context_recall",
    title=mark("Context recall"),
    needs=("question", "retrieved_documents", "ground_truth"),
)
class ContextRecall(Evaluator):
    """How much of the true answer the documents support: attributed / all sentences, by a judge.

    Reads the question, the documents and the true answer, not the answer. One call a sample.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge."""

    def score(self, sample: Sample) -> Score:
        """The share of attributed statements; without documents it is 0.

        A ground truth without a sentence is not applicable. Raises `AccessError` without a judge,
        `LLMError` where it does not classify every statement.
        """
        require((), sample, self.title)
        truths = statements(sample.ground_truth)
        if not truths:
            return Score(values={self.name: None}, reason=NO_TRUTH)
        if not any(map(str.strip, sample.retrieved_documents)):
            unsupported = [_classified_statement(truth, NO_DOCUMENTS, False) for truth in truths]
            return _recall_score(self.name, unsupported)
        keys = [letters(number) for number in range(len(truths))]
        by_key = dict(zip(keys, truths, strict=True))
        answer = self._classifications(_recall_prompt(sample, keys, truths), by_key)
        classified = answer.value.by_key(by_key)
        judged = []
        for key, truth in zip(keys, truths, strict=True):
            verdict = classified[key]
            judged.append(_classified_statement(truth, verdict.reason, verdict.attributed))
        return _recall_score(self.name, judged, answer.evidence)

    def evaluate(
        self,
        question: str,
        contexts: Documents,
        ground_truth: Accepted,
    ) -> Score:
        """The score of one row under RAGAS's names; `contexts` may be one text or several."""
        return self.score(_row(question, contexts, ground_truth))

    def _classifications(
        self,
        prompt: Prompt,
        truths: Mapping[str, Spellings],
    ) -> Answered[Classifications]:
        judge = self.judge()

        def check(value: Classifications) -> str:
            missing = value.missing(truths)
            if not missing:
                return ""
            # The judge reads this when it is asked again: more than 20 keys would only be noise.
            return f"classification lacks {', '.join(missing[:20])}."

        answer = ask(judge, prompt, Classifications, check)
        trouble = check(answer.value)
        if trouble:
            raise unreadable(judge.model, answer.texts, trouble.rstrip("."))
        return answer


@evaluator(
    "context_recall_lexical",
    title=mark("Context recall (lexical)"),
    needs=("retrieved_documents", "ground_truth"),
)
class LexicalContextRecall(Evaluator):
    """Context recall without a judge: attributed sentences / all sentences, by shared words.

    A sentence counts as attributed if one document holds at least 70 % of its content words.
    Sentences without a content word are left out. The value is an estimate: words tell neither a
    negation nor who did what.
    """

    def score(self, sample: Sample) -> Score:
        """Judges the sample; a ground truth without a content word is not applicable."""
        require((), sample, self.title)
        truths = statements(sample.ground_truth)
        documents = [frozenset(terms(document)) for document in sample.retrieved_documents]
        judged = []
        for truth in truths:
            best = _most_words_held(truth, documents)
            if best:
                text = _WORDS_HELD if best.words > 1 else _WORD_HELD
                reason = text.format(held=best.held, all=best.words)
                is_attributed = best.share >= ATTRIBUTED_FROM
                judged.append(_classified_statement(truth, reason, is_attributed))
        if not judged:
            reason = NO_CONTENT if truths else NO_TRUTH
            return Score(values={self.name: None}, reason=reason)
        return _recall_score(self.name, judged)

    def evaluate(
        self,
        question: str,
        contexts: Documents,
        ground_truth: Accepted,
    ) -> Score:
        """The score of one row under RAGAS's names; the question is not looked at."""
        return self.score(_row(question, contexts, ground_truth))


def _row(question: object, contexts: object, ground_truth: object) -> Sample:
    return Sample(
        id="item",
        question=arguments.text(question, "question"),
        retrieved_documents=arguments.retrieved(contexts, "contexts"),
        ground_truth=arguments.accepted(ground_truth, "ground_truth"),
    )


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


def _recall_score(
    name: str,
    judged: Sequence[Statement],
    evidence: JudgeEvidence | None = None,
) -> Score:
    attributed = sum(statement.attributed for statement in judged)
    listed = [statement.model_dump() for statement in judged]
    return Score(
        values={name: attributed / len(judged)},
        evidence=evidence,
        details={"statements": listed},
    )


def _classified_statement(
    spellings: Spellings,
    reason: str,
    is_attributed: bool,
) -> Statement:
    return Statement(
        statement=" / ".join(spellings),
        reason=without_surrogates(reason),
        attributed=is_attributed,
    )


def _recall_prompt(
    sample: Sample,
    keys: Sequence[str],
    truths: Sequence[Spellings],
) -> Prompt:
    # Each statement on one line behind its key, whatever it holds: none may pass for another.
    lines = [f"{key}: {on_one_line(truth)}" for key, truth in zip(keys, truths, strict=True)]
    text = fenced(
        load(TEMPLATE),
        documents="\n\n".join(sample.retrieved_documents),
        question=sample.question,
        statements="\n".join(lines),
    )
    return Prompt(text=text, question=sample.question)


class _WordsHeld(NamedTuple):
    """How many of a spelling's content words one document holds."""

    held: int
    words: int

    @property
    def share(self) -> float:
        return self.held / self.words


def _most_words_held(
    spellings: Spellings, documents: Sequence[frozenset[str]]
) -> _WordsHeld | None:
    """What the best document holds of the spelling of which it holds most.

    `None` where no spelling has a content word.
    """
    contents = [frozenset(terms(spelling)) - {STOP} for spelling in spellings]
    contents = [content for content in contents if content]
    if not contents:
        return None
    # Where no document holds a word, the first spelling stands for all.
    best = _WordsHeld(0, len(contents[0]))
    for words, document in product(contents, documents):
        count = _WordsHeld(len(words & document), len(words))
        if count.share > best.share:
            best = count
    return best
