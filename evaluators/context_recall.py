"""Context recall: the share of the ground truth's sentences that can be attributed to the retrieved
documents.

Source: RAGAS, "Context Recall" (attributed statements / all statements, each with a reason). Here
the statements are the ground truth's own sentences, so that a judge can leave none out and add
none. Without a judge, a sentence counts by the words that one document shares with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, SkipValidation

from evaluators import item_lists
from evaluators.base import Evaluator, evaluator
from evaluators.llm import LLMClient
from evaluators.llm.structured import Answered, ask, unreadable
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Accepted, Record, Sample, Score
from evaluators.surrogates import without_surrogates
from evaluators.text.accepted import Spellings, groups, on_one_line
from evaluators.text.sentences import letters, split_sentences
from evaluators.text.similarity import STOP, terms

TEMPLATE = "context_recall_en"
ATTRIBUTED_FROM = 0.7
"""On 1,488 labelled sentences of RAGBench this share finds 70 % of the supported and 76 % of the
other ones.
"""

NO_TRUTH = "There is no ground truth, so nothing can be attributed."
NO_CONTENT = "The ground truth has no content word that could be looked for."
NO_DOCUMENTS = "No document was retrieved."
_AROUND_KEYS = " .:,;()[]'\"`"


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
        classified = self.by_key()
        return [key for key in keys if key not in classified]


@evaluator(
    "context_recall",
    title="Context recall",
    needs=("question", "retrieved_documents", "ground_truth"),
)
class ContextRecall(Evaluator):
    """How much of the ground truth the documents carry: attributed sentences / all sentences,
    decided by a judge.

    Reads the question, the documents and the ground truth, not the response. One call a sample.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge."""

    def score(self, sample: Sample) -> Score:
        """Judges the sample; a ground truth without a sentence is not applicable, without documents
        the recall is 0.

        Raises `AccessError` without a judge, `LLMError` where it does not classify every statement.
        """
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

    def evaluate(
        self, question: str, contexts: str | Sequence[str], ground_truth: Accepted
    ) -> Score:
        """The score of one row under RAGAS's names; `contexts` may be one text or several."""
        return self.score(
            item_lists.item_as_sample(contexts, question=question, ground_truth=ground_truth)
        )

    def _asked(self, prompt: Prompt, count: int) -> Answered[Classifications]:
        judge = self.judge()

        def check(said: Classifications) -> str:
            missing = said.missing(_keys(count))
            return f"classification lacks {', '.join(missing[:20])}." if missing else ""

        answer = ask(judge, prompt, Classifications, check)
        if trouble := check(answer.value):
            raise unreadable(judge.model, answer.texts, trouble.rstrip("."))
        return answer


@evaluator(
    "context_recall_lexical",
    title="Context recall (lexical)",
    needs=("retrieved_documents", "ground_truth"),
)
class LexicalContextRecall(Evaluator):
    """Context recall estimated without a judge: attributed sentences / all sentences, by shared
    words.

    A sentence counts as attributed if one document holds at least 70 % of its content words.
    Sentences without a content word are left out. The value is an estimate: words tell neither a
    negation nor who did what.
    """

    def score(self, sample: Sample) -> Score:
        """Judges the sample; a ground truth without a content word is not applicable."""
        found = statements(sample.ground_truth)
        documents = [frozenset(terms(document)) for document in sample.retrieved_documents]
        compared = [(each, _held(each, documents)) for each in found]
        judged = [_counted(each, *counts) for each, counts in compared if counts]
        if not judged:
            return Score(values={self.name: None}, reason=NO_CONTENT if found else NO_TRUTH)
        return _score(self.name, judged)

    def evaluate(
        self, question: str, contexts: str | Sequence[str], ground_truth: Accepted
    ) -> Score:
        """The score of one row under RAGAS's names; the question is not looked at."""
        return self.score(
            item_lists.item_as_sample(contexts, question=question, ground_truth=ground_truth)
        )


def statements(truth: Accepted | None) -> list[Spellings]:
    """The sentences of a ground truth; of a list of required answers each is one statement."""
    if isinstance(truth, str):
        return [
            (sentence.strip(),)
            for sentence in split_sentences(without_surrogates(truth))
            if sentence.strip()
        ]
    spelled = (tuple(filter(str.strip, map(without_surrogates, group))) for group in groups(truth))
    return [spellings for spellings in spelled if spellings]


def _score(name: str, judged: Sequence[Statement], **details: Any) -> Score:
    recall = sum(each.attributed for each in judged) / len(judged)
    return Score(
        values={name: recall},
        details={"statements": [each.model_dump() for each in judged], **details},
    )


def _stated(spellings: Spellings, reason: str, is_attributed: bool) -> Statement:
    return Statement(
        statement=" / ".join(spellings), reason=without_surrogates(reason), attributed=is_attributed
    )


def _keys(count: int) -> list[str]:
    return list(map(letters, range(count)))


def _prompt(sample: Sample, found: Sequence[Spellings]) -> Prompt:
    """Each statement on one line behind its key, whatever it holds: none may pass for another or
    for a mark.
    """
    lines = [
        f"{key}: {on_one_line(each)}" for key, each in zip(_keys(len(found)), found, strict=True)
    ]
    text = fenced(
        load(TEMPLATE),
        documents="\n\n".join(sample.retrieved_documents),
        question=sample.question,
        statements="\n".join(lines),
    )
    return Prompt(text=text, question=sample.question)


def _held(spellings: Spellings, documents: Sequence[frozenset[str]]) -> tuple[int, int] | None:
    """How many content words of how many a document holds of a spelling, at best; `None` without a
    content word.
    """
    contents = [
        content for spelling in spellings if (content := frozenset(terms(spelling)) - {STOP})
    ]
    if not contents:
        return None
    counts = [(len(words & document), len(words)) for words in contents for document in documents]
    return max(counts, key=lambda count: count[0] / count[1], default=(0, len(contents[0])))


def _counted(spellings: Spellings, held: int, words: int) -> Statement:
    reason = f"One document holds {held} of its {words} content word{'s' if words > 1 else ''}."
    return _stated(spellings, reason, held / words >= ATTRIBUTED_FROM)
