"""What a run will take: tokens, money and time, told before anything is paid for.

Tokens are estimated from bytes. An answer takes from few tokens (a short one) to the answer budget. Money is tokens
times the list price. Time is what the free plan imposes: its first minute and first day are there at once, the rest
comes back evenly; at best what an answer did not use is given back, at worst the whole budget counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluators.llm.catalogue import OFFLINE, Limits, Model, find, title
from evaluators.llm.limits import TOLERANCE
from evaluators.types import ModelSpec, Record, Usage

SHORT_ANSWER = 30
SHORT_LABELS = 200
"""Tokens of an answer, of one that labels a sample with few sentences."""

DAY = 1440


class Estimate(Record):
    """What the calls to one model will take; money in US dollars, `None` where a price or a plan is unknown.

    `calls` are those that will be made, `cached` those that need not be. `limited_by` names the limit that makes the
    run take its time, and `too_long` counts the calls that can never be answered.
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


def tokens(text: str) -> int:
    """An estimate of a message's tokens: a quarter of its UTF-8 bytes, rounded up, and 8 for the frame around it."""
    return -(-len(text.encode(errors="replace")) // 4) + 8


def estimate(
    spec: ModelSpec, prompt_tokens: Sequence[int], *, cached: int = 0, shortest: int = SHORT_ANSWER
) -> Estimate:
    """What it takes to ask the model these prompts, given by their tokens; the `cached` ones are not among them.

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
        title=title(spec),
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
        each_low, each_high = estimate.answer_low // estimate.calls, estimate.answer_high // estimate.calls
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


def duration(minutes: float | None) -> str:
    """A time in words, in a unit of which there are fewer than two of the next: "40 s", "12 min", "3 h", "2 days"."""
    if minutes is None:
        return "unknown"
    for unit, length, end in (("s", 1 / 60, 2), ("min", 1, 120), ("h", 60, 2 * DAY)):
        if minutes < end:
            return f"{minutes / length:.0f} {unit}"
    return f"{minutes / DAY:.0f} days"


def _minutes(plan: Limits | None, calls: int, tokens: int) -> tuple[float | None, str]:
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
