"""A judge made better by examples of its errors: halves, errors by kind, the trial, what it proves."""

from __future__ import annotations

import json

import numpy as np
import pytest
from pydantic import SecretStr

from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator
from evaluators.api.results import Results
from evaluators.comparison.better_judge import in_words, told
from evaluators.comparison.paired import Pair
from evaluators.errors import ParameterError
from evaluators.llm import Access
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, ModelSpec, Sample
from evaluators.report.run_report import run_report
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.terminal.tables import run_summary
from evaluators.trace_evaluator import TRACEEvaluator
from tests import judge

LUNA = ModelSpec(provider="openai", model="gpt-6-luna", temperature=None, answer_tokens=400)
KEY = "sk-better"
EXAMPLE = "Sentence: It is old.\nEvidence: none\nA judge called it: fully supported"


def is_wrong(text):
    """A sentence that people do not find in the document."""
    return "999" in text


def answering(with_examples, unreadable):
    """A judge that calls all supported, and another thing where examples stand in its prompt.

    It answers nothing that can be read about the questions in `unreadable`.
    """

    def answer(prompt_text):
        if judge.material(prompt_text, "question") in unreadable:
            return "Sorry."
        labels = judge.labels(prompt_text)
        has_examples = "<examples " in prompt_text
        [support] = labels["sentence_support_information"]
        truth = not is_wrong(judge.material(prompt_text, "response"))
        support["fully_supported"] = with_examples(truth) if has_examples else True
        support["supporting_sentence_keys"] = ["0a"]
        return json.dumps(labels)

    return answer


def sample(number, wrong_each=3):
    height = 999 if number % wrong_each == 0 else 100 + number
    return Sample(
        id=f"t{number}",
        question=f"How high is tower {number}?",
        response=f"The old stone tower of the harbour is {height} metres high.",
        retrieved_documents=(f"The old stone tower of the harbour is {100 + number} metres high.",),
    )


def finish(run, store, keys):
    job = Job(run, store, keys)
    job.start()
    job.wait(60)


class Judged:
    """A run by a judge on this computer, with people's labels of the first so many answers."""

    def __init__(self, store, loopback, with_examples, labelled=60, wrong_each=3, examples=""):
        self.unreadable = set()
        server = loopback(key=KEY, answer=answering(with_examples, self.unreadable))
        access = Access(provider="openai", base_url=server.base_url, key=SecretStr(KEY))
        self.keys = {"openai": access}
        samples = tuple(sample(number, wrong_each) for number in range(60))
        data = Dataset(name="towers", samples=samples)
        plan = RunPlan(data, [AdvancedRAGEvaluator(examples=examples)], judges=(LUNA,), seed=1)
        run = create_run(store, plan, workspace="local")
        finish(run, store, self.keys)
        self.results = Results(run, store)
        for number in range(labelled):
            found = "none" if is_wrong(samples[number].response) else "full"
            store.person_labels.save(
                run.id,
                Cell(number),
                *(
                    PersonLabel(
                        label=label, key=key, value=value, created="2026-11-22T10:00:00+00:00",
                        drawn="at random", probability=0.5, blind=True,
                    )
                    for label, key, value in (("support", "a", found), ("sample", "", "done"))
                ),
            )  # fmt: skip

    def tried(self, **options):
        return self.results.try_examples(keys=self.keys, progress=False, **options)


@pytest.mark.parametrize(
    ("with_examples", "begins", "after"),
    [
        (lambda truth: truth, "Better by ", 1.0),
        (lambda truth: not truth, "Worse by ", 0.0),
        (lambda truth: True, "Cannot be told: the difference is 0.0 points (", None),
    ],
    ids=["better", "worse", "the same"],
)
def test_the_judge_is_laid_beside_itself_on_answers_unseen(
    store, loopback, with_examples, begins, after
):
    judged = Judged(store, loopback, with_examples)
    proposal = judged.results.judge_errors()
    tried = judged.tried()
    outcome = tried.tried_examples()

    assert outcome.sentence.startswith(begins)
    assert outcome.difference.rows == outcome.asked == proposal.unseen
    assert outcome.difference.second == (outcome.difference.first if after is None else after)
    assert tried.run.origin["examples_from"] == judged.results.run.id
    # The same at every door.
    assert outcome.sentence in repr(tried)
    assert outcome.sentence in tried._repr_html_()
    assert outcome.sentence in run_report(tried.read(), tried.view)
    assert run_summary(tried)["tried_examples"]["sentence"] == outcome.sentence
    assert judged.results.tried_examples() is None


def test_examples_are_of_one_half_and_tried_on_the_other(store, loopback):
    judged = Judged(store, loopback, lambda truth: truth)
    proposal = judged.results.judge_errors()
    tried = judged.tried()

    unseen = {row.question for row in tried.rows()}
    seen = {sample(number).question for number in range(60)} - unseen
    assert proposal.answers == len(seen)
    assert proposal.unseen == len(unseen)
    # It calls all supported: each wrong answer of the half is an error, by another number.
    wrong = [number for number in range(0, 60, 3) if sample(number).question in seen]
    assert proposal.wrong == len(wrong)
    assert proposal.kinds == {"other_number": len(wrong)}
    evidence = [f"is {100 + number} metres" for number in range(60)]
    used = [number for number in range(60) if evidence[number] in proposal.examples]
    assert set(used) <= set(wrong)
    # All have one sentence, so that only the evidence tells their examples apart.
    assert proposal.examples.count("Sentence: ") == len(used) == 6
    assert "A judge called it: fully supported\nPeople call it: not fully supported" in (
        proposal.examples
    )


def test_further_labels_move_no_question_to_the_other_half(store, loopback):
    judged = Judged(store, loopback, lambda truth: truth, labelled=48)
    before = {row.question for row in judged.tried().rows()}
    for number in range(48, 60):
        copy = PersonLabel(
            label="support", key="a", value="full", created="2026-11-22T10:00:00+00:00"
        )
        done = copy.model_copy(update={"label": "sample", "key": "", "value": "done"})
        judged.results.store.person_labels.save(judged.results.run.id, Cell(number), copy, done)
    after = {row.question for row in judged.tried().rows()}

    assert before < after
    assert {sample(number).question for number in range(48)} & after == before


def test_what_failed_is_left_out_and_said(store, loopback):
    judged = Judged(store, loopback, lambda truth: truth)
    judged.unreadable.add(judged.tried().rows()[0].question)
    outcome = judged.tried(examples=EXAMPLE).tried_examples()

    assert outcome.left_out == 1
    assert outcome.difference.rows == outcome.asked - 1


def test_who_tries_often_pays_for_it(store, loopback):
    judged = Judged(store, loopback, lambda truth: truth)
    first = judged.tried().tried_examples()
    second = judged.tried(examples=EXAMPLE).tried_examples()

    assert (first.trials, second.trials) == (1, 2)
    assert second.difference.adjusted == pytest.approx(min(1, 2 * first.difference.p))


def test_the_formula_that_is_looked_at_changes_no_outcome(store, loopback):
    judged = Judged(store, loopback, lambda truth: truth)
    judged.results = judged.results.under("fixed_20")
    tried = judged.tried()

    assert tried.run.evaluator.params["definition"] == "fixed_20"
    assert tried.under("ragbench").tried_examples() == tried.tried_examples()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labelled": 12}, "One half of the labelled questions has"),
        ({"wrong_each": 1000}, "People gave all answers of a half the same verdict"),
    ],
)
def test_labels_that_teach_nothing_say_what_to_do(store, loopback, options, said):
    judged = Judged(store, loopback, lambda truth: truth, **options)
    with pytest.raises(ParameterError, match=said):
        judged.results.judge_errors()


def test_a_judge_without_errors_has_nothing_to_learn(store, loopback):
    judged = Judged(store, loopback, lambda truth: truth, examples=EXAMPLE)
    with pytest.raises(ParameterError, match="agrees with people on all"):
        judged.results.judge_errors()


@pytest.mark.parametrize(
    ("examples", "said"), [(" \n", "Write at least one"), ("x" * 4001, "at most 4000 characters")]
)
def test_examples_that_are_empty_or_too_long_are_refused(store, loopback, examples, said):
    judged = Judged(store, loopback, lambda truth: truth)
    with pytest.raises(ParameterError, match=said):
        judged.tried(examples=examples)


def pairs(wins, losses, ties):
    values = [(0, 1)] * wins + [(1, 0)] * losses + [(1, 1)] * ties
    return [Pair(*both, number) for number, both in enumerate(values)]


@pytest.mark.parametrize(
    ("of", "trials", "sentence"),
    [
        # McNemar's mid-p of 8 to 0 is 1/256.
        (pairs(8, 0, 32), 1, "Better by 20.0 points"),
        (pairs(0, 8, 32), 1, "Worse by 20.0 points"),
        (pairs(8, 0, 32), 20, "Cannot be told: the difference is +20.0 points"),
        (pairs(5, 4, 31), 1, "Cannot be told: the difference is +2.5 points"),
        (pairs(9, 0, 0), 1, "Cannot be told: fewer than 10 questions"),
    ],
)
def test_what_came_out_is_one_sentence(of, trials, sentence):
    assert in_words(told(of, trials)).startswith(sentence)


@pytest.mark.parametrize("changed", [1.0, 0.2], ids=["all anew", "every fifth anew"])
def test_examples_that_help_nothing_are_seldom_called_better(changed):
    outcomes = []
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        # Two judges that agree with people equally often, on 40 answers.
        before, anew = rng.random((2, 40)) < 0.8
        after = np.where(rng.random(40) < changed, anew, before)
        agree = zip(before.astype(float), after.astype(float), range(40), strict=True)
        outcomes.append(in_words(told([Pair(*pair) for pair in agree])).split()[0])

    # 26 and 28, 2 and 3: docs/checking.md has these figures.
    assert outcomes.count("Better") <= 50
    assert outcomes.count("Worse") <= 50


HOSTILE = [None, 3, [], {"t0": 1}, {"t0 · 1.1": [5, 0]}, {"x": [1]}]


@pytest.mark.parametrize("verdicts", HOSTILE)
def test_an_origin_that_holds_anything_is_not_told(store, verdicts):
    samples = tuple(sample(number) for number in range(3))
    data = Dataset(name="d", samples=samples, origin={"examples_from": [], "verdicts": verdicts})
    run = create_run(store, RunPlan(data, [TRACEEvaluator()]), workspace="local")
    finish(run, store, {})
    outcome = Results(run, store).tried_examples()

    assert outcome.sentence.startswith("Cannot be told")
    assert outcome.left_out == 3
