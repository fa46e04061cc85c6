"""Answer match: is the answer the true one, does it contain it, or how many words do the two share?

Texts are compared as HotpotQA compares them (Yang et al., EMNLP 2018, `hotpot_evaluate_v1.py`):
lower case, without ASCII punctuation, without the articles a, an and the, with single spaces; or as
they stand. No LLM.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence, Set
from numbers import Number
from typing import ClassVar, Literal, NamedTuple

from pydantic import BaseModel, Field

from evaluators import arguments
from evaluators.base import Evaluator, evaluator, require
from evaluators.datasets.cells import is_missing
from evaluators.errors import MissingInputError
from evaluators.item_lists import Averaged, averaged
from evaluators.records import Sample, Score
from evaluators.text.accepted import groups
from evaluators.text.language import mark
from evaluators.text.normalise import is_chinese
from evaluators.text.printable import shown

Match = Literal["exact_match", "fuzzy_match", "f1_score"]
Normalisation = Literal["hotpotqa", "none"]

NO_TRUTH = mark("There is no true answer to compare with.")
EMPTY_TRUTH = mark("The true answer is empty, so there is nothing to compare with.")
WHY_ZERO = {
    "exact_match": mark(
        "Not the same words in the same order. For answers in sentences, choose a "
        "fuzzy match or F1."
    ),
    "fuzzy_match": mark("The answer does not contain the true answer."),
    "f1_score": mark("The answer and the true answer share no word."),
}

_ARTICLES = frozenset({"a", "an", "the"})
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
# Bytes lose single characters many times faster than a string does.
_UTF8 = ("utf-8", "surrogatepass")
_PUNCTUATION = string.punctuation.encode()
_PLAIN = b"0123456789abcdefghijklmnopqrstuvwxyz \t\n\r\v\f"
# What closes a sentence or encloses a word; a sign of a number (-5, $5, 5 %) is not among them.
_AROUND_WORDS = ".,;:!?\"'()[]{}“”‘’。，；：！？（）「」"


class Comparison(NamedTuple):
    """How well an answer matches one spelling, and the words that were compared."""

    value: float
    answer_words: list[str]
    true_words: list[str]


@evaluator("answer_match", title=mark("Answer match"), needs=("response", "ground_truth"))
class AnswerMatchAcc(Evaluator):
    """Compares the answer with the true answer; 1 is a match, 0 is none.

    `exact_match` wants the same words in the same order, `fuzzy_match` an answer that contains the
    true answer, and `f1_score` gives 2PR / (P + R) over the words that both share: P is their
    share of the answer's words, R their share of the true answer's. Of several spellings the best
    counts, of several required answers the worst.

    Texts are normalised as in HotpotQA, or compared as they stand. They are also compared as they
    stand where normalisation leaves nothing of the true answer, as of the multiple-choice answer
    "A", which is an article.
    """

    is_light: ClassVar[bool] = True

    type: Match = Field(
        default="exact_match",
        title=mark("Match"),
        description=mark(
            "exact: the same words; fuzzy: the answer contains the true answer; F1: "
            "share of common words"
        ),
    )
    normalise: Normalisation = Field(
        default="hotpotqa",
        title=mark("Normalisation"),
        description=mark(
            "hotpotqa: case, punctuation and articles do not count; none: words as "
            "they stand, so that 3.5 is not 35 and -5 is not 5"
        ),
    )

    def compute(
        self,
        pred_answers: Sequence[object],
        gt_answers: Sequence[object],
    ) -> Averaged:
        """The mean over all pairs, and the value of each.

        Raises `ParameterError` where the lengths differ.
        """
        return averaged(self.compute_single_item, pred_answers=pred_answers, gt_answers=gt_answers)

    def compute_single_item(self, y: object, y_gt: object) -> float:
        """How well the answer `y` matches the ground truth, from 0 to 1, as `score` has it.

        Both may be any one thing that has a text; a list of true answers is read as that of a
        sample. Raises `MissingInputError` for `None`, NaN (an empty cell), what holds several
        things, an object that has no text, and an empty ground truth.
        """
        answer = _required_text(y, "answer")
        if arguments.is_list(y_gt):
            truth = arguments.accepted(y_gt, "true answer")
        else:
            truth = _required_text(y_gt, "true answer")
        required = _filled(groups(truth))
        if not all(required):
            raise MissingInputError(f"{EMPTY_TRUTH} Give one, or leave the pair out.")
        return self._least(answer, required).value

    def score(self, sample: Sample) -> Score:
        """`answer_match` of one sample; not applicable without a ground truth."""
        require(("response",), sample, self.title)
        required = _filled(groups(sample.ground_truth))
        if not required or not all(required):
            reason = EMPTY_TRUTH if required else NO_TRUTH
            return Score(values={"answer_match": None}, reason=reason)
        worst = self._least(sample.response or "", required)
        compared = {
            "response": " ".join(worst.answer_words),
            "ground_truth": " ".join(worst.true_words),
        }
        return Score(
            values={"answer_match": worst.value},
            reason="" if worst.value else WHY_ZERO[self.type],
            details={"compared": compared},
        )

    def _least(self, answer: str, required: Sequence[Sequence[str]]) -> Comparison:
        """The required answer that is matched least, each by the best of its spellings."""
        best_of_each = []
        for group in required:
            comparisons = [self._compared(answer, spelling) for spelling in group]
            best_of_each.append(max(comparisons, key=_by_value))
        return min(best_of_each, key=_by_value)

    def _compared(self, answer: str, truth: str) -> Comparison:
        true_words = hotpotqa_words(truth) if self.normalise == "hotpotqa" else []
        is_literal = not true_words
        if is_literal:
            true_words, answer_words = literal_words(truth), literal_words(answer)
        else:
            answer_words = hotpotqa_words(answer)
        if self.type == "exact_match":
            value = float(answer_words == true_words)
        elif self.type == "f1_score":
            value = _f1(answer_words, true_words)
        else:
            # Words that are joined again: line breaks and runs of spaces make no difference.
            whole, part = " ".join(answer_words), " ".join(true_words)
            if is_literal and not is_chinese(truth):
                # Letter by letter, the choice "A" would be found in "Answer: B", and 5 in 3.5.
                whole, part = f" {whole} ", f" {part} "
            value = float(part in whole)
        return Comparison(value, answer_words, true_words)


def hotpotqa_words(text: str) -> list[str]:
    """The words of a text that count: lower case, without ASCII punctuation and articles."""
    kept = text.lower().encode(*_UTF8).translate(None, _PUNCTUATION)
    spaced = kept.decode(*_UTF8).split()
    others = kept.translate(None, _PLAIN)
    if others and not others.decode(*_UTF8).isalnum():
        # Other signs end words too, as in “the” or the–a.
        return _ARTICLE.sub(" ", " ".join(spaced)).split()
    if _ARTICLES.isdisjoint(spaced):
        return spaced
    return [word for word in spaced if word not in _ARTICLES]


def literal_words(text: str) -> list[str]:
    """The words of a text as they stand, without the stops, quotes and brackets around them."""
    return [word.strip(_AROUND_WORDS) or word for word in text.split()]


def _filled(required: Sequence[Sequence[str]]) -> list[list[str]]:
    """The required answers with those of their spellings that are not blank."""
    return [[text for text in group if text.strip()] for group in required]


def _by_value(comparison: Comparison) -> float:
    return comparison.value


def _f1(answer_words: list[str], true_words: list[str]) -> float:
    common = _count_common(answer_words, true_words)
    if not common:
        return 0.0
    precision, recall = common / len(answer_words), common / len(true_words)
    return 2 * precision * recall / (precision + recall)


def _count_common(answer_words: list[str], true_words: list[str]) -> int:
    """How many words both have, a repeated word as often as both repeat it."""
    # By hand: a `Counter` is slower on short texts.
    left: dict[str, int] = {}
    for word in true_words:
        left[word] = left.get(word, 0) + 1
    common = 0
    for word in answer_words:
        if left.get(word):
            left[word] -= 1
            common += 1
    return common


def _required_text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    if is_missing(value):
        raise MissingInputError(f"There is no {what} ({value}). Give one, or leave the pair out.")
    # The text of these is Python's writing, which no answer has.
    is_several = arguments.is_list(value) or isinstance(value, bytes | Mapping | Set | BaseModel)
    has_text = isinstance(value, Number) or type(value).__str__ is not object.__str__
    if is_several or not has_text:
        raise MissingInputError(f"The {what} is {shown(value)}. Give one string.")
    try:
        return str(value)
    except Exception as error:  # the object's own code: it may raise anything
        kind = type(value).__name__
        raise MissingInputError(
            f"The {what} is a {kind} without a text ({error!r:.100}). Give a string."
        ) from error
