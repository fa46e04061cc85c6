"""TRACE: the page by each labeller's labels, on a jury's run stored by hand.

Four document sentences and one response sentence for each of two samples; only the first has
published labels.
"""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    Dataset,
    EvaluatorSpec,
    Labelling,
    Labels,
    ModelSpec,
    Run,
    Sample,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.trace.labelling import JURY, labelled_score
from tests.pages.by_hand import LUNA, OSS, TITLES
from tests.pages.conftest import checked
from tests.pages.screen import cards, grid, lines, listed, said, samples, segments, value_table
from tests.stored import stored_run
from ui import session

SENTENCES = Sentences(
    documents=(
        tuple(Sentence(key=key, text=f"Sentence {key}.") for key in ("0a", "0b", "0c", "0d")),
    ),
    response=(Sentence(key="a", text="It was in May."),),
)
SUPPORTED = PersonLabel(label="support", key="a", value="full", created="2026-11-21T09:00:00+00:00")


def labels(relevant: str, utilized: str, support: Support) -> Labels:
    supports = (SentenceSupport(key="a", support=support),)
    return Labels(
        relevant_keys=tuple(relevant.split()),
        utilized_keys=tuple(utilized.split()),
        sentence_support=supports,
    )


FIRST = {
    JURY: labels("0a", "0a", Support.NONE),  # relevance 1 / 4, the other ratios 1, adherence 0
    OSS.id: labels("0a", "0a", Support.NONE),
    LUNA.id: labels(
        "0a 0b", "0a", Support.FULL
    ),  # relevance 2 / 4, utilization and completeness 1 / 2
}
SECOND = dict.fromkeys(
    FIRST, labels("0a", "", Support.FULL)
)  # relevance 1 / 4, then 0, 0, and adherence 1
PUBLISHED = labels("0a 0b 0c 0d", "0a", Support.FULL)


def test_the_means_go_by_the_chosen_labels_and_stand_side_by_side(open_page):
    at = open_page("trace", run=jury().id)
    chosen = [
        ("The run's own (the jury)", "0.25", "0.50", "2 of 2"),
        ("Jury", "0.25", "0.50", "2 of 2"),
        (TITLES[0], "0.25", "0.50", "2 of 2"),
        (TITLES[1], "0.38", "1.00", "2 of 2"),  # (0.5 + 0.25) / 2
        ("Gold", "1.00", "1.00", "1 of 2, 1 not applicable"),
    ]
    for by, relevance, adherence, coverage in chosen:
        at = by_labels(at, by)
        assert (cards(at)["Context relevance"], cards(at)["Adherence"]) == (relevance, adherence)
        assert [line.coverage for line in lines(at)][:6] == [coverage] * 6
    assert by_labeller(at, "Context relevance") == [
        (by, relevance, coverage) for by, relevance, _, coverage in chosen[1:]
    ]
    assert [mean for _, mean, _ in by_labeller(at, "Adherence")] == ["0.50", "0.50", "1.00", "1.00"]


def test_any_two_labellers_are_compared_label_by_label(open_page):
    run = jury()
    at = open_page("trace", run=run.id)
    # Of 8 sentences one found 2 relevant, the other those and 1 more: by chance 2/8 * 3/8 + 6/8 *
    # 5/8 = 0.5625 agree, and (7/8 - 0.5625) / (1 - 0.5625) = 0.714. One of the two supports is
    # equal, as by chance.
    expected = {
        "relevant": "88 % (34 to 100) κ 0.71 (-1.00 to 1.00) · 8 sentences of 2 answers",
        "utilized": "100 % (34 to 100) κ 1.00 · 8 sentences of 2 answers",
        "support": "50 % (9 to 91) κ 0.00 · 2 sentences of 2 answers",
    }
    for kind, words in expected.items():
        segments(at, f"agreement_{run.id}").set_value(kind)
        cells = grid(checked(at.run()))
        # The jury is not compared with the judges whose votes it is made of.
        assert len(cells) == 4
        assert cells[TITLES[1], TITLES[0]].split() == words.split()
        if kind == "relevant":
            said_of_one = "25 % (0 to 96) κ 0.00 · 4 sentences of 1 answer"
            assert cells["Gold", "Jury"].split() == said_of_one.split()


def test_a_jury_says_how_it_decides_and_names_its_judges(open_page):
    run = jury()
    at = open_page("trace", run=run.id)
    assert (
        f"Labeller: a jury of {TITLES[0]}, {TITLES[1]}. The most frequent label counts, a tie goes "
        "to the stricter one." in said(at, "info")
    )
    assert f"Jury: {TITLES[0]} (temperature 0, effort low" in said(at, "caption")
    method = listed(open_page("runs"))[run.id]["Method"]
    assert method == f"TRACE (GPT labelling) by {TITLES[0]}, {TITLES[1]}"


RELABELLED = "the jury, 1 answer relabelled by people"


def test_a_correction_counts_where_it_is_chosen_and_is_named_there(open_page):
    run = jury()
    before = open_page("trace", run=run.id)
    assert "Changed by people" not in samples(before)[0]
    session.store().person_labels.save(run.id, Cell(0), SUPPORTED)
    at = open_page("trace", run=run.id)
    assert cards(before)["Adherence"] == cards(at)["Adherence"] == "0.50"
    assert [row["Changed by people"] for row in samples(at)] == ["1", ""]
    assert "1 answer relabelled by people. The run's own values stay" in said(at)
    assert by_labeller(at, "Adherence")[-1] == ("Corrected", "1.00", "2 of 2")
    at = by_labels(at, RELABELLED)
    assert cards(at)["Adherence"] == "1.00"
    assert said(at, "caption").count(f"Labels: {RELABELLED}") == 2  # above values and samples
    assert f"According to {RELABELLED}, 0 of 2 answers" in said(at, "header")
    assert cards(by_labels(at, "Jury"))["Adherence"] == "0.50"


def test_a_documented_pattern_is_explained_with_its_remedy(open_page):
    run = stored("gpt_labeling", {}, [FIRST, *[SECOND] * 9], (OSS, LUNA))
    assert "Conservative" not in said(open_page("trace", run=run.id))
    session.store().person_labels.save(
        run.id, Cell(0), SUPPORTED
    )  # adherence 1, while completeness is 1 / 10
    at = by_labels(open_page("trace", run=run.id), RELABELLED)
    words = said(at, "info")
    assert "Conservative but accurate" in words
    assert "What helps:" in words


def test_few_samples_are_no_ground_for_advice(open_page):
    run = jury()
    session.store().person_labels.save(
        run.id, Cell(0), SUPPORTED
    )  # adherence 1, completeness 1 / 2, of two samples
    assert "What helps:" not in said(open_page("trace", run=run.id), "info")


def test_results_and_labels_can_be_downloaded_with_what_was_corrected(open_page):
    run = jury()
    session.store().person_labels.save(run.id, Cell(0), SUPPORTED)
    at = open_page("trace", run=run.id)
    assert at.selectbox(key=f"file_{run.id}").options == [
        "Report (HTML)",
        "Whole run",
        "Results (CSV)",
        "Results with texts (JSON lines)",
        "Labels (JSON lines)",
        "People's labels (CSV)",
        # For whoever keeps traces under these ids.
        "Scores for Langfuse (CSV)",
        "Annotations for Phoenix (CSV)",
        "Evaluation events (OTLP JSON)",
        "Scores by trace (JSON)",
        "Sheet to print",
        "Sheet key",
    ]
    for title in ("Report (HTML)", "Scores by trace (JSON)", "Sheet key"):
        at.selectbox(key=f"file_{run.id}").select(title).run()
        assert [button.label for button in at.get("download_button")] == ["Download"]
    assert at.number_input(key=f"sheet_{run.id}").label == "Answers on a sheet"


def test_a_run_with_one_labeller_offers_no_choice_of_labels(open_page):
    run = stored("gpt_labeling", {}, [{LUNA.id: FIRST[LUNA.id]}], (LUNA,), published=None)
    at = open_page("trace", run=run.id)
    assert f"Labeller: {TITLES[1]}." in said(at, "info")
    assert not [widget for widget in at.selectbox if widget.label == "Labeller"]
    assert not {"Labeller", "Changed by people"} & set(samples(at)[0])


def test_a_heuristic_run_is_compared_with_published_labels_only_where_somebody_looks(
    open_page, filled
):
    at = open_page("trace", run=filled.trace.id)
    assert [widget.options for widget in at.selectbox if widget.label == "Labeller"] == [
        ["The run's own (the heuristic)", "Heuristic", "Gold"]
    ]
    assert by_labeller(at, "Adherence") == []


def test_a_hybrid_run_says_which_samples_its_judge_labelled(open_page):
    heuristic = {"heuristic": SECOND[JURY]}
    run = stored(
        "hybrid",
        {"doubt_from": 0.4321},
        [{**heuristic, LUNA.id: FIRST[LUNA.id]}, heuristic],
        (LUNA,),
    )
    at = open_page("trace", run=run.id)
    assert (
        "1 of 2 samples, those that the heuristic was least sure of, have labels by "
        f"{TITLES[1]}. All other values are the heuristic's estimates." in said(at, "info")
    )
    assert "Doubt from: 0.4321" in said(at)
    assert [row["Labeller"] for row in samples(at)] == [TITLES[1], "Heuristic"]
    assert [(by, coverage[:6]) for by, _, coverage in by_labeller(at, "Adherence")] == [
        (TITLES[1], "1 of 2"),
        ("Heuristic", "2 of 2"),
        ("Gold", "1 of 2"),
    ]


def by_labeller(at: AppTest, value: str) -> list[tuple[str, str, str]]:
    """The means of a value by each labeller, with their coverages."""
    return value_table(at, "Value").get(value, [])


def by_labels(at: AppTest, title: str) -> AppTest:
    next(widget for widget in at.selectbox if widget.label == "Labeller").set_value(title)
    return checked(at.run())


def jury() -> Run:
    return stored("gpt_labeling", {}, [FIRST, SECOND], (OSS, LUNA))


def stored(
    name: str,
    params: dict[str, float],
    labelled: list[dict[str, Labels]],
    judges: tuple[ModelSpec, ...],
    published: Labels | None = PUBLISHED,
) -> Run:
    """A run in the store of this test, its samples labelled so; the jury counts, else the last
    labeller.
    """
    samples = tuple(
        sample(number, published if number == 0 else None) for number in range(len(labelled))
    )
    data = Dataset(name="By hand", samples=samples)
    scores = []
    for labelled_sample, own in zip(samples, labelled, strict=True):
        found = [Labelling(by=by, labels=each) for by, each in own.items()]
        counted = next((each for each in found if each.by == JURY), found[-1])
        of_judges = [each for each in found if each.by != JURY]
        scores.append(labelled_score(labelled_sample, SENTENCES, of_judges, counted))
    spec = EvaluatorSpec(name=name, params=params)
    return stored_run(session.store(), data, spec, id=name, judges=judges, scores=scores)


def sample(number: int, published: Labels | None) -> Sample:
    return Sample(
        id=f"s{number}",
        question="When was it?",
        response="It was in May.",
        retrieved_documents=("Sentence 0a. Sentence 0b. Sentence 0c. Sentence 0d.",),
        sentences=SENTENCES,
        labels=published,
    )


def test_what_all_pairs_are_counted_over_is_said_once(open_page):
    at = checked(open_page("trace", run="example-invented"))
    cells = grid(at)
    assert cells
    assert not any("sentences" in cell for cell in cells.values())
    assert said(at, "caption").count("45 sentences of 24 answers") == 1
