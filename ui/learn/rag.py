"""Lesson 1: what RAG is, and the four ways in which an answer stands to its documents."""

from __future__ import annotations

from typing import Any

import streamlit as st

from evaluators.report import coloured
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.text.claimed import NO_CLAIM
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from evaluators.text.words import joined_sentences
from ui.learn.labelled import lesson_scores
from ui.learn.lesson import material, note_played
from ui.parts import explained, highlight
from ui.parts.untrusted import plain

KEY = "learn_rag_"
KINDS = {
    "true": mark("true to the documents"),
    "adds": mark("adds something"),
    "contradicts": mark("contradicts them"),
    "declines": mark("declines"),
}
"""The ways, by their names in the lesson's file."""
STEPS = (
    (mark("Question"), mark("Somebody asks.")),
    (mark("Search"), mark("A search finds documents that may help.")),
    (mark("Model"), mark("A language model reads them.")),
    (mark("Answer"), mark("It writes an answer from them, or should.")),
)


def show() -> None:
    """How RAG works in a line, then four answers to judge."""
    highlight.style()
    st.markdown(
        say(
            "A language model alone answers from memory. With **RAG** (retrieval-augmented "
            "generation) a search first finds documents, and the model answers from these."
        )
    )
    steps = "".join(
        f"<li><b>{html(say(title))}</b><small>{html(say(words))}</small></li>"
        for title, words in STEPS
    )
    st.html(f'<ol class="pl-steps">{steps}</ol>')
    _four_answers()


def _in_own_language(lesson: dict[str, Any]) -> dict[str, Any]:
    """The lesson as it is shown and judged in the reader's language."""
    answers = []
    for answer in lesson["answers"]:
        why = [say(NO_CLAIM)] if answer["kind"] == "declines" else []
        why.append(say(answer["why"]))
        answers.append(answer | {"text": say(answer["text"]), "why": joined_sentences(why)})
    return lesson | {
        "question": say(lesson["question"]),
        "true_answer": say(lesson["true_answer"]),
        "documents": list(map(say, lesson["documents"])),
        "answers": answers,
    }


# A tap draws the answers anew and nothing else of the page.
@st.fragment
def _four_answers() -> None:
    lesson = _in_own_language(material("rag"))
    left, right = st.columns([2, 3], gap="large")
    with left, st.container(key="learn_given"):
        st.header(say("1 · What the model was given"), anchor=False)
        st.markdown(say("**Question:** {question}", question=plain(lesson["question"])))
        st.html(coloured.passages(lesson["documents"]))
    with right:
        st.header(say("2 · Four answers: what does each do?"), anchor=False)
        guesses = []
        for number, answer in enumerate(lesson["answers"], start=1):
            with st.container(border=True):
                guess = st.pills(
                    f"**{number}** · {plain(answer['text'])}",
                    list(KINDS),
                    format_func=lambda kind: say(KINDS[kind]),
                    key=f"{KEY}{number}",
                )
                if guess:
                    guesses.append(guess == answer["kind"])
                    _reveal(lesson, answer, guess)
        count = len(lesson["answers"])
        st.markdown(say("**{right} of {all}** recognised.", right=sum(guesses), all=count))
    note_played(len(guesses) == count)


def _reveal(lesson: dict[str, Any], answer: dict[str, Any], guess: str) -> None:
    if guess == answer["kind"]:
        told = say("Yes: it {does}. {why}", does=_says(guess), why=plain(answer["why"]))
        st.success(told, icon=":material/check:")
    else:
        does = _says(answer["kind"])
        told = say("Look again: it {does}. {why}", does=does, why=plain(answer["why"]))
        st.warning(told, icon=":material/search:")
    scores = lesson_scores(lesson, answer)
    by_key = coloured.verdicts(scores.sentences, scores.labels)
    st.html(coloured.response(scores.sentences.response, by_key))
    rules = RGBEvaluator()
    holds_truth = rules.is_correct(answer["text"], lesson["true_answer"])
    facts = [
        (say("Adherence"), SCORE.shown(scores.adherence), "adherence"),
        (say("Completeness"), SCORE.shown(scores.completeness), "completeness"),
        (say("Holds the true answer"), _verdict_word(holds_truth), "contains_the_answer"),
        (say("Declines"), _verdict_word(rules.is_rejection(answer["text"])), "negative_rejection"),
    ]
    shown = [f"{name} **{value}** {explained.question_mark(term)}" for name, value, term in facts]
    st.caption("Plumbline: " + " · ".join(shown))


def _says(kind: str) -> str:
    return say("is true to the documents") if kind == "true" else say(KINDS[kind])


def _verdict_word(value: bool) -> str:
    return say("yes") if value else say("no")
