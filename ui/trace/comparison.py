"""Labellers side by side: the values that their labels give, and how far any two of them agree."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import streamlit as st

from evaluators.people import labellers
from evaluators.people.labels import PERSON
from evaluators.runs.aggregate import Mean
from evaluators.runs.run_view import MOST_COMPARED, RunView
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import counted, in_a_line
from evaluators.trace.agreement import Agreement, GroupAgreement
from evaluators.trace.values import TRACE_VALUES
from ui.parts import explained, value_table
from ui.parts.value_table import Column, Row

AT_ONCE = 300
"""Results of a run whose labellers stand there without a click: more take some seconds."""
LABELS = {"relevant": mark("Relevant"), "utilized": mark("Used"), "support": mark("Supported")}
GRID_STYLE = """<style>
.pl-grid { border-collapse: separate; border-spacing: 3px; }
.pl-wide { overflow-x: auto; }
.pl-grid th { font-weight: 600; text-align: left; padding: 0.3rem 0.6rem; }
.pl-grid td { padding: 0.4rem 0.7rem; border-radius: 0.3rem; font-variant-numeric: tabular-nums; }
.pl-grid td b { font-size: 1.15rem; }
</style>"""


def show(view: RunView, model: int, definition: str) -> None:
    """The values and the agreement for one model's answers, in an expander.

    Every sample has to be read for them, so they are made where somebody looks.
    """
    run = view.run
    box = st.expander(
        say("Labellers side by side"),
        expanded=run.evaluator.name != "trace" and view.counts.asked <= AT_ONCE,
        icon=":material/compare_arrows:",
        key=f"compared_{run.id}",
        # Without this the page would not learn that somebody opened it.
        on_change="rerun",
    )
    if not box.open:
        return
    with box, st.spinner(say("Comparing")):
        means = view.means_by_labeller(model, definition)
        _values_by_labeller(means)
        st.caption(say("Each labeller's means are over the samples it labelled."))
        people = sum(by.startswith(PERSON) for by in view.labellers())
        if people > MOST_COMPARED:
            words = say(
                "Of {people:,} people the {most} who labelled most answers.",
                people=people,
                most=MOST_COMPARED,
            )
            st.caption(words)
        _agreement_of_pairs(view.agreements(model), list(means), run.id)
        _agreement_of_groups(view.group_agreements(model))


def _values_by_labeller(means: Mapping[str, Mapping[str, Mean]]) -> None:
    """A row for each value, in which all labellers stand on one line."""
    columns = []
    for number, (by, own) in enumerate(means.items()):
        # Values that do not apply leave some means with fewer samples than were labelled.
        labelled = max(mean.scored for mean in own.values())
        note = counted(labelled, "sample")
        columns.append(Column(labellers.labeller_title(by), note, series=number))
    rows = []
    for value in TRACE_VALUES:
        cells = [own[value.in_score] for own in means.values()]
        rows.append(Row(say(value.heading), cells, term=value.name))
    value_table.show(say("Value"), columns, rows)


def _agreement_of_pairs(
    agreements: Sequence[Agreement],
    labelled_by: Sequence[str],
    run_id: str,
) -> None:
    """A grid of labellers for one kind of label: sentences with equal labels."""
    heading = say("How often two labellers agree")
    st.markdown(f"**{heading}**", help=explained.help_text("kappa", "alpha"))
    kind = st.segmented_control(
        say("Kind of label"),
        list(LABELS),
        default="support",
        format_func=lambda kind: say(LABELS[kind]),
        required=True,
        key=f"agreement_{run_id}",
        label_visibility="collapsed",
        persist_state="session",
    )
    pairs = {(pair.first, pair.second): pair for pair in agreements if pair.label == kind}
    compared = set(itertools.chain.from_iterable(pairs))
    names = [name for name in labelled_by if name in compared]
    # What all cells have in common is said once, below them.
    over = {_counted(pair) for pair in pairs.values()}
    st.html(_agreement_grid(names, pairs, says_over=len(over) > 1))
    if len(over) == 1:
        st.caption(over.pop())
    st.caption(
        say(
            "Share of sentences with equal labels and how many there were; κ is "
            "Cohen's kappa: 1 is full agreement, 0 what chance gives. Corrected: only "
            "samples in which a person changed a label, so it looks lower than it is. In "
            "brackets 95 % intervals over the answers. A jury is not compared with its own "
            "judges, of whose votes it is made."
        )
    )


def _agreement_of_groups(agreements: Sequence[GroupAgreement]) -> None:
    """How far more than two labellers of one kind agree, a line for each kind."""
    by_group: dict[tuple[str, ...], list[str]] = {}
    for group in agreements:
        alpha = say("undefined")
        if group.alpha is not None:
            alpha = SCORE.with_interval(group.alpha, *group.alpha_interval or ())
        line = say(
            "{label} α {alpha} ({sentences})",
            label=say(LABELS[group.label]).lower(),
            alpha=alpha,
            sentences=_counted(group),
        )
        by_group.setdefault(group.labellers, []).append(line)
    for members, words in by_group.items():
        names = in_a_line(labellers.labeller_title(name) for name in members)
        st.text(say("{names} together: {values}.", names=names, values=in_a_line(words)))
    if by_group:
        st.caption(say("α is Krippendorff's alpha, the same for more than two labellers."))


def _agreement_grid(
    names: Sequence[str], pairs: Mapping[tuple[str, str], Agreement], *, says_over: bool
) -> str:
    """The lower half of the table: an agreement has no direction."""
    titles = [html(labellers.labeller_title(name)) for name in names]
    head = "".join(f"<th scope=col>{title}</th>" for title in titles[:-1])
    lines = []
    for number, name in enumerate(names[1:], start=1):
        cells = []
        for place, other in enumerate(names[:-1]):
            pair = pairs.get((other, name)) or pairs.get((name, other))
            is_below = place < number
            cells.append(_agreement_cell(pair, says_over) if pair and is_below else "<td></td>")
        row = f"<th scope=row>{titles[number]}</th>{''.join(cells)}"
        lines.append(f"<tr>{row}</tr>")
    table = f"<table class=pl-grid><tr><td></td>{head}</tr>{''.join(lines)}</table>"
    # Wider than a phone: it scrolls by itself, by the keyboard as well.
    return (
        f"{GRID_STYLE}<div class=pl-wide tabindex=0 role=group "
        f'aria-label="{html(say("Agreement"))}">{table}</div>'
    )


def _counted(pair: Agreement | GroupAgreement) -> str:
    sentences = counted(pair.sentences, "sentence")
    if not pair.answers:
        return sentences
    return say(
        "{sentences} of {answers}", sentences=sentences, answers=counted(pair.answers, "answer")
    )


def _agreement_cell(pair: Agreement, says_over: bool) -> str:
    kappa = say("undefined")
    if pair.kappa is not None:
        kappa = SCORE.with_interval(pair.kappa, *pair.kappa_interval or ())
    # The colour says again what stands there: from half to full agreement.
    strength = max(0.0, min(1.0, 2 * pair.equal - 1))
    shade = f"color-mix(in srgb, #0d9488 {45 * strength:.0f}%, transparent)"
    words = f"κ {kappa} · {_counted(pair)}" if says_over else f"κ {kappa}"
    share = RATE.with_interval(pair.equal, *pair.equal_interval or ())
    return f'<td style="background: {shade}"><b>{share}</b><br>{words}</td>'
