"""Prompts are files: each holds its language's sentences and its blanks, and nothing else is ever
filled.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.errors import PromptError
from evaluators.prompts import FOLDER, MARKERS, check, fenced, fill, filled, load, shipped
from evaluators.rgb_evaluator import RGBEvaluator

TEMPLATE = "Documents:\n$documents\nQuestion: $question"


@pytest.mark.parametrize("language", MARKERS)
def test_every_language_has_a_prompt_with_its_marker_sentences(language):
    template = load(f"rgb_{language}")

    assert MARKERS[language].rejection in template
    assert MARKERS[language].errors in template


@pytest.mark.parametrize("language", MARKERS)
def test_the_marker_words_stand_in_the_marker_sentences(language):
    markers = MARKERS[language]

    assert markers.rejection_words in markers.rejection
    assert markers.errors_words in markers.errors


@pytest.mark.parametrize("policy", ["documented", "paper"])
@pytest.mark.parametrize("language", MARKERS)
def test_the_rules_recognise_what_the_prompt_asks_for(language, policy):
    evaluator, markers = RGBEvaluator(policy=policy), MARKERS[language]

    assert evaluator.is_rejection(markers.rejection)
    assert evaluator.detects_error(markers.errors)
    assert not evaluator.is_rejection(markers.errors)
    assert not evaluator.detects_error(markers.rejection)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("rgb_*.md")), ids=lambda path: path.stem)
def test_every_rgb_prompt_file_has_exactly_its_blanks(path):
    check(load(path.stem))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("judge_*.md")), ids=lambda path: path.stem)
def test_every_judge_prompt_file_has_exactly_its_blanks(path):
    check(load(path.stem), ("tag", "question", "answer"))


def test_every_language_of_a_generator_has_a_prompt_among_those_that_ship():
    assert {load(f"rgb_{language}") for language in MARKERS} < shipped()


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("$documents", "The prompt lacks $question. Put it where the question should stand."),
        ("$question", "The prompt lacks $documents. Put it where the documents should stand."),
        ("", "The prompt lacks $question."),
        ("$$question $documents", "The prompt lacks $question."),
        (
            "$question $documents $answer",
            "The prompt has an unknown blank $answer. Only $question and $documents",
        ),
        ("$Question $documents", "The prompt lacks $question."),
        ("$question $documents $ 5", "A lone $ stands in the prompt. Write $$ for a dollar sign."),
        ("$question $documents 5$", "A lone $ stands in the prompt."),
        ("$question $documents $5", "A lone $ stands in the prompt."),
        ("$question ${documents", "A lone $ stands in the prompt."),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused_with_the_remedy(template, message):
    with pytest.raises(PromptError) as caught:
        check(template)

    assert str(caught.value).startswith(message)
    # Without a template, as a system has none, the question is asked alone.
    if template:
        with pytest.raises(PromptError):
            fill(template, "q", ())


@pytest.mark.parametrize(
    "template",
    [TEMPLATE, "${question}s $documents", "$documents$question $$5", "问$question的$documents"],
)
def test_a_template_with_its_blanks_is_accepted(template):
    check(template)


def test_documents_are_numbered_from_one():
    prompt = fill(TEMPLATE, "Why?", ("first", "second"))

    assert prompt.text == "Documents:\n[1] first\n\n[2] second\nQuestion: Why?"
    assert (prompt.question, prompt.documents) == ("Why?", ("first", "second"))


def test_a_prompt_without_documents_can_be_filled():
    assert fill(TEMPLATE, "Why?", ()).text == "Documents:\n\nQuestion: Why?"


def test_dollar_signs_in_documents_and_question_stay_as_they_are():
    prompt = fill(TEMPLATE, "Is $documents 5 $?", ("$question costs $$5 or ${answer}",))

    assert (
        prompt.text
        == "Documents:\n[1] $question costs $$5 or ${answer}\nQuestion: Is $documents 5 $?"
    )


@given(question=st.text(), documents=st.lists(st.text()))
def test_any_text_can_be_filled_in(question, documents):
    prompt = fill(TEMPLATE, question, tuple(documents))

    assert prompt.text.endswith(f"\nQuestion: {question}")
    assert all(
        f"[{number}] {text}" in prompt.text for number, text in enumerate(documents, start=1)
    )


def test_any_blanks_are_filled_and_nothing_else():
    assert filled("$tag: ${answer}s for $$5", tag="a", answer="$tag") == "a: $tags for $5"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("$tag", "The prompt lacks $answer. Put it where the answer should stand."),
        (
            "$tag $answer $question",
            "The prompt has an unknown blank $question. Only $tag and $answer are filled.",
        ),
        ("$tag $answer $", "A lone $ stands in the prompt. Write $$ for a dollar sign."),
    ],
)
def test_a_template_with_other_blanks_than_its_facts_is_refused(template, message):
    with pytest.raises(PromptError) as caught:
        filled(template, tag="a", answer="b")

    assert str(caught.value) == message


@given(first=st.text(), second=st.text())
def test_a_fence_holds_its_text_whole_and_its_tag_stands_nowhere_in_it(first, second):
    tag, *lines = fenced("$tag\n$first\n$second", first=first, second=second).split("\n")

    assert "\n".join(lines) == f"{first}\n{second}"
    assert tag not in first + second


def test_a_fence_depends_on_all_of_the_material_and_on_the_template():
    tags = {
        fenced(template, first=first, second=second).split()[-1]
        for template in ("$first $second $tag", "$second $first $tag")
        for first, second in (("ab", "c"), ("a", "bc"), ("ab", "d"))
    }

    assert len(tags) == 6


def test_the_same_material_has_the_same_fence():
    assert fenced("$tag $text", text="问") == fenced("$tag $text", text="问")
