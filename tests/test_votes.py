"""The rule for votes: the most frequent label, a tie to the stricter; one for jury, people, class."""

import pytest

from evaluators.people.labels import corrected
from evaluators.people.records import PersonLabel
from evaluators.records import Labelling, Labels, Sentence, Sentences, SentenceSupport, Support
from evaluators.rounds.tally import Spread
from evaluators.trace.jury import majority

FULL, PARTIAL, NONE = Support.FULL, Support.PARTIAL, Support.NONE
SENTENCES = Sentences(documents=(), response=(Sentence(key="a", text="In May."),))
RULE = [
    ((1, 0, 0), FULL),
    ((1, 0, 1), NONE),
    ((1, 1, 0), PARTIAL),
    ((0, 1, 1), NONE),
    # One of seven is not what the class says, though it stands in the middle of all votes.
    ((3, 1, 3), NONE),
    ((3, 1, 2), FULL),
    ((2, 2, 2), NONE),
    ((2, 2, 1), PARTIAL),
    ((1, 2, 2), NONE),
    ((1, 3, 2), PARTIAL),
    ((2, 1, 1), FULL),
]
"""How many say supported, partly and not, and what counts."""


def of_a_jury(votes):
    labels = [SentenceSupport(key="a", support=vote) for vote in votes]
    judges = [Labelling(by="a judge", labels=Labels(sentence_support=(own,))) for own in labels]
    return majority(judges, SENTENCES).labels.sentence_support[0].support


def of_people(votes):
    other = next(support for support in Support if support is not votes[0])
    before = Labels(sentence_support=(SentenceSupport(key="a", support=other),))
    said = {"label": "support", "key": "a", "created": "2026-11-22T10:00:00+00:00"}
    labels = [
        PersonLabel(**said, value=vote.value, person=f"P{number}")
        for number, vote in enumerate(votes)
    ]
    return corrected(before, SENTENCES, labels).sentence_support[0].support


def of_a_class(votes):
    counts = {support.value: votes.count(support) for support in Support}
    return Spread(**counts).majority


@pytest.mark.parametrize("of_votes", [of_a_jury, of_people, of_a_class])
@pytest.mark.parametrize(("counts", "support"), RULE)
def test_the_most_frequent_label_counts_and_a_tie_goes_to_the_stricter(of_votes, counts, support):
    full, partial, none = counts
    votes = [FULL] * full + [PARTIAL] * partial + [NONE] * none
    assert of_votes(votes) is support
    assert of_votes(votes[::-1]) is support
