"""Learn: the list of lessons, or the one in the address, with what comes after it."""

from __future__ import annotations

import streamlit as st

from evaluators.text.language import say
from evaluators.text.words import counted, joined_sentences
from ui import script, session
from ui.learn import doubt, plan, rag, rgb, trace, traps, words
from ui.learn.lesson import IS_PLAYED, Lesson, material
from ui.parts import head
from ui.parts.explained import TERM

LESSON = "lesson"
"""The query parameter that names a lesson."""
DONE = "lessons_done"
"""Where the session keeps the names of the lessons that were finished; a reload forgets them."""
PLAYED = "learn_"
"""How the keys begin under which lessons keep what was tapped."""

DRAWN_BY = {"1": rag.show, "2": trace.show, "3": rgb.show, "4": traps.show, "5": doubt.show}
LESSONS = tuple(
    Lesson.model_validate({**lesson, "draw": DRAWN_BY[lesson["name"]]})
    for lesson in material("lessons")["lessons"]
)


def show() -> None:
    # By this key the projector knows that what is folded belongs to a lesson.
    with st.container(key="learn"):
        _learn()


def _learn() -> None:
    st.html(script.STATIC / "learn.css")
    wanted = st.query_params.get(LESSON)
    if wanted == plan.NAME:
        plan.show()
        return
    lesson = next((lesson for lesson in LESSONS if lesson.name == wanted), None)
    if lesson is not None:
        _one(lesson)
        return
    line = say("Short lessons to play, no key needed. Each takes under three minutes.")
    head.show(say("Learn"), line)
    # Whoever came by a "?" wants that word before all else.
    words.looked_up(st.query_params.get(TERM))
    _list()
    st.page_link(
        "../pages/learn.py",
        label=say("45 minutes with a class"),
        icon=":material/co_present:",
        query_params=session.address(**{LESSON: plan.NAME}),
    )
    words.show()


def _list() -> None:
    done = st.session_state.get(DONE, set())
    if done:
        lessons = counted(len(LESSONS), "lesson")
        st.caption(say("{done} of {lessons} done.", done=len(done), lessons=lessons))
    # One button stands out: the next lesson.
    first = next((lesson for lesson in LESSONS if lesson.name not in done), None)
    grid = st.grid(2, min_column_width=300)
    for lesson in LESSONS:
        with grid.container(border=True, height="stretch"):
            tick = ":green[:material/check_circle:] " if lesson.name in done else ""
            st.subheader(f"{tick}{lesson.name} · {say(lesson.title)}", anchor=False)
            st.markdown(say(lesson.promise))
            st.button(
                say("Play again") if lesson.name in done else say("Play"),
                icon=lesson.icon,
                key=f"play_{lesson.name}",
                type="primary" if lesson is first else "secondary",
                on_click=_go_to,
                args=(lesson.name,),
            )


def _one(lesson: Lesson) -> None:
    number = say("Lesson {number} of {all}.", number=lesson.name, all=len(LESSONS))
    head.show(say(lesson.title), joined_sentences([number, say(lesson.promise)]))
    lesson.draw()
    st.divider()
    # It says what one is about to find out, so it comes after that.
    if st.session_state.get(IS_PLAYED):
        st.markdown(say("**Take with you:** {words}", words=say(lesson.takeaway)))
    else:
        st.button(
            say("Skip to what you take with you"),
            type="tertiary",
            icon=":material/skip_next:",
            on_click=_skip_to_end,
        )
    following = _after(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_end"):
        place = lesson.own_place
        if st.button(say(place.label), icon=":material/open_in_full:", key="lesson_place"):
            # Before the page is left: nothing after `switch_page` is done.
            _mark_done(lesson)
            parameters = session.address(**place.parameters)
            st.switch_page(f"../pages/{place.page}.py", query_params=parameters)
        if following is not None:
            st.button(
                say("Next: {lesson}", lesson=say(following.title)),
                type="primary",
                icon=":material/arrow_forward:",
                key="lesson_next",
                on_click=_finish_lesson,
                args=(lesson, following.name),
            )
        st.button(say("All lessons"), type="tertiary", on_click=_finish_lesson, args=(lesson, ""))


def _skip_to_end() -> None:
    st.session_state[IS_PLAYED] = True


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
