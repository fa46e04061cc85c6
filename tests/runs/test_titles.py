"""Runs with names: suggested from what differs, given by a person, and the baseline of their data."""

import pytest

from evaluators.errors import ParameterError
from evaluators.records import Cap, EvaluatorSpec, ModelSpec, Run
from evaluators.runs import examples, inputs, run_facts
from evaluators.runs.engine import create_once, create_run
from evaluators.runs.naming import suggested_title
from evaluators.runs.plan import RunPlan
from tests.comparison.made import dataset

LUNA, SOL, MINI, READER = (
    ModelSpec(provider="openai", model="gpt-6-luna"),
    ModelSpec(provider="openai", model="gpt-6-sol"),
    ModelSpec(provider="groq", model="openai/gpt-oss-20b"),
    ModelSpec(provider="offline", model="offline-reader"),
)


def run(title="t", *, metric="rgb", run_id="r", data="letters.csv", **facts):
    facts = {"created": "2026-01-01T10:00:00+00:00", "fingerprint": "f"} | facts
    return Run(
        id=run_id,
        workspace="w",
        title=title,
        dataset_name=data,
        evaluators=(EvaluatorSpec(name=metric, params=facts.pop("params", {})),),
        **facts,
    )


@pytest.mark.parametrize(
    ("planned", "others", "title"),
    [
        (run(models=(READER,)), [], "letters.csv · Offline reader"),
        (run(models=(LUNA, SOL, MINI)), [], "letters.csv · GPT-6 Luna, GPT-6 Sol and 1 more"),
        (run(metric="trace"), [], "letters.csv · TRACE (heuristic)"),
        (
            run(metric="gpt_labeling", judges=(LUNA,)),
            [],
            "letters.csv · TRACE (GPT labelling) · by GPT-6 Luna",
        ),
        # what stands beside decides what is said
        (run(models=(LUNA,), seed=2), [run(models=(LUNA,))], "letters.csv · GPT-6 Luna · seed 2"),
        (run(models=(LUNA,), seed=2), [run(models=(SOL,))], "letters.csv · GPT-6 Luna"),
        (run(models=(LUNA,), seed=2), [run(models=(LUNA,), data="d")], "letters.csv · GPT-6 Luna"),
        (
            run(metric="rgb", models=(LUNA,)),
            [run(metric="answer_match", models=(LUNA,))],
            "letters.csv · GPT-6 Luna · RGB",
        ),
        (
            run(metric="trace", params={"chunk_size": 200, "chunk_overlap": 20}),
            [run(metric="trace", params={"chunk_size": 512, "chunk_overlap": 20})],
            "letters.csv · TRACE (heuristic) · chunk size 200",
        ),
        # the budget changes no result
        (run(models=(LUNA,), cap=Cap(calls=5)), [run(models=(LUNA,))], "letters.csv · GPT-6 Luna"),
        # the same again
        (
            run(metric="trace"),
            [run("letters.csv · TRACE (heuristic)", metric="trace")],
            "letters.csv · TRACE (heuristic) (2)",
        ),
        # never empty, always short, on one line
        (run(metric="gone", data=" \n"), [], "gone"),
        (run(metric="gone", data="a\nb\x1b[1m"), [], "a b [1m · gone"),
        (run(metric="gone", data="long" * 20), [], f"{'long' * 9}lon… · gone"),
    ],
)
def test_a_title_is_suggested_from_what_differs(planned, others, title):
    assert suggested_title(planned, others) == title


def test_a_run_without_a_title_is_stored_with_a_suggested_one(store):
    plan = RunPlan(dataset(["Who?", "When?"]), inputs.evaluators("trace"))

    titles = [create_run(store, plan, workspace="w").title for _ in range(3)]

    assert titles == [f"made · TRACE (heuristic){number}" for number in ("", " (2)", " (3)")]
    assert [own.title for own in store.runs.newest("w")] == titles[::-1]
    # An impatient click is the same run, though another one would be called otherwise.
    clicked = create_once(store, plan, workspace="w").title
    assert create_once(store, plan, workspace="w").title == clicked == f"{titles[0]} (4)"
    assert create_run(store, plan, workspace="other").title == titles[0]


def test_a_run_is_called_as_a_person_says_until_the_title_is_emptied(store):
    plan = RunPlan(dataset(["Who?"]), inputs.evaluators("trace"))
    made = create_run(store, plan, workspace="w")
    store.runs.set_cap(made.id, Cap(calls=7))

    named = store.runs.save_title(made.id, "  My\nfirst  run ", " Odd. ", ["a; b", "A"])

    assert store.runs.get(made.id) == named
    assert (named.title, named.note, named.tags) == ("My first run", "Odd.", ("a", "b"))
    assert (named.is_title_suggested, named.cap) == (False, Cap(calls=7))
    # Its own title is not in the way of its suggestion.
    emptied = store.runs.save_title(made.id, " ")
    assert emptied == made.model_copy(update={"cap": Cap(calls=7)})
    # Who changes the note alone has not named the run.
    assert store.runs.save_title(made.id, made.title, "Odd.").is_title_suggested


@pytest.mark.parametrize(
    ("title", "note", "tags", "problem"),
    [
        ("x" * 121, "", [], "The title has 121 characters. Shorten it to 120."),
        ("x", "n" * 4001, [], "The note has 4,001 characters"),
        ("x", "", ["t" * 61], "has 61 characters"),
    ],
)
def test_what_is_too_long_is_refused_and_nothing_changes(store, title, note, tags, problem):
    plan = RunPlan(dataset(["Who?"]), inputs.evaluators("trace"))
    made = create_run(store, plan, workspace="w")
    with pytest.raises(ParameterError, match=problem):
        store.runs.save_title(made.id, title, note, tags)
    assert store.runs.get(made.id) == made


def test_nobody_names_an_example_or_a_run_that_was_deleted(store):
    example = examples.find(store, examples.INVENTED)
    with pytest.raises(ParameterError, match=r"the same titles\. Press “Make it yours”"):
        store.runs.save_title(example.id, "Mine")
    with pytest.raises(ParameterError, match=r"the same baseline\. Press “Make it yours”"):
        store.runs.save_baseline(example)
    with pytest.raises(ParameterError, match="deleted meanwhile"):
        store.runs.save_title("gone", "Mine")


def test_a_data_set_has_one_baseline_for_each_kind_of_evaluator(store):
    data = dataset(["Who?"])
    first, second, judged, other = (
        run(run_id=run_id, metric=metric, data=name, fingerprint=data.fingerprint)
        for run_id, metric, name in (
            ("first", "trace", "made"),
            ("second", "gpt_labeling", "made"),
            ("judged", "answer_match", "made"),
            ("other", "trace", "other"),
        )
    )
    for made in (first, second, judged, other):
        store.runs.save(made, data)
    for made in (first, judged, other):
        store.runs.save_baseline(made)
    assert store.runs.baseline_id(second) == "first"

    store.runs.save_baseline(second)

    assert store.runs.baseline_id(first) == "second"
    assert sorted(store.runs.baseline_ids("w").values()) == ["judged", "other", "second"]
    assert store.runs.baseline_ids("elsewhere") == {}
    store.runs.save_baseline(judged, is_baseline=False)
    store.runs.delete("second")
    assert store.runs.baseline_ids("w") == {"trace other": "other"}


def test_a_workspace_that_moves_takes_its_baselines_along(store):
    data = dataset(["Who?"])
    made = run(fingerprint=data.fingerprint)
    store.runs.save(made, data)
    store.runs.save_baseline(made)

    store.workspaces.move("w", "new")

    assert store.runs.baseline_ids("new") == {"rgb letters.csv": "r"}


@pytest.mark.parametrize(
    ("title", "beside"),
    [
        ("letters.csv · TRACE (GPT labelling) · by GPT-6 Luna", []),
        ("letters.csv · TRACE (GPT labelling)", ["by GPT-6 Luna"]),
        ("letters.csv · by GPT-6 Luna", ["TRACE (GPT labelling) by GPT-6 Luna"]),
        ("Before GPT-6 Luna", ["TRACE (GPT labelling) by GPT-6 Luna"]),
    ],
)
def test_beside_its_title_a_run_says_only_what_the_title_does_not(title, beside):
    judged = run(title, metric="gpt_labeling", judges=(LUNA,))

    assert run_facts.method_beside_title(judged) == beside
