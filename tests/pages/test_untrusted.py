"""Whatever a run file names as it likes is shown letter by letter, wherever it stands on a page."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.people.records import PersonLabel
from evaluators.records import (
    Ability,
    Cell,
    Dataset,
    EvaluatorSpec,
    JudgeEvidence,
    Judgement,
    LabelEvidence,
    Labelling,
    Labels,
    ModelSpec,
    RGBTask,
    RuleEvidence,
    Run,
    Sample,
    Score,
    SentenceSupport,
    Verdict,
)
from evaluators.runs.notes import written
from evaluators.runs.store import Answer
from tests.pages.screen import markdown
from tests.stored import save_score, stored_run
from ui import session

CREATED = "2026-11-22T10:00:00+00:00"
SAMPLES = 6


def hostile(name: str) -> str:
    """A name that would be an image: of what, so that a failure says it."""
    return f"![{name}](http://a/b)"


def data(lead: str) -> Dataset:
    ability = list(Ability)
    samples = [
        Sample(
            id=hostile("id"),
            question=f"{hostile('question')} {number}",
            response=hostile("response"),
            retrieved_documents=(hostile("document"),),
            ground_truth=hostile("truth"),
            situation=hostile("situation"),
            generator=hostile("generator"),
            sources=(hostile("source"),),
            rgb=RGBTask(ability=ability[number % len(ability)], counterfactual=hostile("planted"))
            if lead == "rgb"
            else None,
        )
        for number in range(SAMPLES)
    ]
    return Dataset(name=hostile("data"), samples=tuple(samples), origin={hostile("origin"): "x"})


def evidence(lead: str) -> Any:
    if lead == "trace":
        support = SentenceSupport(key="a", support="none", explanation=hostile("explanation"))
        labels = Labels(relevant_keys=("0a",), sentence_support=(support,))
        judgement = Judgement(
            relevance_explanation=hostile("relevance"),
            overall_supported=True,
            overall_supported_explanation=hostile("supported"),
            mode=hostile("mode"),
            warnings=(hostile("warning"),),
        )
        names = hostile("labeller"), hostile("other labeller")
        labellings = [Labelling(by=name, labels=labels, judgement=judgement) for name in names]
        return LabelEvidence(labellings=tuple(labellings))
    if lead == "rgb":
        verdict = Verdict(True, hostile("rule"), (hostile("evidence"),))
        return RuleEvidence(
            verdicts={hostile("value"): verdict, "accuracy": verdict}, flips=(hostile("flip"),)
        )
    return JudgeEvidence(reason=hostile("reason"), outputs=("{}",), mode=hostile("mode"))


def score(lead: str, number: int) -> Score:
    """Two values of hostile names, beside those that the metric is known for."""
    own = {"trace": ["adherence", "completeness"], "rgb": ["accuracy"]}.get(lead, [])
    values = dict.fromkeys([*own, hostile("value"), hostile("other value")], float(number % 2))
    details = {hostile("detail"): [{hostile("column"): hostile("cell")}], hostile("line"): "x"}
    return Score(values=values, evidence=evidence(lead), details=details)


def hostile_run(lead: str, number: int) -> Run:
    """A run whose every name is hostile, with labels of people and notes."""
    store = session.store()
    params = {hostile("param"): hostile("given")}
    models = (hostile("model"), hostile("other model"))[: 2 if lead != "trace" else 0]
    run = stored_run(
        store,
        data(lead),
        EvaluatorSpec(name=lead, params=params if lead.startswith("!") else {}),
        EvaluatorSpec(name=hostile("further metric"), params=params),
        id=f"{number}",
        title=f"{hostile('title')} {number}",
        models=tuple(ModelSpec(provider="custom", model=name) for name in models),
        judges=(ModelSpec(provider="custom", model=hostile("judge")),),
        tags=(hostile("tag"),),
        note=hostile("note"),
        prompt=hostile("prompt"),
    )
    for position in range(SAMPLES):
        for model in range(max(1, len(models))):
            for metric in (0, 1):
                own = score(lead if metric == 0 else "!", position + number + model)
                facts = {"position": position, "model": model, "metric": metric}
                save_score(store, run.id, own, **facts, note=hostile("call"), response="So.")
        for metric in (0, 1):
            for value in (hostile("value"), hostile("other value")):
                label = PersonLabel(
                    person=hostile("person"),
                    label="verdict",
                    key=value,
                    value="yes",
                    created=CREATED,
                )
                store.person_labels.save(run.id, Cell(position, 0, metric), label)
        note = written(hostile("answer note"), [hostile("answer tag")], CREATED)
        store.notes.save(run.id, Answer(position), note)
    return run


@pytest.mark.parametrize("lead", ["trace", "rgb", hostile("metric")])
def test_no_name_of_a_run_file_is_rendered(open_page, lead):
    runs = [hostile_run(lead, number) for number in (0, 1)]
    own = lead if lead in ("trace", "rgb") else "metrics"
    compared = {"first": "0.1", "second": "1.1"}
    places = [(page, {"run": runs[0].id}) for page in (own, "sample", "check", "label", "round")]
    places += [
        (own, {"run": runs[0].id, "present": "1"}),
        ("sample", {"run": runs[0].id, "model": "2"}),
    ]
    places += [("compare", compared), ("compare", compared | {"pair": "1"})]
    places += [("runs", {}), ("home", {}), ("datasets", {})]
    rendered = {}
    for page, query in places:
        found = [text for text in markdown(open_page(page, **query)) if "![" in text]
        if found:
            rendered[page, *query] = found
    assert not rendered
