"""Texts that are stored in English, problems of files and reasons of failures, shown in Chinese."""

import re

from evaluators.text.language import CHINESE, speaking
from evaluators.text.stored_texts import translated
from tests.language.messages import texts_of_code, translations

MADE_WHERE_THEY_ARE_READ = (
    *("evaluators/datasets/taken.py", "evaluators/datasets/origin.py"),
    *("evaluators/llm/money.py", "evaluators/llm/estimate.py"),
)
"""What these say is never stored."""
TOO_FEW_LETTERS = {"{metric}: {field} is {value}. {problem}."}
"""Raised where a form or Python gives a parameter, and shown at once."""
STORED = (
    *("evaluators/datasets/", "evaluators/llm/", "evaluators/retrieval/", "evaluators/sandbox/"),
    *("evaluators/run_files/", "evaluators/custom_files.py", "ui/parts/remedies.py"),
    *("evaluators/answer_match.py", "evaluators/context_recall.py"),
    *("evaluators/g_eval.py", "evaluators/llm_judge.py", "evaluators/prompt_metric.py"),
    *("evaluators/retriever_recall.py", "evaluators/rgb_evaluator.py"),
    *("evaluators/runs/engine.py", "evaluators/runs/pool.py", "evaluators/runs/run_control.py"),
    *("evaluators/runs/scoring.py", "evaluators/runs/store/", "evaluators/runs/worker"),
    *(
        "evaluators/trace/claims.py",
        "evaluators/trace/comparison.py",
        "evaluators/trace/metrics.py",
    ),
)
BLANK = re.compile(r"\{(\w+)(![rs])?(:[^{}]*)?\}")


def samples(text):
    """A value for each blank: a number where one is written, else a word that nobody else says."""
    values = {}
    for name, _, form in BLANK.findall(text):
        values[name] = 7 if form else f"<{name}>"
    return values


def stored_texts():
    return [
        text
        for text, where in texts_of_code().items()
        if text.context is None
        and text.english not in TOO_FEW_LETTERS
        and where.startswith(STORED)
        and where not in MADE_WHERE_THEY_ARE_READ
    ]


def test_a_stored_text_comes_back_in_chinese():
    differing = {}
    for text in stored_texts():
        said, values = translations()[text], samples(text.english)
        stored = text.english.format(**values) if values else text.english
        # What is quoted in English stands in its quotation marks.
        quoted = {name: repr(values[name]) for name, way, _ in BLANK.findall(text.english) if way}
        expected = said.format(**values | quoted) if values else said
        with speaking(CHINESE):
            shown = translated(stored)
        if shown != expected:
            differing[stored] = shown
    assert len(stored_texts()) > 400
    assert not differing
