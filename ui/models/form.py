"""Choosing models and how they are asked: the same in every form that asks an LLM."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.llm import catalogue, clients
from evaluators.llm.catalogue import NEEDS_KEY, OFFLINE, Choice, Model
from evaluators.llm.connect import ANSWER_TOKENS, JUDGE_TOKENS
from evaluators.llm.estimate import cap_problem
from evaluators.llm.money import dollars
from evaluators.llm.providers import PROVIDERS
from evaluators.records import SYSTEM, Cap, ModelSpec
from evaluators.runs.inputs import keys_for_estimates
from evaluators.runs.plan import RunPlan
from evaluators.text.language import mark, say, translated
from evaluators.votes import RULE
from ui import session
from ui.parts.forms import KEPT, setting_number
from ui.parts.untrusted import plain

WHOLE = mark(
    "For the whole run, all models and judges together. It takes whole samples at random, keeps "
    "everything, and can go on with a higher budget."
)
DOLLARS, CALLS = mark("dollars"), mark("calls")
PRICES = mark("Prices: US dollars per million tokens, prompt / answer.")
SHOW_RETIRED = "show_retired"
NO_JUDGES = (OFFLINE.provider, SYSTEM)

JUDGES_ITSELF = mark("This judge also answers, and may favour its own answers.")

# Providers name a snapshot of a model by its date: gpt-4o-mini-2024-07-18, gpt-4-0613.
_SNAPSHOT_DATE = re.compile(r"-\d{4}(-?\d{2}-?\d{2})?$")


class AnswerOptions(NamedTuple):
    """How models are asked."""

    answer_tokens: int = ANSWER_TOKENS
    temperature: float = 0.0
    use_cache: bool = True
    repeats: int = 1


# Choosing


def choices() -> dict[str, Choice]:
    """Every model by its id; those that cannot be asked come last, retired ones on request only."""
    by_id = catalogue.model_choices(session.keys(), session.offered())
    shows_retired = st.session_state.get(SHOW_RETIRED)
    today = date.today()
    usable: dict[str, Choice] = {}
    others: dict[str, Choice] = {}
    for name, choice in by_id.items():
        if choice.model.is_retired(today) and not shows_retired:
            continue
        part = others if choice.problem else usable
        part[name] = choice
    # Whoever has no key yet sees one model of each provider first.
    by_default = sorted(others, key=lambda name: not others[name].model.default)
    return usable | {name: others[name] for name in by_default}


def show_retired() -> None:
    """Lets retired models be listed: an old run may have asked one."""
    st.toggle(say("Show retired models"), key=SHOW_RETIRED, **KEPT)


def usual_judges(by_id: Mapping[str, Choice], count: int) -> list[str]:
    """The ids of the judges that a form begins with, so that it can say what they cost.

    Those for which there is a key, else those that the catalogue names for each provider.
    """
    usable = [name for name, choice in by_id.items() if _is_usable_llm(choice)]
    known = [name for name, choice in by_id.items() if choice.model.default]
    return (usable or known)[:count]


def models(by_id: Mapping[str, Choice], key: str) -> list[Choice]:
    """The models to ask: the offline reader, unless others are chosen; says why one cannot be."""
    names = st.multiselect(
        say("Models"),
        list(by_id),
        default=[OFFLINE.id],
        format_func=lambda name: label(by_id[name]),
        help=say("Each one answers every prompt. {prices}", prices=say(PRICES)),
        placeholder=say("Choose at least one model"),
        select_all=False,
        key=key,
        **KEPT,
    )
    chosen = [by_id[name] for name in names]
    _say_what_keeps_them(chosen)
    return chosen


def judge(
    by_id: Mapping[str, Choice],
    key: str,
    *,
    is_needed: bool = True,
    title: str = "",
) -> list[Choice]:
    """The one LLM that judges, if one is chosen; says why it cannot, and what to do."""
    names = _llms(by_id)
    begin = usual_judges(by_id, 1) if is_needed else []
    name = st.selectbox(
        title or (say("Judge") if is_needed else say("Judge (optional)")),
        names,
        # One that is not needed would cost without anybody having asked for it.
        index=names.index(begin[0]) if begin else None,
        format_func=lambda name: label(by_id[name]),
        help=say(PRICES),
        placeholder=say("Choose an LLM") if title else say("Choose a judge"),
        key=key,
        **KEPT,
    )
    chosen = [by_id[name]] if name else []
    _say_what_keeps_them(chosen)
    return chosen


def judges(
    by_id: Mapping[str, Choice],
    most: int,
    key: str,
    begin: int,
) -> list[Choice]:
    """The LLMs that label, `most` at a time; says why one cannot, and what to do."""
    names = st.multiselect(
        say("Judges"),
        _llms(by_id),
        default=usual_judges(by_id, begin),
        format_func=lambda name: label(by_id[name]),
        help=say(
            "Each labels every sample. {rule} {prices}",
            rule=say(RULE),
            prices=say(PRICES),
        ),
        placeholder=say("Choose at least one judge"),
        max_selections=most,
        select_all=False,
        key=key,
        **KEPT,
    )
    chosen = [by_id[name] for name in names]
    _say_what_keeps_them(chosen)
    return chosen


def judges_of_form(by_id: Mapping[str, Choice], key: str, begin: int) -> list[Choice]:
    """The judges chosen in the field of this key, or those it will begin with."""
    names = st.session_state.get(key, usual_judges(by_id, begin)) or []
    # The field of one judge holds a name, that of several a list.
    if isinstance(names, str):
        names = [names]
    return [by_id[name] for name in names if name in by_id]


def judge_beside_rules(
    by_id: Mapping[str, Choice],
    models: Sequence[Choice],
    purpose: str,
    key: str,
) -> Choice | None:
    """The LLM that judges beside the rules, if one is chosen; `purpose` says what it decides."""
    usable = [name for name in by_id if _is_usable_llm(by_id[name])]
    name = st.selectbox(
        say("Judge (optional)"),
        usable,
        index=None,
        format_func=lambda name: label(by_id[name]),
        help=purpose,
        placeholder=say("None") if usable else say("None (an LLM needs a key: Settings)"),
        disabled=not usable,
        key=key,
        **KEPT,
    )
    if name in [choice.model.id for choice in models]:
        st.caption(say(JUDGES_ITSELF))
    return by_id[name] if name else None


def is_generator(choice: Choice, generator: str) -> bool:
    """Whether the model is the one that data name as the author of an answer.

    Its provider and its date do not matter.
    """
    if not generator:
        return False
    # Files name models by their ids or by their titles.
    names = {_bare_name(choice.model.model), _bare_name(choice.model.title)}
    return _bare_name(generator) in names


def label(choice: Choice) -> str:
    """The model in one line: name, provider, and what it costs or why it cannot be asked."""
    model = choice.model
    provider = PROVIDERS.get(model.provider)
    parts = [say(model.title)]
    # Some titles end with the provider, to tell a model from the same one elsewhere.
    if provider and not model.title.endswith(f"({provider.title})"):
        parts.append(provider.title)
    if choice.problem:
        # In front: the end of a long line is cut.
        parts[0] = f"✕ {parts[0]}"
        parts.append(translated(choice.problem))
        return " · ".join(parts)
    if model.is_system:
        return " · ".join([*parts, say("my RAG system")])
    parts.append(_price_in_and_out(model))
    if model.status == "preview":
        parts.append(say("preview"))
    elif model.status == "deprecated":
        parts.append(say("until {date}", date=model.status_date))
    return " · ".join(parts)


def settings_link() -> None:
    st.page_link(
        "../pages/settings.py",
        label=say("Enter a key on the Settings page"),
        icon=":material/key:",
    )


def _say_what_keeps_them(chosen: Sequence[Choice]) -> None:
    """Says of each model that cannot be asked why, and what to do."""
    without_key = [choice.model.title for choice in chosen if choice.problem == NEEDS_KEY]
    for choice in chosen:
        if choice.problem and choice.problem != NEEDS_KEY:
            words = say(
                "{model}: {problem}. Choose another model.",
                model=choice.model.title,
                problem=choice.problem,
            )
            st.warning(plain(words), icon=":material/block:")
    if without_key:
        with st.container(horizontal=True, vertical_alignment="center"):
            words = mark("{models} need keys; the price is shown without one.")
            if len(without_key) == 1:
                words = mark("{models} needs a key; the price is shown without one.")
            words = say(words, models=say(", ").join(without_key))
            if session.has_lost_key():
                words = say("{words} Your key was forgotten with the reload.", words=words)
            st.caption(plain(words))
            settings_link()


def _is_usable_llm(choice: Choice) -> bool:
    return not choice.problem and choice.model.provider not in NO_JUDGES


def _llms(by_id: Mapping[str, Choice]) -> list[str]:
    """Those who can be judges."""
    return [name for name, choice in by_id.items() if choice.model.provider not in NO_JUDGES]


def _bare_name(name: str) -> str:
    # "openai/gpt-4o-2024-08-06" and "GPT 4o" are one author.
    without_provider = name.lower().rpartition("/")[2]
    return _SNAPSHOT_DATE.sub("", without_provider.replace(" ", "-"))


def _price_in_and_out(model: Model) -> str:
    if model.price_in is None or model.price_out is None:
        return say("price unknown")
    if not model.price_out:
        return say("free")
    return f"{dollars(model.price_in)} / {dollars(model.price_out)}"


# How they are asked


def with_llms(
    plan: RunPlan,
    models: Sequence[Choice],
    judges: Sequence[Choice],
    options: AnswerOptions,
    cap: Cap | None,
) -> RunPlan | None:
    """The plan with these models, asked so; `None` where one of them, or the budget, will not do.

    One that only lacks a key will do for a plan: what it would take can be said.
    """
    chosen = [*models, *judges]
    if cap is None or any(choice.problem not in ("", NEEDS_KEY) for choice in chosen):
        return None
    return replace(
        plan,
        models=tuple(spec_as_asked(choice, options) for choice in models),
        judges=tuple(spec_as_asked(choice, options) for choice in judges),
        cap=cap,
        use_cache=options.use_cache,
        repeats=options.repeats,
    )


def answer_options(
    models: Sequence[Choice],
    judges: Sequence[Choice],
    key: str,
    *,
    labels: bool = True,
) -> AnswerOptions:
    """How the LLMs among these are asked; without one there is nothing to choose.

    Judges get a larger answer budget, for labels with their reasons, unless they give no `labels`.
    """
    llms = _llms_of([*models, *judges])
    if not llms:
        return AnswerOptions()
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    answer_tokens = _answer_budget(left, key, is_labelling=bool(judges) and labels)
    temperature = setting_number(
        "temperature", say("Temperature"), f"{key}_temperature", place=middle, step=0.1
    )
    repeats = setting_number(
        "repeats",
        say("Repeats"),
        f"{key}_repeats",
        place=right,
        words=say("Ask each prompt again to see how much answers vary at this temperature."),
    )
    use_cache = st.toggle(
        say("Use stored answers"),
        True,
        help=say("A request that was answered before is not sent and not paid for again."),
        key=f"{key}_use_cache",
        **KEPT,
    )
    # A spec has no temperature where the model takes none.
    fixed = [each.title for each in llms if each.spec(temperature=temperature).temperature is None]
    if fixed:
        words = say("The temperature is left to {models}.", models=say(", ").join(fixed))
        st.caption(plain(words))
    return AnswerOptions(answer_tokens, temperature, use_cache, repeats)


def _answer_budget(column: DeltaGenerator, key: str, *, is_labelling: bool) -> int:
    answer_tokens, tokens_key = ANSWER_TOKENS, f"{key}_answer_tokens"
    if is_labelling:
        # A field of its own, so that each of the two keeps its number.
        answer_tokens, tokens_key = JUDGE_TOKENS, f"{key}_judge_tokens"
    most_tokens: int = setting_number(
        "answer_tokens",
        say("Answer budget (tokens)"),
        tokens_key,
        place=column,
        words=say("The most that an answer may take, hidden reasoning included."),
        value=answer_tokens,
        step=128,
    )
    return most_tokens


def budget(chosen: Sequence[Choice], key: str) -> Cap | None:
    """Where the run stops by itself; nothing, with a word, where that cannot hold.

    Drawn where it asks an LLM.
    """
    llms = _llms_of(chosen)
    if not llms:
        return Cap()
    left, right = st.columns([3, 2], vertical_alignment="bottom", gap="xsmall")
    unit = right.selectbox(
        say("Unit of the budget"),
        [DOLLARS, CALLS],
        format_func=say,
        label_visibility="collapsed",
        key=f"{key}_unit",
        **KEPT,
    )
    # No bounds: a browser keeps a value out of bounds to itself, and an old one would go on.
    most: Any = left.number_input(
        say("Budget"),
        value=None,
        step=0.01 if unit == DOLLARS else 1,
        placeholder=say("No limit"),
        help=say(WHOLE),
        key=f"{key}_{unit}",
        **KEPT,
    )
    calls, cost = (most, None) if unit == CALLS else (None, most)
    if problem := cap_problem(calls, cost, llms):
        st.warning(plain(problem), icon=":material/block:")
        return None
    return Cap(calls=calls, cost=cost)


def _llms_of(chosen: Sequence[Choice]) -> list[Model]:
    return [choice.model for choice in chosen if choice.model.id != OFFLINE.id]


def spec_as_asked(choice: Choice, options: AnswerOptions) -> ModelSpec:
    return clients.spec_for(
        choice.model,
        keys_for_estimates(session.keys()),
        temperature=options.temperature,
        answer_tokens=options.answer_tokens,
    )
