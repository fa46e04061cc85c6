"""Context recall: the share of the ground truth's sentences that can be attributed to the retrieved documents.

Source: RAGAS, "Context Recall" (attributed statements / all statements, each with a reason). Here the statements are
the ground truth's own sentences, so that a judge can leave none out and add none. Without a judge, a sentence counts
by the words that one document shares with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, SkipValidation

from evaluators.base import Evaluator, evaluator, require
from evaluators.errors import AccessError
from evaluators.llm import LLMClient
from evaluators.llm.structured import Answered, ask, unreadable
from evaluators.prompts import Prompt, fenced, load
from evaluators.text.normalise import without_surrogates
from evaluators.text.sentences import letters, split_sentences
from evaluators.text.similarity import STOP, terms
from evaluators.types import Accepted, Record, Sample, Score

TEMPLATE = "context_recall_en"
ATTRIBUTED_FROM = 0.7
"""On 1,488 labelled sentences of RAGBench this share finds 70 % of the supported and 76 % of the other ones."""

NO_TRUTH = "There is no ground truth, so nothing can be attributed."
NO_CONTENT = "The ground truth has no content word that could be looked for."
NO_DOCUMENTS = "No document was retrieved."
_AROUND_KEYS = " .:,;()[]'\"`"

Spellings = tuple[str, ...]
"""A statement in all its accepted spellings; any of them will do."""


class Statement(Record):
    """One statement of the ground truth, and whether it can be attributed to the documents."""

    statement: str
    reason: str = ""
    attributed: bool


class Classification(BaseModel):
    """What a judge says of the statement with this key."""

    model_config = ConfigDict(frozen=True)

    key: str
    reason: str = ""
    attributed: bool


class Classifications(BaseModel):
    """What a judge answers: one classification for each statement."""

    model_config = ConfigDict(frozen=True)

    classification: tuple[Classification, ...]

    def by_key(self) -> dict[str, Classification]:
        """Each statement's classification; of two on the same statement the stricter one counts."""
        strictest_last = sorted(self.classification, key=lambda each: not each.attributed)
        return {each.key.strip(_AROUND_KEYS).lower(): each for each in strictest_last}

    def missing(self, keys: Sequence[str]) -> list[str]:
        """The keys of the statements that have no classification."""
        return [key for key in keys if key not in self.by_key()]


@evaluator("context_recall", title="Context recall", needs=("question", "retrieved_documents", "ground_truth"))
class ContextRecall(Evaluator):
    """How much of the ground truth the documents carry: attributed sentences / all sentences, decided by a judge.

    Reads the question, the documents and the ground truth, not the response. One call a sample.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge."""

    def score(self, sample: Sample) -> Score:
        """Judges the sample; a ground truth without a sentence is not applicable, without documents the recall is 0.

        Raises `AccessError` without a judge, `LLMError` where it does not classify every statement.
        """
        require(("question",), sample, self.title)
        found = statements(sample.ground_truth)
        if not found:
            return Score(values={self.name: None}, reason=NO_TRUTH)
        if not any(map(str.strip, sample.retrieved_documents)):
            return _score(self.name, [_stated(each, NO_DOCUMENTS, False) for each in found])
        answer = self._asked(_prompt(sample, found), len(found))
        said = answer.value.by_key()
        judged = [
            _stated(each, said[key].reason, said[key].attributed)
            for key, each in zip(_keys(len(found)), found, strict=True)
        ]
        return _score(self.name, judged, outputs=answer.texts, mode=answer.mode)

    def evaluate(self, question: str, contexts: str | Sequence[str], ground_truth: Accepted) -> Score:
        """The score of one row under RAGAS's names; `contexts` may be one text or several."""
        return self.score(_row(question, contexts, ground_truth))

    def _asked(self, prompt: Prompt, count: int) -> Answered[Classifications]:
        if self.llm_client is None:
            raise AccessError("Context recall needs a judge. Choose a model, or give its client as llm_client.")

        def check(said: Classifications) -> str:
            missing = said.missing(_keys(count))
            return f"classification lacks {', '.join(missing[:20])}." if missing else ""

        answer = ask(self.llm_client, prompt, Classifications, check)
        if trouble := check(answer.value):
            raise unreadable(self.llm_client.model, answer.texts, trouble.rstrip("."))
        return answer


@evaluator("context_recall_lexical", title="Context recall (lexical)", needs=("retrieved_documents", "ground_truth"))
class LexicalContextRecall(Evaluator):
    """Context recall estimated without a judge: attributed sentences / all sentences, by shared words.

    A sentence counts as attributed if one document holds at least 70 % of its content words. Sentences without a
    content word are left out. Show the values as estimates.
    """

    def score(self, sample: Sample) -> Score:
        """Judges the sample; a ground truth without a content word is not applicable."""
        found = statements(sample.ground_truth)
        documents = [frozenset(terms(document)) for document in sample.retrieved_documents]
        shares = [(each, _share(each, documents)) for each in found]
        judged = [
            _stated(each, f"{share:.0%} of its content words stand in one document.", share >= ATTRIBUTED_FROM)
            for each, share in shares
            if share is not None
        ]
        if not judged:
            return Score(values={self.name: None}, reason=NO_CONTENT if found else NO_TRUTH)
        return _score(self.name, judged)

    def evaluate(self, question: str, contexts: str | Sequence[str], ground_truth: Accepted) -> Score:
        """The score of one row under RAGAS's names; the question is not looked at."""
        return self.score(_row(question, contexts, ground_truth))


def statements(truth: Accepted | None) -> list[Spellings]:
    """The sentences of a ground truth; of a list of required answers each is one statement."""
    if isinstance(truth, str):
        return [(sentence.strip(),) for sentence in split_sentences(without_surrogates(truth)) if sentence.strip()]
    groups = [(group,) if isinstance(group, str) else group for group in truth or ()]
    spelled = [tuple(filter(str.strip, map(without_surrogates, group))) for group in groups]
    return [spellings for spellings in spelled if spellings]


def _row(question: str, contexts: str | Sequence[str], truth: Accepted) -> Sample:
    documents = (contexts,) if isinstance(contexts, str) else tuple(contexts)
    return Sample(id="row", question=question, retrieved_documents=documents, ground_truth=truth)


def _score(name: str, judged: Sequence[Statement], **details: Any) -> Score:
    recall = sum(each.attributed for each in judged) / len(judged)
    found: Mapping[str, Any] = {"statements": [each.model_dump() for each in judged], **details}
    return Score(values={name: recall}, details=dict(found))


def _stated(spellings: Spellings, reason: str, is_attributed: bool) -> Statement:
    return Statement(statement=" / ".join(spellings), reason=without_surrogates(reason), attributed=is_attributed)


def _keys(count: int) -> list[str]:
    return list(map(letters, range(count)))


def _prompt(sample: Sample, found: Sequence[Spellings]) -> Prompt:
    """Each statement on one line behind its key, whatever it holds: none may pass for another or for a mark."""
    lines = [f"{key}: {' '.join(' / '.join(each).split())}" for key, each in zip(_keys(len(found)), found, strict=True)]
    text = fenced(
        load(TEMPLATE),
        documents="\n\n".join(sample.retrieved_documents),
        question=sample.question,
        statements="\n".join(lines),
    )
    return Prompt(text=text, question=sample.question)


def _share(spellings: Spellings, documents: Sequence[frozenset[str]]) -> float | None:
    """The greatest share of content words that a document holds of a spelling; `None` without a content word."""
    contents = [content for spelling in spellings if (content := frozenset(terms(spelling)) - {STOP})]
    if not contents:
        return None
    return max((len(words & document) / len(words) for words in contents for document in documents), default=0.0)
