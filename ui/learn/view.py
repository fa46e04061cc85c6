"""Learn: the list of lessons, or the one in the address, with what comes after it."""

from __future__ import annotations

import streamlit as st

from evaluators.config import ROOT
from evaluators.runs.examples import INVENTED, NOISE
from evaluators.text.words import counted
from ui import session
from ui.learn import doubt, rag, rgb, trace, traps, words
from ui.learn.lesson import AppPlace, Lesson
from ui.parts import head
from ui.parts.explained import TERM

LESSON = "lesson"
"""The query parameter that names a lesson."""
DONE = "lessons_done"
"""Where the session keeps the names of the lessons that were finished; a reload forgets them."""
PLAYED = "learn_"
"""How the keys begin under which lessons keep what was tapped."""

LESSONS = (
    Lesson(
        name="1",
        title="What RAG is, and how it goes wrong",
        promise="Four answers to one question: click what you think of each.",
        icon=":material/quiz:",
        draw=rag.show,
        takeaway=(
            "An answer can be right, invented, contrary to its documents, or missing. None of "
            "that shows in how it sounds: it has to be checked against the documents."
        ),
        place=AppPlace("See 24 such answers in the app", "trace", {"run": INVENTED}),
    ),
    Lesson(
        name="2",
        title="TRACE on one page",
        promise="Tap sentences and watch the four formulas work.",
        icon=":material/fact_check:",
        draw=trace.show,
        takeaway="Labels first, numbers second: change a label and you see which number moves.",
        place=AppPlace("See this answer in the app", "sample", {"run": INVENTED, "sample": "19"}),
    ),
    Lesson(
        name="3",
        title="Noise, missing and false documents",
        promise="Push a slider and see when a model slips; then try to trick the rules.",
        icon=":material/show_chart:",
        draw=rgb.show,
        takeaway=(
            "A model that is right on clean documents may repeat whatever it finds in worse ones. "
            "And a rule is only as good as its phrases: open what looks odd."
        ),
        place=AppPlace("See all 24 questions in the app", "rgb", {"run": NOISE}),
    ),
    Lesson(
        name="4",
        title="Eight traps",
        promise="Each makes a number wrong, and each can be tried.",
        icon=":material/warning:",
        draw=traps.show,
        takeaway="Before you believe a number, open five of the answers behind it.",
        place=AppPlace(
            "Open an answer on which judges differ", "sample", {"run": INVENTED, "sample": "5"}
        ),
    ),
    Lesson(
        name="5",
        title="Doubt: how sure is a number?",
        promise="Drag the number of rows, then let people correct a judge.",
        icon=":material/query_stats:",
        draw=doubt.show,
        takeaway=(
            "A number without its interval is half a number. And many labels of a judge do not "
            "make up for its errors: 50 by people show them."
        ),
        place=AppPlace("Check a judge in the app", "check", {"run": INVENTED}),
    ),
)


def show() -> None:
    st.html(ROOT / "ui" / "static" / "learn.css")
    wanted = st.query_params.get(LESSON)
    lesson = next((lesson for lesson in LESSONS if lesson.name == wanted), None)
    if lesson is not None:
        _one(lesson)
        return
    head.show("Learn", "Short lessons to play, no key needed. Each takes under three minutes.")
    # Whoever came by a "?" wants that word before all else.
    words.looked_up(st.query_params.get(TERM))
    _list()
    words.show()


def _list() -> None:
    done = st.session_state.get(DONE, set())
    if done:
        st.caption(f"{len(done)} of {counted(len(LESSONS), 'lesson')} done.")
    # One button stands out: the next lesson.
    first = next((lesson for lesson in LESSONS if lesson.name not in done), None)
    grid = st.grid(2, min_column_width=300)
    for lesson in LESSONS:
        with grid.container(border=True, height="stretch"):
            tick = ":green[:material/check_circle:] " if lesson.name in done else ""
            st.subheader(f"{tick}{lesson.name} · {lesson.title}", anchor=False)
            st.markdown(lesson.promise)
            st.button(
                "Play again" if lesson.name in done else "Play",
                icon=lesson.icon,
                key=f"play_{lesson.name}",
                type="primary" if lesson is first else "secondary",
                on_click=_go_to,
                args=(lesson.name,),
            )


def _one(lesson: Lesson) -> None:
    head.show(lesson.title, f"Lesson {lesson.name} of {len(LESSONS)}. {lesson.promise}")
    lesson.draw()
    st.divider()
    st.markdown(f"**Take with you:** {lesson.takeaway}")
    following = _after(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_end"):
        if st.button(lesson.place.label, icon=":material/open_in_full:", key="lesson_place"):
            # Before the page is left: nothing after `switch_page` is done.
            _mark_done(lesson)
            parameters = session.address(**lesson.place.parameters)
            st.switch_page(f"../pages/{lesson.place.page}.py", query_params=parameters)
        if following is not None:
            st.button(
                f"Next: {following.title}",
                type="primary",
                icon=":material/arrow_forward:",
                key="lesson_next",
                on_click=_finish_lesson,
                args=(lesson, following.name),
            )
        st.button("All lessons", type="tertiary", on_click=_finish_lesson, args=(lesson, ""))


def _after(lesson: Lesson) -> Lesson | None:
    place = LESSONS.index(lesson) + 1
    return LESSONS[place] if place < len(LESSONS) else None


def _finish_lesson(lesson: Lesson, following: str) -> None:
    _mark_done(lesson)
    _go_to(following)


def _mark_done(lesson: Lesson) -> None:
    st.session_state.setdefault(DONE, set()).add(lesson.name)


def _go_to(name: str) -> None:
    """Puts the lesson into the address; an empty name leads back to the list.

    A lesson begins anew each time, so what was tapped in it before is forgotten.
    """
    # A copy of the keys, as they cannot be deleted while they are walked through.
    for key in list(st.session_state):
        if str(key).startswith(PLAYED):
            del st.session_state[key]
    if name:
        st.query_params[LESSON] = name
    else:
        st.query_params.pop(LESSON, None)
