"""The commands as a person types them: exit codes, what goes to which stream, and errors in one
line.
"""

import codecs
import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.own_command import own_command
from evaluators.prompt_metric import PromptMetric
from evaluators.runs.inputs import local_store
from evaluators.terminal.cli import main
from evaluators.terminal.exit_codes import BELOW, CANNOT_TELL, FINE, INCOMPLETE, WRONG

TRACE = ("run", "--data", TRACE_SAMPLES, "--metric", "trace", "--metric", "answer_match")
RGB = (
    "run",
    "--data",
    ENGLISH_BED,
    "--metric",
    "rgb",
    "--model",
    "offline/offline-reader",
    "--sample",
    "1",
)
ROWS = 24
NO_MATCH = (
    "Not the same words in the same order. For answers in sentences, choose a fuzzy match or F1."
)
COMMANDS = (
    "app",
    "run",
    "batch",
    "bed",
    "resume",
    "cancel",
    "estimate",
    "list",
    "show",
    "card",
    "compare",
    "leaderboard",
    "check",
    "export",
    "push",
    "report",
    "sheet",
    "open",
    "again",
    "backup",
    "mcp",
)


def newest():
    return local_store().runs.newest("local")[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(plumbline, name):
    found = plumbline(name, "--help")

    assert found.exit_code == FINE
    assert f"Usage: main {name}" in found.stdout
    assert name in plumbline("--help").stdout


def test_the_help_shows_examples_and_exit_codes(plumbline):
    text = plumbline("--help").stdout

    assert 'run --data "TRACE sample (English)" --metric trace --metric answer_match' in text
    assert "Exit codes" in text


def test_a_run_prints_its_means_and_is_kept(plumbline):
    # 16 of 24: 0.47 to 0.82 (Wilson)
    demand = ("--fail-under", "adherence=0.4", "--allow-heuristic")
    found = plumbline(*TRACE, "--title", "Mine", *demand)

    assert found.exit_code == FINE
    assert newest().title == "Mine"
    assert f"Run {newest().id[:8]}: Mine" in found.stderr
    assert "Mine: finished, 24 answers checked" in found.stdout
    assert "adherence" in found.stdout
    assert "answer_match" in found.stdout


def test_a_mean_below_the_demand_exits_with_1(plumbline):
    found = plumbline(*TRACE, "--fail-under", "adherence=0.4", "--fail-under", "answer_match=0.9")

    assert found.exit_code == BELOW
    # 0 of 24: up to 0.138 (Wilson)
    assert "answer_match is 0 (0 to 0.138), below the 0.9 asked for." in found.stderr
    assert "adherence is" not in found.stderr


@pytest.mark.parametrize("least", ["0.4", "0.99"])
def test_a_mean_by_the_heuristic_neither_meets_nor_misses_a_demand(plumbline, least):
    demand = ("--fail-under", f"adherence={least}")
    found = plumbline(*TRACE, *demand)

    assert found.exit_code == CANNOT_TELL
    assert "adherence cannot be told: its labels are the heuristic's" in found.stderr
    assert "with --allow-heuristic." in found.stderr
    assert plumbline("resume", "last", *demand).exit_code == CANNOT_TELL
    allowed = plumbline("resume", "last", *demand, "--allow-heuristic")
    assert allowed.exit_code == (FINE if least == "0.4" else BELOW)


def test_json_is_for_programs(plumbline):
    found = plumbline(*RGB, "--json")

    told = json.loads(found.stdout)
    assert found.exit_code == FINE
    assert (told["asked"], told["scored"], told["failed"], told["open"]) == (12, 12, 0, 0)
    values = {each["name"]: each for each in told["values"]}
    assert values["noise_robustness"]["model"] == "offline/offline-reader"
    assert values["noise_robustness"]["asked"] == values["noise_robustness"]["scored"] == 5


def test_far_off_a_terminal_lines_tell_how_far_the_run_is(plumbline):
    found = plumbline(*TRACE, "--title", "Mine\x1b[31m")

    assert re.search(r"^Mine \[31m: 48 / 48$", found.stderr, re.MULTILINE)


def test_a_long_title_stays_on_its_line(plumbline):
    title = "A title that is much longer than the table of the results is wide, and goes on"

    headline = f"{title}: finished, 24 answers checked, TRACE formula sentence\n"
    assert headline in plumbline(*TRACE, "--title", title).stdout


@pytest.mark.parametrize("definition", ["sentence", "fixed_20", "ragbench"])
def test_every_door_of_the_terminal_names_and_uses_the_definition(plumbline, definition):
    chosen = () if definition == "sentence" else ("--definition", definition)
    printed = plumbline(*TRACE, "--title", "Mine", *chosen, "--json")
    shown = plumbline("show", "last", *chosen, "--json")
    read = list(csv.DictReader(io.StringIO(plumbline("export", "last", *chosen).stdout)))
    lines = plumbline("export", "last", "--format", "jsonl", *chosen).stdout.splitlines()

    rows = [json.loads(line) for line in lines]
    relevance = sum(row["context_relevance"] for row in rows) / len(rows)
    for told in (json.loads(printed.stdout), json.loads(shown.stdout)):
        values = {value["name"]: value["mean"] for value in told["values"]}
        assert told["definition"] == definition
        assert values["context_relevance"] == pytest.approx(relevance)
    assert (
        {row["definition"] for row in rows} == {row["definition"] for row in read} == {definition}
    )
    assert [float(row["context_relevance"]) for row in read] == [
        row["context_relevance"] for row in rows
    ]
    text = plumbline("show", "last", *chosen).stdout
    assert re.search(rf"^Formula +{definition}: ", text, re.MULTILINE)


def test_a_threshold_holds_for_the_definition_that_is_named(plumbline):
    """Of the sample's few sentences never 12 of 20 are relevant, but most of those that are there."""
    demand = ("--fail-under", "context_relevance=0.15", "--allow-heuristic")

    assert plumbline(*TRACE, *demand).exit_code == FINE
    of_twenty = plumbline("resume", "last", *demand, "--definition", "fixed_20")
    assert of_twenty.exit_code == CANNOT_TELL
    assert "context_relevance is 0.1083 (0.0349 to 0.2898)" in of_twenty.stderr


def test_runs_without_labels_have_no_definition(plumbline):
    assert json.loads(plumbline(*RGB, "--json").stdout)["definition"] is None
    assert "definition" not in plumbline("export", "last").stdout
    assert "formula" not in plumbline("show", "last").stdout


def test_a_broken_file_is_told_where_metrics_are_listed_and_nowhere_else(
    plumbline, data_folder, monkeypatch
):
    (data_folder / "own").mkdir()
    (data_folder / "own" / "rhyme.py").write_text("def score(:\n", encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(data_folder / "own"))

    assert "rhyme.py" not in plumbline(*TRACE).stderr
    assert "rhyme.py, line 1, cannot be used: SyntaxError" in plumbline("list", "metrics").stderr


def test_a_run_of_groups_shows_every_value_for_each(plumbline, data_folder):
    rows = [
        {"question": "Who?", "response": response, "answer_key": "Mina", "prompt": prompt}
        for prompt, responses in {"new": ("Mina", "Mina"), "old": ("Mina", "Ben")}.items()
        for response in responses
    ]
    (data_folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    named = ("--column", "ground_truth=answer_key", "--group", "prompt")
    plumbline("run", "--data", "rows.jsonl", *named, "--metric", "answer_match")

    shown = plumbline("show", "last").stdout
    groups = json.loads(plumbline("show", "last", "--json").stdout)["groups"]

    assert re.search(r"Group +Value +Mean +95 % interval +Checked", shown)
    # Wilson: 1 of 2 from .09 to .91.
    assert re.search(r"old +answer_match +0\.50 +0\.09 to 0\.91 +2 of 2", shown)
    assert {group: own["answer_match"]["mean"] for group, own in groups.items()} == {
        "new": 1.0,
        "old": 0.5,
    }


def test_samples_that_fail_leave_the_run_incomplete_and_are_told(plumbline, data_folder):
    rows = [
        {"query": "Who?", "prediction": "Mina", "ans": "Mina"},
        {"query": "When?", "prediction": "In May"},
    ]
    (data_folder / "part.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    found = plumbline("run", "--data", "part.jsonl", "--metric", "rgb")

    assert found.exit_code == INCOMPLETE
    assert "1 of 2 results failed; resume tries them again." in found.stderr
    assert "Why they failed" in found.stdout
    assert f"Go on with: {own_command()} resume {newest().id[:8]}" in found.stderr
    assert (
        f"Go on with: {own_command()} resume {newest().id[:8]}" in plumbline("show", "last").stdout
    )
    assert plumbline("resume", "last", "--min-coverage", "0.5").exit_code == FINE


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--metric", "trace"), "Missing option '--data'"),
        (("run", "--data", TRACE_SAMPLES, "--metric", "nothing"), "nothing"),
        (("run", "--data", "gone.csv", "--metric", "trace"), "gone.csv"),
        ((*TRACE, "--fail-under", "adherence"), "Write NAME=NUMBER"),
        (
            (*TRACE, "--fail-under", "colour=1"),
            "There is no value colour here. There are: context_relevance,",
        ),
        ((*TRACE, "--fail-under", "adherence=80"), "adherence=80 can never be met"),
        ((*TRACE, "--param", "2.type=best"), "type is 'best'"),
        ((*TRACE, "--noise", "0.2"), "noise is for RGB questions"),
        ((*RGB, "--noise", "2"), "2.0 is not in the range 0<=x<=1"),
        ((*RGB, "--ability", "flying"), "noise_robustness"),
        ((*RGB, "--max-cost", "0"), "not in the range x>0"),
        (("resume", "last"), "There is no run yet."),
        (("show", "\x1b[31mx"), "No run begins with “ [31mx”"),
        (("export", "zz"), "list runs"),
        (("run", "--config", "gone.toml"), "gone.toml"),
    ],
)
def test_wrong_input_exits_with_2_and_says_what_to_write(plumbline, arguments, words):
    found = plumbline(*arguments)

    assert found.exit_code == WRONG
    assert words in found.stderr
    assert "Traceback" not in found.output
    assert "\x1b" not in found.output


def test_a_file_holds_options_and_the_command_line_wins(plumbline, data_folder):
    (data_folder / "ci.toml").write_text(
        f'data = "{TRACE_SAMPLES}"\nmetric = ["trace", "answer_match"]\nparam = '
        '["trace.chunk_size=300"]\n'
        'title = "From the file"\nmax-calls = 5\nno-cache = true\nfail-under = "adherence=0.99"\nallow-heuristic = true\n',
        encoding="utf-8",
    )

    assert plumbline("run", "--config", "ci.toml").exit_code == BELOW
    found = plumbline(
        "run", "--config", "ci.toml", "--title", "From the line", "--fail-under", "adherence=0.1"
    )

    assert found.exit_code == FINE
    line, file = local_store().runs.newest("local")
    assert (line.title, file.title) == ("From the line", "From the file")
    assert [spec.name for spec in line.evaluators] == ["trace", "answer_match"]
    assert line.evaluator.params["chunk_size"] == 300
    assert (line.cap.calls, line.use_cache) == (5, False)
    assert plumbline("estimate", "--config", "ci.toml").exit_code == FINE
    (data_folder / "json.toml").write_text(
        f'data = "{TRACE_SAMPLES}"\nmetric = "trace"\njson = true', encoding="utf-8"
    )
    assert json.loads(plumbline("run", "--config", "json.toml").stdout)["scored"] == ROWS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour = 1", "colour is not an option. Known: data, metric, param"),
        ("data = 'unfinished", "cannot be read as TOML"),
        ("[data]\nfile = 'x'", "data wants one text or number"),
        ("data = ['a', 'b']", "data wants one text or number"),
        ("param = [['a']]", "param wants a text or number, or a list of them"),
        ("max-calls = 'many'", "ci.toml: max-calls cannot be used. 'many' is not a valid integer"),
        ("as-json = true", "as-json is not an option. Known: data, metric, param"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(plumbline, data_folder, text, words):
    (data_folder / "ci.toml").write_text(text, encoding="utf-8")

    found = plumbline("run", "--data", "x", "--metric", "trace", "--config", "ci.toml")

    assert found.exit_code == WRONG
    assert words in found.stderr


def test_an_estimate_needs_no_key(plumbline):
    judged = (
        "--data",
        TRACE_SAMPLES,
        "--metric",
        "gpt_labeling",
        "--judge",
        "groq/openai/gpt-oss-120b",
    )

    table, numbers = plumbline("estimate", *judged), plumbline("estimate", *judged, "--json")

    assert "GPT-OSS 120B (judge)" in table.stdout
    assert "list prices of" in table.stdout
    assert json.loads(numbers.stdout)[0]["calls"] == ROWS
    assert "costs nothing" in plumbline("estimate", *TRACE[1:]).stdout
    # As the form says it: 24 samples take 24 calls.
    assert "stop before its end" not in plumbline("estimate", *judged, "--max-calls", "24").stdout
    short = plumbline("estimate", *judged, "--max-calls", "23").stdout
    assert "The budget of 23 calls is below this estimate: the run will stop before" in short
    assert local_store().runs.newest("local") == []


def test_lists(plumbline):
    assert plumbline("list", "runs").stdout == "No run yet.\n"
    plumbline(*RGB)
    local_store().metrics.save("local", "Is it polite?", PromptMetric(title="Is it polite?").spec())

    metrics, models, runs = (
        plumbline("list", name).stdout for name in ("metrics", "models", "runs")
    )

    assert "policy=documented" in metrics
    assert "names_its_source" in metrics  # a file in evaluators/custom
    assert re.search(
        r"is_it_polite +Is it polite\? +question, response +1 +saved in the app", metrics
    )
    assert max(map(len, metrics.splitlines())) < 160
    assert "groq/openai/gpt-oss-20b" in models
    assert "needs a key" in models
    assert "retired" not in models
    assert newest().id[:8] in runs
    assert "finished, 12 answers checked" in runs


def test_a_run_is_shown_with_the_command_to_begin_it_again(plumbline):
    plumbline(*RGB)

    text = plumbline("show", newest().id[:6]).stdout

    assert newest().id in text
    assert re.search(r"Rules \(rgb\) +documented", text)
    assert "noise_robustness" in text
    assert "--model offline/offline-reader" in text
    assert "own prompt" not in text
    assert "Go on with" not in text
    assert json.loads(plumbline("show", "last", "--json").stdout)["run"] == newest().id


def test_the_first_signs_of_an_id_must_mean_one_run(plumbline):
    for _ in range(17):  # two of so many ids begin with the same hexadecimal digit
        plumbline("run", "--data", TRACE_SAMPLES, "--metric", "hedging")
    first = [run.id[0] for run in local_store().runs.newest("local")]

    found = plumbline("show", max(first, key=first.count))

    assert found.exit_code == WRONG
    assert f"{max(map(first.count, first))} runs begin with" in found.stderr


def test_results_are_taken_away_as_files(plumbline, data_folder):
    plumbline(*TRACE)

    table = plumbline("export", "last")
    plumbline("export", "last", "--format", "jsonl", "-o", "rows.jsonl")
    labels = plumbline("export", "last", "--format", "labels")

    rows = list(csv.DictReader(io.StringIO(table.stdout_bytes.decode("utf-8-sig"))))
    lines = [
        json.loads(line)
        for line in (data_folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(rows) == len(lines) == len(labels.stdout.splitlines()) == ROWS
    assert not table.stdout_bytes.startswith(codecs.BOM_UTF8)
    assert {"adherence", "answer_match", "status", "response"} <= set(rows[0])
    assert rows[0]["response"] == lines[0]["response"] != ""
    assert {*lines[0]} - {
        "context_relevance",
        "context_utilization",
        "completeness",
        "supported_share",
        "average",
    } == {
        *("id", "question", "response", "adherence", "answer_match", "definition"),
        *("status", "error"),
        *("ground_truth", "retrieved_documents", "group", "metrics", "labels", "flaws", "facts"),
    }
    assert lines[0]["metrics"] == [
        {"metric": "trace", "status": "scored", "reason": "", "error": "", "error_kind": ""},
        {
            "metric": "answer_match",
            "status": "scored",
            "reason": NO_MATCH,
            "error": "",
            "error_kind": "",
        },
    ]
    assert json.loads(labels.stdout.splitlines()[0])["labels_by"]


def test_a_file_that_cannot_be_written_is_wrong_input(plumbline, data_folder):
    plumbline(*TRACE)

    found = plumbline("export", "last", "-o", "nowhere/at/all.csv")

    assert found.exit_code == WRONG
    assert "Could not open file 'nowhere/at/all.csv'" in found.stderr


def test_rows_of_rgb_tell_ability_and_noise(plumbline, data_folder):
    plumbline(*RGB)

    plumbline("export", "last", "-o", "rows.csv")
    lines = [
        json.loads(line)
        for line in plumbline("export", "last", "--format", "jsonl").stdout.splitlines()
    ]

    assert (data_folder / "rows.csv").read_bytes().startswith(codecs.BOM_UTF8)
    (first, *_) = csv.DictReader(
        io.StringIO((data_folder / "rows.csv").read_text(encoding="utf-8-sig"))
    )
    assert (first["ability"], first["noise"]) == ("noise_robustness", "0.0")
    assert (lines[0]["ability"], lines[0]["noise"]) == ("noise_robustness", 0.0)
    assert lines[-1]["ability"] == "counterfactual_robustness"


def test_what_could_not_be_judged_is_told_metric_by_metric(plumbline, data_folder):
    rows = [
        {"question": "Who?", "response": "", "ground_truth": "Mina"},
        {"question": "Who?", "ground_truth": "Mina"},
    ]
    (data_folder / "part.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    plumbline("run", "--data", "part.jsonl", "--metric", "hedging", "--metric", "answer_match")

    empty, absent = map(
        json.loads, plumbline("export", "last", "--format", "jsonl").stdout.splitlines()
    )
    assert empty["metrics"][0]["reason"] == "The answer is empty."
    assert [each["status"] for each in absent["metrics"]] == ["failed", "failed"]
    assert (
        "response missing, and Answer match needs it. Fill it in." in absent["metrics"][1]["error"]
    )


def test_a_run_without_labels_gives_none(plumbline, data_folder):
    plumbline(*RGB)

    found = plumbline("export", "last", "--format", "labels", "-o", "labels.jsonl")

    assert found.exit_code == WRONG
    assert "labels no sentences" in found.stderr
    assert not (data_folder / "labels.jsonl").exists()


def test_text_of_strangers_steers_no_terminal(plumbline, data_folder):
    (data_folder / "odd.jsonl").write_text(
        json.dumps({"question": "Who?", "response": "\x1b[2J", "id": "\x1b]0;x\x07"}) + "\n",
        encoding="utf-8",
    )

    found = plumbline(
        "run", "--data", "odd.jsonl", "--metric", "hedging", "--title", "[red]\x1b[31mx"
    )
    shown = plumbline("show", "last")

    assert found.exit_code == FINE
    assert "[red] [31mx: finished" in found.stdout
    assert "\x1b" not in found.output + shown.output


def test_the_session_of_the_docs_runs(plumbline, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("manuals").mkdir()
    mill = "The mill was built in 1812. " + "The mill grinds rye. " * 60
    Path("manuals", "mill.txt").write_text(mill)
    Path("questions.csv").write_text("question,ground_truth\nWhen was the mill built?,1812\n")
    docs = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")
    lines = re.findall(r"^plumbline (.*)$", docs, re.MULTILINE)

    elsewhere = {"app", "resume", "cancel", "push"}
    assert {shlex.split(line)[0] for line in lines} == set(COMMANDS) - elsewhere
    for line in lines:
        found = plumbline(*shlex.split(line))
        assert found.exit_code == FINE, found.output


def test_the_commands_are_all_here():
    assert set(main.commands) == set(COMMANDS)
