"""Compare: the sentence first, then what differs, every difference, and the samples behind it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from evaluators.comparison import words
from evaluators.comparison.charts import over_noise
from evaluators.comparison.compare import compared
from evaluators.comparison.leaderboard import Leaderboard
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several, several
from evaluators.comparison.sides import Side
from evaluators.document import tables as document_tables
from evaluators.document.flaws import OUTCOMES
from evaluators.drawing import Size
from evaluators.errors import ParameterError
from evaluators.exports import bundle
from evaluators.exports.bundle import Bundle
from evaluators.report.comparison_report import comparison_report
from evaluators.runs.engine import registry
from evaluators.text.language import language, mark, say, speaking
from evaluators.text.normalise import slug
from evaluators.text.words import in_a_line, in_brackets, joined_sentences, readable
from ui import session
from ui.compare import choice, forest, left_out, pairs, systems
from ui.held import held
from ui.parts import charts, for_paper, rows_needed, tables
from ui.parts.untrusted import plain

ROW_BYTES = 200
"""Bytes in memory for each sample of each value."""
MOST = 30
"""Characters of the name of a system in that of a file."""
MOST_CHANGES = 8
"""Settings that are named in the line of what differs; more would be a wall of text."""


def show() -> None:
    try:
        sides = choice.sides()
        if sides is None:
            return
        found = _counted_once(sides)
    except ParameterError as error:
        st.warning(plain(str(error)), icon=":material/compare_arrows:")
        return
    if isinstance(found, Comparison):
        st.header(plain(found.sentence()), anchor=False)
        files(found, sides, partial(_bundle, sides), _stem(found))
        _show_pair(found, (sides[0], sides[1]))
        return
    comparison = systems.show(found)
    files(found, sides, partial(_bundle, sides), _stem(found.comparisons[0]))
    place = found.comparisons.index(comparison)
    _show_pair(comparison, (sides[0], sides[place + 1]))


def _stem(found: Comparison) -> str:
    """What its files are called: by the first two systems, as of two mails each has one."""
    return "-".join(["comparison", slug(found.first)[:MOST], slug(found.second)[:MOST]])


def files(
    found: Comparison | Several | Leaderboard,
    sides: Sequence[Side],
    make: for_paper.Make,
    stem: str,
) -> None:
    """What can be taken away, made only at the click."""
    with st.container(horizontal=True):
        st.download_button(
            say("Report (HTML)"),
            partial(_report, found, sides, language()),
            f"{stem}.html",
            key="compare_report",
            icon=":material/download:",
            help=say("One page with every difference and samples: opens offline, prints on A4."),
            # Taking a file away changes nothing here, so the page is not run again.
            on_click="ignore",
        )
        for_paper.button(stem.partition("-")[0], make, stem)


def _report(found: Comparison | Several | Leaderboard, sides: Sequence[Side], code: str) -> bytes:
    """The report in the language of the page; Streamlit makes it in a thread without a reader."""
    with speaking(code):
        return comparison_report(found, sides).encode()


def _bundle(sides: Sequence[Side], size: Size) -> Bundle:
    """Figures and tables for a paper, whose systems have names of the language of this moment."""
    found = _counted_once(sides)
    comparisons = [found] if isinstance(found, Comparison) else found.comparisons
    return bundle.bundle_of_comparisons(comparisons, size)


def _show_pair(comparison: Comparison, sides: tuple[Side, Side]) -> None:
    """Two systems in full: what differs, every difference, and the samples."""
    for warning in comparison.warnings:
        st.warning(warning, icon=":material/balance:")
    _what_differs(comparison)
    forest.show(comparison)
    _how_it_is_counted(comparison)
    if comparison.by_noise:
        _over_noise(comparison)
    _sample_calculator(comparison)
    if comparison.outcomes:
        title = say(OUTCOMES)
        with st.expander(title, icon=":material/grid_view:"):
            tables.show(document_tables.outcomes(comparison), title)
    left_out.show(comparison, sides)
    pairs.show(comparison, sides)


def _over_noise(comparison: Comparison) -> None:
    st.header(say("Over the noise"), anchor="noise")
    st.markdown(plain(comparison.noise_sentence()))
    both, difference = over_noise(comparison)
    charts.show(both, "compare_noise", charts.BESIDE)
    charts.show(difference, "compare_noise_difference", charts.BESIDE)
    if missed := [value.noise for value in comparison.by_noise if value.has_missed_noise]:
        st.caption(say("Noise: {levels}.", levels=in_a_line(missed)))
    st.caption(
        say(
            "Above, how often each is right; below, the difference with its 95 % interval: where "
            "that holds 0, chance may explain it. A filled dot is told apart beyond "
            "chance."
        )
    )


def _counted_once(sides: Sequence[Side]) -> Comparison | Several:
    """The comparison, counted once for as long as all runs stay as they are."""
    which = [(*side.answers, side.counted) for side in sides]

    def read() -> Comparison | Several:
        # Of a run at work every answer would be read anew at each look.
        at_work = any(registry.moves(side.run.id, session.store()) for side in sides)
        if len(sides) > 2:
            return several(sides, with_outcomes=not at_work)
        return compared(*sides, with_outcomes=not at_work)

    # A further label or result makes another revision, and all is counted anew.
    version = tuple(side.view.revision for side in sides)
    # What systems are called, and warnings, are in the reader's language.
    key = (compared, session.store(), language(), *which)
    return held.read(key, read, version, _comparison_bytes)


def _comparison_bytes(found: Comparison | Several) -> int:
    compared = [found] if isinstance(found, Comparison) else found.comparisons
    values = (value for own in compared for value in (*own.values, *own.outcomes))
    return ROW_BYTES * sum(len(value.rows) for value in values)


def _what_differs(comparison: Comparison) -> None:
    # The fingerprints of data say nothing to a reader.
    hidden = {"data"}
    if any(change.setting == "model" for change in comparison.changes):
        hidden.add("models")
    changes = [
        in_brackets(
            say(change.setting),
            f"{say(change.first)} → {say(change.second)}",
        )
        for change in comparison.changes
        if change.setting not in hidden
    ]
    if not comparison.is_same_data:
        data = mark("the data, whose samples are matched by their questions")
        if comparison.same_documents:
            data = mark(
                "the data, whose samples are matched by their questions and have the same documents"
            )
        changes.insert(0, say(data))
    more = len(changes) - MOST_CHANGES
    if more > 0:
        changes[MOST_CHANGES:] = [say("{more} more settings", more=more)]
    sentences = [say("All settings are the same.")]
    if changes:
        sentences = [say("What differs: {changes}.", changes=say(", ").join(changes))]
    for names, title in (
        (comparison.only_first, comparison.first),
        (comparison.only_second, comparison.second),
    ):
        if names:
            values = say(", ").join(map(readable, names))
            sentences.append(say("Only {title} has {values}.", title=title, values=values))
    st.caption(plain(joined_sentences(sentences)))


def _how_it_is_counted(comparison: Comparison) -> None:
    if all(value.because for value in comparison.values):
        return
    clusters = any(
        value.difference and value.difference.clusters < value.difference.rows
        for value in comparison.values
    )
    sentences = [
        say(
            "Lines are 95 % intervals. A filled dot is beyond chance: its line misses 0, and p is "
            "below 0.05, counting all that is compared here (Holm)."
        )
    ]
    if clusters:
        sentences.append(say("Answers to one question resemble each other and count as one."))
    sentences.append(say("No interval covers what a labeller gets wrong."))
    st.caption(plain(joined_sentences(sentences)))


def _sample_calculator(comparison: Comparison) -> None:
    """The calculator: how many samples a difference of this size would take."""
    of_systems = [value for value in comparison.values if not value.because]
    if not of_systems:
        return
    with st.expander(say("How many samples do I need?"), icon=":material/calculate:"):
        points = rows_needed.difference_field("compare_points", usual=3.0)
        lines = []
        for value in of_systems:
            needed = value.difference.rows_needed(points / 100) if value.difference else None
            samples = say("cannot be said from these samples")
            if needed is not None:
                samples = words.about_samples(needed)
            line = say("{name}: {text}", name=readable(value.name), text=samples)
            lines.append(f"- {plain(line)}")
        st.markdown("\n".join(lines))
        st.caption(
            say(
                "So many show such a difference in 8 of 10 tries, with 5 % false alarms, where "
                "the two differ from sample to sample as they did so far."
            )
        )
