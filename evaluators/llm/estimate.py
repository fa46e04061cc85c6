"""What a run will take: tokens, money and time, told before anything is paid for.

Tokens are estimated from bytes. An answer takes from few tokens (a short one) to the answer budget.
Money is tokens times the list price. Time is what the free plan imposes: its first minute and first
day are there at once, the rest comes back evenly; at best what an answer did not use is given back,
at worst the whole budget counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluators.llm.catalogue import OFFLINE, Model, PlanLimits, find, model_title
from evaluators.llm.limits import TOLERANCE
from evaluators.records import Cap, ModelSpec, Record, Usage

SHORT_ANSWER = 30
SHORT_LABELS = 200
"""Tokens of an answer, of one that labels a sample with few sentences."""

DAY = 1440

LEAST_DOLLARS = 0.01

TOGETHER = "LLMs together"

PLAN = "Waiting goes by the free plan's limits until the provider's answers tell the account's own."


class Estimate(Record):
    """What the calls to one model will take; money in US dollars, `None` where a price or a plan is
    unknown.

    `calls` are those that will be made, `cached` those that need not be. `limited_by` names the
    limit that makes the run take its time, and `too_long` counts the calls that can never be
    answered.
    """

    model: str
    title: str
    calls: int
    cached: int
    prompt_tokens: int
    answer_low: int
    answer_high: int
    cost_low: float | None
    cost_high: float | None
    minutes_low: float | None
    minutes_high: float | None
    limited_by: str = ""
    too_long: int = 0


def estimate(
    spec: ModelSpec, prompt_tokens: Sequence[int], *, cached: int = 0, shortest: int = SHORT_ANSWER
) -> Estimate:
    """What it takes to ask the model these prompts, given by their tokens; the `cached` ones are
    not among them.

    An answer takes from `shortest` tokens to the model's answer budget.
    """
    model = find(spec.id) or Model(provider=spec.provider, model=spec.model, title=spec.model)
    budget = 0 if spec.provider == OFFLINE.provider else spec.answer_tokens
    calls, prompts = len(prompt_tokens), sum(prompt_tokens)
    low, high = calls * min(shortest, budget), calls * budget
    minutes_low, _ = _minutes(model.free, calls, prompts + low)
    minutes_high, limited_by = _minutes(model.free, calls, prompts + high)
    return Estimate(
        model=spec.id,
        title=model_title(spec),
        calls=calls,
        cached=cached,
        prompt_tokens=prompts,
        answer_low=low,
        answer_high=high,
        cost_low=model.cost(Usage(prompt_tokens=prompts, answer_tokens=low)),
        cost_high=model.cost(Usage(prompt_tokens=prompts, answer_tokens=high)),
        minutes_low=minutes_low,
        minutes_high=minutes_high,
        limited_by=limited_by,
        too_long=sum(_never_fits(model, each + budget) for each in prompt_tokens),
    )


def basis(estimate: Estimate) -> str:
    """What the numbers rest on, in one sentence."""
    model = find(estimate.model)
    if model and model.provider == OFFLINE.provider:
        return "It runs on this machine and costs nothing."
    parts = ["4 bytes to a token"]
    if estimate.calls:
        each_low, each_high = (
            estimate.answer_low // estimate.calls,
            estimate.answer_high // estimate.calls,
        )
        parts.append(f"{each_low:,} to {each_high:,} tokens to an answer")
    if model and estimate.cost_high is not None:
        parts.append(f"list prices of {model.source_date}")
    if estimate.limited_by:
        parts.append(estimate.limited_by)
    return f"Estimated with {', '.join(parts)}."


def money(low: float | None, high: float | None) -> str:
    """A range of US dollars in words: "$0.03 to $0.05", "under $0.01", "free", "unknown"."""
    if low is None or high is None:
        return "unknown"
    if high < 0.01:
        return "under $0.01" if high else "free"
    cheap, dear = f"${low:,.2f}", f"${high:,.2f}"
    if low < 0.01:
        return f"up to {dear}"
    return dear if cheap == dear else f"{cheap} to {dear}"


def duration(minutes: float) -> str:
    """A time in words, in a unit of which there are fewer than two of the next: "40 s", "12 min",
    "3 h", "2 days".
    """
    for unit, length, end in (("s", 1 / 60, 2), ("min", 1, 120), ("h", 60, 2 * DAY)):
        if minutes < end:
            return f"{minutes / length:.0f} {unit}"
    return f"{minutes / DAY:.0f} days"


# In words


def in_rows(rows: Sequence[tuple[str, Estimate]]) -> list[dict[str, object]]:
    """The rows of a table: one for each model, and one for all LLMs where there are several."""
    cells, llms = [in_words(name, each) for name, each in rows], _llms(rows)
    return [*cells, _total(llms)] if len(llms) > 1 else cells


def in_words(name: str, each: Estimate) -> dict[str, object]:
    """A row for a table: what the model of that name will take, by column."""
    return {
        "Model": name,
        "Cost": money(each.cost_low, each.cost_high) if each.calls else "free",
        "Waiting": _waiting(each),
        "Calls": each.calls,
        "Stored": each.cached,
        "Prompt tokens": f"{each.prompt_tokens:,}",
        "Answer tokens": _range(f"{each.answer_low:,}", f"{each.answer_high:,}"),
    }


def cap_problem(calls: int | None, dollars: float | None, models: Sequence[Model]) -> str:
    """Why such a cap cannot hold for these LLMs, and the remedy; empty where it can, or there is
    none.
    """
    if calls is not None and calls < 1:
        return (
            f"A cap of {calls:,} calls is too low. Enter at least 1, or leave the field empty "
            "for no cap."
        )
    if dollars is None:
        return ""
    if dollars < LEAST_DOLLARS:
        least = f"Enter at least ${LEAST_DOLLARS}, or leave the field empty for no cap."
        return f"A cap of ${dollars:g} is too low. {least}"
    names = [model.title for model in models if model.price_in is None]
    return unpriced(names) if names else ""


def unpriced(names: Sequence[str]) -> str:
    """Why a cap in dollars cannot hold for LLMs of these names, and the remedy."""
    return (
        f"The price of {', '.join(names)} is unknown, so a cap in dollars cannot hold. Cap "
        "the calls."
    )


def cut_short(cap: Cap, rows: Sequence[tuple[str, Estimate]]) -> str:
    """A word where a cap is met before the end even if all answers are short;
    empty where none is.
    """
    llms, met = _llms(rows), []
    if cap.calls is not None and cap.calls < sum(each.calls for each in llms):
        met.append(f"{cap.calls:,} call{'s' if cap.calls > 1 else ''}")
    if cap.cost is not None and cap.cost < sum(each.cost_low or 0.0 for each in llms):
        met.append(money(cap.cost, cap.cost))
    return (
        f"The cap of {' and '.join(met)} is below this estimate: the run will stop before its end."
        if met
        else ""
    )


def bases(rows: Sequence[tuple[str, Estimate]]) -> list[str]:
    """What the numbers rest on, a sentence each with the names for which it is so."""
    found: dict[str, list[str]] = {}
    for name, each in rows:
        if each.model != OFFLINE.id and each.calls:
            found.setdefault(basis(each), []).append(name)
    told = [f"{', '.join(names)}: {words}" for words, names in found.items()]
    return [*told, PLAN] if any(each.limited_by for _, each in rows) else told


def impossible(name: str, each: Estimate) -> str:
    """A warning where calls can never be answered; empty where all can."""
    if not each.too_long:
        return ""
    limit, plan = _narrowest(each)
    return (
        f"{name}: {each.too_long:,} of {each.calls:,} calls cannot be answered{plan}. "
        "Prompt and answer budget "
        f"({each.answer_high // each.calls:,} tokens) together exceed {limit}. "
        "Lower the answer budget, shorten the prompts, or choose another model."
    )


def lengthy(name: str, each: Estimate) -> str:
    """A warning where the plan makes the run last a day or more; empty where it does not."""
    if not each.minutes_high or each.minutes_high < DAY:
        return ""
    return (
        f"{name}: at {each.limited_by} this may take {duration(each.minutes_high)}. The "
        "run stops at each "
        "day's limit, keeps everything, and goes on when you resume it. Fewer samples, "
        "or a smaller answer "
        "budget, take less."
    )


def _waiting(each: Estimate) -> str:
    """The time that the plan's limits impose."""
    if each.model == OFFLINE.id or not each.calls or each.minutes_high == 0:
        return "none"
    if each.minutes_low is None or each.minutes_high is None:
        return "no limit known"
    return _range(duration(each.minutes_low), duration(each.minutes_high))


def _llms(rows: Sequence[tuple[str, Estimate]]) -> list[Estimate]:
    return [each for _, each in rows if each.model != OFFLINE.id]


def _total(llms: Sequence[Estimate]) -> dict[str, object]:
    """The row of all; it tells no time, as models are asked side by side and judges after them."""
    added = ("calls", "cached", "prompt_tokens", "answer_low", "answer_high")
    sums = {name: sum(getattr(each, name) for each in llms) for name in added}
    unknown = dict.fromkeys(("cost_low", "cost_high", "minutes_low", "minutes_high"))
    whole = Estimate(model="", title=TOGETHER, **sums, **unknown)
    return in_words(TOGETHER, whole) | {"Cost": _cost_together(llms), "Waiting": ""}


def _cost_together(llms: Sequence[Estimate]) -> str:
    """The money of all; "over" where only a part is known."""
    low, high = (
        sum(each.cost_low or 0.0 for each in llms),
        sum(each.cost_high or 0.0 for each in llms),
    )
    if all(each.cost_high is not None for each in llms if each.calls):
        return money(low, high)
    return f"over {money(low, low)}" if low >= LEAST_DOLLARS else "unknown"


def _range(low: str, high: str) -> str:
    return high if low == high else f"{low} to {high}"


def _narrowest(each: Estimate) -> tuple[str, str]:
    """The limit that one call meets first, and on which plan, where it is not on every one."""
    model = find(each.model)
    if model is None:
        return "what the model takes", ""
    a_minute = (model.free and model.free.tpm, "tokens a minute", " on the free plan")
    limits = [
        (most, what, plan)
        for most, what, plan in (a_minute, (model.context, "tokens of context", ""))
        if most
    ]
    most, what, plan = min(limits)
    return f"{most:,} {what}", plan


def _minutes(plan: PlanLimits | None, calls: int, tokens: int) -> tuple[float | None, str]:
    """How long the plan makes so much last, and which of its limits it is."""
    if plan is None:
        return None, ""
    limits = (
        (calls, plan.rpm, 1, "requests a minute"),
        (tokens, plan.tpm, 1, "tokens a minute"),
        (calls, plan.rpd, DAY, "requests a day"),
        (tokens, plan.tpd, DAY, "tokens a day"),
    )
    waits = [
        ((amount / limit - 1) * period, f"{limit:,} {what} (free plan)")
        for amount, limit, period, what in limits
        if limit and amount > limit
    ]
    return max(waits, default=(0.0, ""))


def _never_fits(model: Model, tokens: int) -> bool:
    a_minute = model.free.tpm if model.free else None
    return tokens > (model.context or tokens) or tokens > (a_minute or tokens) * TOLERANCE
