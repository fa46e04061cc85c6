"""The report of a comparison: the sentence, every difference, what differed, samples to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from evaluators.comparison import words
from evaluators.comparison.result import Compared, Comparison
from evaluators.comparison.several import Several
from evaluators.comparison.sides import Side
from evaluators.drawing import DOUBLE
from evaluators.paper import figures
from evaluators.report import page, pairs
from evaluators.report.run_report import PHONE, cost, how_it_was_done
from evaluators.runs import run_facts
from evaluators.runs.card import run_card
from evaluators.runs.counts import checked_and_failed
from evaluators.text.language import mark, say
from evaluators.text.words import counted, readable

MOST = 10
"""Samples in all, shared out among the comparisons."""
# Settings and parameters differ by name; runs of strangers' programs may have any number of them.
MOST_CHANGES = 100
HEADINGS = (
    mark("Value"),
    mark("First"),
    mark("Second"),
    mark("Difference in points"),
    mark("p (Holm)"),
    mark("Higher · equal · lower"),
    mark("Checked for both"),
)


def comparison_report(
    found: Comparison | Several,
    sides: Sequence[Side],
    written: datetime | None = None,
) -> str:
    """The report of a comparison of these sides, at most 6 MB of HTML.

    Of three systems or more each is laid beside the first. It is the same for the same results at
    one time `written`, which is now where it is not given.
    """
    comparisons = [found] if isinstance(found, Comparison) else list(found.comparisons)
    moment = written or datetime.now(UTC)
    title = " · ".join([comparisons[0].first, *(each.second for each in comparisons)])
    sentences = [found.sentence()] if isinstance(found, Comparison) else found.sentences()
    before = [page.title_and_finding(title, [say("Comparison")], sentences)]
    every: list[pairs.DifferingPair] = []
    for comparison, side in zip(comparisons, sides[1:], strict=True):
        heading = say("{second} against {first}", second=comparison.second, first=comparison.first)
        before.append(page.section(heading, *_every_difference(comparison)))
        # With more systems than samples each comparison still shows one.
        most = max(1, MOST // len(comparisons))
        every += pairs.most_different(comparison, (sides[0], side), most)
    after = [page.section(mark("What was compared"), *_how_each_was_done(sides))]

    def make(some: Sequence[pairs.DifferingPair]) -> str:
        texts = page.section(mark("Samples to read"), *map(pairs.article_of_pair, some))
        return page.page(title, [*before, texts, *after], moment)

    return page.within_size(make, every)


def _every_difference(comparison: Comparison) -> Iterator[str]:
    """Every difference as a forest plot and in a table, and why it may be of something else."""
    for warning in comparison.warnings:
        yield page.warning(warning)
    on_phones = figures.figures_of_comparison(comparison, PHONE)
    for name, drawn in figures.figures_of_comparison(comparison, DOUBLE).items():
        yield page.figure("", drawn, on_phones[name])
    yield page.facts_line(
        say("First: {first}. Second: {second}.", first=comparison.first, second=comparison.second)
    )
    rows = [_difference_row(readable(value.name), value) for value in comparison.values]
    for value in comparison.by_noise:
        rows.append(_difference_row(say("Noise {noise}", noise=value.noise), value))
    yield page.html_table(HEADINGS, rows)
    yield page.paragraph(comparison.noise_sentence())
    yield page.facts_line(
        say(
            "95 % intervals; p-values count all that is compared together. What a labeller gets "
            "wrong is not in an interval."
        )
    )
    changes = [
        [readable(change.setting), change.first, change.second]
        for change in comparison.changes[:MOST_CHANGES]
    ]
    yield page.html_table([mark("What differs"), mark("First"), mark("Second")], changes)
    yield page.facts_line(" ".join(_unpaired_in_words(comparison)))


def _difference_row(title: str, value: Compared) -> list[str]:
    return [title, *words.cells(value.difference), value.coverage]


def _unpaired_in_words(comparison: Comparison) -> Iterator[str]:
    first, second = map(len, comparison.alone)
    if first or second:
        yield say(
            "Without a partner: {first} of the first, {second} of the second.",
            first=counted(first, "sample"),
            second=counted(second, "sample"),
        )
    if comparison.only_first:
        names = ", ".join(map(readable, comparison.only_first))
        yield say("Only the first has {names}.", names=names)
    if comparison.only_second:
        names = ", ".join(map(readable, comparison.only_second))
        yield say("Only the second has {names}.", names=names)


def _how_each_was_done(sides: Sequence[Side]) -> Iterator[str]:
    """How each run was done, once for a run of which several models or labellers are compared."""
    # Two models of one run share its data and bill: said twice, they would read as two runs.
    views = {side.run.id: side for side in sides}
    for side in views.values():
        run = side.run
        facts = [run.title, *run_facts.method(run), checked_and_failed(run, side.view.counts)]
        card = page.plain_text(run_card(side.view.store, run, side.counted))
        how = [*how_it_was_done(side.view, side.counted), *cost(side.view)]
        yield page.foldout(" · ".join(facts), *how, card)
