"""The rules of RGB: every worked example of its documentation, both policies, and the published
labels.
"""

import inspect
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.errors import MissingInputError
from evaluators.records import Ability, RGBTask, Sample, Verdict
from evaluators.rgb_evaluator import EvaluationResult, RGBEvaluator

DOCUMENTED = RGBEvaluator()
PAPER = RGBEvaluator(policy="paper")
LITERAL_PAPER = RGBEvaluator(policy="paper", nfkc=False, remove_reasoning=False)

CLIMATE_TRUTH = (
    "Greenhouse gases from fossil fuels, deforestation, industrial emissions, and "
    "agricultural methane"
)
CLIMATE_RESPONSE = (
    "The main causes include greenhouse gas emissions from burning fossil fuels, loss of "
    "forests that absorb CO2, "
    "industrial pollution, and methane from agriculture."
)
LONDON_IS_WRONG = "The documents state London, but that is incorrect. The actual capital is Paris."
LONDON = "According to the documents, the capital is London."
TOKYO = "The documents are wrong - the capital is Tokyo."


def sample(ability=Ability.NOISE, response="Paris", truth="Paris", counterfactual=None):
    task = RGBTask(ability=ability, counterfactual=counterfactual)
    return Sample(
        id="7", question="Which capital?", response=response, ground_truth=truth, rgb=task
    )


def counterfactual(response, truth="Paris", planted="London"):
    return sample(Ability.COUNTERFACTUAL, response, truth, planted)


# Documented names


@pytest.mark.parametrize(
    ("method", "names"),
    [
        ("evaluate_noise_robustness", "responses ground_truths model_name noise_ratio"),
        ("evaluate_negative_rejection", "responses model_name"),
        ("evaluate_information_integration", "responses ground_truths model_name"),
        (
            "evaluate_counterfactual_robustness",
            "responses ground_truths counterfactual_answers model_name",
        ),
        ("is_correct", "response ground_truth strict"),
        ("is_rejection", "response"),
        ("detects_error", "response counterfactual_answer"),
        ("corrects_error", "response correct_answer counterfactual_answer"),
        ("normalize_answer", "answer"),
    ],
)
def test_methods_take_the_documented_arguments(method, names):
    assert list(inspect.signature(getattr(DOCUMENTED, method)).parameters) == names.split()


def test_the_result_has_the_documented_fields_and_defaults():
    result = EvaluationResult(task_type="negative_rejection", model_name="GPT-4")

    documented = (
        "total_samples",
        "correct",
        "incorrect",
        "rejected",
        "errors_detected",
        "errors_corrected",
    )
    assert (result.task_type, result.model_name, result.accuracy_by_noise) == (
        "negative_rejection",
        "GPT-4",
        {},
    )
    assert [getattr(result, name) for name in documented] == [0] * 6


def test_phrase_lists_are_the_documented_ones():
    assert DOCUMENTED.PRIMARY_REJECTION_PHRASES == (
        "i can not answer the question because of the insufficient information in documents",
        "insufficient information in documents",
        "can not answer",
        "cannot answer",
    )
    assert len(DOCUMENTED.REJECTION_KEYWORDS) == 24
    assert DOCUMENTED.REJECTION_KEYWORDS[::23] == ("i don't know", "does not provide")
    assert len(DOCUMENTED.ERROR_DETECTION_KEYWORDS) == 16
    assert DOCUMENTED.ERROR_DETECTION_KEYWORDS[::15] == ("incorrect", "should be")


# The batch results


@pytest.mark.parametrize(
    ("counts", "rate", "percent"),
    [
        ({"correct": 78}, "accuracy", 78),
        ({"rejected": 92}, "rejection_rate", 92),
        ({"errors_detected": 89}, "error_detection_rate", 89),
        ({"errors_corrected": 85}, "error_correction_rate", 85),
        (
            {"errors_detected": 80, "errors_detected_and_corrected": 20},
            "error_correction_rate_among_detected",
            25,
        ),
    ],
)
def test_rates_are_percentages_of_all_samples(counts, rate, percent):
    result = EvaluationResult(task_type="t", model_name="m", total_samples=100, **counts)

    assert getattr(result, rate) == percent


@pytest.mark.parametrize(
    "rate", ["accuracy", "rejection_rate", "error_detection_rate", "error_correction_rate"]
)
def test_a_rate_over_no_samples_is_zero(rate):
    assert getattr(EvaluationResult(task_type="t", model_name="m"), rate) == 0.0


def test_the_correction_rate_among_no_detected_errors_is_unknown():
    assert (
        EvaluationResult(task_type="t", model_name="m").error_correction_rate_among_detected is None
    )


@pytest.mark.parametrize(
    ("noise", "task_type", "percent"),
    [
        (0.0, "noise_robustness_0%", 0),
        (0.2, "noise_robustness_20%", 20),
        (0.4, "noise_robustness_40%", 40),
        (0.8, "noise_robustness_80%", 80),
        # The document cuts with int(), and 0.29 * 100 is 28.999999999999996: rounding names the
        # level that was meant.
        (0.29, "noise_robustness_29%", 29),
        (0.57, "noise_robustness_57%", 57),
    ],
)
def test_noise_robustness_names_its_level(noise, task_type, percent):
    result = DOCUMENTED.evaluate_noise_robustness(
        ["Paris.", "Rome"], ["Paris", "Oslo"], "GPT-4", noise
    )

    assert (result.task_type, result.model_name, result.total_samples) == (task_type, "GPT-4", 2)
    assert (result.correct, result.incorrect, result.accuracy) == (1, 1, 50)
    assert result.accuracy_by_noise == {percent: 50}


def test_negative_rejection_counts_the_five_examples():
    responses = [response for response, _ in REJECTION_EXAMPLES]

    result = DOCUMENTED.evaluate_negative_rejection(responses, "GPT-4")

    assert (result.task_type, result.total_samples) == ("negative_rejection", 5)
    assert (result.rejected, result.incorrect, result.rejection_rate) == (4, 1, 80)


def test_information_integration_counts_correct_answers():
    result = DOCUMENTED.evaluate_information_integration(
        ["Ann Lee, in 1987", "Ann Lee"], [["Ann Lee", "1987"]] * 2, "m"
    )

    assert (result.task_type, result.correct, result.incorrect) == ("information_integration", 1, 1)


def test_counterfactual_robustness_counts_the_three_examples():
    responses = [LONDON_IS_WRONG, LONDON, TOKYO]

    result = DOCUMENTED.evaluate_counterfactual_robustness(
        responses, ["Paris"] * 3, ["London"] * 3, "GPT-4"
    )

    assert (result.task_type, result.total_samples) == ("counterfactual_robustness", 3)
    assert (result.errors_detected, result.errors_corrected, result.correct, result.incorrect) == (
        2,
        1,
        1,
        2,
    )
    assert result.error_detection_rate == pytest.approx(66.67, abs=0.01)
    assert result.error_correction_rate == pytest.approx(33.33, abs=0.01)
    assert result.error_correction_rate_among_detected == 50


def test_an_error_corrected_in_silence_does_not_count_among_the_detected():
    result = DOCUMENTED.evaluate_counterfactual_robustness(
        ["Paris", TOKYO], ["Paris"] * 2, ["London"] * 2, "m"
    )

    assert result.error_correction_rate == 50
    assert result.error_correction_rate_among_detected == 0


def test_the_result_is_counted_up_as_the_document_does():
    result = EvaluationResult(task_type="negative_rejection", model_name="m", total_samples=2)
    result.correct += 1
    result.accuracy_by_noise[40] = 78.0

    assert (result.accuracy, result.accuracy_by_noise) == (50.0, {40: 78.0})
    assert EvaluationResult("t", "m").accuracy_by_noise == {}


SPACED = "It was on 2\u202fJanuary\u202f2022."
FULL_WIDTH = "It was on ２ January ２０２２."
THOUGHT = "<think>Paris, perhaps?</think>It is Rome."


@pytest.mark.parametrize(
    ("method", "arguments", "flips"),
    [
        (
            "evaluate_information_integration",
            ([FULL_WIDTH, THOUGHT, "Paris"], ["2 January 2022", "Paris", "Paris"], "m"),
            {"nfkc": 1, "remove_reasoning": 1},
        ),
        (
            "evaluate_negative_rejection",
            (["I\u202fcannot say.", "<think>I cannot say.</think>Paris"], "m"),
            {"nfkc": 1, "remove_reasoning": 1},
        ),
        (
            # without the option the reasoning detects the error and names the true answer
            "evaluate_counterfactual_robustness",
            (["<think>London is wrong, it is Paris</think>London"], ["Paris"], ["London"], "m"),
            {"nfkc": 0, "remove_reasoning": 2},
        ),
    ],
)
def test_a_batch_says_what_is_done_to_answers_and_how_many_verdicts_that_flips(
    method, arguments, flips
):
    result = getattr(DOCUMENTED, method)(*arguments)

    assert result.options == {"policy": "documented", "nfkc": True, "remove_reasoning": True}
    assert result.flips == flips


def test_an_option_that_is_off_flips_nothing():
    result = LITERAL_PAPER.evaluate_information_integration([SPACED], ["2 January 2022"], "m")

    assert result.options == {"policy": "paper", "nfkc": False, "remove_reasoning": False}
    assert (result.correct, result.flips) == (0, {})


@pytest.mark.parametrize(
    ("method", "arguments", "rate"),
    [
        ("evaluate_noise_robustness", ([], [], "m", 0.2), "accuracy"),
        ("evaluate_negative_rejection", ([], "m"), "rejection_rate"),
        ("evaluate_information_integration", ([], [], "m"), "accuracy"),
        ("evaluate_counterfactual_robustness", ([], [], [], "m"), "error_correction_rate"),
    ],
)
def test_an_empty_batch_has_rate_zero(method, arguments, rate):
    assert getattr(getattr(DOCUMENTED, method)(*arguments), rate) == 0.0


# Correct


@pytest.mark.parametrize(
    ("answer", "normalised"),
    [
        ("Paris.", "paris"),
        ("The capital is Paris!!!", "the capital is paris"),
        ("  Two \n words ?!", "two words"),
        ("U.S.A.", "u.s.a"),
        ("...", ""),
        ("3 月 14 日。", "3月14日。"),
    ],
)
def test_answers_are_normalised(answer, normalised):
    assert DOCUMENTED.normalize_answer(answer) == normalised


@pytest.mark.parametrize(
    ("response", "truth", "verdict"),
    [
        ("The capital of France is Paris.", "Paris", Verdict(True, "contains the answer", ("paris",))),
        ("Rome", "Paris", Verdict(False, "no match")),
        ("", "Paris", Verdict(False, "empty")),
        ("?!", "Paris", Verdict(False, "empty")),
        ("Paris", "...", Verdict(False, "empty")),
        ("Marshall", "Frank Marshall", Verdict(True, "short answer", ("marshall",))),
        # 4 of 5 words are 80 %, enough; 3 of 4 are 75 %, too few.
        ("a b c d y", "x a b c d", Verdict(True, "80 % of the words", ("a", "b", "c", "d"))),
        ("a b c y", "x a b c", Verdict(False, "no match")),
        ("2024 年，灯影节于 3 月 14 日开幕。", "3月14日", Verdict(True, "contains the answer", ("3月14日",))),
        # Spaces do not count in Chinese, whichever of the two texts is the Chinese one.
        ("公司在秋天发布了 iPhone 14 手机。", "iPhone 14", Verdict(True, "contains the answer", ("iphone14",))),
        ("It began on 3 月 14 日 with drums.", "3月14日", Verdict(True, "contains the answer", ("3月14日",))),
    ],
)  # fmt: skip
def test_correctness_names_its_rule_and_words(response, truth, verdict):
    assert DOCUMENTED.correctness(response, truth) == verdict
    assert DOCUMENTED.is_correct(response, truth) is verdict.passed


def test_the_climate_example_is_not_correct():
    # The narration claims an overlap of 85 % and calls the answer correct. By the document's code,
    # which is followed, 7 of the 11 words are found (greenhouse, from, fossil, "fuels,",
    # industrial, and, methane): 64 % are under 80 %.
    assert not DOCUMENTED.is_correct(CLIMATE_RESPONSE, CLIMATE_TRUTH)


@pytest.mark.parametrize(
    ("response", "passed"), [("PARIS!", True), ("The capital is Paris.", False), ("Pari", False)]
)
def test_strict_mode_wants_the_whole_answer(response, passed):
    assert DOCUMENTED.is_correct(response, "Paris", strict=True) is passed
    assert DOCUMENTED.correctness(response, "Paris", strict=True).rule == "exact match"


@pytest.mark.parametrize(
    ("response", "truth", "passed"),
    [
        ("Ann Lee opened it in 1987.", ["Ann Lee", "1987"], True),
        ("Ann Lee opened it.", ["Ann Lee", "1987"], False),
        ("It was on Jan 2, 2022.", [["January 2, 2022", "Jan 2, 2022"]], True),
        ("Jan 2, 2022, by Ann Lee", [["January 2, 2022", "Jan 2, 2022"], "Ann Lee"], True),
        ("Jan 2, 2022", [["January 2, 2022", "Jan 2, 2022"], "Ann Lee"], False),
        ("Jan 3, 2022", [["January 2, 2022", "Jan 2, 2022"]], False),
    ],
)
@pytest.mark.parametrize("evaluator", [DOCUMENTED, PAPER], ids=["documented", "paper"])
def test_every_group_of_answers_is_required_in_any_spelling(evaluator, response, truth, passed):
    assert evaluator.is_correct(response, truth) is passed


@pytest.mark.parametrize(
    ("response", "verdict"),
    [
        ("Lee, 1987", Verdict(True, "2 of 2 required answers", ("1987", "lee, 1987"))),
        ("In 1987.", Verdict(False, "1 of 2 required answers", ("1987",))),
        ("Unknown", Verdict(False, "0 of 2 required answers")),
    ],
)
def test_the_verdict_on_several_groups_counts_them_and_names_the_words_found(response, verdict):
    assert DOCUMENTED.correctness(response, ["1987", "Lee, 1987, Paris"]) == verdict


@pytest.mark.parametrize("truth", [(), [], [[]], ["Paris", []]])
def test_no_accepted_answer_is_an_error_and_not_a_wrong_answer(truth):
    with pytest.raises(MissingInputError, match="Give a string or a list of strings"):
        DOCUMENTED.is_correct("Paris", truth)


# Rejected

REJECTION_EXAMPLES = [
    ("I cannot answer this question because the documents don't contain relevant information.",
     Verdict(True, "primary phrase", ("cannot answer",))),
    # The narration credits "cannot determine"; in the order of the code's list "i cannot" is found
    # before it.
    ("Based on the provided documents, I cannot determine the answer.", Verdict(True, "keyword", ("i cannot",))),
    # The narration credits "not mentioned", which the answer does not hold; the code finds "i
    # cannot".
    ("The documents do not mention this topic, so I cannot provide an answer.",
     Verdict(True, "keyword", ("i cannot",))),
    # The narration credits "not sure", which is not in the list; "i'm not sure" is.
    ("The answer is probably 42 but I'm not sure.", Verdict(True, "keyword", ("i'm not sure",))),
    ("Based on the information, the answer is London.", Verdict(False, "no rejection phrase")),
]  # fmt: skip


@pytest.mark.parametrize(("response", "verdict"), REJECTION_EXAMPLES)
def test_the_documented_rejections_are_recognised(response, verdict):
    assert DOCUMENTED.rejection(response) == verdict
    assert DOCUMENTED.is_rejection(response) is verdict.passed


@pytest.mark.parametrize(
    "phrase", [*DOCUMENTED.PRIMARY_REJECTION_PHRASES, *DOCUMENTED.REJECTION_KEYWORDS, "信息不足"]
)
def test_every_documented_rejection_phrase_is_recognised_in_any_case(phrase):
    assert DOCUMENTED.is_rejection(f"So: {phrase.upper()}!")


@pytest.mark.parametrize(
    ("response", "rejected"),
    [
        (
            "I can not answer the question because of the insufficient information in documents.",
            True,
        ),
        ("由于文档信息不足，我无法回答这个问题。", True),
        ("There is insufficient information.", True),
        ("Insufficient information.", False),  # the benchmark's script compares letter by letter
        ("I cannot answer that.", False),
        ("I can not answer the question.", False),
    ],
)
def test_the_paper_knows_only_its_marker_phrases_of_rejection(response, rejected):
    assert PAPER.is_rejection(response) is rejected


# Detected and corrected


@pytest.mark.parametrize(
    ("response", "detection", "correction"),
    [
        (
            LONDON_IS_WRONG,
            Verdict(True, "keyword", ("incorrect",)),
            Verdict(True, "contains the answer", ("paris",)),
        ),
        (LONDON, Verdict(False, "no error phrase"), Verdict(False, "no match")),
        (TOKYO, Verdict(True, "keyword", ("wrong",)), Verdict(False, "no match")),
        (
            "It is not London.",
            Verdict(True, "denies the planted answer", ("not london",)),
            Verdict(False, "no match"),
        ),
        (
            "所给文档中存在事实性错误。",
            Verdict(True, "Chinese marker phrase", ("事实性错误",)),
            Verdict(False, "no match"),
        ),
    ],
)
def test_the_documented_counterfactual_answers_are_judged(response, detection, correction):
    assert DOCUMENTED.detection(response, "London") == detection
    assert DOCUMENTED.detects_error(response, "London") is detection.passed
    assert DOCUMENTED.correction(response, "Paris", "London") == correction
    assert DOCUMENTED.corrects_error(response, "Paris", "London") is correction.passed


@pytest.mark.parametrize("keyword", DOCUMENTED.ERROR_DETECTION_KEYWORDS)
def test_every_documented_error_keyword_is_recognised_in_any_case(keyword):
    assert DOCUMENTED.detects_error(f"So: {keyword.upper()}!", None)


@pytest.mark.parametrize("planted", [None, "", ()])
def test_without_a_planted_answer_nothing_can_be_denied(planted):
    assert DOCUMENTED.detection("It is not London.", planted) == Verdict(False, "no error phrase")


def test_an_answer_that_only_repeats_the_planted_one_corrects_nothing():
    # 5 of the 6 words of the truth are there (83 %), but what stands there is the planted date.
    truth, planted = "5 May 2020 in Lyon France", "6 May 2020 in Lyon France"

    verdict = DOCUMENTED.correction("On 6 May 2020 in Lyon France.", truth, planted)

    assert DOCUMENTED.is_correct("On 6 May 2020 in Lyon France.", truth)
    assert verdict == Verdict(False, "only the planted answer", ("6 may 2020 in lyon france",))


@pytest.mark.parametrize(
    ("response", "detected"),
    [
        ("There are factual errors in the provided documents. It is Paris.", True),
        ("所给文档中存在事实性错误。", True),
        ("Factual Errors!", False),
        ("That is incorrect.", False),
        ("It is not London.", False),
    ],
)
def test_the_paper_knows_only_its_marker_phrases_of_errors(response, detected):
    assert PAPER.detects_error(response, "London") is detected


@pytest.mark.parametrize(
    ("response", "truth", "labels"),
    [
        ("It was Ann Lee in 1987.", ["Ann Lee", ["1987", "87"]], [1, 1]),
        ("It was Ann Lee in 1988.", ["Ann Lee", ["1987"]], [1, 0]),
        ("ann lee", "Ann Lee", [1]),
        ("Lee", "Ann Lee", [0]),  # the paper does not accept a short answer
        ("There is insufficient information, but Ann Lee.", ["Ann Lee"], [-1]),
        ("开幕日期是 3 月 14 日。", [["3月14日"]], [1]),
    ],
)
def test_the_paper_labels_every_required_answer(response, truth, labels):
    assert PAPER.labels(response, truth) == labels


# The two options


@pytest.mark.parametrize(
    ("evaluator", "ability", "response"),
    [
        (PAPER, Ability.NOISE, "It was on 2\u202fJanuary\u202f2022."),
        (DOCUMENTED, Ability.NOISE, "It was on ２ January ２０２２."),
        (DOCUMENTED, Ability.REJECTION, "I\u202fcannot say."),
        (
            DOCUMENTED,
            Ability.COUNTERFACTUAL,
            "There is a\u202fmis\ufb02ake; that is not\u202ftrue.",
        ),
    ],
)
def test_a_verdict_that_nfkc_changes_is_counted(evaluator, ability, response):
    judged = sample(ability, response, "2 January 2022")
    literal = evaluator.model_copy(update={"nfkc": False})

    assert next(iter(evaluator.verdicts(judged).values())).passed
    assert not next(iter(literal.verdicts(judged).values())).passed
    assert evaluator.score(judged).evidence.flips == ("nfkc",)
    assert literal.score(judged).evidence.flips == ()


def test_a_look_alike_inside_the_accepted_answer_is_counted():
    assert PAPER.score(
        sample(response="2 January 2022", truth="2\u202fJanuary 2022")
    ).evidence.flips == ("nfkc",)


def test_a_look_alike_inside_the_planted_answer_is_counted():
    judged = counterfactual("It is not 5 km.", truth="6 km", planted="5\u202fkm")

    assert DOCUMENTED.score(judged).evidence.flips == ("nfkc",)


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("<think>Paris, perhaps?</think>It is Rome.", 0.0),
        ("Paris, perhaps?</think>It is Rome.", 0.0),
        ("<think>Paris, perhaps?</think >It is Rome.", 0.0),
        ("It is Rome.<think >Paris, perhaps?", 0.0),
    ],
)
def test_reasoning_does_not_count_as_an_answer(response, value):
    score = DOCUMENTED.score(sample(response=response))

    assert score.values == {"accuracy": value}
    assert score.evidence.flips == ("remove_reasoning",)


# The engine's door


def test_a_score_holds_its_verdicts_with_rule_and_words():
    score = DOCUMENTED.score(sample(response="It is Paris."))

    assert score.values == {"accuracy": 1.0}
    assert score.evidence.verdicts == {"accuracy": Verdict(True, "contains the answer", ("paris",))}


@pytest.mark.parametrize(
    ("ability", "names"),
    [
        (Ability.NOISE, ["accuracy"]),
        (Ability.REJECTION, ["rejection"]),
        (Ability.INTEGRATION, ["accuracy"]),
        (Ability.COUNTERFACTUAL, ["detection", "correction", "correction_among_detected"]),
    ],
)
def test_the_values_are_those_of_the_ability(ability, names):
    assert list(DOCUMENTED.score(sample(ability)).values) == names


@pytest.mark.parametrize(
    ("response", "values"),
    [
        (LONDON_IS_WRONG, {"detection": 1, "correction": 1, "correction_among_detected": 1}),
        (TOKYO, {"detection": 1, "correction": 0, "correction_among_detected": 0}),
        (LONDON, {"detection": 0, "correction": 0, "correction_among_detected": None}),
        ("It is Paris.", {"detection": 0, "correction": 1, "correction_among_detected": None}),
    ],
)
def test_correction_among_detected_applies_only_where_an_error_was_detected(response, values):
    score = DOCUMENTED.score(counterfactual(response))

    assert score.values == values
    unknown = values["correction_among_detected"] is None
    assert score.reason == ("Correction among detected: no error was detected." if unknown else "")


@pytest.mark.parametrize("truth", [None, "", " ", (), ((),), ("Paris", ""), ("Paris", (" ", ""))])
@pytest.mark.parametrize("ability", [Ability.NOISE, Ability.INTEGRATION, Ability.COUNTERFACTUAL])
def test_without_an_accepted_answer_the_error_names_sample_and_remedy(ability, truth):
    with pytest.raises(MissingInputError, match=r"Sample 7: .*column `answer`"):
        DOCUMENTED.score(sample(ability, truth=truth))


def test_a_rejection_needs_no_accepted_answer():
    assert DOCUMENTED.score(sample(Ability.REJECTION, "I don't know", truth=None)).values == {
        "rejection": 1.0
    }


def test_a_sample_without_response_or_ability_is_an_error_that_names_the_remedy():
    silent = sample().model_copy(update={"response": None})
    unknown = sample().model_copy(update={"rgb": None})

    with pytest.raises(MissingInputError, match=r"Sample 7: response missing.* Fill it in"):
        DOCUMENTED.score(silent)
    with pytest.raises(MissingInputError, match=r"Sample 7: .*ability"):
        DOCUMENTED.score(unknown)


def test_an_empty_response_is_judged():
    assert DOCUMENTED.score(sample(response="")).values == {"accuracy": 0.0}
    assert DOCUMENTED.score(sample(Ability.REJECTION, "")).values == {"rejection": 0.0}


# Steps


def steps(judged, evaluator=DOCUMENTED):
    return [
        (step.question, step.rule, step.verdict and step.verdict.passed)
        for step in evaluator.steps(judged)
    ]


def test_steps_show_every_rule_tried_up_to_the_one_that_decided():
    assert steps(sample(response="Pari")) == [
        ("Is it “Paris”?", "contains the answer", None),
        ("Is it “Paris”?", "short answer", True),
    ]


def test_steps_try_the_spellings_until_one_fits():
    assert steps(sample(response="2022", truth=(("Jan 2022", "2022", "'22"),)), PAPER) == [
        ("Does it give an answer at all?", "marker phrase", None),
        ("Is it “Jan 2022”?", "contains the answer", None),
        ("Is it “2022”?", "contains the answer", True),
    ]


def test_by_the_papers_rules_an_answer_that_declines_is_none_whatever_else_it_says():
    judged = sample(response="It is Paris, by insufficient information.")

    assert PAPER.score(judged).values == {"accuracy": 0.0}
    assert PAPER.outcome(judged, PAPER.verdicts(judged)) == "declines"
    assert steps(judged, PAPER) == [("Does it give an answer at all?", "marker phrase", False)]
    assert DOCUMENTED.score(judged).values == {"accuracy": 1.0}


def test_a_verdict_that_a_file_leaves_out_did_not_pass():
    judged = sample(response="Nothing of it.")
    other = Verdict(passed=True, rule="x")

    assert PAPER.outcome(judged, {"other": other}) == "wrong"
    assert PAPER.outcome(judged, {"detection": other}) == "notices"


def test_the_paper_takes_one_that_notices_and_declines_for_a_correction():
    judged = counterfactual("There are factual errors, and insufficient information. Paris?")

    assert PAPER.score(judged).values == {
        "detection": 1.0, "correction": 0.0, "correction_among_detected": 1.0
    }  # fmt: skip
    batch = PAPER.evaluate_counterfactual_robustness([judged.response], ["Paris"], [None], "m")
    assert (batch.errors_corrected, batch.error_correction_rate_among_detected) == (0, 100)


def test_steps_of_a_rejection_go_through_the_phrase_lists():
    assert steps(sample(Ability.REJECTION, "信息不足", truth=None)) == [
        ("Does it decline?", "primary phrase", None),
        ("Does it decline?", "keyword", None),
        ("Does it decline?", "Chinese marker phrase", True),
    ]


def test_steps_of_a_counterfactual_show_detection_before_correction():
    assert steps(counterfactual("Wrong: it is Paris.")) == [
        ("Does it notice the error?", "keyword", True),
        ("Is it “Paris”?", "contains the answer", True),
        ("Is it only the planted error?", "only the planted answer", None),
    ]


def test_steps_end_with_the_rule_that_decided_the_correction():
    judged = counterfactual(
        "6 May 2020 in Lyon France", "5 May 2020 in Lyon France", "6 May 2020 in Lyon France"
    )

    last = DOCUMENTED.steps(judged)[-1]

    assert last.verdict == DOCUMENTED.verdicts(judged)["correction"]
    assert last.rule == "only the planted answer"


def test_steps_of_other_abilities_do_not_ask_for_the_planted_answer():
    judged = sample(
        Ability.NOISE,
        "6 May 2020 in Lyon France",
        "5 May 2020 in Lyon France",
        "6 May 2020 in Lyon France",
    )

    assert steps(judged)[-1] == ("Is it “5 May 2020 in Lyon France”?", "80 % of the words", True)


ANSWERS = st.text(st.sampled_from("ab PARIS不足信息。.<think>/\u202f\u2460"), max_size=30)


@given(
    response=ANSWERS,
    truth=ANSWERS.filter(str.strip),
    planted=st.none() | ANSWERS,
    ability=st.sampled_from(Ability),
)
@pytest.mark.parametrize("evaluator", [DOCUMENTED, PAPER], ids=["documented", "paper"])
def test_the_last_step_of_every_answer_agrees_with_the_score(
    evaluator, response, truth, planted, ability
):
    judged = sample(ability, response, truth, planted)

    last = evaluator.steps(judged)[-1]

    decided = bool(last.verdict and last.verdict.passed)
    if last.rule == "only the planted answer":
        decided = last.verdict is None
    assert float(decided) == evaluator.score(judged).values[list(evaluator.verdicts(judged))[-1]]


@given(response=ANSWERS, truth=ANSWERS)
def test_a_strictly_correct_answer_is_correct(response, truth):
    if DOCUMENTED.is_correct(response, truth, strict=True):
        assert DOCUMENTED.is_correct(response, truth)


# The published labels


def test_published_rgb_labels_are_reproduced(check_data):
    files = [
        *check_data.glob("rgb_predictions/*/prediction_*.json"),
        *check_data.glob("rgb_predictions/*/output_*.json"),
    ]
    rows = [
        json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()
    ]

    differing = [
        (row["id"], row["ans"], row["prediction"])
        for row in rows
        if LITERAL_PAPER.labels(row["prediction"], row["ans"]) != row["label"]
        or LITERAL_PAPER.detects_error(row["prediction"]) != bool(row["factlabel"])
    ]

    assert (len(files), len(rows)) == (61, 6100)
    assert not differing


def test_typographic_apostrophes_and_hyphens_count_as_the_plain_ones():
    assert DOCUMENTED.is_rejection("I don’t know.")
    assert DOCUMENTED.is_correct("It ended 88‑81.", "88-81")
    assert not RGBEvaluator(nfkc=False).is_rejection("I don’t know.")


def test_a_blank_spelling_is_a_missing_answer_and_makes_nothing_right():
    with pytest.raises(MissingInputError, match="missing or empty"):
        PAPER.score(sample(response="zzz", truth=(("", "Paris"),)))


def test_the_stored_verdicts_are_those_that_were_given():
    judged = counterfactual("Wrong: it is Paris.")

    assert DOCUMENTED.score(judged).evidence.verdicts == DOCUMENTED.verdicts(judged)


@pytest.mark.parametrize("policy", ["documented", "paper"])
def test_thousands_of_spellings_on_a_long_answer_take_seconds_and_not_minutes(policy):
    planted = tuple((f"c d {number}", "e f") for number in range(1_000))
    truth = tuple((f"ab {number}", f"tower {number}", "a b", "t") for number in range(1_000))
    long = counterfactual("The tower of a b c d e f g is here. " * 7_000, truth, planted)
    evaluator = RGBEvaluator(policy=policy)
    started = time.process_time()

    detection, correction = evaluator.verdicts(long).values()
    steps = evaluator.steps(long)

    assert (detection.passed, correction.passed) == (False, True)
    assert correction.evidence == ("a b",) * 1_000
    assert len(steps) > 3_000
    # Three times what it took here.
    assert time.process_time() - started < 6
