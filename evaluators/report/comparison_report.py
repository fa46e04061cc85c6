"""The report of a comparison or a leaderboard: the sentence, every difference, samples to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from evaluators.comparison.leaderboard import Leaderboard
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several
from evaluators.comparison.sides import Side
from evaluators.document import tables
from evaluators.document.blocks import Block, Charts, Evidence, Passage, Section, Table
from evaluators.document.flaws import OUTCOMES
from evaluators.document.leaderboard import leaderboard
from evaluators.paper import figures
from evaluators.report import page, pairs
from evaluators.report.run_report import cost, how_it_was_done
from evaluators.runs import run_facts
from evaluators.runs.card import run_card
from evaluators.runs.counts import checked_and_failed
from evaluators.text.language import mark, say
from evaluators.text.words import counted, in_a_line, readable

MOST = 10
"""Samples in all, shared out among the comparisons."""
# Settings and parameters differ by name; runs of strangers' programs may have any number of them.
MOST_CHANGES = 100


def comparison_report(
    found: Comparison | Several | Leaderboard,
    sides: Sequence[Side],
    written: datetime | None = None,
) -> str:
    """The report of a comparison of these sides, at most 6 MB of HTML.

    Of three systems or more each is laid beside the first; of a leaderboard no samples are shown.
    It is the same for the same results at one time `written`, which is now where it is not given.
    """
    comparisons = _comparisons(found)
    moment = written or datetime.now(UTC)
    title, kind = say("Leaderboard"), in_a_line(dict.fromkeys(side.run.title for side in sides))
    if comparisons:
        title = " · ".join([comparisons[0].first, *(each.second for each in comparisons)])
        kind = say("Comparison")
    head = page.head(title, [kind])
    before = page.rendered(comparison_document(found))
    every: list[pairs.DifferingPair] = []
    for comparison, side in zip(comparisons, sides[1:] if comparisons else (), strict=True):
        # With more systems than samples each comparison still shows one.
        most = max(1, MOST // len(comparisons))
        every += pairs.most_different(comparison, (sides[0], side), most)
    after = page.rendered([Section(say("What was compared"), list(_how_each_was_done(sides)))])

    def make(some: Sequence[pairs.DifferingPair]) -> str:
        texts = Evidence("".join(map(pairs.article_of_pair, some)))
        to_read = page.rendered([Section(say("Samples to read"), [texts])])
        return page.page(title, [head, before, to_read, after], moment)

    return page.within_size(make, every)


def comparison_document(
    found: Comparison | Several | Leaderboard, *, by_name: bool = False
) -> list[Block]:
    """All that a comparison has to say but its samples and how its runs were done."""
    if isinstance(found, Leaderboard):
        return leaderboard(found)
    blocks: list[Block] = []
    if isinstance(found, Comparison):
        blocks.append(Passage(found.sentence(), "finding"))
    else:
        blocks += [Passage(sentence, "finding") for sentence in found.sentences()]
        blocks.append(tables.systems(found, by_name=by_name))
    for each in _comparisons(found):
        heading = say("{second} against {first}", second=each.second, first=each.first)
        blocks.append(Section(heading, list(_every_difference(each, by_name=by_name))))
    return blocks


def _comparisons(found: Comparison | Several | Leaderboard) -> list[Comparison]:
    if isinstance(found, Leaderboard):
        return []
    return [found] if isinstance(found, Comparison) else list(found.comparisons)


def _every_difference(comparison: Comparison, *, by_name: bool) -> Iterator[Block]:
    """Every difference as a forest plot and in a table, and why it may be of something else."""
    for warning in comparison.warnings:
        yield Passage(warning, "warning")
    yield Charts(partial(figures.figures_of_comparison, comparison))
    first, second = comparison.first, comparison.second
    yield Passage(say("First: {first}. Second: {second}.", first=first, second=second), "facts")
    yield tables.differences(comparison, by_name=by_name)
    yield Passage(comparison.noise_sentence())
    words = say(
        "95 % intervals; p-values count all that is compared together. What a labeller gets "
        "wrong is not in an interval."
    )
    yield Passage(words, "facts")
    yield Section(say(OUTCOMES), [*tables.outcomes(comparison)])
    changes = [
        [readable(change.setting), change.first, change.second]
        for change in comparison.changes[:MOST_CHANGES]
    ]
    yield Table([mark("What differs"), mark("First"), mark("Second")], changes)
    yield Passage(" ".join(_unpaired_in_words(comparison)), "facts")


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


def _how_each_was_done(sides: Sequence[Side]) -> Iterator[Block]:
    """How each run was done, once for a run of which several models or labellers are compared."""
    # Two models of one run share its data and bill: said twice, they would read as two runs.
    views = {side.run.id: side for side in sides}
    for side in views.values():
        run = side.run
        state = checked_and_failed(run, side.view.counts)
        facts = [run.title, *run_facts.method_beside_title(run), state]
        card = Passage(run_card(side.view.store, run, side.counted), "plain")
        how = [*how_it_was_done(side.view, side.counted), *cost(side.view), card]
        yield Section(" · ".join(facts), how, is_folded=True)
