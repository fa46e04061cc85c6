"""The examples that open finished: as they are made today, shared by all, and changed by nobody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evaluators.errors import HostLimitError, ParameterError
from evaluators.people.records import PersonLabel
from evaluators.records import Ability, Cell, Support
from evaluators.runs import examples, rounds
from evaluators.runs.examples import FOLDER, INVENTED, INVENTED_ZH, NOISE, NOISE_ZH
from evaluators.runs.run_view import RunView
from evaluators.runs.store.runs import EXAMPLES
from evaluators.trace.labelling import labellings
from tests.examples import as_file

A, B, READER = range(3)
FLIP = PersonLabel(label="support", key="b", value="full", created="2026-11-22T12:00:00+00:00")


@pytest.mark.parametrize("run_id", [NOISE, NOISE_ZH, INVENTED, INVENTED_ZH])
def test_what_ships_is_what_the_evaluators_say_today(run_id):
    shipped = (FOLDER / f"{run_id}.jsonl").read_text(encoding="utf-8")
    assert shipped == as_file(run_id), "call `make examples`"


def accuracy(model: int, noise: float) -> float:
    example = examples.read(NOISE)
    verdicts = []
    for result in example.results:
        task = example.dataset.samples[result.position].rgb
        assert task is not None
        assert result.score is not None
        if (result.model, task.ability, task.noise) == (model, Ability.NOISE, noise):
            verdicts.append(result.score.values["accuracy"])
    return sum(filter(None, verdicts)) / len(verdicts)


def test_one_model_holds_against_noise_and_the_other_falls_below_the_baseline():
    assert accuracy(A, 0.0) == accuracy(B, 0.0) == 1
    assert accuracy(A, 0.8) > accuracy(READER, 0.8) > accuracy(B, 0.8)


def test_judges_differ_their_majority_counts_and_the_gold_labels_differ_from_it():
    example = examples.read(INVENTED)
    levels = {}
    for result, sample in zip(example.results, example.dataset.samples, strict=True):
        assert result.score is not None
        assert sample.labels is not None
        labelled = {
            labelling.by: labelling.labels for labelling in result.score.evidence.labellings
        }
        for by, labels in {**labelled, "gold": sample.labels}.items():
            for support in labels.sentence_support:
                levels[sample.id, support.key, by] = support.support

    def said(sample: str, key: str, *labellers: str) -> list[Support]:
        return [levels[sample, key, by] for by in labellers]

    judges = [f"illustration/Judge {letter}" for letter in "ABC"]
    none, partial, full = Support.NONE, Support.PARTIAL, Support.FULL
    assert said("hallucinated-2", "b", *judges, "jury", "gold") == [none, full, none, none, none]
    assert said("refusal-3", "a", *judges, "jury", "gold") == [full, full, none, full, full]
    assert said("long-2", "c", *judges, "jury", "gold") == [full, full, partial, full, partial]
    assert said("contradiction-3", "a", "heuristic", "jury") == [full, none]
    # No judge is the jury: one sentence at least tells them apart.
    sentences = {(sample, key) for sample, key, _ in levels}
    for judge in judges:
        assert any(said(*place, judge) != said(*place, "jury") for place in sentences)


@pytest.mark.parametrize(
    ("run_id", "overlooked"), [(INVENTED, "numbers-1"), (INVENTED_ZH, "zh-numbers-1")]
)
def test_of_the_answers_that_a_class_is_asked_the_jury_is_wrong_on_one(store, run_id, overlooked):
    run = examples.find(store, run_id)
    assert run is not None
    view = RunView.read(store, run)
    wrong = set()
    for answer in rounds.instructive(view):
        sample = examples.read(run_id).dataset.samples[answer.position]
        score = view.contents([answer])[answer].results[0].score
        assert score is not None
        by = labellings(score, sample)
        support = [each.support for each in by["gold"].labels.sentence_support]
        if support != [each.support for each in by["jury"].labels.sentence_support]:
            wrong.add(sample.id)
    # Two of three judges overlook a number.
    assert wrong == {overlooked}


def test_an_example_is_there_at_once_and_whole(store):
    run = examples.find(store, NOISE)
    assert run is not None
    counts = store.results.counts(run)
    assert (counts.asked, counts.scored) == (648, 648)
    assert examples.find(store, "another") is None
    assert store.runs.ids("local") == []


def test_an_example_of_an_earlier_version_gives_way(store):
    run, data, results = examples.read(INVENTED)
    store.runs.put(run.model_copy(update={"title": "Old"}), data.samples, results[:3])
    found = examples.find(store, INVENTED)
    assert found == run
    assert store.results.counts(run).scored == 24


def test_nobody_labels_an_example_but_everybody_a_copy(store):
    run = examples.find(store, INVENTED)
    assert run is not None
    with pytest.raises(ParameterError, match="Make it yours"):
        store.person_labels.save(run.id, Cell(4, 0), FLIP)
    own = examples.copy(store, run, "local")
    store.person_labels.save(own.id, Cell(4, 0), FLIP)
    assert store.runs.ids("local") == [own.id]
    assert store.results.counts(own) == store.results.counts(run)
    assert store.person_labels.by_cell(run.id) == {}


def test_examples_do_not_expire(store):
    examples.find(store, INVENTED)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert store.workspaces.knows(EXAMPLES)
    assert store.workspaces.unvisited_since(tomorrow) == []


def test_a_copy_counts_among_the_runs_that_a_public_host_keeps(store, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_RUNS_KEPT_PER_VISITOR", "1")
    example = examples.find(store, INVENTED)
    assert example is not None
    copied = examples.copy(store, example, "visitor")

    with pytest.raises(HostLimitError, match="keeps 1 runs for each visitor"):
        examples.copy(store, example, "visitor")
    assert store.runs.ids("visitor") == [copied.id]
