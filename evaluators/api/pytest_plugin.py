"""Evaluations as tests: the fixture `plumbline`, whose gates pass, fail or cannot tell.

pytest loads this file by itself. Nothing else of the package is loaded before a test uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

import pytest

import evaluators

if TYPE_CHECKING:
    from evaluators.api.comparing import Judged
    from evaluators.api.gate import Demand, Ruling
    from evaluators.api.results import Results
    from evaluators.comparison.sides import Side

SETTING = "plumbline_cannot_tell"
CHOICES = ("pass", "fail", "skip")
MEANING = "What becomes of a test whose threshold lies inside the interval: pass, fail or skip."
SHOWN = 5
"""Failing answers of a value in the report of a test."""
MOST_OF_A_TEXT = 300


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("plumbline")
    group.addoption(f"--{SETTING.replace('_', '-')}", choices=CHOICES, help=MEANING)
    parser.addini(SETTING, MEANING, default="skip")


@pytest.fixture
def plumbline(request: pytest.FixtureRequest) -> Gates:
    """The public names of Plumbline, and gates for results: `plumbline.assert_at_least(...)`."""
    cannot_tell = request.config.getoption(SETTING) or request.config.getini(SETTING)
    if cannot_tell not in CHOICES:
        raise pytest.UsageError(f"{SETTING} is one of {', '.join(CHOICES)}.")
    return Gates(request.node, cannot_tell)


class Gates:
    """What the fixture gives: each gate raises where values are shown to be too low.

    Where the threshold lies inside the 95 % interval it cannot be told: the test is skipped, with
    how many more samples would tell, unless pytest is set to let it pass or fail. Results are those
    of a run, or what `open_run` takes: a run file, or a finished batch over files.
    """

    def __init__(self, node: pytest.Item, cannot_tell: str) -> None:
        self._node = node
        self._cannot_tell = cannot_tell

    def __getattr__(self, name: str) -> Any:
        return getattr(evaluators, name)

    def assert_at_least(
        self,
        results: Judged,
        *,
        min_coverage: float = 1.0,
        allow_heuristic: bool = False,
        **least: float,
    ) -> None:
        """Means are at least so high: `assert_at_least(results, adherence=0.9)`, for any model.

        `min_coverage` is the share of samples that must be judged or not applicable; the
        heuristic's labels, which read wording, count only where that is allowed.
        """
        __tracebackhide__ = True
        from evaluators.api.gate import Demand, Ruling, Strictness, run_rulings, unfinished

        own = results if isinstance(results, evaluators.Results) else evaluators.open_run(results)
        demanded = [Demand(name, float(value)) for name, value in least.items()]
        if problem := unfinished(own):
            self._conclude([Ruling(own.title, "fail", problem)], [])
        strictness = Strictness(min_coverage, 1, allow_heuristic)
        self._conclude(run_rulings(own, demanded, strictness), _below(own, demanded))

    def assert_better(
        self, new: Judged, old: Judged, *, allow_heuristic: bool = False, **margins: float
    ) -> None:
        """The new one is better by at least so much: `assert_better(new, old, adherence=0.02)`.

        Compared is question by question; labels of the heuristic as in `assert_at_least`.
        """
        __tracebackhide__ = True
        for name, margin in margins.items():
            if not margin > 0:
                raise evaluators.PlumblineError(
                    f"{name}={margin:g} asks for nothing better. Give a margin above 0, or call "
                    "assert_not_worse."
                )
        self._compare(new, old, margins, allow_heuristic)

    def assert_not_worse(
        self, new: Judged, old: Judged, *, allow_heuristic: bool = False, **margins: float
    ) -> None:
        """The new one is worse by no more than so much: the gate for every change.

        It is what `plumbline compare OLD NEW` asks for where a margin is given.
        """
        __tracebackhide__ = True
        allowed = {name: -margin for name, margin in margins.items()}
        self._compare(new, old, allowed, allow_heuristic)

    def _compare(
        self, new: Judged, old: Judged, least: dict[str, float], allow_heuristic: bool
    ) -> None:
        __tracebackhide__ = True
        from evaluators.api.gate import Demand, Strictness, comparison_rulings

        comparison = evaluators.compare(old, new)
        demanded = [Demand(name, float(value)) for name, value in least.items()]
        strictness = Strictness(allow_heuristic=allow_heuristic)
        rulings = comparison_rulings(comparison, demanded, strictness)
        worse = (
            text
            for name, _ in demanded
            for row in nsmallest(SHOWN, comparison[name].rows, key=lambda row: row.difference)
            if row.difference < 0
            for text in _of_pair(name, row, comparison.sides)
        )
        self._conclude(rulings, worse)

    def _conclude(self, rulings: Iterable[Ruling], failing: Iterable[str]) -> None:
        """The outcome of the test, with every ruling among its properties."""
        __tracebackhide__ = True
        from evaluators.api.gate import state_of

        every = list(rulings)
        self._node.user_properties += [
            (f"plumbline: {ruling.name}", f"{ruling.state}: {ruling.words}") for ruling in every
        ]
        state = state_of(every)
        words = "\n".join(ruling.words for ruling in every if ruling.state != "pass")
        if state == "cannot tell" and self._cannot_tell == "skip":
            pytest.skip(words)
        if state == "fail" or (state == "cannot tell" and self._cannot_tell == "fail"):
            if text := "\n".join(failing):
                self._node.add_report_section("call", "failing answers", text)
            raise AssertionError(words)


def _below(results: Results, demanded: Sequence[Demand]) -> Iterator[str]:
    """The lowest answers of each value that are below what is demanded of it."""
    from evaluators.runs.aggregate import named_values, of_model
    from evaluators.runs.store import Answer

    view, rows = results.read(), results.rows()
    for model in range(max(1, len(results.run.models))):
        values = named_values(results.run.evaluators, of_model(rows, model))
        for name, least in demanded:
            if name not in values:
                continue
            counted = values[name]
            judged = ((row.values.get(counted.name), row.position) for row in counted.rows)
            low = [(value, place) for value, place in judged if value is not None and value < least]
            for value, position in nsmallest(SHOWN, low):
                yield f"{name} {value:.4g}"
                yield from _texts(view.contents([Answer(position, model)]))


def _of_pair(name: str, row: Any, sides: Sequence[Side]) -> Iterator[str]:
    from evaluators.runs.store import Answer

    positions = (row.first_position, row.second_position)
    yield f"{name} {row.first:.4g} → {row.second:.4g}"
    for side, position in zip(sides, positions, strict=True):
        yield from _texts(side.view.contents([Answer(position, side.model)]))


def _texts(contents: Any) -> Iterator[str]:
    """Question and answer, a line each."""
    from evaluators.text.printable import printable

    for content in contents.values():
        for title, text in (("question", content.sample.question), ("answer", content.response)):
            yield f"  {title}: {printable((text or '')[:MOST_OF_A_TEXT])}"
