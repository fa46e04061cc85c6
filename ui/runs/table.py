"""All runs in a table: searched, sorted, opened; several at once compared, exported or deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from evaluators.errors import RunElsewhereError
from evaluators.llm.money import dollars_together
from evaluators.records import Run
from evaluators.run_files.contents import SUFFIX
from evaluators.run_files.together import file_name, written_together
from evaluators.run_files.writing import written
from evaluators.runs import overview, run_facts
from evaluators.runs.engine import registry
from evaluators.runs.overnight import BY_TOMORROW
from evaluators.runs.overview import Headline
from evaluators.runs.shown_values import title
from evaluators.runs.store import Counts
from evaluators.text.language import mark, say, tag
from evaluators.text.scale import BY_KIND
from evaluators.text.words import counted, in_a_line, name_and_text, short_name
from ui import script, session
from ui.parts import compare_with, problems
from ui.parts.moments import local_time
from ui.parts.untrusted import plain
from ui.runs import by_tomorrow, progress
from ui.runs import overview as overview_cards

MOST_RUNS = 1000
CELLS_AT_ONCE = 5000
"""Results whose means are worked out before the table is drawn: about half a second."""
MOST_OUT = 5
"""Runs to be collected that are drawn above the table."""
LINES = 3
"""Lines of a cell, and titles of what is selected."""
TITLE_SHOWN = 1000
"""A run file of a stranger may hold a title of any length."""
NOTE_SHOWN = 80

ELSEWHERE = mark(
    "This run is at work in another process, perhaps a terminal. Stop it there (Ctrl-C) "
    "before you delete it."
)
AT_WORK, STOPPED = mark("At work"), mark("Stopped")
FAILED, FINISHED = mark("With failures"), mark("Finished")
"""States that are filtered by."""

CLEARED = "runs_cleared"
"""Where the session counts how often the selection was emptied."""

component = script.component("runs", '<div class="runs"></div>', "runs.css")


class Filters(NamedTuple):
    """What is searched for and filtered by; `None` lets everything through."""

    text: str
    method: str | None
    data: str | None
    state: str | None
    tag: str | None
    baselines_only: bool


class Listed(NamedTuple):
    """A run with what its row says; the means of one at work are not worked out."""

    run: Run
    counts: Counts
    means: Sequence[Mapping[str, Headline]]
    is_moving: bool
    is_out: bool
    costs: Sequence[float | None]
    is_baseline: bool

    @property
    def state(self) -> str:
        """The state that it is filtered by."""
        if self.is_moving:
            return AT_WORK
        if self.is_out:
            return BY_TOMORROW
        if self.counts.open:
            return STOPPED
        return FAILED if self.counts.failed else FINISHED

    @property
    def method(self) -> str:
        metrics = ", ".join(run_facts.metric_titles(self.run))
        judges = ", ".join(map(short_name, run_facts.judge_titles(self.run)))
        if not judges:
            return metrics
        return say("{metrics} by {judges}", metrics=metrics, judges=judges)

    @property
    def models(self) -> list[str]:
        return [short_name(name) for name in run_facts.titles(self.run)]

    def passes(self, chosen: Filters) -> bool:
        """Whether every filter that is set lets the run through."""
        return (
            self.matches(chosen.text)
            and chosen.method in (None, self.method)
            and chosen.data in (None, self.run.dataset_name)
            and chosen.state in (None, self.state)
            and (chosen.tag is None or chosen.tag in self.run.tags)
            and (self.is_baseline or not chosen.baselines_only)
        )

    def matches(self, text: str) -> bool:
        """Whether every word of the text stands in what is written of the run."""
        run = self.run
        written_of = [run.title, run.note, run.dataset_name, self.method, *self.models, *run.tags]
        of_run = " ".join(written_of).casefold()
        return all(word in of_run for word in text.casefold().split())


def show() -> None:
    """All runs of this workspace with what can be done with them."""
    store, workspace = session.store(), session.workspace()
    runs = store.runs.newest(workspace, MOST_RUNS)
    lost = store.runs.unreadable(workspace, MOST_RUNS)
    if not runs and not lost:
        overview_cards.nothing_yet()
        return
    overview_cards.keep_link()
    listed, is_whole = _listed_runs(runs)
    above = _unfinished_cards(listed)
    if runs:
        shown = _searched_and_filtered(listed)
        _actions(_selected(shown, listed), above)
    for unreadable in lost:
        overview_cards.unreadable_run(unreadable)
    if not is_whole:
        # The table is in sight meanwhile, and the next drawing works out the next means.
        st.rerun()


def _listed_runs(runs: Sequence[Run]) -> tuple[list[Listed], bool]:
    """A row for each run, and whether all means are worked out."""
    store, workspace = session.store(), session.workspace()
    summaries = overview.kept_summaries(store, workspace)
    # Whether a finished run is at work need not be asked, which takes a look at a file.
    moving = set()
    for run in runs:
        kept = summaries.get(run.id)
        is_finished = kept and kept.counts.scored == kept.counts.asked
        if not is_finished and progress.is_moving(run):
            moving.add(run.id)
    resting = [run for run in runs if run.id not in moving]
    summaries |= overview.worked_out(store, resting, summaries, CELLS_AT_ONCE)
    costs = store.calls.costs(workspace)
    baselines = set(store.runs.baseline_ids(workspace).values())
    listed = []
    for run in runs:
        kept = summaries.get(run.id) if run.id not in moving else None
        counts = kept.counts if kept else store.results.counts(run)
        listed.append(
            Listed(
                run=run,
                counts=counts,
                means=kept.means if kept else (),
                is_moving=run.id in moving,
                is_out=bool(counts.open and run.id not in moving and by_tomorrow.state(run)),
                costs=costs.get(run.id, ()),
                is_baseline=run.id in baselines,
            )
        )
    return listed, all(run.id in summaries for run in resting)


def _unfinished_cards(listed: Sequence[Listed]) -> list[Listed]:
    """Draws what is at work, what is to be collected, and the run that stopped last.

    Older ones are found in the table.
    """
    moving = [own for own in listed if own.is_moving]
    out = [own for own in listed if own.is_out]
    stopped = [own for own in listed if own.state == STOPPED]
    resting = [*out[:MOST_OUT], *stopped[:1]]
    if moving:
        _watch([own.run for own in moving])
    for own in resting:
        overview_cards.run_box(own.run, own.counts, own.is_moving, with_actions=True)
    return [*moving, *resting]


@st.fragment(run_every=progress.TICK)
def _watch(runs: Sequence[Run]) -> None:
    """Draws runs that are at work, here or in another process, as they are now."""
    if not all(map(progress.is_moving, runs)):
        # Not only the card changes but also the row of the table.
        st.rerun()
    for run in runs:
        counts = session.store().results.counts(run)
        overview_cards.run_box(run, counts, True, with_actions=True)


# What is chosen


def _searched_and_filtered(listed: Sequence[Listed]) -> list[Listed]:
    """The runs that the search and the filters leave."""
    with st.container(horizontal=True, vertical_alignment="center"):
        text = st.text_input(
            say("Search"),
            label_visibility="collapsed",
            key="runs_search",
            icon=":material/search:",
            placeholder=say("Title, data, method, model, note, tag"),
            persist_state="session",
            width=360,
        )
        with st.popover(say("Filters"), icon=":material/filter_list:", key="runs_filters"):
            chosen = Filters(
                text=text,
                method=_filter_field("Method", [own.method for own in listed]),
                data=_filter_field("Data", [own.run.dataset_name for own in listed]),
                state=_filter_field("State", [own.state for own in listed], say),
                tag=_filter_field(mark("Tag"), [tag for own in listed for tag in own.run.tags]),
                baselines_only=st.toggle(
                    say("Baselines only"), key="runs_baselines", persist_state="session"
                ),
            )
        shown = [own for own in listed if own.passes(chosen)]
        of_all = counted(len(listed), "run")
        if len(shown) < len(listed):
            of_all = say("{shown:,} of {runs}", shown=len(shown), runs=of_all)
        st.caption(of_all)
    return shown


def _filter_field(
    label: str,
    values: Sequence[str],
    title: Callable[[str], str] = str,
) -> str | None:
    key = f"runs_{label}"
    options = sorted(set(values))
    # The last run with it may be gone since it was chosen.
    if st.session_state.get(key) not in options:
        st.session_state[key] = None
    chosen: str | None = st.selectbox(
        say(label),
        options,
        index=None,
        format_func=title,
        placeholder=say("Any"),
        key=key,
        disabled=not options,
        persist_state="session",
    )
    return chosen


def _selected(shown: Sequence[Listed], listed: Sequence[Listed]) -> list[Listed]:
    """Draws the table; the runs whose boxes are ticked, newest first, whatever the filters hide."""
    # Most workspaces have runs without a model, or without a bill.
    columns = [
        column
        for column in COLUMNS
        if not column.is_optional or any(column.lines(own) for own in shown)
    ]
    key = f"runs_{st.session_state.get(CLEARED, 0)}"
    chosen = component(
        key=key,
        data={
            "words": script.words_of("runs"),
            "lang": tag(),
            "columns": [
                {"title": say(column.title), "kind": column.kind, "width": column.width}
                for column in columns
            ],
            "rows": [_run_row(own, columns) for own in shown],
        },
        # What has a default must have a callback, else Streamlit refuses the component.
        default={"selected": []},
        on_selected_change=lambda: None,
        on_opened_change=lambda: None,
    )
    if not shown:
        st.info(say("No run matches."), icon=":material/filter_alt_off:")
    # Looked for among the runs of this workspace, as a browser may send any id.
    for own in listed:
        if own.run.id == chosen.opened:
            session.open_run(own.run)
    selected = set(chosen.selected or ())
    return [own for own in listed if own.run.id in selected]


# The rows


def _run_row(own: Listed, columns: Sequence[RunColumn]) -> dict[str, Any]:
    run = own.run
    note = " ".join(run.note.split())
    return {
        "id": run.id,
        "name": run.title[:TITLE_SHOWN],
        "tags": list(run.tags),
        "note": note if len(note) <= NOTE_SHOWN else f"{note[:NOTE_SHOWN]}…",
        "baseline": own.is_baseline,
        "cells": [{"lines": column.lines(own), "order": column.order(own)} for column in columns],
    }


def _state(own: Listed) -> str:
    return progress.state_now(own.run, own.counts, own.is_moving)


def _known_cost(own: Listed) -> float | None:
    return sum(cost for cost in own.costs if cost is not None) or None


def _highest_mean(own: Listed) -> float | None:
    first = [next(iter(of_model.values())).mean for of_model in own.means if of_model]
    return max((mean for mean in first if mean is not None), default=None)


def _means_in_lines(own: Listed) -> list[str]:
    """The first means with their coverage: of one model several, of several models one each."""
    if len(own.models) > 1:
        lines = []
        for model, means in zip(own.models, own.means, strict=False):
            lines += [
                name_and_text(model, _mean_with_coverage(*first))
                for first in list(means.items())[:1]
            ]
        return _few(lines)
    lines = [_mean_with_coverage(*named) for means in own.means for named in means.items()]
    return lines[:LINES]


def _mean_with_coverage(name: str, mean: Headline) -> str:
    if mean.estimated and name == "adherence":
        wrong = round(mean.scored * (1 - (mean.mean or 0)))
        return say(
            "{wrong:,} of {all:,} to look at first (heuristic)", wrong=wrong, all=mean.scored
        )
    return f"{title(name)} {BY_KIND[mean.kind].shown(mean.mean)} · {mean.checked}"


def _few(lines: Sequence[str]) -> list[str]:
    """The first ones, and how many more there are."""
    further = len(lines) - LINES
    return [*lines[:LINES], *([say("and {count} more", count=further)] if further > 0 else [])]


class RunColumn(NamedTuple):
    """A column of the table; `order` is what rows are sorted by, `None` stands last.

    `kind` is the class of its cells, for a style that not every column has; an optional one is left
    out where it would be empty.
    """

    title: str
    kind: str
    width: str
    lines: Callable[[Listed], Sequence[str]]
    order: Callable[[Listed], str | float | None]
    is_optional: bool = False


COLUMNS = (
    RunColumn(
        mark("Title"),
        "title",
        "22%",
        lambda own: [own.run.title[:TITLE_SHOWN]],
        lambda own: own.run.title.casefold(),
    ),
    RunColumn(
        mark("Data"),
        "data",
        "9%",
        lambda own: [own.run.dataset_name[:TITLE_SHOWN]],
        lambda own: own.run.dataset_name.casefold(),
    ),
    RunColumn(mark("Method"), "method", "12%", lambda own: [own.method], lambda own: own.method),
    RunColumn(
        mark("Models"),
        "models",
        "10%",
        lambda own: _few(own.models),
        lambda own: ", ".join(own.models) or None,
        is_optional=True,
    ),
    RunColumn(mark("State"), "state", "11%", lambda own: [_state(own)], lambda own: own.state),
    RunColumn(mark("Results"), "results", "20%", _means_in_lines, _highest_mean),
    RunColumn(
        mark("Cost"),
        "cost",
        "4.2rem",
        lambda own: [dollars_together(own.costs)] if own.costs else [],
        _known_cost,
        is_optional=True,
    ),
    RunColumn(
        mark("Date"),
        "date",
        "6.2rem",
        lambda own: [local_time(own.run.created)],
        lambda own: own.run.created,
    ),
)


# What is done with those that are chosen


def _actions(selected: Sequence[Listed], above: Sequence[Listed]) -> None:
    """At the bottom of the window, wherever in the table the last box was."""
    if not selected:
        return
    runs = [own.run for own in selected]
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", key="run_actions"):
        st.markdown(f"**{counted(len(runs), 'run')}** · {plain(_few_titles(runs))}")
        with st.container(horizontal=True, width="content"):
            compare_with.several(runs)
            compare_with.ranked(runs)
            # Those above the table have the same buttons there.
            if len(selected) == 1 and selected[0] not in above:
                progress.actions(runs[0], selected[0].counts, selected[0].is_moving)
            _export_button(runs)
            _delete_button(runs)
            st.button(say("Clear"), icon=":material/close:", key="runs_clear", on_click=_clear)
        problems.show("runs")
        problems.show(runs[0].id)


def _few_titles(runs: Sequence[Run]) -> str:
    return "; ".join(_few([run.title for run in runs]))


def _export_button(runs: Sequence[Run]) -> None:
    store = session.store()

    def make() -> bytes:
        return written(store, runs[0]) if len(runs) == 1 else written_together(store, runs)

    st.download_button(
        say("Export"),
        make,
        file_name(runs[0]) if len(runs) == 1 else f"plumbline-{len(runs)}-runs.zip",
        icon=":material/download:",
        key="runs_export",
        help=say("Each run as a {suffix} file with all of it, several in one zip.", suffix=SUFFIX),
        on_click="ignore",
    )


def _delete_button(runs: Sequence[Run]) -> None:
    store = session.store()
    with st.popover(say("Delete"), icon=":material/delete:", key="runs_delete"):
        # Before the question, so that nobody confirms what cannot be done.
        elsewhere = [run for run in runs if _is_at_work_elsewhere(run)]
        if elsewhere:
            which = "" if len(runs) == 1 else f"{plain(_few_titles(elsewhere))}: "
            st.write(f"{which}{say(ELSEWHERE)}")
            return
        st.write(say("Delete {runs}?", runs=counted(len(runs), "run")))
        by_tomorrow.warn_before_delete(runs)
        st.caption(say("Lost: {what}.", what=_what_is_lost(runs)))
        if store.calls.answers_kept(session.workspace()):
            st.caption(say("Stored answers stay. Clear them on the Settings page."))
        st.button(
            say("Delete for good"),
            type="primary",
            key="runs_delete_for_good",
            on_click=problems.guarded(_delete_runs, "runs"),
            args=(runs,),
        )


def _what_is_lost(runs: Sequence[Run]) -> str:
    """What goes with these runs, people's work last."""
    store = session.store()
    checked = sum(store.results.counts(run).scored for run in runs)
    labels = sum(store.figures.labels_state(run.id)[0] for run in runs)
    notes = sum(len(store.notes.by_answer(run.id)) for run in runs)
    lost = [counted(checked, "result")]
    if labels:
        lost.append(say("{labels} of people", labels=counted(labels, "label")))
    if notes:
        lost.append(counted(notes, "note"))
    return in_a_line(lost)


def _delete_runs(runs: Sequence[Run]) -> None:
    """Deletes the runs; raises `RunElsewhereError` where another process works on one."""
    for run in runs:
        # What is still at work after that is at work in another process.
        registry.cancel(run.id)
        if registry.is_at_work(run.id, session.store()):
            raise RunElsewhereError(say(ELSEWHERE))
        session.store().runs.delete(run.id)
    _clear()


def _is_at_work_elsewhere(run: Run) -> bool:
    return registry.is_at_work(run.id, session.store()) and not registry.is_live(run.id)


def _clear() -> None:
    """Begins with another table, in which nothing is ticked."""
    st.session_state[CLEARED] = st.session_state.get(CLEARED, 0) + 1
