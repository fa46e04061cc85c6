"""Settings: a key for each provider, what it opens, the stored answers, the workspace's link."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pandas as pd
import streamlit as st

from evaluators.config import config
from evaluators.errors import AccessError, LLMError, RunStoppedError, TransientError
from evaluators.llm import Access, catalogue, clients, sign_in
from evaluators.llm.keys import address_of, allowed_providers, bind
from evaluators.llm.money import dollars
from evaluators.llm.providers import CUSTOM, PROVIDERS, Provider, named_endpoint
from evaluators.text.language import mark, say, translated
from evaluators.text.words import counted, in_a_line, joined_sentences
from ui import session
from ui.models import form as model_form
from ui.parts import problems, remedies
from ui.parts.untrusted import plain

# Between black and white, so that it can be read in the light and in the dark theme.
GREY = "color: rgb(140, 140, 140)"


STATUSES = (mark("production"), mark("preview"), mark("retired"))
"""What `data/models.toml` says of models, beside "deprecated"."""
NUMBERS = {"Price in": dollars, "Price out": dollars, "Context": "{:,.0f}".format}
WIDTHS = {
    "Cannot be chosen": 250,
    **dict.fromkeys(NUMBERS, 90),
    "Free plan": 400,
}


def access() -> str:
    """The form of one provider's key, and what a test of it said; returns the provider."""
    # The endpoints that have a name stand in no list but that of what is in use.
    names = [*allowed_providers(), *session.keys(), st.session_state.get("provider", "")]
    titles = {name: say(PROVIDERS[name].title) for name in names if name in PROVIDERS}
    provider: str = st.selectbox(
        say("Provider"),
        list(titles),
        format_func=titles.__getitem__,
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
    _what_to_know(PROVIDERS[provider])
    return provider


def lost_key() -> None:
    """What a reload forgets, said where that happened."""
    if session.has_lost_key():
        words = say("Your key was forgotten with the reload. Enter it again.")
        if sign_in.app_of_host():
            words = say("Your key was forgotten with the reload. Enter it again, or sign in again.")
        st.warning(words, icon=":material/key_off:")


def list_models(provider: str) -> None:
    """The provider's models as a table; those that cannot be chosen are last, grey, and say why."""
    offered = session.offered()
    # Those that cannot be asked are last already.
    choices = model_form.choices().values()
    of_provider = [choice for choice in choices if choice.model.provider == provider]
    if not of_provider:
        st.info(say("Use the endpoint, and its models are listed here."), icon=":material/dns:")
        return
    rows = pd.DataFrame(map(_model_cells, of_provider))
    # A column of nothing but unknown numbers would be one of texts.
    rows = rows.astype(dict.fromkeys(NUMBERS, float))
    for name in ("Cannot be chosen", "Free plan"):
        if not rows[name].any():
            rows = rows.drop(columns=name)
    grey = [GREY if choice.problem else "" for choice in of_provider]
    columns = {}
    for name in rows:
        columns[name] = st.column_config.Column(say(str(name)), width=WIDTHS.get(name))
    st.dataframe(
        rows.style.apply(lambda column: grey).format(NUMBERS),
        hide_index=True,
        placeholder=say("unknown"),
        column_config=columns,
        alt=say("Models of this provider"),
    )
    sentences = [say("Prices in US dollars per million tokens.")]
    if provider not in offered:
        sentences.append(say("Test the key to see which of them it may use."))
    st.caption(joined_sentences(sentences))
    model_form.show_retired()


def stored_answers() -> None:
    """How many answers are kept, and a button to forget them."""
    count = session.store().calls.answers_kept(session.workspace())
    kept = counted(count, "answer")
    with st.container(horizontal=True, vertical_alignment="center"):
        words = say(
            "{answers} kept. The same prompt to the same model is not paid for twice.",
            answers=kept,
        )
        st.caption(words)
        with st.popover(say("Clear"), icon=":material/delete:", disabled=not count):
            st.write(say("Forget the stored answers? Runs keep their results."))
            on_click = problems.guarded(_forget_answers, "answers")
            st.button(
                say("Clear for good"),
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
    kept = say("Keep it: it brings back your runs and uploads.")
    seen = say("Whoever has it sees and changes them. Keys are not in it.")
    until = say(
        "Kept until {day} unless you come back; after {days:g} days without a visit all of it is "
        "deleted.",
        day=_expiry(),
        days=config().workspace_days,
    )
    limits = "\n".join(f"- {line}" for line in _limits())
    st.markdown(f"{kept} {seen}  \n{until}\n{limits}")
    with st.popover(say("New link"), icon=":material/sync_lock:", key="new_link"):
        st.write(
            say("Move everything to a new link? The old one leads nowhere then, whoever has it.")
        )
        on_click = problems.guarded(session.move_workspace, "link")
        st.button(
            say("Move for good"),
            type="primary",
            key="move_workspace",
            on_click=on_click,
        )
    problems.show("link")


def _limits() -> list[str]:
    """What the host allows."""
    host = config()
    return [
        say(
            "{runs} of yours may be at work at a time, {all} of all visitors together.",
            runs=counted(host.runs_per_visitor, "run"),
            all=host.runs_in_all,
        ),
        say(
            "A run scores up to {cells:,} samples, counted once for each model.",
            cells=host.cells_per_run,
        ),
        say(
            "Up to {uploads} of yours are kept; with your runs they may take up {megabytes:,.0f} "
            "MB.",
            uploads=counted(host.uploads_per_visitor, "upload"),
            megabytes=host.workspace_bytes / 2**20,
        ),
        say(
            "A run that no page has shown for {minutes:.0f} minutes is paused, or after "
            "{seconds:.0f} seconds when others wait. You can resume it.",
            minutes=host.unwatched_seconds / 60,
            seconds=host.unwatched_seconds_when_full,
        ),
    ]


def _expiry() -> str:
    """When the workspace expires if nobody comes back: the day, by the clock of Greenwich."""
    day = datetime.now(UTC) + timedelta(days=config().workspace_days)
    # "22 November 2026", or as the reader's language has it.
    return say("{day} {month:%B} {year}", day=day.day, month=day, year=day.year)


def _access_form(provider: str) -> None:
    """The fields, empty of any key."""
    current = session.keys().get(provider)
    record = PROVIDERS[provider]
    is_custom = record.is_custom
    placeholder = ""
    if current and current.key.get_secret_value():
        placeholder = say("Type to replace it")
    with st.form(f"access_{provider}"):
        if not record.address:
            _address_fields(record, current)
        st.text_input(
            say("API key (if the endpoint wants one)") if is_custom else say("API key"),
            type="password",
            autocomplete="off",
            placeholder=placeholder,
            help=say("It stays in memory: on no disk, in no address, in no log."),
            key=f"typed_{provider}",
        )
        label = say("Use this endpoint") if is_custom else say("Use this key")
        on_click = problems.guarded(_take_up_for_test, provider)
        st.form_submit_button(
            label,
            help=say("It is tested first: the provider is asked for its models."),
            type="primary",
            icon=":material/key:",
            on_click=on_click,
            args=(provider,),
        )


def _address_fields(record: Provider, current: Access | None) -> None:
    """What is asked of an endpoint whose address its user gives."""
    form, label = record.address_form, say("Base URL")
    if form:
        label = say("Base URL or {part}", part=say(form.part))
    address = current.base_url if current else record.usual_address
    st.text_input(
        label,
        address,
        placeholder=form.example if form else None,
        key=f"address_{record.name}",
    )
    if record.name == CUSTOM:
        words = say("Under a name of its own each of several endpoints can be asked in one run.")
        st.text_input(say("Name (optional)"), key="endpoint_name", help=words)
    if record.models_variable:
        names = ", ".join(current.models) if current else ""
        words = say("The names that you gave them there, separated by commas.")
        st.text_input(say("Deployments"), names, key=f"models_{record.name}", help=words)


def _take_up_for_test(provider: str) -> None:
    """Keeps what was typed for the test that follows, and empties the field."""
    typed = st.session_state[f"typed_{provider}"]
    # An empty field: the browser does not hold the key either.
    st.session_state[f"typed_{provider}"] = ""
    address = _address_of_key(provider)
    models = st.session_state.get(f"models_{provider}", "")
    if PROVIDERS[provider].models_variable and not models.strip(" ,"):
        raise AccessError(say("Name at least one deployment: its list does not tell them."))
    if provider == CUSTOM:
        provider = _named(st.session_state["endpoint_name"])
    current = session.keys().get(provider)
    # A key that was entered for another address does not go to this one.
    if not typed and current and current.base_url == address:
        typed = current.key.get_secret_value()
    st.session_state[f"entered_{provider}"] = bind(provider, address, typed, models)
    st.session_state["provider"] = provider


def _named(name: str) -> str:
    """The provider's name of a custom endpoint that is called so."""
    provider = named_endpoint(name)
    if not provider:
        raise AccessError(say("A name has 1 to 30 letters from a to z or digits, such as lab2."))
    return provider


def _address_of_key(provider: str) -> str:
    """Where the key goes: what was typed, where that is asked, else the provider's address."""
    record = PROVIDERS[provider]
    if record.address:
        return session.address_of(provider)
    address = address_of(record, st.session_state[f"address_{provider}"])
    st.session_state[f"address_{provider}"] = address
    return address


def _test_entered(provider: str) -> None:
    """Tests what was entered, uses it from now on if that went well, and says what came of it."""
    entered: Access | None = st.session_state.pop(f"entered_{provider}", None)
    if problems.show(provider) or entered is None:
        return
    try:
        with st.spinner(say("Asking {provider}", provider=say(PROVIDERS[provider].title))):
            models = clients.ask_models(entered)
    except LLMError as error:
        _test_failed(entered, error)
        return
    _use_from_now(entered)
    # What a custom endpoint offers the catalogue cannot know.
    offered = counted(len(models), "model")
    works = say("Works: {models} offered.", models=offered)
    if PROVIDERS[provider].has_open_list:
        works = say(
            "Reached: {models} offered to everybody. Whether the key is right shows at the first "
            "call.",
            models=offered,
        )
    elif not (PROVIDERS[provider].is_custom or entered.models):
        known = [model for model in models if catalogue.find(f"{provider}/{model}")]
        works = say(
            "Works: {models} offered, {known} of them known here.",
            models=offered,
            known=len(known),
        )
    st.success(works, icon=":material/check_circle:")


def _test_failed(entered: Access, error: LLMError) -> None:
    """Says why, and whether what was entered is kept all the same.

    It is kept where nothing speaks against it and nothing else works yet.
    """
    provider = entered.provider
    own = session.own_keys()
    has_working = provider in session.offered()
    what = remedies.worded(error, remedies.ON_SETTINGS)
    if entered == session.keys().get(provider) and (has_working or provider not in own):
        message = f"{what} {say('It stays in use.')}"
    elif has_working or _is_wrong(provider, error):
        if entered == own.get(provider):
            session.forget_key(provider)
        message = say("Not taken: {why}", why=what)
        if session.keys().get(provider):
            kept = say("The one before is kept.")
            stays = say("The one before stays in use.")
            message = f"{message} {stays if has_working else kept}"
    else:
        _use_from_now(entered)
        message = say("Not tested: {why}", why=what)
    st.error(plain(message), icon=":material/error:")
    if error.details:
        with st.expander(say("Details")):
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
    if isinstance(in_use, sign_in.SignedIn):
        return
    if provider in own:
        where = _other_address(own[provider])
        state = say("Not tested{where}.", where=where)
        if provider in session.offered():
            state = say("In use{where}.", where=where)
        until = say("Kept until the app stops.")
        if config().public:
            until = say("Kept until this tab is reloaded or closed.")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(plain(f"{state} {until}"))
            st.button(
                say("Forget"),
                icon=":material/key_off:",
                on_click=session.forget_key,
                args=(provider,),
            )
    elif in_use:
        variable = record.address_variable if record.is_custom else record.key_variable
        words = say(
            "In use: the one from {variable}{where}.",
            variable=variable,
            where=_other_address(in_use),
        )
        st.caption(plain(words))
    elif record.key_page:
        words = say(
            "No key yet. {provider} makes them at {address}",
            provider=say(record.title),
            address=record.key_page,
        )
        st.caption(words)


def _what_to_know(record: Provider) -> None:
    """What the user of a provider should know beforehand."""
    sentences = [say(record.remark)] if record.remark else []
    if not record.tried and not record.name.startswith(CUSTOM):
        words = mark("Not yet tried with a real key: how it is asked is from its documents.")
        if record.is_custom:
            words = mark("Not yet tried with a real server: how it is asked is from its documents.")
        sentences.append(say(words))
    if sentences:
        st.caption(plain(joined_sentences(sentences)))


def _other_address(access: Access) -> str:
    """The address, where it is not the provider's own."""
    if access.base_url == PROVIDERS[access.provider].address:
        return ""
    return say(" at {address}", address=access.base_url)


def _forget_answers() -> None:
    session.store().calls.forget_answers(session.workspace())


def _model_cells(choice: catalogue.Choice) -> dict[str, object]:
    model = choice.model
    return {
        mark("Model"): model.title,
        mark("Status"): _status_of_model(model),
        mark("Cannot be chosen"): translated(choice.problem),
        mark("Price in"): model.price_in,
        mark("Price out"): model.price_out,
        mark("Context"): model.context,
        mark("Free plan"): _free_plan(model.free),
    }


def _status_of_model(model: catalogue.Model) -> str | None:
    if model.status == "deprecated":
        return say("deprecated, until {day}", day=model.status_date)
    if catalogue.find(model.id) is None:
        return None
    return say(model.status)


def _free_plan(limits: catalogue.PlanLimits | None) -> str | None:
    if limits is None:
        return None
    most = {
        mark("{count:,} calls/min"): limits.rpm,
        mark("{count:,} calls/day"): limits.rpd,
        mark("{count:,} tokens/min"): limits.tpm,
        mark("{count:,} tokens/day"): limits.tpd,
    }
    return in_a_line(say(words, count=count) for words, count in most.items() if count)
