"""Lesson 4: what makes a number wrong although every step was right, each with a live example."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.records import Ability, Sample
from evaluators.report import marked
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.text.injection import suspicions
from evaluators.text.language import ENGLISH, language, mark, say
from evaluators.text.scale import SCORE
from evaluators.text.words import readable
from evaluators.trace.metrics import TRACEScores
from evaluators.trace.values import METRICS
from ui.learn.labelled import lesson_scores
from ui.learn.lesson import material, note_played
from ui.parts import highlight
from ui.parts.untrusted import plain

KEY = "learn_traps_"
MOST_TRIED = 2_000
"""Letters of a document of one's own."""
# As high as RGB goes: with the five documents of each question it is soon out of reach.
ASKED_NOISE = 0.8


def show() -> None:
    """One trap at a time."""
    highlight.style_of_marks()
    _one_trap()


# A tap draws this lesson anew and nothing else of the page.
@st.fragment
def _one_trap() -> None:
    traps = {trap["title"]: trap for trap in material("traps")["traps"]}
    chosen = st.pills(
        say("Which trap?"),
        list(traps),
        default=next(iter(traps)),
        format_func=say,
        required=True,
        wrap=True,
        key=f"{KEY}chosen",
    )
    trap = traps[chosen]
    with st.container(border=True):
        st.header(say(trap["title"]), anchor=False)
        st.markdown(say(trap["what"]))
        # Rules may look for English words in the example: it is the same in every language.
        if trap.get("is_of_english_words") and language() != ENGLISH:
            st.caption(say("The example is in English, as the rules look for English words in it."))
        EXAMPLES[trap["name"]]()
        remedy = say("**What to do:** {words}", words=say(trap["remedy"]))
        st.markdown(f":material/lightbulb: {remedy}")
    # Which ones somebody goes on to is theirs; the first one is open without a tap.
    note_played(chosen != next(iter(traps)))


def _say_outcome(is_yes: bool, words: str) -> None:
    """A verdict in words, with a mark that is no colour alone."""
    colour, icon = ("green", "check_circle") if is_yes else ("red", "cancel")
    st.markdown(f":{colour}[:material/{icon}:] {words}")


# The answer as it is written


def _look_alike_trap() -> None:
    is_on = st.toggle(say("Make look-alike characters equal (NFKC)"), key=f"{KEY}nfkc")
    _is_right("look_alikes", RGBEvaluator(nfkc=is_on))


def _thinking_trap() -> None:
    is_on = st.toggle(say("Leave out what it thinks"), key=f"{KEY}reasoning")
    _is_right("thinking", RGBEvaluator(remove_reasoning=is_on))


def _is_right(name: str, rules: RGBEvaluator) -> None:
    lesson = material("traps")[name]
    st.markdown(say("**Question:** {question}", question=plain(lesson["question"])))
    sample = Sample(
        id=name,
        question=lesson["question"],
        response=lesson["answer"],
        ground_truth=lesson["true_answer"],
    )
    verdict = rules.correctness(lesson["answer"], lesson["true_answer"])
    marks = marked.Marks({})
    # What the rules do not see as the true answer is not coloured as one.
    if verdict.passed:
        marks = marked.Marks.of(sample, {"accuracy": verdict})
    st.html(marked.text_with_marks(lesson["answer"], marks))
    st.caption(say("True answer: {answer}", answer=plain(lesson["true_answer"])))
    right, wrong = mark("**Right** by the rules."), mark("**Wrong** by the rules.")
    _say_outcome(verdict.passed, say(right if verdict.passed else wrong))


# The words that are looked for


def _phrase_trap() -> None:
    lesson = material("traps")["phrases"]
    question = plain(lesson["question"])
    st.markdown(say("**Question:** {question} (No document says it.)", question=question))
    rows = []
    for answer in lesson["answers"]:
        rows.append(
            {
                say("Answer"): plain(answer["text"]),
                say("Rule (documented)"): _declines(answer["text"], RGBEvaluator()),
                say("Rule (paper)"): _declines(answer["text"], RGBEvaluator(policy="paper")),
                say("Judge"): say("declines") if answer["judge"] else say("answers"),
            }
        )
    st.table(rows, hide_index=True)
    st.caption(say("The judge is made up. In papers its rates are called Rej* and ED*."))


def _declines(answer: str, rules: RGBEvaluator) -> str:
    return say("declines") if rules.is_rejection(answer) else say("answers")


def _wording_trap() -> None:
    prompts = material("traps")["wording"]["prompts"]
    number = st.segmented_control(
        say("What the prompt asks for"),
        range(len(prompts)),
        default=0,
        format_func=lambda number: say("Prompt {number}", number=number + 1),
        required=True,
        key=f"{KEY}prompt",
    )
    chosen = prompts[number]
    st.code(chosen["text"], language=None, wrap_lines=True)
    st.markdown(say("**The same model answers:** {answer}", answer=plain(chosen["answer"])))
    declines = RGBEvaluator().is_rejection(chosen["answer"])
    declined, answered = mark("**Declines** by the rules."), mark("**Answers**, say the rules.")
    _say_outcome(declines, say(declined if declines else answered))


# The documents


def _noise_trap() -> None:
    documents = st.select_slider(
        say("Documents in a prompt"), (3, 4, 5, 6, 8, 10), 5, key=f"{KEY}documents"
    )
    bed = bundled()[ENGLISH_BED]
    # Bundled names stand for data sets and test beds; the type checker knows not which.
    assert isinstance(bed, TestBed)
    # One question is enough, and quick: it is composed anew at every step of the slider.
    composed = compose(bed, [Ability.NOISE], [ASKED_NOISE], documents, sample=1)
    sample = composed.samples[0]
    reached = 100 * (sample.rgb.effective_noise or 0) if sample.rgb else 0
    st.html(marked.strip(sample.roles))
    st.markdown(
        say(
            "Asked for: **{asked:.0f} %** noise. Reached: **{reached:.0f} %**.",
            asked=100 * ASKED_NOISE,
            reached=reached,
        )
    )


def _instruction_trap() -> None:
    document = st.text_area(
        say("A document"),
        material("traps")["instructions"]["document"],
        max_chars=MOST_TRIED,
        key=f"{KEY}document",
    )
    # The field's limit holds in the browser alone.
    found = suspicions(document[:MOST_TRIED])
    if found:
        listed = say("; ").join(plain(say(meaning)) for meaning in found)
        told = say("Plumbline warns that it {does}.", does=listed)
        st.warning(told, icon=":material/gpp_maybe:")
    else:
        st.success(say("Nothing in it looks like an instruction."), icon=":material/check:")


# The answer as a whole


def _empty_answer_trap() -> None:
    answer = st.segmented_control(
        say("Answer"),
        ("", "480 metres.", "840 metres."),
        default="",
        format_func=lambda answer: f"“{answer}”" if answer else say("(empty)"),
        required=True,
        key=f"{KEY}empty",
    )
    lesson = material("traps")["long_answers"]
    is_right = answer == "480 metres."
    # An empty answer has no sentence that a label could be of.
    support = [] if not answer else ["full" if is_right else "none"]
    scores = lesson_scores(lesson, {"text": answer, "support": support, "used": ["0b"][:is_right]})
    st.markdown(_values_and_average(scores))
    correct = RGBEvaluator().is_correct(answer, "480 metres")
    right, wrong = mark("**Right** by the rules of RGB."), mark("**Wrong** by the rules of RGB.")
    _say_outcome(correct, say(right if correct else wrong))


def _values_and_average(scores: TRACEScores) -> str:
    parts = []
    # All that enters the average.
    for name in (*METRICS, "average"):
        value = scores.values()[name]
        parts.append(f"{readable(name)} **{SCORE.shown(value)}**")
    return " · ".join(parts)


def _long_answer_trap() -> None:
    lesson = material("traps")["long_answers"]
    st.markdown(say("**Question:** {question}", question=plain(lesson["question"])))
    rows = []
    for answer in lesson["answers"]:
        scores = lesson_scores(lesson, answer)
        rows.append(
            {
                say("Answer"): plain(answer["text"]),
                say("A judge's rating"): say("{rating} of 5", rating=answer["rating"]),
                say("Adherence"): SCORE.shown(scores.adherence),
                say("Supported share"): SCORE.shown(scores.supported_share),
            }
        )
    st.table(rows, hide_index=True)
    st.caption(say("The rating is made up; that judges favour length is known of many models."))


# Down here, as it names the functions above.
EXAMPLES: Mapping[str, Callable[[], None]] = {
    "look_alikes": _look_alike_trap,
    "thinking": _thinking_trap,
    "phrases": _phrase_trap,
    "wording": _wording_trap,
    "noise": _noise_trap,
    "empty_answer": _empty_answer_trap,
    "long_answers": _long_answer_trap,
    "instructions": _instruction_trap,
}
"""What draws the live example of each trap, by its name in the lesson's file."""
