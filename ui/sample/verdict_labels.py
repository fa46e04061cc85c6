"""Whether the yes-or-no values of a metric are right, in the eyes of whoever looks at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from evaluators.people.labellers import person_title
from evaluators.people.labels import by_person, corrected_values, last_words
from evaluators.people.records import DONE, PersonLabel, PersonLabelKind
from evaluators.records import Cell, Run, Score
from evaluators.runs.label_queues import asked_values
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say
from ui import run_views, session
from ui.parts import people, problems
from ui.parts.untrusted import plain

WORD: Mapping[float | None, str] = {1.0: mark("yes"), 0.0: mark("no")}
RIGHT, WRONG = mark("right", "verdict"), mark("wrong", "verdict")


def values_after_people(run: Run, cell: Cell, score: Score) -> dict[str, float | None]:
    """The values of a metric after what people say of them."""
    given = session.store().person_labels.by_cell(run.id, cell).get(cell, [])
    return corrected_values(score.values, given)


def ask_verdicts(run: Run, cell: Cell, score: Score, titles: Mapping[str, str]) -> None:
    """A line for each yes-or-no value: what it counts as, and whether a person calls it right."""
    names = [name for name in asked_values(run_views.latest(run), cell.metric) if name in titles]
    # Of RGB each ability has other values, and nobody can call right what is not there.
    names = [name for name in names if score.values.get(name) is not None]
    if not names or run.workspace == EXAMPLES:
        return
    given = session.store().person_labels.by_cell(run.id, cell).get(cell, [])
    own = [label for label in given if label.person == people.me()]
    said = last_words(own)
    key = f"verdicts_{run.id}_{cell.position}_{cell.model}_{cell.metric}"
    with st.container(border=True, key=f"verdicts_{cell.metric}"):
        problems.show(key)
        after = corrected_values(score.values, given)
        for name in names:
            _one_value(run, cell, titles[name], name, score.values[name], after[name], said)
        with st.container(horizontal=True, vertical_alignment="center"):
            done = _done(names, said, score.values) if _is_confirmed(own) else ""
            _buttons_of_answer(run, cell, key, done=done, can_undo=bool(own))
            people.choose(f"verdict_name_{cell.metric}")
        if others := _said_by_others(given, score.values):
            st.caption(plain(others))


def _one_value(
    run: Run,
    cell: Cell,
    title: str,
    name: str,
    value: float | None,
    after: float | None,
    said: Mapping[tuple[str, str], PersonLabel],
) -> None:
    own = said.get(("verdict", name))
    widget = f"verdict_{run.id}_{cell.position}_{cell.model}_{cell.metric}_{name}"
    # From the store at every drawing: Undo, or another tab, may have changed it.
    st.session_state[widget] = _right_or_wrong(own.value, value) if own else None

    def change() -> None:
        session.check_pace(f"{session.tab()} {run.id}")
        table = session.store().person_labels
        chosen = st.session_state[widget]
        # A second click on the chosen one takes it back.
        if chosen is None:
            table.withdraw(run.id, cell, people.me(), "verdict", name)
            return
        # Kept as a verdict of its own: "right" would change its meaning with the run's value.
        verdict = WORD[value] if chosen == RIGHT else WORD[1.0 - (value or 0.0)]
        table.save(run.id, cell, _own_label("verdict", name, verdict))

    verdict = say("{question}: {answer}.", question=plain(title), answer=say(WORD[value]))
    words = [f"**{verdict}**"]
    if after != value:
        words.append(say("People say: {answer}.", answer=say(WORD[after])))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(" ".join(words), width="content")
        st.segmented_control(
            say("{value} is", value=plain(title)),
            [RIGHT, WRONG],
            format_func=lambda word: say(word, "verdict"),
            key=widget,
            on_change=problems.guarded(change, widget),
            label_visibility="collapsed",
        )
    problems.show(widget)


def _buttons_of_answer(
    run: Run,
    cell: Cell,
    key: str,
    *,
    done: str,
    can_undo: bool,
) -> None:
    table = session.store().person_labels
    # Of several metrics on a page the first has the keys.
    has_keys = cell.metric == 0
    if done:
        st.markdown(f"✓ {done}", width="content")
    else:

        def confirm() -> None:
            session.check_pace(f"{session.tab()} {run.id}")
            table.save(run.id, cell, _own_label("sample", "", DONE))

        st.button(
            say("All right as it is"),
            key=f"{key}_confirm",
            on_click=problems.guarded(confirm, key),
            shortcut="A" if has_keys else None,
        )
    if can_undo:
        undo = partial(table.undo, run.id, cell, people.me())
        st.button(
            say("Undo"),
            key=f"{key}_undo",
            on_click=problems.guarded(undo, key),
            shortcut="U" if has_keys else None,
        )


def _is_confirmed(own: Sequence[PersonLabel]) -> bool:
    return any(label.label == "sample" and label.value == DONE for label in own)


def _done(
    names: Sequence[str],
    said: Mapping[tuple[str, str], PersonLabel],
    values: Mapping[str, float | None],
) -> str:
    """What came of it for whoever looks: all is right, or how many of these values are not."""
    wrong = 0
    for name in names:
        own = said.get(("verdict", name))
        if own and _right_or_wrong(own.value, values[name]) == WRONG:
            wrong += 1
    if not wrong:
        return say("You: all right as it is")
    return say("You: {part} of {all} wrong", part=wrong, all=len(names))


def _said_by_others(given: Sequence[PersonLabel], values: Mapping[str, float | None]) -> str:
    """What other people said, in a line."""
    lines = []
    for person, labels in by_person(given).items():
        if person == people.me():
            continue
        last = last_words(labels)
        state = last.pop(("sample", ""), None)
        words = [
            say(_right_or_wrong(label.value, values[name]), "verdict")
            for (_, name), label in last.items()
            if values.get(name) is not None
        ]
        if state:
            is_confirmed = state.value == DONE and not words
            words.append(say("all right as it is") if is_confirmed else say(state.value))
        said = say(", ").join(words)
        lines.append(say("{name}: {sentence}", name=person_title(person), sentence=said))
    return " · ".join(lines)


def _right_or_wrong(said: str, value: float | None) -> str:
    return RIGHT if value is not None and said == WORD[value] else WRONG


def _own_label(kind: PersonLabelKind, key: str, value: str) -> PersonLabel:
    return PersonLabel(
        person=people.me(),
        label=kind,
        key=key,
        value=value,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
