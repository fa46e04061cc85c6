"""Runs that ask each prompt several times: every repeat is a call, a result and a failure of its
own, and what stands beside the mean tells how far the answers to one prompt differ.
"""

import csv
import io
import json
import math
from collections import Counter
from itertools import count

import pytest

from evaluators import evaluate
from evaluators.api.results import Results
from evaluators.errors import ParameterError
from evaluators.llm import ModelRequest
from evaluators.records import Cap, ModelSpec
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs import aggregate, inputs
from evaluators.runs.again import plan_again
from evaluators.runs.forecast import forecast
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Counts, Outline, Store
from evaluators.statistics import wilson
from tests import judge
from tests.runs import paid
from tests.stops import stopped

PATIENCE = 120
RIGHT, WRONG = "It is Mina Osei.", "It is somebody else."


class AnswersInTurn:
    """Gives the prompt of each number its answers one after the other."""

    def __init__(self, *answers):
        self._turns = {number: iter(own) for number, own in enumerate(answers)}

    def __call__(self, text):
        number = int(text.split("Who is number ")[1].split("?")[0])
        return next(self._turns[number])


def finished(store, run, registry, server):
    registry.start(run, store, paid.keys(server.base_url)).wait(PATIENCE)
    return store.results.counts(run)


def as_plan(data, *, models=(paid.LUNA,), judges=(), metric="rgb", **options):
    prompt = paid.PROMPT if models else ""
    metrics = inputs.evaluators(metric)
    return RunPlan(data, metrics, models=models, judges=judges, prompt=prompt, **options)


def means(store, run):
    rows = RunView.read(store, run).rows
    return {
        name: value.mean for name, value in aggregate.named_values(run.evaluators, rows).items()
    }


@pytest.mark.parametrize(
    ("schema_text", "key"),
    [
        ("", "cd1ea6ba843ebc8acd554f25b7cbf426b6385a7fff301f97d432955e4d216379"),
        ("{}", "a6c1c307526c4c4af3274e32e7231d1273e2f0bfe51ae82c7e36c78c881632fe"),
    ],
)
def test_the_first_repeat_has_the_key_of_versions_without_repeats(schema_text, key):
    spec = ModelSpec(provider="openai", model="gpt-6-luna")
    keys = []
    for repeat in (1, 2, 12):
        request = ModelRequest(
            spec=spec,
            text="Who?",
            base_url="https://api.openai.com/v1",
            schema_text=schema_text,
            repeat=repeat,
        )
        keys.append(request.key)

    assert keys[0] == key
    assert len(set(keys)) == 3


def test_every_repeat_is_a_call_with_an_answer_of_its_own(store, registry, loopback):
    numbers = count()
    server = loopback(answer=lambda text: f"Mina Osei, answer {next(numbers)}.")
    run = paid.paid_run(store, paid.dataset(4), repeats=3)

    assert finished(store, run, registry, server) == Counts(asked=12, scored=12, failed=0)
    assert set(Counter(asked.text for asked in server.asked).values()) == {3}
    assert len(set(store.results.responses(run).values())) == 12
    assert store.calls.spent(run.id)[paid.LUNA.id].calls == 12
    places = [(row.sample_id, row.repeat, row.prompt) for row in store.results.outlines(run)[:4]]
    assert places == [("p0", 1, 0), ("p0", 2, 0), ("p0", 3, 0), ("p1", 1, 3)]


def test_more_repeats_ask_only_for_those_that_are_new(store, registry, loopback):
    server = loopback()
    for repeats, calls in ((1, 4), (3, 12), (3, 12), (2, 12)):
        run = paid.paid_run(store, paid.dataset(4), repeats=repeats)
        assert finished(store, run, registry, server).scored == 4 * repeats
        assert len(server.asked) == calls


def test_a_judge_is_asked_again_about_the_same_answer(store, registry, loopback):
    server = loopback(answer=judge.labels_for)
    run = paid.labelled_run(store, paid.answered(3), (paid.LUNA,), repeats=2)

    assert finished(store, run, registry, server) == Counts(asked=6, scored=6, failed=0)
    assert set(Counter(asked.text for asked in server.asked).values()) == {2}


def test_a_failed_repeat_is_a_failure_and_is_tried_again_alone(store, registry, loopback):
    faults = iter(["", "", "filter", "", "", ""])
    server = loopback(fault=lambda asked: next(faults, ""))
    run = paid.paid_run(store, paid.dataset(2), repeats=3)

    assert finished(store, run, registry, server) == Counts(asked=6, scored=5, failed=1)
    mean = means(store, run)["noise_robustness"]
    assert (mean.mean, mean.coverage, mean.failed) == (1.0, "5 / 6", 1)
    assert mean.repeated == "2 prompts × 3"
    assert finished(store, run, registry, server) == Counts(asked=6, scored=6, failed=0)
    assert len(server.asked) == 7


def test_a_budget_asks_every_prompt_once_before_it_repeats_one(store, registry, loopback):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(5), repeats=4, cap=Cap(calls=7))

    assert finished(store, run, registry, server) == Counts(asked=20, scored=7, failed=0)
    assert "7 calls is used up" in stopped(store, run.id)
    done = Counter(row.repeat for row in store.results.outlines(run) if row.status)
    assert done == {1: 5, 2: 2}


def test_verdicts_of_repeats_are_one_prompt_in_the_interval_and_agree_so_far(
    store, registry, loopback
):
    # All three right twice, all wrong once, two of three right once.
    server = loopback(
        answer=AnswersInTurn([RIGHT] * 3, [RIGHT] * 3, [WRONG] * 3, [RIGHT, WRONG, RIGHT])
    )
    run = paid.paid_run(store, paid.dataset(4), repeats=3)
    finished(store, run, registry, server)

    mean = means(store, run)["noise_robustness"]

    assert mean.mean == pytest.approx(8 / 12)
    assert (mean.coverage, mean.repeated, mean.questions) == ("12 / 12", "4 prompts × 3", 4)
    # Squares around 2/3 in the last one: 1/9 + 4/9 + 1/9, over 4 times 2 degrees.
    assert (mean.within.prompts, mean.within.agree) == (4, 0.75)
    assert mean.within.deviation == pytest.approx(math.sqrt(1 / 12))
    assert mean.within.in_words == "repeats agree in 75 %"
    low, high = wilson(8, 12)
    assert mean.high - mean.low > 1.3 * (high - low)


def test_values_of_repeats_vary_by_their_standard_deviation():
    values = {0: (0.4, 0.6), 1: (0.2, 0.4), 2: (0.5, None)}
    rows = []
    for prompt, own in values.items():
        for repeat, value in enumerate(own, start=1):
            position = 2 * prompt + repeat - 1
            rows.append(
                Outline(
                    position=position,
                    repeat=repeat,
                    sample_id=f"s{prompt}",
                    question="q",
                    status="scored",
                    values={"share": value},
                )
            )

    mean = aggregate.summarise(rows, "share")

    assert (mean.mean, mean.coverage) == (pytest.approx(2.1 / 5), "5 / 6")
    # .02 around .5 and .02 around .3, over 1 + 1 degrees; the third prompt has one value.
    assert (mean.within.prompts, mean.within.agree) == (2, None)
    assert mean.within.deviation == pytest.approx(math.sqrt(0.02))
    assert mean.within.in_words == "repeats vary by 0.14"


def test_a_forecast_counts_every_repeat_and_what_is_stored_of_it(store, registry, loopback):
    server = loopback()
    finished(store, paid.paid_run(store, paid.dataset(4), repeats=2), registry, server)
    keys = paid.keys(server.base_url)
    # An address of its own is a part of the keys of stored answers.
    luna = paid.LUNA.model_copy(update={"base_url": server.base_url})
    plan = as_plan(paid.dataset(4), models=(luna,), repeats=5)

    (of_models,) = forecast(plan, keys, lambda asked: len(asked) * 2 // 5).models

    assert (of_models.calls, of_models.cached) == (12, 8)
    once = forecast(as_plan(paid.dataset(4), models=(luna,)), keys, lambda asked: 0).models[0]
    assert of_models.prompt_tokens == 3 * once.prompt_tokens
    judging = as_plan(paid.answered(3), models=(), judges=(luna,), metric="gpt_labeling", repeats=4)
    (of_judges,) = forecast(judging, keys, lambda asked: 0).judges
    assert of_judges.calls == 12


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"repeats": 0}, "Enter a number from 1 to 10"),
        ({"repeats": 11}, "Enter a number from 1 to 10"),
        ({"repeats": 2, "models": (), "metric": "trace"}, "Nothing is asked in this run"),
    ],
)
def test_repeats_that_cannot_be_are_refused(options, words):
    data = paid.answered(2) if "metric" in options else paid.dataset(2)
    with pytest.raises(ParameterError, match=words):
        as_plan(data, **options).check()


@pytest.mark.parametrize(
    ("temperature", "repeats", "is_said"),
    [(0.0, 2, True), (0.7, 2, False), (None, 2, False), (0.0, 1, False)],
)
def test_at_temperature_0_repeats_are_said_to_be_alike(temperature, repeats, is_said):
    luna = paid.LUNA.model_copy(update={"temperature": temperature})
    plan = as_plan(paid.dataset(2), models=(luna,), repeats=repeats)

    assert ("may be identical" in plan.repeats_alike) == is_said


def test_files_carry_the_number_of_the_repeat(store, registry, loopback, tmp_path):
    server = loopback(answer=judge.labels_for)
    run = paid.labelled_run(store, paid.answered(2), (paid.LUNA,), repeats=2)
    finished(store, run, registry, server)
    results = Results(run, store)
    places = [("b0", 1), ("b0", 2), ("b1", 1), ("b1", 2)]

    for kind in ("csv", "jsonl", "labels"):
        text = results.export(tmp_path / kind, kind).read_text(encoding="utf-8-sig")
        if kind == "csv":
            rows = list(csv.DictReader(io.StringIO(text)))
        else:
            rows = [json.loads(line) for line in text.splitlines()]
        assert [(row["id"], int(row["repeat"])) for row in rows] == places
    assert list(results.to_pandas()["repeat"]) == [1, 2, 1, 2]
    assert "Same prompt" in repr(results)


def test_a_file_of_a_run_without_repeats_has_no_such_column(store, registry, loopback, tmp_path):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(1))
    finished(store, run, registry, server)

    assert "repeat" not in Results(run, store).export(tmp_path / "a.csv").read_text("utf-8")
    assert "repeat" not in Results(run, store).to_pandas()


def test_a_run_file_keeps_the_repeats(store, registry, loopback, tmp_path):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(2), repeats=3)
    finished(store, run, registry, server)
    elsewhere = Store(tmp_path / "elsewhere.sqlite3")

    again = opened(written(store, run), elsewhere, "v")

    assert (again.repeats, again.fingerprint) == (3, run.fingerprint)
    assert means(elsewhere, again) == means(store, run)


def test_a_run_done_again_repeats_as_often(store):
    run = paid.paid_run(store, paid.dataset(2), repeats=3)

    plan = plan_again(store, run)

    assert (plan.repeats, plan.dataset.fingerprint) == (3, run.fingerprint)


def test_the_same_call_goes_on_with_the_run_of_as_many_repeats(data_folder, loopback):
    server = loopback()
    options = {"model": paid.LUNA, "prompt": paid.PROMPT, "progress": False}
    options |= {"keys": paid.keys(server.base_url), "run": "t"}
    first = evaluate(paid.dataset(2), "rgb", repeats=2, cap=Cap(calls=3), **options)

    again = evaluate(paid.dataset(2), "rgb", repeats=2, **options)
    other = evaluate(paid.dataset(2), "rgb", repeats=3, **options)

    assert first.run.id == again.run.id != other.run.id
    assert again.counts == Counts(asked=4, scored=4, failed=0)
    assert (other.run.repeats, len(server.asked)) == (3, 6)
