"""What a participant sees: one place after the other with three targets, then the reveal."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.records import Support
from evaluators.rounds import tally
from evaluators.rounds.codes import spoken
from evaluators.rounds.kinds import KINDS, Described
from evaluators.rounds.records import AskedPlace, Participant, Round
from evaluators.rounds.tally import Right
from evaluators.runs.glossary import terms
from evaluators.runs.round_content import PLANTED, RoundContent
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import RATE
from evaluators.text.words import joined_sentences
from ui import script, session
from ui.parts import problems
from ui.round import bars, door, frame, material, reading, systems

# Sixty phones look: every two seconds, that alone kept a processor busy.
WATCH = 5.0
"""Seconds until a participant sees that the round was paused, closed or revealed."""
PROBLEM = "round"
EMPTY = mark("There is nothing to label here.")
_heard = script.component("heard", '<p role="status"></p>', "heard.css")
GONE = mark(
    "You are not in a round here: it was deleted, you were taken out, or the link is incomplete."
)


def show() -> None:
    """The round of whoever has this token, as far as it is; nothing else of the run."""
    frame.bare_style()
    _screen(st.query_params[door.ME])


# One fragment for all that can be tapped and all that changes by itself. With a second one its
# look, where it comes just as a tap ends, makes Streamlit drop what the tap has drawn: the label
# was kept and the screen stood still. Now such a look draws the same screen again.
@st.fragment(run_every=WATCH)
def _screen(token: str) -> None:
    with problems.caught():
        # At one place whatever comes below it: a live region that is made anew says nothing.
        aloud = st.container()
        store = session.store()
        me = store.rounds.participant(token)
        made = store.rounds.get(me.round_id) if me else None
        run = reading.run_of(made) if made else None
        if me is None or made is None or run is None:
            frame.note(say(GONE))
            return
        content = reading.held_content(made, run)
        if not content.places:
            frame.note(say(EMPTY))
        elif made.state == "revealed":
            _say_aloud(aloud, _revealed(reading.live(made, run), me))
        elif made.state == "closed":
            own, total = len(store.rounds.labels_of(me)), len(content.places)
            closed = say(
                "The round is closed. You labelled {own} of {total}. Look at the wall.",
                own=own,
                total=total,
            )
            frame.note(closed)
            _say_aloud(aloud, closed)
        else:
            _say_aloud(aloud, _label_sentences(made, content, me))


def _say_aloud(place: DeltaGenerator, text: str) -> None:
    """Has a screen reader say it, where it is not what was said last."""
    with place:
        _heard(key="round_heard", data={"text": text})


def _label_sentences(made: Round, content: RoundContent, me: Participant) -> str:
    """What can be tapped now; returns what it is in words."""
    problems.show(PROBLEM)
    paused = say("The round is paused. Look at the wall.") if made.state == "paused" else ""
    if paused:
        st.info(paused, icon=":material/pause_circle:")
    own = session.store().rounds.labels_of(me)
    places = content.places
    step = _step_on_screen(me, places, own)
    total = KINDS[made.kind].counting(len(places))
    _steps_bar(me, step, len(places), len(own), total)
    # Above the documents, where it is seen without scrolling.
    code = say("Your own code, to come back: {code}", code=spoken(me.code))
    st.html(f'<p class="pl-own-code">{html(code)}</p>')
    if step == len(places):
        return paused or _after_last_place(made, me, places, own)
    place = places[step]
    _one_place(made, content, me, place, own)
    number = say("{done} of {total}", done=step + 1, total=total)
    return paused or joined_sentences([number, content.text(place), bars.question(made, content)])


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
            say("Back", "step"),
            icon=":material/arrow_back:",
            disabled=step == 0,
            on_click=_go_to_step,
            args=(me, step - 1),
            shortcut="Left",
        )
        st.progress(done / last, say("{done} of {total}", done=done, total=total))
        st.button(
            say("Next", "step"),
            icon=":material/arrow_forward:",
            icon_position="right",
            disabled=step == last,
            on_click=_go_to_step,
            args=(me, step + 1),
            shortcut="Right",
        )


def _one_place(
    made: Round,
    content: RoundContent,
    me: Participant,
    place: AskedPlace,
    own: dict[AskedPlace, Support],
) -> None:
    described, question = KINDS[made.kind], bars.question(made, content)
    material.show(content, place, own)
    with st.container(key="round_targets"):
        if made.kind == "support":
            st.html(bars.asked_line(content, place))
            _question_and_meanings(described, question, say(described.asked_help))
        elif made.kind == "score":
            _question_and_meanings(described, question, say(terms()[made.value].meaning))
        else:
            st.html(bars.text_line(place, question))
        with st.container(horizontal=True, key="round_buttons"):
            for number, (support, word) in enumerate(described.words.items(), start=1):
                st.button(
                    say(word).capitalize(),
                    # Its own for each place, so that a late tap is known to be one.
                    key=f"{support.value}_{place.answer}_{place.key}",
                    type="primary" if own.get(place) is support else "secondary",
                    shortcut=str(number),
                    width="stretch",
                    disabled=made.state == "paused",
                    on_click=problems.guarded(
                        partial(_label_and_go_on, me, content, place, support), PROBLEM
                    ),
                )


def _question_and_meanings(described: Described, question: str, asked_help: str) -> None:
    """What is asked, which opens what beginners ask about it; each meaning stands over its target.

    It is an element of its own that never changes, so it stays open from sentence to sentence.
    """
    meanings = "".join(f"<span>{html(say(meaning))}</span>" for meaning in described.meanings)
    st.html(
        f'<details class="pl-ask"><summary>{html(question)}</summary>'
        f"{html(asked_help)}</details>"
        f'<p class="pl-meanings">{meanings}</p>'
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
    session.check_pace(me.token)
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


def _after_last_place(
    made: Round,
    me: Participant,
    places: list[AskedPlace],
    own: dict[AskedPlace, Support],
) -> str:
    unlabelled = [number for number, place in enumerate(places) if place not in own]
    if unlabelled:
        missing = KINDS[made.kind].counting(len(unlabelled))
        left = say("{missing} without a label.", missing=missing)
        frame.note(left)
        st.button(say("Label them"), type="primary", on_click=_go_to_step, args=(me, unlabelled[0]))
        return left
    done = say("Done. Wait for the reveal; you can go back until the round closes.")
    frame.note(done)
    return done


# After the end


def _revealed(live: reading.Live, me: Participant) -> str:
    """One's own labels beside those of the class and what counts as right; returns the shares."""
    own = {label.place: label.support for label in live.labels if label.participant == me.number}
    kind, content = live.made.kind, live.content
    truth = content.labels_by(content.truth)
    lines = []
    for name, labels in ((say("You"), own), (say("The class"), live.voted)):
        score = tally.right(labels, truth)
        if score:
            lines.append(_score_in_words(name, score, content.truth))
    if not live.labels:
        lines.append(say("Nobody labelled anything."))
    elif not lines:
        whose = bars.title(content.truth)
        lines.append(say("{labeller} has no labels of what was asked.", labeller=whose))
    frame.note("\n".join(lines))
    material.folded(content, tally.disputed(live.spread))
    parts = []
    for place in tally.by_quarrel(live.spread):
        right = live.known_truth(place)
        said = [
            bars.verdict(kind, say("You"), own.get(place), truth=right),
            bars.verdict(kind, say("Class"), live.voted.get(place), truth=right),
        ]
        if place in truth:
            said.append(bars.verdict(kind, bars.title(content.truth), truth[place]))
        said += [systems.names(live, place), systems.score(live, place)]
        parts.append(bars.asked_of_answer(content, place) + "".join(said))
    st.html(f'<div class="pl-round-result">{bars.stacked_rows(parts)}</div>')
    return "\n".join(lines)


def _score_in_words(name: str, score: Right, truth: str) -> str:
    blanks: dict[str, object] = {"name": name, "equal": score.equal, "both": score.both}
    blanks["share"] = RATE.shown(score.share)
    if truth == PLANTED:
        return say("{name}: {share} right ({equal} of {both})", **blanks)
    blanks["labeller"] = bars.in_a_sentence(truth)
    return say("{name}: {share} like {labeller} ({equal} of {both})", **blanks)
