"""What a list says of each run: worked out once, kept with the run, until a result changes."""

from evaluators.records import SampleResult, Score
from evaluators.runs import overview
from evaluators.runs.run_view import RunView
from tests.comparison.made import MODELS, results


def test_a_summary_has_the_means_of_each_model_over_what_was_judged(store):
    made = results(store, "r", ["a", "b", "c"], [1.0, 0.5, None], ["failed"], models=MODELS)

    summary = overview.summary(RunView.read(store, made.run))

    assert (summary.counts.asked, summary.counts.scored, summary.counts.failed) == (6, 3, 1)
    first, second = summary.means
    assert (first["answer_match"].mean, first["answer_match"].checked) == (0.75, "2 / 3")
    assert (second["answer_match"].mean, second["answer_match"].checked) == (None, "0 / 3")


def test_what_is_kept_holds_until_a_result_changes(store):
    runs = [results(store, f"r{number}", ["a", "b"], [1.0, 0.0]).run for number in range(3)]
    assert overview.kept_summaries(store, "local") == {}

    added = overview.worked_out(store, runs, {}, most_cells=4)

    # Two cells each: the third is worked out at the next call.
    assert list(added) == ["r0", "r1"]
    assert overview.kept_summaries(store, "local") == added
    assert list(overview.worked_out(store, runs, added, most_cells=4)) == ["r2"]
    assert overview.kept_summaries(store, "elsewhere") == {}
    score = Score(values={"answer_match": 1.0})
    store.results.save("r0", SampleResult(position=1, status="scored", score=score))
    assert sorted(overview.kept_summaries(store, "local")) == ["r1", "r2"]


def test_what_another_version_kept_is_worked_out_again(store):
    run = results(store, "r", ["a"], [1.0]).run
    revision = store.figures.revision(run.id)
    store.figures.save_for_runs(overview.KEPT_AS, {run.id: (revision, '{"later": 1}')})
    assert overview.kept_summaries(store, "local") == {}
