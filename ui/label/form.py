"""The form of a queue: how many answers of a run, how they are found, how they are shown."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.people import drawing, queues
from evaluators.people.queues import MOST, LabelQueue
from evaluators.people.records import YOU, QueueDrawn
from evaluators.records import Run
from evaluators.runs import label_queues, run_facts
from evaluators.runs.label_queues import Labelable, Wish
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.text.language import mark, say
from evaluators.text.words import counted, in_a_line
from ui import run_views, session
from ui.label import queue_page
from ui.parts import head, label_some, people, problems, samples
from ui.parts.untrusted import plain

USUAL = 50
"""Labels: they bring a corrected mean to some 8 points up and down (`drawing.half_width`)."""
WIDTH = 0.07
HOW: dict[QueueDrawn, str] = {
    "by verdict": mark("At random"),
    "by doubt": mark("Most doubtful"),
    "by filter": mark("As filtered"),
}


def show() -> None:
    """The form for the run in the address, below it the run's earlier queues."""
    head.show(say("Label"), say("Your own labels say how far the run's labeller can be trusted."))
    run = session.find_run(st.query_params.get("run"))
    if run is None:
        st.info(say("Open a run and press “Label some” there."), icon=":material/play_circle:")
        st.page_link("../pages/runs.py", label=say("Runs"), icon=":material/history:")
        return
    label_some.way_back(run)
    if label_some.is_stopped(run):
        return
    view = run_views.latest(run)
    metrics = label_queues.metrics(view) or [0]
    metric = metrics[0]
    if len(metrics) > 1:
        titles = run_facts.metric_titles(run)
        metric = st.selectbox(say("What"), metrics, format_func=titles.__getitem__)
    there = label_queues.labelable(view, metric)
    if there.candidates:
        with problems.caught():
            _queue_form(view, metric, there)
    else:
        st.info(label_queues.why_nothing(there), icon=":material/info:")
    _earlier_queues(run)


def _queue_form(view: RunView, metric: int, there: Labelable) -> None:
    filtered = samples.last_answers(view.run)
    ways = _ways(view, metric, there, filtered)
    if not ways:
        st.info(say("Every answer stands in one of the queues below."), icon=":material/task_alt:")
        return
    with st.container(border=True, key="label_form"):
        with st.container(horizontal=True):
            drawn = st.segmented_control(
                say("Draw"),
                list(ways),
                default=next(iter(ways)),
                format_func=lambda way: say(HOW[way]),
                required=True,
            )
            most = min(MOST, ways[drawn])
            n = st.number_input(say("How many"), 1, most, min(USUAL, most), width=160)
            name = people.field("" if people.me() == YOU else people.me()) or YOU
        with st.container(horizontal=True, vertical_alignment="center"):
            is_blind = st.toggle(say("Blind: the labeller's labels stay hidden"), value=True)
            is_after_each = is_blind and st.toggle(say("Show them after each answer"))
        st.caption(_what_to_expect(there, drawn, n))
        wish = Wish(
            n=n,
            drawn=drawn,
            metric=metric,
            blind=is_blind,
            reveal="after each" if is_after_each else "at the end",
            among=filtered,
        )
        start = say("Label {answers}", answers=counted(n, "answer"))
        if st.button(start, type="primary", icon=":material/edit_note:"):
            people.rename(name)
            _start(view, wish, name)


def _ways(
    view: RunView,
    metric: int,
    there: Labelable,
    filtered: Sequence[Answer],
) -> dict[QueueDrawn, int]:
    """How answers can be found here, each with how many there are at most."""
    ways: dict[QueueDrawn, int] = {}
    if there.undrawn:
        ways["by verdict"] = there.undrawn
    if label_queues.has_doubt(view, metric):
        ways["by doubt"] = len(there.candidates)
    labelable = {Answer(*candidate[:2]) for candidate in there.candidates}
    passing = labelable.intersection(filtered)
    # A filter that lets everything through is not one.
    if 0 < len(passing) < len(labelable):
        ways["by filter"] = len(passing)
    return ways


def _what_to_expect(there: Labelable, drawn: QueueDrawn, n: int) -> str:
    """What these labels bring and how long they take, and what cannot be labelled."""
    facts = [say("About {minutes}.", minutes=counted(drawing.minutes(n), "minute"))]
    # Only labels by chance say anything of those answers that nobody labels.
    if drawn == "by verdict":
        points = round(100 * drawing.half_width(n))
        facts.append(
            say(
                "Drawn at random from each of the labeller's verdicts. The mean is then known to "
                "about ± {points} points if the labeller errs on one answer in ten.",
                points=points,
            )
        )
        if n < drawing.labels_needed(WIDTH):
            needed = drawing.labels_needed(WIDTH)
            facts.append(
                say("± {width:.0f} take {needed} labels.", width=100 * WIDTH, needed=needed)
            )
    else:
        facts.append(say("Chosen, not drawn: such labels find errors, but cannot correct a mean."))
    if there.failed:
        samples_failed = counted(there.failed, "failed sample")
        facts.append(say("{samples} cannot be labelled.", samples=samples_failed))
    if there.not_applicable:
        answers = counted(there.not_applicable, "answer")
        facts.append(
            say("{answers} without a verdict of the labeller: not drawn.", answers=answers)
        )
    if there.unchecked:
        left_out = say("{count:,} are not checked yet and are left out.", count=there.unchecked)
        facts.append(left_out)
    return " ".join(facts)


def _start(view: RunView, wish: Wish, name: str) -> None:
    session.check_room()
    # Another seed for each further queue, so that it draws others; the same for the same history.
    seed = len(session.store().label_queues.of_run(view.run.id))
    with st.spinner(say("Drawing …")):
        queue = label_queues.draw(view, wish, seed)
    session.store().label_queues.save(queue)
    _open_queue(queue, name)


def _open_queue(queue: LabelQueue, name: str) -> None:
    token = queue_page.enter(queue, name)
    address = session.address(queue=queue.id) | {queue_page.PERSON: token}
    st.switch_page(label_some.PAGE, query_params=address)


# Earlier queues


def _earlier_queues(run: Run) -> None:
    """The run's queues, with who is how far in each."""
    of_run = session.store().label_queues.of_run(run.id)
    if not of_run:
        return
    labels = session.store().person_labels.by_cell(run.id)
    st.header(say("Queues"))
    for queue in of_run:
        own = {
            cell: [label for label in given if label.queue == queue.id]
            for cell, given in labels.items()
        }
        total = len(queue.answers)
        done = [
            say(
                "{name} {done} of {total}",
                name=name,
                done=queues.progress(queue, own, name).finished,
                total=total,
            )
            for name in queues.people_in_queue(queue, own)
        ]
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            what = in_a_line([f"**{counted(total, 'answer')}**", say(HOW[queue.drawn]).lower()])
            who = plain(in_a_line(done) or say("nobody began yet"))
            st.markdown(f"{what} · {who}")
            if st.button(say("Open"), icon=":material/open_in_new:", key=f"open_{queue.id}"):
                _open_queue(queue, people.me())
