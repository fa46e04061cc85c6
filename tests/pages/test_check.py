"""Check: what the page says of a run's labeller, with labels of people and without any."""

from __future__ import annotations

import json

from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.decision_evaluator import DecisionEvaluator
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Run, Sample
from evaluators.runs import samples
from evaluators.runs.checks import checked as check_of
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.probabilities import reliabilities
from evaluators.runs.run_view import RunView
from evaluators.text.scale import RATE
from evaluators.trace.labelling import sentences_of
from evaluators.trace_evaluator import TRACEEvaluator
from tests import judge
from tests.pages.conftest import checked, finish, finished
from tests.pages.screen import button, lines, runs, said, segments, settled, table
from tests.runs.paid import LUNA
from ui import session

DRAWN = {"drawn": "at random", "probability": 0.75, "blind": True}
CREATED = "2026-11-22T10:00:00+00:00"


def person_label(kind: str, key: str, value: str, person: str = "you") -> PersonLabel:
    made = {"label": kind, "key": key, "value": value, "person": person, "created": CREATED}
    return PersonLabel.model_validate({**made, **DRAWN})


def label_as_supported(run: Run, count: int, person: str = "you") -> None:
    """So many answers, in which this person finds all supported."""
    store = session.store()
    for position in range(count):
        sample = store.samples.get(run.fingerprint, position)
        keys = [sentence.key for sentence in sentences_of(sample).response]
        labels = [person_label("support", key, "full", person) for key in keys]
        done = person_label("sample", "", "done", person)
        store.person_labels.save(run.id, Cell(position), *labels, done)


def test_without_a_run_the_page_says_where_to_find_one(open_page):
    assert "Open a run and press “Check” there." in said(open_page("check"))


def test_an_unknown_run_says_so(open_page, filled):
    assert "There is no such run here" in said(open_page("check", run="unknown"))


def test_without_labels_the_page_says_what_to_do(open_page, filled):
    at = open_page("check", run=filled.rgb.id)

    assert "Nobody has labelled an answer of this run. 50 labels take about 25 minutes" in said(at)
    assert button(at, "Label some …")


def test_published_labels_are_there_without_a_persons_and_another_value_is_looked_at(
    open_page, filled
):
    at = open_page("check", run=filled.trace.id)

    value = check_of(RunView.read(filled.store, filled.trace), against="gold").values[0]
    assert value.sentence in said(at, "header")
    assert segments(at, f"check_against_{filled.trace.id}").value == "gold"
    segments(at, f"check_value_{filled.trace.id}_gold").set_value("completeness")
    assert "Completeness: the heuristic says " in said(checked(at.run()), "header")


def test_people_s_labels_correct_the_mean_and_a_field_of_the_table_opens_its_answers(
    open_page, filled
):
    label_as_supported(filled.trace, 18)
    at = open_page("check", run=filled.trace.id)

    value = check_of(RunView.read(filled.store, filled.trace)).values[0]
    assert value.corrected
    assert value.alone
    assert value.sentence in said(at, "header")
    assert [(line.title, line.mean) for line in lines(at)] == [
        ("The heuristic says", f"{value.judged:.2f}"),
        ("People say", f"{value.corrected.mean:.2f}"),
        ("The 18 labels alone", f"{value.alone.mean:.2f}"),
    ]
    worth = f"With the labeller, 18 labels by people tell as much as {value.worth} alone. "
    worth += "6 more would narrow ±"
    assert worth in said(at, "markdown")

    table = value.table
    assert table
    assert table.only_people
    checked(button(at, f"people: yes · {len(table.only_people)}").click().run())

    assert "the heuristic: no, people: yes" in said(at, "markdown")
    links = [link.proto for link in at.get("page_link")]
    positions = [f"{cell.position + 1}" for cell in table.only_people]
    assert [link.label.partition("\\:")[0] for link in links] == positions
    assert all(link.page == "sample" for link in links)


def test_few_labels_stand_alone_and_names_of_people_are_shown_letter_by_letter(open_page, filled):
    label_as_supported(filled.trace, 3, "<script>*bold*")
    at = open_page("check", run=filled.trace.id)

    assert [line.title for line in lines(at)] == ["The heuristic says", "The 3 labels alone"]
    assert "From 15 on, labels correct the mean." in said(at, "header")
    assert "<script>" not in said(at, "markdown", "header")


def test_another_run_over_the_same_answers_stands_beside(open_page, filled):
    other = samples.trace(filled.store, "local")
    finish(other, filled.store)
    label_as_supported(filled.trace, 18)
    at = open_page("check", run=filled.trace.id)
    checked(at.multiselect(key=f"check_beside_{filled.trace.id}").set_value([other.id]).run())

    assert len(lines(at)) == 6
    assert "TRACE (heuristic)" in lines(at)[0].heading
    assert lines(at)[1].mean == lines(at)[4].mean


def test_a_run_s_page_says_its_corrected_mean_once(open_page, filled):
    assert "drawn at random" not in said(open_page("trace", run=filled.trace.id), "header")

    label_as_supported(filled.trace, 18)
    value = check_of(RunView.read(filled.store, filled.trace)).values[0]
    assert value.corrected
    shown = said(open_page("trace", run=filled.trace.id), "header", "markdown", "caption")
    assert shown.count(value.headline) == 1
    assert "Corrected by" not in shown


def test_the_rates_of_rgb_are_corrected_too(open_page, filled):
    for position in range(16):
        label = person_label("verdict", "accuracy", "yes").model_copy(update={"blind": False})
        filled.store.person_labels.save(filled.rgb.id, Cell(position), label)
    at = open_page("check", run=filled.rgb.id)
    assert "Noise robustness: the rules say " in said(at, "header")
    assert "the rules sees" not in said(at, "markdown")
    assert lines(at)[0].title == "The rules say"


def test_a_run_s_page_leads_to_its_check(open_page, filled):
    at = open_page("trace", run=filled.trace.id)
    button(at, "Check").click()

    assert at.run().query_params["run"] in (filled.trace.id, [filled.trace.id])
    assert "Check your judge" in said(checked(at), "title")


def test_published_judges_stand_beside_rows_of_ragbench(open_page, filled):
    bundled_run = open_page("check", run=filled.trace.id)
    assert "Published judges on RAGBench" not in [box.label for box in bundled_run.expander]

    dataset = bundled()[TRACE_SAMPLES]
    assert isinstance(dataset, Dataset)
    renamed = tuple(
        sample.model_copy(update={"id": f"covidqa_test/{number}/gpt-3.5-turbo-1106"})
        for number, sample in enumerate(dataset.samples)
    )
    run = finished(Dataset(name="CovidQA", samples=renamed), "trace")

    at = open_page("check", run=run.id)
    assert "Published judges on RAGBench" in [box.label for box in at.expander]
    tables = [frame.value for frame in at.dataframe]
    (published,) = [table for table in tables if "Judge" in table]
    assert set(published["Set"]) == {"CovidQA"}
    assert list(published["AUROC of adherence"]) == ["0.57", "0.58", "0.62", "0.77"]


def judged_tower(number: int) -> Sample:
    height = 999 if number % 3 == 0 else 100 + number
    return Sample(
        id=f"t{number}",
        question=f"How high is tower {number}?",
        response=f"The old stone tower of the harbour is {height} metres high.",
        retrieved_documents=(f"The old stone tower of the harbour is {100 + number} metres high.",),
    )


def test_a_judge_is_made_better_by_its_errors_and_the_run_says_so(open_page, serving):
    def answer(prompt_text: str) -> str:
        labels = judge.labels(prompt_text)
        is_wrong = "999" in judge.material(prompt_text, "response")
        for support in labels["sentence_support_information"]:
            support["fully_supported"] = not (is_wrong and "<examples " in prompt_text)
            support["supporting_sentence_keys"] = ["0a"]
        return json.dumps(labels)

    serving(answer)
    data = Dataset(name="towers", samples=tuple(judged_tower(number) for number in range(60)))
    plan = RunPlan(data, [AdvancedRAGEvaluator()], judges=(LUNA,), seed=1)
    run = create_run(session.store(), plan, workspace="local")
    finish(run, session.store(), session.keys())

    def label(numbers: range) -> None:
        for number in numbers:
            found = "full" if number % 3 else "none"
            labels = person_label("support", "a", found), person_label("sample", "", "done")
            session.store().person_labels.save(run.id, Cell(number), *labels)

    label(range(12))
    at = checked(open_page("check", run=run.id))
    assert not [box for box in at.text_area if box.key == f"examples_{run.id}"]
    at.session_state[f"better_{run.id}"] = True
    assert "One half of the labelled questions has " in said(checked(at.run()))

    label(range(12, 60))
    checked(at.run())
    examples = at.text_area(key=f"examples_{run.id}")
    assert examples.value.count("People call it: not fully supported") == 6
    [error] = table(at, "Where the judge errs")
    assert error["Where the judge errs"] == "The evidence has another number"
    examples.input("").run()
    assert "There is no example to try. Write at least one." in said(at)
    at.text_area(key=f"examples_{run.id}").input("Sentence: one of my own").run()
    at.button(key=f"try_{run.id}").click()
    settled(checked(at.run()))

    tried = runs()[0]
    assert tried.evaluator.params["examples"] == "Sentence: one of my own"
    page = checked(open_page("trace", run=tried.id))
    assert "Better by " in said(page, "header")
    rows = {row["Judge"]: row["Agrees with people"] for row in table(page, "Judge")}
    assert rows["With examples"] == "100 %"


# Scores of other tools


def with_scores(column: str, *scores: float) -> Dataset:
    """As many bundled answers, each with a score of another tool and its published labels."""
    samples_with_labels = bundled()[TRACE_SAMPLES].samples[: len(scores)]
    scored = [
        sample.model_copy(update={"scores": {column: float(score)}})
        for sample, score in zip(samples_with_labels, scores, strict=True)
    ]
    return Dataset(name="Scored", samples=tuple(scored))


def scored_run(column: str, *scores: float) -> Run:
    plan = RunPlan(with_scores(column, *scores), [TRACEEvaluator()])
    run = create_run(session.store(), plan, workspace="local")
    finish(run, session.store())
    return run


def test_scores_of_the_data_are_offered_in_the_labeller_s_place(open_page, data_folder):
    run = scored_run("faithfulness", 0.9, 0.8, 0.3)
    at = open_page("check", run=run.id)

    assert [row["Scores"] for row in table(at, "Data set")] == ["faithfulness"]
    at.selectbox(key=f"check_scores_{run.id}_0").set_value("faithfulness")
    at = checked(at.run())

    assert "Adherence: faithfulness says 67 %" in said(at, "header")
    assert at.selectbox(key=f"check_of_{run.id}_0_faithfulness").value == "adherence"


def test_scores_on_another_scale_are_asked_about_on_the_page(open_page, data_folder):
    run = scored_run("faithfulness", 5, 4, 1)
    at = open_page("check", run=run.id)
    at.selectbox(key=f"check_scores_{run.id}_0").set_value("faithfulness")
    at = checked(at.run())

    assert "holds numbers from 1 to 5, not from 0 to 1" in said(at)
    at.text_input(key=f"check_scale_{run.id}_0_faithfulness").set_value("1：5")
    assert "Adherence: faithfulness says 67 %" in said(checked(at.run()), "header")


def test_data_sets_are_checked_without_a_run(open_page, data_folder):
    data = with_scores("faithfulness", 0.9, 0.8, 0.3)
    session.store().uploads.save("local", data.name, data)
    at = open_page("check")
    at.multiselect(key="scores_of_data").set_value(["Scored"])
    at = checked(at.run())

    (shown,) = table(at, "Data set")
    assert (shown["Scores"], shown["Labels"]) == ("faithfulness", "3 of 3")


def test_data_without_labels_say_what_to_do(open_page):
    data = with_scores("faithfulness", 0.9, 0.8, 0.3)
    bare = [sample.model_copy(update={"labels": None}) for sample in data.samples]
    session.store().uploads.save("local", data.name, Dataset(name="Scored", samples=tuple(bare)))
    at = open_page("check")
    at.multiselect(key="scores_of_data").set_value(["Scored"])

    at = checked(at.run())

    assert "label some answers" in said(at, "caption")
    assert not at.table


def test_a_threshold_is_moved_and_its_errors_and_costs_change(open_page, serving):
    serving(lambda text: "")
    data = bundled()[TRACE_SAMPLES]
    plan = RunPlan(data, [DecisionEvaluator()], judges=(LUNA,), seed=1)
    run = create_run(session.store(), plan, workspace="local")
    finish(run, session.store(), session.keys())
    own = reliabilities(RunView.read(session.store(), run), against="gold")["supported"]
    at = open_page("check", run=run.id)

    assert own.at(0.5) != own.at(0.9)
    for threshold, of_miss in ((0.5, 1.0), (0.9, 10.0)):
        at.slider(key=f"check_probabilities_{run.id}_from").set_value(threshold)
        at.number_input(key=f"check_probabilities_{run.id}_miss").set_value(of_miss)
        checked(at.run())
        whole, at_threshold = (
            element.value.to_dict("records")[0]
            for element in at.dataframe
            if element.value.columns[0] == "Label"
        )
        outcome, cheapest = own.at(threshold), own.cheapest(of_miss)
        least = own.at(cheapest).cost(of_miss, 1)
        assert whole["Expected"] == RATE.shown(own.expected)
        assert at_threshold["Threshold"] == f"{threshold:.2f}"
        assert (
            at_threshold["True ones found"] == f"{outcome.hits} of {outcome.hits + outcome.misses}"
        )
        assert at_threshold["Missed"] == outcome.misses
        assert at_threshold["Cost"] == outcome.cost(of_miss, 1)
        assert at_threshold["Least cost"] == f"{least:,.0f} from {cheapest:.2f}"
