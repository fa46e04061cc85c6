"""All TRACE methods behind one door: heuristic, GPT labelling, and the hybrid of the two.

The hybrid asks a judge where the heuristic is in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Literal, Self

from pydantic import Field, SkipValidation

from evaluators.advanced_rag_evaluator import (
    AdvancedRAGEvaluator,
    GPTLabelingOutput,
    GPTLabelingScores,
    scores_of,
)
from evaluators.arguments import Documents
from evaluators.base import evaluator, require
from evaluators.config import config
from evaluators.errors import MissingInputError, ParameterError
from evaluators.llm import LLMClient
from evaluators.numbers import whole_number
from evaluators.prompts import Prompt
from evaluators.records import Labelling, Labels, Sample, Score, Sentences
from evaluators.text.language import mark
from evaluators.text.sentences import cut
from evaluators.text.similarity import embedder
from evaluators.trace import batch
from evaluators.trace.jury import counted_labelling
from evaluators.trace.labelling import HEURISTIC, labelled_score, sentences_of
from evaluators.trace.method import LabellingMethod, TRACEMethod
from evaluators.trace.metrics import TRACEScores, trace_scores
from evaluators.trace_evaluator import TRACEEvaluator

Judges = LLMClient | tuple[LLMClient, ...] | None
Method = Literal["trace", "gpt_labeling", "hybrid"]
Agreement = dict[str, dict[str, int | float | None]]
"""By label, "relevant", "utilized" and "support": "equal", "of" how many, and the "share"."""

NEVER = 1.01
"""A `doubt_from` that no sample reaches: doubt is at most 1."""


class HybridScores(TRACEScores):
    """Both score sets of one answer; its own values are the judge's where it was asked.

    `labels_by` names the labeller that counts; without the judge, `gpt_labeling`, its `gpt_labels`
    and `overall_supported` are None and `agreement` is empty.
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
    def overall_supported(self) -> bool | None:
        return self.gpt_labeling.overall_supported if self.gpt_labeling else None

    @property
    def gpt_labels(self) -> GPTLabelingOutput | None:
        return self.gpt_labeling.gpt_labels if self.gpt_labeling else None

    def under(self, definition: str) -> Self:
        """The same labels by another definition; raises `ParameterError` for an unknown one."""
        judged = self.gpt_labeling.under(definition) if self.gpt_labeling else None
        sets = {"trace": self.trace.under(definition), "gpt_labeling": judged}
        return super().under(definition).model_copy(update=sets)

    def to_dict(self) -> dict[str, Any]:
        """The values that count as "metrics", whose labels they are, and both score sets."""
        return {
            **batch.judged_entry(self.counted),
            "labels_by": self.labels_by,
            "doubt": self.doubt,
            "trace": self.trace.to_dict(),
            "gpt_labeling": self.gpt_labeling.to_dict() if self.gpt_labeling else None,
            "gpt_labels": self.gpt_labels.model_dump(mode="json") if self.gpt_labels else None,
            "agreement": self.agreement,
        }


@evaluator(
    "hybrid",
    title=mark("TRACE (hybrid)"),
    needs=("question", "response", "retrieved_documents"),
    judges="jury",
    evidence="sentences",
)
class HybridEvaluator(LabellingMethod):
    """The heuristic for every sample, and a judge or a jury where the heuristic is in doubt."""

    llm_client: SkipValidation[Judges] = None
    """The judge; several are a jury."""
    doubt_from: float = Field(
        default=0.0,
        ge=0,
        le=NEVER,
        title=mark("Doubt from"),
        description=mark("The judge is asked where doubt is at least this: 0 always, 1.01 never."),
    )

    def check_ready(self) -> None:
        self._heuristic.check_ready()

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Documents,
        ground_truth: Any = None,
        definition: str | None = None,
    ) -> HybridScores:
        """Both score sets of one answer; the ground truth is not looked at.

        Raises `AccessError` where a judge is to be asked and there is none, `LLMError` where it
        gives no usable answer.
        """
        # An unknown definition is refused before a judge is paid.
        definition = self.formula(definition)
        case = batch.read_texts(question, response, retrieved_documents)
        sentences = cut(case.response, case.retrieved_documents)
        heuristic, judges = self._labellings(sentences, case.query)
        judged = counted_labelling(judges, sentences) if judges else None
        by_words = trace_scores(sentences, heuristic.labels, definition)
        by_judge = scores_of(judges, sentences, definition) if judges else None
        counted = by_judge or by_words
        return HybridScores(
            **{name: getattr(counted, name) for name in TRACEScores.model_fields},
            trace=by_words,
            gpt_labeling=by_judge,
            labels_by=judged.by if judged else HEURISTIC,
            doubt=self._heuristic.doubt_of_labels(sentences, case.query),
            agreement=(
                _labels_agreement(sentences, heuristic.labels, judged.labels) if judged else {}
            ),
        )

    def evaluate_batch(
        self,
        test_cases: batch.Cases,
        budget: int | None = None,
        definition: str | None = None,
    ) -> dict[str, Any]:
        """Both score sets of all cases, their agreement, and for each case whose labels count.

        With a budget of calls, the most doubtful cases that they can pay for are judged (asking
        again where an answer cannot be read costs more). Raises `AccessError` without a judge.
        """
        # What every case would fail by is refused once, before any of them.
        definition = self.formula(definition)
        embedder(self.embedding_model)
        cases = batch.read_cases(test_cases)
        if budget is not None:
            budget = whole_number(budget, "budget")
        hybrid = self if budget is None else self._within(budget, cases)
        if hybrid.needs_judge:
            hybrid.jury()

        def judge(case: batch.Case) -> dict[str, Any]:
            scores = hybrid.evaluate(
                case.query,
                case.response,
                case.retrieved_documents,
                definition=definition,
            )
            return scores.to_dict()

        entries = batch.entries(cases, judge, config().workers)
        return {
            **batch.batch_summary(entries, definition),
            **_both_score_sets(entries),
            "doubt_from": hybrid.doubt_from,
        }

    def score(self, sample: Sample) -> Score:
        """Judges the sample; its evidence is all labels, those that count first."""
        require(self.needs, sample, self.title)
        sentences = sentences_of(sample)
        heuristic, judges = self._labellings(sentences, sample.question)
        chosen = counted_labelling(judges, sentences) if judges else heuristic
        every = [heuristic, *judges]
        return labelled_score(sample, sentences, every, chosen, self.definition)

    def doubt(self, sample: Sample) -> float:
        """How likely the heuristic's adherence of the sample is wrong, 0 to 1.

        See `TRACEEvaluator.doubt_of_labels`.
        """
        return self._heuristic.doubt_of_labels(sentences_of(sample), sample.question)

    def judge_prompts(
        self,
        sample: Sample,
        prompt_budget: int | None = None,
    ) -> list[Prompt]:
        """What each judge is asked where the sample is doubtful enough."""
        return self.labeller.judge_prompts(sample, prompt_budget)

    @property
    def _heuristic(self) -> TRACEEvaluator:
        return TRACEEvaluator(**self._settings(TRACEMethod.model_fields))

    @property
    def labeller(self) -> AdvancedRAGEvaluator:
        """What asks the judge about a sample that is doubtful enough."""
        settings = self._settings(LabellingMethod.model_fields)
        return AdvancedRAGEvaluator(llm_client=self.llm_client, **settings)

    def _settings(self, names: Iterable[str]) -> dict[str, Any]:
        """Those that one of the two methods takes as well."""
        return self.model_dump(include=set(names), exclude={"llm_client"})

    def _labellings(
        self,
        sentences: Sentences,
        question: str,
    ) -> tuple[Labelling, list[Labelling]]:
        """The heuristic's labels, and those of the judges where the sample is doubtful enough."""
        heuristic = self._heuristic
        labels = heuristic.label(sentences, question)
        estimated = Labelling(by=HEURISTIC, labels=labels)
        if heuristic.doubt_of_labels(sentences, question) < self.doubt_from:
            return estimated, []
        return estimated, self.labeller.label(sentences, question)

    def _within(self, budget: int, test_cases: Sequence[Any]) -> Self:
        """The same, judging no more cases than this many calls can pay for."""
        labeller = self.labeller
        prompt_budgets = [judge.prompt_budget for judge in self.jury()]
        samples = list(_readable_samples(test_cases))
        doubts = map(self.doubt, samples)
        calls = [labeller.calls_for(sample, prompt_budgets) for sample in samples]
        return self.model_copy(update={"doubt_from": threshold(doubts, budget, calls)})


def threshold(
    doubts: Iterable[float],
    most: int,
    calls: Iterable[int] = repeat(1),
) -> float:
    """The lowest `doubt_from` by which at most `most` calls are made.

    `calls` says how many judging each sample takes, by default one. `NEVER` where not even one
    sample may be judged; of equally doubtful ones either all or none are.
    """
    # Equally doubtful samples are one entry: nothing tells which of them to judge.
    costs: Counter[float] = Counter()
    # By default `calls` never ends.
    for doubt, cost in zip(doubts, calls, strict=False):
        costs[doubt] += cost
    spent = 0
    least = NEVER
    for doubt in sorted(costs, reverse=True):
        spent += costs[doubt]
        if spent > most:
            return least
        least = doubt
    return 0.0


class UnifiedEvaluationPipeline:
    """One place to evaluate by any method; arguments given as None are defaults.

    `llm_client` is the judge: a model id, what `connect` gives, an object whose `complete(prompt)`
    returns text, or a list of them as a jury. `definition` is how labels become values (see
    `trace.definitions`), where a call does not say it. `prompt` is that of judges: "plumbline" or
    "ragbench".
    """

    # None, as a collection gives that lacks a setting, stands for the default.
    def __init__(
        self,
        llm_client: object = None,
        chunking_strategy: str | None = None,
        embedding_model: str | None = None,
        chunk_size: int | None = None,
        chunk_overlap: int | None = None,
        definition: str | None = None,
        prompt: str | None = None,
    ) -> None:
        from evaluators.llm.judges import as_judges  # as in `Evaluator`

        params = {
            "llm_client": as_judges(llm_client, HybridEvaluator.most_judges(), "The pipeline"),
            "chunking_strategy": chunking_strategy,
            "embedding_model": embedding_model,
            "chunk_size": chunk_size,
            "chunk_overlap": chunk_overlap,
            "prompt": prompt,
        }
        self._params = {name: value for name, value in params.items() if value is not None}
        # All of them, as each method takes some only: what is wrong is said before the first case.
        self._definition = HybridEvaluator(**self._params).formula(definition)

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Documents,
        ground_truth: Any = None,
        method: str = "trace",
        definition: str | None = None,
    ) -> TRACEScores:
        """One answer's scores by the method: `TRACEScores`, `GPTLabelingScores` or `HybridScores`.

        Raises `AccessError` where the method needs a judge and there is none, `LLMError` where it
        gives no usable answer, `ParameterError` for an unknown method or definition.
        """
        return self._by(method).evaluate(
            question,
            response,
            retrieved_documents,
            ground_truth,
            definition=self._definition if definition is None else definition,
        )

    def evaluate_batch(
        self,
        test_cases: batch.Cases,
        method: str = "trace",
        budget: int | None = None,
        definition: str | None = None,
    ) -> dict[str, Any]:
        """The documented result for cases with query, response and retrieved_documents.

        `budget` is how many calls the hybrid may make; it judges the most doubtful cases. A case
        that fails holds "error" and has no part in the means.
        """
        evaluator = self._by(method)
        definition = self._definition if definition is None else definition
        if budget is None:
            return evaluator.evaluate_batch(test_cases, definition=definition)
        if isinstance(evaluator, HybridEvaluator):
            return evaluator.evaluate_batch(test_cases, budget, definition)
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
        if not isinstance(method, str) or method not in _METHODS:
            raise ParameterError(
                f"No method is called {method!r:.60}. Known: {', '.join(_METHODS)}."
            )
        cls = _METHODS[method][0]
        # The heuristic has no prompt.
        taken = {name: value for name, value in self._params.items() if name in cls.model_fields}
        return cls.build(**taken)


_METHODS: dict[
    str, tuple[type[TRACEEvaluator | AdvancedRAGEvaluator | HybridEvaluator], str, str]
] = {
    "trace": (
        TRACEEvaluator,
        mark("TRACE (heuristic)"),
        mark("Estimates the labels from shared words. Fast, free, without an LLM."),
    ),
    "gpt_labeling": (
        AdvancedRAGEvaluator,
        mark("GPT labelling"),
        mark("An LLM labels every sentence: one call a sample."),
    ),
    "hybrid": (
        HybridEvaluator,
        mark("Hybrid"),
        mark(
            "The heuristic for all samples, and an LLM for all or only for the most doubtful ones."
        ),
    ),
}


def _readable_samples(test_cases: Sequence[Any]) -> Iterator[Sample]:
    """The cases that can be judged; what is wrong with the others stands in their entries."""
    for number, raw in enumerate(test_cases, start=1):
        try:
            case = batch.read_case(number, raw)
        except MissingInputError:
            continue
        yield Sample(
            id=str(number),
            question=case.query,
            response=case.response,
            retrieved_documents=case.retrieved_documents,
        )


def _labels_agreement(sentences: Sentences, first: Labels, second: Labels) -> Agreement:
    """How often two labellers agree, on the sentences that both labelled."""
    keys = sentences.document_keys
    supports = {sentence.key: sentence.support for sentence in first.sentence_support}
    others = {sentence.key: sentence.support for sentence in second.sentence_support}
    both = [
        sentence.key
        for sentence in sentences.response
        if sentence.key in supports and sentence.key in others
    ]
    relevant = _count_same(keys, first.relevant_keys, second.relevant_keys)
    utilized = _count_same(keys, first.utilized_keys, second.utilized_keys)
    supported = sum(supports[key] is others[key] for key in both)
    return {
        "relevant": _equal_of(relevant, len(keys)),
        "utilized": _equal_of(utilized, len(keys)),
        "support": _equal_of(supported, len(both)),
    }


def _count_same(
    keys: Sequence[str],
    first: Sequence[str],
    second: Sequence[str],
) -> int:
    # What neither names counts as well: both say that it is not relevant, or not used.
    return sum((key in first) == (key in second) for key in keys)


def _equal_of(equal: int, of: int) -> dict[str, int | float | None]:
    return {
        "equal": equal,
        "of": of,
        "share": equal / of if of else None,
    }


def _both_score_sets(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means of both score sets, each over the cases that have it, and the agreement."""
    scored = [entry for entry in entries if "metrics" in entry]
    judged = [entry for entry in scored if entry["gpt_labeling"]]
    by_judge = [entry["gpt_labeling"] for entry in judged]
    return {
        "num_judged": len(judged),
        "trace": batch.batch_means([entry["trace"] for entry in scored], asked=len(entries)),
        "gpt_labeling": batch.batch_means(by_judge, asked=len(entries)) if judged else None,
        "agreement": _pooled_agreement([entry["agreement"] for entry in judged]),
    }


def _pooled_agreement(agreements: Sequence[Agreement]) -> Agreement:
    """The agreement over the sentences of all cases together."""

    def total(name: str, part: str) -> int:
        return sum(int(agreement[name][part] or 0) for agreement in agreements)

    if not agreements:
        return {}
    pooled = {}
    for name in agreements[0]:
        pooled[name] = _equal_of(total(name, "equal"), total(name, "of"))
    return pooled
