"""`plumbline batch` as a person types it: exit codes, tables by group, JSON, and what is told."""

import json

import pytest

from evaluators.batch.results import EACH_ROW_COUNTS
from evaluators.runs.shown_values import NO_INTERVAL, NO_INTERVAL_OF_GROUPS
from evaluators.terminal.exit_codes import BELOW, CANNOT_TELL, FINE, INCOMPLETE, WRONG
from tests.batch.files import json_lines, parquet, row

# A metric of one's own stays in this process, which starts faster than another one.
BATCH = ("batch", "in", "out", "--metric", "hedging", "--column", "response=answer_text")

HALF = "It may be. It is."


@pytest.fixture(autouse=True)
def logs(data_folder):
    answers = ("It is.", "It may be.")
    for name in "ab":
        rows = [row(f"{name}{at}", answer_text=text) for at, text in enumerate(answers)]
        json_lines(data_folder / "in" / f"{name}.jsonl", rows)
    return data_folder


def test_a_batch_prints_its_means_and_those_of_its_groups(plumbline):
    found = plumbline(*BATCH, "--by", "model")

    assert found.exit_code == FINE
    assert "out: 2 of 2 files, 4 rows" in found.stdout
    lines = [line.split() for line in found.stdout.splitlines() if "hedging" in line]
    # One of two answers hedges, in one of one sentence.
    assert [line[1] for line in lines] == ["0.50", "old"]
    assert all(line[-3:] == ["4", "of", "4"] for line in lines)
    assert "2 / 2 files · 4 rows · b.jsonl" in found.stderr


def test_a_batch_says_that_each_row_counts_and_why_a_group_has_no_interval(plumbline, data_folder):
    rows = [row("c", answer_text="It may be.", model="new"), row("d", answer_text=HALF, model="b")]
    json_lines(data_folder / "in" / "c.jsonl", rows)

    found = " ".join(plumbline(*BATCH, "--by", "model").stdout.split())

    assert EACH_ROW_COUNTS in found
    assert NO_INTERVAL_OF_GROUPS in found
    assert NO_INTERVAL not in found


def test_json_has_means_groups_and_files(plumbline):
    found = json.loads(plumbline(*BATCH, "--by", "model", "--json").stdout)

    assert (found["rows"], found["finished"]) == (4, ["a.jsonl", "b.jsonl"])
    assert found["values"]["hedging"]["mean"] == 0.5
    assert found["groups"]["model"]["old"]["hedging"]["scored"] == 4


@pytest.mark.parametrize(
    ("further", "code", "told"),
    [
        (("--fail-under", "hedging=0.14"), FINE, ""),  # Wilson's of 2 of 4: 0.15 to 0.85
        (("--fail-under", "hedging=0.6"), CANNOT_TELL, "which may be below the 0.6 asked for or"),
        (("--fail-under", "hedging=0.6", "--cannot-tell", "pass"), FINE, "which may be below"),
        (("--fail-under", "hedging=0.9"), BELOW, "hedging is 0.5 (0.15 to 0.85), below the 0.9"),
        (("--fail-under", "other=0.6"), WRONG, "There is no value other here."),
        (("--column", "question=other"), WRONG, "There is no column 'other' for question."),
        (("--by", "week"), WRONG, "There is no column week to group by."),
        (("--judge", "openai/gpt-6-luna"), WRONG, "A judge is named, and"),
        (("--workers", "0"), WRONG, "0 is not in the range"),
    ],
)
def test_the_exit_code_says_how_it_came_out(plumbline, further, code, told):
    found = plumbline(*BATCH, *further)

    assert (found.exit_code, told in found.stderr) == (code, True), found.output


@pytest.mark.parametrize(("allowed", "code"), [((), CANNOT_TELL), (("--allow-heuristic",), BELOW)])
def test_a_mean_by_the_heuristic_neither_meets_nor_misses_a_demand(plumbline, allowed, code):
    found = plumbline(*BATCH, "--metric", "trace", "--fail-under", "completeness=1", *allowed)

    assert found.exit_code == code, found.output
    assert ("completeness cannot be told: " in found.stderr) == (not allowed)


@pytest.mark.parametrize(
    ("further", "told"),
    [
        (
            ("--fail-under", "adherance=0.5"),
            "There is no value adherance here. There are: hedging,",
        ),
        (("--fail-under", "adherence=80"), "adherence=80 can never be met"),
    ],
)
def test_what_can_never_be_met_is_refused_before_anything_is_judged(plumbline, logs, further, told):
    found = plumbline(*BATCH, "--metric", "trace", *further)

    assert (found.exit_code, told in found.stderr) == (WRONG, True), found.output
    assert not (logs / "out").exists()


def test_rows_that_failed_and_files_that_cannot_be_read_are_told(plumbline, logs):
    json_lines(logs / "in" / "c.jsonl", ["{broken\n", row("c")])

    found = plumbline(*BATCH)

    assert found.exit_code == INCOMPLETE
    assert "1 row (c.jsonl, row 1): not valid JSON" in found.stderr
    assert "other rows that failed with --retry-failed." in found.stderr
    retried = plumbline(*BATCH, "--retry-failed")
    assert "2 of 3 files were finished before." in retried.stderr
    assert (retried.exit_code, retried.stdout) == (INCOMPLETE, found.stdout)
    assert plumbline(*BATCH, "--min-coverage", "0.5").exit_code == FINE
    parquet(logs / "in" / "d.parquet", [{"question": "Why?"}])
    found = plumbline(*BATCH, "--min-coverage", "0.5")
    assert found.exit_code == INCOMPLETE
    assert "Not finished: 1 of 4 files." in found.stderr
    assert "d.parquet: It has no column answer_text" in found.stderr


def test_the_same_command_goes_on(plumbline):
    plumbline(*BATCH)

    found = plumbline(*BATCH)

    assert found.exit_code == FINE
    assert "2 of 2 files were finished before." in found.stderr
