"""A queue that was opened: who labels, then one answer after the other, then what came of it."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from evaluators.config import config
from evaluators.errors import UnreadableRowError
from evaluators.people import drawing
from evaluators.people.queues import LabelQueue
from evaluators.people.records import YOU, QueueDrawn
from evaluators.records import Run
from evaluators.runs import workspaces
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.words import counted
from ui import script, session
from ui.label import answer, bar, end, sentences, steps
from ui.label.steps import Opened, QueueStep
from ui.parts import check_link, head, highlight, people, problems
from ui.parts.untrusted import plain

STYLE = script.STATIC / "label_page.css"
UNKNOWN = mark("There is no such queue here: the link is incomplete, or its run was deleted.")
PERSON = "person"
"""The query parameter of whoever labels, by a token: a name could be anybody's."""
WAYS: dict[QueueDrawn, str] = {
    "by verdict": mark("drawn at random from each of the labeller's verdicts"),
    "by doubt": mark("the most doubtful first"),
    "by filter": mark("all that a filter let through"),
}


def show() -> None:
    """The queue in the address, for whoever has its link.

    Its id opens its answers and nothing else: not the run, nor anything more of the workspace.
    """
    queue = session.store().label_queues.get(st.query_params["queue"])
    run = None
    if queue is not None:
        with suppress(UnreadableRowError):
            run = session.store().runs.get(queue.run_id)
    if queue is None or run is None:
        st.warning(say(UNKNOWN), icon=":material/link_off:")
        return
    if config().public:
        # Who labels keeps the run there for its owner, as a visit of the owner would.
        workspaces.of(session.store()).admits(run.workspace)
    person = session.store().label_queues.person(st.query_params.get(PERSON, ""))
    if person is None or person.queue_id != queue.id:
        _begin(queue, run)
        return
    people.rename(person.name)
    highlight.style()
    st.html(STYLE)
    _menu(queue, run, person.name)
    _label_queue(queue, run, person.token)


def _menu(queue: LabelQueue, run: Run, name: str) -> None:
    """For its owner the way back to the run; what is labelled by whom, and the link to share."""
    with st.container(horizontal=True, vertical_alignment="center", key="label_menu"):
        is_own = session.find_run(run.id) is not None
        # A short word: on a phone all stand in one line.
        if is_own and st.button(say("Run"), icon=":material/arrow_back:", type="tertiary"):
            session.open_run(run)
        st.html(f'<h1 class="pl-queue">{html(f"{run.title} · {name}")}</h1>', width="content")
        with st.popover(say("Share"), icon=":material/group:", key=f"share_{queue.id}"):
            # A laptop has one workspace: whoever reaches it sees all of it.
            opens = say(
                "Whoever opens this link labels the same answers under a name of their own."
            )
            closed = say("They see nothing else of yours.") if config().public else ""
            st.caption(f"{opens} {closed}")
            address = (st.context.url or "").partition("?")[0]
            st.code(f"{address}?queue={queue.id}", language=None, wrap_lines=True)


def _begin(queue: LabelQueue, run: Run) -> None:
    """What is asked of a person, and the name under which the labels are kept."""
    head.show(say("Label"), plain(run.title))
    with st.container(border=True):
        size = len(queue.answers)
        facts = [
            f"**{counted(size, 'answer')}**: {say(WAYS[queue.drawn])}.",
            say("The labeller's labels stay hidden.")
            if queue.blind
            else say("The labeller's labels are shown."),
            say("About {minutes}.", minutes=counted(drawing.minutes(size), "minute")),
            say("You can leave at any time: the same address goes on where you were."),
        ]
        st.markdown(" ".join(facts))
        # Several people who are all "you" would be one.
        name = people.field("" if people.me() == YOU else people.me())
        if st.button(say("Start"), type="primary", icon=":material/play_arrow:"):
            with problems.caught():
                people.rename(name)
                st.query_params[PERSON] = enter(queue, name)
                st.rerun()


def enter(queue: LabelQueue, name: str) -> str:
    """The token by which somebody labels in the queue under this name."""
    store = session.store()
    # Whoever has the run may go on under any name: all labels are theirs.
    is_owner = session.find_run(queue.run_id) is not None
    if not is_owner:
        session.check_join(queue.id)
    return store.label_queues.join(queue, name, is_owner=is_owner).token


# A step is drawn without the rest of the page.
@st.fragment
def _label_queue(queue: LabelQueue, run: Run, token: str) -> None:
    with problems.caught():
        store = session.store()
        person = store.label_queues.person(token)
        if person is None:
            st.warning(say(UNKNOWN), icon=":material/link_off:")
            return
        opened = Opened(queue, run, person)
        note = ""
        for action in bar.asked():
            note = steps.do(opened, action)
        step = steps.step_of(opened)
        if step is not None:
            _one_answer(step, note)
        else:
            labels = store.person_labels.by_cell(opened.run.id)
            store.label_queues.show_labels_to(person, steps.revealed(opened, labels))
            end.show(opened.run, opened.queue, opened.name, labels)
            with st.container(horizontal=True):
                # Others have the queue, and not the run.
                if session.find_run(opened.run.id) is not None:
                    check_link.button(opened.run)
                st.button(
                    say("Look at them again"),
                    icon=":material/replay:",
                    on_click=steps.go,
                    args=(opened, 0),
                )


def _one_answer(step: QueueStep, note: str) -> None:
    queue = step.opened.queue
    shown = answer.answer_of_cell(step.opened.run, queue, step.cell)
    if queue.values:
        answer.show(shown)
    else:
        sentences.show(shown, step.origin, is_blind=step.is_blind)
    if not step.is_blind:
        session.store().label_queues.show_labels_to(step.opened.person, [step.place])
        # Why something was not done comes first: it is the answer to a click.
        if not note and queue.values:
            note = answer.judged(shown)
        elif not note:
            note = sentences.support_of_both(shown, step.own)
    last = len(queue.answers) - 1
    ends = {
        "back": step.place == 0,
        "forward": step.place == last,
        "undo": step.place == 0 and not step.said,
    }
    bar.show(
        bar.LabelBar(
            sample=step.name,
            progress=say("{done:,} of {total:,}", done=step.place + 1, total=last + 1),
            share=step.progress.finished / len(queue.answers),
            note=note,
            questions=answer.questions_asked(shown, step.said),
            off=[name for name, is_end in ends.items() if is_end],
        )
    )
