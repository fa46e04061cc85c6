"""The glossary: every value that a page can show is explained once, in the words of its formula."""

from __future__ import annotations

import pytest

from evaluators.catalogue import catalogue, ships
from evaluators.records import Labels, SentenceSupport, Support
from evaluators.rgb_words import RULES
from evaluators.runs.glossary import terms, titled
from evaluators.runs.rgb_figures import RATES
from evaluators.runs.shown_values import TRACE_VALUES
from evaluators.text.normalise import slug
from evaluators.text.sentences import cut
from evaluators.trace.definitions import DEFINITIONS, METRICS
from evaluators.trace.labelling import GOLD, HEURISTIC, JURY
from evaluators.trace.metrics import arithmetic, trace_scores

FAMILIES = {"rgb", "trace", "gpt_labeling", "hybrid"}
"""Metrics whose values are explained one by one."""


def test_every_value_of_trace_and_rate_of_rgb_is_explained() -> None:
    assert [title for title in [*TRACE_VALUES.values(), *RATES] if titled(title) is None] == []


def test_every_definition_and_labeller_is_explained() -> None:
    assert {*DEFINITIONS, GOLD, HEURISTIC, JURY} <= terms().keys()


def test_every_metric_that_ships_is_explained() -> None:
    own = [cls for cls in catalogue().values() if ships(cls) and cls.name not in FAMILIES]
    # What one asks in one's own words explains itself.
    missing = [cls.title for cls in own if cls.name != "prompt" and titled(cls.title) is None]
    assert missing == []


# Those that say that no rule decided, and one whose name is that of the outcome.
NOT_RULES = {"empty", "no match", "no rejection phrase", "no error phrase"}


@pytest.mark.parametrize("rule", sorted(set(RULES) - NOT_RULES))
def test_every_rule_of_rgb_is_explained(rule: str) -> None:
    words = rule.removeprefix("Chinese ").replace("\u00a0", " ").capitalize()
    assert titled(words) is not None


def test_a_term_has_one_sentence_and_no_title_stands_for_two() -> None:
    assert [term.name for term in terms().values() if not term.meaning.endswith(".")] == []
    titles = [title for term in terms().values() for title in (term.title, *term.also)]
    # The label and the share of such labels go by the same word on pages.
    assert sorted({title for title in titles if titles.count(title) > 1}) == ["Supported"]


def test_formulas_are_those_that_a_sample_is_worked_out_by() -> None:
    sentences = cut("It opened in 1900.", ["The mill opened in 1900. It is red."])
    labels = Labels(
        relevant_keys=("0a",),
        utilized_keys=("0a",),
        sentence_support=(SentenceSupport(key="a", support=Support.FULL),),
    )
    worked_out = arithmetic(trace_scores(sentences, labels))
    assert [name for name in METRICS if terms()[name].formula not in worked_out[name]] == []


def test_ideal_ranges_are_those_of_the_patterns() -> None:
    ideals = {name: terms()[name].ideal for name in METRICS}
    high = "0.7 or more"
    expected = dict.fromkeys(METRICS, high) | {"adherence": "1"}
    assert ideals == expected
    assert terms()[slug("Good retrieval, bad generation")].formula == (
        "relevance 0.7 or more, utilization below 0.5"
    )
