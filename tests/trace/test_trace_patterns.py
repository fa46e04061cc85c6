"""The documented patterns: which values show which, at the bounds, and with values that do not
apply.
"""

import pytest

from evaluators.records import Labels, Sentence, Sentences, SentenceSupport, Support
from evaluators.trace.metrics import trace_scores
from evaluators.trace.patterns import COMPREHENSIVE, CONSERVATIVE, UNUSED, ideals, pattern
from evaluators.trace.values import METRICS


def values(*four):
    return dict(zip(METRICS, four, strict=True))


@pytest.mark.parametrize(
    ("relevance", "utilization", "completeness", "adherence", "found"),
    [
        # the document's own three, with what it leaves open filled in between
        (0.85, 0.40, 0.40, 0.0, UNUSED),
        (0.50, 0.60, 0.50, 1.0, CONSERVATIVE),
        (0.75, 0.80, 0.85, 1.0, COMPREHENSIVE),
        # at the bounds
        (0.70, 0.49, 0.49, 0.5, UNUSED),
        (0.69, 0.49, 0.49, 0.5, None),
        (0.70, 0.50, 0.50, 0.5, None),
        (0.10, 0.90, 0.69, 0.95, CONSERVATIVE),
        (0.10, 0.90, 0.69, 0.94, None),
        (0.10, 0.90, 0.70, 0.95, None),
        (0.70, 0.70, 0.70, 0.95, COMPREHENSIVE),
        (0.70, 0.70, 0.70, 0.94, None),
        (0.70, 0.69, 0.70, 0.95, None),
        # little used and so incomplete: the first explains the second
        (0.90, 0.30, 0.30, 1.0, UNUSED),
        # nothing is good
        (0.0, 0.0, 0.0, 0.0, None),
        # what does not apply is neither high nor low
        (None, None, None, 1.0, None),
        (0.90, None, 0.90, 1.0, None),
        (0.90, 0.30, None, None, UNUSED),
        (None, None, 0.50, 1.0, CONSERVATIVE),
    ],
)
def test_a_pattern_is_told_by_the_four_values(
    relevance, utilization, completeness, adherence, found
):
    assert pattern(values(relevance, utilization, completeness, adherence)) == found


def test_values_under_other_names_do_not_matter():
    assert (
        pattern({**values(0.75, 0.80, 0.85, 1.0), "average": 0.0, "supported_share": None})
        == COMPREHENSIVE
    )


def test_no_values_show_no_pattern():
    assert pattern({}) is None


@pytest.mark.parametrize("found", [UNUSED, CONSERVATIVE, COMPREHENSIVE])
def test_every_pattern_says_what_it_means_and_what_helps(found):
    assert found.name
    assert found.meaning.endswith(".")
    assert found.remedy.endswith(".")


@pytest.mark.parametrize(
    ("four", "expected"),
    [
        ((0.70, 0.70, 0.70, 1.0), (True, True, True, True)),
        ((0.69, 0.69, 0.69, 0.99), (False, False, False, False)),
        ((None, 1.0, 0.0, None), (None, True, False, None)),
    ],
)
def test_the_first_three_are_ideal_from_0_7_and_adherence_at_1(four, expected):
    assert ideals(values(*four)) == values(*expected)


def test_the_scores_of_one_sample_say_their_pattern_and_which_values_are_ideal():
    """Three of three sentences are relevant, one is used, and the response is supported."""
    keys = ("0a", "0b", "0c")
    sentences = Sentences(
        documents=(tuple(Sentence(key=key, text="D.") for key in keys),),
        response=(Sentence(key="a", text="A."),),
    )
    labels = Labels(
        relevant_keys=keys,
        utilized_keys=("0a",),
        sentence_support=(SentenceSupport(key="a", support=Support.FULL),),
    )
    scores = trace_scores(sentences, labels)
    assert scores.pattern() == UNUSED
    assert scores.ideals() == values(True, False, False, True)
