"""What the class sees on the wall: the way in, who is there, where it quarrels, and the reveal."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from evaluators.people.labellers import labeller_title
from evaluators.records import Run
from evaluators.rounds import tally
from evaluators.rounds.codes import spoken
from evaluators.rounds.records import AskedPlace, Participant, Round
from evaluators.runs import rounds
from evaluators.runs.store.bodies import timestamp
from evaluators.text.markup import html
from evaluators.text.words import counted
from evaluators.trace.labelling import GOLD, HEURISTIC
from ui import session
from ui.parts import check_link, problems
from ui.round import bars, door, frame, qr, reading
from ui.round.reading import Live

LEAD = "lead"
"""The query parameter of whoever leads a round."""
EVERY = 1.0
"""Seconds between two looks at what the class did."""
MOST_ON_BOARD = 5
PROBLEM = "projector"
UNKNOWN = "There is no such round here: the link is incomplete, or its run was deleted."


def show() -> None:
    """The round of whoever has its id; on a public host it opens nothing else of the workspace."""
    frame.bare_style()
    with problems.caught():
        made = session.store().rounds.get(st.query_params[LEAD])
        run = reading.run_of(made) if made else None
        if made is None or run is None:
            frame.note(UNKNOWN)
            return
        _wall_head(made, run)
        problems.show(PROBLEM)
        left, right = st.columns([1, 2.6])
        with left:
            if made.is_over:
                _board(made, run)
            else:
                _way_in(made)
        with right:
            _live(made, run)


# What the teacher does


def _wall_head(made: Round, run: Run) -> None:
    store = session.store()
    change = partial(store.rounds.change, made.id)
    close = partial(rounds.close, store, run, made)
    with st.container(horizontal=True, vertical_alignment="center", key="round_head"):
        st.html(f"<h1 class=pl-round-title>{html(made.name)}</h1>")
        with st.container(horizontal=True, width="content"):
            if made.state == "open":
                _button("Pause", "pause", partial(change, state="paused"))
            if made.state == "paused":
                _button("Go on", "play_arrow", partial(change, state="open"))
            if not made.is_over:
                _button("Close", "lock", close)
            if made.state != "revealed":
                _button("Reveal", "visibility", partial(close, reveal=True), is_primary=True)
            if made.is_over:
                _button("Reopen", "lock_open", partial(rounds.reopen, store, run, made))
            with st.popover("More", icon=":material/more_horiz:", key="round_more"):
                _more_actions(made, run)


def _button(
    label: str,
    icon: str,
    act: Callable[[], None],
    *,
    is_primary: bool = False,
) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        type="primary" if is_primary else "secondary",
        on_click=problems.guarded(act, PROBLEM),
    )


def _more_actions(made: Round, run: Run) -> None:
    store = session.store()
    st.download_button(
        "All labels (CSV)",
        partial(rounds.labels_csv, store, run, made),
        f"round-{made.created[:10]}.csv",
        "text/csv",
        # Made at the click, so the wall need not be drawn anew for it.
        on_click="ignore",
    )
    st.toggle(
        "Show who was right most often",
        made.has_board,
        on_change=problems.guarded(
            partial(store.rounds.change, made.id, has_board=not made.has_board), PROBLEM
        ),
    )
    # Both are UTC in ISO, so they compare as text.
    if made.code_until <= timestamp() and not made.is_over:
        _button("New code", "key", partial(store.rounds.change, made.id, **rounds.fresh_code()))
    if participants := store.rounds.participants(made.id):
        _take_out(participants)
    # Whoever has only the link of the round has no run to go back to.
    if session.find_run(run.id) is not None:
        if st.button("Back to the run", icon=":material/arrow_back:"):
            session.open_run(run)
        if made.is_over:
            check_link.button(run)


def _take_out(participants: Sequence[Participant]) -> None:
    chosen = st.selectbox(
        "Take somebody out",
        participants,
        index=None,
        format_func=lambda participant: participant.nickname,
        placeholder="Nickname",
    )
    if chosen:
        _button(
            "Take out, with all labels",
            "person_remove",
            partial(session.store().rounds.remove, chosen),
        )


# The way in


def _way_in(made: Round) -> None:
    base = qr.reachable(qr.base())
    picture = qr.picture(f"{base}?{door.JOIN}={made.join}")
    source = base64.b64encode(picture.encode()).decode()
    st.html(
        f'<img class="pl-qr" alt="QR code: the way into this round" '
        f'src="data:image/svg+xml;base64,{source}">'
    )
    place = base.partition("://")[2]
    code = spoken(made.code) if made.code_until > timestamp() else "expired"
    st.html(
        f'<p class="pl-way"><span class="pl-place">{html(place)}</span>'
        f'<strong class="pl-code">{code}</strong></p>'
    )
    if qr.is_local(base):
        _say_how_to_be_reached()


def _say_how_to_be_reached() -> None:
    """Phones cannot open an address that means this machine alone."""
    own = qr.network_address() or "YOUR-ADDRESS"
    port = st.get_option("server.port")
    with st.popover("Phones cannot open this", icon=":material/wifi_off:"):
        st.markdown("This address means this machine alone. Stop Plumbline and start it so:")
        command = f"streamlit run app.py --server.address 0.0.0.0 --server.allowedHosts {own}"
        st.code(command, language=None, wrap_lines=True)
        st.markdown("Then open this page under:")
        st.code(f"http://{own}:{port}", language=None)
        st.caption("Whoever is in the same network can then open all of this Plumbline.")


# What the class did


@st.fragment(run_every=EVERY)
def _live(drawn: Round, run: Run) -> None:
    """The labels as they come; after the reveal what is right."""
    with problems.caught():
        made = session.store().rounds.get(drawn.id)
        # The buttons in the head are of the state before, and a fragment cannot draw them anew.
        if made is None or made.state != drawn.state:
            st.rerun()
        live = reading.live(made, run)
        _say_how_far(live)
        if made.state == "revealed":
            _say_who_is_right(live)
        spread = live.spread
        lines = []
        for place in tally.by_quarrel(spread):
            revealed = _labellers_of_sentence(live, place) if made.state == "revealed" else ""
            said = bars.bar(spread[place], made.kind)
            lines.append(bars.sentence_line(live.content, place) + said + revealed)
        if not lines:
            frame.note("Waiting for the first label.")
        fading = "pl-reveal" if made.state == "revealed" else ""
        st.html(f'<div class="pl-round-list {fading}">{bars.stacked_rows(lines)}</div>')


def _say_how_far(live: Live) -> None:
    people = len(live.participants)
    total = people * len(live.content.places)
    facts = [f"<b>{counted(people, 'participant')}</b>"]
    if total:
        facts.append(f"<b>{len(live.labels):,}</b> of {total:,} labels")
    measure, value, sentences = live.agreement
    if value is not None:
        symbol = {"kappa": "κ", "alpha": "α"}[measure]
        meaning = f"{measure}, of {sentences}: 1 is full agreement, 0 what chance gives"
        number = f"{value:.2f}".replace("-", "−")
        facts.append(f'agreement <b title="{meaning}">{symbol} {number}</b>')
    ties = sum(own.is_tied for own in live.spread.values())
    if ties and live.made.is_over:
        facts.append(f"{counted(ties, 'tie')}, to the stricter label")
    if live.made.state == "paused":
        facts.append("<b>paused</b>")
    names = "".join(f"<span>{html(each.nickname)}</span>" for each in live.participants)
    shown = "" if live.made.is_over else f'<p class="pl-names" dir="auto">{names}</p>'
    st.html(f'<p class="pl-facts" role="status">{" · ".join(facts)}</p>{shown}')


def _say_who_is_right(live: Live) -> None:
    """Class, judge and estimate beside what counts as right, in one line."""
    truth = live.true_labels
    shares = []
    for name, labels in (
        ("the class", tally.class_labels(live.spread)),
        *(
            (bars.in_a_sentence(by), live.content.labels_by(by))
            for by in _labellers_beside_class(live)
        ),
    ):
        score = tally.right(labels, truth)
        if score:
            shares.append(f"{html(name)} <b>{100 * score.share:.0f} %</b>")
    if not shares:
        return
    line = ", ".join(shares)
    whose = html(bars.in_a_sentence(live.truth))
    against = "right against gold" if live.truth == GOLD else f"like {whose}"
    st.html(f'<p class="pl-finding pl-reveal">{line[0].upper()}{line[1:]} {against}</p>')


def _labellers_beside_class(live: Live) -> Sequence[str]:
    """The labellers beside the class, without the one that counts as right."""
    names = dict.fromkeys((live.content.own_labeller, HEURISTIC, GOLD))
    return [by for by in names if by != live.truth and live.content.labels_by(by)]


def _labellers_of_sentence(live: Live, place: AskedPlace) -> str:
    kind, truth = live.made.kind, live.true_labels.get(place)
    spread = live.spread[place]
    said = [bars.verdict(kind, "Class", spread.majority, truth=truth)]
    for by in _labellers_beside_class(live):
        support = live.content.labels_by(by).get(place)
        said.append(bars.verdict(kind, labeller_title(by), support, truth=truth))
    said.append(bars.verdict(kind, labeller_title(live.truth), truth))
    return f'<p class="pl-verdicts">{"".join(said)}</p>'


def _board(made: Round, run: Run) -> None:
    """Who agreed most often with what counts as right."""
    live = reading.live(made, run)
    if made.state != "revealed":
        frame.note("Closed. Reveal shows what judge and gold say.")
        return
    if not made.has_board:
        return
    places = tally.board(live.participants, live.labels, live.true_labels)
    lines = []
    for nickname, score in places[:MOST_ON_BOARD]:
        right = f"<b>{score.equal} of {score.both}</b>"
        lines.append(f'<li><span dir="auto">{html(nickname)}</span> {right}</li>')
    if lines:
        st.html(
            f'<h2 class="pl-board-title">Most like {html(bars.in_a_sentence(live.truth))}</h2>'
            f'<ol class="pl-board">{"".join(lines)}</ol>'
        )
