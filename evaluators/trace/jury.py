"""A jury: several judges' labels of one sample made one, by majority for each sentence.

More than half must call a document sentence relevant or utilized. A response sentence gets the
highest support that more than half of its judges give it at least. So a tie goes to the stricter
verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from evaluators.records import Labelling, Labels, Sentences, SentenceSupport, Support
from evaluators.trace.labelling import JURY, STRICTEST_FIRST


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
    return labellings[0] if len(labellings) == 1 else majority(labellings, sentences)


def majority(labellings: Sequence[Labelling], sentences: Sentences) -> Labelling:
    """The jury's labels, from those of its judges."""
    labels = [labelling.labels for labelling in labellings]
    keys = sentences.document_keys
    supports = [_majority_support(sentence.key, labels, keys) for sentence in sentences.response]
    most = len(labels) / 2
    return Labelling(
        by=JURY,
        labels=Labels(
            relevant_keys=_voted_keys(keys, (own.relevant_keys for own in labels), more_than=most),
            utilized_keys=_voted_keys(keys, (own.utilized_keys for own in labels), more_than=most),
            sentence_support=tuple(support for support in supports if support),
        ),
    )


def _voted_keys(
    keys: Sequence[str], votes: Iterable[Sequence[str]], more_than: float
) -> tuple[str, ...]:
    """The keys that more than so many judges name, in the documents' order."""
    counts = Counter(key for named in votes for key in set(named))
    return tuple(key for key in keys if counts[key] > more_than)


def _majority_support(
    key: str, labels: Sequence[Labels], keys: Sequence[str]
) -> SentenceSupport | None:
    """The verdict on one response sentence; `None` where no judge gave one."""
    votes = [vote for own in labels for vote in own.sentence_support if vote.key == key]
    if not votes:
        return None
    level = _middle_level([vote.support for vote in votes])
    # At least half of those who voted: the rule is "more than", and whole votes are half apart.
    half = len(votes) / 2 - 0.5
    carrying = _voted_keys(keys, (vote.supporting_keys for vote in votes), more_than=half)
    return SentenceSupport(
        key=key,
        support=level,
        supporting_keys=() if level is Support.NONE else carrying,
        explanation=_tally([vote.support for vote in votes]),
    )


def _middle_level(votes: Sequence[Support]) -> Support:
    """The lower median: the middle vote, and of two in the middle the stricter one."""
    return sorted(votes, key=STRICTEST_FIRST.index)[(len(votes) - 1) // 2]


def _tally(votes: Sequence[Support]) -> str:
    """The votes in words: "full 2, none 1"."""
    return ", ".join(
        f"{level} {votes.count(level)}" for level in reversed(STRICTEST_FIRST) if level in votes
    )
