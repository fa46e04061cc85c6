"""A run's labeller beside people's labels of its store, published ones, or some from elsewhere."""

import pytest

from evaluators import leaderboard
from evaluators.api.results import Results
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import compose
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import OFFLINE
from evaluators.people.correction import Stratum, corrected_rate
from evaluators.people.records import PersonLabel
from evaluators.prompts import load
from evaluators.records import Ability, Cell, Dataset, Labels, SentenceSupport
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs import examples
from evaluators.runs.checks import checked, checked_by
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import RunView
from evaluators.text.language import CHINESE, speaking
from evaluators.text.sentences import cut
from evaluators.trace_evaluator import TRACEEvaluator

CREATED = "2026-11-22T10:00:00+00:00"
LABELLED = 16


def person_label(kind, key, value, **more):
    drawn = {"drawn": "at random", "probability": 0.5, "blind": True}
    return PersonLabel(label=kind, key=key, value=value, created=CREATED, **(drawn | more))


def finished(store, registry, plan):
    run = create_run(store, plan, workspace="local")
    registry.start(run, store, {}).wait()
    return run


@pytest.fixture
def run(store, registry):
    """The bundled TRACE sample of 24 answers, labelled by the heuristic."""
    return finished(store, registry, RunPlan(bundled()[TRACE_SAMPLES], [TRACEEvaluator()]))


def adherence(store, run):
    return [row.values["adherence"] for row in RunView.read(store, run).of_metric(0)]


def label_all_supported(store, run, positions):
    """People find every sentence of these answers supported, without a look at the labels."""
    for position in positions:
        sample = store.samples.get(run.fingerprint, position)
        sentences = cut(sample.response, sample.retrieved_documents).response
        labels = [person_label("support", sentence.key, "full") for sentence in sentences]
        store.person_labels.save(
            run.id, Cell(position), *labels, person_label("sample", "", "done")
        )


def test_the_heuristic_is_corrected_by_people(store, registry, run):
    label_all_supported(store, run, range(LABELLED))
    said = adherence(store, run)
    found = checked(RunView.read(store, run))

    value = found.values[0]
    yes, labelled_yes = said.count(1.0), said[:LABELLED].count(1.0)
    assert (found.labeller, found.people, found.labelled) == ("the heuristic", ("you",), LABELLED)
    assert (value.name, value.answers, value.labelled) == ("adherence", 24, LABELLED)
    assert value.corrected == corrected_rate(
        [
            Stratum(yes, labelled_yes, labelled_yes),
            Stratum(24 - yes, LABELLED - labelled_yes, LABELLED - labelled_yes),
        ]
    )
    assert len(value.table.only_people) == LABELLED - labelled_yes
    # Blind labels of the answer's sentences tell nothing of the documents'
    relevance = next(value for value in found.values if value.name == "context_relevance")
    assert relevance.labelled == 0


def test_a_new_label_is_in_the_next_check(store, registry, run):
    label_all_supported(store, run, [0])
    assert checked(RunView.read(store, run)).labelled == 1

    label_all_supported(store, run, [1])
    assert checked(RunView.read(store, run)).labelled == 2


def test_another_definition_is_checked_by_its_own_values(store, registry, run):
    label_all_supported(store, run, range(LABELLED))
    view = RunView.read(store, run)
    usual, other = checked(view), checked(view, definition="fixed_20")

    by_name = [{value.name: value.judged for value in found.values} for found in (usual, other)]
    assert by_name[0]["adherence"] == by_name[1]["adherence"]
    assert by_name[0]["context_relevance"] != by_name[1]["context_relevance"]


def test_published_labels_say_how_likely_estimates_tell_right_from_wrong(store, registry):
    samples = []
    for number, sample in enumerate(bundled()[TRACE_SAMPLES].samples):
        sentences = cut(sample.response, sample.retrieved_documents)
        support = "full" if number % 2 else "none"
        labels = Labels(
            sentence_support=tuple(
                SentenceSupport(key=sentence.key, support=support)
                for sentence in sentences.response
            )
        )
        samples.append(sample.model_copy(update={"labels": labels, "sentences": sentences}))
    dataset = Dataset(name="Published", samples=tuple(samples))
    run = finished(store, registry, RunPlan(dataset, [TRACEEvaluator()]))
    found = checked(RunView.read(store, run), against="gold")

    value = found.values[0]
    assert (found.against, found.people, value.labelled) == ("gold", ("gold",), 24)
    assert value.corrected.mean == pytest.approx(value.alone.mean) == pytest.approx(0.5, abs=0.05)
    assert 0 <= value.auroc <= 1
    assert value.warnings == ()


def test_the_rates_of_rgb_are_checked_under_their_own_names(store, registry):
    data = compose(bundled()[ENGLISH_BED], [Ability.REJECTION])
    plan = RunPlan(data, [RGBEvaluator()], models=(OFFLINE,), prompt=load("rgb_en"), seed=0)
    run = finished(store, registry, plan)
    for position in range(3):
        drawn = {"drawn": "by hand", "probability": None, "blind": False}
        label = person_label("verdict", "rejection", "no", **drawn)
        store.person_labels.save(run.id, Cell(position), label)
    view = RunView.read(store, run)
    found = checked(view)

    # A formula of TRACE is nothing to them.
    assert checked(view, definition="fixed_20") == found
    assert found.labeller == "the rules"
    assert [value.name for value in found.values] == ["negative_rejection"]
    assert found.values[0].labelled == 3
    assert found.values[0].alone.mean == 0
    assert found.sentence.startswith("Negative rejection: the rules say ")


# From elsewhere


def ids(store, run):
    return [row.sample_id for row in RunView.read(store, run).of_metric(0)]


def test_labels_from_elsewhere_are_found_by_the_samples_ids(store, registry, run):
    own = dict.fromkeys(ids(store, run)[:LABELLED], True)
    found = checked_by(own, RunView.read(store, run))

    label_all_supported(store, run, range(LABELLED))
    stored = checked(RunView.read(store, run))
    assert found.values[0].corrected == stored.values[0].corrected


def test_several_values_of_a_sample_can_be_named(store, registry, run):
    first = ids(store, run)[0]
    found = checked_by({first: {"completeness": 0.5}}, RunView.read(store, run))

    labelled = {value.name: value.labelled for value in found.values if value.labelled}
    assert labelled == {"completeness": 1}


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (2, "is 2. Write 1 for yes, 0 for no"),
        (float("nan"), "is nan. Write 1 for yes"),
        ({"adherance": 1}, "has no value 'adherance'. It has: context_relevance"),
    ],
)
def test_a_label_that_cannot_be_is_refused(store, registry, run, label, message):
    with pytest.raises(ParameterError, match=message):
        checked_by({ids(store, run)[0]: label}, RunView.read(store, run))


def test_an_id_that_no_sample_has_is_refused(store, registry, run):
    with pytest.raises(ParameterError, match="No sample has the id 'nobody'"):
        checked_by({"nobody": 1}, RunView.read(store, run))


def test_a_check_is_kept_in_each_language_that_was_asked_for(store):
    view = RunView.read(store, examples.find(store, examples.INVENTED))
    with speaking(CHINESE):
        in_chinese = checked(view, against="gold")
    in_english = checked(view, against="gold")

    assert "评审团" in in_chinese.values[0].sentence
    assert in_english.labeller == "the jury"
    assert in_english.values[0].sentence.startswith("Adherence: the jury ")


def verdicts_apart(store, run):
    """All answers that the heuristic gives a no (people agree but for two), and four with a yes (of
    which people agree on three), by the samples' ids.
    """
    rows = RunView.read(store, run).of_metric(0)
    no = [row.sample_id for row in rows if row.values["adherence"] == 0]
    yes = [row.sample_id for row in rows if row.values["adherence"] == 1]
    labels = {sample_id: float(place < 2) for place, sample_id in enumerate(no)}
    labels |= {sample_id: float(place < 3) for place, sample_id in enumerate(yes[:4])}
    return labels, len(yes), len(no)


@pytest.mark.parametrize("drawn", [None, "random", "by verdict"])
def test_however_many_labels_a_verdict_has_it_counts_for_its_answers(store, registry, run, drawn):
    """Each of the four stands for a fourth of the answers with a yes, the others for themselves."""
    labels, yes, no = verdicts_apart(store, run)
    told = {"drawn": drawn} if drawn else {}
    value = Results(run, store).correct(labels, **told).values[0]

    assert value.sensitivity.mean == pytest.approx(0.75 * yes / (0.75 * yes + 2))
    assert value.alone.mean == pytest.approx((0.75 * yes + 2) / (yes + no))
    assert value.weighting.startswith("Weighted")
    assert (
        f"{no} of the {no + 4} labelled answers have a no of the heuristic, and {no} of all 24."
        in (value.weighting)
    )
    assert value.weighting.startswith("Weighted, because the answers were drawn by verdict") == (
        drawn == "by verdict"
    )
    assert any("not told how they were drawn" in words for words in value.warnings) == (not drawn)


def test_chosen_labels_count_alike_and_are_warned_of(store, registry, run):
    labels, _, _ = verdicts_apart(store, run)
    value = checked_by(labels, RunView.read(store, run), drawn="chosen").values[0]

    assert value.sensitivity.mean == pytest.approx(3 / 5)
    assert (value.weighting, value.headline) == ("", "")
    assert any("that were chosen, not drawn at random" in words for words in value.warnings)


def test_another_way_of_drawing_is_refused_with_those_that_there_are(store, registry, run):
    with pytest.raises(ParameterError, match='There are: "random", "by verdict", "chosen"'):
        checked_by({ids(store, run)[0]: 1}, RunView.read(store, run), drawn="somehow")


def test_from_15_labels_of_a_random_draw_on_the_corrected_mean_is_the_headline(
    store, registry, run
):
    label_all_supported(store, run, range(14))
    results = Results(run, store)
    assert "people" not in repr(results)

    label_all_supported(store, run, range(14, LABELLED))
    value = checked(RunView.read(store, run)).values[0]
    headline = (
        f"Adherence: people 100 % ({100 * value.corrected.low:.0f} to 100), the heuristic alone "
        f"{100 * value.judged:.0f} %. From 16 labels of answers drawn at random."
    )

    assert headline in repr(results)
    # Another labeller, chosen, has values of its own.
    assert headline not in repr(results.under(labels="corrected"))


def test_a_leaderboard_has_the_corrected_mean_beside_the_labellers_and_ranks_by_none(
    store, registry, run
):
    label_all_supported(store, run, range(LABELLED))
    value = checked(RunView.read(store, run)).values[0]

    board = leaderboard(Results(run, store))

    assert board.headlines == (f"{run.title}: {value.headline}",)
    [place] = board.columns[0].places.values()
    assert (place.mean.mean, place.corrected, place.rank) == (value.judged, value.corrected, None)
    assert "Ranks and means are the labeller's; corrected means have no rank." in board.notes
    # By people's own labels, chosen, they are the column.
    [place] = leaderboard(Results(run, store), labels="people").columns[0].places.values()
    assert (place.mean.mean, place.mean.scored, place.corrected) == (1.0, LABELLED, None)
    with pytest.raises(ParameterError, match="Corrected labels are of two labellers"):
        leaderboard(Results(run, store), labels="corrected")


def test_labels_by_hand_are_no_headline(store, registry, run):
    for position in range(LABELLED):
        label = person_label("sample", "", "done", drawn="by hand", probability=None, blind=False)
        store.person_labels.save(run.id, Cell(position), label)
    view = RunView.read(store, run)

    assert checked(view).values[0].corrected is not None
    assert "people" not in repr(Results(run, store))
