"""A setting that is declared is there at every door: nothing else has to know of it.

The terminal's are tried in `test_documents`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import pytest

from evaluators import estimate, evaluate
from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.errors import ParameterError
from evaluators.records import Run
from evaluators.report.run_report import run_report
from evaluators.runs import assignment
from evaluators.runs.again import plan_again
from evaluators.runs.card import run_card
from evaluators.runs.engine import create_run
from evaluators.runs.run_options import SETTINGS, RunOptions, Setting, declared
from evaluators.runs.run_view import RunView
from evaluators.runs.settings import Change, differing, settings_of
from evaluators.terminal.command import command
from tests.pages.conftest import checked
from tests.pages.screen import runs, said, settled
from tests.runs.patience import PATIENCE
from ui import session


@pytest.fixture(autouse=True)
def declaration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETTINGS, "patience", PATIENCE)


def done(**options: int) -> Run:
    """A run of five samples with these settings."""
    return evaluate(TRACE_SAMPLES, "trace", sample=5, progress=False, **options).run


def test_python_takes_it_checks_it_and_refuses_it_where_it_cannot_be():
    assert done(patience=5).options == {"patience": 5}
    assert done().options == {}
    assert not estimate(TRACE_SAMPLES, "trace", patience=5).judges
    with pytest.raises(ParameterError, match=r"patience is 12\. Give a whole number from 1 to 9"):
        done(patience=12)


def test_card_differences_title_link_command_report_and_the_same_again_have_it():
    first, second = done(), done(patience=5)

    assert "\nPatience      5\n" in run_card(session.store(), second)
    assert differing(settings_of(first), settings_of(second)) == [
        Change(setting="patience", first="3", second="5")
    ]
    assert second.title == f"{first.title} · patience 5"
    assert assignment.as_run(assignment.read(assignment.token_of(second))).options == {
        "patience": 5
    }
    assert " --patience 5" in command(second).replace(" \\\n   ", "")
    assert "--patience" not in command(first)
    assert "Patience" in run_report(RunView.read(session.store(), second))
    again = create_run(session.store(), plan_again(session.store(), second), workspace="local")
    assert again.options == {"patience": 5}


def test_one_of_several_values_is_read_back_from_link_command_and_store(monkeypatch):
    class WithSigns(RunOptions, total=False):
        signs: Annotated[
            Sequence[str], Setting(choices=("a", "b"), usual=(), meaning="Signs.", title="signs")
        ]

    monkeypatch.setitem(SETTINGS, "signs", declared(WithSigns)["signs"])
    call = {"signs": ("b", "a"), "sample": 5, "run": "Signs", "progress": False}

    run = evaluate(TRACE_SAMPLES, "trace", **call).run

    assert run.options == {"signs": ["b", "a"]}
    assert session.store().runs.get(run.id) == run
    begun = assignment.as_run(assignment.read(assignment.token_of(run)))
    assert list(begun.options["signs"]) == ["b", "a"]
    assert "--signs b --signs a" in command(run).replace(" \\\n   ", "")
    with pytest.raises(ParameterError, match=r"signs is 'c'\. Known: a, b"):
        evaluate(TRACE_SAMPLES, "trace", signs="c")


@pytest.mark.parametrize(("page", "metric"), [("trace", "trace"), ("metrics", "answer_match")])
def test_the_form_asks_for_it_begins_with_it_and_says_that_it_was_changed(open_page, page, metric):
    run = evaluate(TRACE_SAMPLES, metric, progress=False, patience=5).run
    at = open_page(page, again=run.id)
    field = at.number_input(key=f"{page}_patience")
    assert (field.label, field.value, field.max) == ("Patience", 5, 9)
    assert "nothing changed yet" in said(at)

    at.number_input(key=f"{page}_patience").set_value(6)
    assert "patience 5 → 6" in said(checked(at.run()))
    at.button(key=f"{page}_start").click()
    settled(checked(at.run()))

    assert runs()[0].options == {"patience": 6}
