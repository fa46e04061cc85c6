"""Lesson 3: what models answer to more noise, to no help and to false documents, and the rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

import streamlit as st

from evaluators import rgb_rules, rgb_words
from evaluators.records import Ability, RGBTask, Sample, Verdict
from evaluators.report import marked
from evaluators.rgb_evaluator import Outcome, RGBEvaluator
from evaluators.rgb_rules import Policy
from evaluators.runs import examples, run_facts
from evaluators.runs.glossary import terms
from evaluators.text.language import language, say
from evaluators.text.scale import RATE
from evaluators.text.words import readable, short_name
from ui.learn.lesson import material, note_played
from ui.parts import highlight, tried
from ui.parts.texts import expected_answer
from ui.parts.untrusted import plain

KEY = "learn_rgb_"
"""The example that is played, by the reader's language."""
MOST_TRIED = 2_000
"""Letters of an answer of one's own; the field stops there as well, but only in the browser."""


def _tests() -> dict[Ability, dict[str, Any]]:
    """The tests of the lesson's file, in its order."""
    return {Ability(name): test for name, test in material("rgb")["tests"].items()}


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
        say("Test"),
        list(_tests()),
        default=Ability.NOISE,
        format_func=lambda ability: say(_tests()[ability]["title"]),
        required=True,
        key=f"{KEY}ability",
        label_visibility="collapsed",
    )
    st.markdown(say(_tests()[ability]["meaning"]))
    with st.container(key="learn_steer"):
        position = _choose_sample(ability)
        sample = _example_samples(language())[position]
        if ability is Ability.NOISE:
            st.markdown(say("**Question:** {question}", question=plain(sample.question)))
        st.html(marked.strip(sample.roles))
    answers, documents = st.columns(2, gap="large")
    with answers:
        st.header(say("What each model answers"), anchor=False)
        for model, response in _responses(position).items():
            _model_answer(model, sample.model_copy(update={"response": response}))
        expected_answer(sample)
        st.caption(
            say(
                "Model A and Model B are made up for this example. The offline reader is not an "
                "LLM: it quotes the sentence that fits best."
            )
        )
    with documents:
        st.header(say("What it was given"), anchor=False)
        st.html(marked.documents_with_roles(sample, marked.Marks.of(sample, {})))
    note_played(ability is not Ability.NOISE or bool(sample.rgb and sample.rgb.noise))


def _choose_sample(ability: Ability) -> int:
    """The place of a sample of the example: by the slider of noise, else by its question."""
    places = {
        (sample.question, sample.rgb.noise): number
        for number, sample in enumerate(_example_samples(language()))
        if sample.rgb and sample.rgb.ability is ability
    }
    questions = _tests()[ability]["questions"][language()]
    if ability is not Ability.NOISE:
        question = st.selectbox(say("Question"), questions, key=f"{KEY}{ability}_{language()}")
        return next(number for (asked, _), number in places.items() if asked == question)
    levels = sorted(noise for asked, noise in places if asked == questions[0] and noise is not None)
    noise = st.select_slider(
        say("Documents beside the point"),
        levels,
        format_func=RATE.shown,
        key=f"{KEY}noise",
    )
    return places[questions[0], noise]


@cache
def _example_samples(code: str) -> tuple[Sample, ...]:
    return examples.data(examples.NOISE_IN[code]).samples


def _responses(position: int) -> dict[str, str]:
    """What each model of the example answered to this prompt, by the model's name."""
    example = examples.read(examples.NOISE_IN[language()])
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
    answer = headline.answer
    colour, icon = ("green", "check_circle") if headline.passed else ("red", "cancel")
    # Declining does not help here, yet it does not mislead as a wrong answer does.
    if not headline.passed and rules.outcome(sample, verdicts) is Outcome.DECLINES:
        answer = say("No: it declines, and invents nothing.")
        colour, icon = "orange", "do_not_disturb_on"
    first = next(iter(verdicts.values()))
    rule = rgb_words.rule_in_words(first, sample.response or "")
    st.markdown(f":{colour}[:material/{icon}:] **{plain(who)}** · {plain(answer)}")
    st.caption(plain(rule))


# The rules in full


def _rules() -> None:
    st.header(say("The rules behind it"), anchor=False)
    st.markdown(
        say(
            "No model judges here: an answer is compared with the true answer, letter by letter, "
            "and searched for phrases. Read all of them, then try to trick them."
        )
    )
    _rule_list(
        say("Is it right?"),
        ("contains_the_answer", "short_answer", "eighty_percent", "only_the_planted_answer"),
    )
    _rule_list(
        say("Does it decline?"),
        ("primary_phrase", "keyword", "marker_phrase"),
        {
            say("Primary phrases"): rgb_rules.PRIMARY_REJECTION_PHRASES,
            say("Keywords"): rgb_rules.REJECTION_KEYWORDS,
            say("Marker phrases (paper)"): rgb_rules.PAPER_REJECTIONS,
            say("Marker phrases in Chinese"): rgb_rules.CHINESE_REJECTIONS,
        },
    )
    _rule_list(
        say("Does it notice the error?"),
        ("keyword", "denies_the_planted_answer", "marker_phrase"),
        {
            say("Keywords"): rgb_rules.ERROR_DETECTION_KEYWORDS,
            say("Marker phrases (paper)"): rgb_rules.PAPER_DETECTIONS,
            say("Marker phrases in Chinese"): rgb_rules.CHINESE_DETECTIONS,
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
            rule = say("**{word}**: {meaning}", word=say(term.title), meaning=say(term.meaning))
            st.markdown(f"{number}. {rule} {say(term.advice) if term.advice else ''}")
        for title, phrases in (lists or {}).items():
            quoted = " · ".join(f"“{plain(phrase)}”" for phrase in phrases)
            st.markdown(say("**{word}**: {meaning}", word=title, meaning=quoted))


# What somebody types is drawn here again and again, the rest of the page stays.
@st.fragment
def _try_it() -> None:
    st.subheader(say("Try an answer of your own"), anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        rules, sample = _own_answer_fields()
    with right:
        _verdict_on_own(rules, sample)


def _own_answer_fields() -> tuple[RGBEvaluator, Sample]:
    """The rules that are chosen, and what was typed as a sample for them."""
    ability = st.pills(
        say("Asked"),
        list(_tests()),
        default=Ability.NOISE,
        format_func=lambda ability: say(ability.question),
        required=True,
        key=f"{KEY}asked",
        wrap=True,
    )
    policy = st.segmented_control(
        say("Rules"),
        get_args(Policy),
        default="documented",
        format_func=readable,
        required=True,
        key=f"{KEY}policy",
    )
    riddle = _tests()[ability]["riddle"]
    # What is typed belongs to one question in one language.
    of_question = f"{ability}_{language()}"
    own = f"{KEY}own_{of_question}"
    response = st.text_area(say("Answer"), say(riddle["passing"]), max_chars=MOST_TRIED, key=own)
    truth = st.text_input(
        say("True answer"), say(riddle["truth"]), max_chars=200, key=f"{KEY}truth_{of_question}"
    )
    planted = ""
    if ability is Ability.COUNTERFACTUAL:
        planted = st.text_input(
            say("Planted error"),
            say(riddle["planted"]),
            max_chars=200,
            key=f"{KEY}planted_{of_question}",
        )
    _offer_riddle(riddle, own)
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


def _offer_riddle(riddle: dict[str, str], own: str) -> None:
    """A button that puts the answer which the rules miss into the field; then what is behind it."""
    missed = say(riddle["missed"])
    if st.session_state[own] == missed:
        reason = say("**Why does the rule miss this?** {why}", why=say(riddle["why"]))
        st.info(reason, icon=":material/lightbulb:")
        return
    st.button(
        say("Show an answer that tricks the rule"),
        icon=":material/extension:",
        on_click=st.session_state.__setitem__,
        args=(own, missed),
    )


def _verdict_on_own(rules: RGBEvaluator, sample: Sample) -> None:
    if not sample.ground_truth:
        st.info(say("Give a true answer to compare with."), icon=":material/edit:")
        return
    verdicts = rules.verdicts(sample)
    _outcome(say("Your answer"), rules, sample, verdicts)
    st.html(marked.text_with_marks(sample.response or "", marked.Marks.of(sample, verdicts)))
    tried.show(*tried.rows(rules, sample))
