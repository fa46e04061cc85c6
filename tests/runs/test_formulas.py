"""The formula of a run: stored with it, kept and named at every door; another one is a view."""

import json

import pytest
from click.testing import CliRunner

from evaluators import evaluate, open_run
from evaluators.api.comparing import side
from evaluators.comparison.compare import compared
from evaluators.errors import ParameterError
from evaluators.records import (
    Dataset,
    EvaluatorSpec,
    Labels,
    Sample,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.runs import assignment
from evaluators.runs.again import plan_again
from evaluators.runs.run_view import RunView
from evaluators.terminal.cli import main
from evaluators.terminal.command import command

SAMPLES = [
    {
        "question": "Where is the tower?",
        "response": "The tower is in Paris. It has four hundred gardens.",
        "retrieved_documents": ["The tower is in Paris. It opened in 1889. Bees like flowers."],
    }
]


@pytest.fixture
def found(store):
    return evaluate(SAMPLES, "trace", definition="ragbench", store=store, progress=False)


def relevance_of(results):
    return {name: mean.mean for name, mean in results.summary().items()}


def test_the_values_of_a_run_are_stored_by_its_formula(found, store):
    (row,) = RunView.read(store, found.run).rows

    assert row.values == relevance_of(found)
    assert found.run.evaluator.params["definition"] == "ragbench"
    # As nobody chose another one, whoever opens the run sees the same.
    assert relevance_of(type(found)(found.run, store)) == relevance_of(found)
    assert relevance_of(found.under("sentence")) != relevance_of(found)


def test_another_formula_is_a_view_and_is_named_beside_the_runs_own(found):
    assert found.headline().endswith("TRACE formula ragbench")
    assert "\nFormula       ragbench\n" in found.card()

    other = found.under("sentence")
    assert other.headline().endswith("TRACE formula sentence (the run's own is ragbench)")
    assert "Formula       sentence (the run's own is ragbench)" in other.card()
    assert other.under("ragbench").headline() == found.headline()


def test_the_same_again_keeps_the_formula(found, store, tmp_path):
    plan = plan_again(store, found.run)
    assert [metric.definition for metric in plan.evaluators] == ["ragbench"]
    assert "--definition ragbench" in command(found.run)
    link = assignment.as_run(assignment.read(assignment.token_of(found.run)))
    assert link.evaluator.params["definition"] == "ragbench"
    opened = open_run(found.save(tmp_path / "run.plumbline"), store=store)
    assert opened.definition == "ragbench"
    assert opened.recount().is_same


def test_a_report_says_the_formula_of_the_run(found, tmp_path):
    assert "ragbench: As published with RAGBench" in found.report(tmp_path / "a.html").read_text()
    other = found.under("sentence").report(tmp_path / "b.html").read_text()
    assert "sentence (the run&#x27;s own is ragbench): " in other


def test_two_runs_are_compared_by_the_formulas_they_have_and_that_is_said(found, store):
    plain = evaluate(SAMPLES, "trace", store=store, progress=False)

    told = compared(side(plain), side(found))
    assert "The values are counted by different formulas or rules." in told.warnings
    assert "The metrics have different parameters." not in told.warnings
    alike = compared(side(plain), side(found.under("sentence")))
    assert "The values are counted by different formulas or rules." not in alike.warnings


def test_gold_labels_are_counted_by_the_formula_of_the_run(store):
    # Partly supported passes by RAGBench's formula, and not by that of the documents.
    sentences = Sentences(
        documents=((Sentence(key="0a", text="The tower is in Paris."),),),
        response=(Sentence(key="a", text="The tower is in Paris."),),
    )
    support = SentenceSupport(key="a", support=Support.PARTIAL, supporting_keys=("0a",))
    labels = Labels(relevant_keys=("0a",), utilized_keys=("0a",), sentence_support=(support,))
    sample = Sample(
        id="1",
        question="Where is the tower?",
        response="The tower is in Paris.",
        retrieved_documents=("The tower is in Paris.",),
        sentences=sentences,
        labels=labels,
    )
    data = Dataset(name="gold", samples=(sample,))
    by = {}
    for name in ("sentence", "ragbench"):
        results = evaluate(data, "trace", definition=name, store=store, progress=False)
        view = RunView.read(store, results.run)
        by[name] = view.means_by_labeller(0)["gold"]["adherence"].mean
    assert by == {"sentence": 0, "ragbench": 1}


def test_a_formula_for_a_metric_without_labels_is_refused(store):
    with pytest.raises(ParameterError, match="Answer match labels no sentences"):
        evaluate(SAMPLES, "answer_match", definition="ragbench", store=store, progress=False)
    with pytest.raises(ParameterError, match="Known: sentence, fixed_20, ragbench"):
        evaluate(SAMPLES, "trace", definition="no", store=store, progress=False)


@pytest.fixture
def gone(found):
    """A run by a formula that somebody added and took away again."""
    spec = found.run.evaluator
    lost = EvaluatorSpec(name=spec.name, params={**spec.params, "definition": "of_ours"})
    run = found.run.model_copy(update={"evaluators": (lost,)})
    return type(found)(run, found.store)


def test_of_a_run_whose_formula_is_gone_the_labels_are_shown_by_the_usual_one(gone, found):
    assert gone.definition == "sentence"
    assert relevance_of(gone) == relevance_of(found.under("sentence"))
    assert gone.headline().endswith("sentence (the run's own, of_ours, is gone)")
    with pytest.raises(ParameterError, match="of_ours"):
        plan_again(gone.store, gone.run)


def test_the_terminal_shows_what_was_run(data_folder, tmp_path):
    def plumbline(*arguments):
        return CliRunner().invoke(main, arguments)

    file = tmp_path / "answers.json"
    file.write_text(json.dumps(SAMPLES), encoding="utf-8")

    started = plumbline(
        *("run", "--data", str(file), "--metric", "trace", "--definition", "ragbench", "--json")
    )
    shown = plumbline("show", "last", "--json")
    assert json.loads(started.stdout)["values"] == json.loads(shown.stdout)["values"]
    assert json.loads(shown.stdout)["definition"] == "ragbench"
    assert "--definition ragbench" in plumbline("show", "last").stdout
    assert "Formula       ragbench" in plumbline("card", "last").stdout
