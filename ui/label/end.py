"""What came of a queue: a person's labels beside the judge's, and beside those of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from evaluators.people import queues
from evaluators.people.queues import LabelQueue
from evaluators.people.records import CANNOT_TELL, DONE, SKIPPED, PersonLabel
from evaluators.records import Cell, Run
from evaluators.runs import label_queues, run_facts
from evaluators.runs.checks import checked_in_queue
from evaluators.runs.label_queues import Compared
from evaluators.runs.run_view import RunView
from evaluators.statistics import kappa, kappa_interval, tables_of_verdicts
from evaluators.text.language import mark, say
from evaluators.text.scale import SCORE
from evaluators.text.words import readable
from ui import run_views
from ui.label import answer
from ui.parts import explained
from ui.parts.untrusted import plain

YES_NO = {1.0: mark("yes"), 0.0: mark("no")}
Values = Mapping[tuple[int, str], float]
"""Yes (1) or no (0) by place in the queue and name of the value."""


class Alike(NamedTuple):
    """On how many of the values that both gave two labellers agree; kappa beside it, if any."""

    equal: int
    both: int
    kappa: float | None
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        share = say("{equal:,} of {both:,}", equal=self.equal, both=self.both)
        if self.kappa is None:
            return share
        kappa = SCORE.with_interval(self.kappa, *self.interval or ())
        return say("{share}, kappa {kappa}", share=share, kappa=kappa)


def show(
    run: Run,
    queue: LabelQueue,
    name: str,
    labels: Mapping[Cell, Sequence[PersonLabel]],
) -> None:
    """Everything is dealt with: how far the person and the judge agree, and where they differ."""
    progress = queues.progress(queue, labels, name)
    counts = [say("{count:,} labelled", count=progress.count(DONE))]
    for word in (CANNOT_TELL, SKIPPED):
        if count := progress.count(word):
            counts.append(f"{count:,} {say(word)}")
    last = say("That was the last one: {counts}.", counts=say(", ").join(counts))
    st.success(last, icon=":material/task_alt:")
    view = run_views.latest(run)
    rows = label_queues.compared(view, queue, labels, name)
    own = _values_of_person(rows)
    _beside_run(view, queue, name)
    _differing(run, queue, rows)
    for other in queues.people_in_queue(queue, labels):
        if other != name:
            theirs = _values_of_person(label_queues.compared(view, queue, labels, other))
            names = {"name": plain(name), "other": plain(other)}
            share = _alike(queue, own, theirs)
            st.markdown(say("{name} and {other} agree on {share}.", share=share, **names))


def _beside_run(view: RunView, queue: LabelQueue, name: str) -> None:
    """How far the person and the run agree, in the numbers of the check."""
    models = run_facts.titles(view.run)
    notes = []
    for model in range(max(1, len(models))):
        for value in checked_in_queue(view, queue, name, model).values:
            table = value.table
            if table is None or not value.labelled:
                continue
            equal = len(table.both_yes) + len(table.both_no)
            agreement = say(
                "{value}: you and the run agree on {share}.",
                value=plain(readable(value.name)),
                share=Alike(equal, value.labelled, value.kappa, value.kappa_interval),
            )
            if len(models) > 1:
                agreement = say("{name}: {sentence}", name=plain(models[model]), sentence=agreement)
            st.markdown(f"**{agreement}**", help=explained.help_of("kappa"))
            notes.append(value.weighting)
    for note in dict.fromkeys(filter(None, notes)):
        st.caption(f":material/balance: {plain(note)}")


def _differing(run: Run, queue: LabelQueue, rows: Sequence[Compared]) -> None:
    lines = [
        {
            plain("#"): row.place + 1,
            say("You"): say(YES_NO[said]),
            say("Run"): say(YES_NO[row.judged[name]]),
            say("Question"): plain(row.question),
            say("Asked"): plain(answer.question_of_value(run, queue.metric, name)),
        }
        for row in rows
        for name, said in row.person.items()
        if said != row.judged[name]
    ]
    if lines:
        st.markdown(f"**{say('Where you and the run differ')}**")
        # Its cells break their lines; like its heads they are Markdown, hence `plain`.
        st.table(lines, hide_index=True)


def _values_of_person(rows: Sequence[Compared]) -> dict[tuple[int, str], float]:
    return {(row.place, name): value for row in rows for name, value in row.person.items()}


def _alike(queue: LabelQueue, own: Values, others: Values) -> Alike:
    # Only what both said: a value that one of them left out is no disagreement.
    both = [key for key in own if key in others]
    # Answers drawn by verdict stand for different numbers of others, as in the check.
    weights = [1 / (queue.answers[place].probability or 1.0) for place, _ in both]
    mine, theirs = [own[key] for key in both], [others[key] for key in both]
    tables = tables_of_verdicts([place for place, _ in both], mine, theirs, weights)
    equal = sum(own[key] == others[key] for key in both)
    return Alike(equal, len(both), kappa(tables.sum(axis=0)), kappa_interval(tables))
