"""The figures of runs and comparisons: which there are, and that they tell the run's numbers."""

from xml.etree import ElementTree

import pytest

from evaluators.api.comparing import compare
from evaluators.api.results import Results
from evaluators.drawing import SINGLE
from evaluators.paper import figures
from evaluators.records import EvaluatorSpec
from evaluators.runs import examples
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from tests.comparison.made import MODELS, dataset, results

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store") / "runs.sqlite3")


def of_run(own, **options):
    return figures.figures_of_run(RunView.read(own.store, own.run), **options)


def described(svg):
    return ElementTree.fromstring(svg).find(f"{SVG}desc").text


def test_an_rgb_run_has_its_curves_and_its_rates(store):
    own = Results(examples.find(store, examples.NOISE), store)

    found = of_run(own, published=["ChatGPT"])

    curves = "noise_robustness_accuracy_by_noise"
    assert list(found) == [curves, "information_integration_accuracy_by_noise", "rates"]
    assert "Model A: 100 % (86 to 100) at 0 %" in described(found[curves])
    # Table 1 of arXiv 2309.01431.
    levels = {0: 96, 20: 95, 40: 94, 60: 90, 80: 76}
    values = "; ".join(f"{value} % at {noise} % noise" for noise, value in levels.items())
    paper = f"ChatGPT (paper): {values}."
    assert paper in described(found[curves])
    assert "ChatGPT" not in found["information_integration_accuracy_by_noise"]
    # Of the rates the first is 115 of 120 right.
    assert described(found["rates"]).startswith(
        "Model A: 96 % (87 to 99), 115 of 120 right, 24 questions."
    )
    assert "Offline reader: –, 0 of 12, 12 not applicable." in described(found["rates"])


def test_a_trace_run_has_its_values_in_groups(store):
    own = Results(examples.find(store, examples.INVENTED), store)

    found = of_run(own, size=SINGLE)

    assert list(found) == ["values"]
    mean = own.summary()["adherence"]
    words = f"Adherence: {mean.mean:.2f} ({mean.low:.2f} to {mean.high:.2f}), 24 of 24."
    assert words in described(found["values"])
    assert 'width="85mm"' in found["values"]


def test_each_further_metric_has_a_figure_of_its_own(store):
    own = results(store, "metrics", ["Who?", "What?"], [1, 0], models=MODELS[:1])
    specs = (*own.run.evaluators, EvaluatorSpec(name="answer_match"))
    run = own.run.model_copy(update={"id": "several", "evaluators": specs})
    store.runs.put(run, dataset(["Who?", "What?"]).samples, [])

    assert list(of_run(Results(run, store))) == ["values", "answer_match_2_2"]


def test_a_comparison_is_a_forest_plot(store):
    first = results(store, "old", ["Who?", "What?", "When?"], [0, 0, 0])
    second = results(store, "new", ["Who?", "What?", "When?"], [1, 1, None])
    comparison = compare(first, second)

    [(name, svg)] = figures.figures_of_comparison(comparison).items()

    assert name == "differences"
    difference = comparison["answer_match"].difference
    interval = f"({100 * difference.low:.1f} to {100 * difference.high:.1f})".replace("-", "−")
    assert described(svg) == f"Answer match: +100.0 {interval}, 2 / 3, p {difference.p:.3f}."
    assert "new higher →" in svg


def test_a_run_of_which_nothing_is_checked_has_figures_without_marks(store):
    own = results(store, "nothing", ["Who?"], ["failed"])

    for svg in of_run(own).values():
        assert "<circle" not in svg
