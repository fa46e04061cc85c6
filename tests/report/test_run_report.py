"""The report of a run: what stands in it, that texts stay texts, that long ones are cut."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from evaluators import evaluate
from evaluators.api.results import Results
from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.llm.catalogue import OFFLINE
from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    Dataset,
    EvaluatorSpec,
    ModelSpec,
    Run,
    Sample,
    SampleResult,
    Score,
)
from evaluators.report.page import MOST_BYTES, POLICY
from evaluators.report.picked import samples_to_read
from evaluators.report.run_report import run_report
from evaluators.runs import examples
from evaluators.runs.aggregate import View
from evaluators.runs.engine import create_run
from evaluators.runs.inputs import local_store
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import RunView
from evaluators.text.sentences import cut
from evaluators.trace_evaluator import TRACEEvaluator
from tests.comparison import made
from tests.report.markup import FACTS, MARKS, Read

NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src='https://evil.example/x' onerror=alert(2)>",
    "</style></title></pre></table><iframe src=//evil.example>",
    "<!-- ]]> &lt;b&gt; ${x} {{7*7}} javascript:alert(3)",
    "' onmouseover='alert(4)' x='\x00\x1b[31m\u202e",
)
WORST = " ".join(HOSTILE)


@pytest.fixture
def store():
    return local_store()


def report(run, store, **how):
    return run_report(RunView.read(store, run), written=NOW, **how)


def example(name, store):
    run = examples.find(store, name)
    assert run is not None
    return run


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        (examples.NOISE, "With 80 % noise Model A (best of 3) still answers 83 % (64 to 93)"),
        (examples.INVENTED, "8 of 24 answers contain something the documents do not say"),
    ],
)
def test_a_report_says_what_was_found_and_how_and_shows_ten_samples(name, finding, store):
    page = report(example(name, store), store)
    read = Read(page)

    assert finding in read.text.replace("\xa0", " ")
    for heading in ("Numbers", "Samples to read", "How it was done", "To run it again"):
        assert f"<h2>{heading}</h2>" in page
    assert page.count("<article>") == 10
    assert page.count("<svg ") >= 2
    assert "Written by Plumbline, 23 Nov 2026, 04:30 UTC." in read.text


@pytest.mark.parametrize("name", [examples.NOISE, examples.NOISE_ZH, examples.INVENTED])
def test_a_report_loads_nothing_and_runs_nothing(name, store):
    page = report(example(name, store), store)

    assert page.index(POLICY) < page.index("<title>")
    is_harmless(Read(page))
    for loading in ("url(", "@import", "@font-face"):
        assert loading not in page


def is_harmless(read: Read) -> None:
    assert not read.open
    assert {tag for tag, _ in read.tags} <= MARKS
    in_figures = {"svg", "g", "path", "line", "rect", "circle", "polygon", "polyline", "text"}
    for tag, attributes in read.tags:
        assert not [name for name in attributes if name.startswith("on")]
        assert not {"href", "src", "srcset", "action", "xlink:href"} & attributes.keys()
        if tag not in {*in_figures, "tspan", "desc", "title"}:
            assert attributes.keys() <= FACTS


def test_a_report_is_the_same_for_the_same_run_and_time(store):
    run = example(examples.INVENTED, store)

    assert report(run, store) == report(run, store)


def test_the_sign_of_disputed_sentences_is_explained_where_it_stands(store):
    row = {"question": "When?", "response": "In 1812.", "retrieved_documents": ["In 1812."]}
    alone = evaluate([row], "trace", store=store, progress=False)

    assert "≠</span> labellers differ" in report(example(examples.INVENTED, store), store)
    assert "≠" not in report(alone.run, store)


def test_every_mean_is_that_of_the_results(store):
    results = evaluate(
        TRACE_SAMPLES, ["trace", "answer_match"], store=store, progress=False, run="Means"
    )
    table = Read(report(results.run, store)).table("Value")

    head, *rows = table
    assert head == ["Value", "Mean", "95 % interval", "Checked", "Meaning"]
    means = results.summary()
    expected = []
    for name in (
        *("context_relevance", "context_utilization", "completeness", "adherence"),
        *("average", "supported_share", "answer_match"),
    ):
        mean = means[name]
        # The heuristic's means are estimates, of which no interval is known
        words = "an estimate"
        if name == "answer_match":
            words = f"{mean.low:.2f} to {mean.high:.2f}"
        checked = f"{mean.scored} of {mean.asked}"
        if mean.not_applicable:
            checked += f", {mean.not_applicable} not applicable"
        expected.append([f"{mean.mean:.2f}", words, checked])
    assert means["completeness"].not_applicable == 1
    assert [row[1:4] for row in rows] == expected


def test_every_rate_of_rgb_is_that_of_the_results(store):
    run = example(examples.NOISE, store)
    head, *rows = Read(report(run, store)).table("Value")

    assert head[:3] == ["Value", "Model", "Mean"]
    found = {(value, model): mean for value, model, mean, *_ in rows}
    for number, model in enumerate(("Model A", "Model B")):
        means = Results(run, store).summary(number)
        assert found["Noise robustness", model] == f"{100 * means['noise_robustness'].mean:.0f} %"
        assert found["Error correction", model] == f"{100 * means['error_correction'].mean:.0f} %"


def test_another_formula_counts_in_the_report(store, tmp_path):
    results = evaluate(TRACE_SAMPLES, "trace", store=store, progress=False).under("ragbench")
    page = results.report(tmp_path / "report.html").read_text("utf-8")

    relevance = results.summary()["context_relevance"].mean
    assert Read(page).table("Value")[1][1] == f"{relevance:.2f}"


def test_what_failed_or_does_not_apply_stands_beside_the_means(store):
    results = made.results(store, "Mixed", ["a?", "b?", "c?", "d?"], [1.0, "failed", None, 0.0])
    read = Read(report(results.run, store))

    assert read.table("Value")[1][1:4] == [
        "0.50",
        "0.09 to 0.91",
        "2 of 4, 1 not applicable, 1 failed",
    ]
    assert "1 of 4 failed: the results are of the other 3." in read.text
    assert "What did not work" in read.text


def test_a_run_of_which_nothing_is_checked_says_so(store):
    dataset = made.dataset(["a?", "b?"])
    run = create_run(store, RunPlan(dataset, [TRACEEvaluator()], title="Empty"), workspace="local")
    page = report(run, store)

    assert "Nothing is checked yet." in page
    assert "The run is not finished: 2 of 2 are not checked yet." in page
    assert "<article>" not in page
    assert "<svg" not in page


# Samples


def test_samples_are_picked_for_different_reasons(store):
    view = RunView.read(store, example(examples.INVENTED, store))

    reasons = [one.why for one in samples_to_read(view, View())]

    assert reasons.count("Says what no document says") >= 4
    assert reasons.count("Labellers differ") >= 3
    assert reasons.count("Every sentence supported") == 1
    assert len(reasons) == len({one.answer for one in samples_to_read(view, View())}) == 10


def test_of_rgb_every_ability_has_a_wrong_answer(store):
    view = RunView.read(store, example(examples.NOISE, store))

    reasons = {one.why for one in samples_to_read(view, View())}

    assert reasons == {
        "Wrong: noise robustness",
        "Wrong: negative rejection",
        "Wrong: information integration",
        "Wrong: counterfactual robustness",
        "Right",
    }


def test_a_metric_shows_its_lowest_answers_and_the_highest(store):
    values = [0.5, 0.1, -3.0, 7.0, *[1.0] * 10]
    results = made.results(store, "Own", [f"{n}?" for n in range(14)], values)

    found = samples_to_read(RunView.read(store, results.run), View())

    assert [one.answer.position for one in found[:3]] == [2, 1, 0]
    assert (found[-1].why, found[-1].answer.position) == ("Highest: Answer match", 3)


# Texts of strangers


def hostile_run(store):
    samples = tuple(
        Sample(
            id=WORST,
            question=f"{WORST} {number}",
            response=f"{WORST} London is a city.",
            ground_truth=WORST,
            retrieved_documents=(f"{WORST} London is a city in England.",),
            sources=(WORST,),
            situation=WORST,
        )
        for number in range(3)
    )
    dataset = Dataset(name=WORST, samples=samples)
    results = evaluate(dataset, "trace", store=store, progress=False, run=WORST)
    return results.run


def test_hostile_texts_stay_texts(store):
    read = Read(report(hostile_run(store), store))

    is_harmless(read)
    for words in HOSTILE[:4]:
        assert words in read.text


def test_hostile_names_prompts_and_errors_stay_texts(store):
    data = made.dataset([WORST, "b?"], name=WORST)
    run = Run(
        id="hostile",
        workspace="local",
        created="2026-11-22T09:00:00+00:00",
        title=WORST,
        dataset_name=WORST,
        fingerprint=data.fingerprint,
        evaluators=(EvaluatorSpec(name="answer_match", params={"type": WORST}),),
        models=(ModelSpec(provider="groq", model=WORST), OFFLINE),
        prompt=f"{WORST} $question $documents",
        note=WORST,
        tags=(WORST,),
    )
    rows = [
        SampleResult(position=0, status="failed", error=WORST),
        SampleResult(
            position=0, model=1, status="scored", score=Score(values={WORST: 1.0}, reason=WORST)
        ),
        SampleResult(
            position=1,
            status="scored",
            score=Score(values={WORST: None}, reason=WORST),
            response=WORST,
        ),
    ]
    store.runs.put(run, data.samples, rows)

    read = Read(report(run, store))

    is_harmless(read)
    assert HOSTILE[0] in read.text


# Long texts


def test_long_documents_are_cut_and_say_so_but_keep_the_evidence(store):
    filler = "Nothing here is about the question at all. " * 2000
    evidence = "The tower is 330 metres tall."
    sample = Sample(
        id="long",
        question="How tall is the tower?",
        response="The tower is 330 metres tall.",
        retrieved_documents=(f"{filler}{evidence} {filler}", *["Short."] * 500),
    )
    results = evaluate(
        Dataset(name="long", samples=(sample,)), "trace", store=store, progress=False
    )
    page = report(results.run, store)
    read = Read(page)

    assert read.text.count(evidence) >= 2
    assert re.search(r"\[… [0-9,]{5,} characters left out …\]", read.text)
    assert "further documents are left out." in read.text
    assert len(page) < 200_000


def test_what_failed_for_good_has_no_result(store):
    results = made.results(store, "Failed", ["a?", "b?"], ["failed", "failed"])
    text = Read(report(results.run, store)).text

    assert "2 of 2 failed: there is no result." in text
    assert "Nothing is checked yet." in text


def test_names_of_any_length_are_cut(store):
    results = made.results(store, "Long", ["a?"], [1.0])
    run = results.run.model_copy(update={"id": "long", "title": "t" * 10**6, "note": "n" * 10**6})
    store.runs.put(run, made.dataset(["a?"]).samples, [])

    assert len(report(run, store)) < 300_000


def test_a_report_never_exceeds_its_size(store):
    sign = '"<&>' * 5000
    samples = tuple(
        Sample(
            id=str(number),
            question=sign,
            response=f"{sign}. " * 4,
            retrieved_documents=tuple(f"{sign} {part}" for part in range(60)),
        )
        for number in range(10)
    )
    values = [Score(values={f"v{number}": 0.5 for number in range(20)}, reason=sign)] * 10
    data = Dataset(name="signs", samples=samples)
    run = made.results(store, "signs", ["a?"], [0.5]).run.model_copy(
        update={"id": "big", "fingerprint": data.fingerprint, "prompt": sign * 100}
    )
    rows = [
        SampleResult(position=position, status="scored", score=score)
        for position, score in enumerate(values)
    ]
    store.runs.put(run, data.samples, rows)

    page = report(run, store)

    assert len(page.encode()) <= MOST_BYTES
    is_harmless(Read(page))


# People


def test_means_that_people_corrected_stand_beside_those_of_the_labeller(store):
    results = evaluate(TRACE_SAMPLES, "trace", store=store, progress=False)
    drawn = {"created": "2026-11-22T10:00:00+00:00", "drawn": "at random", "probability": 0.75}
    for position in range(18):
        sample = store.samples.get(results.run.fingerprint, position)
        said = [
            PersonLabel(label="support", key=sentence.key, value="full", blind=True, **drawn)
            for sentence in cut(sample.response, sample.retrieved_documents).response
        ]
        done = PersonLabel(label="sample", value="done", blind=True, **drawn)
        store.person_labels.save(results.run.id, Cell(position), *said, done)

    page = report(results.run, store)
    tables = Read(page).tables

    (adherence,) = [value for value in results.correct().values if value.name == "adherence"]
    corrected = adherence.corrected
    assert "<h2>Corrected by people</h2>" in page
    (table,) = [table for table in tables if "People say" in table[0]]
    assert [
        *("Adherence", f"{adherence.judged:.2f}", f"{corrected.mean:.2f}"),
        *(f"{corrected.low:.2f} to {corrected.high:.2f}", "18 of 24"),
    ] in table
