"""An RGB sample: what the answer does in a sentence, what each document is for, every model."""

from __future__ import annotations

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.llm.catalogue import OFFLINE
from evaluators.prompts import load
from evaluators.records import Ability, ModelSpec, RGBTask, Run, Sample, SampleResult
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rgb_words import headline
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from tests.pages.conftest import checked
from tests.pages.screen import html, said, segments, table
from ui import session
from ui.parts import tried

DECLINING = "I can not answer the question because of the insufficient information in documents."
MODELS = (OFFLINE, ModelSpec(provider="groq", model="openai/gpt-oss-20b"))


@pytest.mark.parametrize(
    ("ability", "answer", "expected"),
    [
        (Ability.NOISE, "It is Canberra.", "Yes: it gives the true answer."),
        (Ability.NOISE, "It is Sydney.", "No: it does not give the true answer."),
        (Ability.NOISE, DECLINING, "No: it declines."),
        (Ability.NOISE, " ", "No: the answer is empty."),
        (Ability.INTEGRATION, "Canberra and 1913", "Yes: it gives the true answer."),
        (Ability.INTEGRATION, "Canberra", "No: it gives only a part of the true answer."),
        (Ability.REJECTION, DECLINING, "Yes: it declines."),
        (Ability.REJECTION, "It is Canberra.", "No: it answers all the same."),
        (Ability.COUNTERFACTUAL, "It is Perth.", "No: it repeats it."),
        (Ability.COUNTERFACTUAL, "It is Canberra.", "No, but it gives the true answer."),
        (Ability.COUNTERFACTUAL, DECLINING, "No: it declines."),
        (
            Ability.COUNTERFACTUAL,
            "The documents are wrong: it is Canberra.",
            "Yes, and it gives the true answer.",
        ),
        (
            Ability.COUNTERFACTUAL,
            "The documents are wrong.",
            "Yes, but it does not give the true answer.",
        ),
        (Ability.COUNTERFACTUAL, "It is Hobart.", "No: it does not give the true answer."),
    ],
)
def test_the_headline_says_what_the_answer_does(ability, answer, expected):
    planted = "Perth" if ability is Ability.COUNTERFACTUAL else None
    sample = Sample(
        id="1",
        question="What is the capital?",
        response=answer,
        ground_truth=("Canberra", "1913") if ability is Ability.INTEGRATION else "Canberra",
        rgb=RGBTask(ability=ability, counterfactual=planted),
    )
    evaluator = RGBEvaluator()
    found = headline(evaluator, sample, evaluator.verdicts(sample))
    assert found is not None
    assert found.answer == expected


def test_a_planted_error_is_marked_and_each_document_has_its_role(open_page, filled):
    at = open_page("sample", run=filled.rgb.id, sample="205")
    shown = html(at)
    assert "Does it notice the planted error? " in said(at, "header")
    assert "No: it repeats it." in said(at, "header")
    assert "Counterfactual robustness · 3 of 3 documents forged" in said(at)
    assert "<b>3 of 3 documents forged</b>" in shown
    assert shown.count('<span class="pl-role">planted error</span>') == 3
    assert shown.count('<span class="pl-role">beside the point</span>') == 0
    assert 'in fact <mark class="pl-planted">Perth</mark>.' in shown
    assert 'Our tour ends in <mark class="pl-planted">Perth</mark>' in shown


def test_only_rules_of_the_language_are_listed(open_page, filled):
    at = open_page("sample", run=filled.rgb.id, sample="205")
    # Behind each rule stands the way to the glossary.
    rules = [row["Rule"].partition(" [?]")[0] for row in table(at, "Asked")]
    assert "denies the planted answer" in rules
    assert "Chinese marker phrase" not in rules
    assert f"All rules tried ({len(rules)})" in [expander.label for expander in at.expander]


def test_of_thousands_of_rules_the_first_are_listed_and_their_number_is_told():
    # An answer that is not there is tried by three rules.
    truth = tuple(f"City {number}" for number in range(1_000))
    task = RGBTask(ability=Ability.NOISE)
    long = Sample(id="a", question="Where?", response="Perth", ground_truth=truth, rgb=task)

    rows, number = tried.rows(RGBEvaluator(), long)

    assert (len(rows), number) == (tried.MOST_SHOWN, 3_000)
    assert rows[3]["Asked"] == "Is it “City 1”?"


def test_samples_of_earlier_versions_have_no_roles_and_say_as_much_as_is_known(open_page):
    at = open_page("sample", run=answered_by_two(with_roles=False).id, sample="1")
    assert "Counterfactual robustness · 3 of 3 documents forged" in said(at)
    assert 'class="pl-role"' not in html(at)
    assert '<div class="pl-strip">' not in html(at)


def test_all_models_stand_side_by_side_with_their_answers_as_text(open_page):
    at = open_page("sample", run=answered_by_two().id, sample="1", model="2")
    shown = html(at)
    assert shown.count('<th scope="row">') == 2
    assert "✗ No: it repeats it." in shown
    assert "✓ Yes, and it gives the true answer." in shown
    assert "&lt;b&gt;wrong&lt;/b&gt;" in shown
    assert "<b>wrong</b>" not in shown


def test_a_sample_is_read_by_other_rules_without_a_new_call(open_page):
    run = answered_by_two()
    at = open_page("sample", run=run.id, sample="1", model="2")
    assert "Yes, and it gives the true answer." in said(at, "header")
    segments(at, f"policy_{run.id}").set_value("paper")
    # The benchmark's script knows the phrase "factual errors" only.
    assert "No, but it gives the true answer." in said(checked(at.run()), "header")


def answered_by_two(with_roles: bool = True) -> Run:
    """A run over one planted error; the first model repeats it, the second corrects it."""
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    rows = tuple(row for row in bed.rows if row.query == "What is the capital of Australia?")
    data = compose(bed.model_copy(update={"rows": rows}), [Ability.COUNTERFACTUAL])
    if not with_roles:
        samples = tuple(sample.model_copy(update={"roles": ()}) for sample in data.samples)
        data = data.model_copy(update={"samples": samples})
    store, evaluator = session.store(), RGBEvaluator()
    plan = RunPlan(data, [evaluator], models=MODELS, prompt=load("rgb_en"), seed=0)
    run = create_run(store, plan, workspace="local")
    for model, answer in enumerate(("It is Perth.", "That is <b>wrong</b>. It is Canberra.")):
        score = evaluator.score(data.samples[0].model_copy(update={"response": answer}))
        result = SampleResult(
            position=0, model=model, status="scored", score=score, response=answer
        )
        store.results.save(run.id, result)
    return run
