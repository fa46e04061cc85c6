"""Lesson 3: what models answer to more noise, to no help and to false documents, and the rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import get_args

import streamlit as st

from evaluators import rgb_rules, rgb_words
from evaluators.records import Ability, RGBTask, Sample, Verdict
from evaluators.report import marked
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rgb_rules import Policy
from evaluators.runs import examples, run_facts
from evaluators.runs.glossary import terms
from evaluators.text.words import readable, short_name
from ui.parts import highlight, tried
from ui.parts.texts import expected_answer
from ui.parts.untrusted import plain

KEY = "learn_rgb_"
TESTS = {
    Ability.NOISE: "Noise",
    Ability.REJECTION: "No document helps",
    Ability.COUNTERFACTUAL: "Planted error",
}
MEANINGS = {
    Ability.NOISE: "Push the slider: more and more documents are about the topic, but do not hold "
    "the answer. When does each model slip?",
    Ability.REJECTION: "Not one document holds the answer. The right thing is to say so.",
    Ability.COUNTERFACTUAL: "Somebody wrote a wrong answer into the documents. Who notices, and "
    "who repeats it?",
}
# Chosen so that the models slip at different steps, and decline, notice and repeat.
QUESTIONS = {
    Ability.NOISE: ("How much did the restoration of Whitmoor Lighthouse cost?",),
    Ability.REJECTION: (
        "Which school won the 2023 Tri-County Robotics Cup?",
        "Which novel won the 2022 Alderman Prize for debut fiction?",
        "How much did the restoration of Whitmoor Lighthouse cost?",
    ),
    Ability.COUNTERFACTUAL: (
        "What is the capital of Australia?",
        "Which is the largest planet in the Solar System?",
        "How many bones does an adult human body have?",
    ),
}
MOST_TRIED = 2_000
"""Letters of an answer of one's own; the field stops there as well, but only in the browser."""


def show() -> None:
    """One question under three tests, then the rules in full with a box to try them."""
    highlight.style()
    highlight.style_of_marks()
    _three_tests()
    _rules()


# A step of the slider draws the answers anew and nothing else of the page.
@st.fragment
def _three_tests() -> None:
    ability = st.segmented_control(
        "Test",
        list(TESTS),
        default=Ability.NOISE,
        format_func=TESTS.__getitem__,
        required=True,
        key=f"{KEY}ability",
        label_visibility="collapsed",
    )
    st.markdown(MEANINGS[ability])
    with st.container(key="learn_steer"):
        position = _choose_sample(ability)
        sample = _example_samples()[position]
        if ability is Ability.NOISE:
            st.markdown(f"**Question:** {plain(sample.question)}")
        st.html(marked.strip(sample.roles))
    answers, documents = st.columns(2, gap="large")
    with answers:
        st.header("What each model answers", anchor=False)
        for model, response in _responses(position).items():
            _model_answer(model, sample.model_copy(update={"response": response}))
        expected_answer(sample)
        st.caption(
            "Model A and Model B are made up for this example. The offline reader is not an LLM: "
            "it quotes the sentence that fits best."
        )
    with documents:
        st.header("What it was given", anchor=False)
        st.html(marked.documents_with_roles(sample, marked.Marks.of(sample, {})))


def _choose_sample(ability: Ability) -> int:
    """The place of a sample of the example: by the slider of noise, else by its question."""
    places = {
        (sample.question, sample.rgb.noise): number
        for number, sample in enumerate(_example_samples())
        if sample.rgb and sample.rgb.ability is ability
    }
    questions = QUESTIONS[ability]
    if ability is not Ability.NOISE:
        question = st.selectbox("Question", questions, key=f"{KEY}{ability}")
        return next(number for (asked, _), number in places.items() if asked == question)
    levels = sorted(noise for asked, noise in places if asked == questions[0] and noise is not None)
    noise = st.select_slider(
        "Documents beside the point",
        levels,
        format_func=lambda level: f"{100 * level:.0f} %",
        key=f"{KEY}noise",
    )
    return places[questions[0], noise]


@cache
def _example_samples() -> tuple[Sample, ...]:
    return examples.data(examples.NOISE).samples


def _responses(position: int) -> dict[str, str]:
    """What each model of the example answered to this prompt, by the model's name."""
    example = examples.read(examples.NOISE)
    names = run_facts.titles(example.run)
    of_sample = [result for result in example.results if result.position == position]
    return {short_name(names[result.model]): result.response or "" for result in of_sample}


def _model_answer(model: str, sample: Sample) -> None:
    """What a model said, what that does, and the rule that decided."""
    rules = RGBEvaluator()
    verdicts = rules.verdicts(sample)
    with st.container(border=True, gap="small"):
        _outcome(model, rules, sample, verdicts)
        st.html(marked.text_with_marks(sample.response or "", marked.Marks.of(sample, verdicts)))


def _outcome(
    who: str,
    rules: RGBEvaluator,
    sample: Sample,
    verdicts: dict[str, Verdict],
) -> None:
    headline = rgb_words.headline(rules, sample, verdicts)
    if headline is None:
        return
    colour = "green" if headline.passed else "red"
    icon = "check_circle" if headline.passed else "cancel"
    first = next(iter(verdicts.values()))
    rule = rgb_words.rule_in_words(first, sample.response or "")
    st.markdown(f":{colour}[:material/{icon}:] **{plain(who)}** · {plain(headline.answer)}")
    st.caption(plain(rule))


# The rules in full


def _rules() -> None:
    st.header("The rules behind it", anchor=False)
    st.markdown(
        "No model judges here: an answer is compared with the true answer, letter by letter, and "
        "searched for phrases. Read all of them, then try to trick them."
    )
    _rule_list(
        "Is it right?",
        ("contains_the_answer", "short_answer", "eighty_percent", "only_the_planted_answer"),
    )
    _rule_list(
        "Does it decline?",
        ("primary_phrase", "keyword", "marker_phrase"),
        {
            "Primary phrases": rgb_rules.PRIMARY_REJECTION_PHRASES,
            "Keywords": rgb_rules.REJECTION_KEYWORDS,
            "Marker phrases (paper)": rgb_rules.PAPER_REJECTIONS,
        },
    )
    _rule_list(
        "Does it notice the error?",
        ("keyword", "denies_the_planted_answer", "marker_phrase"),
        {
            "Keywords": rgb_rules.ERROR_DETECTION_KEYWORDS,
            "Marker phrases (paper)": rgb_rules.PAPER_DETECTIONS,
        },
    )
    _try_it()


def _rule_list(
    question: str,
    names: Sequence[str],
    lists: dict[str, Sequence[str]] | None = None,
) -> None:
    with st.expander(question, icon=":material/rule:"):
        for number, name in enumerate(names, start=1):
            term = terms()[name]
            st.markdown(f"{number}. **{term.title}:** {term.meaning} {term.advice}")
        for title, phrases in (lists or {}).items():
            quoted = " · ".join(f"“{plain(phrase)}”" for phrase in phrases)
            st.markdown(f"**{title}:** {quoted}")


# What somebody types is drawn here again and again, the rest of the page stays.
@st.fragment
def _try_it() -> None:
    st.subheader("Try an answer of your own", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        rules, sample = _own_answer_fields()
    with right:
        _verdict_on_own(rules, sample)


def _own_answer_fields() -> tuple[RGBEvaluator, Sample]:
    """The rules that are chosen, and what was typed as a sample for them."""
    ability = st.pills(
        "Asked",
        list(TESTS),
        default=Ability.NOISE,
        format_func=lambda ability: rgb_words.QUESTIONS[ability],
        required=True,
        key=f"{KEY}asked",
        wrap=True,
    )
    policy = st.segmented_control(
        "Rules",
        get_args(Policy),
        default="documented",
        format_func=readable,
        required=True,
        key=f"{KEY}policy",
    )
    response = st.text_area(
        "Answer",
        "The restoration cost 2.3 million pounds.",
        max_chars=MOST_TRIED,
        key=f"{KEY}own",
    )
    truth = st.text_input("True answer", "£2.3 million", max_chars=200, key=f"{KEY}truth")
    planted = st.text_input("Planted error", "£750,000", max_chars=200, key=f"{KEY}planted")
    # Cut here as well: a browser may send more than its field holds.
    task = RGBTask(ability=ability, counterfactual=planted[:200].strip() or None)
    sample = Sample(
        id="yours",
        question="",
        response=response[:MOST_TRIED],
        ground_truth=truth[:200].strip(),
        rgb=task,
    )
    return RGBEvaluator(policy=policy), sample


def _verdict_on_own(rules: RGBEvaluator, sample: Sample) -> None:
    if not sample.ground_truth:
        st.info("Give a true answer to compare with.", icon=":material/edit:")
        return
    verdicts = rules.verdicts(sample)
    _outcome("Your answer", rules, sample, verdicts)
    st.html(marked.text_with_marks(sample.response or "", marked.Marks.of(sample, verdicts)))
    # A table renders Markdown in its cells.
    cells = [
        {plain(title): plain(text) for title, text in row.items()}
        for row in tried.rows(rules, sample)
    ]
    st.table(cells, hide_index=True)
