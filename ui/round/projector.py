"""What the class sees on the wall: the way in, who is there, where it quarrels, and the reveal."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import streamlit as st

from evaluators.config import config
from evaluators.records import Run
from evaluators.rounds import tally
from evaluators.rounds.codes import LET_IN, spoken
from evaluators.rounds.kinds import KINDS
from evaluators.rounds.limits import WINDOW
from evaluators.rounds.records import AskedPlace, Participant, Round
from evaluators.rounds.tally import ClassAgreement
from evaluators.runs import rounds
from evaluators.runs.examples import is_made_up
from evaluators.runs.round_content import PLANTED, RoundContent
from evaluators.runs.store.bodies import timestamp
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import counted
from evaluators.trace.labelling import GOLD, HEURISTIC
from evaluators.votes import RULE
from ui import session
from ui.parts import check_link, problems
from ui.parts.untrusted import plain
from ui.round import bars, door, frame, material, qr, reach, reading, systems, way_back
from ui.round.reading import Live

LEAD = "lead"
"""The query parameter of whoever leads a round."""
EVERY = 1.0
"""Seconds between two looks at what the class did."""
MOST_ON_BOARD = 5
"""Places that are named; who shares the last one is there too."""
PROBLEM = "projector"
CLOSE = mark("Nobody can label any more. Nothing is revealed, and Reopen goes on.")
REVEAL = mark("Ends the round and shows what is right; after that it cannot be reopened.")
# As Landis and Koch (1977) call them; of their first step half is no more than chance.
AGREEMENTS = (
    (0.1, mark("hardly any", "agreement")),
    (0.2, mark("slight", "agreement")),
    (0.4, mark("fair", "agreement")),
    (0.6, mark("moderate", "agreement")),
    (0.8, mark("substantial", "agreement")),
)
"""What an agreement beyond chance is called below each bound."""
FULL_AGREEMENT = mark("almost full", "agreement")
MADE_UP = mark("Models and judges of this example are made up: no measurement of a named one.")
UNKNOWN = mark("There is no such round here: the link is incomplete, or its run was deleted.")


def show() -> None:
    """The round of whoever has its id; on a public host it opens nothing else of the workspace."""
    frame.bare_style()
    with problems.caught():
        made = session.store().rounds.get(st.query_params[LEAD])
        run = reading.run_of(made) if made else None
        if made and run:
            # Outside of the wall, which is drawn every second.
            way_back.keep(made, run)
    _wall(st.query_params[LEAD])


# One fragment, as on the phones: buttons and labels cannot tell of two states.
@st.fragment(run_every=EVERY)
def _wall(round_id: str) -> None:
    with problems.caught():
        made = session.store().rounds.get(round_id)
        run = reading.run_of(made) if made else None
        if made is None or run is None:
            frame.note(say(UNKNOWN))
            return
        _wall_head(made, run)
        problems.show(PROBLEM)
        live = reading.live(made, run)
        # Before the reveal it would tell where the class is divided, and close what is open.
        is_revealed = made.state == "revealed"
        material.folded(live.content, tally.disputed(live.spread) if is_revealed else {})
        left, right = st.columns([1, 2.6])
        with left:
            if made.is_over:
                _board(live)
            else:
                _way_in(live)
        with right:
            _what_class_did(live)


# What the teacher does


def _wall_head(made: Round, run: Run) -> None:
    store = session.store()
    change = partial(store.rounds.change, made.id)
    close = partial(rounds.close, store, run, made)
    with st.container(horizontal=True, vertical_alignment="center", key="round_head"):
        st.html(f"<h1 class=pl-round-title>{html(made.name)}</h1>")
        with st.container(horizontal=True, width="content"):
            if made.state == "open":
                _button(say("Pause"), "pause", partial(change, state="paused"))
            if made.state == "paused":
                _button(say("Go on"), "play_arrow", partial(change, state="open"))
            if not made.is_over:
                _button(say("Close"), "lock", close, tip=say(CLOSE))
            if made.state != "revealed":
                reveal = partial(close, reveal=True)
                _button(say("Reveal"), "visibility", reveal, tip=say(REVEAL), is_primary=True)
            if made.state == "closed" or _is_revealed_in_vain(made):
                _button(say("Reopen"), "lock_open", partial(rounds.reopen, store, run, made))
            with st.popover(say("More"), icon=":material/more_horiz:", key="round_more"):
                _more_actions(made, run)


def _is_revealed_in_vain(made: Round) -> bool:
    """Whether nobody had labelled when it was revealed, so that it may go on."""
    return made.state == "revealed" and not session.store().rounds.labels(made.id)


def _button(
    label: str,
    icon: str,
    act: Callable[[], None],
    *,
    tip: str | None = None,
    is_primary: bool = False,
) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        type="primary" if is_primary else "secondary",
        help=tip,
        on_click=problems.guarded(act, PROBLEM),
    )


def _more_actions(made: Round, run: Run) -> None:
    store = session.store()
    st.download_button(
        say("All labels (CSV)"),
        partial(rounds.labels_csv, store, run, made),
        f"round-{made.created[:10]}.csv",
        "text/csv",
        # Made at the click, so the wall need not be drawn anew for it.
        on_click="ignore",
    )
    st.toggle(
        say("Show who was right most often"),
        made.has_board,
        on_change=problems.guarded(
            partial(store.rounds.change, made.id, has_board=not made.has_board), PROBLEM
        ),
    )
    if made.state != "revealed":
        st.toggle(
            say("Hide who says what until the reveal"),
            made.hides_spread,
            on_change=problems.guarded(
                partial(store.rounds.change, made.id, hides_spread=not made.hides_spread), PROBLEM
            ),
        )
    # Both are UTC in ISO, so they compare as text.
    if made.code_until <= timestamp() and not made.is_over:
        _button(
            say("New code"), "key", partial(store.rounds.change, made.id, **rounds.fresh_code())
        )
    if participants := store.rounds.participants(made.id):
        _of_one(made, participants)
        newest = partial(_take_out_newest, made)
        _button(say("Take out all of the last minute"), "group_remove", newest)
    # Whoever has only the link of the round has no run to go back to.
    if session.find_run(run.id) is not None:
        if st.button(say("Back to the run"), icon=":material/arrow_back:"):
            session.open_run(run)
        if made.is_over:
            check_link.button(run)
    if config().public:
        st.caption(say("This tab alone knows the way back. Elsewhere open your workspace's link."))


def _of_one(made: Round, participants: Sequence[Participant]) -> None:
    """What is done about one participant: who lost the tab comes back, who disturbs goes."""
    chosen = st.selectbox(
        say("Participant"),
        participants,
        index=None,
        format_func=lambda participant: participant.nickname,
        placeholder=say("Nickname"),
    )
    store = session.store()
    if chosen:
        until = timestamp(datetime.now(UTC) + LET_IN)
        again = partial(store.rounds.change, made.id, let_in=(chosen.number, until))
        if not made.is_over:
            _button(say("Let in again"), "person_add", again)
        out = partial(store.rounds.remove, chosen)
        _button(say("Take out, with all labels"), "person_remove", out)
    for each in participants:
        if made.lets_in(each.number, timestamp()):
            words = say("{name} joins again under the same nickname now.", name=each.nickname)
            st.caption(plain(words))


def _take_out_newest(made: Round) -> None:
    since = datetime.now(UTC) - timedelta(seconds=WINDOW)
    session.store().rounds.remove_newest(made.id, timestamp(since))


# The way in


def _way_in(live: Live) -> None:
    made, base = live.made, qr.reachable(qr.base())
    reach.warn(base)
    # A camera would open an address that means the phone itself.
    if not qr.is_local(base):
        picture = qr.picture(f"{base}?{door.JOIN}={made.join}")
        source = base64.b64encode(picture.encode()).decode()
        alt = html(say("QR code: the way into this round"))
        st.html(f'<img class="pl-qr" alt="{alt}" src="data:image/svg+xml;base64,{source}">')
    place = base.partition("://")[2]
    code = spoken(made.code) if made.code_until > timestamp() else say("expired")
    st.html(
        f'<p class="pl-way"><span class="pl-place">{html(place)}</span>'
        f'<strong class="pl-code">{html(code)}</strong></p>'
        f'<p class="pl-rule">{html(bars.question(made, live.content))}</p>'
    )


# What the class did


def _what_class_did(live: Live) -> None:
    """The labels as they come; after the reveal what is right."""
    is_revealed = live.made.state == "revealed"
    is_hidden = live.made.hides_spread and not is_revealed
    _say_how_far(live)
    if is_revealed:
        _say_who_is_right(live)
    # Their order by quarrel would tell where the class is divided.
    places = list(live.spread) if is_hidden else tally.by_quarrel(live.spread)
    lines = []
    for place in places:
        if not live.spread[place].total and not is_revealed:
            continue
        line = bars.asked_of_answer(live.content, place)
        spread = live.spread[place]
        line += _how_many(live, place) if is_hidden else bars.bar(spread, live.made.kind)
        if is_revealed:
            line += _labellers_of_place(live, place)
        lines.append(line)
    if not lines:
        frame.note(say("Waiting for the first label."))
    fading = "pl-reveal" if is_revealed else ""
    st.html(f'<div class="pl-round-list {fading}">{bars.stacked_rows(lines)}</div>')


def _how_many(live: Live, place: AskedPlace) -> str:
    """That participants said something, and not what."""
    total = live.spread[place].total
    said = say("{done} of {total}", done=total, total=len(live.participants))
    return f'<div class="pl-bar"><span class="pl-neither">{html(said)}</span></div>'


def _say_how_far(live: Live) -> None:
    people = len(live.participants)
    total = people * len(live.content.places)
    facts = [f"<b>{html(counted(people, 'participant'))}</b>"]
    if total:
        done = len(live.labels)
        facts.append(html(say("{done:,} of {total:,} labels", done=done, total=total)))
    if live.agreement.value is not None:
        facts.append(_agreement(live.agreement, live.agreement.value))
    ties = sum(own.is_tied for own in live.spread.values())
    is_voted = live.made.is_over and not KINDS[live.made.kind].is_preference
    if ties and is_voted:
        facts.append(html(counted(ties, "tie")))
    if live.made.state == "paused":
        facts.append(f"<b>{html(say('paused'))}</b>")
    names = "".join(f"<span>{html(each.nickname)}</span>" for each in live.participants)
    below = "" if live.made.is_over else f'<p class="pl-names" dir="auto">{names}</p>'
    if is_voted:
        below = f'<p class="pl-rule">{html(say(RULE))}</p>'
    st.html(f'<p class="pl-facts" role="status">{" · ".join(facts)}</p>{below}')


def _agreement(agreement: ClassAgreement, value: float) -> str:
    measure, _, places, ends = agreement
    symbol = {"kappa": "κ", "alpha": "α"}[measure]
    meaning = say(
        "{measure}, of {places}: 1 is full agreement, 0 what chance gives",
        measure=measure,
        places=places,
    )
    number = SCORE.with_interval(value, *ends or ()).replace("-", "−")
    level = next((word for below, word in AGREEMENTS if value < below), FULL_AGREEMENT)
    words = say(
        "agreement beyond chance: {level} ({symbol} {number})",
        level=say(level, "agreement"),
        symbol=symbol,
        number=number,
    )
    return f'<span title="{html(meaning)}">{html(words)}</span>'


def _say_who_is_right(live: Live) -> None:
    """Class, judge and estimate beside what counts as right, in one line; then what models did."""
    truth, content = live.true_labels, live.content
    by_name = {say("The class"): live.voted}
    for by in _labellers_beside_class(content):
        by_name[bars.in_a_sentence(by)] = content.labels_by(by)
    shares = []
    for name, score in tally.right_on_the_same(by_name, truth).items():
        blanks = {"name": html(name), "share": RATE.shown(score.share)}
        words = say("{name} <b>{share}</b> ({equal} of {both})", **blanks, **score._asdict())
        shares.append(words)
    lines = [html(line) for line in systems.win_rates(live)]
    if shares:
        lines.append(_against(content.truth, say(", ").join(shares)))
    lines += map(html, systems.noticed(live))
    if lines:
        st.html("".join(f'<p class="pl-finding pl-reveal">{line}</p>' for line in lines))
    if is_made_up(live.run):
        st.html(f'<p class="pl-rule">{html(say(MADE_UP))}</p>')


def _against(truth: str, shares: str) -> str:
    """The shares, which are markup, with what they are compared with."""
    if truth == GOLD:
        return say("{shares} right against gold", shares=shares)
    if truth == PLANTED:
        return say("{shares} of the documents right", shares=shares)
    return say("{shares} like {labeller}", shares=shares, labeller=html(bars.in_a_sentence(truth)))


def _labellers_beside_class(content: RoundContent) -> Sequence[str]:
    """The labellers beside the class, without the one that counts as right.

    Gold is right or it is not there: measured by a judge, it would stand on its head.
    """
    names = dict.fromkeys((content.own_labeller, HEURISTIC))
    return [by for by in names if by != content.truth and content.labels_by(by)]


def _labellers_of_place(live: Live, place: AskedPlace) -> str:
    kind, content = live.made.kind, live.content
    truth = live.known_truth(place)
    said = [bars.verdict(kind, say("Class"), live.voted.get(place), truth=truth)]
    for by in _labellers_beside_class(content):
        support = content.labels_by(by).get(place)
        said.append(bars.verdict(kind, bars.title(by), support, truth=truth))
    said.append(bars.verdict(kind, bars.title(content.truth), live.true_labels.get(place)))
    said += [systems.names(live, place), systems.score(live, place)]
    return f'<p class="pl-verdicts">{"".join(said)}</p>'


def _board(live: Live) -> None:
    """Who agreed most often with what counts as right."""
    if live.made.state != "revealed":
        frame.note(say("Closed. Reveal shows what is right."))
        return
    if not live.made.has_board:
        return
    board = tally.board(live.participants, live.labels, live.true_labels)
    lines = []
    place, before = 0, None
    for number, (nickname, score) in enumerate(board, start=1):
        # Who is right as often shares the place, the last one that is shown too.
        if score != before:
            place, before = number, score
        if place > MOST_ON_BOARD:
            break
        right = say("{equal} of {both}", equal=score.equal, both=score.both)
        name = f'<span dir="auto">{html(nickname)}</span>'
        lines.append(f'<li value="{place}">{name} <b>{html(right)}</b></li>')
    if lines:
        truth = live.content.truth
        heading = say("Most like {labeller}", labeller=bars.in_a_sentence(truth))
        if truth == PLANTED:
            heading = say("Most often right")
        st.html(
            f'<h2 class="pl-board-title">{html(heading)}</h2>'
            f'<ol class="pl-board">{"".join(lines)}</ol>'
        )
