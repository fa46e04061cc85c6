"""What a run will take: tokens, money and time, said before anything is paid for.

Tokens are estimated from bytes. An answer takes from few tokens (a short one) to the answer budget.
Money is tokens times the list price. Time is what the free plan imposes: its first minute and first
day are there at once, the rest comes back evenly; at best what an answer did not use is given back,
at worst the whole budget counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evaluators.llm.catalogue import OFFLINE, Model, PlanLimits, find, model_title
from evaluators.llm.limits import TOLERANCE
from evaluators.llm.money import CENT, dollar_range, dollars
from evaluators.messages import Text
from evaluators.records import Cap, ModelSpec, Record, Usage
from evaluators.text.language import mark, say, translated
from evaluators.text.words import counted

# A sentence of some 80 letters, such as the one with which RGB's prompt lets a model decline.
SHORT_ANSWER = 30
"""Tokens of a short answer."""

# The six fields of the labels for two or three sentences, with a few words to each explanation.
SHORT_LABELS = 200
"""Tokens of an answer that labels a sample with few sentences."""

DAY = 1440
"""Minutes."""

LEAST_CAP = 0.01
"""US dollars: a lower cap would hold before the first answer of most models."""

TOGETHER = mark("LLMs together")

PLAN = mark(
    "Waiting is estimated with the free plan's limits; your account's own are known once the "
    "provider has answered."
)

NamedEstimate = tuple[str, "Estimate"]
"""An estimate under the name that a table gives it."""


class Estimate(Record):
    """What the calls to one model will take, in US dollars and minutes.

    `overnight_low` and `overnight_high` are US dollars where a batch is answered by tomorrow.

    `None` where a price or a plan is unknown. `calls` are those that will be made, `cached` those
    that need not be. `limited_by` names the limit that makes the run take its time, and `too_long`
    counts the calls that can never be answered. Its words are English, as a name is.
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
    overnight_low: float | None = None
    overnight_high: float | None = None
    limited_by: Text = ""
    too_long: int = 0


def estimate(
    spec: ModelSpec,
    prompt_tokens: Sequence[int],
    *,
    cached: int = 0,
    shortest: Sequence[int] | None = None,
) -> Estimate:
    """What it takes to ask the model prompts of these sizes; `cached` ones are not among them.

    An answer takes from `SHORT_ANSWER` tokens, or what `shortest` says of it, to the answer budget;
    where `shortest` is 0 it takes none.
    """
    model = find(spec.id)
    if model is None:
        # A name that only its provider knows: without prices and limits.
        model = Model(provider=spec.provider, model=spec.model, title=spec.model)
    budget = 0 if spec.provider == OFFLINE.provider else spec.answer_tokens
    calls = len(prompt_tokens)
    prompts = sum(prompt_tokens)
    least = [SHORT_ANSWER] * calls if shortest is None else shortest
    # No answer is longer than its budget, however long the labels would be.
    low = sum(min(tokens, budget) for tokens in least)
    budgets = [budget if tokens else 0 for tokens in least]
    high = sum(budgets)
    minutes_low, _ = _minutes(model.free, calls, prompts + low)
    minutes_high, limited_by = _minutes(model.free, calls, prompts + high)
    least_used = Usage(prompt_tokens=prompts, answer_tokens=low)
    most_used = Usage(prompt_tokens=prompts, answer_tokens=high)
    return Estimate(
        model=spec.id,
        title=model_title(spec),
        calls=calls,
        cached=cached,
        prompt_tokens=prompts,
        answer_low=low,
        answer_high=high,
        cost_low=model.cost(least_used),
        cost_high=model.cost(most_used),
        overnight_low=model.cost(least_used, in_batch=True),
        overnight_high=model.cost(most_used, in_batch=True),
        minutes_low=minutes_low,
        minutes_high=minutes_high,
        limited_by=limited_by,
        too_long=sum(
            _never_fits(model, tokens + most)
            for tokens, most in zip(prompt_tokens, budgets, strict=True)
        ),
    )


def in_batch(estimate: Estimate) -> Estimate:
    """The same calls answered by tomorrow: for another price, and by no limit of a plan.

    The offline reader answers at once all the same.
    """
    if estimate.model == OFFLINE.id:
        return estimate
    is_of_plan = estimate.too_long and _narrowest_limit(estimate)[1]
    return estimate.model_copy(
        update={
            "cost_low": estimate.overnight_low,
            "cost_high": estimate.overnight_high,
            "minutes_low": 0.0,
            "minutes_high": float(DAY),
            "limited_by": "",
            "too_long": 0 if is_of_plan else estimate.too_long,
        }
    )


def together(estimates: Iterable[Estimate]) -> Estimate:
    """What the LLMs among them take: money is `None` where one that is asked has no known price.

    The time is that of the slowest, as far as it is known: they are asked side by side.
    """
    llms = [estimate for estimate in estimates if estimate.model != OFFLINE.id]
    # One whose answers are all stored is not paid, whatever its price.
    asked = [estimate for estimate in llms if estimate.calls]
    sums: dict[str, Any] = {}
    for name in ("calls", "cached", "prompt_tokens", "answer_low", "answer_high"):
        sums[name] = sum(getattr(estimate, name) for estimate in llms)
    for name in ("cost_low", "cost_high", "overnight_low", "overnight_high"):
        amounts = [getattr(estimate, name) for estimate in asked]
        sums[name] = None if None in amounts else sum(amounts)
    for name in ("minutes_low", "minutes_high"):
        sums[name] = max([getattr(estimate, name) or 0.0 for estimate in asked], default=0.0)
    return Estimate(model="", title=TOGETHER, **sums)


def by_tomorrow(named: Sequence[NamedEstimate]) -> str:
    """What all would cost overnight, in one sentence; empty where not all can be asked so."""
    whole = together(estimate for _, estimate in named)
    if not whole.calls or whole.overnight_low is None or whole.overnight_high is None:
        return ""
    cost = dollar_range(whole.overnight_low, whole.overnight_high)
    return say("Overnight: {cost}, answered within 24 hours.", cost=cost)


def basis(estimate: Estimate) -> str:
    """What the numbers rest on, in one sentence."""
    model = find(estimate.model)
    if model and model.provider == OFFLINE.provider:
        return say("It runs on this machine and costs nothing.")
    parts = [say("4 bytes to a token")]
    if estimate.calls:
        shortest = estimate.answer_low // estimate.calls
        longest = estimate.answer_high // estimate.calls
        words = mark("{shortest:,} to {longest:,} tokens to an answer")
        parts.append(say(words, shortest=shortest, longest=longest))
    if model and estimate.cost_high is not None:
        parts.append(say("list prices of {date}", date=model.source_date))
    if estimate.limited_by:
        parts.append(translated(estimate.limited_by))
    return say("Estimated with {parts}.", parts=say(", ").join(parts))


def duration(minutes: float) -> str:
    """A time in words: "40 s", "12 min", "3 h", "2 days"; a unit begins where it counts two."""
    if minutes < 2:
        return say("{seconds:.0f} s", seconds=60 * minutes)
    if minutes < 2 * 60:
        return say("{minutes:.0f} min", minutes=minutes)
    if minutes < 2 * DAY:
        return say("{hours:.0f} h", hours=minutes / 60)
    return say("{days:.0f} days", days=minutes / DAY)


# In words


def rows_in_words(named: Sequence[NamedEstimate]) -> list[dict[str, object]]:
    """The rows of a table: one for each model, and one for all LLMs where there are several."""
    rows = [row_in_words(name, estimate) for name, estimate in named]
    llms = _estimates_of_llms(named)
    return [*rows, _row_of_all(llms)] if len(llms) > 1 else rows


def row_in_words(name: str, estimate: Estimate) -> dict[str, object]:
    """A row for a table: what the model of that name will take, by the English heads of columns."""
    cost = dollar_range(estimate.cost_low, estimate.cost_high) if estimate.calls else say("free")
    return {
        mark("Model"): name,
        mark("Cost"): cost,
        mark("Waiting"): _waiting_time(estimate),
        mark("Calls"): estimate.calls,
        mark("Stored"): estimate.cached,
        mark("Prompt tokens"): f"{estimate.prompt_tokens:,}",
        mark("Answer tokens"): _range(f"{estimate.answer_low:,}", f"{estimate.answer_high:,}"),
    }


def cap_problem(calls: int | None, cost: float | None, models: Sequence[Model]) -> str:
    """Why such a cap cannot hold for these LLMs, and the remedy; empty where it can."""
    if calls is not None and calls < 1:
        return say(
            "A budget of {calls:,} calls is too low. Enter at least 1, or leave the field empty "
            "for no limit.",
            calls=calls,
        )
    if cost is None:
        return ""
    if cost < LEAST_CAP:
        return say(
            "A budget of ${cost:g} is too low. Enter at least ${least}, or leave the field empty "
            "for no limit.",
            cost=cost,
            least=LEAST_CAP,
        )
    names = [model.title for model in models if model.price_in is None]
    return unpriced(names) if names else ""


def unpriced(names: Sequence[str]) -> str:
    """Why a cap in dollars cannot hold for LLMs of these names, and the remedy."""
    return say(
        "The price of {models} is unknown, so a budget in dollars cannot hold. Limit the calls "
        "instead.",
        models=say(", ").join(names),
    )


def cut_short(cap: Cap, named: Sequence[NamedEstimate]) -> str:
    """Says where a cap is met before the end even if all answers are short; else it is empty."""
    llms = _estimates_of_llms(named)
    too_low = []
    calls = sum(estimate.calls for estimate in llms)
    if cap.calls is not None and cap.calls < calls:
        too_low.append(counted(cap.calls, "call"))
    least_cost = sum(estimate.cost_low or 0.0 for estimate in llms)
    if cap.cost is not None and cap.cost < least_cost:
        too_low.append(dollars(cap.cost))
    if not too_low:
        return ""
    return say(
        "The budget of {budget} is below this estimate: the run will stop before its end.",
        budget=say(" and ").join(too_low),
    )


def bases(named: Sequence[NamedEstimate]) -> list[str]:
    """What the numbers rest on, a sentence each with the names for which it is so."""
    names_by_basis: dict[str, list[str]] = {}
    for name, estimate in named:
        if estimate.model != OFFLINE.id and estimate.calls:
            names_by_basis.setdefault(basis(estimate), []).append(name)
    sentences = []
    for words, names in names_by_basis.items():
        sentences.append(say("{names}: {words}", names=say(", ").join(names), words=words))
    is_limited = any(estimate.limited_by for _, estimate in named)
    return [*sentences, say(PLAN)] if is_limited else sentences


def impossible(name: str, estimate: Estimate) -> str:
    """A warning where calls can never be answered; empty where all can."""
    if not estimate.too_long:
        return ""
    limit, is_of_plan = _narrowest_limit(estimate)
    words = mark(
        "{name}: {too_long:,} of {calls:,} calls cannot be answered. Prompt and answer budget "
        "({budget:,} tokens) together exceed {limit}. Lower the answer budget, shorten the "
        "prompts, or choose another model."
    )
    if is_of_plan:
        words = mark(
            "{name}: {too_long:,} of {calls:,} calls cannot be answered on the free plan. Prompt "
            "and answer budget ({budget:,} tokens) together exceed {limit}. Lower the answer "
            "budget, shorten the prompts, or choose another model."
        )
    return say(
        words,
        name=name,
        too_long=estimate.too_long,
        calls=estimate.calls,
        budget=estimate.answer_high // estimate.calls,
        limit=limit,
    )


def lengthy(name: str, estimate: Estimate) -> str:
    """A warning where the plan makes the run last a day or more; empty where it does not."""
    if not estimate.limited_by or not estimate.minutes_high or estimate.minutes_high < DAY:
        return ""
    return say(
        "{name}: at {limit} this may take {time}. The run stops at each day's limit, keeps "
        "everything, and goes on when you resume it. Fewer samples, or a smaller answer budget, "
        "take less.",
        name=name,
        limit=estimate.limited_by,
        time=duration(estimate.minutes_high),
    )


def _waiting_time(estimate: Estimate) -> str:
    """The time that the plan's limits impose."""
    if estimate.model == OFFLINE.id or not estimate.calls or estimate.minutes_high == 0:
        return say("none")
    if estimate.minutes_low is None or estimate.minutes_high is None:
        return say("no limit known")
    return _range(duration(estimate.minutes_low), duration(estimate.minutes_high))


def _estimates_of_llms(named: Sequence[NamedEstimate]) -> list[Estimate]:
    return [estimate for _, estimate in named if estimate.model != OFFLINE.id]


def _row_of_all(llms: Sequence[Estimate]) -> dict[str, object]:
    """The row of all LLMs, without a time: models are asked side by side, and judges after them."""
    whole = together(llms)
    row = row_in_words(say(TOGETHER), whole) | {"Waiting": ""}
    known = sum(estimate.cost_low or 0.0 for estimate in llms)
    if whole.cost_low is None and known >= CENT:
        row["Cost"] = say("over {amount}", amount=dollar_range(known, known))
    return row


def _range(low: str, high: str) -> str:
    return high if low == high else say("{low} to {high}", low=low, high=high)


def _narrowest_limit(estimate: Estimate) -> tuple[str, bool]:
    """The limit that one call meets first, and whether it is one of the free plan alone."""
    model = find(estimate.model)
    if model is None:
        return say("what the model takes"), False
    a_minute = model.free.tpm if model.free else None
    context = model.context
    if a_minute and (not context or a_minute <= context):
        return say("{limit:,} tokens a minute", limit=a_minute), True
    return say("{limit:,} tokens of context", limit=context), False


def _minutes(
    plan: PlanLimits | None,
    calls: int,
    tokens: int,
) -> tuple[float | None, str]:
    """How many minutes the plan makes so much last, and which of its limits it is."""
    if plan is None:
        return None, ""
    limits = (
        (calls, plan.rpm, 1, mark("{limit:,} requests a minute (free plan)")),
        (tokens, plan.tpm, 1, mark("{limit:,} tokens a minute (free plan)")),
        (calls, plan.rpd, DAY, mark("{limit:,} requests a day (free plan)")),
        (tokens, plan.tpd, DAY, mark("{limit:,} tokens a day (free plan)")),
    )
    waits = []
    for amount, limit, period, words in limits:
        if limit and amount > limit:
            # Less one, as the first minute's or day's share is there at once.
            minutes = (amount / limit - 1) * period
            waits.append((minutes, words.format(limit=limit)))
    return max(waits, default=(0.0, ""))


def _never_fits(model: Model, tokens: int) -> bool:
    if model.context and tokens > model.context:
        return True
    a_minute = model.free.tpm if model.free else None
    # A little more may fit: tokens are only estimated, and the provider counts for itself.
    return a_minute is not None and tokens > a_minute * TOLERANCE
