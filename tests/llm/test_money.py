"""Money in words, the same for bills, prices and estimates."""

import math

import pytest

from evaluators.llm.money import dollar_range, dollars, dollars_together

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (None, "unknown"),
        (NAN, "unknown"),
        (INF, "unknown"),
        (-INF, "unknown"),
        (0.0, "$0"),
        (-0.0, "$0"),
        (5e-324, "under $0.000001"),
        (9.99e-7, "under $0.000001"),
        (0.000001, "$0.000001"),
        (0.0000042, "$0.0000042"),
        (0.00042, "$0.00042"),
        (0.00999, "$0.01"),
        (0.0123, "$0.012"),
        (0.05, "$0.05"),
        (0.075, "$0.075"),
        (0.0996, "$0.10"),
        (0.5, "$0.50"),
        (0.999, "$1.00"),
        (4, "$4.00"),
        (12.3, "$12.30"),
        (1234.5, "$1,234.50"),
        (1e15, "$1,000,000,000,000,000.00"),
        (-0.012, "-$0.012"),
    ],
)
def test_a_sum_has_cents_and_below_a_cent_two_digits_that_count(amount, words):
    assert dollars(amount) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (None, None, "unknown"),
        (0.5, None, "unknown"),
        (NAN, 1.0, "unknown"),
        (0.0, INF, "unknown"),
        (0, 0, "free"),
        (0, 5e-324, "under $0.01"),
        (0.002, 0.004, "under $0.01"),
        (0.002, 0.02, "up to $0.02"),
        (0.03, 0.05, "$0.03 to $0.05"),
        (0.031, 0.034, "$0.03"),
        (999, 1_234.5, "$999.00 to $1,234.50"),
        (1e12, 1e12, "$1,000,000,000,000.00"),
    ],
)
def test_an_estimate_reads_as_a_range_in_cents(low, high, words):
    assert dollar_range(low, high) == words


@pytest.mark.parametrize(
    ("amounts", "words"),
    [
        ([], "$0"),
        ([0.01, 0.002], "$0.012"),
        ([0.01, None], "over $0.01"),
        ([0.01, NAN], "over $0.01"),
        ([0.0, None], "over $0"),
        ([None], "unknown"),
        ([None, INF], "unknown"),
    ],
)
def test_of_a_sum_an_unknown_part_is_said(amounts, words):
    assert dollars_together(amounts) == words
