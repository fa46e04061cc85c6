"""Choosing models, how they are asked, and what that will take: the same in every form that asks an
LLM.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from evaluators.llm import catalogue, clients
from evaluators.llm.catalogue import NEEDS_KEY, OFFLINE, Choice, Model
from evaluators.llm.estimate import (
    SHORT_ANSWER,
    SHORT_LABELS,
    Estimate,
    bases,
    cap_problem,
    cut_short,
    estimate,
    impossible,
    in_rows,
    lengthy,
)
from evaluators.llm.prompt_sizes import Sent, what_is_left
from evaluators.llm.providers import PROVIDERS
from evaluators.records import Cap, ModelSpec
from ui import session
from ui.parts import spending
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

WHOLE = (
    "For the whole run, all models and judges together. "
    "It stops there by itself, keeps everything, and can go on with a higher cap."
)

COLUMNS = {
    "Waiting": st.column_config.TextColumn(
        help="What the provider's limits impose, beside the time of the answers."
    )
}

LABELS_BUDGET = 2048
"""Tokens that the labels of a long answer take, with the reasons, which are asked for."""

JUDGES_ITSELF = "This judge also answers, and may favour its own answers."

_DATE = re.compile(r"-\d{4}(-?\d{2}-?\d{2})?$")


class Options(NamedTuple):
    """How models are asked."""

    answer_tokens: int = 1024
    temperature: float = 0.0
    use_cache: bool = True


class Plan(NamedTuple):
    """What `create_run` must know of models."""

    models: tuple[ModelSpec, ...]
    judges: tuple[ModelSpec, ...]
    cap: Cap
    use_cache: bool

    @property
    def llms(self) -> list[ModelSpec]:
        return [model for model in (*self.models, *self.judges) if model != OFFLINE]

    @property
    def repeats(self) -> int:
        """How often a judge is sent the same about a response that all models keep."""
        return 1 if self.use_cache else max(1, len(self.models))


# Choosing


def choices() -> dict[str, Choice]:
    """Every model by its id; those that cannot be asked come last."""
    found = catalogue.model_choices(session.keys(), session.offered())
    return dict(sorted(found.items(), key=lambda item: bool(item[1].problem)))


def models(found: Mapping[str, Choice], key: str) -> list[Choice]:
    """The models to ask: the offline reader, unless others are chosen; says why one cannot be, and
    what to do.
    """
    names = st.multiselect(
        "Models",
        list(found),
        default=[OFFLINE.id],
        format_func=lambda name: label(found[name]),
        help=(
            "Each one answers every prompt. Prices: US dollars per million tokens, prompt / answer."
        ),
        placeholder="Choose at least one model",
        select_all=False,
        key=key,
        **KEPT,
    )
    return _told([found[name] for name in names])


def judges(found: Mapping[str, Choice], most: int, key: str) -> list[Choice]:
    """The LLMs that label, so many at most; says why one cannot, and what to do."""
    names = [name for name in found if name != OFFLINE.id]
    chosen = st.multiselect(
        "Judges",
        names,
        format_func=lambda name: label(found[name]),
        help="Two or more are a jury: each labels every sample, and the majority decides each "
        "sentence. "
        "Prices: US dollars per million tokens, prompt / answer.",
        placeholder="Choose at least one judge",
        max_selections=most,
        select_all=False,
        key=key,
        **KEPT,
    )
    if all(found[name].problem for name in names) and not chosen:
        st.info("A judge is an LLM, and that needs a key.", icon=":material/key:")
        _settings_link()
    if len(chosen) > 1:
        st.caption(
            "A jury: the majority decides each sentence, a tie goes to the stricter verdict."
        )
    return _told([found[name] for name in chosen])


def _told(chosen: list[Choice]) -> list[Choice]:
    """What was chosen, after saying of which it was in vain."""
    for choice in chosen:
        if choice.problem:
            st.warning(
                plain(f"{choice.model.title}: {choice.problem}. {_remedy(choice)}"),
                icon=":material/block:",
            )
    if any(map(_lacks_key, chosen)):
        _settings_link()
    return chosen


def _settings_link() -> None:
    st.page_link(
        "../pages/settings.py", label="Enter a key on the Settings page", icon=":material/key:"
    )


def plan(
    found: Mapping[str, Choice], chosen: Sequence[Choice], purpose: str, key: str
) -> Plan | None:
    """The judge and the options, in a closed expander, and the caps; nothing where models or caps
    will not do.
    """
    with st.expander("Judge and answer options", icon=":material/balance:", key=f"{key}_options"):
        judge = _judge(found, chosen, purpose, f"{key}_judge")
        asked = [*chosen, *filter(None, [judge])]
        options = _options(asked, key)
    cap = _cap(asked, key)
    if cap is None or not chosen or any(choice.problem for choice in chosen):
        return None
    models = tuple(_spec(choice, options) for choice in chosen)
    return Plan(models, (_spec(judge, options),) if judge else (), cap, options.use_cache)


def asking(models: Sequence[Choice], judges: Sequence[Choice], key: str) -> Plan | None:
    """How models that answer and judges that label are asked; nothing where one of them, or a cap,
    will not do.
    """
    chosen = [*models, *judges]
    if any(choice.problem for choice in chosen):
        return None
    options = Options()
    if any(choice.model.id != OFFLINE.id for choice in chosen):
        with st.expander("Answer options", icon=":material/tune:", key=f"{key}_options"):
            options = (
                _options(chosen, key, LABELS_BUDGET)
                if judges
                else _options(chosen, f"{key}_generator")
            )
    if any(judge in models for judge in judges):
        st.caption(JUDGES_ITSELF)
    cap = _cap(chosen, key)
    if cap is None:
        return None
    answering, labelling = (
        tuple(_spec(choice, options) for choice in group) for group in (models, judges)
    )
    return Plan(answering, labelling, cap, options.use_cache)


def is_generator(choice: Choice, generator: str) -> bool:
    """Whether the model is the one that data name as the author of an answer, whatever its provider
    and date.
    """
    names = {_bare(choice.model.model), _bare(choice.model.title)}
    return bool(generator) and _bare(generator) in names


def _bare(name: str) -> str:
    return _DATE.sub("", name.lower().rpartition("/")[2].replace(" ", "-"))


def _judge(
    found: Mapping[str, Choice], asked: Sequence[Choice], purpose: str, key: str
) -> Choice | None:
    """The LLM that judges beside the rules, if one is chosen; `purpose` says what it decides."""
    usable = [name for name, choice in found.items() if not choice.problem and name != OFFLINE.id]
    name = st.selectbox(
        "Judge (optional)",
        usable,
        index=None,
        format_func=lambda name: label(found[name]),
        help=purpose,
        placeholder="None" if usable else "None (an LLM needs a key: Settings)",
        disabled=not usable,
        key=key,
        **KEPT,
    )
    if name in [choice.model.id for choice in asked]:
        st.caption(JUDGES_ITSELF)
    return found[name] if name else None


def label(choice: Choice) -> str:
    """The model in one line: its name, its provider,
    and what it costs or why it cannot be asked.
    """
    model, provider = choice.model, PROVIDERS.get(choice.model.provider)
    name = [model.title]
    if provider and not model.title.endswith(f"({provider.title})"):
        name.append(provider.title)
    if choice.problem:
        return " · ".join([f"✕ {name[0]}", *name[1:], choice.problem])
    return " · ".join([*name, _price(model), *_status(model)])


def _spec(choice: Choice, options: Options) -> ModelSpec:
    return clients.spec_for(
        choice.model,
        session.keys(),
        temperature=options.temperature,
        answer_tokens=options.answer_tokens,
    )


def _remedy(choice: Choice) -> str:
    return "Enter one, or choose another model." if _lacks_key(choice) else "Choose another model."


def _lacks_key(choice: Choice) -> bool:
    return choice.problem == NEEDS_KEY


def _price(model: Model) -> str:
    if model.price_in is None or model.price_out is None:
        return "price unknown"
    return (
        f"{spending.money(model.price_in)} / {spending.money(model.price_out)}"
        if model.price_out
        else "free"
    )


def _status(model: Model) -> list[str]:
    words = {"preview": "preview", "deprecated": f"until {model.status_date}"}
    return [words[model.status]] if model.status in words else []


# Options


def _options(
    asked: Sequence[Choice], key: str, answer_tokens: int = Options().answer_tokens
) -> Options:
    """How the LLMs among these are asked; without one there is nothing to choose."""
    llms = _llms(asked)
    if not llms:
        return Options()
    budget, heat = st.columns(2, vertical_alignment="bottom")
    answer_tokens = budget.number_input(
        "Answer budget (tokens)",
        16,
        32768,
        answer_tokens,
        step=128,
        help="The most that an answer may take, hidden reasoning included.",
        key=f"{key}_answer_tokens",
        **KEPT,
    )
    temperature = heat.number_input(
        "Temperature", 0.0, 2.0, 0.0, step=0.1, key=f"{key}_temperature", **KEPT
    )
    use_cache = st.toggle(
        "Use stored answers",
        True,
        help="A request that was answered before is not sent and not paid for again.",
        key=f"{key}_use_cache",
        **KEPT,
    )
    if fixed := [
        model.title for model in llms if model.spec(temperature=temperature).temperature is None
    ]:
        st.caption(plain(f"The temperature is left to {', '.join(fixed)}."))
    return Options(answer_tokens, temperature, use_cache)


def _cap(asked: Sequence[Choice], key: str) -> Cap | None:
    """Where the run stops by itself, told beside the estimate; nothing, with a word, where that
    cannot hold.

    The fields have no bounds: a browser keeps a value out of bounds to itself, and an old one would
    go on.
    """
    llms = _llms(asked)
    if not llms:
        return Cap()
    left, right = st.columns(2, vertical_alignment="bottom")
    calls = left.number_input(
        "Most calls",
        value=None,
        step=1,
        placeholder="No cap",
        help=WHOLE,
        key=f"{key}_calls",
        **KEPT,
    )
    dollars = right.number_input(
        "Most US dollars",
        value=None,
        step=0.01,
        placeholder="No cap",
        help=WHOLE,
        key=f"{key}_dollars",
        **KEPT,
    )
    if problem := cap_problem(calls, dollars, llms):
        st.warning(plain(problem), icon=":material/block:")
        return None
    return Cap(calls=calls, cost=dollars)


def _llms(asked: Sequence[Choice]) -> list[Model]:
    return [
        choice.model for choice in asked if choice.model.id != OFFLINE.id and not choice.problem
    ]


# What it will take


def show_estimate(plan: Plan, what: Sent) -> None:
    """A line for each model and the judge, what it rests on, and warnings; nothing where no LLM is
    asked.
    """
    if not plan.llms:
        return
    rows = [
        (catalogue.model_title(model), _estimate(model, what, plan.use_cache))
        for model in plan.models
    ]
    for judge in plan.judges:
        judged = estimate(judge, what.judge_tokens * len(plan.models))
        rows.append((f"{catalogue.model_title(judge)} (judge)", judged))
    _show_rows(rows, plan.cap)


def show_calls(plan: Plan, answers: Sent, what: Mapping[ModelSpec, Sent]) -> None:
    """The same for models that answer, and judges that label what is there or will be.

    Each judge has prompts of its own, as long inputs are cut to what it can read.
    """
    if not plan.llms:
        return
    rows = [
        (catalogue.model_title(model), _estimate(model, answers, plan.use_cache))
        for model in plan.models
    ]
    by = " (judge)" if plan.models else ""
    for judge, own in what.items():
        rows.append(
            (
                f"{catalogue.model_title(judge)}{by}",
                _estimate(judge, own, plan.use_cache, SHORT_LABELS),
            )
        )
    _show_rows(rows, plan.cap)


def _show_rows(rows: Sequence[tuple[str, Estimate]], cap: Cap) -> None:
    cells = in_rows(rows)
    st.dataframe(
        cells, hide_index=True, column_config=COLUMNS | _cost_column(cells), alt="Estimate"
    )
    if words := cut_short(cap, rows):
        st.caption(plain(words))
    if notes := bases(rows):
        st.caption("  \n".join(map(plain, notes)))
    for name, each in rows:
        if words := impossible(name, each):
            st.warning(plain(words), icon=":material/warning:")
        elif words := lengthy(name, each):
            st.warning(plain(words), icon=":material/hourglass_top:")


def _cost_column(cells: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """As wide as its longest range; left to itself a column keeps the width that its first values
    took.
    """
    longest = max(len(str(row["Cost"])) for row in cells)
    return {"Cost": st.column_config.TextColumn(width=max(80, 8 * longest + 16))}


def _estimate(
    model: ModelSpec, what: Sent, use_cache: bool, shortest: int = SHORT_ANSWER
) -> Estimate:
    keys = what.keys.get(model, ()) if use_cache else ()
    stored = session.store().calls.answered(session.workspace(), keys) if keys else 0
    return what_is_left(model, what, stored, shortest)
