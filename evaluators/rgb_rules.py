"""The rules of RGB in their order: pure functions of an answer and of how it is read.

Source: Chen et al., arXiv 2309.01431. Policy `documented` is the rule set of this project's
documentation; policy `paper` is the rule of the benchmark's own script. Every verdict names the
rule that decided and the words that it decided on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from evaluators.errors import MissingInputError
from evaluators.prompts import MARKERS
from evaluators.records import Accepted, Verdict
from evaluators.text.accepted import groups, spellings
from evaluators.text.language import mark, say
from evaluators.text.normalise import is_chinese, nfkc, remove_reasoning, without_spaces
from evaluators.text.remembered import remembered

Policy = Literal["documented", "paper"]

PRIMARY_REJECTION_PHRASES = (
    "i can not answer the question because of the insufficient information in documents",
    "insufficient information in documents",
    "can not answer",
    "cannot answer",
)
REJECTION_KEYWORDS = (
    "i don't know", "i cannot", "i can't", "unable to", "not able to",
    "insufficient information", "no information", "cannot determine", "cannot answer",
    "not enough information", "don't have enough", "unable to determine", "cannot find",
    "no relevant", "not mentioned", "not provided", "not specified", "unclear",
    "unknown", "i'm not sure", "i am not sure", "cannot be determined",
    "information is not available", "does not provide",
)  # fmt: skip
ERROR_DETECTION_KEYWORDS = (
    "incorrect", "wrong", "false", "error", "mistake", "inaccurate", "not true", "not correct",
    "factually incorrect", "contradicts", "actually", "in fact", "however", "but actually",
    "the correct answer", "should be",
)  # fmt: skip

PAPER_REJECTIONS = tuple(markers.rejection_words for markers in MARKERS.values())
PAPER_DETECTIONS = tuple(markers.errors_words for markers in MARKERS.values())
CHINESE_REJECTIONS = (MARKERS["zh"].rejection_words,)
CHINESE_DETECTIONS = (MARKERS["zh"].errors_words,)

MARKER = mark("marker phrase")
CONTAINED = mark("contains the answer")
ONLY_PLANTED = mark("only the planted answer")
BY_WORDS = mark("80 % of the words")
ENOUGH_OVERLAP = 0.8
NO_MATCH = Verdict(False, mark("no match"))
NO_REJECTION = Verdict(False, mark("no rejection phrase"))
NO_DETECTION = Verdict(False, mark("no error phrase"))

Trial = tuple[str, Verdict | None]
"""A rule and what it says; `None` leaves the answer to the next rule, which is only tried then."""


class TriedRule(NamedTuple):
    """A rule that was tried on a question; without a verdict it left the answer to the next one."""

    question: str
    rule: str
    verdict: Verdict | None


class AnswerReading(NamedTuple):
    """By which policy an answer is read, and what is done to it before."""

    policy: Policy
    nfkc: bool
    remove_reasoning: bool

    def prepared(self, text: str) -> str:
        if self.remove_reasoning:
            text = remove_reasoning(text)
        return nfkc(text) if self.nfkc else text

    def comparable(self, text: str) -> str:
        prepared = self.prepared(text)
        return prepared.lower() if self.policy == "paper" else normalized_answer(prepared)


def normalized_answer(answer: str) -> str:
    """Lower case, no stops at the end, single spaces; Chinese without any, as in the paper."""
    answer = answer.lower().strip().rstrip(".!?,;:")
    return without_spaces(answer) if is_chinese(answer) else " ".join(answer.split())


class ComparedAnswer:
    """An answer made comparable, with what the rules look up in it, each worked out once.

    Thousands of spellings may be tried on a long one.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._held: dict[str, bool] = {}

    @cached_property
    def is_chinese(self) -> bool:
        return is_chinese(self.text)

    @cached_property
    def unspaced(self) -> ComparedAnswer:
        return ComparedAnswer(without_spaces(self.text))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.text.split())

    def holds(self, true: str) -> bool:
        """Whether it contains this answer; of many required ones a spelling often comes again."""
        if true not in self._held:
            self._held[true] = true in self.text
        return self._held[true]


# Trying rules


def first_verdict(trials: Iterator[Trial], otherwise: Verdict) -> Verdict:
    for _, verdict in trials:
        if verdict is not None:
            return verdict
    return otherwise


def tried_rules(question: str, trials: Iterator[Trial]) -> Iterator[TriedRule]:
    """The rules up to the one that decided the question."""
    for rule, verdict in trials:
        yield TriedRule(question, rule, verdict)
        if verdict is not None:
            return


# Is it right?


def answer_verdicts(
    reading: AnswerReading,
    response: str,
    truth: Accepted,
    strict: bool = False,
) -> list[Verdict]:
    """A verdict on each required answer; raises `MissingInputError` where there is none."""
    required = groups(truth)
    if not required or not all(required):
        raise MissingInputError(say("There is no true answer. Give a string or a list of strings."))
    answer = ComparedAnswer(reading.comparable(response))
    return [_best_spelling(reading, answer, group, strict) for group in required]


def _best_spelling(
    reading: AnswerReading,
    answer: ComparedAnswer,
    group: Sequence[str],
    strict: bool,
) -> Verdict:
    verdict = NO_MATCH
    for spelling in group:
        verdict = first_verdict(_answer_rules(reading, answer, spelling, strict), NO_MATCH)
        if verdict.passed:
            break
    return verdict


def no_answer_rules(reading: AnswerReading, response: str) -> Iterator[Trial]:
    """Whether it is no answer, whatever else it holds: the benchmark's script asks that first."""
    if reading.policy == "paper":
        rule, declines = _phrases(MARKER, PAPER_REJECTIONS, reading.prepared(response))
        yield rule, declines and Verdict(False, rule, declines.evidence)


def tried_on_answer(
    reading: AnswerReading,
    response: str,
    truth: Accepted,
) -> Iterator[TriedRule]:
    """The rules tried on the answer and each spelling, up to the first that is given."""
    question = mark("Does it give an answer at all?")
    for step in tried_rules(question, no_answer_rules(reading, response)):
        yield step
        if step.verdict is not None:
            return
    answer = ComparedAnswer(reading.comparable(response))
    for group in groups(truth):
        for spelling in group:
            trials = _answer_rules(reading, answer, spelling)
            tried = list(tried_rules(say("Is it “{answer}”?", answer=spelling), trials))
            yield from tried
            if tried[-1].verdict and tried[-1].verdict.passed:
                break


def _answer_rules(
    reading: AnswerReading,
    answer: ComparedAnswer,
    spelling: str,
    strict: bool = False,
) -> Iterator[Trial]:
    """The rules for one spelling."""
    true = _comparable(reading, spelling)
    if reading.policy == "paper":
        yield _contains(answer.unspaced if answer.is_chinese else answer, true)
        return
    if answer.is_chinese or is_chinese(true):
        # So that "iPhone 14" is found in Chinese text.
        answer, true = answer.unspaced, without_spaces(true)
    if not (answer.text and true):
        yield mark("empty"), Verdict(False, mark("empty"))
    if strict:
        is_same = answer.text == true
        yield mark("exact match"), Verdict(is_same, mark("exact match"), (true,) if is_same else ())
    yield _contains(answer, true)
    yield (
        mark("short answer"),
        Verdict(True, mark("short answer"), (answer.text,)) if answer.text in true else None,
    )
    yield BY_WORDS, _overlap(answer, true)


@remembered(most=4096, longest=2_000)
def _comparable(reading: AnswerReading, spelling: str) -> str:
    # A run asks for the same few spellings again and again.
    return reading.comparable(spelling)


def _contains(answer: ComparedAnswer, true: str) -> Trial:
    return CONTAINED, Verdict(True, CONTAINED, (true,)) if answer.holds(true) else None


def _overlap(answer: ComparedAnswer, true: str) -> Verdict | None:
    wanted = dict.fromkeys(true.split())
    shared = answer.words.intersection(wanted)
    if len(shared) / len(wanted) < ENOUGH_OVERLAP:
        return None
    return Verdict(True, BY_WORDS, tuple(word for word in wanted if word in shared))


# Does it decline? Does it notice the error?


def rejection_rules(
    reading: AnswerReading,
    response: str,
    primary: Sequence[str],
    keywords: Sequence[str],
) -> Iterator[Trial]:
    answer = reading.prepared(response)
    if reading.policy == "paper":
        yield _phrases(MARKER, PAPER_REJECTIONS, answer)
        return
    answer = answer.lower().strip()
    yield _phrases(mark("primary phrase"), primary, answer)
    yield _phrases(mark("keyword"), keywords, answer)
    yield _phrases(mark("Chinese marker phrase"), CHINESE_REJECTIONS, answer)


def detection_rules(
    reading: AnswerReading,
    response: str,
    planted: Accepted | None,
    keywords: Sequence[str],
) -> Iterator[Trial]:
    answer = reading.prepared(response)
    if reading.policy == "paper":
        yield _phrases(MARKER, PAPER_DETECTIONS, answer)
        return
    answer = answer.lower()
    yield _phrases("keyword", keywords, answer)
    wrong = dict.fromkeys(
        reading.prepared(spelling).lower() for spelling in spellings(planted) if spelling
    )
    # Of thousands of planted answers few are in it: only those can be denied there.
    said = [word for word in wrong if word in answer]
    denials = [denial for word in said for denial in (f"not {word}", f"{word} is wrong")]
    yield _phrases(mark("denies the planted answer"), denials, answer)
    yield _phrases(mark("Chinese marker phrase"), CHINESE_DETECTIONS, answer)


def _phrases(rule: str, phrases: Sequence[str], answer: str) -> Trial:
    for phrase in phrases:
        if phrase in answer:
            return rule, Verdict(True, rule, (phrase,))
    return rule, None


# Is it only the planted error?


def only_planted(
    reading: AnswerReading,
    response: str,
    truth: Accepted,
    planted: Accepted,
) -> Verdict | None:
    """The verdict on an answer that holds the planted answer and not the true one."""
    wrong = tuple(contained(reading, response, planted))
    if wrong and not contains_any(reading, response, truth):
        return Verdict(False, ONLY_PLANTED, wrong)
    return None


def contains_any(reading: AnswerReading, response: str, accepted: Accepted) -> bool:
    """Whether the answer contains one of the spellings."""
    return any(True for _ in contained(reading, response, accepted))


def contained(reading: AnswerReading, response: str, accepted: Accepted) -> Iterator[str]:
    """The spellings that the answer contains, as they are compared."""
    answer = ComparedAnswer(reading.comparable(response))
    for spelling in spellings(accepted):
        if spelling.strip():
            verdict = first_verdict(_answer_rules(reading, answer, spelling), NO_MATCH)
            if verdict.rule == CONTAINED:
                yield verdict.evidence[0]
