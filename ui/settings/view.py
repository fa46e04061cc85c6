"""Settings: a key for each provider, what it opens, the stored answers, the workspace's link."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pandas as pd
import streamlit as st

from evaluators.config import config
from evaluators.errors import LLMError, RunStoppedError, TransientError
from evaluators.llm import Access, catalogue, clients
from evaluators.llm.keys import allowed_providers, bind, clean_address
from evaluators.llm.money import dollars
from evaluators.llm.providers import PROVIDERS
from evaluators.text.words import counted
from ui import session
from ui.models import form as model_form
from ui.parts import problems, remedies
from ui.parts.untrusted import plain

OLLAMA = "http://localhost:11434/v1"
LOCAL_SERVERS = (
    f"Ollama: {OLLAMA}  \nLM Studio: http://localhost:1234/v1  \nvLLM: http://localhost:8000/v1"
)
# Between black and white, so that it can be read in the light and in the dark theme.
GREY = "color: rgb(140, 140, 140)"


NUMBERS = {"Price in": dollars, "Price out": dollars, "Context": "{:,.0f}".format}
WIDTHS = {
    "Cannot be chosen": 250,
    **dict.fromkeys(NUMBERS, 90),
    "Free plan": 400,
}


def access() -> str:
    """The form of one provider's key, and what a test of it said; returns the provider."""
    titles = {name: provider.title for name, provider in allowed_providers().items()}
    provider = st.segmented_control(
        "Provider",
        list(titles),
        default=next(iter(titles)),
        format_func=titles.__getitem__,
        required=True,
        key="provider",
        persist_state="session",
    )
    lost_key()
    form, outcome = st.container(), st.container()
    # The test comes first although it stands below: the form shows which key is in use after it.
    with outcome:
        _test_entered(provider)
    with form:
        _access_form(provider)
    _key_in_use(provider)
    return provider


def lost_key() -> None:
    """What a reload forgets, said where that happened."""
    if session.has_lost_key():
        words = "Your key was forgotten with the reload. Enter it again."
        st.warning(words, icon=":material/key_off:")


def list_models(provider: str) -> None:
    """The provider's models as a table; those that cannot be chosen are last, grey, and say why."""
    offered = session.offered()
    # Those that cannot be asked are last already.
    choices = model_form.choices().values()
    of_provider = [choice for choice in choices if choice.model.provider == provider]
    if not of_provider:
        st.info("Test the address, and its models are listed here.", icon=":material/dns:")
        return
    rows = pd.DataFrame(map(_model_cells, of_provider))
    # A column of nothing but unknown numbers would be one of texts.
    rows = rows.astype(dict.fromkeys(NUMBERS, float))
    for name in ("Cannot be chosen", "Free plan"):
        if not rows[name].any():
            rows = rows.drop(columns=name)
    grey = [GREY if choice.problem else "" for choice in of_provider]
    columns = {}
    for name, width in WIDTHS.items():
        columns[name] = st.column_config.Column(width=width)
    st.dataframe(
        rows.style.apply(lambda column: grey).format(NUMBERS),
        hide_index=True,
        placeholder="unknown",
        column_config=columns,
        alt="Models of this provider",
    )
    advice = "" if provider in offered else " Test the key to see which of them it may use."
    st.caption(f"Prices in US dollars per million tokens.{advice}")
    model_form.show_retired()


def stored_answers() -> None:
    """How many answers are kept, and a button to forget them."""
    count = session.store().calls.answers_kept(session.workspace())
    kept = counted(count, "answer")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{kept} kept. The same prompt to the same model is not paid for twice.")
        with st.popover("Clear", icon=":material/delete:", disabled=not count):
            st.write("Forget the stored answers? Runs keep their results.")
            on_click = problems.guarded(_forget_answers, "answers")
            st.button(
                "Clear for good",
                type="primary",
                key="clear_answers",
                on_click=on_click,
            )
    problems.show("answers")


def link() -> None:
    """The address that leads back to this workspace, and what the host allows."""
    # Without the page's name: the link leads to Home.
    home = (st.context.url or "").rpartition("/")[0]
    st.code(f"{home}/?w={session.workspace()}", language=None, wrap_lines=True)
    host = config()
    st.markdown(
        "Keep it: it brings back your runs and uploads. Whoever has it sees and changes "
        "them. Keys are not in it.  \n"
        f"Kept until {_expiry()} unless you come back; after {host.workspace_days:g} days "
        "without a visit all of it is deleted.\n"
        f"- {counted(host.runs_per_visitor, 'run')} of yours may be at work at a time, "
        f"{host.runs_in_all} of all visitors together.\n"
        f"- A run scores up to {host.cells_per_run:,} samples, counted once for each model.\n"
        f"- Up to {counted(host.uploads_per_visitor, 'upload')} of yours are kept; with "
        f"your runs they may take up {host.workspace_bytes / 2**20:,.0f} MB.\n"
        f"- A run that no page has shown for {host.unwatched_seconds / 60:.0f} minutes is "
        f"paused, or after {host.unwatched_seconds_when_full:.0f} seconds when others wait. You "
        "can resume it."
    )
    with st.popover("New link", icon=":material/sync_lock:", key="new_link"):
        st.write("Move everything to a new link? The old one leads nowhere then, whoever has it.")
        on_click = problems.guarded(session.move_workspace, "link")
        st.button(
            "Move for good",
            type="primary",
            key="move_workspace",
            on_click=on_click,
        )
    problems.show("link")


def _expiry() -> str:
    """When the workspace expires if nobody comes back: the day, by the clock of Greenwich."""
    day = datetime.now(UTC) + timedelta(days=config().workspace_days)
    return f"{day.day} {day:%B %Y}"


def _access_form(provider: str) -> None:
    """The fields, empty of any key."""
    current = session.keys().get(provider)
    is_custom = PROVIDERS[provider].is_custom
    placeholder = ""
    if current and current.key.get_secret_value():
        placeholder = "Type to replace it"
    with st.form(f"access_{provider}"):
        if is_custom:
            address = current.base_url if current else OLLAMA
            st.text_input("Base URL", address, key="base_url", help=LOCAL_SERVERS)
        st.text_input(
            "API key (if the endpoint wants one)" if is_custom else "API key",
            type="password",
            autocomplete="off",
            placeholder=placeholder,
            help="It stays in memory: on no disk, in no address, in no log.",
            key=f"typed_{provider}",
        )
        label = "Use this endpoint" if is_custom else "Use this key"
        on_click = problems.guarded(_take_up_for_test, provider)
        st.form_submit_button(
            label,
            help="It is tested first: the provider is asked for its models.",
            type="primary",
            icon=":material/key:",
            on_click=on_click,
            args=(provider,),
        )


def _take_up_for_test(provider: str) -> None:
    """Keeps what was typed for the test that follows, and empties the field."""
    typed = st.session_state[f"typed_{provider}"]
    current = session.keys().get(provider)
    # An empty field: the browser does not hold the key either.
    st.session_state[f"typed_{provider}"] = ""
    address = _address_of_key(provider)
    # A key that was entered for another address does not go to this one.
    is_current = not typed and current and current.base_url == address
    entered = current if is_current else bind(provider, address, typed)
    st.session_state[f"entered_{provider}"] = entered


def _address_of_key(provider: str) -> str:
    """Where the key goes: for a custom endpoint what was typed, else the provider's address.

    On a laptop the environment may name another one.
    """
    record = PROVIDERS[provider]
    if record.is_custom:
        st.session_state["base_url"] = clean_address(st.session_state["base_url"])
        return str(st.session_state["base_url"])
    own = "" if config().public else os.environ.get(record.address_variable, "")
    return clean_address(own) if own else record.address


def _test_entered(provider: str) -> None:
    """Tests what was entered, uses it from now on if that went well, and says what came of it."""
    entered: Access | None = st.session_state.pop(f"entered_{provider}", None)
    if problems.show(provider) or entered is None:
        return
    try:
        with st.spinner(f"Asking {PROVIDERS[provider].title}"):
            models = clients.ask_models(entered)
    except LLMError as error:
        _test_failed(entered, error)
        return
    _use_from_now(entered)
    # What a custom endpoint offers the catalogue cannot know.
    works = f"Works: {counted(len(models), 'model')} offered"
    if not PROVIDERS[provider].is_custom:
        known = [model for model in models if catalogue.find(f"{provider}/{model}")]
        here = len(known)
        works = f"{works}, {here} of them known here"
    st.success(f"{works}.", icon=":material/check_circle:")


def _test_failed(entered: Access, error: LLMError) -> None:
    """Says why, and whether what was entered is kept all the same.

    It is kept where nothing speaks against it and nothing else works yet.
    """
    provider = entered.provider
    own = session.own_keys()
    has_working = provider in session.offered()
    what = error.reason.worded(remedies.ON_SETTINGS)
    if entered == session.keys().get(provider) and (has_working or provider not in own):
        message = f"{what} It stays in use."
    elif has_working or _is_wrong(provider, error):
        if entered == own.get(provider):
            session.forget_key(provider)
        message = f"Not taken: {what}"
        if session.keys().get(provider):
            stays = "stays in use" if has_working else "is kept"
            message = f"{message} The one before {stays}."
    else:
        _use_from_now(entered)
        message = f"Not tested: {what}"
    st.error(plain(message), icon=":material/error:")
    if error.details:
        with st.expander("Details"):
            st.code(error.details, language=None, wrap_lines=True)


def _is_wrong(provider: str, error: LLMError) -> bool:
    """Whether the test speaks against key or address."""
    # Of a custom endpoint only its list says which models there are: without one it is useless.
    return isinstance(error, RunStoppedError) or (
        PROVIDERS[provider].is_custom and not isinstance(error, TransientError)
    )


def _use_from_now(entered: Access) -> None:
    # One that is in use already stays where it is, perhaps in the environment.
    if entered != session.keys().get(entered.provider):
        session.keep_key(entered)


def _key_in_use(provider: str) -> None:
    """Which key is there, if any, whether it is known to work, and a button to forget it."""
    own = session.own_keys()
    in_use = session.keys().get(provider)
    record = PROVIDERS[provider]
    if provider in own:
        state = "In use" if provider in session.offered() else "Not tested"
        with st.container(horizontal=True, vertical_alignment="center"):
            where = _other_address(own[provider])
            until = "this tab is reloaded or closed" if config().public else "the app stops"
            st.caption(plain(f"{state}{where}. Kept until {until}."))
            st.button(
                "Forget",
                icon=":material/key_off:",
                on_click=session.forget_key,
                args=(provider,),
            )
    elif in_use:
        variable = record.address_variable if record.is_custom else record.key_variable
        st.caption(plain(f"In use: the one from {variable}{_other_address(in_use)}."))
    elif record.key_page:
        st.caption(f"No key yet. {record.title} makes them at {record.key_page}")


def _other_address(access: Access) -> str:
    """The address, where it is not the provider's own."""
    if access.base_url == PROVIDERS[access.provider].address:
        return ""
    return f" at {access.base_url}"


def _forget_answers() -> None:
    session.store().calls.forget_answers(session.workspace())


def _model_cells(choice: catalogue.Choice) -> dict[str, object]:
    model = choice.model
    return {
        "Model": model.title,
        "Status": _status_of_model(model),
        "Cannot be chosen": choice.problem,
        "Price in": model.price_in,
        "Price out": model.price_out,
        "Context": model.context,
        "Free plan": _free_plan(model.free),
    }


def _status_of_model(model: catalogue.Model) -> str | None:
    if catalogue.find(model.id) is None:
        return None
    return (
        f"deprecated, until {model.status_date}" if model.status == "deprecated" else model.status
    )


def _free_plan(limits: catalogue.PlanLimits | None) -> str | None:
    if limits is None:
        return None
    most = {
        "calls/min": limits.rpm,
        "calls/day": limits.rpd,
        "tokens/min": limits.tpm,
        "tokens/day": limits.tpd,
    }
    return ", ".join(f"{count:,} {what}" for what, count in most.items() if count)
