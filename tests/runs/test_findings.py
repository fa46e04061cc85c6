"""What is said of a run by the heuristic: suspects, with a caution, and never an interval."""

import csv
import io
import re

import pytest

from evaluators import evaluate
from evaluators.exports.latex import as_latex
from evaluators.exports.values import table_csv
from evaluators.paper import tables
from evaluators.records import Dataset, Labelling, Labels, Sample, SentenceSupport, Support
from evaluators.runs import findings
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.terminal.tables import means_in_parts, run_in_parts, run_summary
from evaluators.text.sentences import cut
from evaluators.trace.labelling import GOLD, HEURISTIC, labelled_score
from tests.stored import stored_run

JUDGE = "groq/openai/gpt-oss-20b"
TEXT = "It was in May."
FINDS = "The heuristic compares words: it finds suspects, it does not count."
CAUTION = re.compile(
    f"{FINDS} Against published labels its verdicts are right in [0-9]+ to [0-9]+ % of answers, by "
    "kind of data; always saying yes is right in [0-9]+ to [0-9]+ %."
)
PLAIN = {"question": "When?", "response": TEXT, "retrieved_documents": [TEXT]}


def labels(support):
    return Labels(sentence_support=(SentenceSupport(key="a", support=Support(support)),))


def stored(store, *answers, gold=()):
    """A run whose answers have these labels, by labeller, the first counting; `gold` by answer."""
    supports = [*gold, *[None] * (len(answers) - len(gold))]
    samples = tuple(
        Sample(id=str(number), labels=labels(own) if own else None, **PLAIN)
        for number, own in enumerate(supports)
    )
    data = Dataset(name="by hand", samples=samples)
    sentences, scores = cut(TEXT, [TEXT]), []
    for position, by_labeller in enumerate(answers):
        every = [Labelling(by=by, labels=labels(own)) for by, own in by_labeller.items()]
        scores.append(labelled_score(samples[position], sentences, every, every[0]))
    return RunView.read(store, stored_run(store, data, "trace", scores=scores))


def by_heuristic(*supports):
    return [{HEURISTIC: support} for support in supports]


def adherence(view, chosen=None):
    return view.figures(0, 0, chosen or View()).means["adherence"]


def test_by_the_heuristic_answers_are_to_look_at_first_and_nothing_is_counted(store):
    view = stored(store, *by_heuristic("none", "full", "none", "partial"))

    found = findings.of_trace(view, View())

    assert found.sentence == "3 of 4 answers to look at first (heuristic)."
    assert CAUTION.fullmatch(found.caution)
    mean = adherence(view)
    assert (mean.mean, mean.low, mean.high, mean.estimated) == (0.25, None, None, 4)


def test_the_caution_is_of_the_formula_by_which_the_verdicts_are_counted(store):
    view = stored(store, *by_heuristic("none", "partial"))

    found = findings.of_trace(view, View("ragbench"))

    # By this formula an answer that is partly supported passes
    assert found.sentence == "1 of 2 answers to look at first (heuristic)."
    assert CAUTION.fullmatch(found.caution)
    assert found.caution != findings.of_trace(view, View()).caution


def test_labels_of_the_data_are_counted_and_say_how_often_the_heuristic_is_right(store):
    gold = ["none", "full", "full", "full", "full"]
    view = stored(store, *by_heuristic("none", "none", "none", "full", "full"), gold=gold)

    found = findings.of_trace(view, View())

    # Wilson's interval of 4 of 5 is 38 to 96 %
    assert found.sentence == (
        "According to gold, 1 of 5 answers contain something the documents do not say: 20 % "
        "(95 % interval: 4 to 62). 3 of 5 answers to look at first (heuristic)."
    )
    assert found.caution == (
        f"{FINDS} On these data its verdicts are right in 60 % of 5 answers; always saying yes is "
        "right in 80 %."
    )


def test_labels_of_a_small_part_of_the_data_do_not_speak_for_all(store):
    view = stored(store, *by_heuristic("none", "none", "full", "full"), gold=["none"])

    assert findings.of_trace(view, View()).sentence.startswith("2 of 4 answers to look at first")


def test_the_labels_of_a_judge_are_counted(store):
    view = stored(store, *[{JUDGE: "none"}, {JUDGE: "full"}])

    found = findings.of_trace(view, View())

    assert "1 of 2 answers contain something the documents do not say: 50 % (95 %" in found.sentence
    assert found.caution == ""
    assert adherence(view).low is not None


def test_where_the_heuristic_labelled_a_part_nothing_is_counted_either(store):
    view = stored(store, {JUDGE: "none", HEURISTIC: "full"}, {HEURISTIC: "full"})

    found = findings.of_trace(view, View())

    assert found.sentence == "1 of 2 answers to look at first (heuristic and GPT-OSS 20B)."
    assert FINDS in found.caution
    assert (adherence(view).low, adherence(view).estimated) == (None, 1)


@pytest.mark.parametrize(("by", "counts"), [(JUDGE, True), (GOLD, True), (HEURISTIC, False)])
def test_it_is_the_labeller_that_is_looked_at_who_decides(store, by, counts):
    answers = [{HEURISTIC: "full", JUDGE: "none"}, {HEURISTIC: "none", JUDGE: "full"}]
    view = stored(store, *answers, gold=["full", "none"])

    assert (adherence(view, View(by=by)).low is not None) is counts
    assert bool(findings.of_trace(view, View(by=by)).caution) is not counts
    # So in the table of all labellers
    assert (view.means_by_labeller(0)[by]["adherence"].low is not None) is counts


def test_groups_of_samples_have_no_interval_by_the_heuristic(store):
    rows = [{**PLAIN, "id": str(number), "group": "a"} for number in range(4)]
    results = evaluate(rows, "trace", store=store, progress=False)

    means = RunView.read(results.store, results.run).by_group()

    assert {mean.low for mean in means["a"].values()} == {None}


@pytest.fixture
def results(store):
    """By the heuristic beside a metric that counts, of data without labels."""
    invented = {**PLAIN, "response": "The tower is 999 metres tall."}
    rows = [{**own, "ground_truth": TEXT} for own in (PLAIN, invented, PLAIN)]
    return evaluate(rows, ["trace", "answer_match"], store=store, progress=False, run="Doors")


HEAD = "1 of 3 answers to look at first (heuristic)."


def test_python_says_the_caution_above_the_means(results):
    title, head, caution, *table = repr(results).splitlines()

    assert title.startswith("Doors: finished")
    assert head == HEAD
    assert CAUTION.fullmatch(caution)
    [adherence_line] = [line for line in table if line.startswith("adherence")]
    [match_line] = [line for line in table if line.startswith("answer_match")]
    assert "an estimate" in adherence_line
    assert " to " in match_line


def test_the_terminal_says_the_caution_above_the_means(results):
    _, head, caution, means, *_ = means_in_parts(results)

    assert head == HEAD
    assert caution.startswith(FINDS)
    assert not isinstance(means, str)
    assert HEAD in run_in_parts(results)
    assert run_summary(results)["findings"] == results.findings()


def test_the_report_says_the_caution_under_its_headline(results, tmp_path):
    text = results.report(tmp_path / "report.html").read_text(encoding="utf-8")

    assert HEAD in text
    assert text.index(HEAD) < text.index(FINDS) < text.index("<section>")
    assert text.count(FINDS) == 1


def test_tables_for_a_paper_have_the_caution_in_caption_and_columns(results):
    view = RunView.read(results.store, results.run)
    table, *_ = tables.tables_of_run(view)

    assert f"“Doors”, with 95 % intervals in brackets. {HEAD} {FINDS}" in table.caption
    assert FINDS in " ".join(as_latex(table).split())
    lines = list(csv.DictReader(io.StringIO(table_csv(table).decode("utf-8-sig"))))
    of_adherence, *_, of_match = [
        line for line in lines if line["value"] in ("adherence", "answer_match")
    ]
    assert (of_adherence["low"], of_adherence["high"]) == ("", "")
    assert of_adherence["interval"].startswith("none: labels by the heuristic")
    assert of_adherence["caution"].startswith(f"{HEAD} {FINDS}")
    assert of_match["low"]
    assert of_match["caution"] == ""
    cells = {row[0]: row[1] for row in table.rows}
    assert "[" not in cells["Adherence"]


@pytest.mark.parametrize(
    ("count", "by", "found"),
    [
        (199, JUDGE, ""),
        (
            200,
            JUDGE,
            "So far, according to GPT-OSS 20B, answers that contain something the documents do not "
            "say: 50 % (95 % interval: 43 to 57).",
        ),
        (200, HEURISTIC, ""),
    ],
)
def test_of_a_run_at_work_a_share_is_said_from_200_answers_on(store, count, by, found):
    view = stored(store, *[{by: support} for support in (["none", "full"] * count)[:count]])

    # How many are checked stands on the page already
    assert findings.of_trace(view, View(), is_at_work=True).sentence == found
