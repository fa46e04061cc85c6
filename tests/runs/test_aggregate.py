"""Figures: every mean says how many samples it stands on, and nothing unknown counts as zero."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.abilities import RGB_VALUES
from evaluators.people.records import PersonLabel
from evaluators.records import (
    Ability,
    Cell,
    Dataset,
    EvaluatorSpec,
    Labelling,
    Labels,
    ModelSpec,
    Run,
    Sample,
    SampleResult,
    Score,
    Sentence,
    Sentences,
    SentenceSupport,
)
from evaluators.runs.aggregate import (
    Mean,
    View,
    by_group,
    flips,
    labelled,
    merged,
    noise_points,
    rates,
    summarise,
    value_titles,
)
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Outline
from evaluators.statistics import wilson
from evaluators.trace.labelling import labelled_score
from tests.stored import stored_run

(NOISE,) = Ability.NOISE.values


def outline(
    status=None,
    ability=Ability.NOISE,
    noise=0.2,
    effective=0.2,
    at=(0,),
    question="q",
    group="",
    **values,
):
    return Outline(
        **Cell(*at)._asdict(),
        sample_id="s",
        question=question,
        situation=group,
        ability=ability,
        noise=noise,
        effective_noise=effective,
        status=status,
        values=values,
    )


def scored(**fields):
    return outline("scored", **fields)


FAILED, OPEN = outline("failed"), outline()


@pytest.mark.parametrize(
    ("rows", "mean", "counts"),
    [
        # asked, scored, not applicable, failed
        ([scored(accuracy=1.0), scored(accuracy=0.0)], 0.5, (2, 2, 0, 0)),
        ([scored(accuracy=1.0), scored(accuracy=None), FAILED, OPEN], 1.0, (4, 1, 1, 1)),
        ([scored(accuracy=0.0), FAILED, FAILED], 0.0, (3, 1, 0, 2)),
        ([scored(other=1.0), scored(accuracy=0.25), scored(accuracy=0.75)], 0.5, (3, 2, 1, 0)),
        ([scored(accuracy=None)], None, (1, 0, 1, 0)),
        ([FAILED], None, (1, 0, 0, 1)),
        ([OPEN], None, (1, 0, 0, 0)),
        ([], None, (0, 0, 0, 0)),
    ],
)
def test_a_mean_is_over_judged_samples_and_says_what_became_of_the_others(rows, mean, counts):
    summary = summarise(rows, "accuracy")

    assert summary.mean == mean
    assert (summary.asked, summary.scored, summary.not_applicable, summary.failed) == counts
    assert summary.coverage == f"{counts[1]} / {counts[0]}"


def test_without_judged_samples_there_is_no_interval():
    assert summarise([FAILED, OPEN], "accuracy") == Mean(mean=None, asked=2, scored=0, failed=1)


def test_the_interval_of_a_rate_is_wilsons():
    rows = [scored(question=f"q{number}", accuracy=float(number < 4)) for number in range(7)]

    summary = summarise(rows, "accuracy")

    assert (summary.low, summary.high) == wilson(4, 7)


@given(
    st.lists(
        st.sampled_from([FAILED, OPEN])
        | st.builds(
            lambda value: scored(accuracy=value),
            st.none() | st.floats(0, 1) | st.sampled_from([0.0, 1.0]),
        )
    )
)
def test_counts_add_up_and_no_figure_is_ever_nan(rows):
    summary = summarise(rows, "accuracy")

    still_open = sum(row is OPEN for row in rows)
    assert summary.asked == summary.scored + summary.not_applicable + summary.failed + still_open
    figures = [figure for figure in (summary.mean, summary.low, summary.high) if figure is not None]
    assert len(figures) in (0, 1, 3)  # a single value that is neither 0 nor 1 has no interval
    assert all(math.isfinite(figure) for figure in figures)


def test_accuracy_by_noise_has_a_point_for_each_level_lowest_first():
    rows = [
        scored(noise=0.8, effective=0.6, accuracy=0.0),
        scored(noise=0.0, effective=0.0, accuracy=1.0),
        scored(noise=0.8, effective=0.8, accuracy=1.0),
        outline("failed", noise=0.4, effective=None),
        scored(ability=Ability.REJECTION, noise=1.0, rejection=1.0),
        scored(noise=None, accuracy=1.0),
    ]

    points = noise_points(rows, NOISE)

    assert [point.noise for point in points] == [0.0, 0.4, 0.8]
    assert [point.mean.mean for point in points] == [1.0, None, 0.5]
    assert [point.mean.coverage for point in points] == ["1 / 1", "0 / 1", "2 / 2"]
    assert [point.effective_noise for point in points] == [0.0, None, pytest.approx(0.7)]


def rates_by_name(rows):
    return {value.name: mean for value, mean in rates(rows, RGB_VALUES).items()}


def test_rates_are_those_of_the_abilities_asked():
    rows = [
        scored(ability=Ability.REJECTION, rejection=1.0),
        scored(ability=Ability.REJECTION, rejection=0.0),
        scored(
            ability=Ability.COUNTERFACTUAL,
            detection=1.0,
            correction=1.0,
            correction_among_detected=1.0,
        ),
        scored(
            ability=Ability.COUNTERFACTUAL,
            detection=0.0,
            correction=0.0,
            correction_among_detected=None,
        ),
        scored(
            ability=Ability.COUNTERFACTUAL,
            detection=0.0,
            correction=1.0,
            correction_among_detected=None,
        ),
        outline("failed", ability=Ability.COUNTERFACTUAL),
    ]

    means = rates_by_name(rows)

    assert {name: (rate.mean, rate.coverage) for name, rate in means.items()} == {
        "negative_rejection": (0.5, "2 / 2"),
        "error_detection": (pytest.approx(1 / 3), "3 / 4"),
        "error_correction": (pytest.approx(2 / 3), "3 / 4"),
        "correction_if_detected": (1.0, "1 / 4"),
    }
    assert means["correction_if_detected"].not_applicable == 2


@pytest.mark.parametrize(
    ("answers", "questions", "interval"),
    [
        ({"a": [1.0], "b": [0.0], "c": [1.0]}, None, wilson(2, 3)),
        # Two questions, both right at both levels: as if two answers were right
        ({"a": [1.0, 1.0], "b": [1.0, 1.0]}, 2, wilson(2, 2)),
        ({"a": [1.0, None], "b": [1.0]}, None, wilson(2, 2)),
    ],
)
def test_the_interval_of_a_rate_counts_a_question_once_however_often_it_is_asked(
    answers, questions, interval
):
    rows = [
        scored(question=question, noise=noise, accuracy=value)
        for question, values in answers.items()
        for noise, value in zip((0.0, 0.8), values, strict=False)
    ]

    mean = rates_by_name(rows)["noise_robustness"]

    assert mean.questions == questions
    assert (mean.low, mean.high) == pytest.approx(interval)


def test_without_rows_there_are_no_rates():
    assert rates([], RGB_VALUES) == {}
    assert noise_points([], NOISE) == []


# Several metrics


def test_merged_rows_hold_the_values_of_all_metrics_for_each_answer():
    rows = [
        scored(at=Cell(0, 0, 0), adherence=1.0),
        scored(at=Cell(0, 0, 1), recall=None, f1=0.5),
        scored(at=Cell(0, 1, 0), adherence=0.0),
        scored(at=Cell(0, 1, 1), recall=0.25, f1=0.0),
    ]

    found = merged(rows)

    assert [(row.position, row.model, row.metric, row.values) for row in found] == [
        (0, 0, 0, {"adherence": 1.0, "recall": None, "f1": 0.5}),
        (0, 1, 0, {"adherence": 0.0, "recall": 0.25, "f1": 0.0}),
    ]


@pytest.mark.parametrize(
    ("states", "status"),
    [
        (("scored", "scored"), "scored"),
        (("scored", "failed"), "failed"),
        (("failed", None), "failed"),
        (("scored", None), None),
        ((None, None), None),
    ],
)
def test_a_merged_row_is_failed_before_it_is_open_and_open_before_it_is_scored(states, status):
    rows = [outline(state, at=Cell(0, 0, metric)) for metric, state in enumerate(states)]

    assert [row.status for row in merged(rows)] == [status]


def test_a_name_that_an_earlier_metric_has_gets_the_number_of_its_metric():
    rows = [
        outline("failed", at=Cell(0, 0, 0)),
        scored(at=Cell(0, 0, 2), f1=0.2, other=0.0),
        scored(at=Cell(1, 0, 0), f1=1.0),
        scored(at=Cell(1, 0, 2), f1=None, other=1.0),
    ]

    assert value_titles(rows) == {(0, "f1"): "f1", (2, "f1"): "f1 (3)", (2, "other"): "other"}
    assert [row.values for row in merged(rows)] == [
        {"f1 (3)": 0.2, "other": 0.0},
        {"f1": 1.0, "f1 (3)": None, "other": 1.0},
    ]


def test_a_merged_row_keeps_labeller_and_corrections_of_the_metric_that_labels():
    labelled = outline("scored")._replace(by="jury", corrected=2)

    (row,) = merged([labelled, scored(at=Cell(0, 0, 1), f1=1.0)])

    assert (row.by, row.corrected) == ("jury", 2)


def test_rows_of_one_metric_stay_as_they_are():
    rows = [
        scored(at=Cell(0), f1=1.0),
        FAILED._replace(position=1),
        outline(at=Cell(2, 1)),
    ]

    assert merged(rows) == rows
    assert merged(iter(rows)) == rows
    assert merged([]) == []


# TRACE: whose labels, counted how

LUNA, SOL = (ModelSpec(provider="openai", model=name) for name in ("gpt-6-luna", "gpt-6-sol"))
SENTENCES = Sentences(
    documents=(tuple(Sentence(key=key, text="t") for key in ("0a", "0b", "0c", "0d")),),
    response=(Sentence(key="a", text="t"),),
)


def labels(relevant, utilized="", support="full"):
    return Labels(
        relevant_keys=tuple(relevant.split()),
        utilized_keys=tuple(utilized.split()),
        sentence_support=(SentenceSupport(key="a", support=support),),
    )


def cell(position, gold=None, **by):
    """A scored cell of which the last labeller counts."""
    names = {"luna": LUNA.id, "sol": SOL.id}
    found = [Labelling(by=names.get(name, name), labels=given) for name, given in by.items()]
    sample = Sample(id=f"s{position}", question="q", sentences=SENTENCES, labels=gold)
    return Cell(position), sample, labelled_score(sample, SENTENCES, found, found[-1])


def plain(position, given):
    """A cell scored by the heuristic alone."""
    sample = Sample(id=f"s{position}", question="q", sentences=SENTENCES)
    own = Labelling(by="heuristic", labels=given)
    return Cell(position), sample, labelled_score(sample, SENTENCES, [], own)


def viewed(store, cells, view, changes, further=()):
    """The rows of a run with these cells and `further` results, as the view counts them."""
    data = Dataset(name="d", samples=tuple(sample for _, sample, _ in cells))
    run = stored_run(store, data, "trace", *(["answer_match"] if further else []), id="r")
    for (position, *_), _, score in cells:
        store.results.save("r", SampleResult(position=position, status="scored", score=score))
    for result in further:
        store.results.save("r", result)
    for corrected_cell, corrections in changes.items():
        for correction in corrections:
            store.person_labels.save("r", corrected_cell, correction)
    return RunView.read(store, run).counted(view)


# Of four document sentences one is relevant, two, all; then three.
JUDGED = cell(
    0, heuristic=labels("0a"), luna=labels("0a 0b", support="none"), gold=labels("0a 0b 0c 0d")
)
UNJUDGED = cell(1, heuristic=labels("0a 0b 0c", "0a"))
CHANGE = PersonLabel(label="relevant", key="0c", value="yes", created="2026-11-22T10:00:00Z")


@pytest.mark.parametrize(
    ("by", "changes", "relevance"),
    [
        (None, {}, [0.5, 0.75]),
        (None, {Cell(0): [CHANGE]}, [0.5, 0.75]),
        ("corrected", {Cell(0): [CHANGE]}, [0.75, 0.75]),
        ("corrected", {Cell(1, 1): [CHANGE]}, [0.5, 0.75]),
        ("corrected", {Cell(0): [CHANGE, CHANGE.model_copy(update={"value": "no"})]}, [0.5, 0.75]),
        ("heuristic", {Cell(0): [CHANGE]}, [0.25, 0.75]),
        (LUNA.id, {Cell(0): [CHANGE]}, [0.5, None]),
        ("gold", {Cell(0): [CHANGE]}, [1.0, None]),
        ("corrected", {}, [0.5, 0.75]),
        ("people", {Cell(0): [CHANGE]}, [None, None]),  # not done
        ("jury", {}, [None, None]),
    ],
)
def test_a_view_counts_the_labels_of_its_labeller_and_nothing_where_there_are_none(
    store, by, changes, relevance
):
    found = viewed(store, [JUDGED, UNJUDGED], View(by=by), changes)

    assert [row.values.get("context_relevance") for row in found] == relevance
    assert summarise(found, "context_relevance").not_applicable == relevance.count(None)
    assert all(
        row.values == {} for row, value in zip(found, relevance, strict=True) if value is None
    )


def test_a_view_counts_by_its_definition_without_changing_what_is_stored(store):
    found = viewed(store, [JUDGED, UNJUDGED], View("fixed_20", "heuristic"), {})

    # 1 / 20 and 3 / 20
    assert [row.values["context_relevance"] for row in found] == [0.05, 0.15]
    stored = store.results.outlines(store.runs.get("r"))
    assert [row.values["context_relevance"] for row in stored] == [0.5, 0.75]


@pytest.mark.parametrize(
    ("by", "relevance"), [(None, 0.25), ("heuristic", 0.25), ("corrected", 0.5)]
)
def test_a_run_of_the_heuristic_alone_is_viewed_and_corrected_too(store, by, relevance):
    (found,) = viewed(store, [plain(0, labels("0a"))], View(by=by), {Cell(0): [CHANGE]})

    assert found.values["context_relevance"] == relevance


def test_cells_without_a_score_have_no_values_in_any_view(store):
    failed = SampleResult(position=1, status="failed", error="-")

    rows = viewed(store, [JUDGED, UNJUDGED], View(by="gold"), {}, [failed])

    assert [bool(row.values) for row in rows if row.metric == 0] == [True, False]


def test_a_view_leaves_the_rows_of_other_metrics_alone(store):
    other = SampleResult(position=0, metric=1, status="scored", score=Score(values={"f1": 1.0}))

    trace, same, *_ = viewed(store, [JUDGED, UNJUDGED], View(by="gold"), {}, [other])

    assert (trace.values["context_relevance"], same.values) == (1.0, {"f1": 1.0})


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        ([plain(0, labels("0a"))], ["heuristic"]),
        ([UNJUDGED], ["heuristic"]),
        ([UNJUDGED, JUDGED], [LUNA.id, "heuristic", "gold"]),
        (
            [cell(0, sol=labels("0a"), luna=labels("0b"), jury=labels(""))],
            ["jury", LUNA.id, SOL.id],
        ),
        ([], []),
    ],
)
def test_labellers_are_those_who_labelled_something_jury_first_and_gold_last(cells, names):
    run = Run(
        id="r",
        workspace="w",
        created="c",
        title="t",
        dataset_name="d",
        fingerprint="f",
        evaluators=(EvaluatorSpec(name="hybrid"),),
        judges=(LUNA, SOL),
    )

    assert list(labelled(run, iter(cells)).labellers) == names


def test_labellers_differ_where_a_sentence_is_supported_by_one_and_not_by_another():
    """That they find other document sentences relevant is no difference in what is supported."""
    run = Run(
        id="r", workspace="w", created="c", title="t", dataset_name="d", fingerprint="f",
        evaluators=(EvaluatorSpec(name="hybrid"),),
    )  # fmt: skip
    agreed = cell(2, heuristic=labels("0a"), luna=labels("0b"))

    assert labelled(run, [JUDGED, UNJUDGED, agreed]).differ == (Answer(0),)


# Options that changed verdicts


def test_flips_are_counted_by_option():
    rows = [
        outline("scored")._replace(flips=changed)
        for changed in (("remove_reasoning", "nfkc"), ("nfkc",), ())
    ]
    assert flips([*rows, outline("failed")]) == {"nfkc": 2, "remove_reasoning": 1}


def test_groups_have_means_of_their_own():
    alone = scored(f1=0.0)
    rows = [
        scored(group="v2", f1=1.0),
        scored(group="v1", f1=0.5),
        scored(group="v1", f1=None),
        alone,
        outline("failed", group="v2"),
    ]

    groups = by_group(rows)

    facts = {group: (own["f1"].mean, own["f1"].coverage) for group, own in groups.items()}
    assert list(facts.items()) == [("v1", (0.5, "1 / 2")), ("v2", (1.0, "1 / 2"))]
    assert groups["v2"]["f1"].failed == 1
    assert by_group([alone]) == {}


def test_a_group_counts_a_question_once_where_it_was_asked_repeatedly():
    # Three questions, each asked twice and answered alike: as telling as three answers.
    rows = [
        scored(question=f"q{n // 2}", group="easy", accuracy=float(n < 4), f1=0.5) for n in range(6)
    ]

    easy = by_group(rows)["easy"]

    assert (easy["accuracy"].mean, easy["accuracy"].questions) == (4 / 6, 3)
    low, high = wilson(2, 3)
    assert easy["accuracy"].low == pytest.approx(low)
    # One failure of three: its end is further out.
    assert easy["accuracy"].high > high
    assert (easy["f1"].questions, easy["f1"].low) == (3, None)
