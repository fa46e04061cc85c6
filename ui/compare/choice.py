"""Which systems are compared: a model of a run each, and whose labels count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from evaluators.catalogue import leads
from evaluators.comparison.sides import Side
from evaluators.people import labellers
from evaluators.records import Run
from evaluators.runs import run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.naming import PARTS
from evaluators.text.language import say
from ui import run_views, session
from ui.parts import compare_with
from ui.parts.compare_with import FIRST, MORE, OF_RUN, SECOND

MOST_RUNS = 200
"""Runs that can be chosen, newest first; an older one is compared by its address."""
MOST_MORE = 8
"""Systems beside the first two: a table of more columns than fit could not be read."""
WHAT_COUNTS = ""
"""The choice of labels that leaves them as the run has them."""


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
    """
    systems = _systems()
    if not systems:
        st.info(say("No run yet. Start one, or open an example on the Home page."))
        st.page_link("../pages/home.py", label=say("Home"), icon=":material/home:")
        return None
    before, after = _usual_pair(systems)
    left, between, right = st.columns((8, 1, 8))
    with left:
        first = _chosen(say("First (before)"), FIRST, systems, before)
        first = first._replace(by=_labels_field(first, FIRST))
    with right:
        others = _likeliest_first(systems, first)
        usual = after if first.address == before.address else others[0]
        second = _chosen(say("Second (after)"), SECOND, systems, usual)
        second = second._replace(by=_labels_field(second, SECOND))
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
        if leads(first.run.evaluator.name) == "trace":
            words = say(
                "Both are the same. Choose another run or model or other labels for one of them."
            )
        st.info(words)
        return None
    return [system.side for system in (first, second, *_more(first, second, others))]


def _more(
    first: ChosenSystem, second: ChosenSystem, systems: Sequence[ChosenSystem]
) -> list[ChosenSystem]:
    """Further systems, each compared with the first."""
    by_address: dict[str, ChosenSystem] = {}
    for system in (*_by_labellers(first), *_by_labellers(second), *systems):
        if system not in (first, second):
            by_address[system.address] = system
    if not by_address:
        return []
    key = f"compare_{MORE}"
    asked = st.session_state.get(key, st.query_params.get_all(MORE))
    # What was chosen before may be the first or the second by now.
    st.session_state[key] = [address for address in asked if address in by_address][:MOST_MORE]

    def keep() -> None:
        st.query_params[MORE] = st.session_state[key]

    chosen = st.multiselect(
        say("More, each compared with the first"),
        list(by_address),
        format_func=lambda address: by_address[address].title if address in by_address else "",
        max_selections=MOST_MORE,
        placeholder=say("None"),
        key=key,
        on_change=keep,
    )
    return [by_address[address] for address in chosen]


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
    baseline = session.store().baselines.id_for(own.run)
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
    for name, system in ((FIRST, first), (SECOND, second)):
        for key, value in (
            (name, system._replace(by=None).address),
            (f"{name}_labels", system.by or WHAT_COUNTS),
        ):
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


def _labels_field(system: ChosenSystem, name: str) -> str | None:
    """Whose labels count, where several labelled the run; `None` for those of the run."""
    names = [own.by for own in _by_labellers(system) if own.by]
    if not names:
        return None
    titles = {WHAT_COUNTS: say("Those of the run")}
    titles |= {by: labellers.labeller_title(by) for by in names}
    asked = st.query_params.get(f"{name}_labels", WHAT_COUNTS)
    usual = asked if asked in titles else WHAT_COUNTS
    return _select(say("Labels"), f"{name}_labels", titles, usual) or None


def _by_labellers(system: ChosenSystem) -> list[ChosenSystem]:
    """The system as each of several labellers has it; none where only one labelled the run."""
    if leads(system.run.evaluator.name) != "trace":
        return []
    names = run_views.latest(system.run).labellers()
    return [system._replace(by=by) for by in names] if len(names) > 1 else []


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
