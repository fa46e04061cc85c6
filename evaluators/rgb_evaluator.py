"""RGB: is an answer right, does it decline, does it notice and correct planted errors?

Source: Chen et al., "Benchmarking Large Language Models in Retrieval-Augmented Generation", AAAI
2024, arXiv 2309.01431. The rules are in `rgb_rules`. Where an LLM judges beside them, rejection and
detection are also decided by it: Rej* and ED* of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Self, get_args

from pydantic import Field, SkipValidation

from evaluators import arguments, rgb_rules
from evaluators.abilities import RGB_VALUES
from evaluators.base import Evaluator, evaluator, require
from evaluators.datasets.cells import is_missing
from evaluators.decided import ByDecision, how_likely, yes_prompt
from evaluators.errors import MissingInputError, UnreadableAnswerError
from evaluators.item_lists import item_rows
from evaluators.llm import LLMClient
from evaluators.numbers import share
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import Accepted, JudgedRate, RuleEvidence, Sample, Score, Verdict
from evaluators.rgb_rules import AnswerReading, Policy, Trial, TriedRule
from evaluators.text.accepted import groups, spellings
from evaluators.text.language import mark, say
from evaluators.text.normalise import remove_reasoning
from evaluators.text.words import of_sample

REJECTION = "rejection"
"""The one verdict that needs no true answer: whether an answer declines is seen without it."""

OPTIONS = ("nfkc", "remove_reasoning")
"""What may be done to an answer before it is judged; each is on unless it is switched off."""

VERDICT_LINE = re.compile(r"[\W_]*verdict[\W_]+(?:(yes)|no)[\W_]*", re.IGNORECASE)


class Outcome(StrEnum):
    """What an answer does with its documents: all its verdicts in a word."""

    RIGHT = "right"
    PARTLY = "partly right"
    WRONG = "wrong"
    DECLINES = "declines"
    ANSWERS = "answers"
    """Although it should decline."""
    NOTICES_AND_CORRECTS = "notices and corrects"
    NOTICES = "notices"
    CORRECTS = "corrects"
    """Without a word on the planted error."""
    REPEATS = "repeats"
    EMPTY = "empty"


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
        return _percent_of(self.correct, self.total_samples)

    @property
    def rejection_rate(self) -> float:
        return _percent_of(self.rejected, self.total_samples)

    @property
    def error_detection_rate(self) -> float:
        return _percent_of(self.errors_detected, self.total_samples)

    @property
    def error_correction_rate(self) -> float:
        return _percent_of(self.errors_corrected, self.total_samples)

    @property
    def error_correction_rate_among_detected(self) -> float | None:
        """The paper's CR: corrected among detected, in percent; `None` where none was detected."""
        if not self.errors_detected:
            return None
        return _percent_of(self.errors_detected_and_corrected, self.errors_detected)


@evaluator(
    "rgb",
    title="RGB",
    needs=("response", "ground_truth"),
    judges="optional",
    evidence="rules",
    values=RGB_VALUES,
)
class RGBEvaluator(Evaluator):
    """Judges answers by the rules of RGB; see `Verdict` for what it says of each."""

    policy: Policy = Field(
        default="documented",
        title=mark("Rules"),
        description=mark(
            "documented: flexible wording; paper: the benchmark's own phrases, nothing else"
        ),
    )
    nfkc: bool = Field(
        default=True,
        title="NFKC",
        description=mark("Treat look-alike characters as equal (Unicode NFKC), e.g. thin spaces"),
    )
    remove_reasoning: bool = Field(
        default=True,
        title=mark("Remove reasoning"),
        description=mark("Ignore <think> text: only what the model finally says counts"),
    )
    llm_client: SkipValidation[LLMClient | None] = None
    """The judge of two abilities; without one the rules alone decide."""
    decides: ByDecision = False

    PRIMARY_REJECTION_PHRASES: ClassVar[tuple[str, ...]] = rgb_rules.PRIMARY_REJECTION_PHRASES
    REJECTION_KEYWORDS: ClassVar[tuple[str, ...]] = rgb_rules.REJECTION_KEYWORDS
    ERROR_DETECTION_KEYWORDS: ClassVar[tuple[str, ...]] = rgb_rules.ERROR_DETECTION_KEYWORDS

    # Yes or no

    def is_correct(
        self,
        response: str,
        ground_truth: Accepted,
        strict: bool = False,
    ) -> bool:
        """Whether every required answer is given, in any of its spellings."""
        return self.correctness(response, ground_truth, strict).passed

    def is_rejection(self, response: str) -> bool:
        """Whether the answer declines to answer."""
        return self.rejection(response).passed

    def detects_error(
        self,
        response: str,
        counterfactual_answer: str | None = None,
    ) -> bool:
        """Whether the answer says that the documents, or the planted answer, are wrong."""
        return self.detection(response, counterfactual_answer).passed

    def corrects_error(
        self,
        response: str,
        correct_answer: Accepted,
        counterfactual_answer: Accepted | None = None,
    ) -> bool:
        """Whether the answer gives the true answer and not just the planted one."""
        return self.correction(response, correct_answer, counterfactual_answer).passed

    def normalize_answer(self, answer: str) -> str:
        """Lower case, no stops at the end, single spaces; Chinese without any, as in the paper."""
        return rgb_rules.normalized_answer(arguments.text(answer, "answer"))

    # Verdicts

    def correctness(
        self,
        response: str,
        ground_truth: Accepted,
        strict: bool = False,
    ) -> Verdict:
        """Whether the answer is right: all groups of accepted answers, any spelling in each.

        By the policy `paper` an answer with the words that decline is not, whatever else it says.
        """
        response = arguments.text(response, "response")
        ground_truth = arguments.accepted(ground_truth, "ground_truth")
        for _, no_answer in rgb_rules.no_answer_rules(self._reading, response):
            if no_answer is not None:
                return no_answer
        verdicts = rgb_rules.answer_verdicts(self._reading, response, ground_truth, strict)
        # The usual case keeps the name of the rule that decided.
        if len(verdicts) == 1:
            return verdicts[0]
        passed = [verdict for verdict in verdicts if verdict.passed]
        rule = mark("{passed} of {all} required answers").format(
            passed=len(passed), all=len(verdicts)
        )
        evidence = tuple(word for verdict in passed for word in verdict.evidence)
        return Verdict(len(passed) == len(verdicts), rule, evidence)

    def rejection(self, response: str) -> Verdict:
        rules = self._rejection_rules(arguments.text(response, "response"))
        return rgb_rules.first_verdict(rules, rgb_rules.NO_REJECTION)

    def detection(
        self,
        response: str,
        counterfactual_answer: Accepted | None = None,
    ) -> Verdict:
        planted = _planted(counterfactual_answer)
        rules = self._detection_rules(arguments.text(response, "response"), planted)
        return rgb_rules.first_verdict(rules, rgb_rules.NO_DETECTION)

    def correction(
        self,
        response: str,
        correct_answer: Accepted,
        counterfactual_answer: Accepted | None = None,
    ) -> Verdict:
        verdict = self.correctness(response, correct_answer)
        planted = _planted(counterfactual_answer)
        if not verdict.passed or planted is None:
            return verdict
        # It may have passed by most of its words, which the planted answer shares.
        truth = arguments.accepted(correct_answer, "correct_answer")
        return rgb_rules.only_planted(self._reading, response, truth, planted) or verdict

    def labels(self, response: str, ground_truth: Accepted) -> list[int]:
        """What the benchmark's script records: 1 or 0 a required answer; [-1] for a rejection."""
        if self.is_rejection(response):
            return [-1]
        truth = arguments.accepted(ground_truth, "ground_truth")
        verdicts = rgb_rules.answer_verdicts(self._reading, response, truth)
        return [int(verdict.passed) for verdict in verdicts]

    @property
    def _reading(self) -> AnswerReading:
        return AnswerReading(self.policy, self.nfkc, self.remove_reasoning)

    def _rejection_rules(self, response: str) -> Iterator[Trial]:
        return rgb_rules.rejection_rules(
            self._reading, response, self.PRIMARY_REJECTION_PHRASES, self.REJECTION_KEYWORDS
        )

    def _detection_rules(
        self,
        response: str,
        planted: Accepted | None,
    ) -> Iterator[Trial]:
        return rgb_rules.detection_rules(
            self._reading, response, planted, self.ERROR_DETECTION_KEYWORDS
        )

    # The engine's door

    def score(self, sample: Sample) -> Score:
        """Judges the sample by its ability; a value is 1.0, 0.0, or `None` where it does not apply.

        With an `llm_client` a judge's word stands beside the rules' as `rejection_judged` or
        `detection_judged`. Raises `LLMError` where the judge gives no verdict.
        """
        # First the rules: where they cannot judge they raise, and no judge is paid.
        values, reason, evidence = self._ruled(sample)
        name = sample.rgb.ability.judged if sample.rgb else ""
        if self.llm_client is not None and name:
            judged = self._judged(name, sample, self.llm_client)
            values = {**values, f"{name}_judged": float(judged.passed)}
            evidence = evidence.model_copy(update={"judged": {name: judged}})
        return Score(values=values, reason=reason, evidence=evidence)

    def needed_for(self, sample: Sample) -> tuple[str, ...]:
        if sample.rgb and sample.rgb.ability.verdicts == (REJECTION,):
            return tuple(field for field in self.needed if field != "ground_truth")
        return self.needed

    def judge_prompts(
        self,
        sample: Sample,
        prompt_budget: int | None = None,
    ) -> list[Prompt]:
        """What a judge is asked beside the rules, of two abilities, where there is an answer."""
        name = sample.rgb.ability.judged if sample.rgb else ""
        if not name:
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
        values = self._values(sample, verdicts)
        evidence = RuleEvidence(
            verdicts=verdicts,
            flips=flips,
            by_rules=self._values_that_differ(sample, values),
            is_empty=not self._reading.prepared(sample.response or "").strip(),
        )
        reason = ""
        if "correction" in values and values["correction_among_detected"] is None:
            reason = mark("Correction among detected: no error was detected.")
        return values, reason, evidence

    def _values(self, sample: Sample, verdicts: Mapping[str, Verdict]) -> dict[str, float | None]:
        values: dict[str, float | None] = {}
        for name, verdict in verdicts.items():
            values[name] = float(verdict.passed)
        if "correction" in verdicts:
            values["correction_among_detected"] = None
            if values["detection"]:
                declines = self._counts_as_corrected(sample.response or "")
                values["correction_among_detected"] = float(values["correction"] or declines)
        return values

    def _values_that_differ(
        self,
        sample: Sample,
        values: Mapping[str, float | None],
    ) -> dict[str, dict[str, float | None]]:
        """Those that the other set of rules says otherwise, by each of both."""
        (policy,) = (policy for policy in get_args(Policy) if policy != self.policy)
        other = self.model_copy(update={"policy": policy})
        by_other = other._values(sample, other.verdicts(sample))
        names = [name for name, value in values.items() if by_other[name] != value]
        if not names:
            return {}
        return {
            self.policy: {name: values[name] for name in names},
            policy: {name: by_other[name] for name in names},
        }

    def _counts_as_corrected(self, response: str) -> bool:
        """Whether the benchmark's script takes an answer that is not right for a correction."""
        # It counts detected errors without a wrong answer, so one that declines as well.
        return self.policy == "paper" and self.is_rejection(response)

    def _judged(self, name: str, sample: Sample, judge: LLMClient) -> JudgedRate:
        """What the judge says; an empty answer says nothing and is not sent."""
        prompt = self._judge_prompt(name, sample)
        if prompt is None:
            return JudgedRate(passed=False, words=mark("The answer is empty."))
        if self.asks_decisions:
            likely = how_likely(judge, prompt)
            return JudgedRate(
                passed=likely.is_yes,
                words=likely.words,
                probability=likely.probability,
            )
        reply = judge.complete(prompt).text
        return JudgedRate(passed=judge_says_yes(reply), words=remove_reasoning(reply))

    def _judge_prompt(self, name: str, sample: Sample) -> Prompt | None:
        """The question to the judge; `None` where the answer is empty."""
        # As the rules read it: what a model thinks aloud decides nothing.
        answer = self._reading.prepared(sample.response or "").strip()
        if not answer:
            return None
        if self.asks_decisions:
            wording = dict(line.split(": ", 1) for line in load("decide_rgb_en").splitlines())
            parts = {"question": sample.question, "answer": answer}
            return yes_prompt(wording[name], sample.question, parts)
        text = fenced(load(f"judge_{name}_en"), question=sample.question, answer=answer)
        return Prompt(text=text, question=sample.question, documents=())

    def verdicts(self, sample: Sample) -> dict[str, Verdict]:
        """The verdicts that count for the sample's ability, by the name of the rate they enter."""
        task = sample.rgb
        response = sample.response or ""
        if task is None:
            raise MissingInputError(
                of_sample(sample.id, say("it is not known which ability it tests. Choose one."))
            )
        truth = sample.ground_truth
        names = task.ability.verdicts
        if names == (REJECTION,):
            truth = truth or ""
        elif truth is None or not _is_complete(truth):
            raise MissingInputError(
                of_sample(
                    sample.id,
                    say("a true answer is missing or empty. Fill in the column `answer`."),
                )
            )
        rules: dict[str, Callable[[], Verdict]] = {
            "accuracy": lambda: self.correctness(response, truth),
            REJECTION: lambda: self.rejection(response),
            "detection": lambda: self.detection(response, task.counterfactual),
            "correction": lambda: self.correction(response, truth, task.counterfactual),
        }
        return {name: rules[name]() for name in names}

    def outcome(self, sample: Sample, verdicts: Mapping[str, Verdict]) -> Outcome:
        """What the answer does, by its `verdicts`, which may be older than today's rules.

        One that a file of strangers leaves out did not pass.
        """
        passed = {name for name, verdict in verdicts.items() if verdict.passed}
        response = self._reading.prepared(sample.response or "").strip()
        if not response:
            return Outcome.EMPTY
        if rejection := verdicts.get("rejection"):
            return Outcome.DECLINES if rejection.passed else Outcome.ANSWERS
        planted = sample.rgb.counterfactual if sample.rgb else None
        if detection := verdicts.get("detection"):
            is_right = "correction" in passed
            if detection.passed:
                return Outcome.NOTICES_AND_CORRECTS if is_right else Outcome.NOTICES
            if is_right:
                return Outcome.CORRECTS
            if planted and rgb_rules.contains_any(self._reading, response, planted):
                return Outcome.REPEATS
        elif "accuracy" in passed:
            return Outcome.RIGHT
        if self.is_rejection(response):
            return Outcome.DECLINES
        # Of several required answers some are there: the verdict keeps the words of those.
        has_part = any(verdict.evidence for verdict in verdicts.values())
        return Outcome.PARTLY if has_part else Outcome.WRONG

    def steps(self, sample: Sample) -> list[TriedRule]:
        """Every rule tried for the sample, in order, up to the one that decided each question."""
        response = sample.response or ""
        truth = sample.ground_truth or ()
        task = sample.rgb
        names = task.ability.verdicts if task else ()
        if task is None or REJECTION in names:
            rules = self._rejection_rules(response)
            return list(rgb_rules.tried_rules(mark("Does it decline?"), rules))
        answer = list(rgb_rules.tried_on_answer(self._reading, response, truth))
        if "detection" not in names:
            return answer
        rules = self._detection_rules(response, task.counterfactual)
        steps = [*rgb_rules.tried_rules(mark("Does it notice the error?"), rules), *answer]
        if task.counterfactual and truth and self.is_correct(response, truth):
            verdict = rgb_rules.only_planted(self._reading, response, truth, task.counterfactual)
            question = mark("Is it only the planted error?")
            steps.append(TriedRule(question, rgb_rules.ONLY_PLANTED, verdict))
        return steps

    # Batches, under their documented names

    def evaluate_noise_robustness(
        self,
        responses: Sequence[str],
        ground_truths: Sequence[Accepted],
        model_name: str,
        noise_ratio: float,
    ) -> EvaluationResult:
        """Accuracy of answers given under one share of noise (`noise_ratio` from 0 to 1).

        Raises `ParameterError` for another `noise_ratio`, and as all four `MissingInputError` with
        the number of the row, from 1, where an answer is no text.
        """
        percent = round(share(noise_ratio, "noise_ratio") * 100)
        task_type = f"noise_robustness_{percent}%"
        result = self._accuracy(task_type, responses, ground_truths, model_name)
        result.accuracy_by_noise = {percent: result.accuracy}
        return result

    def evaluate_negative_rejection(
        self,
        responses: Sequence[str],
        model_name: str,
    ) -> EvaluationResult:
        """How often questions that the documents cannot answer are declined."""

        def judge(evaluator: Self, response: str) -> tuple[bool, ...]:
            return (evaluator.is_rejection(response),)

        result = EvaluationResult("negative_rejection", model_name)
        for (is_rejected,) in self._batch(result, judge, _rows(responses=responses)):
            if is_rejected:
                result.rejected += 1
            else:
                result.incorrect += 1
        return result

    def evaluate_information_integration(
        self,
        responses: Sequence[str],
        ground_truths: Sequence[Accepted],
        model_name: str,
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
            evaluator: Self,
            response: str,
            truth: Accepted,
            planted: str | None,
        ) -> tuple[bool, ...]:
            detects = evaluator.detects_error(response, planted)
            return detects, evaluator.corrects_error(response, truth, planted)

        result = EvaluationResult("counterfactual_robustness", model_name)
        columns = {
            "responses": responses,
            "ground_truths": ground_truths,
            "counterfactual_answers": counterfactual_answers,
        }
        rows = _rows(**columns)
        verdicts = self._batch(result, judge, rows)
        for row, (is_detected, is_corrected) in zip(rows, verdicts, strict=True):
            result.errors_detected += is_detected
            result.errors_corrected += is_corrected
            if is_detected and (is_corrected or self._counts_as_corrected(row[0])):
                result.errors_detected_and_corrected += 1
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
        for (is_correct,) in self._batch(result, judge, _rows(**columns)):
            if is_correct:
                result.correct += 1
            else:
                result.incorrect += 1
        return result

    def _batch(
        self,
        result: EvaluationResult,
        judge: Callable[..., tuple[bool, ...]],
        rows: Sequence[tuple[Any, ...]],
    ) -> list[tuple[bool, ...]]:
        """The verdicts on each row; what can be said of all rows is written into the result."""
        verdicts = [judge(self, *row) for row in rows]
        result.total_samples = len(rows)
        result.options = {"policy": self.policy}
        for option in OPTIONS:
            is_on = getattr(self, option)
            result.options[option] = is_on
            if not is_on:
                continue
            without = self.model_copy(update={option: False})
            changed = 0
            for row, verdicts_with in zip(rows, verdicts, strict=True):
                if not _matters(option, *row):
                    continue
                verdicts_without = judge(without, *row)
                for before, after in zip(verdicts_with, verdicts_without, strict=True):
                    changed += before != after
            result.flips[option] = changed
        return verdicts

    def _flips(self, option: str, sample: Sample, values: dict[str, float]) -> bool:
        """Whether the option, being on, changes a verdict of this sample."""
        if not getattr(self, option):
            return False
        planted = sample.rgb.counterfactual if sample.rgb else None
        if not _matters(option, sample.response or "", sample.ground_truth, planted):
            return False
        without = self.model_copy(update={option: False})
        for name, verdict in without.verdicts(sample).items():
            if float(verdict.passed) != values[name]:
                return True
        return False


def judge_says_yes(reply: str) -> bool:
    """What the last line with nothing but a verdict says."""
    lines = [
        line
        for text in remove_reasoning(reply).splitlines()
        if (line := VERDICT_LINE.fullmatch(text))
    ]
    if not lines:
        what = say(
            "The judge's verdict cannot be read: no line says “Verdict: yes” or “Verdict: no”. "
            "Retry, or start a run with another judge."
        )
        raise UnreadableAnswerError(what, reply[:300], texts=[reply])
    return lines[-1][1] is not None


def _is_complete(accepted: Accepted) -> bool:
    return bool(accepted) and all(
        group and all(map(str.strip, group)) for group in groups(accepted)
    )


def _rows(**columns: Any) -> list[tuple[Any, ...]]:
    """The rows of a batch: an answer, its true answer, and what was planted, of those there are."""
    raw = item_rows(tuple(columns), **columns)
    rows = []
    for number, (response, *answers) in enumerate(raw, start=1):
        where = f"Row {number} of {len(raw)} (the first is 1): "
        row: list[Any] = [arguments.text(response, "response", where)]
        row += [arguments.accepted(truth, "ground_truth", where) for truth in answers[:1]]
        row += [_planted(counterfactual, where) for counterfactual in answers[1:]]
        rows.append(tuple(row))
    return rows


def _planted(counterfactual: object, where: str = "") -> Accepted | None:
    """The planted answer; an empty list or cell plants none."""
    if is_missing(counterfactual) or (
        isinstance(counterfactual, list | tuple) and not counterfactual
    ):
        return None
    return arguments.accepted(counterfactual, "counterfactual_answer", where)


def _matters(option: str, response: str, *answers: Accepted | None) -> bool:
    """Whether the option can make a difference to this response and these answers."""
    if option == "remove_reasoning":
        return "think" in response.lower()
    accepted = [spelling for answer in answers for spelling in spellings(answer)]
    return not all(text.isascii() for text in (response, *accepted))


def _percent_of(count: int, total: int) -> float:
    return count / total * 100 if total else 0.0
