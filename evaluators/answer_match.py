"""Answer match: is the answer the true one, does it contain it, or how many words do the two share?

Texts are compared as HotpotQA compares them (Yang et al., EMNLP 2018, `hotpot_evaluate_v1.py`):
lower case, without ASCII punctuation, without the articles a, an and the, with single spaces. No
LLM.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field

from evaluators.base import Evaluator, evaluator, require
from evaluators.errors import MissingInputError
from evaluators.item_lists import averaged
from evaluators.records import Averaged, Sample, Score
from evaluators.text.accepted import groups

Match = Literal["exact_match", "fuzzy_match", "f1_score"]

NO_TRUTH = "There is no ground truth to compare with."
WHY_ZERO = {
    "exact_match": (
        "Not the same words in the same order. For answers in sentences, choose a fuzzy "
        "match or F1."
    ),
    "fuzzy_match": "The answer does not contain the ground truth.",
    "f1_score": "The answer and the ground truth share no word.",
}
NO_WORD = "The ground truth has no word to compare (case, punctuation and articles do not count)."

_ARTICLES = frozenset({"a", "an", "the"})
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_UTF8 = (
    "utf-8",
    "surrogatepass",
)  # bytes lose single characters many times faster than a string does
_PUNCTUATION = string.punctuation.encode()
_PLAIN = b"0123456789abcdefghijklmnopqrstuvwxyz \t\n\r\v\f"


@evaluator("answer_match", title="Answer match", needs=("response", "ground_truth"))
class AnswerMatchAcc(Evaluator):
    """Compares the answer with the ground truth, both normalised as in HotpotQA; 1 is a match, 0 is
    none.

    `exact_match` wants the same words in the same order, `fuzzy_match` an answer that contains the
    ground truth, and `f1_score` gives 2PR / (P + R) over the words that both share: P is their
    share of the answer's words, R their share of the ground truth's. Of several spellings the best
    counts, of several required answers the worst.
    """

    type: Match = Field(
        "exact_match",
        title="Match",
        description=(
            "exact: the same words; fuzzy: the ground truth is in the answer; F1: share of "
            "common words"
        ),
    )

    def compute(self, pred_answers: Sequence[object], gt_answers: Sequence[object]) -> Averaged:
        """The mean over all pairs, and the value of each; raises `ParameterError` where the lengths
        differ.
        """
        return averaged(self.compute_single_item, pred_answers=pred_answers, gt_answers=gt_answers)

    def compute_single_item(self, y: object, y_gt: object) -> float:
        """How well the answer `y` matches the ground truth, from 0 to 1; both may be anything that
        has a text.

        Raises `MissingInputError` for `None`, NaN (an empty cell) and an object that has no text.
        """
        return _RULES[self.type](words(_text(y, "answer")), words(_text(y_gt, "ground truth")))

    def score(self, sample: Sample) -> Score:
        """`answer_match` of one sample; not applicable where the ground truth has no word to
        compare.
        """
        require(("response",), sample, self.title)
        said = words(sample.response or "")
        required = [
            [text for text in spellings if words(text)] for spellings in groups(sample.ground_truth)
        ]
        if not required or not all(required):
            return Score(values={"answer_match": None}, reason=NO_WORD if required else NO_TRUTH)
        rule = _RULES[self.type]
        best = [
            max(((rule(said, words(text)), text) for text in group), key=_value)
            for group in required
        ]
        value, spelling = min(best, key=_value)
        compared = {"response": " ".join(said), "ground_truth": " ".join(words(spelling))}
        reason = "" if value else WHY_ZERO[self.type]
        return Score(values={"answer_match": value}, reason=reason, details={"compared": compared})


def words(text: str) -> list[str]:
    """The words of a text that count: lower case, without ASCII punctuation and articles."""
    kept = text.lower().encode(*_UTF8).translate(None, _PUNCTUATION)
    found = kept.decode(*_UTF8).split()
    others = kept.translate(None, _PLAIN)
    if (
        others and not others.decode(*_UTF8).isalnum()
    ):  # other signs, as in “the” or the–a, end words too
        return _ARTICLE.sub(" ", " ".join(found)).split()
    return (
        found if _ARTICLES.isdisjoint(found) else [word for word in found if word not in _ARTICLES]
    )


def _value(judged: tuple[float, str]) -> float:
    return judged[0]


def _exact(said: list[str], true: list[str]) -> float:
    return 1.0 if said == true else 0.0


def _fuzzy(said: list[str], true: list[str]) -> float:
    return 1.0 if " ".join(true) in " ".join(said) else 0.0


def _f1(said: list[str], true: list[str]) -> float:
    common = _common(said, true)
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(true)
    return 2 * precision * recall / (precision + recall)


def _common(said: list[str], true: list[str]) -> int:
    """How many words both have, a repeated word as often as both repeat it (a `Counter` is slower
    on short texts).
    """
    left: dict[str, int] = {}
    for word in true:
        left[word] = left.get(word, 0) + 1
    common = 0
    for word in said:
        if left.get(word):
            left[word] -= 1
            common += 1
    return common


_RULES: dict[Match, Callable[[list[str], list[str]], float]] = {
    "exact_match": _exact,
    "fuzzy_match": _fuzzy,
    "f1_score": _f1,
}


def _text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise MissingInputError(f"There is no {what} ({value}). Give one, or leave the pair out.")
    try:
        return str(value)
    except Exception as error:  # the object's own code: it may raise anything
        kind = type(value).__name__
        raise MissingInputError(
            f"The {what} is a {kind} without a text ({error!r:.100}). Give a string."
        ) from error
