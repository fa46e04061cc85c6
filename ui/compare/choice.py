"""Which systems are compared: a model of a run each, and whose labels count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from evaluators.comparison import groups
from evaluators.comparison.sides import GROUP_SHOWN, Side
from evaluators.datasets.versions import FEWEST, MOST
from evaluators.errors import ParameterError
from evaluators.people import labellers
from evaluators.records import Run
from evaluators.runs import run_facts, whose
from evaluators.runs.aggregate import MOST_GROUPS, View
from evaluators.runs.naming import PARTS
from evaluators.text.language import say
from evaluators.text.normalise import one_line
from ui import run_views, session
from ui.parts import compare_with
from ui.parts.compare_with import FIRST, MORE, OF_RUN, SECOND
from ui.parts.untrusted import plain

MOST_RUNS = 200
"""Runs that can be chosen, newest first; an older one is compared by its address."""
MOST_MORE = 8
"""Systems beside the first two: a table of more columns than fit could not be read."""
WHAT_COUNTS = ""
"""The choice of labels that leaves them as the runs have them."""
LABELS = "labels"
"""The query parameter of the labeller that counts on both sides."""


class ChosenSystem(NamedTuple):
    """A run and one of its models, by its number from 0; 0 too where answers were given.

    `by` names the labeller that counts, `None` are the labels of the run.
    """

    run: Run
    model: int
    by: str | None = None

    @property
    def address(self) -> str:
        return compare_with.address(self.run, self.model, self.by)

    @property
    def title(self) -> str:
        parts = [self.run.title]
        if len(self.run.models) > 1:
            parts.append(run_facts.titles(self.run)[self.model])
        if self.by:
            parts.append(say("labels: {labeller}", labeller=labellers.labeller_title(self.by)))
        parts.append(self.run.created[:16].replace("T", " "))
        # Last, as a title mostly says it already and what is long is cut.
        return PARTS.join([*parts, *run_facts.method_beside_title(self.run)])

    @property
    def side(self) -> Side:
        return Side(run_views.latest(self.run), self.model, View(by=self.by))


def sides() -> list[Side] | None:
    """Those that are chosen, the reference first; `None` where there is nothing to choose from or
    the first two are the same.

    Raises `ParameterError` for groups of a run that cannot be compared.
    """
    if of_groups := _groups():
        return of_groups
    systems = _systems()
    if not systems:
        st.info(say("No run yet. Start one, or open an example on the Home page."))
        st.page_link("../pages/home.py", label=say("Home"), icon=":material/home:")
        return None
    before, after = _usual_pair(systems)
    left, between, right = st.columns((8, 1, 8))
    with left:
        first = _chosen(say("First (before)"), FIRST, systems, before)
    with right:
        others = _likeliest_first(systems, first)
        usual = after if first.address == before.address else others[0]
        second = _chosen(say("Second (after)"), SECOND, systems, usual)
    first, second = _with_labels(first, second)
    with between, st.container(key="compare_swap_place"):
        st.button(
            "",
            icon=":material/swap_horiz:",
            key="compare_swap",
            help=say("Swap: the second comes first."),
            on_click=_choose,
            args=(second, first),
        )
    if first == second:
        words = say("Both are the same. Choose another run or model for one of them.")
        if _other_labellers(first):
            words = say(
                "Both are the same. Choose another run or model or other labels for one of them."
            )
        st.info(words)
        return None
    return [system.side for system in (first, second, *_more(first, second, others))]


def _groups() -> list[Side]:
    """The groups of the run that the address names, the best first; none where it names none."""
    run_id, _, number = st.query_params.get(compare_with.GROUPS, "").partition(".")
    run = session.find_run(run_id) if run_id else None
    if run is None:
        return []
    column = groups.column_of(run)
    models = {str(place + 1): place for place in range(len(run.models))}
    whole = ChosenSystem(run, models.get(number, 0))
    every = groups.names_of(whole.side.view, whole.model)
    names = every[:MOST_GROUPS]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        only = st.multiselect(
            plain(say("Groups by {column}", column=column[: compare_with.COLUMN_SHOWN])),
            names,
            default=names[:MOST],
            format_func=lambda name: one_line(name)[:GROUP_SHOWN],
            max_selections=MOST,
            key=f"compare_groups_{run.id}",
        )
        st.button(say("Compare runs"), key="compare_runs", on_click=_no_groups)
    if len(every) > MOST_GROUPS:
        st.caption(say("The first {most} of {all:,} groups.", most=MOST_GROUPS, all=len(every)))
    by = None
    if _other_labellers(whole):
        names = [*whole.side.view.labellers()]
        by = _labels_field(say("Labels"), LABELS, names, say("Those of the run"))
    if len(only) < FEWEST:
        raise ParameterError(say("Choose two groups or more."))
    return groups.sides(whole._replace(by=by).side, column, only)


def _no_groups() -> None:
    st.query_params.pop(compare_with.GROUPS, None)


def _more(
    first: ChosenSystem, second: ChosenSystem, systems: Sequence[ChosenSystem]
) -> list[ChosenSystem]:
    """Further systems, each compared with the first."""
    by_address: dict[str, ChosenSystem] = {}
    labelled = []
    if _are_of_one_system(first, second):
        labelled = [first._replace(by=by) for by in run_views.latest(first.run).labellers()]
    for system in (*labelled, *systems):
        if system not in (first, second):
            by_address[system.address] = system
    if not labelled:
        # One labeller for all, as for the first two.
        for system in (first, second):
            by_address.pop(system._replace(by=None).address, None)
    if not by_address:
        return []
    titles = {address: system.title for address, system in by_address.items()}
    label = say("More, each compared with the first")
    chosen = several_field(label, MORE, titles, say("None"), MOST_MORE)
    more = [by_address[address] for address in chosen]
    return more if labelled else [system._replace(by=first.by) for system in more]


def several_field(
    label: str, name: str, titles: Mapping[str, str], placeholder: str, most: int | None = None
) -> list[str]:
    """Choices that stand in the address, so that a link leads to the same."""
    key = f"compare_{name}"
    asked = st.session_state.get(key, st.query_params.get_all(name))
    # What was chosen before may be gone, or be chosen elsewhere by now.
    st.session_state[key] = [own for own in dict.fromkeys(asked) if own in titles][:most]

    def keep() -> None:
        st.query_params[name] = st.session_state[key]

    return st.multiselect(
        label,
        list(titles),
        format_func=lambda own: titles.get(own, ""),
        max_selections=most,
        placeholder=placeholder,
        key=key,
        on_change=keep,
    )


def _systems() -> list[ChosenSystem]:
    """Every model of every run that can be chosen, and of those that the address names."""
    runs = session.store().runs.newest(session.workspace(), MOST_RUNS)
    # An example is in nobody's list of runs, but a link leads to it.
    by_id = {run.id: run for run in runs}
    for name in (FIRST, SECOND, OF_RUN):
        # An address names the run before its dot, and may name an example or an older run.
        run_id = st.query_params.get(name, "").partition(".")[0]
        named = session.find_run(run_id)
        if named is not None:
            by_id[named.id] = named
    systems = []
    for run in by_id.values():
        # Without models the answers of the data are one system.
        for model in range(max(1, len(run.models))):
            systems.append(ChosenSystem(run, model))
    return systems


def _usual_pair(systems: Sequence[ChosenSystem]) -> tuple[ChosenSystem, ChosenSystem]:
    """The run that one comes from, else the newest, with its baseline or the likeliest other run.

    The baseline comes first, else the older one: a difference then says what became of it.
    """
    named = st.query_params.get(OF_RUN)
    own = next((system for system in systems if system.run.id == named), systems[0])
    baseline = session.store().runs.baseline_id(own.run)
    other = next(
        (system for system in systems if system.run.id == baseline != own.run.id),
        _likeliest_first(systems, own)[0],
    )
    newest_first = list(dict.fromkeys(system.run.id for system in systems))

    def order(system: ChosenSystem) -> tuple[bool, str, int, int]:
        # Of runs begun in one second, and of models of one run, as they are listed.
        age = -newest_first.index(system.run.id)
        return system.run.id != baseline, system.run.created, age, system.model

    before, after = sorted((own, other), key=order)
    return before, after


def _choose(first: ChosenSystem, second: ChosenSystem) -> None:
    """Chooses these two, with their labels."""
    choices = {}
    for name, system in ((FIRST, first), (SECOND, second)):
        choices[name] = system._replace(by=None).address
        if _are_of_one_system(first, second):
            choices[f"{name}_labels"] = system.by or WHAT_COUNTS
    for key, value in choices.items():
        st.query_params[key] = st.session_state[f"compare_{key}"] = value


def _likeliest_first(systems: Sequence[ChosenSystem], first: ChosenSystem) -> list[ChosenSystem]:
    """Another model of the same run, the same data, the same kind of run; then all others."""

    def unlikeness(system: ChosenSystem) -> tuple[bool, bool, bool, bool]:
        return (
            system == first,
            system.run.id != first.run.id,
            system.run.data_fingerprint != first.run.data_fingerprint,
            system.run.evaluator.name != first.run.evaluator.name,
        )

    return sorted(systems, key=unlikeness)


def _chosen(
    label: str, name: str, systems: Sequence[ChosenSystem], usual: ChosenSystem
) -> ChosenSystem:
    by_address = {system.address: system for system in systems}
    asked = st.query_params.get(name)
    address = _select(
        label,
        name,
        {address: system.title for address, system in by_address.items()},
        asked if asked in by_address else usual.address,
    )
    return by_address[address]


def _are_of_one_system(first: ChosenSystem, second: ChosenSystem) -> bool:
    """Whether two labellers of the same answers are compared, and not two systems."""
    return first._replace(by=None) == second._replace(by=None)


def _with_labels(first: ChosenSystem, second: ChosenSystem) -> tuple[ChosenSystem, ChosenSystem]:
    """Both with whose labels count: the same on both sides, but for two labellers of one run."""
    names = [*run_views.latest(first.run).labellers()]
    others = {*_other_labellers(first), *_other_labellers(second)}
    is_one_system = _are_of_one_system(first, second)
    if not is_one_system:
        theirs = run_views.latest(second.run).labellers()
        names = [by for by in names if by in theirs]
    if not others & {*names}:
        return first, second
    left, _, right = st.columns((8, 1, 8))
    if not is_one_system:
        with left:
            by = labels_field(names)
        return first._replace(by=by), second._replace(by=by)
    of_run = say("Those of the run")
    with left:
        first_by = _labels_field(say("Labels of the first"), f"{FIRST}_labels", names, of_run)
    with right:
        second_by = _labels_field(say("Labels of the second"), f"{SECOND}_labels", names, of_run)
    return first._replace(by=first_by), second._replace(by=second_by)


def labels_field(names: Sequence[str]) -> str | None:
    """Whose labels count in several runs; `None` for those of each run."""
    return _labels_field(say("Labels"), LABELS, names, say("Those of each run"))


def _labels_field(label: str, name: str, names: Sequence[str], of_run: str) -> str | None:
    """Whose labels count; `None` for those of the run."""
    titles = {WHAT_COUNTS: of_run} | {by: labellers.labeller_title(by) for by in names}
    asked = st.query_params.get(name, WHAT_COUNTS)
    return _select(label, name, titles, asked if asked in titles else WHAT_COUNTS) or None


def _other_labellers(system: ChosenSystem) -> list[str]:
    """Who labelled the run beside its own labeller."""
    view = run_views.latest(system.run)
    own = whose.own_labeller(view)
    return [by for by in view.labellers() if labellers.in_a_sentence(by) != own]


def _select(label: str, name: str, titles: Mapping[str, str], usual: str) -> str:
    """A choice that stands in the address, so that a link leads to the same comparison."""
    key = f"compare_{name}"

    def keep() -> None:
        st.query_params[name] = st.session_state[key]

    options: list[str] = list(titles)
    chosen: Any = st.selectbox(
        label,
        options,
        index=options.index(usual),
        format_func=lambda option: titles.get(option, option),
        # What can be chosen, or is the usual choice, may change with the other side.
        key=key if key not in st.session_state or st.session_state[key] in titles else None,
        on_change=keep,
    )
    return str(chosen)
