"""My RAG system: where it is asked, one reply to try, and a click on what in it is the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from evaluators.errors import LLMError
from evaluators.llm import replies
from evaluators.llm.own import BODY, DOCUMENTS, USUAL_NAME, HTTPSystem, OwnAccess, try_one
from evaluators.text.language import mark, say
from evaluators.text.words import name_and_text
from ui import session
from ui.parts import problems, remedies
from ui.parts.untrusted import plain

PLACE = "system"
TRIED, EVENTS, DRAFT = "system_tried", "system_events", "system_draft"
"""Where a session notes that one is to be tried, what came back, and from where."""
ANSWER, FOUND = "system_answer", "system_documents"
MOST_HEADERS = 5
HEADER, VALUE = "Authorization", "Bearer ..."
METHODS = ("POST", "GET", "PUT")
ROLES = {ANSWER: mark("Answer"), FOUND: mark("Documents")}


def show() -> None:
    """The form, what a try brought, and the systems in use."""
    form, reply = st.container(), st.container()
    with reply:
        # First, as the form shows which headers are kept after it.
        is_refused = problems.show(PLACE)
        if st.session_state.pop(TRIED, False) and not is_refused:
            _try()
        _choose()
    with form:
        _form()
    _in_use()


def _form() -> None:
    draft = _draft()
    spec = draft.spec.system if draft else None
    with st.form("system_form"):
        name, address, method = st.columns([2, 5, 1])
        usual = draft.spec.model if draft else USUAL_NAME
        name.text_input(say("Name"), usual, max_chars=60, key="system_name")
        address.text_input(
            say("Address"),
            draft.base_url if draft else "",
            placeholder="http://localhost:8000/ask",
            key="system_address",
        )
        index = METHODS.index(spec.method) if spec else 0
        method.selectbox(say("HTTP method"), METHODS, index=index, key="system_method")
        st.text_area(
            say("Body"),
            spec.body if spec else BODY,
            help=say(
                "JSON. The question stands where {question} is, and {documents} is the list of "
                "documents that RGB hands over, if it can answer from these.",
                question="{{question}}",
                documents=f'"{DOCUMENTS}"',
            ),
            key="system_body",
        )
        kept = draft.headers if draft else ()
        for number in range(min(MOST_HEADERS, len(kept) + 1)):
            _header_fields(number, kept[number][0] if number < len(kept) else "")
        st.text_input(
            say("A question to try"), say("What do you know about?"), key="system_question"
        )
        _act(st.form_submit_button, say("Try one"), ":material/play_arrow:", _take_up)


def _header_fields(number: int, name: str) -> None:
    left, right = st.columns([2, 6])
    left.text_input(say("Header"), name, placeholder=HEADER, key=f"system_header_{number}")
    right.text_input(
        say("Header value"),
        type="password",
        autocomplete="off",
        placeholder=say("Type to replace it") if name else VALUE,
        help=say("It stays in memory: on no disk, in no address, in no log."),
        key=f"system_value_{number}",
    )


def _draft() -> OwnAccess | None:
    """What is in the form: what was tried last, else the system in use."""
    draft: OwnAccess | None = st.session_state.get(DRAFT)
    return draft or next(iter(session.systems()), None)


def _take_up() -> None:
    """Keeps what was typed for the try that follows, and empties the fields of the headers."""
    before, typed = _draft(), st.session_state
    headers: dict[str, str] = {}
    values = dict(before.headers) if before else {}
    is_same = before and _place(before.base_url) == _place(typed["system_address"])
    for number in range(MOST_HEADERS):
        name = typed.get(f"system_header_{number}", "").strip()
        value = typed.get(f"system_value_{number}", "")
        # What was entered for another address does not go to this one.
        if name and not value and is_same and name in values:
            value = values[name].get_secret_value()
        if name:
            headers[name] = value
    draft = HTTPSystem(
        name=typed["system_name"].strip() or USUAL_NAME,
        address=typed["system_address"],
        method=typed["system_method"],
        body=typed["system_body"],
        headers=headers,
        answer=typed.get(ANSWER, ""),
        documents=typed.get(FOUND, ""),
    ).access()
    for number in range(MOST_HEADERS):
        # An empty field: the browser does not hold them either.
        if f"system_value_{number}" in typed:
            typed[f"system_value_{number}"] = ""
    st.session_state[DRAFT] = draft
    st.session_state[TRIED] = True


def _place(address: str) -> tuple[str, str]:
    parts = urlsplit(address.strip())
    return parts.scheme, parts.netloc.lower()


def _try() -> None:
    st.session_state.pop(EVENTS, None)
    draft: OwnAccess = st.session_state[DRAFT]
    try:
        with st.spinner(say("Asking {provider}", provider=draft.spec.model)):
            st.session_state[EVENTS] = try_one(draft, st.session_state["system_question"])
    except LLMError as error:
        st.error(plain(remedies.worded(error)), icon=":material/error:")
        if error.details:
            with st.expander(say("Details")):
                st.code(error.details, language=None, wrap_lines=True)


def _choose() -> None:
    """The places of the reply, each with a button for what stands there."""
    events: list[Any] | None = st.session_state.get(EVENTS)
    if events is None:
        return
    st.subheader(say("The reply"))
    st.caption(say("Press what the answer is, and the texts of the documents if it sends them."))
    for number, (path, text) in enumerate(replies.places(events).items()):
        left, middle, right = st.columns([3, 5, 3], vertical_alignment="center")
        left.code(path or say("the whole reply"), language=None, wrap_lines=True)
        middle.text(text)
        with right.container(horizontal=True):
            for key, title in ROLES.items():
                is_chosen = st.session_state.get(key) == path
                st.button(
                    say(title),
                    key=f"{key}_{number}",
                    type="primary" if is_chosen else "secondary",
                    on_click=_toggle,
                    args=(key, path),
                )
    if ANSWER not in st.session_state:
        return
    answer = replies.answer_at(events, st.session_state[ANSWER])
    if answer is None:  # what was chosen in the reply of another system
        return
    st.caption(plain(name_and_text(say(ROLES[ANSWER]), answer[:200])))
    if FOUND in st.session_state:
        count = len(replies.values_at(events, st.session_state[FOUND]) or ())
        st.caption(plain(name_and_text(say(ROLES[FOUND]), f"{count:,}")))
    _act(st.button, say("Use this system"), ":material/check:", _use)


def _act(draw: Callable[..., bool], label: str, icon: str, act: Callable[[], None]) -> None:
    """The button for what comes next; what is wrong then is shown in this part of the page."""
    draw(label, icon=icon, type="primary", on_click=problems.guarded(act, PLACE))


def _toggle(key: str, path: str) -> None:
    if st.session_state.get(key) == path:
        st.session_state.pop(key)
    else:
        st.session_state[key] = path


def _use() -> None:
    draft: OwnAccess = st.session_state[DRAFT]
    session.keep_key(draft.reading(st.session_state[ANSWER], st.session_state.get(FOUND, "")))
    for key in (EVENTS, DRAFT):
        st.session_state.pop(key, None)


def _in_use() -> None:
    for access in session.systems():
        with st.container(horizontal=True, vertical_alignment="center"):
            words = say(
                "{system} at {address} stands among the models of every form. Kept until the app "
                "stops.",
                system=access.spec.model,
                address=access.base_url,
            )
            st.caption(plain(words))
            st.button(
                say("Forget"),
                icon=":material/key_off:",
                on_click=session.forget_key,
                args=(access.provider,),
                key=f"forget_{access.provider}",
            )
