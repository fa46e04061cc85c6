"""What labellers are called: one name at every door."""

import pytest

from evaluators import evaluate
from evaluators.llm.catalogue import model_title
from evaluators.people import labellers
from evaluators.people.labellers import in_a_sentence, labeller_title
from evaluators.records import Cell, Dataset, ModelSpec, Sample
from evaluators.runs import run_facts
from evaluators.runs.checks import checked
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.trace.labelling import CORRECTED, GOLD, HEURISTIC, JURY


@pytest.mark.parametrize(
    ("provider", "model", "name"),
    [
        ("custom", "gold-judge", "gold-judge"),
        ("custom", "qwen/qwen4", "qwen/qwen4"),
        ("openai", "gpt-6-luna", "GPT-6 Luna"),
        ("groq", "llama-9", "llama-9"),
    ],
)
def test_a_judge_has_one_name(provider, model, name):
    spec = ModelSpec(provider=provider, model=model)
    mill = Sample(id="1", question="?", response="It stands.", retrieved_documents=("It stands.",))
    store = Store(":memory:")
    run = evaluate(Dataset(name="d", samples=(mill,)), ["trace"], store=store).run
    row = store.results.get(run.id, *Cell(0))
    (labelling,) = row.score.evidence.labellings
    by_judge = (labelling.model_copy(update={"by": spec.id}),)
    evidence = row.score.evidence.model_copy(update={"labellings": by_judge})
    score = row.score.model_copy(update={"evidence": evidence})
    judged = run.model_copy(update={"id": "judged", "judges": (spec,)})
    data = Dataset(name="d", samples=(mill,))
    store.runs.put(judged, data.samples, [row.model_copy(update={"score": score})])

    check = checked(RunView.read(store, judged), against="people")

    names = [labeller_title(spec.id), in_a_sentence(spec.id), model_title(spec), check.labeller]
    assert {*names, *run_facts.judge_titles(judged)} == {name}
    assert check.sentence.startswith(f"Adherence: {name} says ")
    assert labellers.at_the_beginning(name) == name


@pytest.mark.parametrize(
    ("by", "title"),
    [
        (HEURISTIC, "Heuristic"),
        (JURY, "Jury"),
        (GOLD, "Gold"),
        (CORRECTED, "Corrected"),
        ("openai/gpt-6-luna (2)", "GPT-6 Luna (2)"),
        ("unknown", "unknown"),
    ],
)
def test_a_labeller_has_a_name_for_the_screen(by, title):
    assert labeller_title(by) == title


@pytest.mark.parametrize(
    ("by", "begins"), [(HEURISTIC, "The heuristic"), (JURY, "The jury"), (GOLD, "Gold")]
)
def test_our_own_words_get_a_capital_at_the_beginning(by, begins):
    assert labellers.at_the_beginning(in_a_sentence(by)) == begins
