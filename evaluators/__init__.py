"""Plumbline's evaluators: whether a RAG system's answers are true to their sources.

They work without the app. The public names are here; each is loaded when it is first used.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_HOMES = {
    "Ability": "evaluators.records",
    "AdvancedRAGEvaluator": "evaluators.advanced_rag_evaluator",
    "AnswerMatchAcc": "evaluators.answer_match",
    "BaseEvaluator": "evaluators.base",
    "batch_schema": "evaluators.batch.function",
    "BatchResults": "evaluators.batch.results",
    "ask": "evaluators.llm.structured",
    "Cap": "evaluators.records",
    "check_scores": "evaluators.api.scores",
    "compare": "evaluators.api.comparing",
    "compose": "evaluators.datasets.rgb",
    "connect": "evaluators.llm.connect",
    "ContextRecall": "evaluators.context_recall",
    "Dataset": "evaluators.records",
    "DefaultLLMJudge": "evaluators.llm_judge",
    "DocumentSentencizer": "evaluators.advanced_rag_evaluator",
    "estimate": "evaluators.api.evaluation",
    "evaluate": "evaluators.api.evaluation",
    "evaluate_batch_files": "evaluators.batch.files",
    "evaluate_record_batch": "evaluators.batch.function",
    "EvaluationResult": "evaluators.rgb_evaluator",
    "Evaluator": "evaluators.base",
    "evaluator": "evaluators.base",
    "EvaluatorSpec": "evaluators.records",
    "FakeLLM": "evaluators.llm.fake",
    "FactRecall": "evaluators.fact_recall",
    "fenced": "evaluators.prompts",
    "for_paper": "evaluators.api.papers",
    "GEvalJudgeEvaluator": "evaluators.g_eval",
    "GEvalLLMJudge": "evaluators.g_eval",
    "GPTLabelingOutput": "evaluators.advanced_rag_evaluator",
    "GPTLabelingPromptGenerator": "evaluators.advanced_rag_evaluator",
    "leaderboard": "evaluators.api.comparing",
    "LexicalContextRecall": "evaluators.context_recall",
    "LLMasJudge": "evaluators.llm_judge",
    "LLMClient": "evaluators.llm",
    "LLMEvalResult": "evaluators.llm_judge",
    "load_data": "evaluators.runs.inputs",
    "log_run": "evaluators.api.trackers",
    "make_bed": "evaluators.api.beds",
    "mlflow_scorer": "evaluators.api.trackers",
    "ModelSpec": "evaluators.records",
    "NLGTask": "evaluators.g_eval",
    "open_run": "evaluators.api.results",
    "PlumblineError": "evaluators.errors",
    "Prompt": "evaluators.prompts",
    "require": "evaluators.base",
    "Results": "evaluators.api.results",
    "RetrieverRecall": "evaluators.retriever_recall",
    "RGBEvaluator": "evaluators.rgb_evaluator",
    "RuleEvidence": "evaluators.records",
    "Sample": "evaluators.records",
    "Score": "evaluators.records",
    "TestBed": "evaluators.datasets.rgb",
    "TRACEEvaluator": "evaluators.trace_evaluator",
    "TRACEScores": "evaluators.trace.metrics",
    "UnifiedEvaluationPipeline": "evaluators.evaluation_pipeline",
    "Value": "evaluators.values",
    "Verdict": "evaluators.records",
    "YesOrNo": "evaluators.llm.verdicts",
}
"""Each public name with the module that holds it."""

if TYPE_CHECKING:
    from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator as AdvancedRAGEvaluator
    from evaluators.advanced_rag_evaluator import DocumentSentencizer as DocumentSentencizer
    from evaluators.advanced_rag_evaluator import GPTLabelingOutput as GPTLabelingOutput
    from evaluators.advanced_rag_evaluator import (
        GPTLabelingPromptGenerator as GPTLabelingPromptGenerator,
    )
    from evaluators.answer_match import AnswerMatchAcc as AnswerMatchAcc
    from evaluators.api.beds import make_bed as make_bed
    from evaluators.api.comparing import compare as compare
    from evaluators.api.comparing import leaderboard as leaderboard
    from evaluators.api.evaluation import estimate as estimate
    from evaluators.api.evaluation import evaluate as evaluate
    from evaluators.api.papers import for_paper as for_paper
    from evaluators.api.results import Results as Results
    from evaluators.api.results import open_run as open_run
    from evaluators.api.scores import check_scores as check_scores
    from evaluators.api.trackers import log_run as log_run
    from evaluators.api.trackers import mlflow_scorer as mlflow_scorer
    from evaluators.base import BaseEvaluator as BaseEvaluator
    from evaluators.base import Evaluator as Evaluator
    from evaluators.base import evaluator as evaluator
    from evaluators.base import require as require
    from evaluators.batch.files import evaluate_batch_files as evaluate_batch_files
    from evaluators.batch.function import batch_schema as batch_schema
    from evaluators.batch.function import evaluate_record_batch as evaluate_record_batch
    from evaluators.batch.results import BatchResults as BatchResults
    from evaluators.context_recall import ContextRecall as ContextRecall
    from evaluators.context_recall import LexicalContextRecall as LexicalContextRecall
    from evaluators.datasets.rgb import TestBed as TestBed
    from evaluators.datasets.rgb import compose as compose
    from evaluators.errors import PlumblineError as PlumblineError
    from evaluators.evaluation_pipeline import (
        UnifiedEvaluationPipeline as UnifiedEvaluationPipeline,
    )
    from evaluators.fact_recall import FactRecall as FactRecall
    from evaluators.g_eval import GEvalJudgeEvaluator as GEvalJudgeEvaluator
    from evaluators.g_eval import GEvalLLMJudge as GEvalLLMJudge
    from evaluators.g_eval import NLGTask as NLGTask
    from evaluators.llm import LLMClient as LLMClient
    from evaluators.llm.connect import connect as connect
    from evaluators.llm.fake import FakeLLM as FakeLLM
    from evaluators.llm.structured import ask as ask
    from evaluators.llm.verdicts import YesOrNo as YesOrNo
    from evaluators.llm_judge import DefaultLLMJudge as DefaultLLMJudge
    from evaluators.llm_judge import LLMasJudge as LLMasJudge
    from evaluators.llm_judge import LLMEvalResult as LLMEvalResult
    from evaluators.prompts import Prompt as Prompt
    from evaluators.prompts import fenced as fenced
    from evaluators.records import Ability as Ability
    from evaluators.records import Cap as Cap
    from evaluators.records import Dataset as Dataset
    from evaluators.records import EvaluatorSpec as EvaluatorSpec
    from evaluators.records import ModelSpec as ModelSpec
    from evaluators.records import RuleEvidence as RuleEvidence
    from evaluators.records import Sample as Sample
    from evaluators.records import Score as Score
    from evaluators.records import Verdict as Verdict
    from evaluators.retriever_recall import RetrieverRecall as RetrieverRecall
    from evaluators.rgb_evaluator import EvaluationResult as EvaluationResult
    from evaluators.rgb_evaluator import RGBEvaluator as RGBEvaluator
    from evaluators.runs.inputs import load_data as load_data
    from evaluators.trace.metrics import TRACEScores as TRACEScores
    from evaluators.trace_evaluator import TRACEEvaluator as TRACEEvaluator
    from evaluators.values import Value as Value

else:
    __all__ = list(_HOMES)

    @contextmanager
    def _without_collector() -> Iterator[None]:
        """Nothing that is loaded is garbage: to look for some takes a fifth of the time."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if was_enabled:
                gc.enable()

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with _without_collector():
            value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value  # found without this function from now on
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
