"""Every run's page gives the command that begins the run again."""

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.own_command import own_command
from evaluators.records import EvaluatorSpec
from evaluators.terminal.command import command
from tests.pages.conftest import finished


def test_the_pages_of_rgb_and_trace_give_the_command(filled, open_page):
    for page, run in (("rgb", filled.rgb), ("trace", filled.trace)):
        at = open_page(page, run=run.id)

        assert command(run) in [code.value for code in at.code]


def test_the_page_of_metrics_gives_the_command(open_page):
    spec = EvaluatorSpec(name="answer_match", params={"type": "f1_score"})
    data = bundled()[TRACE_SAMPLES]
    run = finished(data, spec, title="`It's` [mine](http://x)")

    at = open_page("metrics", run=run.id)

    (code,) = [code for code in at.code if code.value.startswith(f"{own_command()} run")]
    assert "--param answer_match.type=f1_score" in code.value
    assert code.language == "bash"
