"""What a participant sees: one sentence after the other with three targets, then the reveal."""

from __future__ import annotations

from functools import partial

import streamlit as st

from evaluators.people.labellers import labeller_title
from evaluators.records import Support
from evaluators.report import coloured
from evaluators.rounds import tally
from evaluators.rounds.limits import labels_given
from evaluators.rounds.records import AskedPlace, Participant, Round
from evaluators.runs.rounds import RoundContent
from evaluators.text.words import counted
from ui import session
from ui.parts import problems
from ui.round import bars, door, frame, reading

# Sixty phones look: every two seconds, that alone kept a processor busy.
WATCH = 5.0
"""Seconds until a participant sees that the round was paused, closed or revealed."""
ASKED = "How many of its sentences does {} call supported?"
PROBLEM = "round"
EMPTY = "There is no sentence to label here."
GONE = "You are not in a round here: it was deleted, you were taken out, or the link is incomplete."


def show() -> None:
    """The round of whoever has this token, as far as it is; nothing else of the run."""
    frame.bare_style()
    with problems.caught():
        store = session.store()
        me = store.rounds.participant(st.query_params[door.ME])
        made = store.rounds.get(me.round_id) if me else None
        run = reading.run_of(made) if made else None
        if me is None or made is None or run is None:
            frame.note(GONE)
            return
        # First of all, so that closed and empty rounds are left by themselves as well.
        _watch(made, me)
        content = reading.held_content(made, run)
        if not content.places:
            frame.note(EMPTY)
        elif made.state == "revealed":
            _revealed(reading.live(made, run), me)
        elif made.state == "closed":
            total, own = len(content.places), store.rounds.labels_of(me)
            frame.note(f"The round is closed. You labelled {len(own)} of {total}. Look ahead!")
        else:
            _label_sentences(made, content, me)


@st.fragment(run_every=WATCH)
def _watch(drawn: Round, me: Participant) -> None:
    """Draws the page anew once the round is in another state, or the participant is gone."""
    with problems.caught():
        made = session.store().rounds.get(drawn.id)
        is_there = made is not None and session.store().rounds.participant(me.token) is not None
        if not is_there or made is None or made.state != drawn.state:
            st.rerun()


# A label is drawn without the rest of the page.
@st.fragment
def _label_sentences(made: Round, content: RoundContent, me: Participant) -> None:
    with problems.caught():
        problems.show(PROBLEM)
        if made.state == "paused":
            st.info("The round is paused. Look ahead!", icon=":material/pause_circle:")
        own = session.store().rounds.labels_of(me)
        places = content.places
        step = _step_on_screen(me, places, own)
        total = counted(len(places), bars.NOUNS[made.kind])
        _steps_bar(me, step, len(places), len(own), total)
        if step == len(places):
            _after_last_sentence(made, me, places, own)
        else:
            _one_sentence(made, content, me, places[step], own)


def _steps_bar(
    me: Participant,
    step: int,
    last: int,
    done: int,
    total: str,
) -> None:
    """Back, how far one is, and Next; the step after the last sentence is the end."""
    with st.container(horizontal=True, vertical_alignment="center", key="round_steps"):
        st.button(
            "Back",
            icon=":material/arrow_back:",
            disabled=step == 0,
            on_click=_go_to_step,
            args=(me, step - 1),
            shortcut="Left",
        )
        st.progress(done / last, f"{done} of {total}")
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            icon_position="right",
            disabled=step == last,
            on_click=_go_to_step,
            args=(me, step + 1),
            shortcut="Right",
        )


def _one_sentence(
    made: Round,
    content: RoundContent,
    me: Participant,
    place: AskedPlace,
    own: dict[AskedPlace, Support],
) -> None:
    answer = content.answers[place.answer]
    targets = bars.SHORT[made.kind].items()
    left, right = st.columns(2)
    with left:
        st.html(bars.answer_around(content, place, own))
    with right:
        st.html(coloured.passages(answer.sample.retrieved_documents))
    with st.container(key="round_targets"):
        if made.kind == "guess":
            whose = bars.in_a_sentence(content.own_labeller)
            st.html(bars.text_line(place, ASKED.format(whose)))
        else:
            st.html(bars.sentence_line(content, place))
        with st.container(horizontal=True, key="round_buttons"):
            for number, (support, word) in enumerate(targets, start=1):
                st.button(
                    word.capitalize(),
                    # Its own for each sentence, so that a late tap is known to be one.
                    key=f"{support.value}_{place.answer}_{place.key}",
                    type="primary" if own.get(place) is support else "secondary",
                    shortcut=str(number),
                    width="stretch",
                    disabled=made.state == "paused",
                    on_click=problems.guarded(
                        partial(_label_and_go_on, me, content, place, support), PROBLEM
                    ),
                )


def _label_and_go_on(
    me: Participant,
    content: RoundContent,
    place: AskedPlace,
    support: Support,
) -> None:
    """Keeps the label and goes on to the next sentence."""
    step = content.places.index(place)
    # A second tap, on its way while the next sentence was drawn, is not meant for it.
    if st.session_state[_step_key(me)] != step:
        return
    # A refused tap is not counted, so that whoever waits a minute can go on.
    labels_given.check(me.token)
    labels_given.count(me.token)
    session.store().rounds.label(me, place, support)
    _go_to_step(me, step + 1)


def _step_on_screen(
    me: Participant,
    places: list[AskedPlace],
    own: dict[AskedPlace, Support],
) -> int:
    """Which sentence is on the screen: after a reload the first one without a label."""
    unlabelled = [number for number, place in enumerate(places) if place not in own]
    first = unlabelled[0] if unlabelled else len(places)
    step: int = st.session_state.setdefault(_step_key(me), first)
    return step


def _step_key(me: Participant) -> str:
    return f"round_step_{me.number}"


def _go_to_step(me: Participant, step: int) -> None:
    st.session_state[_step_key(me)] = step


def _after_last_sentence(
    made: Round,
    me: Participant,
    places: list[AskedPlace],
    own: dict[AskedPlace, Support],
) -> None:
    unlabelled = [number for number, place in enumerate(places) if place not in own]
    if unlabelled:
        frame.note(f"{counted(len(unlabelled), bars.NOUNS[made.kind])} without a label.")
        st.button("Label them", type="primary", on_click=_go_to_step, args=(me, unlabelled[0]))
    else:
        frame.note("That was the last one. You can go back until the round closes.")


# After the end


def _revealed(live: reading.Live, me: Participant) -> None:
    """One's own labels beside those of the class and what counts as right."""
    own = {label.place: label.support for label in live.labels if label.participant == me.number}
    kind = live.made.kind
    voted, truth = tally.class_labels(live.spread), live.true_labels
    whose, in_a_sentence = labeller_title(live.truth), bars.in_a_sentence(live.truth)
    lines = []
    for name, labels in (("You", own), ("The class", voted)):
        score = tally.right(labels, truth)
        if score:
            share = f"{100 * score.share:.0f} %"
            lines.append(f"{name}: {share} like {in_a_sentence} ({score.equal} of {score.both})")
    frame.note("\n".join(lines) or f"{whose} has no labels of these sentences.")
    parts = []
    for place in tally.by_quarrel(live.spread):
        said = (
            bars.verdict(kind, "You", own.get(place), truth=truth.get(place)),
            bars.verdict(kind, "Class", voted.get(place), truth=truth.get(place)),
            bars.verdict(kind, whose, truth.get(place)),
        )
        parts.append(bars.sentence_line(live.content, place) + "".join(said))
    st.html(f'<div class="pl-round-result">{bars.stacked_rows(parts)}</div>')
