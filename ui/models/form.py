"""Choosing models and how they are asked: the same in every form that asks an LLM."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from evaluators.llm import catalogue, clients
from evaluators.llm.catalogue import NEEDS_KEY, OFFLINE, Choice, Model
from evaluators.llm.connect import JUDGE_TOKENS
from evaluators.llm.estimate import cap_problem
from evaluators.llm.money import dollars
from evaluators.llm.providers import PROVIDERS
from evaluators.records import Cap, ModelSpec
from evaluators.runs.inputs import ANSWER_TOKENS
from evaluators.runs.plan import RunPlan
from ui import session
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

WHOLE = (
    "For the whole run, all models and judges together. "
    "It stops there by itself, keeps everything, and can go on with a higher budget."
)

JUDGES_ITSELF = "This judge also answers, and may favour its own answers."

# Providers name a snapshot of a model by its date: gpt-4o-mini-2024-07-18, gpt-4-0613.
_SNAPSHOT_DATE = re.compile(r"-\d{4}(-?\d{2}-?\d{2})?$")


class AnswerOptions(NamedTuple):
    """How models are asked."""

    answer_tokens: int = ANSWER_TOKENS
    temperature: float = 0.0
    use_cache: bool = True


# Choosing


def choices() -> dict[str, Choice]:
    """Every model by its id; those that cannot be asked come last."""
    by_id = catalogue.model_choices(session.keys(), session.offered())
    return dict(sorted(by_id.items(), key=lambda item: bool(item[1].problem)))


def models(by_id: Mapping[str, Choice], key: str) -> list[Choice]:
    """The models to ask: the offline reader, unless others are chosen; says why one cannot be."""
    names = st.multiselect(
        "Models",
        list(by_id),
        default=[OFFLINE.id],
        format_func=lambda name: label(by_id[name]),
        help=(
            "Each one answers every prompt. Prices: US dollars per million tokens, prompt / answer."
        ),
        placeholder="Choose at least one model",
        select_all=False,
        key=key,
        **KEPT,
    )
    chosen = [by_id[name] for name in names]
    _say_what_keeps_them(chosen)
    return chosen


def judges(by_id: Mapping[str, Choice], most: int, key: str) -> list[Choice]:
    """The LLMs that label, so many at most; says why one cannot, and what to do."""
    names = [name for name in by_id if name != OFFLINE.id]
    chosen_names = st.multiselect(
        "Judges",
        names,
        format_func=lambda name: label(by_id[name]),
        help="Two or more are a jury: each labels every sample, and the majority decides each "
        "sentence. "
        "Prices: US dollars per million tokens, prompt / answer.",
        placeholder="Choose at least one judge",
        max_selections=most,
        select_all=False,
        key=key,
        **KEPT,
    )
    if all(by_id[name].problem for name in names) and not chosen_names:
        st.info("A judge is an LLM, and that needs a key.", icon=":material/key:")
        settings_link()
    if len(chosen_names) > 1:
        st.caption(
            "A jury: the majority decides each sentence, a tie goes to the stricter verdict."
        )
    chosen = [by_id[name] for name in chosen_names]
    _say_what_keeps_them(chosen)
    return chosen


def judge_beside_rules(
    by_id: Mapping[str, Choice],
    models: Sequence[Choice],
    purpose: str,
    key: str,
) -> Choice | None:
    """The LLM that judges beside the rules, if one is chosen; `purpose` says what it decides."""
    usable = [name for name in by_id if _is_usable_llm(by_id[name])]
    name = st.selectbox(
        "Judge (optional)",
        usable,
        index=None,
        format_func=lambda name: label(by_id[name]),
        help=purpose,
        placeholder="None" if usable else "None (an LLM needs a key: Settings)",
        disabled=not usable,
        key=key,
        **KEPT,
    )
    if name in [choice.model.id for choice in models]:
        st.caption(JUDGES_ITSELF)
    return by_id[name] if name else None


def judge_of_metrics(key: str) -> Choice | None:
    """The one LLM that judges, if one is chosen."""
    usable = {name: choice for name, choice in choices().items() if _is_usable_llm(choice)}
    if not usable:
        st.info(
            "A metric of these asks a judge: an LLM, and that needs a key.", icon=":material/key:"
        )
        settings_link()
    name = st.selectbox(
        "Judge",
        list(usable),
        index=None,
        format_func=lambda name: label(usable[name]),
        help="Prices: US dollars per million tokens, prompt / answer.",
        placeholder="Choose a judge",
        disabled=not usable,
        key=key,
        **KEPT,
    )
    return usable[name] if name else None


def is_generator(choice: Choice, generator: str) -> bool:
    """Whether the model is the one that data name as the author of an answer.

    Its provider and its date do not matter.
    """
    names = {_bare_name(choice.model.model), _bare_name(choice.model.title)}
    return bool(generator) and _bare_name(generator) in names


def label(choice: Choice) -> str:
    """The model in one line: name, provider, and what it costs or why it cannot be asked."""
    model, provider = choice.model, PROVIDERS.get(choice.model.provider)
    name = [model.title]
    if provider and not model.title.endswith(f"({provider.title})"):
        name.append(provider.title)
    if choice.problem:
        return " · ".join([f"✕ {name[0]}", *name[1:], choice.problem])
    if model.status == "preview":
        status = ["preview"]
    elif model.status == "deprecated":
        status = [f"until {model.status_date}"]
    else:
        status = []
    return " · ".join([*name, _price_in_and_out(model), *status])


def settings_link() -> None:
    st.page_link(
        "../pages/settings.py", label="Enter a key on the Settings page", icon=":material/key:"
    )


def _say_what_keeps_them(chosen: Sequence[Choice]) -> None:
    """Says of each model that cannot be asked why, and what to do."""
    lacks_key = False
    for choice in chosen:
        if not choice.problem:
            continue
        remedy = "Choose another model."
        if choice.problem == NEEDS_KEY:
            lacks_key, remedy = True, "Enter one, or choose another model."
        words = f"{choice.model.title}: {choice.problem}. {remedy}"
        st.warning(plain(words), icon=":material/block:")
    if lacks_key:
        settings_link()


def _is_usable_llm(choice: Choice) -> bool:
    return not choice.problem and choice.model.id != OFFLINE.id


def _bare_name(name: str) -> str:
    return _SNAPSHOT_DATE.sub("", name.lower().rpartition("/")[2].replace(" ", "-"))


def _price_in_and_out(model: Model) -> str:
    if model.price_in is None or model.price_out is None:
        return "price unknown"
    if not model.price_out:
        return "free"
    return f"{dollars(model.price_in)} / {dollars(model.price_out)}"


# How they are asked


def asking(
    plan: RunPlan,
    models: Sequence[Choice],
    judges: Sequence[Choice],
    key: str,
) -> RunPlan | None:
    """The plan with models that answer and judges that label, their options and the caps.

    `None` where one of them, or a cap, will not do.
    """
    chosen = [*models, *judges]
    if any(choice.problem for choice in chosen):
        return None
    options = AnswerOptions()
    if _llms_of(chosen):
        with st.expander("Answer options", icon=":material/tune:", key=f"{key}_options"):
            # Labels with their reasons take more than an answer; the widgets of the two have keys
            # of their own, so that each keeps its number.
            if judges:
                options = answer_options(chosen, key, JUDGE_TOKENS)
            else:
                options = answer_options(chosen, f"{key}_generator")
    if any(judge in models for judge in judges):
        st.caption(JUDGES_ITSELF)
    return with_llms(plan, models, judges, options, key)


def with_llms(
    plan: RunPlan,
    models: Sequence[Choice],
    judges: Sequence[Choice],
    options: AnswerOptions,
    key: str,
) -> RunPlan | None:
    """The plan with these models, asked so, and with the caps, which stand beside the estimate.

    `None` where one of them, or a cap, will not do.
    """
    chosen = [*models, *judges]
    cap = _cap_fields(chosen, key)
    if cap is None or any(choice.problem for choice in chosen):
        return None
    return replace(
        plan,
        models=tuple(_spec_as_asked(choice, options) for choice in models),
        judges=tuple(_spec_as_asked(choice, options) for choice in judges),
        cap=cap,
        use_cache=options.use_cache,
    )


def answer_options(
    chosen: Sequence[Choice],
    key: str,
    answer_tokens: int = ANSWER_TOKENS,
) -> AnswerOptions:
    """How the LLMs among these are asked; without one there is nothing to choose."""
    llms = _llms_of(chosen)
    if not llms:
        return AnswerOptions()
    left, right = st.columns(2, vertical_alignment="bottom")
    answer_tokens = left.number_input(
        "Answer budget (tokens)",
        16,
        32768,
        answer_tokens,
        step=128,
        help="The most that an answer may take, hidden reasoning included.",
        key=f"{key}_answer_tokens",
        **KEPT,
    )
    temperature = right.number_input(
        "Temperature",
        0.0,
        2.0,
        0.0,
        step=0.1,
        key=f"{key}_temperature",
        **KEPT,
    )
    use_cache = st.toggle(
        "Use stored answers",
        True,
        help="A request that was answered before is not sent and not paid for again.",
        key=f"{key}_use_cache",
        **KEPT,
    )
    # A spec has no temperature where the model takes none.
    fixed = [each.title for each in llms if each.spec(temperature=temperature).temperature is None]
    if fixed:
        st.caption(plain(f"The temperature is left to {', '.join(fixed)}."))
    return AnswerOptions(answer_tokens, temperature, use_cache)


def _cap_fields(chosen: Sequence[Choice], key: str) -> Cap | None:
    """Where the run stops by itself; nothing, with a word, where that cannot hold."""
    llms = _llms_of(chosen)
    if not llms:
        return Cap()
    # The fields have no bounds: a browser keeps a value out of bounds to itself, and an old one
    # would go on.
    limits = {"value": None, "placeholder": "No limit", "help": WHOLE, **KEPT}
    left, right = st.columns(2, vertical_alignment="bottom")
    calls = left.number_input(
        "Most calls",
        step=1,
        key=f"{key}_calls",
        **limits,
    )
    cost = right.number_input(
        "Most US dollars",
        step=0.01,
        key=f"{key}_dollars",
        **limits,
    )
    if problem := cap_problem(calls, cost, llms):
        st.warning(plain(problem), icon=":material/block:")
        return None
    return Cap(calls=calls, cost=cost)


def _llms_of(chosen: Sequence[Choice]) -> list[Model]:
    return [choice.model for choice in chosen if _is_usable_llm(choice)]


def _spec_as_asked(choice: Choice, options: AnswerOptions) -> ModelSpec:
    return clients.spec_for(
        choice.model,
        session.keys(),
        temperature=options.temperature,
        answer_tokens=options.answer_tokens,
    )
