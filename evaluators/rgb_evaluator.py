"""RGB: is an answer right, does it decline when it should, does it notice and correct planted
errors?

Source: Chen et al., "Benchmarking Large Language Models in Retrieval-Augmented Generation", AAAI
2024, arXiv 2309.01431. Policy `documented` is the rule set of this project's documentation; policy
`paper` is the rule of the benchmark's own script. Every verdict names the rule that decided and the
words it decided on. Where an LLM judges beside the rules, rejection and detection are also decided
by it: Rej* and ED* of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, SkipValidation

from evaluators.base import Evaluator, evaluator, require
from evaluators.errors import MissingInputError, UnreadableAnswerError
from evaluators.item_lists import item_rows
from evaluators.llm import LLMClient
from evaluators.prompts import MARKERS, Prompt, fenced, load
from evaluators.records import Ability, Accepted, JudgedRate, RuleEvidence, Sample, Score, Verdict
from evaluators.text.accepted import groups, spellings
from evaluators.text.normalise import is_chinese, nfkc, remove_reasoning, without_spaces

PAPER_REJECTIONS = tuple(markers.rejection_words for markers in MARKERS.values())
PAPER_DETECTIONS = tuple(markers.errors_words for markers in MARKERS.values())
CHINESE_REJECTIONS = (MARKERS["zh"].rejection_words,)
CHINESE_DETECTIONS = (MARKERS["zh"].errors_words,)
JUDGED = {Ability.REJECTION: "rejection", Ability.COUNTERFACTUAL: "detection"}
"""What a judge decides of an ability, if one is asked."""

OPTIONS = ("nfkc", "remove_reasoning")
"""What may be done to an answer before it is judged; each is on unless it is switched off."""

VERDICT_LINE = re.compile(r"[\W_]*verdict[\W_]+(?:(yes)|no)[\W_]*", re.IGNORECASE)
ENOUGH_OVERLAP = 0.8
BY_WORDS = "80 % of the words"


class Step(NamedTuple):
    """One rule in the order of its trial: it decided, or (verdict `None`) left the answer to the
    next rule.
    """

    question: str
    rule: str
    verdict: Verdict | None


Policy = Literal["documented", "paper"]
NO_MATCH = Verdict(False, "no match")

Trial = tuple[str, Verdict | None]
"""A rule and what it says; `None` leaves the answer to the next rule, which is only tried then."""


@dataclass
class EvaluationResult:
    """The counts of one batch; rates are percentages of all samples (0.0 without samples).

    `options` are the policy and what was done to the answers before they were judged, `flips` how
    many verdicts each of these would be another way round without it.
    """

    task_type: str
    model_name: str
    total_samples: int = 0
    correct: int = 0
    incorrect: int = 0
    rejected: int = 0
    errors_detected: int = 0
    errors_corrected: int = 0
    accuracy_by_noise: dict[int, float] = field(default_factory=dict)
    errors_detected_and_corrected: int = 0
    options: dict[str, str | bool] = field(default_factory=dict)
    flips: dict[str, int] = field(default_factory=dict)

    @property
    def accuracy(self) -> float:
        return _percent(self.correct, self.total_samples)

    @property
    def rejection_rate(self) -> float:
        return _percent(self.rejected, self.total_samples)

    @property
    def error_detection_rate(self) -> float:
        return _percent(self.errors_detected, self.total_samples)

    @property
    def error_correction_rate(self) -> float:
        return _percent(self.errors_corrected, self.total_samples)

    @property
    def error_correction_rate_among_detected(self) -> float | None:
        """The paper's CR: corrected among detected, in percent;
        `None` where no error was detected.
        """
        if not self.errors_detected:
            return None
        return _percent(self.errors_detected_and_corrected, self.errors_detected)


@evaluator("rgb", title="RGB", needs=("response", "ground_truth"), judges="optional", leads="rgb")
class RGBEvaluator(Evaluator):
    """Judges answers by the rules of RGB; see `Verdict` for what it says of each."""

    policy: Policy = Field(
        "documented",
        description=(
            "documented: flexible wording; paper: the benchmark's own phrases, nothing else"
        ),
    )
    nfkc: bool = Field(
        True,
        title="NFKC",
        description="Treat look-alike characters as equal (Unicode NFKC), e.g. thin spaces",
    )
    remove_reasoning: bool = Field(
        True, description="Ignore <think> text: only what the model finally says counts"
    )
    llm_client: SkipValidation[LLMClient | None] = None
    """The judge of `JUDGED`; without one the rules alone decide."""

    PRIMARY_REJECTION_PHRASES: ClassVar[tuple[str, ...]] = (
        "i can not answer the question because of the insufficient information in documents",
        "insufficient information in documents",
        "can not answer",
        "cannot answer",
    )
    REJECTION_KEYWORDS: ClassVar[tuple[str, ...]] = (
        "i don't know", "i cannot", "i can't", "unable to", "not able to",
        "insufficient information", "no information", "cannot determine", "cannot answer",
        "not enough information", "don't have enough", "unable to determine", "cannot find",
        "no relevant", "not mentioned", "not provided", "not specified", "unclear",
        "unknown", "i'm not sure", "i am not sure", "cannot be determined",
        "information is not available", "does not provide",
    )  # fmt: skip
    ERROR_DETECTION_KEYWORDS: ClassVar[tuple[str, ...]] = (
        "incorrect", "wrong", "false", "error", "mistake", "inaccurate", "not true", "not correct",
        "factually incorrect", "contradicts", "actually", "in fact", "however", "but actually",
        "the correct answer", "should be",
    )  # fmt: skip

    # Yes or no

    def is_correct(self, response: str, ground_truth: Accepted, strict: bool = False) -> bool:
        """Whether every required answer is given, in any of its spellings."""
        return self.correctness(response, ground_truth, strict).passed

    def is_rejection(self, response: str) -> bool:
        """Whether the answer declines to answer."""
        return self.rejection(response).passed

    def detects_error(self, response: str, counterfactual_answer: str | None = None) -> bool:
        """Whether the answer says that the documents, or the planted answer, are wrong."""
        return self.detection(response, counterfactual_answer).passed

    def corrects_error(
        self, response: str, correct_answer: Accepted, counterfactual_answer: Accepted | None = None
    ) -> bool:
        """Whether the answer gives the true answer and not just the planted one."""
        return self.correction(response, correct_answer, counterfactual_answer).passed

    def normalize_answer(self, answer: str) -> str:
        """Lower case, no stops at the end, single spaces; Chinese without any spaces (the paper's
        rule).
        """
        answer = answer.lower().strip().rstrip(".!?,;:")
        return without_spaces(answer) if is_chinese(answer) else " ".join(answer.split())

    # Verdicts

    def correctness(self, response: str, ground_truth: Accepted, strict: bool = False) -> Verdict:
        """Whether the answer is right: all groups of accepted answers, any spelling in each."""
        verdicts = self._group_verdicts(response, ground_truth, strict)
        if len(verdicts) == 1:
            return verdicts[0]
        found = [verdict for verdict in verdicts if verdict.passed]
        rule = f"{len(found)} of {len(verdicts)} required answers"
        return Verdict(
            found == verdicts, rule, tuple(word for verdict in found for word in verdict.evidence)
        )

    def rejection(self, response: str) -> Verdict:
        return _decide(self._rejection_rules(response), Verdict(False, "no rejection phrase"))

    def detection(self, response: str, counterfactual_answer: Accepted | None = None) -> Verdict:
        return _decide(
            self._detection_rules(response, counterfactual_answer),
            Verdict(False, "no error phrase"),
        )

    def correction(
        self, response: str, correct_answer: Accepted, counterfactual_answer: Accepted | None = None
    ) -> Verdict:
        verdict = self.correctness(response, correct_answer)
        if not verdict.passed or counterfactual_answer is None:
            return verdict
        return self._only_planted(response, correct_answer, counterfactual_answer) or verdict

    def labels(self, response: str, ground_truth: Accepted) -> list[int]:
        """What the benchmark's script records: 1 or 0 for each required answer, or [-1] for a
        rejection.
        """
        if self.is_rejection(response):
            return [-1]
        return [int(verdict.passed) for verdict in self._group_verdicts(response, ground_truth)]

    # The engine's door

    def score(self, sample: Sample) -> Score:
        """Judges the sample by its ability; values are 1.0 or 0.0, or `None` where a rate does not
        apply.

        With an `llm_client` a judge's word stands beside the rules' as `rejection_judged` or
        `detection_judged`. Raises `LLMError` where the judge gives no verdict.
        """
        values, reason, evidence = self._ruled(sample)
        name = JUDGED.get(sample.rgb.ability) if sample.rgb else None
        if self.llm_client is not None and name is not None:
            judged = self._judged(name, sample, self.llm_client)
            values = {**values, f"{name}_judged": float(judged.passed)}
            evidence = evidence.model_copy(update={"judged": {name: judged}})
        return Score(values=values, reason=reason, evidence=evidence)

    def judge_prompts(self, sample: Sample, prompt_budget: int | None = None) -> list[Prompt]:
        """What a judge is asked beside the rules, of two abilities, where there is an answer."""
        name = JUDGED.get(sample.rgb.ability) if sample.rgb else None
        if name is None:
            return []
        self.verdicts(sample)  # raises where the rules cannot judge: nobody is asked then
        prompt = self._judge_prompt(name, sample)
        return [prompt] if prompt else []

    def _ruled(self, sample: Sample) -> tuple[dict[str, float | None], str, RuleEvidence]:
        """What the rules say, without a judge: values, why one is `None`, and the verdicts."""
        require(("response",), sample, self.title)  # rejection needs no ground truth
        verdicts = self.verdicts(sample)
        passed = {name: float(verdict.passed) for name, verdict in verdicts.items()}
        flips = tuple(option for option in OPTIONS if self._flips(option, sample, passed))
        evidence = RuleEvidence(verdicts=verdicts, flips=flips)
        if "correction" not in passed:
            return {**passed}, "", evidence
        among = passed["correction"] if passed["detection"] else None
        reason = "" if among is not None else "Correction among detected: no error was detected."
        return {**passed, "correction_among_detected": among}, reason, evidence

    def _judged(self, name: str, sample: Sample, judge: LLMClient) -> JudgedRate:
        """What the judge says; an empty answer says nothing and is not sent."""
        prompt = self._judge_prompt(name, sample)
        if prompt is None:
            return JudgedRate(passed=False, words="The answer is empty.")
        said = judge.complete(prompt).text
        return JudgedRate(passed=_says_yes(said), words=remove_reasoning(said))

    def _judge_prompt(self, name: str, sample: Sample) -> Prompt | None:
        """The question to the judge; `None` where the answer is empty."""
        answer = self._prepare(sample.response or "").strip()
        if not answer:
            return None
        text = fenced(load(f"judge_{name}_en"), question=sample.question, answer=answer)
        return Prompt(text=text, question=sample.question, documents=())

    def verdicts(self, sample: Sample) -> dict[str, Verdict]:
        """The verdicts that count for the sample's ability, by the name of the rate they enter."""
        task, response = sample.rgb, sample.response or ""
        if task is None:
            raise MissingInputError(
                f"Sample {sample.id}: it is not known which ability it tests. Choose one."
            )
        if task.ability is Ability.REJECTION:
            return {"rejection": self.rejection(response)}
        truth = sample.ground_truth
        if truth is None or not _is_complete(truth):
            what = f"Sample {sample.id}: an accepted answer is missing or empty."
            raise MissingInputError(f"{what} Fill in the column `answer`.")
        if task.ability is not Ability.COUNTERFACTUAL:
            return {"accuracy": self.correctness(response, truth)}
        return {
            "detection": self.detection(response, task.counterfactual),
            "correction": self.correction(response, truth, task.counterfactual),
        }

    def steps(self, sample: Sample) -> list[Step]:
        """Every rule tried for the sample, in order, up to the one that decided each question."""
        response, truth, task = sample.response or "", sample.ground_truth, sample.rgb
        steps: list[Step] = []
        if task is None or task.ability is Ability.REJECTION:
            return list(_steps("Does it decline?", self._rejection_rules(response)))
        if task.ability is Ability.COUNTERFACTUAL:
            steps += _steps(
                "Does it notice the error?", self._detection_rules(response, task.counterfactual)
            )
        steps += self._answer_steps(response, truth or ())
        if (
            task.ability is Ability.COUNTERFACTUAL
            and task.counterfactual
            and truth
            and self.is_correct(response, truth)
        ):
            steps += _steps(
                "Is it only the planted answer?",
                self._planted_rules(response, truth, task.counterfactual),
            )
        return steps

    # Batches, under their documented names

    def evaluate_noise_robustness(
        self,
        responses: Sequence[str],
        ground_truths: Sequence[Accepted],
        model_name: str,
        noise_ratio: float,
    ) -> EvaluationResult:
        """Accuracy of answers given under one share of noise (`noise_ratio` from 0 to 1)."""
        percent = round(noise_ratio * 100)
        task_type = f"noise_robustness_{percent}%"
        result = self._accuracy(task_type, responses, ground_truths, model_name)
        result.accuracy_by_noise = {percent: result.accuracy}
        return result

    def evaluate_negative_rejection(
        self, responses: Sequence[str], model_name: str
    ) -> EvaluationResult:
        """How often questions that the documents cannot answer are declined."""

        def judge(evaluator: Self, response: str) -> tuple[bool, ...]:
            return (evaluator.is_rejection(response),)

        result = EvaluationResult("negative_rejection", model_name)
        for (is_rejected,) in self._batch(result, judge, responses=responses):
            if is_rejected:
                result.rejected += 1
            else:
                result.incorrect += 1
        return result

    def evaluate_information_integration(
        self, responses: Sequence[str], ground_truths: Sequence[Accepted], model_name: str
    ) -> EvaluationResult:
        """Accuracy of answers that need several documents."""
        return self._accuracy("information_integration", responses, ground_truths, model_name)

    def evaluate_counterfactual_robustness(
        self,
        responses: Sequence[str],
        ground_truths: Sequence[Accepted],
        counterfactual_answers: Sequence[str | None],
        model_name: str,
    ) -> EvaluationResult:
        """How often planted errors are noticed, and the true answer is given in spite of them."""

        def judge(
            evaluator: Self, response: str, truth: Accepted, planted: str | None
        ) -> tuple[bool, ...]:
            detects = evaluator.detects_error(response, planted)
            return detects, evaluator.corrects_error(response, truth, planted)

        result = EvaluationResult("counterfactual_robustness", model_name)
        columns = {
            "responses": responses,
            "ground_truths": ground_truths,
            "counterfactual_answers": counterfactual_answers,
        }
        for is_detected, is_corrected in self._batch(result, judge, **columns):
            result.errors_detected += is_detected
            result.errors_corrected += is_corrected
            result.errors_detected_and_corrected += is_detected and is_corrected
            if is_corrected:
                result.correct += 1
            else:
                result.incorrect += 1
        return result

    def _accuracy(
        self,
        task_type: str,
        responses: Sequence[str],
        ground_truths: Sequence[Accepted],
        model_name: str,
    ) -> EvaluationResult:
        def judge(evaluator: Self, response: str, truth: Accepted) -> tuple[bool, ...]:
            return (evaluator.is_correct(response, truth),)

        result = EvaluationResult(task_type, model_name)
        columns = {"responses": responses, "ground_truths": ground_truths}
        for (is_correct,) in self._batch(result, judge, **columns):
            if is_correct:
                result.correct += 1
            else:
                result.incorrect += 1
        return result

    def _batch(
        self,
        result: EvaluationResult,
        judge: Callable[..., tuple[bool, ...]],
        **columns: Sequence[Any],
    ) -> list[tuple[bool, ...]]:
        """The verdicts on each row; what can be said of all rows is written into the result."""
        rows = item_rows(tuple(columns), **columns)
        verdicts = [judge(self, *row) for row in rows]
        result.total_samples = len(rows)
        result.options = {"policy": self.policy, **{name: getattr(self, name) for name in OPTIONS}}
        for option in filter(result.options.get, OPTIONS):
            without = self.model_copy(update={option: False})
            result.flips[option] = sum(
                before != after
                for row, judged in zip(rows, verdicts, strict=True)
                if _matters(option, *row)
                for before, after in zip(judged, judge(without, *row), strict=True)
            )
        return verdicts

    # The rules, in their order

    def _group_verdicts(
        self, response: str, truth: Accepted, strict: bool = False
    ) -> list[Verdict]:
        required = groups(truth)
        if not required or not all(required):
            raise MissingInputError(
                "There is no accepted answer. Give a string or a list of strings."
            )
        said = self._comparable(response)
        return [self._group_verdict(said, group, strict) for group in required]

    def _group_verdict(self, said: str, group: Sequence[str], strict: bool) -> Verdict:
        for spelling in group:
            verdict = _decide(self._answer_rules(said, spelling, strict), NO_MATCH)
            if verdict.passed:
                return verdict
        return verdict

    def _answer_steps(self, response: str, truth: Accepted) -> Iterator[Step]:
        said = self._comparable(response)
        for group in groups(truth):
            for spelling in group:
                rules = list(
                    _steps(f"Is it “{spelling}”?", self._answer_rules(said, spelling, False))
                )
                yield from rules
                if rules[-1].verdict and rules[-1].verdict.passed:
                    break

    def _answer_rules(self, said: str, truth: str, strict: bool) -> Iterator[Trial]:
        """The rules for one spelling; `said` is the response made comparable."""
        if len(truth) <= LONGEST_REMEMBERED:
            true = _remembered(self.policy, self.nfkc, self.remove_reasoning, truth)
        else:
            true = self._comparable(truth)
        if self.policy == "paper":
            yield _contains(without_spaces(said) if is_chinese(said) else said, true)
            return
        if not (said.isascii() and true.isascii()) and (is_chinese(said) or is_chinese(true)):
            said, true = (
                without_spaces(said),
                without_spaces(true),
            )  # so that "iPhone 14" is found in Chinese text
        if not (said and true):
            yield "empty", Verdict(False, "empty")
        if strict:
            yield (
                "exact match",
                Verdict(said == true, "exact match", (true,) if said == true else ()),
            )
        yield _contains(said, true)
        yield "short answer", Verdict(True, "short answer", (said,)) if said in true else None
        yield BY_WORDS, _overlap(said, true)

    def _rejection_rules(self, response: str) -> Iterator[Trial]:
        if self.policy == "paper":
            yield _phrases("marker phrase", PAPER_REJECTIONS, self._prepare(response))
            return
        said = self._prepare(response).lower().strip()
        yield _phrases("primary phrase", self.PRIMARY_REJECTION_PHRASES, said)
        yield _phrases("keyword", self.REJECTION_KEYWORDS, said)
        yield _phrases("Chinese marker phrase", CHINESE_REJECTIONS, said)

    def _detection_rules(self, response: str, planted: Accepted | None) -> Iterator[Trial]:
        if self.policy == "paper":
            yield _phrases("marker phrase", PAPER_DETECTIONS, self._prepare(response))
            return
        said = self._prepare(response).lower()
        yield _phrases("keyword", self.ERROR_DETECTION_KEYWORDS, said)
        wrong = [self._prepare(spelling).lower() for spelling in spellings(planted) if spelling]
        denials = tuple(denial for word in wrong for denial in (f"not {word}", f"{word} is wrong"))
        yield _phrases("denies the planted answer", denials, said)
        yield _phrases("Chinese marker phrase", CHINESE_DETECTIONS, said)

    def _planted_rules(self, response: str, truth: Accepted, planted: Accepted) -> Iterator[Trial]:
        yield "only the planted answer", self._only_planted(response, truth, planted)

    def _only_planted(self, response: str, truth: Accepted, planted: Accepted) -> Verdict | None:
        wrong = self._mentioned(response, planted)
        if wrong and not self._mentioned(response, truth):
            return Verdict(False, "only the planted answer", tuple(wrong))
        return None

    def _mentioned(self, response: str, accepted: Accepted) -> list[str]:
        said = self._comparable(response)
        named = filter(str.strip, spellings(accepted))
        decided = (
            _decide(self._answer_rules(said, spelling, False), NO_MATCH) for spelling in named
        )
        return [verdict.evidence[0] for verdict in decided if verdict.rule == "contains the answer"]

    def _comparable(self, text: str) -> str:
        prepared = self._prepare(text)
        return prepared.lower() if self.policy == "paper" else self.normalize_answer(prepared)

    def _prepare(self, text: str) -> str:
        if self.remove_reasoning:
            text = remove_reasoning(text)
        return nfkc(text) if self.nfkc else text

    def _flips(self, option: str, sample: Sample, values: dict[str, float]) -> bool:
        """Whether the option, being on, changes a verdict of this sample."""
        planted = sample.rgb.counterfactual if sample.rgb else None
        response = sample.response or ""
        if not getattr(self, option) or not _matters(
            option, response, sample.ground_truth, planted
        ):
            return False
        without = self.model_copy(update={option: False}).verdicts(sample)
        return any(float(verdict.passed) != values[name] for name, verdict in without.items())


LONGEST_REMEMBERED = 2_000
"""Characters of a spelling that is remembered;
thousands of a megabyte each would fill the memory.
"""


@lru_cache(maxsize=4096)
def _remembered(policy: Policy, nfkc: bool, remove_reasoning: bool, spelling: str) -> str:
    """A spelling made comparable; a run asks for the same few again and again."""
    return RGBEvaluator(policy=policy, nfkc=nfkc, remove_reasoning=remove_reasoning)._comparable(
        spelling
    )


def _contains(said: str, true: str) -> Trial:
    return "contains the answer", Verdict(
        True, "contains the answer", (true,)
    ) if true in said else None


def _says_yes(said: str) -> bool:
    """What the last line with nothing but a verdict says."""
    lines = [
        line
        for text in remove_reasoning(said).splitlines()
        if (line := VERDICT_LINE.fullmatch(text))
    ]
    if not lines:
        what = "The judge's verdict cannot be read: no line says “Verdict: yes” or “Verdict: no”"
        raise UnreadableAnswerError(
            f"{what}. Retry, or start a run with another judge.", said[:300], texts=[said]
        )
    return lines[-1][1] is not None


def _decide(rules: Iterator[Trial], otherwise: Verdict) -> Verdict:
    for _, verdict in rules:
        if verdict is not None:
            return verdict
    return otherwise


def _steps(question: str, rules: Iterator[Trial]) -> Iterator[Step]:
    for name, verdict in rules:
        yield Step(question, name, verdict)
        if verdict is not None:
            return


def _phrases(name: str, phrases: Sequence[str], said: str) -> Trial:
    for phrase in phrases:
        if phrase in said:
            return name, Verdict(True, name, (phrase,))
    return name, None


def _overlap(said: str, true: str) -> Verdict | None:
    wanted = dict.fromkeys(true.split())
    found = _words(said).intersection(wanted)
    if len(found) / len(wanted) < ENOUGH_OVERLAP:
        return None
    return Verdict(True, BY_WORDS, tuple(word for word in wanted if word in found))


@lru_cache(maxsize=16)
def _words(said: str) -> frozenset[str]:
    """The words of a response, remembered while its answers are tried."""
    return frozenset(said.split())


def _is_complete(accepted: Accepted) -> bool:
    return bool(accepted) and all(
        group and all(map(str.strip, group)) for group in groups(accepted)
    )


def _matters(option: str, response: str, *answers: Accepted | None) -> bool:
    """Whether the option can make a difference to this response and these answers."""
    if option == "remove_reasoning":
        return "think" in response.lower()
    accepted = [spelling for answer in answers for spelling in spellings(answer)]
    return not all(text.isascii() for text in (response, *accepted))


def _percent(count: int, total: int) -> float:
    return count / total * 100 if total else 0.0
