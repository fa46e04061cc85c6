"""What CI takes from a command: a JUnit file, and Markdown for the comment of a pull request."""

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from evaluators.config import ROOT
from evaluators.document.blocks import Items, Passage, Section, Table
from evaluators.document.markdown import MOST, as_markdown
from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import (
    BELOW,
    CANNOT_TELL,
    FINE,
    INCOMPLETE,
    ExitOutcome,
    Gate,
)
from evaluators.terminal.gate_files import write_gate_files
from evaluators.text.markdown import JOINER
from tests.comparison.made import results

QUESTIONS = [f"Question {number}?" for number in range(20)]
HOSTILE = [
    "![x](http://evil.example/pixel.png)",
    "[click](http://evil.example)",
    "[x]: http://evil.example",
    "<img src=http://evil.example/p.png> <script>alert(1)</script> <b>bold</b>",
    "https://evil.example www.evil.example",
    "@somebody @org/team #123 GH-7",
    "# heading",
    "- list",
    "1. list",
    "1) list",
    "+ list",
    "===",
    "---",
    "    code",
    "> quote",
    "| a | b |",
    "```\ncode\n```",
    "`code` *strong* _em_ ~~gone~~ $x$",
    "&lt;b&gt; &copy;",
    "line one\n\n# line two",
    "| --- |",
    "a\ud800b\x00\x1b[31m\u202e",
]


def test_the_recipe_of_the_docs_writes_both_files(plumbline):
    guide = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
    [recipe] = re.findall(r"```\n(plumbline run --config.*?)```", guide, re.DOTALL)
    rows = [{"question": each, "ground_truth": "yes", "response": "yes"} for each in QUESTIONS]
    Path("answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("ci.toml").write_text('data = "answers.jsonl"\nmetric = "answer_match"\n')
    plumbline("run", "--config", "ci.toml", "--title", "Baseline")
    plumbline("export", "last", "--format", "plumbline", "-o", "baseline.plumbline")

    lines = recipe.replace("adherence", "answer_match").splitlines()
    codes = [plumbline(*shlex.split(line)[1:]).exit_code for line in lines]

    assert len(lines) <= 15
    # All are right both times, and of twenty that is not enough to tell.
    assert codes == [FINE, CANNOT_TELL]
    assert ElementTree.parse("run.xml").getroot().tag == "testsuite"
    assert "answer_match" in Path("run.md").read_text().lower().replace(" ", "_")
    assert "cannot tell" in Path("compare.md").read_text()


def read(text):
    """The Markdown as HTML, by the rules of CommonMark with tables."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def seen(html):
    """What is read of it."""
    return "".join(ElementTree.fromstring(f"<a>{html}</a>".replace(JOINER, "")).itertext())


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_strangers_is_read_as_text(text):
    blocks = [
        Passage(text),
        Items([text]),
        Table(["Name"], [[text]]),
        Section(text, [Passage("x")]),
    ]

    html = read(as_markdown(text, blocks))

    as_it_is = "".join(own if own.isprintable() else " " for own in text)
    tags = {own.tag for own in ElementTree.fromstring(f"<a>{html}</a>").iter()}
    assert tags <= {"a", "h3", "h4", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert list(ElementTree.fromstring(f"<a>{html}</a>").iter("a")) != []  # the root alone
    assert "<a href" not in html
    assert seen(html).split().count("x") == 1 + as_it_is.split().count("x") * 5
    for word in as_it_is.split():
        assert seen(html).count(word) >= 5, (word, html)
    # What GitHub makes of bare text.
    for linked in ("@somebody", "@org", "#123", "GH-7", "://", "www."):
        assert linked not in html


def test_a_comment_has_room_for_all_of_it():
    long = as_markdown("x", [Passage("word " * 10_000)] * 200)
    wide = as_markdown("x", [Table(["a"], [["cell"]] * 1_000)])

    assert len(long) < MOST + 100
    assert long.endswith("The report has the rest.\n")
    assert wide.count("| cell |") == 50
    assert "And 950 more." in wide


@pytest.fixture
def cases(plumbline):
    """`cases("compare", ...)`: the exit code, the cases of the JUnit file, and the Markdown."""

    def run(*arguments):
        found = plumbline(*arguments, "--junit", "out.xml", "--markdown", "out.md")
        assert Path("out.xml").exists(), found.output
        suite = ElementTree.parse("out.xml").getroot()
        read_cases = {
            case.get("name"): [(part.tag, part.get("message") or part.text) for part in case]
            for case in suite.iter("testcase")
        }
        told = {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors")}
        return found.exit_code, read_cases, told, Path("out.md").read_text(encoding="utf-8")

    return run


def test_a_comparison_is_a_test_for_each_threshold(cases):
    store = local_store()
    results(store, "old", QUESTIONS, [1.0] * 20)
    results(store, "new", QUESTIONS, [1.0] * 8 + [0.0] * 12)
    gate = ("--fail-if-worse", "answer_match=0.02")

    code, found, told, comment = cases("compare", "old", "new", *gate)

    assert code == BELOW
    assert found["everything is checked"] == []
    [(tag, message)] = found["answer_match of new"]
    assert (tag, told["failures"], told["tests"]) == ("failure", "1", "2")
    assert message.startswith("answer_match of new is more than 2 points worse: -60.0 (")
    assert comment.startswith("### old · new\n\n| Value | Outcome | What was found |")
    assert "| answer\\_match of new | ❌ fail | answer\\_match of new is more than 2" in comment
    assert "old is better in answer match by 60.0 points" in comment


@pytest.mark.parametrize(
    ("choice", "code", "tag"),
    [("skip", CANNOT_TELL, "skipped"), ("fail", BELOW, "failure"), ("pass", FINE, "system-out")],
)
def test_what_cannot_be_told_is_what_was_chosen(cases, choice, code, tag):
    results(local_store(), "a", QUESTIONS, [1.0] * 18 + [0.0] * 2)
    results(local_store(), "b", QUESTIONS, [1.0] * 18 + [0.0] * 2)
    gate = ("--fail-if-worse", "answer_match=0.02", "--cannot-tell", choice)

    found_code, found, _, comment = cases("compare", "a", "b", *gate)

    assert (found_code, found["answer_match of b"][0][0]) == (code, tag)
    assert "❔ cannot tell" in comment
    assert "more, like these, would tell." in comment


def rows(right, count=20):
    lines = (
        {"question": f"{n} + {n}?", "ground_truth": f"{2 * n}", "response": f"{2 * n if n < right else -1}"}
        for n in range(count)
    )  # fmt: skip
    Path("answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in lines))


def test_a_run_and_a_batch_have_them_too(cases):
    rows(20)
    demand = ("--metric", "answer_match", "--fail-under", "answer_match=0.8")

    code, found, _, comment = cases("run", "--data", "answers.jsonl", *demand)
    of_batch = cases("batch", "answers.jsonl", "out", *demand)

    # 20 of 20 begin at 0.8389 (Wilson).
    assert (code, found["answer_match"][0][0]) == (FINE, "system-out")
    assert "✅ pass" in comment
    assert "| answer\\_match | 1.00 | 0.84 to 1.00 | 20 of 20 |" in comment
    assert of_batch[0] == FINE
    assert of_batch[1].keys() == {"everything is checked", "answer_match"}
    assert "1 of 1 files, 20 rows" in of_batch[3]


def test_a_check_has_them(cases, plumbline):
    plumbline("run", "--data", "TRACE sample (English)", "--metric", "trace")
    demand = ("--against", "gold", "--fail-under", "adherence=0.99")
    code, found, _, comment = cases("check", "last", *demand)

    assert (code, found["adherence"][0][0]) == (BELOW, "failure")
    assert "| adherence | ❌ fail |" in comment


def test_a_run_that_stopped_is_an_error_and_says_why():
    gate = Gate(junit=Path("out.xml"), markdown=Path("out.md"))
    write_gate_files(
        gate, ExitOutcome(INCOMPLETE, ("The budget of <1> call is used up.",)), "x", []
    )

    [error] = ElementTree.parse("out.xml").iter("error")
    assert error.get("message") == "The budget of <1> call is used up."
    assert Path("out.md").read_text("utf-8") == "### x\n\nThe budget of \\<1\\> call is used up.\n"


def test_a_run_file_is_a_side_of_a_comparison(plumbline):
    results(local_store(), "old", QUESTIONS, [1.0] * 20)
    results(local_store(), "new", QUESTIONS, [0.0] * 20)
    plumbline("export", "old", "--format", "plumbline", "-o", "baseline.plumbline")

    found = plumbline("compare", "baseline.plumbline", "new", "--fail-if-worse", "answer_match=0.1")

    assert found.exit_code == BELOW
    assert "answer_match of new is more than 10 points worse: -100.0" in found.stderr
