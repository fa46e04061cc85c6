"""Lesson 1: what RAG is, and the four ways in which an answer stands to its documents."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import streamlit as st

from evaluators.config import ROOT
from evaluators.report import coloured
from evaluators.rgb_evaluator import RGBEvaluator
from ui.learn.labelled import lesson_scores
from ui.parts import highlight
from ui.parts.untrusted import plain

KEY = "learn_rag_"
KINDS = {
    "true": "true to the documents",
    "adds": "adds something",
    "contradicts": "contradicts them",
    "declines": "declines",
}
"""The ways, by their names in the lesson's file."""
STEPS = (
    ("Question", "Somebody asks."),
    ("Search", "A search finds documents that may help."),
    ("Model", "A language model reads them."),
    ("Answer", "It writes an answer from them, or should."),
)


def show() -> None:
    """How RAG works in a line, then four answers to judge."""
    highlight.style()
    st.markdown(
        "A language model alone answers from memory. With **RAG** (retrieval-augmented "
        "generation) a search first finds documents, and the model answers from these."
    )
    steps = "".join(f"<li><b>{title}</b><small>{words}</small></li>" for title, words in STEPS)
    st.html(f'<ol class="pl-steps">{steps}</ol>')
    _four_answers()


# Every tap draws the answers anew, and the file comes with the program.
@cache
def _rag_lesson() -> dict[str, Any]:
    path = ROOT / "data" / "lessons" / "rag.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


# A tap draws the answers anew and nothing else of the page.
@st.fragment
def _four_answers() -> None:
    lesson = _rag_lesson()
    left, right = st.columns([2, 3], gap="large")
    with left, st.container(key="learn_given"):
        st.header("1 · What the model was given", anchor=False)
        st.markdown(f"**Question:** {plain(lesson['question'])}")
        st.html(coloured.passages(lesson["documents"]))
    with right:
        st.header("2 · Four answers: what does each do?", anchor=False)
        right_so_far = 0
        for number, answer in enumerate(lesson["answers"], start=1):
            with st.container(border=True):
                guess = st.pills(
                    f"**{number}** · {plain(answer['text'])}",
                    list(KINDS),
                    format_func=KINDS.__getitem__,
                    key=f"{KEY}{number}",
                )
                if guess:
                    right_so_far += guess == answer["kind"]
                    _reveal(lesson, answer, guess)
        st.markdown(f"**{right_so_far} of {len(lesson['answers'])}** recognised.")


def _reveal(lesson: dict[str, Any], answer: dict[str, Any], guess: str) -> None:
    if guess == answer["kind"]:
        st.success(f"Yes: it {_says(guess)}. {plain(answer['why'])}", icon=":material/check:")
    else:
        kind = _says(answer["kind"])
        st.warning(f"Look again: it {kind}. {plain(answer['why'])}", icon=":material/search:")
    scores = lesson_scores(lesson, answer)
    by_key = coloured.verdicts(scores.sentences, scores.labels)
    st.html(coloured.response(scores.sentences.response, by_key))
    rules = RGBEvaluator()
    facts = {
        "Adherence": f"{scores.adherence:.2f}",
        "Completeness": f"{scores.completeness:.2f}",
        "Right": _verdict_word(rules.is_correct(answer["text"], lesson["true_answer"])),
        "Declines": _verdict_word(rules.is_rejection(answer["text"])),
    }
    st.caption("Plumbline: " + " · ".join(f"{name} **{value}**" for name, value in facts.items()))


def _says(kind: str) -> str:
    return "is true to the documents" if kind == "true" else KINDS[kind]


def _verdict_word(value: bool) -> str:
    return "yes" if value else "no"
