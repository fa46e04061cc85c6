"""TRACE definitions: by which formulas sentence labels become the four values.

Each is an entry of `DEFINITIONS`: `sentence` is what both TRACE documents state, `fixed_20` what
the code of the GPT labelling document does, and `ragbench` reproduces the values published with
RAGBench (Friel et al., arXiv 2407.11005).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluators.errors import ParameterError
from evaluators.records import Labels, Sentences, Support
from evaluators.text.language import mark, say


class Step(NamedTuple):
    """One value, the words that lead to it, and what was divided by what where that is all."""

    value: float | None
    words: str
    fraction: str = ""


class SentenceCounts(NamedTuple):
    """How many document sentences there are, are relevant, are utilized, are both."""

    total: int
    relevant: int
    utilized: int
    both: int


# What counts


def existing_keys(sentences: Sentences, labels: Labels) -> SentenceCounts:
    """A labelled key counts once, and only if a sentence of a retrieved document has it."""
    keys = sentences.retrieved_keys
    relevant = set(labels.relevant_keys).intersection(keys)
    utilized = set(labels.utilized_keys).intersection(keys)
    return SentenceCounts(len(keys), len(relevant), len(utilized), len(relevant & utilized))


def published_keys(sentences: Sentences, labels: Labels) -> SentenceCounts:
    """Published lists count as they are, repeated and unknown keys included."""
    turns = set(sentences.document_keys).difference(sentences.retrieved_keys)
    relevant = [key for key in labels.relevant_keys if key not in turns]
    utilized = [key for key in labels.utilized_keys if key not in turns]
    both = set(relevant).intersection(utilized)
    return SentenceCounts(len(sentences.retrieved_keys), len(relevant), len(utilized), len(both))


# The formulas

_UTILIZED_OF_RELEVANT = mark("sentences both relevant and used / relevant sentences")


def relevant_share(counts: SentenceCounts) -> Step:
    return _ratio(
        mark("relevant sentences / all document sentences"), counts.relevant, counts.total
    )


def relevant_of_20(counts: SentenceCounts) -> Step:
    return _capped(mark("relevant sentences / 20"), counts.relevant, 20)


def utilized_share(counts: SentenceCounts) -> Step:
    return _ratio(mark("used sentences / all document sentences"), counts.utilized, counts.total)


def utilized_of_relevant(counts: SentenceCounts) -> Step:
    if not counts.relevant:
        return Step(0.0, say("= 0.00, because no document sentence is relevant"))
    return _capped(mark("used sentences / relevant sentences"), counts.utilized, counts.relevant)


def complete(counts: SentenceCounts) -> Step:
    """The utilized share of what is relevant; where nothing is, 1 if nothing was utilized."""
    if counts.relevant:
        return _ratio(_UTILIZED_OF_RELEVANT, counts.both, counts.relevant)
    if counts.utilized:
        text = mark("= 0.00, because no document sentence is relevant, yet {used} used")
        return Step(0.0, say(text, used=counts.utilized))
    return Step(1.0, say("= 1.00, because no document sentence is relevant and none is used"))


def complete_or_nothing_relevant(counts: SentenceCounts) -> Step:
    """The same; where nothing is relevant always 1."""
    if not counts.relevant:
        return Step(1.0, say("= 1.00, because no document sentence is relevant"))
    return _ratio(_UTILIZED_OF_RELEVANT, counts.both, counts.relevant)


def all_supported(sentences: Sentences, labels: Labels) -> Step:
    """1 if every response sentence is fully supported; unknown where only labels are missing."""
    supports = response_supports(sentences, labels)
    rule = say("= 1 if every sentence of the answer is fully supported, else 0")
    full, missing = supports.count(Support.FULL), supports.count(None)
    if not supports:
        return Step(1.0, say("{rule}; the answer holds no sentence = 1.00", rule=rule))
    if missing and full + missing == len(supports):
        # English, as it is a part of the reason that is stored.
        unknown = mark("is not known: {missing} of {all} sentences of the answer have no label.")
        return Step(None, unknown.format(missing=missing, all=len(supports)))
    value = float(full == len(supports))
    words = say(
        "{rule}; {full} of {all} are = {value:.2f}",
        rule=rule,
        full=full,
        all=len(supports),
        value=value,
    )
    return Step(value, words, f"{full}/{len(supports)}")


def none_unsupported(sentences: Sentences, labels: Labels) -> Step:
    """1 if no response sentence is labelled as unsupported.

    One that is partly supported passes, and so does one without a label.
    """
    count = sum(sentence.support is Support.NONE for sentence in labels.sentence_support)
    value = float(not count)
    words = say(
        "= 1 if no sentence of the answer is unsupported, else 0; "
        "{count} unsupported = {value:.2f}",
        count=count,
        value=value,
    )
    total = len(labels.sentence_support)
    return Step(value, words, f"{total - count}/{total}" if total else "")


def response_supports(sentences: Sentences, labels: Labels) -> list[Support | None]:
    """How far each response sentence is supported; `None` for one without a label."""
    support = {sentence.key: sentence.support for sentence in labels.sentence_support}
    return [support.get(sentence.key) for sentence in sentences.response]


def _ratio(names: str, part: int, whole: int) -> Step:
    value = part / whole
    return Step(value, f"= {say(names)} = {part} / {whole} = {value:.2f}", f"{part}/{whole}")


def _capped(names: str, part: int, whole: int) -> Step:
    if part <= whole:
        return _ratio(names, part, whole)
    words = say(
        "= {names}, at most 1 = {part} / {whole}, so 1.00",
        names=say(names),
        part=part,
        whole=whole,
    )
    return Step(1.0, words, f"{part}/{whole}")


def expected_share(value: float, counted: Step) -> Step:
    """What is expected where labels are only likely, with what counting them would give."""
    labels = counted.words.removeprefix("= ")
    words = say(
        "≈ {value:.2f}, expected from how likely each label is; counted: {labels}",
        value=value,
        labels=labels,
    )
    return Step(value, words)


# The definitions


class Definition(NamedTuple):
    """Four formulas under a title: a view of stored labels, changed without a new call.

    The first three are asked only where the documents hold a sentence; `counts` is what they count.
    """

    title: str
    meaning: str
    """What tells it from the others, in a sentence."""
    relevance: Callable[[SentenceCounts], Step]
    utilization: Callable[[SentenceCounts], Step]
    completeness: Callable[[SentenceCounts], Step]
    adherence: Callable[[Sentences, Labels], Step]
    counts: Callable[[Sentences, Labels], SentenceCounts] = existing_keys
    expected_utilization: Literal["utilized", "utilized_of_relevant"] = "utilized_of_relevant"
    """Which of `ExpectedShares` stands for utilization."""
    in_full: str = ""
    """All four formulas in words, for a sheet's key; where it is empty the meaning stands there."""
    advice: str = ""
    """When to choose it, and when not."""


SENTENCE = "sentence"
"""The definition of runs where nobody chose another one."""

DEFINITIONS: dict[str, Definition] = {
    SENTENCE: Definition(
        title=mark("Sentence"),
        meaning=mark(
            "Context relevance = relevant / all sentences; context utilization = used / relevant "
            "sentences, at most 1."
        ),
        relevance=relevant_share,
        utilization=utilized_of_relevant,
        completeness=complete,
        adherence=all_supported,
        in_full=mark(
            "Context relevance = relevant / all document sentences. Context utilization = used / "
            "relevant, at most 1. Completeness = both relevant and used / relevant. Adherence = 1 "
            "if every sentence of the answer is supported, else 0."
        ),
    ),
    "fixed_20": Definition(
        title=mark("Fixed 20"),
        meaning=mark("As Sentence, but context relevance = relevant sentences / 20."),
        relevance=relevant_of_20,
        utilization=utilized_of_relevant,
        completeness=complete,
        adherence=all_supported,
        in_full=mark(
            "Context relevance = relevant document sentences / 20, at most 1. Context utilization "
            "= used / relevant, at most 1. Completeness = both relevant and used / relevant. "
            "Adherence = 1 if every sentence of the answer is supported, else 0."
        ),
        advice=mark("Low by its nature for short documents: compare it only with itself."),
    ),
    "ragbench": Definition(
        title="RAGBench",
        meaning=mark(
            "As published with RAGBench: context utilization = used / all sentences; partly "
            "supported passes."
        ),
        relevance=relevant_share,
        utilization=utilized_share,
        completeness=complete_or_nothing_relevant,
        adherence=none_unsupported,
        counts=published_keys,
        expected_utilization="utilized",
        in_full=mark(
            "Context relevance = relevant / all document sentences. Context utilization = used / "
            "all document sentences. Completeness = both relevant and used / relevant. Adherence "
            "= 1 if no sentence of the answer is unsupported, else 0."
        ),
        advice=mark("Choose it to compare with published values."),
    ),
}


if TYPE_CHECKING:
    DefinitionName = str
else:
    # By their names a form, the command line and a stored run know which ones there are.
    DefinitionName = Literal[tuple(DEFINITIONS)]


def definition_named(name: str) -> Definition:
    """The definition of that name; raises `ParameterError` where there is none."""
    if not isinstance(name, str) or name not in DEFINITIONS:
        known = ", ".join(DEFINITIONS)
        raise ParameterError(
            say(
                "No TRACE definition is called {name!r:.60}. Known: {known}.",
                name=name,
                known=known,
            )
        )
    return DEFINITIONS[name]
