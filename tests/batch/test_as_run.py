"""A finished batch as a run: the same figures, rows and labels as the same samples in `evaluate`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluators import (
    Evaluator,
    Score,
    compare,
    evaluate,
    evaluate_batch_files,
    evaluator,
    open_run,
)
from evaluators.batch import as_run
from evaluators.errors import DatasetError, ParameterError
from evaluators.runs.inputs import local_store
from evaluators.terminal.cli import main
from evaluators.terminal.exit_codes import BELOW, CANNOT_TELL, FINE, WRONG
from tests import judge
from tests.batch.files import COLUMNS, json_lines, parquet, row

METRICS = ["answer_match", "trace"]


# In this process: where figures do not matter, no worker is waited for.
@evaluator("test_batch_as_run", title="Words", needs=("response",))
class Words(Evaluator):
    def score(self, sample):
        return Score(values={"words": float(len(sample.response.split()))})


READ = {"columns": {**COLUMNS, "ground_truth": "truth"}, "progress": False}
JUDGE = "openai/gpt-6-luna"


def rows(right=3, count=6):
    """Questions of which the first so many are answered rightly, in whole sentences or a word."""
    made = []
    for at in range(count):
        truth, question = f"{at} metres", f"How tall is tower {at}?"
        answer = truth if at < right else "The tower is 999 metres tall. It stands in Paris."
        made.append(row(at, answer_text=answer, question=question, truth=truth))
    return made


@pytest.fixture(autouse=True)
def folder(data_folder, monkeypatch):
    monkeypatch.chdir(data_folder)
    return data_folder


def judged(name, own=None, metrics=METRICS, **options):
    data = json_lines(Path(f"{name}.jsonl"), own or rows())
    return evaluate_batch_files(data, name, metrics, workers=1, **READ, **options)


def scored(results, metric):
    return list(results.store.results.scored(results.run, metric))


def test_a_batch_has_the_figures_rows_and_labels_of_a_run_over_the_same_samples(folder):
    batch = judged("logs")
    run = evaluate(folder / "logs.jsonl", METRICS, **READ)

    opened = open_run(batch)

    assert opened.run.fingerprint == run.run.fingerprint
    assert [spec.name for spec in opened.run.evaluators] == ["trace", "answer_match"]
    assert opened.summary() == run.summary() == batch.summary()
    assert [scored(opened, 0), scored(opened, 1)] == [scored(run, 0), scored(run, 1)]
    assert opened.rows() == run.rows()
    assert opened.read().flaws() == run.read().flaws()


def test_what_a_judge_said_and_cost_is_that_of_the_batch(loopback, monkeypatch, folder):
    server = loopback(answer=judge.labels_for)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-of-a-batch")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    batch = judged("logs", metrics="gpt_labeling", judge=JUDGE)
    asked = len(server.asked)

    opened = open_run("logs")
    run = evaluate(folder / "logs.jsonl", "gpt_labeling", judge=JUDGE, **READ)

    assert scored(opened, 0) == scored(run, 0)
    assert opened.summary() == run.summary()
    spent = batch.spent[JUDGE]
    [model] = opened.store.environments.of(opened.run).models
    assert (model.calls, model.cost) == (spent.calls, spent.cost) == (6, spent.cost)
    assert len(server.asked) == asked


def test_rows_that_failed_are_failed_and_one_without_a_sample_counts(folder):
    broken = [*rows(), "{broken\n", {"id": "x", "question": "?", "docs": ["It is tall."]}]
    batch = judged("logs", broken, "trace")

    opened = open_run(batch)

    mean = opened.summary()["adherence"]
    assert mean == batch.summary()["adherence"]
    assert (mean.asked, mean.failed) == (8, 2)
    reasons = [why.split(".")[0] for why in opened.failures]
    assert len(reasons) == 2
    last = opened.rows()[-2]
    assert (last.sample_id, last.question, last.status) == ("logs.jsonl, row 7", "", "failed")


def test_many_files_are_one_run_in_their_order_with_the_groups_of_the_command(folder):
    parquet(folder / "in" / "a.parquet", rows(3, 4))
    parquet(folder / "in" / "b.parquet", [{**each, "model": "new"} for each in rows(0, 4)])
    batch = evaluate_batch_files("in", "out", METRICS, by=["model"], workers=1, **READ)

    opened = open_run("out")

    assert opened.counts.asked == 16
    groups = opened.read().by_group()
    assert {name: means["answer_match"] for name, means in groups.items()} == {
        name: means["answer_match"] for name, means in batch.by("model").items()
    }
    versions = compare(opened, by="model")
    # Of 4 questions the old one has 3 right, the new one none; the best by the first value leads.
    assert (versions.first, versions.second) == ("new", "old")
    assert versions["answer_match"].difference.difference == 0.75


def test_two_batches_are_compared_as_two_runs_are(folder):
    monday, _ = judged("monday", rows(5)), judged("tuesday", rows(2))
    runs = [evaluate(folder / f"{name}.jsonl", METRICS, **READ) for name in ("monday", "tuesday")]

    found, usual = compare(monday, "tuesday"), compare(*runs)

    assert found["answer_match"] == usual["answer_match"]
    assert found["answer_match"].difference.difference == -0.5
    assert (found.first, found.second) == ("monday", "tuesday")


@pytest.fixture
def plumbline():
    return lambda *arguments: CliRunner().invoke(main, list(map(str, arguments)))


def test_the_terminal_takes_a_folder_of_results_for_a_run(plumbline, folder):
    for name, right in (("monday", 5), ("tuesday", 2)):
        judged(name, rows(right))

    compared = plumbline("compare", "monday", "tuesday", "--json")
    gate = plumbline("compare", "monday", "tuesday", "--fail-if-worse", "answer_match=0.02")
    heuristic = plumbline("compare", "monday", "tuesday", "--fail-if-worse", "adherence=0.02")
    below = plumbline("resume", "tuesday", "--fail-under", "answer_match=0.75")
    fine = plumbline("resume", "monday", "--fail-under", "answer_match=0.4")
    shown = plumbline("show", folder / "monday")
    report = plumbline("report", "tuesday", "-o", "report.html")
    export = plumbline("export", "tuesday", "--format", "csv")

    assert json.loads(compared.stdout)["first"] == "monday"
    # Six questions do not tell that 2 right ones are worse than 5; by Wilson 2 of 6 are at most
    # 0.70, and 5 of 6 at least 0.44.
    assert [gate.exit_code, heuristic.exit_code] == [CANNOT_TELL, CANNOT_TELL]
    assert [below.exit_code, fine.exit_code] == [BELOW, FINE]
    assert f"{folder / 'monday.jsonl'} {folder / 'monday'} " in shown.stdout
    assert [report.exit_code, export.exit_code] == [FINE, FINE]
    assert "How tall is tower 0?" in (folder / "report.html").read_text(encoding="utf-8")
    assert len(export.stdout.splitlines()) == 7
    assert len(local_store().runs.newest("local")) == 2


def test_a_batch_is_opened_once_and_anew_when_its_rows_were_judged_anew(folder):
    first = open_run(judged("logs", metrics=Words())).run.id
    again = open_run("logs").run.id
    (folder / "logs").rename(folder / "earlier")

    other = open_run(judged("logs", rows(4), Words())).run.id

    assert first == again != other


def unfinished(folder):
    (folder / "logs" / "_manifest.json").unlink()


def of_changed_data(folder):
    json_lines(folder / "in" / "b.jsonl", rows(2))


def without_data(folder):
    (folder / "in" / "b.jsonl").unlink()


def without_results(folder):
    (folder / "logs" / "b.jsonl.parquet").unlink()


def of_another_version(folder):
    (folder / "logs" / "_manifest.json").write_text('{"rows": 6, "data": 5}')


def of_a_list(folder):
    (folder / "logs" / "_manifest.json").write_text("[1]")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (unfinished, "logs holds no finished batch that can be read"),
        (of_changed_data, "b.jsonl is gone, or has changed since it was judged"),
        (without_data, "b.jsonl is gone, or has changed since it was judged"),
        (without_results, "b.jsonl is gone, or has changed since it was judged"),
        (of_another_version, "logs holds no finished batch that can be read"),
        (of_a_list, "logs holds no finished batch that can be read"),
    ],
)
def test_a_folder_that_cannot_be_a_run_is_refused_and_nothing_is_stored(
    folder, plumbline, spoil, why
):
    for part in ("a", "b"):
        json_lines(folder / "in" / f"{part}.jsonl", rows())
    evaluate_batch_files("in", "logs", Words(), **READ)
    spoil(folder)

    with pytest.raises(DatasetError, match=why):
        open_run("logs")

    assert plumbline("show", "logs").exit_code == WRONG
    assert not local_store().runs.newest("local")


def test_a_batch_that_is_too_large_for_a_run_is_refused(folder, monkeypatch):
    monkeypatch.setattr(as_run, "MOST_ROWS", 5)

    with pytest.raises(ParameterError, match="has 6 rows, and a batch of at most 5 opens"):
        open_run(judged("logs", metrics=Words()))
