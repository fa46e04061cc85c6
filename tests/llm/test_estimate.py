import pytest

from evaluators.llm.catalogue import OFFLINE, Model
from evaluators.llm.estimate import (
    TOGETHER,
    basis,
    by_tomorrow,
    cap_problem,
    cut_short,
    duration,
    estimate,
    impossible,
    lengthy,
    row_in_words,
    rows_in_words,
)
from evaluators.records import Cap, ModelSpec
from evaluators.text.size import tokens

OSS = ModelSpec(
    provider="groq", model="openai/gpt-oss-20b", answer_tokens=250
)  # 30 / 1,000 and 8,000 / 200,000
LUNA = ModelSpec(provider="openai", model="gpt-6-luna", answer_tokens=250)
LOCAL = ModelSpec(provider="custom", model="llama3.1:8b", answer_tokens=250)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 8),
        ("a", 9),
        ("abcd", 9),
        ("abcde", 10),
        ("数据数据", 11),
        ("\ud800", 9),
    ],  # 12 bytes of Chinese: 3 + 8
)
def test_a_token_is_four_bytes_and_a_message_eight_tokens_more(text, count):
    assert tokens(text) == count


def test_tokens_and_money_go_from_short_answers_to_full_budgets():
    found = estimate(OSS, [1_000, 3_000], cached=5)
    assert (found.model, found.title) == ("groq/openai/gpt-oss-20b", "GPT-OSS 20B")
    assert (found.calls, found.cached, found.prompt_tokens) == (2, 5, 4_000)
    assert (found.answer_low, found.answer_high) == (60, 500)
    assert found.cost_low == pytest.approx(0.000318)  # 4,000 * 0.075 + 60 * 0.30, for a million
    assert found.cost_high == pytest.approx(0.00045)  # 4,000 * 0.075 + 500 * 0.30


def test_each_call_can_have_a_shortest_answer_of_its_own():
    assert estimate(OSS, [100] * 3, shortest=[30, 200, 1_000]).answer_low == 480  # 1,000 is over


def test_a_short_answer_is_no_longer_than_the_budget():
    assert estimate(OSS.model_copy(update={"answer_tokens": 16}), [100]).answer_low == 16


@pytest.mark.parametrize(
    ("prompts", "low", "high", "limit"),
    [
        ([1_000] * 4, 0, 0, ""),  # 5,000 tokens fit the first minute
        (
            [1_750] * 12,
            1.67,
            2.0,
            "8,000 tokens a minute (free plan)",
        ),  # 21,360 and 24,000 of 8,000
        (
            [10] * 90,
            2.0,
            2.0,
            "30 requests a minute (free plan)",
        ),  # 90 of 30; 23,400 tokens are 1.9 minutes
        (
            [1_750] * 200,
            1_123.2,
            1_440,
            "200,000 tokens a day (free plan)",
        ),  # 356,000 and 400,000 of 200,000
    ],
)
def test_the_time_is_what_the_tightest_limit_of_the_free_plan_imposes(prompts, low, high, limit):
    found = estimate(OSS, prompts)
    assert found.minutes_low == pytest.approx(low)
    assert found.minutes_high == pytest.approx(high)
    assert found.limited_by == limit


def test_requests_a_day_can_be_the_tightest_limit():
    found = estimate(OSS.model_copy(update={"answer_tokens": 16}), [10] * 1_500)
    assert found.minutes_high == pytest.approx(
        720
    )  # half as many again as 1,000 a day; 39,000 tokens fit the day
    assert found.limited_by == "1,000 requests a day (free plan)"


def test_an_unknown_plan_gives_no_time_and_an_unknown_price_no_money():
    paid, local = estimate(LUNA, [1_000]), estimate(LOCAL, [1_000])
    assert (paid.minutes_low, paid.minutes_high, paid.limited_by) == (None, None, "")
    assert paid.cost_high == pytest.approx(0.000225)  # 1,000 * 0.10 + 250 * 0.50, for a million
    assert (local.title, local.cost_low, local.cost_high) == ("llama3.1:8b", None, None)


def test_the_offline_reader_takes_neither_money_nor_time():
    found = estimate(OFFLINE, [1_000_000] * 3)
    assert found.calls == 3
    assert (found.answer_high, found.cost_high, found.minutes_high, found.too_long) == (0, 0, 0, 0)


def test_nothing_to_ask_takes_nothing():
    found = estimate(OSS, [], cached=4)
    assert (found.calls, found.cached, found.cost_high, found.minutes_high) == (0, 4, 0, 0)


@pytest.mark.parametrize(
    ("spec", "prompt", "count"),
    [
        (OSS, 8_950, 0),  # with the budget 9,200: 15 % more than 8,000 tokens a minute
        (OSS, 8_951, 1),
        (LUNA, 1_049_750, 0),  # with the budget the whole context of 1,050,000
        (LUNA, 1_049_751, 1),
        (LOCAL, 9_000_000, 0),
    ],
)
def test_a_call_is_too_long_where_neither_a_minute_nor_the_context_holds_it(spec, prompt, count):
    assert estimate(spec, [prompt, 10]).too_long == count


@pytest.mark.parametrize(
    ("spec", "prompts", "words"),
    [
        (OFFLINE, [10], "It runs on this machine and costs nothing."),
        (LOCAL, [10], "Estimated with 4 bytes to a token, 30 to 250 tokens to an answer."),
        (LUNA, [], "Estimated with 4 bytes to a token, list prices of 2026-11-12."),
        (
            OSS,
            [4_000] * 3,
            "Estimated with 4 bytes to a token, 30 to 250 tokens to an answer, list "
            "prices of 2026-11-12, "
            "8,000 tokens a minute (free plan).",
        ),
    ],
)
def test_an_estimate_says_what_it_rests_on(spec, prompts, words):
    assert basis(estimate(spec, prompts)) == words


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "0 s"),
        (0.67, "40 s"),
        (1.5, "90 s"),
        (12.2, "12 min"),
        (90, "90 min"),
        (180, "3 h"),
        (1_440, "24 h"),
        (2_880, "2 days"),
    ],
)
def test_a_time_reads_in_its_unit(minutes, words):
    assert duration(minutes) == words


def rows(*asked):
    """Each model asked 100,000 prompts of 1,000 tokens, each answer from 30 to 250 tokens."""
    return [(spec.model, estimate(spec, [1_000] * 100_000)) for spec in asked]


@pytest.mark.parametrize(
    ("asked", "costs"),
    [
        # 100 million prompt tokens at $0.10, and 3 to 25 million answer tokens at $0.50 a million
        ([LUNA], ["$11.50 to $22.50"]),
        ([OFFLINE, LUNA], ["free", "$11.50 to $22.50"]),
        ([LUNA, LUNA], ["$11.50 to $22.50", "$11.50 to $22.50", "$23.00 to $45.00"]),
        ([LUNA, LOCAL], ["$11.50 to $22.50", "unknown", "over $11.50"]),
        ([LOCAL, LOCAL], ["unknown"] * 3),
    ],
)
def test_several_llms_have_a_total_and_a_part_is_not_taken_for_it(asked, costs):
    cells = rows_in_words(rows(*asked))
    assert [row["Cost"] for row in cells] == costs
    assert (cells[-1]["Model"] == TOGETHER) is (len(costs) == 3)


def test_a_model_whose_limits_are_unknown_says_so():
    assert rows_in_words(rows(LUNA))[0]["Waiting"] == "no limit known"


@pytest.mark.parametrize(
    ("cap", "met"),
    [
        (Cap(), ""),
        (Cap(calls=200_000, cost=23), ""),
        (Cap(calls=199_999), "199,999 calls"),
        (Cap(calls=1), "1 call"),
        (Cap(cost=22.99), "$22.99"),
        (Cap(calls=5, cost=0.5), "5 calls and $0.50"),
    ],
)
def test_a_cap_that_short_answers_already_meet_is_told(cap, met):
    words = f"The budget of {met} is below this estimate: the run will stop before its end."
    assert cut_short(cap, rows(OFFLINE, LUNA, LUNA)) == (words if met else "")


def test_calls_beyond_the_context_are_told_and_a_run_that_a_limit_stretches_over_days():
    mini = ModelSpec(provider="openai", model="gpt-4o-mini", answer_tokens=16_384)
    assert impossible("GPT-4o mini", estimate(mini, [120_033] * 2)).startswith(
        "GPT-4o mini: 2 of 2 calls cannot be answered. Prompt and answer budget (16,384 tokens) "
        "together exceed 128,000 tokens of context."
    )
    # At most 60 * 7,033 tokens, 2.11 times the day's 200,000: 1.11 days of waiting. At least 60
    # calls at 30 a minute.
    long = estimate(OSS.model_copy(update={"answer_tokens": 7_000}), [33] * 60)
    assert row_in_words("GPT-OSS 20B", long)["Waiting"] == "60 s to 27 h"
    assert lengthy("GPT-OSS 20B", long).startswith(
        "GPT-OSS 20B: at 200,000 tokens a day (free plan) this may take 27 h."
    )
    assert impossible("GPT-OSS 20B", long) == lengthy("Luna", estimate(LUNA, [1])) == ""


@pytest.mark.parametrize(
    ("calls", "cost", "words"),
    [
        (None, 0.0, "A budget of $0 is too low. Enter at least $0.01, or leave the field empty"),
        (None, -5.0, "A budget of $-5 is too low."),
        (None, 0.001, "A budget of $0.001 is too low."),
        (0, None, "A budget of 0 calls is too low. Enter at least 1, or leave the field empty"),
        (-1, None, "A budget of -1 calls is too low."),
        (1, 0.01, "The price of llama3.1:8b is unknown, so a budget in dollars cannot hold."),
        (1, None, ""),
    ],
)
def test_a_cap_that_cannot_hold_is_told_with_the_remedy(calls, cost, words):
    unpriced = Model(provider="custom", model="llama3.1:8b", title="llama3.1:8b")
    problem = cap_problem(calls, cost, [unpriced])
    assert problem.startswith(words)
    assert bool(problem) == bool(words)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        # Half of $10 for the prompts, and of $1.50 to $12.50 for the answers.
        ([LUNA], "Overnight: $5.75 to $11.25, answered within 24 hours."),
        ([LUNA, OFFLINE], "Overnight: $5.75 to $11.25, answered within 24 hours."),
        ([LUNA, LOCAL], ""),
        ([OFFLINE], ""),
    ],
)
def test_what_it_costs_overnight_is_said_where_all_can_be_asked_so(asked, words):
    assert by_tomorrow(rows(*asked)) == words
