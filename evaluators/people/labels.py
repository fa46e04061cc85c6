"""Which labels of people count: each person's last word, of several people the most frequent.

A tie goes to the stricter label (none before partial before full; no before yes), as in a jury.
Whoever calls a sample done with the labeller's labels in sight confirms all labels that they did
not set; what was not labelled blind is not labelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from evaluators.abilities import RGB_VALUES
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import Fault, Labels, Sample, Score, Sentences, SentenceSupport, Support
from evaluators.trace.definitions import SENTENCE
from evaluators.trace.labelling import CORRECTED, PEOPLE, STRICTEST_FIRST, labellings
from evaluators.trace.metrics import TRACEScores, stored_labels, trace_scores
from evaluators.trace.values import AVERAGE, METRICS, SUPPORTED_SHARE, TRACE_VALUES
from evaluators.votes import most_frequent

PERSON = "person:"
"""How the name of a person begins among those of labellers; no model is called so."""

Votes = dict[tuple[str, str], str]
"""What one person says, or several together: a value by the kind of label and its key."""

_STRICTEST_FIRST = ("no", "yes", *(support.value for support in STRICTEST_FIRST))
_WHOLE_SAMPLE = ("sample", "")


def is_of_people(by: str | None) -> bool:
    """Whether what people say enters the labels of this labeller."""
    return by in (CORRECTED, PEOPLE) or is_people_alone(by)


def is_people_alone(by: str | None) -> bool:
    """Whether these are the labels of people and of nobody else."""
    return by is not None and (by == PEOPLE or by.startswith(PERSON))


class Fitting(NamedTuple):
    """A sample's labels that fit its sentences, and those that do not: they are of another cut."""

    labels: list[PersonLabel]
    left_over: list[PersonLabel]


def sentence_hash(text: str) -> str:
    """The first 12 hex digits of the SHA-256 of a sentence."""
    # Half a character, which a broken file may hold, cannot be encoded.
    return sha256(text.encode(errors="replace")).hexdigest()[:12]


def fitting(sentences: Sentences, given: Iterable[PersonLabel]) -> Fitting:
    """The labels of sentences that are there, word by word, and of the whole sample.

    Labels of other sentences are never counted, whatever key they have.
    """
    parts = (*sentences.documents, sentences.response)
    texts = {sentence.key: sentence.text for part in parts for sentence in part}
    response_keys = {sentence.key for sentence in sentences.response}
    found = Fitting([], [])
    for label in given:
        is_of_response = label.label in ("support", "supported_by")
        is_there = label.key in texts and (label.key in response_keys) == is_of_response
        if is_there and label.sentence:
            # Another cut of the text gives the same keys to other sentences.
            is_there = label.sentence == sentence_hash(texts[label.key])
        if label.label == "supported_by":
            is_there = is_there and label.value in texts and label.value not in response_keys
        is_of_a_sentence = label.label not in ("sample", "verdict")
        (found.labels if is_there or not is_of_a_sentence else found.left_over).append(label)
    return found


def by_person(given: Iterable[PersonLabel]) -> dict[str, list[PersonLabel]]:
    """Each person's labels in their order; who labelled first comes first."""
    labels: dict[str, list[PersonLabel]] = {}
    for label in given:
        labels.setdefault(label.person, []).append(label)
    return labels


def last_words(own: Iterable[PersonLabel]) -> dict[tuple[str, str], PersonLabel]:
    """Of one person's labels those that count: of each kind and key the last."""
    last: dict[tuple[str, str], PersonLabel] = {}
    for label in own:
        # What is not supported is carried by nothing.
        if label.label == "support" and label.value == Support.NONE:
            last.pop(("supported_by", label.key), None)
        # Anew, so that it stands in the order in which it was said.
        last.pop((label.label, label.key), None)
        last[label.label, label.key] = label
    return last


def changed_votes(
    labels: Labels,
    sentences: Sentences,
    given: Sequence[PersonLabel],
) -> Votes:
    """What people say of the sentences where it is another thing than these labels."""
    original = votes_of(labels, sentences)
    voted = _majority(ballots(original, fitting(sentences, _correcting(given)).labels))
    changed: Votes = {}
    for (kind, key), value in voted.items():
        # A majority that calls a sentence not supported leaves nothing that carries it.
        is_carried = kind != "supported_by" or voted.get(("support", key)) != Support.NONE
        if kind != "verdict" and is_carried and original.get((kind, key)) != value:
            changed[kind, key] = value
    return changed


def labelled_otherwise(labels: Labels, sentences: Sentences, votes: Votes) -> set[str]:
    """The keys of the sentences of which a person says another thing than these labels."""
    original = votes_of(labels, sentences)
    carriers = {item.key: item.supporting_keys for item in labels.sentence_support}
    keys = set()
    for (kind, key), value in votes.items():
        if kind == "supported_by":
            is_same = value in carriers.get(key, ())
        else:
            is_same = kind == "verdict" or original.get((kind, key)) == value
        if not is_same:
            keys.add(key)
    return keys


def corrected(
    labels: Labels,
    sentences: Sentences,
    given: Sequence[PersonLabel],
) -> Labels:
    """These labels after what people say of the sentences; the same object where it is the same."""
    for (kind, key), value in changed_votes(labels, sentences, given).items():
        labels = labels.model_copy(update=_changed_labels(labels, kind, key, value))
    return labels


def labels_by_labeller(
    sample: Sample,
    score: Score,
    given: Sequence[PersonLabel],
) -> tuple[Sentences, dict[str, Labels | Votes]]:
    """An answer's sentences, and everybody's labels of them by labeller.

    "corrected" is there where people changed a label. Of people who are done there are votes: what
    they did not label is not in them.
    """
    sentences, counted = stored_labels(score, sample)
    labels: dict[str, Labels | Votes] = {}
    for by, labelling in labellings(score, sample).items():
        labels[by] = labelling.labels
    if given:
        after = corrected(counted, sentences, given)
        if after is not counted:
            labels[CORRECTED] = after
        for person, votes in who_is_done(counted, sentences, given).items():
            labels[f"{PERSON}{person}"] = votes
    return sentences, labels


def labels_by(
    by: str,
    sample: Sample,
    score: Score,
    given: Sequence[PersonLabel],
) -> Labels | None:
    """One labeller's labels of an answer; `None` where that one did not label it."""
    sentences, everybody = labels_by_labeller(sample, score, given)
    _, counted = stored_labels(score, sample)
    if is_people_alone(by):
        scores = people_scores(by, counted, sentences, given)
        return scores.labels if scores else None
    own = everybody.get(by, counted if by == CORRECTED else None)
    return own if own is None or isinstance(own, Labels) else as_labels(own)


def people_values(
    labels: Labels,
    sentences: Sentences,
    given: Sequence[PersonLabel],
    definition: str = SENTENCE,
) -> dict[str, float]:
    """The TRACE values by the labels of those people who are done with the sample.

    Only values that their labels determine: adherence may be known where relevance is not.
    """
    scores = people_scores(PEOPLE, labels, sentences, given, definition)
    return known_values(scores) if scores else {}


def people_scores(
    by: str,
    labels: Labels,
    sentences: Sentences,
    given: Sequence[PersonLabel],
    definition: str = SENTENCE,
) -> TRACEScores | None:
    """The sentences by the labels of people alone, or of one person; `None` where nobody is done.

    `labels` are the labeller's, which a person who saw them confirmed.
    """
    votes: Votes | None
    if by == PEOPLE:
        votes = majority(labels, sentences, given)
    else:
        # Others' labels are not looked at: where many label, that would be done for each of them.
        person = by.removeprefix(PERSON)
        own = [label for label in given if label.person == person]
        votes = who_is_done(labels, sentences, own).get(person)
    return scores_of_votes(votes, sentences, definition) if votes else None


def known_values(scores: TRACEScores) -> dict[str, float]:
    """The TRACE values that labels determine, of which some may be missing."""
    values = {name: value for name, value in scores.values().items() if value is not None}
    # A mean of fewer than all four would stand beside averages of four.
    if not values.keys() >= set(METRICS):
        values.pop(AVERAGE.name, None)
    return values


def is_relabelled(given: Iterable[PersonLabel]) -> bool:
    """Whether people's labels of an answer count where the labeller is corrected by them."""
    # Of whoever confirms the labels in sight there is no other word than this one.
    anything = {("sample", "any"): "yes"}
    return bool(ballots(anything, _correcting(given)))


def _correcting(given: Iterable[PersonLabel]) -> list[PersonLabel]:
    # A class learns: what it says stands beside the labeller and is never put in its place.
    return [label for label in given if label.drawn != "in class"]


def who_is_done(
    labels: Labels,
    sentences: Sentences,
    given: Sequence[PersonLabel],
) -> dict[str, Votes]:
    """What each person who is done with the sample says of it, by person."""
    return ballots(votes_of(labels, sentences), fitting(sentences, given).labels, only_done=True)


def majority(labels: Labels, sentences: Sentences, given: Sequence[PersonLabel]) -> Votes:
    """What most of those people say who are done; see `people_scores`."""
    return _majority(who_is_done(labels, sentences, given))


def scores_of_votes(
    votes: Votes,
    sentences: Sentences,
    definition: str = SENTENCE,
) -> TRACEScores:
    """The TRACE values of votes; a value for which a vote is missing is `None`."""
    unknown: set[str] = set()
    for kind, values in (("relevant", METRICS[:3]), ("utilized", METRICS[1:3])):
        if any((kind, key) not in votes for key in sentences.retrieved_keys):
            unknown.update(values)
    if any(("support", sentence.key) not in votes for sentence in sentences.response):
        unknown.add(SUPPORTED_SHARE.name)
    scores = trace_scores(sentences, as_labels(votes), definition)
    return scores.model_copy(update=dict.fromkeys(unknown))


def as_labels(votes: Votes) -> Labels:
    """Votes as labels; what nobody labelled is not in them."""
    supports = {}
    for (kind, key), value in votes.items():
        if kind == "support":
            carrying = votes.get(("supported_by", key))
            keys = (carrying,) if carrying else ()
            supports[key] = SentenceSupport(key=key, support=Support(value), supporting_keys=keys)
    return Labels(
        relevant_keys=_keys_with_yes(votes, "relevant"),
        utilized_keys=_keys_with_yes(votes, "utilized"),
        sentence_support=tuple(supports.values()),
    )


def verdict_values(
    values: Mapping[str, float | None], given: Sequence[PersonLabel]
) -> dict[str, float]:
    """What people say of the yes-or-no values of a metric (1 yes, 0 no); all others are left out.

    A value of which nobody said a word is there where somebody confirmed them all.
    """
    original = {("verdict", name): _verdict_of_value(value) for name, value in values.items()}
    known = {key: value for key, value in original.items() if value}
    voted = _majority(ballots(known, given))
    return {
        name: float(value == "yes") for (kind, name), value in voted.items() if kind == "verdict"
    }


def corrected_values(
    values: Mapping[str, float | None], given: Sequence[PersonLabel]
) -> dict[str, float | None]:
    """A metric's values after what people say of those that are yes or no."""
    return _with_verdicts(values, values, _correcting(given))


def values_by_people(
    values: Mapping[str, float | None], given: Sequence[PersonLabel]
) -> dict[str, float | None]:
    """The yes-or-no values of a metric by people alone; `None` where they say nothing."""
    return _with_verdicts(values, dict.fromkeys(values), given)


def _with_verdicts(
    judged: Mapping[str, float | None],
    values: Mapping[str, float | None],
    given: Sequence[PersonLabel],
) -> dict[str, float | None]:
    """These values with what people say of those that the labeller judged with yes or no.

    What is worked out of them follows: RGB's correction among detected errors, and TRACE's average.
    """
    said = verdict_values(judged, given)
    known = {name: value for name, value in said.items() if judged.get(name) in (0, 1)}
    after = {**values, **known}
    for value in (*RGB_VALUES, *TRACE_VALUES):
        # A metric of one's own may have a value of one of these names, and not what is made of it.
        is_there = values.keys() >= {value.in_score, *value.made_of}
        if value.make and is_there and not known.keys().isdisjoint(value.made_of):
            after[value.in_score] = value.make(after)
    return after


def _verdict_of_value(value: float | None) -> str:
    return {1.0: "yes", 0.0: "no"}.get(value, "") if value is not None else ""


def ballots(
    original: Votes,
    given: Iterable[PersonLabel],
    only_done: bool = False,
) -> dict[str, Votes]:
    """What each person says of everything that they labelled or confirmed, by person.

    What was labelled blind counts once the person is done blind, as nobody wants to be held to half
    a guess. Who could not tell, or passed on, says nothing.
    """
    said = {}
    for person, own in by_person(given).items():
        whole = last_words(own).get(_WHOLE_SAMPLE)
        if whole is None and only_done:
            continue
        if whole is not None and whole.value != DONE:
            continue
        is_done_blind = whole is not None and whole.blind
        seen = [label for label in own if is_done_blind or not label.blind]
        votes = {place: label.value for place, label in last_words(seen).items()}
        votes.pop(_WHOLE_SAMPLE, None)
        # Whoever saw the labels and called the sample done agrees with those left as they were.
        if whole is not None and not whole.blind:
            votes = {**original, **votes}
        if votes:
            said[person] = votes
    return said


def _majority(said: Mapping[str, Votes]) -> Votes:
    """What most of those who voted say of each place."""
    cast: dict[tuple[str, str], list[str]] = {}
    for votes in said.values():
        for place, value in votes.items():
            cast.setdefault(place, []).append(value)
    voted: Votes = {}
    for (kind, key), values in cast.items():
        if kind == "supported_by":
            # No key is stricter than another, so that a tie would be open: the last one counts.
            voted[kind, key] = values[-1]
        else:
            voted[kind, key] = most_frequent(values, _STRICTEST_FIRST)[0]
    return voted


def votes_of(labels: Labels, sentences: Sentences) -> Votes:
    """A labeller's labels as votes."""
    votes: Votes = {}
    relevant, utilized = set(labels.relevant_keys), set(labels.utilized_keys)
    for key in () if labels.of_support_alone else sentences.document_keys:
        votes["relevant", key] = "yes" if key in relevant else "no"
        votes["utilized", key] = "yes" if key in utilized else "no"
    for item in labels.sentence_support:
        votes["support", item.key] = item.support.value
    return votes


def _keys_with_yes(votes: Votes, kind: str) -> tuple[str, ...]:
    return tuple(key for (own, key), value in votes.items() if own == kind and value == "yes")


def _changed_labels(labels: Labels, kind: str, key: str, value: str) -> dict[str, Any]:
    if kind in ("support", "supported_by"):
        supports = {support.key: support for support in labels.sentence_support}
        before = supports.get(key) or SentenceSupport(key=key, support=Support.NONE)
        changes: dict[str, Any] = {"supporting_keys": (value,)}
        if kind == "support":
            changes = {"support": Support(value)}
            if changes["support"] is Support.NONE:
                changes["supporting_keys"] = ()
            if changes["support"] is Support.FULL:
                changes["kind"] = Fault.UNKNOWN
        supports[key] = before.model_copy(update=changes)
        return {"sentence_support": tuple(supports.values())}
    field = f"{kind}_keys"
    keys = [other for other in getattr(labels, field) if other != key]
    if value == "yes":
        keys.append(key)
    # What a person has looked at is counted, not expected.
    return {field: tuple(keys), "expected": None}
