"""Tables of runs and comparisons: their numbers are those of Results, and names stay text."""

import csv
import io
import re

import pytest

from evaluators.api.comparing import compare
from evaluators.api.results import Results
from evaluators.exports.latex import as_latex
from evaluators.exports.markdown import as_markdown
from evaluators.exports.values import table_csv
from evaluators.paper import figures, tables
from evaluators.paper.table import PaperLine, PaperTable, table_of_lines
from evaluators.runs import examples, run_facts
from evaluators.runs.aggregate import Mean, View, Within
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from tests.comparison.made import MODELS, results

QUESTIONS = ["Who?", "What?", "When?", "Where?"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store") / "runs.sqlite3")


def view_of(own):
    return RunView.read(own.store, own.run)


def example(store, name):
    return Results(examples.find(store, name), store)


def table_named(found, name):
    [table] = [table for table in found if table.name == name]
    return table


def read(table):
    return list(csv.DictReader(io.StringIO(table_csv(table).decode("utf-8-sig"))))


def test_a_mean_has_its_interval_and_its_coverage(store):
    own = results(store, "one model", QUESTIONS, [1, 0, None, "failed"])

    [table] = tables.tables_of_run(view_of(own))

    assert table.headings == ["Value", "Mean [95 % interval]", "Checked"]
    # Wilson's interval of 1 of 2.
    assert table.rows == [("Answer match", "0.50 [0.09, 0.91]", "2 / 4")]
    [record] = read(table)
    assert record["run"] == "one model"
    assert [record[name] for name in ("mean", "asked", "scored", "not_applicable", "failed")] == [
        "0.5", "4", "2", "1", "1",
    ]  # fmt: skip
    for words in ("“one model”", "95 % intervals", "Wilson score", "3 of 4 checked, 1 failed"):
        assert words in table.caption


def test_repeated_prompts_are_said_with_how_far_their_answers_differ():
    within = Within(prompts=2, agree=0.5, deviation=0.25)
    mean = Mean(mean=0.5, asked=4, scored=4, repeats=2, within=within)

    [record] = read(table_of_lines("t", "", [PaperLine({"M": "a"}, "x", mean, {})]))

    assert record["repeats"] == "2"
    assert (record["repeats_agree"], record["repeats_deviation"]) == ("0.5", "0.25")


def test_models_stand_below_one_another_under_the_value(store):
    own = results(store, "two", QUESTIONS, [1, 1, 1, 1], [None] * 4, models=MODELS)

    [table] = tables.tables_of_run(view_of(own))

    assert table.rows == [
        ("Answer match", "small", "1.00 [0.51, 1.00]", "4 / 4"),
        ("", "large", "–", "0 / 4"),
    ]
    assert [record["model"] for record in read(table)] == ["small", "large"]


APART = {"within", "other_rules"}
"""What a record has in columns of its own, where it is there."""


def test_means_are_those_of_the_summary(store):
    for name in (examples.NOISE, examples.INVENTED):
        own = example(store, name)
        table = table_named(tables.tables_of_run(view_of(own)), "values")

        expected = {}
        for number, model in enumerate(run_facts.titles(own.run) or [None]):
            for value, mean in own.summary(number).items():
                expected[model, value] = mean.model_dump(exclude=APART)
        told = {}
        for record in table.records:
            place = record.get("model"), record["value"]
            told[place] = {name: record[name] for name in set(Mean.model_fields) - APART}
        assert told == expected


def test_the_accuracy_at_each_noise_has_a_row_for_each_ability_and_model(store):
    found = tables.tables_of_run(view_of(example(store, examples.NOISE)))
    table = table_named(found, "accuracy_by_noise")

    assert table.headings[2:] == ["0 %", "20 %", "40 %", "60 %", "80 %", "Checked"]
    assert [row[:2] for row in table.rows] == [
        ("Noise robustness", "Model A"),
        ("", "Model B"),
        ("", "Offline reader"),
    ]
    # 20 of 24 questions at 80 % noise: Wilson's interval of 0.8333.
    assert table.rows[0][-2:] == ("83.3 [64.1, 93.3]", "24 / 24")
    last = next(record for record in read(table) if record["noise"] == "0.8")
    assert float(last["mean"]) == pytest.approx(20 / 24)
    assert (last["policy"], last["level"]) == ("documented", "0.95")
    # Of the same noise asked for their prompts have another: a document for each part stays.
    table = table_named(found, "accuracy_by_noise_information_integration")
    assert table.headings[2:] == [
        *("0 %", "20 %", "40 %"), "asked 60 % (had 55 %)", "asked 80 % (had 55 %)", "Checked"
    ]  # fmt: skip
    assert [row[:2] for row in table.rows] == [
        ("Information integration", "Model A"),
        ("", "Model B"),
        ("", "Offline reader"),
    ]


def test_labellers_stand_side_by_side(store):
    view = view_of(example(store, examples.INVENTED))

    table = table_named(tables.tables_of_run(view, View("fixed_20")), "by_labeller")

    means = view.means_by_labeller(0, "fixed_20")
    assert [row[0] for row in table.rows] == [
        "Jury", "Judge A", "Judge B", "Judge C", "Heuristic", "Gold",
    ]  # fmt: skip
    for record in table.records:
        own = means[record["labels_by"]][record["value"]]
        assert (record["mean"], record["low"]) == (own.mean, own.low)
        assert record["definition"] == "fixed_20"
    assert "Formula: fixed_20." in table.caption


def test_groups_have_a_row_each(store):
    view = view_of(example(store, examples.INVENTED))

    table = table_named(tables.tables_of_run(view), "by_group")

    groups = view.by_group()
    assert [row[0] for row in table.rows] == list(groups)
    for record in table.records:
        assert record["mean"] == groups[record["group"]][record["value"]].mean


def test_a_comparison_has_both_means_and_the_difference(store):
    first = results(store, "old", QUESTIONS, [1, 0, 0, 0])
    second = results(store, "new", QUESTIONS, [1, 1, 1, None])
    comparison = compare(first, second)

    [table] = tables.tables_of_comparison(comparison)

    difference = comparison["answer_match"].difference
    low, high = f"{100 * difference.low:.1f}", f"{100 * difference.high:.1f}"
    interval = f"[{low}, {high}]".replace("-", "−")
    assert table.headings[:3] == ("Value", "old", "new")
    # Two of three rows became right; two tosses that fall alike: p = 2 (1/4) - 1/4.
    assert table.rows == [
        ("Answer match", "0.33", "1.00", f"+66.7 {interval}", "0.250", "2 / 1 / 0", "3 / 4"),
    ]
    for words in ("“new” (second) against “old” (first)", "Tango", "Holm", "of 4 that both have"):
        assert words in table.caption
    assert read(table)[0]["difference"] == str(difference.difference)


def test_long_names_stand_in_the_caption_alone(store):
    long = "a title of a run that is longer than a column"
    [table] = tables.tables_of_comparison(
        compare(results(store, long, ["Who?"], [1]), results(store, "b", ["Who?"], [1]))
    )

    assert table.headings[1:3] == ("First", "Second")
    assert long in table.caption


def line(keys, column, asked=4, **facts):
    mean = Mean(mean=0.5, low=0.1, high=0.9, asked=asked, scored=4)
    return PaperLine(keys, column, mean, facts)


@pytest.mark.parametrize(
    ("lines", "headings", "rows"),
    [
        ([], [], []),
        (
            [line({"M": "a"}, "x"), line({"M": "a"}, "y")],
            ["M", "x", "y", "Checked"],
            [("a", "0.50 [0.10, 0.90]", "0.50 [0.10, 0.90]", "4 / 4")],
        ),
        # What a row stands on differs from mean to mean: each says it.
        (
            [line({"M": "a"}, "x"), line({"M": "a"}, "y", asked=5)],
            ["M", "x", "y"],
            [("a", "0.50 [0.10, 0.90] (4 / 4)", "0.50 [0.10, 0.90] (4 / 5)")],
        ),
        # Two of one name, and one without the other's column.
        (
            [line({"M": "a"}, "x"), line({"M": "a"}, "x"), line({"M": "b"}, "y")],
            ["M", "x", "y", "Checked"],
            [
                ("a", "0.50 [0.10, 0.90]", "", "4 / 4"),
                ("a", "0.50 [0.10, 0.90]", "", "4 / 4"),
                ("b", "", "0.50 [0.10, 0.90]", "4 / 4"),
            ],
        ),
    ],
)
def test_lines_with_equal_keys_are_a_row(lines, headings, rows):
    table = table_of_lines("t", "", lines)

    assert (table.headings, table.rows) == (headings, rows)
    assert len(table.records) == len(lines)


def named(text):
    mean = "0.50 [0.09, 0.91]"
    return PaperTable(
        "t", text, ["Value", "Mean"], 1, [(text, mean)], [{"name": text, "mean": -0.5}]
    )


HOSTILE = {
    # A name; the same as LaTeX, as Markdown, as a cell of a spreadsheet.
    "50 % & more_x #1 $5": (r"50 \% \& more\_x \#1 \$5", r"50 % &amp; more\_x \#1 \$5", None),
    "\\input{/etc/passwd}": (
        r"\textbackslash{}input\{/etc/passwd\}",
        r"\\input\{/etc/passwd\}",
        None,
    ),
    "a|b\nc^~": (r"a\textbar{}b c\textasciicircum{}\textasciitilde{}", r"a\|b c^\~", "a|b\nc^~"),
    "<img src=x>": (r"\textless{}img src=x\textgreater{}", r"\<img src=x\>", None),
    "![x](http://y)": ("![x](http://y)", r"![x\](http://y)", None),
    "=1+1": ("=1+1", "=1+1", "'=1+1"),
    "[2pt]": ("{}[2pt]", "[2pt]", None),
    "a--b `c` \"d\"": (r"a-{}-b \textasciigrave{}c\textasciigrave{} ''d''", r"a--b \`c\` " + '"d"', None),
    "b\u202ea\x00": ("b a ", "b a ", "b\u202ea\x00"),
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_names_of_strangers_stay_text(text):
    latex, markdown, cell = HOSTILE[text]
    table = named(text)

    assert rf"    {latex} & 0.50 [0.09, 0.91] \\" in as_latex(table).splitlines()
    assert f"| {markdown} | 0.50 [0.09, 0.91] |" in as_markdown(table).splitlines()
    assert read(table) == [{"name": cell or text, "mean": "-0.5"}]


def test_latex_has_the_rules_of_booktabs_and_a_label():
    text = as_latex(named("Adherence"))

    assert text.splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{table}[t]",
        r"  \centering",
        r"  \small",
        r"  \caption{Adherence}",
        r"  \label{tab:t}",
        r"  \begin{tabular}{@{}lr@{}}",
        r"    \toprule",
        r"    Value & Mean \\",
        r"    \midrule",
        r"    Adherence & 0.50 [0.09, 0.91] \\",
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]


def test_a_table_that_no_page_holds_has_its_intervals_below_the_means():
    cells = ["0.50 [0.09, 0.91]"] * 6
    wide = PaperTable("t", "", ["M", *"abcdef"], 1, [("a [1] name", *cells)], [])

    lines = as_latex(wide).splitlines()

    assert r"\begin{table*}[t]" in lines
    assert r"    a [1] name & 0.50 & 0.50 & 0.50 & 0.50 & 0.50 & 0.50 \\" in lines
    assert lines.count(r"    \addlinespace") == 1
    assert " & {\\scriptsize [0.09, 0.91]}" * 6 in "\n".join(lines)


def test_letters_that_pdflatex_does_not_know_are_said():
    assert "LuaLaTeX" in as_latex(named("语言模型"))
    assert "LuaLaTeX" not in as_latex(named("Größe – “so” → ±"))


def test_a_run_with_hostile_names_gives_whole_tables_and_figures(store):
    title = "}\\end{table}<script>|=1"
    own = results(store, title, QUESTIONS, [1, 0, 1, 0])

    for table in tables.tables_of_run(view_of(own)):
        latex = as_latex(table)
        braces = re.sub(r"\\[{}]", "", latex)
        assert braces.count("{") == braces.count("}")
        assert latex.count(r"\end{table}") == 1
    assert "<script>" not in "".join(figures.figures_of_run(view_of(own)).values())
