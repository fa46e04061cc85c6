"""A jury: several judges' labels of one sample made one, sentence by sentence.

The most frequent label counts, a tie goes to the stricter one: a document sentence is relevant or
utilized where more than half of the judges say so. The sentences that carry a response sentence
are those that at least half of its judges name; what is wrong with it is what more than half of
those say who do not fully support it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from evaluators.records import Fault, Labelling, Labels, Sentences, SentenceSupport, Support
from evaluators.trace.labelling import JURY, STRICTEST_FIRST
from evaluators.votes import most_frequent


def names(models: Sequence[str]) -> list[str]:
    """By which names judges with these model ids label.

    The same model at another address gets a number.
    """
    labellers = []
    for number, model in enumerate(models):
        same_before = models[:number].count(model)
        labellers.append(f"{model} ({same_before + 1})" if same_before else model)
    return labellers


def counted_labelling(labellings: Sequence[Labelling], sentences: Sentences) -> Labelling:
    """Whose labels count: the only judge's, or those of the jury."""
    if len(labellings) == 1:
        return labellings[0]
    return majority(labellings, sentences)


def majority(labellings: Sequence[Labelling], sentences: Sentences) -> Labelling:
    """The jury's labels, from those of its judges."""
    labels = [labelling.labels for labelling in labellings]
    keys = sentences.document_keys
    half = len(labels) / 2
    relevant = [own.relevant_keys for own in labels]
    utilized = [own.utilized_keys for own in labels]
    votes: dict[str, list[SentenceSupport]] = {item.key: [] for item in sentences.response}
    for vote in chain.from_iterable(own.sentence_support for own in labels):
        votes.get(vote.key, []).append(vote)
    supports = [_majority_support(key, of_key, keys) for key, of_key in votes.items()]
    voted = Labels(
        relevant_keys=_voted_keys(keys, relevant, more_than=half),
        utilized_keys=_voted_keys(keys, utilized, more_than=half),
        sentence_support=tuple(filter(None, supports)),
    )
    return Labelling(by=JURY, labels=voted)


def _voted_keys(
    keys: Sequence[str],
    votes: Iterable[Sequence[str]],
    more_than: float,
) -> tuple[str, ...]:
    """The keys that more than this number of judges name, in the documents' order."""
    counts: Counter[str] = Counter()
    for named in votes:
        # A set: a judge that names a key twice has one vote all the same.
        counts.update(set(named))
    return tuple(key for key in keys if counts[key] > more_than)


def _majority_support(
    key: str,
    votes: Sequence[SentenceSupport],
    keys: Sequence[str],
) -> SentenceSupport | None:
    """The verdict on one response sentence; `None` where no judge gave one."""
    if not votes:
        return None
    supports = [vote.support for vote in votes]
    level = most_frequent(supports, STRICTEST_FIRST)[0]
    # At least half of those who voted: the rule is "more than", and whole votes are half apart.
    half = len(votes) / 2 - 0.5
    carrying = _voted_keys(keys, [vote.supporting_keys for vote in votes], more_than=half)
    return SentenceSupport(
        key=key,
        support=level,
        supporting_keys=() if level is Support.NONE else carrying,
        explanation=_votes_in_words(supports),
        kind=Fault.UNKNOWN if level is Support.FULL else _majority_kind(votes),
    )


def _majority_kind(votes: Sequence[SentenceSupport]) -> Fault:
    kinds = [vote.kind for vote in votes if vote.support is not Support.FULL]
    most = max(kinds, key=kinds.count)
    return most if kinds.count(most) > len(kinds) / 2 else Fault.UNKNOWN


def _votes_in_words(votes: Sequence[Support]) -> str:
    """How often each level was voted for, such as "full 2, none 1"."""
    tally = []
    for level in reversed(STRICTEST_FIRST):
        count = votes.count(level)
        if count:
            tally.append(f"{level} {count}")
    return ", ".join(tally)
