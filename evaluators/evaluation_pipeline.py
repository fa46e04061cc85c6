"""All TRACE methods behind one door: the heuristic, GPT labelling, and the hybrid, which asks a
judge if in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Literal, Self

from pydantic import Field, SkipValidation

from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator, GPTLabelingScores, scores_of
from evaluators.base import evaluator, require
from evaluators.config import config
from evaluators.errors import MissingInputError, ParameterError
from evaluators.llm import LLMClient
from evaluators.records import Labels, Record, Sample, Score, Sentences
from evaluators.text.sentences import cut
from evaluators.trace import batch
from evaluators.trace.jury import counted
from evaluators.trace.labelling import HEURISTIC, Labelling, labelled_score, sentences_of
from evaluators.trace.method import TRACEMethod
from evaluators.trace.metrics import TRACEScores, trace_scores
from evaluators.trace_evaluator import TRACEEvaluator

Judges = LLMClient | tuple[LLMClient, ...] | None
Method = Literal["trace", "gpt_labeling", "hybrid"]
Agreement = dict[str, dict[str, float | None]]
"""By label, "relevant", "utilized" and "support": how many sentences are "equal", "of" how many,
and their "share".
"""

NEVER = 1.01
"""A `doubt_from` that no sample reaches: doubt is at most 1."""


class HybridScores(Record):
    """Both score sets of one answer; the values that count are the judge's where it was asked, else
    the heuristic's.

    `labels_by` names the labeller that counts; without the judge, `gpt_labeling` is None and
    `agreement` empty.
    """

    trace: TRACEScores
    gpt_labeling: GPTLabelingScores | None
    labels_by: str
    doubt: float
    agreement: Agreement

    @property
    def counted(self) -> TRACEScores:
        return self.gpt_labeling or self.trace

    @property
    def context_relevance(self) -> float | None:
        return self.counted.context_relevance

    @property
    def context_utilization(self) -> float | None:
        return self.counted.context_utilization

    @property
    def completeness(self) -> float | None:
        return self.counted.completeness

    @property
    def adherence(self) -> float | None:
        return self.counted.adherence

    def average(self) -> float | None:
        return self.counted.average()

    def to_dict(self) -> dict[str, Any]:
        """The values that count as "metrics", whose labels they are, and both score sets with their
        agreement.
        """
        return {
            "metrics": batch.metrics(self.counted),
            "labels_by": self.labels_by,
            "doubt": self.doubt,
            "trace": batch.metrics(self.trace),
            "gpt_labeling": batch.metrics(self.gpt_labeling) if self.gpt_labeling else None,
            "agreement": self.agreement,
        }


@evaluator(
    "hybrid",
    title="TRACE (hybrid)",
    needs=("question", "response", "retrieved_documents"),
    judges="jury",
    leads="trace",
)
class HybridEvaluator(TRACEMethod):
    """The heuristic for every sample, and a judge or a jury where the heuristic is in doubt."""

    llm_client: SkipValidation[Judges] = None
    """The judge; several are a jury."""
    doubt_from: float = Field(
        0.0,
        ge=0,
        le=NEVER,
        description="The judge is asked where doubt is at least this: 0 always, 1.01 never.",
    )

    @property
    def needs_judge(self) -> bool:
        """Whether there can be a doubt that sends a sample to the judge."""
        return self.doubt_from <= 1

    def check_ready(self) -> None:
        self._heuristic.check_ready()

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Sequence[str],
        ground_truth: Any = None,
    ) -> HybridScores:
        """Both score sets of one answer, under the definition `sentence`; the ground truth is not
        looked at.

        Raises `AccessError` where a judge is to be asked and there is none, `LLMError` where it
        gives no usable answer.
        """
        sentences = cut(response, retrieved_documents)
        heuristic, judges = self._labelled(sentences, question)
        judged = counted(judges, sentences) if judges else None
        return HybridScores(
            trace=trace_scores(sentences, heuristic.labels),
            gpt_labeling=scores_of(judges, sentences) if judges else None,
            labels_by=judged.by if judged else HEURISTIC,
            doubt=self._heuristic.doubt(sentences, question),
            agreement=_agreement(sentences, heuristic.labels, judged.labels) if judged else {},
        )

    def evaluate_batch(
        self, test_cases: Sequence[Mapping[str, Any]], budget: int | None = None
    ) -> dict[str, Any]:
        """Both score sets of all cases, their agreement, and for each case whose labels count.

        With a budget, the most doubtful cases are judged that so many calls can pay for (asking
        again where an answer cannot be read costs more). Raises `AccessError` without a judge.
        """
        hybrid = self if budget is None else self._within(budget, test_cases)
        if hybrid.needs_judge:
            hybrid.jury()

        def judge(case: batch.Case) -> dict[str, Any]:
            return hybrid.evaluate(case.query, case.response, case.retrieved_documents).to_dict()

        found = batch.entries(test_cases, judge, config().workers)
        return {**batch.summary(found), **_side_by_side(found), "doubt_from": hybrid.doubt_from}

    def score(self, sample: Sample) -> Score:
        """Judges the sample; the heuristic's labels stand in `details` beside the judges', and
        which of them count.
        """
        require(self.needs, sample, self.title)
        sentences = sentences_of(sample)
        heuristic, judges = self._labelled(sentences, sample.question)
        chosen = counted(judges, sentences) if judges else heuristic
        return labelled_score(sample, sentences, [heuristic, *judges], chosen)

    def doubt(self, sample: Sample) -> float:
        """How likely the heuristic's adherence of the sample is wrong, 0 to 1; see
        `TRACEEvaluator.doubt`.
        """
        return self._heuristic.doubt(sentences_of(sample), sample.question)

    @property
    def _heuristic(self) -> TRACEEvaluator:
        return TRACEEvaluator(**self._windows())

    @property
    def _judge(self) -> AdvancedRAGEvaluator:
        return AdvancedRAGEvaluator(llm_client=self.llm_client, **self._windows())

    def _windows(self) -> dict[str, Any]:
        return self.model_dump(include=set(TRACEMethod.model_fields))

    def _labelled(self, sentences: Sentences, question: str) -> tuple[Labelling, list[Labelling]]:
        """The heuristic's labels, and those of the judges where the sample is doubtful enough."""
        heuristic = self._heuristic
        labelled = Labelling(by=HEURISTIC, labels=heuristic.label(sentences, question))
        is_doubtful = heuristic.doubt(sentences, question) >= self.doubt_from
        return labelled, self._judge.label(sentences, question) if is_doubtful else []

    def _within(self, budget: int, test_cases: Sequence[Mapping[str, Any]]) -> Self:
        """The same, judging no more cases than this many calls can pay for; cases that cannot be
        judged cost none.
        """
        samples = list(_readable(test_cases))
        doubts, calls = map(self.doubt, samples), map(self._calls, samples)
        return self.model_copy(update={"doubt_from": threshold(list(doubts), budget, list(calls))})

    def _calls(self, sample: Sample) -> int:
        sentences, judge = sentences_of(sample), self._judge
        return sum(
            len(judge.prompts(sentences, sample.question, client.prompt_budget))
            for client in self.jury()
        )


def threshold(doubts: Sequence[float], most: int, calls: Iterable[int] = repeat(1)) -> float:
    """The lowest `doubt_from` by which at most `most` samples are judged; `NEVER` where not even
    one may be.

    Of equally doubtful samples either all or none are judged. With `calls`, what judging each one
    costs, at most `most` calls are made.
    """
    costs: Counter[float] = Counter()
    for doubt, cost in zip(doubts, calls, strict=False):
        costs[doubt] += cost
    spent, least = 0, NEVER
    for doubt in sorted(costs, reverse=True):
        spent += costs[doubt]
        if spent > most:
            return least
        least = doubt
    return 0.0


class UnifiedEvaluationPipeline:
    """One place to evaluate by any method; arguments given as None, as by a collection that lacks
    them, are defaults.

    `llm_client` is the judge: a model id, what `connect` gives, an object whose `complete(prompt)`
    returns text, or a list of them as a jury.
    """

    def __init__(
        self,
        llm_client: object = None,
        chunking_strategy: str | None = None,
        embedding_model: str | None = None,
        chunk_size: int | None = None,
        chunk_overlap: int | None = None,
    ) -> None:
        from evaluators.llm.judges import as_judges  # as in `Evaluator`

        given = {
            "llm_client": as_judges(llm_client, HybridEvaluator.most_judges(), "The pipeline"),
            "chunking_strategy": chunking_strategy,
            "embedding_model": embedding_model,
            "chunk_size": chunk_size,
            "chunk_overlap": chunk_overlap,
        }
        self._params = {name: value for name, value in given.items() if value is not None}

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Sequence[str],
        ground_truth: Any = None,
        method: str = "trace",
    ) -> TRACEScores | HybridScores:
        """One answer's scores by the method: `TRACEScores`, `GPTLabelingScores` or `HybridScores`.

        Raises `AccessError` where the method needs a judge and there is none, `LLMError` where it
        gives no usable answer, `ParameterError` for an unknown method.
        """
        return self._by(method).evaluate(question, response, retrieved_documents, ground_truth)

    def evaluate_batch(
        self,
        test_cases: Sequence[Mapping[str, Any]],
        method: str = "trace",
        budget: int | None = None,
    ) -> dict[str, Any]:
        """The documented result for cases with query, response, retrieved_documents and perhaps
        ground_truth.

        `budget` is how many calls the hybrid may make; it judges the most doubtful cases. A case
        that fails holds "error" and has no part in the means.
        """
        chosen = self._by(method)
        if budget is None:
            return chosen.evaluate_batch(test_cases)
        if isinstance(chosen, HybridEvaluator):
            return chosen.evaluate_batch(test_cases, budget)
        raise ParameterError(
            f'A budget goes with method="hybrid" only, not with {method!r}. Leave it out.'
        )

    @staticmethod
    def get_evaluation_methods() -> list[dict[str, Any]]:
        """The methods, in order of cost: id, name, description, and whether an LLM is needed."""
        return [
            {
                "id": name,
                "name": title,
                "description": description,
                "needs_llm": method.judges != "none",
            }
            for name, (method, title, description) in _METHODS.items()
        ]

    def _by(self, method: str) -> TRACEEvaluator | AdvancedRAGEvaluator | HybridEvaluator:
        if method not in _METHODS:
            raise ParameterError(
                f"No method is called {method!r:.60}. Known: {', '.join(_METHODS)}."
            )
        return _METHODS[method][0].build(**self._params)


_METHODS: dict[
    str, tuple[type[TRACEEvaluator | AdvancedRAGEvaluator | HybridEvaluator], str, str]
] = {
    "trace": (
        TRACEEvaluator,
        "TRACE (heuristic)",
        "Estimates the labels from shared words. Fast, free, without an LLM.",
    ),
    "gpt_labeling": (
        AdvancedRAGEvaluator,
        "GPT labelling",
        "An LLM labels every sentence: one call a sample.",
    ),
    "hybrid": (
        HybridEvaluator,
        "Hybrid",
        "The heuristic for all samples, and an LLM for all or only for the most doubtful ones.",
    ),
}


def _readable(test_cases: Sequence[Mapping[str, Any]]) -> Iterable[Sample]:
    for number, given in enumerate(test_cases, start=1):
        try:
            case = batch.read(number, given)
        except MissingInputError:
            continue  # told as the error of its entry
        yield Sample(
            id=str(number),
            question=case.query,
            response=case.response,
            retrieved_documents=case.retrieved_documents,
        )


def _agreement(sentences: Sentences, first: Labels, second: Labels) -> Agreement:
    """How often two labellers agree, on document sentences and on the response sentences that both
    labelled.
    """
    keys = sentences.document_keys
    one, other = _supports(first), _supports(second)
    both = [
        sentence.key
        for sentence in sentences.response
        if sentence.key in one and sentence.key in other
    ]
    return {
        "relevant": _share(_same(keys, first.relevant_keys, second.relevant_keys), len(keys)),
        "utilized": _share(_same(keys, first.utilized_keys, second.utilized_keys), len(keys)),
        "support": _share(sum(one[key] is other[key] for key in both), len(both)),
    }


def _supports(labels: Labels) -> dict[str, Any]:
    return {support.key: support.support for support in labels.sentence_support}


def _same(keys: Sequence[str], first: Sequence[str], second: Sequence[str]) -> int:
    return sum((key in first) == (key in second) for key in keys)


def _share(equal: int, of: int) -> dict[str, float | None]:
    return {"equal": equal, "of": of, "share": equal / of if of else None}


def _side_by_side(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means of both score sets, over the cases that have them, and the agreement over all
    judged sentences.
    """
    scored = [entry for entry in found if "metrics" in entry]
    judged = [entry for entry in scored if entry["gpt_labeling"]]
    return {
        "num_judged": len(judged),
        "trace": batch.means([entry["trace"] for entry in scored]),
        "gpt_labeling": batch.means([entry["gpt_labeling"] for entry in judged])
        if judged
        else None,
        "agreement": _pooled([entry["agreement"] for entry in judged]),
    }


def _pooled(found: Sequence[Agreement]) -> Agreement:
    def total(name: str, part: str) -> int:
        return sum(int(each[name][part] or 0) for each in found)

    return {
        name: _share(total(name, "equal"), total(name, "of"))
        for name in (found[0] if found else ())
    }
